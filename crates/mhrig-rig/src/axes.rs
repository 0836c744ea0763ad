use mhrig_dna::{CoordinateSystem, direction};

/// Turns coordinates of a file into the world of this project: +X the character's left, +Y up, +Z front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axes {
    /// Per file axis: the world axis and the sign.
    to: [(usize, f32); 3],
}

impl Axes {
    const WORLD: Self = Self { to: [(0, 1.0), (1, 1.0), (2, 1.0)] };

    /// The axes of a file; `None` when they do not span space.
    pub(crate) fn from_file(system: &CoordinateSystem) -> Option<Self> {
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

    pub(crate) fn world() -> Self {
        Self::WORLD
    }

    pub(crate) fn is_world(&self) -> bool {
        *self == Self::WORLD
    }

    /// Whether one of the two is left-handed.
    pub(crate) fn mirrors(&self) -> bool {
        let [(a, sa), (b, sb), (_, sc)] = self.to;
        let is_even = (b + 3 - a) % 3 == 1;
        (sa * sb * sc < 0.0) == is_even
    }

    /// `v` of the file in the world.
    pub(crate) fn apply(&self, v: [f32; 3]) -> [f32; 3] {
        let mut world = [0.0; 3];
        for (value, (axis, sign)) in v.into_iter().zip(self.to) {
            world[axis] = value * sign;
        }
        world
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
    }

    #[test]
    fn a_change_of_handedness_is_noticed() {
        assert!(axes(direction::RIGHT, direction::UP, direction::FRONT).unwrap().mirrors());
        assert!(!axes(direction::LEFT, direction::UP, direction::FRONT).unwrap().mirrors());
        assert!(!axes(direction::RIGHT, direction::UP, direction::BACK).unwrap().mirrors());
        assert!(axes(direction::FRONT, direction::UP, direction::LEFT).unwrap().mirrors());
    }

    #[test]
    fn axes_that_do_not_span_space_are_refused() {
        assert_eq!(axes(direction::LEFT, direction::RIGHT, direction::UP), None);
        assert_eq!(axes(direction::LEFT, direction::UP, 9), None);
    }
}
