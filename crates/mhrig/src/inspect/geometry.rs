//! Meshes, LODs, and where the bytes go.

use std::collections::BTreeSet;

use mhrig_dna::Dna;
use serde::Serialize;

use super::{lods_of_items, name_at};

/// A mesh of a DNA file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectMesh {
    /// Its name.
    pub name: String,
    /// LODs that have it.
    pub lods: Vec<u16>,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of faces.
    pub faces: usize,
    /// Faces by their number of corners: three, four, others.
    pub corners: [usize; 3],
    /// Number of texture coordinates.
    pub texture_coordinates: usize,
    /// Number of normals.
    pub normals: usize,
    /// Number of layouts, which combine a vertex, a texture coordinate and a normal.
    pub layouts: usize,
    /// The file's cap of influences per vertex.
    pub influence_cap: u16,
    /// Most influences that a vertex has.
    pub most_influences: usize,
    /// Joints that have a weight in it.
    pub joints: usize,
    /// Number of blend shape targets.
    pub blend_shape_targets: usize,
    /// Number of vertices that its targets move, each counted once per target.
    pub blend_shape_deltas: usize,
    /// Least and greatest coordinates of the neutral vertices; none for a mesh without vertices.
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// A LOD of a DNA file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InspectLod {
    /// Its number; 0 is the most detailed.
    pub lod: u16,
    /// Names of its meshes.
    pub meshes: Vec<String>,
    /// Number of its vertices.
    pub vertices: usize,
    /// Number of its faces.
    pub faces: usize,
    /// Number of its joints.
    pub joints: usize,
    /// Joints of it that the next more detailed LOD does not have.
    pub joints_not_in_finer: usize,
    /// Number of its blend shape channels.
    pub blend_shape_channels: usize,
    /// Number of its animated maps.
    pub animated_maps: usize,
    /// Rows of joint groups that are in use.
    pub joint_rows: usize,
    /// Rows of blend shape channels that are in use.
    pub blend_shape_rows: usize,
    /// Rows of animated maps that are in use.
    pub animated_map_rows: usize,
    /// Number of its RBF solvers.
    pub rbf_solvers: usize,
    /// Number of its neural networks.
    pub neural_networks: usize,
}

/// Bytes of one layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectSize {
    /// `header`, the layer such as `geom1.1`, or `unused` for bytes of the file that belong to no layer.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its share of the file.
    pub share: f64,
    /// What they are for, where that can be told.
    pub parts: Vec<InspectPart>,
}

/// Bytes of a part of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InspectPart {
    /// What they are for.
    pub name: &'static str,
    /// How many they are.
    pub bytes: u64,
}

pub(super) fn meshes(dna: &Dna) -> Vec<InspectMesh> {
    let definition = &dna.definition;
    let count = dna.geometry.meshes.len();
    let mut lods = lods_of_items(&definition.lod_mesh_mapping, dna.descriptor.lod_count, count);
    let describe = |(index, mesh): (usize, &mhrig_dna::Mesh)| {
        let mut corners = [0; 3];
        for face in &mesh.faces {
            corners[match face.len() {
                3 => 0,
                4 => 1,
                _ => 2,
            }] += 1;
        }
        let skin = &mesh.skin_weights;
        let joints: BTreeSet<u16> = skin.iter().flat_map(|weights| &weights.joint_indices).copied().collect();
        InspectMesh {
            name: name_at(&definition.mesh_names, index),
            lods: std::mem::take(&mut lods[index]),
            vertices: mesh.positions.len(),
            faces: mesh.faces.len(),
            corners,
            texture_coordinates: mesh.texture_coordinates.us.len(),
            normals: mesh.normals.len(),
            layouts: mesh.layouts.positions.len(),
            influence_cap: mesh.maximum_influence_per_vertex,
            most_influences: skin.iter().map(|weights| weights.joint_indices.len()).max().unwrap_or(0),
            joints: joints.len(),
            blend_shape_targets: mesh.blend_shape_targets.len(),
            blend_shape_deltas: mesh
                .blend_shape_targets
                .iter()
                .map(|target| target.vertex_indices.len())
                .sum(),
            bounds: bounds(mesh),
        }
    };
    dna.geometry.meshes.iter().enumerate().map(describe).collect()
}

fn bounds(mesh: &mhrig_dna::Mesh) -> Option<[[f32; 3]; 2]> {
    mesh.positions.iter().fold(None, |bounds, position| {
        let [least, greatest] = bounds.unwrap_or([position; 2]);
        let pick = |of: [f32; 3], choose: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|axis| choose(of[axis], position[axis]))
        };
        Some([pick(least, f32::min), pick(greatest, f32::max)])
    })
}

pub(super) fn lods(dna: &Dna) -> Vec<InspectLod> {
    let definition = &dna.definition;
    let behavior = &dna.behavior;
    let rows = |lods: &[u16], lod: usize| lods.get(lod).map_or(0, |&rows| usize::from(rows));
    let mut finer: Option<BTreeSet<u16>> = None;
    (0..dna.descriptor.lod_count)
        .map(|number| {
            let lod = usize::from(number);
            let meshes = definition.lod_mesh_mapping.members(lod);
            let of_meshes = |count: fn(&mhrig_dna::Mesh) -> usize| {
                let meshes = meshes.iter().filter_map(|&mesh| dna.geometry.meshes.get(usize::from(mesh)));
                meshes.map(count).sum()
            };
            let joints: BTreeSet<u16> = definition.lod_joint_mapping.members(lod).iter().copied().collect();
            let joint_count = joints.len();
            let joints_not_in_finer =
                finer.replace(joints.clone()).map_or(0, |finer| joints.difference(&finer).count());
            InspectLod {
                lod: number,
                meshes: meshes
                    .iter()
                    .map(|&mesh| name_at(&definition.mesh_names, usize::from(mesh)))
                    .collect(),
                vertices: of_meshes(|mesh| mesh.positions.len()),
                faces: of_meshes(|mesh| mesh.faces.len()),
                joints: joint_count,
                joints_not_in_finer,
                blend_shape_channels: definition.lod_blend_shape_mapping.members(lod).len(),
                animated_maps: definition.lod_animated_map_mapping.members(lod).len(),
                joint_rows: behavior.joints.joint_groups.iter().map(|group| rows(&group.lods, lod)).sum(),
                blend_shape_rows: rows(&behavior.blend_shape_channels.lods, lod),
                animated_map_rows: rows(&behavior.animated_maps.lods, lod),
                rbf_solvers: dna.rbf_behavior.lod_solver_mapping.members(lod).len(),
                neural_networks: dna.machine_learned_behavior.lod_neural_network_mapping.members(lod).len(),
            }
        })
        .collect()
}

/// Bytes per layer; those of the file that no layer accounts for come last.
pub(super) fn sizes(dna: &Dna, file_bytes: u64) -> Vec<InspectSize> {
    let share = |bytes: u64| if file_bytes == 0 { 0.0 } else { bytes as f64 / file_bytes as f64 };
    let size = |layer: mhrig_dna::LayerSize| InspectSize {
        share: share(layer.bytes),
        name: layer.name,
        bytes: layer.bytes,
        parts: layer.parts.into_iter().map(|(name, bytes)| InspectPart { name, bytes }).collect(),
    };
    let mut sizes: Vec<InspectSize> = dna.layer_sizes().into_iter().map(size).collect();
    let unused = file_bytes.saturating_sub(dna.file_size());
    if unused > 0 {
        let name = "unused".to_owned();
        sizes.push(InspectSize { name, bytes: unused, share: share(unused), parts: Vec::new() });
    }
    sizes
}
