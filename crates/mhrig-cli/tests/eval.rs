//! `mhrig eval`: agreement with the reference through the program, and what it says about bad input.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use mhrig_testkit::shared_or_skip;
use serde_json::Value;

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Lines hold bare NaN tokens.
fn parse(line: &str) -> Value {
    serde_json::from_str(&line.replace("NaN", "\"NaN\"")).unwrap()
}

fn number(value: &Value) -> f64 {
    if value == "NaN" { f64::NAN } else { value.as_f64().unwrap() }
}

fn vectors(test: &str) -> Option<PathBuf> {
    shared_or_skip(test, "vectors/riglogic")
}

/// Whether a line of ours is a line of the reference: the same keys in the same order, numbers within the widest of
/// the tolerances (mhrig-rig's own tests have them by kind).
fn assert_same(what: &str, found: &str, expected: &str) {
    const TOLERANCE: f64 = 5e-5;
    let (found, expected) = (parse(found), parse(expected));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&found), keys(&expected), "{what}");
    for (key, expected) in expected.as_object().unwrap() {
        let Some(expected) = expected.as_array() else {
            assert_eq!(&found[key], expected, "{what} {key}");
            continue;
        };
        let found = found[key].as_array().unwrap();
        assert_eq!(found.len(), expected.len(), "{what} {key}");
        for (found, expected) in found.iter().zip(expected) {
            let (found, expected) = (number(found), number(expected));
            let is_same = (found - expected).abs() <= TOLERANCE || (found.is_nan() && expected.is_nan());
            assert!(is_same, "{what} {key}: {found}, expected {expected}");
        }
    }
}

#[test]
fn all_four_combinations_match_the_reference() {
    let Some(dir) = vectors("all_four_combinations_match_the_reference") else { return };
    for rig in ["rig1_deg", "rig2_rad", "rig3_deg"] {
        for (controls, rotation) in [("raw", "euler"), ("raw", "quat"), ("gui", "euler"), ("gui", "quat")] {
            let dna = dir.join(format!("{rig}.dna"));
            let frames = dir.join(format!("{rig}.{controls}.frames.txt"));
            let form = ["--controls", controls, "--rotation", rotation, "--compat"];
            let output = mhrig(&[&["eval", text(&dna), "--frames", text(&frames)], &form[..]].concat());
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let found = String::from_utf8(output.stdout).unwrap();
            let expected = dir.join(format!("{rig}.{controls}.{rotation}.jsonl"));
            let expected = std::fs::read_to_string(expected).unwrap();
            assert_eq!(found.lines().count(), expected.lines().count());
            for (found, expected) in found.lines().zip(expected.lines()) {
                assert_same(&format!("{rig} {controls} {rotation}"), found, expected);
            }
        }
    }
}

#[test]
fn without_compat_nothing_is_nan_and_a_missing_lod_is_refused_with_its_line() {
    let test = "without_compat_nothing_is_nan_and_a_missing_lod_is_refused_with_its_line";
    let Some(dir) = vectors(test) else { return };
    let (dna, frames) = (dir.join("rig1_deg.dna"), dir.join("rig1_deg.gui.frames.txt"));
    let args = ["eval", text(&dna), "--controls", "gui", "--rotation", "quat", "--frames"];
    let refused = mhrig(&[&args[..], &[text(&frames)]].concat());
    assert_eq!(refused.status.code(), Some(3));
    assert!(refused.stdout.is_empty());
    let message = stderr(&refused);
    assert!(message.contains("LOD_RANGE") && message.contains("line 7"), "{message}");

    let folder = tempfile::tempdir().unwrap();
    let within = folder.path().join("frames.txt");
    let all = std::fs::read_to_string(&frames).unwrap();
    std::fs::write(&within, all.replace("lod=7", "lod=1")).unwrap();
    let output = mhrig(&[&args[..], &[text(&within)]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), all.lines().count());
    assert!(!lines.contains("NaN"));
}

#[test]
fn bad_frames_are_refused_with_line_and_remedy() {
    let Some(dir) = vectors("bad_frames_are_refused_with_line_and_remedy") else { return };
    let dna = dir.join("rig1_deg.dna");
    let folder = tempfile::tempdir().unwrap();
    let frames = folder.path().join("frames.txt");
    for (line, code) in [
        ("0 0 x 0 0 0", "FRAME_NUMBER"),
        ("0 0 NaN 0 0 0", "NOT_FINITE"),
        ("0 0 0", "FRAME_COUNT"),
        ("lod=-1 0 0 0 0 0 0", "FRAME_SETTING"),
        ("mask=99:1 0 0 0 0 0 0", "FRAME_INVALID"),
    ] {
        std::fs::write(&frames, format!("0 0 0 0 0 0\n{line}\n")).unwrap();
        let output = mhrig(&["eval", text(&dna), "--controls", "gui", "--frames", text(&frames)]);
        assert_eq!(output.status.code(), Some(3), "{line}");
        assert!(output.stdout.is_empty(), "{line}");
        for word in [code, "line 2", "what to do"] {
            assert!(stderr(&output).contains(word), "{word} in {}", stderr(&output));
        }
    }
    let missing = mhrig(&["eval", text(&dna), "--frames", "no such file"]);
    assert_eq!(missing.status.code(), Some(3));
    assert_eq!(mhrig(&["eval", text(&dna)]).status.code(), Some(2));
}

#[test]
fn frames_come_from_standard_input_too() {
    let Some(dir) = vectors("frames_come_from_standard_input_too") else { return };
    let frames = std::fs::File::open(dir.join("rig1_deg.gui.frames.txt")).unwrap();
    let dna = dir.join("rig1_deg.dna");
    let output = Command::new(env!("CARGO_BIN_EXE_mhrig"))
        .args(["eval", text(&dna), "--compat", "--controls", "gui", "--frames", "-"])
        .stdin(frames)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 9);
}
