//! Exit codes: 0 done, 1 findings, 2 usage, 3 bad input, 4 environment, 130 interrupted.

use std::process::ExitCode;

use mhrig::{Blame, Report, Status};

/// An exit code of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit(u8);

pub(crate) const DONE: Exit = Exit(0);
pub(crate) const FINDINGS: Exit = Exit(1);
pub(crate) const USAGE: Exit = Exit(2);
pub(crate) const BAD_INPUT: Exit = Exit(3);
pub(crate) const ENVIRONMENT: Exit = Exit(4);
pub(crate) const INTERRUPTED: Exit = Exit(130);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}

/// The exit code for a report.
pub(crate) fn of_report<D>(report: &Report<D>) -> Exit {
    match (report.status, report.blame) {
        (Status::Ok, _) => DONE,
        (Status::Findings, _) => FINDINGS,
        (Status::Cancelled, _) => INTERRUPTED,
        (Status::Refused, Some(Blame::Usage)) => USAGE,
        (Status::Refused, Some(Blame::Environment)) => ENVIRONMENT,
        (Status::Refused, Some(Blame::Input) | None) => BAD_INPUT,
    }
}
