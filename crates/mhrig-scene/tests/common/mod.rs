//! What the tests of the readers share.
#![allow(clippy::unwrap_used, dead_code)]

use std::path::Path;

use mhrig_report::{Cancel, Finding, Job, Silent};
use mhrig_scene::{ReadOptions, SceneError, SceneMeshes, read_mesh_bytes, read_meshes};

/// Reads `file`.
pub(crate) fn read_with(file: &Path, options: &ReadOptions) -> Result<SceneMeshes, SceneError> {
    let cancel = Cancel::default();
    read_meshes(file, options, Job { progress: &Silent, cancel: &cancel })
}

/// Reads `bytes` as a file called `name`.
pub(crate) fn read_bytes_with(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<SceneMeshes, SceneError> {
    let cancel = Cancel::default();
    read_mesh_bytes(
        &Path::new("folder").join(name),
        bytes,
        options,
        Job { progress: &Silent, cancel: &cancel },
    )
}

/// Reads `bytes` as a file called `name`.
pub(crate) fn read_bytes(name: &str, bytes: &[u8]) -> Result<SceneMeshes, SceneError> {
    read_bytes_with(name, bytes, &ReadOptions::default())
}

/// Reads `text` as a file called `name`.
pub(crate) fn read(name: &str, text: &str) -> SceneMeshes {
    read_bytes(name, text.as_bytes()).unwrap()
}

/// The error of reading `text` as a file called `name`, as a finding whose place has no folder.
pub(crate) fn error(name: &str, text: &str) -> Finding {
    let mut finding = read_bytes(name, text.as_bytes()).unwrap_err().to_finding();
    finding.place = place(&finding);
    finding
}

/// The place of a finding without the folder.
pub(crate) fn place(finding: &Finding) -> String {
    let file = finding.place.split(": ").next().unwrap();
    let start = file.rfind(['/', '\\']).map_or(0, |at| at + 1);
    finding.place[start..].to_owned()
}

/// The names of the meshes.
pub(crate) fn names(scene: &SceneMeshes) -> Vec<&str> {
    scene.meshes.iter().map(|mesh| mesh.name.as_str()).collect()
}

/// The only finding with this code, of the scene and its meshes.
pub(crate) fn finding<'a>(scene: &'a SceneMeshes, code: &str) -> &'a Finding {
    let of_meshes = scene.meshes.iter().flat_map(|mesh| &mesh.findings);
    let of_broken = scene.broken.iter().map(|broken| &broken.finding);
    let all: Vec<_> = scene.findings.iter().chain(of_meshes).chain(of_broken).collect();
    let with_code: Vec<_> = all.iter().filter(|finding| finding.code == code).collect();
    assert_eq!(with_code.len(), 1, "{code} in {all:#?}");
    with_code[0]
}

/// All codes, of the scene and its meshes.
pub(crate) fn codes(scene: &SceneMeshes) -> Vec<&'static str> {
    let of_meshes = scene.meshes.iter().flat_map(|mesh| &mesh.findings);
    let of_broken = scene.broken.iter().map(|broken| &broken.finding);
    scene.findings.iter().chain(of_meshes).chain(of_broken).map(|finding| finding.code).collect()
}
