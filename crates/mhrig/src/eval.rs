use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use mhrig_report::{Finding, Job, Severity};
use mhrig_rig::{
    EvaluationError, Frame, FrameControls, FrameError, FrameProblem, Instance, Rig, RigOptions, parse_frames,
};
use serde::Serialize;

use crate::dna_file::{read_dna, rig_of};
use crate::report::{Recorder, Report, Stop};

/// Where frames come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameSource {
    /// A text file.
    File(PathBuf),
    /// Text, and what to call it in messages.
    Text {
        /// The name.
        name: String,
        /// The text.
        text: String,
    },
}

impl Default for FrameSource {
    fn default() -> Self {
        Self::Text { name: String::new(), text: String::new() }
    }
}

/// Asks for the evaluation of a DNA, frame after frame.
#[derive(Clone, Debug, Default)]
pub struct EvalRequest {
    /// The DNA file.
    pub file: PathBuf,
    /// The frames: per line `lod=K`, `mask=I:V`, then one value per control.
    pub frames: FrameSource,
    /// Which controls the values are.
    pub controls: FrameControls,
    /// How the rig is read.
    pub options: RigOptions,
}

/// What an evaluation has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvalDetails {
    /// Number of frames.
    pub frames: usize,
    /// Number of controls that each frame sets.
    pub controls: usize,
}

/// Evaluates the frames on one instance, in order, and writes one JSON object a line to `out`.
///
/// Every frame is looked at before the first is evaluated, so that a mistake in the last one does not leave half a
/// result. A reader that closes `out` early ends the job without an error.
pub fn eval(request: &EvalRequest, out: &mut dyn Write, job: Job<'_>) -> Report<EvalDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, out, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &EvalRequest, out: &mut dyn Write, recorder: &mut Recorder<'_>) -> Result<EvalDetails, Stop> {
    let file = request.file.as_path();
    let rig = recorder.stage("read", |findings, _| {
        let (dna, _) = read_dna(file)?;
        let rig = rig_of(file, &dna, &request.options, findings);
        rig.map_err(|findings| Stop::Refused(mhrig_report::Refused { findings }))
    })?;
    let rig = Arc::new(rig);
    let frames = recorder.stage("frames", |_, _| Ok(read_frames(request, &rig)?))?;
    let details = EvalDetails { frames: frames.len(), controls: control_count(request, &rig) };
    recorder.stage("evaluate", |_, job| {
        job.progress.stage("evaluate", frames.len());
        let mut instance = Instance::new(Arc::clone(&rig));
        let mut line = String::new();
        for (number, frame) in &frames {
            job.check()?;
            let outcome = instance.evaluate_frame(frame, request.controls);
            outcome.map_err(|problem| refused(request, *number, &problem.into()))?;
            line.clear();
            instance.write_json_line(&mut line);
            line.push('\n');
            match out.write_all(line.as_bytes()) {
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => break,
                Err(error) => return Err(unwritable(&error)),
                Ok(()) => job.progress.step(),
            }
        }
        match out.flush() {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
            _ => Ok(()),
        }
    })?;
    Ok(details)
}

fn control_count(request: &EvalRequest, rig: &Rig) -> usize {
    match request.controls {
        FrameControls::Raw => rig.names().raw_controls.len(),
        FrameControls::Gui => rig.names().gui_controls.len(),
    }
}

fn read_frames(request: &EvalRequest, rig: &Arc<Rig>) -> Result<Vec<(usize, Frame)>, Finding> {
    let text;
    let text = match &request.frames {
        FrameSource::Text { text, .. } => text,
        FrameSource::File(path) => {
            let bytes = std::fs::read(path).map_err(|error| {
                let message = format!("cannot be read: {error}");
                let place = path.display().to_string();
                Finding::new("FRAMES_UNREADABLE", Severity::Error, place, message, "check the path")
            })?;
            text = String::from_utf8(bytes).map_err(|_| {
                let (message, remedy) = ("the frames are not UTF-8 text", "save them as plain text");
                Finding::new("FRAMES_TEXT", Severity::Error, path.display().to_string(), message, remedy)
            })?;
            &text
        }
    };
    let frames = parse_frames(text, control_count(request, rig))
        .map_err(|FrameError { line, problem }| refused(request, line, &problem))?;
    let mut trial = Instance::new(Arc::clone(rig));
    for (line, frame) in &frames {
        let outcome = trial.set_frame(frame, request.controls);
        outcome.map_err(|problem| refused(request, *line, &problem.into()))?;
    }
    Ok(frames)
}

/// What is wrong with a line, as a finding.
fn refused(request: &EvalRequest, line: usize, problem: &FrameProblem) -> Finding {
    let name = match &request.frames {
        FrameSource::File(path) => path.display().to_string(),
        FrameSource::Text { name, .. } => name.clone(),
    };
    let kind = match request.controls {
        FrameControls::Raw => "raw",
        FrameControls::Gui => "GUI",
    };
    let (code, remedy) = match problem {
        FrameProblem::NotANumber { .. } => ("FRAME_NUMBER", "write a decimal such as 0.25".to_owned()),
        FrameProblem::Setting { .. } => {
            ("FRAME_SETTING", "write lod=K or mask=I:V before the values".to_owned())
        }
        FrameProblem::Count { .. } => {
            ("FRAME_COUNT", format!("write one value per {kind} control, in the order of the DNA"))
        }
        FrameProblem::Evaluation(EvaluationError::Lod { .. }) => {
            ("LOD_RANGE", "choose an LOD of the rig; --compat takes the coarsest instead".to_owned())
        }
        FrameProblem::Evaluation(EvaluationError::NotFinite { .. }) => {
            ("NOT_FINITE", "write a finite number; --compat evaluates it all the same".to_owned())
        }
        FrameProblem::Evaluation(EvaluationError::NotFiniteOutput { .. }) => {
            ("NOT_FINITE_OUTPUT", "look for values that are far too large".to_owned())
        }
        _ => ("FRAME_INVALID", "correct the line".to_owned()),
    };
    Finding::new(code, Severity::Error, format!("{name}: line {line}"), problem.to_string(), remedy)
}

fn unwritable(error: &std::io::Error) -> Stop {
    let message = format!("the result cannot be written: {error}");
    let finding =
        Finding::new("OUTPUT_WRITE", Severity::Error, "output", message, "check where the output goes");
    Stop::Blamed(finding, crate::report::Blame::Environment)
}
