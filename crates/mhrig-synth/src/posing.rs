use mhrig_geom::SkinWeights;
use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::skeleton::{PartSkeleton, decoded};

/// Deltas of all joints of a part as joint groups store them: tx ty tz in cm, rx ry rz in degrees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointDeltas(pub(crate) Vec<[f32; 6]>);

impl JointDeltas {
    pub(crate) fn zero(joint_count: usize) -> Self {
        Self(vec![[0.0; 6]; joint_count])
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
    skin: Vec<Affine>,
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

/// Poses `skeleton` by `deltas`: local = neutral translation + delta, neutral rotation × delta rotation.
pub(crate) fn pose(skeleton: &PartSkeleton, deltas: &JointDeltas) -> Posed {
    let count = skeleton.names.len();
    let mut posed = Posed {
        world_from_joint: Vec::with_capacity(count),
        skin: Vec::with_capacity(count),
        moved: Vec::with_capacity(count),
    };
    for joint in 0..count {
        let [tx, ty, tz, rx, ry, rz] = deltas.0[joint];
        let parent = skeleton.parents[joint];
        let own = deltas.0[joint] != [0.0; 6];
        let moved = own || parent.is_some_and(|parent| posed.moved[parent]);
        let rest = skeleton.world_from_joint[joint];
        let world = if moved {
            let mut local = skeleton.parent_from_joint[joint];
            let delta = decoded([tx, ty, tz], [rx, ry, rz]);
            local.translation.vector += delta.translation.vector;
            local.rotation *= delta.rotation;
            parent.map_or(Isometry3::identity(), |parent| posed.world_from_joint[parent]) * local
        } else {
            rest
        };
        let skin = if moved { world * rest.inverse() } else { Isometry3::identity() };
        posed.world_from_joint.push(world);
        posed.moved.push(moved);
        posed.skin.push(Affine {
            linear: skin.rotation.to_rotation_matrix().into_inner(),
            shift: skin.translation.vector,
        });
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
            blended.linear += self.skin[joint].linear * weight;
            blended.shift += self.skin[joint].shift * weight;
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
