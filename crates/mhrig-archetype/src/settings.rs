use mhrig_fit::{ChainRule, EyeRule};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The content of `rig.json`. Keys that are not known here are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArchetypeSettings {
    /// Version of this format: 1.
    pub format: u32,
    /// Name of the archetype, shown in reports.
    pub name: String,
    /// The head, if the archetype has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<PartSettings>,
    /// The body, if the archetype has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<PartSettings>,
    /// Joints that an artist is expected to place by hand.
    #[serde(default)]
    pub user_defined_joints: Vec<String>,
    /// Below what size deltas are dropped.
    #[serde(default)]
    pub pruning: Pruning,
    /// The border where head and body meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seam: Option<SeamSettings>,
    /// Keys of the file that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What the archetype says of its head or its body.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct PartSettings {
    /// File name of the template DNA, relative to the archetype folder.
    pub dna: String,
    /// Joints at the centres of eyeballs.
    #[serde(default)]
    pub eyes: Vec<EyeRule>,
    /// Joints that lie between two others.
    #[serde(default)]
    pub chains: Vec<ChainRule>,
    /// Keys of the file that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Sizes below which deltas do not matter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pruning {
    /// Length of a blend shape delta, cm.
    pub blend_shape_cm: f64,
    /// Translation of a joint, cm.
    pub joint_translation_cm: f64,
    /// Rotation of a joint, degrees.
    pub joint_rotation_deg: f64,
    /// Scale of a joint, as a difference to 1.
    pub joint_scale: f64,
}

impl Default for Pruning {
    fn default() -> Self {
        Self { blend_shape_cm: 0.002, joint_translation_cm: 0.0, joint_rotation_deg: 0.0, joint_scale: 0.0 }
    }
}

/// Where the border between head and body is described.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeamSettings {
    /// Mesh of the head.
    pub head_mesh: String,
    /// Mesh of the body.
    pub body_mesh: String,
    /// File with the vertex pairs, relative to the archetype folder.
    pub file: String,
}
