//! Epic's node: its command, as it is documented, connects by patterns; what the rig has to have is the description's.

use fake_maya::EpicRelease;
use mhrig::RigLogicNode;
use mhrig_e2e::{drive_joint, write_epic_names};
use tempfile::TempDir;

use super::*;

/// A joint that head and body share, which nothing drives in the demo.
pub(super) const SHARED: &str = "spine_05";
/// A joint of the body alone whose rotation is an input.
const DRIVER: &str = "lowerarm_l";

/// Files in a folder of their own, with their names for the stand-in.
pub(super) struct Files {
    dir: TempDir,
    pub(super) pair: Pair,
}

impl Files {
    /// The demo's, in which parts move joints that they do not in the demo.
    pub(super) fn new(driven: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let [head, body] = [("head", head()), ("body", body())].map(|(part, from)| {
            let file = dir.path().join(format!("{part}.dna"));
            std::fs::copy(from, &file).unwrap();
            for (_, joint) in driven.iter().filter(|(own, _)| *own == part) {
                drive_joint(&file, &file, joint);
            }
            write_epic_names(&file);
            file
        });
        Self { dir, pair: Pair { head, body } }
    }

    pub(super) fn load_epic(&self, session: &mut Session, is_newer: bool) {
        session.load_epic(is_newer, self.dir.path());
    }

    fn described(&self, up_axis: Option<UpAxis>) -> RigScene {
        let request = AssembleRequest {
            up_axis,
            files: vec![self.pair.head.clone(), self.pair.body.clone()],
            archetype: Some(Demo::get().archetype.clone()),
            output: std::env::temp_dir().join("scene.ma"),
            ..AssembleRequest::default()
        };
        silently(|job| mhrig::describe_rig(&request, job)).details.unwrap().scene
    }
}

type Wires = BTreeSet<[String; 2]>;

/// What a node of the scene is connected to: source and destination.
fn wires(session: &mut Session, node: &str) -> Wires {
    let mut wires = Wires::new();
    for (direction, is_input) in [("-s 1 -d 0", true), ("-s 0 -d 1", false)] {
        let found = session.ok(&format!("listConnections {direction} -c 1 -p 1 {node}")).results;
        for [own, other] in found.as_chunks::<2>().0 {
            let (own, other) = (own.clone(), other.clone());
            wires.insert(if is_input { [other, own] } else { [own, other] });
        }
    }
    wires
}

fn described_wires(node: &RigLogicNode) -> Wires {
    let all = node.input_connections().chain(node.output_connections());
    all.map(|own| [own.from.to_string(), own.to.to_string()]).collect()
}

fn assert_wired_as_described(session: &mut Session, scene: &RigScene) {
    assert_eq!(scene.rig_logic.len(), 2);
    for node in &scene.rig_logic {
        let (found, expected) = (wires(session, &node.name), described_wires(node));
        let lacking: Vec<_> = expected.difference(&found).collect();
        let surplus: Vec<_> = found.difference(&expected).collect();
        assert!(
            lacking.is_empty() && surplus.is_empty(),
            "{}: lacks {lacking:?}, has {surplus:?}",
            node.name
        );
        assert!(node.inputs.len() > 10 && expected.len() > node.inputs.len() + 10);
    }
}

/// Findings about Epic's nodes: code, node and message.
fn notes(report: &serde_json::Value) -> Vec<[String; 3]> {
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let all = report["findings"].as_array().unwrap().iter();
    let all = all.map(|finding| ["code", "where", "message"].map(|key| text(finding, key)));
    all.filter(|[code, ..]| code.starts_with("EPIC_NODE")).collect()
}

fn codes(report: &serde_json::Value) -> Vec<[String; 2]> {
    notes(report).into_iter().map(|[code, node, _]| [code, node]).collect()
}

/// Puts our node where Epic's is, wire by wire: the stand-in's evaluates nothing.
pub(super) fn transplant(session: &mut Session, node: &str) {
    let path = session.ok(&format!("getAttr {node}.dnaFilePath")).text();
    let ours = format!("{node}_ours");
    session.ok(&format!("createNode mhRigLogic -n {ours}"));
    session.ok(&format!("setAttr -type \"string\" {ours}.dnaFilePath {}", mel_string(&path)));
    for [from, to] in wires(session, node) {
        let own = |plug: &str| plug.strip_prefix(&format!("{node}.")).map(|rest| format!("{ours}.{rest}"));
        let (from, to) = (own(&from).unwrap_or(from), own(&to).unwrap_or(to));
        session.ok(&format!("connectAttr -f {from} {to}"));
    }
    session.ok(&format!("delete {node}"));
}

#[test]
fn epics_node_is_wired_as_described_whether_its_command_reads_joints_or_not() {
    let test = "epics_node_is_wired_as_described_whether_its_command_reads_joints_or_not";
    each(test, false, |session| {
        let files = Files::new(&[]);
        let scene = files.described(None);
        let body = scene.rig_logic.iter().find(|node| node.name.starts_with("body")).unwrap();
        let from_joints = body.inputs.iter().filter(|wire| wire.plug.node.ends_with("_eulerToQuat")).count();
        assert!(from_joints >= 16, "{from_joints}");
        for is_newer in [false, true] {
            files.load_epic(session, is_newer);
            let report = session.json(&files.pair.command("-rigLogic epic -json"));
            assert_eq!(report["status"], "ok", "{report}");
            assert_wired_as_described(session, &scene);
            let said = notes(&report);
            let inputs: Vec<_> = said.iter().filter(|[code, ..]| code == "EPIC_NODE_INPUTS").collect();
            if is_newer {
                assert!(said.is_empty(), "{said:?}");
            } else {
                let [_, node, message] = inputs.iter().find(|[_, node, _]| *node == body.name).unwrap();
                assert!(message.starts_with(&format!("{from_joints} inputs")), "{node}: {message}");
                assert!(message.contains("_eulerToQuat.outputQuatX"), "{message}");
                assert_eq!(inputs.len(), said.len(), "{said:?}");
            }
            session.ok("undo");
            assert!(session.ok("ls -type embeddedNodeRL4").results.is_empty());
            session.ok("redo");
            assert_wired_as_described(session, &scene);
            session.ok("undo; unloadPlugin embeddedRL4");
        }
    });
}

#[test]
fn a_command_that_connects_nothing_is_made_up_for_and_said() {
    each("a_command_that_connects_nothing_is_made_up_for_and_said", false, |session| {
        let files = Files::new(&[]);
        for part in ["head", "body"] {
            std::fs::remove_file(files.dir.path().join(format!("{part}.dna.names"))).unwrap();
        }
        files.load_epic(session, true);
        let report = session.json(&files.pair.command("-rigLogic epic -json"));
        assert_eq!(report["status"], "ok", "{report}");
        assert_wired_as_described(session, &files.described(None));
        let codes = codes(&report);
        for node in ["head_rl4Embedded", "body_rl4Embedded"] {
            for code in ["EPIC_NODE_INPUTS", "EPIC_NODE_OUTPUTS"] {
                assert!(codes.contains(&[code.to_owned(), node.to_owned()]), "{code}, {node}: {codes:?}");
            }
        }
        assert_eq!(codes.len(), 4, "{codes:?}");
    });
}

#[test]
fn a_node_without_inputs_is_a_warning_and_no_refusal() {
    each("a_node_without_inputs_is_a_warning_and_no_refusal", false, |session| {
        let files = Files::new(&[]);
        session.load_epic_release(EpicRelease::WithoutInputs, files.dir.path());
        let report = session.json(&files.pair.command("-rigLogic epic -json"));
        assert_eq!(report["status"], "ok", "{report}");
        let said = notes(&report);
        for node in files.described(None).rig_logic {
            let [_, _, message] =
                said.iter().find(|[code, at, _]| code == "EPIC_NODE_WIRES" && *at == node.name).unwrap();
            assert!(message.starts_with(&format!("{} connections", node.inputs.len())), "{message}");
            assert!(message.contains(&format!("{}.inputs[0]", node.name)), "{message}");
        }
        assert_eq!(said.len(), 2, "{said:?}");
    });
}

#[test]
fn joints_that_head_and_body_share_stay_with_the_body_and_what_was_taken_is_said() {
    let test = "joints_that_head_and_body_share_stay_with_the_body_and_what_was_taken_is_said";
    each(test, false, |session| {
        for driven in [&[("head", SHARED)][..], &[("head", SHARED), ("body", SHARED)]] {
            let files = Files::new(driven);
            let scene = files.described(None);
            files.load_epic(session, false);
            let report = session.json(&files.pair.command("-rigLogic epic -json"));
            assert_eq!(report["status"], "ok", "{report}");
            assert_wired_as_described(session, &scene);
            let is_led = driven.len() > 1;
            for attribute in ["translateX", "rotateX", "rotateY", "rotateZ"] {
                let source = session.ok(&format!("listConnections -s 1 -d 0 {SHARED}.{attribute}")).results;
                assert_eq!(source, vec!["body_rl4Embedded"; usize::from(is_led)], "{attribute}");
            }
            let shared = report["findings"].as_array().unwrap().iter();
            let shared: Vec<_> = shared.filter(|own| own["code"] == "SHARED_JOINT_OUTPUTS").collect();
            assert!(
                shared.iter().any(|own| own["where"].as_str().unwrap().ends_with("head.dna")),
                "{report}"
            );
            // The head's command runs first; where the body drives the joint too, the body's takes it back by itself.
            let said = notes(&report);
            let surplus =
                said.iter().find(|[code, node, _]| code == "EPIC_NODE_SURPLUS" && node.starts_with("head"));
            assert_eq!(surplus.is_some(), !is_led, "{said:?}");
            if let Some([_, _, message]) = surplus {
                assert!(
                    message.starts_with("4 outputs") && message.contains("spine_05.translateX"),
                    "{message}"
                );
            }
            session.ok("undo; unloadPlugin embeddedRL4");
        }
    });
}

#[test]
fn joints_that_are_inputs_and_a_turned_root_are_left_alone_by_epics_node_too() {
    let test = "joints_that_are_inputs_and_a_turned_root_are_left_alone_by_epics_node_too";
    each(test, false, |session| {
        for (joint, axis, code) in [(DRIVER, "y", "DRIVER_OUTPUTS"), ("root", "z", "ROOT_OUTPUTS")] {
            let files = Files::new(&[("body", joint)]);
            files.load_epic(session, false);
            let flags = format!("-rigLogic epic -newScene -force -upAxis {axis} -json");
            let report = session.json(&files.pair.command(&flags));
            assert_eq!(report["status"], "ok", "{report}");
            let axis = if axis == "z" { UpAxis::Z } else { UpAxis::Y };
            assert_wired_as_described(session, &files.described(Some(axis)));
            for attribute in ["translateX", "rotateX", "rotateY", "rotateZ"] {
                let source = session.ok(&format!("listConnections -s 1 -d 0 {joint}.{attribute}")).results;
                assert!(source.is_empty(), "{joint}.{attribute}: {source:?}");
            }
            let mut all = report["findings"].as_array().unwrap().iter();
            let told = all.find(|finding| finding["code"] == code).unwrap();
            assert!(told["message"].as_str().unwrap().starts_with("4 outputs"), "{told}");
            let said = notes(&report);
            let surplus = said.iter().find(|[code, ..]| code == "EPIC_NODE_SURPLUS").unwrap();
            assert!(surplus[2].contains(&format!("{joint}.rotateX")), "{surplus:?}");
            session.ok("file -new -force; unloadPlugin embeddedRL4");
        }
    });
}

#[test]
fn with_our_evaluation_at_its_wires_epics_node_moves_the_rig_as_its_files_say() {
    let test = "with_our_evaluation_at_its_wires_epics_node_moves_the_rig_as_its_files_say";
    each(test, false, |session| {
        let files = Files::new(&[("body", SHARED)]);
        files.load_epic(session, false);
        session.ok(&files.pair.command("-rigLogic epic"));
        for node in ["head_rl4Embedded", "body_rl4Embedded"] {
            transplant(session, node);
        }
        let pair = &files.pair;
        assert_pose_of(session, pair, "", &[]);
        assert_pose_of_and_back(session, pair, &["CTRL_C_jaw.ty=0.4", "CTRL_C_mouth.tx=-0.7"]);
        // Correctives of the body, which need the inputs from joints; the shoulder moves the shared joint.
        assert_pose_of_and_back(session, pair, &["lowerarm_l.rz=50", "CTRL_C_jaw.ty=0.5"]);
        let raised = ["upperarm_l.rz=45"];
        assert_pose_of_and_back(session, pair, &raised);
        let rest = points(session, "", "body_lod0_mesh");
        apply(session, "", &raised);
        let moved = session.ok(&format!("getAttr {SHARED}.rotate")).numbers();
        eprintln!(
            "{SHARED} turned by {moved:?}, body moved {}",
            farthest(&points(session, "", "body_lod0_mesh"), &rest)
        );
    });
}
