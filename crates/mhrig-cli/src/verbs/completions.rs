use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::{self, Exit};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

impl Args {
    pub(crate) fn run(self) -> Exit {
        clap_complete::generate(self.shell, &mut Cli::command(), "mhrig", &mut std::io::stdout());
        exit::DONE
    }
}
