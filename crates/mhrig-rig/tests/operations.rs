//! What version 13.5 adds: operations between networks, joints that networks move, the rotation sequence of a file.
//! No reference output exists for these; the expected numbers are worked out by hand from riglogic.md 14 and
//! dna-format.md 6.10 and 6.11.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use mhrig_dna::*;
use mhrig_rig::{Instance, Neutral, Rig, RigError, RigOptions, RotationOrder, RotationOutput, Semantics};
use proptest::prelude::*;

const RAW: u16 = 4;
/// First ML control.
const ML: u16 = RAW;

fn names(prefix: &str, count: u16) -> Vec<Text> {
    (0..count).map(|i| Text::from(format!("{prefix}{i}"))).collect()
}

/// One linear layer: row-major weights.
fn network(inputs: &[u16], outputs: &[u16], weights: &[f32], biases: &[f32]) -> NeuralNetwork {
    let layer = NeuralNetworkLayer {
        biases: biases.to_vec(),
        weights: weights.to_vec(),
        activation_function: 0,
        activation_parameters: Vec::new(),
    };
    NeuralNetwork { output_indices: outputs.to_vec(), input_indices: inputs.to_vec(), layers: vec![layer] }
}

fn operation(operation_type: u16, parameters: &[u32], dependencies: &[(u16, u16)]) -> MlOperation {
    MlOperation {
        parameters: parameters.to_vec(),
        set_dependency_indices: dependencies.iter().map(|&(set, _)| set).collect(),
        operation_dependency_indices: dependencies.iter().map(|&(_, number)| number).collect(),
        operation_type,
    }
}

fn all(count: usize) -> LodMapping {
    LodMapping { lods: vec![0], indices: vec![(0..count as u16).collect()] }
}

/// Two networks, double and ten times their two inputs plus one, whose mean the graph writes to the first ML controls:
/// raw controls 0 and 1 gathered for the first, its own inputs (2 and 3) for the second.
fn graph() -> Dna {
    let mut dna = Dna::new(FileVersion::new(8));
    dna.descriptor.lod_count = 1;
    dna.descriptor.coordinate_system = CoordinateSystem { x_axis: 0, y_axis: 2, z_axis: 4 };
    let definition = &mut dna.definition;
    definition.raw_control_names = names("CTRL.c", RAW);
    definition.joint_names = names("joint", 2);
    definition.joint_hierarchy = vec![0, 0];
    definition.neutral_joint_translations = Vectors3::from_vectors(&[[0.0, 1.0, 2.0]; 2]);
    definition.neutral_joint_rotations = Vectors3::from_vectors(&[[0.0; 3], [30.0, 40.0, 50.0]]);
    definition.lod_joint_mapping = LodMapping { lods: vec![0], indices: vec![vec![0, 1]] };
    let ml = &mut dna.machine_learned_behavior;
    ml.ml_control_names = names("ml", 12);
    ml.neural_networks = vec![
        network(&[0, 0], &[ML + 4, ML + 5], &[2.0, 0.0, 0.0, 2.0], &[0.0, 0.0]),
        network(&[2, 3], &[ML + 6, ML + 7], &[10.0, 0.0, 0.0, 10.0], &[1.0, 1.0]),
    ];
    ml.lod_neural_network_mapping = all(2);
    dna.ensure_layer(LayerKind::MachineLearnedBehaviorExt);
    let half = 0.5f32.to_bits();
    let sets = vec![
        vec![operation(1, &[0, 1], &[])],
        vec![operation(3, &[0], &[(0, 0)]), operation(3, &[1], &[])],
        vec![operation(4, &[2, half, half], &[(1, 0), (1, 1)])],
        vec![operation(2, &[u32::from(ML), u32::from(ML + 1)], &[(2, 0)])],
    ];
    let operations = &mut dna.machine_learned_behavior_ext.operations;
    operations.lod_operation_mappings = sets.iter().map(|set| all(set.len())).collect();
    operations.operations = sets;
    dna
}

fn newer() -> RigOptions {
    RigOptions::default().with_semantics(Semantics::V13_5)
}

fn instance(dna: &Dna, options: &RigOptions) -> Instance {
    Instance::new(Arc::new(Rig::from_dna(dna, options).unwrap()))
}

#[test]
fn a_graph_gathers_runs_networks_weighs_and_scatters() {
    let mut instance = instance(&graph(), &newer());
    assert!(instance.rig().findings().is_empty(), "{:?}", instance.rig().findings());
    instance.set_raw_controls(&[0.25, 0.5, 0.1, 0.2]).unwrap();
    instance.calculate().unwrap();
    let ml = instance.ml_controls();
    assert_eq!(&ml[..2], [(0.5 + 2.0) / 2.0, (1.0 + 3.0) / 2.0]);
    // Networks whose results others take write no controls of their own.
    assert_eq!(&ml[4..8], [0.0; 4]);
}

#[test]
fn a_network_that_nothing_takes_writes_its_outputs() {
    let mut dna = graph();
    let operations = &mut dna.machine_learned_behavior_ext.operations;
    operations.operations.truncate(2);
    operations.lod_operation_mappings.truncate(2);
    let mut instance = instance(&dna, &newer());
    instance.set_raw_controls(&[0.25, 0.5, 0.1, 0.2]).unwrap();
    instance.calculate().unwrap();
    assert_eq!(&instance.ml_controls()[4..8], [0.5, 1.0, 2.0, 3.0]);
}

#[test]
fn the_older_semantics_run_the_networks_alone_and_say_so() {
    let mut instance = instance(&graph(), &RigOptions::default());
    assert_eq!(instance.rig().findings()[0].code, "ML_OPERATIONS");
    instance.set_raw_controls(&[0.25, 0.5, 0.1, 0.2]).unwrap();
    instance.calculate().unwrap();
    let ml = instance.ml_controls();
    assert_eq!(&ml[..2], [0.0; 2]);
    assert_eq!(&ml[4..8], [0.5, 0.5, 2.0, 3.0]);
}

#[test]
fn masks_scale_networks_within_a_graph() {
    let mut instance = instance(&graph(), &newer());
    instance.set_raw_controls(&[0.25, 0.5, 0.1, 0.2]).unwrap();
    instance.set_network_mask(1, 0.5).unwrap();
    instance.calculate().unwrap();
    assert_eq!(&instance.ml_controls()[..2], [(0.5 + 1.0) / 2.0, (1.0 + 1.5) / 2.0]);
    instance.set_network_mask(1, 0.0).unwrap();
    instance.calculate().unwrap();
    assert_eq!(&instance.ml_controls()[..2], [0.25, 0.5]);
}

/// [`graph`] with joint 1 moved by controls: translation x, a quaternion, scale z.
fn with_ml_joint(rotation: u16) -> Dna {
    let mut dna = graph();
    let joints = &mut dna.machine_learned_behavior_ext.joints;
    joints.parameter_keys = vec![0, 1, 2];
    joints.parameter_values = vec![0, rotation, 0];
    let width = if rotation == 1 { 10 } else { 9 };
    let scale_z = width - 1;
    joints.input_indices = vec![0, ML + 8, ML + 11, 1];
    let rotation = if width == 10 { [3, 6] } else { [3, 5] };
    joints.output_indices =
        [0, rotation[0], rotation[1], scale_z].map(|attribute| width + attribute).to_vec();
    // What drives the rotation: a network of two outputs, x and the last component.
    let ml = &mut dna.machine_learned_behavior;
    ml.neural_networks.push(network(&[2, 3], &[ML + 8, ML + 11], &[1.0, 0.0, 0.0, 1.0], &[0.0, 0.0]));
    dna.machine_learned_behavior_ext.operations.operations[1].push(operation(3, &[2], &[]));
    dna.machine_learned_behavior_ext.operations.lod_operation_mappings[1] = all(3);
    dna
}

#[test]
fn networks_move_joints_and_nothing_piles_up_from_frame_to_frame() {
    for output in [RotationOutput::Euler, RotationOutput::Quaternion] {
        let mut instance = instance(&with_ml_joint(1), &newer().with_rotation_output(output));
        let half_angle = 20.0f32.to_radians();
        for _ in 0..3 {
            instance.set_raw_controls(&[0.25, 0.5, half_angle.sin(), half_angle.cos()]).unwrap();
            instance.calculate().unwrap();
        }
        let stride = output.stride();
        let joint = &instance.joints()[stride..2 * stride];
        assert_eq!(joint[0], 0.25);
        assert_eq!(joint[stride - 1], 0.5);
        match output {
            RotationOutput::Euler => assert!((joint[3] - 40.0).abs() < 5e-5, "{joint:?}"),
            RotationOutput::Quaternion => {
                assert!(
                    (joint[3] - half_angle.sin()).abs() < 1e-6 && (joint[6] - half_angle.cos()).abs() < 1e-6
                );
            }
        }
        assert_eq!(&instance.joints()[..3], [0.0; 3]);
    }
}

#[test]
fn angles_of_networks_are_in_the_unit_of_the_file() {
    for output in [RotationOutput::Euler, RotationOutput::Quaternion] {
        let mut instance = instance(&with_ml_joint(0), &newer().with_rotation_output(output));
        instance.set_raw_controls(&[0.0, 0.0, 30.0, 0.0]).unwrap();
        instance.calculate().unwrap();
        let joint = &instance.joints()[output.stride()..];
        match output {
            RotationOutput::Euler => assert_eq!(joint[3], 30.0),
            RotationOutput::Quaternion => assert!((joint[3] - 15.0f32.to_radians().sin()).abs() < 1e-6),
        }
    }
}

#[test]
fn a_network_that_is_left_out_leaves_w_at_one() {
    let mut instance = instance(&with_ml_joint(1), &newer());
    instance.set_network_mask(2, 0.0).unwrap();
    instance.set_raw_controls(&[0.0, 0.0, 0.7, 0.7]).unwrap();
    instance.calculate().unwrap();
    assert_eq!((instance.ml_controls()[8], instance.ml_controls()[11]), (0.0, 1.0));
    assert!(instance.joints().iter().all(|&value| value == 0.0), "{:?}", instance.joints());
}

#[test]
fn joints_outside_the_lod_stay() {
    let mut dna = with_ml_joint(0);
    dna.definition.lod_joint_mapping.indices = vec![vec![0]];
    let mut instance = instance(&dna, &newer());
    instance.set_raw_controls(&[1.0; 4]).unwrap();
    instance.calculate().unwrap();
    assert!(instance.joints().iter().all(|&value| value == 0.0));
}

#[test]
fn the_rotation_sequence_of_the_file_turns_the_neutral_pose_and_the_output() {
    let mut dna = graph();
    dna.ensure_layer(LayerKind::DescriptorExt);
    let quaternions = newer().with_rotation_output(RotationOutput::Quaternion);
    let neutral = |dna: &Dna| Rig::from_dna(dna, &quaternions).unwrap().neutral()[10..20].to_vec();
    let matrix = |dna: &Dna| Neutral::from_dna(dna).unwrap().pose.rotations[1];
    let (plain, plain_matrix) = (neutral(&dna), matrix(&dna));
    dna.descriptor_ext.rotation_sequence = 5;
    dna.descriptor_ext.rotation_sign = RotationSign { x: 1, y: -1, z: 1 };
    let turned = neutral(&dna);
    assert_ne!(plain, turned);
    // zyx with y reversed: about z first, then -y, then x, worked out with half angles.
    let about = |axis: usize, degrees: f32| {
        let half = (degrees / 2.0).to_radians();
        let mut quaternion = [0.0, 0.0, 0.0, half.cos()];
        quaternion[axis] = half.sin();
        quaternion
    };
    let times = |a: [f32; 4], b: [f32; 4]| {
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    };
    let expected = times(about(0, 30.0), times(about(1, -40.0), about(2, 50.0)));
    for (found, expected) in turned[3..7].iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{turned:?}");
    }
    assert!(plain_matrix.rotation_to(&matrix(&dna)).angle() > 0.1);
    let rig = Rig::from_dna(&dna, &newer()).unwrap();
    assert_eq!((rig.rotation_order(), rig.rotation_signs()), (RotationOrder::Zyx, [1.0, -1.0, 1.0]));
    // The older semantics do not know the layer.
    let rig = Rig::from_dna(&dna, &RigOptions::default()).unwrap();
    assert_eq!(rig.rotation_order(), RotationOrder::Xyz);
}

#[test]
fn what_is_wrong_with_a_graph_is_named() {
    type Spoil = fn(&mut MachineLearnedBehaviorExt);
    let cases: [(&str, &str, Spoil); 8] = [
        ("ARRAY_LENGTH", "mlbe.lodMLOperationMappings", |ext| {
            ext.operations.lod_operation_mappings.pop();
        }),
        ("INDEX_RANGE", "mlbe.operations[0][0].parameters[1]", |ext| {
            ext.operations.operations[0][0].parameters[1] = 70_000;
        }),
        ("INDEX_RANGE", "mlbe.operations[1][0]", |ext| {
            ext.operations.operations[1][0].parameters = vec![9];
        }),
        ("INDEX_RANGE", "mlbe.operations[0][0].mlOperationSetDependencyIndices[0]", |ext| {
            ext.operations.operations[0][0] = operation(3, &[0], &[(0, 0)]);
        }),
        ("ARRAY_LENGTH", "mlbe.operations[3][0].dependencies", |ext| {
            ext.operations.operations[3][0].parameters.pop();
        }),
        ("ARRAY_LENGTH", "mlbe.operations[2][0].dependencies", |ext| {
            ext.operations.operations[2][0] = operation(4, &[u32::MAX], &[]);
        }),
        ("NOT_FINITE", "mlbe.operations[2][0].parameters[1]", |ext| {
            ext.operations.operations[2][0].parameters[2] = f32::NAN.to_bits();
        }),
        ("UNKNOWN_CHOICE", "mlbe.operations[3][0].operationType", |ext| {
            ext.operations.operations[3][0].operation_type = 12;
        }),
    ];
    for (code, place, spoil) in cases {
        let mut dna = graph();
        spoil(&mut dna.machine_learned_behavior_ext);
        let Err(RigError::Invalid { findings }) = Rig::from_dna(&dna, &newer()) else {
            panic!("{code} at {place} was taken");
        };
        let found: Vec<_> = findings.iter().map(|finding| (finding.code, finding.place.as_ref())).collect();
        assert!(found.contains(&(code, place)), "{code} {place}: {found:?}");
    }
}

proptest! {
    #[test]
    fn no_graph_panics(
        operations in prop::collection::vec(
            prop::collection::vec(
                (0u16..6, prop::collection::vec(0u32..20, 0..4), prop::collection::vec((0u16..4, 0u16..4), 0..3)),
                0..4,
            ),
            0..4,
        ),
        controls in prop::array::uniform4(-2.0f32..2.0),
    ) {
        let mut dna = with_ml_joint(1);
        let sets: Vec<Vec<MlOperation>> = operations
            .iter()
            .map(|set| set.iter().map(|(kind, parameters, from)| operation(*kind, parameters, from)).collect())
            .collect();
        let graph = &mut dna.machine_learned_behavior_ext.operations;
        graph.lod_operation_mappings = sets.iter().map(|set| all(set.len())).collect();
        graph.operations = sets;
        if let Ok(rig) = Rig::from_dna(&dna, &newer()) {
            let mut instance = Instance::new(Arc::new(rig));
            instance.set_raw_controls(&controls).unwrap();
            let _ = instance.calculate();
        }
    }
}
