//! A small evaluation of a DNA, written for these tests only and independent of how the archetype is made.
#![allow(dead_code, unreachable_pub, clippy::expect_used)]

use std::sync::OnceLock;

use mhrig_dna::Dna;
use mhrig_geom::{JointPose, rotation_from_euler_xyz};
use mhrig_rig::Neutral;
use mhrig_synth::{DemoHuman, DemoOptions, MadeArchetype, Orient, demo_archetype};
use nalgebra::{Isometry3, Vector3};

/// Sculpts are stored as f32 at distances of 150 cm from the origin, where a step is 1.5e-5 cm.
pub const SCULPT_CM: f64 = 1e-4;

/// The assets.
pub fn human() -> &'static DemoHuman {
    static HUMAN: OnceLock<DemoHuman> = OnceLock::new();
    HUMAN.get_or_init(|| DemoHuman::load().expect("assets"))
}

/// The demo archetype.
pub fn made(orient: Orient) -> &'static MadeArchetype {
    static BONE: OnceLock<MadeArchetype> = OnceLock::new();
    static NONE: OnceLock<MadeArchetype> = OnceLock::new();
    let made = || demo_archetype(human(), &DemoOptions::default().with_orient(orient)).expect("an archetype");
    match orient {
        Orient::Bone => BONE.get_or_init(made),
        Orient::None => NONE.get_or_init(made),
    }
}

/// Values of the control space: raw controls, then correctives, then RBF pose controls.
pub fn control_values(dna: &Dna, raw: &[(&str, f64)]) -> Vec<f64> {
    let names = &dna.definition.raw_control_names;
    let mut values = vec![0.0; names.len() + usize::from(dna.behavior.controls.psd_count)];
    for (name, value) in raw {
        let index =
            names.iter().position(|known| known == name).unwrap_or_else(|| panic!("no control {name}"));
        values[index] = *value;
    }
    let psds = &dna.behavior.controls.psds;
    let raw = values.clone();
    for (psd, value) in values.iter_mut().enumerate().skip(names.len()) {
        let cells = psds.rows.iter().zip(psds.columns.iter().zip(&psds.values));
        let cells = cells.filter(|(row, _)| usize::from(**row) == psd);
        let product: f64 = cells
            .map(|(_, (&column, &weight))| raw[usize::from(column)].clamp(0.0, 1.0) * f64::from(weight))
            .product();
        *value = product.min(1.0);
    }
    values
}

/// World positions of all LOD 0 vertices, mesh after mesh, with the control space at `values`.
pub fn deform(dna: &Dna, values: &[f64]) -> Vec<Vec<Vector3<f64>>> {
    let neutral = Neutral::from_dna(dna).expect("a neutral pose");
    let mut deltas = vec![0.0; neutral.hierarchy.len() * 9];
    for group in &dna.behavior.joints.joint_groups {
        for (row, &output) in group.output_indices.iter().enumerate() {
            let columns = group.input_indices.len();
            let cells = group.input_indices.iter().zip(&group.values[row * columns..(row + 1) * columns]);
            deltas[usize::from(output)] =
                cells.map(|(&control, &value)| value_of(values, control) * f64::from(value)).sum();
        }
    }
    let mut pose = JointPose {
        translations: neutral.pose.translations.clone(),
        rotations: neutral.pose.rotations.clone(),
    };
    for (joint, delta) in deltas.chunks_exact(9).enumerate() {
        pose.translations[joint] += Vector3::new(delta[0], delta[1], delta[2]);
        let turn = rotation_from_euler_xyz([delta[3], delta[4], delta[5]].map(f64::to_radians));
        pose.rotations[joint] *= turn;
    }
    let rest = neutral.pose.world(&neutral.hierarchy);
    let posed = pose.world(&neutral.hierarchy);
    let skin: Vec<Isometry3<f64>> =
        posed.iter().zip(&rest).map(|(posed, rest)| posed * rest.inverse()).collect();

    let channels = &dna.behavior.blend_shape_channels;
    let rows = usize::from(channels.lods[0]);
    let mut weights = vec![0.0; dna.definition.blend_shape_channel_names.len()];
    for (&control, &channel) in channels.input_indices.iter().zip(&channels.output_indices).take(rows) {
        weights[usize::from(channel)] = value_of(values, control);
    }
    let of_lod_0 = dna.definition.lod_mesh_mapping.members(0).iter();
    of_lod_0
        .map(|&mesh| {
            let mesh = &dna.geometry.meshes[usize::from(mesh)];
            let mut positions: Vec<Vector3<f64>> =
                mesh.positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
            for target in &mesh.blend_shape_targets {
                let weight = weights[usize::from(target.blend_shape_channel_index)];
                for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
                    positions[vertex as usize] += Vector3::from(delta.map(f64::from)) * weight;
                }
            }
            let skinned = positions.iter().zip(&mesh.skin_weights).map(|(position, influences)| {
                let parts = influences.joint_indices.iter().zip(&influences.weights);
                let parts = parts.map(|(&joint, &weight)| {
                    skin[usize::from(joint)].transform_point(&(*position).into()).coords * f64::from(weight)
                });
                parts.sum::<Vector3<f64>>()
            });
            skinned.collect()
        })
        .collect()
}

fn value_of(values: &[f64], control: u16) -> f64 {
    values.get(usize::from(control)).copied().unwrap_or(0.0)
}

/// The largest distance between two lists of meshes, and where it is.
pub fn largest_distance(a: &[Vec<Vector3<f64>>], b: &[Vec<Vector3<f64>>]) -> (f64, usize, usize) {
    assert_eq!(a.iter().map(Vec::len).collect::<Vec<_>>(), b.iter().map(Vec::len).collect::<Vec<_>>());
    let mut worst = (0.0, 0, 0);
    for (mesh, (a, b)) in a.iter().zip(b).enumerate() {
        for (vertex, (a, b)) in a.iter().zip(b).enumerate() {
            let distance = (a - b).norm();
            if distance > worst.0 || distance.is_nan() {
                worst = (distance, mesh, vertex);
            }
        }
    }
    worst
}
