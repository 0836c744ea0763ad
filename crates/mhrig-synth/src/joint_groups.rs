//! The joint matrix of a DNA as blocks.

use mhrig_dna::JointGroup;

use crate::posing::JointDeltas;

/// What a control does to joints when it is 1.
pub(crate) struct Column<'a> {
    /// Number in the control space.
    pub(crate) control: u16,
    pub(crate) deltas: &'a JointDeltas,
}

/// Packs the columns into one group per value of `block_of_joint`, in order of that value.
///
/// A group has a row for each attribute that some column moves and a column for each control that moves some of its
/// joints. `lod_count_of_joint` is the number of LODs, from 0 on, that have the joint; rows are ordered by it so that
/// coarser LODs are prefixes.
pub(crate) fn joint_groups(
    columns: &[Column<'_>],
    block_of_joint: &[usize],
    lod_count_of_joint: &[usize],
    lod_count: usize,
) -> Vec<JointGroup> {
    let block_count = block_of_joint.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); block_count];
    for (joint, &block) in block_of_joint.iter().enumerate() {
        members[block].push(joint);
    }
    let mut groups = Vec::new();
    for joints in &mut members {
        joints.sort_by_key(|&joint| std::cmp::Reverse(lod_count_of_joint[joint]));
        let columns: Vec<&Column<'_>> =
            columns.iter().filter(|column| joints.iter().any(|&j| column.deltas.0[j] != [0.0; 9])).collect();
        let mut group = JointGroup { lods: vec![0; lod_count], ..JointGroup::default() };
        for &joint in joints.iter() {
            let deltas: Vec<[f32; 9]> = columns.iter().map(|column| column.deltas.0[joint]).collect();
            for attribute in 0..9 {
                if deltas.iter().all(|delta| delta[attribute] == 0.0) {
                    continue;
                }
                group.output_indices.push((joint * 9 + attribute) as u16);
                group.values.extend(deltas.iter().map(|delta| delta[attribute]));
                group.lods.iter_mut().take(lod_count_of_joint[joint]).for_each(|rows| *rows += 1);
                if group.joint_indices.last() != Some(&(joint as u16)) {
                    group.joint_indices.push(joint as u16);
                }
            }
        }
        group.input_indices = columns.iter().map(|column| column.control).collect();
        if !group.output_indices.is_empty() {
            groups.push(group);
        }
    }
    groups
}
