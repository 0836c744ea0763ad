use std::path::PathBuf;

use mhrig::FitRequest;

use crate::exit::Exit;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::inputs::{Held, Person, Placing};
use crate::verbs::show;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    person: Person,
    #[command(flatten)]
    placing: Placing,
    #[command(flatten)]
    held: Held,
    /// The true joints (`joint,x,y,z` in cm, Y up), to measure against.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Write the joints to this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file; the old one is kept as .bak.
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = FitRequest {
            archetype: self.person.archetype.clone(),
            meshes: self.person.meshes(),
            parts: self.person.parts(),
            fit: self.placing.fit(),
            joints: self.held.joints(),
            shared_constraint: !self.placing.no_shared_constraint,
            truth: self.truth,
            output: self.output,
            force: self.force,
        };
        let report = mhrig::fit(&request, ui.job());
        let exit = ui.report(&report, |details| {
            if details.accuracy.is_empty() {
                show::strategies(&details.strategies);
            } else {
                show::accuracy(&details.accuracy);
            }
            if ui.verbose > 0 {
                let header =
                    ["joint", "strategy", "x", "y", "z", "confidence", "evidence", "residual, cm", "rule"];
                let mut table = Table::new(&header).left(&[1, 8]);
                for joint in &details.joints {
                    let [x, y, z] = joint.position.map(|c| format!("{c:.3}"));
                    let confidence = format!("{:.2}", joint.confidence);
                    let (evidence, residual) =
                        (joint.evidence.to_string(), format!("{:.3}", joint.residual_cm));
                    let cells = [&joint.name, joint.strategy, &x, &y, &z, &confidence, &evidence, &residual];
                    table.row(cells.into_iter().chain([joint.rule.as_str()]));
                }
                table.print();
            }
            show::placed_by_hand(&details.joints);
            show::stages(&report);
        });
        if let Some(details) = &report.details
            && let [output] = details.outputs.as_slice()
        {
            ui.done(&format!("{} joints in {}", details.joints.len(), output.display()));
        }
        exit
    }
}
