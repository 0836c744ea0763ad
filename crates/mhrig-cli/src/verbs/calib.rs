use std::path::PathBuf;

use clap::ValueEnum;
use mhrig::{CalibDetails, CalibRequest, EngineChoice, SculptSource};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::show;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file to edit.
    #[arg(value_name = "IN.dna")]
    input: PathBuf,
    /// The file for the result; may be the same with --force.
    #[arg(value_name = "OUT.dna")]
    output: PathBuf,
    /// What to do: a JSON file whose `run` holds a command with its arguments, a sequence or a condition.
    #[arg(long, value_name = "ARGS.json", required_unless_present = "sculpt")]
    args: Option<PathBuf>,
    /// Make this what the expression looks like when it is fully on: its meshes, posed, in a file. May be given again;
    /// correctives above it keep their looks.
    #[arg(long, value_name = "NAME=FILE", value_parser = parse_sculpt)]
    sculpt: Vec<SculptSource>,
    /// Give the sculpted expressions joint values that explain as much of their sculpts as joints can.
    #[arg(long, requires = "sculpt")]
    match_joints: bool,
    /// Splits, phases and names of correctives, in the form of an archetype's expressions.json.
    #[arg(long, value_name = "FILE.json", requires = "sculpt")]
    expressions: Option<PathBuf>,
    /// Who runs the command.
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    engine: Engine,
    /// Write what DNACalib 1.3 writes, also where it is not right.
    #[arg(long)]
    compat: bool,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Engine {
    /// This program.
    #[default]
    Native,
    /// Epic's dnacalib.
    Dnacalib,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = CalibRequest {
            input: self.input,
            output: self.output,
            args: self.args,
            sculpts: self.sculpt,
            match_joints: self.match_joints,
            expressions: self.expressions,
            engine: match self.engine {
                Engine::Native => EngineChoice::Native,
                Engine::Dnacalib => EngineChoice::Dnacalib,
            },
            compat: self.compat,
            force: self.force,
        };
        let report = mhrig::calib(&request, ui.job());
        let exit = ui.report(&report, show);
        if let Some(details) = &report.details {
            let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
            ui.done(&outputs.join(", "));
        }
        exit
    }
}

fn parse_sculpt(text: &str) -> Result<SculptSource, String> {
    mhrig::parse_sculpt(text).ok_or_else(|| "expected NAME=FILE such as jawOpen=jaw_open.obj".to_owned())
}

fn show(details: &CalibDetails) {
    if let Some(done) = &details.sculpts {
        let mut table = Table::new(&["sculpt", "meshes", "vertices moved", "at most, cm"]);
        for asked in &done.asked {
            let (moved, largest) = (asked.moved.to_string(), format!("{:.4}", asked.largest_cm));
            table.row([asked.expression.clone(), asked.meshes.join(", "), moved, largest]);
        }
        table.print();
        let report = &done.recalculated;
        out!(
            "recalculated: {} expressions, {} with other blend shapes, {} correctives with other joint values, {} new targets",
            report.calculated,
            report.changed_shapes,
            report.changed_joints,
            report.new_targets
        );
        show::matched("sculpted", &report.matched);
    }
    let what = details.command.unwrap_or("count");
    if details.changes.is_empty() {
        if details.command.is_some() {
            out!("{what}: no count changed");
        }
        return;
    }
    let mut table = Table::new(&[what, "before", "after"]);
    for change in &details.changes {
        table.row([change.what, &change.before.to_string(), &change.after.to_string()]);
    }
    table.print();
}
