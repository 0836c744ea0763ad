use mhrig_dna::{BlendShapeTarget, Descriptor, Dna, JointGroup};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::CalibError;
use crate::check::{check_meshes, count};
use crate::units::{cm_per_unit, degrees_per_unit};

/// Up to which size values are dropped; a value of exactly that size goes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PruneThresholds {
    /// Length of a blend shape delta, cm.
    pub blend_shape_cm: f64,
    /// Joint translation per unit of control, cm.
    pub joint_translation_cm: f64,
    /// Joint rotation per unit of control, degrees.
    pub joint_rotation_deg: f64,
    /// Joint scale per unit of control.
    pub joint_scale: f64,
    /// Whether rows and columns of joint groups that pruning emptied are taken out. Rows and columns that were empty
    /// before stay, and so does everything in groups of joints whose rotation is a quaternion, where the order of
    /// columns matters.
    pub drop_emptied: bool,
}

impl Default for PruneThresholds {
    /// 0.002 cm for blend shapes, nothing but zeros for joints.
    fn default() -> Self {
        Self {
            blend_shape_cm: 0.002,
            joint_translation_cm: 0.0,
            joint_rotation_deg: 0.0,
            joint_scale: 0.0,
            drop_emptied: true,
        }
    }
}

impl PruneThresholds {
    /// Largest translation, rotation and scale that go, in the file's units.
    pub(crate) fn joint_limits(&self, descriptor: &Descriptor) -> [f64; 3] {
        [
            self.joint_translation_cm / cm_per_unit(descriptor),
            self.joint_rotation_deg / degrees_per_unit(descriptor),
            self.joint_scale,
        ]
        .map(as_stored)
    }
}

/// Numbers of one kind of value before and after pruning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Pruned {
    /// Number before, zeros not counted for joints.
    pub before: usize,
    /// How many went.
    pub pruned: usize,
}

/// What pruning took away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
pub struct PruneReport {
    /// Blend shape deltas.
    pub blend_shape_deltas: Pruned,
    /// Blend shape targets that lost their last delta; they stay as empty targets.
    pub emptied_targets: usize,
    /// Joint translation values.
    pub joint_translations: Pruned,
    /// Joint rotation values.
    pub joint_rotations: Pruned,
    /// Joint scale values.
    pub joint_scales: Pruned,
    /// Rows taken out of joint groups.
    pub dropped_rows: usize,
    /// Columns taken out of joint groups.
    pub dropped_columns: usize,
}

/// Prunes blend shapes and joint values, see [`prune_blend_shapes`] and [`prune_joint_values`].
///
/// # Errors
/// Those of the two.
pub fn prune(dna: &mut Dna, thresholds: &PruneThresholds) -> Result<PruneReport, CalibError> {
    let mut report = prune_joint_values(dna, thresholds)?;
    let blend_shapes = prune_blend_shapes(dna, thresholds.blend_shape_cm)?;
    report.blend_shape_deltas = blend_shapes.blend_shape_deltas;
    report.emptied_targets = blend_shapes.emptied_targets;
    Ok(report)
}

/// Drops blend shape deltas of at most `threshold_cm`. Targets without a delta left stay, as the number of targets is
/// part of what a rig is.
///
/// # Errors
/// [`CalibError::Option`] for a threshold that is negative or not finite; [`CalibError::Count`] or
/// [`CalibError::Index`] for an inconsistent mesh.
pub fn prune_blend_shapes(dna: &mut Dna, threshold_cm: f64) -> Result<PruneReport, CalibError> {
    check_threshold("blend_shape_cm", threshold_cm)?;
    check_meshes(dna)?;
    let threshold = as_stored(threshold_cm / cm_per_unit(&dna.descriptor));
    let limit = threshold * threshold;
    let counts: Vec<(usize, usize, bool)> = dna
        .geometry
        .meshes
        .par_iter_mut()
        .flat_map(|mesh| mesh.blend_shape_targets.par_iter_mut())
        .map(|target| prune_target(target, limit))
        .collect();
    let mut report = PruneReport::default();
    for (before, pruned, emptied) in counts {
        report.blend_shape_deltas.before += before;
        report.blend_shape_deltas.pruned += pruned;
        report.emptied_targets += usize::from(emptied);
    }
    Ok(report)
}

fn prune_target(target: &mut BlendShapeTarget, limit: f64) -> (usize, usize, bool) {
    let before = target.vertex_indices.len();
    let deltas = &mut target.deltas;
    let mut kept = 0;
    for at in 0..before {
        let delta = [deltas.xs[at], deltas.ys[at], deltas.zs[at]];
        let squared: f64 = delta.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        // A delta that is not a number is not small: it must reach the check that refuses it.
        if squared <= limit {
            continue;
        }
        if kept != at {
            deltas.xs[kept] = delta[0];
            deltas.ys[kept] = delta[1];
            deltas.zs[kept] = delta[2];
            target.vertex_indices[kept] = target.vertex_indices[at];
        }
        kept += 1;
    }
    deltas.xs.truncate(kept);
    deltas.ys.truncate(kept);
    deltas.zs.truncate(kept);
    target.vertex_indices.truncate(kept);
    (before, before - kept, before > 0 && kept == 0)
}

/// Sets joint values of at most the thresholds to 0, and takes out the rows and columns that this emptied.
///
/// # Errors
/// [`CalibError::Option`] for a threshold that is negative or not finite; [`CalibError::Count`] for a group whose
/// values are not rows × columns.
pub fn prune_joint_values(dna: &mut Dna, thresholds: &PruneThresholds) -> Result<PruneReport, CalibError> {
    check_threshold("joint_translation_cm", thresholds.joint_translation_cm)?;
    check_threshold("joint_rotation_deg", thresholds.joint_rotation_deg)?;
    check_threshold("joint_scale", thresholds.joint_scale)?;
    let limits = thresholds.joint_limits(&dna.descriptor);
    let mut writers = vec![0u32; usize::from(u16::MAX) + 1];
    for (at, group) in dna.behavior.joints.joint_groups.iter().enumerate() {
        let expected = group.output_indices.len() * group.input_indices.len();
        count(group.values.len(), expected, || format!("bhvr.joints.jointGroups[{at}].values"))?;
        for &output in &group.output_indices {
            writers[usize::from(output)] += 1;
        }
    }
    let representations = &dna.joint_behavior_metadata.joint_representations;
    let is_quaternion =
        |joint: usize| representations.get(joint).is_some_and(|representation| representation.rotation == 1);
    let mut report = PruneReport::default();
    for group in &mut dna.behavior.joints.joint_groups {
        let outputs = group.output_indices.iter().map(|&output| usize::from(output));
        let keep_shape = !thresholds.drop_emptied
            || outputs.clone().any(|output| is_quaternion(output / 9))
            // Of two groups that write one output the later wins, so an empty row can matter.
            || outputs.clone().any(|output| writers[output] > 1);
        prune_group(group, &limits, keep_shape, &mut report);
    }
    Ok(report)
}

fn prune_group(group: &mut JointGroup, limits: &[f64; 3], keep_shape: bool, report: &mut PruneReport) {
    let columns = group.input_indices.len();
    let rows = group.output_indices.len();
    let mut before = vec![false; rows + columns];
    let mut after = vec![false; rows + columns];
    for row in 0..rows {
        let kind = usize::from(group.output_indices[row] % 9) / 3;
        let counts = match kind {
            0 => &mut report.joint_translations,
            1 => &mut report.joint_rotations,
            _ => &mut report.joint_scales,
        };
        for column in 0..columns {
            let value = &mut group.values[row * columns + column];
            if *value == 0.0 {
                continue;
            }
            counts.before += 1;
            before[row] = true;
            before[rows + column] = true;
            if f64::from(value.abs()) <= limits[kind] {
                *value = 0.0;
                counts.pruned += 1;
            } else {
                after[row] = true;
                after[rows + column] = true;
            }
        }
    }
    if keep_shape {
        return;
    }
    let stays = |at: usize| after[at] || !before[at];
    let kept_rows: Vec<usize> = (0..rows).filter(|&row| stays(row)).collect();
    let kept_columns: Vec<usize> = (0..columns).filter(|&column| stays(rows + column)).collect();
    if kept_rows.len() == rows && kept_columns.len() == columns {
        return;
    }
    report.dropped_rows += rows - kept_rows.len();
    report.dropped_columns += columns - kept_columns.len();
    for lod in &mut group.lods {
        let leading = usize::from(*lod).min(rows);
        *lod = kept_rows.iter().filter(|&&row| row < leading).count() as u16;
    }
    let values = &group.values;
    group.values = kept_rows
        .iter()
        .flat_map(|&row| kept_columns.iter().map(move |&column| values[row * columns + column]))
        .collect();
    group.output_indices = kept_rows.iter().map(|&row| group.output_indices[row]).collect();
    group.input_indices = kept_columns.iter().map(|&column| group.input_indices[column]).collect();
}

/// A threshold with the precision of the values, so that a value written like the threshold is as large as it.
fn as_stored(threshold: f64) -> f64 {
    f64::from(threshold as f32)
}

fn check_threshold(option: &'static str, value: f64) -> Result<(), CalibError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(CalibError::Option { option, found: value.to_string(), expected: "a number of at least 0" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mhrig_dna::{JointRepresentation, Mesh, Text, Vectors3};

    fn with_target(deltas: &[[f32; 3]]) -> Dna {
        let mut dna = Dna::default();
        dna.definition.mesh_names = vec![Text::from("head_lod0_mesh")];
        dna.geometry.meshes = vec![Mesh {
            positions: Vectors3::from_vectors(&vec![[0.0; 3]; deltas.len()]),
            blend_shape_targets: vec![BlendShapeTarget {
                deltas: Vectors3::from_vectors(deltas),
                vertex_indices: (0..deltas.len() as u32).rev().collect(),
                blend_shape_channel_index: 0,
            }],
            ..Mesh::default()
        }];
        dna
    }

    #[test]
    fn deltas_at_the_threshold_go_and_longer_ones_stay_with_their_vertices() {
        let mut dna = with_target(&[[0.25, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, -0.251], [0.0; 3]]);
        let report = prune_blend_shapes(&mut dna, 0.25).unwrap();
        assert_eq!(report.blend_shape_deltas, Pruned { before: 4, pruned: 2 });
        let target = &dna.geometry.meshes[0].blend_shape_targets[0];
        assert_eq!(target.vertex_indices, [2, 1]);
        assert_eq!(target.deltas.to_vectors(), [[0.0, 0.5, 0.0], [0.0, 0.0, -0.251]]);
        assert_eq!(prune_blend_shapes(&mut dna, 9.0).unwrap().emptied_targets, 1);
        assert_eq!(dna.geometry.meshes[0].blend_shape_targets.len(), 1);
    }

    #[test]
    fn thresholds_are_cm_also_for_a_file_in_metres() {
        let mut dna = with_target(&[[0.002, 0.0, 0.0], [0.003, 0.0, 0.0]]);
        dna.descriptor.translation_unit = mhrig_dna::translation_unit::M;
        assert_eq!(prune_blend_shapes(&mut dna, 0.25).unwrap().blend_shape_deltas.pruned, 1);
    }

    #[test]
    fn a_threshold_that_is_no_length_is_refused() {
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(prune_blend_shapes(&mut with_target(&[]), bad).is_err());
        }
    }

    fn with_group() -> Dna {
        let mut dna = Dna::default();
        dna.behavior.joints.joint_groups = vec![JointGroup {
            lods: vec![4, 2],
            input_indices: vec![7, 8, 9],
            output_indices: vec![0, 3, 9, 15],
            values: vec![
                0.5, 0.01, 0.0, // tx
                0.1, 0.0, 0.0, // rx
                0.02, 0.0, 0.0, // tx of joint 1
                0.0, 0.0, 0.0, // sx of joint 1, empty from the start
            ],
            joint_indices: vec![0, 1],
        }];
        dna
    }

    #[test]
    fn emptied_rows_and_columns_go_and_the_lods_follow() {
        let mut dna = with_group();
        let thresholds = PruneThresholds {
            joint_translation_cm: 0.02,
            joint_rotation_deg: 0.1,
            ..PruneThresholds::default()
        };
        let report = prune_joint_values(&mut dna, &thresholds).unwrap();
        assert_eq!(report.joint_translations, Pruned { before: 3, pruned: 2 });
        assert_eq!(report.joint_rotations, Pruned { before: 1, pruned: 1 });
        assert_eq!((report.dropped_rows, report.dropped_columns), (2, 1));
        let group = &dna.behavior.joints.joint_groups[0];
        assert_eq!(group.output_indices, [0, 15]);
        assert_eq!(group.input_indices, [7, 9]);
        assert_eq!(group.values, [0.5, 0.0, 0.0, 0.0]);
        assert_eq!(group.lods, [2, 1]);
    }

    #[test]
    fn groups_of_quaternion_joints_keep_their_shape() {
        let mut dna = with_group();
        let quaternion = JointRepresentation { rotation: 1, ..JointRepresentation::default() };
        dna.joint_behavior_metadata.joint_representations = vec![JointRepresentation::default(), quaternion];
        let thresholds = PruneThresholds { joint_translation_cm: 0.02, ..PruneThresholds::default() };
        prune_joint_values(&mut dna, &thresholds).unwrap();
        let group = &dna.behavior.joints.joint_groups[0];
        assert_eq!(group.output_indices.len(), 4);
        assert_eq!(group.values[..3], [0.5, 0.0, 0.0]);
    }

    #[test]
    fn zero_thresholds_change_no_group() {
        let mut dna = with_group();
        prune_joint_values(&mut dna, &PruneThresholds::default()).unwrap();
        assert_eq!(dna, with_group());
    }
}
