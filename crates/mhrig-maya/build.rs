//! Compiles the C++ shim and says how the plug-in is linked.

#[path = "build/floor.rs"]
mod floor;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

fn variable(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| format!("the variable {name} is not set").into())
}

fn run() -> Result<(), Failure> {
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let year = variable("DEP_MAYA_YEAR")?;
    let include = PathBuf::from(variable("DEP_MAYA_INCLUDE")?);
    let devkit = std::env::var("DEP_MAYA_DEVKIT_INCLUDE").ok();
    println!("cargo::rerun-if-changed={}", include.display());
    println!("cargo::rustc-env=MHRIG_MAYA_YEAR={year}");
    let out_dir = PathBuf::from(variable("OUT_DIR")?);
    let target_os = variable("CARGO_CFG_TARGET_OS")?;

    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").include("cpp").include(&include).define("MAYA_YEAR", year.as_str());
    if let Some(devkit) = devkit {
        build.include(devkit).define("MHRIG_MAYA_DEVKIT", None).define("REQUIRE_IOSTREAM", None);
        match target_os.as_str() {
            "linux" => build.define("LINUX", None),
            "macos" => build.define("OSMac_", None),
            _ => build.define("NT_PLUGIN", None),
        };
    }
    // No run-time types: with them the plug-in would import Maya's. A year's shim is small: always optimized.
    build.flag_if_supported("-fno-rtti").flag_if_supported("-fvisibility=hidden").opt_level(2).debug(false);
    // The archive is linked by hand below, into the plug-in alone.
    build.cargo_metadata(false).cpp_link_stdlib(None).warnings(true).extra_warnings(true);
    build.files(["cpp/plugin.cpp", "cpp/host.cpp", "cpp/node.cpp"]);
    let has_floor = floor::applies()?;
    if has_floor {
        build.file("cpp/glibc_floor.cpp");
    }
    build.try_compile("mhrig_maya_shim")?;

    match target_os.as_str() {
        "linux" => {
            link_linux(&build, &out_dir)?;
            if has_floor {
                floor::link(&build.try_get_compiler()?, &out_dir)?;
            }
        }
        "macos" => {
            arg(&format!("-Wl,-force_load,{}", out_dir.join("libmhrig_maya_shim.a").display()));
            arg("-Wl,-undefined,dynamic_lookup");
            arg("-lc++");
        }
        "windows" => {
            // Needs the import libraries of a devkit; see devkit-bindings/README.md.
            arg(&format!("/WHOLEARCHIVE:{}", out_dir.join("mhrig_maya_shim.lib").display()));
            if let Ok(devkit) = std::env::var("DEVKIT_LOCATION") {
                arg(&format!("/LIBPATH:{}", Path::new(&devkit).join("lib").display()));
            }
            ["OpenMaya.lib", "OpenMayaAnim.lib", "Foundation.lib"].iter().for_each(|library| arg(library));
        }
        _ => {}
    }
    Ok(())
}

fn arg(text: &str) {
    println!("cargo::rustc-cdylib-link-arg={text}");
}

fn link_linux(build: &cc::Build, out_dir: &Path) -> Result<(), Failure> {
    let compiler = build.try_get_compiler()?;
    arg("-Wl,--whole-archive");
    arg(&out_dir.join("libmhrig_maya_shim.a").display().to_string());
    arg("-Wl,--no-whole-archive");

    // rustc lists the symbols that Rust exports in a version script of its own and hides the rest. A second one adds
    // the entry points; the wildcard leaves the year open. Functions of Rust's that C++ calls are declared hidden in
    // bridge.h, which keeps them out of the list of exports whatever rustc's script says.
    let script = out_dir.join("exports.map");
    fs::write(&script, "{ global: *initializePlugin*; MApiVersion; };\n")?;
    arg(&format!("-Wl,--version-script={}", script.display()));

    // Maya has its libraries loaded under these names. Empty ones stand in for them: what they would define is
    // checked by the tests of names, and by the loader, since all names are bound at load.
    let stubs = out_dir.join("stubs");
    fs::create_dir_all(&stubs)?;
    for library in ["OpenMaya", "OpenMayaAnim", "Foundation"] {
        let mut command = compiler.to_command();
        command.args(["-shared", "-nostdlib", "-x", "c", "/dev/null", "-o"]);
        command.arg(stubs.join(format!("lib{library}.so")));
        if !command.status()?.success() {
            return Err(format!("cannot link an empty library: {command:?}").into());
        }
    }
    arg(&format!("-L{}", stubs.display()));
    arg("-Wl,--push-state,--no-as-needed");
    arg("-lOpenMaya");
    arg("-lOpenMayaAnim");
    arg("-lFoundation");
    arg("-Wl,--pop-state");
    // Exceptions that Maya throws are caught with the C++ library that Maya has loaded.
    arg("-lstdc++");
    static_unwinder(&compiler, out_dir)?;

    arg("-Wl,-z,now");
    // Rust's runtime may leave destructors of thread locals behind, so the library stays mapped when Maya unloads it.
    arg("-Wl,-z,nodelete");
    Ok(())
}

/// Links the unwinder that comes with the compiler into the plug-in, so that it asks for no libgcc_s of a certain age.
///
/// Rust's library asks for `gcc_s`. A script of that name stands before the shared library and names the archive
/// instead, so that the shared one is not even looked at, whatever linker is in use.
fn static_unwinder(compiler: &cc::Tool, out_dir: &Path) -> Result<(), Failure> {
    let output = compiler.to_command().arg("-print-file-name=libgcc_eh.a").output()?;
    let archive = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if !archive.is_absolute() || !archive.is_file() {
        println!("cargo::warning=libgcc_eh.a was not found; the plug-in will ask for this system's libgcc_s");
        return Ok(());
    }
    let folder = out_dir.join("unwinder");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("libgcc_s.so"), format!("INPUT ( \"{}\" )\n", archive.display()))?;
    arg(&format!("-L{}", folder.display()));
    Ok(())
}
