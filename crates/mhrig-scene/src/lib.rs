//! Scene files: meshes in, meshes out.
//!
//! [`read_meshes`] and [`read_inputs`] turn Wavefront OBJ, Maya ASCII, glTF and FBX files into one model, [`SceneMesh`]:
//! polygons in world space, centimetres, Y up, with the place each part comes from. A mesh is known by its name
//! without namespace; [`SceneMeshes::resolve`] finds the meshes that a caller wants and says which names are
//! ambiguous. [`write_obj`] and [`write_ma`] write the same model; both forms read back to the same bits.
//!
//! Nothing in a file makes the readers panic; memory grows with the meshes in a file, not with the counts it claims.
#![forbid(unsafe_code)]

mod error;
mod fbx;
mod format;
mod gltf;
mod ma;
mod names;
mod number;
mod obj;
mod obj_write;
mod read;
mod resolve;
mod rig_scene;
mod scene_mesh;
mod skin;

pub use error::{Place, SceneError};
pub use format::{FileKind, MeshFormat};
pub use gltf::{MorphMoves, RigGlbContent, RigGlbReport, RigMorph, VertexMove, write_glb, write_rig_glb};
pub use ma::{
    CreatedNode, MaWriteOptions, RigStage, RigStatements, created_nodes, lint_ma, network_statements,
    read_rig_ma, read_rig_ma_bytes, rig_statements, transform_statements, write_ma, write_rig_ma,
};
pub use obj_write::write_obj;
pub use read::{ReadOptions, Space, UpAxis, input_files, read_inputs, read_mesh_bytes, read_meshes};
pub use resolve::Resolved;
pub use rig_scene::{
    BlendShape, Connection, Constraint, ConstraintKind, ConstraintTarget, CurveOutput, CustomAttribute,
    DisplayLayer, DrivenCurve, Joint, LOD_ATTRIBUTE, Limit, LockedNormal, Material, NamingPatterns,
    ObjectSet, Plug, PluginRequirement, RigLogicKind, RigLogicNode, RigMesh, RigScene, Shape, ShapeTarget,
    SkinCluster, TransformNode, UtilityKind, UtilityNode, Wire, is_node_name, parent_from_joint,
    parent_from_transform, place_of,
};
pub use scene_mesh::{BrokenMesh, MeshTransform, NamedMesh, NamedUvSet, SceneMesh, SceneMeshes};
pub use skin::{SceneSkin, read_skins};
