//! Meshes, joint hierarchies and the geometry behind joint placement.
//!
//! Lengths are centimetres, angles radians, the world is right-handed with Y up, the character faces +Z and has
//! its left at +X. Stored positions are `f32`; fitting works in `f64`. Transforms are named `a_from_b` and act
//! on column vectors.
#![forbid(unsafe_code)]

mod affine;
mod ids;
mod joints;
mod mesh;
mod pairs;
mod rotation;
mod similarity;
mod skin;
mod sphere;
mod triangle_tree;

pub use affine::{Affine, fit_affine};
pub use ids::{JointId, LodId, VertexId};
pub use joints::{HierarchyError, JointHierarchy, JointPose};
pub use mesh::{Mesh, Polygons, PolygonsError, UvSet};
pub use rotation::{euler_xyz_from_rotation, rotation_angle, rotation_from_euler_xyz};
pub use similarity::{Similarity, SimilarityKind, determines_rotation, fit_similarity};
pub use skin::SkinWeights;
pub use sphere::{Sphere, fit_sphere};
pub use triangle_tree::{TrianglePoint, TriangleTree, closest_on_triangle};
