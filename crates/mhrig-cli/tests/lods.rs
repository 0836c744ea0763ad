//! `mhrig lods`: lower LODs from LOD 0, with and without the template, and the seam.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use mhrig_dna::Dna;
use tempfile::TempDir;

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A demo whose person is built, for all tests; they only read it.
fn demo() -> &'static Path {
    static DEMO: OnceLock<TempDir> = OnceLock::new();
    DEMO.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let demo = dir.path().join("demo");
        let output = mhrig(&["demo", text(&demo), "--identity", "dev04_heavy", "--run"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        dir
    })
    .path()
}

fn read(file: &Path) -> Dna {
    Dna::from_bytes(&fs::read(file).unwrap()).unwrap()
}

/// The archetype's part with the person's LOD 0: what an artist has who edited LOD 0 only.
fn stale(part: &str, dir: &Path) -> (PathBuf, Dna) {
    let built = read(&demo().join(format!("demo/out/dev04_heavy_{part}.dna")));
    let mut dna = read(&demo().join(format!("demo/archetype/{part}.dna")));
    for &mesh in dna.definition.lod_mesh_mapping.members(0) {
        let mesh = usize::from(mesh);
        dna.geometry.meshes[mesh].positions = built.geometry.meshes[mesh].positions.clone();
    }
    let file = dir.join(format!("{part}.dna"));
    fs::write(&file, dna.to_bytes().unwrap()).unwrap();
    (file, built)
}

fn largest_difference(a: &Dna, b: &Dna) -> f32 {
    let meshes = a.geometry.meshes.iter().zip(&b.geometry.meshes);
    let points = meshes.flat_map(|(a, b)| a.positions.iter().zip(b.positions.iter()));
    let distance = |(a, b): ([f32; 3], [f32; 3])| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt();
    points.map(distance).fold(0.0, f32::max)
}

#[test]
fn with_the_archetype_lower_lods_and_the_seam_are_those_of_a_build() {
    let dir = tempfile::tempdir().unwrap();
    let ((head, built_head), (body, built_body)) = (stale("head", dir.path()), stale("body", dir.path()));
    let (out, out_body) = (dir.path().join("h.dna"), dir.path().join("b.dna"));
    let archetype = demo().join("demo/archetype");
    let args = ["lods", text(&head), text(&out), "--body", text(&body), text(&out_body), "--archetype"];
    let output = mhrig(&[&args[..], &[text(&archetype), "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(largest_difference(&read(&out), &built_head) < 1e-4);
    assert!(largest_difference(&read(&out_body), &built_body) < 1e-4);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let seam = report["seam"].as_array().unwrap();
    assert_eq!(seam.len(), 8);
    for lod in seam {
        assert!(lod["pairs"].as_u64().unwrap() > 0, "{lod}");
        assert!(lod["gap_after_cm"].as_f64().unwrap() < 1e-3, "{lod}");
    }
}

#[test]
fn without_the_archetype_lower_lods_lie_on_lod_0_and_the_seam_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let ((head, built_head), (body, _)) = (stale("head", dir.path()), stale("body", dir.path()));
    let (out, out_body) = (dir.path().join("h.dna"), dir.path().join("b.dna"));
    let args = ["lods", text(&head), text(&out), "--body", text(&body), text(&out_body), "--json"];
    let output = mhrig(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let made = read(&out);
    // Half a centimetre: lower meshes of the template need not lie on LOD 0; those made by layout alone do.
    let difference = largest_difference(&made, &built_head);
    assert!(difference < 0.5, "{difference}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for lod in report["seam"].as_array().unwrap() {
        assert!(lod["pairs"].as_u64().unwrap() > 0, "{lod}");
        assert!(lod["gap_after_cm"].as_f64().unwrap() < 1e-3, "{lod}");
    }
}

#[test]
fn a_file_of_another_archetype_and_two_results_in_one_file_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (head, _) = stale("head", dir.path());
    let other = dir.path().join("other.dna");
    fs::write(&other, Dna::new(mhrig_dna::FileVersion::new(5)).to_bytes().unwrap()).unwrap();
    let archetype = demo().join("demo/archetype");
    let out = dir.path().join("out.dna");
    let output = mhrig(&["lods", text(&other), text(&out), "--archetype", text(&archetype)]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("OTHER_TEMPLATE"), "{}", stderr(&output));
    let output = mhrig(&["lods", text(&head), text(&out), "--body", text(&head), text(&out)]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(!out.exists());
}
