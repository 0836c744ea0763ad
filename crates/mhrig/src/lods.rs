use std::path::{Path, PathBuf};

use mhrig_archetype::Archetype;
use mhrig_calib::{
    LodBindings, LodMeshReport, NormalChange, NormalPlan, SeamPlan, SeamReport, regenerate_lods_by_uv,
};
use mhrig_dna::{Dna, Vectors3};
use mhrig_report::{Finding, Job, Severity};
use rayon::prelude::*;
use serde::Serialize;

use crate::build::{ArchetypeId, SEAM_LIMIT_CM, SEAM_TOLERANCE_CM};
use crate::calib::edit_stop;
use crate::dna_file::{notes, read_whole, write_dna};
use crate::files::OutputSet;
use crate::person::load_archetype;
use crate::report::{Blame, Recorder, Report, Stop};

/// Asks for the lower LODs of a DNA to be made anew from its LOD 0.
#[derive(Clone, Debug, Default)]
pub struct LodsRequest {
    /// The DNA file: a head, or a body alone.
    pub input: PathBuf,
    /// Where the result goes.
    pub output: PathBuf,
    /// The body that belongs to a head, so that their borders meet in every LOD.
    pub body: Option<LodsBody>,
    /// The archetype that the file was built with: lower LODs keep what its lower meshes have of their own. Without it
    /// they are laid onto LOD 0 by texture coordinates.
    pub archetype: Option<PathBuf>,
    /// Whether existing files may be replaced.
    pub force: bool,
}

/// The body of a [`LodsRequest`].
#[derive(Clone, Debug, Default)]
pub struct LodsBody {
    /// The DNA file.
    pub input: PathBuf,
    /// Where the result goes.
    pub output: PathBuf,
}

/// What making lower LODs has to say.
#[derive(Clone, Debug, Serialize)]
pub struct LodsDetails {
    /// Which archetype was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archetype: Option<ArchetypeId>,
    /// The files in the order of the request.
    pub parts: Vec<LodPart>,
    /// The border of head and body, LOD by LOD.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seam: Vec<SeamReport>,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

/// What became of the meshes of one file.
#[derive(Clone, Debug, Serialize)]
pub struct LodPart {
    /// The file that was read.
    pub file: PathBuf,
    /// Its lower LOD meshes.
    pub meshes: Vec<LodMeshReport>,
    /// Their normals, all together.
    pub normals: NormalChange,
}

/// Makes the lower LODs of a DNA anew, with their normals, and closes the seam to the body.
pub fn lods(request: &LodsRequest, job: Job<'_>) -> Report<LodsDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

/// A file on its way.
struct Part<'a> {
    input: &'a Path,
    output: &'a Path,
    dna: Dna,
}

fn run(request: &LodsRequest, recorder: &mut Recorder<'_>) -> Result<LodsDetails, Stop> {
    let mut outputs = OutputSet::new(request.force);
    let files = [(&request.input, &request.output)].into_iter();
    let files: Vec<_> = files.chain(request.body.iter().map(|body| (&body.input, &body.output))).collect();
    for (_, output) in &files {
        outputs.check_target(output)?;
    }
    if files.len() == 2 && files[0].1 == files[1].1 {
        let place = files[0].1.display().to_string();
        let message = "the head and the body would be written to the same file";
        let finding = Finding::new("OUTPUT_PATH", Severity::Error, place, message, "name two files");
        return Err(Stop::Blamed(finding, Blame::Usage));
    }
    let archetype = request.archetype.as_deref().map(|dir| load_archetype(dir, recorder)).transpose()?;
    let mut parts: Vec<Part<'_>> = recorder.stage("read", |findings, _| {
        let mut parts = Vec::new();
        for &(input, output) in &files {
            let (dna, noticed) = read_whole(input)?;
            findings.extend(notes(input, &noticed));
            parts.push(Part { input, output, dna });
        }
        Ok(parts)
    })?;
    let made = recorder.stage("lods", |findings, job| {
        let made: Vec<(LodPart, Vec<Finding>)> = parts
            .par_iter_mut()
            .map(|part| regenerate(part, archetype.as_ref(), job))
            .collect::<Result<_, Stop>>()?;
        let (made, noticed): (Vec<LodPart>, Vec<Vec<Finding>>) = made.into_iter().unzip();
        findings.extend(noticed.into_iter().flatten());
        Ok(made)
    })?;
    let mut details = LodsDetails {
        archetype: archetype.as_ref().map(ArchetypeId::of),
        parts: made,
        seam: Vec::new(),
        outputs: Vec::new(),
    };
    details.seam =
        recorder.stage("seam", |findings, _| close_seam(&mut parts, archetype.as_ref(), findings))?;
    details.outputs = recorder.stage("write", |_, job| {
        for part in &parts {
            job.check()?;
            write_dna(&mut outputs, part.output, &part.dna)?;
        }
        outputs.commit()
    })?;
    Ok(details)
}

/// Closes the border: where it is on the templates, or else where the made meshes nearly meet.
fn close_seam(
    parts: &mut [Part<'_>],
    archetype: Option<&Archetype>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<SeamReport>, Stop> {
    let [head, body] = parts else { return Ok(Vec::new()) };
    let plan = match archetype {
        Some(archetype) => {
            let (head, body) = (template_of(archetype, head)?, template_of(archetype, body)?);
            SeamPlan::from_templates(head, body, SEAM_TOLERANCE_CM)
        }
        None => SeamPlan::from_parts(&head.dna, &body.dna, SEAM_LIMIT_CM),
    };
    let applied = plan.and_then(|plan| plan.apply(&mut head.dna, &mut body.dna, SEAM_LIMIT_CM));
    let (reports, noticed) = applied.map_err(|error| edit_stop(body.input, &error))?;
    findings.extend(noticed);
    Ok(reports)
}

/// The archetype's part with the meshes of a file.
fn template_of<'a>(archetype: &'a Archetype, part: &Part<'_>) -> Result<&'a Dna, Stop> {
    let names = &part.dna.definition.mesh_names;
    let found = archetype.parts().find(|template| template.dna.definition.mesh_names == *names);
    found.map(|template| &template.dna).ok_or_else(|| {
        Stop::from(Finding::new(
            "OTHER_TEMPLATE",
            Severity::Error,
            part.input.display().to_string(),
            format!("no part of the archetype {} has the meshes of this file", archetype.dir.display()),
            "name the archetype that the file was built with, or leave --archetype out",
        ))
    })
}

fn regenerate(
    part: &mut Part<'_>,
    archetype: Option<&Archetype>,
    job: Job<'_>,
) -> Result<(LodPart, Vec<Finding>), Stop> {
    let file = part.input;
    let failed = |error| edit_stop(file, &error);
    let template = archetype.map(|archetype| template_of(archetype, part)).transpose()?;
    let dna = &mut part.dna;
    for mesh in 0..dna.definition.mesh_names.len() {
        mhrig_calib::check_mesh(dna, mesh).map_err(failed)?;
    }
    // Which normals are one is found where they are right.
    let model = template.unwrap_or(dna);
    let plans: Vec<NormalPlan> = model.geometry.meshes.par_iter().map(NormalPlan::from_template).collect();
    let before: Vec<Vectors3> = dna.geometry.meshes.iter().map(|mesh| mesh.positions.clone()).collect();
    let (meshes, findings) = match template {
        Some(template) => {
            let bindings = LodBindings::from_template(template, &job).map_err(failed)?;
            let meshes = bindings.apply(dna, &[], &job).map_err(failed)?;
            (meshes, bindings.findings().to_vec())
        }
        None => regenerate_lods_by_uv(dna, &job).map_err(failed)?,
    };
    let changes =
        dna.geometry.meshes.par_iter_mut().zip(&plans).zip(&before).map(|((mesh, plan), before)| {
            let pairs = mesh.positions.iter().zip(before.iter());
            let moved: Vec<bool> = pairs.map(|(a, b)| a.map(f32::to_bits) != b.map(f32::to_bits)).collect();
            if moved.contains(&true) { plan.apply(mesh, Some(&moved)) } else { NormalChange::default() }
        });
    let changes: Vec<NormalChange> = changes.collect();
    let normals = changes.iter().fold(NormalChange::default(), |sum, change| NormalChange {
        count: sum.count + change.count,
        recomputed: sum.recomputed + change.recomputed,
        without_area: sum.without_area + change.without_area,
    });
    Ok((LodPart { file: file.to_owned(), meshes, normals }, findings))
}
