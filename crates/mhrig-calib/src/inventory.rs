use mhrig_dna::{Dna, LayerContent};
use serde::Serialize;

use crate::CalibError;
use crate::prune::PruneThresholds;
use crate::units::{cm_per_unit, degrees_per_unit};

/// Count and sums of squares of a kind of value; zeros do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Amount {
    count: usize,
    squares: f64,
    /// Sums of squares by size: slot `n` holds values from 2^(n − 24) to twice that, the first and last slot also what
    /// is beyond.
    by_size: [f64; 48],
}

const SLOT_OF_ONE: i32 = 24;

impl Default for Amount {
    fn default() -> Self {
        Self { count: 0, squares: 0.0, by_size: [0.0; 48] }
    }
}

impl Amount {
    fn add(&mut self, value: f32) {
        self.add_squared(f64::from(value) * f64::from(value));
    }

    fn add_squared(&mut self, squared: f64) {
        if squared == 0.0 {
            return;
        }
        self.count += 1;
        self.squares += squared;
        let size = (0.5 * squared.log2()).floor().clamp(-24.0, 23.0);
        // NaN becomes slot 24; the check for finite values reports it.
        self.by_size[(size as i32 + SLOT_OF_ONE) as usize] += squared;
    }

    fn add_all(&mut self, other: &Self) {
        self.count += other.count;
        self.squares += other.squares;
        self.by_size.iter_mut().zip(other.by_size).for_each(|(sum, more)| *sum += more);
    }

    /// Sum of squares of the values in slots that lie above `size` as a whole.
    fn above(&self, size: f64) -> f64 {
        let slots = self.by_size.iter().enumerate();
        slots
            .filter(|&(slot, _)| f64::from(slot as i32 - SLOT_OF_ONE).exp2() > size)
            .map(|(_, sum)| sum)
            .sum()
    }
}

/// What a DNA holds, counted: taken before an edit, it is what the result is checked against.
#[derive(Clone, Debug, PartialEq)]
pub struct Inventory {
    counts: Vec<(String, usize)>,
    blend_shapes: Amount,
    joints: [Amount; 3],
    meshes: Vec<(String, Amount)>,
    psd_cells: Amount,
    not_finite: Option<(String, usize)>,
    cm_per_unit: f64,
    degrees_per_unit: f64,
}

/// How much of one kind of value an edit kept.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Retained {
    /// Number of values before; zeros do not count.
    pub before: usize,
    /// Number of values after.
    pub after: usize,
    /// `after / before`, 1 when there was nothing.
    pub share: f64,
    /// Sum of squares after over sum of squares before, 1 when there was nothing. Dropping many tiny values leaves it
    /// near 1.
    pub energy: f64,
}

impl Retained {
    fn new(before: Amount, after: Amount) -> Self {
        let share = if before.count == 0 { 1.0 } else { after.count as f64 / before.count as f64 };
        let energy = if before.squares == 0.0 { 1.0 } else { after.squares / before.squares };
        Self { before: before.count, after: after.count, share, energy }
    }
}

/// How much of the expressions an edit kept.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Retention {
    /// Blend shape deltas.
    pub blend_shape_deltas: Retained,
    /// Joint deltas of all kinds.
    pub joint_values: Retained,
    /// Joint translation deltas.
    pub joint_translations: Retained,
    /// Joint rotation deltas.
    pub joint_rotations: Retained,
    /// Joint scale deltas.
    pub joint_scales: Retained,
    /// Weights of correctives.
    pub psd_weights: Retained,
}

/// Below which a layer counts as collapsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollapseLimits {
    /// Least share of a layer's sum of squares that has to be left, 0 to 1. What pruning may take does not count.
    pub energy: f64,
}

impl Default for CollapseLimits {
    /// Half of the sum of squares.
    fn default() -> Self {
        Self { energy: 0.5 }
    }
}

impl Inventory {
    /// Counts what `dna` holds.
    pub fn from_dna(dna: &Dna) -> Self {
        let mut counts = Vec::new();
        let mut add = |what: &str, count: usize| counts.push((what.to_owned(), count));
        let definition = &dna.definition;
        add("LODs", usize::from(dna.descriptor.lod_count));
        add("GUI controls", definition.gui_control_names.len());
        add("raw controls", definition.raw_control_names.len());
        add("joints", definition.joint_names.len());
        add("joint parents", definition.joint_hierarchy.len());
        add("neutral joint translations", definition.neutral_joint_translations.len());
        add("neutral joint rotations", definition.neutral_joint_rotations.len());
        add("blend shape channels", definition.blend_shape_channel_names.len());
        add("animated maps", definition.animated_map_names.len());
        add("meshes", definition.mesh_names.len());
        for (what, mapping) in [
            ("members of joint LODs", &definition.lod_joint_mapping),
            ("members of blend shape LODs", &definition.lod_blend_shape_mapping),
            ("members of animated map LODs", &definition.lod_animated_map_mapping),
            ("members of mesh LODs", &definition.lod_mesh_mapping),
        ] {
            let lods = 0..usize::from(dna.descriptor.lod_count);
            add(what, lods.map(|lod| mapping.members(lod).len()).sum());
        }
        let behavior = &dna.behavior;
        add("GUI rows", behavior.controls.conditionals.input_indices.len());
        add("correctives", usize::from(behavior.controls.psd_count));
        add("corrective cells", behavior.controls.psds.rows.len());
        add("joint groups", behavior.joints.joint_groups.len());
        add("blend shape rows", behavior.blend_shape_channels.input_indices.len());
        add("animated map rows", behavior.animated_maps.conditionals.input_indices.len());
        add("ML controls", dna.machine_learned_behavior.ml_control_names.len());
        add("neural networks", dna.machine_learned_behavior.neural_networks.len());
        add("RBF solvers", dna.rbf_behavior.solvers.len());
        add("RBF poses", dna.rbf_behavior.poses.len());
        add("RBF pose controls", dna.rbf_behavior_ext.poses.len());
        add("joint representations", dna.joint_behavior_metadata.joint_representations.len());
        add("twists", dna.twist_swing_behavior.twists.len());
        add("swings", dna.twist_swing_behavior.swings.len());
        add("layers", dna.layers.len());
        for layer in &dna.layers {
            if let LayerContent::Raw(bytes) = &layer.content {
                add(&format!("bytes of layer {}", String::from_utf8_lossy(&layer.id)), bytes.len());
            }
        }
        let mut blend_shapes = Amount::default();
        let mut meshes = Vec::new();
        for (at, mesh) in dna.geometry.meshes.iter().enumerate() {
            let name = match definition.mesh_names.get(at) {
                Some(name) => name.to_string(),
                None => format!("mesh {at}"),
            };
            add(&format!("vertices of {name}"), mesh.positions.len());
            add(&format!("texture coordinates of {name}"), mesh.texture_coordinates.us.len());
            add(&format!("normals of {name}"), mesh.normals.len());
            add(&format!("layouts of {name}"), mesh.layouts.positions.len());
            add(&format!("faces of {name}"), mesh.faces.len());
            add(&format!("skin records of {name}"), mesh.skin_weights.len());
            add(&format!("blend shape targets of {name}"), mesh.blend_shape_targets.len());
            let mut amount = Amount::default();
            for target in &mesh.blend_shape_targets {
                for delta in target.deltas.iter() {
                    amount.add_squared(delta.iter().map(|&c| f64::from(c) * f64::from(c)).sum());
                }
            }
            blend_shapes.add_all(&amount);
            meshes.push((name, amount));
        }
        let mut joints = [Amount::default(); 3];
        for group in &behavior.joints.joint_groups {
            let columns = group.input_indices.len().max(1);
            for (row, &output) in group.values.chunks(columns).zip(&group.output_indices) {
                let amount = &mut joints[usize::from(output % 9) / 3];
                row.iter().for_each(|&value| amount.add(value));
            }
        }
        let mut psd_cells = Amount::default();
        behavior.controls.psds.values.iter().for_each(|&value| psd_cells.add(value));
        Self {
            counts,
            blend_shapes,
            joints,
            meshes,
            psd_cells,
            not_finite: first_not_finite(dna),
            cm_per_unit: cm_per_unit(&dna.descriptor),
            degrees_per_unit: degrees_per_unit(&dna.descriptor),
        }
    }

    /// Checks that `after` has all that this has; blend shapes and the rows that drive them may have become more.
    pub(crate) fn check_grown(&self, after: &Self) -> Result<(), CalibError> {
        if self.not_finite.is_none()
            && let Some((place, at)) = &after.not_finite
        {
            return Err(CalibError::NotFinite { place: place.clone(), at: *at });
        }
        const MAY_GROW: [&str; 4] =
            ["blend shape channels", "members of blend shape LODs", "joint groups", "blend shape rows"];
        for (at, (what, expected)) in self.counts.iter().enumerate() {
            let found = after.counts.get(at).filter(|(name, _)| name == what).map_or(0, |&(_, count)| count);
            let may_grow = MAY_GROW.contains(&what.as_str()) || what.starts_with("blend shape targets of ");
            if found != *expected && !(may_grow && found > *expected) {
                return Err(CalibError::CountChanged { what: what.clone(), expected: *expected, found });
            }
        }
        Ok(())
    }

    /// Compares with the inventory of the edited model. `pruned`: the thresholds that the edit pruned with.
    ///
    /// # Errors
    /// [`CalibError::CountChanged`] for a number of items that differs, [`CalibError::Collapsed`] for a layer (or the
    /// blend shapes of one mesh) of which less than `limits` is left, apart from what `pruned` may take;
    /// [`CalibError::NotFinite`] for NaN or infinity that was not there before.
    pub fn compare(
        &self,
        after: &Self,
        pruned: Option<&PruneThresholds>,
        limits: CollapseLimits,
    ) -> Result<Retention, CalibError> {
        if self.not_finite.is_none()
            && let Some((place, at)) = &after.not_finite
        {
            return Err(CalibError::NotFinite { place: place.clone(), at: *at });
        }
        for (at, (what, expected)) in self.counts.iter().enumerate() {
            let found = after.counts.get(at).filter(|(name, _)| name == what).map_or(0, |&(_, count)| count);
            if found != *expected {
                return Err(CalibError::CountChanged { what: what.clone(), expected: *expected, found });
            }
        }
        let small = pruned.map_or([0.0; 4], |pruned| {
            [
                pruned.blend_shape_cm / self.cm_per_unit,
                pruned.joint_translation_cm / self.cm_per_unit,
                pruned.joint_rotation_deg / self.degrees_per_unit,
                pruned.joint_scale,
            ]
        });
        let mut judged = vec![
            ("blend shape deltas".to_owned(), self.blend_shapes, after.blend_shapes, small[0]),
            ("joint translation deltas".to_owned(), self.joints[0], after.joints[0], small[1]),
            ("joint rotation deltas".to_owned(), self.joints[1], after.joints[1], small[2]),
            ("joint scale deltas".to_owned(), self.joints[2], after.joints[2], small[3]),
            ("corrective weights".to_owned(), self.psd_cells, after.psd_cells, 0.0),
        ];
        for ((name, before), (_, after)) in self.meshes.iter().zip(&after.meshes) {
            judged.push((format!("blend shape deltas of {name}"), *before, *after, small[0]));
        }
        for (layer, before, after, small) in judged {
            let due = before.above(small);
            let energy = if due > 0.0 { after.above(small) / due } else { 1.0 };
            if energy < limits.energy {
                return Err(CalibError::Collapsed {
                    layer,
                    before: before.count,
                    after: after.count,
                    energy,
                });
            }
        }
        let all = |joints: &[Amount; 3]| {
            let mut sum = joints[0];
            sum.add_all(&joints[1]);
            sum.add_all(&joints[2]);
            sum
        };
        Ok(Retention {
            blend_shape_deltas: Retained::new(self.blend_shapes, after.blend_shapes),
            joint_values: Retained::new(all(&self.joints), all(&after.joints)),
            joint_translations: Retained::new(self.joints[0], after.joints[0]),
            joint_rotations: Retained::new(self.joints[1], after.joints[1]),
            joint_scales: Retained::new(self.joints[2], after.joints[2]),
            psd_weights: Retained::new(self.psd_cells, after.psd_cells),
        })
    }
}

fn first_not_finite(dna: &Dna) -> Option<(String, usize)> {
    let find = |place: &str, values: &[f32]| {
        values.iter().position(|value| !value.is_finite()).map(|at| (place.to_owned(), at))
    };
    let vectors = |place: &str, vectors: &mhrig_dna::Vectors3| {
        find(place, &vectors.xs).or_else(|| find(place, &vectors.ys)).or_else(|| find(place, &vectors.zs))
    };
    let definition = &dna.definition;
    let mut found = vectors("defn.neutralJointTranslations", &definition.neutral_joint_translations)
        .or_else(|| vectors("defn.neutralJointRotations", &definition.neutral_joint_rotations));
    for (at, mesh) in dna.geometry.meshes.iter().enumerate() {
        found = found
            .or_else(|| vectors(&format!("geom.meshes[{at}].positions"), &mesh.positions))
            .or_else(|| vectors(&format!("geom.meshes[{at}].normals"), &mesh.normals));
        for (target, shape) in mesh.blend_shape_targets.iter().enumerate() {
            if found.is_some() {
                return found;
            }
            let is_finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
            let deltas = &shape.deltas;
            if !(is_finite(&deltas.xs) && is_finite(&deltas.ys) && is_finite(&deltas.zs)) {
                let place = format!("geom.meshes[{at}].blendShapeTargets[{target}].deltas");
                found = vectors(&place, deltas);
            }
        }
    }
    for (at, group) in dna.behavior.joints.joint_groups.iter().enumerate() {
        found = found.or_else(|| find(&format!("bhvr.joints.jointGroups[{at}].values"), &group.values));
    }
    found
}
