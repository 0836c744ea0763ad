//! What the commands do where the reference library does not show how, and the commands that it does not have.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{add_target, dna, grid, with_job};
use mhrig_calib::{CalibError, Command, Engine, NativeEngine, Outcome};
use mhrig_dna::{Dna, JointGroup, JointRepresentation, Text, TwistSwing, Vectors3, VertexSkinWeights};
use mhrig_rig::Neutral;
use nalgebra::Isometry3;
use serde_json::{Value, json};

fn run(dna: &mut Dna, command: Value) -> Result<Outcome, CalibError> {
    let command: Command = serde_json::from_value(command).unwrap();
    with_job(|job| NativeEngine::default().run(dna, &command, job))
}

/// root ─ a ─ b ─ c and root ─ d, all with rotations; joint c is animated, and so is the root.
fn rig() -> Dna {
    let plane = |n| grid(n, n, |u, v| [u * 4.0, v * 4.0, u * v], |u, v| [u, v]);
    let mut head = plane(4);
    add_target(&mut head, [0.0, 0.5, 0.25]);
    let mut dna = dna(vec![vec![("head_lod0_mesh", head)], vec![("head_lod1_mesh", plane(2))]]);
    let definition = &mut dna.definition;
    definition.joint_names = ["root", "a", "b", "c", "d"].map(Text::from).to_vec();
    definition.joint_hierarchy = vec![0, 0, 1, 2, 0];
    definition.neutral_joint_translations = Vectors3::from_vectors(&[
        [1.0, 2.0, 3.0],
        [0.0, 5.0, 0.0],
        [1.0, 4.0, 0.5],
        [0.0, 3.0, 1.0],
        [-2.0, 0.0, 0.0],
    ]);
    definition.neutral_joint_rotations = Vectors3::from_vectors(&[
        [10.0, 20.0, 30.0],
        [5.0, -40.0, 60.0],
        [90.0, 15.0, -20.0],
        [0.0, 0.0, 45.0],
        [33.0, 44.0, 55.0],
    ]);
    definition.lod_joint_mapping.indices = vec![vec![0, 1, 2, 3, 4]];
    definition.raw_control_names = vec!["CTRL.x".into(), "CTRL.y".into()];
    definition.blend_shape_channel_names = vec!["up".into()];
    definition.lod_blend_shape_mapping =
        mhrig_dna::LodMapping { lods: vec![0, 1], indices: vec![vec![0], vec![]] };
    definition.mesh_blend_shape_channel_mapping = mhrig_dna::IndexPairs { from: vec![0], to: vec![0] };
    let channels = &mut dna.behavior.blend_shape_channels;
    channels.lods = vec![1, 0];
    channels.input_indices = vec![0];
    channels.output_indices = vec![0];
    let group = |joint: u16, axes: &[u16]| JointGroup {
        lods: vec![axes.len() as u16, 1],
        input_indices: vec![0, 1],
        output_indices: axes.iter().map(|axis| joint * 9 + axis).collect(),
        values: axes.iter().flat_map(|&axis| [1.0 + f32::from(axis), 0.5]).collect(),
        joint_indices: vec![joint],
    };
    dna.behavior.joints.joint_groups = vec![group(3, &[0, 1, 2, 3]), group(0, &[1, 5]), group(2, &[4])];
    dna.behavior.joints.row_count = 45;
    dna.joint_behavior_metadata.joint_representations =
        (0..5).map(|rotation| JointRepresentation { rotation, ..JointRepresentation::default() }).collect();
    dna.twist_swing_behavior.twists = vec![TwistSwing {
        blend_weights: vec![0.25, 0.75],
        output_joint_indices: vec![2, 4],
        input_control_indices: vec![0, 1, 0, 1],
        twist_axis: 0,
    }];
    let weights = |pairs: &[(u16, f32)]| VertexSkinWeights {
        weights: pairs.iter().map(|pair| pair.1).collect(),
        joint_indices: pairs.iter().map(|pair| pair.0).collect(),
    };
    let records = &mut dna.geometry.meshes[0].skin_weights;
    records.fill(weights(&[(0, 0.5), (4, 0.5)]));
    records[0] = weights(&[(2, 0.25), (1, 0.25), (3, 0.5)]);
    records[1] = weights(&[(2, 1.0)]);
    records[2] = weights(&[(2, 0.5), (3, 0.25)]);
    records[3] = weights(&[]);
    dna
}

fn world(dna: &Dna, name: &str) -> Isometry3<f64> {
    let neutral = Neutral::from_dna(dna).unwrap();
    let joint = neutral.hierarchy.find(name).unwrap();
    neutral.pose.world(&neutral.hierarchy)[joint.index()]
}

fn assert_near(what: &str, a: &Isometry3<f64>, b: &Isometry3<f64>) {
    let difference = (a.to_homogeneous() - b.to_homogeneous()).amax();
    assert!(difference < 1e-5, "{what}: {difference}\n{a}\n{b}");
}

#[test]
fn removing_a_joint_keeps_the_world_and_remaps_every_table() {
    let before = rig();
    let mut after = rig();
    run(&mut after, json!({"command": "RemoveJoint", "index": 2})).unwrap();
    assert_eq!(after.definition.joint_names, ["root", "a", "c", "d"].map(Text::from));
    assert_eq!(after.definition.joint_hierarchy, [0, 0, 1, 0]);
    for name in ["root", "a", "c", "d"] {
        assert_near(name, &world(&before, name), &world(&after, name));
    }
    assert_eq!(after.behavior.joints.row_count, 36);
    assert_eq!(after.behavior.joints.joint_groups[0].output_indices, [18, 19, 20, 21]);
    assert!(after.behavior.joints.joint_groups[2].values.is_empty());
    assert_eq!(after.definition.lod_joint_mapping.indices, [[0, 1, 2, 3]]);
    let rotations: Vec<u16> =
        after.joint_behavior_metadata.joint_representations.iter().map(|r| r.rotation).collect();
    assert_eq!(rotations, [0, 1, 3, 4]);
    let twist = &after.twist_swing_behavior.twists[0];
    assert_eq!((&twist.output_joint_indices[..], &twist.blend_weights[..]), (&[3][..], &[0.75][..]));

    let record = |vertex: usize| {
        let record = &after.geometry.meshes[0].skin_weights[vertex];
        record.joint_indices.iter().copied().zip(record.weights.iter().copied()).collect::<Vec<_>>()
    };
    assert_eq!(record(0), [(1, 1.0f32 / 3.0), (2, 2.0f32 / 3.0)]);
    assert_eq!(record(1), [(1, 1.0)]);
    assert_eq!(record(2), [(2, 1.0)]);
    assert_eq!(record(3), []);
    assert_eq!(record(4), [(0, 0.5), (3, 0.5)]);
}

#[test]
fn weights_of_a_removed_joint_can_go_to_its_parent() {
    let mut dna = rig();
    run(&mut dna, json!({"command": "RemoveJoint", "index": 2, "weights": "parent"})).unwrap();
    let record = &dna.geometry.meshes[0].skin_weights[0];
    assert_eq!(record.joint_indices, [1, 2]);
    assert_eq!(record.weights, [0.5, 0.5]);
    let error = run(&mut rig(), json!({"command": "RemoveMesh", "index": 0, "weights": "parent"}));
    assert!(matches!(error, Err(CalibError::Option { .. })));
}

#[test]
fn a_removed_root_leaves_its_children_where_they_were() {
    let before = rig();
    let mut after = rig();
    run(&mut after, json!({"command": "RemoveJoint", "indices": [0, 2]})).unwrap();
    assert_eq!(after.definition.joint_hierarchy, [0, 0, 2]);
    for name in ["a", "c", "d"] {
        assert_near(name, &world(&before, name), &world(&after, name));
    }
}

#[test]
fn rotating_turns_normals_and_the_motion_of_roots_and_respects_the_unit() {
    let command = json!({"command": "Rotate", "degrees": [0, 0, 90], "origin": [1, 0, 0]});
    let mut turned = rig();
    run(&mut turned, command.clone()).unwrap();
    for normal in turned.geometry.meshes[0].normals.iter() {
        assert!((normal[2] - 1.0).abs() < 1e-6);
    }
    run(&mut turned, json!({"command": "Rotate", "degrees": [90, 0, 0]})).unwrap();
    let normal = turned.geometry.meshes[0].normals.get(0).unwrap();
    assert!((normal[1] + 1.0).abs() < 1e-6, "{normal:?}");

    let mut dna = rig();
    run(&mut dna, command.clone()).unwrap();
    // +y of the root's translation, 2 and 0.5 per control, is now −x; the missing rows were added.
    let group = &dna.behavior.joints.joint_groups[1];
    assert_eq!(group.output_indices.len(), 4);
    let row = |output: u16| {
        let row = group.output_indices.iter().position(|&o| o == output).unwrap();
        [group.values[row * 2], group.values[row * 2 + 1]]
    };
    assert!((row(0)[0] + 2.0).abs() < 1e-6 && (row(0)[1] + 0.5).abs() < 1e-6);
    assert!(row(1)[0].abs() < 1e-6);
    assert_eq!(row(5), [6.0, 0.5]);
    assert_eq!(group.lods, [4, 3]);
    // Deltas turn as vectors, whatever the origin.
    let delta = dna.geometry.meshes[0].blend_shape_targets[0].deltas.get(0).unwrap();
    assert!((delta[0] + 0.5).abs() < 1e-6 && delta[1].abs() < 1e-6 && (delta[2] - 0.25).abs() < 1e-6);

    let mut radians = rig();
    radians.descriptor.rotation_unit = mhrig_dna::rotation_unit::RADIANS;
    let rotations = &mut radians.definition.neutral_joint_rotations;
    for angle in rotations.xs.iter_mut().chain(&mut rotations.ys).chain(&mut rotations.zs) {
        *angle = angle.to_radians();
    }
    run(&mut radians, command).unwrap();
    for name in ["root", "c"] {
        assert_near(name, &world(&dna, name), &world(&radians, name));
    }
}

#[test]
fn a_command_that_fails_changes_nothing() {
    for command in [
        json!({"command": "RemoveJoint", "indices": [1, 9]}),
        json!({"command": "RemoveMesh", "index": 7}),
        json!({"command": "SetLODs", "lods": [0, 4]}),
        json!({"command": "Scale", "factor": -1.0}),
        json!({"command": "Rotate", "degrees": ["NaN", 0, 0]}),
        json!({"command": "RenameJoint", "index": 1, "newName": "root"}),
        json!({"command": "SetVertexPositions", "mesh": 0, "positions": [[0, 0, 0]]}),
        json!({"command": "SetSkinWeights", "mesh": 0, "vertex": 0, "weights": [-1.0], "joints": [0]}),
        json!({"command": "SetBlendShapeTargetDeltas", "mesh": 0, "target": 3, "deltas": [[0, 0, 1]], "vertices": [0]}),
        json!({"command": "SetBlendShapeTarget", "name": "new", "mesh": 0, "deltas": [[0, 0, 1]], "vertices": [0]}),
        json!({"command": "SetJointParent", "joint": "a", "parent": "c"}),
        json!({"command": "SetNormals", "mesh": 0, "normals": []}),
    ] {
        let mut dna = rig();
        let error = run(&mut dna, command.clone()).expect_err(&command.to_string());
        assert_eq!(dna, rig(), "{command}");
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn unknown_keys_and_commands_are_refused() {
    for bad in [
        json!({"command": "Translate", "vector": [1, 2, 3], "speed": 2}),
        json!({"command": "Teleport"}),
        json!({"command": "Translate", "vector": [1, 2]}),
        json!({"command": "Scale", "factor": "big"}),
    ] {
        assert!(serde_json::from_value::<Command>(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn commands_survive_json() {
    for command in [
        json!({"command": "Scale", "factor": "NaN"}),
        json!({"command": "RemoveJoint", "index": 2, "weights": "parent"}),
        json!({"command": "CalculateMeshLowerLODs", "mesh": 4}),
        json!({"command": "Conditional", "condition": {"kind": "jointExists", "value": "a"},
               "then": {"command": "ClearBlendShapes"}}),
    ] {
        let parsed: Command = serde_json::from_value(command.clone()).unwrap();
        assert_eq!(serde_json::to_value(&parsed).unwrap(), command);
        assert_eq!(command["command"], parsed.name());
    }
}

#[test]
fn a_blend_shape_target_comes_with_its_channel_and_row_and_goes_with_them() {
    let mut dna = rig();
    let add = json!({"command": "SetBlendShapeTarget", "name": "side", "mesh": "head_lod0_mesh",
        "deltas": [[1, 0, 0], [0, 0, 0]], "vertices": [7, 2], "control": "CTRL.y"});
    run(&mut dna, add.clone()).unwrap();
    assert_eq!(dna.definition.blend_shape_channel_names, ["up", "side"].map(Text::from));
    assert_eq!(dna.definition.lod_blend_shape_mapping.members(0), [0, 1]);
    assert!(dna.definition.lod_blend_shape_mapping.members(1).is_empty());
    assert_eq!(dna.definition.mesh_blend_shape_channel_mapping.to, [0, 1]);
    let channels = &dna.behavior.blend_shape_channels;
    assert_eq!((&channels.lods[..], &channels.input_indices[..]), (&[2, 0][..], &[0, 1][..]));
    let target = &dna.geometry.meshes[0].blend_shape_targets[1];
    assert_eq!(target.vertex_indices, [7]);
    assert_eq!(target.deltas.to_vectors(), [[1.0, 0.0, 0.0]]);

    let mut update = add;
    update["deltas"] = json!([[0, 3, 0], [0, 0, 4]]);
    update["control"] = json!(0);
    run(&mut dna, update).unwrap();
    assert_eq!(dna.geometry.meshes[0].blend_shape_targets.len(), 2);
    assert_eq!(dna.geometry.meshes[0].blend_shape_targets[1].vertex_indices, [2, 7]);
    assert_eq!(dna.behavior.blend_shape_channels.input_indices, [0, 0]);

    run(&mut dna, json!({"command": "RemoveBlendShapeTarget", "name": "side", "mesh": 0})).unwrap();
    assert_eq!(dna, rig());
}

#[test]
fn a_joint_hung_elsewhere_keeps_its_place_and_the_direction_of_its_motion() {
    let before = rig();
    let mut after = rig();
    run(&mut after, json!({"command": "SetJointParent", "joint": "c", "parent": "d"})).unwrap();
    for name in ["root", "a", "b", "c", "d"] {
        assert_near(name, &world(&before, name), &world(&after, name));
    }
    let motion = |dna: &Dna, parent: &str| {
        let values = &dna.behavior.joints.joint_groups[0].values;
        world(dna, parent).rotation * nalgebra::Vector3::new(values[0], values[2], values[4]).cast::<f64>()
    };
    assert!((motion(&before, "b") - motion(&after, "d")).amax() < 1e-5);

    run(&mut after, json!({"command": "SetJointParent", "joint": "b"})).unwrap();
    assert_eq!(after.definition.joint_hierarchy, [0, 0, 2, 4, 0]);
    assert_near("b", &world(&before, "b"), &world(&after, "b"));
}

#[test]
fn transferred_weights_come_from_the_surface_and_keep_to_cap_and_lod() {
    let mut dna = rig();
    let positions = dna.geometry.meshes[0].positions.to_vectors();
    dna.geometry.meshes[0].skin_weights = positions
        .iter()
        .map(|p| {
            let right = p[0] / 4.0;
            let (weights, joint_indices) = (vec![0.1, 0.9 * right, 0.9 * (1.0 - right)], vec![4, 1, 3]);
            VertexSkinWeights { weights, joint_indices }
        })
        .collect();
    dna.geometry.meshes[1].maximum_influence_per_vertex = 2;
    // LOD 1 has no joint c: its weight goes to b.
    dna.definition.lod_joint_mapping.lods = vec![0, 1];
    dna.definition.lod_joint_mapping.indices.push(vec![0, 1, 2, 4]);
    let command = json!({"command": "TransferSkinWeights", "from": "head_lod0_mesh", "to": "head_lod1_mesh"});
    let outcome = run(&mut dna, command).unwrap();
    assert_eq!(outcome.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["WEIGHT_CAP"]);
    let middle = &dna.geometry.meshes[1].skin_weights[1];
    assert_eq!(middle.joint_indices, [1, 2]);
    assert!(middle.weights.iter().all(|weight| (weight - 0.5).abs() < 1e-6), "{middle:?}");
    for record in &dna.geometry.meshes[1].skin_weights {
        assert!((record.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn normals_and_texture_coordinates_can_be_set_and_normals_computed() {
    let mut dna = rig();
    run(&mut dna, json!({"command": "RecalculateNormals", "mesh": "head_lod0_mesh"})).unwrap();
    let normal = dna.geometry.meshes[0].normals.get(0).unwrap();
    assert!((normal[2] - 1.0).abs() < 0.1 && normal != [0.0, 0.0, 1.0]);
    assert_eq!(dna.geometry.meshes[1], rig().geometry.meshes[1]);
    let normals = vec![[0.0, 1.0, 0.0]; 9];
    run(&mut dna, json!({"command": "SetNormals", "mesh": 1, "normals": normals})).unwrap();
    assert!(dna.geometry.meshes[1].normals.iter().all(|normal| normal == [0.0, 1.0, 0.0]));
    let coordinates = vec![[0.25, 0.75]; 9];
    let command = json!({"command": "SetTextureCoordinates", "mesh": 1, "coordinates": coordinates});
    run(&mut dna, command).unwrap();
    assert_eq!(dna.geometry.meshes[1].texture_coordinates.vs, [0.75; 9]);
}

#[test]
fn a_sequence_stops_at_the_first_error_and_a_removed_command_does_not_run() {
    let mut dna = rig();
    let error = run(
        &mut dna,
        json!({"command": "CommandSequence", "commands": [
            {"command": "Translate", "vector": [1, 0, 0]},
            {"command": "RemoveMesh", "index": 9},
            {"command": "Translate", "vector": [0, 50, 0]},
        ]}),
    );
    assert!(matches!(error, Err(CalibError::Index { .. })));
    assert_eq!(dna.definition.neutral_joint_translations.get(0), Some([2.0, 2.0, 3.0]));
    run(
        &mut dna,
        json!({"command": "CommandSequence", "commands": [{"command": "Translate", "vector": [1, 0, 0]}],
            "repeat": [0, 0], "removed": [1]}),
    )
    .unwrap();
    assert_eq!(dna.definition.neutral_joint_translations.get(0), Some([4.0, 2.0, 3.0]));
}
