use std::path::PathBuf;

use clap::ValueEnum;
use mhrig::{CalibDetails, CalibRequest, EngineChoice};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file to edit.
    #[arg(value_name = "IN.dna")]
    input: PathBuf,
    /// The file for the result; may be the same with --force.
    #[arg(value_name = "OUT.dna")]
    output: PathBuf,
    /// What to do: a JSON file whose `run` holds a command with its arguments, a sequence or a condition.
    #[arg(long, value_name = "ARGS.json")]
    args: PathBuf,
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

fn show(details: &CalibDetails) {
    if details.changes.is_empty() {
        out!("{}: no count changed", details.command);
        return;
    }
    let mut table = Table::new(&[details.command, "before", "after"]);
    for change in &details.changes {
        table.row([change.what, &change.before.to_string(), &change.after.to_string()]);
    }
    table.print();
}
