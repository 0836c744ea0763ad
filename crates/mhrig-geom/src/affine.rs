use nalgebra::{Matrix3, Vector3};

use crate::pairs::Pairs;

/// A linear map and a shift: `x' = linear · x + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// The linear part.
    pub linear: Matrix3<f64>,
    /// The shift, applied last.
    pub translation: Vector3<f64>,
}

impl Affine {
    /// The image of a point.
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.translation
    }
}

/// The weighted least-squares affine map from `source` to `target`, drawn towards `prior`.
///
/// The slices pair up; `weights` has one non-negative number per pair, `None` weighs all the same. `ridge` is the
/// pull of `prior` (a linear map) relative to the mean spread of the source points per direction: it decides what
/// the map does in directions in which the points do not spread, and should be above 0 where they may be flat.
/// `None` when the slices do not pair up, the weights are all zero, or the map is not determined.
pub fn fit_affine(
    source: &[Vector3<f64>],
    target: &[Vector3<f64>],
    weights: Option<&[f64]>,
    prior: &Matrix3<f64>,
    ridge: f64,
) -> Option<Affine> {
    let pairs = Pairs::of(source, target, weights)?;
    let Pairs { total, source_mean, target_mean, .. } = pairs;
    let mut scatter = Matrix3::zeros();
    let mut cross = Matrix3::zeros();
    for (i, (from, to)) in source.iter().zip(target).enumerate() {
        let from = (from - source_mean) * (pairs.weight(i) / total);
        scatter += from * (source[i] - source_mean).transpose();
        cross += (to - target_mean) * from.transpose();
    }
    let pull = ridge * scatter.trace() / 3.0;
    let inverse = (scatter + Matrix3::identity() * pull).try_inverse()?;
    let linear = (cross + prior * pull) * inverse;
    let translation = target_mean - linear * source_mean;
    (linear.iter().chain(translation.iter()).all(|v| v.is_finite())).then_some(Affine { linear, translation })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud() -> Vec<Vector3<f64>> {
        [[0.0, 0.0, 0.0], [3.0, 0.2, 0.1], [-1.0, 4.0, 0.5], [0.3, 0.9, 5.0], [2.0, -2.0, 1.0]]
            .map(Vector3::from)
            .to_vec()
    }

    #[test]
    fn an_exact_affine_map_is_found_without_a_ridge() {
        let linear = Matrix3::new(1.03, 0.02, 0.0, 0.0, 1.09, 0.0, 0.1, 0.0, 1.05);
        let target: Vec<_> = cloud().iter().map(|p| linear * p + Vector3::new(1.0, 2.0, 3.0)).collect();
        let found = fit_affine(&cloud(), &target, None, &Matrix3::identity(), 0.0).unwrap();
        assert!((found.linear - linear).amax() < 1e-9);
        assert!((found.translation - Vector3::new(1.0, 2.0, 3.0)).amax() < 1e-9);
    }

    #[test]
    fn the_ridge_keeps_an_exact_prior_exact() {
        let target: Vec<_> = cloud().iter().map(|p| p * 1.04).collect();
        let prior = Matrix3::identity() * 1.04;
        let found = fit_affine(&cloud(), &target, None, &prior, 0.03).unwrap();
        assert!((found.linear - prior).amax() < 1e-12);
    }

    #[test]
    fn flat_points_take_the_prior_across_their_plane() {
        let flat: Vec<_> = cloud().iter().map(|p| Vector3::new(p.x, p.y, 0.0)).collect();
        let target: Vec<_> = flat.iter().map(|p| p * 2.0).collect();
        let prior = Matrix3::identity() * 2.0;
        let found = fit_affine(&flat, &target, None, &prior, 0.01).unwrap();
        assert!((found.linear - prior).amax() < 1e-9);
        assert_eq!(fit_affine(&flat, &target, None, &prior, 0.0), None);
    }
}
