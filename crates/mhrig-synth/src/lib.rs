//! Makes archetypes: the demo human from the assets, and seeded synthetic rigs of full size.
#![forbid(unsafe_code)]

mod error;
mod human;
pub mod pack;

pub use error::{PackError, SynthError};
pub use human::{
    DemoHuman, HumanExpression, HumanJoint, HumanJointDelta, HumanPart, Identity, JointSet, SparseShape,
    human_parts,
};
