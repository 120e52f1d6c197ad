//! Tables for people.

use std::fmt::Write;

/// Columns of text, the first aligned left, the others right unless told otherwise.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    left: Vec<usize>,
}

impl Table {
    /// A table with a heading.
    pub(crate) fn new(heading: &[&str]) -> Self {
        Self {
            rows: vec![heading.iter().map(ToString::to_string).collect()],
            left: vec![0],
        }
    }

    /// Aligns a column left.
    pub(crate) fn left(mut self, column: usize) -> Self {
        self.left.push(column);
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let gap = if column == 0 { "" } else { "  " };
                let width = widths[column];
                if self.left.contains(&column) {
                    write!(line, "{gap}{cell:<width$}")?;
                } else {
                    write!(line, "{gap}{cell:>width$}")?;
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", "ms", "note"]).left(2);
        table.row(["a".into(), "1.25".into(), "x".into()]);
        table.row(["longer".into(), "10".into(), "yy".into()]);
        assert_eq!(
            table.to_string(),
            "name      ms  note\na       1.25  x\nlonger    10  yy\n"
        );
    }
}
