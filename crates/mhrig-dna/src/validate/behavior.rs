use super::{Check, Scope};
use crate::{ConditionalTable, JointGroup, JointRepresentation, TwistSwing};

impl Check<'_> {
    pub(super) fn behavior(&mut self) {
        let behavior = &self.dna.behavior;
        let raw = self.dna.definition.raw_control_names.len();
        let gui = self.dna.definition.gui_control_names.len();
        let rows = &behavior.controls.conditionals;
        self.conditionals("bhvr.controls.conditionals", rows, (gui, "GUI control"), (raw, "raw control"));
        self.correctives(raw);
        self.joint_matrix();
        self.channel_rows();
        let maps = &behavior.animated_maps;
        let path = "bhvr.animatedMaps";
        let count = self.dna.definition.animated_map_names.len();
        let table = &maps.conditionals;
        self.conditionals(
            &format!("{path}.conditionals"),
            table,
            (self.control_count, "control"),
            (count, "animated map"),
        );
        self.row_counts(path, &maps.lods, table.input_indices.len());
    }

    fn conditionals(
        &mut self,
        path: &str,
        table: &ConditionalTable,
        inputs: (usize, &str),
        outputs: (usize, &str),
    ) {
        let lengths = [
            ("inputIndices", table.input_indices.len()),
            ("outputIndices", table.output_indices.len()),
            ("fromValues", table.from_values.len()),
            ("toValues", table.to_values.len()),
            ("slopeValues", table.slope_values.len()),
            ("cutValues", table.cut_values.len()),
        ];
        self.equal_lengths(path, &lengths);
        self.indices(&format!("{path}.inputIndices"), &table.input_indices, inputs.0, inputs.1);
        self.indices(&format!("{path}.outputIndices"), &table.output_indices, outputs.0, outputs.1);
        let values = [
            ("fromValues", &table.from_values),
            ("toValues", &table.to_values),
            ("slopeValues", &table.slope_values),
            ("cutValues", &table.cut_values),
        ];
        for (name, values) in values {
            self.finite(&format!("{path}.{name}"), values);
        }
        let ranges = table.from_values.iter().zip(&table.to_values);
        let mut empty = ranges.enumerate().filter(|(_, (from, to))| from > to);
        if let Some((at, (from, to))) = empty.next() {
            let count = 1 + empty.count();
            let message = "from is above to; RigLogic exchanges them, other programs may not";
            self.info("ROW_RANGE", format!("{path}.fromValues[{at}]"), message, "exchange from and to")
                .values("from ≤ to", format!("from {from} to {to}"))
                .count(count);
        }
    }

    fn correctives(&mut self, raw: usize) {
        let controls = &self.dna.behavior.controls;
        let psds = &controls.psds;
        let path = "bhvr.controls.psds";
        let lengths =
            [("rows", psds.rows.len()), ("columns", psds.columns.len()), ("values", psds.values.len())];
        self.equal_lengths(path, &lengths);
        let count = usize::from(controls.psd_count);
        self.indices(&format!("{path}.rows"), &psds.rows, raw + count, "corrective");
        self.indices(&format!("{path}.columns"), &psds.columns, self.control_count, "control");
        self.finite(&format!("{path}.values"), &psds.values);
        if self.scope == Scope::Indices {
            return;
        }
        let mut below = psds.rows.iter().enumerate().filter(|&(_, &row)| usize::from(row) < raw);
        if let Some((at, row)) = below.next() {
            let number = 1 + below.count();
            let message = "a corrective that would overwrite a raw control";
            self.error(
                "PSD_ROW",
                format!("{path}.rows[{at}]"),
                message,
                "number correctives after the raw controls",
            )
            .values(format!("at least {raw}"), row)
            .count(number);
        }
        let mut has_cell = vec![false; count];
        for row in psds.rows.iter().filter_map(|&row| usize::from(row).checked_sub(raw)) {
            if let Some(has_cell) = has_cell.get_mut(row) {
                *has_cell = true;
            }
        }
        let without = has_cell.iter().filter(|&&has_cell| !has_cell).count();
        if let Some(first) = has_cell.iter().position(|&has_cell| !has_cell) {
            let message = format!("corrective {} has no inputs", raw + first);
            self.warning("PSD_EMPTY", path, message, "give it inputs, or lower psdCount").count(without);
        }
        let of_correctives = raw..raw + count;
        let mut nested = psds.columns.iter().filter(|&&column| of_correctives.contains(&usize::from(column)));
        if let Some(column) = nested.next() {
            let number = 1 + nested.count();
            let message = "a corrective that reads a corrective sees its value of the frame before";
            self.info("PSD_LAG", format!("{path}.columns"), message, "read the controls themselves")
                .found(column)
                .count(number);
        }
        let mut cells: Vec<(u16, u16)> =
            psds.rows.iter().copied().zip(psds.columns.iter().copied()).collect();
        cells.sort_unstable();
        let repeated = cells.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if repeated > 0 {
            self.warning("PSD_REPEATED", path, "a cell is there twice", "keep one of them").count(repeated);
        }
    }

    fn joint_matrix(&mut self) {
        let matrix = &self.dna.behavior.joints;
        let joints = self.dna.definition.joint_names.len();
        let has_groups = !matrix.joint_groups.is_empty();
        if self.scope == Scope::All && has_groups && usize::from(matrix.row_count) != 9 * joints {
            self.warning(
                "ROW_COUNT",
                "bhvr.joints.rowCount",
                "not nine rows per joint",
                "set it to 9 × joints",
            )
            .values(9 * joints, matrix.row_count);
        }
        let in_lod = self.joints_by_lod();
        for (number, group) in matrix.joint_groups.iter().enumerate() {
            self.joint_group(&format!("bhvr.joints.jointGroups[{number}]"), group, joints, &in_lod);
        }
    }

    /// For each LOD, which joints are in it.
    pub(super) fn joints_by_lod(&self) -> Vec<Vec<bool>> {
        let joints = self.dna.definition.joint_names.len();
        let mapping = &self.dna.definition.lod_joint_mapping;
        let lod = |lod: usize| {
            let mut members = vec![false; joints];
            for &joint in mapping.members(lod) {
                if let Some(member) = members.get_mut(usize::from(joint)) {
                    *member = true;
                }
            }
            members
        };
        (0..self.lod_count.min(mapping.lods.len())).map(lod).collect()
    }

    fn joint_group(&mut self, path: &str, group: &JointGroup, joints: usize, in_lod: &[Vec<bool>]) {
        let rows = group.output_indices.len();
        let columns = group.input_indices.len();
        self.indices(&format!("{path}.inputIndices"), &group.input_indices, self.control_count, "control");
        self.indices(&format!("{path}.outputIndices"), &group.output_indices, 9 * joints, "joint attribute");
        self.indices(&format!("{path}.jointIndices"), &group.joint_indices, joints, "joint");
        if group.values.len() != rows * columns {
            let remedy = "store one value per row and column";
            self.error("GROUP_SIZE", format!("{path}.values"), "not one value per row and column", remedy)
                .values(format!("{rows} × {columns} = {}", rows * columns), group.values.len());
        }
        self.row_counts(path, &group.lods, rows);
        self.finite(&format!("{path}.values"), &group.values);
        if self.scope == Scope::Indices {
            return;
        }
        let mut listed = group.joint_indices.clone();
        listed.sort_unstable();
        let is_listed = |output: &u16| listed.binary_search(&(output / 9)).is_ok();
        let unlisted = group.output_indices.iter().filter(|output| !is_listed(output)).count();
        if let Some(output) = group.output_indices.iter().find(|output| !is_listed(output)) {
            let message =
                format!("joint {} is written but not listed", self.joint_name(usize::from(output / 9)));
            self.warning(
                "GROUP_JOINTS",
                format!("{path}.jointIndices"),
                message,
                "list all joints that the group writes",
            )
            .count(unlisted);
        }
        let mut sorted = group.output_indices.clone();
        sorted.sort_unstable();
        let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if repeated > 0 {
            let message = "an attribute is written twice; the last row wins";
            self.warning("GROUP_REPEATED", format!("{path}.outputIndices"), message, "add the rows up")
                .count(repeated);
        }
        for (lod, (&active, members)) in group.lods.iter().zip(in_lod).enumerate() {
            let active = group.output_indices.iter().take(usize::from(active));
            let is_foreign = |output: &&u16| members.get(usize::from(*output / 9)) == Some(&false);
            let count = active.clone().filter(is_foreign).count();
            if let Some(output) = active.clone().find(is_foreign) {
                let joint = self.joint_name(usize::from(output / 9));
                let message = format!("LOD {lod} writes joint {joint}, which is not in that LOD");
                let remedy = "lower the row count of that LOD, or add the joint to it";
                self.warning("GROUP_LOD", format!("{path}.lods[{lod}]"), message, remedy).count(count);
            }
        }
    }

    /// Checks counts of leading rows per LOD.
    fn row_counts(&mut self, path: &str, lods: &[u16], rows: usize) {
        if self.scope == Scope::Indices {
            return;
        }
        let lod_count = self.lod_count;
        let path = format!("{path}.lods");
        if !lods.is_empty() && lods.len() != self.lod_count {
            self.warning("ROW_LODS", path.clone(), "not one row count per LOD", "store one number per LOD")
                .values(lod_count, lods.len());
        } else if lods.is_empty() && rows > 0 {
            self.info(
                "ROW_LODS",
                path.clone(),
                "rows without row counts are never used",
                "store one number per LOD",
            );
        }
        let mut above = lods.iter().enumerate().filter(|&(_, &count)| usize::from(count) > rows);
        if let Some((lod, &count)) = above.next() {
            let more = 1 + above.count();
            self.error(
                "ROW_LODS_RANGE",
                format!("{path}[{lod}]"),
                "more rows in use than there are",
                "lower the number",
            )
            .values(format!("at most {rows}"), count)
            .count(more);
        }
        if let Some(lod) = (1..lods.len()).find(|&lod| lods[lod] > lods[lod - 1]) {
            let message = "a less detailed LOD uses more rows than the one before it";
            self.info("ROW_LODS_ORDER", format!("{path}[{lod}]"), message, "check that this is meant")
                .values(format!("at most {}", lods[lod - 1]), lods[lod]);
        }
    }

    fn channel_rows(&mut self) {
        let table = &self.dna.behavior.blend_shape_channels;
        let path = "bhvr.blendShapeChannels";
        let lengths =
            [("inputIndices", table.input_indices.len()), ("outputIndices", table.output_indices.len())];
        self.equal_lengths(path, &lengths);
        self.indices(&format!("{path}.inputIndices"), &table.input_indices, self.control_count, "control");
        let channels = self.dna.definition.blend_shape_channel_names.len();
        self.indices(
            &format!("{path}.outputIndices"),
            &table.output_indices,
            channels,
            "blend shape channel",
        );
        self.row_counts(path, &table.lods, table.output_indices.len());
        if self.scope == Scope::Indices {
            return;
        }
        let mut is_driven = vec![false; channels];
        for &output in &table.output_indices {
            if let Some(driven) = is_driven.get_mut(usize::from(output)) {
                *driven = true;
            }
        }
        let undriven = is_driven.iter().filter(|&&driven| !driven).count();
        if undriven > 0 && !self.dna.is_layer_empty(crate::LayerKind::Behavior) {
            let message = "blend shape channels that no control drives";
            self.info("CHANNEL_UNDRIVEN", path, message, "drive them, or remove them")
                .found(format!("{undriven} of {channels}"));
        }
    }

    pub(super) fn joint_metadata(&mut self) {
        let list = &self.dna.joint_behavior_metadata.joint_representations;
        let joints = self.dna.definition.joint_names.len();
        if self.scope == Scope::Indices {
            return;
        }
        let path = "jbmd.jointRepresentations";
        if !list.is_empty() && list.len() != joints {
            self.error("JOINT_METADATA", path, "not one entry per joint", "store one per joint, or none")
                .values(joints, list.len());
        }
        for (at, &JointRepresentation { translation, rotation, scale }) in list.iter().enumerate() {
            self.enumeration(format!("{path}[{at}].translation"), translation, 0);
            self.enumeration(format!("{path}[{at}].rotation"), rotation, 1);
            self.enumeration(format!("{path}[{at}].scale"), scale, 0);
        }
    }

    pub(super) fn twists_and_swings(&mut self) {
        let layer = &self.dna.twist_swing_behavior;
        for (number, twist) in layer.twists.iter().enumerate() {
            self.twist_swing(&format!("twsw.twists[{number}]"), "twist", twist);
        }
        for (number, swing) in layer.swings.iter().enumerate() {
            self.twist_swing(&format!("twsw.swings[{number}]"), "swing", swing);
        }
    }

    fn twist_swing(&mut self, path: &str, prefix: &str, record: &TwistSwing) {
        let joints = self.dna.definition.joint_names.len();
        let raw = self.dna.definition.raw_control_names.len();
        let (weights, outputs) = (&record.blend_weights, &record.output_joint_indices);
        self.equal_lengths(path, &[("weights", weights.len()), ("joints", outputs.len())]);
        self.indices(&format!("{path}.{prefix}OutputJointIndices"), outputs, joints, "joint");
        let inputs = &record.input_control_indices;
        self.indices(&format!("{path}.{prefix}InputControlIndices"), inputs, raw, "raw control");
        self.finite(&format!("{path}.{prefix}BlendWeights"), weights);
        self.enumeration(format!("{path}.twistAxis"), record.twist_axis, 2);
        if inputs.len() != 4 {
            let remedy = "name the four controls of a quaternion";
            self.error("QUATERNION_INPUT", path, "the input is not a quaternion", remedy)
                .values("4 controls", inputs.len());
        }
    }
}
