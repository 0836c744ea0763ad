//! The DNACalib command set as data: what each command is called, what it takes, and how it is written in JSON.
//!
//! A command is an object with the key `command` and its arguments, see [`Command`]. Numbers are decimals, or
//! `"NaN"`, `"Infinity"`, `"-Infinity"`, and are rounded to `f32` before use. Lengths are in the file's unit of length,
//! joint rotations in its unit of angle. A key that a command does not know is an error.

mod blend_shapes;
mod extra;
mod lod_positions;
mod lods;
mod meshes;
mod number;
mod remove;
mod remove_joint;
mod rename;
mod renumber;
mod run;
mod transform;

pub use extra::{
    Item, PruneJointValues, RecalculateNormals, RemoveBlendShapeTarget, SetBlendShapeTarget, SetJointParent,
    SetMeshSkinWeights, SetNormals, SetTextureCoordinates, TransferSkinWeights,
};
pub use number::Number;
pub use run::{Engine, NativeEngine, Outcome};

use serde::{Deserialize, Serialize};

/// A vector of three [`Number`]s.
pub type Vector = [Number; 3];

/// One edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command")]
#[non_exhaustive]
pub enum Command {
    /// Vertices of the lower LOD meshes from a mesh, by texture coordinates.
    #[serde(rename = "CalculateMeshLowerLODs")]
    CalculateMeshLowerLods(OfMesh),
    /// Positions of a mesh.
    SetVertexPositions(SetVertexPositions),
    /// Local translation of every joint.
    SetNeutralJointTranslations(JointValues),
    /// Local rotation of every joint.
    SetNeutralJointRotations(JointValues),
    /// Influences of one vertex.
    SetSkinWeights(SetSkinWeights),
    /// Deltas of one blend shape target.
    SetBlendShapeTargetDeltas(SetBlendShapeTargetDeltas),
    /// Drops deltas that are not longer than a threshold.
    PruneBlendShapeTargets(Threshold),
    /// Removes all blend shapes.
    ClearBlendShapes(NoArguments),
    /// Removes blend shape channels with their targets and rows.
    RemoveBlendShape(Removal),
    /// Removes animated maps with their rows.
    RemoveAnimatedMap(Removal),
    /// Removes meshes.
    RemoveMesh(Removal),
    /// Removes joints.
    RemoveJoint(Removal),
    /// Removes what controls do to joints.
    RemoveJointAnimation(Removal),
    /// Renames a joint.
    RenameJoint(Renaming),
    /// Renames a mesh.
    RenameMesh(Renaming),
    /// Renames a blend shape channel.
    RenameBlendShape(Renaming),
    /// Renames an animated map.
    RenameAnimatedMap(Renaming),
    /// Turns the whole rig.
    Rotate(Rotate),
    /// Scales the whole rig.
    Scale(Scale),
    /// Moves the whole rig.
    Translate(Translate),
    /// Keeps some LODs.
    #[serde(rename = "SetLODs")]
    SetLods(SetLods),
    /// Makes or replaces a blend shape target, with the channel and its driver where it is new. Ours.
    SetBlendShapeTarget(SetBlendShapeTarget),
    /// Removes a blend shape target, and its channel with the last one of it. Ours.
    RemoveBlendShapeTarget(RemoveBlendShapeTarget),
    /// Texture coordinates of a mesh. Ours.
    SetTextureCoordinates(SetTextureCoordinates),
    /// Normals of a mesh. Ours.
    SetNormals(SetNormals),
    /// Computes normals from the faces. Ours.
    RecalculateNormals(RecalculateNormals),
    /// Influences of all vertices of a mesh. Ours.
    SetMeshSkinWeights(SetMeshSkinWeights),
    /// Skin weights of one mesh from the surface of another. Ours.
    TransferSkinWeights(TransferSkinWeights),
    /// Hangs a joint from another one. Ours.
    SetJointParent(SetJointParent),
    /// Sets small values of joint groups to 0. Ours.
    PruneJointValues(PruneJointValues),
    /// Several commands in order.
    CommandSequence(CommandSequence),
    /// A command that runs only under a condition.
    Conditional(Conditional),
}

impl Command {
    /// Whether the reference library has this command, and for a sequence or a condition all commands in it.
    pub fn is_of_library(&self) -> bool {
        match self {
            Self::SetBlendShapeTarget(_)
            | Self::RemoveBlendShapeTarget(_)
            | Self::SetTextureCoordinates(_)
            | Self::SetNormals(_)
            | Self::RecalculateNormals(_)
            | Self::SetMeshSkinWeights(_)
            | Self::TransferSkinWeights(_)
            | Self::SetJointParent(_)
            | Self::PruneJointValues(_) => false,
            Self::CommandSequence(sequence) => sequence.commands.iter().all(Self::is_of_library),
            Self::Conditional(conditional) => conditional.then.is_of_library(),
            _ => true,
        }
    }

    /// The name as written in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CalculateMeshLowerLods(_) => "CalculateMeshLowerLODs",
            Self::SetVertexPositions(_) => "SetVertexPositions",
            Self::SetNeutralJointTranslations(_) => "SetNeutralJointTranslations",
            Self::SetNeutralJointRotations(_) => "SetNeutralJointRotations",
            Self::SetSkinWeights(_) => "SetSkinWeights",
            Self::SetBlendShapeTargetDeltas(_) => "SetBlendShapeTargetDeltas",
            Self::PruneBlendShapeTargets(_) => "PruneBlendShapeTargets",
            Self::ClearBlendShapes(_) => "ClearBlendShapes",
            Self::RemoveBlendShape(_) => "RemoveBlendShape",
            Self::RemoveAnimatedMap(_) => "RemoveAnimatedMap",
            Self::RemoveMesh(_) => "RemoveMesh",
            Self::RemoveJoint(_) => "RemoveJoint",
            Self::RemoveJointAnimation(_) => "RemoveJointAnimation",
            Self::RenameJoint(_) => "RenameJoint",
            Self::RenameMesh(_) => "RenameMesh",
            Self::RenameBlendShape(_) => "RenameBlendShape",
            Self::RenameAnimatedMap(_) => "RenameAnimatedMap",
            Self::Rotate(_) => "Rotate",
            Self::Scale(_) => "Scale",
            Self::Translate(_) => "Translate",
            Self::SetLods(_) => "SetLODs",
            Self::SetBlendShapeTarget(_) => "SetBlendShapeTarget",
            Self::RemoveBlendShapeTarget(_) => "RemoveBlendShapeTarget",
            Self::SetTextureCoordinates(_) => "SetTextureCoordinates",
            Self::SetNormals(_) => "SetNormals",
            Self::RecalculateNormals(_) => "RecalculateNormals",
            Self::SetMeshSkinWeights(_) => "SetMeshSkinWeights",
            Self::TransferSkinWeights(_) => "TransferSkinWeights",
            Self::SetJointParent(_) => "SetJointParent",
            Self::PruneJointValues(_) => "PruneJointValues",
            Self::CommandSequence(_) => "CommandSequence",
            Self::Conditional(_) => "Conditional",
        }
    }
}

/// How given values meet those that are there, with `w` the mask or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Operation {
    /// `a·(1 − w) + b·w`.
    #[default]
    Interpolate,
    /// `a + b·w`.
    Add,
    /// `a − b·w`.
    Subtract,
    /// `a·(1 − w + b·w)`; the reference library computes `a·(b·w)`.
    Multiply,
}

/// No argument.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}

/// Which mesh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfMesh {
    /// Number of the mesh.
    pub mesh: usize,
}

/// Arguments of [`Command::SetVertexPositions`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetVertexPositions {
    /// Number of the mesh.
    pub mesh: usize,
    /// One per vertex.
    pub positions: Vec<Vector>,
    /// One weight per vertex; all 1 when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masks: Option<Vec<Number>>,
    /// How they meet the present positions.
    #[serde(default)]
    pub operation: Operation,
}

/// One vector per joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointValues {
    /// In the unit of the file.
    pub values: Vec<Vector>,
}

/// Arguments of [`Command::SetSkinWeights`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetSkinWeights {
    /// Number of the mesh.
    pub mesh: usize,
    /// Number of the vertex.
    pub vertex: usize,
    /// Weight of each influence; brought to sum 1.
    pub weights: Vec<Number>,
    /// Joint of each influence.
    pub joints: Vec<usize>,
}

/// Arguments of [`Command::SetBlendShapeTargetDeltas`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetBlendShapeTargetDeltas {
    /// Number of the mesh.
    pub mesh: usize,
    /// Number of the target within the mesh.
    pub target: usize,
    /// One delta per entry of `vertices`.
    pub deltas: Vec<Vector>,
    /// Vertices that the deltas are for; those of the target when not given or empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<u32>>,
    /// One weight per delta; all 1 when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masks: Option<Vec<Number>>,
    /// How they meet the present deltas.
    #[serde(default)]
    pub operation: Operation,
}

/// Arguments of [`Command::PruneBlendShapeTargets`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// Deltas up to this length go, in the file's unit of length.
    pub threshold: Number,
}

/// What to remove: one number, several, or the setter calls made on one command object, of which the last counts.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    /// One number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Several numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<usize>>,
    /// Setter calls; the last one counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setters: Vec<RemovalSetter>,
    /// [`Command::RemoveJoint`] only: who gets the weights of removed joints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<RemovedWeights>,
}

/// One setter call of a [`Removal`].
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemovalSetter {
    /// One number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Several numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indices: Option<Vec<usize>>,
}

/// Who gets the weights of removed joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemovedWeights {
    /// The other influences of the vertex, in proportion; the nearest kept ancestor where there is none.
    #[default]
    Rest,
    /// The nearest kept ancestor, merged with what it has.
    Parent,
}

/// What to rename: by number or by name, or the setter calls made on one command object, of which the last counts.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Renaming {
    /// Which, by number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Which, by name; the first of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    /// Its new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_name: Option<String>,
    /// Setter calls; the last one counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setters: Vec<RenamingSetter>,
}

/// One setter call of a [`Renaming`].
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RenamingSetter {
    /// Which, by number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Which, by name; the first of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    /// Its new name.
    pub new_name: String,
}

/// Arguments of [`Command::Rotate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// Angles about the world's x, y, z axes, applied in that order.
    pub degrees: Vector,
    /// Point that stays; the world's origin when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Vector>,
}

/// Arguments of [`Command::Scale`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// At least 0.
    pub factor: Number,
    /// Point that stays; the world's origin when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Vector>,
}

/// Arguments of [`Command::Translate`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translate {
    /// How far, in the file's unit of length.
    pub vector: Vector,
}

/// Arguments of [`Command::SetLods`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename_all = "camelCase")]
pub struct SetLods {
    /// LODs to keep.
    pub lods: Vec<u16>,
    /// Whether rows of animated maps follow maps that get another number. The reference library does not do it, and
    /// its vectors expect it not to be done; a finding tells when it matters.
    #[serde(default)]
    pub renumber_maps: bool,
}

/// Arguments of [`Command::CommandSequence`].
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSequence {
    /// The commands in order.
    pub commands: Vec<Command>,
    /// Positions of commands that are added once more at the end. It is the same command object that runs again:
    /// [`Command::SetBlendShapeTargetDeltas`] keeps the vertices that it took from its target the first time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeat: Vec<usize>,
    /// Positions, in the list with repeats, of commands that are taken out again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<usize>,
}

/// Arguments of [`Command::Conditional`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditional {
    /// Asked when the command's turn comes.
    pub condition: Condition,
    /// What runs when it holds.
    pub then: Box<Command>,
}

/// A question about the model as it is at that moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "camelCase")]
pub enum Condition {
    /// Holds.
    Always,
    /// Does not hold.
    Never,
    /// Whether there are at least so many meshes.
    MeshCountAtLeast(usize),
    /// Whether there are at least so many LODs.
    LodCountAtLeast(usize),
    /// Whether there is a joint of that name.
    JointExists(String),
}
