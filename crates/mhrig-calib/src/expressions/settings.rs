use std::collections::BTreeMap;

use mhrig_dna::Dna;
use serde::{Deserialize, Serialize};

/// What an archetype's `expressions.json` says: the parts of a rig definition that a DNA cannot hold. Everything is
/// optional. Expressions are named like raw controls, with or without the part before the dot; correctives by the names
/// that `targets` gives them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpressionSettings {
    /// Expressions that are sculpted as a whole and stored in parts: a sculpt of such a name is divided among them, see
    /// [`crate::expressions::sculpt_edits`].
    pub splits: BTreeMap<String, Split>,
    /// Expressions that run through several shapes, with the controls of the shapes in order: a sculpt of such a name
    /// is that of the last, and what it changes earlier ones get in part; `NAME_ph1` means the first alone.
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

    /// What of this is about `dna`: entries all of whose controls it has.
    #[must_use]
    pub fn of_rig(&self, dna: &Dna) -> Self {
        let raw = &dna.definition.raw_control_names;
        let known = |name: &String| raw.iter().any(|control| is_named(&control.to_str(), name));
        let mut of_rig = self.clone();
        of_rig.splits.retain(|_, split| [&split.left, &split.right].into_iter().flatten().all(known));
        of_rig.phases.retain(|_, controls| controls.iter().all(known));
        of_rig.targets.retain(|_, components| components.iter().all(known));
        of_rig.multipliers.retain(|target, _| of_rig.targets.contains_key(target));
        of_rig
    }

    /// Entries that are about none of these rigs, as `targets.laugh`.
    pub fn entries_for_none_of<'a>(&self, rigs: impl Iterator<Item = &'a Dna>) -> Vec<String> {
        let of_rigs: Vec<Self> = rigs.map(|dna| self.of_rig(dna)).collect();
        let mut rest = Vec::new();
        let mut add = |kind: &str, name: &String, is_known: &dyn Fn(&Self) -> bool| {
            if !of_rigs.iter().any(is_known) {
                rest.push(format!("{kind}.{name}"));
            }
        };
        self.splits.keys().for_each(|name| add("splits", name, &|rig| rig.splits.contains_key(name)));
        self.phases.keys().for_each(|name| add("phases", name, &|rig| rig.phases.contains_key(name)));
        self.targets.keys().for_each(|name| add("targets", name, &|rig| rig.targets.contains_key(name)));
        let multipliers = self.multipliers.keys();
        multipliers.for_each(|name| add("multipliers", name, &|rig| rig.multipliers.contains_key(name)));
        rest
    }
}

/// Whether a raw control is meant by `name`: its whole name, or what comes after the dot.
pub(crate) fn is_named(control: &str, name: &str) -> bool {
    control == name || control.rsplit('.').next() == Some(name)
}
