//! Tables on stdout.

use mhrig::TextTable;

use crate::output::out;
use crate::ui::BOLD;

/// A table: the first column is text and left-aligned, the others right-aligned unless said otherwise.
pub(crate) struct Table(TextTable);

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self(TextTable::new(header))
    }

    /// Left-aligns further columns.
    pub(crate) fn left(self, columns: &[usize]) -> Self {
        Self(self.0.with_left(columns))
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl ToString>) {
        self.0.row(cells);
    }

    pub(crate) fn print(&self) {
        print(&self.0);
    }

    /// Prints the table unless it has no row.
    pub(crate) fn print_with_rows(&self) {
        if !self.0.is_empty() {
            self.print();
        }
    }
}

/// Prints a table: title and column names bold.
pub(crate) fn print(table: &TextTable) {
    for line in [&table.title, &table.header_line()].into_iter().filter(|line| !line.is_empty()) {
        out!("{BOLD}{line}{BOLD:#}");
    }
    for line in table.row_lines() {
        out!("{line}");
    }
}
