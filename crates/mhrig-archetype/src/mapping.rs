use std::fmt::Write;

use mhrig_fit::MappingRow;
use mhrig_report::{Finding, Severity};

/// Reads rows `joint vertex` (surface) and `joint vertex dx dy dz` (volumetric), separated by spaces, no header.
///
/// Lines that are neither go to the findings with their number (`place` names the file); blank lines are skipped.
pub fn parse_mapping(place: &str, text: &str) -> (Vec<MappingRow>, Vec<Finding>) {
    let mut rows = Vec::new();
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        if fields.is_empty() {
            continue;
        }
        match parse_row(&fields) {
            Some(row) => rows.push(row),
            None => findings.push(
                Finding::new(
                    "MAPPING_ROW",
                    Severity::Warning,
                    format!("{place}: line {}", number + 1),
                    "this line is no mapping row and was left out",
                    "write `joint vertex` or `joint vertex dx dy dz`, separated by spaces",
                )
                .with_values("2 or 5 fields", line),
            ),
        }
    }
    (rows, findings)
}

fn parse_row(fields: &[&str]) -> Option<MappingRow> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    let (joint, vertex, offset_cm) = match *fields {
        [joint, vertex] => (joint, vertex, None),
        [joint, vertex, x, y, z] => (joint, vertex, Some([number(x)?, number(y)?, number(z)?])),
        _ => return None,
    };
    Some(MappingRow { joint: joint.to_owned(), vertex: vertex.parse().ok()?, offset_cm })
}

/// The text of a mapping table, read back by [`parse_mapping`] to the same rows.
pub fn write_mapping(rows: &[MappingRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = write!(text, "{} {}", row.joint, row.vertex);
        if let Some([x, y, z]) = row.offset_cm {
            let _ = write!(text, " {x} {y} {z}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_rows_survive_a_round_trip() {
        let text = "FACIAL_L_ChinSide 3058\nFACIAL_C_TeethLower 12 0 -0.28214 -0.24467\n";
        let (rows, findings) = parse_mapping("t.csv", text);
        assert!(findings.is_empty());
        assert_eq!(rows[0].offset_cm, None);
        assert_eq!(rows[1].offset_cm, Some([0.0, -0.28214, -0.24467]));
        assert_eq!(write_mapping(&rows), text);
    }

    #[test]
    fn a_line_that_is_no_row_is_named_and_the_rest_is_kept() {
        let (rows, findings) = parse_mapping("t.csv", "a 1\r\nb,2\n\nc 3 0 0\nd -1\ne 4 0 nan 0\nf 5\n");
        assert_eq!(rows.iter().map(|row| row.joint.as_str()).collect::<Vec<_>>(), ["a", "f"]);
        let places: Vec<_> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(places, ["t.csv: line 2", "t.csv: line 4", "t.csv: line 5", "t.csv: line 6"]);
    }
}
