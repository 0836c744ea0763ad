use std::path::PathBuf;

use mhrig_fit::{FitTemplate, Fix, RepairedMesh, repair_meshes};
use mhrig_report::{Finding, Job};
use mhrig_scene::{NamedMesh, SceneMesh, SceneMeshes, write_obj};
use serde::Serialize;

use crate::build::ArchetypeId;
use crate::files::OutputSet;
use crate::meshes::{Loaded, MeshSource};
use crate::parts::Parts;
use crate::person::{load_archetype, load_meshes, prepare};
use crate::placing::PartTemplate;
use crate::report::{Recorder, Report, Stop};
use crate::topology::input_meshes;

/// Asks for meshes to be brought into the archetype's topology.
#[derive(Clone, Debug, Default)]
pub struct RepairRequest {
    /// The archetype folder.
    pub archetype: PathBuf,
    /// The meshes.
    pub meshes: MeshSource,
    /// Which parts.
    pub parts: Parts,
    /// What may be done to them.
    pub fixes: Vec<Fix>,
    /// The folder for the repaired meshes, one OBJ file each.
    pub out_dir: PathBuf,
    /// Whether existing files may be replaced.
    pub force: bool,
}

/// What a repair has to say.
#[derive(Clone, Debug, Serialize)]
pub struct RepairDetails {
    /// Which archetype was used.
    pub archetype: ArchetypeId,
    /// The meshes that can be used now.
    pub repaired: Vec<RepairedReport>,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

/// What was done to one mesh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RepairedReport {
    /// The mesh.
    pub mesh: String,
    /// The fixes, in order; empty for a mesh that was right.
    pub fixes: Vec<&'static str>,
    /// Whether every position is one that the input has, to the bit.
    pub is_lossless: bool,
}

/// Repairs meshes by the fixes that the request allows and writes those that can be used now. What could not be
/// repaired is among the findings.
pub fn repair(request: &RepairRequest, job: Job<'_>) -> Report<RepairDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, true)
}

/// Repairs the meshes of `loaded` where that changes no position; the others stay as they are.
pub(crate) fn auto_repair<'a>(
    templates: &[PartTemplate<'_>],
    loaded: Loaded<'a>,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<(Loaded<'a>, Vec<RepairedReport>), Stop> {
    let fits: Vec<&FitTemplate> = templates.iter().map(|template| &template.template).collect();
    let scene = loaded.scene();
    // What the reading of names notices the check says again.
    let inputs = input_meshes(&fits, scene, &mut Vec::new());
    let meshes: Vec<_> = inputs.iter().map(|input| input.as_input()).collect();
    let repair = repair_meshes(&fits, &meshes, &Fix::ALL, true, job)?;
    let repaired: Vec<_> = repair.meshes.into_iter().filter(|mesh| !mesh.fixes.is_empty()).collect();
    if repaired.is_empty() {
        return Ok((loaded, Vec::new()));
    }
    findings.extend(repair.findings);
    let reports = repaired.iter().map(RepairedReport::of).collect();
    let sources: Vec<&SceneMesh> = repaired.iter().map(|mesh| inputs[mesh.input].scene_mesh()).collect();
    let is_source = |mesh: &SceneMesh| sources.iter().any(|source| std::ptr::eq(*source, mesh));
    let untouched = scene.meshes.iter().filter(|mesh| !is_source(mesh)).cloned();
    let made = repaired.iter().zip(&sources).map(|(repaired, source)| {
        let mut made =
            SceneMesh { mesh: repaired.mesh.clone(), name: repaired.name.clone(), ..(*source).clone() };
        made.other_names.clear();
        made
    });
    let meshes = made.chain(untouched).collect();
    let scene = SceneMeshes { meshes, broken: scene.broken.clone(), findings: scene.findings.clone() };
    Ok((Loaded::Owned(scene), reports))
}

impl RepairedReport {
    fn of(repaired: &RepairedMesh) -> Self {
        Self {
            mesh: repaired.name.clone(),
            fixes: repaired.fixes.iter().map(|fix| fix.name()).collect(),
            is_lossless: repaired.is_lossless,
        }
    }
}

fn run(request: &RepairRequest, recorder: &mut Recorder<'_>) -> Result<RepairDetails, Stop> {
    let archetype = load_archetype(&request.archetype, recorder)?;
    let loaded = load_meshes(&request.meshes, recorder)?;
    let templates = prepare(&archetype, request.parts, recorder)?;
    let fits: Vec<&FitTemplate> = templates.iter().map(|template| &template.template).collect();
    let repair = recorder.stage("repair", |findings, job| {
        let inputs = input_meshes(&fits, loaded.scene(), findings);
        let inputs: Vec<_> = inputs.iter().map(|input| input.as_input()).collect();
        let repair = repair_meshes(&fits, &inputs, &request.fixes, false, job)?;
        findings.extend(repair.findings.iter().chain(&repair.remaining.findings).cloned());
        Ok(repair)
    })?;
    let mut details =
        RepairDetails { archetype: ArchetypeId::of(&archetype), repaired: Vec::new(), outputs: Vec::new() };
    let mut outputs = OutputSet::new(request.force);
    recorder.stage("write", |_, job| {
        for repaired in &repair.meshes {
            job.check()?;
            let named = NamedMesh { name: &repaired.name, mesh: &repaired.mesh, normals: None };
            let mut text = Vec::new();
            write_obj(&mut text, &[named]).map_err(|error| Stop::from(error.to_finding()))?;
            let file = request.out_dir.join(format!("{}.obj", repaired.name));
            outputs.add(&file, |file| file.write_all(&text))?;
            details.repaired.push(RepairedReport::of(repaired));
        }
        job.check()?;
        details.outputs = outputs.commit()?;
        Ok(())
    })?;
    Ok(details)
}
