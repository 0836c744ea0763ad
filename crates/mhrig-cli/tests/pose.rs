//! `mhrig pose`: pictures, meshes, sweeps, and what it says about bad input. On the demo human.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// One demo for all tests; they only read it.
fn dna(part: &str) -> PathBuf {
    static DEMO: OnceLock<TempDir> = OnceLock::new();
    let demo = DEMO.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let output = mhrig(&["demo", text(&dir.path().join("demo"))]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        dir
    });
    demo.path().join("demo/archetype").join(part)
}

fn posed(args: &[&str]) -> Value {
    let output = mhrig(&[&["pose"], args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn motion<'a>(report: &'a Value, mesh: &str) -> &'a Value {
    report["meshes"].as_array().unwrap().iter().find(|motion| motion["mesh"] == mesh).unwrap()
}

fn obj_vertices(path: &Path) -> Vec<Vec<f32>> {
    let text = std::fs::read_to_string(path).unwrap();
    let vertices = text.lines().filter_map(|line| line.strip_prefix("v "));
    vertices.map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect()
}

#[test]
fn an_open_jaw_moves_the_lower_face_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let head = dna("head.dna");
    let (rest, open) = (dir.path().join("rest.obj"), dir.path().join("open.obj"));
    let still = posed(&[text(&head), "-o", text(&rest)]);
    assert!(still["meshes"].as_array().unwrap().iter().all(|motion| motion["moved"] == 0));
    let moved = posed(&[text(&head), "--set", "jawOpen=1", "-o", text(&open)]);
    let head_motion = motion(&moved, "head_lod0_mesh");
    let vertices = head_motion["vertices"].as_u64().unwrap();
    let count = head_motion["moved"].as_u64().unwrap();
    assert!(count > vertices / 10 && count < vertices, "{count} of {vertices}");
    assert!((1.0..8.0).contains(&head_motion["max_cm"].as_f64().unwrap()));
    assert_eq!(motion(&moved, "eyeLeft_lod0_mesh")["moved"], 0);
    // The vertex that moves farthest goes down, and the file holds the posed vertices.
    let (before, after) = (obj_vertices(&rest), obj_vertices(&open));
    assert_eq!(before.len(), after.len());
    let farthest = head_motion["farthest"].as_u64().unwrap() as usize;
    assert!(after[farthest][1] < before[farthest][1] - 0.5, "{:?} {:?}", before[farthest], after[farthest]);
}

#[test]
fn a_bent_elbow_takes_the_hand_along_and_a_turned_neck_the_head() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("bent.glb");
    let (head, body) = (dna("head.dna"), dna("body.dna"));
    let turns = ["--set", "lowerarm_l.rz=90", "--set", "neck_01.rz=20"];
    let report = posed(&[&[text(&head), text(&body), "-o", text(&out)], &turns[..]].concat());
    let body_motion = motion(&report, "body_lod0_mesh");
    assert!(body_motion["max_cm"].as_f64().unwrap() > 20.0);
    assert!(body_motion["moved"].as_u64().unwrap() < body_motion["vertices"].as_u64().unwrap() / 2);
    let eye = motion(&report, "eyeLeft_lod0_mesh");
    assert_eq!(eye["moved"], eye["vertices"]);
    assert!((0.5..30.0).contains(&eye["max_cm"].as_f64().unwrap()));
    assert!(std::fs::read(&out).unwrap().starts_with(b"glTF"));
}

#[test]
fn a_picture_has_its_size_and_the_same_bytes_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let head = dna("head.dna");
    let picture = |name: &str, jobs: &str, more: &[&str]| {
        let out = dir.path().join(name);
        let fixed = ["--set", "eyeBlinkL=1", "--size", "90x120", "--view", "front,three-quarter"];
        posed(&[&[text(&head), "-o", text(&out), "--jobs", jobs], &fixed[..], more].concat());
        std::fs::read(out).unwrap()
    };
    let one = picture("one.png", "1", &[]);
    assert_eq!(one, picture("many.png", "4", &[]));
    assert!(one.starts_with(b"\x89PNG\r\n\x1a\n"));
    // Width and height follow the signature and the chunk's length and name.
    assert_eq!(&one[16..24], [0, 0, 0, 180, 0, 0, 0, 120]);
    assert_ne!(one, picture("heat.png", "2", &["--heat"]));
    assert_ne!(one, picture("flat.png", "2", &["--shading", "flat"]));
}

#[test]
fn a_sweep_finds_nothing_wrong_with_the_demo_human() {
    for part in ["head.dna", "body.dna"] {
        let file = dna(part);
        let archetype = text(file.parent().unwrap());
        let output = mhrig(&["pose", text(&file), "--sweep", "--archetype", archetype, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(report["controls"].as_array().unwrap().len() > 20);
        let rest = report["rest"].as_array().unwrap();
        assert!(rest.iter().all(|motion| motion["max_cm"].as_f64().unwrap() < 1e-4));
        assert_eq!(report.get("jaw_open").is_some(), part == "head.dna");
        assert!(!report["rbf_poses"].as_array().unwrap().is_empty());
    }
}

#[test]
fn bad_requests_are_refused_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let (head, out) = (dna("head.dna"), dir.path().join("a.png"));
    let (head, out) = (text(&head), text(&out));
    let unknown = ["UNKNOWN_CONTROL", "CTRL_expressions.jawOpen"];
    for (args, exit, words) in [
        (&["--set", "jawOpne=1", "-o", out][..], 3, &unknown[..]),
        (&["--set", "jawOpen=wide", "-o", out], 3, &["SET_VALUE", "wide"]),
        (&["--set", "jawOpen=NaN", "-o", out], 3, &["SET_VALUE"]),
        (&["--set", "jawOpen", "-o", out], 3, &["SET_FORM"]),
        (&["--lod", "99", "-o", out], 3, &["LOD_RANGE"]),
        (&["-o", "a.bmp"], 2, &["OUTPUT_FORMAT"]),
        (&["-o", out, "--size", "0x10"], 2, &["PICTURE_SIZE"]),
        (&["-o", out, "--size", "big"], 2, &["720x960"]),
        (&[], 2, &["--output"]),
    ] {
        let output = mhrig(&[&["pose", head][..], args].concat());
        assert_eq!(output.status.code(), Some(exit), "{args:?}: {}", stderr(&output));
        for word in words {
            assert!(stderr(&output).contains(word), "{word} in {}", stderr(&output));
        }
    }
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none());
}
