use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use mhrig_report::{Finding, Severity};
use nalgebra::Vector3;

use crate::report::Stop;

/// Positions of joints by name: world space, cm, Y up.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Truth(pub HashMap<String, Vector3<f64>>);

impl Truth {
    /// Reads a joints file.
    ///
    /// # Errors
    /// A finding with file and line when it cannot be read.
    pub fn read(file: &Path) -> Result<Self, Stop> {
        let bytes = std::fs::read(file).map_err(|error| {
            Finding::new(
                "FILE_READ",
                Severity::Error,
                file.display().to_string(),
                format!("cannot be read: {error}"),
                "check the path given with --truth",
            )
        })?;
        Ok(parse_joints_csv(&file.display().to_string(), &String::from_utf8_lossy(&bytes))?)
    }
}

/// Reads lines `name,x,y,z` after a header whose first column is `joint` or `name`; further columns are ignored.
///
/// # Errors
/// A finding with the place (`place` names the file) of the first line that is no such line, or names a joint again.
pub fn parse_joints_csv(place: &str, text: &str) -> Result<Truth, Finding> {
    let wrong = |line: usize, message: &str, found: &str| {
        let remedy = "write a header `joint,x,y,z`, then one line per joint with its world position in cm";
        Finding::new("JOINTS_FILE", Severity::Error, format!("{place}: line {line}"), message, remedy)
            .with_values("joint,x,y,z", found)
    };
    let mut lines = text.lines().enumerate();
    let header = lines.next().map(|(_, header)| header.trim()).unwrap_or_default();
    let columns: Vec<&str> = header.split(',').map(str::trim).collect();
    if !matches!(columns.as_slice(), ["joint" | "name", "x", "y", "z", ..]) {
        return Err(wrong(1, "this is no joints file", header));
    }
    let mut joints = HashMap::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let mut cells = line.split(',').map(str::trim);
        let name = cells.next().unwrap_or_default();
        let position: Option<Vec<f64>> =
            cells.take(3).map(|cell| cell.parse().ok().filter(|n: &f64| n.is_finite())).collect();
        match position.as_deref() {
            Some(&[x, y, z]) => {
                if joints.insert(name.to_owned(), Vector3::new(x, y, z)).is_some() {
                    return Err(wrong(number + 1, "this joint has a line already", line));
                }
            }
            _ => return Err(wrong(number + 1, "this line has no three numbers", line)),
        }
    }
    if joints.is_empty() {
        return Err(wrong(1, "the file names no joint", header));
    }
    Ok(Truth(joints))
}

/// The text of a joints file, with the shortest decimals that read back to the same `f32`.
pub fn write_joints_csv<'a>(joints: impl IntoIterator<Item = (&'a str, [f32; 3])>) -> String {
    let mut text = String::from("joint,x,y,z\n");
    for (joint, [x, y, z]) in joints {
        let _ = writeln!(text, "{joint},{x},{y},{z}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_joints_read_back_to_the_same_bits() {
        let position = [0.1f32, -123.456_78, 1e-7];
        let text = write_joints_csv([("head", position)]);
        let Truth(joints) = parse_joints_csv("j.csv", &text).unwrap();
        let read: [f64; 3] = joints["head"].into();
        assert_eq!(read.map(|c| c as f32), position);
    }

    #[test]
    fn both_headers_and_further_columns_are_read() {
        let text = "name,x,y,z,set\nroot,0,0,0,body\n";
        assert_eq!(parse_joints_csv("j.csv", text).unwrap().0.len(), 1);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let place = |text: &str| parse_joints_csv("j.csv", text).unwrap_err().place;
        assert_eq!(place(""), "j.csv: line 1");
        assert_eq!(place("joint,x,y,z\n"), "j.csv: line 1");
        assert_eq!(place("joint,x,y,z\na,0,0,0\nb,0,x,0\n"), "j.csv: line 3");
        assert_eq!(place("joint,x,y,z\na,0,0\n"), "j.csv: line 2");
        assert_eq!(place("joint,x,y,z\na,0,0,inf\n"), "j.csv: line 2");
        assert_eq!(place("joint,x,y,z\na,0,0,0\na,0,0,1\n"), "j.csv: line 3");
    }
}
