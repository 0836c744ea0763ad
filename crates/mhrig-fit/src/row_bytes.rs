//! Rows as bytes, so that they can be kept from run to run.

use nalgebra::{Matrix3, Vector3};

use crate::patches::{Row, Rows, SETTINGS};

/// Begins the bytes; its last digit changes with the layout and with the way in which rows are computed.
const MAGIC: &[u8; 8] = b"MHROWS01";

/// Stands for the length of a row that there is none of.
const NO_ROW: u32 = u32::MAX;

/// Where the rows of a character are kept between runs: beside the archetype, in a database, nowhere.
///
/// A store gives back what it was given for the same variant of the same templates, or nothing. What it gives is
/// checked for form, so that damaged bytes cost time and nothing else; that they belong to these templates is the
/// store's word.
pub trait RowStore: std::fmt::Debug + Send + Sync {
    /// The bytes saved for `variant` (which of the templates' meshes are there), if there are any.
    fn load(&self, variant: &str) -> Option<Vec<u8>>;

    /// Keeps `rows` for `variant`, if that is possible.
    fn save(&self, variant: &str, rows: &[u8]);
}

/// The name of a variant: a digit per mesh, 1 for one that is there, parts divided by a dash.
pub(crate) fn variant_name(present: &[Vec<bool>]) -> String {
    let part = |meshes: &Vec<bool>| meshes.iter().map(|&is_there| if is_there { '1' } else { '0' }).collect();
    present.iter().map(part).collect::<Vec<String>>().join("-")
}

/// What rows of this layout and these settings begin with.
fn head() -> Vec<u8> {
    let settings = SETTINGS.into_iter().flat_map(f64::to_le_bytes);
    MAGIC.iter().copied().chain(settings).collect()
}

/// The rows of all parts.
pub(crate) fn encode(parts: &[Rows]) -> Vec<u8> {
    let mut bytes = head();
    let count = |bytes: &mut Vec<u8>, count: usize| bytes.extend((count as u32).to_le_bytes());
    count(&mut bytes, parts.len());
    for rows in parts {
        count(&mut bytes, rows.len());
        for row in rows {
            let Some(row) = row else {
                bytes.extend(NO_ROW.to_le_bytes());
                continue;
            };
            count(&mut bytes, row.vertices.len());
            bytes.extend(row.vertices.iter().flat_map(|vertex| vertex.to_le_bytes()));
            bytes.extend(row.coefficients.iter().flat_map(|number| number.to_le_bytes()));
            bytes.extend(row.weights.iter().flat_map(|number| number.to_le_bytes()));
            let numbers = row.mean.iter().chain(row.inverse_scatter.iter()).chain([&row.depth_cm]);
            bytes.extend(numbers.flat_map(|number: &f64| number.to_le_bytes()));
        }
    }
    bytes
}

/// The rows of parts with these numbers of joints, over a surface of `vertices`; `None` when the bytes hold anything
/// else.
pub(crate) fn decode(bytes: &[u8], joints: &[usize], vertices: usize) -> Option<Vec<Rows>> {
    let mut rest = Rest(bytes.strip_prefix(head().as_slice())?);
    if rest.count()? as usize != joints.len() {
        return None;
    }
    let mut parts = Vec::new();
    for &joints in joints {
        if rest.count()? as usize != joints {
            return None;
        }
        parts.push((0..joints).map(|_| rest.row(vertices)).collect::<Option<Rows>>()?);
    }
    rest.0.is_empty().then_some(parts)
}

/// Bytes that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn numbers<const SIZE: usize, T>(
        &mut self,
        count: usize,
        of: impl Fn([u8; SIZE]) -> T,
    ) -> Option<Vec<T>> {
        let bytes = self.take(count.checked_mul(SIZE)?)?;
        bytes.chunks_exact(SIZE).map(|chunk| Some(of(chunk.try_into().ok()?))).collect()
    }

    fn count(&mut self) -> Option<u32> {
        self.numbers(1, u32::from_le_bytes)?.pop()
    }

    /// The outer `None` says that the bytes are damaged, the inner one that the joint has no row.
    #[allow(clippy::option_option)]
    fn row(&mut self, surface: usize) -> Option<Option<Row>> {
        let length = self.count()?;
        if length == NO_ROW {
            return Some(None);
        }
        let length = length as usize;
        let vertices = self.numbers(length, u32::from_le_bytes)?;
        let coefficients = self.numbers(length, f64::from_le_bytes)?;
        let weights = self.numbers(length, f32::from_le_bytes)?;
        let numbers = self.numbers(13, f64::from_le_bytes)?;
        let is_sound = vertices.is_sorted_by(|a, b| a < b)
            && vertices.last().is_some_and(|&last| (last as usize) < surface)
            && weights.iter().all(|weight| weight.is_finite())
            && coefficients.iter().chain(&numbers).all(|number| number.is_finite());
        if !is_sound {
            return None;
        }
        let mean = Vector3::from_column_slice(numbers.get(..3)?);
        let inverse_scatter = Matrix3::from_column_slice(numbers.get(3..12)?);
        let depth_cm = *numbers.last()?;
        Some(Some(Row { vertices, coefficients, weights, mean, inverse_scatter, depth_cm }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(length: u32) -> Row {
        let numbers = |factor: f64| (0..length).map(|at| f64::from(at) * factor).collect::<Vec<f64>>();
        Row {
            vertices: (0..length).map(|at| at * 3).collect(),
            coefficients: numbers(0.1),
            weights: numbers(0.3).iter().map(|&weight| weight as f32).collect(),
            mean: Vector3::new(1.0, -0.0, 3e-300),
            inverse_scatter: Matrix3::from_fn(|row, column| row as f64 - 0.1 * column as f64),
            depth_cm: 0.7,
        }
    }

    fn parts() -> Vec<Rows> {
        vec![vec![None, Some(row(5))], vec![Some(row(1)), None, Some(row(17))]]
    }

    #[test]
    fn rows_come_back_bit_for_bit() {
        let bytes = encode(&parts());
        let again = decode(&bytes, &[2, 3], 49).unwrap();
        assert_eq!(encode(&again), bytes);
        assert_eq!(format!("{again:?}"), format!("{:?}", parts()));
    }

    #[test]
    fn bytes_of_another_template_or_cut_short_are_refused() {
        let bytes = encode(&parts());
        assert!(decode(&bytes, &[2, 4], 49).is_none());
        assert!(decode(&bytes, &[2], 49).is_none());
        assert!(decode(&bytes, &[2, 3], 48).is_none(), "a vertex beyond the surface");
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], &[2, 3], 49).is_none(), "{length} bytes");
        }
    }

    proptest! {
        #[test]
        fn damaged_bytes_do_no_harm(at in 0usize..600, byte: u8) {
            let mut bytes = encode(&parts());
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = decode(&bytes, &[2, 3], 49);
        }
    }

    #[test]
    fn variants_name_the_meshes_that_are_there() {
        assert_eq!(variant_name(&[vec![true, false], vec![true]]), "10-1");
    }
}
