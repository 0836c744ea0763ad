//! The details of an inspection as tables.

use mhrig_dna::ATTRIBUTE_NAMES;

use super::controls::{ControlSources, ControlUses, InspectGuiRow, WeightedControl};
use super::{InspectCorrective, InspectDetails, InspectExpression, InspectView};
use crate::text_table::TextTable;

/// The numbers that tell one rig definition from another, with short names.
const MAIN_COUNTS: [(&str, &str); 11] = [
    ("LODs", "LODs"),
    ("meshes", "meshes"),
    ("joints", "joints"),
    ("raw controls", "raw"),
    ("GUI controls", "GUI"),
    ("blend shape channels", "channels"),
    ("blend shape targets", "targets"),
    ("correctives", "PSD"),
    ("animated maps", "maps"),
    ("joint groups", "groups"),
    ("RBF solvers", "solvers"),
];

impl InspectDetails {
    /// What was asked for as tables: the overview, or what was to be looked at closely.
    pub fn tables(&self) -> Vec<TextTable> {
        if self.views.is_empty() && self.expressions.is_empty() {
            return vec![self.facts(), self.main_counts(), self.other_counts(), self.lods_in_short()];
        }
        let mut tables = Vec::new();
        for view in &self.views {
            match view {
                InspectView::Joints => tables.push(self.joint_table()),
                InspectView::Meshes => tables.push(self.mesh_table()),
                InspectView::Controls => tables.push(self.control_table()),
                InspectView::Psd => tables
                    .push(corrective_table("correctives", self.correctives.as_deref().unwrap_or_default())),
                InspectView::Rbf => self.solver_tables(&mut tables),
                InspectView::Lods => {
                    tables.push(self.lods_in_short());
                    tables.push(self.lod_rows());
                    tables.push(self.lod_meshes());
                }
                InspectView::Sizes => tables.push(self.size_table()),
            }
        }
        for expression in &self.expressions {
            expression_tables(expression, &mut tables);
        }
        tables
    }

    fn facts(&self) -> TextTable {
        let mut table = TextTable::new(&["", ""]).with_left(&[1]);
        let mut fact = |name: &str, value: String| {
            if !value.is_empty() {
                table.row([name.to_owned(), value]);
            }
        };
        fact("file", format!("{}, {} bytes", self.file.display(), self.bytes));
        fact("version", self.version.clone());
        fact("DBName", self.db_name.clone());
        fact("name", self.name.clone());
        fact("complexity", self.complexity.clone());
        let pairs = self.metadata.iter().map(|(key, value)| format!("{key} = {value}"));
        fact("metadata", pairs.collect::<Vec<_>>().join(", "));
        fact("units", format!("{}, {}", self.translation_unit, self.rotation_unit));
        let [x, y, z] = &self.axes;
        fact("axes", format!("x {x}, y {y}, z {z}"));
        let layers =
            if self.layers.is_empty() { "four fixed sections".to_owned() } else { self.layers.join(" ") };
        fact("layers", layers);
        table
    }

    fn count(&self, what: &str) -> usize {
        self.counts.iter().find(|count| count.what == what).map_or(0, |count| count.count)
    }

    fn main_counts(&self) -> TextTable {
        let header: Vec<&str> = MAIN_COUNTS.iter().map(|(_, short)| *short).collect();
        let mut table = TextTable::new(&header).with_title("counts");
        table.row(MAIN_COUNTS.iter().map(|(what, _)| self.count(what)));
        table
    }

    fn other_counts(&self) -> TextTable {
        let mut table = TextTable::new(&["", ""]);
        let is_main = |what: &str| MAIN_COUNTS.iter().any(|(main, _)| *main == what);
        for count in self.counts.iter().filter(|count| count.count > 0 && !is_main(count.what)) {
            table.row([count.what.to_owned(), count.count.to_string()]);
        }
        table
    }

    fn lods_in_short(&self) -> TextTable {
        let header = ["LOD", "meshes", "vertices", "faces", "joints", "not in finer", "channels", "maps"];
        let mut table = TextTable::new(&header).with_title("LODs");
        for lod in &self.lods {
            table.row([
                usize::from(lod.lod),
                lod.meshes.len(),
                lod.vertices,
                lod.faces,
                lod.joints,
                lod.joints_not_in_finer,
                lod.blend_shape_channels,
                lod.animated_maps,
            ]);
        }
        table
    }

    fn lod_rows(&self) -> TextTable {
        let header = ["LOD", "joint rows", "channel rows", "map rows", "RBF solvers", "networks"];
        let mut table = TextTable::new(&header).with_title("what is evaluated");
        for lod in &self.lods {
            table.row([
                usize::from(lod.lod),
                lod.joint_rows,
                lod.blend_shape_rows,
                lod.animated_map_rows,
                lod.rbf_solvers,
                lod.neural_networks,
            ]);
        }
        table
    }

    fn lod_meshes(&self) -> TextTable {
        let mut table = TextTable::new(&["LOD", "meshes"]).with_left(&[1]);
        for lod in &self.lods {
            table.row([lod.lod.to_string(), lod.meshes.join(" ")]);
        }
        table
    }

    fn joint_table(&self) -> TextTable {
        let unit = &self.translation_unit;
        let header =
            ["joint", "number", "LODs", "world x", "y", "z", "local x", "y", "z", "rotation x", "y", "z"];
        let title = format!("joints: positions in {unit}, angles in {}", self.rotation_unit);
        let mut table = TextTable::new(&header).with_title(title).with_left(&[2]);
        for joint in self.joints.iter().flatten() {
            let numbers = joint.world.iter().chain(&joint.local).chain(&joint.rotation);
            let start = [
                format!("{}{}", "  ".repeat(joint.depth), joint.name),
                joint.index.to_string(),
                ranges(&joint.lods),
            ];
            table.row(start.into_iter().chain(numbers.map(|&number| decimal(number, 3))));
        }
        table
    }

    fn mesh_table(&self) -> TextTable {
        let header = [
            "mesh",
            "LODs",
            "vertices",
            "faces",
            "3/4/other",
            "uv",
            "normals",
            "layouts",
            "influences",
            "cap",
            "joints",
            "targets",
            "deltas",
        ];
        let mut table = TextTable::new(&header).with_title("meshes").with_left(&[1]);
        for mesh in &self.meshes {
            let [three, four, other] = mesh.corners;
            table.row([
                mesh.name.clone(),
                ranges(&mesh.lods),
                mesh.vertices.to_string(),
                mesh.faces.to_string(),
                format!("{three}/{four}/{other}"),
                mesh.texture_coordinates.to_string(),
                mesh.normals.to_string(),
                mesh.layouts.to_string(),
                mesh.most_influences.to_string(),
                mesh.influence_cap.to_string(),
                mesh.joints.to_string(),
                mesh.blend_shape_targets.to_string(),
                mesh.blend_shape_deltas.to_string(),
            ]);
        }
        table
    }

    fn control_table(&self) -> TextTable {
        let mut table = TextTable::new(&["control", "number", "section", "label", "driven by", "drives"])
            .with_title("controls");
        table = table.with_left(&[2, 3, 4, 5]);
        for control in self.controls.iter().flatten() {
            table.row([
                control.name.clone(),
                control.index.to_string(),
                control.kind.to_owned(),
                control.label.to_owned(),
                sources(&control.sources),
                uses(&control.uses),
            ]);
        }
        table
    }

    fn solver_tables(&self, tables: &mut Vec<TextTable>) {
        let header = [
            "solver",
            "LODs",
            "type",
            "distance",
            "function",
            "normalise",
            "axis",
            "radius",
            "auto",
            "threshold",
        ];
        let mut table = TextTable::new(&header).with_title("RBF solvers").with_left(&[1, 2, 3, 4, 5, 6]);
        for solver in self.solvers.iter().flatten() {
            table.row([
                &solver.name,
                &ranges(&solver.lods),
                &solver.solver_type,
                &solver.distance,
                &solver.function,
                &solver.normalize,
                &solver.twist_axis,
                &solver.radius.to_string(),
                &solver.automatic_radius,
                &solver.weight_threshold.to_string(),
            ]);
        }
        tables.push(table);
        for solver in self.solvers.iter().flatten() {
            let title = format!("poses of {}, which reads {}", solver.name, solver.inputs.join(" "));
            let header = ["pose", "number", "scale", "values", "drives"];
            let mut table = TextTable::new(&header).with_title(title).with_left(&[3, 4]);
            for pose in &solver.poses {
                let values: Vec<String> = pose.values.iter().map(|&value| decimal(value, 4)).collect();
                let mut drives = weighted(&pose.outputs, ", ");
                if !pose.scaled_by.is_empty() {
                    drives += &format!(" (times {})", pose.scaled_by.join(", "));
                }
                table.row([
                    pose.name.clone(),
                    pose.index.to_string(),
                    pose.scale.to_string(),
                    values.join(" "),
                    drives,
                ]);
            }
            tables.push(table);
        }
    }

    fn size_table(&self) -> TextTable {
        let mut table = TextTable::new(&["layer", "bytes", "share"]).with_title("bytes per layer");
        let all = self.bytes.max(1) as f64;
        let mut line = |name: String, bytes: u64| {
            let share = format!("{:.1} %", bytes as f64 / all * 100.0);
            table.row([name, bytes.to_string(), share]);
        };
        for layer in self.sizes.iter().flatten() {
            line(layer.name.clone(), layer.bytes);
            for part in layer.parts.iter().filter(|part| part.bytes > 0) {
                line(format!("  {}", part.name), part.bytes);
            }
        }
        line("file".to_owned(), self.bytes);
        table
    }
}

fn corrective_table(title: &str, correctives: &[InspectCorrective]) -> TextTable {
    let header = ["corrective", "joints", "deltas", "product of", "blend shape channels", "maps"];
    let mut table = TextTable::new(&header).with_title(title).with_left(&[3, 4, 5]);
    for corrective in correctives {
        table.row([
            corrective.name.clone(),
            corrective.joints.to_string(),
            corrective.joint_values.to_string(),
            weighted(&corrective.inputs, " × "),
            corrective.blend_shape_channels.join(" "),
            corrective.animated_maps.join(" "),
        ]);
    }
    table
}

fn expression_tables(expression: &InspectExpression, tables: &mut Vec<TextTable>) {
    let title = format!("{} (control {}, {})", expression.name, expression.index, expression.label);
    let mut table = TextTable::new(&["", ""]).with_title(title).with_left(&[1]);
    table.row(["driven by".to_owned(), sources(&expression.sources)]);
    if !expression.inputs.is_empty() {
        table.row(["product of".to_owned(), weighted(&expression.inputs, " × ")]);
    }
    table.row(["joints".to_owned(), expression.joints.len().to_string()]);
    table.row(["blend shape channels".to_owned(), expression.blend_shape_channels.len().to_string()]);
    table.row(["animated maps".to_owned(), expression.animated_maps.len().to_string()]);
    table.row(["correctives".to_owned(), expression.correctives.len().to_string()]);
    tables.push(table);

    let header: Vec<&str> = ["joint", "LODs"].into_iter().chain(ATTRIBUTE_NAMES).collect();
    let mut table = TextTable::new(&header).with_title("deltas of joints at full strength").with_left(&[1]);
    for joint in &expression.joints {
        let value = |attribute: &&str| {
            joint.values.get(*attribute).map_or_else(String::new, |&value| decimal(value, 4))
        };
        let start = [joint.joint.clone(), ranges(&joint.lods)];
        table.row(start.into_iter().chain(ATTRIBUTE_NAMES.iter().map(value)));
    }
    tables.push(table);

    let header = ["blend shape channel", "LODs", "meshes with moved vertices"];
    let mut table = TextTable::new(&header).with_left(&[1, 2]);
    for channel in &expression.blend_shape_channels {
        let meshes = channel.meshes.iter().map(|(mesh, vertices)| format!("{mesh} {vertices}"));
        let meshes = meshes.collect::<Vec<_>>().join(", ");
        table.row([channel.channel.clone(), ranges(&channel.lods), meshes]);
    }
    tables.push(table);

    let mut table = TextTable::new(&["animated map", "LODs", "from", "to", "slope", "cut"]).with_left(&[1]);
    for map in &expression.animated_maps {
        let numbers = [map.from, map.to, map.slope, map.cut];
        // Adding zero takes the sign off a negative one.
        let numbers = numbers.map(|number| (number + 0.0).to_string());
        table.row([map.map.clone(), ranges(&map.lods)].into_iter().chain(numbers));
    }
    tables.push(table);
    tables.push(corrective_table("correctives with it", &expression.correctives));
    tables.retain(|table| !table.is_empty());
}

/// A number with so many decimals, without the sign of what is rounded to zero.
fn decimal(number: f32, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| byte == b'0' || byte == b'.') => rest.to_owned(),
        _ => text,
    }
}

fn weighted(controls: &[WeightedControl], separator: &str) -> String {
    let one = |control: &WeightedControl| {
        if control.weight == 1.0 {
            control.control.clone()
        } else {
            format!("{} {}", control.weight, control.control)
        }
    };
    controls.iter().map(one).collect::<Vec<_>>().join(separator)
}

fn gui_row(row: &InspectGuiRow) -> String {
    let mut text = format!("{} {}…{}", row.control, row.from, row.to);
    if row.slope != 1.0 || row.cut != 0.0 {
        text += &format!(" ({} · x", row.slope);
        if row.cut != 0.0 {
            text += &format!(" {} {}", if row.cut < 0.0 { '−' } else { '+' }, row.cut.abs());
        }
        text.push(')');
    }
    text
}

fn sources(sources: &ControlSources) -> String {
    let gui = sources.gui.iter().map(gui_row);
    let poses = sources.rbf_poses.iter().map(|pose| format!("RBF pose {pose}"));
    let networks = sources.networks.iter().map(|network| format!("network {network}"));
    let all: Vec<String> = gui.chain(poses).chain(networks).collect();
    if all.is_empty() { "–".to_owned() } else { all.join(", ") }
}

fn uses(uses: &ControlUses) -> String {
    let counted = [
        (uses.joint_groups, "joint group"),
        (uses.blend_shape_channels, "channel"),
        (uses.animated_maps, "map row"),
        (uses.correctives, "corrective"),
        (uses.twists_and_swings, "twist or swing"),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {what}{plural}")
    });
    let solvers = uses.solvers.iter().map(|solver| format!("solver {solver}"));
    let networks = uses.networks.iter().map(|network| format!("network {network}"));
    let all: Vec<String> = counted.chain(solvers).chain(networks).collect();
    if all.is_empty() { "–".to_owned() } else { all.join(", ") }
}

/// `0–2, 5` for LODs 0, 1, 2 and 5.
fn ranges(lods: &[u16]) -> String {
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for &lod in lods {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(lod) => *last = lod,
            _ => ranges.push((lod, lod)),
        }
    }
    let one = |(first, last): (u16, u16)| {
        if first == last { first.to_string() } else { format!("{first}–{last}") }
    };
    if ranges.is_empty() {
        return "none".to_owned();
    }
    ranges.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_to_zero_has_no_sign() {
        assert_eq!(decimal(-0.0004, 3), "0.000");
        assert_eq!(decimal(-0.0006, 3), "-0.001");
        assert_eq!(decimal(f32::NAN, 3), "NaN");
    }

    #[test]
    fn numbers_in_a_row_become_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0–2, 5, 7–8");
        assert_eq!(ranges(&[]), "none");
        assert_eq!(ranges(&[u16::MAX]), "65535");
    }
}
