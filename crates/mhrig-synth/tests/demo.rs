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
