//! Meshes and what deforms them.

use mhrig_geom::Mesh;

/// A mesh of a rig.
#[derive(Clone, Debug, PartialEq)]
pub struct RigMesh {
    /// Name of its transform, with namespace.
    pub name: String,
    /// The group that it is below of.
    pub parent: String,
    /// Vertices in the world at rest (cm), faces, texture coordinates.
    pub mesh: Mesh,
    /// Normals that are not computed from the faces, ordered by corner.
    pub locked_normals: Vec<LockedNormal>,
    /// Number of its material.
    pub material: u32,
}

/// A normal that stays as it is while faces around it change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LockedNormal {
    /// The face corner, counted over all faces.
    pub corner: u32,
    /// The direction, of length one.
    pub normal: [f32; 3],
}

/// Shapes that a mesh can be blended with, before it is skinned.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendShape {
    /// Its name, with namespace.
    pub name: String,
    /// Number of its mesh.
    pub mesh: u32,
    /// The shapes; the weight of the shape number `i` is the attribute `weight[i]`.
    pub targets: Vec<ShapeTarget>,
}

/// One shape of a [`BlendShape`].
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeTarget {
    /// The name that its weight has.
    pub name: String,
    /// Vertices that it moves, ascending.
    pub vertices: Vec<u32>,
    /// How far each of them moves at weight 1, cm.
    pub deltas: Vec<[f32; 3]>,
}

/// A mesh bound to joints: classic linear skinning, weights that are kept normalised.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinCluster {
    /// Its name, with namespace.
    pub name: String,
    /// Number of its mesh.
    pub mesh: u32,
    /// Numbers of its joints among those of the scene, ascending.
    pub influences: Vec<u32>,
    /// Per influence `joint_from_world` at rest, row after row, for row vectors as Maya has them.
    pub bind_pre: Vec<[f64; 16]>,
    /// Weights of the vertex `v` are those from `offsets[v]` to `offsets[v + 1]`; one more than there are vertices.
    pub offsets: Vec<u32>,
    /// Number of the influence within this node, and weight; ascending within a vertex.
    pub weights: Vec<(u16, f32)>,
    /// Most influences that a vertex may have.
    pub max_influences: u16,
}

impl SkinCluster {
    /// Weights of one vertex; empty for a vertex that does not exist.
    pub fn weights_of(&self, vertex: usize) -> &[(u16, f32)] {
        let bound = |at: usize| self.offsets.get(at).map(|&offset| offset as usize);
        match (bound(vertex), bound(vertex + 1)) {
            (Some(from), Some(to)) => self.weights.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }
}
