use crate::pruning::PrunedGroup;

/// The linear part of the joint matrix (riglogic.md 7), cut into strips of rows.
///
/// A strip keeps its values column after column, so that one evaluation streams through memory once, a column
/// whose control is zero costs nothing, and each row sums in column order whatever the width of the machine's
/// vectors. Columns that are zero in all rows of a strip are not stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearJoints {
    groups: Vec<Group>,
    strips: Vec<Strip>,
    wide: Vec<Wide>,
    narrow: Vec<Narrow>,
    columns: Vec<Columns>,
    /// Slot in the joint output of each row, strip after strip.
    slots: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Group {
    strips: std::ops::Range<usize>,
    rows_of_lod: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Strip {
    is_wide: bool,
    /// First value column in `wide` or `narrow`.
    first: usize,
    /// Number in `LinearJoints::columns`.
    columns: usize,
    /// First row within the group.
    first_row: usize,
    /// Rows in `LinearJoints::slots`.
    slots: std::ops::Range<usize>,
}

/// Which controls drive the columns of a strip.
#[derive(Clone, Debug, PartialEq)]
struct Columns {
    inputs: Vec<u16>,
    /// Leading columns in use per LOD.
    count_of_lod: Vec<usize>,
}

const WIDE: usize = 32;
const NARROW: usize = 8;

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Wide([f32; WIDE]);

#[derive(Clone, Debug)]
#[repr(align(32))]
struct Narrow([f32; NARROW]);

/// A column in use: its number within the strip, and the control's value.
pub(crate) type ActiveColumn = (u32, f32);

impl LinearJoints {
    /// Adds a group; `slot_of` maps joint × 9 + attribute to a slot of the joint output.
    pub(crate) fn push(&mut self, group: &PrunedGroup, slot_of: impl Fn(u16) -> usize) {
        let first_strip = self.strips.len();
        let row_count = group.outputs.len();
        let mut row = 0;
        while row < row_count {
            let is_wide = row_count - row > WIDE - NARROW;
            let rows = row..row_count.min(row + if is_wide { WIDE } else { NARROW });
            self.push_strip(group, rows.clone(), is_wide, &slot_of);
            row = rows.end;
        }
        self.groups
            .push(Group { strips: first_strip..self.strips.len(), rows_of_lod: group.rows_of_lod.clone() });
    }

    fn push_strip(
        &mut self,
        group: &PrunedGroup,
        rows: std::ops::Range<usize>,
        is_wide: bool,
        slot_of: impl Fn(u16) -> usize,
    ) {
        let width = group.inputs.len();
        let value = |row: usize, column: usize| {
            if row < rows.end { group.values[row * width + column] } else { 0.0 }
        };
        let stored: Vec<usize> =
            (0..width).filter(|&column| rows.clone().any(|row| value(row, column) != 0.0)).collect();
        let columns = Columns {
            inputs: stored.iter().map(|&column| group.inputs[column]).collect(),
            count_of_lod: group
                .columns_of_lod
                .iter()
                .map(|&limit| stored.partition_point(|&column| column < limit))
                .collect(),
        };
        if self.columns.last() != Some(&columns) {
            self.columns.push(columns);
        }
        let first = if is_wide { self.wide.len() } else { self.narrow.len() };
        for &column in &stored {
            if is_wide {
                self.wide.push(Wide(std::array::from_fn(|r| value(rows.start + r, column))));
            } else {
                self.narrow.push(Narrow(std::array::from_fn(|r| value(rows.start + r, column))));
            }
        }
        let first_slot = self.slots.len();
        self.slots.extend(group.outputs[rows.clone()].iter().map(|&output| slot_of(output) as u32));
        self.strips.push(Strip {
            is_wide,
            first,
            columns: self.columns.len() - 1,
            first_row: rows.start,
            slots: first_slot..self.slots.len(),
        });
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Number of values kept, padding included.
    pub(crate) fn stored_value_count(&self) -> usize {
        self.wide.len() * WIDE + self.narrow.len() * NARROW
    }

    /// Room that [`LinearJoints::evaluate_group`] needs for active columns.
    pub(crate) fn scratch_len(&self) -> usize {
        self.columns.iter().map(|columns| columns.inputs.len()).max().unwrap_or(0)
    }

    /// Assigns the rows of group `group` that `lod` uses to their slots of `joints`.
    pub(crate) fn evaluate_group(
        &self,
        group: usize,
        lod: usize,
        controls: &[f32],
        active: &mut [ActiveColumn],
        joints: &mut [f32],
    ) {
        let group = &self.groups[group];
        let row_count = group.rows_of_lod[lod];
        let mut gathered = None;
        let mut count = 0;
        for strip in &self.strips[group.strips.clone()] {
            let Some(rows) = row_count.checked_sub(strip.first_row).filter(|&rows| rows > 0) else { break };
            if gathered != Some(strip.columns) {
                let columns = &self.columns[strip.columns];
                count = gather(&columns.inputs[..columns.count_of_lod[lod]], controls, active);
                gathered = Some(strip.columns);
            }
            let slots = &self.slots[strip.slots.clone()];
            let slots = &slots[..rows.min(slots.len())];
            if strip.is_wide {
                scatter(&sum_wide(&self.wide[strip.first..], &active[..count]), slots, joints);
            } else {
                scatter(&sum_narrow(&self.narrow[strip.first..], &active[..count]), slots, joints);
            }
        }
    }
}

/// Lists the columns whose control is not zero, without a branch. Returns their number.
fn gather(inputs: &[u16], controls: &[f32], active: &mut [ActiveColumn]) -> usize {
    let active = &mut active[..inputs.len()];
    let mut count = 0;
    for (column, &input) in inputs.iter().enumerate() {
        let value = controls[usize::from(input)];
        active[count] = (column as u32, value);
        count += usize::from(value != 0.0);
    }
    count
}

#[inline(never)]
fn sum_wide(columns: &[Wide], active: &[ActiveColumn]) -> [f32; WIDE] {
    let mut sums = [0.0f32; WIDE];
    for &(column, weight) in active {
        let values = &columns[column as usize].0;
        for r in 0..WIDE {
            sums[r] += values[r] * weight;
        }
    }
    sums
}

#[inline(never)]
fn sum_narrow(columns: &[Narrow], active: &[ActiveColumn]) -> [f32; NARROW] {
    let mut sums = [0.0f32; NARROW];
    for &(column, weight) in active {
        let values = &columns[column as usize].0;
        for r in 0..NARROW {
            sums[r] += values[r] * weight;
        }
    }
    sums
}

fn scatter(sums: &[f32], slots: &[u32], joints: &mut [f32]) {
    for (&slot, &sum) in slots.iter().zip(sums) {
        joints[slot as usize] = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PruneThresholds;
    use mhrig_dna::JointGroup;
    use proptest::prelude::*;

    /// The definition: row by row, column by column.
    fn scalar_twin(group: &PrunedGroup, lod: usize, controls: &[f32], joints: &mut [f32]) {
        let width = group.inputs.len();
        for row in 0..group.rows_of_lod[lod] {
            let mut sum = 0.0f32;
            for column in 0..group.columns_of_lod[lod] {
                sum += group.values[row * width + column] * controls[usize::from(group.inputs[column])];
            }
            joints[usize::from(group.outputs[row])] = sum;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn strips_give_the_bits_of_the_scalar_definition(
            rows in 1usize..90,
            width in 1usize..40,
            coarse in 0usize..90,
            seed in proptest::collection::vec(-2.0f32..2.0, 64),
            is_sparse in any::<bool>(),
        ) {
            let pick = |i: usize| seed[(i * 7 + i / 64) % 64];
            let value = |i: usize| {
                let zero = is_sparse && !(i / 5).is_multiple_of(3);
                if zero { 0.0 } else { pick(i) }
            };
            let group = JointGroup {
                lods: vec![],
                input_indices: (0..width as u16).collect(),
                output_indices: (0..rows as u16).collect(),
                values: (0..rows * width).map(value).collect(),
                joint_indices: vec![],
            };
            let pruned =
                PrunedGroup::new(&group, &[rows, coarse.min(rows)], &PruneThresholds::default(), |_| true);
            let mut linear = LinearJoints::default();
            linear.push(&pruned, usize::from);
            let controls: Vec<f32> =
                (0..width).map(|c| if c % 3 == 1 { 0.0 } else { pick(c + 11) }).collect();
            let mut active = vec![(0, 0.0); linear.scratch_len()];
            for lod in 0..2 {
                let (mut expected, mut found) = (vec![0.0f32; rows], vec![0.0f32; rows]);
                scalar_twin(&pruned, lod, &controls, &mut expected);
                linear.evaluate_group(0, lod, &controls, &mut active, &mut found);
                // Adding zeros does not change a sum, except for the sign of a zero.
                prop_assert_eq!(&expected, &found);
            }
        }
    }
}
