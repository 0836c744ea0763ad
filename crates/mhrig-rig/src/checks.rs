//! Collects what is wrong with a DNA's behaviour while a rig is made of it.

use mhrig_dna::LodMapping;
use mhrig_report::{Finding, Severity};

/// More findings than this say nothing new.
const LIMIT: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub(crate) errors: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

impl Checks {
    pub(crate) fn error(&mut self, finding: Finding) {
        if self.errors.len() < LIMIT {
            self.errors.push(finding);
        }
    }

    pub(crate) fn warn(&mut self, code: &'static str, place: String, message: &str, remedy: &str) {
        if self.warnings.len() < LIMIT {
            self.warnings.push(Finding::new(code, Severity::Warning, place, message, remedy));
        }
    }

    /// Two arrays that have to be equally long.
    pub(crate) fn length(&mut self, path: impl FnOnce() -> String, expected: usize, found: usize) -> bool {
        if expected != found {
            let remedy = "write the file again with the tool that made it; the arrays belong together";
            let message = "the array does not have the length that the others ask for";
            let finding = Finding::new("ARRAY_LENGTH", Severity::Error, path(), message, remedy);
            self.error(finding.with_values(format!("{expected} entries"), format!("{found} entries")));
        }
        expected == found
    }

    /// Numbers that have to be below a limit.
    pub(crate) fn indices(
        &mut self,
        path: impl Fn() -> String,
        indices: &[u16],
        limit: usize,
        what: &str,
    ) -> bool {
        let mut is_good = true;
        for (at, &index) in indices.iter().enumerate() {
            if usize::from(index) >= limit {
                is_good = false;
                let message = format!("this is not the number of a {what}");
                let remedy = "correct the number, or remove the entry";
                let place = format!("{}[{at}]", path());
                let finding = Finding::new("INDEX_RANGE", Severity::Error, place, message, remedy);
                self.error(finding.with_values(format!("less than {limit}"), index));
            }
        }
        is_good
    }

    /// Values that have to be finite.
    pub(crate) fn finite(&mut self, path: impl Fn() -> String, values: &[f32]) -> bool {
        self.numbers(path, values, |value| value.is_finite())
    }

    /// Values that have to be numbers, infinite ones included.
    pub(crate) fn not_nan(&mut self, path: impl Fn() -> String, values: &[f32]) -> bool {
        self.numbers(path, values, |value| !value.is_nan())
    }

    fn numbers(
        &mut self,
        path: impl Fn() -> String,
        values: &[f32],
        is_number: impl Fn(f32) -> bool,
    ) -> bool {
        let mut is_good = true;
        for (at, &value) in values.iter().enumerate() {
            if !is_number(value) {
                is_good = false;
                let message = "this value is not a finite number";
                let remedy = "correct the value; every result that uses it would be undefined";
                let finding =
                    Finding::new("NOT_FINITE", Severity::Error, format!("{}[{at}]", path()), message, remedy);
                self.error(finding.with_values("a finite number", value));
            }
        }
        is_good
    }

    /// A number that stands for one of a few choices.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        path: impl FnOnce() -> String,
        value: u16,
        choices: &[T],
    ) -> Option<T> {
        let choice = choices.get(usize::from(value)).copied();
        if choice.is_none() {
            let message = "this number stands for none of the known choices";
            let remedy = "the file may come from a newer tool; update, or correct the number";
            let finding = Finding::new("UNKNOWN_CHOICE", Severity::Error, path(), message, remedy);
            self.error(finding.with_values(format!("0 to {}", choices.len() - 1), value));
        }
        choice
    }

    /// Rows in use per LOD, as many as there are LODs; a missing entry is 0.
    pub(crate) fn rows_of_lod(
        &mut self,
        path: impl Fn() -> String,
        lods: &[u16],
        lod_count: usize,
        row_count: usize,
    ) -> Vec<usize> {
        for (at, &rows) in lods.iter().enumerate().take(lod_count) {
            if usize::from(rows) > row_count {
                let message = "an LOD uses more rows than there are";
                let remedy = "lower the count, or add the missing rows";
                let place = format!("{}[{at}]", path());
                let finding = Finding::new("INDEX_RANGE", Severity::Error, place, message, remedy);
                self.error(finding.with_values(format!("at most {row_count}"), rows));
            }
        }
        (0..lod_count).map(|lod| lods.get(lod).map_or(0, |&rows| usize::from(rows).min(row_count))).collect()
    }

    /// The members of each LOD.
    pub(crate) fn members(
        &mut self,
        path: &str,
        mapping: &LodMapping,
        lod_count: usize,
        limit: usize,
        what: &str,
    ) -> Vec<Vec<usize>> {
        let rows = mapping.indices.len();
        self.indices(|| format!("{path}.lods"), &mapping.lods, rows, "row of indices");
        for (row, members) in mapping.indices.iter().enumerate() {
            self.indices(|| format!("{path}.indices[{row}]"), members, limit, what);
        }
        let members = |lod| mapping.members(lod).iter().map(|&member| usize::from(member));
        (0..lod_count).map(|lod| members(lod).filter(|&member| member < limit).collect()).collect()
    }
}
