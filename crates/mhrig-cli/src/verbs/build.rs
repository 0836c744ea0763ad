use std::path::PathBuf;

use mhrig::{BuildDetails, BuildRequest, Report, Retained};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::inputs::{Held, Person, Placing, Update};
use crate::verbs::show;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    person: Person,
    /// The folder for NAME_head.dna, NAME_body.dna and NAME_report.json.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Name of the person.
    #[arg(long)]
    name: String,
    #[command(flatten)]
    placing: Placing,
    #[command(flatten)]
    held: Held,
    /// Repair meshes where that changes no position: order, split vertices, triangles, reversed faces, combined parts,
    /// extras, names. The report lists it.
    #[arg(long)]
    auto_repair: bool,
    /// Let missing decorative meshes keep the archetype's shape instead of making them from their skin.
    #[arg(long)]
    no_fill: bool,
    #[command(flatten)]
    update: Update,
    /// The true joints (`joint,x,y,z` in cm, Y up), to measure against.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Replace existing files; the old ones are kept as .bak.
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = BuildRequest {
            archetype: self.person.archetype.clone(),
            meshes: self.person.meshes(),
            parts: self.person.parts(),
            out_dir: self.output,
            name: self.name,
            auto_repair: self.auto_repair,
            fill_missing: !self.no_fill,
            fit: self.placing.fit(),
            joints: self.held.joints(),
            shared_constraint: !self.placing.no_shared_constraint,
            truth: self.truth,
            expressions: self.update.expressions(),
            match_joints: self.update.match_joints(),
            weights: self.update.weights(),
            prune: self.update.prune(),
            force: self.force,
        };
        show_build(ui, &mhrig::build(&request, ui.job()))
    }
}

/// Shows the report of a build.
pub(crate) fn show_build(ui: &Ui, report: &Report<BuildDetails>) -> Exit {
    let exit = ui.report(report, |details| {
        if details.accuracy.is_empty() {
            show::strategies(&details.strategies);
            out!();
        } else {
            show::accuracy(&details.accuracy);
        }
        show_parts(details);
        show_weights(details);
        for (part, result) in details.parts.iter().rev() {
            show::matched(part, result.matched());
        }
        for repaired in &details.repaired {
            out!("repaired: {} ({})", repaired.mesh, repaired.fixes.join(", "));
        }
        for filled in &details.filled {
            let coverage = filled.coverage * 100.0;
            out!("filled: {} from its skin ({coverage:.1} % of its vertices have weights)", filled.mesh);
        }
        if let Some(gap) = details.seam.iter().map(|lod| lod.gap_after_cm).reduce(f64::max) {
            let pairs: usize = details.seam.iter().map(|lod| lod.pairs).sum();
            let lods = details.seam.len();
            out!("seam: {pairs} border vertices in {lods} pairs of LODs, widest gap {gap:.6} cm");
        }
        show::placed_by_hand(&details.joints);
        show_motion(details);
        let hash = details.archetype.hash.get(..12).unwrap_or_default();
        out!("archetype: {} ({hash}…)", details.archetype.name);
        show::stages(report);
    });
    if let Some(details) = &report.details {
        let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
        ui.done(&outputs.join(", "));
    }
    exit
}

fn show_motion(details: &BuildDetails) {
    for (part, proof) in details.motion.iter().rev() {
        if let Some(rest) = proof.rest_max_cm {
            out!("motion: {part} at rest is within {rest:.6} cm of its neutral pose");
        }
        let farthest = proof.jaw_open.iter().max_by(|a, b| a.max_cm.total_cmp(&b.max_cm));
        if let Some(mesh) = farthest {
            let (moved, of) =
                proof.jaw_open.iter().fold((0, 0), |(m, v), mesh| (m + mesh.moved, v + mesh.vertices));
            let (max, name) = (mesh.max_cm, &mesh.mesh);
            out!(
                "motion: jaw open moves {moved} of {of} vertices of the {part}, {max:.2} cm at most ({name})"
            );
        }
    }
    let change = |d: &mhrig::PartDistance| d.largest_change_cm.abs();
    if let Some(worst) = details.distances.iter().max_by(|a, b| change(a).total_cmp(&change(b))) {
        let (mesh, to, change) = (&worst.mesh, &worst.to, worst.largest_change_cm);
        out!("distances: the largest change is {change:+.3} cm, of {mesh} to {to}");
    }
}

fn show_weights(details: &BuildDetails) {
    for (part, result) in details.parts.iter().rev() {
        let weights = result.weights();
        if weights.is_empty() {
            continue;
        }
        let capped: usize = weights.iter().map(|mesh| mesh.capped).sum();
        let loss = weights.iter().map(|mesh| mesh.largest_loss).fold(0.0, f64::max);
        let vertices: usize = weights.iter().map(|mesh| mesh.vertices).sum();
        let meshes = weights.len();
        out!(
            "weights: {meshes} meshes of the {part} set, {vertices} vertices; {capped} cut to the cap, at most {loss:.4} lost"
        );
    }
}

fn show_parts(details: &BuildDetails) {
    let header = ["part", "joints", "meshes", "blend shape deltas", "kept", "joint values", "kept", "MB"];
    let mut table = Table::new(&header);
    for (part, result) in details.parts.iter().rev() {
        let retention = &result.update.retention;
        let kept = |retained: &Retained| match retained.before {
            0 => "–".to_owned(),
            _ => format!("{:.1} %", retained.share * 100.0),
        };
        table.row([
            (*part).to_owned(),
            result.update.joints.count.to_string(),
            result.update.meshes.len().to_string(),
            retention.blend_shape_deltas.after.to_string(),
            kept(&retention.blend_shape_deltas),
            retention.joint_values.after.to_string(),
            kept(&retention.joint_values),
            format!("{:.2}", result.bytes as f64 / 1e6),
        ]);
    }
    table.print();
}
