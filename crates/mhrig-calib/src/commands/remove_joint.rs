use mhrig_dna::{Dna, JointGroup, MlJoints, TwistSwing, VertexSkinWeights};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use rayon::prelude::*;

use super::renumber::{Renumbering, is_listed, kept_rows, pick};
use super::{Removal, RemovedWeights};
use crate::CalibError;
use crate::check::{check_meshes, count};
use crate::joint_space::{LocalRotation, check_joints};

pub(super) fn joints(dna: &mut Dna, args: &Removal, compat: bool) -> Result<(), CalibError> {
    let joint_count = dna.definition.joint_names.len();
    let selected = args.checked("RemoveJoint", joint_count, compat)?;
    let numbers = Renumbering::new(joint_count, |joint| selected.contains(&joint));
    if numbers.kept() == joint_count {
        return Ok(());
    }
    check_joints(dna)?;
    check_groups(dna)?;
    check_meshes(dna)?;
    let parents = dna.definition.joint_hierarchy.clone();
    let ancestor = |joint: u16| nearest_kept_ancestor(&parents, &numbers, joint);
    if compat {
        skin_as_the_library(dna, &numbers, &parents);
    } else {
        let policy = args.weights.unwrap_or_default();
        let fallback = first_kept_root(&parents, &numbers);
        dna.geometry.meshes.par_iter_mut().for_each(|mesh| {
            for record in &mut mesh.skin_weights {
                if record.joint_indices.iter().any(|&joint| numbers.is_removed(usize::from(joint))) {
                    give_weights(record, &numbers, policy, |joint| ancestor(joint).or(fallback));
                }
                numbers.numbers(&mut record.joint_indices);
            }
        });
        re_express_children(dna, &numbers)?;
    }
    let definition = &mut dna.definition;
    definition.joint_hierarchy = (0..joint_count as u16)
        .filter_map(|joint| {
            let own = numbers.of(joint)?;
            let is_root = parents[usize::from(joint)] == joint;
            Some(if is_root {
                own
            } else if compat {
                numbers.of(parents[usize::from(joint)]).unwrap_or(0)
            } else {
                ancestor(joint).and_then(|kept| numbers.of(kept)).unwrap_or(own)
            })
        })
        .collect();
    numbers.keep(&mut definition.joint_names);
    for vectors in [&mut definition.neutral_joint_translations, &mut definition.neutral_joint_rotations] {
        numbers.keep(&mut vectors.xs);
        numbers.keep(&mut vectors.ys);
        numbers.keep(&mut vectors.zs);
    }
    numbers.lods(&mut definition.lod_joint_mapping);
    numbers.keep(&mut dna.joint_behavior_metadata.joint_representations);

    let joints = &mut dna.behavior.joints;
    for group in &mut joints.joint_groups {
        keep_rows(group, |joint| !numbers.is_removed(joint));
        for output in &mut group.output_indices {
            let joint = numbers.of(*output / 9).unwrap_or(0);
            *output = joint * 9 + *output % 9;
        }
        numbers.numbers(&mut group.joint_indices);
    }
    if !compat {
        joints.row_count = (numbers.kept() * 9) as u16;
    }
    let setups = &mut dna.twist_swing_behavior;
    remove_from_twists(&mut setups.twists, &numbers);
    remove_from_twists(&mut setups.swings, &numbers);
    remove_from_ml_joints(&mut dna.machine_learned_behavior_ext.joints, &numbers);
    Ok(())
}

pub(super) fn animation(dna: &mut Dna, args: &Removal, compat: bool) -> Result<(), CalibError> {
    let joint_count = dna.definition.joint_names.len();
    let selected = args.checked("RemoveJointAnimation", joint_count, compat)?;
    check_groups(dna)?;
    let mapping = &dna.definition.lod_joint_mapping;
    let is_removed = |joint: usize| {
        selected.contains(&joint) || (compat && joint < joint_count && !is_listed(mapping, joint))
    };
    let removed: Vec<bool> = (0..joint_count).map(is_removed).collect();
    for group in &mut dna.behavior.joints.joint_groups {
        keep_rows(group, |joint| !removed.get(joint).copied().unwrap_or(false));
    }
    Ok(())
}

fn check_groups(dna: &Dna) -> Result<(), CalibError> {
    for (at, group) in dna.behavior.joints.joint_groups.iter().enumerate() {
        let expected = group.output_indices.len() * group.input_indices.len();
        count(group.values.len(), expected, || format!("bhvr.joints.jointGroups[{at}].values"))?;
    }
    Ok(())
}

/// Keeps the rows of some joints. A group that loses its last row loses its columns as well.
fn keep_rows(group: &mut JointGroup, stays: impl Fn(usize) -> bool) {
    let rows = group.output_indices.len();
    let columns = group.input_indices.len();
    let outputs = &group.output_indices;
    let kept = kept_rows(rows, &mut group.lods, |row| stays(usize::from(outputs[row] / 9)));
    if kept.len() == rows {
        return;
    }
    let values = &group.values;
    group.values =
        kept.iter().flat_map(|&row| &values[row * columns..(row + 1) * columns]).copied().collect();
    pick(&mut group.output_indices, &kept);
    if kept.is_empty() {
        group.input_indices.clear();
    }
}

fn nearest_kept_ancestor(parents: &[u16], numbers: &Renumbering, joint: u16) -> Option<u16> {
    let mut at = joint;
    // A chain longer than there are joints is a cycle.
    for _ in 0..parents.len() {
        let parent = *parents.get(usize::from(at))?;
        if parent == at {
            return None;
        }
        if !numbers.is_removed(usize::from(parent)) {
            return Some(parent);
        }
        at = parent;
    }
    None
}

/// A joint for weights of a removed tree: the first kept root, or else the first kept joint.
fn first_kept_root(parents: &[u16], numbers: &Renumbering) -> Option<u16> {
    let mut kept = (0..parents.len() as u16).filter(|&joint| !numbers.is_removed(usize::from(joint)));
    kept.clone().find(|&joint| parents[usize::from(joint)] == joint).or_else(|| kept.next())
}

/// Takes removed joints out of one record; joint numbers are the old ones before and after.
fn give_weights(
    record: &mut VertexSkinWeights,
    numbers: &Renumbering,
    policy: RemovedWeights,
    heir: impl Fn(u16) -> Option<u16>,
) {
    let influences = record.joint_indices.iter().copied().zip(record.weights.iter().copied());
    let (removed, mut kept): (Vec<_>, Vec<_>) =
        influences.partition(|&(joint, _)| numbers.is_removed(usize::from(joint)));
    let rest: f64 = kept.iter().map(|&(_, weight)| f64::from(weight)).sum();
    let free: f64 = removed.iter().map(|&(_, weight)| f64::from(weight)).sum();
    if free != 0.0 {
        if policy == RemovedWeights::Parent || rest <= 0.0 {
            for (joint, weight) in removed {
                let Some(heir) = heir(joint) else { continue };
                match kept.iter_mut().find(|(joint, _)| *joint == heir) {
                    Some((_, sum)) => *sum += weight,
                    None => kept.push((heir, weight)),
                }
            }
        }
        let sum: f64 = kept.iter().map(|&(_, weight)| f64::from(weight)).sum();
        if sum > 0.0 {
            kept.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / sum) as f32);
        }
    }
    (record.joint_indices, record.weights) = kept.into_iter().unzip();
}

/// The library scales what is left by 1 / (1 − removed), whatever the sum was, and gives vertices without an
/// influence to the first root.
fn skin_as_the_library(dna: &mut Dna, numbers: &Renumbering, parents: &[u16]) {
    let root = (0..parents.len() as u16)
        .filter(|&joint| !numbers.is_removed(usize::from(joint)))
        .find(|&joint| {
            let parent = parents[usize::from(joint)];
            parent == joint || numbers.of(joint) == Some(0)
        })
        .and_then(|joint| numbers.of(joint));
    for record in dna.geometry.meshes.iter_mut().flat_map(|mesh| &mut mesh.skin_weights) {
        let influences = record.joint_indices.iter().copied().zip(record.weights.iter().copied());
        let (removed, kept): (Vec<_>, Vec<_>) =
            influences.partition(|&(joint, _)| numbers.is_removed(usize::from(joint)));
        let removed: f32 = removed.iter().map(|&(_, weight)| weight).sum();
        let factor = 1.0 / (1.0 - removed);
        (record.joint_indices, record.weights) =
            kept.into_iter().map(|(joint, weight)| (joint, weight * factor)).unzip();
        numbers.numbers(&mut record.joint_indices);
        if let (true, Some(root)) = (record.joint_indices.is_empty(), root) {
            record.joint_indices.push(root);
            record.weights.push(1.0);
        }
    }
}

/// Gives children of removed joints the local transform that keeps their place in the world under their new parent.
fn re_express_children(dna: &mut Dna, numbers: &Renumbering) -> Result<(), CalibError> {
    let parents = dna.definition.joint_hierarchy.clone();
    let rotations = LocalRotation::of_file(dna)?;
    for joint in 0..parents.len() {
        let mut parent = usize::from(parents[joint]);
        if numbers.is_removed(joint) || parent == joint || !numbers.is_removed(parent) {
            continue;
        }
        let mut local = local_transform(dna, &rotations, joint);
        let mut child = joint;
        while numbers.is_removed(parent) && parent != child {
            local = local_transform(dna, &rotations, parent) * local;
            child = parent;
            parent = usize::from(parents[parent]);
        }
        let translations = &mut dna.definition.neutral_joint_translations;
        let translation = local.translation.vector;
        translations.xs[joint] = translation.x as f32;
        translations.ys[joint] = translation.y as f32;
        translations.zs[joint] = translation.z as f32;
        rotations.set(dna, joint, &local.rotation.to_rotation_matrix());
    }
    Ok(())
}

fn local_transform(dna: &Dna, rotations: &LocalRotation, joint: usize) -> Isometry3<f64> {
    let translation = dna.definition.neutral_joint_translations.get(joint).unwrap_or_default();
    let rotation = rotations.get(dna, joint);
    Isometry3::from_parts(
        Translation3::from(translation.map(f64::from)),
        UnitQuaternion::from_rotation_matrix(&rotation),
    )
}

fn remove_from_twists(setups: &mut Vec<TwistSwing>, numbers: &Renumbering) {
    setups.retain_mut(|setup| {
        let had_outputs = !setup.output_joint_indices.is_empty();
        let outputs = &setup.output_joint_indices;
        let kept: Vec<usize> =
            (0..outputs.len()).filter(|&at| !numbers.is_removed(usize::from(outputs[at]))).collect();
        if kept.len() < outputs.len() {
            pick(&mut setup.output_joint_indices, &kept);
            pick(&mut setup.blend_weights, &kept);
        }
        numbers.numbers(&mut setup.output_joint_indices);
        !(had_outputs && setup.output_joint_indices.is_empty())
    });
}

fn remove_from_ml_joints(joints: &mut MlJoints, numbers: &Renumbering) {
    let Some(width) = joints.width().filter(|&width| width > 0) else { return };
    let outputs = &joints.output_indices;
    let kept: Vec<usize> =
        (0..outputs.len()).filter(|&at| !numbers.is_removed(usize::from(outputs[at] / width))).collect();
    pick(&mut joints.output_indices, &kept);
    pick(&mut joints.input_indices, &kept);
    for output in &mut joints.output_indices {
        let joint = numbers.of(*output / width).unwrap_or(0);
        *output = joint * width + *output % width;
    }
}
