//! The viewer page, in a browser: it computes what the evaluator computes. On the demo human.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mhrig::{
    AssembleRequest, Cancel, DemoRequest, Job, PoseRequest, Report, Silent, Status, UpAxis, assemble,
};
use mhrig_dna::{Behavior, Dna, JointGroup, RbfPose, RbfSolver};
use mhrig_testkit::browser_or_skip;
use serde_json::Value;

/// The open jaw.
const JAW: &str = "CTRL_C_jaw.ty:1";
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

#[test]
fn a_head_whose_file_has_z_up_stands_upright_and_moves_as_the_evaluator_has_it() {
    use mhrig_calib::{Command, Engine, NativeEngine};
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    let viewer = folder.path().join("head.html");
    let request = AssembleRequest { archetype: None, ..request(&archetype, &["head"], &viewer) };
    let upright = expected(&request.files, JAW);
    let mut dna = Dna::from_bytes(&fs::read(&request.files[0]).unwrap()).unwrap();
    let turn = serde_json::json!({"command": "Rotate", "degrees": [90, 0, 0]});
    let turn: Command = serde_json::from_value(turn).unwrap();
    with_job(|job| NativeEngine { compat: false }.run(&mut dna, &turn, &job)).unwrap();
    let direction = (mhrig_dna::direction::LEFT, mhrig_dna::direction::BACK, mhrig_dna::direction::UP);
    let system = &mut dna.descriptor.coordinate_system;
    (system.x_axis, system.y_axis, system.z_axis) = direction;
    fs::write(&request.files[0], dna.to_bytes().unwrap()).unwrap();
    page(&request);
    let test = "a_head_whose_file_has_z_up_stands_upright_and_moves_as_the_evaluator_has_it";
    let Some(browser) = browser_or_skip(test) else { return };
    let (count, worst) = compare(&in_browser(&browser, &viewer, JAW), &upright);
    assert!(count > 5 && worst < AGREEMENT_CM, "{count} meshes, {worst} cm");
}

/// Gives the demo's body one slider, which turns and shifts the joint `neck_01` that the head has too, and an RBF
/// solver that reads what the slider writes.
fn add_body_slider(body: &Path) {
    let mut dna = Dna::from_bytes(&fs::read(body).unwrap()).unwrap();
    let joint = dna.definition.joint_names.iter().position(|name| *name == *"neck_01").unwrap() as u16;
    dna.definition.gui_control_names = vec!["CTRL_C_neck_swing.ty".into()];
    // Before the correctives and poses in the control space, whose numbers are of no use any more.
    dna.definition.raw_control_names = vec!["CTRL_expressions.neckSwing".into()];
    let channels = dna.behavior.blend_shape_channels.lods.len();
    dna.behavior = Behavior::default();
    dna.behavior.blend_shape_channels.lods = vec![0; channels];
    dna.behavior.animated_maps.lods = vec![0; channels];
    let rows = &mut dna.behavior.controls.conditionals;
    (rows.input_indices, rows.output_indices) = (vec![0], vec![0]);
    (rows.from_values, rows.to_values) = (vec![0.0], vec![1.0]);
    (rows.slope_values, rows.cut_values) = (vec![1.0], vec![0.0]);
    dna.behavior.joints.row_count = 9 * dna.definition.joint_names.len() as u16;
    dna.behavior.joints.col_count = 1;
    dna.behavior.joints.joint_groups = vec![JointGroup {
        lods: vec![3; dna.definition.lod_joint_mapping.indices.len().max(1)],
        input_indices: vec![0],
        output_indices: vec![9 * joint, 9 * joint + 4, 9 * joint + 5],
        values: vec![2.0, 20.0, 30.0],
        joint_indices: vec![joint],
    }];
    dna.twist_swing_behavior = Default::default();
    dna.rbf_behavior_ext = Default::default();
    let record = &mut dna.rbf_behavior;
    record.poses = vec![RbfPose { name: "swung".into(), scale: 1.0 }];
    record.solvers = vec![RbfSolver {
        name: "swing".into(),
        raw_control_indices: vec![0],
        pose_indices: vec![0],
        raw_control_values: vec![1.0],
        radius: 1.0,
        automatic_radius: 1,
        ..RbfSolver::default()
    }];
    record.lod_solver_mapping = Default::default();
    fs::write(body, dna.to_bytes().unwrap()).unwrap();
}

#[test]
fn sliders_of_the_body_take_the_head_along() {
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    add_body_slider(&archetype.join("body.dna"));
    let viewer = folder.path().join("viewer.html");
    let request = request(&archetype, &["head", "body"], &viewer);
    let report = with_job(|job| assemble(&request, job));
    let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert!(report.details.is_some(), "{:?}", report.findings);
    assert!(codes.contains(&"VIEWER_POSES"), "{codes:?}");
    let Some(browser) = browser_or_skip("sliders_of_the_body_take_the_head_along") else { return };
    for set in ["CTRL_C_neck_swing.ty:1", "CTRL_C_neck_swing.ty:0.5,CTRL_C_jaw.ty:0.75"] {
        let (rest, expected) = (expected(&request.files, ""), expected(&request.files, set));
        let found = in_browser(&browser, &viewer, set);
        let (count, worst) = compare(&found, &expected);
        assert!(count >= 10 && worst < AGREEMENT_CM, "{set}: {count} meshes, {worst} cm");
        let (_, moved) = compare(&found, &rest);
        assert!(moved > 5.0, "{set}: {moved} cm");
        assert_eq!(found["drift"], 0.0, "normals where head and body meet");
    }
    // A head without sliders of its own goes along too.
    let head = archetype.join("head.dna");
    let mut dna = Dna::from_bytes(&fs::read(&head).unwrap()).unwrap();
    dna.definition.gui_control_names.clear();
    dna.behavior.controls.conditionals = Default::default();
    fs::write(&head, dna.to_bytes().unwrap()).unwrap();
    let request = AssembleRequest { force: true, ..request };
    page(&request);
    let found = in_browser(&browser, &viewer, "CTRL_C_neck_swing.ty:1");
    let (count, worst) = compare(&found, &expected(&request.files, "CTRL_C_neck_swing.ty:1"));
    assert!(count >= 10 && worst < AGREEMENT_CM, "a still head: {count} meshes, {worst} cm");
}

#[test]
fn wishes_that_do_not_fit_are_named_and_change_nothing() {
    let Some(browser) = browser_or_skip("wishes_that_do_not_fit_are_named_and_change_nothing") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    let viewer = folder.path().join("viewer.html");
    page(&request(&archetype, &["head", "body"], &viewer));
    let plain = in_browser(&browser, &viewer, "");
    assert_eq!(plain["trouble"], serde_json::json!([]));
    let wrong = "CTRL_C_jaw.ty:abc,CTRL_C_jaw.ty:,CTRL_C_jaw.ty,CTRL_nothing.ty:1";
    for (view, lines) in [("", 4), ("&view=0,0,0", 5), ("&view=x", 5), ("&view=1,2,3,4", 5)] {
        let found = in_browser(&browser, &viewer, &format!("{wrong}{view}"));
        assert_eq!(found["trouble"].as_array().unwrap().len(), lines, "{}", found["trouble"]);
        assert_eq!(found["camera"], plain["camera"], "{view}");
        assert!(found["meshes"] == plain["meshes"], "{view}: something moved");
    }
    let turned = in_browser(&browser, &viewer, "CTRL_C_jaw.ty:0.5&view=90,10,2");
    assert_eq!(turned["trouble"], serde_json::json!([]));
    assert_ne!(turned["camera"], plain["camera"]);
}

/// Presses keys in the page and says what came of it.
const PRESS: &str = r#"<script type="module">
const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const input = document.querySelector(".slider.moved input");
const value = () => input.closest(".slider").querySelector("output").value;
const before = value();
press(input, "Delete");
const after = value();
press(document.body, "J");
const [joints, canvas] = [document.getElementById("joints").checked, document.querySelector("canvas")];
document.getElementById("result").textContent = JSON.stringify({
  before, after, joints, label: input.labels[0].title, canvas: canvas.ariaLabel,
  output: input.closest(".slider").querySelector("output").htmlFor.value === input.id,
});
</script></body>"#;

#[test]
fn keys_work_in_both_cases_and_sliders_have_names() {
    let Some(browser) = browser_or_skip("keys_work_in_both_cases_and_sliders_have_names") else { return };
    let folder = tempfile::tempdir().unwrap();
    let archetype = demo(folder.path());
    let viewer = folder.path().join("viewer.html");
    let pressed = page(&request(&archetype, &["head", "body"], &viewer)).replace("</body>", PRESS);
    fs::write(&viewer, pressed).unwrap();
    let found = in_browser(&browser, &viewer, "CTRL_C_jaw.ty:0.5");
    let expected = serde_json::json!({
        "before": "0.5", "after": "0", "joints": true, "label": "CTRL_C_jaw.ty",
        "canvas": "head.dna + body.dna, drawn in 3D", "output": true,
    });
    assert_eq!(found, expected);
}
