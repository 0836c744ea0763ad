use mhrig_dna::{Dna, Vectors3};
use mhrig_geom::rotation_from_euler_xyz;
use nalgebra::{Rotation3, Vector3};
use rayon::prelude::*;

use super::meshes::finite;
use super::number::floats;
use super::{Rotate, Scale, Translate};
use crate::CalibError;
use crate::joint_space::{LocalRotation, check_joints, roots, stable_euler_xyz, turn_translation_rows};

pub(super) fn rotate(dna: &mut Dna, args: &Rotate, compat: bool) -> Result<(), CalibError> {
    let degrees = floats(args.degrees);
    let origin = floats(args.origin.unwrap_or_default());
    if degrees == [0.0; 3] {
        return Ok(());
    }
    if !compat {
        finite("Rotate.degrees and origin", &[degrees, origin])?;
    }
    check_joints(dna)?;
    // In f32 like the library: a full turn about a far origin shows the difference.
    let rotation = rotation_from_euler_xyz(degrees.map(|angle| f64::from(angle.to_radians())));
    let origin = Vector3::from(origin.map(f64::from));
    if compat {
        rotate_roots_as_the_library(dna, &rotation);
    } else {
        let rotations = LocalRotation::of_file(dna)?;
        for joint in roots(dna) {
            let turned = rotation * rotations.get(dna, joint);
            rotations.set(dna, joint, &turned);
            for group in &mut dna.behavior.joints.joint_groups {
                if group.values.len() == group.output_indices.len() * group.input_indices.len() {
                    turn_translation_rows(group, joint as u16, &rotation);
                }
            }
        }
    }
    for joint in roots(dna) {
        map_one(&mut dna.definition.neutral_joint_translations, joint, |p| rotation * (p - origin) + origin);
    }
    dna.geometry.meshes.par_iter_mut().for_each(|mesh| {
        map(&mut mesh.positions, |p| rotation * (p - origin) + origin);
        if !compat {
            map(&mut mesh.normals, |n| rotation * n);
        }
        for target in &mut mesh.blend_shape_targets {
            // The library moves deltas like points.
            let about = if compat { origin } else { Vector3::zeros() };
            map(&mut target.deltas, |d| rotation * (d - about) + about);
        }
    });
    Ok(())
}

/// The library takes stored root angles for degrees whatever the file says, and gets the sign of x wrong where y turns
/// to −90 degrees.
fn rotate_roots_as_the_library(dna: &mut Dna, rotation: &Rotation3<f64>) {
    for joint in roots(dna) {
        let angles = dna.definition.neutral_joint_rotations.get(joint).unwrap_or_default();
        let local = rotation_from_euler_xyz(angles.map(|angle| f64::from(angle).to_radians()));
        let mut turned = stable_euler_xyz(&(rotation * local)).map(f64::to_degrees);
        if turned[1] < -89.99 {
            turned[0] = -turned[0];
        }
        let rotations = &mut dna.definition.neutral_joint_rotations;
        rotations.xs[joint] = turned[0] as f32;
        rotations.ys[joint] = turned[1] as f32;
        rotations.zs[joint] = turned[2] as f32;
    }
}

pub(super) fn scale(dna: &mut Dna, args: &Scale, compat: bool) -> Result<(), CalibError> {
    let factor = args.factor.0;
    if factor == 1.0 {
        return Ok(());
    }
    let origin = floats(args.origin.unwrap_or_default());
    if !compat {
        if !(factor.is_finite() && factor >= 0.0) {
            return Err(CalibError::Option {
                option: "Scale.factor",
                found: factor.to_string(),
                expected: "a number of at least 0",
            });
        }
        finite("Scale.origin", &[origin])?;
    }
    check_joints(dna)?;
    let is_root: Vec<bool> = {
        let hierarchy = dna.definition.joint_hierarchy.iter().enumerate();
        hierarchy.map(|(joint, &parent)| usize::from(parent) == joint).collect()
    };
    let translations = &mut dna.definition.neutral_joint_translations;
    for (axis, coordinates) in
        [&mut translations.xs, &mut translations.ys, &mut translations.zs].into_iter().enumerate()
    {
        for (coordinate, &is_root) in coordinates.iter_mut().zip(&is_root) {
            let about = if is_root { origin[axis] } else { 0.0 };
            *coordinate = (*coordinate - about) * factor + about;
        }
    }
    for group in &mut dna.behavior.joints.joint_groups {
        let columns = group.input_indices.len().max(1);
        for (row, output) in group.values.chunks_mut(columns).zip(&group.output_indices) {
            if output % 9 < 3 {
                row.iter_mut().for_each(|value| *value *= factor);
            }
        }
    }
    dna.geometry.meshes.par_iter_mut().for_each(|mesh| {
        let positions = &mut mesh.positions;
        for (axis, coordinates) in
            [&mut positions.xs, &mut positions.ys, &mut positions.zs].into_iter().enumerate()
        {
            let about = origin[axis];
            coordinates.iter_mut().for_each(|c| *c = (*c - about) * factor + about);
        }
        for target in &mut mesh.blend_shape_targets {
            let deltas = &mut target.deltas;
            for coordinates in [&mut deltas.xs, &mut deltas.ys, &mut deltas.zs] {
                coordinates.iter_mut().for_each(|c| *c *= factor);
            }
        }
    });
    Ok(())
}

pub(super) fn translate(dna: &mut Dna, args: &Translate, compat: bool) -> Result<(), CalibError> {
    let by = floats(args.vector);
    if by == [0.0; 3] {
        return Ok(());
    }
    if !compat {
        finite("Translate.vector", &[by])?;
    }
    check_joints(dna)?;
    for joint in roots(dna) {
        let translations = &mut dna.definition.neutral_joint_translations;
        translations.xs[joint] += by[0];
        translations.ys[joint] += by[1];
        translations.zs[joint] += by[2];
    }
    dna.geometry.meshes.par_iter_mut().for_each(|mesh| {
        let positions = &mut mesh.positions;
        for (coordinates, by) in [&mut positions.xs, &mut positions.ys, &mut positions.zs].into_iter().zip(by)
        {
            coordinates.iter_mut().for_each(|c| *c += by);
        }
    });
    Ok(())
}

fn map(vectors: &mut Vectors3, map: impl Fn(Vector3<f64>) -> Vector3<f64>) {
    for at in 0..vectors.len() {
        map_one(vectors, at, &map);
    }
}

fn map_one(vectors: &mut Vectors3, at: usize, map: impl Fn(Vector3<f64>) -> Vector3<f64>) {
    let mapped = map(Vector3::from(vectors.get(at).unwrap_or_default().map(f64::from)));
    vectors.xs[at] = mapped.x as f32;
    vectors.ys[at] = mapped.y as f32;
    vectors.zs[at] = mapped.z as f32;
}
