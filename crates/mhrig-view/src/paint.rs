use crate::vector::{Vec3, dot, mix, normalize, sub};

/// Colour of a mesh, linear RGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint<'a> {
    /// One colour.
    Uniform([f32; 3]),
    /// One colour per vertex.
    PerVertex(&'a [[f32; 3]]),
    /// An eyeball.
    Eye(EyeLook<'a>),
}

/// An eyeball with iris and pupil, told apart by the direction from its centre at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EyeLook<'a> {
    /// Vertices at rest, as many as the mesh has.
    pub rest: &'a [[f32; 3]],
    /// Centre of the eyeball at rest.
    pub center: [f32; 3],
    /// Where the eye looks at rest.
    pub forward: [f32; 3],
    /// Colour of the iris, linear RGB.
    pub iris: [f32; 3],
}

/// Half angles of the pupil and the iris of an adult: 2 and 6 mm on a ball of 12.
const PUPIL_DEGREES: f32 = 10.0;
const IRIS_DEGREES: f32 = 29.0;

impl EyeLook<'_> {
    /// Colour at a place on the eyeball at rest.
    pub(crate) fn color(&self, place: Vec3) -> Vec3 {
        const WHITE: Vec3 = [0.80, 0.77, 0.74];
        let cosine = dot(normalize(sub(place, self.center)), normalize(self.forward));
        let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
        let dark = self.iris.map(|c| c * 0.25);
        let step = |from: f32, to: f32| ((degrees - from) / (to - from)).clamp(0.0, 1.0);
        let inner = mix([0.005; 3], self.iris, step(PUPIL_DEGREES - 0.5, PUPIL_DEGREES + 1.5));
        let rim = mix(inner, dark, step(IRIS_DEGREES - 5.0, IRIS_DEGREES - 1.0));
        mix(rim, WHITE, step(IRIS_DEGREES - 0.5, IRIS_DEGREES + 1.5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eye_is_dark_in_the_middle_and_white_at_the_side() {
        let look = EyeLook { rest: &[], center: [0.0; 3], forward: [0.0, 0.0, 1.0], iris: [0.1, 0.2, 0.3] };
        assert!(look.color([0.0, 0.0, 1.2])[0] < 0.02);
        assert_eq!(look.color([0.35, 0.0, 1.1]), [0.1, 0.2, 0.3]);
        assert!(look.color([1.0, 0.0, 0.0])[0] > 0.7);
    }
}
