use std::path::PathBuf;

use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{ReadOptions, SceneError, SceneMeshes, read_inputs};

use crate::report::{Blame, Stop};

/// Where the meshes of a person come from.
#[derive(Clone, Debug)]
pub enum MeshSource {
    /// Files, or folders of OBJ files.
    Files {
        /// The paths.
        paths: Vec<PathBuf>,
        /// How they are read.
        options: ReadOptions,
    },
    /// Meshes that the caller has in memory (a host application's scene).
    Scene(SceneMeshes),
}

impl Default for MeshSource {
    fn default() -> Self {
        Self::Scene(SceneMeshes::default())
    }
}

impl MeshSource {
    /// Files read with the default options.
    pub fn files(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Self::Files { paths, options: ReadOptions::default() }
    }

    /// The meshes: read now, or those in memory.
    pub(crate) fn load(&self, findings: &mut Vec<Finding>, job: Job<'_>) -> Result<Loaded<'_>, Stop> {
        let loaded = match self {
            Self::Scene(scene) => Loaded::Borrowed(scene),
            Self::Files { paths, .. } if paths.is_empty() => {
                return Err(Stop::Blamed(
                    Finding::new(
                        "NO_INPUT",
                        Severity::Error,
                        "MESHES",
                        "no mesh files were given",
                        "name OBJ or .ma files, or a folder of OBJ files",
                    ),
                    Blame::Usage,
                ));
            }
            Self::Files { paths, options } => {
                let read = read_inputs(paths, options, job);
                Loaded::Owned(read.map_err(|error| match error {
                    SceneError::Cancelled(cancelled) => Stop::Cancelled(cancelled),
                    error => Stop::from(error.to_finding()),
                })?)
            }
        };
        findings.extend(loaded.scene().findings.iter().cloned());
        Ok(loaded)
    }
}

/// The meshes of a [`MeshSource`].
pub(crate) enum Loaded<'a> {
    Borrowed(&'a SceneMeshes),
    Owned(SceneMeshes),
}

impl Loaded<'_> {
    pub(crate) fn scene(&self) -> &SceneMeshes {
        match self {
            Self::Borrowed(scene) => scene,
            Self::Owned(scene) => scene,
        }
    }
}
