//! A face board that comes from an installation, of the test's own making: imported, set up by a script that the stand-in
//! records, driven by our own curves where that leaves something out.

use std::collections::BTreeSet;

use mhrig::{ExternalBoard, FaceBoard, Mh4mCandidate, Mh4mSearch, RigScene};
use mhrig_e2e::drive_raw_control;

use super::epic_node::{Files, SHARED, transplant};
use super::*;

/// What the tests want to know of the demo's rig.
pub(super) struct Known {
    /// Described with our own board.
    own: RigScene,
    rig: String,
    controls: BTreeSet<String>,
}

pub(super) fn known() -> Known {
    let request = AssembleRequest { files: vec![head(), body()], ..AssembleRequest::default() };
    let own = silently(|job| mhrig::describe_rig(&request, job)).details.unwrap().scene;
    let rig = own.metadata.iter().find(|(key, _)| key == "mhrigHeadRig").unwrap().1.clone();
    let members = own.sets.iter().find(|set| set.name == "FacialControls").unwrap().members.iter();
    let controls = members.filter(|name| !name.contains("Aim")).cloned().collect();
    Known { own, rig, controls }
}

/// An installation for every year, with a board of `controls`.
pub(super) struct Installation(tempfile::TempDir);

impl Installation {
    pub(super) fn of(known: &Known, controls: impl Fn(&str) -> bool) -> Self {
        let installation = Self(tempfile::Builder::new().prefix("装配 ü").tempdir().unwrap());
        for year in fake_maya::YEARS {
            let manifest = r#"{"PYTHONPATH": ["lib only/0.1", "assembler/1.0/a1b2"], "PATH": []}"#;
            installation.write(&format!("env/win64-{year}.json"), manifest);
        }
        let resources = installation.resources(known);
        let mut gui = "//Maya ASCII 2024 scene\nrequires maya \"2024\";\ncurrentUnit -l centimeter -a degree -t film;\n\
                       createNode transform -n \"gui\";\n\tsetAttr \".t\" -type \"double3\" 40 3 0;\n\
                       createNode transform -n \"CTRL_expressions\" -p \"gui\";\n\
                       \taddAttr -ci true -sn \"jawOpen\" -ln \"jawOpen\" -min 0 -max 1 -at \"double\";\n\
                       \tsetAttr -k on \".jawOpen\" 0;\n"
            .to_owned();
        for control in known.controls.iter().filter(|name| controls(name)) {
            gui += &format!("createNode transform -n \"{control}\" -p \"gui\";\n");
        }
        let aims = "//Maya ASCII 2024 scene\nrequires maya \"2024\";\ncreateNode transform -n \"analog_gui\";\n\
                    createNode transform -n \"GRP_C_eyesAim\" -p \"analog_gui\";\n";
        installation.write(&format!("{resources}/scenes/gui.ma"), &gui);
        installation.write(&format!("{resources}/scenes/analog_gui.ma"), aims);
        installation.write(&format!("{resources}/ass_json.py"), "");
        installation
    }

    fn resources(&self, known: &Known) -> String {
        format!("lib/assembler/1.0/a1b2/mh_character_assembler/assets/{}", known.rig)
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.0.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(super) fn command(&self, flags: &str) -> String {
        self.command_of(&Pair::of_demo(), flags)
    }

    fn command_of(&self, pair: &Pair, flags: &str) -> String {
        pair.command(&format!("-faceBoard epic -epicRoot {} {flags}", path(self.0.path())))
    }

    fn described(&self, year: u16) -> ExternalBoard {
        self.described_of(&Pair::of_demo(), year)
    }

    fn described_of(&self, pair: &Pair, year: u16) -> ExternalBoard {
        let candidate = Mh4mCandidate { origin: "a test".into(), root: self.0.path().to_owned() };
        let request = AssembleRequest {
            files: vec![pair.head.clone(), pair.body.clone()],
            face_board: FaceBoard::Mh4m(Mh4mSearch { candidates: vec![candidate], year }),
            ..AssembleRequest::default()
        };
        silently(|job| mhrig::describe_rig(&request, job)).details.unwrap().external.unwrap()
    }
}

/// What the script answers, and what it does to the scene.
pub(super) fn script(session: &mut Session, answer: &str, effect: &str) {
    session.ok(&format!("fakePython {} {}", mel_string(answer), mel_string(effect)));
}

pub(super) const RAN: &str = r#"{"ran": true, "connected": false, "signature": "(a, b, c)"}"#;
const NOT_CALLED: &str = r#"{"ran": false, "signature": "(a, b)"}"#;

fn codes(report: &serde_json::Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_board_of_an_installation_moves_the_rig_where_its_script_was_not_called() {
    each("a_board_of_an_installation_moves_the_rig_where_its_script_was_not_called", false, |session| {
        let known = known();
        let installation = Installation::of(&known, |_| true);
        script(session, NOT_CALLED, "");
        let report = session.json(&installation.command("-json"));
        assert_eq!(report["status"], "ok", "{report}");
        assert!(codes(&report).contains(&"ASSEMBLE_SCRIPT".to_owned()), "{report}");
        let drives = installation.described(session.plugin.year).drives.len();
        let board = &report["face_board"];
        assert_eq!(board["script_ran"], false);
        assert_eq!(board["connected_by_curves"], drives, "{board}");
        assert_eq!(board["connected_by_script"], 0);
        let without_eyes =
            known.controls.iter().filter(|name| !name.ends_with("Switch") && !name.ends_with("Head"));
        assert_eq!(board["controls"], without_eyes.filter(|name| *name != "CTRL_C_eye").count(), "{board}");
        assert_eq!(board["without_control"], serde_json::json!([]));
        // Called once, by its path, with the groups of the head; all in ASCII.
        let calls = session.ok("fakePython").results;
        assert_eq!(calls.len(), 1);
        assert!(calls[0].is_ascii() && calls[0].contains("'head_grp', 'headRig_grp', ['CTRL_expressions."));
        assert!(calls[0].contains("/mh_character_assembler/assets/") && calls[0].contains("\\U000088c5"));
        // The holder of the board got what it lacked; the other one was made.
        let attributes = |holder: &str| {
            let node = known.own.transforms.iter().find(|node| node.name == holder).unwrap();
            node.attributes.iter().map(|own| format!("{holder}.{}", own.name)).collect::<Vec<_>>()
        };
        for plug in attributes("CTRL_expressions").into_iter().chain(attributes("FRM_WMmultipliers")) {
            assert_eq!(session.ok(&format!("objExists {plug}")).text(), "1", "{plug}");
        }
        assert_eq!(session.ok("ls -long CTRL_expressions").results, ["|gui|CTRL_expressions"]);
        // As high as the eyes, and nowhere else.
        let place =
            |session: &mut Session, node: &str| session.ok(&format!("xform -q -ws -t {node}")).numbers();
        let (control, eye) = (place(session, "CTRL_C_eye"), place(session, "FACIAL_L_Eye"));
        assert!((control[1] - eye[1]).abs() < 1e-6, "{control:?}, {eye:?}");
        assert_eq!((control[0], control[2]), (40.0, 0.0));
        assert_eq!(session.ok("ls FacialControls").results.len(), 1);
        assert!(session.ok("ls GRP_faceGUI").results.is_empty());
        assert_pose(session, "", &[]);
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=1"]);
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=0.4", "CTRL_C_mouth.tx=-0.7", "CTRL_L_eye.tx=0.8"]);
        assert_pose_and_back(session, &["lowerarm_l.rz=50", "CTRL_C_jaw.ty=0.5"]);
    });
}

#[test]
fn what_the_script_does_stays_and_what_it_breaks_is_mended() {
    each("what_the_script_does_stays_and_what_it_breaks_is_mended", false, |session| {
        let known = known();
        let installation = Installation::of(&known, |_| true);
        // Both parts move a joint that they share; the body leads it, and the script takes it to be the head's.
        let files = Files::new(&[("head", SHARED), ("body", SHARED)]);
        let pair = &files.pair;
        files.load_epic(session, false);
        for kind in ["mh", "epic"] {
            // A rig of ours shows which joints that head and body share are driven.
            session.ok(&pair.command("-rigLogic mh"));
            let external = installation.described_of(pair, session.plugin.year);
            let mut driven = Vec::new();
            for joint in &external.shared_joints {
                for attribute in ["translateX", "rotateX", "rotateY", "rotateZ"] {
                    let plug = format!("{joint}.{attribute}");
                    let source = session.ok(&format!("listConnections -s 1 -d 0 -p 1 {plug}")).results;
                    driven.extend(source.into_iter().map(|source| (source, plug.clone())));
                }
            }
            assert!(driven.iter().any(|(_, plug)| *plug == format!("{SHARED}.rotateX")), "{driven:?}");
            assert!(driven.iter().all(|(source, _)| source.starts_with("body_rl4Embedded.")), "{driven:?}");
            session.ok("undo; createNode transform -n kept; select kept");
            let breaks: Vec<String> =
                driven.iter().map(|(from, to)| format!("disconnectAttr {from} {to};")).collect();
            let effect = format!(
                "createNode animCurveUU -n jawCurve; setAttr \"jawCurve.ktv[0:1]\" 0 0 1 1; \
                 connectAttr CTRL_C_jaw.translateY jawCurve.input; connectAttr jawCurve.output CTRL_expressions.jawOpen; \
                 createNode transform -n headGui_grp -p headRig_grp; parent CTRL_expressions headGui_grp; \
                 delete analog_gui; select headGui_grp; {}",
                breaks.join(" ")
            );
            script(session, RAN, &effect);
            let before = session.hash();
            let steps = session.ok("fakeUndoQueue").results.len();
            let report = session.json(&installation.command_of(pair, &format!("-rigLogic {kind} -json")));
            assert_eq!(report["status"], "ok", "{report}");
            let board = &report["face_board"];
            assert_eq!(
                (&board["script_ran"], &board["connected_by_script"]),
                (&true.into(), &1.into()),
                "{board}"
            );
            assert_eq!(board["connected_by_curves"], external.drives.len() - 1);
            assert!(!codes(&report).contains(&"ASSEMBLE_SCRIPT".to_owned()), "{report}");
            let mended = report["findings"].as_array().unwrap().iter();
            let mended: Vec<_> = mended.filter(|own| own["code"] == "SHARED_JOINT_INPUTS").collect();
            assert_eq!(mended.len(), 1, "{report}");
            let count = format!("disconnected {} attributes", driven.len());
            assert!(mended[0]["message"].as_str().unwrap().contains(&count), "{count}: {mended:?}");
            for (source, plug) in &driven {
                assert_eq!(&session.ok(&format!("listConnections -s 1 -d 0 -p 1 {plug}")).text(), source);
            }
            assert_eq!(session.ok("ls -sl").results, ["kept"]);
            if kind == "mh" {
                assert_pose_of_and_back(session, pair, &["CTRL_C_jaw.ty=1"]);
                assert_pose_of_and_back(session, pair, &["CTRL_C_mouth.tx=0.6", "CTRL_C_jaw.tx=0.5"]);
            }
            // One step; what came is gone, what was imported and what the script made included.
            let poses = if kind == "mh" { 6 } else { 0 };
            assert_eq!(session.ok("fakeUndoQueue").results.len(), steps + 1 + poses);
            for _ in 0..=poses {
                session.ok("undo");
            }
            assert_eq!(session.hash(), before);
            assert!(session.ok("ls gui headGui_grp jawCurve").results.is_empty());
            session.ok("delete kept");
        }
    });
}

#[test]
fn a_board_of_an_installation_moves_a_rig_with_epics_node_too() {
    each("a_board_of_an_installation_moves_a_rig_with_epics_node_too", false, |session| {
        let installation = Installation::of(&known(), |_| true);
        let files = Files::new(&[("head", SHARED), ("body", SHARED)]);
        files.load_epic(session, false);
        script(session, RAN, "");
        session.ok(&installation.command_of(&files.pair, "-rigLogic epic"));
        for node in ["head_rl4Embedded", "body_rl4Embedded"] {
            transplant(session, node);
        }
        assert_pose_of(session, &files.pair, "", &[]);
        assert_pose_of_and_back(session, &files.pair, &["CTRL_C_jaw.ty=0.4", "CTRL_L_eye.tx=0.8"]);
        assert_pose_of_and_back(session, &files.pair, &["lowerarm_l.rz=50", "CTRL_C_jaw.ty=0.5"]);
    });
}

#[test]
fn undo_takes_an_imported_board_away_and_redo_says_that_it_cannot() {
    each("undo_takes_an_imported_board_away_and_redo_says_that_it_cannot", false, |session| {
        let installation = Installation::of(&known(), |_| true);
        session.ok("createNode transform -n kept; currentUnit -linear m; select kept");
        let before = session.hash();
        script(session, RAN, "createNode transform -n byScript");
        session.ok(&installation.command(""));
        // What came afterwards, by a way that cannot be undone, is not of the rig.
        let later = installation.0.path().join("later.ma");
        std::fs::write(
            &later,
            "//Maya ASCII 2024 scene\nrequires maya \"2024\";\ncreateNode transform -n \"later\";\n",
        )
        .unwrap();
        session.ok("undo");
        assert_eq!(session.hash(), before);
        session.refused("redo", "REDO");
        assert_eq!(session.hash(), before);
        session.ok(&installation.command(""));
        session.ok(&format!("file -import -type mayaAscii {}", path(&later)));
        session.ok("undo");
        assert_eq!(session.ok("ls later").results, ["later"]);
        assert!(session.ok("ls byScript rig gui").results.is_empty());
        session.ok("delete later");
        assert_eq!(session.hash(), before);
    });
}

#[test]
fn raw_controls_without_a_control_are_named() {
    each("raw_controls_without_a_control_are_named", false, |session| {
        let installation = Installation::of(&known(), |name| name != "CTRL_C_jaw" && name != "CTRL_C_eye");
        script(
            session,
            r#"{"ran": false, "error": {"type": "ValueError", "message": "odd", "line": 3}}"#,
            "",
        );
        let report = session.json(&installation.command("-json"));
        assert_eq!(report["status"], "ok", "{report}");
        let without = report["face_board"]["without_control"].as_array().unwrap();
        assert!(without.contains(&"CTRL_expressions.jawOpen".into()), "{without:?}");
        for code in ["BOARD_CONTROLS", "BOARD_PLACE", "ASSEMBLE_SCRIPT"] {
            assert!(codes(&report).contains(&code.to_owned()), "{code}: {report}");
        }
        let mut script = report["findings"].as_array().unwrap().iter();
        let script = script.find(|finding| finding["code"] == "ASSEMBLE_SCRIPT").unwrap();
        assert!(script["where"].as_str().unwrap().ends_with("ass_json.py: line 3"), "{script}");
        assert_pose_and_back(session, &["CTRL_C_mouth.tx=-0.7"]);
    });
}

#[test]
fn a_raw_control_that_lacks_one_of_its_sliders_is_named() {
    each("a_raw_control_that_lacks_one_of_its_sliders_is_named", false, |session| {
        // The jaw opens by a slider of the mouth too, which this board lacks.
        let (slider, raw) = ("CTRL_C_mouth.tx", "CTRL_expressions.jawOpen");
        let files = Files::new(&[]);
        drive_raw_control(&files.pair.head, slider, raw);
        let installation = Installation::of(&known(), |name| name != "CTRL_C_mouth");
        script(session, NOT_CALLED, "");
        let report = session.json(&installation.command_of(&files.pair, "-json"));
        assert_eq!(report["status"], "ok", "{report}");
        let half = report["face_board"]["half_driven"].as_array().unwrap();
        assert_eq!(*half, [format!("{raw} (without CTRL_C_mouth.translateX)")]);
        let mut findings = report["findings"].as_array().unwrap().iter();
        let said = |finding: &&serde_json::Value| {
            finding["code"] == "BOARD_CONTROLS" && finding["message"].as_str().unwrap().contains("some of")
        };
        assert!(findings.any(|finding| said(&finding)), "{report}");
    });
}

#[test]
fn a_board_that_cannot_be_had_is_refused_and_nothing_is_left() {
    each("a_board_that_cannot_be_had_is_refused_and_nothing_is_left", false, |session| {
        let known = known();
        let installation = Installation::of(&known, |_| true);
        script(session, RAN, "");
        let before = session.hash();
        session.refused(&command("-faceBoard ours"), "USAGE");
        session.refused(&command("-epicRoot /nowhere"), "USAGE");
        session.refused(&command("-faceBoard epic -epicRoot /nowhere"), "MH4M_MISSING");
        // Nobody knows of one: the stand-in has no modules, and no such plug-in.
        session.refused(&command("-faceBoard epic"), "MH4M_MISSING");
        session.refused(&installation.command("-namespace anna"), "BOARD_NAMESPACE");
        let other = Installation::of(&known, |name| name.contains("_L_"));
        session.refused(&other.command(""), "BOARD_MISMATCH");
        let broken = Installation::of(&known, |_| true);
        let gui = format!("{}/scenes/gui.ma", broken.resources(&known));
        let text = std::fs::read_to_string(broken.0.path().join(&gui)).unwrap();
        broken.write(&gui, &format!("{text}setAttr \"nothing.of this\" 1;\n"));
        session.refused(&broken.command(""), "ASSEMBLY_FAILED");
        assert_eq!(session.hash(), before);
        session.ok("createNode transform -n gui");
        session.refused(&installation.command(""), "NAME_CLASH");
        assert_eq!(session.ok("fakePython").results.len(), 0);
    });
}

#[test]
fn esc_while_a_board_is_put_in_leaves_the_scene_as_it_was() {
    each("esc_while_a_board_is_put_in_leaves_the_scene_as_it_was", true, |session| {
        let installation = Installation::of(&known(), |_| true);
        session.ok("createNode transform -n kept; select kept");
        script(session, RAN, "createNode transform -n byScript");
        let before = session.hash();
        let steps = session.ok("fakeUndoQueue").results.len();
        let stages = ["face board", "import", "network", "assemble script", "board connections"];
        for stage in stages {
            session.ok(&format!("fakeEsc {}", mel_string(&format!("assembling: {stage}"))));
            session.refused(&installation.command(""), "CANCELLED");
            assert_eq!(session.ok("fakeComputation").results[1], "1", "{stage} was not interrupted");
            assert_eq!(session.hash(), before, "{stage}");
            assert_eq!(session.ok("fakeUndoQueue").results.len(), steps);
        }
        session.ok("fakeEsc");
        session.ok(&installation.command(""));
    });
}

#[test]
fn an_installation_is_found_by_its_variable() {
    let known = known();
    for plugin in first_and_last_plugin() {
        let Some(maya) = Session::stand_in("an_installation_is_found_by_its_variable", plugin.year) else {
            return;
        };
        let installation = Installation::of(&known, |_| true);
        let root = installation.0.path().display().to_string();
        let host = fake_maya::Host::start_with(&maya, false, &[("MHRIG_MH4M", &root)]).unwrap();
        let mut session = Session { host, maya, plugin };
        session.ok(&format!("loadPlugin {}", path(&session.plugin.path.clone())));
        script(&mut session, RAN, "");
        let report = session.json(&command("-faceBoard epic -json"));
        assert_eq!(report["face_board"]["root"].as_str(), Some(root.as_str()), "{report}");
    }
}

#[test]
fn an_installation_is_found_by_its_module_and_the_one_that_is_given_goes_first() {
    each("an_installation_is_found_by_its_module_and_the_one_that_is_given_goes_first", false, |session| {
        let known = known();
        let [module, given] = [(), ()].map(|()| Installation::of(&known, |_| true));
        session.ok(&format!("fakeModule MetaHumanForMaya {}", path(module.0.path())));
        script(session, RAN, "");
        let root = |installation: &Installation| installation.0.path().display().to_string();
        let report = session.json(&command("-faceBoard epic -json"));
        assert_eq!(report["face_board"]["root"], root(&module), "{report}");
        session.ok("undo");
        let report = session.json(&given.command("-json"));
        assert_eq!(report["face_board"]["root"], root(&given), "{report}");
        session.ok("undo");
        // What is given and broken is not passed over for another.
        session.refused(&command("-faceBoard epic -epicRoot /nowhere"), "MH4M_MISSING");
    });
}
