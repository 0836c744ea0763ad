//! The reference library's vectors: what is in them and how results are compared with them, as said in
//! vectors/dnacalib/README.md.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

#[path = "fields.rs"]
mod fields;

use std::fs;
use std::path::{Path, PathBuf};

use fields::{Value, without_indices};
use mhrig_dna::Dna;
use serde_json::Value as Json;

pub struct Case {
    pub name: String,
    pub args_file: PathBuf,
    pub input_file: PathBuf,
    pub run: Json,
    pub quirk_parts: Vec<String>,
    pub input: Dna,
    /// What the library wrote; `None` where it crashed or threw.
    pub output: Option<Dna>,
    pub output_bytes: Option<Vec<u8>>,
    pub code: u64,
}

impl Case {
    /// Whether the outputs are not to be compared in the default mode.
    pub fn is_incomparable(&self) -> bool {
        self.quirk_parts.iter().any(|part| part == "*")
    }
}

fn json(path: &Path) -> Json {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

pub fn cases(folder: &Path) -> Vec<Case> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let mut cases = Vec::new();
    for folder in folders.iter().filter(|folder| folder.join("args.json").exists()) {
        let args_file = folder.join("args.json");
        let args = json(&args_file);
        let status = json(&folder.join("status.json"));
        let input_file = folder.join(args["input"].as_str().unwrap());
        let input_bytes = fs::read(&input_file).unwrap();
        let output_bytes = match status["output"].as_str() {
            Some("same as input") => Some(input_bytes.clone()),
            _ => fs::read(folder.join("output.dna")).ok(),
        };
        let parts = args["quirk_parts"].as_array().into_iter().flatten();
        let is_quirk = args["quirk"].as_bool().unwrap_or(false);
        cases.push(Case {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            args_file,
            input_file,
            run: args["run"].clone(),
            quirk_parts: parts.filter(|_| is_quirk).map(|part| part.as_str().unwrap().to_owned()).collect(),
            input: Dna::from_bytes(&input_bytes).unwrap(),
            output: output_bytes.as_deref().map(|bytes| Dna::from_bytes(bytes).unwrap()),
            output_bytes,
            code: status["code"].as_u64().unwrap_or(0),
        });
    }
    assert!(cases.len() > 150, "only {} cases in {}", cases.len(), folder.display());
    cases
}

/// Whether floats of a command are compared with a tolerance.
pub fn is_inexact(run: &Json) -> bool {
    match run["command"].as_str().unwrap() {
        "CalculateMeshLowerLODs" | "Rotate" | "RemoveJoint" => true,
        "Scale" => !run["origin"].is_null(),
        "CommandSequence" => run["commands"].as_array().unwrap().iter().any(is_inexact),
        "Conditional" => is_inexact(&run["then"]),
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
    if case.run["command"] != "RemoveJoint" {
        return false;
    }
    let setters = case.run["setters"].as_array();
    let removal = setters.and_then(|setters| setters.last()).unwrap_or(&case.run);
    let list = removal["indices"].as_array().into_iter().flatten();
    let removed: Vec<u16> = removal["index"]
        .as_u64()
        .into_iter()
        .chain(list.map(|joint| joint.as_u64().unwrap()))
        .map(|j| j as u16)
        .collect();
    let record = &case.input.geometry.meshes[mesh].skin_weights[vertex];
    record.joint_indices.iter().all(|joint| removed.contains(joint))
}

/// How `found` differs from `expected`; with `skip_quirks` only where the library is right.
pub fn differences(case: &Case, expected: &Dna, found: &Dna, skip_quirks: bool) -> Vec<String> {
    let (expected, found) = (fields::of(expected), fields::of(found));
    let is_inexact = is_inexact(&case.run);
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

/// Fails with the first differences of each case.
pub fn report(failures: &[(String, Vec<String>)], total: usize) {
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
