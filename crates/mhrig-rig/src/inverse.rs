//! Inversion of small dense matrices in `f32`, in the operation order of the reference (riglogic.md 6.6), so that
//! its round-off is reproduced too.

/// The inverse of the `count × count` matrix `matrix`, row after row.
///
/// An exactly singular matrix has a zero pivot, which counts as 1e-20; a matrix with a row of zeros comes back as
/// it is. Whether the result is any good is for [`residual`] to say.
pub(crate) fn inverse_matrix(matrix: &[f32], count: usize) -> Vec<f32> {
    let mut lu = matrix.to_vec();
    let Some(permutation) = decompose(&mut lu, count) else { return matrix.to_vec() };
    let mut inverse = vec![0.0; count * count];
    let mut column = vec![0.0f32; count];
    for unit in 0..count {
        column.fill(0.0);
        column[unit] = 1.0;
        substitute(&lu, &permutation, &mut column);
        for (row, &value) in column.iter().enumerate() {
            inverse[row * count + unit] = value;
        }
    }
    inverse
}

/// Largest entry of `|matrix · inverse − 1|`; not a number where one of the two holds such.
pub(crate) fn residual(matrix: &[f32], inverse: &[f32], count: usize) -> f32 {
    let mut worst = 0.0f32;
    for row in 0..count {
        for column in 0..count {
            let products = (0..count)
                .map(|k| f64::from(matrix[row * count + k]) * f64::from(inverse[k * count + column]));
            let error = (products.sum::<f64>() - f64::from(u8::from(row == column))).abs() as f32;
            if error.is_nan() {
                return error;
            }
            worst = worst.max(error);
        }
    }
    worst
}

/// LU decomposition in place, by columns with scaled row pivoting. `None` for a row of zeros.
fn decompose(lu: &mut [f32], count: usize) -> Option<Vec<usize>> {
    const TINY: f32 = 1.0e-20;
    let mut scales = Vec::with_capacity(count);
    for row in lu.chunks_exact(count.max(1)) {
        let largest = row
            .iter()
            .fold(0.0f32, |largest, value| if value.abs() > largest { value.abs() } else { largest });
        if largest == 0.0 {
            return None;
        }
        scales.push(1.0 / largest);
    }
    let mut permutation = Vec::with_capacity(count);
    for j in 0..count {
        for i in 0..j {
            let mut sum = lu[i * count + j];
            for k in 0..i {
                sum -= lu[i * count + k] * lu[k * count + j];
            }
            lu[i * count + j] = sum;
        }
        let (mut largest, mut pivot) = (0.0f32, j);
        for i in j..count {
            let mut sum = lu[i * count + j];
            for k in 0..j {
                sum -= lu[i * count + k] * lu[k * count + j];
            }
            lu[i * count + j] = sum;
            let merit = scales[i] * sum.abs();
            if merit >= largest {
                (largest, pivot) = (merit, i);
            }
        }
        if pivot != j {
            for k in 0..count {
                lu.swap(pivot * count + k, j * count + k);
            }
            scales[pivot] = scales[j];
        }
        permutation.push(pivot);
        if lu[j * count + j] == 0.0 {
            lu[j * count + j] = TINY;
        }
        if j + 1 < count {
            let factor = 1.0 / lu[j * count + j];
            for i in j + 1..count {
                lu[i * count + j] *= factor;
            }
        }
    }
    Some(permutation)
}

/// Solves for `right` in place.
fn substitute(lu: &[f32], permutation: &[usize], right: &mut [f32]) {
    let count = right.len();
    let mut first = None;
    for i in 0..count {
        let pivot = permutation[i];
        let mut sum = right[pivot];
        right[pivot] = right[i];
        if let Some(first) = first {
            for j in first..i {
                sum -= lu[i * count + j] * right[j];
            }
        } else if sum != 0.0 {
            first = Some(i);
        }
        right[i] = sum;
    }
    for i in (0..count).rev() {
        let mut sum = right[i];
        for j in i + 1..count {
            sum -= lu[i * count + j] * right[j];
        }
        right[i] = sum / lu[i * count + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_matrix_times_its_inverse_is_the_identity(
            count in 1usize..9,
            values in proptest::collection::vec(-1.0f32..1.0, 64),
        ) {
            let mut matrix: Vec<f32> = values[..count * count].to_vec();
            for i in 0..count {
                matrix[i * count + i] += 4.0 * count as f32;
            }
            let inverse = inverse_matrix(&matrix, count);
            prop_assert!(residual(&matrix, &inverse, count) < 1e-5);
        }
    }

    #[test]
    fn a_zero_on_the_diagonal_is_pivoted_away() {
        let matrix = [0.0, 2.0, 4.0, 0.0];
        assert_eq!(inverse_matrix(&matrix, 2), [0.0, 0.25, 0.5, 0.0]);
    }

    #[test]
    fn a_singular_matrix_shows_in_the_residual() {
        let equal_rows = [1.0, 1.0, 1.0, 1.0];
        assert!(residual(&equal_rows, &inverse_matrix(&equal_rows, 2), 2) > 0.5);
        let zero_row = [1.0, 2.0, 0.0, 0.0];
        assert_eq!(inverse_matrix(&zero_row, 2), zero_row);
        assert!(residual(&zero_row, &zero_row, 2) >= 0.5);
    }
}
