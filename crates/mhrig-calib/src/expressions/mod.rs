//! Expressions: what each control does to joints and blend shapes, as shapes that can be kept, edited and computed anew.
//!
//! The **sculpt** of an expression is the posed shape of a mesh when the expression is fully on: blend shapes are added
//! to the neutral mesh, then the mesh is skinned to the posed joints. A main expression is one control at 1; a corrective
//! (PSD) is its component controls together, at the values at which it is fully on, with every corrective of a subset of
//! them active as well. `target = complex pose + corrective`: the complex pose is what components and lower correctives
//! give, the corrective makes the target of it. Correctives are computed in layers, each after the subsets of its
//! components (mh4m.md 3.3 to 3.6).

mod columns;
mod derived;
mod graph;
mod matching;
mod posing;
mod recalculate;
mod settings;
mod shapes;
mod transfer;

pub use derived::{WholeSculpt, sculpt_edits};
pub use graph::{Component, Expression, ExpressionGraph};
pub use matching::{JointMatch, MatchOptions};
pub(crate) use recalculate::make_up_for_pruned_joints;
pub use recalculate::{
    ExpressionEdit, ExpressionRig, NewTargets, RecalculateOptions, RecalculateReport, recalculate,
};
pub use settings::{ExpressionSettings, Split};
pub(crate) use shapes::insert_channel;
pub use transfer::{TransferPlan, TransferReport};

use serde::{Deserialize, Serialize};

/// What becomes of the expressions when the neutral pose changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpressionMode {
    /// Deltas stay as they are and are pruned.
    Carry,
    /// Sculpts are made of the deltas on the new neutral pose, joint values are pruned, and blend shapes take what that
    /// cost, so that every sculpt is what it was before pruning.
    #[default]
    Recalculate,
    /// Deltas are turned and scaled as the surface around them was, then pruned.
    Transfer,
}
