use mhrig_dna::BlendShapeChannels;

use crate::checks::Checks;
use crate::layout::ControlLayout;

/// Controls that drive blend shape channels (riglogic.md 11).
#[derive(Clone, Debug, Default)]
pub(crate) struct Channels {
    rows: Vec<(u16, u16)>,
    rows_of_lod: Vec<usize>,
}

impl Channels {
    pub(crate) fn new(
        checks: &mut Checks,
        channels: &BlendShapeChannels,
        layout: &ControlLayout,
        channel_count: usize,
        lod_count: usize,
    ) -> Self {
        let path = "bhvr.blendShapeChannels";
        let (inputs, outputs) = (&channels.input_indices, &channels.output_indices);
        checks.length(|| format!("{path}.outputIndices"), inputs.len(), outputs.len());
        checks.indices(|| format!("{path}.inputIndices"), inputs, layout.len(), "control");
        checks.indices(|| format!("{path}.outputIndices"), outputs, channel_count, "blend shape channel");
        let rows_of_lod =
            checks.rows_of_lod(|| format!("{path}.lods"), &channels.lods, lod_count, inputs.len());
        Self { rows: inputs.iter().copied().zip(outputs.iter().copied()).collect(), rows_of_lod }
    }

    /// Control and channel of each row that `lod` uses.
    pub(crate) fn rows(&self, lod: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = &self.rows[..self.rows_of_lod[lod].min(self.rows.len())];
        rows.iter().map(|&(input, output)| (usize::from(input), usize::from(output)))
    }

    pub(crate) fn evaluate(&self, lod: usize, controls: &[f32], weights: &mut [f32]) {
        weights.fill(0.0);
        for (input, output) in self.rows(lod) {
            weights[output] = controls[input];
        }
    }
}
