//! `mhrig calib`: every vector of the reference library through the program, and what it says about bad input.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../mhrig-calib/tests/common/vectors.rs"]
mod vectors;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use mhrig_dna::Dna;
use mhrig_testkit::shared_or_skip;
use serde_json::{Value, json};
use tempfile::TempDir;
use vectors::{cases, differences, is_inexact, report};

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn calib(input: &Path, output: &Path, args: &Path, options: &[&str]) -> Output {
    mhrig(&[&["calib", text(input), text(output), "--args", text(args)], options].concat())
}

fn report_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

#[test]
fn every_vector_runs_through_the_verb_as_through_the_library_where_that_is_right() {
    let test = "every_vector_runs_through_the_verb_as_through_the_library_where_that_is_right";
    let Some(folder) = shared_or_skip(test, "vectors/dnacalib") else { return };
    let dir = tempfile::tempdir().unwrap();
    let cases = cases(&folder);
    let mut failures = Vec::new();
    for case in &cases {
        let out = dir.path().join(format!("{}.dna", case.name));
        let output = calib(&case.input_file, &out, &case.args_file, &["--json"]);
        let report = report_of(&output);
        let mut wrong = Vec::new();
        match output.status.code() {
            Some(0) => {
                if case.quirk_parts.is_empty() && case.code != 0 {
                    wrong.push(format!("expected the error {}", case.code));
                }
                let found = Dna::from_bytes(&fs::read(&out).unwrap()).unwrap();
                if !case.is_incomparable() {
                    let expected = case.output.as_ref().expect("the library gave an output");
                    wrong.extend(differences(case, expected, &found, true));
                }
            }
            Some(3) => {
                if out.exists() {
                    wrong.push("an error, and yet a file".to_owned());
                }
                let finding = &report["findings"][0];
                if report["status"] != "refused" || finding["remedy"].as_str().is_none_or(str::is_empty) {
                    wrong.push(format!("a refusal without a remedy: {report}"));
                }
                // An error changes nothing: the library's output of such a case is the input.
                if case.quirk_parts.is_empty() && case.code == 0 {
                    wrong.push(format!("unexpected error: {finding}"));
                }
            }
            other => wrong.push(format!("exit code {other:?}: {}", stderr(&output))),
        }
        if !wrong.is_empty() {
            failures.push((case.name.clone(), wrong));
        }
    }
    vectors::report(&failures, cases.len());
}

#[test]
fn every_vector_runs_through_the_verb_with_compat_as_through_the_library() {
    let test = "every_vector_runs_through_the_verb_with_compat_as_through_the_library";
    let Some(folder) = shared_or_skip(test, "vectors/dnacalib") else { return };
    let dir = tempfile::tempdir().unwrap();
    let cases = cases(&folder);
    let mut failures = Vec::new();
    for case in &cases {
        let out = dir.path().join(format!("{}.dna", case.name));
        let output = calib(&case.input_file, &out, &case.args_file, &["--json", "--compat"]);
        let mut wrong = Vec::new();
        let found = fs::read(&out).ok();
        let code = output.status.code();
        match (&case.output, &found) {
            (Some(expected), Some(bytes)) => {
                wrong.extend(differences(case, expected, &Dna::from_bytes(bytes).unwrap(), false));
                if wrong.is_empty() && !is_inexact(&case.run) && Some(bytes) != case.output_bytes.as_ref() {
                    wrong.push("the bytes differ although all fields are equal".to_owned());
                }
                let status = &report_of(&output)["library_status"];
                if status.as_u64() != Some(case.code) {
                    wrong.push(format!("expected status {}, found {status}", case.code));
                }
                let expected = if case.code == 0 { 0 } else { 1 };
                if code != Some(expected) {
                    wrong.push(format!("exit code {code:?}: {}", stderr(&output)));
                }
            }
            (None, None) if code == Some(3) => {}
            (expected, found) => wrong.push(format!(
                "exit code {code:?}, output expected: {}, found: {}",
                expected.is_some(),
                found.is_some()
            )),
        }
        if !wrong.is_empty() {
            failures.push((case.name.clone(), wrong));
        }
    }
    report(&failures, cases.len());
}

/// A file of two joints, and a folder for outputs.
struct Small {
    dir: TempDir,
    input: PathBuf,
}

impl Small {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut dna = Dna::new(mhrig_dna::FileVersion::new(5));
        dna.definition.joint_names = ["root", "jaw"].map(Into::into).to_vec();
        dna.definition.joint_hierarchy = vec![0, 0];
        let zeros = mhrig_dna::Vectors3::from_vectors(&[[0.0; 3]; 2]);
        dna.definition.neutral_joint_translations = zeros.clone();
        dna.definition.neutral_joint_rotations = zeros;
        let input = dir.path().join("in.dna");
        fs::write(&input, dna.to_bytes().unwrap()).unwrap();
        Self { dir, input }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn args(&self, name: &str, content: &str) -> PathBuf {
        let file = self.file(name);
        fs::write(&file, content).unwrap();
        file
    }

    fn rename(&self) -> PathBuf {
        let run = json!({"command": "RenameJoint", "oldName": "jaw", "newName": "kiefer"});
        self.args("rename.json", &json!({"run": run, "whatever": 1}).to_string())
    }
}

#[test]
fn only_run_is_read_and_sequences_and_conditions_work() {
    let small = Small::new();
    let run = json!({"command": "CommandSequence", "commands": [
        {"command": "RenameJoint", "oldName": "jaw", "newName": "kiefer"},
        {"command": "Conditional", "condition": {"kind": "jointExists", "value": "kiefer"},
         "then": {"command": "Translate", "vector": [1, 2, 3]}},
        {"command": "Conditional", "condition": {"kind": "jointExists", "value": "jaw"},
         "then": {"command": "Translate", "vector": [10, 20, 30]}},
    ]});
    let args = small.args("a.json", &json!({"name": 7, "quirk": "?", "run": run}).to_string());
    let out = small.file("out.dna");
    let output = calib(&small.input, &out, &args, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let dna = Dna::from_bytes(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(dna.definition.joint_names[1], "kiefer");
    assert_eq!(dna.definition.neutral_joint_translations.get(0), Some([1.0, 2.0, 3.0]));
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_their_place() {
    let small = Small::new();
    let out = small.file("out.dna");
    for (content, expected) in [
        ("", "ARGS"),
        ("{\"run\"", "ARGS"),
        ("{\"command\": \"Translate\"}", "missing field `run`"),
        ("{\"run\": {\"command\": \"Explode\"}}", "Explode"),
        ("{\"run\": {\"command\": \"Translate\", \"vector\": [1, 2]}}", "ARGS"),
        ("{\"run\": {\"command\": \"Translate\", \"vector\": [1, 2, 3], \"speed\": 1}}", "speed"),
    ] {
        let args = small.args("bad.json", content);
        let output = calib(&small.input, &out, &args, &[]);
        assert_eq!(output.status.code(), Some(3), "{content}");
        assert!(stderr(&output).contains(expected), "{content}: {}", stderr(&output));
        assert!(stderr(&output).contains("bad.json: line "), "{}", stderr(&output));
        assert!(!out.exists());
    }
    let missing = calib(&small.input, &out, &small.file("none.json"), &[]);
    assert_eq!(missing.status.code(), Some(3));
    assert!(stderr(&missing).contains("FILE_READ"), "{}", stderr(&missing));
}

#[test]
fn an_error_within_a_sequence_leaves_no_file() {
    let small = Small::new();
    let run = json!({"command": "CommandSequence", "commands": [
        {"command": "Translate", "vector": [1, 2, 3]},
        {"command": "RenameJoint", "oldName": "nobody", "newName": "x"},
    ]});
    let args = small.args("a.json", &json!({"run": run}).to_string());
    let out = small.file("out.dna");
    let output = calib(&small.input, &out, &args, &["--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(report_of(&output)["findings"][0]["code"], "UNKNOWN_NAME");
    assert!(!out.exists());
}

#[test]
fn a_result_replaces_a_file_or_its_input_only_with_force() {
    let small = Small::new();
    let args = small.rename();
    let before = fs::read(&small.input).unwrap();
    let refused = calib(&small.input, &small.input, &args, &[]);
    assert_eq!(refused.status.code(), Some(4), "{}", stderr(&refused));
    assert_eq!(fs::read(&small.input).unwrap(), before);
    let forced = calib(&small.input, &small.input, &args, &["--force"]);
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
    assert_ne!(fs::read(&small.input).unwrap(), before);
    assert_eq!(fs::read(small.file("in.dna.bak")).unwrap(), before);
}

#[test]
fn the_other_engine_is_refused_with_a_remedy_when_it_is_not_built_in() {
    let small = Small::new();
    let out = small.file("out.dna");
    let output = calib(&small.input, &out, &small.rename(), &["--engine", "dnacalib"]);
    // A program with the bridge may lack the library; either way nothing is written and the way out is named.
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(stderr(&output).contains("what to do:"), "{}", stderr(&output));
    assert!(!out.exists());
    let unknown = calib(&small.input, &out, &small.rename(), &["--engine", "quick"]);
    assert_eq!(unknown.status.code(), Some(2));
}
