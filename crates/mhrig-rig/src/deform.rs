use fearless_simd::{Level, Simd, SimdBase, SimdFrom, dispatch, f32x4};
use mhrig_dna::{BlendShapeTarget, Dna, translation_unit};
use mhrig_geom::{Mesh, Polygons, SkinWeights, UvSet};
use mhrig_report::{Finding, Severity};

use crate::axes::Axes;
use crate::{Instance, Neutral, NeutralError, Skeleton, SkeletonPose};

/// The meshes of a DNA, ready to be moved: blend shapes, then linear blend skinning.
///
/// Results are in the world of this project: cm, +Y up, +X the character's left.
#[derive(Clone, Debug)]
pub struct Deformer {
    skeleton: Skeleton,
    meshes: Vec<DeformMesh>,
    lods: Vec<Vec<usize>>,
    axes: Axes,
    level: Level,
    findings: Vec<Finding>,
}

/// One mesh of a [`Deformer`].
#[derive(Clone, Debug)]
pub struct DeformMesh {
    name: String,
    /// Neutral vertices in the axes of the file, cm.
    neutral: Vec<[f32; 3]>,
    faces: Polygons,
    uv: Option<UvSet>,
    /// Influences of vertex `v` are `offsets[v]..offsets[v + 1]`.
    offsets: Vec<u32>,
    influences: Vec<(u16, f32)>,
    targets: Vec<Target>,
}

#[derive(Clone, Debug)]
struct Target {
    channel: usize,
    runs: Vec<Run>,
    /// Deltas in cm, run after run.
    deltas: Vec<[f32; 3]>,
}

/// Vertices that follow each other. A target moves regions, so numbers of vertices need not be kept one by one, and
/// a run is added to the positions as one row of numbers.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    count: u32,
}

/// So many vertices that a target leaves alone are filled in with deltas of zero rather than ending a run.
const WIDEST_GAP: u32 = 2;

/// Why a DNA cannot be deformed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeformError {
    /// No usable neutral pose.
    #[error("the dna has no usable neutral pose")]
    Neutral(#[from] NeutralError),
    /// A mesh without skin weights for each of its vertices.
    #[error("mesh {mesh}: {found} skin weight records for {expected} vertices")]
    SkinWeights {
        /// Name of the mesh.
        mesh: String,
        /// Number of vertices.
        expected: usize,
        /// Number of records.
        found: usize,
    },
    /// A blend shape target that points outside its mesh or the channels.
    #[error("mesh {mesh}, blendShapeTargets[{target}].{field}: {found} is not below {limit}")]
    Target {
        /// Name of the mesh.
        mesh: String,
        /// Number of the target.
        target: usize,
        /// Array within the target.
        field: &'static str,
        /// The number.
        found: usize,
        /// What it has to be below.
        limit: usize,
    },
}

/// Sums of skin weights this near to one are rounding, and are made one.
const WEIGHT_SUM_TOLERANCE: f32 = 1e-3;

impl Deformer {
    /// Reads joints, meshes, weights and targets of `dna`.
    ///
    /// # Errors
    /// See [`DeformError`].
    pub fn from_dna(dna: &Dna) -> Result<Self, DeformError> {
        let neutral = Neutral::from_dna(dna)?;
        let cm = if dna.descriptor.translation_unit == translation_unit::M { 100.0 } else { 1.0 };
        let channel_count = dna.definition.blend_shape_channel_names.len();
        let mut findings = Vec::new();
        let meshes = neutral.meshes.into_iter().zip(&dna.geometry.meshes).map(|(mesh, source)| {
            let (offsets, influences) = flat_influences(&mesh.name, &mesh.skin, &mut findings);
            let vertex_count = mesh.mesh.positions.len();
            if mesh.skin.vertex_count() != vertex_count {
                let found = mesh.skin.vertex_count();
                return Err(DeformError::SkinWeights { mesh: mesh.name, expected: vertex_count, found });
            }
            let targets = source.blend_shape_targets.iter().enumerate();
            let targets = targets.map(|(number, target)| {
                Target::new(target, vertex_count, channel_count, cm).map_err(|(field, found, limit)| {
                    DeformError::Target { mesh: mesh.name.clone(), target: number, field, found, limit }
                })
            });
            Ok(DeformMesh {
                targets: targets.collect::<Result<_, _>>()?,
                name: mesh.name,
                neutral: mesh.mesh.positions,
                faces: mesh.mesh.faces,
                uv: mesh.mesh.uv,
                offsets,
                influences,
            })
        });
        let meshes = meshes.collect::<Result<_, _>>()?;
        let axes = Axes::from_file(&dna.descriptor.coordinate_system).unwrap_or_else(|| {
            let message = "the axes of the file do not span space; taken as x left, y up, z front";
            let remedy = "set the coordinate system in the descriptor";
            let place = "desc.coordinateSystem";
            findings.push(Finding::new("AXES", Severity::Warning, place, message, remedy));
            Axes::world()
        });
        let lod_of =
            |meshes: &Vec<usize>| meshes.iter().copied().filter(|&m| m < dna.geometry.meshes.len()).collect();
        Ok(Self {
            skeleton: Skeleton::new(neutral.hierarchy, neutral.pose, f64::from(cm)),
            meshes,
            lods: neutral.lods.iter().map(lod_of).collect(),
            axes,
            level: Level::new(),
            findings,
        })
    }

    /// What is odd in the DNA, but does not stop a deformation.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The joints.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// All meshes, in the DNA's order.
    pub fn meshes(&self) -> &[DeformMesh] {
        &self.meshes
    }

    /// Numbers of the meshes of LOD `lod`; empty for an LOD that does not exist.
    pub fn meshes_of_lod(&self, lod: usize) -> &[usize] {
        self.lods.get(lod).map_or(&[], Vec::as_slice)
    }

    /// Number of LODs.
    pub fn lod_count(&self) -> usize {
        self.lods.len()
    }

    /// Neutral vertices of mesh `mesh` in the world.
    ///
    /// # Panics
    /// When there is no such mesh.
    pub fn neutral_positions(&self, mesh: usize) -> Vec<[f32; 3]> {
        self.meshes[mesh].neutral.iter().map(|&p| self.axes.apply(p)).collect()
    }

    /// Writes the vertices of mesh `mesh` where `pose` and the weights of blend shape channels put them. Nothing is
    /// allocated.
    ///
    /// # Panics
    /// When there is no such mesh, `positions` has another length than its vertices, or `pose` is of another
    /// skeleton.
    pub fn deform(&self, mesh: usize, pose: &SkeletonPose, weights: &[f32], positions: &mut [[f32; 3]]) {
        let mesh = &self.meshes[mesh];
        assert_eq!(pose.skin.len(), self.skeleton.hierarchy().len(), "a pose of another skeleton");
        positions.copy_from_slice(&mesh.neutral);
        dispatch!(self.level, _simd => blend(mesh, weights, positions));
        dispatch!(self.level, simd => skin(simd, mesh, &pose.skin, positions));
        if !self.axes.is_world() {
            for position in positions {
                *position = self.axes.apply(*position);
            }
        }
    }

    /// Vertices of all meshes of LOD `lod` where `instance` puts them: mesh number and positions.
    ///
    /// # Panics
    /// When `instance` is of another skeleton.
    pub fn deform_lod(&self, lod: usize, instance: &Instance) -> Vec<(usize, Vec<[f32; 3]>)> {
        let mut pose = self.skeleton.rest();
        self.skeleton.update(instance, &Default::default(), &mut pose);
        let meshes = self.meshes_of_lod(lod).iter();
        let deformed = meshes.map(|&mesh| {
            let mut positions = vec![[0.0; 3]; self.meshes[mesh].vertex_count()];
            self.deform(mesh, &pose, instance.blend_shapes(), &mut positions);
            (mesh, positions)
        });
        deformed.collect()
    }

    /// Mesh `mesh` with other vertex positions, in the world: faces run counter-clockwise as seen from outside.
    ///
    /// # Panics
    /// When there is no such mesh.
    pub fn mesh_at(&self, mesh: usize, positions: Vec<[f32; 3]>) -> Mesh {
        let mesh = &self.meshes[mesh];
        if !self.axes.mirrors() {
            return Mesh { positions, faces: mesh.faces.clone(), uv: mesh.uv.clone() };
        }
        let mut faces = Polygons::with_capacity(mesh.faces.len(), mesh.faces.corners().len());
        let mut uv_corners = Vec::new();
        for face in 0..mesh.faces.len() {
            let corners = mesh.faces.corner_range(face);
            if let Some(uv) = &mesh.uv {
                uv_corners.extend(uv.corners[corners.clone()].iter().rev());
            }
            // As many corners as before, so they can be counted.
            let _ = faces.push(mesh.faces.corners()[corners].iter().rev().copied());
        }
        let uv = mesh.uv.as_ref().map(|uv| UvSet { coords: uv.coords.clone(), corners: uv_corners });
        Mesh { positions, faces, uv }
    }

    /// Writes vertex normals of mesh `mesh` at `positions` in the world: unit length, faces weighted by area; zero
    /// where a vertex has no face.
    ///
    /// # Panics
    /// When there is no such mesh, or a slice has another length than its vertices.
    pub fn normals(&self, mesh: usize, positions: &[[f32; 3]], normals: &mut [[f32; 3]]) {
        let mesh = &self.meshes[mesh];
        assert_eq!(normals.len(), mesh.vertex_count(), "one normal per vertex");
        let sign = if self.axes.mirrors() { -1.0 } else { 1.0 };
        normals.fill([0.0; 3]);
        for face in mesh.faces.iter() {
            // Newell's formula: twice the area vector of a polygon, flat or not.
            let mut sum = [0.0f32; 3];
            for (i, &corner) in face.iter().enumerate() {
                let next = face[(i + 1) % face.len()];
                let (a, b) = (positions[corner as usize], positions[next as usize]);
                sum[0] += (a[1] - b[1]) * (a[2] + b[2]);
                sum[1] += (a[2] - b[2]) * (a[0] + b[0]);
                sum[2] += (a[0] - b[0]) * (a[1] + b[1]);
            }
            for &corner in face {
                for (total, part) in normals[corner as usize].iter_mut().zip(sum) {
                    *total += part;
                }
            }
        }
        for normal in normals {
            let length = (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
            if length > 0.0 {
                *normal = normal.map(|c| sign * c / length);
            }
        }
    }
}

impl DeformMesh {
    /// Name in the DNA.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.neutral.len()
    }

    /// Faces, as in the file.
    pub fn faces(&self) -> &Polygons {
        &self.faces
    }

    /// Texture coordinates, where the file has them for every corner.
    pub fn uv(&self) -> Option<&UvSet> {
        self.uv.as_ref()
    }

    /// Neutral vertices, cm, in the axes of the file.
    pub fn neutral(&self) -> &[[f32; 3]] {
        &self.neutral
    }

    /// Joint numbers and weights of vertex `vertex`, sums that rounding left off one made one; empty for a vertex that
    /// does not exist.
    pub fn influences(&self, vertex: usize) -> &[(u16, f32)] {
        let bound = |at: usize| self.offsets.get(at).map(|&offset| offset as usize);
        match (bound(vertex), bound(vertex + 1)) {
            (Some(from), Some(to)) => self.influences.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Blend shape targets: channel, and the vertices that it moves with their deltas (cm, axes of the file).
    pub fn targets(&self) -> impl ExactSizeIterator<Item = (usize, impl Iterator<Item = (u32, [f32; 3])>)> {
        self.targets.iter().map(|target| (target.channel, target.moved()))
    }
}

impl Target {
    fn new(
        target: &BlendShapeTarget,
        vertex_count: usize,
        channel_count: usize,
        cm: f32,
    ) -> Result<Self, (&'static str, usize, usize)> {
        let channel = usize::from(target.blend_shape_channel_index);
        if channel >= channel_count {
            return Err(("blendShapeChannelIndex", channel, channel_count));
        }
        if let Some(&vertex) = target.vertex_indices.iter().find(|&&vertex| vertex as usize >= vertex_count) {
            return Err(("vertexIndices", vertex as usize, vertex_count));
        }
        let mut runs: Vec<Run> = Vec::new();
        let mut deltas = Vec::with_capacity(target.vertex_indices.len());
        for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
            match runs.last_mut() {
                Some(run) if (run.end()..=run.end() + WIDEST_GAP).contains(&vertex) => {
                    deltas.resize(deltas.len() + (vertex - run.end()) as usize, [0.0; 3]);
                    run.count = vertex + 1 - run.first;
                }
                _ => runs.push(Run { first: vertex, count: 1 }),
            }
            deltas.push(delta.map(|c| c * cm));
        }
        Ok(Self { channel, runs, deltas })
    }

    /// Vertices with deltas that are not zero.
    fn moved(&self) -> impl Iterator<Item = (u32, [f32; 3])> {
        let vertices = self.runs.iter().flat_map(|run| run.first..run.end());
        vertices.zip(self.deltas.iter().copied()).filter(|(_, delta)| *delta != [0.0; 3])
    }
}

impl Run {
    fn end(self) -> u32 {
        self.first + self.count
    }
}

/// Influences as two flat arrays. Sums of weights that differ from one by rounding are made one, so that a pose that
/// moves nothing leaves a vertex where it is; others are kept and reported.
fn flat_influences(
    mesh: &str,
    skin: &SkinWeights,
    findings: &mut Vec<Finding>,
) -> (Vec<u32>, Vec<(u16, f32)>) {
    let mut offsets = Vec::with_capacity(skin.vertex_count() + 1);
    let mut influences = Vec::new();
    let mut odd: Option<(usize, usize, f64)> = None;
    offsets.push(0);
    for vertex in 0..skin.vertex_count() {
        // from 0 on: the sum of no numbers is -0
        let sum = skin.influences(vertex).fold(0.0, |sum, (_, weight)| sum + f64::from(weight));
        let is_rounding = (sum - 1.0).abs() <= f64::from(WEIGHT_SUM_TOLERANCE);
        let factor = if is_rounding { 1.0 / sum } else { 1.0 };
        if !is_rounding {
            let (count, first, value) = odd.unwrap_or((0, vertex, sum));
            odd = Some((count + 1, first, value));
        }
        let own = skin.influences(vertex);
        influences.extend(own.map(|(joint, weight)| (joint.0, (f64::from(weight) * factor) as f32)));
        offsets.push(influences.len() as u32);
    }
    if let Some((count, first, sum)) = odd {
        let message = format!("skin weights of {count} vertices do not sum to 1");
        let remedy = "normalize the skin weights; these vertices move towards the origin";
        let place = format!("{mesh}: vertex {first}");
        findings.push(
            Finding::new("SKIN_WEIGHT_SUM", Severity::Warning, place, message, remedy).with_values(1, sum),
        );
    }
    (offsets, influences)
}

/// Adds the blend shapes that are in use.
#[inline(always)]
fn blend(mesh: &DeformMesh, weights: &[f32], positions: &mut [[f32; 3]]) {
    for target in &mesh.targets {
        let weight = weights.get(target.channel).copied().unwrap_or(0.0);
        if weight == 0.0 {
            continue;
        }
        let mut deltas = target.deltas.as_slice();
        for run in &target.runs {
            let (own, rest) = deltas.split_at(run.count as usize);
            deltas = rest;
            let moved = positions[run.first as usize..run.end() as usize].as_flattened_mut();
            for (coordinate, delta) in moved.iter_mut().zip(own.as_flattened()) {
                *coordinate += delta * weight;
            }
        }
    }
}

/// Linear blend skinning in place: each vertex by the weighted mean of its joints' maps.
#[inline(always)]
fn skin<S: Simd>(simd: S, mesh: &DeformMesh, maps: &[[[f32; 4]; 3]], positions: &mut [[f32; 3]]) {
    let bounds = mesh.offsets.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize);
    for (position, bounds) in positions.iter_mut().zip(bounds) {
        let mut blend = [f32x4::splat(simd, 0.0); 3];
        for &(joint, weight) in &mesh.influences[bounds] {
            let weight = f32x4::splat(simd, weight);
            for (blend, row) in blend.iter_mut().zip(&maps[usize::from(joint)]) {
                // Not fused, as everywhere: a fused product would round differently from one machine to the next.
                *blend += f32x4::simd_from(simd, *row) * weight;
            }
        }
        let [x, y, z] = *position;
        *position = blend.map(|row| row[0] * x + row[1] * y + row[2] * z + row[3]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_without_weights_is_reported_with_a_sum_of_0() {
        let mut skin = SkinWeights::default();
        skin.push([]);
        let mut findings = Vec::new();
        let (offsets, influences) = flat_influences("teeth", &skin, &mut findings);
        assert_eq!((offsets, influences), (vec![0, 0], Vec::new()));
        assert_eq!(findings[0].code, "SKIN_WEIGHT_SUM");
        assert_eq!(findings[0].found.as_deref(), Some("0"));
    }
}
