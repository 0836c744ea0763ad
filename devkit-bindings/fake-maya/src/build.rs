use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The Maya years that the headers speak to.
pub const YEARS: [u16; 4] = [2024, 2025, 2026, 2027];

/// Sources that know nothing of a year; they make up the Foundation library with `api_foundation`.
const CORE: [&str; 8] = ["scene", "dag", "network", "types", "host", "builtins", "fake_commands", "ascii"];
/// Sources of the OpenMaya library.
const OPEN_MAYA: [&str; 6] = ["api_core", "api_dag", "api_sets", "api_node", "api_command", "api_global"];

/// Why the stand-in cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The platform has no dynamic loader of the kind the host program uses.
    #[error("the stand-in host builds on Linux only")]
    Platform,
    /// The C++ compiler is missing.
    #[error("no C++ compiler: {0}")]
    NoCompiler(#[source] cc::Error),
    /// The compiler refused a source or could not link.
    #[error("`{command}` failed: {message}")]
    Compiler {
        /// The command line.
        command: String,
        /// What it printed.
        message: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

/// A stand-in that was built: libraries and host program of one year.
#[derive(Clone, Debug)]
pub struct FakeMaya {
    /// The Maya year whose names the libraries export.
    pub year: u16,
    /// The folder with `libFoundation.so`, `libOpenMaya.so`, `libOpenMayaAnim.so` and the program `host`.
    pub dir: PathBuf,
}

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the clean-room headers.
fn include_dir() -> PathBuf {
    crate_dir().join("../include")
}

/// Builds the stand-in of `year` under `root`, or finds it there from last time. Several processes may call this at
/// once: each builds in a folder of its own and the first to finish puts it in place.
///
/// # Errors
/// When there is no compiler, it refuses a source, or files cannot be written.
pub fn build(year: u16, root: &Path) -> Result<FakeMaya, BuildError> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    if !cfg!(target_os = "linux") {
        return Err(BuildError::Platform);
    }
    let fingerprint = fingerprint()?;
    // The scene is the same for every year and compiled once.
    let core = place(root, &format!("core-{fingerprint:016x}"), |dir| compile(year, dir, &CORE))?;
    let dir = place(root, &format!("{year}-{fingerprint:016x}"), |dir| compile_year(year, dir, &core))?;
    Ok(FakeMaya { year, dir })
}

/// The folder `name` under `root`; filled by `fill` in a scratch folder and moved into place when it is not there.
fn place(
    root: &Path,
    name: &str,
    fill: impl FnOnce(&Path) -> Result<(), BuildError>,
) -> Result<PathBuf, BuildError> {
    let dir = root.join(name);
    if dir.is_dir() {
        return Ok(dir);
    }
    let scratch = root.join(format!("{name}-{}.tmp", std::process::id()));
    let _ = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch).map_err(|source| BuildError::Io { path: scratch.clone(), source })?;
    let filled = fill(&scratch).and_then(|()| match fs::rename(&scratch, &dir) {
        Err(source) if !dir.is_dir() => Err(BuildError::Io { path: dir.clone(), source }),
        _ => Ok(dir),
    });
    let _ = fs::remove_dir_all(&scratch);
    filled
}

/// Forms of what tests load in place of Epic's plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpicRelease {
    /// The command has the flags that are documented.
    Documented,
    /// It knows `-ijn` and `-cs`, too.
    Newer,
    /// As [`EpicRelease::Newer`], and the node has no attribute `inputs`.
    WithoutInputs,
}

impl FakeMaya {
    /// Compiles a C++ program of tests against this year's headers and libraries into `out`.
    ///
    /// # Errors
    /// When the compiler refuses it.
    pub fn compile_program(&self, source: &Path, out: &Path) -> Result<(), BuildError> {
        let mut command = compiler(self.year)?;
        command.arg("-o").arg(out).arg(source).arg(format!("-L{}", self.dir.display()));
        run(command.args(["-lOpenMayaAnim", "-lOpenMaya", "-lFoundation", "-Wl,-rpath"]).arg(&self.dir))
    }

    /// Compiles a C++ plug-in of tests against this year's headers and libraries into `out`.
    ///
    /// # Errors
    /// When the compiler refuses it.
    pub fn compile_plugin(&self, source: &Path, out: &Path) -> Result<(), BuildError> {
        self.compile_plugin_with(source, out, &[])
    }

    /// Compiles what tests load in place of Epic's plug-in into `dir`.
    ///
    /// # Errors
    /// When the compiler refuses it.
    pub fn epic_plugin(&self, release: EpicRelease, dir: &Path) -> Result<PathBuf, BuildError> {
        let source = crate_dir().join("plug-ins/embeddedRL4.cpp");
        let out = dir.join("embeddedRL4.so");
        let defines: &[&str] = match release {
            EpicRelease::Documented => &[],
            EpicRelease::Newer => &["-DEMBEDDED_RL4_NEWER"],
            EpicRelease::WithoutInputs => &["-DEMBEDDED_RL4_NEWER", "-DEMBEDDED_RL4_WITHOUT_INPUTS"],
        };
        self.compile_plugin_with(&source, &out, defines)?;
        Ok(out)
    }

    fn compile_plugin_with(&self, source: &Path, out: &Path, defines: &[&str]) -> Result<(), BuildError> {
        let mut command = compiler(self.year)?;
        command.args(defines);
        command.args(["-shared", "-fvisibility=hidden", "-o"]).arg(out).arg(source);
        command.arg(format!("-L{}", self.dir.display()));
        run(command.args(["-lOpenMayaAnim", "-lOpenMaya", "-lFoundation"]))
    }
}

/// Changes with every source, so that a stale build is never used.
fn fingerprint() -> Result<u64, BuildError> {
    let mut files = Vec::new();
    for dir in [crate_dir().join("cpp"), include_dir(), include_dir().join("mhrig_maya")] {
        let entries = fs::read_dir(&dir).map_err(|source| BuildError::Io { path: dir.clone(), source })?;
        for entry in entries.flatten() {
            files.extend(Some(entry.path()).filter(|path| path.is_file()));
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for path in files {
        let bytes = fs::read(&path).map_err(|source| BuildError::Io { path: path.clone(), source })?;
        (path.file_name(), bytes).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn compiler(year: u16) -> Result<Command, BuildError> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let tool = cc::Build::new()
        .cpp(true)
        .cargo_metadata(false)
        .target(&target)
        .host(&target)
        .opt_level(1)
        .debug(false)
        .out_dir(std::env::temp_dir())
        .try_get_compiler()
        .map_err(BuildError::NoCompiler)?;
    let mut command = tool.to_command();
    command.args(["-std=c++17", "-fPIC", "-DMH_BUILD_FAKE"]);
    command.arg(format!("-DMAYA_YEAR={year}")).arg(format!("-I{}", include_dir().display()));
    command.arg(format!("-I{}", crate_dir().join("cpp").display()));
    Ok(command)
}

fn run(command: &mut Command) -> Result<(), BuildError> {
    let text = format!("{command:?}");
    let output = command.output().map_err(|source| BuildError::Io { path: PathBuf::from(&text), source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(BuildError::Compiler { command: text, message: String::from_utf8_lossy(&output.stderr).into_owned() })
}

fn object(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("{name}.o"))
}

fn compile(year: u16, dir: &Path, names: &[&str]) -> Result<(), BuildError> {
    names.iter().try_for_each(|name| {
        let source = crate_dir().join("cpp").join(format!("{name}.cpp"));
        run(compiler(year)?.arg("-c").arg(source).arg("-o").arg(object(dir, name)))
    })
}

fn compile_year(year: u16, dir: &Path, core: &Path) -> Result<(), BuildError> {
    compile(year, dir, &OPEN_MAYA)?;
    compile(year, dir, &["api_foundation", "api_anim", "main"])?;
    let library = |name: &str, objects: Vec<PathBuf>, needs: &[&str]| -> Result<(), BuildError> {
        let mut command = compiler(year)?;
        command.args(["-shared", "-Wl,-z,defs", "-o"]).arg(dir.join(format!("lib{name}.so")));
        command.args(objects).arg(format!("-L{}", dir.display()));
        command.args(needs.iter().map(|name| format!("-l{name}"))).arg("-ldl");
        run(&mut command)
    };
    let core = CORE.iter().map(|name| object(core, name));
    library("Foundation", core.chain([object(dir, "api_foundation")]).collect(), &[])?;
    library("OpenMaya", OPEN_MAYA.iter().map(|name| object(dir, name)).collect(), &["Foundation"])?;
    library("OpenMayaAnim", vec![object(dir, "api_anim")], &["OpenMaya", "Foundation"])?;
    let mut host = compiler(year)?;
    host.arg("-o").arg(dir.join("host")).arg(object(dir, "main")).arg(format!("-L{}", dir.display()));
    run(host.args([
        "-Wl,--no-as-needed",
        "-lOpenMayaAnim",
        "-lOpenMaya",
        "-lFoundation",
        "-Wl,-rpath,$ORIGIN",
    ]))
}
