use mhrig_dna::ConditionalTable;

use crate::checks::Checks;

/// Rows `output += slope · input + cut` for inputs in a range: GUI to raw controls, and animated maps
/// (riglogic.md 3).
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    output_count: usize,
}

#[derive(Clone, Debug)]
struct Row {
    input: u16,
    output: u16,
    /// Number of the first row after this one that has another input or output.
    next: u32,
    from: f32,
    to: f32,
    slope: f32,
    cut: f32,
}

impl Table {
    pub(crate) fn new(
        checks: &mut Checks,
        path: &str,
        table: &ConditionalTable,
        input_count: usize,
        output_count: usize,
    ) -> Self {
        let count = table.input_indices.len();
        let mut is_good =
            checks.length(|| format!("{path}.outputIndices"), count, table.output_indices.len());
        is_good &= checks.length(|| format!("{path}.fromValues"), count, table.from_values.len());
        is_good &= checks.length(|| format!("{path}.toValues"), count, table.to_values.len());
        is_good &= checks.length(|| format!("{path}.slopeValues"), count, table.slope_values.len());
        is_good &= checks.length(|| format!("{path}.cutValues"), count, table.cut_values.len());
        is_good &=
            checks.indices(|| format!("{path}.inputIndices"), &table.input_indices, input_count, "control");
        is_good &=
            checks.indices(|| format!("{path}.outputIndices"), &table.output_indices, output_count, "output");
        is_good &= checks.not_nan(|| format!("{path}.fromValues"), &table.from_values);
        is_good &= checks.not_nan(|| format!("{path}.toValues"), &table.to_values);
        is_good &= checks.finite(|| format!("{path}.slopeValues"), &table.slope_values);
        is_good &= checks.finite(|| format!("{path}.cutValues"), &table.cut_values);
        if !is_good {
            return Self::default();
        }
        let mut rows: Vec<Row> = (0..count)
            .map(|r| {
                let (from, to) = (table.from_values[r], table.to_values[r]);
                Row {
                    input: table.input_indices[r],
                    output: table.output_indices[r],
                    next: 0,
                    from: if from > to { to } else { from },
                    to: if from > to { from } else { to },
                    slope: table.slope_values[r],
                    cut: table.cut_values[r],
                }
            })
            .collect();
        let mut next = count as u32;
        for r in (0..rows.len()).rev() {
            if let Some(following) = rows.get(r + 1)
                && (following.input, following.output) != (rows[r].input, rows[r].output)
            {
                next = r as u32 + 1;
            }
            rows[r].next = next;
        }
        Self { rows, output_count }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Inputs of the first `row_limit` rows.
    pub(crate) fn inputs(&self, row_limit: usize) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().take(row_limit).map(|row| usize::from(row.input))
    }

    /// Outputs of the first `row_limit` rows whose input is `input`.
    pub(crate) fn outputs_of(&self, input: usize, row_limit: usize) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.iter().take(row_limit).filter(move |row| usize::from(row.input) == input);
        rows.map(|row| usize::from(row.output))
    }

    /// Writes all of `outputs` (`output_count` long) from the first `row_limit` rows.
    pub(crate) fn evaluate(&self, inputs: &[f32], outputs: &mut [f32], row_limit: usize) {
        let outputs = &mut outputs[..self.output_count];
        outputs.fill(0.0);
        let rows = &self.rows[..row_limit.min(self.rows.len())];
        let mut r = 0;
        while let Some(row) = rows.get(r) {
            let value = inputs[usize::from(row.input)];
            r += 1;
            if row.from <= value && value <= row.to {
                outputs[usize::from(row.output)] += row.slope * value + row.cut;
                r = row.next as usize;
            }
        }
        for output in outputs {
            *output = output.clamp(0.0, 1.0);
        }
    }

    /// Writes the inputs that give `outputs` when they are mapped forward, as far as there are any.
    ///
    /// Per input, rows are grouped by their range; the range that most of the outputs agree with is taken, and
    /// in it the first row whose solution lies within.
    pub(crate) fn reverse(&self, outputs: &[f32], inputs: &mut [f32]) {
        inputs.fill(0.0);
        let back = |row: &Row| (outputs[usize::from(row.output)] - row.cut) / row.slope;
        let is_within = |row: &Row, value: f32| row.from <= value && value <= row.to;
        for (input, value) in inputs.iter_mut().enumerate() {
            let rows = || self.rows.iter().filter(move |row| usize::from(row.input) == input);
            let mut best: Option<(usize, &Row)> = None;
            for (seen, first) in rows().enumerate() {
                let is_same_range = |row: &&Row| row.from == first.from && row.to == first.to;
                if rows().take(seen).any(|row| is_same_range(&row)) {
                    continue;
                }
                let agrees =
                    |row: &&Row| outputs[usize::from(row.output)] != 0.0 && is_within(row, back(row));
                let count = rows().filter(is_same_range).filter(agrees).count();
                if best.is_none_or(|(most, _)| count > most) {
                    best = Some((count, first));
                }
            }
            let Some((_, range)) = best else { continue };
            let in_range = rows().filter(|row| row.from == range.from && row.to == range.to);
            if let Some(solution) = in_range.map(|row| (row, back(row))).find(|&(row, v)| is_within(row, v)) {
                *value = solution.1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(u16, u16, f32, f32, f32, f32)], inputs: usize, outputs: usize) -> Table {
        let table = ConditionalTable {
            input_indices: rows.iter().map(|r| r.0).collect(),
            output_indices: rows.iter().map(|r| r.1).collect(),
            from_values: rows.iter().map(|r| r.2).collect(),
            to_values: rows.iter().map(|r| r.3).collect(),
            slope_values: rows.iter().map(|r| r.4).collect(),
            cut_values: rows.iter().map(|r| r.5).collect(),
        };
        let mut checks = Checks::default();
        let table = Table::new(&mut checks, "table", &table, inputs, outputs);
        assert!(checks.errors.is_empty(), "{:?}", checks.errors);
        table
    }

    fn mapped(table: &Table, inputs: &[f32]) -> Vec<f32> {
        let mut outputs = vec![9.0; table.output_count];
        table.evaluate(inputs, &mut outputs, usize::MAX);
        outputs
    }

    #[test]
    fn both_ends_of_a_range_belong_to_it_and_the_first_row_of_a_run_wins() {
        let table = table(&[(0, 0, 0.0, 0.5, 1.0, 0.0), (0, 0, 0.5, 1.0, 0.0, 0.25)], 1, 1);
        assert_eq!(mapped(&table, &[0.5]), [0.5]);
        assert_eq!(mapped(&table, &[1.0]), [0.25]);
        assert_eq!(mapped(&table, &[1.5]), [0.0]);
        assert_eq!(mapped(&table, &[f32::NAN]), [0.0]);
    }

    #[test]
    fn a_pair_that_is_not_in_one_run_accumulates_and_outputs_are_clamped() {
        let rows = [(0, 0, 0.0, 1.0, 0.5, 0.0), (1, 0, 0.0, 1.0, 0.5, 0.0), (0, 0, 0.0, 1.0, 0.5, 0.0)];
        let table = table(&rows, 2, 2);
        assert_eq!(mapped(&table, &[0.5, 0.25]), [0.625, 0.0]);
        assert_eq!(mapped(&table, &[1.0, 1.0]), [1.0, 0.0]);
    }

    #[test]
    fn reversed_bounds_are_swapped() {
        let table = table(&[(0, 0, 1.0, 0.0, 1.0, 0.0)], 1, 1);
        assert_eq!(mapped(&table, &[0.75]), [0.75]);
    }

    #[test]
    fn a_run_is_cut_by_the_row_limit() {
        let table = table(&[(0, 0, 0.0, 0.5, 1.0, 0.0), (0, 0, 0.5, 1.0, 1.0, 0.0)], 1, 1);
        let mut outputs = [0.0];
        table.evaluate(&[0.75], &mut outputs, 1);
        assert_eq!(outputs, [0.0]);
    }

    #[test]
    fn reverse_finds_the_half_of_a_two_sided_control() {
        let table = table(&[(0, 0, 0.0, 1.0, 1.0, 0.0), (0, 1, -1.0, 0.0, -1.0, 0.0)], 1, 2);
        for value in [-1.0f32, -0.25, 0.0, 0.5, 1.0] {
            let outputs = mapped(&table, &[value]);
            let mut inputs = [7.0];
            table.reverse(&outputs, &mut inputs);
            assert_eq!(inputs, [value], "{outputs:?}");
        }
    }

    #[test]
    fn an_input_that_no_row_uses_is_zero_in_reverse() {
        let table = table(&[(1, 0, 0.0, 1.0, 1.0, 0.0)], 3, 1);
        let mut inputs = [7.0; 3];
        table.reverse(&[0.5], &mut inputs);
        assert_eq!(inputs, [0.0, 0.5, 0.0]);
    }
}
