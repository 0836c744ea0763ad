//! Sculpts and joint matching on the command line: what `mhrig pose` shows is what was sculpted.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const EXPRESSION: &str = "CTRL_expressions.jawOpen=1";

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn done(args: &[&str]) -> Output {
    let output = mhrig(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Vertices of an OBJ, by mesh.
fn vertices(file: &Path) -> Vec<(String, [f64; 3])> {
    let (mut name, mut found) = (String::new(), Vec::new());
    for line in fs::read_to_string(file).unwrap().lines() {
        if let Some(object) = line.strip_prefix("o ") {
            name = object.to_owned();
        } else if let Some(numbers) = line.strip_prefix("v ") {
            let mut numbers = numbers.split(' ').map(|word| word.parse().unwrap());
            found.push((name.clone(), std::array::from_fn(|_| numbers.next().unwrap())));
        }
    }
    found
}

/// The file with the chin of the head pulled forward by `by` cm.
fn sculpted(posed: &Path, by: f64) -> PathBuf {
    let mut name = String::new();
    let mut out = String::new();
    for line in fs::read_to_string(posed).unwrap().lines() {
        if let Some(object) = line.strip_prefix("o ") {
            name = object.to_owned();
        }
        match line.strip_prefix("v ") {
            Some(numbers) if name == "head_lod0_mesh" => {
                let [x, y, z]: [f64; 3] = {
                    let mut words = numbers.split(' ').map(|word| word.parse().unwrap());
                    std::array::from_fn(|_| words.next().unwrap())
                };
                let is_chin = y < 140.0 && z > 6.0;
                out += &format!("v {x} {y} {}\n", if is_chin { z + by } else { z });
            }
            _ => out += &format!("{line}\n"),
        }
    }
    let file = posed.with_file_name("sculpted.obj");
    fs::write(&file, out).unwrap();
    file
}

#[test]
fn a_sculpted_expression_looks_as_it_was_sculpted_with_joints_matched_or_not() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    done(&["demo", text(&at("demo")), "--identity", "template", "--quiet"]);
    let head = at("demo/archetype/head.dna");
    done(&["pose", text(&head), "--set", EXPRESSION, "-o", text(&at("open.obj"))]);
    let wanted = sculpted(&at("open.obj"), 0.3);
    let (before, target) = (vertices(&at("open.obj")), vertices(&wanted));
    let changed = before.iter().zip(&target).filter(|(a, b)| a.1 != b.1).count();
    assert!(changed > 20, "{changed} vertices of a chin");
    for options in [&[][..], &["--match-joints"]] {
        let sculpt = format!("jawOpen={}", text(&wanted));
        let out = at("out.dna");
        let verb = ["calib", text(&head), text(&out), "--sculpt", &sculpt, "--force", "--json"];
        let report: Value = serde_json::from_slice(&done(&[&verb[..], options].concat()).stdout).unwrap();
        assert_eq!(report["status"], "ok", "{report}");
        done(&["pose", text(&out), "--set", EXPRESSION, "-o", text(&at("again.obj")), "--force"]);
        let found = vertices(&at("again.obj"));
        assert_eq!(found.len(), target.len());
        let far =
            |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let worst = found.iter().zip(&target).map(|(a, b)| far(a.1, b.1)).fold(0.0, f64::max);
        assert!(worst < 1e-3, "{options:?}: {worst} cm");
        // At rest nothing has moved.
        done(&["pose", text(&head), "-o", text(&at("rest.obj")), "--force"]);
        done(&["pose", text(&out), "-o", text(&at("rest2.obj")), "--force"]);
        assert_eq!(vertices(&at("rest.obj")), vertices(&at("rest2.obj")));
    }
}

#[test]
fn a_sculpt_of_nothing_that_is_there_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    done(&["demo", text(&at("demo")), "--identity", "template", "--quiet"]);
    let head = at("demo/archetype/head.dna");
    done(&["pose", text(&head), "-o", text(&at("rest.obj"))]);
    let out = at("out.dna");
    for (sculpt, code) in [
        (format!("noSuchExpression={}", text(&at("rest.obj"))), 2),
        (format!("jawOpen={}", text(&at("missing.obj"))), 3),
        ("jawOpen".to_owned(), 2),
    ] {
        let output = mhrig(&["calib", text(&head), text(&out), "--sculpt", &sculpt]);
        assert_eq!(output.status.code(), Some(code), "{sculpt}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stderr.is_empty() && !out.exists());
    }
    // Joints are matched to sculpts: without one there is nothing to match.
    assert_eq!(mhrig(&["calib", text(&head), text(&out), "--match-joints"]).status.code(), Some(2));
}

/// All entries of the lists of that name, wherever they are.
fn lists(value: &Value, name: &str) -> Vec<Value> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| match value {
                Value::Array(items) if key == name => items.clone(),
                other => lists(other, name),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| lists(item, name)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_build_with_matched_joints_says_what_joints_explain() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    done(&["demo", text(&at("demo")), "--quiet"]);
    let output = done(&[
        "build",
        "--archetype",
        text(&at("demo/archetype")),
        "-o",
        text(&at("out")),
        "--name",
        "mary",
        text(&at("demo/character")),
        "--match-joints",
        "--json",
    ]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let matched = lists(&report, "matched");
    assert!(matched.len() > 50, "{} expressions", matched.len());
    // Together: a corrective may be worse off by what the expressions below it gained.
    let rest = |key: &str| matched.iter().map(|found| found[key].as_f64().unwrap().powi(2)).sum::<f64>();
    let (before, after) = (rest("before_rms_cm"), rest("after_rms_cm"));
    println!("what joints leave: {before:.4} before, {after:.4} after");
    assert!(after < 0.8 * before, "{after} of {before}");
    assert!(at("out/mary_head.dna").is_file());
}
