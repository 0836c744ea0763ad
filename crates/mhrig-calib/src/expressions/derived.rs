//! Sculpts of whole expressions that a rig stores in parts: splits and phases (mh4m.md 3.5).

use mhrig_dna::Dna;
use mhrig_rig::Axes;
use nalgebra::Vector3;

use super::recalculate::{ExpressionEdit, ExpressionRig};
use super::settings::{ExpressionSettings, Split};
use crate::CalibError;
use crate::check::{count, index, mesh_place};

/// New sculpts of an expression that is meant by its name.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WholeSculpt {
    /// Name of a split or of an expression with phases (as the settings have it), of one phase (`NAME_ph2`), of a control
    /// or of a corrective.
    pub expression: String,
    /// Mesh number, and the posed position of every vertex where the expression is fully on, cm, axes as in the file.
    pub sculpts: Vec<(usize, Vec<[f32; 3]>)>,
}

/// The edits that give expressions of `dna` their new sculpts.
///
/// A split divides what its sculpt moves among its parts: vertices on the character's left go with the left part, those on
/// the right with the right part, and over the band between them one fades into the other, so that both parts together are
/// the whole. An expression with phases has its sculpt in the last one; what that changes earlier phases get by their share
/// of the way, phase / last rounded to three digits, since run-time values between phases are linear. Everything else is
/// one control.
///
/// # Errors
/// [`CalibError::Name`] for an expression that does not exist, [`CalibError::Option`] for a mesh that is sculpted twice,
/// [`CalibError::Count`] or [`CalibError::Index`] for a sculpt that does not fit its mesh.
pub fn sculpt_edits(
    dna: &Dna,
    rig: &ExpressionRig,
    settings: &ExpressionSettings,
    wholes: &[WholeSculpt],
) -> Result<Vec<ExpressionEdit>, CalibError> {
    let mut edits: Vec<ExpressionEdit> = Vec::new();
    for whole in wholes {
        for (mesh, sculpt) in &whole.sculpts {
            index("geom.meshes", 0, *mesh, rig.skins.len())?;
            let expected = dna.geometry.meshes[*mesh].positions.len();
            count(sculpt.len(), expected, || format!("sculpt for {}", mesh_place(dna, *mesh)))?;
        }
        for part in parts_of(dna, rig, settings, whole)? {
            match edits.iter_mut().find(|edit| edit.control == part.control) {
                Some(edit) => {
                    let is_taken = |mesh: usize| edit.sculpts.iter().any(|(other, _)| *other == mesh);
                    if part.sculpts.iter().any(|(mesh, _)| is_taken(*mesh)) {
                        return Err(CalibError::Option {
                            option: "sculpt",
                            found: format!("a second one for {}", whole.expression),
                            expected: "the only one for its mesh",
                        });
                    }
                    edit.sculpts.extend(part.sculpts);
                }
                None => edits.push(part),
            }
        }
    }
    Ok(edits)
}

fn parts_of(
    dna: &Dna,
    rig: &ExpressionRig,
    settings: &ExpressionSettings,
    whole: &WholeSculpt,
) -> Result<Vec<ExpressionEdit>, CalibError> {
    let control = |name: &str| match rig.graph().find(name) {
        Some(expression) => Ok(expression.control),
        None => Err(CalibError::Name { command: "sculpt", name: name.to_owned() }),
    };
    let name = whole.expression.as_str();
    let edit = |control, sculpts| ExpressionEdit { control, joints: None, sculpts };
    if let Some(split) = settings.splits.get(name) {
        let sides = [(&split.left, 1.0), (&split.right, -1.0)];
        let parts = sides.into_iter().filter_map(|(part, side)| Some((part.as_ref()?, side)));
        return parts
            .map(|(part, side)| {
                let sculpts = whole.sculpts.iter();
                let sculpts =
                    sculpts.map(|(mesh, sculpt)| (*mesh, share(dna, rig, split, side, *mesh, sculpt)));
                Ok(edit(control(part)?, sculpts.collect()))
            })
            .collect();
    }
    if let Some(phases) = settings.phases.get(name) {
        return phase_edits(dna, rig, phases, whole, control);
    }
    let phase = name.rsplit_once("_ph").and_then(|(of, number)| {
        let number: usize = number.parse().ok()?;
        settings.phases.get(of)?.get(number.checked_sub(1)?)
    });
    Ok(vec![edit(control(phase.map_or(name, String::as_str))?, whole.sculpts.clone())])
}

/// The share of one side in what a sculpt of the whole moves.
fn share(
    dna: &Dna,
    rig: &ExpressionRig,
    split: &Split,
    side: f64,
    mesh: usize,
    sculpt: &[[f32; 3]],
) -> Vec<[f32; 3]> {
    let axes = Axes::turned(&dna.descriptor.coordinate_system);
    let unit = rig.cm_per_unit;
    let neutral = dna.geometry.meshes[mesh].positions.iter();
    let moved = sculpt.iter().zip(neutral).map(|(sculpt, neutral)| {
        let neutral = Vector3::from(neutral.map(f64::from)) * unit;
        let x = f64::from(axes.apply(neutral.map(|c| c as f32).into())[0]) * side;
        let weight = side_weight(x, f64::from(split.band_cm));
        let moved = Vector3::from(sculpt.map(f64::from)) - neutral;
        (neutral + moved * weight).map(|c| c as f32).into()
    });
    moved.collect()
}

/// How much of a vertex belongs to a side, `x` cm from the middle: the weights of both sides add up to 1.
fn side_weight(x: f64, band: f64) -> f64 {
    if x.abs() >= band / 2.0 && x != 0.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let t = if band > 0.0 { x / band + 0.5 } else { 0.5 };
    t * t * (3.0 - 2.0 * t)
}

fn phase_edits(
    dna: &Dna,
    rig: &ExpressionRig,
    phases: &[String],
    whole: &WholeSculpt,
    control: impl Fn(&str) -> Result<u16, CalibError>,
) -> Result<Vec<ExpressionEdit>, CalibError> {
    let controls: Vec<u16> = phases.iter().map(|phase| control(phase)).collect::<Result<_, _>>()?;
    let Some(&last) = controls.last() else { return Ok(Vec::new()) };
    let mut edits = Vec::with_capacity(controls.len());
    for (at, &phase) in controls.iter().enumerate() {
        let mut sculpts = Vec::new();
        for (mesh, sculpt) in &whole.sculpts {
            if phase == last {
                sculpts.push((*mesh, sculpt.clone()));
                continue;
            }
            let multiplier = ((at + 1) as f64 / controls.len() as f64 * 1000.0).round() / 1000.0;
            let before = rig.sculpt(dna, usize::from(last), *mesh)?;
            let own = rig.sculpt(dna, usize::from(phase), *mesh)?;
            let moved = own.into_iter().zip(before).zip(sculpt).map(|((own, before), sculpt)| {
                std::array::from_fn(|axis| {
                    (own[axis] + multiplier * (f64::from(sculpt[axis]) - before[axis])) as f32
                })
            });
            sculpts.push((*mesh, moved.collect()));
        }
        edits.push(ExpressionEdit { control: phase, joints: None, sculpts });
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sides_add_up_to_the_whole() {
        for band in [0.0, 0.5, 3.0] {
            for x in [-4.0, -1.0, -0.2, 0.0, 0.1, 0.25, 1.5, 9.0] {
                let sum = side_weight(x, band) + side_weight(-x, band);
                assert!((sum - 1.0).abs() < 1e-12, "{x} in a band of {band}: {sum}");
            }
        }
        assert_eq!((side_weight(2.0, 1.0), side_weight(-2.0, 1.0)), (1.0, 0.0));
    }
}
