use mhrig_geom::{JointHierarchy, JointId, JointPose};
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use crate::{Instance, RotationOrder, RotationOutput};

/// A linear map and a translation, cm: `a_from_b`, on column vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The linear part: rotation, scale, shear.
    pub linear: Matrix3<f64>,
    /// The translation.
    pub translation: Vector3<f64>,
}

impl Transform {
    /// The map that changes nothing.
    pub fn identity() -> Self {
        Self { linear: Matrix3::identity(), translation: Vector3::zeros() }
    }

    /// The image of a point.
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.translation
    }

    /// The map that undoes this one; `None` where the linear part has none.
    pub fn inverse(&self) -> Option<Self> {
        let linear = self.linear.try_inverse()?;
        Some(Self { linear, translation: -(linear * self.translation) })
    }
}

impl std::ops::Mul for Transform {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { linear: self.linear * other.linear, translation: self.point(&other.translation) }
    }
}

/// Neutral joints, and where an evaluation puts them (riglogic.md 12): translation `neutral + delta`, rotation
/// `neutral · delta`, scale `1 + delta`; scale is handed down to child joints.
#[derive(Clone, Debug)]
pub struct Skeleton {
    hierarchy: JointHierarchy,
    neutral: JointPose,
    /// `joint_from_world` of the neutral pose.
    joint_from_world: Vec<Transform>,
    neutral_world: Vec<Transform>,
    cm: f64,
}

/// World transforms of a skeleton's joints, `world_from_joint`, in the axes of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct SkeletonPose {
    pub(crate) world: Vec<Transform>,
    /// Rows of `world · joint_from_world`, the last number of each the translation.
    pub(crate) skin: Vec<[[f32; 4]; 3]>,
}

impl SkeletonPose {
    /// `world_from_joint` per joint.
    pub fn world(&self) -> &[Transform] {
        &self.world
    }
}

/// What to do with joints beyond what the rig says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointEdits {
    /// Turns: joint, and a rotation that acts inside the neutral orientation, before the rig's own delta.
    pub turns: Vec<(JointId, Rotation3<f64>)>,
    /// Joints that are led from outside: joint, and what takes its neutral world transform to the new one.
    pub led: Vec<(JointId, Transform)>,
}

impl Skeleton {
    /// `cm`: centimetres per unit of translation deltas.
    pub(crate) fn new(hierarchy: JointHierarchy, neutral: JointPose, cm: f64) -> Self {
        let world = neutral.world(&hierarchy);
        let transform = |isometry: &nalgebra::Isometry3<f64>| Transform {
            linear: isometry.rotation.to_rotation_matrix().into_inner(),
            translation: isometry.translation.vector,
        };
        Self {
            neutral_world: world.iter().map(transform).collect(),
            joint_from_world: world.iter().map(|isometry| transform(&isometry.inverse())).collect(),
            hierarchy,
            neutral,
            cm,
        }
    }

    /// Names and parents.
    pub fn hierarchy(&self) -> &JointHierarchy {
        &self.hierarchy
    }

    /// Neutral local transforms.
    pub fn neutral(&self) -> &JointPose {
        &self.neutral
    }

    /// Neutral `world_from_joint`.
    pub fn neutral_world(&self) -> &[Transform] {
        &self.neutral_world
    }

    /// What takes joint `joint` from its neutral place in the world to that of `pose`.
    ///
    /// # Panics
    /// When there is no such joint.
    pub fn displacement(&self, pose: &SkeletonPose, joint: JointId) -> Transform {
        pose.world[joint.index()] * self.joint_from_world[joint.index()]
    }

    /// The neutral pose.
    pub fn rest(&self) -> SkeletonPose {
        let mut pose = SkeletonPose {
            world: self.neutral_world.clone(),
            skin: vec![Default::default(); self.hierarchy.len()],
        };
        self.update_skin(&mut pose);
        pose
    }

    /// Moves `pose` to where `instance` puts the joints. Nothing is allocated.
    ///
    /// # Panics
    /// When `pose` or `instance` has another number of joints.
    pub fn update(&self, instance: &Instance, edits: &JointEdits, pose: &mut SkeletonPose) {
        let rig = instance.rig();
        let (stride, deltas) = (rig.joint_stride(), instance.joints());
        assert_eq!(deltas.len(), self.hierarchy.len() * stride, "an instance of another skeleton");
        let to_rad = if rig.is_radians() { 1.0 } else { std::f64::consts::PI / 180.0 };
        let (order, signs) = (rig.rotation_order(), rig.rotation_signs().map(f64::from));
        self.update_with(edits, pose, |joint| {
            let delta = &deltas[joint * stride..(joint + 1) * stride];
            let (translation, rest) = delta.split_at(3);
            let (rotation, scale) = rest.split_at(stride - 6);
            let rotation = match rig.options().rotation_output {
                RotationOutput::Euler => {
                    let angles = [rotation[0], rotation[1], rotation[2]];
                    let is_still = angles == [0.0; 3];
                    let angles_rad =
                        std::array::from_fn(|axis| f64::from(angles[axis]) * signs[axis] * to_rad);
                    (!is_still).then(|| rotation_from_euler(angles_rad, order))
                }
                RotationOutput::Quaternion => {
                    let is_still = rotation == [0.0, 0.0, 0.0, 1.0];
                    (!is_still).then(|| {
                        rotation_from_quaternion([rotation[0], rotation[1], rotation[2], rotation[3]])
                    })
                }
            };
            let vector = |v: &[f32]| Vector3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
            Delta { translation: vector(translation) * self.cm, rotation, scale: vector(scale) }
        });
    }

    /// Moves `pose` to the neutral pose with `edits`.
    ///
    /// # Panics
    /// When `pose` has another number of joints.
    pub fn update_neutral(&self, edits: &JointEdits, pose: &mut SkeletonPose) {
        self.update_with(edits, pose, |_| Delta {
            translation: Vector3::zeros(),
            rotation: None,
            scale: Vector3::zeros(),
        });
    }

    fn update_with(&self, edits: &JointEdits, pose: &mut SkeletonPose, delta: impl Fn(usize) -> Delta) {
        assert_eq!(pose.world.len(), self.hierarchy.len(), "a pose of another skeleton");
        for &joint in self.hierarchy.top_down() {
            let index = joint.index();
            if let Some((_, world_from_neutral)) = edits.led.iter().find(|(led, _)| *led == joint) {
                pose.world[index] = *world_from_neutral * self.neutral_world[index];
                continue;
            }
            let delta = delta(index);
            let mut linear = *self.neutral.rotations[index].matrix();
            for (_, turn) in edits.turns.iter().filter(|(turned, _)| *turned == joint) {
                linear *= turn.matrix();
            }
            if let Some(rotation) = delta.rotation {
                linear *= rotation.matrix();
            }
            if delta.scale != Vector3::zeros() {
                linear *= Matrix3::from_diagonal(&delta.scale.add_scalar(1.0));
            }
            let parent_from_joint =
                Transform { linear, translation: self.neutral.translations[index] + delta.translation };
            pose.world[index] = match self.hierarchy.parent(joint) {
                Some(parent) => pose.world[parent.index()] * parent_from_joint,
                None => parent_from_joint,
            };
        }
        self.update_skin(pose);
    }

    fn update_skin(&self, pose: &mut SkeletonPose) {
        let joints = pose.world.iter().zip(&self.joint_from_world);
        for (skin, (&world_from_joint, &joint_from_world)) in pose.skin.iter_mut().zip(joints) {
            let map = world_from_joint * joint_from_world;
            *skin = std::array::from_fn(|row| {
                let linear = |column: usize| map.linear[(row, column)] as f32;
                [linear(0), linear(1), linear(2), map.translation[row] as f32]
            });
        }
    }
}

struct Delta {
    translation: Vector3<f64>,
    rotation: Option<Rotation3<f64>>,
    scale: Vector3<f64>,
}

/// The rotation of Euler angles in any order.
pub(crate) fn rotation_from_euler(angles_rad: [f64; 3], order: RotationOrder) -> Rotation3<f64> {
    let x = || Rotation3::from_axis_angle(&Vector3::x_axis(), angles_rad[0]);
    let y = || Rotation3::from_axis_angle(&Vector3::y_axis(), angles_rad[1]);
    let z = || Rotation3::from_axis_angle(&Vector3::z_axis(), angles_rad[2]);
    match order {
        RotationOrder::Xyz => z() * y() * x(),
        RotationOrder::Xzy => y() * z() * x(),
        RotationOrder::Yxz => z() * x() * y(),
        RotationOrder::Yzx => x() * z() * y(),
        RotationOrder::Zxy => y() * x() * z(),
        RotationOrder::Zyx => x() * y() * z(),
    }
}

fn rotation_from_quaternion([x, y, z, w]: [f32; 4]) -> Rotation3<f64> {
    let quaternion = Quaternion::new(f64::from(w), f64::from(x), f64::from(y), f64::from(z));
    UnitQuaternion::from_quaternion(quaternion).to_rotation_matrix()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::euler::{euler_from_quaternion, quaternion_from_euler};
    use proptest::prelude::*;

    const ORDERS: [RotationOrder; 6] = [
        RotationOrder::Xyz,
        RotationOrder::Xzy,
        RotationOrder::Yxz,
        RotationOrder::Yzx,
        RotationOrder::Zxy,
        RotationOrder::Zyx,
    ];

    proptest! {
        #[test]
        fn matrices_quaternions_and_angles_mean_the_same_rotation_in_every_order(
            x in -3.0f64..3.0, y in -1.5f64..1.5, z in -3.0f64..3.0,
        ) {
            for order in ORDERS {
                let matrix = rotation_from_euler([x, y, z], order);
                let angles_rad = [x as f32, y as f32, z as f32];
                let quaternion = quaternion_from_euler(angles_rad, order);
                prop_assert!((matrix.matrix() - rotation_from_quaternion(quaternion).matrix()).amax() < 1e-5);
                let again = euler_from_quaternion(quaternion, order).map(f64::from);
                prop_assert!((matrix.matrix() - rotation_from_euler(again, order).matrix()).amax() < 1e-3);
            }
        }
    }

    fn chain() -> Skeleton {
        let names = ["root", "arm", "hand"].map(str::to_owned).to_vec();
        let hierarchy = JointHierarchy::new(names, vec![None, Some(JointId(0)), Some(JointId(1))]).unwrap();
        let neutral = JointPose {
            translations: vec![
                Vector3::new(0.0, 100.0, 0.0),
                Vector3::new(10.0, 0.0, 0.0),
                Vector3::new(10.0, 0.0, 0.0),
            ],
            rotations: vec![Rotation3::identity(); 3],
        };
        Skeleton::new(hierarchy, neutral, 1.0)
    }

    #[test]
    fn a_turn_moves_what_hangs_below() {
        let skeleton = chain();
        let mut pose = skeleton.rest();
        let quarter = Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
        let edits = JointEdits { turns: vec![(JointId(1), quarter)], ..Default::default() };
        skeleton.update_neutral(&edits, &mut pose);
        let hand = pose.world()[2].translation;
        assert!((hand - Vector3::new(10.0, 110.0, 0.0)).amax() < 1e-12, "{hand}");
    }

    #[test]
    fn a_led_joint_goes_where_it_is_led_and_takes_its_children_along() {
        let skeleton = chain();
        let mut pose = skeleton.rest();
        let up = Transform { translation: Vector3::new(0.0, 5.0, 0.0), ..Transform::identity() };
        let edits = JointEdits { led: vec![(JointId(1), up)], ..Default::default() };
        skeleton.update_neutral(&edits, &mut pose);
        let y = |joint: usize| pose.world()[joint].translation.y;
        assert_eq!([y(0), y(1), y(2)], [100.0, 105.0, 105.0]);
    }

    #[test]
    fn the_inverse_undoes_a_transform() {
        let transform = Transform {
            linear: Matrix3::new(2.0, 0.5, 0.0, 0.0, 1.0, 0.25, 0.0, 0.0, 3.0),
            translation: Vector3::new(1.0, 2.0, 3.0),
        };
        let product = transform.inverse().unwrap() * transform;
        assert!((product.linear - Matrix3::identity()).amax() < 1e-12 && product.translation.amax() < 1e-12);
        assert_eq!(Transform { linear: Matrix3::zeros(), ..transform }.inverse(), None);
    }
}
