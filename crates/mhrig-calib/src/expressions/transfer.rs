use mhrig_dna::{Dna, Vectors3};
use mhrig_report::Job;
use nalgebra::{Matrix3, Rotation3, Vector3};
use rayon::prelude::*;
use serde::Serialize;

use super::columns::Columns;
use super::graph::ExpressionGraph;
use super::posing::{Skeleton, SkinTable};
use super::settings::ExpressionSettings;
use crate::CalibError;
use crate::check::{check_meshes, mesh_place};
use crate::rings::{EdgeSums, Rings};

/// What the transfer of expressions to a new person has to know of the template.
///
/// Around every vertex the turn and the stretch from the template to the new person are found (least squares over the
/// edges around the vertex and its neighbours), and blend shape deltas are turned and scaled by them. A joint has the
/// turn and stretch of the skin that it moves, by weight; its translation deltas are turned and scaled, its rotation
/// deltas turned, so that the motion in the world turns with the surface although the neutral rotations stay.
#[derive(Clone, Debug)]
pub struct TransferPlan {
    positions: Vec<Vec<[f32; 3]>>,
    rings: Vec<Rings>,
    skins: Vec<SkinTable>,
    top_meshes: Vec<usize>,
}

/// What a transfer did.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct TransferReport {
    /// Blend shape deltas that were turned or scaled.
    pub blend_shape_deltas: usize,
    /// Joint columns (one control on one joint) that were turned or scaled.
    pub joint_columns: usize,
    /// Smallest scale of a joint's motion.
    pub smallest_scale: f64,
    /// Largest scale of a joint's motion.
    pub largest_scale: f64,
}

/// A rotation and a uniform scale.
type Similarity = (Matrix3<f64>, f64);

impl TransferPlan {
    /// Looks at the template.
    ///
    /// # Errors
    /// [`CalibError::Count`] or [`CalibError::Index`] for inconsistent meshes, [`CalibError::Cancelled`].
    pub fn from_template(dna: &Dna, job: &Job<'_>) -> Result<Self, CalibError> {
        let positions = dna.geometry.meshes.iter().map(|mesh| mesh.positions.to_vectors()).collect();
        Self::with_positions(dna, positions, job)
    }

    /// For a model that has the template's faces and weights, and the template's positions.
    pub(crate) fn with_positions(
        dna: &Dna,
        positions: Vec<Vec<[f32; 3]>>,
        job: &Job<'_>,
    ) -> Result<Self, CalibError> {
        check_meshes(dna)?;
        let meshes = 0..dna.geometry.meshes.len();
        let skins = meshes.into_par_iter().map(|mesh| {
            job.check()?;
            SkinTable::new(dna, mesh)
        });
        Ok(Self {
            positions,
            rings: dna.geometry.meshes.par_iter().map(Rings::from_mesh).collect(),
            skins: skins.collect::<Result<_, _>>()?,
            top_meshes: dna.definition.lod_mesh_mapping.members(0).iter().map(|&m| usize::from(m)).collect(),
        })
    }

    /// Re-expresses the deltas of `dna`, which has the template's expressions and a new neutral pose.
    ///
    /// # Errors
    /// [`CalibError::OtherTemplate`] when `dna` has other meshes, those of reading its joints and joint groups,
    /// [`CalibError::Cancelled`].
    pub fn apply(&self, dna: &mut Dna, job: &Job<'_>) -> Result<TransferReport, CalibError> {
        let mut report =
            TransferReport { smallest_scale: 1.0, largest_scale: 1.0, ..TransferReport::default() };
        for mesh in 0..self.positions.len().max(dna.geometry.meshes.len()) {
            let found = dna.geometry.meshes.get(mesh).map(|mesh| mesh.positions.len());
            if found != self.positions.get(mesh).map(Vec::len) {
                return Err(CalibError::OtherTemplate { place: mesh_place(dna, mesh) });
            }
        }
        job.progress.stage("transfer expressions", dna.geometry.meshes.len() + 1);
        let new: Vec<Vec<[f32; 3]>> =
            dna.geometry.meshes.iter().map(|mesh| mesh.positions.to_vectors()).collect();
        report.joint_columns = self.turn_joints(dna, &new, &mut report, job)?;
        job.progress.step();
        for (at, mesh) in dna.geometry.meshes.iter_mut().enumerate() {
            job.check()?;
            let mut is_used = vec![false; new[at].len()];
            for target in &mesh.blend_shape_targets {
                target.vertex_indices.iter().for_each(|&vertex| is_used[vertex as usize] = true);
            }
            let (old, new, rings) = (&self.positions[at], &new[at], &self.rings[at]);
            let maps: Vec<Option<Matrix3<f64>>> = is_used
                .par_iter()
                .enumerate()
                .map(|(vertex, &is_used)| if is_used { vertex_map(vertex, rings, old, new) } else { None })
                .collect();
            let turned: Vec<usize> = mesh
                .blend_shape_targets
                .par_iter_mut()
                .map(|target| turn_deltas(&mut target.deltas, &target.vertex_indices, &maps))
                .collect();
            report.blend_shape_deltas += turned.iter().sum::<usize>();
            job.progress.step();
        }
        Ok(report)
    }

    fn turn_joints(
        &self,
        dna: &mut Dna,
        new: &[Vec<[f32; 3]>],
        report: &mut TransferReport,
        job: &Job<'_>,
    ) -> Result<usize, CalibError> {
        let graph = ExpressionGraph::from_dna(dna, &ExpressionSettings::default())?;
        let controls = graph.expressions().len();
        let mut columns = Columns::from_dna(dna, controls)?;
        let skeleton = Skeleton::from_dna(dna)?;
        let maps = self.joint_maps(&skeleton, new);
        for (_, scale) in maps.iter().flatten() {
            report.smallest_scale = report.smallest_scale.min(*scale);
            report.largest_scale = report.largest_scale.max(*scale);
        }
        let mut turned = 0;
        let mut changed = Vec::new();
        for control in 0..controls as u16 {
            job.check()?;
            let old = columns.of(control);
            let mut column = Vec::with_capacity(old.len());
            for of_joint in old.chunk_by(|a, b| a.0 / 9 == b.0 / 9) {
                let joint = usize::from(of_joint[0].0 / 9);
                match &maps[joint] {
                    Some(map) => {
                        turn_column(of_joint, joint, map, &skeleton, &mut column);
                        turned += 1;
                    }
                    None => column.extend_from_slice(of_joint),
                }
            }
            if column != old {
                columns.set(control, column);
                changed.push(control);
            }
        }
        columns.write(dna, &changed);
        Ok(turned)
    }

    /// The turn and stretch of each joint, `None` where nothing changed.
    fn joint_maps(&self, skeleton: &Skeleton, new: &[Vec<[f32; 3]>]) -> Vec<Option<Similarity>> {
        let joints = skeleton.len();
        let sums: Vec<EdgeSums> = (0..joints)
            .into_par_iter()
            .map(|joint| {
                let mut sums = EdgeSums::default();
                for &mesh in &self.top_meshes {
                    let (Some(skin), Some(old)) = (self.skins.get(mesh), self.positions.get(mesh)) else {
                        continue;
                    };
                    for &vertex in skin.vertices_of(joint) {
                        let vertex = vertex as usize;
                        let weight: f64 = skin.of(vertex).filter(|(j, _)| *j == joint).map(|(_, w)| w).sum();
                        sums.add_ring(vertex, &self.rings[mesh], old, &new[mesh], weight);
                    }
                }
                sums
            })
            .collect();
        // A joint without skin goes with what hangs from it, then with its parent.
        let mut with_descendants = sums.clone();
        for &joint in skeleton.top_down().iter().rev() {
            if let Some(parent) = skeleton.parent(joint) {
                let own = with_descendants[joint];
                with_descendants[parent].add(&own);
            }
        }
        let mut maps: Vec<Option<Similarity>> = vec![None; joints];
        for &joint in skeleton.top_down() {
            let own = sums[joint].similarity().or_else(|| with_descendants[joint].similarity());
            maps[joint] = own.or_else(|| skeleton.parent(joint).and_then(|parent| maps[parent]));
        }
        let is_same = |map: &Similarity| {
            (map.0 - Matrix3::identity()).amax() < SAME_MAP && (map.1 - 1.0).abs() < SAME_MAP
        };
        maps.into_iter().map(|map| map.filter(|map| !is_same(map))).collect()
    }
}

/// Maps that differ from the identity by less leave values as they are: less than f32 tells in the positions.
const SAME_MAP: f64 = 1e-7;

/// The turn and stretch around a vertex, `None` where nothing changed or the edges do not tell.
fn vertex_map(vertex: usize, rings: &Rings, old: &[[f32; 3]], new: &[[f32; 3]]) -> Option<Matrix3<f64>> {
    let mut sums = EdgeSums::default();
    sums.add_ring(vertex, rings, old, new, 1.0);
    for &neighbour in rings.of(vertex) {
        sums.add_ring(neighbour as usize, rings, old, new, 1.0);
    }
    let (rotation, scale) = sums.similarity()?;
    let map = rotation * scale;
    ((map - Matrix3::identity()).amax() >= SAME_MAP).then_some(map)
}

fn turn_deltas(deltas: &mut Vectors3, vertices: &[u32], maps: &[Option<Matrix3<f64>>]) -> usize {
    let mut turned = 0;
    for (at, &vertex) in vertices.iter().enumerate() {
        if let Some(map) = &maps[vertex as usize] {
            let delta = Vector3::new(deltas.xs[at], deltas.ys[at], deltas.zs[at]).cast::<f64>();
            let delta = map * delta;
            deltas.xs[at] = delta.x as f32;
            deltas.ys[at] = delta.y as f32;
            deltas.zs[at] = delta.z as f32;
            turned += 1;
        }
    }
    turned
}

/// Re-expresses the values of one control on one joint.
fn turn_column(
    values: &[(u16, f32)],
    joint: usize,
    (rotation, scale): &Similarity,
    skeleton: &Skeleton,
    column: &mut Vec<(u16, f32)>,
) {
    let mut attributes = [0.0f64; 9];
    for &(output, value) in values {
        attributes[usize::from(output % 9)] = f64::from(value);
    }
    let world_from_joint = skeleton.world_from_joint[joint].linear;
    let world_from_parent =
        skeleton.parent(joint).map_or(Matrix3::identity(), |parent| skeleton.world_from_joint[parent].linear);
    let translation = Vector3::new(attributes[0], attributes[1], attributes[2]);
    if translation != Vector3::zeros() {
        let turned = world_from_parent.transpose() * rotation * world_from_parent * translation * *scale;
        attributes[..3].copy_from_slice(turned.as_slice());
    }
    let angles = [attributes[3], attributes[4], attributes[5]];
    if angles != [0.0; 3] {
        let turn = world_from_joint.transpose() * rotation * world_from_joint;
        let turned = turn * skeleton.rotation(angles).matrix() * turn.transpose();
        let turned = Rotation3::from_matrix_unchecked(turned);
        attributes[3..6].copy_from_slice(&skeleton.angles(&turned));
    }
    // What a turn leaves of a value that it takes away is rounding.
    let largest = |range: std::ops::Range<usize>| {
        attributes[range].iter().fold(0.0f64, |largest, value| largest.max(value.abs()))
    };
    let (of_translation, of_rotation) = (largest(0..3), largest(3..6));
    for (attribute, value) in attributes.into_iter().enumerate() {
        let largest = match attribute {
            0..3 => of_translation,
            3..6 => of_rotation,
            _ => 0.0,
        };
        if value != 0.0 && value.abs() > 1e-7 * largest {
            column.push((joint as u16 * 9 + attribute as u16, value as f32));
        }
    }
}
