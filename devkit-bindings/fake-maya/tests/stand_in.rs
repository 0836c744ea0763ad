//! The stand-in builds, and behaves as its own C++ tests say.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::process::Command;

use fake_maya::{Host, MeshDump, build, mel_string};

fn root() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn built(test: &str) -> Option<fake_maya::FakeMaya> {
    match build(2026, root()) {
        Ok(maya) => Some(maya),
        Err(error @ (fake_maya::BuildError::Platform | fake_maya::BuildError::NoCompiler(_))) => {
            mhrig_testkit::skip(test, &error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_api_behaves_as_its_cpp_tests_say() {
    let Some(maya) = built("the_api_behaves_as_its_cpp_tests_say") else { return };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api.cpp");
    let program = root().join("api");
    maya.compile_program(&source, &program).unwrap();
    // The same source as a library is the plug-in that the program loads.
    let plugin = root().join("api.so");
    maya.compile_plugin(&source, &plugin).unwrap();
    let output = Command::new(&program).arg(&plugin).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}\n{text}", output.status);
    assert!(text.ends_with("0 failed\n"), "{text}");
}

#[test]
fn a_line_of_mel_gives_results_messages_and_a_verdict() {
    let Some(maya) = built("a_line_of_mel_gives_results_messages_and_a_verdict") else { return };
    let mut host = Host::start(&maya, false).unwrap();
    let reply = host.mel("createNode transform -n a; setAttr a.t 1 2 3; getAttr a.t").unwrap();
    assert!(reply.ok);
    assert_eq!(reply.numbers(), [1.0, 2.0, 3.0]);
    let text = "角色 \"é\"\n\\";
    let reply = host.mel(&format!("print {}", mel_string(text))).unwrap();
    assert_eq!(reply.infos, [text]);
    let reply = host.mel("noSuchCommand").unwrap();
    assert!(!reply.ok);
    assert_eq!(reply.errors.len(), 1);
}

#[test]
fn connections_are_listed_with_the_own_plug_first_and_weights_by_their_aliases() {
    let test = "connections_are_listed_with_the_own_plug_first_and_weights_by_their_aliases";
    let Some(maya) = built(test) else { return };
    let mut host = Host::start(&maya, false).unwrap();
    let scene = "createNode joint -n j; createNode transform -n t; createNode blendShape -n b; setAttr b.w[2] 0; \
                 aliasAttr smile b.w[2]; connectAttr t.tx b.smile; connectAttr j.rx t.rx";
    assert!(host.mel(scene).unwrap().ok);
    let mut list = |line: &str| host.mel(line).unwrap().results;
    assert_eq!(list("listConnections -s 0 -d 1 -c 1 -p 1 t"), ["t.translateX", "b.smile"]);
    assert_eq!(list("listConnections -s 1 -d 0 -c 1 -p 1 t"), ["t.rotateX", "j.rotateX"]);
    assert_eq!(list("listConnections -s 1 -d 0 -c 1 b.smile"), ["b.smile", "t"]);
    assert_eq!(list("isConnected -iuc t.tx b.w[2]"), ["1"]);
    assert_eq!(list("isConnected t.ty b.w[2]"), ["0"]);
}

#[test]
fn new_nodes_are_in_the_current_namespace_which_has_to_be_there() {
    let Some(maya) = built("new_nodes_are_in_the_current_namespace_which_has_to_be_there") else { return };
    let mut host = Host::start(&maya, false).unwrap();
    let mut run = |line: &str| host.mel(line).unwrap();
    assert_eq!(run("namespaceInfo -currentNamespace").results, [":"]);
    assert!(!run("namespace -set foo").ok);
    assert!(run("namespace -add foo; namespace -set foo; createNode transform -n a").ok);
    assert_eq!(run("namespaceInfo -currentNamespace -absoluteName").results, [":foo"]);
    // Names are looked up from the root.
    assert_eq!(run("ls foo:a").results, ["foo:a"]);
    assert!(!run("setAttr a.tx 1").ok && run("setAttr foo:a.tx 1").ok);
    assert!(run("namespace -set \":\"; createNode transform -n bar:b; namespace -set bar").ok);
    run("file -new -force");
    assert_eq!(run("namespaceInfo -currentNamespace").results, [":"]);
    assert!(!run("namespace -set foo").ok);
}

#[test]
fn every_scene_has_a_node_that_stays() {
    let Some(maya) = built("every_scene_has_a_node_that_stays") else { return };
    let mut host = Host::start(&maya, false).unwrap();
    for line in ["", "file -new -force"] {
        host.mel(line).unwrap();
        assert_eq!(host.mel("ls").unwrap().results, ["time1"]);
        assert!(!host.mel("delete time1").unwrap().ok);
    }
}

#[test]
fn statements_are_refused_as_a_test_says() {
    let Some(maya) = built("statements_are_refused_as_a_test_says") else { return };
    let mut host = Host::start(&maya, false).unwrap();
    let mut run = |line: &str| host.mel(line).unwrap();
    run("fakeRefuse \"ls -uuid\" 1");
    assert!(run("ls -uuid").ok && !run("ls -uuid").ok && run("ls").ok);
    run("fakeRefuse -silently ls");
    let reply = run("ls");
    assert!(reply.ok && reply.results.is_empty());
    run("fakeRefuse");
    assert_eq!(run("ls").results.len(), 1);
}

#[test]
fn undo_and_redo_restore_the_scene_exactly() {
    let Some(maya) = built("undo_and_redo_restore_the_scene_exactly") else { return };
    let mut host = Host::start(&maya, false).unwrap();
    let dump =
        MeshDump { points: vec![0.0; 9], face_sizes: vec![3], corners: vec![0, 1, 2], ..MeshDump::default() };
    let file = root().join("triangle.mesh");
    dump.write(&file).unwrap();
    let mut hashes = vec![host.mel("fakeHash").unwrap().text()];
    let steps = [
        format!("fakeMesh body {}", mel_string(&file.display().to_string())),
        "createNode joint -n root; setAttr root.ty 3".to_owned(),
        "skinCluster -n skin root body".to_owned(),
        "setAttr root.rz 30; select -r root".to_owned(),
        "delete root".to_owned(),
    ];
    let mut undos = 0;
    for step in &steps {
        assert!(host.mel(step).unwrap().ok, "{step}");
        undos = host.mel("fakeUndoQueue").unwrap().results.len();
        hashes.push(host.mel("fakeHash").unwrap().text());
    }
    let mut seen = vec![hashes.last().unwrap().clone()];
    for _ in 0..undos {
        assert!(host.mel("undo").unwrap().ok);
        seen.push(host.mel("fakeHash").unwrap().text());
    }
    assert_eq!(seen.last(), hashes.first());
    assert!(hashes.iter().all(|hash| seen.contains(hash)));
    for expected in seen.iter().rev().skip(1) {
        assert!(host.mel("redo").unwrap().ok);
        assert_eq!(&host.mel("fakeHash").unwrap().text(), expected);
    }
}
