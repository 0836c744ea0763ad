//! Correctives, sliders and animated maps of the demo head do what they say.
#![allow(clippy::expect_used)]

mod support;

use std::sync::Arc;

use mhrig_dna::Dna;
use mhrig_rig::{Instance, Rig, RigOptions};
use mhrig_synth::Orient;
use nalgebra::Vector3;
use support::{SCULPT_CM, control_values, deform, largest_distance, made};

fn head() -> &'static Dna {
    &made(Orient::Bone).head
}

fn with(raw: &[&str]) -> Vec<Vec<Vector3<f64>>> {
    let raw: Vec<String> = raw.iter().map(|name| format!("CTRL_expressions.{name}")).collect();
    let raw: Vec<(&str, f64)> = raw.iter().map(|name| (name.as_str(), 1.0)).collect();
    deform(head(), &control_values(head(), &raw))
}

/// Per corrective: number of components, largest joint delta, number of blend shape deltas above 0.002 cm.
fn correctives() -> Vec<(usize, f32, usize)> {
    let dna = head();
    let first = dna.definition.raw_control_names.len() as u16;
    let largest_of_joints = |psd: u16| {
        let groups = dna.behavior.joints.joint_groups.iter();
        let values = groups.flat_map(|group| {
            let column = group.input_indices.iter().position(|&input| input == psd);
            let rows = group.values.chunks_exact(group.input_indices.len());
            rows.filter_map(move |row| Some(row[column?].abs()))
        });
        values.fold(0.0, f32::max)
    };
    let channels = &dna.behavior.blend_shape_channels;
    let visible_deltas = |psd: u16| {
        let row = channels.input_indices.iter().position(|&input| input == psd);
        let channel = row.map(|row| channels.output_indices[row]);
        let targets = dna.geometry.meshes.iter().flat_map(|mesh| &mesh.blend_shape_targets);
        let deltas = targets.filter(|target| Some(target.blend_shape_channel_index) == channel);
        deltas.flat_map(|target| target.deltas.iter()).filter(|d| Vector3::from(*d).norm() > 0.002).count()
    };
    (first..first + dna.behavior.controls.psd_count)
        .map(|psd| {
            let components = dna.behavior.controls.psds.rows.iter().filter(|&&row| row == psd).count();
            (components, largest_of_joints(psd), visible_deltas(psd))
        })
        .collect()
}

#[test]
fn every_corrective_corrects_and_most_do_so_by_joints_and_blend_shapes() {
    let correctives = correctives();
    assert!(correctives.len() >= 12);
    for (psd, (components, joints, deltas)) in correctives.iter().enumerate() {
        assert!(*components >= 2, "corrective {psd} has {components} components");
        assert!(*joints > 0.0 || *deltas > 0, "corrective {psd} changes nothing");
    }
    let both = correctives.iter().filter(|(_, joints, deltas)| *joints > 0.01 && *deltas > 20).count();
    assert!(both * 10 > correctives.len() * 9, "only {both} of {} use both", correctives.len());
    assert!(correctives.iter().any(|(components, ..)| *components == 3), "no second layer");
}

#[test]
fn lips_that_close_over_an_open_jaw_go_where_both_sculpts_say() {
    let (jaw, lips) = (with(&["jawOpen"]), with(&["mouthLipsTogetherDL"]));
    let (rest, both) = (with(&[]), with(&["jawOpen", "mouthLipsTogetherDL"]));
    let expected: Vec<Vec<Vector3<f64>>> = (0..rest.len())
        .map(|mesh| (0..rest[mesh].len()).map(|v| jaw[mesh][v] + lips[mesh][v] - rest[mesh][v]).collect())
        .collect();
    let (distance, mesh, vertex) = largest_distance(&both, &expected);
    // Three stored shapes take part, each rounded.
    assert!(distance < 3.0 * SCULPT_CM, "vertex {vertex} of mesh {mesh} is {distance} cm off");
    // And it is the corrective that does it.
    let mut values = control_values(
        head(),
        &[("CTRL_expressions.jawOpen", 1.0), ("CTRL_expressions.mouthLipsTogetherDL", 1.0)],
    );
    values[head().definition.raw_control_names.len()..].fill(0.0);
    assert!(largest_distance(&deform(head(), &values), &expected).0 > 0.1);
}

#[test]
fn a_shut_lid_stays_shut_whatever_the_eye_looks_at() {
    let (rest, blink) = (with(&[]), with(&["eyeBlinkL"]));
    let largest = rest[0].iter().zip(&blink[0]).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let held: Vec<usize> =
        (0..rest[0].len()).filter(|&v| (rest[0][v] - blink[0][v]).norm() > 0.51 * largest).collect();
    assert!(held.len() > 50);
    for look in ["eyeLookUpL", "eyeLookDownL", "eyeLookLeftL", "eyeLookRightL"] {
        let both = with(&["eyeBlinkL", look]);
        let worst = held.iter().map(|&v| (both[0][v] - blink[0][v]).norm()).fold(0.0, f64::max);
        assert!(worst < 3.0 * SCULPT_CM, "{look}: the lid moves {worst} cm");
        // The eye behind it moves as it does without the lid.
        let alone = with(&[look]);
        assert!(largest_distance(&both[3..4], &alone[3..4]).0 < 3.0 * SCULPT_CM, "{look}");
    }
}

fn instance() -> Instance {
    let rig = Rig::from_dna(head(), &RigOptions::default()).expect("a rig");
    assert_eq!(rig.findings(), []);
    Instance::new(Arc::new(rig))
}

fn raw_at(instance: &mut Instance, slider: &str, value: f32) -> Vec<(String, f32)> {
    let names = &head().definition.gui_control_names;
    let mut gui = vec![0.0; names.len()];
    gui[names.iter().position(|name| *name == *slider).expect("a slider")] = value;
    instance.set_gui_controls(&gui).expect("set");
    instance.map_gui_to_raw();
    let raw = head().definition.raw_control_names.iter().zip(instance.raw_controls());
    raw.filter(|(_, value)| **value != 0.0)
        .map(|(name, value)| (name.to_str().replace("CTRL_expressions.", ""), *value))
        .collect()
}

#[test]
fn sliders_drive_the_controls_of_the_board() {
    let mut instance = instance();
    let mut at = |slider: &str, value: f32| raw_at(&mut instance, slider, value);
    assert_eq!(at("CTRL_C_jaw.ty", 0.75), [("jawOpen".to_owned(), 0.75)]);
    assert_eq!(at("CTRL_L_eye_blink.ty", 1.0), [("eyeBlinkL".to_owned(), 1.0)]);
    assert_eq!(at("CTRL_L_eye_blink.ty", -0.5), [("eyeWidenL".to_owned(), 0.5)]);
    assert_eq!(at("CTRL_R_eye.tx", -1.0), [("eyeLookRightR".to_owned(), 1.0)]);
    let swallow = at("CTRL_C_neck_swallow.ty", 0.5);
    let names: Vec<&str> = swallow.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["neckSwallowPh2", "neckSwallowPh3"]);
    assert!(swallow.iter().all(|(_, value)| (value - 0.5).abs() < 1e-6), "{swallow:?}");
    assert_eq!(at("CTRL_C_neck_swallow.ty", 0.2), [("neckSwallowPh1".to_owned(), 1.0)]);
    let end = at("CTRL_C_neck_swallow.ty", 1.0);
    assert!(end.iter().all(|(_, value)| *value < 1e-6), "{end:?}");
}

#[test]
fn maps_come_up_with_their_expressions() {
    let mut instance = instance();
    let map = |instance: &mut Instance, name: &str, raw: &[(&str, f32)]| {
        let names = &head().definition.raw_control_names;
        let mut values = vec![0.0; names.len()];
        for (control, value) in raw {
            let full = format!("CTRL_expressions.{control}");
            values[names.iter().position(|known| *known == *full).expect("a control")] = *value;
        }
        for (name, value) in names.iter().zip(&mut values) {
            if name.to_str().ends_with(".qw") {
                *value = 1.0;
            }
        }
        instance.set_raw_controls(&values).expect("set");
        instance.calculate().expect("calculated");
        let maps = &head().definition.animated_map_names;
        instance.animated_maps()[maps.iter().position(|known| *known == *name).expect("a map")]
    };
    let jaw = "head_cm1_color.head_wm1_jawOpen";
    for (value, expected) in [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.8, 1.0), (1.0, 1.0)] {
        assert!((map(&mut instance, jaw, &[("jawOpen", value)]) - expected).abs() < 1e-6, "{value}");
    }
    let smile = "head_cm3_color.head_wm3_smile_L";
    assert!((map(&mut instance, smile, &[("mouthCornerPullL", 0.5)]) - 0.5).abs() < 1e-6);
    let with_cheek = map(&mut instance, smile, &[("mouthCornerPullL", 0.5), ("eyeCheekRaiseL", 1.0)]);
    assert!(with_cheek > 0.9, "the corrective adds: {with_cheek}");
}

#[test]
fn the_expression_settings_speak_of_controls_and_channels_that_exist() {
    let settings = made(Orient::Bone).expressions.as_ref().expect("settings");
    let names = &head().definition.raw_control_names;
    let exists = |name: &serde_json::Value| {
        let full = format!("CTRL_expressions.{}", name.as_str().expect("a name"));
        assert!(names.iter().any(|known| *known == *full), "{full}");
    };
    let splits = settings["splits"].as_object().expect("splits");
    assert_eq!(splits.len(), 6);
    splits.values().for_each(|split| ["left", "right"].iter().for_each(|side| exists(&split[side])));
    let phases = settings["phases"]["neckSwallow"].as_array().expect("phases");
    assert_eq!(phases.len(), 4);
    phases.iter().for_each(exists);
    let targets = settings["targets"].as_object().expect("targets");
    assert_eq!(targets.len(), usize::from(head().behavior.controls.psd_count));
    for (channel, components) in targets {
        let channels = &head().definition.blend_shape_channel_names;
        assert!(channels.iter().any(|known| *known == *channel.as_str()), "{channel}");
        components.as_array().expect("components").iter().for_each(exists);
    }
}
