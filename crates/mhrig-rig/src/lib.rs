//! A DNA as a rig: its neutral pose as geometry, and its evaluation.
//!
//! [`Rig`] is what a DNA computes, checked and laid out; [`Instance`] is one character's state.
#![forbid(unsafe_code)]

mod axes;
mod batch;
mod channels;
mod checks;
mod deform;
mod drivers;
mod error;
mod euler;
mod frames;
mod instance;
mod inverse;
mod layout;
mod linear_joints;
mod motion;
mod names;
mod networks;
mod neutral;
mod operations;
mod options;
mod pruning;
mod psd;
mod quaternion_joints;
mod rbf;
mod rbf_poses;
mod rig;
mod skeleton;
mod table;
mod twist_swing;

pub use axes::Axes;
pub use batch::{BatchError, evaluate_clips};
pub use deform::{DeformError, DeformMesh, Deformer};
pub use drivers::Driver;
pub use error::{EvaluationError, RigError, UnknownName};
pub use frames::{Frame, FrameControls, FrameError, FrameProblem, parse_frames};
pub use instance::Instance;
pub use layout::ControlLayout;
pub use motion::{
    ControlMotion, MOVED_CM, MeshMotion, MotionError, Moving, SWEEP_TURN_DEGREES, Stretch, TEAR_FACTOR,
    TEAR_RATIO, judge_rest, judge_sweep,
};
pub use names::nearest_names;
pub use neutral::{Neutral, NeutralError, NeutralMesh};
pub use options::{
    PruneThresholds, RigOptions, RotationOrder, RotationOutput, Semantics, rotation_convention,
};
pub use quaternion_joints::QuaternionJoint;
pub use rbf_poses::{RbfPoseWeight, RbfSolverView, judge_rbf_poses};
pub use rig::{JOINT_ATTRIBUTES, Rig, RigNames};
pub use skeleton::{JointEdits, Skeleton, SkeletonPose, Transform};
