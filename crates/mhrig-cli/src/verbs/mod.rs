//! One module per verb: its options, the request it makes, and how its report is shown.

mod assemble;
mod batch;
mod build;
mod calib;
mod check;
mod completions;
mod convert;
mod demo;
mod diff;
mod eval;
mod fit;
mod inputs;
mod inspect;
mod lods;
mod pose;
mod repair;
mod show;
mod validate;

use clap::Subcommand;

use crate::exit::Exit;
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Write a complete example: an archetype, a character and its true joints.
    Demo(demo::Args),
    /// Compare meshes with the archetype's topology.
    Check(check::Args),
    /// Bring meshes into the archetype's topology, by the fixes that are allowed.
    Repair(repair::Args),
    /// Place the joints of a person, and measure how well where the truth is known.
    Fit(fit::Args),
    /// Build the head and body DNA of a person.
    Build(build::Args),
    /// Assemble head and body DNA to one rig: a scene with skeleton, deformers, face board and RigLogic nodes.
    Assemble(assemble::Args),
    /// Say what a DNA file holds.
    Inspect(inspect::Args),
    /// Look for everything that is wrong with a DNA file.
    Validate(validate::Args),
    /// Say what is different between two DNA files; exit code 1 when anything is.
    Diff(diff::Args),
    /// Write a DNA file as JSON or back, in another version, or in part.
    Convert(convert::Args),
    /// Build many people; a bad one never stops the rest, and an interrupted run goes on where it was.
    Batch(batch::Args),
    /// Edit a DNA by the commands of DNACalib, and more.
    Calib(calib::Args),
    /// Make the lower LODs of a DNA anew from its LOD 0.
    Lods(lods::Args),
    /// Evaluate a DNA: frames of control values in, joints, blend shapes and maps out, one JSON object a line.
    Eval(eval::Args),
    /// Pose a character and take a picture or write its meshes; or move every control once and look for faults.
    Pose(pose::Args),
    /// Print a script that completes this program's options in a shell.
    Completions(completions::Args),
}

impl Verb {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        match self {
            Self::Demo(args) => args.run(ui),
            Self::Check(args) => args.run(ui),
            Self::Repair(args) => args.run(ui),
            Self::Fit(args) => args.run(ui),
            Self::Build(args) => args.run(ui),
            Self::Assemble(args) => args.run(ui),
            Self::Inspect(args) => args.run(ui),
            Self::Validate(args) => args.run(ui),
            Self::Diff(args) => args.run(ui),
            Self::Convert(args) => args.run(ui),
            Self::Batch(args) => args.run(ui),
            Self::Calib(args) => args.run(ui),
            Self::Lods(args) => args.run(ui),
            Self::Eval(args) => args.run(ui),
            Self::Pose(args) => args.run(ui),
            Self::Completions(args) => args.run(),
        }
    }
}
