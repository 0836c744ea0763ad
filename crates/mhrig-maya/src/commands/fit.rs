use mhrig::{FitDetails, FitRequest, MeshSource, Report, Status};

use super::shared::{
    self, ARCHETYPE, BODY_ONLY, FORCE, FROM, HEAD_ONLY, LOCK, MESHES, NO_SHARED_CONSTRAINT, PLACE,
    STRATEGY_SET, TRUTH,
};
use super::{Failure, Outcome};
use crate::bridge::{Arguments, Host, Undoable};
use crate::flags::{CommandTable, Flag, JSON, Kind, flag};
use crate::{job, joints, messages, scene};

const OUTPUT: Flag = flag(
    "-o",
    "-output",
    Kind::Text,
    "FILE",
    "Also write the joints to this file (`joint,x,y,z` in cm, Y up).",
)
.as_cli("output");
const ROOT: Flag = flag(
    "-r",
    "-root",
    Kind::Text,
    "JOINT",
    "Move joints at and below this node alone, where the scene has several skeletons.",
);

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhFit",
    summary: "Places the joints of a person by meshes of the scene, and moves the scene's joints there.",
    objects: Some(MESHES),
    returns: "the full paths of the joints that were moved.",
    undo: "One undo step puts all joints back exactly. Rotations and orientations are never changed.",
    verb: "fit",
    own: &[
        ARCHETYPE,
        ROOT,
        HEAD_ONLY,
        BODY_ONLY,
        STRATEGY_SET,
        NO_SHARED_CONSTRAINT,
        LOCK,
        PLACE,
        FROM,
        TRUTH,
        OUTPUT,
        FORCE,
    ],
};

pub(super) fn run(host: &Host, arguments: &Arguments<'_>) -> Outcome {
    let mut request = FitRequest {
        archetype: shared::archetype(TABLE.name, arguments)?,
        parts: shared::parts(TABLE.name, arguments)?,
        fit: shared::fit_options(TABLE.name, arguments)?,
        joints: shared::user_joints(TABLE.name, arguments)?,
        shared_constraint: !arguments.is_set(NO_SHARED_CONSTRAINT.long),
        truth: arguments.text(TRUTH.long).map(Into::into),
        output: arguments.text(OUTPUT.long).map(Into::into),
        force: arguments.is_set(FORCE.long),
        ..FitRequest::default()
    };
    let threads = shared::threads(TABLE.name, arguments)?;
    let mut report: Report<FitDetails> = match scene::meshes(host, &arguments.objects()) {
        Err(findings) => shared::refused(findings),
        Ok(meshes) => {
            request.meshes = MeshSource::Scene(meshes);
            job::run(host, "fitting", 6, threads, |job| mhrig::fit(&request, job))
        }
    };
    let moved = match (report.status, &report.details) {
        (Status::Ok | Status::Findings, Some(details)) => {
            Some(move_joints(host, arguments, details, &mut report.findings))
        }
        _ => None,
    };
    let mut paths = Vec::new();
    let mut undoable: Option<Box<dyn Undoable>> = None;
    match moved {
        Some(Ok((edits, targets))) => {
            paths = targets;
            undoable = Some(Box::new(edits));
        }
        Some(Err(findings)) => {
            report.status = Status::Refused;
            if !arguments.is_set(JSON.long) {
                messages::show(host, &report.findings);
                return Err(Failure::because(&findings));
            }
            report.findings.extend(findings);
        }
        None => {}
    }
    shared::finish(host, arguments, &report, |_| {
        messages::done(host, &format!("moved {} joints", paths.len()));
        paths
    })?;
    Ok(undoable)
}

type Moved = (joints::MovedJoints, Vec<String>);

fn move_joints(
    host: &Host,
    arguments: &Arguments<'_>,
    details: &FitDetails,
    findings: &mut Vec<mhrig::Finding>,
) -> Result<Moved, Vec<mhrig::Finding>> {
    let root = arguments.text(ROOT.long);
    let targets = joints::targets(host, &details.joints, root.as_deref(), findings)?;
    let edits = joints::move_to(host, &targets, findings)?;
    Ok((edits, targets.into_iter().map(|target| target.path).collect()))
}
