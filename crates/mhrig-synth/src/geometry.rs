//! Meshes of the human as meshes of a DNA.

use std::collections::HashMap;

use mhrig_dna::{BlendShapeTarget, TextureCoordinates, Vectors3, VertexLayouts, VertexSkinWeights};
use mhrig_geom::{Mesh, SkinWeights};
use nalgebra::Vector3;

use crate::SparseShape;

/// One mesh of one LOD, before it has blend shapes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LodMesh {
    /// Name, such as `head_lod2_mesh`.
    pub(crate) name: String,
    pub(crate) mesh: Mesh,
    /// Influences as joint numbers of the part, sums 1.
    pub(crate) skin: SkinWeights,
    /// Unit normals per vertex.
    pub(crate) normals: Vec<Vector3<f64>>,
    /// Cap of influences per vertex.
    pub(crate) maximum_influences: u16,
}

/// The mesh as a DNA stores it: one layout per pair of vertex and texture coordinate, one normal per vertex.
pub(crate) fn dna_mesh(lod_mesh: &LodMesh, targets: Vec<BlendShapeTarget>) -> mhrig_dna::Mesh {
    let LodMesh { mesh, skin, normals, maximum_influences, .. } = lod_mesh;
    let mut layouts = VertexLayouts::default();
    let mut known: HashMap<(u32, u32), u32> = HashMap::new();
    let mut faces = Vec::with_capacity(mesh.faces.len());
    for face in 0..mesh.faces.len() {
        let corners = mesh.faces.corner_range(face).zip(mesh.faces.face(face));
        let corners = corners.map(|(corner, &position)| {
            let uv = mesh.uv.as_ref().map_or(0, |uv| uv.corners[corner]);
            *known.entry((position, uv)).or_insert_with(|| {
                layouts.positions.push(position);
                layouts.texture_coordinates.push(uv);
                layouts.normals.push(position);
                (layouts.positions.len() - 1) as u32
            })
        });
        faces.push(corners.collect());
    }
    let coords = mesh.uv.as_ref().map_or(&[][..], |uv| &uv.coords);
    let normals: Vec<[f32; 3]> = normals.iter().map(|normal| normal.map(|c| c as f32).into()).collect();
    let skin_weights = (0..skin.vertex_count()).map(|vertex| {
        let influences = skin.influences(vertex);
        VertexSkinWeights {
            weights: influences.clone().map(|(_, weight)| weight).collect(),
            joint_indices: influences.map(|(joint, _)| joint.0).collect(),
        }
    });
    mhrig_dna::Mesh {
        positions: Vectors3::from_vectors(&mesh.positions),
        texture_coordinates: TextureCoordinates {
            us: coords.iter().map(|uv| uv[0]).collect(),
            vs: coords.iter().map(|uv| uv[1]).collect(),
        },
        normals: Vectors3::from_vectors(&normals),
        layouts,
        faces,
        maximum_influence_per_vertex: *maximum_influences,
        skin_weights: skin_weights.collect(),
        blend_shape_targets: targets,
    }
}

/// A shape as a blend shape target of channel `channel`.
pub(crate) fn target(shape: &SparseShape, channel: u16) -> BlendShapeTarget {
    BlendShapeTarget {
        deltas: Vectors3::from_vectors(&shape.deltas),
        vertex_indices: shape.vertices.clone(),
        blend_shape_channel_index: channel,
    }
}
