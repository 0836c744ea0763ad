//! Who drives a control, and what it drives.

use mhrig_dna::*;

mod support;
use support::small_rig;

fn info(dna: &Dna, name: &str) -> ControlInfo {
    let found = dna.find_control(name).map(usize::from);
    found.and_then(|index| dna.controls().get(index).cloned()).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn raw_controls_are_labelled_by_who_drives_or_reads_them() {
    let mut dna = small_rig();
    let labels = |dna: &Dna| -> Vec<(String, &str)> {
        dna.controls().into_iter().map(|info| (info.name, info.label.name())).collect()
    };
    let expected = [
        ("arm.qx", "rbf"),
        ("arm.qy", "rbf"),
        ("arm.qz", "rbf"),
        ("arm.qw", "rbf"),
        ("CTRL_expressions.bend", "gui"),
        ("CTRL_expressions.twist", "gui"),
        ("psd6", "psd"),
        ("CTRL_ML.fold", "ml"),
        ("default", "rbf"),
        ("bent", "rbf"),
    ];
    assert_eq!(labels(&dna), expected.map(|(name, label)| (name.to_owned(), label)));

    // Without their GUI rows: `bend` is read by joints, `twist` by joints and channels.
    dna.behavior.controls.conditionals = ConditionalTable::default();
    dna.machine_learned_behavior.neural_networks.iter_mut().for_each(|network| network.input_indices.clear());
    assert_eq!(info(&dna, "CTRL_expressions.bend").label, ControlLabel::Direct);
    // A pose that writes a raw control.
    dna.rbf_behavior_ext.poses[1].output_control_indices.push(4);
    assert_eq!(info(&dna, "CTRL_expressions.bend").label, ControlLabel::Rbf);
    assert_eq!(info(&dna, "CTRL_expressions.bend").poses, [1]);
    // Only a corrective reads `twist`.
    dna.behavior.joints.joint_groups[1].input_indices[0] = 7;
    dna.behavior.blend_shape_channels.input_indices[0] = 7;
    assert_eq!(info(&dna, "CTRL_expressions.twist").label, ControlLabel::Psd);
    dna.behavior.controls.psds = PsdMatrix::default();
    assert_eq!(info(&dna, "CTRL_expressions.twist").label, ControlLabel::Unused);
}

#[test]
fn implied_pose_controls_are_those_of_a_file_without_rbfe() {
    let mut dna = small_rig();
    let with = dna.controls();
    dna.set_version(FileVersion::new(4), LaterLayers::Drop);
    assert_eq!(dna.controls(), with);
}

#[test]
fn effects_of_a_control_are_listed_by_joint_channel_and_map() {
    let dna = small_rig();
    let effects = dna.control_effects(4);
    let joints: Vec<(u16, &str, f32, &[u16])> = effects
        .joints
        .iter()
        .map(|effect| {
            (effect.joint, ATTRIBUTE_NAMES[usize::from(effect.attribute)], effect.value, &effect.lods[..])
        })
        .collect();
    // Column 0 of a group of 3 columns: values 0, 3, 6, … times 0.125, minus 1.
    let expected: [(u16, &str, f32, &[u16]); 6] = [
        (1, "tx", -1.0, &[0, 1, 2]),
        (1, "rz", -0.625, &[0, 1, 2]),
        (3, "tx", 0.5, &[0]),
        (3, "rz", 0.875, &[0]),
        (4, "tx", -0.25, &[0, 1]),
        (4, "rz", 0.125, &[0, 1]),
    ];
    assert_eq!(joints, expected);
    assert_eq!(
        effects.blend_shape_channels,
        [ChannelEffect { channel: 0, lods: vec![0], meshes: vec![(0, 2)] }]
    );
    assert_eq!(
        effects.animated_maps,
        [MapEffect { map: 1, from: 0.0, to: 1.0, slope: 1.0, cut: 0.0, lods: vec![0, 1] }]
    );
    assert_eq!(effects.correctives, [(6, 1.0)]);
    assert_eq!(dna.find_control("7"), Some(7));
    assert_eq!(dna.find_control("10"), None);
    assert_eq!(dna.find_control("nobody"), None);
}
