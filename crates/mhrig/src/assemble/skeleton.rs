//! One skeleton from two: the joints of the body, and below them those that only the head has.

use mhrig_dna::rotation_unit;
use mhrig_geom::{euler_xyz_from_rotation, rotation_angle, rotation_from_euler_xyz};
use mhrig_report::{Finding, Severity};
use mhrig_rig::Transform;
use mhrig_scene::Joint;
use nalgebra::{Matrix4, Rotation3};

use super::input::{RigPart, Turn};
use super::names::Namespace;

/// How far the shared joints of a head and a body of one person may be apart, cm. Pairs of Epic's agree to 3.5e-5.
const SHARED_TOLERANCE_CM: f64 = 1e-3;
/// How far they may be turned against each other, radians.
const SHARED_TOLERANCE_RAD: f64 = 1e-4;

/// The joints of a scene, and which joint of a DNA is which of them.
pub(super) struct Skeleton {
    /// The joints, parents first; the body's before those of the head.
    pub(super) joints: Vec<Joint>,
    /// Per part and joint of its DNA, the number in `joints`.
    pub(super) numbers: Vec<Vec<usize>>,
    /// Per joint of the scene, the part that drives it.
    pub(super) owners: Vec<usize>,
    /// `world_from_joint` at rest, in the axes of the scene.
    pub(super) world: Vec<Transform>,
    /// Names of the joints without namespace, by number.
    pub(super) names: Vec<String>,
    /// How many joints the parts share.
    pub(super) shared: usize,
    /// Largest distance between the two places of a shared joint, cm.
    pub(super) shared_gap_cm: f64,
}

/// A joint of a DNA: local transform in cm and degrees.
struct Local {
    translate: [f64; 3],
    orient: [f64; 3],
    transform: Transform,
}

/// Local transforms of all joints. Angles are those of the file where they turn x first as a host does.
fn locals(part: &RigPart) -> Vec<Local> {
    let neutral = part.deformer().skeleton().neutral();
    let is_radians = part.dna.descriptor.rotation_unit == rotation_unit::RADIANS;
    let angles = part.dna.definition.neutral_joint_rotations.iter().map(|angles| {
        angles.map(|angle| if is_radians { f64::from(angle).to_degrees() } else { f64::from(angle) })
    });
    let joints = neutral.translations.iter().zip(&neutral.rotations).zip(angles);
    joints
        .map(|((translation, rotation), angles)| {
            let as_written = rotation_from_euler_xyz(angles.map(f64::to_radians));
            let is_xyz = (as_written.matrix() - rotation.matrix()).amax() < 1e-9;
            let orient = if is_xyz { angles } else { euler_xyz_from_rotation(rotation).map(f64::to_degrees) };
            Local {
                translate: (*translation).into(),
                orient,
                transform: Transform { linear: *rotation.matrix(), translation: *translation },
            }
        })
        .collect()
}

impl Skeleton {
    /// The skeleton of `parts`, head first. The last part owns the joints that it shares. Roots hang below `group`.
    pub(super) fn merge(
        parts: &[RigPart],
        turn: Turn,
        group: &str,
        namespace: &Namespace,
    ) -> Result<Self, Vec<Finding>> {
        let mut merged = Self {
            joints: Vec::new(),
            numbers: parts.iter().map(|part| vec![usize::MAX; part.joint_names().len()]).collect(),
            owners: Vec::new(),
            world: Vec::new(),
            names: Vec::new(),
            shared: 0,
            shared_gap_cm: 0.0,
        };
        let mut problems = Vec::new();
        for (part_number, part) in parts.iter().enumerate().rev() {
            let hierarchy = part.deformer().skeleton().hierarchy();
            let locals = locals(part);
            let own_joints = merged.joints.len();
            for &joint in hierarchy.top_down() {
                let name = hierarchy.name(joint);
                let mut local = locals[joint.index()].transform;
                let parent =
                    hierarchy.parent(joint).map(|parent| merged.numbers[part_number][parent.index()]);
                if parent.is_none() {
                    local = Transform {
                        linear: turn.matrix() * local.linear,
                        translation: turn.matrix() * local.translation,
                    };
                }
                // The head's own root is one of the body's joints: its place is compared in the world.
                let world = parent.map_or(local, |parent| merged.world[parent] * local);
                let theirs = merged.names[..own_joints].iter().position(|other| other == name);
                if let Some(number) = theirs {
                    merged.numbers[part_number][joint.index()] = number;
                    merged.shared += 1;
                    problems.extend(merged.compare(number, &world, part));
                    continue;
                }
                let number = merged.joints.len();
                merged.numbers[part_number][joint.index()] = number;
                let numbers = &locals[joint.index()];
                let (translate, orient) = if parent.is_none() && turn != Turn::None {
                    let rotation = Rotation3::from_matrix_unchecked(local.linear);
                    let angles = euler_xyz_from_rotation(&rotation).map(f64::to_degrees);
                    (local.translation.into(), angles)
                } else {
                    (numbers.translate, numbers.orient)
                };
                let is_leaf = hierarchy.children(joint).next().is_none();
                let (radius, color) = look(name, parent.is_none(), is_leaf);
                merged.joints.push(Joint {
                    name: namespace.of(name),
                    parent: Some(match parent {
                        Some(parent) => merged.joints[parent].name.clone(),
                        None => group.to_owned(),
                    }),
                    translate,
                    orient,
                    radius,
                    color,
                    attributes: Vec::new(),
                });
                merged.owners.push(part_number);
                merged.world.push(world);
                merged.names.push(name.to_owned());
            }
        }
        problems.truncate(1);
        if problems.is_empty() { Ok(merged) } else { Err(problems) }
    }

    /// Compares the place of a shared joint with the one that the owner gave it.
    fn compare(&mut self, number: usize, world: &Transform, part: &RigPart) -> Option<Finding> {
        let theirs = &self.world[number];
        let gap = (theirs.translation - world.translation).norm();
        self.shared_gap_cm = self.shared_gap_cm.max(gap);
        let turn = Rotation3::from_matrix_unchecked(theirs.linear.transpose() * world.linear);
        let angle = rotation_angle(&turn);
        if gap <= SHARED_TOLERANCE_CM && angle <= SHARED_TOLERANCE_RAD {
            return None;
        }
        let name = &self.names[number];
        let message = format!("the joint {name} is not where the body has it: these are two people");
        let remedy = "give the head and the body that were built together";
        let place = part.file().display().to_string();
        Some(Finding::new("SHARED_JOINTS_APART", Severity::Error, place, message, remedy).with_values(
            format!("at most {SHARED_TOLERANCE_CM} cm apart"),
            format!("{gap:.4} cm, {:.3} degrees", angle.to_degrees()),
        ))
    }

    /// The number of the joint of that name, without namespace.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// `joint_from_world` of a joint at rest, as Maya stores matrices: row vectors, row after row.
    pub(super) fn bind_pre(&self, joint: usize) -> [f64; 16] {
        let world = &self.world[joint];
        // Rotations only: the transpose is the inverse, and exact.
        let linear = world.linear.transpose();
        let translation = -(linear * world.translation);
        let mut matrix = Matrix4::identity();
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&translation);
        let mut numbers = [0.0; 16];
        // Columns of a matrix for column vectors are rows of one for row vectors. Adding 0 turns -0 into 0.
        for (number, value) in numbers.iter_mut().zip(matrix.as_slice()) {
            *number = value + 0.0;
        }
        numbers
    }
}

/// Radius and colour that a joint is drawn with: what only fine LODs use is small, eyes and skull are large.
fn look(name: &str, is_root: bool, is_leaf: bool) -> (f64, Option<u8>) {
    const SMALL: f64 = 0.1;
    const FACIAL: f64 = 0.2;
    const GROUP: f64 = 0.3;
    let is_facial = name.starts_with("FACIAL_");
    if name.contains("12IPV") {
        (SMALL, Some(18))
    } else if name == "FACIAL_C_Skull" {
        (2.0, Some(16))
    } else if super::names::SIDES.iter().any(|side| name == super::names::eye_joint(side)) {
        (1.5, Some(6))
    } else if is_root || (is_facial && name.ends_with("Root")) {
        (1.0, Some(1))
    } else if is_facial && is_leaf {
        (FACIAL, Some(16))
    } else if is_facial {
        (GROUP, Some(12))
    } else {
        (1.0, None)
    }
}
