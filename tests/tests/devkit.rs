//! Builds against a devkit take the same paths as those against the clean-room headers. No devkit may be here, so a
//! folder of the same shape stands in: its headers have a devkit's names and lead to the clean-room ones.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Headers that the shim includes by way of `mhrig_maya.h`.
fn included() -> Vec<String> {
    let text = fs::read_to_string(root().join("devkit-bindings/include/mhrig_maya.h")).unwrap();
    let name = |line: &str| {
        Some(
            line.trim_start_matches(['#', ' '])
                .strip_prefix("include <maya/")?
                .strip_suffix(".h>")?
                .to_owned(),
        )
    };
    text.lines().filter_map(name).collect()
}

/// A folder like a devkit of `year`; `change` may spoil the headers, which come as one text.
fn devkit(dir: &Path, year: &str, change: impl Fn(&str) -> String) {
    let include = dir.join("include");
    let maya = include.join("maya");
    fs::create_dir_all(&maya).unwrap();
    fs::create_dir_all(include.join("copy")).unwrap();
    let from = root().join("devkit-bindings/include/mhrig_maya");
    for entry in fs::read_dir(&from).unwrap().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap();
        fs::write(include.join("copy").join(entry.file_name()), change(&text)).unwrap();
    }
    let all = "#include \"../copy/anim.h\"\n#include \"../copy/data.h\"\n#include \"../copy/edits.h\"\n#include \"../copy/global.h\"\n\
               #include \"../copy/plugin.h\"\n";
    for name in included() {
        let mut text = format!("#pragma once\n{all}");
        if name == "MFnPlugin" {
            // The real one defines the version symbol and declares the entry points unless told not to.
            text += "#if !defined(MNoVersionString)\nextern \"C\" MH_PLUGIN_EXPORT char MApiVersion[];\n\
                     char MApiVersion[] = MH_TEXT(MAYA_YEAR) \"0000\";\n#endif\n";
        }
        if name == "MTypes" {
            text = format!("#pragma once\n#define MAYA_API_VERSION {year}0000\n");
        }
        fs::write(maya.join(format!("{name}.h")), text).unwrap();
    }
}

fn check(devkit: &Path, year: &str) -> Output {
    Command::new(root().join("devkit-bindings/devkit-check"))
        .env("DEVKIT_LOCATION", devkit)
        .env("MAYA_YEAR", year)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn equal_headers_give_equal_names() {
    let dir = tempfile::tempdir().unwrap();
    devkit(dir.path(), "2026", str::to_owned);
    let output = check(dir.path(), "2026");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("the same "), "{}", text(&output));
    // The year of the devkit has to be the one that is built for.
    assert_eq!(check(dir.path(), "2025").status.code(), Some(2));
    assert_eq!(check(&dir.path().join("include"), "2026").status.code(), Some(4));
}

#[test]
fn a_name_that_differs_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    devkit(dir.path(), "2026", |text| text.replace("setProgress(int value)", "setProgress(long value)"));
    let output = check(dir.path(), "2026");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("setProgressEl"), "{}", text(&output));
}

#[test]
fn a_class_that_has_grown_past_its_room_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    devkit(dir.path(), "2026", |text| {
        text.replace(
            "#define MH_SPARE(words) void* spare_[words];",
            "#define MH_SPARE(words) void* spare_[words + 40];",
        )
    });
    let output = check(dir.path(), "2026");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("the clean-room class has room for"), "{}", text(&output));
}
