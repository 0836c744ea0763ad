//! What is different between two files, in the terms of those who make them.

mod behavior;
mod meshes;

use std::collections::BTreeMap;

use crate::{Dna, FileVersion, LayerContent, LayerKind, Text};

pub use behavior::BehaviorDiff;
pub use meshes::{MeshDiff, TargetDiff};

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Numbers that differ by no more than this are the same: positions, distances, weights, deltas, in the unit of
    /// the file.
    pub tolerance: f32,
}

impl DiffOptions {
    /// These options with another tolerance.
    pub fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }
}

/// The differences between two files. Items are matched by name; numbers are compared where both files have the
/// item.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct DnaDiff {
    /// Versions, when they differ.
    pub version: Option<(FileVersion, FileVersion)>,
    /// Layers that the second file does not have, or has empty.
    pub layers_lost: Vec<String>,
    /// Layers that only the second file has.
    pub layers_added: Vec<String>,
    /// Single values: descriptor and numbers of the behavior.
    pub values: Vec<ValueDiff>,
    /// Numbers of items.
    pub counts: Vec<CountDiff>,
    /// Names.
    pub names: Vec<NamesDiff>,
    /// The skeleton.
    pub joints: JointsDiff,
    /// Meshes that differ.
    pub meshes: Vec<MeshDiff>,
    /// What controls do.
    pub behavior: BehaviorDiff,
    /// Layers that differ otherwise, such as `rbfb`, with what differs.
    pub other: Vec<OtherDiff>,
}

/// A single value that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDiff {
    /// Its path.
    pub path: String,
    /// Value in the first file.
    pub before: String,
    /// Value in the second file.
    pub after: String,
}

/// A number of items that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountDiff {
    /// What is counted, see [`Dna::counts`].
    pub what: &'static str,
    /// Number in the first file.
    pub before: usize,
    /// Number in the second file.
    pub after: usize,
}

/// A list of names that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamesDiff {
    /// Path of the list.
    pub path: &'static str,
    /// Names that only the first file has.
    pub lost: Vec<String>,
    /// Names that only the second file has.
    pub added: Vec<String>,
    /// Whether names that both have are in another order.
    pub reordered: bool,
}

/// How the skeletons differ.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct JointsDiff {
    /// Joints that both files have.
    pub compared: usize,
    /// Joints that are elsewhere or turned, the farthest first.
    pub moved: Vec<JointMove>,
    /// Mean distance of all joints compared.
    pub mean_distance: f64,
    /// Joints with another parent: name, parent before, parent after.
    pub reparented: Vec<(String, String, String)>,
}

/// A joint that is elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMove {
    /// Its name.
    pub name: String,
    /// Distance in world space.
    pub world_distance: f64,
    /// Distance relative to its parent.
    pub local_distance: f64,
    /// Greatest difference of its neutral angles, in the file's rotation unit.
    pub rotation: f64,
}

/// A difference in a layer without a section of its own here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDiff {
    /// Layer id.
    pub layer: String,
    /// What differs.
    pub what: String,
}

impl DnaDiff {
    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        let Self {
            version,
            layers_lost,
            layers_added,
            values,
            counts,
            names,
            joints,
            meshes,
            behavior,
            other,
        } = self;
        version.is_none()
            && layers_lost.is_empty()
            && layers_added.is_empty()
            && values.is_empty()
            && counts.is_empty()
            && names.is_empty()
            && joints.moved.is_empty()
            && joints.reparented.is_empty()
            && meshes.is_empty()
            && behavior.is_empty()
            && other.is_empty()
    }
}

/// Compares numbers: NaN is equal to NaN, and zero to minus zero.
#[derive(Clone, Copy)]
struct Same {
    tolerance: f32,
}

impl Same {
    fn values(self, a: f32, b: f32) -> bool {
        a == b || (a - b).abs() <= self.tolerance || (a.is_nan() && b.is_nan())
    }

    fn lists(self, a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.values(a, b))
    }
}

impl Dna {
    /// What is different in `other`, which is taken for the later file.
    ///
    /// ```
    /// use mhrig_dna::{DiffOptions, Dna, FileVersion};
    ///
    /// let before = Dna::new(FileVersion::new(4));
    /// let after = Dna::new(FileVersion::new(5));
    /// let diff = before.diff(&after, &DiffOptions::default());
    /// assert!(!diff.is_empty());
    /// assert_eq!(diff.version.map(|(_, after)| after.version), Some(5));
    /// ```
    pub fn diff(&self, other: &Dna, options: &DiffOptions) -> DnaDiff {
        let same = Same { tolerance: options.tolerance.max(0.0) };
        let mut diff = DnaDiff {
            version: (self.version != other.version).then_some((self.version, other.version)),
            values: self.value_diffs(other),
            joints: self.joints_diff(other, same),
            behavior: behavior::diff(self, other, same),
            ..DnaDiff::default()
        };
        self.layer_diffs(other, same, &mut diff);
        let counts = self.counts();
        diff.counts = counts
            .iter()
            .zip(other.counts())
            .filter(|(before, after)| before.count != after.count)
            .map(|(before, after)| CountDiff { what: before.what, before: before.count, after: after.count })
            .collect();
        let lists = self.name_lists();
        let names = lists.iter().zip(other.name_lists());
        diff.names =
            names.filter_map(|((path, before), (_, after))| names_diff(path, before, after)).collect();
        diff.meshes = meshes::diff(self, other, same);
        if same.tolerance == 0.0 && diff.is_empty() && !self.is_same_file(other) {
            let what = "the files differ in what changes no value: order, sharing of rows, the sign of zeros";
            diff.other.push(OtherDiff { layer: "file".to_owned(), what: what.to_owned() });
        }
        diff
    }

    /// Whether both give the same bytes; what cannot be written counts as the same where the models are.
    fn is_same_file(&self, other: &Dna) -> bool {
        match (self.to_bytes(), other.to_bytes()) {
            (Ok(bytes), Ok(other_bytes)) => bytes == other_bytes,
            _ => self == other,
        }
    }

    fn value_diffs(&self, other: &Dna) -> Vec<ValueDiff> {
        let values = |dna: &Dna| {
            let descriptor = &dna.descriptor;
            let axes = &descriptor.coordinate_system;
            let ext = &dna.descriptor_ext;
            let sign = &ext.rotation_sign;
            let metadata: Vec<String> =
                descriptor.metadata.iter().map(|(key, value)| format!("{key}={value}")).collect();
            [
                ("desc.name", descriptor.name.to_string()),
                ("desc.archetype", descriptor.archetype.to_string()),
                ("desc.gender", descriptor.gender.to_string()),
                ("desc.age", descriptor.age.to_string()),
                ("desc.metadata", metadata.join(", ")),
                ("desc.translationUnit", descriptor.translation_unit.to_string()),
                ("desc.rotationUnit", descriptor.rotation_unit.to_string()),
                ("desc.coordinateSystem", format!("{} {} {}", axes.x_axis, axes.y_axis, axes.z_axis)),
                ("desc.maxLOD", descriptor.max_lod.to_string()),
                ("desc.complexity", descriptor.complexity.to_string()),
                ("desc.dbName", descriptor.db_name.to_string()),
                ("bhvr.joints.rowCount", dna.behavior.joints.row_count.to_string()),
                ("bhvr.joints.colCount", dna.behavior.joints.col_count.to_string()),
                ("dsce.rotationSequence", ext.rotation_sequence.to_string()),
                ("dsce.rotationSign", format!("{} {} {}", sign.x, sign.y, sign.z)),
                ("dsce.faceWindingOrder", ext.face_winding_order.to_string()),
            ]
        };
        let pairs = values(self).into_iter().zip(values(other));
        pairs
            .filter(|((_, before), (_, after))| before != after)
            .map(|((path, before), (_, after))| ValueDiff { path: path.to_owned(), before, after })
            .collect()
    }

    fn joints_diff(&self, other: &Dna, same: Same) -> JointsDiff {
        let (before, after) = (&self.definition, &other.definition);
        let (world_before, world_after) = (self.world_joint_positions(), other.world_joint_positions());
        let later = positions_by_name(&after.joint_names);
        let mut joints = JointsDiff::default();
        let mut sum = 0.0;
        for (joint, key) in numbered_names(&before.joint_names).into_iter().enumerate() {
            let (name, _) = key;
            let Some(&after_joint) = later.get(&key) else { continue };
            joints.compared += 1;
            let world_distance = distance(world_before[joint], world_after[after_joint]);
            sum += world_distance;
            let local = |definition: &crate::Definition, joint: usize| {
                let translation = definition.neutral_joint_translations.get(joint).unwrap_or_default();
                let rotation = definition.neutral_joint_rotations.get(joint).unwrap_or_default();
                (translation.map(f64::from), rotation.map(f64::from))
            };
            let (translation_before, rotation_before) = local(before, joint);
            let (translation_after, rotation_after) = local(after, after_joint);
            let local_distance = distance(translation_before, translation_after);
            let turned = [0, 1, 2]
                .map(|axis| distance([rotation_before[axis], 0.0, 0.0], [rotation_after[axis], 0.0, 0.0]));
            let rotation = if turned.iter().any(|angle| angle.is_nan()) {
                f64::NAN
            } else {
                turned.into_iter().fold(0.0, f64::max)
            };
            let tolerance = f64::from(same.tolerance);
            let is_beyond = |distance: f64| distance.is_nan() || distance > tolerance;
            if [world_distance, local_distance, rotation].into_iter().any(is_beyond) {
                joints.moved.push(JointMove {
                    name: name.to_string(),
                    world_distance,
                    local_distance,
                    rotation,
                });
            }
            let parent = |definition: &crate::Definition, joint: usize| {
                let parent = definition.joint_hierarchy.get(joint).map(|&parent| usize::from(parent));
                match parent {
                    Some(parent) if parent == joint => "none".to_owned(),
                    Some(parent) => name_or_number(&definition.joint_names, parent),
                    None => "missing".to_owned(),
                }
            };
            let (parent_before, parent_after) = (parent(before, joint), parent(after, after_joint));
            if parent_before != parent_after {
                joints.reparented.push((name.to_string(), parent_before, parent_after));
            }
        }
        joints.mean_distance = sum / joints.compared.max(1) as f64;
        joints.moved.sort_by(|a, b| b.world_distance.total_cmp(&a.world_distance));
        joints
    }

    fn layer_diffs(&self, other: &Dna, same: Same, diff: &mut DnaDiff) {
        for kind in LayerKind::ALL {
            let name = kind.name().to_owned();
            match (self.is_layer_empty(kind), other.is_layer_empty(kind)) {
                (false, true) => diff.layers_lost.push(name),
                (true, false) => diff.layers_added.push(name),
                (true, true) => {}
                (false, false) => {
                    let differences = behavior::layer_differences(self, other, kind, same);
                    diff.other
                        .extend(differences.into_iter().map(|what| OtherDiff { layer: name.clone(), what }));
                }
            }
        }
        let (before, after) = (raw_layers(self), raw_layers(other));
        for (name, bytes) in &before {
            match after.get(name) {
                None => diff.layers_lost.push(name.clone()),
                Some(other) if other != bytes => {
                    let what = format!("the bytes differ ({} and {})", bytes.len(), other.len());
                    diff.other.push(OtherDiff { layer: name.clone(), what });
                }
                Some(_) => {}
            }
        }
        diff.layers_added.extend(after.into_keys().filter(|name| !before.contains_key(name)));
        let pairs = |dna: &Dna| -> Vec<(String, String)> {
            let definition = &dna.definition;
            let pairs = &definition.mesh_blend_shape_channel_mapping;
            let pairs = pairs.from.iter().zip(&pairs.to).map(|(&mesh, &channel)| {
                let mesh = name_or_number(&definition.mesh_names, usize::from(mesh));
                (mesh, name_or_number(&definition.blend_shape_channel_names, usize::from(channel)))
            });
            pairs.collect()
        };
        if pairs(self) != pairs(other) {
            let what = "the pairs of meshes and blend shape channels differ".to_owned();
            diff.other.push(OtherDiff { layer: "defn".to_owned(), what });
        }
        let mappings = |dna: &Dna| {
            let definition = &dna.definition;
            [
                ("joints", definition.lod_joint_mapping.clone()),
                ("blend shape channels", definition.lod_blend_shape_mapping.clone()),
                ("animated maps", definition.lod_animated_map_mapping.clone()),
                ("meshes", definition.lod_mesh_mapping.clone()),
            ]
        };
        let lods = usize::from(self.descriptor.lod_count.max(other.descriptor.lod_count));
        for ((what, before), (_, after)) in mappings(self).iter().zip(mappings(other)) {
            let changed: Vec<String> = (0..lods)
                .filter(|&lod| before.members(lod) != after.members(lod))
                .map(|lod| lod.to_string())
                .collect();
            if !changed.is_empty() {
                let what = format!("the {what} of LOD {} differ", changed.join(", "));
                diff.other.push(OtherDiff { layer: "defn".to_owned(), what });
            }
        }
    }
}

/// What is kept as bytes.
fn raw_layers(dna: &Dna) -> BTreeMap<String, &[u8]> {
    let layers = dna.layers.iter().filter_map(|layer| match &layer.content {
        LayerContent::Raw(bytes) => Some((layer.name(), bytes.as_slice())),
        LayerContent::Typed if layer.surplus.is_empty() => None,
        LayerContent::Typed => Some((format!("{} (surplus)", layer.name()), layer.surplus.as_slice())),
    });
    layers.collect()
}

/// Items with their names; those that share a name are told apart by how many came before.
fn numbered_names(names: &[Text]) -> Vec<(&Text, usize)> {
    let mut seen: BTreeMap<&Text, usize> = BTreeMap::new();
    let number = |name| {
        let earlier = seen.entry(name).or_default();
        *earlier += 1;
        (name, *earlier - 1)
    };
    names.iter().map(number).collect()
}

fn positions_by_name(names: &[Text]) -> BTreeMap<(&Text, usize), usize> {
    numbered_names(names).into_iter().zip(0..).collect()
}

fn name_or_number(names: &[Text], at: usize) -> String {
    names.get(at).map_or_else(|| at.to_string(), ToString::to_string)
}

fn names_diff(path: &'static str, before: &[Text], after: &[Text]) -> Option<NamesDiff> {
    if before == after {
        return None;
    }
    let (old, new) = (numbered_names(before), numbered_names(after));
    let (known, later) = (positions_by_name(before), positions_by_name(after));
    let only = |names: &[(&Text, usize)], other: &BTreeMap<(&Text, usize), usize>| {
        names
            .iter()
            .filter(|name| !other.contains_key(*name))
            .map(|(name, _)| name.to_string())
            .collect::<Vec<_>>()
    };
    let common = old.iter().filter(|name| later.contains_key(*name));
    let reordered = !common.eq(new.iter().filter(|name| known.contains_key(*name)));
    Some(NamesDiff { path, lost: only(&old, &later), added: only(&new, &known), reordered })
}

/// Distance of two points; a coordinate that is the same in both adds nothing, whatever it is.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let differences =
        a.iter().zip(b).map(|(&a, b)| if a == b || (a.is_nan() && b.is_nan()) { 0.0 } else { a - b });
    differences.map(|difference| difference * difference).sum::<f64>().sqrt()
}
