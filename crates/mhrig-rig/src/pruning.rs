//! What remains of a joint group once dead rows and columns are dropped (riglogic.md 7.3).

use mhrig_dna::JointGroup;

use crate::PruneThresholds;

/// Rows of one kind of a joint group, without dead rows and columns, columns in evaluation order.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrunedGroup {
    /// Control of each column.
    pub(crate) inputs: Vec<u16>,
    /// Joint × 9 + attribute of each row.
    pub(crate) outputs: Vec<u16>,
    /// `outputs.len() × inputs.len()`, row after row.
    pub(crate) values: Vec<f32>,
    /// Leading rows in use per LOD.
    pub(crate) rows_of_lod: Vec<usize>,
    /// Leading columns in use per LOD.
    pub(crate) columns_of_lod: Vec<usize>,
}

impl PruneThresholds {
    fn of(&self, output: u16) -> f32 {
        match output % 9 {
            0..=2 => self.translation,
            3..=5 => self.rotation,
            _ => self.scale,
        }
    }
}

impl PrunedGroup {
    /// Prunes the rows of `group` that `is_wanted` names by their output; `rows_of_lod` counts rows of the whole
    /// group. All indices and lengths have been checked.
    pub(crate) fn new(
        group: &JointGroup,
        rows_of_lod: &[usize],
        thresholds: &PruneThresholds,
        is_wanted: impl Fn(u16) -> bool,
    ) -> Self {
        let width = group.input_indices.len();
        let row_values = |row: usize| &group.values[row * width..(row + 1) * width];
        let is_live = |output: u16| {
            let threshold = thresholds.of(output);
            move |value: &f32| value.abs() > threshold
        };
        let outputs = group.output_indices.iter().copied().enumerate();
        let rows: Vec<(usize, u16)> = outputs
            .filter(|&(row, output)| is_wanted(output) && row_values(row).iter().any(is_live(output)))
            .collect();

        let mut is_column_live = vec![false; width];
        for &(row, output) in &rows {
            let is_live = is_live(output);
            for (live, value) in is_column_live.iter_mut().zip(row_values(row)) {
                *live |= is_live(value);
            }
        }
        let mut columns: Vec<usize> = (0..width).filter(|&column| is_column_live[column]).collect();
        let rows_of_lod: Vec<usize> =
            rows_of_lod.iter().map(|&limit| rows.partition_point(|&(row, _)| row < limit)).collect();
        let is_dead = |column: usize, limit: usize| {
            rows[..limit].iter().all(|&(row, output)| !is_live(output)(&row_values(row)[column]))
        };
        let columns_of_lod = order_columns(&mut columns, &rows_of_lod, is_dead);
        let values =
            rows.iter().flat_map(|&(row, _)| columns.iter().map(move |&column| row_values(row)[column]));
        Self {
            inputs: columns.iter().map(|&column| group.input_indices[column]).collect(),
            outputs: rows.iter().map(|&(_, output)| output).collect(),
            values: values.collect(),
            rows_of_lod,
            columns_of_lod,
        }
    }
}

/// Moves columns that are dead in a coarser LOD behind the others, by the swaps of the reference, since the order
/// of columns is part of the result of quaternion groups. Returns the number of leading columns per LOD.
fn order_columns(
    columns: &mut [usize],
    rows_of_lod: &[usize],
    is_dead: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut counts = vec![0; rows_of_lod.len()];
    let mut live = columns.len();
    for (count, &rows) in counts.iter_mut().zip(rows_of_lod) {
        // Verdicts do not change within one LOD; asking once per column keeps this linear in the values.
        let mut dead: Vec<bool> = columns[..live].iter().map(|&column| is_dead(column, rows)).collect();
        while let Some(position) = dead.iter().rposition(|&dead| dead) {
            live -= 1;
            columns.swap(position, live);
            dead.swap(position, live);
            dead.truncate(live);
        }
        *count = live;
        if live == 0 {
            break;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(inputs: &[u16], outputs: &[u16], lods: &[u16], values: &[f32]) -> JointGroup {
        JointGroup {
            lods: lods.to_vec(),
            input_indices: inputs.to_vec(),
            output_indices: outputs.to_vec(),
            values: values.to_vec(),
            joint_indices: Vec::new(),
        }
    }

    #[test]
    fn dead_rows_and_columns_go_and_lod_counts_follow() {
        let group = group(&[5, 6, 7], &[0, 1, 2], &[3, 2], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 3.0]);
        let pruned = PrunedGroup::new(&group, &[3, 2], &PruneThresholds::default(), |_| true);
        assert_eq!(pruned.outputs, [0, 2]);
        assert_eq!(pruned.inputs, [5, 7]);
        assert_eq!(pruned.values, [1.0, 0.0, 2.0, 3.0]);
        assert_eq!(pruned.rows_of_lod, [2, 1]);
        assert_eq!(pruned.columns_of_lod, [2, 1]);
    }

    #[test]
    fn columns_dead_in_a_coarse_lod_are_swapped_to_the_end_from_the_right() {
        let values = [0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let group = group(&[10, 11, 12, 13], &[0, 1], &[2, 1], &values);
        let pruned = PrunedGroup::new(&group, &[2, 1], &PruneThresholds::default(), |_| true);
        // Column 2 changes places with 3, then column 0 with what stands at 2 by now.
        assert_eq!(pruned.inputs, [13, 11, 10, 12]);
        assert_eq!(pruned.columns_of_lod, [4, 2]);
    }

    #[test]
    fn a_value_at_its_threshold_is_dead_but_stays_where_its_row_and_column_live() {
        let group = group(&[0, 1], &[3, 4], &[2], &[0.5, 0.2, 0.2, 0.2]);
        let thresholds = PruneThresholds { rotation: 0.2, ..Default::default() };
        let pruned = PrunedGroup::new(&group, &[2], &thresholds, |_| true);
        assert_eq!((pruned.outputs, pruned.inputs, pruned.values), (vec![3], vec![0], vec![0.5]));
    }

    #[test]
    fn unwanted_rows_do_not_count() {
        let group = group(&[0], &[0, 3, 1], &[3, 2], &[1.0, 1.0, 1.0]);
        let pruned = PrunedGroup::new(&group, &[3, 2], &PruneThresholds::default(), |output| output % 9 < 3);
        assert_eq!((pruned.outputs, pruned.rows_of_lod), (vec![0, 1], vec![2, 1]));
    }
}
