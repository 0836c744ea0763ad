//! `mhAssemble` in the stand-in host: the rig it builds there is evaluated there, and compared with the evaluator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fake_maya::mel_string;
use mhrig::{Cancel, Job, MeshMotion, PoseRequest, Report, Silent, Status};
use mhrig_e2e::{Demo, Session, plugins};

/// How far a vertex may be from where the evaluator has it, cm.
const AGREEMENT_CM: f64 = 1e-3;

fn path(path: &Path) -> String {
    mel_string(&path.display().to_string())
}

fn each(test: &str, interactive: bool, mut run: impl FnMut(&mut Session)) {
    for plugin in plugins() {
        let Some(mut session) = Session::start(test, &plugin, interactive) else { return };
        run(&mut session);
    }
}

fn silently<D>(job: impl FnOnce(Job<'_>) -> Report<D>) -> Report<D> {
    job(Job { progress: &Silent, cancel: &Cancel::default() })
}

fn head() -> PathBuf {
    Demo::get().archetype.join("head.dna")
}

fn body() -> PathBuf {
    Demo::get().archetype.join("body.dna")
}

fn command(flags: &str) -> String {
    command_of(&head(), &body(), flags)
}

fn command_of(head: &Path, body: &Path, flags: &str) -> String {
    let archetype = path(&Demo::get().archetype);
    format!("mhAssemble -head {} -body {} -archetype {archetype} {flags}", path(head), path(body))
}

/// Meshes of LOD 0 where the evaluator has them, by name, and how far they moved.
fn expected(settings: &[&str]) -> (BTreeMap<String, Vec<f64>>, Vec<MeshMotion>) {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("posed.obj");
    let request = PoseRequest {
        file: head(),
        body: Some(body()),
        settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
        output: output.clone(),
        ..PoseRequest::default()
    };
    let report = silently(|job| mhrig::pose(&request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let mut meshes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut name = String::new();
    for line in std::fs::read_to_string(output).unwrap().lines() {
        if let Some(object) = line.strip_prefix("o ") {
            name = object.to_owned();
        } else if let Some(point) = line.strip_prefix("v ") {
            let numbers = point.split_whitespace().take(3).map(|word| word.parse::<f64>().unwrap());
            meshes.entry(name.clone()).or_default().extend(numbers);
        }
    }
    (meshes, report.details.unwrap().meshes)
}

fn points(session: &mut Session, namespace: &str, mesh: &str) -> Vec<f64> {
    session.ok(&format!("fakePoints {namespace}{mesh}")).numbers()
}

/// Largest distance of two lists of points.
fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    distances(a, b).into_iter().fold(0.0, f64::max)
}

fn distances(a: &[f64], b: &[f64]) -> Vec<f64> {
    let distance = |(a, b): (&[f64], &[f64])| {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    a.chunks(3).zip(b.chunks(3)).map(distance).collect()
}

/// The attribute of the scene that a setting means: short names of DNA files are those of Maya.
fn apply(session: &mut Session, namespace: &str, settings: &[&str]) {
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap();
        let plug = format!("{namespace}{name}");
        // A raw control that the board drives is set past the board.
        let source = session.ok(&format!("listConnections -s 1 -d 0 -p 1 {plug}")).results;
        if let Some(source) = source.first() {
            session.ok(&format!("disconnectAttr {source} {plug}"));
        }
        session.ok(&format!("setAttr {plug} {value}"));
    }
}

fn assert_pose(session: &mut Session, namespace: &str, settings: &[&str]) {
    let (meshes, _) = expected(settings);
    assert!(meshes.len() > 5);
    let mut worst = 0.0f64;
    for (name, expected) in &meshes {
        let found = points(session, namespace, name);
        let difference = farthest(&found, expected);
        assert!(difference < AGREEMENT_CM, "{settings:?}, {name}: {difference} cm");
        worst = worst.max(difference);
    }
    eprintln!("{settings:?}: {} meshes, at most {worst:.1e} cm", meshes.len());
}

fn count(session: &mut Session, kind: &str) -> usize {
    session.ok(&format!("ls -type {kind}")).results.len()
}

#[test]
fn the_scene_holds_what_the_report_counts() {
    each("the_scene_holds_what_the_report_counts", false, |session| {
        let report = session.json(&command("-json"));
        assert_eq!(report["status"], "ok", "{report}");
        let counts = &report["counts"];
        let number = |key: &str| counts[key].as_u64().unwrap() as usize;
        assert!(number("joints") > 100 && number("meshes") > 10 && number("blend_shape_targets") > 100);
        let (head, body) = (number("head_joints"), number("body_joints"));
        assert_eq!(number("joints"), head + body - number("shared_joints"));
        for (kind, expected) in [
            ("joint", number("joints")),
            ("skinCluster", number("skin_clusters")),
            ("blendShape", number("blend_shapes")),
            ("displayLayer", number("display_layers")),
            ("mhRigLogic", number("rig_logic")),
            // The shape that is seen, and the one that it is deformed from.
            ("mesh", number("meshes") * 2),
        ] {
            assert_eq!(count(session, kind), expected, "{kind}");
        }
        let curves: usize =
            ["animCurveUU", "animCurveUL", "animCurveUA"].map(|kind| count(session, kind)).iter().sum();
        assert_eq!(curves, number("curves"));
        assert_eq!(session.ok("getAttr head.segmentScaleCompensate").text(), "0");
        assert_eq!(session.ok("getAttr head.rotate").numbers(), [0.0; 3]);
        assert!(session.ok("ls -sl").results.is_empty());
    });
}

#[test]
fn the_rig_moves_as_its_dna_files_say() {
    each("the_rig_moves_as_its_dna_files_say", false, |session| {
        assert_eq!(session.ok(&command("")).results, ["rig"]);
        assert_pose(session, "", &[]);
        // On the board …
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=1"]);
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=0.4", "CTRL_C_mouth.tx=-0.7", "CTRL_C_jaw.tx=0.5"]);
        assert_pose_and_back(session, &["CTRL_L_eye.tx=0.8"]);
        // … with a joint that correctives listen to …
        assert_pose_and_back(session, &["lowerarm_l.rz=50", "CTRL_C_jaw.ty=0.5"]);
        // … and past the board.
        let past = ["CTRL_expressions.jawOpen=0.6", "CTRL_expressions.mouthLeft=0.9"];
        apply(session, "", &past);
        assert_pose(session, "", &past);
    });
}

fn assert_pose_and_back(session: &mut Session, settings: &[&str]) {
    apply(session, "", settings);
    assert_pose(session, "", settings);
    let back: Vec<String> =
        settings.iter().map(|setting| format!("{}=0", setting.split_once('=').unwrap().0)).collect();
    apply(session, "", &back.iter().map(String::as_str).collect::<Vec<_>>());
}
