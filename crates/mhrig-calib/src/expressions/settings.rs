use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What an archetype's `expressions.json` says: the parts of a rig definition that a DNA cannot hold. Everything is
/// optional. Expressions are named like raw controls, with or without the part before the dot; correctives by the names
/// that `targets` gives them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpressionSettings {
    /// Expressions that are sculpted as a whole and stored in parts.
    pub splits: BTreeMap<String, Split>,
    /// Expressions that run through several shapes, with the controls of the shapes in order.
    pub phases: BTreeMap<String, Vec<String>>,
    /// Names for correctives, each with the components by which it is found.
    pub targets: BTreeMap<String, Vec<String>>,
    /// Per named corrective, the value of a component at which the target was sculpted; 1, or what the corrective's
    /// weights say, when not given.
    pub multipliers: BTreeMap<String, BTreeMap<String, f32>>,
    /// Keys of the file that this version does not know.
    #[serde(flatten)]
    pub other: BTreeMap<String, serde_json::Value>,
}

/// How the sculpt of a whole expression is divided among its parts.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Split {
    /// The part for the character's left side.
    pub left: Option<String>,
    /// The part for the character's right side.
    pub right: Option<String>,
    /// Width of the band around the middle over which one side fades into the other, cm.
    pub band_cm: f32,
}

impl ExpressionSettings {
    /// Reads the content of an `expressions.json`.
    ///
    /// # Errors
    /// What in it is not of this form.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(value)
    }
}

/// Whether a raw control is meant by `name`: its whole name, or what comes after the dot.
pub(crate) fn is_named(control: &str, name: &str) -> bool {
    control == name || control.rsplit('.').next() == Some(name)
}
