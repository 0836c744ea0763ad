use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{self, Exit};
use crate::output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

impl Args {
    pub(crate) fn run(self) -> Exit {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "mhrig", &mut script);
        output::note(std::io::stdout().write_all(&script));
        exit::DONE
    }
}
