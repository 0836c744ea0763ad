//! Flags that several commands have, and what they share otherwise.

use std::path::PathBuf;

use mhrig::{FitOptions, Parts, Report, Severity, Status, UserJoints};
use serde::Serialize;

use super::{Failure, usage};
use crate::bridge::{Arguments, Host};
use crate::flags::{Flag, JOBS, JSON, Kind, flag};
use crate::messages;

pub(super) const ARCHETYPE: Flag =
    flag("-a", "-archetype", Kind::Text, "DIR", "The archetype folder (`mhrig demo DIR` writes one).")
        .as_cli("archetype");
pub(super) const HEAD_ONLY: Flag =
    flag("-ho", "-headOnly", Kind::Switch, "", "The head alone.").as_cli("head-only");
pub(super) const BODY_ONLY: Flag =
    flag("-bo", "-bodyOnly", Kind::Switch, "", "The body alone.").as_cli("body-only");
pub(super) const STRATEGY_SET: Flag = flag(
    "-ss",
    "-strategySet",
    Kind::Text,
    "SET",
    "The rules by which joints are placed: best (the default: the affine map of the surface around each joint, head and body together), or seed (vertex mapping, eye spheres, chains, skin weights, similarity of subtrees).",
)
.as_cli("strategy-set");
pub(super) const NO_SHARED_CONSTRAINT: Flag = flag(
    "-nsc",
    "-noSharedConstraint",
    Kind::Switch,
    "",
    "Fit the head without the joints that the body shares with it, to see what they are worth.",
)
.as_cli("no-shared-constraint");
pub(super) const LOCK: Flag = flag(
    "-lk",
    "-lock",
    Kind::Text,
    "JOINTS",
    "Joints that stay where the files of -fromDna have them, or the archetype without them; blanks between them, a name that ends in * stands for all that begin so.",
)
.as_cli("lock");
pub(super) const PLACE: Flag = flag(
    "-pl",
    "-place",
    Kind::Text,
    "JOINT=X,Y,Z",
    "Joints with their world positions in cm, Y up; blanks between them.",
)
.as_cli("place");
pub(super) const FROM: Flag = flag(
    "-fr",
    "-fromDna",
    Kind::Text,
    "FILES",
    "DNA files of an earlier build of this person, whose locked joints stay; semicolons between them.",
)
.as_cli("from");
pub(super) const TRUTH: Flag = flag(
    "-tr",
    "-truth",
    Kind::Text,
    "FILE",
    "The true joints (`joint,x,y,z` in cm, Y up), to measure against.",
)
.as_cli("truth");
pub(super) const FORCE: Flag =
    flag("-f", "-force", Kind::Switch, "", "Replace existing files; the old ones are kept as .bak.")
        .as_cli("force");

/// What the objects of commands that read meshes are.
pub(super) const MESHES: (&str, &str) = (
    "MESHES",
    "names or paths of meshes, their transforms or groups; without them the selection, and with nothing selected the \
     meshes of the scene by their names.",
);

pub(super) fn archetype(command: &str, arguments: &Arguments<'_>) -> Result<PathBuf, Failure> {
    let given = arguments.text(ARCHETYPE.long).filter(|dir| !dir.is_empty());
    let missing = || usage(command, "no archetype was given", "add -archetype with the archetype's folder");
    Ok(given.ok_or_else(missing)?.into())
}

pub(super) fn parts(command: &str, arguments: &Arguments<'_>) -> Result<Parts, Failure> {
    match (arguments.is_set(HEAD_ONLY.long), arguments.is_set(BODY_ONLY.long)) {
        (true, true) => {
            Err(usage(command, "-headOnly and -bodyOnly exclude each other", "leave one of them out").into())
        }
        (true, false) => Ok(Parts::HeadOnly),
        (false, true) => Ok(Parts::BodyOnly),
        (false, false) => Ok(Parts::All),
    }
}

pub(super) fn fit_options(command: &str, arguments: &Arguments<'_>) -> Result<FitOptions, Failure> {
    match arguments.text(STRATEGY_SET.long).as_deref() {
        None | Some("best") => Ok(FitOptions::best()),
        Some("seed") => Ok(FitOptions::seed()),
        Some(other) => {
            let finding = usage(
                command,
                "there is no such set of strategies",
                "use -strategySet seed or -strategySet best",
            );
            Err(finding.with_values("seed or best", other).into())
        }
    }
}

/// What the user says of single joints.
pub(super) fn user_joints(command: &str, arguments: &Arguments<'_>) -> Result<UserJoints, Failure> {
    let text = |flag: &Flag| arguments.text(flag.long).unwrap_or_default();
    let mut joints = UserJoints {
        lock: text(&LOCK).split_whitespace().map(str::to_owned).collect(),
        from: text(&FROM).split(';').map(str::trim).filter(|file| !file.is_empty()).map(Into::into).collect(),
        ..UserJoints::default()
    };
    for place in text(&PLACE).split_whitespace() {
        let Some(parsed) = mhrig::parse_place(place) else {
            let finding =
                usage(command, "-place takes joints with positions", "write -place \"JOINT=X,Y,Z\"");
            return Err(finding.with_values("JOINT=X,Y,Z", place).into());
        };
        joints.place.push(parsed);
    }
    Ok(joints)
}

/// The number of threads, `None` for all processors.
pub(super) fn threads(command: &str, arguments: &Arguments<'_>) -> Result<Option<usize>, Failure> {
    let Some(given) = arguments.int(JOBS.long) else { return Ok(None) };
    match usize::try_from(given) {
        Ok(threads @ 1..=1024) => Ok(Some(threads)),
        _ => {
            let finding = usage(command, "-jobs is the number of threads", "leave it out, or give 1 or more");
            Err(finding.with_values("1 to 1024", given).into())
        }
    }
}

/// Shows what a job noticed, and returns its report: as JSON where that was asked for, else as `texts` makes it.
/// A job that did not do its work fails the command, unless JSON was asked for.
pub(super) fn finish<D: Serialize>(
    host: &Host,
    arguments: &Arguments<'_>,
    report: &Report<D>,
    texts: impl FnOnce(&D) -> Vec<String>,
) -> Result<(), Failure> {
    messages::show(host, &report.findings);
    if arguments.is_set(JSON.long) {
        // Keys and values of the report are plain; what cannot be written is none of them.
        host.result_text(&serde_json::to_string(report).unwrap_or_default());
        return Ok(());
    }
    match (report.status, &report.details) {
        (Status::Cancelled, _) => Err(Failure { messages: vec![CANCELLED.to_owned()] }),
        (Status::Ok | Status::Findings, Some(details)) => {
            host.result_texts(&texts(details));
            Ok(())
        }
        _ => Err(Failure::because(&report.findings)),
    }
}

const CANCELLED: &str =
    "MhRigCreator: error[CANCELLED]: stopped by Esc; nothing was written and the scene is as it was";

/// The findings of a job as a result: one line each, the worst first.
pub(super) fn finding_lines<D>(report: &Report<D>) -> Vec<String> {
    let mut findings: Vec<_> =
        report.findings.iter().filter(|found| found.severity > Severity::Info).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings.into_iter().map(messages::line).collect()
}

/// A report of findings that came up before the job began.
pub(super) fn refused<D>(findings: Vec<mhrig::Finding>) -> Report<D> {
    Report {
        tool: mhrig::TOOL,
        status: Status::Refused,
        findings,
        stages: Vec::new(),
        details: None,
        blame: Some(mhrig::Blame::Input),
    }
}
