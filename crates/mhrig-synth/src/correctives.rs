//! Correctives of the head: what a combination of expressions needs beyond the sum of its parts.
//!
//! The wanted shape of a combination follows from its components' displacements by a [`Rule`]. What the rig makes of the
//! components and of the correctives already there is subtracted; joints take what they can of the difference, blend
//! shapes the rest, through the inverse of the blended transforms.

use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::combinations::{Combination, Rule};
use crate::expressions::{Effect, clean, head_parts, sparse};
use crate::posing::{JointDeltas, Posed, pose, vector};
use crate::skeleton::PartSkeleton;
use crate::surface::{Rings, angle_weighted_normals};
use crate::translation_fit::TranslationFit;
use crate::{DemoHuman, HumanPart, SparseShape};
use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};

/// A vertex that the first component moves by this share of its largest displacement is held in full.
const HOLD_SHARE: f64 = 0.5;
/// Displacements below this turn no surface.
const STILL_CM: f64 = 1e-4;

/// What the correctives of one head are computed from.
pub(crate) struct CorrectiveSolver<'a> {
    skeleton: &'a PartSkeleton,
    parts: &'a [HumanPart],
    surfaces: Vec<Surface>,
    leaves: TranslationFit,
}

/// How a part finds out how far it is turned.
enum Surface {
    /// By its own edges and normals.
    Own { rings: Rings, normals: Vec<Vector3<f64>> },
    /// It is a thin sheet that goes along with the face: by the nearest vertex of the head mesh.
    OfHead { nearest: Vec<usize> },
}

/// Parts that are strips and veils between lids or lips. An opening mouth turns them about like no skin.
const SHEETS: [&str; 5] = [
    "saliva_lod0_mesh",
    "eyeshell_lod0_mesh",
    "eyelashes_lod0_mesh",
    "eyeEdge_lod0_mesh",
    "cartilage_lod0_mesh",
];

/// How often rotations are averaged with those of the neighbours: a corner of the mouth is a few vertices wide.
const SMOOTHING_PASSES: usize = 4;

/// Displacements of all vertices of all head parts.
pub(crate) type Dense = Vec<Vec<Vector3<f64>>>;

impl<'a> CorrectiveSolver<'a> {
    pub(crate) fn new(human: &'a DemoHuman, skeleton: &'a PartSkeleton) -> Self {
        let parts = head_parts(human);
        let surfaces = parts.iter().map(|part| {
            if SHEETS.contains(&part.name) {
                return Surface::OfHead {
                    nearest: nearest_vertices(&part.mesh.positions, &parts[0].mesh.positions),
                };
            }
            Surface::Own {
                rings: Rings::new(part.mesh.positions.len(), &part.mesh.faces),
                normals: angle_weighted_normals(&part.mesh.positions, &part.mesh.faces),
            }
        });
        Self {
            skeleton,
            parts,
            surfaces: surfaces.collect(),
            leaves: TranslationFit::new(skeleton, &parts[0], &facial_leaves(skeleton)),
        }
    }

    /// The whole displacement that `effects` give together.
    pub(crate) fn displacement(&self, effects: &[&Effect]) -> Dense {
        let posed = pose(self.skeleton, &sum_of_joints(self.skeleton, effects));
        let shapes = self.sum_of_targets(effects);
        self.parts.iter().zip(&shapes).map(|(part, shape)| self.skinned(part, &posed, shape)).collect()
    }

    fn skinned(&self, part: &HumanPart, posed: &Posed, shape: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let vertices = shape.iter().enumerate();
        vertices
            .map(|(vertex, &delta)| {
                let rest = vector(part.mesh.positions[vertex]);
                match posed.blend(&part.skin, &self.skeleton.number, vertex) {
                    Some(blend) => blend.apply(rest + delta) - rest,
                    None => delta,
                }
            })
            .collect()
    }

    fn sum_of_targets(&self, effects: &[&Effect]) -> Dense {
        let mut shapes: Dense =
            self.parts.iter().map(|part| vec![Vector3::zeros(); part.mesh.positions.len()]).collect();
        for effect in effects {
            for (sum, shape) in shapes.iter_mut().zip(&effect.targets) {
                for (&vertex, &delta) in shape.vertices.iter().zip(&shape.deltas) {
                    sum[vertex as usize] += vector(delta);
                }
            }
        }
        shapes
    }

    /// The corrective of one combination. `mains`: its components' effects and whole displacements; `below`: the
    /// correctives of combinations within it.
    pub(crate) fn solve(
        &self,
        combination: &Combination,
        mains: &[(&Effect, &Dense)],
        below: &[&Effect],
    ) -> Effect {
        let displacements: Vec<&Dense> = mains.iter().map(|(_, dense)| *dense).collect();
        let wanted: Dense = match combination.rule {
            Rule::Turn => self.turned_sum(&displacements),
            Rule::Carry => self.carried(&displacements),
            rule => (0..self.parts.len())
                .map(|part| {
                    let of_part: Vec<&[Vector3<f64>]> =
                        displacements.iter().map(|dense| dense[part].as_slice()).collect();
                    merged(rule, &of_part)
                })
                .collect(),
        };
        let given: Vec<&Effect> =
            mains.iter().map(|(effect, _)| *effect).chain(below.iter().copied()).collect();
        let mut joints = JointDeltas::zero(self.skeleton.names.len());
        if matches!(combination.rule, Rule::Turn | Rule::Carry) {
            let components: Vec<&Effect> = mains.iter().map(|(effect, _)| *effect).collect();
            self.compose_rotations(&components, below, &mut joints);
        }
        let before = sum_of_joints(self.skeleton, &given);
        let with = |joints: &JointDeltas| {
            let mut sum = before.clone();
            sum.add(joints);
            pose(self.skeleton, &sum)
        };
        let shapes = self.sum_of_targets(&given);
        let posed = with(&joints);
        let made = self.skinned(&self.parts[0], &posed, &shapes[0]);
        let missing: Vec<Vector3<f64>> =
            wanted[0].iter().zip(&made).map(|(wanted, made)| wanted - made).collect();
        self.leaves.translate(self.skeleton, &posed, &missing, &mut joints);

        let posed = with(&joints);
        let targets = self.parts.iter().zip(wanted.iter().zip(&shapes)).map(|(part, (wanted, shape))| {
            let vertices = wanted.iter().zip(shape).enumerate();
            sparse(vertices.map(|(vertex, (wanted, shape))| {
                let rest = vector(part.mesh.positions[vertex]);
                match posed.blend(&part.skin, &self.skeleton.number, vertex) {
                    None => wanted - shape,
                    Some(blend) => {
                        let point = blend.solve(rest + wanted);
                        point.map_or(Vector3::zeros(), |point| point - rest - shape)
                    }
                }
            }))
        });
        Effect { targets: targets.collect::<Vec<SparseShape>>(), joints }
    }

    /// The displacements of a combination by [`Rule::Turn`].
    fn turned_sum(&self, displacements: &[&Dense]) -> Dense {
        let [first, others @ ..] = displacements else { return Dense::new() };
        if others.is_empty() {
            return (*first).clone();
        }
        let mut wanted: Dense = first.iter().map(|of_part| vec![Vector3::zeros(); of_part.len()]).collect();
        for (own, displacement) in displacements.iter().enumerate() {
            let others = displacements.iter().enumerate().filter(|&(at, _)| at != own);
            let others: Vec<&Dense> = others.map(|(_, other)| *other).collect();
            let turns = self.rotations(&sum(&others));
            for (wanted, (displacement, turns)) in wanted.iter_mut().zip(displacement.iter().zip(&turns)) {
                for ((wanted, displacement), turn) in wanted.iter_mut().zip(displacement).zip(turns) {
                    *wanted += (displacement + turn * displacement) / 2.0;
                }
            }
        }
        wanted
    }

    /// The displacements of a combination by [`Rule::Carry`].
    fn carried(&self, displacements: &[&Dense]) -> Dense {
        let [first, others @ ..] = displacements else { return Dense::new() };
        let turns = self.rotations(first);
        let others = self.turned_sum(others);
        let parts = first.iter().zip(&others).zip(&turns);
        parts
            .map(|((first, others), turns)| {
                first
                    .iter()
                    .zip(others)
                    .zip(turns)
                    .map(|((first, other), turn)| first + turn * other)
                    .collect()
            })
            .collect()
    }

    /// How every part turns under a displacement.
    fn rotations(&self, displacement: &Dense) -> Vec<Vec<Rotation3<f64>>> {
        let mut turns: Vec<Vec<Rotation3<f64>>> = Vec::with_capacity(self.parts.len());
        for (part, surface) in self.surfaces.iter().enumerate() {
            turns.push(match surface {
                Surface::OfHead { nearest } => nearest.iter().map(|&vertex| turns[0][vertex]).collect(),
                Surface::Own { rings, normals } => {
                    rotations(&self.parts[part], rings, normals, &displacement[part])
                }
            });
        }
        turns
    }

    /// Rotations of one joint by several components add as rotation vectors, which favours no order; Euler angles, which
    /// the joint matrix adds, do not. The difference, and what correctives below have already done of it, is corrected.
    fn compose_rotations(&self, components: &[&Effect], below: &[&Effect], joints: &mut JointDeltas) {
        for (joint, delta) in joints.0.iter_mut().enumerate() {
            let angles = |effect: &&Effect| {
                let [_, _, _, x, y, z, ..] = effect.joints.0[joint];
                [x, y, z].map(f64::from)
            };
            let turned: Vec<[f64; 3]> =
                components.iter().map(angles).filter(|angles| *angles != [0.0; 3]).collect();
            if turned.len() < 2 {
                continue;
            }
            let rotation_of = |angles: &[f64; 3]| rotation_from_euler_xyz(angles.map(f64::to_radians));
            let vector: Vector3<f64> = turned.iter().map(|angles| rotation_of(angles).scaled_axis()).sum();
            let wanted = euler_xyz_from_rotation(&Rotation3::from_scaled_axis(vector)).map(f64::to_degrees);
            for axis in 0..3 {
                let plain: f64 = turned.iter().map(|angles| angles[axis]).sum();
                let corrected: f64 =
                    below.iter().map(|effect| f64::from(effect.joints.0[joint][3 + axis])).sum();
                delta[3 + axis] = clean(wanted[axis] - plain - corrected);
            }
        }
    }
}

/// Joints of the face and neck without children.
pub(crate) fn facial_leaves(skeleton: &PartSkeleton) -> Vec<usize> {
    let has_child = |joint: usize| skeleton.parents.contains(&Some(joint));
    let joints = skeleton.names.iter().enumerate();
    joints
        .filter(|&(joint, name)| name.starts_with("FACIAL_") && !has_child(joint))
        .map(|(joint, _)| joint)
        .collect()
}

/// The sum of two displacements without what they have in common.
fn saturated_sum(a: Vector3<f64>, b: Vector3<f64>) -> Vector3<f64> {
    let (length_a, length_b) = (a.norm(), b.norm());
    if length_a < 1e-12 || length_b < 1e-12 {
        return a + b;
    }
    let cosine = (a.dot(&b) / (length_a * length_b)).max(0.0);
    let bisector = (a / length_a + b / length_b).try_normalize(1e-12).unwrap_or_default();
    a + b - bisector * (length_a.min(length_b) * cosine)
}

fn sum_of_joints(skeleton: &PartSkeleton, effects: &[&Effect]) -> JointDeltas {
    let mut sum = JointDeltas::zero(skeleton.names.len());
    for effect in effects {
        sum.add(&effect.joints);
    }
    sum
}

fn sum(displacements: &[&Dense]) -> Dense {
    let [first, others @ ..] = displacements else { return Dense::new() };
    let mut sum: Dense = (*first).clone();
    for other in others {
        for (sum, other) in sum.iter_mut().zip(*other) {
            sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        }
    }
    sum
}

/// The displacements of a combination on one part by a rule that looks at each vertex alone.
fn merged(rule: Rule, displacements: &[&[Vector3<f64>]]) -> Vec<Vector3<f64>> {
    let [first, others @ ..] = displacements else { return Vec::new() };
    let largest = first.iter().map(Vector3::norm).fold(0.0, f64::max).max(STILL_CM);
    let vertices = first.iter().enumerate();
    vertices
        .map(|(vertex, first)| {
            let others = others.iter().map(|of| of[vertex]);
            match rule {
                Rule::Saturate => others.fold(*first, saturated_sum),
                Rule::Hold => {
                    let held = (first.norm() / (HOLD_SHARE * largest)).min(1.0);
                    first + others.sum::<Vector3<f64>>() * (1.0 - held)
                }
                Rule::Add | Rule::Carry | Rule::Turn => first + others.sum::<Vector3<f64>>(),
            }
        })
        .collect()
}

/// Per vertex the number of the nearest of `others`.
fn nearest_vertices(positions: &[[f32; 3]], others: &[[f32; 3]]) -> Vec<usize> {
    let square = |a: &[f32; 3], b: &[f32; 3]| (vector(*a) - vector(*b)).norm_squared();
    let nearest = |position: &[f32; 3]| {
        let distances = others.iter().map(|other| square(position, other)).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(vertex, _)| vertex)
    };
    positions.iter().map(nearest).collect()
}

/// How the surface of a part turns under a displacement, per vertex: the rotation that takes edges and normal at rest to
/// those displaced in the least-squares sense, averaged over the neighbourhood.
fn rotations(
    part: &HumanPart,
    rings: &Rings,
    normals: &[Vector3<f64>],
    displacement: &[Vector3<f64>],
) -> Vec<Rotation3<f64>> {
    let mut matrices: Vec<Option<Matrix3<f64>>> = (0..normals.len())
        .map(|vertex| vertex_rotation(part, rings, normals, displacement, vertex))
        .map(|rotation| rotation.map(Rotation3::into_inner))
        .collect();
    for _ in 0..SMOOTHING_PASSES {
        let smooth = (0..matrices.len()).map(|vertex| {
            let around = rings.ring(vertex).iter().map(|&other| matrices[other as usize]);
            let around = around.chain([matrices[vertex]]);
            // Where nothing turns, nothing needs to be averaged.
            if around.clone().all(|matrix| matrix.is_none()) {
                return None;
            }
            let sum: Matrix3<f64> = around.map(|matrix| matrix.unwrap_or_else(Matrix3::identity)).sum();
            Some(sum / (rings.ring(vertex).len() + 1) as f64)
        });
        matrices = smooth.collect();
    }
    let nearest = |matrix: Matrix3<f64>| Rotation3::from_matrix_eps(&matrix, 1e-9, 60, Rotation3::identity());
    matrices.into_iter().map(|matrix| matrix.map_or_else(Rotation3::identity, nearest)).collect()
}

/// The rotation at one vertex, `None` where nothing moves.
fn vertex_rotation(
    part: &HumanPart,
    rings: &Rings,
    normals: &[Vector3<f64>],
    displacement: &[Vector3<f64>],
    vertex: usize,
) -> Option<Rotation3<f64>> {
    let ring = rings.ring(vertex);
    let moves = |other: usize| displacement[other].norm() > STILL_CM;
    if !moves(vertex) && !ring.iter().any(|&other| moves(other as usize)) {
        return None;
    }
    let rest = |vertex: usize| vector(part.mesh.positions[vertex]);
    let edges = ring.iter().map(|&other| {
        let edge = rest(other as usize) - rest(vertex);
        (edge, edge + displacement[other as usize] - displacement[vertex])
    });
    let edges: Vec<(Vector3<f64>, Vector3<f64>)> = edges.collect();
    let mut covariance: Matrix3<f64> = edges.iter().map(|(edge, moved)| moved * edge.transpose()).sum();
    let fans = rings.fans(vertex).iter();
    let normal: Vector3<f64> = fans.map(|&(first, second)| edges[first].1.cross(&edges[second].1)).sum();
    if let Some(normal) = normal.try_normalize(1e-12) {
        let mean_square = edges.iter().map(|(edge, _)| edge.norm_squared()).sum::<f64>() / edges.len() as f64;
        covariance += normal * normals[vertex].transpose() * mean_square;
    }
    Some(Rotation3::from_matrix_eps(&covariance, 1e-9, 60, Rotation3::identity()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_saturated_sum_is_symmetric_and_never_longer_than_the_sum(
            a in proptest::array::uniform3(-2.0f64..2.0), b in proptest::array::uniform3(-2.0f64..2.0)
        ) {
            let (a, b) = (Vector3::from(a), Vector3::from(b));
            let sum = saturated_sum(a, b);
            prop_assert!((sum - saturated_sum(b, a)).norm() < 1e-12);
            prop_assert!(sum.norm() <= (a + b).norm() + 1e-12);
            prop_assert!((saturated_sum(a, a) - a).norm() < 1e-9);
            prop_assert!((saturated_sum(a, -b * a.dot(&b).signum()) - (a - b * a.dot(&b).signum())).norm() < 1e-9);
        }
    }
}
