//! Filtered and converted files.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use mhrig_dna::*;
use mhrig_testkit::{assert_same_bytes, shared_or_skip};

fn read(path: &Path) -> Dna {
    Dna::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn compat_mode_gives_the_bytes_of_the_reference_library() {
    let Some(folder) = shared_or_skip("LOD filters", "vectors/dna/lod") else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let (source, lods) = name.split_once(".lods_").unwrap();
        let lods = lods.split('_').map(|lod| lod.parse().unwrap()).collect();
        let whole = read(&folder.join(format!("../{source}.dna")));
        let (dna, _) = whole.select_lods(&LodSelection::List(lods), LodMode::Compat).unwrap();
        assert_same_bytes(&name, &std::fs::read(&path).unwrap(), &dna.to_bytes().unwrap());
        count += 1;
    }
    assert!(count >= 12);
}

mod support;
use support::{small_rig, small_rig_28};

fn select(dna: Dna, lods: &[u16], mode: LodMode) -> Dna {
    dna.select_lods(&LodSelection::List(lods.to_vec()), mode).unwrap().0
}

fn strings(names: &[Text]) -> Vec<String> {
    names.iter().map(Text::to_string).collect()
}

#[test]
fn indices_mean_the_same_names_after_a_correct_filter() {
    for lods in [&[0u16][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2]] {
        let old = small_rig_28();
        let new = select(small_rig_28(), lods, LodMode::Correct);
        assert_eq!(new.descriptor.lod_count as usize, lods.len());
        assert_eq!(new.descriptor.max_lod, lods[0]);
        let joint = |dna: &Dna, joint: u16| dna.definition.joint_names[usize::from(joint)].clone();
        let channel =
            |dna: &Dna, channel: u16| dna.definition.blend_shape_channel_names[usize::from(channel)].clone();
        for (new_lod, &old_lod) in lods.iter().enumerate() {
            let old_lod = usize::from(old_lod);
            let members = |dna: &Dna, lod: usize| -> Vec<Text> {
                dna.definition
                    .lod_joint_mapping
                    .members(lod)
                    .iter()
                    .map(|&member| joint(dna, member))
                    .collect()
            };
            assert_eq!(members(&old, old_lod), members(&new, new_lod));
            // Joint outputs of each group.
            for (old_group, new_group) in
                old.behavior.joints.joint_groups.iter().zip(&new.behavior.joints.joint_groups)
            {
                let rows = |dna: &Dna, group: &JointGroup, lod: usize| -> Vec<(Text, u16, Vec<f32>)> {
                    let active = group.lods.get(lod).map_or(0, |&rows| usize::from(rows));
                    let columns = group.input_indices.len();
                    let row = |row: usize| {
                        let output = group.output_indices[row];
                        let values = group.values[row * columns..(row + 1) * columns].to_vec();
                        (joint(dna, output / 9), output % 9, values)
                    };
                    (0..active).map(row).collect()
                };
                assert_eq!(rows(&old, old_group, old_lod), rows(&new, new_group, new_lod));
            }
            // Blend shape channels.
            let channels = |dna: &Dna, lod: usize| -> Vec<(u16, Text)> {
                let table = &dna.behavior.blend_shape_channels;
                let rows = usize::from(table.lods[lod]);
                (0..rows)
                    .map(|row| (table.input_indices[row], channel(dna, table.output_indices[row])))
                    .collect()
            };
            assert_eq!(channels(&old, old_lod), channels(&new, new_lod));
        }
        for (mesh, name) in new.geometry.meshes.iter().zip(&new.definition.mesh_names) {
            let number = old.definition.mesh_names.iter().position(|old| old == name).unwrap();
            let before = &old.geometry.meshes[number];
            assert_eq!(mesh.positions, before.positions);
            for target in &mesh.blend_shape_targets {
                let name = channel(&new, target.blend_shape_channel_index);
                let same = |other: &&BlendShapeTarget| channel(&old, other.blend_shape_channel_index) == name;
                assert_eq!(before.blend_shape_targets.iter().find(same).unwrap().deltas, target.deltas);
            }
            for vertex in &mesh.skin_weights {
                assert!((vertex.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
                assert!(
                    vertex
                        .joint_indices
                        .iter()
                        .all(|&joint| usize::from(joint) < new.definition.joint_names.len())
                );
            }
        }
        assert!(Dna::from_bytes(&new.to_bytes().unwrap()).unwrap() == new);
    }
}

#[test]
fn joints_that_kept_joints_hang_from_are_kept() {
    // LOD 1 has the tip but not the finger that the tip hangs from.
    let correct = select(small_rig(), &[1], LodMode::Correct);
    assert_eq!(strings(&correct.definition.joint_names), ["root", "arm", "volume", "finger", "tip", "loose"]);
    assert_eq!(correct.definition.joint_hierarchy, [0, 0, 1, 1, 3, 0]);
    let compat = select(small_rig(), &[1], LodMode::Compat);
    assert_eq!(strings(&compat.definition.joint_names), ["root", "arm", "volume", "tip", "loose"]);
    assert_eq!(compat.definition.joint_hierarchy, [0, 0, 1, 0, 0], "the tip hangs from the root now");
}

#[test]
fn a_joint_of_a_later_lod_alone_is_dropped_and_one_of_no_lod_is_kept() {
    let correct = select(small_rig(), &[0], LodMode::Correct);
    assert_eq!(strings(&correct.definition.joint_names), ["root", "arm", "finger", "tip", "loose"]);
    let compat = select(small_rig(), &[0], LodMode::Compat);
    assert!(strings(&compat.definition.joint_names).contains(&"volume".to_owned()));
}

#[test]
fn weights_of_dropped_joints_go_to_the_others_or_to_an_ancestor() {
    let mut dna = small_rig();
    let mesh = &mut dna.geometry.meshes[3];
    mesh.skin_weights[0] = VertexSkinWeights { weights: vec![0.5, 0.25, 0.25], joint_indices: vec![0, 1, 3] };
    mesh.skin_weights[1] = VertexSkinWeights { weights: vec![0.25, 0.75], joint_indices: vec![3, 4] };
    let (dna, report) = dna.select_lods(&LodSelection::List(vec![2]), LodMode::Correct).unwrap();
    assert_eq!(strings(&dna.definition.joint_names), ["root", "arm", "volume", "loose"]);
    let weights = &dna.geometry.meshes[0].skin_weights;
    assert_eq!(weights[0].joint_indices, [0, 1]);
    assert!(
        (weights[0].weights[0] - 2.0 / 3.0).abs() < 1e-6 && (weights[0].weights[1] - 1.0 / 3.0).abs() < 1e-6
    );
    assert_eq!(weights[1], VertexSkinWeights { weights: vec![1.0], joint_indices: vec![1] }, "the tip's arm");
    assert_eq!(report.reweighted_vertices, 2);
    assert_eq!((report.joints, report.meshes, report.blend_shape_channels), (2, 3, 3));
}

#[test]
fn a_kept_row_that_writes_a_dropped_joint_is_an_error() {
    let mut dna = small_rig();
    dna.behavior.joints.joint_groups[0].lods[2] = 4;
    for mode in [LodMode::Correct, LodMode::Compat] {
        let error = dna.clone().select_lods(&LodSelection::List(vec![2]), mode).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bhvr.joints.jointGroups[0].outputIndices[2]: joint 4 found, a joint of the LODs in which the row is active expected"
        );
    }
}

#[test]
fn networks_solvers_and_operations_of_other_lods_go() {
    let dna = select(small_rig_28(), &[1, 2], LodMode::Correct);
    let ml = &dna.machine_learned_behavior;
    assert_eq!(ml.neural_networks.len(), 1);
    assert_eq!(ml.neural_networks[0].layers[0].weights, [2.0, 1.0]);
    assert_eq!(ml.neural_network_to_mesh_region.indices, [vec![vec![0u16]], vec![]]);
    assert_eq!(dna.rbf_behavior.solvers.len(), 1);
    assert_eq!(dna.rbf_behavior.solvers[0].name, "arm");
    assert_eq!(dna.rbf_behavior.poses.len(), 2);
    let operations = &dna.machine_learned_behavior_ext.operations.operations;
    assert_eq!(operations[0].len(), 1);
    assert_eq!(
        operations[1][0].operation_dependency_indices,
        [0],
        "the gather of LOD 0 is gone, the other is 0 now"
    );
    assert_eq!(
        dna.twist_swing_behavior.swings[0].output_joint_indices,
        [3],
        "the finger stays as the tip's parent"
    );
}

#[test]
fn lods_that_do_not_exist_are_an_error_and_ranges_select_what_they_say() {
    let error = small_rig().select_lods(&LodSelection::List(vec![0, 3]), LodMode::Correct).unwrap_err();
    assert!(matches!(error, DnaError::NoSuchLod { found: 3, lod_count: 3 }), "{error}");
    let error = small_rig().select_lods(&LodSelection::List(vec![]), LodMode::Correct).unwrap_err();
    assert!(matches!(error, DnaError::NoLodChosen), "{error}");
    let range = LodSelection::Range { max: 1, min: 32 };
    let by_range = small_rig().select_lods(&range, LodMode::Correct).unwrap().0;
    assert_eq!(by_range, select(small_rig(), &[1, 2], LodMode::Correct));
    let all = LodSelection::Range { max: 0, min: 32 };
    assert_eq!(small_rig().select_lods(&all, LodMode::Compat).unwrap().0, small_rig());
    assert_eq!(select(small_rig(), &[1, 1], LodMode::Compat).descriptor.lod_count, 2);
    assert_eq!(select(small_rig(), &[1, 1], LodMode::Correct).descriptor.lod_count, 1);
}

#[test]
fn layers_that_are_not_selected_are_empty_bodies() {
    let mut dna = small_rig();
    let emptied = dna.select_layers(LayerSelection::BEHAVIOR | LayerSelection::RBF_BEHAVIOR);
    assert_eq!(emptied.iter().map(|kind| kind.name()).collect::<Vec<_>>(), ["geom", "mlbh", "jbmd", "twsw"]);
    assert_eq!(dna.layers, small_rig().layers);
    assert_eq!(dna.behavior, small_rig().behavior);
    let bytes = dna.to_bytes().unwrap();
    assert_eq!(Dna::from_bytes(&bytes).unwrap(), dna);

    let mut dna = small_rig();
    dna.select_layers(LayerSelection::GEOMETRY_WITHOUT_BLEND_SHAPES);
    assert!(dna.geometry.meshes.iter().all(|mesh| mesh.blend_shape_targets.is_empty()));
    assert_eq!(dna.geometry.meshes.len(), 4);
    assert_eq!(LayerSelection::from_name("behavior"), Some(LayerSelection::BEHAVIOR));
    assert_eq!(LayerSelection::from_name("everything"), None);
}
