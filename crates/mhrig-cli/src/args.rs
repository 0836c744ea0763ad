use std::process::ExitCode;

use clap::{ArgAction, Args, Parser, ValueEnum};
use mhrig::{Blame, Finding, Report, Severity, Status, TOOL};

use crate::exit;
use crate::output::{self, err};
use crate::ui::Ui;
use crate::verbs::Verb;

/// From meshes in MetaHuman topology to a head DNA, a body DNA and a rig, without Maya.
///
/// Exit codes: 0 done, 1 findings, 2 usage, 3 bad input, 4 environment, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "mhrig", version, propagate_version = true, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

/// Options that every verb takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print a machine-readable report on stdout.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say only what went wrong.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Show all findings and differences, not just the first ten.
    #[arg(long, global = true)]
    pub(crate) all: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
    /// Number of threads, 1 to 256; all processors by default.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

/// Whether `--json` is among the arguments, for the case that they cannot be understood.
pub(crate) fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// The report of a command line that cannot be understood.
pub(crate) fn usage_report(error: &clap::Error) -> Report<()> {
    let text = error.render().to_string();
    let message = text.split("\n\n").next().unwrap_or_default().trim();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let words: Vec<&str> = message.split_whitespace().collect();
    let remedy = "see `mhrig --help` and `mhrig VERB --help`";
    let finding = Finding::new("USAGE", Severity::Error, "command line", words.join(" "), remedy);
    Report {
        tool: TOOL,
        status: Status::Refused,
        findings: vec![finding],
        stages: Vec::new(),
        details: None,
        blame: Some(Blame::Usage),
    }
}

impl Cli {
    pub(crate) fn run(self) -> ExitCode {
        if let Some(jobs) = self.global.jobs {
            // Fails only when a pool exists already, and none does yet.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs)).build_global();
        }
        let ui = Ui::new(&self.global);
        let exit = self.verb.run(&ui);
        if output::is_lost() {
            err!(
                "error: the report could not be written to the standard output; free some space or choose another target"
            );
            return exit::ENVIRONMENT.into();
        }
        exit.into()
    }
}
