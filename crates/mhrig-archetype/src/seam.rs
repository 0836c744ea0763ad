use std::fmt::Write;

use mhrig_report::{Finding, Severity};

/// A vertex of the head that coincides with a vertex of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeamPair {
    /// Vertex of the head's seam mesh.
    pub head_vertex: u32,
    /// Vertex of the body's seam mesh.
    pub body_vertex: u32,
}

const HEADER: &str = "head_vertex,body_vertex";

/// Reads lines `head_vertex,body_vertex` after a header of those names.
///
/// Lines that are no pair go to the findings with their number; `place` names the file.
pub fn parse_seam(place: &str, text: &str) -> (Vec<SeamPair>, Vec<Finding>) {
    let mut pairs = Vec::new();
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || (number == 0 && line.trim() == HEADER) {
            continue;
        }
        let numbers = line.split_once(',');
        let pair = numbers.and_then(|(head, body)| {
            Some(SeamPair { head_vertex: head.trim().parse().ok()?, body_vertex: body.trim().parse().ok()? })
        });
        match pair {
            Some(pair) => pairs.push(pair),
            None => findings.push(
                Finding::new(
                    "SEAM_ROW",
                    Severity::Warning,
                    format!("{place}: line {}", number + 1),
                    "this line is no pair of seam vertices and was left out",
                    "write two vertex numbers separated by a comma",
                )
                .with_values(HEADER, line),
            ),
        }
    }
    (pairs, findings)
}

/// The text of a seam file, read back by [`parse_seam`] to the same pairs.
pub fn write_seam(pairs: &[SeamPair]) -> String {
    let mut text = format!("{HEADER}\n");
    for pair in pairs {
        let _ = writeln!(text, "{},{}", pair.head_vertex, pair.body_vertex);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_survive_a_round_trip_and_bad_lines_are_named() {
        let (pairs, findings) = parse_seam("seam.csv", "head_vertex,body_vertex\n1357,107\nx,1\n1358, 108\n");
        assert_eq!(write_seam(&pairs), "head_vertex,body_vertex\n1357,107\n1358,108\n");
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place, "seam.csv: line 3");
    }
}
