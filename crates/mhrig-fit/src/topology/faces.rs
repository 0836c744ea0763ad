use mhrig_geom::Polygons;
use mhrig_report::{Finding, Severity};

use super::{Expected, InputMesh};

/// How a face relates to the template's of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaceRelation {
    /// The same vertices in the same order.
    Same,
    /// The same cycle, begun at another vertex.
    Rotated,
    /// The same cycle, run through backwards.
    Reversed,
    /// Another face.
    Different,
}

impl FaceRelation {
    pub(crate) fn of(expected: &[u32], found: &[u32]) -> Self {
        if expected == found {
            return Self::Same;
        }
        let count = expected.len();
        let Some(start) = found.iter().position(|corner| Some(corner) == expected.first()) else {
            return Self::Different;
        };
        if found.len() != count {
            return Self::Different;
        }
        if (0..count).all(|i| expected[i] == found[(start + i) % count]) {
            Self::Rotated
        } else if (0..count).all(|i| expected[i] == found[(start + count - i) % count]) {
            Self::Reversed
        } else {
            Self::Different
        }
    }
}

/// How many faces relate how, and the first of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaceComparison {
    rotated: Tally,
    reversed: Tally,
    different: Tally,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    count: usize,
    first: Option<usize>,
}

impl Tally {
    fn add(&mut self, face: usize) {
        self.count += 1;
        self.first.get_or_insert(face);
    }
}

impl FaceComparison {
    /// Compares two lists of the same length.
    pub(crate) fn of(expected: &Polygons, found: &Polygons) -> Self {
        let mut comparison = Self::default();
        for (number, (expected, found)) in expected.iter().zip(found.iter()).enumerate() {
            match FaceRelation::of(expected, found) {
                FaceRelation::Same => {}
                FaceRelation::Rotated => comparison.rotated.add(number),
                FaceRelation::Reversed => comparison.reversed.add(number),
                FaceRelation::Different => comparison.different.add(number),
            }
        }
        comparison
    }

    /// Whether all faces have the template's vertices, whatever their start and winding.
    pub(crate) fn is_same(&self) -> bool {
        self.different.count == 0
    }

    /// The worst thing there is to say; `None` when all faces are the same.
    pub(super) fn finding(&self, wanted: &Expected<'_>, input: &InputMesh<'_>) -> Option<Finding> {
        let total = wanted.mesh.faces.len();
        let finding = |code, severity, face: usize, message: String, remedy: &str| {
            let place = format!("{}: face {face}", input.label());
            let [expected, found] =
                [wanted.mesh, input.mesh].map(|mesh| format!("{:?}", mesh.faces.face(face)));
            Finding::new(code, severity, place, message, remedy).with_values(expected, found)
        };
        if let Some(face) = self.different.first {
            let message = format!("{} of {total} faces have other vertices", self.different.count);
            let remedy =
                "use the mesh that the template's topology was wrapped onto, exported with its vertex order";
            return Some(finding("FACE_MISMATCH", Severity::Error, face, message, remedy));
        }
        if let Some(face) = self.reversed.first {
            let which =
                if self.reversed.count == total { "all".into() } else { self.reversed.count.to_string() };
            let message =
                format!("{which} of {total} faces are reversed: the same vertices the other way round");
            let remedy = "reverse these faces (their normals point inwards)";
            return Some(finding("FACE_REVERSED", Severity::Error, face, message, remedy));
        }
        let face = self.rotated.first?;
        let message = format!(
            "{} of {total} faces begin at another vertex of the same cycle; this does no harm",
            self.rotated.count
        );
        Some(finding("FACE_START", Severity::Warning, face, message, "nothing needs to be done"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_told_apart_by_start_and_winding() {
        let face = [4, 7, 9, 2];
        let relation = |found: &[u32]| FaceRelation::of(&face, found);
        assert_eq!(relation(&[4, 7, 9, 2]), FaceRelation::Same);
        assert_eq!(relation(&[9, 2, 4, 7]), FaceRelation::Rotated);
        assert_eq!(relation(&[4, 2, 9, 7]), FaceRelation::Reversed);
        assert_eq!(relation(&[2, 9, 7, 4]), FaceRelation::Reversed);
        assert_eq!(relation(&[4, 9, 7, 2]), FaceRelation::Different);
        assert_eq!(relation(&[4, 7, 9]), FaceRelation::Different);
        assert_eq!(FaceRelation::of(&[], &[]), FaceRelation::Same);
        assert_eq!(FaceRelation::of(&[], &[1]), FaceRelation::Different);
    }
}
