//! Joints of a file as transforms: its unit of angle and, in later files, its order of rotations.

use mhrig_dna::{DescriptorExt, Dna, JointGroup};
use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};
use nalgebra::Rotation3;

use crate::CalibError;
use crate::check::{count, index};
use crate::units::degrees_per_unit;

/// Checks that hierarchy and neutral arrays have an entry per joint and that parents are joints.
pub(crate) fn check_joints(dna: &Dna) -> Result<(), CalibError> {
    let definition = &dna.definition;
    let joints = definition.joint_names.len();
    count(definition.joint_hierarchy.len(), joints, || "defn.jointHierarchy".to_owned())?;
    for (at, &parent) in definition.joint_hierarchy.iter().enumerate() {
        index("defn.jointHierarchy", at, usize::from(parent), joints)?;
    }
    for (place, vectors) in [
        ("defn.neutralJointTranslations", &definition.neutral_joint_translations),
        ("defn.neutralJointRotations", &definition.neutral_joint_rotations),
    ] {
        for (axis, found) in [("xs", &vectors.xs), ("ys", &vectors.ys), ("zs", &vectors.zs)] {
            count(found.len(), joints, || format!("{place}.{axis}"))?;
        }
    }
    Ok(())
}

/// Numbers of the joints that are their own parent.
pub(crate) fn roots(dna: &Dna) -> Vec<usize> {
    let hierarchy = dna.definition.joint_hierarchy.iter().enumerate();
    hierarchy.filter(|&(joint, &parent)| usize::from(parent) == joint).map(|(joint, _)| joint).collect()
}

/// How the neutral rotation of a joint is stored in a file.
pub(crate) struct LocalRotation {
    radians_per_unit: f64,
}

impl LocalRotation {
    /// Looks at unit and order of rotations.
    ///
    /// # Errors
    /// [`CalibError::Unsupported`] for a file (2.7 or later) whose order or signs are not the usual ones.
    pub(crate) fn of_file(dna: &Dna) -> Result<Self, CalibError> {
        if !is_usual_order(dna) {
            return Err(CalibError::Unsupported {
                what: "an order or sign of rotations (layer dsce) other than xyz and positive",
            });
        }
        Ok(Self { radians_per_unit: degrees_per_unit(&dna.descriptor).to_radians() })
    }

    pub(crate) fn get(&self, dna: &Dna, joint: usize) -> Rotation3<f64> {
        let angles = dna.definition.neutral_joint_rotations.get(joint).unwrap_or_default();
        rotation_from_euler_xyz(angles.map(|angle| f64::from(angle) * self.radians_per_unit))
    }

    pub(crate) fn set(&self, dna: &mut Dna, joint: usize, rotation: &Rotation3<f64>) {
        let angles = stable_euler_xyz(rotation).map(|angle| (angle / self.radians_per_unit) as f32);
        let rotations = &mut dna.definition.neutral_joint_rotations;
        rotations.xs[joint] = angles[0];
        rotations.ys[joint] = angles[1];
        rotations.zs[joint] = angles[2];
    }
}

/// Angles about x, y, z in radians; within 1e-6 of a right angle about y, where f32 cannot tell x and z apart any more,
/// z is 0.
pub(crate) fn stable_euler_xyz(rotation: &Rotation3<f64>) -> [f64; 3] {
    let m = rotation.matrix();
    if m[(0, 0)].hypot(m[(1, 0)]) > 1e-6 {
        return euler_xyz_from_rotation(rotation);
    }
    [(-m[(1, 2)]).atan2(m[(1, 1)]), std::f64::consts::FRAC_PI_2.copysign(-m[(2, 0)]), 0.0]
}

fn is_usual_order(dna: &Dna) -> bool {
    let order = &dna.descriptor_ext;
    *order == DescriptorExt { face_winding_order: order.face_winding_order, ..DescriptorExt::default() }
}

/// Turns the translation deltas of one joint, which are in its parent's space, by `rotation`. Rows that the turn fills
/// and that a group does not have are added beside those that it has.
pub(crate) fn turn_translation_rows(group: &mut JointGroup, joint: u16, rotation: &Rotation3<f64>) {
    let columns = group.input_indices.len();
    let row_of = |group: &JointGroup, axis: u16| {
        group.output_indices.iter().position(|&output| output == joint * 9 + axis)
    };
    let present: Vec<usize> = (0..3).filter_map(|axis| row_of(group, axis)).collect();
    let Some(&first) = present.iter().min() else { return };
    let is_animated = present
        .iter()
        .any(|&row| group.values[row * columns..(row + 1) * columns].iter().any(|&value| value != 0.0));
    if !is_animated {
        return;
    }
    for axis in (0..3).rev() {
        if row_of(group, axis).is_none() {
            group.output_indices.insert(first + 1, joint * 9 + axis);
            let at = (first + 1) * columns;
            group.values.splice(at..at, std::iter::repeat_n(0.0, columns));
            // A LOD that has the first of the rows gets the new ones as well.
            for lod in &mut group.lods {
                if usize::from(*lod) > first {
                    *lod = lod.saturating_add(1);
                }
            }
        }
    }
    let rows: Vec<usize> = (0..3).filter_map(|axis| row_of(group, axis)).collect();
    for column in 0..columns {
        let delta = std::array::from_fn(|axis| f64::from(group.values[rows[axis] * columns + column]));
        let turned = rotation * nalgebra::Vector3::from(delta);
        for (&row, value) in rows.iter().zip(turned.iter()) {
            group.values[row * columns + column] = *value as f32;
        }
    }
}
