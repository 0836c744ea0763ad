//! The first half of every job on a person: archetype, meshes, check, joints.

use std::path::Path;

use mhrig_archetype::Archetype;
use mhrig_fit::FitTemplate;
use mhrig_report::{Finding, Severity};
use mhrig_scene::SceneMesh;
use rayon::prelude::*;

use crate::joints_csv::Truth;
use crate::meshes::{Loaded, MeshSource};
use crate::parts::Parts;
use crate::placing::{PartTemplate, PlacedPart, PlacingOptions, place};
use crate::report::{Recorder, Stop};
use crate::topology::check_person;

/// What placing a person needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonRequest {
    pub(crate) placing: PlacingOptions,
    /// Whether missing decorative meshes will be filled.
    pub(crate) fill_missing: bool,
}

pub(crate) fn load_archetype(dir: &Path, recorder: &mut Recorder<'_>) -> Result<Archetype, Stop> {
    recorder.stage("archetype", |findings, _| {
        let archetype = Archetype::load(dir)?;
        findings.extend(archetype.findings.iter().cloned());
        Ok(archetype)
    })
}

/// One part of a person: its template, its meshes, where its joints went.
pub(crate) struct PersonPart<'a> {
    pub(crate) template: &'a PartTemplate<'a>,
    pub(crate) meshes: Vec<(&'a str, &'a SceneMesh)>,
    pub(crate) placed: PlacedPart,
}

pub(crate) fn load_meshes<'a>(
    source: &'a MeshSource,
    recorder: &mut Recorder<'_>,
) -> Result<Loaded<'a>, Stop> {
    recorder.stage("meshes", |findings, job| source.load(findings, job))
}

/// The parts of `archetype` that are wanted, prepared for fitting, head first.
pub(crate) fn prepare<'a>(
    archetype: &'a Archetype,
    parts: Parts,
    recorder: &mut Recorder<'_>,
) -> Result<Vec<PartTemplate<'a>>, Stop> {
    let parts = parts.of(archetype)?;
    recorder.stage("prepare", |_, _| {
        parts.into_par_iter().map(|part| PartTemplate::new(archetype, part)).collect::<Result<_, _>>()
    })
}

/// Checks the meshes and places the joints; parts in the order of `templates`.
pub(crate) fn place_person<'a>(
    request: &PersonRequest,
    templates: &'a [PartTemplate<'a>],
    loaded: &'a Loaded<'_>,
    recorder: &mut Recorder<'_>,
) -> Result<Vec<PersonPart<'a>>, Stop> {
    let checked = recorder.stage("check", |findings, job| {
        let fits: Vec<&FitTemplate> = templates.iter().map(|template| &template.template).collect();
        let checked = check_person(&fits, loaded.scene(), request.fill_missing, job)?;
        findings.extend(checked.report.findings.iter().cloned());
        Ok(checked)
    })?;
    recorder.stop_on_errors()?;
    recorder.stage("joints", |_, job| {
        let mut placed: Vec<PersonPart<'_>> = Vec::new();
        // Body first: its shared joints are what the head has to agree with.
        for template in templates.iter().rev() {
            let is_ours = |name: &str| template.template.meshes().iter().any(|mesh| mesh.name == name);
            let meshes: Vec<_> = checked.meshes.iter().copied().filter(|(name, _)| is_ours(name)).collect();
            let body = placed.first().filter(|_| request.placing.shared_constraint);
            let body = body.map(|body| (body.template, &body.placed));
            let result = place(template, &meshes, body, &request.placing, job)?;
            placed.push(PersonPart { template, meshes, placed: result });
        }
        placed.reverse();
        Ok(placed)
    })
}

/// Notes joints that the truth names and no part has.
pub(crate) fn note_unknown_truth(
    truth: &Truth,
    parts: &[PersonPart<'_>],
    place: &str,
    findings: &mut Vec<Finding>,
) {
    let known =
        |name: &String| parts.iter().any(|part| part.template.template.hierarchy().find(name).is_some());
    let unknown: Vec<&String> = truth.0.keys().filter(|name| !known(name)).collect();
    let Some(first) = unknown.iter().min() else { return };
    findings.push(Finding::new(
        "TRUTH_JOINT",
        Severity::Info,
        place,
        format!("{} joints of the truth are not in the archetype, {first} is one of them", unknown.len()),
        "nothing, if only a part was fitted; otherwise use the truth of this rig",
    ));
}
