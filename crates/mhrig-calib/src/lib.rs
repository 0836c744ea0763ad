//! Edits of a DNA: a new neutral pose, lower LOD meshes, normals, pruning, the seam of head and body.
//!
//! Everything works on an owned [`mhrig_dna::Dna`] in place, since a full head is some 50 MB. An edit that returns
//! an error may have changed part of the model: such a model is not to be written.
//!
//! The neutral update of a character, whose expressions are carried over and pruned (mh4m.md 3.6, "fast path"), is
//! [`NeutralPlan::from_template`] followed by [`NeutralPlan::apply`]; the plan can be kept and applied to any number
//! of copies of its template. The steps are public on their own as well:
//! [`set_neutral_joint_translations`], [`set_mesh_positions`], [`LodBindings`], [`NormalPlan`], [`prune`],
//! [`SeamPlan`], [`Inventory`].
#![forbid(unsafe_code)]

mod check;
pub mod commands;
mod error;
pub mod expressions;
mod file_frame;
mod inventory;
mod joint_space;
mod lod_meshes;
mod neutral;
mod normals;
mod prune;
mod rings;
mod seam;
mod setters;
mod skin;
mod units;

pub use check::check_mesh;
pub use commands::{Command, Engine, NativeEngine, Outcome};
pub use error::{CalibError, CommandStatus};
pub use file_frame::FileFrame;
pub use inventory::{CollapseLimits, Inventory, Retained, Retention};
pub use lod_meshes::{LodBindings, LodMeshReport, lod_base_name, regenerate_lods_by_uv};
pub use neutral::{
    JointReport, MeshPositions, MeshReport, MeshSource, NeutralInput, NeutralOptions, NeutralPlan,
    NeutralReport,
};
pub use normals::{NormalChange, NormalPlan};
pub use prune::{PruneReport, PruneThresholds, Pruned, prune, prune_blend_shapes, prune_joint_values};
pub use seam::{SeamLod, SeamPlan, SeamReport};
pub use setters::{Moved, set_mesh_positions, set_neutral_joint_translations};
pub use skin::{
    MeshWeights, WeightPolicy, WeightReport, apply_weights, set_mesh_weights, transfer_skin_weights,
};
