use mhrig_dna::PsdMatrix;
use mhrig_report::{Finding, Severity};

use crate::checks::Checks;
use crate::layout::ControlLayout;

/// Correctives: `min(1, weight · product of the inputs, each clamped to 0…1)` (riglogic.md 4).
#[derive(Clone, Debug, Default)]
pub(crate) struct Psds {
    all: Vec<Psd>,
    inputs: Vec<u16>,
    lods: Vec<ActivePsds>,
}

#[derive(Clone, Debug, Default)]
struct Psd {
    weight: f32,
    /// Range of `Psds::inputs`.
    inputs: std::ops::Range<u32>,
}

/// What one LOD evaluates. Few correctives have more than four inputs: those that have not are filled up with an
/// input that is always 1, so that they all take the same, unbranched way.
#[derive(Clone, Debug, Default)]
struct ActivePsds {
    short: Vec<ShortPsd>,
    long: Vec<u16>,
}

#[derive(Clone, Copy, Debug)]
struct ShortPsd {
    weight: f32,
    inputs: [u16; 4],
    output: u16,
}

impl Psds {
    pub(crate) fn new(checks: &mut Checks, matrix: &PsdMatrix, layout: &ControlLayout) -> Self {
        let path = "bhvr.controls.psds";
        let mut is_good =
            checks.length(|| format!("{path}.columns"), matrix.rows.len(), matrix.columns.len());
        is_good &= checks.length(|| format!("{path}.values"), matrix.rows.len(), matrix.values.len());
        is_good &= checks.indices(|| format!("{path}.columns"), &matrix.columns, layout.len(), "control");
        is_good &= checks.finite(|| format!("{path}.values"), &matrix.values);
        let psds = layout.psds();
        let rows: Vec<Option<usize>> = matrix
            .rows
            .iter()
            .map(|&row| usize::from(row).checked_sub(psds.start).filter(|&psd| psd < psds.len()))
            .collect();
        for (at, _) in rows.iter().enumerate().filter(|(_, psd)| psd.is_none()) {
            is_good = false;
            let message = "this is not the number of a corrective in the control space";
            let remedy = "correct the number, or remove the cell";
            let finding =
                Finding::new("INDEX_RANGE", Severity::Error, format!("{path}.rows[{at}]"), message, remedy);
            checks.error(finding.with_values(format!("{} to {}", psds.start, psds.end), matrix.rows[at]));
        }
        if !is_good {
            return Self::default();
        }
        let mut counts = vec![0u32; psds.len()];
        for &psd in rows.iter().flatten() {
            counts[psd] += 1;
        }
        let mut all = Vec::with_capacity(psds.len());
        let mut start = 0;
        for &count in &counts {
            let weight = if count == 0 { 0.0 } else { 1.0 };
            all.push(Psd { weight, inputs: start..start });
            start += count;
        }
        let mut inputs = vec![0; start as usize];
        for ((psd, &column), &value) in rows.iter().flatten().zip(&matrix.columns).zip(&matrix.values) {
            let psd = &mut all[*psd];
            psd.weight *= value;
            inputs[psd.inputs.end as usize] = column;
            psd.inputs.end += 1;
        }
        Self { all, inputs, lods: Vec::new() }
    }

    /// Keeps active, per LOD, the correctives that `is_read[lod][control]` names.
    pub(crate) fn activate(&mut self, layout: &ControlLayout, is_read: &[Vec<bool>]) {
        let psds = layout.psds();
        let one = layout.len() as u16;
        self.lods = is_read
            .iter()
            .map(|is_read| {
                let active: Vec<u16> = (0..self.all.len())
                    .filter(|psd| is_read[psds.start + psd])
                    .map(|psd| psd as u16)
                    .collect();
                let mut result = ActivePsds::default();
                for &number in &active {
                    let psd = &self.all[usize::from(number)];
                    let inputs = self.inputs_of(psd);
                    let mut padded = [one; 4];
                    match padded.get_mut(..inputs.len()) {
                        Some(start) => {
                            start.copy_from_slice(inputs);
                            let output = psds.start as u16 + number;
                            result.short.push(ShortPsd { weight: psd.weight, inputs: padded, output });
                        }
                        None => result.long.push(number),
                    }
                }
                result
            })
            .collect();
    }

    fn inputs_of(&self, psd: &Psd) -> &[u16] {
        &self.inputs[psd.inputs.start as usize..psd.inputs.end as usize]
    }

    /// Number of correctives that LOD `lod` evaluates.
    pub(crate) fn active_count(&self, lod: usize) -> usize {
        self.lods.get(lod).map_or(0, |active| active.short.len() + active.long.len())
    }

    /// Numbers of the controls that LOD `lod` evaluates as correctives, ascending.
    pub(crate) fn active_controls(&self, lod: usize, psd_base: usize) -> Vec<usize> {
        let Some(active) = self.lods.get(lod) else { return Vec::new() };
        let short = active.short.iter().map(|psd| usize::from(psd.output));
        let long = active.long.iter().map(|&number| psd_base + usize::from(number));
        let mut all: Vec<usize> = short.chain(long).collect();
        all.sort_unstable();
        all
    }

    /// Writes the correctives of `lod` into `controls`. They read those of the frame before where they read each
    /// other. `clamped`: one longer than `controls`, contents irrelevant.
    #[inline(always)]
    pub(crate) fn evaluate(&self, lod: usize, psd_base: usize, controls: &mut [f32], clamped: &mut [f32]) {
        let Some(active) = self.lods.get(lod) else { return };
        let (one, clamped_controls) = (controls.len(), &mut *clamped);
        for (clamped, &control) in clamped_controls.iter_mut().zip(&*controls) {
            *clamped = control.clamp(0.0, 1.0);
        }
        clamped[one] = 1.0;
        let capped = |product: f32| if product > 1.0 { 1.0 } else { product };
        for psd in &active.short {
            let [a, b, c, d] = psd.inputs.map(|input| clamped[usize::from(input)]);
            controls[usize::from(psd.output)] = capped(psd.weight * a * b * c * d);
        }
        for &number in &active.long {
            let psd = &self.all[usize::from(number)];
            let inputs = self.inputs_of(psd).iter();
            let product = inputs.fold(psd.weight, |product, &input| product * clamped[usize::from(input)]);
            controls[psd_base + usize::from(number)] = capped(product);
        }
    }
}
