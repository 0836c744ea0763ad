use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Same, name_or_number};
use crate::{ATTRIBUTE_NAMES, ConditionalTable, ControlKind, Dna, LayerKind, Text};

/// How the behavior differs. Numbers are of rows or values that differ or that only one file has.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct BehaviorDiff {
    /// Rows from GUI to raw controls.
    pub gui_rows: usize,
    /// Cells of correctives.
    pub corrective_cells: usize,
    /// Deltas of joints, wherever the groups hold them.
    pub joint_values: usize,
    /// Greatest difference of a joint delta.
    pub greatest_joint_difference: f64,
    /// Control, joint and attribute of that difference.
    pub greatest_joint_place: String,
    /// Whether deltas are distributed to groups, rows or LODs in another way.
    pub groups_changed: bool,
    /// Blend shape channels that other controls drive.
    pub blend_shape_rows: usize,
    /// Rows of animated maps.
    pub animated_map_rows: usize,
    /// Whether blend shape or animated map rows are in use in other LODs.
    pub row_lods_changed: bool,
}

impl BehaviorDiff {
    /// Whether there is no difference.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

pub(super) fn diff(before: &Dna, after: &Dna, same: Same) -> BehaviorDiff {
    let (a, b) = (&before.behavior, &after.behavior);
    let mut diff = BehaviorDiff::default();
    let gui = |dna: &Dna, input: u16| name_or_number(&dna.definition.gui_control_names, usize::from(input));
    let control = |dna: &Dna, input: u16| control_key(dna, input);
    let map = |dna: &Dna, map: u16| name_or_number(&dna.definition.animated_map_names, usize::from(map));
    diff.gui_rows = rows_differing(
        &rows(before, &a.controls.conditionals, gui, control),
        &rows(after, &b.controls.conditionals, gui, control),
        same,
    );
    diff.animated_map_rows = rows_differing(
        &rows(before, &a.animated_maps.conditionals, control, map),
        &rows(after, &b.animated_maps.conditionals, control, map),
        same,
    );
    diff.corrective_cells = differing(&cells(before), &cells(after), same).0;

    if a.joints.joint_groups != b.joints.joint_groups
        || before.definition.joint_names != after.definition.joint_names
    {
        let shape = |dna: &Dna| -> Vec<[Vec<u16>; 4]> {
            let groups = dna.behavior.joints.joint_groups.iter();
            let lists = groups.map(|group| {
                [&group.lods, &group.input_indices, &group.output_indices, &group.joint_indices]
                    .map(Clone::clone)
            });
            lists.collect()
        };
        diff.groups_changed = shape(before) != shape(after);
        let mut names = Names::default();
        let (values_before, values_after) =
            (joint_values(before, &mut names), joint_values(after, &mut names));
        let (count, greatest) = differing(&values_before, &values_after, same);
        diff.joint_values = count;
        if let Some(((joint, attribute, control), difference)) = greatest {
            diff.greatest_joint_difference = difference;
            let attribute = ATTRIBUTE_NAMES.get(usize::from(attribute)).copied().unwrap_or("?");
            diff.greatest_joint_place = format!("{} → {}.{attribute}", names.get(control), names.get(joint));
        }
    }

    let channels = |dna: &Dna| -> Values<(String, String)> {
        let table = &dna.behavior.blend_shape_channels;
        let rows = table.input_indices.iter().zip(&table.output_indices);
        let names = &dna.definition.blend_shape_channel_names;
        rows.map(|(&input, &output)| {
            ((control_key(dna, input), name_or_number(names, usize::from(output))), 1.0)
        })
        .collect()
    };
    diff.blend_shape_rows = differing(&channels(before), &channels(after), same).0;
    diff.row_lods_changed = a.blend_shape_channels.lods != b.blend_shape_channels.lods
        || a.animated_maps.lods != b.animated_maps.lods;
    diff
}

/// What a control is called in comparisons: correctives by their number among correctives.
fn control_key(dna: &Dna, control: u16) -> String {
    match dna.control_kind(control) {
        ControlKind::Corrective => {
            let first = dna.definition.raw_control_names.len();
            format!("corrective {}", usize::from(control) - first)
        }
        _ => dna.control_name(control),
    }
}

/// Names of input and output, and the four numbers of each row.
type Row = (String, String, [f32; 4]);

fn rows(
    dna: &Dna,
    table: &ConditionalTable,
    input: impl Fn(&Dna, u16) -> String,
    output: impl Fn(&Dna, u16) -> String,
) -> Vec<Row> {
    let value = |values: &[f32], row: usize| values.get(row).copied().unwrap_or(f32::NAN);
    let pairs = table.input_indices.iter().zip(&table.output_indices);
    pairs
        .enumerate()
        .map(|(row, (&from, &to))| {
            let values = [&table.from_values, &table.to_values, &table.slope_values, &table.cut_values];
            (input(dna, from), output(dna, to), values.map(|values| value(values, row)))
        })
        .collect()
}

/// Rows count as the same where input, output and numbers are; their order matters, since the first match wins.
fn rows_differing(before: &[Row], after: &[Row], same: Same) -> usize {
    let pairs = before.iter().zip(after);
    let differ = |(a, b): &(&Row, &Row)| a.0 != b.0 || a.1 != b.1 || !same.lists(&a.2, &b.2);
    pairs.filter(differ).count() + before.len().abs_diff(after.len())
}

fn cells(dna: &Dna) -> Values<(String, String)> {
    let psds = &dna.behavior.controls.psds;
    let cells = psds.rows.iter().zip(&psds.columns).zip(&psds.values);
    cells
        .map(|((&row, &column), &value)| ((control_key(dna, row), control_key(dna, column)), value))
        .collect()
}

/// Numbers for names, the same for both files.
#[derive(Default)]
struct Names {
    numbers: BTreeMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: String) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }

    fn get(&self, number: u32) -> &str {
        let mut names = self.numbers.iter();
        names.find(|(_, other)| **other == number).map_or("?", |(name, _)| name)
    }
}

/// Deltas that are not zero, by joint, attribute and control.
fn joint_values(dna: &Dna, names: &mut Names) -> Values<(u32, u8, u32)> {
    let mut values = Vec::new();
    for group in &dna.behavior.joints.joint_groups {
        let controls: Vec<u32> =
            group.input_indices.iter().map(|&input| names.number(control_key(dna, input))).collect();
        for (row, &output) in group.output_indices.iter().enumerate() {
            let joint = names.number(name_or_number(&dna.definition.joint_names, usize::from(output / 9)));
            for (column, &control) in controls.iter().enumerate() {
                let value = group.values.get(row * controls.len() + column).copied().unwrap_or(0.0);
                if value != 0.0 {
                    values.push(((joint, (output % 9) as u8, control), value));
                }
            }
        }
    }
    Values::new(values)
}

/// Values by key, each key once, sorted. Of several values of one key the last one counts, as in evaluation.
struct Values<K>(Vec<(K, f32)>);

impl<K: Ord> Values<K> {
    fn new(mut values: Vec<(K, f32)>) -> Self {
        // A stable sort; the last of equal ones is kept.
        values.sort_by(|(a, _), (b, _)| b.cmp(a));
        values.reverse();
        values.dedup_by(|(a, _), (b, _)| a == b);
        Self(values)
    }
}

impl<K: Ord> FromIterator<(K, f32)> for Values<K> {
    fn from_iter<I: IntoIterator<Item = (K, f32)>>(values: I) -> Self {
        Self::new(values.into_iter().collect())
    }
}

/// How many values differ, a missing one being 0, and the greatest difference with its key.
fn differing<K: Ord + Clone>(before: &Values<K>, after: &Values<K>, same: Same) -> (usize, Option<(K, f64)>) {
    let (mut before, mut after) = (before.0.iter().peekable(), after.0.iter().peekable());
    let mut count = 0;
    let mut greatest: Option<(K, f64)> = None;
    loop {
        let (key, a, b) = match (before.peek(), after.peek()) {
            (None, None) => return (count, greatest),
            (Some((key, a)), None) => (key, *a, 0.0),
            (None, Some((key, b))) => (key, 0.0, *b),
            (Some((key, a)), Some((other, b))) => match key.cmp(other) {
                Ordering::Less => (key, *a, 0.0),
                Ordering::Greater => (other, 0.0, *b),
                Ordering::Equal => (key, *a, *b),
            },
        };
        if !same.values(a, b) {
            count += 1;
            let difference = (f64::from(a) - f64::from(b)).abs();
            if greatest.as_ref().is_none_or(|(_, most)| difference > *most) {
                greatest = Some((key.clone(), difference));
            }
        }
        let key = key.clone();
        before.next_if(|(other, _)| *other == key);
        after.next_if(|(other, _)| *other == key);
    }
}

/// What differs in a layer that has no section of its own in the result.
pub(super) fn layer_differences(before: &Dna, after: &Dna, kind: LayerKind, same: Same) -> Vec<String> {
    let mut differences = Vec::new();
    match kind {
        LayerKind::MachineLearnedBehavior => {
            let (a, b) = (&before.machine_learned_behavior, &after.machine_learned_behavior);
            let changed = a.neural_networks.iter().zip(&b.neural_networks).filter(|(a, b)| {
                let layers = a.layers.iter().zip(&b.layers);
                let is_same = |(a, b): (&crate::NeuralNetworkLayer, &crate::NeuralNetworkLayer)| {
                    a.activation_function == b.activation_function
                        && same.lists(&a.biases, &b.biases)
                        && same.lists(&a.weights, &b.weights)
                        && same.lists(&a.activation_parameters, &b.activation_parameters)
                };
                a.layers.len() != b.layers.len()
                    || a.input_indices != b.input_indices
                    || a.output_indices != b.output_indices
                    || !layers.into_iter().all(is_same)
            });
            note(&mut differences, changed.count(), a.neural_networks.len(), "neural networks");
            if a.neural_network_to_mesh_region != b.neural_network_to_mesh_region {
                differences.push("the regions of networks differ".to_owned());
            }
            if a.lod_neural_network_mapping != b.lod_neural_network_mapping {
                differences.push("the LODs of networks differ".to_owned());
            }
        }
        LayerKind::RbfBehavior => {
            let (a, b) = (&before.rbf_behavior, &after.rbf_behavior);
            let changed = a.solvers.iter().zip(&b.solvers).filter(|(a, b)| {
                let enums = |s: &crate::RbfSolver| {
                    [
                        s.solver_type,
                        s.automatic_radius,
                        s.distance_method,
                        s.normalize_method,
                        s.function_type,
                        s.twist_axis,
                    ]
                };
                a.name != b.name
                    || enums(a) != enums(b)
                    || a.raw_control_indices != b.raw_control_indices
                    || a.pose_indices != b.pose_indices
                    || !same.lists(&a.raw_control_values, &b.raw_control_values)
                    || !same.values(a.radius, b.radius)
                    || !same.values(a.weight_threshold, b.weight_threshold)
            });
            note(&mut differences, changed.count(), a.solvers.len(), "solvers");
            let poses = a.poses.iter().zip(&b.poses);
            let changed = poses.filter(|(a, b)| a.name != b.name || !same.values(a.scale, b.scale)).count();
            note(&mut differences, changed, a.poses.len(), "poses");
            if a.lod_solver_mapping != b.lod_solver_mapping {
                differences.push("the LODs of solvers differ".to_owned());
            }
        }
        LayerKind::RbfBehaviorExt => {
            let (a, b) = (&before.rbf_behavior_ext, &after.rbf_behavior_ext);
            let changed = a.poses.iter().zip(&b.poses).filter(|(a, b)| {
                a.input_control_indices != b.input_control_indices
                    || a.output_control_indices != b.output_control_indices
                    || !same.lists(&a.output_control_weights, &b.output_control_weights)
            });
            note(&mut differences, changed.count(), a.poses.len(), "poses");
        }
        LayerKind::JointBehaviorMetadata => {
            let (a, b) = (&before.joint_behavior_metadata, &after.joint_behavior_metadata);
            let pairs = a.joint_representations.iter().zip(&b.joint_representations);
            let changed = pairs.filter(|(a, b)| a != b).count()
                + a.joint_representations.len().abs_diff(b.joint_representations.len());
            note(&mut differences, changed, a.joint_representations.len(), "joint representations");
        }
        LayerKind::TwistSwingBehavior => {
            let (a, b) = (&before.twist_swing_behavior, &after.twist_swing_behavior);
            for (what, a, b) in [("twists", &a.twists, &b.twists), ("swings", &a.swings, &b.swings)] {
                let changed = a.iter().zip(b).filter(|(a, b)| {
                    let names = |dna: &Dna, joints: &[u16]| -> Vec<Text> {
                        let names = &dna.definition.joint_names;
                        joints.iter().filter_map(|&joint| names.get(usize::from(joint)).cloned()).collect()
                    };
                    names(before, &a.output_joint_indices) != names(after, &b.output_joint_indices)
                        || a.input_control_indices != b.input_control_indices
                        || a.twist_axis != b.twist_axis
                        || !same.lists(&a.blend_weights, &b.blend_weights)
                });
                note(&mut differences, changed.count(), a.len(), what);
            }
        }
        LayerKind::MachineLearnedBehaviorExt => {
            let (a, b) = (&before.machine_learned_behavior_ext, &after.machine_learned_behavior_ext);
            if a.operations != b.operations {
                differences.push("the operations differ".to_owned());
            }
            if a.joints != b.joints {
                differences.push("the joints of networks differ".to_owned());
            }
        }
        LayerKind::Descriptor
        | LayerKind::Definition
        | LayerKind::Behavior
        | LayerKind::Geometry
        | LayerKind::DescriptorExt => {}
    }
    differences
}

fn note(differences: &mut Vec<String>, changed: usize, of: usize, what: &str) {
    if changed > 0 {
        differences.push(format!("{changed} of {of} {what} differ"));
    }
}
