use std::path::PathBuf;
use std::sync::Arc;

use mhrig_report::{Cancelled, Finding, Job, Severity};
use mhrig_rig::{
    ControlMotion, MeshMotion, MotionError, Moving, RbfPoseWeight, Rig, RigOptions, judge_rbf_poses,
    judge_rest, judge_sweep,
};
use serde::Serialize;

use crate::dna_file::rig_of;
use crate::person::load_archetype;
use crate::posing::{PosedPart, deformer_of};
use crate::report::{Recorder, Report, Stop};

/// Asks whether a DNA moves right.
#[derive(Clone, Debug, Default)]
pub struct SweepRequest {
    /// The DNA file.
    pub file: PathBuf,
    /// The archetype folder that it was made after, to compare how far edges stretch.
    pub archetype: Option<PathBuf>,
    /// How the rig is read.
    pub options: RigOptions,
}

/// How a DNA moves.
#[derive(Clone, Debug, Serialize)]
pub struct SweepDetails {
    /// Every mesh of every LOD with all controls at zero.
    pub rest: Vec<MeshMotion>,
    /// What opening the jaw moves; absent where no control does that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jaw_open: Option<Vec<MeshMotion>>,
    /// Every RBF solver at every of its poses.
    pub rbf_poses: Vec<RbfPoseWeight>,
    /// Every raw control by itself.
    pub controls: Vec<ControlMotion>,
}

/// Moves every control of a DNA by itself, and finds those that move nothing and meshes that tear.
pub fn sweep(request: &SweepRequest, job: Job<'_>) -> Report<SweepDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, true)
}

fn run(request: &SweepRequest, recorder: &mut Recorder<'_>) -> Result<SweepDetails, Stop> {
    let part = recorder
        .stage("read", |findings, _| PosedPart::read(&request.file, &request.options, false, findings))?;
    let Some(rig) = &part.rig else {
        return Err(Finding::new(
            "NO_BEHAVIOR",
            Severity::Error,
            request.file.display().to_string(),
            "the dna has no behavior",
            "load the file with its behavior layers",
        )
        .into());
    };
    let place = request.file.display().to_string();
    let moving = Moving { rig, deformer: &part.deformer };
    let (rest, jaw_open, rbf_poses) = recorder.stage("rest", |findings, _| {
        let unmoved = |error: mhrig_rig::EvaluationError| stop(&place, MotionError::Evaluation(error));
        let rest = moving.check_rest().map_err(unmoved)?;
        let jaw_open = moving.check_jaw_open().map_err(unmoved)?;
        let rbf_poses = rig.rbf_pose_weights();
        let found = judge_rest(&rest).into_iter().chain(judge_rbf_poses(&rbf_poses));
        findings.extend(found.map(|finding| in_file(&place, finding)));
        Ok((rest, jaw_open, rbf_poses))
    })?;
    let controls =
        recorder.stage("sweep", |_, job| moving.sweep(&job).map_err(|error| stop(&place, error)))?;
    let reference = match &request.archetype {
        Some(dir) => Some(reference(dir.clone(), request, &part, recorder)?),
        None => None,
    };
    let found = judge_sweep(&controls, reference.as_deref());
    recorder.findings.extend(found.into_iter().map(|finding| in_file(&place, finding)));
    Ok(SweepDetails { rest, jaw_open, rbf_poses, controls })
}

/// The sweep of the part of the archetype that has most meshes in common with `part`.
fn reference(
    dir: PathBuf,
    request: &SweepRequest,
    part: &PosedPart,
    recorder: &mut Recorder<'_>,
) -> Result<Vec<ControlMotion>, Stop> {
    let archetype = load_archetype(&dir, recorder)?;
    recorder.stage("sweep of the archetype", |findings, job| {
        let names: Vec<&str> = part.deformer.meshes().iter().map(mhrig_rig::DeformMesh::name).collect();
        let common = |dna: &mhrig_dna::Dna| {
            dna.definition.mesh_names.iter().filter(|name| names.iter().any(|own| *name == own)).count()
        };
        let best = archetype.parts().max_by_key(|part| common(&part.dna));
        let Some(best) = best.filter(|part| common(&part.dna) > 0) else {
            let (message, remedy) = ("no part of the archetype has these meshes", "name the right archetype");
            let place = dir.display().to_string();
            return Err(Finding::new("ARCHETYPE_PART", Severity::Error, place, message, remedy).into());
        };
        let rig = rig_of(&best.dna_file, &best.dna, &request.options, findings)
            .map_err(|findings| Stop::Refused(mhrig_report::Refused { findings }))?;
        let rig: Arc<Rig> = Arc::new(rig);
        let deformer = deformer_of(&best.dna_file, &best.dna, findings)?;
        let place = best.dna_file.display().to_string();
        Moving { rig: &rig, deformer: &deformer }.sweep(&job).map_err(|error| stop(&place, error))
    })
}

fn in_file(file: &str, mut finding: Finding) -> Finding {
    finding.place = format!("{file}: {}", finding.place);
    finding
}

fn stop(place: &str, error: MotionError) -> Stop {
    match error {
        MotionError::Cancelled(Cancelled) => Stop::Cancelled(Cancelled),
        error => {
            let remedy = "see `mhrig validate` for what is wrong with the file";
            Finding::new("EVALUATION", Severity::Error, place, error.to_string(), remedy).into()
        }
    }
}
