use nalgebra::{Matrix3, Rotation3};

/// The rotation `Rz · Ry · Rx` on column vectors: Maya's rotate order "xyz", and that of DNA files.
///
/// `angles_rad` are the angles about x, y and z.
pub fn rotation_from_euler_xyz(angles_rad: [f64; 3]) -> Rotation3<f64> {
    let [x, y, z] = angles_rad;
    Rotation3::from_euler_angles(x, y, z)
}

/// Angles about x, y, z in radians whose [`rotation_from_euler_xyz`] is `rotation`, with y in −π/2 … π/2.
///
/// Where y is a right angle, x and z turn about the same axis; z is then 0.
pub fn euler_xyz_from_rotation(rotation: &Rotation3<f64>) -> [f64; 3] {
    let m: &Matrix3<f64> = rotation.matrix();
    let sin_y = (-m[(2, 0)]).clamp(-1.0, 1.0);
    let cos_y = m[(0, 0)].hypot(m[(1, 0)]);
    let y = sin_y.atan2(cos_y);
    if cos_y > 1e-9 {
        [m[(2, 1)].atan2(m[(2, 2)]), y, m[(1, 0)].atan2(m[(0, 0)])]
    } else {
        [(-m[(1, 2)]).atan2(m[(1, 1)]), y, 0.0]
    }
}

/// The angle of `rotation`, 0 … π rad.
///
/// Unlike the arc cosine of the trace it is exact near 0 and never NaN for a matrix that rounding left slightly
/// off a rotation.
pub fn rotation_angle(rotation: &Rotation3<f64>) -> f64 {
    let m = rotation.matrix();
    let sine = [m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]];
    sine[0].hypot(sine[1]).hypot(sine[2]).atan2(m.trace() - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn euler_angles_survive_as_a_matrix(x in -7.0f64..7.0, y in -7.0f64..7.0, z in -7.0f64..7.0) {
            let rotation = rotation_from_euler_xyz([x, y, z]);
            let again = rotation_from_euler_xyz(euler_xyz_from_rotation(&rotation));
            prop_assert!((rotation.matrix() - again.matrix()).amax() < 1e-7);
        }
    }

    #[test]
    fn the_order_is_x_first_then_y_then_z() {
        let half_pi = std::f64::consts::FRAC_PI_2;
        let rotation = rotation_from_euler_xyz([half_pi, 0.0, half_pi]);
        // y goes to z about x, and z stays about z; y first about z would give -x.
        let turned = rotation * nalgebra::Vector3::y();
        assert!((turned - nalgebra::Vector3::z()).amax() < 1e-12);
    }

    #[test]
    fn gimbal_lock_keeps_the_matrix() {
        let half_pi = std::f64::consts::FRAC_PI_2;
        for y in [half_pi, -half_pi] {
            let rotation = rotation_from_euler_xyz([0.3, y, 0.7]);
            let again = rotation_from_euler_xyz(euler_xyz_from_rotation(&rotation));
            assert!((rotation.matrix() - again.matrix()).amax() < 1e-7);
        }
    }

    #[test]
    fn the_angle_survives_rounding_and_small_rotations() {
        for angle in [0.0, 1e-9, 0.4, 3.0, std::f64::consts::PI] {
            let rotation = rotation_from_euler_xyz([0.0, 0.0, angle]);
            assert!((rotation_angle(&rotation) - angle).abs() < 1e-15, "{angle}");
        }
        let rounded = Rotation3::from_matrix_unchecked(Matrix3::identity() * (1.0 + 1e-15));
        assert_eq!(rotation_angle(&rounded), 0.0);
    }
}
