use std::path::PathBuf;

use mhrig::{DEFAULT_IDENTITY, DemoRequest, FullSizeRequest, Orient};

use crate::exit::{self, Exit};
use crate::output::{err, out};
use crate::ui::Ui;
use crate::verbs::build::show_build;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to write to.
    dir: PathBuf,
    /// The demo human with its people, or a made-up person with as many joints, vertices and blend shapes as a MetaHuman.
    #[arg(long, value_enum, default_value_t, value_name = "SIZE")]
    size: SizeArg,
    /// The person of the demo human's data [default: dev01_young_woman]. Not with `--size full`.
    #[arg(long, value_name = "NAME", conflicts_with = "seed")]
    identity: Option<String>,
    /// Which made-up person of `--size full`: each number is another one [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How the neutral rotations of the archetype's joints are chosen.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    orient: OrientArg,
    /// Also build the character into DIR/out, and print the report with the accuracy table.
    #[arg(long)]
    run: bool,
    /// Also write all people of the data, DIR/people and DIR/people.json, for `mhrig batch`.
    #[arg(long)]
    people: bool,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SizeArg {
    /// The demo human.
    #[default]
    Human,
    /// A made-up person of full size.
    Full,
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
        if self.size == SizeArg::Full && (self.identity.is_some() || self.people) {
            err!("error: --identity and --people are about the demo human; with --size full, --seed chooses");
            return exit::USAGE;
        }
        if self.size == SizeArg::Human && self.seed.is_some() {
            err!("error: --seed is about --size full; of the demo human, --identity chooses the person");
            return exit::USAGE;
        }
        let (dir, force) = (self.dir, self.force);
        let written = match self.size {
            SizeArg::Human => {
                let identity = self.identity.unwrap_or_else(|| DEFAULT_IDENTITY.to_owned());
                let request = DemoRequest { dir: dir.clone(), identity, orient, people: self.people, force };
                mhrig::demo(&request, ui.job())
            }
            SizeArg::Full => {
                let request =
                    FullSizeRequest { dir: dir.clone(), seed: self.seed.unwrap_or(1), orient, force };
                mhrig::full_size_demo(&request, ui.job())
            }
        };
        let Some(details) = written.details.as_ref().filter(|_| self.run) else {
            let exit = ui.report(&written, |details| {
                out!("archetype: {}", details.archetype_dir.display());
                out!("character: {} ({})", details.character_dir.display(), details.identity);
                out!("truth:     {}", details.truth.display());
            });
            if exit == exit::DONE {
                let files = written.details.map_or(0, |details| details.outputs.len());
                ui.done(&format!("{files} files in {}", dir.display()));
            }
            return exit;
        };
        show_build(ui, &mhrig::demo_build(details, force, ui.job()))
    }
}
