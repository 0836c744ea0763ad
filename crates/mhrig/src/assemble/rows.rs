//! Rows of a DNA from GUI to raw controls, as curves.

use std::collections::BTreeSet;

use mhrig_dna::ConditionalTable;

/// One row: `raw = slope · gui + cut` for `from ≤ gui ≤ to`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    input: usize,
    output: usize,
    from: f64,
    to: f64,
    slope: f64,
    cut: f64,
}

/// What one GUI control adds to one raw control.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drive {
    pub(super) input: usize,
    pub(super) output: usize,
    /// Input and output of each key.
    pub(super) keys: Vec<[f64; 2]>,
    /// Whether the rows jump somewhere, which a curve follows over [`JUMP`].
    pub(super) jumps: bool,
}

/// Width over which a curve follows a jump of the rows.
const JUMP: f64 = 1e-5;
/// Values nearer than this are the same.
const SAME: f64 = 1e-6;

/// The rows of `table`, ranges ascending.
fn rows(table: &ConditionalTable) -> Vec<Row> {
    let count = table.input_indices.len();
    let row = |r: usize| {
        let (from, to) = (f64::from(*table.from_values.get(r)?), f64::from(*table.to_values.get(r)?));
        Some(Row {
            input: usize::from(*table.input_indices.get(r)?),
            output: usize::from(*table.output_indices.get(r)?),
            from: from.min(to),
            to: from.max(to),
            slope: f64::from(*table.slope_values.get(r)?),
            cut: f64::from(*table.cut_values.get(r)?),
        })
    };
    (0..count).filter_map(row).collect()
}

/// The range of each GUI control: that of its rows, with 0. `None` for a control without rows.
pub(super) fn ranges(table: &ConditionalTable, gui_count: usize) -> Vec<Option<(f64, f64)>> {
    let mut ranges = vec![None; gui_count];
    for row in rows(table) {
        if let Some(range) = ranges.get_mut(row.input) {
            let (min, max) = range.unwrap_or((0.0, 0.0));
            *range = Some((f64::min(min, row.from), f64::max(max, row.to)));
        }
    }
    ranges
}

/// What drives what, ordered by raw control and then as the DNA has it.
pub(super) fn drives(table: &ConditionalTable, ranges: &[Option<(f64, f64)>]) -> Vec<Drive> {
    let rows = rows(table);
    let mut drives: Vec<Drive> = rows
        .chunk_by(|a, b| (a.input, a.output) == (b.input, b.output))
        .filter_map(|run| {
            let first = run.first()?;
            let range = ranges.get(first.input).copied().flatten()?;
            let (keys, jumps) = keys(run, range);
            Some(Drive { input: first.input, output: first.output, keys, jumps })
        })
        .collect();
    drives.sort_by_key(|drive| drive.output);
    drives
}

/// The keys of consecutive rows with one input and one output. The first row that holds at a value is the one that
/// counts; where none does, the value is 0. Beyond the range of the control nothing matters.
fn keys(rows: &[Row], (min, max): (f64, f64)) -> (Vec<[f64; 2]>, bool) {
    let mut borders: Vec<f64> = rows.iter().flat_map(|row| [row.from, row.to]).collect();
    borders.sort_by(f64::total_cmp);
    borders.dedup_by(|a, b| (*a - *b).abs() < JUMP * 4.0);
    // At each border the row that holds there, and between two of them the one that holds in the middle: its value is
    // the one that is approached.
    let mut sweep = Sweep::over(rows);
    let mut at_border = Vec::with_capacity(borders.len());
    let mut after_border = Vec::with_capacity(borders.len());
    for (number, &border) in borders.iter().enumerate() {
        at_border.push(sweep.first(border, Ends::In));
        let middle = borders.get(number + 1).map(|next| (border + next) / 2.0);
        after_border.push(middle.and_then(|middle| sweep.first(middle, Ends::Out)));
    }
    let value_of = |row: Option<usize>, at: f64| row.map_or(0.0, |row| rows[row].slope * at + rows[row].cut);
    let mut keys = Vec::new();
    let mut jumps = false;
    for (number, &border) in borders.iter().enumerate() {
        let value = value_of(at_border[number], border);
        let before = match number.checked_sub(1) {
            Some(previous) => value_of(after_border[previous], border),
            None if border <= min => value,
            None => 0.0,
        };
        let after = match borders.get(number + 1) {
            Some(_) => value_of(after_border[number], border),
            None if border >= max => value,
            None => 0.0,
        };
        if (before - value).abs() > SAME {
            keys.push([border - JUMP, before]);
            jumps = true;
        }
        keys.push([border, value]);
        if (after - value).abs() > SAME {
            keys.push([border + JUMP, after]);
            jumps = true;
        }
    }
    for key in &mut keys {
        // The numbers of a DNA are f32: an end of a ramp is not exactly 0 or 1.
        let whole = key[1].round();
        if (key[1] - whole).abs() < SAME {
            key[1] = whole + 0.0;
        }
    }
    (keys, jumps)
}

/// Whether the ends of a row belong to it.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    In,
    Out,
}

/// Finds the first row that holds at values which go upwards.
struct Sweep<'a> {
    rows: &'a [Row],
    by_from: std::iter::Peekable<std::vec::IntoIter<usize>>,
    by_to: std::iter::Peekable<std::vec::IntoIter<usize>>,
    active: BTreeSet<usize>,
}

impl<'a> Sweep<'a> {
    fn over(rows: &'a [Row]) -> Self {
        let sorted = |end: fn(&Row) -> f64| {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|&a, &b| end(&rows[a]).total_cmp(&end(&rows[b])));
            order.into_iter().peekable()
        };
        Self { rows, by_from: sorted(|row| row.from), by_to: sorted(|row| row.to), active: BTreeSet::new() }
    }

    fn first(&mut self, value: f64, ends: Ends) -> Option<usize> {
        let rows = self.rows;
        let is_over = |&row: &usize| rows[row].to < value || (ends == Ends::Out && rows[row].to == value);
        let has_begun =
            |&row: &usize| rows[row].from < value || (ends == Ends::In && rows[row].from == value);
        while let Some(row) = self.by_from.next_if(has_begun) {
            self.active.insert(row);
        }
        while let Some(row) = self.by_to.next_if(is_over) {
            self.active.remove(&row);
        }
        // One that ended before it could begin: it is as long as a single value.
        while self.active.first().is_some_and(is_over) {
            self.active.pop_first();
        }
        self.active.first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[f32; 6]]) -> ConditionalTable {
        let column = |c: usize| rows.iter().map(|row| row[c]).collect::<Vec<f32>>();
        let indices = |c: usize| rows.iter().map(|row| row[c] as u16).collect::<Vec<u16>>();
        ConditionalTable {
            input_indices: indices(0),
            output_indices: indices(1),
            from_values: column(2),
            to_values: column(3),
            slope_values: column(4),
            cut_values: column(5),
        }
    }

    #[test]
    fn a_triangular_ramp_is_three_keys() {
        let table = table(&[
            [0.0, 3.0, 0.2, 0.4, 5.0, -1.0],
            [0.0, 3.0, 0.4, 0.6, -5.0, 3.0],
            [0.0, 4.0, 0.6, 1.0, 2.5, -1.5],
        ]);
        let ranges = ranges(&table, 1);
        let (min, max) = ranges[0].unwrap();
        assert!(min == 0.0 && (max - 1.0).abs() < 1e-9);
        let drives = drives(&table, &ranges);
        assert_eq!(drives.len(), 2);
        let keys = &drives[0].keys;
        assert_eq!(keys.len(), 3);
        for (key, expected) in keys.iter().zip([[0.2, 0.0], [0.4, 1.0], [0.6, 0.0]]) {
            assert!((key[0] - expected[0]).abs() < 1e-6 && (key[1] - expected[1]).abs() < 1e-6, "{key:?}");
        }
        assert!(!drives[0].jumps);
    }

    #[test]
    fn opposite_halves_of_a_slider_do_not_touch_each_other() {
        let table = table(&[[0.0, 0.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 0.0, -1.0, 0.0]]);
        let drives = drives(&table, &ranges(&table, 1));
        assert_eq!(drives[0].keys, [[0.0, 0.0], [1.0, 1.0]]);
        assert_eq!(drives[1].keys, [[-1.0, 1.0], [0.0, 0.0]]);
    }

    #[test]
    fn of_rows_that_overlap_the_first_counts_also_at_single_values() {
        let point = [0.0, 0.0, 0.5, 0.5, 0.0, 0.7];
        let table = table(&[point, [0.0, 0.0, 0.0, 1.0, 0.0, 0.25], [0.0, 0.0, 0.0, 2.0, 0.0, 0.5]]);
        let (keys, jumps) =
            (&drives(&table, &ranges(&table, 1))[0].keys, drives(&table, &ranges(&table, 1))[0].jumps);
        let expected = [
            [0.0, 0.25],
            [0.5 - JUMP, 0.25],
            [0.5, 0.7],
            [0.5 + JUMP, 0.25],
            [1.0, 0.25],
            [1.0 + JUMP, 0.5],
            [2.0, 0.5],
        ];
        assert!(jumps && keys.len() == expected.len(), "{keys:?}");
        for (key, expected) in keys.iter().zip(expected) {
            assert!((key[0] - expected[0]).abs() < 1e-6 && (key[1] - expected[1]).abs() < 1e-6, "{keys:?}");
        }
    }

    #[test]
    fn many_rows_of_one_pair_take_no_longer_than_their_sorting() {
        let rows: Vec<[f32; 6]> =
            (0..100_000).map(|r| [0.0, 0.0, r as f32, r as f32 + 0.5, 0.0, 1.0]).collect();
        let table = table(&rows);
        let keys = &drives(&table, &ranges(&table, 1))[0].keys;
        assert_eq!(keys.len(), 4 * rows.len() - 2);
    }

    #[test]
    fn a_row_that_begins_with_a_jump_keeps_the_value_before_it() {
        let table = table(&[[0.0, 0.0, 0.5, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]]);
        let drives = drives(&table, &ranges(&table, 1));
        assert!(drives[0].jumps);
        assert_eq!(drives[0].keys.first(), Some(&[0.5 - JUMP, 0.0]));
        assert_eq!(drives[0].keys.last(), Some(&[1.0, 1.0]));
    }
}
