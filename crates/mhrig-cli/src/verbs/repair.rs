use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use mhrig::{Fix, RepairDetails, RepairRequest};

use crate::exit::Exit;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::inputs::Person;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    person: Person,
    /// What may be done to the meshes; findings of `mhrig check` name the fix that they need.
    #[arg(long, required = true, value_delimiter = ',', value_name = "FIX", value_parser = fix_parser())]
    fix: Vec<Fix>,
    /// The folder for the repaired meshes, one OBJ file each.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

fn fix_parser() -> impl TypedValueParser<Value = Fix> {
    let named = |name: String| Fix::ALL.into_iter().find(|fix| fix.name() == name);
    PossibleValuesParser::new(Fix::ALL.map(|fix| fix.name()))
        .try_map(move |name| named(name).ok_or("no such fix"))
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = RepairRequest {
            archetype: self.person.archetype.clone(),
            meshes: self.person.meshes(),
            parts: self.person.parts(),
            fixes: self.fix,
            out_dir: self.output,
            force: self.force,
        };
        let report = mhrig::repair(&request, ui.job());
        ui.report(&report, show)
    }
}

fn show(details: &RepairDetails) {
    let mut table = Table::new(&["mesh", "fixes", "positions"]).left(&[1, 2]);
    for mesh in &details.repaired {
        let fixes = if mesh.fixes.is_empty() { "none needed".to_owned() } else { mesh.fixes.join(", ") };
        table.row([mesh.mesh.as_str(), &fixes, if mesh.is_lossless { "as given" } else { "changed" }]);
    }
    table.print();
}
