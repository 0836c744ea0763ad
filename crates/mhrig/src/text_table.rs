//! Tables as lines of text, the same for every front end.

use unicode_width::UnicodeWidthStr;

/// A table of text: the first column is left-aligned, the others are right-aligned unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    /// What it is about; empty for none.
    pub title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    left_aligned: Vec<usize>,
}

impl TextTable {
    /// A table with these columns.
    pub fn new(header: &[&str]) -> Self {
        Self {
            title: String::new(),
            header: header.iter().map(|&cell| cell.to_owned()).collect(),
            rows: Vec::new(),
            left_aligned: vec![0],
        }
    }

    /// This table with a title.
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Left-aligns further columns.
    pub fn with_left(mut self, columns: &[usize]) -> Self {
        self.left_aligned.extend_from_slice(columns);
        self
    }

    /// Adds a row: as many cells as there are columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl ToString>) {
        self.rows.push(cells.into_iter().map(|cell| cell.to_string()).collect());
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The line of the column names; empty for a table without them.
    pub fn header_line(&self) -> String {
        self.line(&self.header, &self.widths())
    }

    /// A line for each row.
    pub fn row_lines(&self) -> Vec<String> {
        let widths = self.widths();
        self.rows.iter().map(|row| self.line(row, &widths)).collect()
    }

    /// All lines: title, column names, rows.
    pub fn lines(&self) -> Vec<String> {
        let head = [self.title.clone(), self.header_line()].into_iter().filter(|line| !line.is_empty());
        head.chain(self.row_lines()).collect()
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
        let mut table = TextTable::new(&["name", "n"]).with_title("sizes");
        table.row(["头部", "1"]);
        table.row(["body", "100"]);
        assert_eq!(table.lines(), ["sizes", "name    n", "头部    1", "body  100"]);
    }

    #[test]
    fn a_table_without_column_names_has_rows_only() {
        let mut table = TextTable::new(&["", ""]).with_left(&[1]);
        table.row(["version", "2.5"]);
        table.row(["units", "cm"]);
        assert_eq!(table.lines(), ["version  2.5", "units    cm"]);
    }
}
