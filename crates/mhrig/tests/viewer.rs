//! The viewer page, in a browser: it computes what the evaluator computes. On the demo human.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mhrig::{
    AssembleRequest, Cancel, DemoRequest, Job, PoseRequest, Report, Silent, Status, UpAxis, assemble,
};
use mhrig_testkit::browser_or_skip;
use serde_json::Value;

/// How far a vertex may be from where the evaluator has it, cm.
const AGREEMENT_CM: f64 = 1e-3;

fn with_job<T>(run: impl FnOnce(Job<'_>) -> T) -> T {
    run(Job { progress: &Silent, cancel: &Cancel::default() })
}

/// The archetype of the demo human, which is a character too.
fn demo(folder: &Path) -> PathBuf {
    let request = DemoRequest::new(folder.join("demo"));
    let report = with_job(|job| mhrig::demo(&request, job));
    report.details.unwrap().archetype_dir
}

fn request(archetype: &Path, parts: &[&str], viewer: &Path) -> AssembleRequest {
    AssembleRequest {
        files: parts.iter().map(|part| archetype.join(format!("{part}.dna"))).collect(),
        archetype: Some(archetype.to_owned()),
        output: viewer.with_extension("ma"),
        viewer: Some(viewer.to_owned()),
        ..AssembleRequest::default()
    }
}

fn page(request: &AssembleRequest) -> String {
    let report = with_job(|job| assemble(request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let details = report.details.unwrap();
    let viewer = request.viewer.clone().unwrap();
    assert!(details.outputs.contains(&viewer), "{:?}", details.outputs);
    let page = fs::read_to_string(&viewer).unwrap();
    assert_eq!(details.viewer.unwrap().bytes, page.len() as u64);
    page
}

/// What the page writes about itself with sliders set: `NAME:VALUE,…`.
fn in_browser(browser: &Path, page: &Path, set: &str) -> Value {
    let profile = tempfile::tempdir().unwrap();
    let page = page.canonicalize().unwrap();
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=400,300"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--timeout=120000", "--dump-dom"])
        .arg(format!("file://{}#test&set={set}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let result =
        dom.split_once("<pre id=\"result\" hidden=\"\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let result = result.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr))).0;
    assert!(!result.is_empty(), "the page stopped: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(result).unwrap()
}

/// Meshes of LOD 0 where the evaluator has them, by name.
fn expected(files: &[PathBuf], set: &str) -> BTreeMap<String, Vec<f64>> {
    let dir = tempfile::tempdir().unwrap();
    let request = PoseRequest {
        file: files[0].clone(),
        body: files.get(1).cloned(),
        settings: set.split(',').filter(|set| !set.is_empty()).map(|set| set.replace(':', "=")).collect(),
        output: dir.path().join("posed.obj"),
        ..PoseRequest::default()
    };
    let report: Report<_> = with_job(|job| mhrig::pose(&request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let mut meshes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut name = String::new();
    for line in fs::read_to_string(&request.output).unwrap().lines() {
        if let Some(object) = line.strip_prefix("o ") {
            name = object.to_owned();
        } else if let Some(point) = line.strip_prefix("v ") {
            let numbers = point.split_whitespace().take(3).map(|word| word.parse::<f64>().unwrap());
            meshes.entry(name.clone()).or_default().extend(numbers);
        }
    }
    meshes
}

/// Compares all meshes; returns how many the evaluator has, and the largest distance.
fn compare(found: &Value, expected: &BTreeMap<String, Vec<f64>>) -> (usize, f64) {
    let mut worst = 0.0f64;
    let mut count = 0;
    for mesh in found["meshes"].as_array().unwrap() {
        let name = mesh["name"].as_str().unwrap();
        let Some(expected) = expected.get(name) else { continue };
        count += 1;
        let positions = mesh["positions"].as_array().unwrap();
        assert_eq!(positions.len(), expected.len(), "{name}");
        for (found, expected) in positions.chunks(3).zip(expected.chunks(3)) {
            let square = found.iter().zip(expected).map(|(a, b)| (a.as_f64().unwrap() - b).powi(2));
            worst = worst.max(square.sum::<f64>().sqrt());
        }
    }
    (count, worst)
}

#[test]
fn the_page_moves_the_face_as_the_evaluator_does() {
    let Some(browser) = browser_or_skip("the_page_moves_the_face_as_the_evaluator_does") else { return };
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    let viewer = folder.path().join("viewer.html");
    let request = request(&archetype, &["head", "body"], &viewer);
    page(&request);
    let mixed = "CTRL_C_jaw.ty:0.6,CTRL_C_jaw.tx:-0.5,CTRL_L_mouth_cornerPull.ty:0.75,CTRL_R_brow_down.ty:1,\
                 CTRL_L_eye_blink.ty:0.5,CTRL_L_eye.tx:0.75,CTRL_C_mouth.tx:0.25";
    for (set, moves) in [("", false), ("CTRL_C_jaw.ty:1", true), (mixed, true)] {
        let expected = expected(&request.files, set);
        let found = in_browser(&browser, &viewer, set);
        let (count, worst) = compare(&found, &expected);
        assert!(count >= 10 && worst < AGREEMENT_CM, "{set}: {count} meshes, {worst} cm");
        let raw = found["raw"].as_array().unwrap();
        assert_eq!(raw.iter().any(|control| control[0].as_str().unwrap().ends_with("jawOpen")), moves);
        eprintln!("{set:?}: {count} meshes, at most {worst:.1e} cm, {} triangles drawn", found["drawn"]);
        assert!(found["drawn"].as_u64().unwrap() > 10_000, "nothing was drawn");
    }
}

#[test]
fn a_page_is_one_file_the_same_every_time_and_its_names_stay_text() {
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    let head = folder.path().join("a<b>&c.dna");
    fs::copy(archetype.join("head.dna"), &head).unwrap();
    let viewer = folder.path().join("one.html");
    let one = AssembleRequest {
        files: vec![head, archetype.join("body.dna")],
        ..request(&archetype, &[], &viewer)
    };
    let first = page(&one);
    let again = folder.path().join("two.html");
    let two = AssembleRequest { output: again.with_extension("ma"), viewer: Some(again), ..one.clone() };
    assert!(first == page(&two), "another page from the same files");
    assert!(first.contains("<title>a&lt;b&gt;&amp;c.dna + body.dna</title>"));
    assert!(!first.contains("a<b>"));
    assert!(first.contains("Copyright © 2010-2024 three.js authors"), "the licence of three.js");
    for word in ["http://", "https://", " src=", "@import", "url("] {
        assert!(!first.contains(word), "{word}");
    }
    // Nothing is written over, and nothing is written when the page cannot be.
    fs::remove_file(&one.output).unwrap();
    let report = with_job(|job| assemble(&one, job));
    assert_eq!(report.findings.last().map(|finding| finding.code), Some("OUTPUT_EXISTS"));
    assert!(!one.output.exists());
}

#[test]
fn a_body_alone_and_a_scene_with_z_up_have_pages_too() {
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    let viewer = folder.path().join("body.html");
    let body = AssembleRequest { up_axis: Some(UpAxis::Z), ..request(&archetype, &["body"], &viewer) };
    page(&body);
    let Some(browser) = browser_or_skip("a_body_alone_and_a_scene_with_z_up_have_pages_too") else { return };
    let found = in_browser(&browser, &viewer, "");
    let (count, worst) = compare(&found, &expected(&body.files, ""));
    assert!(count == 1 && worst < AGREEMENT_CM, "{count} meshes, {worst} cm");
}
