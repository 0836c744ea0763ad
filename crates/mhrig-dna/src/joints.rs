//! The neutral skeleton in world space.

use crate::{Dna, rotation_unit};

/// Rows of a rotation matrix.
type Rotation = [[f64; 3]; 3];

const IDENTITY: Rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Dna {
    /// Position of each joint in the neutral pose relative to the root's parent, in the file's translation unit.
    /// Rotations are angles about x, y, z, applied in this order. A joint without a usable parent counts as a root.
    pub fn world_joint_positions(&self) -> Vec<[f64; 3]> {
        self.world_joints().into_iter().map(|(_, position)| position).collect()
    }

    fn world_joints(&self) -> Vec<(Rotation, [f64; 3])> {
        let definition = &self.definition;
        let count = definition.joint_names.len();
        let is_radians = self.descriptor.rotation_unit == rotation_unit::RADIANS;
        let radians = if is_radians { 1.0 } else { std::f64::consts::PI / 180.0 };
        let local = |joint: usize| {
            let translation = definition.neutral_joint_translations.get(joint).unwrap_or_default();
            let rotation = definition.neutral_joint_rotations.get(joint).unwrap_or_default();
            let angles = rotation.map(|angle| f64::from(angle) * radians);
            (rotation_xyz(angles), translation.map(f64::from))
        };
        let mut world: Vec<Option<(Rotation, [f64; 3])>> = vec![None; count];
        let mut chain = Vec::new();
        for start in 0..count {
            // Up to the first joint that is known, then down again.
            chain.clear();
            let mut joint = start;
            let mut above = (IDENTITY, [0.0; 3]);
            // A chain longer than the skeleton has gone round in a circle.
            while chain.len() <= count {
                if let Some(known) = world[joint] {
                    above = known;
                    break;
                }
                chain.push(joint);
                match definition.joint_hierarchy.get(joint).map(|&parent| usize::from(parent)) {
                    Some(parent) if parent != joint && parent < count => joint = parent,
                    _ => break,
                }
            }
            for &joint in chain.iter().rev() {
                let (rotation, translation) = local(joint);
                let (world_rotation, world_position) = above;
                let moved = apply(&world_rotation, translation);
                let position = [0, 1, 2].map(|axis| world_position[axis] + moved[axis]);
                above = (product(&world_rotation, &rotation), position);
                world[joint] = Some(above);
            }
        }
        world.into_iter().map(|joint| joint.unwrap_or((IDENTITY, [0.0; 3]))).collect()
    }
}

fn rotation_xyz([x, y, z]: [f64; 3]) -> Rotation {
    let ((sx, cx), (sy, cy), (sz, cz)) = (x.sin_cos(), y.sin_cos(), z.sin_cos());
    [
        [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
        [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
        [-sy, sx * cy, cx * cy],
    ]
}

fn apply(rotation: &Rotation, vector: [f64; 3]) -> [f64; 3] {
    rotation.map(|row| row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2])
}

fn product(a: &Rotation, b: &Rotation) -> Rotation {
    a.map(|row| [0, 1, 2].map(|column| row[0] * b[0][column] + row[1] * b[1][column] + row[2] * b[2][column]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileVersion, Vectors3};

    fn skeleton(parents: &[u16], translations: &[[f32; 3]], rotations: &[[f32; 3]]) -> Dna {
        let mut dna = Dna::new(FileVersion::new(5));
        dna.definition.joint_names = (0..parents.len()).map(|joint| format!("j{joint}").into()).collect();
        dna.definition.joint_hierarchy = parents.to_vec();
        dna.definition.neutral_joint_translations = Vectors3::from_vectors(translations);
        dna.definition.neutral_joint_rotations = Vectors3::from_vectors(rotations);
        dna
    }

    #[test]
    fn children_turn_with_their_parents_about_x_then_y_then_z() {
        let dna = skeleton(
            // The child comes before its parent.
            &[1, 1, 0],
            &[[1.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 0.0, 2.0]],
            &[[90.0, 0.0, 90.0], [0.0, 0.0, 90.0], [0.0, 0.0, 0.0]],
        );
        let expected = [[10.0, 1.0, 0.0], [10.0, 0.0, 0.0], [10.0, -1.0, 0.0]];
        // Joint 0: x of its parent is y of the world. Joint 2: z turned about x is -y, about z is x, about the
        // parent's z is y.
        let found = dna.world_joint_positions();
        let expected_tip = [10.0, 1.0 + 2.0, 0.0];
        for (found, expected) in found.iter().zip([expected[0], expected[1], expected_tip]) {
            for axis in 0..3 {
                assert!((found[axis] - expected[axis]).abs() < 1e-12, "{found:?} {expected:?}");
            }
        }
    }

    #[test]
    fn circles_and_missing_parents_end() {
        let dna = skeleton(&[1, 2, 0, 9], &[[1.0, 0.0, 0.0]; 4], &[[0.0; 3]; 4]);
        assert_eq!(dna.world_joint_positions().len(), 4);
        let mut dna = skeleton(&[], &[], &[]);
        dna.definition.joint_names = vec!["alone".into()];
        assert_eq!(dna.world_joint_positions(), [[0.0; 3]]);
    }
}
