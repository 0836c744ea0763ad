//! What the assembled network computes: looks, aims, switches. On the demo human.

use std::sync::{Arc, OnceLock};

use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{Plug, RigScene};
use tempfile::TempDir;

use super::evaluate::{Evaluator, SceneSettings};
use super::{AssembleRequest, describe_rig};
use crate::DemoRequest;
use crate::dna_file::read_dna;

/// The archetype of the demo, assembled, and its rigs.
fn demo() -> &'static (RigScene, Vec<Arc<mhrig_rig::Rig>>) {
    static DEMO: OnceLock<(RigScene, Vec<Arc<mhrig_rig::Rig>>)> = OnceLock::new();
    DEMO.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let request = DemoRequest::new(folder.path().to_owned());
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let archetype = crate::demo(&request, job).details.unwrap().archetype_dir;
        let files = ["head.dna", "body.dna"].map(|name| archetype.join(name)).to_vec();
        let rig = |file| {
            let (dna, _) = read_dna(file).unwrap();
            Arc::new(mhrig_rig::Rig::from_dna(&dna, &mhrig_rig::RigOptions::default()).unwrap())
        };
        let rigs = files.iter().map(|file| rig(file)).collect();
        let request = AssembleRequest { files, ..AssembleRequest::default() };
        let report = describe_rig(&request, job);
        (report.details.unwrap().scene, rigs)
    })
}

fn value(settings: &[(&str, f64)], wanted: &str) -> f64 {
    let (scene, rigs) = demo();
    let plug = |text: &str| {
        let (node, attribute) = text.split_once('.').unwrap();
        Plug::new(node, attribute)
    };
    let values = settings.iter().map(|(name, value)| (plug(name), *value)).collect();
    let settings = SceneSettings { values, lods: Vec::new() };
    Evaluator::new(scene, rigs.clone()).attribute(&settings, &plug(wanted)).unwrap()
}

const UP: &str = "CTRL_expressions.eyeLookUpL";
const DOWN: &str = "CTRL_expressions.eyeLookDownL";
const LEFT: &str = "CTRL_expressions.eyeLookLeftL";
const RIGHT: &str = "CTRL_expressions.eyeLookRightL";

#[test]
fn sliders_turn_the_eye_drivers_and_drivers_the_raw_controls() {
    for (slider, at, driver, angle, raw) in [
        ("CTRL_L_eye.translateY", 1.0, "LOC_L_eyeDriver.rotateX", -30.0, UP),
        ("CTRL_L_eye.translateY", -0.5, "LOC_L_eyeDriver.rotateX", 20.0, DOWN),
        ("CTRL_L_eye.translateX", 0.25, "LOC_L_eyeDriver.rotateY", 10.0, LEFT),
        ("CTRL_L_eye.translateX", -1.0, "LOC_L_eyeDriver.rotateY", -40.0, RIGHT),
        ("CTRL_C_eye.translateY", 1.0, "LOC_L_eyeDriver.rotateX", -30.0, UP),
        ("CTRL_C_eye.translateX", 0.25, "LOC_R_eyeDriver.rotateY", 10.0, "CTRL_expressions.eyeLookLeftR"),
    ] {
        assert!((value(&[(slider, at)], driver) - angle).abs() < 1e-9, "{slider}");
        assert!((value(&[(slider, at)], raw) - at.abs()).abs() < 1e-9, "{slider} {raw}");
    }
    // Two controls together do not go past the end.
    let both = [("CTRL_L_eye.translateY", 1.0), ("CTRL_C_eye.translateY", 1.0)];
    assert!((value(&both, UP) - 1.0).abs() < 1e-9);
}

#[test]
fn the_switch_hands_the_eyes_to_their_aims() {
    let at_rest = [("CTRL_lookAtSwitch.translateY", 1.0)];
    for raw in [UP, DOWN, LEFT, RIGHT] {
        assert!(value(&at_rest, raw).abs() < 1e-6, "{raw}");
    }
    // Far to the left and up, by the distance of the aim itself: 45 degrees are past the end of the sliders.
    let far = 1e4;
    let left = [("CTRL_lookAtSwitch.translateY", 1.0), ("CTRL_C_eyesAim.translateX", far)];
    assert!((value(&left, LEFT) - 1.0).abs() < 1e-9 && value(&left, RIGHT).abs() < 1e-9);
    let up = [("CTRL_lookAtSwitch.translateY", 1.0), ("CTRL_L_eyeAim.translateY", far)];
    assert!((value(&up, UP) - 1.0).abs() < 1e-9);
    assert!(value(&up, "CTRL_expressions.eyeLookUpR").abs() < 1e-6);
    // Half way, half of each.
    let half = [("CTRL_lookAtSwitch.translateY", 0.5), ("CTRL_L_eye.translateX", 1.0)];
    assert!((value(&half, LEFT) - 0.5).abs() < 1e-6);
    // With the switch off, the aims move nothing.
    assert!(value(&[("CTRL_C_eyesAim.translateX", far)], LEFT).abs() < 1e-9);
}

#[test]
fn eyes_that_converge_look_at_the_middle() {
    let on = [("CTRL_lookAtSwitch.translateY", 1.0), ("CTRL_convergenceSwitch.translateY", 1.0)];
    assert!(value(&on, RIGHT) > 0.01 && value(&on, "CTRL_expressions.eyeLookLeftR") > 0.01);
    let same = value(&on, RIGHT) - value(&on, "CTRL_expressions.eyeLookLeftR");
    assert!(same.abs() < 0.02, "{same}");
}

#[test]
fn board_and_aims_go_with_the_head_when_told_to() {
    let place = |settings: &[(&str, f64)], node: &str| {
        ["translateX", "translateY", "translateZ"].map(|axis| value(settings, &format!("{node}.{axis}")))
    };
    let moved = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let turned = ("neck_01.rotateX", 30.0);
    for (node, switch) in [
        ("GRP_faceGUI", "CTRL_faceGUIfollowHead.translateY"),
        ("GRP_C_eyesAim", "CTRL_eyesAimFollowHead.translateY"),
    ] {
        let rest = place(&[], node);
        assert!(moved(place(&[turned], node), rest) < 1e-9, "{node} stays");
        assert!(moved(place(&[turned, (switch, 1.0)], node), rest) > 1.0, "{node} goes along");
        assert!(moved(place(&[(switch, 1.0)], node), rest) < 1e-9, "{node} does not jump");
    }
    // The eye drivers always go with the face.
    assert!(moved(place(&[turned], "LOC_C_eyeDriver"), place(&[], "LOC_C_eyeDriver")) > 0.5);
}

#[test]
fn at_rest_every_node_is_where_it_is_described() {
    let (scene, rigs) = demo();
    let evaluator = Evaluator::new(scene, rigs.clone());
    for node in &scene.transforms {
        for (vector, numbers) in [("translate", node.translate), ("rotate", node.rotate)] {
            for (axis, number) in ["X", "Y", "Z"].into_iter().zip(numbers) {
                let plug = Plug::new(&*node.name, format!("{vector}{axis}"));
                let found = evaluator.attribute(&SceneSettings::default(), &plug).unwrap();
                // Constraints turn angles into matrices and back.
                const ROUNDING: f64 = 1e-6;
                assert!((found - number).abs() < ROUNDING, "{plug}: {found} for {number}");
            }
        }
    }
}
