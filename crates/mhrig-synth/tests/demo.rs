//! The demo archetype is right: sculpts, weights, LODs, indices.
#![allow(clippy::expect_used)]

mod support;

use mhrig_dna::Dna;
use mhrig_synth::{DemoOptions, Orient, demo_archetype, shape_controls};
use nalgebra::Vector3;
use support::{SCULPT_CM, control_values, deform, human, largest_distance, made};

/// rest + whole displacement of one of the 52 expressions.
fn sculpt(shape: usize) -> Vec<Vec<Vector3<f64>>> {
    let expression = &human().expressions[shape];
    let head = human().parts.iter().zip(&expression.full).take(9);
    head.map(|(part, full)| {
        let mut positions: Vec<Vector3<f64>> =
            part.mesh.positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
        for (&vertex, delta) in full.vertices.iter().zip(&full.deltas) {
            positions[vertex as usize] += Vector3::from(delta.map(f64::from));
        }
        positions
    })
    .collect()
}

#[test]
fn every_expression_gives_its_sculpt_with_either_orientation() {
    for orient in [Orient::Bone, Orient::None] {
        let head = &made(orient).head;
        for (shape, expression) in human().expressions.iter().enumerate() {
            let controls = shape_controls(&expression.name);
            assert!(!controls.is_empty(), "{} has no control", expression.name);
            let raw: Vec<(&str, f64)> = controls.iter().map(|name| (name.as_str(), 1.0)).collect();
            let mut values = control_values(head, &raw);
            // Correctives belong to combinations of expressions, not to the parts of one.
            let raw_count = head.definition.raw_control_names.len();
            values[raw_count..].fill(0.0);
            let (distance, mesh, vertex) = largest_distance(&deform(head, &values), &sculpt(shape));
            assert!(
                distance < SCULPT_CM,
                "{orient:?} {}: vertex {vertex} of mesh {mesh} is {distance} cm off",
                expression.name
            );
        }
    }
}

#[test]
fn rest_is_rest() {
    for orient in [Orient::Bone, Orient::None] {
        let head = &made(orient).head;
        let rest: Vec<Vec<Vector3<f64>>> = human().parts[..9]
            .iter()
            .map(|part| part.mesh.positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect())
            .collect();
        let (distance, mesh, vertex) = largest_distance(&deform(head, &control_values(head, &[])), &rest);
        assert!(distance < SCULPT_CM, "{orient:?}: vertex {vertex} of mesh {mesh} is {distance} cm off");
    }
}

#[test]
fn joints_are_where_the_data_has_them_and_shared_ones_have_the_same_bits() {
    for orient in [Orient::Bone, Orient::None] {
        let archetype = made(orient);
        let mut world = Vec::new();
        for dna in [&archetype.head, &archetype.body] {
            let neutral = mhrig_rig::Neutral::from_dna(dna).expect("a neutral pose");
            for (name, joint) in neutral.hierarchy.names().iter().zip(neutral.pose.world(&neutral.hierarchy))
            {
                let truth = human().joint(name).map(|joint| Vector3::from(human().joints[joint].position));
                let distance = (joint.translation.vector - truth.expect("a joint of the data")).norm();
                assert!(distance < 3e-5, "{orient:?} {name}: {distance} cm off");
                world.push((name.clone(), joint));
            }
        }
        let head = &archetype.head.definition;
        let body = &archetype.body.definition;
        let mut shared = 0;
        for (joint, name) in head.joint_names.iter().enumerate() {
            let Some(other) = body.joint_names.iter().position(|known| known == name) else { continue };
            shared += 1;
            let of_body = &world[head.joint_names.len() + other].1;
            assert!((of_body.translation.vector - world[joint].1.translation.vector).norm() < 1e-5, "{name}");
            if usize::from(head.joint_hierarchy[joint]) != joint {
                assert_eq!(
                    head.neutral_joint_translations.get(joint).map(|t| t.map(f32::to_bits)),
                    body.neutral_joint_translations.get(other).map(|t| t.map(f32::to_bits)),
                    "{name}"
                );
                assert_eq!(
                    head.neutral_joint_rotations.get(joint),
                    body.neutral_joint_rotations.get(other),
                    "{name}"
                );
            }
        }
        assert_eq!(shared, 27);
    }
}

#[test]
fn neutral_rotations_are_not_the_identity_unless_asked_for() {
    let turned = |dna: &Dna| {
        let rotations = &dna.definition.neutral_joint_rotations;
        rotations.iter().filter(|r| r.iter().any(|angle| angle.abs() > 0.5)).count() as f64
            / rotations.len() as f64
    };
    for dna in [&made(Orient::Bone).head, &made(Orient::Bone).body] {
        // Joints that continue a straight bone, such as twist joints, are turned with it and not against it.
        assert!(turned(dna) > 0.6, "only {} of the joints are turned", turned(dna));
    }
    assert_eq!(turned(&made(Orient::None).head), 0.0);
}

#[test]
fn equal_angles_on_both_sides_are_mirrored_poses() {
    let neutral = mhrig_rig::Neutral::from_dna(&made(Orient::Bone).body).expect("a neutral pose");
    let world = neutral.pose.world(&neutral.hierarchy);
    let mirror = nalgebra::Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 1.0));
    for name in ["upperarm", "lowerarm", "hand", "thigh", "calf", "foot"] {
        let matrix = |side: &str| {
            let joint = neutral.hierarchy.find(&format!("{name}_{side}")).expect("a limb");
            world[joint.index()].rotation.to_rotation_matrix().into_inner()
        };
        assert!((mirror * matrix("l") + matrix("r")).amax() < 1e-5, "{name}");
    }
}

#[test]
fn a_written_archetype_loads_without_findings() {
    for orient in [Orient::Bone, Orient::None] {
        let folder = tempfile::tempdir().expect("a folder");
        made(orient).write(folder.path()).expect("written");
        let archetype = mhrig_archetype::Archetype::load(folder.path()).expect("loaded");
        assert_eq!(archetype.findings, []);
        assert_eq!(archetype.shared_joints().len(), 27);
        let (head, body) = (archetype.head.expect("a head"), archetype.body.expect("a body"));
        assert_eq!(head.dna, made(orient).head);
        assert_eq!(body.dna, made(orient).body);
        assert_eq!(head.mapping.iter().map(|table| table.rows.len()).sum::<usize>(), 250);
    }
}

#[test]
fn the_same_options_give_the_same_archetype() {
    let again = demo_archetype(human(), &DemoOptions::default()).expect("an archetype");
    assert_eq!(again.head.to_bytes().expect("bytes"), made(Orient::Bone).head.to_bytes().expect("bytes"));
    assert_eq!(again.body.to_bytes().expect("bytes"), made(Orient::Bone).body.to_bytes().expect("bytes"));
    assert_eq!(&again, made(Orient::Bone));
}

/// Index pairs of vertices on open edges, by position.
fn border(mesh: &mhrig_dna::Mesh) -> Vec<u32> {
    let mut edges = std::collections::BTreeMap::new();
    for face in &mesh.faces {
        for (at, &layout) in face.iter().enumerate() {
            let vertex = |layout: u32| mesh.layouts.positions[layout as usize];
            let (a, b) = (vertex(layout), vertex(face[(at + 1) % face.len()]));
            *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
        }
    }
    let mut border: Vec<u32> =
        edges.into_iter().filter(|&(_, count)| count == 1).flat_map(|((a, b), _)| [a, b]).collect();
    border.sort_unstable();
    border.dedup();
    border
}

#[test]
fn lods_have_the_meshes_of_a_metahuman_and_the_vertices_they_are_meant_to_have() {
    let archetype = made(Orient::Bone);
    for (dna, lods) in [(&archetype.head, 8), (&archetype.body, 4)] {
        assert_eq!(dna.descriptor.lod_count, lods);
    }
    let mesh_counts: Vec<usize> =
        (0..8).map(|lod| archetype.head.definition.lod_mesh_mapping.members(lod).len()).collect();
    assert_eq!(mesh_counts, [9, 9, 8, 7, 5, 4, 4, 4]);
    for dna in [&archetype.head, &archetype.body] {
        for (name, mesh) in dna.definition.mesh_names.iter().zip(&dna.geometry.meshes) {
            let name = name.to_str();
            let (part, lod) = mhrig_synth::human_parts()
                .iter()
                .enumerate()
                .find_map(|(part, base)| {
                    (0..8)
                        .find(|&lod| mhrig_synth::human::lod_mesh_name(base, lod) == name)
                        .map(|lod| (part, lod))
                })
                .expect("a mesh of the human");
            let wanted = mhrig_synth::human::lod_vertices(part)[lod];
            let found = mesh.positions.len();
            assert!(
                found <= wanted && found * 10 >= wanted * 9,
                "{name}: {found} vertices instead of {wanted}"
            );
        }
    }
}

#[test]
fn neck_borders_meet_at_every_pair_of_lods() {
    let archetype = made(Orient::Bone);
    for head_lod in 0..8 {
        let body_lod = mhrig_synth::human::body_lod_at(head_lod);
        let mesh = |dna: &Dna, lod: usize| {
            let mesh = usize::from(dna.definition.lod_mesh_mapping.members(lod)[0]);
            dna.geometry.meshes[mesh].clone()
        };
        let (head, body) = (mesh(&archetype.head, head_lod), mesh(&archetype.body, body_lod));
        let points = |mesh: &mhrig_dna::Mesh| -> Vec<([u32; 3], [u32; 3])> {
            let bits = |v: Option<[f32; 3]>| v.expect("a vertex").map(f32::to_bits);
            let border = border(mesh).into_iter().map(|vertex| vertex as usize);
            border.map(|v| (bits(mesh.positions.get(v)), bits(mesh.normals.get(v)))).collect()
        };
        let (head, body) = (points(&head), points(&body));
        let common =
            head.iter().filter(|(position, _)| body.iter().any(|(other, _)| other == position)).count();
        assert_eq!(common, mhrig_synth::human::SEAM_VERTICES[body_lod], "head LOD {head_lod}");
        for (position, normal) in &head {
            if let Some((_, other)) = body.iter().find(|(other, _)| other == position) {
                assert_eq!(normal, other, "head LOD {head_lod}");
            }
        }
    }
}

/// Bits of a vertex's position, and its skin weights by joint.
type BorderVertex = ([u32; 3], Vec<(String, f32)>);

#[test]
fn both_sides_of_the_neck_have_the_same_weights_at_every_pair_of_lods() {
    let archetype = made(Orient::Bone);
    let members = |dna: &Dna, lod: usize| usize::from(dna.definition.lod_mesh_mapping.members(lod)[0]);
    for head_lod in 0..8 {
        let body_lod = mhrig_synth::human::body_lod_at(head_lod);
        let points = |dna: &Dna, lod: usize| -> Vec<BorderVertex> {
            let mesh = &dna.geometry.meshes[members(dna, lod)];
            let border = border(mesh).into_iter().map(|vertex| vertex as usize);
            let named = |vertex: usize| {
                let skin = &mesh.skin_weights[vertex];
                let name = |&joint: &u16| dna.definition.joint_names[usize::from(joint)].to_string();
                let mut named: Vec<_> =
                    skin.joint_indices.iter().map(name).zip(skin.weights.iter().copied()).collect();
                named.sort_by(|a, b| a.0.cmp(&b.0));
                (mesh.positions.get(vertex).expect("a vertex").map(f32::to_bits), named)
            };
            border.map(named).collect()
        };
        let (head, body) = (points(&archetype.head, head_lod), points(&archetype.body, body_lod));
        let mut pairs = 0;
        for (position, weights) in &head {
            if let Some((_, other)) = body.iter().find(|(other, _)| other == position) {
                assert_eq!(weights, other, "head LOD {head_lod}");
                pairs += 1;
            }
        }
        assert_eq!(pairs, mhrig_synth::human::SEAM_VERTICES[body_lod], "head LOD {head_lod}");
    }
}

#[test]
fn weights_sum_to_one_within_their_cap_and_their_lods_joints() {
    let archetype = made(Orient::Bone);
    let caps: [&[u16]; 2] = [&[12, 12, 12, 8, 8, 8, 4, 4], &[12, 12, 8, 4]];
    for (dna, caps) in [&archetype.head, &archetype.body].into_iter().zip(caps) {
        let joints = &dna.definition.lod_joint_mapping;
        assert_eq!(joints.members(0).len(), dna.definition.joint_names.len());
        let counts: Vec<usize> = (0..caps.len()).map(|lod| joints.members(lod).len()).collect();
        assert!(
            counts.windows(2).all(|pair| pair[0] >= pair[1]) && counts[0] > counts[caps.len() - 1],
            "{counts:?}"
        );
        for (lod, &cap) in caps.iter().enumerate() {
            let members = joints.members(lod);
            for joint in members {
                assert!(members.contains(&dna.definition.joint_hierarchy[usize::from(*joint)]));
            }
            for &mesh in dna.definition.lod_mesh_mapping.members(lod) {
                let name = &dna.definition.mesh_names[usize::from(mesh)];
                let mesh = &dna.geometry.meshes[usize::from(mesh)];
                assert_eq!(mesh.maximum_influence_per_vertex, cap);
                assert_eq!(mesh.skin_weights.len(), mesh.positions.len());
                for (vertex, skin) in mesh.skin_weights.iter().enumerate() {
                    let place = format!("{name} vertex {vertex}");
                    let sum: f64 = skin.weights.iter().map(|&weight| f64::from(weight)).sum();
                    assert!((sum - 1.0).abs() < 1e-6, "{place}: sum {sum}");
                    assert!(skin.weights.iter().all(|&weight| weight > 0.0), "{place}");
                    assert!(skin.weights.len() <= usize::from(cap), "{place}");
                    assert!(skin.joint_indices.iter().all(|joint| members.contains(joint)), "{place}");
                }
                assert!(lod == 0 || mesh.blend_shape_targets.is_empty());
            }
        }
    }
}

#[test]
fn coarser_lods_use_leading_rows() {
    let head = &made(Orient::Bone).head;
    let joints = &head.definition.lod_joint_mapping;
    let mut shorter = 0;
    for group in &head.behavior.joints.joint_groups {
        assert_eq!(group.lods.len(), 8);
        assert_eq!(usize::from(group.lods[0]), group.output_indices.len());
        for (lod, &rows) in group.lods.iter().enumerate() {
            for (row, output) in group.output_indices.iter().enumerate() {
                let is_member = joints.members(lod).contains(&(output / 9));
                assert_eq!(is_member, row < usize::from(rows), "row {row} at LOD {lod}");
            }
        }
        shorter += usize::from(group.lods[7] < group.lods[0]);
    }
    assert!(shorter > 20);
}

#[test]
fn every_number_is_within_its_list() {
    for orient in [Orient::Bone, Orient::None] {
        for dna in [&made(orient).head, &made(orient).body] {
            let definition = &dna.definition;
            let (raw, psds) =
                (definition.raw_control_names.len(), usize::from(dna.behavior.controls.psd_count));
            let controls = raw + psds + dna.rbf_behavior_ext.pose_control_names.len();
            let below = |what: &str, limit: usize, numbers: &[u16]| {
                let found = numbers.iter().find(|&&number| usize::from(number) >= limit);
                assert_eq!(found, None, "{what} of {limit}");
            };
            let joints = definition.joint_names.len();
            let channels = definition.blend_shape_channel_names.len();
            let maps = definition.animated_map_names.len();
            let table = &dna.behavior.controls.conditionals;
            below("GUI control", definition.gui_control_names.len(), &table.input_indices);
            below("raw control", raw, &table.output_indices);
            let psd = &dna.behavior.controls.psds;
            below("corrective", raw + psds, &psd.rows);
            assert!(psd.rows.iter().all(|&row| usize::from(row) >= raw));
            below("control of a corrective", controls, &psd.columns);
            for group in &dna.behavior.joints.joint_groups {
                below("control of a joint group", controls, &group.input_indices);
                below("joint attribute", joints * 9, &group.output_indices);
                below("joint", joints, &group.joint_indices);
                assert_eq!(group.values.len(), group.input_indices.len() * group.output_indices.len());
            }
            let rows = &dna.behavior.blend_shape_channels;
            below("control of a channel", controls, &rows.input_indices);
            below("channel", channels, &rows.output_indices);
            let rows = &dna.behavior.animated_maps;
            below("control of a map", controls, &rows.conditionals.input_indices);
            below("map", maps, &rows.conditionals.output_indices);
            assert!(rows.lods.iter().all(|&lod| usize::from(lod) <= rows.conditionals.input_indices.len()));
            let mapping = &definition.mesh_blend_shape_channel_mapping;
            below("mesh", definition.mesh_names.len(), &mapping.from);
            below("channel of a mesh", channels, &mapping.to);
            assert_eq!(dna.geometry.meshes.len(), definition.mesh_names.len());
            for mesh in &dna.geometry.meshes {
                for target in &mesh.blend_shape_targets {
                    assert_eq!(target.deltas.len(), target.vertex_indices.len());
                    below("channel of a target", channels, &[target.blend_shape_channel_index]);
                    assert!(target.vertex_indices.windows(2).all(|pair| pair[0] < pair[1]));
                    assert!(target.vertex_indices.iter().all(|&v| (v as usize) < mesh.positions.len()));
                    assert!(target.deltas.iter().all(|d| d != [0.0; 3] && d.iter().all(|c| c.is_finite())));
                }
                for normal in mesh.normals.iter() {
                    assert!((Vector3::from(normal).norm() - 1.0).abs() < 1e-5, "{normal:?}");
                }
            }
        }
    }
}

#[test]
fn validation_finds_nothing() {
    for orient in [Orient::Bone, Orient::None] {
        for dna in [&made(orient).head, &made(orient).body] {
            let findings = dna.validate(&mhrig_dna::ValidateOptions::default());
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            assert!(lines.is_empty(), "{}", lines.join("\n"));
        }
    }
}
