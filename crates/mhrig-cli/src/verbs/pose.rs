use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use mhrig::{
    Finding, Focus, MeshMotion, PictureOptions, PoseRequest, RigOptions, Severity, Shading, SweepDetails,
    SweepRequest, View,
};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file.
    #[arg(value_name = "FILE.dna")]
    file: PathBuf,
    /// A body that the head sits on; it leads the joints that both have.
    #[arg(value_name = "BODY.dna")]
    body: Option<PathBuf>,
    /// Set a raw or GUI control, or turn a joint: jawOpen=1, lowerarm_l.rz=90 (degrees, inside its neutral orientation).
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Where to write: a picture (.png) or meshes (.obj, .glb).
    #[arg(short, long, value_name = "FILE", required_unless_present = "sweep")]
    output: Option<PathBuf>,
    /// The LOD; a body takes the one that corresponds.
    #[arg(long, default_value_t = 0, value_name = "K")]
    lod: usize,
    /// Cameras of a picture, side by side.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "front", value_name = "VIEW")]
    view: Vec<ViewArg>,
    /// How faces catch light.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    shading: ShadingArg,
    /// Colour vertices by how far they are from their neutral place.
    #[arg(long)]
    heat: bool,
    /// Width and height of one view in pixels.
    #[arg(long, default_value = "720x960", value_name = "WxH")]
    size: Size,
    /// What fills the picture.
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    focus: FocusArg,
    /// Move every control by itself and report those that move nothing and meshes that tear.
    #[arg(long, conflicts_with_all = ["settings", "output", "body"])]
    sweep: bool,
    /// The archetype folder, to compare how far edges stretch in a sweep.
    #[arg(long, value_name = "DIR", requires = "sweep")]
    archetype: Option<PathBuf>,
    /// Replace an existing file; the old one is kept as .bak.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ViewArg {
    Front,
    Side,
    ThreeQuarter,
    Back,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ShadingArg {
    #[default]
    Smooth,
    Flat,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FocusArg {
    /// Everything.
    #[default]
    All,
    /// The meshes of FILE.dna at rest, so that the camera stays still from pose to pose.
    First,
    /// The face at rest.
    Face,
}

#[derive(Clone, Copy, Debug)]
struct Size {
    width: usize,
    height: usize,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let (width, height) =
            sides.ok_or_else(|| "expected a width and a height, such as 720x960".to_owned())?;
        Ok(Self { width, height })
    }
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let Some(output) = self.output else {
            let request =
                SweepRequest { file: self.file, archetype: self.archetype, options: RigOptions::default() };
            let report = mhrig::sweep(&request, ui.job());
            let findings = &report.findings;
            return ui.report(&report, |details| show_sweep(details, findings));
        };
        let views = self.view.iter().map(|view| match view {
            ViewArg::Front => View::Front,
            ViewArg::Side => View::Side,
            ViewArg::ThreeQuarter => View::ThreeQuarter,
            ViewArg::Back => View::Back,
        });
        let picture = PictureOptions {
            views: views.collect(),
            shading: match self.shading {
                ShadingArg::Smooth => Shading::Smooth,
                ShadingArg::Flat => Shading::Flat,
            },
            heat: self.heat,
            width: self.size.width,
            height: self.size.height,
            focus: match self.focus {
                FocusArg::All => Focus::All,
                FocusArg::First => Focus::First,
                FocusArg::Face => Focus::Face,
            },
        };
        let request = PoseRequest {
            file: self.file,
            body: self.body,
            settings: self.settings,
            lod: self.lod,
            output,
            picture,
            options: RigOptions::default(),
            force: self.force,
        };
        let report = mhrig::pose(&request, ui.job());
        let exit = ui.report(&report, |details| show_motions(&details.meshes));
        if let Some(details) = &report.details {
            let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
            ui.done(&outputs.join(", "));
        }
        exit
    }
}

fn show_motions(motions: &[MeshMotion]) {
    let mut table = Table::new(&["mesh", "vertices", "moved", "farthest, cm"]);
    for motion in motions {
        table.row([
            motion.mesh.clone(),
            motion.vertices.to_string(),
            motion.moved.to_string(),
            format!("{:.4}", motion.max_cm),
        ]);
    }
    table.print();
}

fn show_sweep(details: &SweepDetails, findings: &[Finding]) {
    let farthest = details.rest.iter().map(|motion| motion.max_cm).fold(0.0, f64::max);
    out!("rest: {} meshes, {farthest:.6} cm from neutral at most", details.rest.len());
    if let Some(motions) = &details.jaw_open {
        for motion in motions.iter().filter(|motion| motion.moved > 0) {
            out!(
                "jaw open: {} of {} vertices of {} move, {:.2} cm at most",
                motion.moved,
                motion.vertices,
                motion.mesh,
                motion.max_cm
            );
        }
    }
    if !details.rbf_poses.is_empty() {
        let recognized = details.rbf_poses.iter().filter(|pose| pose.is_recognized()).count();
        out!("RBF poses: {recognized} of {} are recognized by their solver", details.rbf_poses.len());
    }
    let mut table =
        Table::new(&["control", "vertices", "farthest, cm", "joints", "channels", "maps", "stretch"]);
    for control in &details.controls {
        let stretch = control.stretches.iter().map(mhrig::Stretch::ratio).fold(1.0, f64::max);
        table.row([
            control.control.clone(),
            control.moved.to_string(),
            format!("{:.4}", control.max_cm),
            control.joints.to_string(),
            control.channels.to_string(),
            control.maps.to_string(),
            format!("{stretch:.2}"),
        ]);
    }
    table.print();
    let odd = findings.iter().filter(|finding| finding.severity >= Severity::Warning).count();
    out!("{} controls, {odd} findings", details.controls.len());
}
