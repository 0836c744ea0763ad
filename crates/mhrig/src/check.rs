use std::path::PathBuf;

use mhrig_fit::{FitTemplate, MeshCheck};
use mhrig_report::Job;
use serde::Serialize;

use crate::build::ArchetypeId;
use crate::meshes::MeshSource;
use crate::parts::Parts;
use crate::person::{load_archetype, load_meshes, prepare};
use crate::report::{Recorder, Report, Stop};
use crate::topology::check_person;

/// Asks whether meshes have the archetype's topology.
#[derive(Clone, Debug, Default)]
pub struct CheckRequest {
    /// The archetype folder.
    pub archetype: PathBuf,
    /// The person's meshes.
    pub meshes: MeshSource,
    /// Which parts.
    pub parts: Parts,
}

/// What a check has to say.
#[derive(Clone, Debug, Serialize)]
pub struct CheckDetails {
    /// Which archetype was used.
    pub archetype: ArchetypeId,
    /// Every mesh of the archetype, head first.
    pub meshes: Vec<MeshCheck>,
}

/// Compares meshes with the archetype's. Findings of severity warning or error make the status
/// [`crate::Status::Findings`].
pub fn check(request: &CheckRequest, job: Job<'_>) -> Report<CheckDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, true)
}

fn run(request: &CheckRequest, recorder: &mut Recorder<'_>) -> Result<CheckDetails, Stop> {
    let archetype = load_archetype(&request.archetype, recorder)?;
    let loaded = load_meshes(&request.meshes, recorder)?;
    let templates = prepare(&archetype, request.parts, recorder)?;
    let fits: Vec<&FitTemplate> = templates.iter().map(|template| &template.template).collect();
    let report = recorder.stage("check", |findings, job| {
        let checked = check_person(&fits, loaded.scene(), true, job)?;
        findings.extend(checked.report.findings);
        Ok(checked.report.meshes)
    })?;
    Ok(CheckDetails { archetype: ArchetypeId::of(&archetype), meshes: report })
}
