use crate::vector::Vec3;

/// A triangle on the raster of samples: corners in fixed point, so that neighbours share each sample exactly once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    corners: [[i64; 2]; 3],
    /// One over the distance, per corner.
    inverse_depths: [f32; 3],
    area: i64,
}

/// Steps per sample.
const STEPS: f32 = 256.0;

/// A sample that a triangle covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) x: usize,
    /// One over the distance.
    pub(crate) inverse_depth: f32,
    /// Weights of the corners, perspective taken into account; they sum to one.
    pub(crate) weights: Vec3,
}

impl Triangle {
    /// `corners`: x and y in samples, and the distance. `None` when nothing of it can be seen: no area, or far
    /// outside what fixed point holds.
    pub(crate) fn new(corners: [Vec3; 3]) -> Option<Self> {
        const FAR: f32 = 1e6;
        if corners.iter().any(|c| c[0].abs() > FAR || c[1].abs() > FAR) {
            return None;
        }
        let fixed = |value: f32| (value * STEPS).round() as i64;
        let fixed_corners = corners.map(|corner| [fixed(corner[0]), fixed(corner[1])]);
        let area = edge(fixed_corners[0], fixed_corners[1], fixed_corners[2]);
        if area == 0 {
            return None;
        }
        Some(Self { corners: fixed_corners, inverse_depths: corners.map(|corner| 1.0 / corner[2]), area })
    }

    /// Whether the corners run clockwise on the screen (y down), which is how the front of a face appears.
    pub(crate) fn is_front(&self) -> bool {
        self.area < 0
    }

    /// First and last row that it may touch.
    pub(crate) fn rows(&self) -> (i64, i64) {
        self.range(1)
    }

    fn range(&self, axis: usize) -> (i64, i64) {
        let values = self.corners.map(|corner| corner[axis]);
        let (least, most) =
            (values[0].min(values[1]).min(values[2]), values[0].max(values[1]).max(values[2]));
        let step = STEPS as i64;
        (least.div_euclid(step), most.div_euclid(step))
    }

    /// Calls `visit` with each sample of row `y` that it covers; samples sit in the middle of their cells.
    pub(crate) fn row(&self, y: i64, width: usize, mut visit: impl FnMut(Hit)) {
        let step = STEPS as i64;
        let (first, last) = self.range(0);
        let (first, last) = (first.max(0), last.min(width as i64 - 1));
        let sign = self.area.signum();
        let [a, b, c] = self.corners;
        let sides = [[b, c], [c, a], [a, b]];
        // A sample on a shared edge belongs to one of the two triangles: the one below or to the right of it.
        let biases = sides.map(|[from, to]| {
            let (dx, dy) = ((to[0] - from[0]) * sign, (to[1] - from[1]) * sign);
            let owns = dy < 0 || (dy == 0 && dx > 0);
            if owns { 0 } else { -1 }
        });
        for x in first..=last {
            let sample = [x * step + step / 2, y * step + step / 2];
            let shares = sides.map(|[from, to]| edge(from, to, sample) * sign);
            if shares.iter().zip(biases).any(|(&share, bias)| share + bias < 0) {
                continue;
            }
            let total = (self.area * sign) as f32;
            let flat = shares.map(|share| share as f32 / total);
            let scaled: Vec3 = std::array::from_fn(|i| flat[i] * self.inverse_depths[i]);
            let inverse_depth = scaled[0] + scaled[1] + scaled[2];
            visit(Hit { x: x as usize, inverse_depth, weights: scaled.map(|s| s / inverse_depth) });
        }
    }
}

/// Twice the signed area of a triangle.
fn edge(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn covered(triangle: &Triangle, size: usize) -> Vec<(usize, usize)> {
        let mut samples = Vec::new();
        for y in 0..size {
            triangle.row(y as i64, size, |hit| samples.push((hit.x, y)));
        }
        samples
    }

    proptest! {
        #[test]
        fn a_fan_covers_each_sample_of_its_square_exactly_once(x in 2.0f32..14.0, y in 2.0f32..14.0) {
            let middle = [x, y, 1.0];
            let square = [[0.0, 0.0, 1.0], [16.0, 0.0, 1.0], [16.0, 16.0, 1.0], [0.0, 16.0, 1.0]];
            let mut samples = Vec::new();
            for i in 0..4 {
                let triangle = Triangle::new([square[i], square[(i + 1) % 4], middle]).unwrap();
                samples.extend(covered(&triangle, 16));
            }
            samples.sort_unstable();
            let all: Vec<(usize, usize)> = (0..16).flat_map(|x| (0..16).map(move |y| (x, y))).collect();
            prop_assert_eq!(samples, all);
        }

        #[test]
        fn weights_sum_to_one_and_find_the_place(
            corners in proptest::array::uniform3(proptest::array::uniform3(1.0f32..15.0)),
        ) {
            if let Some(triangle) = Triangle::new(corners) {
                for y in 0..16 {
                    triangle.row(y, 16, |hit| {
                        let sum: f32 = hit.weights.iter().sum();
                        assert!((sum - 1.0).abs() < 1e-4);
                        // Depth is the mean of the corners' depths by these weights.
                        let depth: f32 = hit.weights.iter().zip(corners).map(|(w, c)| w * c[2]).sum();
                        assert!((depth * hit.inverse_depth - 1.0).abs() < 1e-3);
                    });
                }
            }
        }
    }

    #[test]
    fn no_area_and_no_place_give_no_triangle() {
        assert!(Triangle::new([[1.0, 1.0, 1.0]; 3]).is_none());
        assert!(Triangle::new([[1e9, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 5.0, 1.0]]).is_none());
    }
}
