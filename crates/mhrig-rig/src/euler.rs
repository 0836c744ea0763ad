//! Rotations in `f32`, in the operation order of the reference, so that results agree to the last bits.
//! Quaternions are `[x, y, z, w]`, products are Hamilton products.

use crate::RotationOrder;

pub(crate) type Quat = [f32; 4];

pub(crate) const IDENTITY: Quat = [0.0, 0.0, 0.0, 1.0];

/// Unit of angles in a file, with conversions rounded to `f32` once, like the reference does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AngleUnit {
    Degrees,
    Radians,
}

impl AngleUnit {
    pub(crate) fn to_radians(self, angle: f32) -> f32 {
        const FACTOR: f32 = (std::f64::consts::PI / 180.0) as f32;
        match self {
            Self::Degrees => angle * FACTOR,
            Self::Radians => angle,
        }
    }

    pub(crate) fn of_radians(self, angle_rad: f32) -> f32 {
        const FACTOR: f32 = (180.0 / std::f64::consts::PI) as f32;
        match self {
            Self::Degrees => angle_rad * FACTOR,
            Self::Radians => angle_rad,
        }
    }
}

/// How angles about x, y and z stand for a rotation in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Angles {
    pub(crate) unit: AngleUnit,
    pub(crate) order: RotationOrder,
    /// 1 or -1 for each axis: which way round angles are positive.
    pub(crate) signs: [f32; 3],
}

impl Angles {
    pub(crate) fn to_quaternion(self, angles: [f32; 3]) -> Quat {
        let angle = |axis: usize| self.unit.to_radians(angles[axis] * self.signs[axis]);
        quaternion_from_euler([angle(0), angle(1), angle(2)], self.order)
    }

    pub(crate) fn of_quaternion(self, rotation: Quat) -> [f32; 3] {
        let angles_rad = euler_from_quaternion(rotation, self.order);
        std::array::from_fn(|axis| self.unit.of_radians(angles_rad[axis]) * self.signs[axis])
    }
}

/// `a · b`.
#[inline]
pub(crate) fn multiply(a: Quat, b: Quat) -> Quat {
    let ([px, py, pz, pw], [x, y, z, w]) = (a, b);
    [
        pw * x + px * w + py * z - pz * y,
        pw * y - px * z + py * w + pz * x,
        pw * z + px * y - py * x + pz * w,
        pw * w - px * x - py * y - pz * z,
    ]
}

#[inline]
pub(crate) fn dot(a: Quat, b: Quat) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// `q / |q|`, by the reciprocal of the length.
#[inline]
pub(crate) fn normalize(q: Quat) -> Quat {
    let factor = 1.0 / dot(q, q).sqrt();
    q.map(|c| c * factor)
}

/// The inverse of a quaternion of any length.
pub(crate) fn inverse(q: Quat) -> Quat {
    let factor = 1.0 / dot(q, q);
    [-q[0] * factor, -q[1] * factor, -q[2] * factor, q[3] * factor]
}

/// Spherical interpolation, the short way round.
pub(crate) fn slerp(a: Quat, mut b: Quat, t: f32) -> Quat {
    let mut cos = dot(a, b);
    if cos < 0.0 {
        cos = -cos;
        b = b.map(|c| -c);
    }
    let (from_a, from_b) = if cos > 1.0 - f32::EPSILON {
        (1.0 - t, t)
    } else {
        let theta = cos.acos();
        let factor = 1.0 / theta.sin();
        (((1.0 - t) * theta).sin() * factor, (t * theta).sin() * factor)
    };
    std::array::from_fn(|i| from_a * a[i] + from_b * b[i])
}

/// The quaternion of `angles_rad` about x, y and z.
pub(crate) fn quaternion_from_euler(angles_rad: [f32; 3], order: RotationOrder) -> Quat {
    let [(sx, cx), (sy, cy), (sz, cz)] = angles_rad.map(|angle| (angle * 0.5).sin_cos());
    let (x, y, z, w) = (sx * cy * cz, cx * sy * cz, cx * cy * sz, cx * cy * cz);
    let (dx, dy, dz, dw) = (cx * sy * sz, sx * cy * sz, sx * sy * cz, sx * sy * sz);
    match order {
        RotationOrder::Zyx => [x + dx, y - dy, z + dz, w - dw],
        RotationOrder::Yzx => [x - dx, y - dy, z + dz, w + dw],
        RotationOrder::Zxy => [x + dx, y - dy, z - dz, w + dw],
        RotationOrder::Xzy => [x + dx, y + dy, z - dz, w - dw],
        RotationOrder::Yxz => [x - dx, y + dy, z + dz, w - dw],
        RotationOrder::Xyz => [x - dx, y + dy, z - dz, w + dw],
    }
}

/// Angles about x, y and z in radians whose [`quaternion_from_euler`] is `q`.
pub(crate) fn euler_from_quaternion(q: Quat, order: RotationOrder) -> [f32; 3] {
    let [x, y, z, w] = q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (along_x, along_y, along_z) = (1.0 - (yy + zz), 1.0 - (xx + zz), 1.0 - (xx + yy));
    let is_regular = |sine: f32| sine.abs() < 1.0;
    match order {
        RotationOrder::Zyx => {
            let sine = xz + wy;
            let y = asin(sine);
            if is_regular(sine) {
                [(wx - yz).atan2(along_z), y, (wz - xy).atan2(along_x)]
            } else {
                [(yz + wx).atan2(along_y), y, 0.0]
            }
        }
        RotationOrder::Yzx => {
            let sine = xy - wz;
            let z = asin(-sine);
            if is_regular(sine) {
                [(yz + wx).atan2(along_y), (xz + wy).atan2(along_x), z]
            } else {
                [(wx - yz).atan2(along_z), 0.0, z]
            }
        }
        RotationOrder::Zxy => {
            let sine = yz - wx;
            let x = asin(-sine);
            if is_regular(sine) {
                [x, (xz + wy).atan2(along_z), (xy + wz).atan2(along_y)]
            } else {
                [x, (wy - xz).atan2(along_x), 0.0]
            }
        }
        RotationOrder::Xzy => {
            let sine = xy + wz;
            let z = asin(sine);
            if is_regular(sine) {
                [(wx - yz).atan2(along_y), (wy - xz).atan2(along_x), z]
            } else {
                [0.0, (xz + wy).atan2(along_z), z]
            }
        }
        RotationOrder::Yxz => {
            let sine = yz + wx;
            let x = asin(sine);
            if is_regular(sine) {
                [x, (wy - xz).atan2(along_z), (wz - xy).atan2(along_y)]
            } else {
                [x, 0.0, (xy + wz).atan2(along_x)]
            }
        }
        RotationOrder::Xyz => {
            let sine = xz - wy;
            let y = asin(-sine);
            if is_regular(sine) {
                [(yz + wx).atan2(along_z), y, (xy + wz).atan2(along_x)]
            } else {
                [0.0, y, (wz - xy).atan2(along_y)]
            }
        }
    }
}

/// The polynomial of Abramowitz and Stegun 4.4.46 that the reference uses in place of an arc sine; at most
/// 2e-7 off. Values beyond ±1 count as ±1.
#[allow(clippy::excessive_precision)] // the digits of the reference table
fn asin(sine: f32) -> f32 {
    const COEFFICIENTS: [f32; 8] = [
        -0.001_262_491_1,
        0.006_670_090_1,
        -0.017_088_125_6,
        0.030_891_881,
        -0.050_174_304_6,
        0.088_978_987_4,
        -0.214_598_801_6,
        HALF_PI,
    ];
    const HALF_PI: f32 = 1.570_796_305;
    let magnitude = sine.abs();
    let polynomial = COEFFICIENTS.iter().fold(0.0f32, |sum, &c| sum * magnitude + c);
    let angle = polynomial * (1.0 - magnitude).max(0.0).sqrt();
    if sine >= 0.0 { HALF_PI - angle } else { angle - HALF_PI }
}
