use mhrig_dna::{CoordinateSystem, direction};
use nalgebra::Matrix3;

/// Turns coordinates of a file into the world of this project: +X the character's left, +Y up, +Z front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// Per file axis: the world axis and the sign.
    to: [(usize, f32); 3],
}

impl Axes {
    const WORLD: Self = Self { to: [(0, 1.0), (1, 1.0), (2, 1.0)] };

    /// The axes of a file; `None` when they do not span space.
    pub fn from_file(system: &CoordinateSystem) -> Option<Self> {
        let axis = |axis: u16| match axis {
            direction::LEFT => Some((0, 1.0)),
            direction::RIGHT => Some((0, -1.0)),
            direction::UP => Some((1, 1.0)),
            direction::DOWN => Some((1, -1.0)),
            direction::FRONT => Some((2, 1.0)),
            direction::BACK => Some((2, -1.0)),
            _ => None,
        };
        let to = [axis(system.x_axis)?, axis(system.y_axis)?, axis(system.z_axis)?];
        let mut seen = [false; 3];
        for (axis, _) in to {
            seen[axis] = true;
        }
        seen.iter().all(|&seen| seen).then_some(Self { to })
    }

    /// The axes of a file as a turn of the world. Files whose axes are of the other hand name left and right as whoever
    /// looks at the character sees them: the two are swapped. Axes that do not span space are taken as the world's.
    pub fn turned(system: &CoordinateSystem) -> Self {
        let mut axes = Self::from_file(system).unwrap_or(Self::WORLD);
        if axes.mirrors() {
            for (_, sign) in axes.to.iter_mut().filter(|(axis, _)| *axis == 0) {
                *sign = -*sign;
            }
        }
        axes
    }

    /// The axes of the world itself.
    pub fn world() -> Self {
        Self::WORLD
    }

    /// Whether coordinates of the file are those of the world.
    pub fn is_world(&self) -> bool {
        *self == Self::WORLD
    }

    /// Whether one of the two is left-handed.
    pub fn mirrors(&self) -> bool {
        let [(a, sa), (b, sb), (_, sc)] = self.to;
        let is_even = (b + 3 - a) % 3 == 1;
        (sa * sb * sc < 0.0) == is_even
    }

    /// `v` of the file in the world.
    pub fn apply(&self, v: [f32; 3]) -> [f32; 3] {
        let mut world = [0.0; 3];
        for (value, (axis, sign)) in v.into_iter().zip(self.to) {
            world[axis] = value * sign;
        }
        world
    }

    /// `v` of the world in the file.
    pub fn file_from_world(&self, v: [f32; 3]) -> [f32; 3] {
        self.to.map(|(axis, sign)| v[axis] * sign)
    }

    /// What takes the axes of the file to the world's: a turn, or a mirroring where [`Axes::mirrors`] says so.
    pub fn world_from_file(&self) -> Matrix3<f64> {
        let mut matrix = Matrix3::zeros();
        for (file_axis, (axis, sign)) in self.to.into_iter().enumerate() {
            matrix[(axis, file_axis)] = f64::from(sign);
        }
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(x: u16, y: u16, z: u16) -> Option<Axes> {
        Axes::from_file(&CoordinateSystem { x_axis: x, y_axis: y, z_axis: z })
    }

    #[test]
    fn z_up_files_are_turned_upright() {
        // Right-handed, Z up: x left, y back, z up.
        let axes = axes(direction::LEFT, direction::BACK, direction::UP).unwrap();
        assert!(!axes.mirrors() && !axes.is_world());
        assert_eq!(axes.apply([1.0, 2.0, 3.0]), [1.0, 3.0, -2.0]);
        assert_eq!(axes.file_from_world([1.0, 3.0, -2.0]), [1.0, 2.0, 3.0]);
        let turned = axes.world_from_file() * nalgebra::Vector3::new(1.0, 2.0, 3.0);
        assert_eq!(turned, nalgebra::Vector3::new(1.0, 3.0, -2.0));
    }

    #[test]
    fn a_change_of_handedness_is_noticed() {
        assert!(axes(direction::RIGHT, direction::UP, direction::FRONT).unwrap().mirrors());
        assert!(!axes(direction::LEFT, direction::UP, direction::FRONT).unwrap().mirrors());
        assert!(!axes(direction::RIGHT, direction::UP, direction::BACK).unwrap().mirrors());
        assert!(axes(direction::FRONT, direction::UP, direction::LEFT).unwrap().mirrors());
        let viewers = |x, y, z| Axes::turned(&CoordinateSystem { x_axis: x, y_axis: y, z_axis: z });
        assert!(viewers(direction::RIGHT, direction::UP, direction::FRONT).is_world());
        let z_up = viewers(direction::RIGHT, direction::BACK, direction::UP);
        assert_eq!(Some(z_up), axes(direction::LEFT, direction::BACK, direction::UP));
        assert!(viewers(direction::UP, direction::UP, direction::UP).is_world());
    }

    #[test]
    fn axes_that_do_not_span_space_are_refused() {
        assert_eq!(axes(direction::LEFT, direction::RIGHT, direction::UP), None);
        assert_eq!(axes(direction::LEFT, direction::UP, 9), None);
    }
}
