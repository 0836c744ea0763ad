//! Joints whose rotation drives others: RBF solvers, and twist and swing setups.

use mhrig_dna::{Dna, RbfPose, RbfPoseControls, RbfSolver, TwistSwing};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Values of [`RbfSolver`]'s enumerations (dna-format.md 6.6).
pub(crate) mod rbf {
    pub(crate) const ADDITIVE: u16 = 0;
    pub(crate) const INTERPOLATIVE: u16 = 1;
    pub(crate) const AUTOMATIC_RADIUS: u16 = 0;
    pub(crate) const GIVEN_RADIUS: u16 = 1;
    pub(crate) const QUATERNION: u16 = 1;
    pub(crate) const SWING_ANGLE: u16 = 2;
    pub(crate) const TWIST_ANGLE: u16 = 3;
    pub(crate) const ONLY_ABOVE_ONE: u16 = 0;
    pub(crate) const GAUSSIAN: u16 = 0;
    pub(crate) const EXPONENTIAL: u16 = 1;
    pub(crate) const LINEAR: u16 = 2;
}

/// A quaternion in the order of a DNA: x y z w.
fn xyzw(rotation: &UnitQuaternion<f64>) -> [f32; 4] {
    // The side of the sphere makes no difference to a rotation; w ≥ 0 is what a rest pose has.
    let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
    [rotation.i, rotation.j, rotation.k, rotation.w].map(|c| (c * sign) as f32 + 0.0)
}

/// Adds the four raw controls of a driver joint.
pub(crate) fn push_driver(dna: &mut Dna, joint: &str) {
    for component in ["qx", "qy", "qz", "qw"] {
        dna.definition.raw_control_names.push(format!("{joint}.{component}").into());
    }
}

/// The numbers of the raw controls of a driver joint, x y z w; empty when it is none.
pub(crate) fn driver_controls(dna: &Dna, joint: &str) -> Vec<u16> {
    let names = &dna.definition.raw_control_names;
    let first = format!("{joint}.qx");
    let first = names.iter().position(|name| *name == *first);
    first.map_or(Vec::new(), |first| (first as u16..first as u16 + 4).collect())
}

/// A pose of a solver.
#[derive(Clone, Debug)]
pub(crate) struct Pose {
    pub(crate) name: String,
    /// Rotation of each of the solver's joints, relative to rest, in the joint's own frame.
    pub(crate) turns: Vec<UnitQuaternion<f64>>,
    /// Pose controls that it writes: number among all pose controls, and weight.
    pub(crate) outputs: Vec<(usize, f32)>,
}

/// A solver before it is in a DNA.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    pub(crate) name: String,
    /// Driver joints.
    pub(crate) joints: Vec<String>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) solver_type: u16,
    pub(crate) distance_method: u16,
    pub(crate) function_type: u16,
    /// Degrees; `None` for the automatic one.
    pub(crate) radius_deg: Option<f32>,
    pub(crate) twist_axis: u16,
}

/// Weights below this are cut.
const WEIGHT_THRESHOLD: f32 = 0.001;

/// Adds solvers with their poses. Names of pose controls have to be complete before, since they set the numbers.
pub(crate) fn push_solvers(dna: &mut Dna, solvers: &[Solver]) {
    let first_pose_control =
        dna.definition.raw_control_names.len() + usize::from(dna.behavior.controls.psd_count);
    for solver in solvers {
        let mut record = RbfSolver {
            name: solver.name.as_str().into(),
            raw_control_indices: solver.joints.iter().flat_map(|joint| driver_controls(dna, joint)).collect(),
            radius: solver.radius_deg.unwrap_or(1.0),
            weight_threshold: WEIGHT_THRESHOLD,
            solver_type: solver.solver_type,
            automatic_radius: if solver.radius_deg.is_some() {
                rbf::GIVEN_RADIUS
            } else {
                rbf::AUTOMATIC_RADIUS
            },
            distance_method: solver.distance_method,
            normalize_method: rbf::ONLY_ABOVE_ONE,
            function_type: solver.function_type,
            twist_axis: solver.twist_axis,
            ..RbfSolver::default()
        };
        for pose in &solver.poses {
            record.pose_indices.push(dna.rbf_behavior.poses.len() as u16);
            record.raw_control_values.extend(pose.turns.iter().flat_map(xyzw));
            dna.rbf_behavior.poses.push(RbfPose { name: pose.name.as_str().into(), scale: 1.0 });
            dna.rbf_behavior_ext.poses.push(RbfPoseControls {
                input_control_indices: Vec::new(),
                output_control_indices: pose
                    .outputs
                    .iter()
                    .map(|&(control, _)| (first_pose_control + control) as u16)
                    .collect(),
                output_control_weights: pose.outputs.iter().map(|&(_, weight)| weight).collect(),
            });
        }
        dna.rbf_behavior.solvers.push(record);
    }
}

/// A joint that takes a share of a driver's rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Follow {
    /// A child of the driver that keeps the whole twist out and goes along with this share of the swing.
    Swing(f64),
    /// A child of the driver that goes along with the whole swing and this share of the twist; needs a [`Follow::Swing`] of
    /// the same driver.
    TwistOfParent(f64),
    /// A joint beside the driver that takes this share of the driver's twist.
    TwistOfSibling(f64),
}

/// The rotation of a follower in its own frame (riglogic.md 10), for a driver turned by `turn`.
pub(crate) fn follow(turn: &UnitQuaternion<f64>, follow: Follow, axis: usize) -> UnitQuaternion<f64> {
    let twist = twist_about(turn, axis);
    let identity = UnitQuaternion::identity();
    match follow {
        Follow::Swing(share) => {
            let without_twist = twist.inverse();
            let swing_back = (turn * without_twist).inverse();
            without_twist * shortest_slerp(&swing_back, &identity, share)
        }
        Follow::TwistOfParent(share) => shortest_slerp(&twist.inverse(), &identity, share),
        Follow::TwistOfSibling(share) => shortest_slerp(&twist, &identity, 1.0 - share),
    }
}

/// The part of a rotation that turns about axis 0, 1 or 2.
pub(crate) fn twist_about(turn: &UnitQuaternion<f64>, axis: usize) -> UnitQuaternion<f64> {
    let mut imaginary = Vector3::zeros();
    imaginary[axis] = turn.as_vector()[axis];
    let twist = Quaternion::from_parts(turn.w, imaginary);
    UnitQuaternion::try_new(twist, 1e-12).unwrap_or_default()
}

fn shortest_slerp(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>, t: f64) -> UnitQuaternion<f64> {
    from.try_slerp(to, t, 1e-12).unwrap_or(*to)
}

/// Adds twist and swing setups of one driver.
pub(crate) fn push_followers(dna: &mut Dna, driver: &str, axis: u16, followers: &[(u16, Follow)]) {
    let inputs = driver_controls(dna, driver);
    let setup = |wanted: fn(&Follow) -> Option<f64>| {
        let outputs = followers.iter().filter_map(|(joint, follow)| Some((*joint, wanted(follow)?)));
        let (output_joint_indices, blend_weights): (Vec<u16>, Vec<f32>) =
            outputs.map(|(joint, weight)| (joint, weight as f32)).unzip();
        let input_control_indices = inputs.clone();
        (!output_joint_indices.is_empty()).then_some(TwistSwing {
            blend_weights,
            output_joint_indices,
            input_control_indices,
            twist_axis: axis,
        })
    };
    let swing = setup(|follow| if let Follow::Swing(share) = follow { Some(*share) } else { None });
    let of_parent =
        setup(|follow| if let Follow::TwistOfParent(share) = follow { Some(*share) } else { None });
    let of_sibling =
        setup(|follow| if let Follow::TwistOfSibling(share) = follow { Some(1.0 - share) } else { None });
    dna.twist_swing_behavior.swings.extend(swing);
    dna.twist_swing_behavior.twists.extend(of_parent);
    dna.twist_swing_behavior.twists.extend(of_sibling);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn followers_take_their_share(
            axis in proptest::array::uniform3(-1.0f64..1.0), angle in -2.5f64..2.5, share in 0.0f64..1.0
        ) {
            let Some(axis) = nalgebra::Unit::try_new(Vector3::from(axis), 1e-3) else { return Ok(()) };
            let turn = UnitQuaternion::from_axis_angle(&axis, angle);
            let twist = twist_about(&turn, 0);
            let swing = turn * twist.inverse();
            // A child's rotation in the world of the unturned driver is turn × its own.
            let world = turn * follow(&turn, Follow::Swing(share), 0);
            prop_assert!(world.angle_to(&swing.powf(share)) < 1e-6);
            let world = turn * follow(&turn, Follow::TwistOfParent(share), 0);
            prop_assert!(world.angle_to(&(swing * twist.powf(share))) < 1e-6);
            prop_assert!(follow(&turn, Follow::TwistOfSibling(share), 0).angle_to(&twist.powf(share)) < 1e-6);
        }
    }
}
