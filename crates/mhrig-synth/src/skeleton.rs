use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::{HumanJoint, JointSet};

/// How the neutral rotations of an archetype are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Orient {
    /// Every joint is turned so that its x axis lies along its bone, by the rule that `bone_orientations` states.
    #[default]
    Bone,
    /// All joints are parallel to the world.
    None,
}

/// Joints nearer than this have no direction between them.
const COINCIDENT_CM: f64 = 0.1;
/// Above this cosine to the front, the front is no good reference for the second axis.
const ALONG_FRONT_COS: f64 = 0.9;

/// World rotation of every joint, aligned with its bone.
///
/// * x points from the joint to its main child: the one with most descendants (the first, should there be several);
///   where that child coincides with the joint, to the child's main child, and so on. A joint without any such
///   descendant continues the bone that leads to it.
/// * A joint that coincides with its parent has its parent's orientation whole.
/// * y is the direction nearest to the character's front that is square to x, or nearest to up where x itself points to
///   the front or back. z = x × y.
/// * On the character's right (`…_r`, `…_R_…`) all three axes are the mirror images of the left side's, negated, so that
///   equal angles on both sides are mirrored poses.
///
/// For a spine this makes z the axis of pitch, x that of yaw and y that of roll.
pub(crate) fn bone_orientations(joints: &[HumanJoint]) -> Vec<Rotation3<f64>> {
    let positions: Vec<Vector3<f64>> = joints.iter().map(|joint| Vector3::from(joint.position)).collect();
    let main_child = main_children(joints);
    let mut orientations: Vec<Rotation3<f64>> = Vec::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent
            && (positions[index] - positions[parent]).norm() < COINCIDENT_CM
        {
            orientations.push(orientations[parent]);
            continue;
        }
        let mut next = main_child[index];
        while let Some(child) = next {
            if (positions[child] - positions[index]).norm() >= COINCIDENT_CM {
                break;
            }
            next = main_child[child];
        }
        let bone = match (next, joint.parent) {
            (Some(child), _) => positions[child] - positions[index],
            (None, Some(parent)) => positions[index] - positions[parent],
            (None, None) => Vector3::y(),
        };
        let bone = bone.normalize();
        let is_right = is_right(&joint.name);
        let x = if is_right { mirrored(bone) } else { bone };
        let reference = if x.z.abs() > ALONG_FRONT_COS { Vector3::y() } else { Vector3::z() };
        let y = (reference - x * reference.dot(&x)).normalize();
        let mut axes = [x, y, x.cross(&y)];
        if is_right {
            axes = axes.map(|axis| -mirrored(axis));
        }
        orientations.push(Rotation3::from_matrix_unchecked(Matrix3::from_columns(&axes)));
    }
    orientations
}

/// Whether a joint's name puts it on the character's right.
pub(crate) fn is_right(name: &str) -> bool {
    name.ends_with("_r") || name.contains("_R_")
}

/// Whether a joint's name puts it on the character's left.
pub(crate) fn is_left(name: &str) -> bool {
    name.ends_with("_l") || name.contains("_L_")
}

fn mirrored(v: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-v.x, v.y, v.z)
}

/// Per joint its child with most descendants.
fn main_children(joints: &[HumanJoint]) -> Vec<Option<usize>> {
    let mut sizes = vec![1usize; joints.len()];
    for (index, joint) in joints.iter().enumerate().rev() {
        if let Some(parent) = joint.parent {
            sizes[parent] += sizes[index];
        }
    }
    let mut main: Vec<Option<usize>> = vec![None; joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent
            && main[parent].is_none_or(|child| sizes[index] > sizes[child])
        {
            main[parent] = Some(index);
        }
    }
    main
}

/// The joints of one part as its DNA stores them.
#[derive(Clone, Debug)]
pub(crate) struct PartSkeleton {
    /// For each joint of the human, its number here.
    pub(crate) number: Vec<Option<u16>>,
    /// Names.
    pub(crate) names: Vec<String>,
    /// Parents as numbers of this part, `None` for the root.
    pub(crate) parents: Vec<Option<usize>>,
    /// Stored local translations, cm.
    pub(crate) translations: Vec<[f32; 3]>,
    /// Stored local rotations, degrees.
    pub(crate) rotations_deg: Vec<[f32; 3]>,
    /// Local transforms as a reader decodes them.
    pub(crate) parent_from_joint: Vec<Isometry3<f64>>,
    /// World transforms that follow.
    pub(crate) world_from_joint: Vec<Isometry3<f64>>,
}

impl PartSkeleton {
    /// The number of the joint called `name`.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

/// The skeletons of head and body.
///
/// Local transforms are computed once, for all joints together, and shared by both parts, so that common joints have the
/// same bits in both; only the head's root, which has a parent in the body, gets its world transform instead. Each
/// translation is computed from the rounded transforms above it, so that rounding does not add up along chains.
pub(crate) fn part_skeletons(joints: &[HumanJoint], orient: Orient) -> (PartSkeleton, PartSkeleton) {
    let of_set = |set: JointSet| -> Vec<usize> {
        let wanted = |joint: &HumanJoint| joint.set == set || joint.set == JointSet::Shared;
        (0..joints.len()).filter(|&index| wanted(&joints[index])).collect()
    };
    ordered_skeletons(joints, orient, (&of_set(JointSet::Head), &of_set(JointSet::Body)))
}

/// The skeletons of head and body with their joints in the given orders, parents first.
pub(crate) fn ordered_skeletons(
    joints: &[HumanJoint],
    orient: Orient,
    (head, body): (&[usize], &[usize]),
) -> (PartSkeleton, PartSkeleton) {
    let orientations = match orient {
        Orient::Bone => bone_orientations(joints),
        Orient::None => vec![Rotation3::identity(); joints.len()],
    };
    let all: Vec<usize> = (0..joints.len()).collect();
    let parents: Vec<Option<usize>> = joints.iter().map(|joint| joint.parent).collect();
    let whole = stored(joints, &all, &parents, &orientations, None);
    let part = |members: &[usize]| {
        let mut number = vec![None; joints.len()];
        for (at, &joint) in members.iter().enumerate() {
            number[joint] = Some(at as u16);
        }
        let parents: Vec<Option<usize>> =
            members.iter().map(|&joint| number[joints[joint].parent?].map(usize::from)).collect();
        let mut part = stored(joints, members, &parents, &orientations, Some(&whole));
        part.number = number;
        part
    };
    (part(head), part(body))
}

fn stored(
    joints: &[HumanJoint],
    members: &[usize],
    parents: &[Option<usize>],
    orientations: &[Rotation3<f64>],
    whole: Option<&PartSkeleton>,
) -> PartSkeleton {
    let mut part = PartSkeleton {
        number: Vec::new(),
        names: members.iter().map(|&joint| joints[joint].name.clone()).collect(),
        parents: parents.to_vec(),
        translations: Vec::new(),
        rotations_deg: Vec::new(),
        parent_from_joint: Vec::new(),
        world_from_joint: Vec::new(),
    };
    for (&joint, &parent) in members.iter().zip(parents) {
        let above = parent.map_or(Isometry3::identity(), |parent| part.world_from_joint[parent]);
        let (translation, rotation_deg) = match (whole, parent) {
            (Some(whole), Some(_)) => (whole.translations[joint], whole.rotations_deg[joint]),
            _ => {
                let rotation = above.rotation.inverse().to_rotation_matrix() * orientations[joint];
                let position = above.inverse_transform_point(&joints[joint].position.into());
                let angles = euler_xyz_from_rotation(&rotation).map(|angle| angle.to_degrees() as f32);
                // No negative zeros: they would only make files differ.
                (position.coords.map(|c| c as f32 + 0.0).into(), angles.map(|angle| angle + 0.0))
            }
        };
        let local = decoded(translation, rotation_deg);
        part.translations.push(translation);
        part.rotations_deg.push(rotation_deg);
        part.parent_from_joint.push(local);
        part.world_from_joint.push(above * local);
    }
    part
}

/// A local transform as stored in a DNA file, as a transform.
pub(crate) fn decoded(translation: [f32; 3], rotation_deg: [f32; 3]) -> Isometry3<f64> {
    let rotation = rotation_from_euler_xyz(rotation_deg.map(|angle| f64::from(angle).to_radians()));
    Isometry3::from_parts(
        Translation3::from(translation.map(f64::from)),
        UnitQuaternion::from_rotation_matrix(&rotation),
    )
}
