//! Aligned text tables.

use unicode_width::UnicodeWidthStr;

use crate::output::out;
use crate::ui::BOLD;

/// A table: the first column is text and left-aligned, the others right-aligned unless said otherwise.
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    left_aligned: Vec<usize>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self {
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            rows: Vec::new(),
            left_aligned: vec![0],
        }
    }

    /// Left-aligns further columns.
    pub(crate) fn left(mut self, columns: &[usize]) -> Self {
        self.left_aligned.extend_from_slice(columns);
        self
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl ToString>) {
        self.rows.push(cells.into_iter().map(|cell| cell.to_string()).collect());
    }

    pub(crate) fn print(&self) {
        let widths = self.widths();
        out!("{BOLD}{}{BOLD:#}", self.line(&self.header, &widths));
        for row in &self.rows {
            out!("{}", self.line(row, &widths));
        }
    }

    fn widths(&self) -> Vec<usize> {
        let rows = self.rows.iter().chain([&self.header]);
        rows.fold(vec![0; self.header.len()], |mut widths, row| {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
            widths
        })
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            if self.left_aligned.contains(&column) {
                line.push_str(cell);
                line.push_str(&padding);
            } else {
                line.push_str(&padding);
                line.push_str(cell);
            }
        }
        line.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_wide_characters_count_double() {
        let mut table = Table::new(&["name", "n"]);
        table.row(["头部", "1"]);
        table.row(["body", "100"]);
        let widths = table.widths();
        assert_eq!(widths, [4, 3]);
        assert_eq!(table.line(&table.rows[0], &widths), "头部    1");
        assert_eq!(table.line(&table.rows[1], &widths), "body  100");
    }
}
