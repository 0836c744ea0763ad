use std::io::{BufWriter, Read};
use std::path::PathBuf;

use clap::ValueEnum;
use mhrig::{EvalRequest, FrameControls, FrameSource, RigOptions, RotationOutput, Semantics};

use crate::exit::{self, Exit};
use crate::ui::Ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file.
    #[arg(value_name = "FILE.dna")]
    file: PathBuf,
    /// Frames of control values: per line lod=K, mask=I:V, then one value per control; `-` reads them from stdin.
    #[arg(long, value_name = "FRAMES.txt")]
    frames: PathBuf,
    /// Which controls the values are.
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    controls: Controls,
    #[command(flatten)]
    rig: RigArgs,
}

/// How a DNA is evaluated.
#[derive(Debug, clap::Args)]
pub(crate) struct RigArgs {
    /// The form of joint rotations in the output.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    rotation: Rotation,
    /// Whose rules hold where the known versions of the reference evaluator differ.
    #[arg(long, value_enum, default_value_t, value_name = "VERSION")]
    semantics: SemanticsArg,
    /// Agree with the reference evaluator bug for bug: NaN, stale rotation slots, clamped LODs.
    #[arg(long)]
    compat: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Controls {
    #[default]
    Raw,
    /// Raw controls are computed from them.
    Gui,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Rotation {
    /// Angles in the DNA's unit.
    #[default]
    Euler,
    Quat,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum SemanticsArg {
    #[default]
    #[value(name = "10.3")]
    V10_3,
    #[value(name = "13.5")]
    V13_5,
}

impl RigArgs {
    pub(crate) fn options(&self) -> RigOptions {
        let rotation = match self.rotation {
            Rotation::Euler => RotationOutput::Euler,
            Rotation::Quat => RotationOutput::Quaternion,
        };
        let semantics = match self.semantics {
            SemanticsArg::V10_3 => Semantics::V10_3,
            SemanticsArg::V13_5 => Semantics::V13_5,
        };
        RigOptions::default()
            .with_rotation_output(rotation)
            .with_semantics(semantics)
            .with_compat(self.compat)
    }
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let frames = if self.frames.as_os_str() == "-" {
            let mut text = Vec::new();
            // What cannot be read is missing from the text, and then its last line is refused.
            let _ = std::io::stdin().lock().read_to_end(&mut text);
            FrameSource::Text {
                name: "standard input".to_owned(),
                text: String::from_utf8_lossy(&text).into_owned(),
            }
        } else {
            FrameSource::File(self.frames)
        };
        let controls = match self.controls {
            Controls::Raw => FrameControls::Raw,
            Controls::Gui => FrameControls::Gui,
        };
        let request = EvalRequest { file: self.file, frames, controls, options: self.rig.options() };
        let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        let report = mhrig::eval(&request, &mut out, ui.job());
        drop(out);
        // The lines are the result; a report would mix with them.
        if ui.json && report.details.is_some() {
            return exit::of_report(&report);
        }
        ui.report(&report, |_| ())
    }
}
