use std::path::PathBuf;

use mhrig::{InspectRequest, InspectView};

use crate::exit::Exit;
use crate::output::out;
use crate::table;
use crate::ui::Ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file.
    #[arg(value_name = "FILE.dna")]
    file: PathBuf,
    /// The tree of joints with world and local positions.
    #[arg(long)]
    joints: bool,
    /// The meshes.
    #[arg(long)]
    meshes: bool,
    /// The controls: gui, psd, rbf, ml, direct or unused, with who drives each and what it drives.
    #[arg(long)]
    controls: bool,
    /// All that a control does: joints, blend shape channels, maps and correctives; may be given several times.
    #[arg(long, value_name = "NAME")]
    expression: Vec<String>,
    /// The correctives (pose space deformation), with their inputs and what they drive.
    #[arg(long)]
    psd: bool,
    /// The RBF solvers with their poses.
    #[arg(long)]
    rbf: bool,
    /// What belongs to each LOD.
    #[arg(long)]
    lods: bool,
    /// Bytes per layer.
    #[arg(long)]
    sizes: bool,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let views = [
            (self.lods, InspectView::Lods),
            (self.meshes, InspectView::Meshes),
            (self.joints, InspectView::Joints),
            (self.controls, InspectView::Controls),
            (self.psd, InspectView::Psd),
            (self.rbf, InspectView::Rbf),
            (self.sizes, InspectView::Sizes),
        ];
        let views = views.into_iter().filter(|(wanted, _)| *wanted).map(|(_, view)| view);
        let request =
            InspectRequest { file: self.file, views: views.collect(), expressions: self.expression };
        ui.report(&mhrig::inspect(&request, ui.job()), |details| {
            for (number, table) in details.tables().iter().enumerate() {
                if number > 0 {
                    out!();
                }
                table::print(table);
            }
        })
    }
}
