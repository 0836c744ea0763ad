//! Every command against what the reference library (DNACalib 1.3) made of it; how to compare is said in
//! vectors/dnacalib/README.md.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
#[path = "common/fields.rs"]
mod fields;

use std::fs;
use std::path::{Path, PathBuf};

use common::with_job;
use fields::{Value, without_indices};
use mhrig_calib::{CalibError, Command, Engine, NativeEngine, Outcome};
use mhrig_dna::Dna;
use mhrig_testkit::shared_or_skip;
use serde_json::Value as Json;

struct Case {
    name: String,
    command: Command,
    quirk_parts: Vec<String>,
    input: Dna,
    /// What the library wrote; `None` where it crashed or threw.
    output: Option<Dna>,
    output_bytes: Option<Vec<u8>>,
    code: u64,
}

fn json(path: &Path) -> Json {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn cases(folder: &Path) -> Vec<Case> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let mut cases = Vec::new();
    for folder in folders.iter().filter(|folder| folder.join("args.json").exists()) {
        let args = json(&folder.join("args.json"));
        let status = json(&folder.join("status.json"));
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let input_bytes = fs::read(folder.join(args["input"].as_str().unwrap())).unwrap();
        let output_bytes = match status["output"].as_str() {
            Some("same as input") => Some(input_bytes.clone()),
            _ => fs::read(folder.join("output.dna")).ok(),
        };
        let parts = args["quirk_parts"].as_array().into_iter().flatten();
        let is_quirk = args["quirk"].as_bool().unwrap_or(false);
        cases.push(Case {
            command: serde_json::from_value(args["run"].clone()).unwrap_or_else(|e| panic!("{name}: {e}")),
            quirk_parts: parts.filter(|_| is_quirk).map(|part| part.as_str().unwrap().to_owned()).collect(),
            input: Dna::from_bytes(&input_bytes).unwrap(),
            output: output_bytes.as_deref().map(|bytes| Dna::from_bytes(bytes).unwrap()),
            output_bytes,
            code: status["code"].as_u64().unwrap_or(0),
            name,
        });
    }
    assert!(cases.len() > 150, "only {} cases in {}", cases.len(), folder.display());
    cases
}

fn run(case: &Case, compat: bool) -> (Dna, Result<Outcome, CalibError>) {
    let mut dna = case.input.clone();
    let result = with_job(|job| NativeEngine { compat }.run(&mut dna, &case.command, job));
    (dna, result)
}

/// Whether floats of the commands in `command` are compared with a tolerance.
fn is_inexact(command: &Command) -> bool {
    match command {
        Command::CalculateMeshLowerLods(_) | Command::Rotate(_) | Command::RemoveJoint(_) => true,
        Command::Scale(scale) => scale.origin.is_some(),
        Command::CommandSequence(sequence) => sequence.commands.iter().any(is_inexact),
        Command::Conditional(conditional) => is_inexact(&conditional.then),
        _ => false,
    }
}

fn same_float(expected: f32, found: f32, is_inexact: bool, is_angle: bool) -> bool {
    if expected.to_bits() == found.to_bits() || (expected.is_nan() && found.is_nan()) {
        return true;
    }
    if !is_inexact {
        return false;
    }
    let tolerance = if is_angle { 1e-3 } else { 1e-5 + 1e-5 * f64::from(expected).abs() };
    (f64::from(expected) - f64::from(found)).abs() <= tolerance
}

/// Records of vertices that had influences, all of which the library removed.
fn lost_records(case: &Case, name: &str) -> bool {
    let Some((mesh, rest)) =
        name.strip_prefix("geom.meshes[").and_then(|rest| rest.split_once("].skinWeights["))
    else {
        return false;
    };
    let vertex: usize = rest.split(']').next().unwrap().parse().unwrap();
    let mesh: usize = mesh.parse().unwrap();
    let removed: Vec<u16> = match &case.command {
        Command::RemoveJoint(removal) => {
            let last = removal.setters.last();
            let one = last.map_or(removal.index, |setter| setter.index);
            let list = last.map_or(&removal.indices, |setter| &setter.indices);
            one.into_iter().chain(list.iter().flatten().copied()).map(|joint| joint as u16).collect()
        }
        _ => return false,
    };
    let record = &case.input.geometry.meshes[mesh].skin_weights[vertex];
    record.joint_indices.iter().all(|joint| removed.contains(joint))
}

fn differences(case: &Case, expected: &Dna, found: &Dna, skip_quirks: bool) -> Vec<String> {
    let (expected, found) = (fields::of(expected), fields::of(found));
    let is_inexact = is_inexact(&case.command);
    let skipped = |name: &str| {
        let plain = without_indices(name);
        skip_quirks
            && case.quirk_parts.iter().any(|part| {
                if part == "geom.meshes[].skinWeights[lost]" {
                    return lost_records(case, name);
                }
                part == "*"
                    || plain
                        .strip_prefix(part.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('['))
            })
    };
    let mut out = Vec::new();
    let names = |list: &fields::Fields| -> Vec<String> {
        list.iter().map(|(name, _)| name.clone()).filter(|name| !skipped(name)).collect()
    };
    if names(&expected) != names(&found) {
        let (expected, found) = (names(&expected), names(&found));
        let missing = expected.iter().find(|name| !found.contains(name));
        let extra = found.iter().find(|name| !expected.contains(name));
        out.push(format!("fields differ: {missing:?} is missing, {extra:?} is too much"));
        return out;
    }
    let find = |name: &str| found.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    for (name, expected) in &expected {
        if skipped(name) {
            continue;
        }
        let is_angle = name.starts_with("defn.neutralJointRotations");
        let same = match (expected, find(name)) {
            (Value::Integers(a), Some(Value::Integers(b))) => a == b,
            (Value::Texts(a), Some(Value::Texts(b))) => a == b,
            (Value::Floats(a), Some(Value::Floats(b))) => {
                a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same_float(a, b, is_inexact, is_angle))
            }
            _ => false,
        };
        if !same {
            let found = find(name);
            out.push(format!("{name}\n    expected {expected:?}\n    found    {found:?}"));
        }
    }
    out
}

fn report(failures: &[(String, Vec<String>)], total: usize) {
    let mut text = String::new();
    for (name, differences) in failures {
        text += &format!("{name}:\n");
        for difference in differences.iter().take(4) {
            let short: String = difference.chars().take(700).collect();
            text += &format!("  {short}\n");
        }
        text += &format!("  … {} differences\n", differences.len());
    }
    assert!(failures.is_empty(), "{} of {total} cases differ\n{text}", failures.len());
}

#[test]
fn what_the_library_does_right_is_done_alike() {
    let Some(folder) = shared_or_skip("what_the_library_does_right_is_done_alike", "vectors/dnacalib") else {
        return;
    };
    let cases = cases(&folder);
    let mut failures = Vec::new();
    for case in &cases {
        if case.quirk_parts.iter().any(|part| part == "*") {
            continue;
        }
        let (found, result) = run(case, false);
        let mut differences = match &case.output {
            Some(expected) => differences(case, expected, &found, true),
            None => vec!["the library gave no output".to_owned()],
        };
        let code = match &result {
            Ok(_) => 0,
            Err(error) => error.status().map_or(1, |status| u64::from(status.code())),
        };
        if case.quirk_parts.is_empty() && code != case.code {
            differences.push(format!("expected status {}, found {code}: {result:?}", case.code));
        }
        if !differences.is_empty() {
            failures.push((case.name.clone(), differences));
        }
    }
    report(&failures, cases.len());
}

#[test]
fn with_compat_every_output_is_the_librarys() {
    let Some(folder) = shared_or_skip("with_compat_every_output_is_the_librarys", "vectors/dnacalib") else {
        return;
    };
    let cases = cases(&folder);
    let mut failures = Vec::new();
    for case in &cases {
        let (found, result) = run(case, true);
        let mut differences = match (&case.output, &result) {
            (Some(expected), _) => differences(case, expected, &found, false),
            (None, Err(_)) => Vec::new(),
            (None, Ok(_)) => vec!["the library crashed or threw; no error here".to_owned()],
        };
        if case.output.is_some() {
            match &result {
                Ok(outcome) => {
                    let status = outcome.status.as_ref().and_then(CalibError::status);
                    let code = status.map_or(0, |status| u64::from(status.code()));
                    if code != case.code {
                        differences.push(format!("expected status {}, found {code}", case.code));
                    }
                }
                Err(error) => differences.push(format!("unexpected error: {error}")),
            }
        }
        let bytes = found.to_bytes().ok();
        if differences.is_empty()
            && case.output.is_some()
            && !is_inexact(&case.command)
            && bytes != case.output_bytes
        {
            differences.push("the bytes differ although all fields are equal".to_owned());
        }
        if !differences.is_empty() {
            failures.push((case.name.clone(), differences));
        }
    }
    report(&failures, cases.len());
}
