use std::sync::Arc;

use mhrig_dna::Dna;
use mhrig_report::{Finding, Job, Severity};
use mhrig_rig::{Deformer, EvaluationError, MeshMotion, Moving, Rig, RigError, RigOptions, judge_rest};
use serde::Serialize;

use crate::report::Stop;

/// Proof that a DNA moves: evaluated without Maya.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotionProof {
    /// Largest distance of any vertex of any LOD from its neutral place while all controls are zero, cm; `None` when
    /// the DNA has no behaviour to evaluate.
    pub rest_max_cm: Option<f64>,
    /// What the control that opens the jaw moves at LOD 0; empty when there is none.
    pub jaw_open: Vec<MeshMotion>,
    /// What was noticed.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

/// Evaluates `dna` at rest and with an open jaw.
pub(crate) fn prove(dna: &Dna, place: &str, job: Job<'_>) -> Result<MotionProof, Stop> {
    let mut proof = MotionProof { rest_max_cm: None, jaw_open: Vec::new(), findings: Vec::new() };
    job.check()?;
    let rig = match Rig::from_dna(dna, &RigOptions::default()) {
        Ok(rig) => Arc::new(rig),
        Err(RigError::NoBehavior) => {
            let message = "nothing in the DNA reacts to a control, so no motion could be checked";
            let remedy = "use a template DNA with its behaviour layer";
            proof.findings.push(Finding::new("NO_BEHAVIOR", Severity::Warning, place, message, remedy));
            return Ok(proof);
        }
        Err(error) => return Err(unusable(place, &error)),
    };
    job.check()?;
    let deformer = Deformer::from_dna(dna).map_err(|error| unusable(place, &error))?;
    job.check()?;
    let moving = Moving { rig: &rig, deformer: &deformer };
    let failed = |error: EvaluationError| unusable(place, &error);
    let rest = moving.check_rest().map_err(failed)?;
    proof.rest_max_cm = rest.iter().map(|motion| motion.max_cm).reduce(f64::max);
    proof.findings = judge_rest(&rest);
    job.check()?;
    proof.jaw_open = moving.check_jaw_open().map_err(failed)?.unwrap_or_default();
    Ok(proof)
}

fn unusable(place: &str, error: &dyn std::error::Error) -> Stop {
    let message = format!("the DNA cannot be evaluated: {error}");
    let remedy = "`mhrig validate` on the template DNA says what is wrong with it";
    Stop::from(Finding::new("RIG_INVALID", Severity::Error, place, message, remedy))
}
