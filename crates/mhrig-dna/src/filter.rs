//! Parts of a file: by layer and by LOD (dna-format.md, section 7).

mod lods;

use std::ops::{BitOr, BitOrAssign};

use crate::{Dna, LayerKind};

pub use lods::{LodMode, LodReport, LodSelection};

/// Layers to keep, see [`Dna::select_layers`]. Each brings the ones it builds on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSelection(u16);

impl LayerSelection {
    /// `desc`.
    pub const DESCRIPTOR: Self = Self(1);
    /// `defn`, with the descriptor.
    pub const DEFINITION: Self = Self(2 | Self::DESCRIPTOR.0);
    /// `bhvr`, with the definition.
    pub const BEHAVIOR: Self = Self(4 | Self::DEFINITION.0);
    /// `geom`, with the definition.
    pub const GEOMETRY: Self = Self(8 | Self::DEFINITION.0);
    /// `geom` without blend shape targets, with the definition.
    pub const GEOMETRY_WITHOUT_BLEND_SHAPES: Self = Self(16 | Self::DEFINITION.0);
    /// `mlbh` and `mlbe`, with the definition.
    pub const MACHINE_LEARNED_BEHAVIOR: Self = Self(32 | Self::DEFINITION.0);
    /// `rbfb` and `rbfe`, with the behavior.
    pub const RBF_BEHAVIOR: Self = Self(64 | Self::BEHAVIOR.0);
    /// `jbmd`, with the definition.
    pub const JOINT_BEHAVIOR_METADATA: Self = Self(128 | Self::DEFINITION.0);
    /// `twsw`, with the definition.
    pub const TWIST_SWING_BEHAVIOR: Self = Self(256 | Self::DEFINITION.0);
    /// Everything.
    pub const ALL: Self = Self(495);

    /// Names, for command lines, and what they select.
    pub const NAMES: [(&'static str, Self); 10] = [
        ("descriptor", Self::DESCRIPTOR),
        ("definition", Self::DEFINITION),
        ("behavior", Self::BEHAVIOR),
        ("geometry", Self::GEOMETRY),
        ("geometry-without-blend-shapes", Self::GEOMETRY_WITHOUT_BLEND_SHAPES),
        ("ml", Self::MACHINE_LEARNED_BEHAVIOR),
        ("rbf", Self::RBF_BEHAVIOR),
        ("joint-metadata", Self::JOINT_BEHAVIOR_METADATA),
        ("twist-swing", Self::TWIST_SWING_BEHAVIOR),
        ("all", Self::ALL),
    ];

    /// The selection of that name in [`LayerSelection::NAMES`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, selection)| selection)
    }

    /// Whether all of `other` is selected.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn keeps(self, kind: LayerKind) -> bool {
        match kind {
            LayerKind::Descriptor | LayerKind::DescriptorExt => self.contains(Self::DESCRIPTOR),
            LayerKind::Definition => self.contains(Self::DEFINITION),
            LayerKind::Behavior => self.contains(Self::BEHAVIOR),
            LayerKind::Geometry => {
                self.contains(Self::GEOMETRY) || self.contains(Self::GEOMETRY_WITHOUT_BLEND_SHAPES)
            }
            LayerKind::MachineLearnedBehavior | LayerKind::MachineLearnedBehaviorExt => {
                self.contains(Self::MACHINE_LEARNED_BEHAVIOR)
            }
            LayerKind::RbfBehavior | LayerKind::RbfBehaviorExt => self.contains(Self::RBF_BEHAVIOR),
            LayerKind::JointBehaviorMetadata => self.contains(Self::JOINT_BEHAVIOR_METADATA),
            LayerKind::TwistSwingBehavior => self.contains(Self::TWIST_SWING_BEHAVIOR),
        }
    }
}

impl BitOr for LayerSelection {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for LayerSelection {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl Dna {
    /// Empties all layers that are not selected and gives them back. Their index entries stay, as in files that
    /// the reference library saves; layers that are kept as bytes stay too.
    pub fn select_layers(&mut self, selection: LayerSelection) -> Vec<LayerKind> {
        let mut emptied = Vec::new();
        for kind in LayerKind::ALL {
            if selection.keeps(kind) {
                continue;
            }
            if !self.is_layer_empty(kind) {
                emptied.push(kind);
            }
            self.clear_layer(kind);
            for layer in self.layers.iter_mut().filter(|layer| layer.kind() == Some(kind)) {
                layer.surplus.clear();
            }
        }
        if !selection.contains(LayerSelection::GEOMETRY) {
            self.geometry.meshes.iter_mut().for_each(|mesh| mesh.blend_shape_targets.clear());
        }
        emptied
    }
}
