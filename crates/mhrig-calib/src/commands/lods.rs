use mhrig_dna::{AnimatedMaps, Dna, LodMode, LodSelection};
use mhrig_report::{Finding, Severity};

use super::SetLods;
use crate::CalibError;

pub(super) fn set(
    dna: &mut Dna,
    args: &SetLods,
    compat: bool,
    findings: &mut Vec<Finding>,
) -> Result<(), CalibError> {
    let mode = if compat { LodMode::Compat } else { LodMode::Correct };
    let selection = LodSelection::List(args.lods.clone());
    // Selecting takes the model and may refuse half-way, never because of geometry: a first run without the geometry,
    // which is most of a file, tells whether the second will go through.
    let geometry = std::mem::take(&mut dna.geometry);
    let trial = Dna::clone(dna).select_lods(&selection, mode);
    dna.geometry = geometry;
    trial.map_err(CalibError::Lods)?;
    let maps = (!compat && !args.renumber_maps).then(|| dna.behavior.animated_maps.clone());
    let (selected, report) = std::mem::take(dna).select_lods(&selection, mode).map_err(CalibError::Lods)?;
    *dna = selected;
    if let Some(maps) = maps {
        leave_map_numbers(dna, maps, &report.lods, findings);
    }
    Ok(())
}

/// Leaves the rows of animated maps with the numbers that the maps had before, as the reference library does and files
/// made with it are expected to be. Where that is not where the map now stands, a finding says so.
fn leave_map_numbers(dna: &mut Dna, mut maps: AnimatedMaps, lods: &[u16], findings: &mut Vec<Finding>) {
    let renumbered = &dna.behavior.animated_maps.conditionals.output_indices;
    maps.lods = lods.iter().filter_map(|&lod| maps.lods.get(usize::from(lod)).copied()).collect();
    let rows = usize::from(maps.lods.first().copied().unwrap_or(0));
    let table = &mut maps.conditionals;
    table.input_indices.truncate(rows);
    table.output_indices.truncate(rows);
    table.from_values.truncate(rows);
    table.to_values.truncate(rows);
    table.slope_values.truncate(rows);
    table.cut_values.truncate(rows);
    if table.output_indices != *renumbered {
        findings.push(Finding::new(
            "MAP_NUMBERS",
            Severity::Warning,
            "bhvr.animatedMaps.conditionals.outputIndices",
            "maps were dropped before others, and rows name maps by the numbers they had before",
            "give SetLODs the argument \"renumberMaps\": true to have the rows follow their maps",
        ));
    }
    dna.behavior.animated_maps = maps;
}
