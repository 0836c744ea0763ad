use std::time::Instant;

use mhrig_report::{Cancelled, Finding, Job, Refused, Severity, worst};
use serde::Serialize;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Done, nothing to complain about.
    Ok,
    /// A check, validation or comparison found something.
    Findings,
    /// Not done: the findings say why.
    Refused,
    /// Not done: the caller asked to stop.
    Cancelled,
}

/// What a refusal is due to; decides the exit code of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The request contradicts itself.
    Usage,
    /// The input cannot be used.
    Input,
    /// The system did not let us read or write.
    Environment,
}

/// Which program made a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Name of the product.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// This program.
pub const TOOL: Tool = Tool { name: "MhRigCreator", version: env!("CARGO_PKG_VERSION") };

/// How long a stage of a job took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageTime {
    /// Name of the stage.
    pub name: &'static str,
    /// Wall-clock time in milliseconds.
    pub ms: f64,
}

/// The report of a job: the same keys for all jobs, and those of the job itself in `details`.
#[derive(Clone, Debug, Serialize)]
pub struct Report<D> {
    /// Who made it.
    pub tool: Tool,
    /// How the job ended.
    pub status: Status,
    /// What was noticed.
    pub findings: Vec<Finding>,
    /// The stages with their times.
    pub stages: Vec<StageTime>,
    /// What the job has to say; absent when it was refused or cancelled before there was anything.
    #[serde(flatten)]
    pub details: Option<D>,
    /// What a refusal is due to.
    #[serde(skip)]
    pub blame: Option<Blame>,
}

/// Why a job stopped before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// The input cannot be used.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The request or the environment is at fault.
    #[error("{}: {}", .0.place, .0.message)]
    Blamed(Finding, Blame),
    /// The caller asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<Finding> for Stop {
    fn from(finding: Finding) -> Self {
        Self::Refused(Refused::because(finding))
    }
}

/// Keeps the findings and stage times of a running job.
pub(crate) struct Recorder<'a> {
    pub(crate) job: Job<'a>,
    pub(crate) findings: Vec<Finding>,
    stages: Vec<StageTime>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(job: Job<'a>) -> Self {
        Self { job, findings: Vec::new(), stages: Vec::new() }
    }

    /// Runs one stage: announces it, measures it, and stops before it when the job was cancelled.
    pub(crate) fn stage<T>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&mut Vec<Finding>, Job<'a>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        self.job.check()?;
        self.job.progress.stage(name, 0);
        let start = Instant::now();
        let result = run(&mut self.findings, self.job);
        self.stages.push(StageTime { name, ms: start.elapsed().as_secs_f64() * 1e3 });
        result
    }

    /// Stops when anything so far is an error.
    pub(crate) fn stop_on_errors(&mut self) -> Result<(), Stop> {
        if worst(&self.findings) == Some(Severity::Error) {
            return Err(Stop::Refused(Refused { findings: std::mem::take(&mut self.findings) }));
        }
        Ok(())
    }

    /// The report as it stands, for a file that is written while the job still runs.
    pub(crate) fn so_far<'d, D>(&self, details: &'d D) -> Report<&'d D> {
        Report {
            tool: TOOL,
            status: Status::Ok,
            findings: self.findings.clone(),
            stages: self.stages.clone(),
            details: Some(details),
            blame: None,
        }
    }

    /// The report of a job without details that ended with `stop`.
    pub(crate) fn refuse<D>(self, stop: Stop) -> Report<D> {
        self.finish(Err(stop), false)
    }

    /// The report of a job that ended with `result`; `findings_count` says that findings are what the job was for.
    pub(crate) fn finish<D>(mut self, result: Result<D, Stop>, findings_count: bool) -> Report<D> {
        let (status, details, blame) = match result {
            Ok(details) => {
                let found = findings_count
                    && worst(&self.findings).is_some_and(|severity| severity >= Severity::Warning);
                (if found { Status::Findings } else { Status::Ok }, Some(details), None)
            }
            Err(Stop::Refused(refused)) => {
                self.findings.extend(refused.findings);
                (Status::Refused, None, Some(Blame::Input))
            }
            Err(Stop::Blamed(finding, blame)) => {
                self.findings.push(finding);
                (Status::Refused, None, Some(blame))
            }
            Err(Stop::Cancelled(Cancelled)) => (Status::Cancelled, None, None),
        };
        Report { tool: TOOL, status, findings: self.findings, stages: self.stages, details, blame }
    }
}
