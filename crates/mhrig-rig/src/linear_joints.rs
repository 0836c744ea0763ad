use fearless_simd::{Level, Simd, SimdBase, SimdFrom, dispatch, f32x8};

use crate::pruning::PrunedGroup;

/// The linear part of the joint matrix (riglogic.md 7), cut into strips of rows.
///
/// A strip keeps its values column after column, so that one evaluation streams through memory once, a column
/// whose control is zero costs nothing, and each row sums in the order of control numbers whatever the width of the
/// machine's vectors. Columns that are zero in all rows of a strip are not stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearJoints {
    values: Vec<Octet>,
    /// Control of each column, list after list.
    inputs: Vec<u16>,
    /// Finest LODs that use each column, parallel to `inputs`.
    lod_counts: Vec<u16>,
    lists: Vec<List>,
    /// Slot in the joint output of each row, strip after strip.
    slots: Vec<u32>,
    /// Per LOD, the strips to evaluate, in order.
    plans: Vec<Vec<Strip>>,
    /// Whether every column is in use, per LOD.
    uses_all_columns: Vec<bool>,
    /// Where each control is a column. Ascending by control.
    uses: Vec<ColumnUse>,
    /// Per control, where its uses begin; one more entry than there are controls.
    first_use: Vec<u32>,
    group_count: usize,
}

/// Controls that drive the columns of one or more strips: ascending, in `LinearJoints::inputs`.
#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    count: u32,
}

/// Up to `MOST_OCTETS` times eight rows of a group, as far as an LOD uses them.
#[derive(Clone, Copy, Debug)]
struct Strip {
    /// Rows in octets, the last one padded with zeros: 1 to `MOST_OCTETS`.
    octets: u32,
    /// Its columns, each of `octets`, in `LinearJoints::values`.
    first_value: u32,
    /// Number in `LinearJoints::lists`, and what stands there.
    list: u32,
    inputs: List,
    /// Its rows in `LinearJoints::slots`.
    first_slot: u32,
    row_count: u32,
    /// Number of its group, in its last strip.
    ends_group: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct ColumnUse {
    list: u32,
    position: u16,
    /// Finest LODs that use the column.
    lod_count: u16,
}

/// Values of eight rows in one column.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Octet([f32; 8]);

/// As many partial sums as fit the registers of any machine. More than a few, so that no addition waits for the
/// one before.
const MOST_OCTETS: usize = 10;

/// Columns whose control is not zero: filled by each evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearScratch {
    /// Number of active columns of each list.
    counts: Vec<u32>,
    /// Parallel to `LinearJoints::inputs`: position in the list and the control's value.
    active: Vec<(u32, f32)>,
}

impl LinearJoints {
    /// An empty matrix for `lod_count` LODs.
    pub(crate) fn new(lod_count: usize) -> Self {
        Self {
            plans: vec![Vec::new(); lod_count],
            uses_all_columns: vec![true; lod_count],
            ..Self::default()
        }
    }

    /// Adds a group; `slot_of` maps joint × 9 + attribute to a slot of the joint output.
    pub(crate) fn push(&mut self, group: &PrunedGroup, slot_of: impl Fn(u16) -> usize) {
        let octet_count = group.outputs.len().div_ceil(8);
        let strip_count = octet_count.div_ceil(MOST_OCTETS);
        let mut octets = 0..0;
        for strip in 1..=strip_count {
            octets = octets.end..octet_count * strip / strip_count;
            self.push_strip(group, octets.clone(), &slot_of);
        }
        for plan in &mut self.plans {
            if let Some(last) = plan.last_mut() {
                last.ends_group.get_or_insert(self.group_count as u32);
            }
        }
        self.group_count += 1;
    }

    fn push_strip(
        &mut self,
        group: &PrunedGroup,
        octets: std::ops::Range<usize>,
        slot_of: impl Fn(u16) -> usize,
    ) {
        let width = group.inputs.len();
        let rows = octets.start * 8..group.outputs.len().min(octets.end * 8);
        let value = |row: usize, column: usize| {
            if row < rows.end { group.values[row * width + column] } else { 0.0 }
        };
        let mut stored: Vec<usize> =
            (0..width).filter(|&column| rows.clone().any(|row| value(row, column) != 0.0)).collect();
        stored.sort_by_key(|&column| group.inputs[column]);
        let list = self.list(group, &stored);
        let inputs = self.lists[list];
        let strip = Strip {
            octets: octets.len() as u32,
            first_value: self.values.len() as u32,
            list: list as u32,
            inputs,
            first_slot: self.slots.len() as u32,
            row_count: 0,
            ends_group: None,
        };
        for &column in &stored {
            let octet = |octet: usize| Octet(std::array::from_fn(|r| value(octet * 8 + r, column)));
            self.values.extend(octets.clone().map(octet));
        }
        self.slots.extend(group.outputs[rows.clone()].iter().map(|&output| slot_of(output) as u32));
        for (plan, &limit) in self.plans.iter_mut().zip(&group.rows_of_lod) {
            let row_count = limit.min(rows.end).saturating_sub(rows.start);
            if row_count > 0 {
                plan.push(Strip { row_count: row_count as u32, ..strip });
            }
        }
    }

    /// The number of the list with the inputs of `columns`, which may be that of the strip before.
    fn list(&mut self, group: &PrunedGroup, columns: &[usize]) -> usize {
        let lods = |column: usize| group.columns_of_lod.iter().take_while(|&&limit| column < limit).count();
        let (first, lod_count) = (self.inputs.len(), self.plans.len());
        self.inputs.extend(columns.iter().map(|&column| group.inputs[column]));
        self.lod_counts.extend(columns.iter().map(|&column| lods(column) as u16));
        if let Some(last) = self.lists.last() {
            let before = last.first as usize..first;
            if self.inputs[before.clone()] == self.inputs[first..]
                && self.lod_counts[before] == self.lod_counts[first..]
            {
                self.inputs.truncate(first);
                self.lod_counts.truncate(first);
                return self.lists.len() - 1;
            }
        }
        for lod in 0..lod_count {
            self.uses_all_columns[lod] &=
                self.lod_counts[first..].iter().all(|&count| lod < usize::from(count));
        }
        self.lists.push(List { first: first as u32, count: columns.len() as u32 });
        self.lists.len() - 1
    }

    /// Finishes the structure once all groups are in.
    pub(crate) fn index_controls(&mut self, control_count: usize) {
        let mut uses = vec![Vec::new(); control_count];
        for (number, list) in self.lists.iter().enumerate() {
            let range = list.range();
            for (position, (&input, &lod_count)) in
                self.inputs[range.clone()].iter().zip(&self.lod_counts[range]).enumerate()
            {
                uses[usize::from(input)].push(ColumnUse {
                    list: number as u32,
                    position: position as u16,
                    lod_count,
                });
            }
        }
        self.first_use = Vec::with_capacity(control_count + 1);
        self.first_use.push(0);
        for uses in uses {
            self.uses.extend(uses);
            self.first_use.push(self.uses.len() as u32);
        }
    }

    /// Number of values kept, padding included.
    pub(crate) fn stored_value_count(&self) -> usize {
        self.values.len() * 8
    }

    /// Buffers for [`LinearJoints::evaluate`].
    pub(crate) fn scratch(&self) -> LinearScratch {
        LinearScratch { counts: vec![0; self.lists.len()], active: vec![(0, 0.0); self.inputs.len()] }
    }

    /// Assigns the rows that `lod` uses to their slots of `joints`, group after group, and calls `after_group`
    /// with the number of each group once it is done.
    pub(crate) fn evaluate(
        &self,
        level: Level,
        lod: usize,
        controls: &[f32],
        scratch: &mut LinearScratch,
        joints: &mut [f32],
        after_group: impl FnMut(usize, &mut [f32]),
    ) {
        dispatch!(level, simd => self.evaluate_with(simd, lod, controls, scratch, joints, after_group));
    }

    #[inline(always)]
    fn evaluate_with<S: Simd>(
        &self,
        simd: S,
        lod: usize,
        controls: &[f32],
        scratch: &mut LinearScratch,
        joints: &mut [f32],
        mut after_group: impl FnMut(usize, &mut [f32]),
    ) {
        let zero_count = controls.iter().fold(0usize, |count, &value| count + usize::from(value == 0.0));
        // With few zeros, listing the other columns costs more than multiplying by zero; sums are the same bits.
        let is_sparse = 4 * zero_count > controls.len() || !self.uses_all_columns[lod];
        if is_sparse {
            self.list_active(lod, controls, scratch);
        }
        for strip in &self.plans[lod] {
            let (first, octets) = (strip.first_value as usize, strip.octets as usize);
            let inputs = strip.inputs.range();
            let active_count = scratch.counts[strip.list as usize] as usize;
            let task = Task {
                values: &self.values[first..first + octets * inputs.len()],
                active: is_sparse.then(|| &scratch.active[inputs.start..inputs.start + active_count]),
                inputs: &self.inputs[inputs],
                controls,
                slots: &self.slots[strip.first_slot as usize..(strip.first_slot + strip.row_count) as usize],
            };
            match octets {
                1 => task.run::<_, 1>(simd, joints),
                2 => task.run::<_, 2>(simd, joints),
                3 => task.run::<_, 3>(simd, joints),
                4 => task.run::<_, 4>(simd, joints),
                5 => task.run::<_, 5>(simd, joints),
                6 => task.run::<_, 6>(simd, joints),
                7 => task.run::<_, 7>(simd, joints),
                8 => task.run::<_, 8>(simd, joints),
                9 => task.run::<_, 9>(simd, joints),
                _ => task.run::<_, MOST_OCTETS>(simd, joints),
            }
            if let Some(group) = strip.ends_group {
                after_group(group as usize, joints);
            }
        }
    }

    /// Lists, for each list of columns, those whose control is not zero.
    #[inline(always)]
    fn list_active(&self, lod: usize, controls: &[f32], scratch: &mut LinearScratch) {
        scratch.counts.fill(0);
        let uses = self.first_use.windows(2).map(|bounds| bounds[0] as usize..bounds[1] as usize);
        for (&value, uses) in controls.iter().zip(uses) {
            if value == 0.0 {
                continue;
            }
            for column in &self.uses[uses] {
                if lod < usize::from(column.lod_count) {
                    let list = column.list as usize;
                    let count = &mut scratch.counts[list];
                    let place = self.lists[list].first + *count;
                    scratch.active[place as usize] = (u32::from(column.position), value);
                    *count += 1;
                }
            }
        }
    }
}

impl List {
    #[inline(always)]
    fn range(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// One strip at one LOD.
struct Task<'a> {
    values: &'a [Octet],
    inputs: &'a [u16],
    /// Columns that are not zero, where few are.
    active: Option<&'a [(u32, f32)]>,
    controls: &'a [f32],
    slots: &'a [u32],
}

impl Task<'_> {
    /// Assigns the weighted sums of the columns, each `K` octets high.
    #[inline(always)]
    fn run<S: Simd, const K: usize>(&self, simd: S, joints: &mut [f32]) {
        let (columns, _) = self.values.as_chunks::<K>();
        let sums = match self.active {
            Some(active) => {
                sum(simd, active.iter().map(|&(column, weight)| (&columns[column as usize], weight)))
            }
            None => {
                let weights = self.inputs.iter().map(|&input| self.controls[usize::from(input)]);
                sum(simd, columns.iter().zip(weights))
            }
        };
        for (&slot, &sum) in self.slots.iter().zip(sums.as_flattened()) {
            joints[slot as usize] = sum;
        }
    }
}

/// The weighted sum of columns, in their order.
#[inline(always)]
fn sum<'a, S: Simd, const K: usize>(
    simd: S,
    columns: impl Iterator<Item = (&'a [Octet; K], f32)>,
) -> [[f32; 8]; K] {
    let mut sums = [f32x8::splat(simd, 0.0); K];
    for (values, weight) in columns {
        let weight = f32x8::splat(simd, weight);
        for (sum, values) in sums.iter_mut().zip(values) {
            // Not fused: a fused product would round differently from one machine to the next.
            *sum += f32x8::simd_from(simd, values.0) * weight;
        }
    }
    sums.map(|sum| *sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PruneThresholds;
    use mhrig_dna::JointGroup;
    use proptest::prelude::*;

    /// The definition: row by row, control by control.
    fn scalar_twin(group: &PrunedGroup, lod: usize, controls: &[f32], joints: &mut [f32]) {
        let width = group.inputs.len();
        let mut columns: Vec<usize> = (0..group.columns_of_lod[lod]).collect();
        columns.sort_by_key(|&column| group.inputs[column]);
        for row in 0..group.rows_of_lod[lod] {
            let mut sum = 0.0f32;
            for &column in &columns {
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
            zeros in 0usize..6,
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
            let mut linear = LinearJoints::new(2);
            linear.push(&pruned, usize::from);
            linear.index_controls(width);
            let mut scratch = linear.scratch();
            let is_zero = |c: usize| zeros > 0 && c.is_multiple_of(zeros);
            let controls: Vec<f32> =
                (0..width).map(|c| if is_zero(c) { 0.0 } else { pick(c + 11) }).collect();
            for (lod, level) in [0, 1].into_iter().zip([Level::new(), Level::baseline()]) {
                let (mut expected, mut found) = (vec![0.0f32; rows], vec![0.0f32; rows]);
                scalar_twin(&pruned, lod, &controls, &mut expected);
                linear.evaluate(level, lod, &controls, &mut scratch, &mut found, |_, _| ());
                let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(&expected), bits(&found));
            }
        }
    }
}
