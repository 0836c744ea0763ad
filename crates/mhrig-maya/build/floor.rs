//! The oldest C library that loads the plug-in: glibc 2.28, that of Rocky Linux 8, whatever system it is linked on.
//!
//! A newer library has many functions under a newer version (`pthread_create@GLIBC_2.34`), and a linker takes the
//! newest. Stand-in libraries that have the older version alone are put before the real ones; what has no older version
//! is defined in `cpp/glibc_floor.cpp`. A test reads the versions of the built plug-in; when it names a new one, add a
//! row here or a function there.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Failure, arg, variable};

/// Functions by the library that has them in glibc 2.28, and their version there.
const FLOOR: [(&str, &[(&str, &str)]); 3] = [
    (
        "libpthread.so.0",
        &[
            ("__pthread_key_create", "GLIBC_2.2.5"),
            ("pthread_attr_getguardsize", "GLIBC_2.2.5"),
            ("pthread_attr_getstack", "GLIBC_2.2.5"),
            ("pthread_attr_setstacksize", "GLIBC_2.2.5"),
            ("pthread_create", "GLIBC_2.2.5"),
            ("pthread_detach", "GLIBC_2.2.5"),
            ("pthread_getattr_np", "GLIBC_2.2.5"),
            ("pthread_join", "GLIBC_2.2.5"),
            ("pthread_key_create", "GLIBC_2.2.5"),
            ("pthread_key_delete", "GLIBC_2.2.5"),
            ("pthread_once", "GLIBC_2.2.5"),
            ("pthread_setspecific", "GLIBC_2.2.5"),
            ("pthread_getspecific", "GLIBC_2.2.5"),
            ("pthread_setname_np", "GLIBC_2.12"),
        ],
    ),
    ("libdl.so.2", &[("dlsym", "GLIBC_2.2.5"), ("dladdr", "GLIBC_2.2.5")]),
    (
        "libm.so.6",
        &[
            ("exp", "GLIBC_2.2.5"),
            ("exp2", "GLIBC_2.2.5"),
            ("hypot", "GLIBC_2.2.5"),
            ("log", "GLIBC_2.2.5"),
            ("log2", "GLIBC_2.2.5"),
            ("pow", "GLIBC_2.2.5"),
        ],
    ),
];

/// Whether the target is one whose old versions are known here.
pub(crate) fn applies() -> Result<bool, Failure> {
    let is = |name: &str, value: &str| variable(name).map(|found| found == value);
    let linux = is("CARGO_CFG_TARGET_OS", "linux")? && is("CARGO_CFG_TARGET_ENV", "gnu")?;
    Ok(linux && is("CARGO_CFG_TARGET_ARCH", "x86_64")?)
}

/// Puts the stand-ins before the C library's own files.
pub(crate) fn link(compiler: &cc::Tool, out_dir: &Path) -> Result<(), Failure> {
    let real = |file: &str| -> Result<PathBuf, Failure> {
        let output = compiler.to_command().arg(format!("-print-file-name={file}")).output()?;
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    };
    let (libc, libm) = (real("libc.so")?, real("libm.so.6")?);
    if !libc.is_absolute() || !libm.is_absolute() {
        println!(
            "cargo::warning=the C library's files were not found; the plug-in will ask for this system's glibc"
        );
        return Ok(());
    }
    let stand_ins = out_dir.join("glibc-stand-ins");
    let scripts = out_dir.join("glibc");
    fs::create_dir_all(&stand_ins)?;
    fs::create_dir_all(&scripts)?;
    let mut first = String::new();
    for (library, functions) in FLOOR {
        let file = stand_in(compiler, &stand_ins, library, functions)?;
        write!(first, "\"{}\" ", file.display())?;
    }
    // rustc names these libraries in an order of its own: whichever comes first brings all stand-ins with it.
    for (script, rest) in
        [("libc.so", Some(&libc)), ("libm.so", Some(&libm)), ("libpthread.so", None), ("libdl.so", None)]
    {
        let rest = rest.map(|path| format!("\"{}\" ", path.display())).unwrap_or_default();
        fs::write(scripts.join(script), format!("INPUT ( {first}{rest})\n"))?;
    }
    arg(&format!("-L{}", scripts.display()));
    Ok(())
}

fn stand_in(
    compiler: &cc::Tool,
    folder: &Path,
    library: &str,
    functions: &[(&str, &str)],
) -> Result<PathBuf, Failure> {
    let mut source = String::new();
    let mut versions: Vec<&str> = functions.iter().map(|(_, version)| *version).collect();
    versions.sort_unstable();
    versions.dedup();
    let mut script = String::new();
    for version in versions {
        let names: String =
            functions.iter().filter(|(_, of)| *of == version).map(|(name, _)| format!(" {name};")).collect();
        writeln!(script, "{version} {{ global:{names} }};")?;
    }
    for (name, _) in functions {
        writeln!(source, "void {name}(void) {{}}")?;
    }
    let (code, map, file) =
        (folder.join(format!("{library}.c")), folder.join(format!("{library}.map")), folder.join(library));
    fs::write(&code, source)?;
    fs::write(&map, script)?;
    let mut command = compiler.to_command();
    command
        .args(["-shared", "-nostdlib", "-w", "-fno-builtin", "-fvisibility=default", "-x", "c"])
        .arg(&code)
        .arg("-o")
        .arg(&file);
    command.arg(format!("-Wl,-soname,{library}")).arg(format!("-Wl,--version-script={}", map.display()));
    if !command.status()?.success() {
        return Err(format!("cannot link a stand-in of {library}: {command:?}").into());
    }
    Ok(file)
}
