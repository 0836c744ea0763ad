use mhrig_dna::{Descriptor, Dna};
use mhrig_rig::Axes;

/// The axes of a DNA file, as a turn of the world.
///
/// A file stays in its axes. What comes in from the world (x the character's left, y up, z front, cm) is brought into
/// them at the border, so that nothing else of a file has to be turned and turned back: joints below a root are relative
/// to their parent, and only roots and vertices know the axes. Units of length and angle are seen to where values are set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileFrame {
    axes: Axes,
}

impl FileFrame {
    /// The frame that a descriptor states, see [`Axes::turned`].
    pub fn of(descriptor: &Descriptor) -> Self {
        Self { axes: Axes::turned(&descriptor.coordinate_system) }
    }

    /// Points of the world, cm, in the axes of the file, still cm: what [`crate::set_mesh_positions`] takes. Where the
    /// axes are the world's, the very bits.
    #[must_use]
    pub fn points(&self, mut points_cm: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
        if !self.axes.is_world() {
            points_cm.iter_mut().for_each(|point| *point = self.axes.file_from_world(*point));
        }
        points_cm
    }

    /// Local joint translations of an upright character, cm, as [`crate::set_neutral_joint_translations`] takes them for
    /// `dna`: those of roots in the axes of the file.
    #[must_use]
    pub fn joint_translations(&self, dna: &Dna, mut local_cm: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
        if !self.axes.is_world() {
            let parents = dna.definition.joint_hierarchy.iter().enumerate();
            for ((joint, &parent), translation) in parents.zip(&mut local_cm) {
                if usize::from(parent) == joint {
                    *translation = self.axes.file_from_world(*translation);
                }
            }
        }
        local_cm
    }
}
