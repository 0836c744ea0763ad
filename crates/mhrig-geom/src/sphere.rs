use nalgebra::{Matrix3, Vector3};

/// A sphere fitted to points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre, in the units of the points.
    pub center: Vector3<f64>,
    /// Radius.
    pub radius: f64,
    /// Root mean square of the points' distances from the surface.
    pub residual: f64,
}

/// Below this ratio of smallest to largest extent the points count as lying in a plane.
const FLATNESS: f64 = 1e-6;

/// The algebraic least-squares sphere: the one that minimises the sum of `(|p − c|² − r²)²`.
///
/// `None` for fewer than four points, points in one plane, or coordinates that are not finite.
pub fn fit_sphere(points: &[Vector3<f64>]) -> Option<Sphere> {
    if points.len() < 4 {
        return None;
    }
    let count = points.len() as f64;
    let mean = points.iter().sum::<Vector3<f64>>() / count;
    // About the mean the four unknowns decouple: the constant term is the mean square.
    let mut scatter = Matrix3::zeros();
    let mut skew = Vector3::zeros();
    let mut square = 0.0;
    for point in points {
        let p = point - mean;
        let length_squared = p.norm_squared();
        scatter += p * p.transpose();
        skew += p * length_squared;
        square += length_squared;
    }
    if !(square.is_finite() && square > 0.0) {
        return None;
    }
    let extents = scatter.symmetric_eigenvalues();
    if extents.min() <= extents.max() * (FLATNESS * FLATNESS) {
        return None;
    }
    let offset = scatter.try_inverse()? * skew * 0.5;
    let center = mean + offset;
    let radius = (square / count + offset.norm_squared()).sqrt();
    let squared_distances = points.iter().map(|p| ((p - center).norm() - radius).powi(2));
    let residual = (squared_distances.sum::<f64>() / count).sqrt();
    (center.iter().all(|c| c.is_finite()) && radius.is_finite()).then_some(Sphere {
        center,
        radius,
        residual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cap(center: Vector3<f64>, radius: f64, count: usize, polar_rad: f64) -> Vec<Vector3<f64>> {
        let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let height = |i: usize| 1.0 - (1.0 - polar_rad.cos()) * (i as f64 + 0.5) / count as f64;
        (0..count)
            .map(|i| {
                let z = height(i);
                let (ring, turn) = ((1.0 - z * z).sqrt(), golden * i as f64);
                center + Vector3::new(ring * turn.cos(), ring * turn.sin(), z) * radius
            })
            .collect()
    }

    proptest! {
        #[test]
        fn points_of_a_cap_give_its_sphere_back(
            x in -200.0f64..200.0, y in -200.0f64..200.0, radius in 0.2f64..20.0, polar in 0.4f64..3.1
        ) {
            let center = Vector3::new(x, y, 7.0);
            let sphere = fit_sphere(&cap(center, radius, 60, polar)).unwrap();
            prop_assert!((sphere.center - center).norm() < 1e-6 * radius.max(1.0));
            prop_assert!((sphere.radius - radius).abs() < 1e-6 * radius.max(1.0));
            prop_assert!(sphere.residual < 1e-6 * radius.max(1.0));
        }
    }

    #[test]
    fn points_in_a_plane_or_too_few_have_no_sphere() {
        let flat: Vec<_> =
            cap(Vector3::zeros(), 1.0, 20, 3.0).iter().map(|p| Vector3::new(p.x, p.y, 2.0)).collect();
        assert_eq!(fit_sphere(&flat), None);
        assert_eq!(fit_sphere(&flat[..3]), None);
        assert_eq!(fit_sphere(&[Vector3::repeat(f64::NAN); 9]), None);
        assert_eq!(fit_sphere(&[Vector3::repeat(1.0); 9]), None);
    }
}
