//! Finds the headers. `MAYA_YEAR` chooses the year (2026 by default), `DEVKIT_LOCATION` a devkit; without one the
//! clean-room headers serve. Dependents read the result as `DEP_MAYA_*`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const YEARS: [&str; 4] = ["2024", "2025", "2026", "2027"];
const DEFAULT_YEAR: &str = "2026";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            println!("cargo::error={problem}");
            ExitCode::FAILURE
        }
    }
}

fn variable(name: &str) -> Option<String> {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn run() -> Result<(), String> {
    let year = variable("MAYA_YEAR").unwrap_or_else(|| DEFAULT_YEAR.to_owned());
    if !YEARS.contains(&year.as_str()) {
        return Err(format!("MAYA_YEAR is {year}; it must be one of {}", YEARS.join(", ")));
    }
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let clean_room = bindings.join("include");
    let devkit = match variable("DEVKIT_LOCATION") {
        Some(location) => Some(devkit_include(Path::new(&location), &year)?),
        None => None,
    };
    println!("cargo::rustc-env=MHRIG_MAYA_YEAR={year}");
    println!("cargo::rustc-env=MHRIG_MAYA_DEVKIT={}", u8::from(devkit.is_some()));
    println!("cargo::metadata=year={year}");
    println!("cargo::metadata=include={}", clean_room.display());
    if let Some(devkit) = &devkit {
        println!("cargo::metadata=devkit_include={}", devkit.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    values(devkit.as_deref(), &clean_room, &year)
}

/// The include folder of a devkit, after a look at whether it is one and of the right year.
fn devkit_include(location: &Path, year: &str) -> Result<PathBuf, String> {
    let include = location.join("include");
    let types = include.join("maya").join("MTypes.h");
    println!("cargo::rerun-if-changed={}", types.display());
    let text = std::fs::read(&types).map_err(|error| {
        format!("DEVKIT_LOCATION is {}: {}: {error}", location.display(), types.display())
    })?;
    let text = String::from_utf8_lossy(&text);
    let version = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#define MAYA_API_VERSION"))
        .map(str::trim)
        .next()
        .unwrap_or_default();
    if version.starts_with(year) {
        return Ok(include);
    }
    Err(format!(
        "the devkit in {} says MAYA_API_VERSION {version}, MAYA_YEAR is {year}; set MAYA_YEAR to the devkit's year",
        location.display()
    ))
}

#[cfg(not(feature = "bindgen"))]
fn values(_devkit: Option<&Path>, _clean_room: &Path, _year: &str) -> Result<(), String> {
    Ok(())
}

/// Writes the enumerations of the headers in use to `OUT_DIR/values.rs`.
#[cfg(feature = "bindgen")]
fn values(devkit: Option<&Path>, clean_room: &Path, year: &str) -> Result<(), String> {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?).join("values.rs");
    let mut builder = bindgen::Builder::default()
        .header(clean_room.join("mhrig_maya.h").display().to_string())
        .clang_args(["-x", "c++", "-std=c++17"])
        .clang_arg(format!("-DMAYA_YEAR={year}"))
        .clang_arg(format!("-I{}", clean_room.display()))
        .enable_cxx_namespaces()
        .disable_name_namespacing()
        .default_enum_style(bindgen::EnumVariation::Consts)
        .layout_tests(false)
        .generate_comments(false)
        .with_codegen_config(bindgen::CodegenConfig::TYPES | bindgen::CodegenConfig::VARS);
    for name in
        ["MFn_Type", "MSpace_Space", "MStatus_MStatusCode", "MSyntax_MArgType", "MSyntax_MObjectFormat"]
    {
        builder = builder.allowlist_type(format!(".*{name}"));
    }
    if let Some(devkit) = devkit {
        builder = builder.clang_arg("-DMHRIG_MAYA_DEVKIT").clang_arg(format!("-I{}", devkit.display()));
    }
    let bindings = builder.generate().map_err(|error| format!("bindgen: {error}"))?;
    std::fs::write(&out, flatten(&bindings.to_string()))
        .map_err(|error| format!("{}: {error}", out.display()))
}

/// The constants alone, without bindgen's modules: `pub const MFn_Type_kMesh: u32 = 296;`.
#[cfg(feature = "bindgen")]
fn flatten(bindings: &str) -> String {
    let mut out = String::new();
    for statement in bindings.split(';') {
        let Some(at) = statement.find("pub const ") else { continue };
        let words: Vec<&str> = statement[at + 10..].split_whitespace().collect();
        let (Some(name), Some(value)) = (words.first(), words.last()) else { continue };
        let name = name.trim_end_matches(':').trim_start_matches("root_");
        out += &format!("pub const {name}: i32 = {value};\n");
    }
    out
}
