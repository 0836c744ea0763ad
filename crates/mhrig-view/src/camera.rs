use crate::vector::{Vec3, add, cross, dot, normalize, scale, sub};

/// Where a fixed camera stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum View {
    /// In front of the character.
    #[default]
    Front,
    /// At the character's left.
    Side,
    /// Between the two, slightly raised.
    ThreeQuarter,
    /// Behind the character.
    Back,
}

/// A box that holds points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates, cm.
    pub min: [f32; 3],
    /// Largest coordinates, cm.
    pub max: [f32; 3],
}

impl Bounds {
    /// The box around `points`, those that are not finite left out; `None` when there are none.
    pub fn of(points: impl IntoIterator<Item = [f32; 3]>) -> Option<Self> {
        let finite = points.into_iter().filter(|point| point.iter().all(|c| c.is_finite()));
        finite.fold(None, |bounds: Option<Self>, point| {
            let Some(Self { min, max }) = bounds else { return Some(Self { min: point, max: point }) };
            Some(Self {
                min: std::array::from_fn(|i| min[i].min(point[i])),
                max: std::array::from_fn(|i| max[i].max(point[i])),
            })
        })
    }

    /// The box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: std::array::from_fn(|i| self.min[i].min(other.min[i])),
            max: std::array::from_fn(|i| self.max[i].max(other.max[i])),
        }
    }

    fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            std::array::from_fn(|i| if corner >> i & 1 == 0 { self.min[i] } else { self.max[i] })
        })
    }
}

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    /// From the scene to the eye.
    back: Vec3,
    /// Half the height of the picture at distance one.
    half_height: f32,
}

/// Part of the picture that is left free at each edge.
const MARGIN: f32 = 0.06;

/// Vertical angle of view: that of a portrait lens, so that faces keep their proportions.
const FIELD_OF_VIEW_DEGREES: f32 = 18.0;

impl Camera {
    /// A camera that shows all of `bounds` in a picture of `width` by `height` pixels.
    pub fn framing(view: View, bounds: &Bounds, width: usize, height: usize) -> Self {
        let (yaw_degrees, pitch_degrees): (f32, f32) = match view {
            View::Front => (0.0, 0.0),
            View::Side => (90.0, 0.0),
            View::ThreeQuarter => (35.0, 6.0),
            View::Back => (180.0, 0.0),
        };
        let (sin_yaw, cos_yaw) = yaw_degrees.to_radians().sin_cos();
        let (sin_pitch, cos_pitch) = pitch_degrees.to_radians().sin_cos();
        let back = [sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch];
        let right = normalize(cross([0.0, 1.0, 0.0], back));
        let up = cross(back, right);
        let half_height = (FIELD_OF_VIEW_DEGREES.to_radians() / 2.0).tan();
        let aspect = width.max(1) as f32 / height.max(1) as f32;
        let center = scale(add(bounds.min, bounds.max), 0.5);
        let (usable_height, usable_width) =
            (half_height * (1.0 - 2.0 * MARGIN), half_height * aspect * (1.0 - 2.0 * MARGIN));
        let distance = bounds.corners().into_iter().fold(1.0f32, |distance, corner| {
            let offset = sub(corner, center);
            let needed = (dot(offset, right).abs() / usable_width).max(dot(offset, up).abs() / usable_height);
            distance.max(needed + dot(offset, back))
        });
        Self { eye: add(center, scale(back, distance)), right, up, back, half_height }
    }

    /// Place in the picture (pixels from the top left) and distance before the camera; `None` behind it.
    pub(crate) fn project(&self, point: Vec3, width: usize, height: usize) -> Option<Vec3> {
        let offset = sub(point, self.eye);
        let depth = -dot(offset, self.back);
        // Anything nearer than a millimetre is behind, for all that this shows; not-a-number too.
        if depth.is_nan() || depth < 0.1 {
            return None;
        }
        let pixels = height as f32 / (2.0 * self.half_height * depth);
        let x = width as f32 / 2.0 + dot(offset, self.right) * pixels;
        let y = height as f32 / 2.0 - dot(offset, self.up) * pixels;
        (x.is_finite() && y.is_finite()).then_some([x, y, depth])
    }

    pub(crate) fn eye(&self) -> Vec3 {
        self.eye
    }

    /// A direction given by what is right, up and back in the picture.
    pub(crate) fn direction(&self, right: f32, up: f32, back: f32) -> Vec3 {
        normalize(add(add(scale(self.right, right), scale(self.up, up)), scale(self.back, back)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_box_is_in_the_picture_from_every_side() {
        let bounds = Bounds { min: [-20.0, 0.0, -10.0], max: [20.0, 175.0, 15.0] };
        for view in [View::Front, View::Side, View::ThreeQuarter, View::Back] {
            for (width, height) in [(400, 800), (800, 200)] {
                let camera = Camera::framing(view, &bounds, width, height);
                for corner in bounds.corners() {
                    let [x, y, _] = camera.project(corner, width, height).unwrap();
                    assert!(
                        (0.0..width as f32).contains(&x) && (0.0..height as f32).contains(&y),
                        "{view:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_characters_left_is_at_the_right_of_a_front_view() {
        let bounds = Bounds { min: [-10.0; 3], max: [10.0; 3] };
        let camera = Camera::framing(View::Front, &bounds, 100, 100);
        assert!(camera.project([5.0, 0.0, 0.0], 100, 100).unwrap()[0] > 50.0);
        assert!(camera.project([0.0, 5.0, 0.0], 100, 100).unwrap()[1] < 50.0);
    }

    #[test]
    fn points_behind_the_camera_and_points_that_are_no_numbers_are_not_shown() {
        let bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };
        let camera = Camera::framing(View::Front, &bounds, 100, 100);
        assert_eq!(camera.project([0.0, 0.0, 1e4], 100, 100), None);
        assert_eq!(camera.project([f32::NAN, 0.0, 0.0], 100, 100), None);
    }
}
