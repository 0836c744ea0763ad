use std::collections::{BTreeMap, BTreeSet};

use mhrig_dna::{Dna, JointGroup};

use super::graph::Component;
use crate::CalibError;
use crate::check::{count, index};

/// Joint values per control: what a control at 1 adds to joint attributes.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Columns {
    /// Per control: attribute (joint × 9 + tx ty tz rx ry rz sx sy sz) and value, by attribute, without zeros.
    by_control: Vec<Vec<(u16, f32)>>,
    /// Per control, its place in the order in which rotations of quaternion joints are multiplied.
    order: Vec<u32>,
}

impl Columns {
    /// Reads the joint groups. Where several groups write one attribute, the last one counts, as at run time.
    pub(crate) fn from_dna(dna: &Dna, controls: usize) -> Result<Self, CalibError> {
        let groups = &dna.behavior.joints.joint_groups;
        let writer = outputs_by_group(groups);
        for (at, group) in groups.iter().enumerate() {
            let expected = group.output_indices.len() * group.input_indices.len();
            count(group.values.len(), expected, || format!("bhvr.joints.jointGroups[{at}].values"))?;
            let joints = dna.definition.joint_names.len();
            let place = format!("bhvr.joints.jointGroups[{at}].outputIndices");
            for (row, &output) in group.output_indices.iter().enumerate() {
                index(&place, row, usize::from(output), joints * 9)?;
            }
            let place = format!("bhvr.joints.jointGroups[{at}].inputIndices");
            for (column, &control) in group.input_indices.iter().enumerate() {
                index(&place, column, usize::from(control), controls)?;
            }
        }
        let mut by_control: Vec<Vec<(u16, f32)>> = vec![Vec::new(); controls];
        let mut order = vec![u32::MAX; controls];
        for (at, group) in groups.iter().enumerate() {
            let columns = group.input_indices.len();
            for (row, &output) in group.output_indices.iter().enumerate() {
                if writer.get(&output) != Some(&at) {
                    continue;
                }
                let values = &group.values[row * columns..(row + 1) * columns];
                for (column, (&control, &value)) in group.input_indices.iter().zip(values).enumerate() {
                    if value != 0.0 {
                        by_control[usize::from(control)].push((output, value));
                        let place = &mut order[usize::from(control)];
                        *place = (*place).min((at * 65_536 + column) as u32);
                    }
                }
            }
        }
        for column in &mut by_control {
            merge(column);
        }
        Ok(Self { by_control, order })
    }

    pub(crate) fn of(&self, control: u16) -> &[(u16, f32)] {
        self.by_control.get(usize::from(control)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn order(&self, control: u16) -> u32 {
        self.order.get(usize::from(control)).copied().unwrap_or(u32::MAX)
    }

    pub(crate) fn set(&mut self, control: u16, mut column: Vec<(u16, f32)>) {
        merge(&mut column);
        if let Some(own) = self.by_control.get_mut(usize::from(control)) {
            *own = column;
        }
    }

    /// The columns of some controls alone.
    pub(crate) fn only(&self, active: &[Component]) -> Self {
        let mut by_control = vec![Vec::new(); self.by_control.len()];
        for component in active {
            if let Some(column) = by_control.get_mut(usize::from(component.control)) {
                *column = self.of(component.control).to_vec();
            }
        }
        Self { by_control, order: self.order.clone() }
    }

    pub(crate) fn control_count(&self) -> usize {
        self.by_control.len()
    }

    /// Writes the columns of `controls` into the joint groups of `dna`. Values for which no group has a row or a column
    /// get one in the group that has the joint, or the last one.
    pub(crate) fn write(&self, dna: &mut Dna, controls: &[u16]) {
        let joint_lods = joint_lod_counts(dna);
        let lod_count = usize::from(dna.descriptor.lod_count);
        let groups = &mut dna.behavior.joints.joint_groups;
        let mut group_of = outputs_by_group(groups);
        let mut has_column: Vec<BTreeSet<u16>> =
            groups.iter().map(|group| group.input_indices.iter().copied().collect()).collect();
        for &control in controls {
            for &(output, _) in self.of(control) {
                let joint = output / 9;
                let known = group_of.get(&output).copied();
                let with_joint = || {
                    groups.iter().rposition(|group| {
                        group.joint_indices.contains(&joint)
                            || group.output_indices.iter().any(|&other| other / 9 == joint)
                    })
                };
                let at = known.or_else(with_joint).or_else(|| groups.len().checked_sub(1));
                let at = at.unwrap_or_else(|| {
                    groups.push(JointGroup { lods: vec![0; lod_count], ..JointGroup::default() });
                    has_column.push(BTreeSet::new());
                    0
                });
                if known.is_none() {
                    add_row(
                        &mut groups[at],
                        output,
                        joint_lods.get(usize::from(joint)).copied().unwrap_or(1),
                    );
                    group_of.insert(output, at);
                }
                if has_column[at].insert(control) {
                    add_column(&mut groups[at], control);
                }
            }
        }
        let mut is_written = vec![false; self.by_control.len()];
        for &control in controls {
            if let Some(flag) = is_written.get_mut(usize::from(control)) {
                *flag = true;
            }
        }
        for (at, group) in groups.iter_mut().enumerate() {
            let columns = group.input_indices.len();
            let mut seen = BTreeSet::new();
            for (column, &control) in group.input_indices.iter().enumerate() {
                if !is_written.get(usize::from(control)).copied().unwrap_or(false) {
                    continue;
                }
                // A control that has several columns in a group gets its values in the first.
                let is_first = seen.insert(control);
                let values = self.of(control);
                for (row, &output) in group.output_indices.iter().enumerate() {
                    let own = is_first && group_of.get(&output) == Some(&at);
                    let found = values.binary_search_by_key(&output, |&(output, _)| output).ok();
                    let value = found.filter(|_| own).map_or(0.0, |found| values[found].1);
                    group.values[row * columns + column] = value;
                }
            }
        }
    }
}

/// The group that has the say over each attribute: the last that writes it.
fn outputs_by_group(groups: &[JointGroup]) -> BTreeMap<u16, usize> {
    let groups = groups.iter().enumerate();
    groups.flat_map(|(at, group)| group.output_indices.iter().map(move |&output| (output, at))).collect()
}

/// In how many LODs, from 0 on, each joint takes part.
fn joint_lod_counts(dna: &Dna) -> Vec<usize> {
    let mut counts = vec![0; dna.definition.joint_names.len()];
    for lod in 0..usize::from(dna.descriptor.lod_count) {
        for &joint in dna.definition.lod_joint_mapping.members(lod) {
            if let Some(count) = counts.get_mut(usize::from(joint)) {
                *count = lod + 1;
            }
        }
    }
    counts
}

fn add_column(group: &mut JointGroup, control: u16) {
    let columns = group.input_indices.len();
    let mut values = Vec::with_capacity(group.output_indices.len() * (columns + 1));
    for row in 0..group.output_indices.len() {
        values.extend_from_slice(&group.values[row * columns..(row + 1) * columns]);
        values.push(0.0);
    }
    group.values = values;
    group.input_indices.push(control);
}

/// Adds a row of zeros, behind the rows of the coarsest LOD that has the joint.
fn add_row(group: &mut JointGroup, output: u16, joint_lods: usize) {
    let columns = group.input_indices.len();
    let lods = joint_lods.min(group.lods.len());
    let rows = group.output_indices.len();
    let row = match lods.checked_sub(1) {
        Some(last) => usize::from(group.lods[last]).min(rows),
        None => rows,
    };
    group.output_indices.insert(row, output);
    group.values.splice(row * columns..row * columns, std::iter::repeat_n(0.0, columns));
    group.lods[..lods].iter_mut().for_each(|lod| *lod = lod.saturating_add(1));
    let joint = output / 9;
    if !group.joint_indices.contains(&joint) {
        let at = group.joint_indices.partition_point(|&other| other < joint);
        group.joint_indices.insert(at, joint);
    }
}

/// Sorts by attribute, adds up equal ones, drops zeros.
fn merge(column: &mut Vec<(u16, f32)>) {
    column.sort_by_key(|&(output, _)| output);
    column.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    column.retain(|&(_, value)| value != 0.0);
}
