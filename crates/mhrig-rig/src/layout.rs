use std::ops::Range;

/// Sections of the control space, one contiguous vector: raw controls, correctives, ML controls, RBF pose
/// controls (riglogic.md 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ControlLayout {
    /// Number of raw controls.
    pub raw_count: usize,
    /// Number of correctives.
    pub psd_count: usize,
    /// Number of controls that networks write.
    pub ml_count: usize,
    /// Number of controls that RBF poses write.
    pub rbf_count: usize,
}

impl ControlLayout {
    /// Number of controls of all kinds.
    pub const fn len(&self) -> usize {
        self.rbf().end
    }

    /// Whether there are no controls.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The raw controls.
    pub const fn raw(&self) -> Range<usize> {
        0..self.raw_count
    }

    /// The correctives.
    pub const fn psds(&self) -> Range<usize> {
        self.raw_count..self.raw_count + self.psd_count
    }

    /// The controls that networks write.
    pub const fn ml(&self) -> Range<usize> {
        let start = self.psds().end;
        start..start + self.ml_count
    }

    /// The controls that RBF poses write.
    pub const fn rbf(&self) -> Range<usize> {
        let start = self.ml().end;
        start..start + self.rbf_count
    }
}
