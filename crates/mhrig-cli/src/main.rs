//! The `mhrig` command line: from meshes to a MetaHuman rig, without Maya.
#![forbid(unsafe_code)]
// A command line prints; everything else in this workspace must not.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod exit;
mod interrupt;
mod output;
mod table;
mod ui;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match args::Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(error) => {
            // `--help` and `--version` come this way too; they are no failure.
            let code = if error.use_stderr() { exit::USAGE } else { exit::DONE };
            if error.use_stderr() && args::wants_json() {
                ui::print_json(&args::usage_report(&error));
            }
            let _ = error.print();
            code.into()
        }
    }
}
