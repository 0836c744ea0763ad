use std::path::PathBuf;

use mhrig::{LodsBody, LodsDetails, LodsRequest};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file, a head or a body.
    #[arg(value_name = "IN.dna")]
    input: PathBuf,
    /// The file for the result; may be the same with --force.
    #[arg(value_name = "OUT.dna")]
    output: PathBuf,
    /// The body that belongs to the head, and the file for its result: the borders of both will meet in every LOD.
    #[arg(long, num_args = 2, value_names = ["BODY.dna", "BODY_OUT.dna"])]
    body: Vec<PathBuf>,
    /// The archetype that the files were built with; without it lower LODs follow the texture coordinates alone.
    #[arg(long, value_name = "DIR")]
    archetype: Option<PathBuf>,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let mut body = self.body.into_iter();
        let request = LodsRequest {
            input: self.input,
            output: self.output,
            body: body.next().zip(body.next()).map(|(input, output)| LodsBody { input, output }),
            archetype: self.archetype,
            force: self.force,
        };
        let report = mhrig::lods(&request, ui.job());
        let exit = ui.report(&report, show);
        if let Some(details) = &report.details {
            let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
            ui.done(&outputs.join(", "));
        }
        exit
    }
}

fn show(details: &LodsDetails) {
    for part in &details.parts {
        let title = part.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut table = Table::new(&[&title, "from", "vertices", "moved", "mean cm", "max cm"]).left(&[1]);
        for mesh in &part.meshes {
            table.row([
                mesh.mesh.clone(),
                mesh.source.clone(),
                mesh.moved.count.to_string(),
                mesh.moved.moved.to_string(),
                format!("{:.4}", mesh.moved.mean_cm),
                format!("{:.4}", mesh.moved.largest_cm),
            ]);
        }
        table.print();
    }
    if let Some(gap) = details.seam.iter().map(|lod| lod.gap_after_cm).reduce(f64::max) {
        let pairs: usize = details.seam.iter().map(|lod| lod.pairs).sum();
        out!("seam: {pairs} border vertices in {} pairs of LODs, widest gap {gap:.6} cm", details.seam.len());
    }
}
