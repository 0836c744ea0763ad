//! Makes archetypes: the demo human from the assets, and seeded synthetic rigs of full size.
//!
//! ```
//! use mhrig_synth::{DemoHuman, DemoOptions, demo_archetype};
//!
//! let human = DemoHuman::load()?;
//! let archetype = demo_archetype(&human, &DemoOptions::default())?;
//! assert_eq!(archetype.head.definition.joint_names[0], "spine_04");
//! let (name, mesh) = &human.identity_meshes("dev01_young_woman")?[0];
//! assert_eq!((*name, mesh.positions.len()), ("head_lod0_mesh", 4368));
//! # Ok::<(), mhrig_synth::SynthError>(())
//! ```
#![forbid(unsafe_code)]

mod archetype;
mod body;
pub mod coarse;
mod combinations;
mod controls;
mod correctives;
pub mod decimate;
mod drivers;
mod error;
mod expressions;
mod full;
mod geometry;
mod head;
pub mod human;
mod joint_groups;
mod lods;
mod maps;
mod neck;
pub mod pack;
mod posing;
mod seam;
mod skeleton;
mod splits;
mod surface;
mod translation_fit;

pub use archetype::{DemoOptions, MadeArchetype, WriteError, demo_archetype};
pub use controls::shape_controls;
pub use error::{PackError, SynthError};
pub use full::{FullOptions, FullSize, full_size};
pub use human::{
    DemoHuman, HumanExpression, HumanJoint, HumanJointDelta, HumanPart, Identity, JointSet, SparseShape,
    TEMPLATE_IDENTITY, human_parts,
};
pub use skeleton::Orient;
