//! Maya ASCII: meshes in and out.
//!
//! A `.ma` file is a list of MEL statements, of which a handful matter here: `createNode` and `setAttr` build
//! nodes, `parent` instances them, `connectAttr` says which mesh is the result of which history. The file streams
//! through a buffer; only transforms, meshes and what ties them together are kept.

mod attribute;
mod created;
mod document;
mod lexer;
mod lint;
mod mesh_node;
mod rig_read;
mod rig_statements;
mod rig_write;
mod scene;
mod skin;
mod statements;
mod transform;
mod values;
mod world;
mod write;

use std::io::Read;
use std::path::Path;

use mhrig_report::Job;

use crate::error::SceneError;
use crate::read::ReadOptions;
use crate::scene_mesh::SceneMeshes;

pub use created::{CreatedNode, created_nodes};
pub(crate) use lint::built_in_attributes;
pub use lint::lint_ma;
pub use rig_read::{read_rig_ma, read_rig_ma_bytes};
pub use rig_statements::{RigStage, RigStatements, network_statements, rig_statements, transform_statements};
pub use rig_write::write_rig_ma;
pub(crate) use skin::read_skins;
pub use write::{MaWriteOptions, write_ma};

/// Reads the meshes of the Maya ASCII scene that `input` yields.
pub(crate) fn read_ma(
    file: &Path,
    input: impl Read,
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let scene = statements::read_statements(file, input, options, job)?;
    world::meshes_of(file, scene, options, job)
}
