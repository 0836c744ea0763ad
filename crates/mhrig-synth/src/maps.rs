//! Animated maps of the head: how much of a wrinkle map or a colour map a material shows.

use mhrig_dna::Dna;

use crate::combinations::Combination;
use crate::controls::MainControl;
use crate::head::{push_row, rows_per_lod};

/// A map comes up with its expression from `from` on and is full at `to`.
struct Ramp {
    /// After `head_`, such as `cm1_color.head_wm1_jawOpen`; `@` stands for L or R, `%` for U or D.
    map: &'static str,
    /// Control, or two controls joined by `*` for their corrective.
    inputs: &'static [&'static str],
    from: f32,
    to: f32,
}

const fn ramp(map: &'static str, inputs: &'static [&'static str], from: f32, to: f32) -> Ramp {
    Ramp { map, inputs, from, to }
}

/// The most visible ones first: coarser LODs have a leading part of the list.
const RAMPS: [Ramp; 17] = [
    ramp("cm2_color.head_wm2_browsDown_@", &["browDown@"], 0.0, 1.0),
    ramp("cm1_color.head_wm1_browsRaiseInner_@", &["browRaiseIn@"], 0.0, 1.0),
    ramp("cm1_color.head_wm1_browsRaiseOuter_@", &["browRaiseOuter@"], 0.0, 1.0),
    ramp("cm3_color.head_wm3_smile_@", &["mouthCornerPull@", "eyeCheekRaise@*mouthCornerPull@"], 0.1, 0.9),
    ramp("cm1_color.head_wm1_jawOpen", &["jawOpen"], 0.0, 0.5),
    ramp("cm2_color.head_wm2_noseWrinkler_@", &["noseWrinkle@"], 0.0, 1.0),
    ramp("cm1_color.head_wm1_blink_@", &["eyeBlink@"], 0.5, 1.0),
    ramp("cm1_color.head_wm1_squintInner_@", &["eyeSquintInner@"], 0.0, 1.0),
    ramp("cm3_color.head_wm13_lips_%@", &["mouthLipsPurse%@", "mouthFunnel%@"], 0.0, 1.0),
    ramp("cm2_color.head_wm2_mouthStretch_@", &["mouthStretch@"], 0.2, 1.0),
    ramp("wm1_normal.head_wm1_browsRaiseInner_@", &["browRaiseIn@"], 0.0, 1.0),
    ramp("wm1_normal.head_wm1_chinRaise_@", &["jawChinRaiseD@"], 0.0, 1.0),
    ramp("wm2_normal.head_wm2_browsDown_@", &["browDown@"], 0.0, 1.0),
    ramp("wm2_normal.head_wm2_noseWrinkler_@", &["noseWrinkle@"], 0.0, 1.0),
    ramp("wm3_normal.head_wm3_smile_@", &["mouthCornerPull@"], 0.1, 0.9),
    ramp("wm3_normal.head_wm3_cheekRaiseInner_@", &["eyeCheekRaise@"], 0.0, 1.0),
    ramp("wm3_normal.head_wm13_lips_%@", &["mouthLipsPurse%@", "mouthFunnel%@"], 0.0, 1.0),
];

/// Number of leading entries of [`RAMPS`] that each LOD has; beyond the last one, none.
const RAMPS_PER_LOD: [usize; 6] = [17, 17, 10, 10, 6, 3];

/// Adds the maps and their rows: per input one that rises and one that stays at its height, the latter only where the
/// former ends before 1.
pub(crate) fn set_animated_maps(dna: &mut Dna, controls: &[MainControl], combinations: &[Combination]) {
    let first_corrective = dna.definition.raw_control_names.len();
    let number = |input: &str| -> Option<u16> {
        if input.contains('*') {
            let components: Vec<&str> = input.split('*').collect();
            let at = combinations.iter().position(|combination| combination.components == components)?;
            return Some((first_corrective + at) as u16);
        }
        controls.iter().position(|control| control.name == input).map(|at| at as u16)
    };
    let lod_count = usize::from(dna.descriptor.lod_count);
    let mut rows_after = vec![0u16];
    let mut maps_after = vec![0u16];
    for Ramp { map, inputs, from, to } in RAMPS {
        let halves: &[&str] = if map.contains('%') { &["U", "D"] } else { &[""] };
        let sides: &[&str] = if map.contains('@') { &["L", "R"] } else { &[""] };
        for half in halves {
            for side in sides {
                let fill = |text: &str| text.replace('%', half).replace('@', side);
                let output = dna.definition.animated_map_names.len() as u16;
                dna.definition.animated_map_names.push(format!("head_{}", fill(map)).into());
                for input in inputs.iter().filter_map(|input| number(&fill(input))) {
                    let slope = 1.0 / (to - from);
                    let table = &mut dna.behavior.animated_maps.conditionals;
                    push_row(table, input, output, [from, to, slope, -from * slope]);
                    if to < 1.0 {
                        push_row(table, input, output, [to, 1.0, 0.0, 1.0]);
                    }
                }
            }
        }
        rows_after.push(dna.behavior.animated_maps.conditionals.input_indices.len() as u16);
        maps_after.push(dna.definition.animated_map_names.len() as u16);
    }
    let ramps = |lod: usize| RAMPS_PER_LOD.get(lod).copied().unwrap_or(0);
    dna.behavior.animated_maps.lods = (0..lod_count).map(|lod| rows_after[ramps(lod)]).collect();
    dna.definition.lod_animated_map_mapping =
        rows_per_lod((0..lod_count).map(|lod| (0..maps_after[ramps(lod)]).collect()));
}
