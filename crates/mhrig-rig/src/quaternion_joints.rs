use std::collections::BTreeMap;

use crate::euler::{Angles, IDENTITY, Quat, multiply, normalize};
use crate::pruning::PrunedGroup;

/// Rotations that are products of quaternions, one factor per control (riglogic.md 8).
#[derive(Clone, Debug, Default)]
pub(crate) struct QuaternionJoints {
    groups: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    inputs: Vec<u16>,
    columns_of_lod: Vec<usize>,
    joints: Vec<GroupJoint>,
}

#[derive(Clone, Debug)]
struct GroupJoint {
    joint: usize,
    /// Its first row in the group; the joint takes part in LODs that use that row.
    is_active: Vec<bool>,
    /// One rotation per column of the group.
    factors: Vec<Quat>,
}

impl QuaternionJoints {
    /// Adds the rotation rows of a group.
    pub(crate) fn push(&mut self, group: &PrunedGroup, angles: Angles) {
        let width = group.inputs.len();
        let mut joints: Vec<(usize, usize, [Option<usize>; 3])> = Vec::new();
        for (row, &output) in group.outputs.iter().enumerate() {
            let (joint, axis) = (usize::from(output / 9), usize::from(output % 9) - 3);
            match joints.iter_mut().find(|(known, ..)| *known == joint) {
                Some((.., rows)) => rows[axis] = Some(row),
                None => {
                    let mut rows = [None; 3];
                    rows[axis] = Some(row);
                    joints.push((joint, row, rows));
                }
            }
        }
        let joints = joints.into_iter().map(|(joint, first_row, rows)| GroupJoint {
            joint,
            is_active: group.rows_of_lod.iter().map(|&count| first_row < count).collect(),
            factors: (0..width)
                .map(|column| {
                    let angle =
                        |row: Option<usize>| row.map_or(0.0, |row| group.values[row * width + column]);
                    angles.to_quaternion(rows.map(angle))
                })
                .collect(),
        });
        self.groups.push(Group {
            inputs: group.inputs.clone(),
            columns_of_lod: group.columns_of_lod.clone(),
            joints: joints.collect(),
        });
    }

    /// Calls `write` with each active joint and its rotation.
    pub(crate) fn evaluate(&self, lod: usize, controls: &[f32], mut write: impl FnMut(usize, Quat)) {
        for group in &self.groups {
            let inputs = &group.inputs[..group.columns_of_lod[lod]];
            for joint in group.joints.iter().filter(|joint| joint.is_active[lod]) {
                let mut rotation = IDENTITY;
                for (&input, &factor) in inputs.iter().zip(&joint.factors) {
                    rotation = turn(rotation, factor, controls[usize::from(input)]);
                }
                write(joint.joint, rotation);
            }
        }
    }
}

impl QuaternionJoints {
    /// The joints that LOD `lod` evaluates; a later group's stands for those before it.
    pub(crate) fn of_lod(&self, lod: usize) -> Vec<QuaternionJoint> {
        let mut joints: BTreeMap<usize, Vec<(u16, Quat)>> = BTreeMap::new();
        for group in &self.groups {
            let columns = group.columns_of_lod.get(lod).copied().unwrap_or(0);
            let is_active = |joint: &&GroupJoint| joint.is_active.get(lod).copied().unwrap_or(false);
            for joint in group.joints.iter().filter(is_active) {
                let factors = group.inputs[..columns].iter().copied().zip(joint.factors.iter().copied());
                joints.insert(joint.joint, factors.collect());
            }
        }
        joints.into_iter().map(|(joint, factors)| QuaternionJoint { joint, factors }).collect()
    }
}

/// A joint whose rotation is a product of quaternions, one per control (riglogic.md 8).
#[derive(Clone, Debug, PartialEq)]
pub struct QuaternionJoint {
    /// Number of the joint.
    pub joint: usize,
    /// Control, and its rotation at 1 as `[x, y, z, w]`; each next factor is multiplied on the left.
    pub factors: Vec<(u16, [f32; 4])>,
}

/// `rotation` turned further by the share `weight` of `factor`.
#[inline]
fn turn(rotation: Quat, factor: Quat, weight: f32) -> Quat {
    let [x, y, z, w] = factor;
    let short_way = if w >= 0.0 { 1.0 } else { -1.0 };
    if weight == 0.0 {
        return rotation.map(|c| c * short_way);
    }
    if x == 0.0 && y == 0.0 && z == 0.0 && w == 1.0 {
        return rotation;
    }
    let share = [x * weight, y * weight, z * weight, w * weight + short_way * (1.0 - weight)];
    multiply(normalize(share), rotation)
}
