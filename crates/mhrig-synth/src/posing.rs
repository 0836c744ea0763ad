use mhrig_geom::SkinWeights;
use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3, Vector4};

use crate::skeleton::{PartSkeleton, decoded};

/// Deltas of all joints of a part as joint groups store them: tx ty tz in cm, rx ry rz in degrees, sx sy sz
/// as differences to 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointDeltas(pub(crate) Vec<[f32; 9]>);

impl JointDeltas {
    pub(crate) fn zero(joint_count: usize) -> Self {
        Self(vec![[0.0; 9]; joint_count])
    }

    /// Adds `other`, as a joint matrix does with the columns of two controls at 1.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, delta) in self.0.iter_mut().zip(&other.0) {
            for (value, delta) in sum.iter_mut().zip(delta) {
                *value += delta;
            }
        }
    }
}

/// The world transforms of a posed skeleton, and what they do to skin.
pub(crate) struct Posed {
    pub(crate) world_from_joint: Vec<Isometry3<f64>>,
    /// Skinning transforms: posed world × inverse of rest.
    pub(crate) skin: Vec<Isometry3<f64>>,
    /// Whether a joint's world transform differs from the one at rest.
    pub(crate) moved: Vec<bool>,
}

/// A linear map and a shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine {
    pub(crate) linear: Matrix3<f64>,
    pub(crate) shift: Vector3<f64>,
}

impl Affine {
    pub(crate) fn apply(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.shift
    }

    /// The point that [`Affine::apply`] takes to `image`; `None` where the map is flat.
    pub(crate) fn solve(&self, image: Vector3<f64>) -> Option<Vector3<f64>> {
        Some(self.linear.try_inverse()? * (image - self.shift))
    }
}

/// Poses `skeleton` by `deltas`: local = neutral translation + delta, neutral rotation × delta rotation. Scale is left out;
/// no expression has any.
pub(crate) fn pose(skeleton: &PartSkeleton, deltas: &JointDeltas) -> Posed {
    pose_by(skeleton, |joint| {
        let [tx, ty, tz, rx, ry, rz, ..] = deltas.0[joint];
        let is_still = [tx, ty, tz, rx, ry, rz] == [0.0; 6];
        (!is_still).then(|| decoded([tx, ty, tz], [rx, ry, rz]))
    })
}

/// Poses `skeleton` by a translation in the parent's frame and a rotation in the joint's own; `None` where there is none.
pub(crate) fn pose_by(skeleton: &PartSkeleton, delta: impl Fn(usize) -> Option<Isometry3<f64>>) -> Posed {
    let count = skeleton.names.len();
    let mut posed = Posed {
        world_from_joint: Vec::with_capacity(count),
        skin: Vec::with_capacity(count),
        moved: Vec::with_capacity(count),
    };
    for joint in 0..count {
        let parent = skeleton.parents[joint];
        let delta = delta(joint);
        let moved = delta.is_some() || parent.is_some_and(|parent| posed.moved[parent]);
        let rest = skeleton.world_from_joint[joint];
        let world = if moved {
            let mut local = skeleton.parent_from_joint[joint];
            if let Some(delta) = delta {
                local.translation.vector += delta.translation.vector;
                local.rotation *= delta.rotation;
            }
            parent.map_or(Isometry3::identity(), |parent| posed.world_from_joint[parent]) * local
        } else {
            rest
        };
        let skin = if moved { world * rest.inverse() } else { Isometry3::identity() };
        posed.world_from_joint.push(world);
        posed.moved.push(moved);
        posed.skin.push(skin);
    }
    posed
}

impl Posed {
    /// The blended transform of one vertex, `None` when none of its joints moved.
    pub(crate) fn blend(&self, skin: &SkinWeights, number: &[Option<u16>], vertex: usize) -> Option<Affine> {
        let influences = skin
            .influences(vertex)
            .filter_map(|(joint, weight)| Some((usize::from(number[joint.index()]?), f64::from(weight))));
        if !influences.clone().any(|(joint, _)| self.moved[joint]) {
            return None;
        }
        let mut blended = Affine { linear: Matrix3::zeros(), shift: Vector3::zeros() };
        let mut sum = 0.0;
        for (joint, weight) in influences {
            let skin = &self.skin[joint];
            blended.linear += skin.rotation.to_rotation_matrix().into_inner() * weight;
            blended.shift += skin.translation.vector * weight;
            sum += weight;
        }
        blended.linear /= sum;
        blended.shift /= sum;
        Some(blended)
    }
}

/// A stored position in double precision.
pub(crate) fn vector(position: [f32; 3]) -> Vector3<f64> {
    Vector3::from(position.map(f64::from))
}

/// Where dual quaternion skinning puts a point: "Geometric skinning with approximate dual quaternion blending" (Kavan et al.,
/// 2008). Unlike linear blending it keeps the volume of a bent or twisted limb. `None` when none of the joints moved.
pub(crate) fn dual_quaternion_skinned(
    posed: &Posed,
    skin: &SkinWeights,
    number: &[Option<u16>],
    vertex: usize,
    rest: Vector3<f64>,
) -> Option<Vector3<f64>> {
    let influences = skin
        .influences(vertex)
        .filter_map(|(joint, weight)| Some((usize::from(number[joint.index()]?), f64::from(weight))));
    if !influences.clone().any(|(joint, _)| posed.moved[joint]) {
        return None;
    }
    let (mut real, mut dual) = (Quaternion::from(Vector4::zeros()), Quaternion::from(Vector4::zeros()));
    let mut first: Option<Quaternion<f64>> = None;
    for (joint, weight) in influences {
        let transform = &posed.skin[joint];
        let rotation = transform.rotation.into_inner();
        let shift = Quaternion::from_imag(transform.translation.vector);
        // Both signs are the same rotation; all have to be on the side of the first.
        let reference = first.get_or_insert(rotation);
        let signed = if reference.dot(&rotation) < 0.0 { -weight } else { weight };
        real += rotation * signed;
        dual += shift * rotation * (0.5 * signed);
    }
    let length = real.norm();
    let (real, dual) = (real / length, dual / length);
    let shift = (dual * real.conjugate()).imag() * 2.0;
    Some(UnitQuaternion::new_unchecked(real) * rest + shift)
}
