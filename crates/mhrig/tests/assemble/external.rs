//! A rig that gets its face board from an installation.

use super::*;

/// An installation of our own making with a board for the demo's head: `controls` of its sliders.
fn installation(controls: impl Fn(&str) -> bool) -> (TempDir, FaceBoard) {
    let folder = tempfile::tempdir().unwrap();
    let head = Dna::read_file(&dna("head"), &ReadOptions::default()).unwrap().0;
    let rig = head.descriptor.db_name.to_string();
    let write = |path: String, text: &str| {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("env/any-2030.json".into(), r#"{"PYTHONPATH": ["assembler/1.0"]}"#);
    let resources = format!("lib/assembler/1.0/mh_character_assembler/assets/{rig}");
    let mut gui = "//Maya ASCII 2024 scene\ncreateNode transform -n \"gui\";\n".to_owned();
    let sliders = head.definition.gui_control_names.iter().map(|name| name.to_string());
    let nodes: std::collections::BTreeSet<String> =
        sliders.map(|name| name.split('.').next().unwrap().to_owned()).collect();
    for node in nodes.iter().filter(|node| controls(node)) {
        gui += &format!("createNode transform -n \"{node}\" -p \"gui\";\n");
    }
    write(format!("{resources}/gui.ma"), &gui);
    write(format!("{resources}/ass_json.py"), "");
    let candidate = Mh4mCandidate { origin: "a test".into(), root: folder.path().to_owned() };
    let search = Mh4mSearch { candidates: vec![candidate], year: 2030 };
    (folder, FaceBoard::Mh4m(search))
}

#[test]
fn an_external_board_leaves_holders_and_what_the_sliders_have_to_do() {
    let own = the_pair();
    let (_folder, face_board) = installation(|_| true);
    let external = described(&AssembleRequest { face_board, ..pair() });
    let board = external.external.unwrap();
    let (own, scene) = (&own.scene, &external.scene);
    assert!(scene.check().is_empty());
    let has = |scene: &RigScene, name: &str| scene.node_names().any(|(_, node)| node == name);
    for name in ["GRP_faceGUI", "CTRL_C_jaw", "CTRL_C_eyesAim", "LOC_C_eyeDriver", "FacialControls"] {
        assert!(has(own, name) && !has(scene, name), "{name}");
    }
    assert_eq!(board.holders, ["CTRL_expressions", "FRM_WMmultipliers"]);
    let holder = |scene: &RigScene| {
        scene.transforms.iter().find(|node| node.name == "CTRL_expressions").unwrap().attributes.clone()
    };
    assert_eq!(holder(own), holder(scene));
    // The same RigLogic nodes, wired to the same plugs.
    assert_eq!(own.rig_logic, scene.rig_logic);
    // Every raw control that our own board drives, by the same keys where no eye stands between.
    let driven = own.connections.iter().filter(|c| c.to.node == "CTRL_expressions").count();
    assert!(driven > 10);
    assert_eq!(board.drives.len(), driven);
    let mut network = DriveNetwork::default();
    board.drives.iter().for_each(|drive| network.add(drive));
    let jaw = |curves: &[mhrig_scene::DrivenCurve], name: &str| {
        curves.iter().find(|curve| curve.name == name).unwrap().keys.clone()
    };
    let ours = jaw(&own.curves, "CTRL_expressions_jawOpen");
    assert_eq!(ours, jaw(&network.curves, "mhrig_CTRL_expressions_jawOpen"));
    assert_eq!(board.shared_joints.len(), external.details.counts.shared_joints);
    assert_eq!(external.details.counts.curves, 0);
    let details = external.details.face_board.unwrap();
    assert!(details.resources.script.ends_with("ass_json.py") && !details.script_ran);
    // A slider that is not there is left out, and with the last one the raw control is.
    let drive = board.drives.iter().find(|drive| drive.target.attribute == "jawOpen").unwrap();
    assert_eq!(drive.with_sliders(|_| true).as_ref(), Some(drive));
    assert_eq!(drive.with_sliders(|_| false), None);
}

#[test]
fn what_does_not_go_with_an_external_board_is_refused_by_name() {
    let (_folder, face_board) = installation(|_| true);
    let (_other, of_another_rig) = installation(|name| name.contains("_L_"));
    let external = |face_board: &FaceBoard| AssembleRequest { face_board: face_board.clone(), ..pair() };
    let body = AssembleRequest { files: vec![dna("body")], ..external(&face_board) };
    for (code, request) in [
        ("BOARD_NAMESPACE", AssembleRequest { namespace: Some("mary".into()), ..external(&face_board) }),
        ("BOARD_VERIFY", AssembleRequest { verify: true, ..external(&face_board) }),
        ("BOARD_WITHOUT_HEAD", body),
        ("BOARD_MISMATCH", external(&of_another_rig)),
        ("MH4M_MISSING", external(&FaceBoard::Mh4m(Mh4mSearch::default()))),
    ] {
        let report = with_job(|job| describe_rig(&request, job));
        assert_eq!(report.status, Status::Refused, "{code}");
        assert_eq!(report.findings.last().unwrap().code, code, "{:?}", report.findings);
    }
    let report = with_job(|job| assemble(&external(&face_board), job));
    assert_eq!(report.findings[0].code, "FACE_BOARD");
}
