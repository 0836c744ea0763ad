//! Skin weights of the meshes of a scene.

use std::fs::File;
use std::path::Path;

use mhrig_report::Job;

use crate::error::SceneError;
use crate::format::MeshFormat;
use crate::{fbx, ma};

/// The weights of a mesh as a scene has them.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SceneSkin {
    /// Name of the mesh without namespace.
    pub mesh: String,
    /// Names of the joints without namespace.
    pub joints: Vec<String>,
    /// Per vertex of the mesh, its influences: number in `joints` and weight.
    pub influences: Vec<Vec<(u16, f32)>>,
}

/// Reads the skin weights of a Maya ASCII or FBX file. Other formats give none: OBJ has no weights, and the vertices of
/// a glTF mesh are not those of the mesh that was modelled.
///
/// # Errors
/// [`SceneError`] for a file that cannot be read.
pub fn read_skins(file: &Path, job: Job<'_>) -> Result<Vec<SceneSkin>, SceneError> {
    let unreadable = |source| SceneError::Unreadable { file: file.to_owned(), source };
    match MeshFormat::from_suffix(file) {
        Some(MeshFormat::MayaAscii) => ma::read_skins(file, File::open(file).map_err(unreadable)?, job),
        Some(MeshFormat::Fbx) => fbx::read_skins(file, &std::fs::read(file).map_err(unreadable)?, job),
        _ => Ok(Vec::new()),
    }
}
