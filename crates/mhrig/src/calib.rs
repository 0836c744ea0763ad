use std::path::{Path, PathBuf};

use mhrig_calib::expressions::ExpressionSettings;
use mhrig_calib::{CalibError, Command, CommandStatus, Engine, NativeEngine};
use mhrig_dna::Dna;
use mhrig_report::{Finding, Job, Severity};
use serde::{Deserialize, Serialize};

use crate::dna_file::{notes, read_whole, write_dna};
use crate::expressions::read_expressions;
use crate::files::OutputSet;
use crate::report::{Blame, Recorder, Report, Stop};
use crate::sculpts::{SculptSource, SculptsDone, write_back};

/// Who runs the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// This program.
    #[default]
    Native,
    /// Epic's dnacalib, through a bridge that has to be built in.
    Dnacalib,
}

/// Asks for a DNA file to be edited: by a command, by sculpts, or by both in this order.
#[derive(Clone, Debug, Default)]
pub struct CalibRequest {
    /// The file.
    pub input: PathBuf,
    /// Where the result goes.
    pub output: PathBuf,
    /// JSON file whose `run` is the command.
    pub args: Option<PathBuf>,
    /// Sculpts that become what expressions look like.
    pub sculpts: Vec<SculptSource>,
    /// Whether those expressions get joint values that explain as much of their sculpts as joints can.
    pub match_joints: bool,
    /// A file in the form of an archetype's `expressions.json`: splits, phases and names of correctives.
    pub expressions: Option<PathBuf>,
    /// Who runs it.
    pub engine: EngineChoice,
    /// Whether the result is to be that of the reference library (DNACalib 1.3) also where that is not right.
    pub compat: bool,
    /// Whether an existing file may be replaced.
    pub force: bool,
}

/// What running commands has to say.
#[derive(Clone, Debug, Serialize)]
pub struct CalibDetails {
    /// Who ran the command.
    pub engine: &'static str,
    /// Name of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'static str>,
    /// Whether the reference library was followed also where it is not right.
    pub compat: bool,
    /// Code of the reference library's global status after the run; 0 when all went well.
    pub library_status: u16,
    /// What became of the sculpts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sculpts: Option<SculptsDone>,
    /// Counts that the command changed.
    pub changes: Vec<CountChange>,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

/// A number of items before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountChange {
    /// What is counted, in the plural.
    pub what: &'static str,
    /// Number before.
    pub before: usize,
    /// Number after.
    pub after: usize,
}

/// The part of an arguments file that counts.
#[derive(Deserialize)]
struct ArgsFile {
    run: Command,
}

/// Edits a DNA file and writes the result: runs the command of an arguments file, then gives expressions their sculpts.
///
/// A command that fails is a refusal, and nothing is written. With [`CalibRequest::compat`] a failure that the reference
/// library reports by its global status is a finding, and what the library would have written is written.
pub fn calib(request: &CalibRequest, job: Job<'_>) -> Report<CalibDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    let failed = matches!(&result, Ok(details) if details.library_status != 0);
    recorder.finish(result, failed)
}

fn run(request: &CalibRequest, recorder: &mut Recorder<'_>) -> Result<CalibDetails, Stop> {
    let outputs = OutputSet::new(request.force);
    outputs.check_target(&request.output)?;
    if request.args.is_none() && request.sculpts.is_empty() {
        let message = "there is nothing to do";
        let remedy = "give a command with --args, or a sculpt with --sculpt";
        let finding = Finding::new("NOTHING_TO_DO", Severity::Error, "--args", message, remedy);
        return Err(Stop::Blamed(finding, Blame::Usage));
    }
    let engine = engine(request.engine, request.compat)?;
    let command = request.args.as_deref().map(|file| Ok::<_, Stop>((file, read_args(file)?))).transpose()?;
    let settings = match &request.expressions {
        Some(file) => read_expressions(file, &mut recorder.findings)?,
        None => ExpressionSettings::default(),
    };
    let mut dna = recorder.stage("read", |findings, _| {
        let (dna, noticed) = read_whole(&request.input)?;
        findings.extend(notes(&request.input, &noticed));
        Ok(dna)
    })?;
    let before = dna.counts();
    let mut status = None;
    if let Some((args, command)) = &command {
        status = run_command(request, &mut dna, args, command, &*engine, recorder)?;
    }
    let sculpts = match request.sculpts.as_slice() {
        [] => None,
        sources => Some(recorder.stage("sculpts", |findings, job| {
            let match_joints = request.match_joints;
            write_back(&mut dna, &request.input, sources, &settings, match_joints, findings, job)
        })?),
    };
    let changes = changes(&before, &dna);
    let written = recorder.stage("write", |_, job| {
        let mut outputs = outputs;
        write_dna(&mut outputs, &request.output, &dna)?;
        job.check()?;
        outputs.commit()
    })?;
    Ok(CalibDetails {
        engine: engine.name(),
        command: command.map(|(_, command)| command.name()),
        compat: request.compat,
        library_status: status.map_or(0, |status| status.code()),
        sculpts,
        changes,
        outputs: written,
    })
}

/// Runs a command; gives back the reference library's status where it failed and `compat` lets that pass.
fn run_command(
    request: &CalibRequest,
    dna: &mut Dna,
    args: &Path,
    command: &Command,
    engine: &dyn Engine,
    recorder: &mut Recorder<'_>,
) -> Result<Option<CommandStatus>, Stop> {
    let place = request.input.display().to_string();
    let outcome = recorder.stage("run", |findings, job| {
        let outcome = engine.run(dna, command, &job).map_err(|error| edit_stop(args, &error))?;
        findings.extend(outcome.findings.iter().cloned().map(|mut finding| {
            finding.place = format!("{place}: {}", finding.place);
            finding
        }));
        Ok(outcome)
    })?;
    if let Some(error) = &outcome.status {
        if !request.compat {
            return Err(edit_stop(args, error));
        }
        let mut finding = error.to_finding(args.display().to_string());
        finding.severity = Severity::Warning;
        finding.message += "; the reference library goes on, so the result was written";
        recorder.findings.push(finding);
    }
    Ok(outcome.status.as_ref().and_then(CalibError::status))
}

fn engine(choice: EngineChoice, compat: bool) -> Result<Box<dyn Engine>, Stop> {
    match choice {
        EngineChoice::Native => Ok(Box::new(NativeEngine { compat })),
        EngineChoice::Dnacalib => {
            let engine = mhrig_dnacalib::engine(compat).map_err(|error| {
                let place = "--engine dnacalib";
                let remedy = mhrig_dnacalib::NotBuilt::REMEDY;
                let finding =
                    Finding::new("ENGINE_MISSING", Severity::Error, place, error.to_string(), remedy);
                Stop::Blamed(finding, Blame::Environment)
            })?;
            Ok(engine)
        }
    }
}

fn read_args(file: &Path) -> Result<Command, Stop> {
    let place = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|error| {
        Stop::from(Finding::new(
            "FILE_READ",
            Severity::Error,
            place.clone(),
            format!("cannot be read: {error}"),
            "check the path given with --args",
        ))
    })?;
    let args: ArgsFile = serde_json::from_slice(&bytes).map_err(|error| {
        Stop::from(Finding::new(
            "ARGS",
            Severity::Error,
            format!("{place}: line {}, column {}", error.line(), error.column()),
            format!("the arguments cannot be understood: {error}"),
            "give an object with the key \"run\": an object with \"command\" and its arguments",
        ))
    })?;
    Ok(args.run)
}

/// An edit that failed, as the end of a job; `place` is the file that is at fault.
pub(crate) fn edit_stop(place: &Path, error: &CalibError) -> Stop {
    match error {
        CalibError::Cancelled(cancelled) => Stop::Cancelled(*cancelled),
        error => Stop::from(error.to_finding(place.display().to_string())),
    }
}

/// What `dna` has more or less of than `before`.
fn changes(before: &[mhrig_dna::Count], dna: &Dna) -> Vec<CountChange> {
    let pairs = before.iter().zip(dna.counts());
    let changed = pairs.filter(|(before, after)| before.count != after.count);
    changed
        .map(|(before, after)| CountChange { what: before.what, before: before.count, after: after.count })
        .collect()
}
