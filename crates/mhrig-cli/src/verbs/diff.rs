use std::path::PathBuf;

use mhrig::{DiffDetails, DiffRequest, JointsDifference, MeshDifference};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::{BOLD, DIM, Ui};

/// How many rows of a long list are shown before the rest is only counted.
const ROWS_SHOWN: usize = 10;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The earlier file.
    #[arg(value_name = "A.dna")]
    before: PathBuf,
    /// The later file.
    #[arg(value_name = "B.dna")]
    after: PathBuf,
    /// Numbers that differ by no more than this are the same: positions, weights, deltas, in the unit of the file.
    #[arg(long, default_value_t = 0.0, value_name = "T", allow_negative_numbers = true)]
    tolerance: f32,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = DiffRequest { before: self.before, after: self.after, tolerance: self.tolerance };
        let limit = if ui.all { usize::MAX } else { ROWS_SHOWN };
        ui.report(&mhrig::diff(&request, ui.job()), |details| show(details, limit))
    }
}

fn show(details: &DiffDetails, limit: usize) {
    if !details.differs {
        let within =
            if details.tolerance > 0.0 { format!(" beyond {}", details.tolerance) } else { String::new() };
        out!("no difference{within}");
        return;
    }
    let mut table = Table::new(&["what", "before", "after"]).left(&[1, 2]);
    if let Some([before, after]) = &details.version {
        table.row(["version", before, after]);
    }
    for layer in &details.layers_lost {
        table.row([&format!("layer {layer}"), "there", "–"]);
    }
    for layer in &details.layers_added {
        table.row([&format!("layer {layer}"), "–", "there"]);
    }
    for value in &details.values {
        table.row([&value.path, &value.before, &value.after]);
    }
    for count in &details.counts {
        table.row([count.what.to_owned(), count.before.to_string(), count.after.to_string()]);
    }
    table.print_with_rows();
    for names in &details.names {
        let list = |what: &str, names: &[String]| {
            if !names.is_empty() {
                out!(
                    "  {what}: {}{}",
                    names.iter().take(limit).cloned().collect::<Vec<_>>().join(", "),
                    rest(names.len(), limit)
                );
            }
        };
        let order = if names.reordered { " in another order" } else { "" };
        out!("{BOLD}names{BOLD:#} of {}{order}", names.path);
        list("lost", &names.lost);
        list("added", &names.added);
    }
    joints(&details.joints, &details.unit, limit);
    meshes(&details.meshes, &details.unit, limit);
    behavior(details);
    for other in &details.other {
        out!("{BOLD}{}{BOLD:#}: {}", other.layer, other.what);
    }
}

fn rest(count: usize, limit: usize) -> String {
    if count > limit { format!(", … and {} more (--all)", count - limit) } else { String::new() }
}

fn rest_line(count: usize, limit: usize) {
    if count > limit {
        out!("{DIM}… and {} more (--all){DIM:#}", count - limit);
    }
}

fn joints(joints: &JointsDifference, unit: &str, limit: usize) {
    if !joints.moved.is_empty() {
        let (moved, compared, mean) = (joints.moved.len(), joints.compared, joints.mean_distance);
        let follow = joints.moved.iter().filter(|joint| joint.follows).count();
        out!(
            "{BOLD}joints{BOLD:#}: {moved} of {compared} moved ({follow} of them follow others), by {mean:.4} {unit} in \
             the mean of all"
        );
        let world = format!("world, {unit}");
        let local = format!("local, {unit}");
        let mut table = Table::new(&["joint", &world, &local, "angle", ""]).left(&[4]);
        for joint in joints.moved.iter().take(limit) {
            let numbers = [joint.world_distance, joint.local_distance, joint.rotation];
            let numbers = numbers.map(|number| format!("{number:.4}"));
            let note = if joint.follows { "follows" } else { "" };
            table.row([joint.name.clone()].into_iter().chain(numbers).chain([note.to_owned()]));
        }
        table.print();
        rest_line(joints.moved.len(), limit);
    }
    for (joint, before, after) in joints.reparented.iter().take(limit) {
        out!("{BOLD}joint{BOLD:#} {joint} hangs from {after} instead of {before}");
    }
    rest_line(joints.reparented.len(), limit);
}

fn meshes(meshes: &[MeshDifference], unit: &str, limit: usize) {
    let moved: Vec<&MeshDifference> = meshes.iter().filter(|mesh| mesh.moved > 0).collect();
    if !moved.is_empty() {
        let max = format!("max, {unit}");
        let mut table =
            Table::new(&["mesh", "vertices", "moved", &max, "mean", "at vertex", "near joint"]).left(&[6]);
        for mesh in moved.iter().take(limit) {
            table.row([
                mesh.name.clone(),
                mesh.vertices.to_string(),
                mesh.moved.to_string(),
                format!("{:.4}", mesh.greatest_distance),
                format!("{:.4}", mesh.mean_distance),
                mesh.farthest_vertex.map(|vertex| vertex.to_string()).unwrap_or_default(),
                mesh.farthest_joint.clone().unwrap_or_default(),
            ]);
        }
        table.print();
        rest_line(moved.len(), limit);
    }
    let mut other = Table::new(&["mesh", "differs otherwise"]).left(&[1]);
    let parts = meshes.iter().map(|mesh| (mesh, mesh_parts(mesh)));
    let parts: Vec<_> = parts.filter(|(_, parts)| !parts.is_empty()).collect();
    for (mesh, parts) in parts.iter().take(limit) {
        other.row([&mesh.name, &parts.join(", ")]);
    }
    other.print_with_rows();
    rest_line(parts.len(), limit);
    let targets: Vec<(&str, &mhrig::TargetDifference)> = meshes
        .iter()
        .flat_map(|mesh| mesh.targets.iter().map(|target| (mesh.name.as_str(), target)))
        .collect();
    if !targets.is_empty() {
        let max = format!("max, {unit}");
        let mut table = Table::new(&["mesh", "blend shape target", "vertices", &max]).left(&[1]);
        let mut sorted = targets.clone();
        sorted.sort_by(|(_, a), (_, b)| b.greatest_distance.total_cmp(&a.greatest_distance));
        for (mesh, target) in sorted.iter().take(limit) {
            let distance = format!("{:.4}", target.greatest_distance);
            table.row([mesh, target.channel.as_str(), &target.vertices.to_string(), &distance]);
        }
        table.print();
        rest_line(targets.len(), limit);
    }
}

/// What differs in a mesh besides its vertices.
fn mesh_parts(mesh: &MeshDifference) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some((before, after)) = mesh.vertex_counts {
        parts.push(format!("{after} vertices instead of {before}"));
    }
    let counted =
        [(mesh.faces, "faces"), (mesh.texture_coordinates, "texture coordinates"), (mesh.normals, "normals")];
    parts.extend(
        counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
    );
    if mesh.weights > 0 {
        let most = mesh.greatest_weight_difference;
        parts.push(format!("weights of {} vertices (by {most:.4} at most)", mesh.weights));
    }
    if let Some((before, after)) = mesh.influence_caps {
        parts.push(format!("influence cap {after} instead of {before}"));
    }
    for (what, targets) in [("lost", &mesh.targets_lost), ("added", &mesh.targets_added)] {
        if !targets.is_empty() {
            let shown = targets.iter().take(ROWS_SHOWN).cloned().collect::<Vec<_>>().join(" ");
            parts.push(format!(
                "{} targets {what}: {shown}{}",
                targets.len(),
                rest(targets.len(), ROWS_SHOWN)
            ));
        }
    }
    match mesh.targets.len() {
        0 => {}
        1 => parts.push("1 target".to_owned()),
        targets => parts.push(format!("{targets} targets")),
    }
    parts
}

fn behavior(details: &DiffDetails) {
    let behavior = &details.behavior;
    let mut parts = Vec::new();
    let counted = [
        (behavior.gui_rows, "rows from GUI to raw controls"),
        (behavior.corrective_cells, "cells of correctives"),
        (behavior.blend_shape_rows, "drivers of blend shape channels"),
        (behavior.animated_map_rows, "rows of animated maps"),
    ];
    parts.extend(
        counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
    );
    if behavior.joint_values > 0 {
        parts.push(format!(
            "{} deltas of joints, by {:.4} at most ({})",
            behavior.joint_values, behavior.greatest_joint_difference, behavior.greatest_joint_place
        ));
    }
    if behavior.groups_changed {
        parts.push("the division into joint groups".to_owned());
    }
    if behavior.row_lods_changed {
        parts.push("the LODs of rows".to_owned());
    }
    if !parts.is_empty() {
        out!("{BOLD}behavior{BOLD:#}: {}", parts.join("; "));
    }
}
