use std::path::{Path, PathBuf};

use mhrig_dna::Dna;
use mhrig_report::{Finding, Job, Severity};
use serde::Serialize;

use crate::dna_file::{read_dna, unreadable};
use crate::report::{Recorder, Report, Stop};

/// Asks what a DNA file holds.
#[derive(Clone, Debug, Default)]
pub struct InspectRequest {
    /// The file.
    pub file: PathBuf,
}

/// What a DNA file holds.
#[derive(Clone, Debug, Serialize)]
pub struct InspectDetails {
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its file version, such as `2.5`.
    pub version: String,
    /// Name of the character; not reliable in files as they come.
    pub name: String,
    /// Rig definition, such as `MH.6`.
    pub db_name: String,
    /// Layers in file order, with their versions: `geom1.1`. Empty for 2.1 files, which have fixed sections.
    pub layers: Vec<String>,
    /// How much of everything there is, in an order that does not change.
    pub counts: Vec<InspectCount>,
    /// Meshes with their sizes.
    pub meshes: Vec<InspectMesh>,
}

/// One number of [`InspectDetails::counts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InspectCount {
    /// What is counted, in the plural.
    pub what: &'static str,
    /// How many there are.
    pub count: usize,
}

/// A mesh of a DNA file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InspectMesh {
    /// Its name.
    pub name: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of faces.
    pub faces: usize,
    /// Number of blend shape targets.
    pub blend_shape_targets: usize,
}

/// Says what a DNA file holds.
pub fn inspect(request: &InspectRequest, job: Job<'_>) -> Report<InspectDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &InspectRequest, recorder: &mut Recorder<'_>) -> Result<InspectDetails, Stop> {
    let file = request.file.as_path();
    recorder.stage("read", |findings, _| {
        let (dna, notes) = read_dna(file)?;
        findings.extend(notes.iter().map(|note| {
            let place = file.display().to_string();
            Finding::new(
                "DNA_NOTE",
                Severity::Info,
                place,
                note.to_string(),
                "nothing to do; know it before a rewrite",
            )
        }));
        let bytes = std::fs::metadata(file).map_err(|error| unreadable(file, &error.into()))?.len();
        Ok(describe(file, bytes, &dna))
    })
}

fn describe(file: &Path, bytes: u64, dna: &Dna) -> InspectDetails {
    let name =
        |index: usize| dna.definition.mesh_names.get(index).map(ToString::to_string).unwrap_or_default();
    let mesh = |(index, mesh): (usize, &mhrig_dna::Mesh)| InspectMesh {
        name: name(index),
        vertices: mesh.positions.len(),
        faces: mesh.faces.len(),
        blend_shape_targets: mesh.blend_shape_targets.len(),
    };
    InspectDetails {
        file: file.to_owned(),
        bytes,
        version: dna.version.to_string(),
        name: dna.descriptor.name.to_string(),
        db_name: dna.descriptor.db_name.to_string(),
        layers: dna.layers.iter().map(mhrig_dna::Layer::name).collect(),
        counts: dna
            .counts()
            .into_iter()
            .map(|count| InspectCount { what: count.what, count: count.count })
            .collect(),
        meshes: dna.geometry.meshes.iter().enumerate().map(mesh).collect(),
    }
}

#[cfg(test)]
mod tests {
    use mhrig_report::{Cancel, Silent};

    use super::*;
    use crate::report::Status;

    fn inspected(file: &Path) -> Report<InspectDetails> {
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        inspect(&InspectRequest { file: file.to_owned() }, job)
    }

    #[test]
    fn says_what_is_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("角色 é.dna");
        std::fs::write(&file, Dna::new(mhrig_dna::FileVersion::new(5)).to_bytes().unwrap()).unwrap();
        let report = inspected(&file);
        assert_eq!(report.status, Status::Ok);
        let details = report.details.unwrap();
        assert_eq!(details.version, "2.5");
        assert!(details.layers.iter().any(|layer| layer.starts_with("geom")));
        assert!(details.counts.iter().any(|count| count.what == "joints" && count.count == 0));
    }

    #[test]
    fn says_what_is_no_dna_file_and_what_is_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dna");
        for content in [None, Some("PK\u{3}\u{4}")] {
            if let Some(content) = content {
                std::fs::write(&file, content).unwrap();
            }
            let report = inspected(&file);
            assert_eq!(report.status, Status::Refused);
            assert_eq!(report.findings[0].code, "DNA_UNREADABLE");
            assert!(!report.findings[0].remedy.is_empty());
        }
    }
}
