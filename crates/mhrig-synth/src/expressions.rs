//! What each control of the head does: joint deltas in the joints' own frames, and the blend shapes that add what joints
//! alone do not reach.

use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::controls::{MainControl, Source};
use crate::posing::{JointDeltas, Posed, pose, vector};
use crate::skeleton::PartSkeleton;
use crate::splits::{joint_shares, vertex_shares};
use crate::surface::angle_weighted_normals;
use crate::{DemoHuman, HumanExpression, HumanPart, SparseShape, SynthError};

/// What a control does when it is 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effect {
    /// Deltas of the head's joints.
    pub(crate) joints: JointDeltas,
    /// Blend shape per head part, in the order of [`crate::human_parts`].
    pub(crate) targets: Vec<SparseShape>,
}

/// Displacements below this are rounding, not motion: positions of 150 cm are stored in steps of 1.5e-5 cm.
pub(crate) const NUMERICAL_ZERO_CM: f64 = 1e-6;

/// The parts of the head: all but the body.
pub(crate) fn head_parts(human: &DemoHuman) -> &[HumanPart] {
    &human.parts[..human.parts.len() - 1]
}

/// The effect of every control of `controls`, in order.
pub(crate) fn main_effects(
    human: &DemoHuman,
    skeleton: &PartSkeleton,
    controls: &[MainControl],
) -> Result<Vec<Effect>, SynthError> {
    let mut shapes: Vec<&str> = Vec::new();
    for control in controls {
        if let Source::Shape { name, .. } = &control.source
            && !shapes.contains(&name.as_str())
        {
            shapes.push(name);
        }
    }
    let whole = shapes.par_iter().map(|&name| {
        let expression = human.expressions.iter().find(|known| known.name == name);
        let expression = expression.ok_or_else(|| missing("expression", name))?;
        Ok((name, whole_effect(human, skeleton, expression)))
    });
    let whole: Vec<(&str, Effect)> = whole.collect::<Result<_, SynthError>>()?;
    let effect = |control: &MainControl| match &control.source {
        Source::Swallow(phase) => swallow(human, skeleton, *phase),
        Source::Shape { name, side, half } => {
            let effect = whole.iter().find(|(known, _)| known == name).map(|(_, effect)| effect);
            let effect = effect.ok_or_else(|| missing("expression", name))?;
            Ok(if side.is_none() && half.is_none() {
                effect.clone()
            } else {
                share(human, skeleton, effect, &joint_shares(skeleton, *side, *half))
            })
        }
    };
    controls.par_iter().map(effect).collect()
}

fn missing(kind: &str, name: &str) -> SynthError {
    SynthError::Mismatch { what: kind.to_owned(), expected: name.to_owned(), found: "nothing".to_owned() }
}

/// A whole expression: its joint deltas turned into the joints' frames, and the blend shapes that make
/// LBS(rest + blend shape, joints) equal to rest + whole displacement.
fn whole_effect(human: &DemoHuman, skeleton: &PartSkeleton, expression: &HumanExpression) -> Effect {
    let mut joints = JointDeltas::zero(skeleton.names.len());
    for delta in &expression.joints {
        let Some(joint) = skeleton.number[delta.joint].map(usize::from) else { continue };
        // The data's rest orientations are the identity, so its frames are parallel to the world.
        let own = skeleton.world_from_joint[joint].rotation.to_rotation_matrix();
        let parent = skeleton.parents[joint];
        let parent = parent.map(|parent| skeleton.world_from_joint[parent].rotation);
        let translation = Vector3::from(delta.translation);
        let translation = parent.map_or(translation, |parent| parent.inverse() * translation);
        let world = rotation_from_euler_xyz(delta.rotation_deg.map(f64::to_radians));
        let angles = euler_xyz_from_rotation(&(own.inverse() * world * own));
        let [rx, ry, rz] = angles.map(|angle| clean(angle.to_degrees()));
        let [tx, ty, tz] = <[f64; 3]>::from(translation).map(clean);
        joints.0[joint] = [tx, ty, tz, rx, ry, rz, 0.0, 0.0, 0.0];
    }
    let posed = pose(skeleton, &joints);
    let parts = head_parts(human).iter().zip(&expression.full);
    let targets = parts.map(|(part, full)| residual(part, skeleton, &posed, full)).collect();
    Effect { joints, targets }
}

/// A delta as stored: what is rounding of a change of frames becomes 0.
pub(crate) fn clean(value: f64) -> f32 {
    if value.abs() < 1e-9 { 0.0 } else { value as f32 }
}

fn residual(part: &HumanPart, skeleton: &PartSkeleton, posed: &Posed, full: &SparseShape) -> SparseShape {
    let mut dense = vec![Vector3::zeros(); part.mesh.positions.len()];
    for (&vertex, &delta) in full.vertices.iter().zip(&full.deltas) {
        dense[vertex as usize] = vector(delta);
    }
    sparse(dense.iter().enumerate().map(|(vertex, &displacement)| {
        let rest = vector(part.mesh.positions[vertex]);
        match posed.blend(&part.skin, &skeleton.number, vertex) {
            None => displacement,
            Some(blend) => blend.solve(rest + displacement).map_or(Vector3::zeros(), |point| point - rest),
        }
    }))
}

/// Keeps the vertices that move.
pub(crate) fn sparse(displacements: impl Iterator<Item = Vector3<f64>>) -> SparseShape {
    let mut shape = SparseShape::default();
    for (vertex, displacement) in displacements.enumerate() {
        if displacement.norm() > NUMERICAL_ZERO_CM {
            shape.vertices.push(vertex as u32);
            shape.deltas.push(displacement.map(|c| c as f32).into());
        }
    }
    shape
}

/// The part of an effect that belongs to joints with the given shares.
fn share(human: &DemoHuman, skeleton: &PartSkeleton, effect: &Effect, joint_shares: &[f64]) -> Effect {
    let mut joints = effect.joints.clone();
    for (delta, &share) in joints.0.iter_mut().zip(joint_shares) {
        *delta = delta.map(|value| (f64::from(value) * share) as f32 + 0.0);
    }
    let parts = head_parts(human).iter().zip(&effect.targets);
    let targets = parts.map(|(part, target)| {
        let shares = vertex_shares(&part.skin, &skeleton.number, joint_shares);
        let mut shape = SparseShape::default();
        for (&vertex, delta) in target.vertices.iter().zip(&target.deltas) {
            let delta = delta.map(|value| (f64::from(value) * shares[vertex as usize]) as f32);
            if vector(delta).norm() > NUMERICAL_ZERO_CM {
                shape.vertices.push(vertex);
                shape.deltas.push(delta);
            }
        }
        shape
    });
    Effect { targets: targets.collect(), joints }
}

/// How far the larynx has come in each phase of swallowing: up and forward, cm.
const SWALLOW_CM: [(f64, f64); 4] = [(0.25, 0.10), (0.60, 0.05), (0.35, -0.05), (0.10, -0.05)];
/// Joints of the throat and the share of the larynx's path that they go along with.
const SWALLOW_JOINTS: [(&str, f64); 6] = [
    ("FACIAL_C_AdamsApple", 1.0),
    ("FACIAL_C_NeckB", 0.6),
    ("FACIAL_L_NeckA1", 0.25),
    ("FACIAL_R_NeckA1", 0.25),
    ("FACIAL_L_NeckB1", 0.2),
    ("FACIAL_R_NeckB1", 0.2),
];
/// Height and width of the bump that the larynx makes in the skin, cm.
const BUMP_CM: (f64, f64) = (0.12, 0.9);

/// A phase of swallowing: the larynx and its surroundings rise and fall, and a bump in the skin goes with them. The neck seam
/// stays where it is.
fn swallow(human: &DemoHuman, skeleton: &PartSkeleton, phase: u8) -> Result<Effect, SynthError> {
    let (up, forward) = SWALLOW_CM[usize::from(phase - 1) % SWALLOW_CM.len()];
    let path = Vector3::new(0.0, up, forward);
    let mut joints = JointDeltas::zero(skeleton.names.len());
    for (name, share) in SWALLOW_JOINTS {
        let joint = skeleton.find(name).ok_or_else(|| missing("joint", name))?;
        let parent = skeleton.parents[joint].map(|parent| skeleton.world_from_joint[parent].rotation);
        let translation = parent.map_or(path, |parent| parent.inverse() * path) * share;
        let [tx, ty, tz] = <[f64; 3]>::from(translation).map(clean);
        joints.0[joint] = [tx, ty, tz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    }
    let larynx =
        skeleton.find("FACIAL_C_AdamsApple").ok_or_else(|| missing("joint", "FACIAL_C_AdamsApple"))?;
    let centre = skeleton.world_from_joint[larynx].translation.vector + path;
    let (height, width) = BUMP_CM;
    let posed = pose(skeleton, &joints);
    let share_off_seam = shares_off_seam(human);
    let targets = head_parts(human).iter().enumerate().map(|(index, part)| {
        if index != 0 {
            return SparseShape::default();
        }
        let normals = angle_weighted_normals(&part.mesh.positions, &part.mesh.faces);
        sparse(part.mesh.positions.iter().zip(&normals).enumerate().map(|(vertex, (&position, normal))| {
            let rest = vector(position);
            let distance = (rest - centre).norm() / width;
            // Beyond three widths the bump is below the thickness of a hair; the back of the neck has none.
            let has_bump = normal.z > 0.0 && distance < 3.0;
            let bump = if has_bump { height * (-distance * distance / 2.0).exp() } else { 0.0 };
            let Some(blend) = posed.blend(&part.skin, &skeleton.number, vertex) else {
                return normal * bump * share_off_seam[vertex];
            };
            let moved = blend.apply(rest) - rest + normal * bump;
            let point = blend.solve(rest + moved * share_off_seam[vertex]);
            point.map_or(Vector3::zeros(), |point| point - rest)
        }))
    });
    Ok(Effect { targets: targets.collect(), joints })
}

/// Within this distance of the neck seam the head's own shapes fade out, so that it does not part from the body, cm.
const SEAM_FADE_CM: f64 = 3.0;

/// Per vertex of the head mesh: 0 on the neck seam, 1 away from it.
pub(crate) fn shares_off_seam(human: &DemoHuman) -> Vec<f64> {
    let seam = human.seam.iter().map(|pair| pair.head_vertex);
    shares_off_seam_of(&human.parts[0].mesh.positions, seam)
}

/// Per vertex of a mesh: 0 at the vertices of the seam, 1 away from them.
pub(crate) fn shares_off_seam_of(positions: &[[f32; 3]], seam: impl Iterator<Item = u32>) -> Vec<f64> {
    let seam: Vec<Vector3<f64>> = seam.map(|vertex| vector(positions[vertex as usize])).collect();
    let share = |position: &[f32; 3]| {
        let position = vector(*position);
        let distance = seam.iter().map(|at| (position - at).norm()).fold(f64::INFINITY, f64::min);
        let t = (distance / SEAM_FADE_CM).min(1.0);
        t * t * (3.0 - 2.0 * t)
    };
    positions.iter().map(share).collect()
}
