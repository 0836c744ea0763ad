use crate::LayerSelection;

/// How to read a file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What to do with layers that this crate does not know.
    pub unknown_layers: UnknownLayers,
    /// Which layers to read. The others are passed over: they are empty, and of unknown layers nothing is kept.
    pub layers: LayerSelection,
    /// Whether an index that points to nothing is an error. Otherwise it stays as it is; [`Dna::validate`] tells.
    ///
    /// [`Dna::validate`]: crate::Dna::validate
    pub check_indices: bool,
}

impl Default for ReadOptions {
    /// Everything, unknown layers kept, indices not checked.
    fn default() -> Self {
        Self { unknown_layers: UnknownLayers::Keep, layers: LayerSelection::ALL, check_indices: false }
    }
}

impl ReadOptions {
    /// These options with another policy for unknown layers.
    pub fn with_unknown_layers(mut self, policy: UnknownLayers) -> Self {
        self.unknown_layers = policy;
        self
    }

    /// These options for some layers only.
    pub fn with_layers(mut self, layers: LayerSelection) -> Self {
        self.layers = layers;
        self
    }

    /// These options, with indices checked.
    pub fn with_checked_indices(mut self) -> Self {
        self.check_indices = true;
        self
    }
}

/// Policy for layers, or versions of layers, that this crate does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UnknownLayers {
    /// Keep them as bytes.
    #[default]
    Keep,
    /// Leave them out.
    Drop,
}
