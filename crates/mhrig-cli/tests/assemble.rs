//! `mhrig assemble`: the paths that its scenes keep, and what it says of those that a node cannot open. On the demo human.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn mhrig(args: &[&str], show: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mhrig"));
    command.args(args).env("MHRIG_TEST_SHOW", show).env_remove("MHRIG_TEST_NOT_SET").output().unwrap()
}

fn report(args: &[&str], show: &Path, code: i32) -> Value {
    let output = mhrig(&[&["assemble"], args, &["--json"]].concat(), show);
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn codes(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().filter_map(|finding| finding["code"].as_str()).collect()
}

fn path_of_node(scene: &Path) -> String {
    let text = std::fs::read_to_string(scene).unwrap();
    let line = text.lines().find(|line| line.contains("\".dnaFilePath\"")).unwrap();
    line.split('"').nth(5).unwrap().to_owned()
}

#[test]
fn a_path_with_a_variable_is_read_and_kept_and_one_that_a_node_cannot_open_gets_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let output = mhrig(&["demo", &text(&dir.path().join("demo"))], dir.path());
    assert_eq!(output.status.code(), Some(0));
    let head: PathBuf = dir.path().join("demo/archetype/head.dna");
    let scene = dir.path().join("scenes/rig.ma");
    std::fs::create_dir(dir.path().join("scenes")).unwrap();
    let scene = (text(&scene), scene);
    for given in ["$MHRIG_TEST_SHOW", "${MHRIG_TEST_SHOW}", "%MHRIG_TEST_SHOW%"] {
        for node in ["mh", "epic"] {
            let given = format!("{given}/demo/archetype/head.dna");
            let report = report(&[&given, "-o", &scene.0, "--rig-logic", node, "--force"], dir.path(), 0);
            assert!(!codes(&report).contains(&"NON_ASCII_PATH"), "{report}");
            assert_eq!(path_of_node(&scene.1), given);
        }
    }
    let unset = report(&["$MHRIG_TEST_NOT_SET/head.dna", "-o", &scene.0, "--force"], dir.path(), 3);
    assert_eq!(codes(&unset), ["PATH_VARIABLE"]);
    // Only Epic's node minds what a path is made of: it gets a copy beside the scene.
    let folder = dir.path().join("角色");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(&head, folder.join("head.dna")).unwrap();
    let given = text(&folder.join("head.dna"));
    let plain = report(&[&given, "-o", &scene.0, "--rig-logic", "mh", "--force"], dir.path(), 0);
    assert!(!codes(&plain).contains(&"NON_ASCII_PATH") && path_of_node(&scene.1).ends_with("角色/head.dna"));
    for _ in 0..2 {
        // The second time the copy is there already.
        let epic = [&*given, "-o", &scene.0, "--rig-logic", "epic", "--force"];
        let report = report(&epic, dir.path(), 0);
        assert!(!codes(&report).contains(&"NON_ASCII_PATH"), "{report}");
        let path = path_of_node(&scene.1);
        assert!(path.starts_with("dna/") && path.is_ascii(), "{path}");
        let copy = scene.1.with_file_name(&path);
        assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&head).unwrap());
        assert!(report["outputs"].as_array().unwrap().iter().any(|own| *own == *text(&copy)));
    }
    // A scene that lies in such a folder itself is written all the same, with a warning.
    let beside = text(&folder.join("rig.ma"));
    let report = report(&[&given, "-o", &beside, "--rig-logic", "epic"], dir.path(), 0);
    let finding = report["findings"].as_array().unwrap().iter().find(|f| f["code"] == "NON_ASCII_PATH");
    assert_eq!(finding.unwrap()["severity"], "warning");
    assert_eq!(path_of_node(&folder.join("rig.ma")), "head.dna");
    assert!(!folder.join("dna").exists());
}
