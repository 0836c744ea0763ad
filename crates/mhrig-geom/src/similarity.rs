use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::pairs::Pairs;

/// A rotation, one scale for all directions, and a shift: `x' = scale · rotation · x + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// The scale, positive.
    pub scale: f64,
    /// The rotation.
    pub rotation: Rotation3<f64>,
    /// The shift, applied last.
    pub translation: Vector3<f64>,
}

impl Similarity {
    /// The transform that changes nothing.
    pub fn identity() -> Self {
        Self { scale: 1.0, rotation: Rotation3::identity(), translation: Vector3::zeros() }
    }

    /// The image of a point.
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.vector(point) + self.translation
    }

    /// The image of a difference of points: rotated and scaled, not shifted.
    pub fn vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * vector * self.scale
    }

    /// Rotation and scale as one matrix.
    pub fn linear(&self) -> Matrix3<f64> {
        self.rotation.matrix() * self.scale
    }
}

/// Which freedoms [`fit_similarity`] has besides the shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SimilarityKind {
    /// Rotation and scale.
    #[default]
    Similar,
    /// Rotation only (rigid Procrustes).
    Rigid,
}

/// Below this ratio of the second to the first extent, points count as lying on a line.
const LINE: f64 = 1e-4;

/// Whether `points` determine a rotation: at least three, and not on a line.
pub fn determines_rotation(points: &[Vector3<f64>]) -> bool {
    if points.len() < 3 {
        return false;
    }
    let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let scatter: Matrix3<f64> = points.iter().map(|p| (p - mean) * (p - mean).transpose()).sum();
    if !scatter.iter().all(|s| s.is_finite()) {
        return false;
    }
    let mut extents = scatter.symmetric_eigenvalues();
    extents.as_mut_slice().sort_by(f64::total_cmp);
    extents[2] > 0.0 && extents[1] > extents[2] * (LINE * LINE)
}

/// The least-squares similarity from `source` to `target` after Umeyama (1991).
///
/// The slices pair up; `weights` has one non-negative number per pair, `None` weighs all the same. The rotation
/// is proper (never a mirror image). `None` when the points do not determine it: fewer than three pairs, points
/// on a line, all weights zero, or coordinates that are not finite.
pub fn fit_similarity(
    source: &[Vector3<f64>],
    target: &[Vector3<f64>],
    weights: Option<&[f64]>,
    kind: SimilarityKind,
) -> Option<Similarity> {
    if !determines_rotation(source) {
        return None;
    }
    let pairs = Pairs::of(source, target, weights)?;
    let Pairs { source_mean, target_mean, .. } = pairs;
    let mut cross = Matrix3::zeros();
    let mut spread = 0.0;
    for (i, (from, to)) in source.iter().zip(target).enumerate() {
        let from = from - source_mean;
        cross += (to - target_mean) * from.transpose() * pairs.weight(i);
        spread += pairs.weight(i) * from.norm_squared();
    }
    if !(cross.iter().all(|c| c.is_finite()) && spread > 0.0) {
        return None;
    }
    let svd = cross.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let mut signs = Vector3::repeat(1.0);
    if (u * v_t).determinant() < 0.0 {
        // Flip the direction that matters least.
        signs[svd.singular_values.imin()] = -1.0;
    }
    let rotation = Rotation3::from_matrix_unchecked(u * Matrix3::from_diagonal(&signs) * v_t);
    let scale = match kind {
        SimilarityKind::Similar => svd.singular_values.dot(&signs) / spread,
        SimilarityKind::Rigid => 1.0,
    };
    (scale.is_finite() && scale > 0.0).then(|| Similarity {
        scale,
        rotation,
        translation: target_mean - rotation * source_mean * scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cloud() -> Vec<Vector3<f64>> {
        [[0.0, 0.0, 0.0], [3.0, 0.2, 0.1], [-1.0, 4.0, 0.5], [0.3, 0.9, 5.0], [2.0, -2.0, 1.0]]
            .map(Vector3::from)
            .to_vec()
    }

    proptest! {
        #[test]
        fn an_exact_similarity_is_found(
            scale in 0.1f64..9.0, x in -3.0f64..3.0, y in -1.5f64..1.5, z in -3.0f64..3.0, shift in -300.0f64..300.0
        ) {
            let truth = Similarity {
                scale,
                rotation: Rotation3::from_euler_angles(x, y, z),
                translation: Vector3::new(shift, -shift, 2.0),
            };
            let target: Vec<_> = cloud().iter().map(|p| truth.point(p)).collect();
            let found = fit_similarity(&cloud(), &target, None, SimilarityKind::Similar).unwrap();
            prop_assert!((found.scale - scale).abs() < 1e-9 * scale);
            prop_assert!((found.rotation.matrix() - truth.rotation.matrix()).amax() < 1e-9);
            prop_assert!((found.translation - truth.translation).amax() < 1e-7);
        }
    }

    #[test]
    fn a_mirror_image_still_gets_a_proper_rotation() {
        let target: Vec<_> = cloud().iter().map(|p| Vector3::new(-p.x, p.y, p.z)).collect();
        let found = fit_similarity(&cloud(), &target, None, SimilarityKind::Similar).unwrap();
        assert!((found.rotation.matrix().determinant() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn weightless_pairs_do_not_matter() {
        let mut source = cloud();
        let mut target: Vec<_> = source.iter().map(|p| p * 1.5).collect();
        source.push(Vector3::new(9.0, 9.0, 9.0));
        target.push(Vector3::new(-90.0, 5.0, 1.0));
        let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        let found = fit_similarity(&source, &target, Some(&weights), SimilarityKind::Similar).unwrap();
        assert!((found.scale - 1.5).abs() < 1e-9);
    }

    #[test]
    fn points_on_a_line_determine_no_rotation() {
        let line: Vec<_> = (0..6).map(|i| Vector3::new(f64::from(i), 2.0 * f64::from(i), 1.0)).collect();
        assert!(!determines_rotation(&line));
        assert_eq!(fit_similarity(&line, &line, None, SimilarityKind::Similar), None);
        assert!(!determines_rotation(&cloud()[..2]));
        assert!(determines_rotation(&cloud()[..3]));
    }
}
