//! What comparison says.
#![allow(clippy::unwrap_used)]

use mhrig_dna::*;
use mhrig_testkit::shared_or_skip;

mod support;
use support::{small_rig, small_rig_28};

fn diff(change: impl FnOnce(&mut Dna)) -> DnaDiff {
    let mut after = small_rig_28();
    change(&mut after);
    small_rig_28().diff(&after, &DiffOptions::default())
}

#[test]
fn the_same_file_has_no_differences() {
    assert_eq!(diff(|_| ()), {
        let mut same = DnaDiff::default();
        same.joints.compared = 6;
        same
    });
    let Some(folder) = shared_or_skip("comparison of vectors", "vectors/dna") else { return };
    let read = |name: &str| Dna::from_bytes(&std::fs::read(folder.join(name)).unwrap()).unwrap();
    let full = read("full25.dna");
    assert!(full.diff(&full, &DiffOptions::default()).is_empty());
    // Another library release wrote the same file.
    assert!(read("full21.dna").diff(&read("full71.dna"), &DiffOptions::default()).is_empty());
    assert!(!full.diff(&read("full24.dna"), &DiffOptions::default()).is_empty());
}

#[test]
fn a_moved_joint_is_named_with_what_hangs_from_it() {
    let found = diff(|dna| dna.definition.neutral_joint_translations.ys[1] += 0.5);
    let moves: Vec<(&str, f64, f64)> =
        found.joints.moved.iter().map(|m| (m.name.as_str(), m.world_distance, m.local_distance)).collect();
    assert_eq!(moves[0], ("arm", 0.5, 0.5));
    assert_eq!(moves.len(), 4, "{moves:?}");
    assert!(moves[1..].iter().all(|(_, world, local)| (world - 0.5).abs() < 1e-9 && *local == 0.0));
    assert!((found.joints.mean_distance - 4.0 * 0.5 / 6.0).abs() < 1e-9);
    let found = diff(|dna| dna.definition.neutral_joint_rotations.zs[4] = 30.0);
    assert_eq!(found.joints.moved.len(), 1);
    assert_eq!((found.joints.moved[0].rotation, found.joints.moved[0].world_distance), (30.0, 0.0));
    let found = diff(|dna| dna.definition.joint_hierarchy[4] = 1);
    assert_eq!(found.joints.reparented, [("tip".to_owned(), "finger".to_owned(), "arm".to_owned())]);
}

#[test]
fn vertices_weights_and_targets_are_counted_and_the_worst_is_named() {
    let found = diff(|dna| {
        let mesh = &mut dna.geometry.meshes[2];
        mesh.positions.xs[4] += 3.0;
        mesh.positions.ys[4] += 4.0;
        mesh.positions.zs[1] -= 1.0;
        mesh.skin_weights[0].weights = vec![0.5, 0.5];
        mesh.normals.xs[0] = 0.5;
        mesh.texture_coordinates.us[3] = 0.25;
        mesh.blend_shape_targets[0].deltas.zs[1] += 2.0;
        mesh.faces[0].swap(0, 1);
        dna.geometry.meshes[0].blend_shape_targets.pop();
    });
    assert_eq!(found.meshes.len(), 2);
    let [first, mesh] = found.meshes.as_slice() else { panic!() };
    assert_eq!(
        (first.name.as_str(), first.targets_lost.as_slice()),
        ("a_lod0_mesh", ["shape1".to_owned()].as_slice())
    );
    assert_eq!(mesh.name, "a_lod1_mesh");
    assert_eq!((mesh.moved, mesh.vertices, mesh.farthest_vertex), (2, 6, 4));
    assert_eq!(mesh.greatest_distance, 5.0);
    assert_eq!(mesh.mean_distance, 1.0);
    assert_eq!((mesh.weights, mesh.greatest_weight_difference), (1, 0.25));
    assert_eq!((mesh.normals, mesh.texture_coordinates, mesh.faces), (1, 1, 1));
    assert_eq!(mesh.targets, [TargetDiff { channel: "shape1".into(), vertices: 1, greatest_distance: 2.0 }]);
    assert_eq!(found.counts, [CountDiff { what: "blend shape targets", before: 4, after: 3 }]);
}

#[test]
fn behavior_is_compared_by_joint_and_control_not_by_place() {
    // The same deltas in another order of columns.
    let found = diff(|dna| {
        let group = &mut dna.behavior.joints.joint_groups[0];
        group.input_indices.swap(0, 2);
        for row in group.values.chunks_mut(3) {
            row.swap(0, 2);
        }
    });
    assert!(found.behavior.groups_changed);
    assert_eq!(found.behavior.joint_values, 0);
    let found = diff(|dna| {
        // Row 5 is the finger's rz, column 2 the pose.
        dna.behavior.joints.joint_groups[0].values[5 * 3 + 2] += 0.25;
        dna.behavior.controls.psds.values[1] = 0.5;
        dna.behavior.controls.conditionals.slope_values[0] = 2.0;
        dna.behavior.animated_maps.conditionals.cut_values[1] = 0.125;
        dna.behavior.blend_shape_channels.input_indices[0] = 4;
        dna.behavior.blend_shape_channels.lods[2] = 1;
    });
    let behavior = &found.behavior;
    assert_eq!((behavior.joint_values, behavior.greatest_joint_difference), (1, 0.25));
    assert_eq!(behavior.greatest_joint_place, "default → finger.rz");
    assert_eq!((behavior.corrective_cells, behavior.gui_rows, behavior.animated_map_rows), (1, 1, 1));
    assert_eq!(behavior.blend_shape_rows, 2, "one lost, one added");
    assert!(behavior.row_lods_changed && !behavior.groups_changed);
}

#[test]
fn the_tolerance_applies_to_every_number() {
    let mut after = small_rig();
    for mesh in &mut after.geometry.meshes {
        mesh.positions.xs.iter_mut().for_each(|x| *x += 1e-4);
        mesh.normals.zs.iter_mut().for_each(|z| *z -= 1e-4);
        mesh.texture_coordinates.us.iter_mut().for_each(|u| *u += 1e-4);
        mesh.skin_weights.iter_mut().flat_map(|skin| &mut skin.weights).for_each(|weight| *weight += 1e-4);
        mesh.blend_shape_targets.iter_mut().flat_map(|target| &mut target.deltas.xs).for_each(|x| *x += 1e-4);
    }
    after.definition.neutral_joint_translations.xs.iter_mut().for_each(|x| *x += 1e-5);
    after.definition.neutral_joint_rotations.xs.iter_mut().for_each(|x| *x += 1e-5);
    after
        .behavior
        .joints
        .joint_groups
        .iter_mut()
        .flat_map(|group| &mut group.values)
        .for_each(|v| *v += 1e-4);
    after.behavior.controls.psds.values.iter_mut().for_each(|v| *v += 1e-4);
    after.behavior.animated_maps.conditionals.cut_values.iter_mut().for_each(|v| *v += 1e-4);
    after.rbf_behavior.solvers.iter_mut().for_each(|solver| solver.radius += 1e-4);
    after
        .rbf_behavior_ext
        .poses
        .iter_mut()
        .flat_map(|p| &mut p.output_control_weights)
        .for_each(|w| *w += 1e-4);
    after.machine_learned_behavior.neural_networks[0].layers[0].biases[0] += 1e-4;
    after.twist_swing_behavior.twists[0].blend_weights[0] += 1e-4;
    let found = small_rig().diff(&after, &DiffOptions::default().with_tolerance(1e-3));
    assert!(found.is_empty(), "{found:#?}");
    assert!(!small_rig().diff(&after, &DiffOptions::default().with_tolerance(1e-5)).is_empty());
}

#[test]
fn names_layers_and_lods_are_compared() {
    let found = diff(|dna| {
        dna.definition.joint_names[2] = "new".into();
        dna.definition.mesh_names.swap(0, 1);
        dna.definition.lod_joint_mapping.indices[1].pop();
        dna.twist_swing_behavior = TwistSwingBehavior::default();
        dna.layers.push(Layer::raw(*b"zzzz", 1, 0, vec![1]));
        dna.descriptor.age = 31;
        dna.rbf_behavior.solvers[1].radius = 1.0;
    });
    assert_eq!(found.layers_lost, ["twsw"]);
    assert_eq!(found.layers_added, ["zzzz1.0"]);
    assert_eq!(
        found.values,
        [ValueDiff { path: "desc.age".into(), before: "30".into(), after: "31".into() }]
    );
    let joints = &found.names[0];
    assert_eq!(
        (joints.path, &joints.lost[..], &joints.added[..]),
        ("defn.jointNames", &["volume".to_owned()][..], &["new".to_owned()][..])
    );
    assert!(found.names[1].reordered && found.names[1].lost.is_empty());
    let other: Vec<&str> = found.other.iter().map(|other| other.what.as_str()).collect();
    assert!(other.contains(&"1 of 2 solvers differ"), "{other:?}");
    assert!(other.contains(&"the joints of LOD 1 differ"), "{other:?}");
}

#[test]
fn nothing_that_changes_the_bytes_is_called_the_same() {
    let changes: [fn(&mut Dna); 8] = [
        |dna| dna.definition.lod_joint_mapping.indices.push(vec![0]),
        |dna| dna.geometry.meshes[0].positions.xs[0] = -0.0,
        |dna| dna.layers.swap(7, 8),
        |dna| dna.definition.mesh_blend_shape_channel_mapping.to[0] = 1,
        |dna| dna.geometry.meshes[0].maximum_influence_per_vertex = 5,
        |dna| dna.machine_learned_behavior.neural_networks[0].layers[0].activation_function = 1,
        |dna| dna.machine_learned_behavior_ext.operations.operations[0][0].operation_type = 2,
        |dna| dna.descriptor_ext.face_winding_order = 0,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert!(!diff(change).is_empty(), "change {number}");
    }
}
