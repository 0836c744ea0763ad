use std::path::PathBuf;

use mhrig::{DEFAULT_IDENTITY, DemoRequest, Orient};

use crate::exit::{self, Exit};
use crate::output::out;
use crate::ui::Ui;
use crate::verbs::build::show_build;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to write to.
    dir: PathBuf,
    /// The person of the demo human's data.
    #[arg(long, default_value = DEFAULT_IDENTITY)]
    identity: String,
    /// How the neutral rotations of the archetype's joints are chosen.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    orient: OrientArg,
    /// Also build the character into DIR/out, and print the report with the accuracy table.
    #[arg(long)]
    run: bool,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum OrientArg {
    /// Aligned with the bones.
    #[default]
    Bone,
    /// All identity.
    None,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let orient = match self.orient {
            OrientArg::Bone => Orient::Bone,
            OrientArg::None => Orient::None,
        };
        let request = DemoRequest { dir: self.dir, identity: self.identity, orient, force: self.force };
        let written = mhrig::demo(&request, ui.job());
        let Some(details) = written.details.as_ref().filter(|_| self.run) else {
            let exit = ui.report(&written, |details| {
                out!("archetype: {}", details.archetype_dir.display());
                out!("character: {} ({})", details.character_dir.display(), details.identity);
                out!("truth:     {}", details.truth.display());
            });
            if exit == exit::DONE {
                let files = written.details.map_or(0, |details| details.outputs.len());
                ui.done(&format!("{files} files in {}", request.dir.display()));
            }
            return exit;
        };
        show_build(ui, &mhrig::demo_build(details, self.force, ui.job()))
    }
}
