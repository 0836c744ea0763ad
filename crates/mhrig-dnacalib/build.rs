//! With the feature `dnacalib`: finds the library through `DNACALIB_ROOT`, compiles the bridge and links both.

#[cfg(feature = "dnacalib")]
#[path = "build/locate.rs"]
mod locate;

fn main() -> std::process::ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "dnacalib")]
    if let Err(problem) = link::build() {
        for line in problem.lines() {
            println!("cargo::error={line}");
        }
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(feature = "dnacalib")]
mod link {
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use crate::locate::{Found, locate};

    pub(crate) fn build() -> Result<(), String> {
        for file in ["build/locate.rs", "src/bridge.rs", "cpp/bridge.h", "cpp/bridge.cpp"] {
            println!("cargo::rerun-if-changed={file}");
        }
        let root = variable("DNACALIB_ROOT").map(PathBuf::from);
        let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
        let found = locate(root.as_deref(), &os).map_err(|missing| missing.to_string())?;
        println!("cargo::rerun-if-changed={}", found.include.join("dnacalib").display());
        println!("cargo::rerun-if-changed={}", found.library.display());
        let mut bridge = cxx_build::bridge("src/bridge.rs");
        bridge.file("cpp/bridge.cpp").std("c++17").include(&found.include).define("DNAC_SHARED", None);
        // The library's headers are not ours to mend.
        bridge.flag_if_supported("-Wno-unused-parameter").flag_if_supported("-Wno-unused-function");
        if variable("MHRIG_DNACALIB_SANITIZE").as_deref() == Some("address") {
            bridge.flag("-fsanitize=address").flag("-fno-omit-frame-pointer");
            println!("cargo::rustc-link-lib=dylib=asan");
        }
        bridge.try_compile("mhrig_dnacalib_bridge").map_err(|error| {
            format!("the bridge does not compile against {}: {error}", found.include.display())
        })?;
        link(&found)
    }

    fn variable(name: &str) -> Option<String> {
        println!("cargo::rerun-if-env-changed={name}");
        env::var(name).ok().filter(|value| !value.is_empty())
    }

    /// Links a copy in the build's own folder: Cargo lets the programs that it runs find libraries there, and the
    /// repository has the library under the name with a number only, which linkers do not look for.
    fn link(found: &Found) -> Result<(), String> {
        let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
        let own_name = found.library.file_name().ok_or("the library has no name")?;
        let plain = match own_name.to_string_lossy() {
            name if name.ends_with(".dll") => name.into_owned(),
            name if name.contains(".dylib") => "libdnacalib.dylib".to_owned(),
            _ => "libdnacalib.so".to_owned(),
        };
        copy(&found.library, &out.join(plain))?;
        // The name that the program will ask for is one of those beside it.
        let folder = found.library.parent().ok_or("the library has no folder")?;
        for entry in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?.flatten()
        {
            if entry.file_name().to_string_lossy().starts_with("libdnacalib.") {
                copy(&entry.path(), &out.join(entry.file_name()))?;
            }
        }
        if let Some(import) = &found.import_library {
            copy(import, &out.join("dnacalib.lib"))?;
        }
        println!("cargo::rustc-link-search=native={}", out.display());
        println!("cargo::rustc-link-lib=dylib=dnacalib");
        Ok(())
    }

    fn copy(from: &Path, to: &Path) -> Result<(), String> {
        // A library that a program has loaded must not be written over.
        let _ = fs::remove_file(to);
        fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
    }
}
