//! Checks that meshes have the template's topology, and places joints from them.
//!
//! A [`FitTemplate`] is prepared once per part (head or body) from a skeleton, its skinned meshes and the
//! archetype's rules. [`fit`] then places every joint for a person's meshes: each joint by the first strategy
//! that has evidence for it, translations only. Fitting works in `f64`, world space, cm, Y up.
#![forbid(unsafe_code)]

// Tests of private rooms use the pack of the public tests.
#[cfg(test)]
extern crate self as mhrig_fit;

mod accuracy;
mod chains;
mod character;
mod distances;
mod fill;
mod local;
mod patches;
mod placement;
mod roles;
mod row_bytes;
mod seed;
mod settings;
mod subtree;
mod template;
mod topology;
mod warp;

pub use accuracy::{AccuracyRow, AccuracyTable, Statistics, WorstJoint, measure_accuracy};
pub use character::Character;
pub use distances::{DISTANCE_RANGE_CM, MEAN_DISTANCE_RANGE_CM, PartDistance, part_distances};
pub use fill::{FilledMesh, fill_from_skin};
pub use local::{local_translations, shared_joints, world_positions};
pub use placement::{Constraint, ConstraintKind, FitError, JointPlacement, Placement, Rule, Strategy};
pub use roles::{MeshEvidence, MeshRole};
pub use row_bytes::RowStore;
pub use seed::fit;
pub use settings::{
    ChainRule, EyeRule, FitOptions, MappingEffect, MappingRow, MappingTable, StrategySet, SubtreeFit,
    TemplateSettings,
};
pub use template::{FitTemplate, InvalidTemplate, Targets, TemplateMesh, TemplateProblem};
pub use topology::{
    Count, Fix, InputMesh, MeshCheck, Repair, RepairedMesh, TopologyReport, check_topology, repair_meshes,
};
