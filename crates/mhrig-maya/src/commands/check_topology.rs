use mhrig::{CheckDetails, CheckRequest, MeshSource, Report, Severity};

use super::Outcome;
use super::shared::{self, ARCHETYPE, BODY_ONLY, HEAD_ONLY, MESHES};
use crate::bridge::{Arguments, Host, Level};
use crate::flags::CommandTable;
use crate::{job, messages, scene};

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhCheckTopology",
    summary: "Compares meshes of the scene with the archetype's topology.",
    objects: Some(MESHES),
    returns: "the warnings and errors, one string each; none when all meshes are as they should be.",
    undo: "It changes nothing, and there is nothing to undo.",
    verb: "check",
    own: &[ARCHETYPE, HEAD_ONLY, BODY_ONLY],
};

pub(super) fn run(host: &Host, arguments: &Arguments<'_>) -> Outcome {
    let archetype = shared::archetype(TABLE.name, arguments)?;
    let parts = shared::parts(TABLE.name, arguments)?;
    let threads = shared::threads(TABLE.name, arguments)?;
    let report: Report<CheckDetails> = match scene::meshes(host, &arguments.objects()) {
        Err(findings) => shared::refused(findings),
        Ok(meshes) => {
            let request = CheckRequest { archetype, meshes: MeshSource::Scene(meshes), parts };
            job::run(host, "checking", 3, threads, |job| mhrig::check(&request, job))
        }
    };
    let lines = shared::finding_lines(&report);
    shared::finish(host, arguments, &report, |details| {
        // Errors of the meshes are what was asked for: they are shown, and the command has done its work.
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.for_each(|finding| host.display(Level::Error, &messages::line(finding)));
        let good = details.meshes.iter().filter(|mesh| mesh.matches).count();
        let total = details.meshes.len();
        messages::done(
            host,
            &format!("{good} of {total} meshes have the topology of {}", details.archetype.name),
        );
        lines
    })?;
    Ok(None)
}
