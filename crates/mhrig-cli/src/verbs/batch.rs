use std::path::PathBuf;

use mhrig::{BatchDetails, BatchRequest, BuildRequest, PersonStatus, Shard};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::inputs::{PartArgs, Placing, Update};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Who: a folder with one folder or scene file per person, a manifest
    /// ({"people": [{"name": …, "meshes": […], "truth": …}]}, .json), or a text file with one path a line.
    #[arg(value_name = "FOLDER|MANIFEST")]
    people: PathBuf,
    /// The archetype folder (`mhrig demo DIR` writes one).
    #[arg(long, value_name = "DIR")]
    archetype: PathBuf,
    #[command(flatten)]
    parts: PartArgs,
    /// The folder for a folder per person (NAME_head.dna, NAME_body.dna, NAME_report.json), summary.json and
    /// summary.csv.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    placing: Placing,
    /// Repair meshes where that changes no position; the reports list it.
    #[arg(long)]
    auto_repair: bool,
    /// Let missing decorative meshes keep the archetype's shape instead of making them from their skin.
    #[arg(long)]
    no_fill: bool,
    #[command(flatten)]
    update: Update,
    /// Go on with an earlier run: results whose inputs, archetype, options and program are the same are kept, all
    /// others are made (again; the old files are kept as .bak).
    #[arg(long)]
    resume: bool,
    /// Do only every Nth person, for job arrays: 1/4, 2/4, 3/4, 4/4. A run with --resume and without --shard then
    /// sums up.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Make everything again; the old files are kept as .bak.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&number| number > 0);
    let shard = text.split_once('/').and_then(|(i, n)| Some(Shard { number: number(i)?, of: number(n)? }));
    shard.ok_or_else(|| "expected I/N such as 2/4".to_owned())
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = BatchRequest {
            people: self.people,
            out_dir: self.output,
            build: BuildRequest {
                archetype: self.archetype,
                parts: self.parts.parts(),
                auto_repair: self.auto_repair,
                fill_missing: !self.no_fill,
                fit: self.placing.fit(),
                shared_constraint: !self.placing.no_shared_constraint,
                expressions: self.update.expressions(),
                match_joints: self.update.match_joints(),
                weights: self.update.weights(),
                prune: self.update.prune(),
                ..BuildRequest::default()
            },
            resume: self.resume,
            force: self.force,
            shard: self.shard,
        };
        let report = mhrig::batch(&request, ui.job());
        let exit = ui.report(&report, show);
        if let Some(details) = &report.details {
            let BatchDetails { built, kept, failed, open, .. } = details;
            let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
            let open = if *open > 0 { format!(", {open} open") } else { String::new() };
            ui.done(&format!("{built} built, {kept} kept, {failed} failed{open}: {}", outputs.join(", ")));
        }
        exit
    }
}

fn show(details: &BatchDetails) {
    let has_truth = details.people.iter().any(|person| person.mean_error_cm.is_some());
    let mut header =
        vec!["person", "state", "joints", "repaired", "filled", "warnings", "distance change, cm"];
    if has_truth {
        header.extend(["mean error", "max error"]);
    }
    header.push("what");
    let mut table = Table::new(&header).left(&[1, header.len() - 1]);
    for person in &details.people {
        let number = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |n| format!("{n:.3}"));
        let state = match (person.status, person.kept) {
            (PersonStatus::Ok, false) => "built",
            (PersonStatus::Ok, true) => "kept",
            (PersonStatus::Failed, _) => "failed",
            (PersonStatus::Open, _) => "open",
        };
        let mut row = vec![
            person.name.clone(),
            state.to_owned(),
            person.joints.to_string(),
            person.repaired.to_string(),
            person.filled.to_string(),
            person.warnings.to_string(),
            number(person.distance_cm),
        ];
        if has_truth {
            row.extend([number(person.mean_error_cm), number(person.max_error_cm)]);
        }
        row.push(person.code.clone());
        table.row(row);
    }
    table.print();
    let hash = details.archetype.hash.get(..12).unwrap_or_default();
    out!("archetype: {} ({hash}…)", details.archetype.name);
}
