//! The first half of every job on a person: archetype, meshes, check, joints.

use std::path::Path;

use mhrig_archetype::Archetype;
use mhrig_fit::{Character, FitTemplate, Targets};
use mhrig_report::{Finding, Severity};
use mhrig_scene::SceneMesh;
use rayon::prelude::*;

use crate::held::UserJoints;
use crate::joints_csv::Truth;
use crate::meshes::{Loaded, MeshSource};
use crate::parts::Parts;
use crate::placing::{Evidence, PartTemplate, PlacedPart, PlacingOptions, part_targets, place};
use crate::report::{Recorder, Stop};
use crate::row_cache::RowCache;
use crate::topology::check_person;

/// What placing a person needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonRequest<'a> {
    pub(crate) placing: PlacingOptions,
    /// Joints that the user places.
    pub(crate) joints: &'a UserJoints,
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

/// What all people of an archetype share: its parts as templates, and the character that they make.
#[derive(Clone, Copy)]
pub(crate) struct Rig<'a> {
    pub(crate) templates: &'a [PartTemplate<'a>],
    pub(crate) character: &'a Character<'a>,
}

/// The character that these parts of `archetype` make. It keeps what its fits compute once, beside the archetype, too.
pub(crate) fn character<'a>(archetype: &Archetype, templates: &'a [PartTemplate<'a>]) -> Character<'a> {
    let cache = RowCache::new(archetype, templates.iter().map(|template| template.part));
    Character::new(templates.iter().map(|template| &template.template).collect()).with_row_store(cache)
}

/// One part of a person: its template, its meshes, where its joints went.
pub(crate) struct PersonPart<'a> {
    pub(crate) template: &'a PartTemplate<'a>,
    pub(crate) meshes: Vec<(&'a str, &'a SceneMesh)>,
    pub(crate) placed: PlacedPart,
}

/// A person whose joints are placed.
pub(crate) struct Person<'a> {
    /// In the order of the templates.
    pub(crate) parts: Vec<PersonPart<'a>>,
    pub(crate) character: &'a Character<'a>,
    pub(crate) targets: Vec<Targets<'a>>,
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
    request: &PersonRequest<'_>,
    Rig { templates, character }: Rig<'a>,
    loaded: &'a Loaded<'_>,
    recorder: &mut Recorder<'_>,
) -> Result<Person<'a>, Stop> {
    let held = request.joints.resolve(templates)?;
    let checked = recorder.stage("check", |findings, job| {
        let fits: Vec<&FitTemplate> = templates.iter().map(|template| &template.template).collect();
        let checked = check_person(&fits, loaded.scene(), request.fill_missing, job)?;
        findings.extend(checked.report.findings.iter().cloned());
        Ok(checked)
    })?;
    recorder.stop_on_errors()?;
    let of_part = |template: &PartTemplate<'_>| -> Vec<(&'a str, &'a SceneMesh)> {
        let is_ours = |name: &str| template.template.meshes().iter().any(|mesh| mesh.name == name);
        checked.meshes.iter().copied().filter(|(name, _)| is_ours(name)).collect()
    };
    let meshes: Vec<Vec<(&'a str, &'a SceneMesh)>> = templates.iter().map(of_part).collect();
    let targets: Vec<Targets<'a>> = templates
        .iter()
        .zip(&meshes)
        .map(|(part, meshes)| part_targets(part, meshes))
        .collect::<Result<_, _>>()?;
    let placed = recorder.stage("joints", |_, job| {
        let evidence = Evidence { character, targets: &targets };
        let mut placed: Vec<PlacedPart> = Vec::new();
        // Body first: its shared joints are what the head has to agree with.
        for (number, template) in templates.iter().enumerate().rev() {
            let body = placed.first().filter(|_| request.placing.shared_constraint);
            let body = body.zip(templates.last()).map(|(placed, body)| (body, placed));
            placed.push(place(template, number, &evidence, &held[number], body, &request.placing, job)?);
        }
        placed.reverse();
        Ok(placed)
    })?;
    let parts = templates.iter().zip(meshes).zip(placed);
    let parts = parts.map(|((template, meshes), placed)| PersonPart { template, meshes, placed }).collect();
    Ok(Person { parts, character, targets })
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
