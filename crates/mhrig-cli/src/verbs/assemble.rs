use std::path::PathBuf;

use mhrig::{AssembleDetails, AssembleRequest, RigLogicKind, UpAxis, Verification};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::show;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The head; or the body alone. Variables are put in ($NAME, ${NAME}, %NAME%); the scene keeps such a path as it is given.
    #[arg(value_name = "HEAD.dna")]
    file: PathBuf,
    /// The body that the head sits on.
    #[arg(value_name = "BODY.dna")]
    body: Option<PathBuf>,
    /// The archetype folder that both were built on: says which vertices of the necks belong together.
    #[arg(long, value_name = "DIR")]
    archetype: Option<PathBuf>,
    /// Where to write: a Maya ASCII scene (.ma), or skeleton, meshes and expressions for any viewer (.glb).
    #[arg(short, long, value_name = "rig.ma|rig.glb")]
    output: PathBuf,
    /// Also write a page that shows the character with sliders for its face: one file, which needs nothing else.
    #[arg(long, value_name = "out.html")]
    viewer: Option<PathBuf>,
    /// Put all names into a namespace, so that two characters fit into one scene.
    #[arg(long, value_name = "NS")]
    namespace: Option<String>,
    /// Up axis of the scene; that of the files where none is given.
    #[arg(long, value_enum, value_name = "AXIS")]
    up: Option<UpArg>,
    /// The node that evaluates the DNA files in Maya.
    #[arg(long, value_enum, default_value_t, value_name = "NODE")]
    rig_logic: NodeArg,
    /// The oldest Maya that should open the scene.
    #[arg(long, default_value_t = 2024, value_parser = clap::value_parser!(u16).range(2022..=2100), value_name = "YEAR")]
    maya: u16,
    /// Evaluate the assembled rig and compare it with the DNA files, at rest and in 20 settings of its controls.
    #[arg(long)]
    verify: bool,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum UpArg {
    Y,
    Z,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum NodeArg {
    /// mhRigLogic of this project's plug-in.
    #[default]
    Mh,
    /// embeddedNodeRL4 of Epic's plug-in.
    Epic,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = AssembleRequest {
            files: std::iter::once(self.file).chain(self.body).collect(),
            archetype: self.archetype,
            output: self.output,
            viewer: self.viewer,
            namespace: self.namespace,
            up_axis: self.up.map(|up| match up {
                UpArg::Y => UpAxis::Y,
                UpArg::Z => UpAxis::Z,
            }),
            maya_version: self.maya,
            rig_logic: match self.rig_logic {
                NodeArg::Mh => RigLogicKind::MhRigLogic,
                NodeArg::Epic => RigLogicKind::EmbeddedNodeRl4,
            },
            verify: self.verify,
            force: self.force,
            ..AssembleRequest::default()
        };
        let report = mhrig::assemble(&request, ui.job());
        let exit = ui.report(&report, |details| {
            show_assembly(details);
            show::stages(&report);
        });
        if let Some(details) = &report.details {
            let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
            ui.done(&outputs.join(", "));
        }
        exit
    }
}

fn show_assembly(details: &AssembleDetails) {
    let counts = &details.counts;
    let joints = match (counts.head_joints, counts.body_joints) {
        (head, body) if head > 0 && body > 0 => {
            format!("{} joints ({head} + {body} - {} shared)", counts.joints, counts.shared_joints)
        }
        _ => format!("{} joints", counts.joints),
    };
    let mut table = Table::new(&["scene", ""]);
    for (what, count) in [
        ("meshes", counts.meshes),
        ("skin clusters", counts.skin_clusters),
        ("blend shape nodes", counts.blend_shapes),
        ("blend shape targets", counts.blend_shape_targets),
        ("blend shape deltas", counts.blend_shape_deltas),
        ("board controls", counts.board_controls),
        ("raw controls", counts.raw_controls),
        ("animated maps", counts.animated_maps),
        ("curves", counts.curves),
        ("RigLogic nodes", counts.rig_logic),
        ("display layers", counts.display_layers),
    ] {
        table.row([what.to_owned(), count.to_string()]);
    }
    out!("{joints}");
    table.print();
    if let Some(gap) = details.seam.iter().map(|line| line.gap_cm).reduce(f64::max) {
        let pairs: usize = details.seam.iter().map(|line| line.pairs).sum();
        let before = details.seam.iter().map(|line| line.angle_before_deg).fold(0.0, f64::max);
        let lods = details.seam.len();
        out!(
            "seam: {pairs} border vertices in {lods} pairs of LODs, widest gap {gap:.6} cm, normals {before:.2} degrees apart before and one after"
        );
    }
    if let Some(verification) = &details.verification {
        show_verification(verification);
    }
    if let Some(glb) = &details.glb {
        out!(
            "glTF: {} expressions as morph targets; {} vertices keep 4 of their influences, losing a weight of {:.3} at most",
            glb.morph_targets,
            glb.pruned_vertices,
            glb.largest_pruned_weight
        );
    }
    if let Some(viewer) = &details.viewer {
        let (sliders, vertices, targets) = (viewer.sliders, viewer.vertices, viewer.targets);
        let size = viewer.bytes as f64 / 1e6;
        out!("viewer: {sliders} sliders, {vertices} vertices, {targets} blend shape targets; {size:.2} MB");
    }
    out!("size: {:.2} MB", details.bytes as f64 / 1e6);
}

fn show_verification(verification: &Verification) {
    let (settings, vertices, max) = (verification.settings, verification.vertices, verification.max_cm);
    out!(
        "verified: rest and {settings} settings, {vertices} vertices each, within {max:.6} cm of the DNA files"
    );
    if let Some(jaw) = &verification.jaw_open {
        let (moved, of, mesh, max) = (jaw.moved, jaw.vertices, &jaw.mesh, jaw.max_cm);
        out!("verified: {} moves {moved} of {of} vertices of {mesh}, {max:.2} cm at most", jaw.control);
    }
    let (gap, angle) = (verification.seam_gap_cm, verification.seam_angle_deg);
    out!("verified: the seam opens {gap:.6} cm at most, its normals part by {angle:.3} degrees at most");
}
