//! The tree of joints.

use mhrig_dna::Dna;
use serde::Serialize;

use super::{lods_of_items, name_at};

/// A joint of a DNA file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectJoint {
    /// Its number in the file.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Name of the joint above; none for a root.
    pub parent: Option<String>,
    /// How many joints are above it.
    pub depth: usize,
    /// Neutral translation relative to the joint above, in the file's unit.
    pub local: [f32; 3],
    /// Neutral rotation relative to the joint above: angles about x, y, z in the file's unit.
    pub rotation: [f32; 3],
    /// Neutral position in the space of the root's parent, in the file's unit.
    pub world: [f32; 3],
    /// LODs that have the joint.
    pub lods: Vec<u16>,
}

/// All joints, each behind the one above it, brothers in the order of the file. Joints of a circle come last.
pub(super) fn tree(dna: &Dna) -> Vec<InspectJoint> {
    let definition = &dna.definition;
    let count = definition.joint_names.len();
    let parent_of = |joint: usize| {
        let parent = definition.joint_hierarchy.get(joint).map(|&parent| usize::from(parent));
        parent.filter(|&parent| parent != joint && parent < count)
    };
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for joint in 0..count {
        match parent_of(joint) {
            Some(parent) => children[parent].push(joint),
            None => roots.push(joint),
        }
    }
    let mut order: Vec<(usize, usize)> = Vec::with_capacity(count);
    let mut is_seen = vec![false; count];
    let in_circles = 0..count;
    for start in roots.into_iter().chain(in_circles) {
        let mut waiting = vec![(start, 0)];
        while let Some((joint, depth)) = waiting.pop() {
            if std::mem::replace(&mut is_seen[joint], true) {
                continue;
            }
            order.push((joint, depth));
            waiting.extend(children[joint].iter().rev().map(|&child| (child, depth + 1)));
        }
    }
    let world = dna.world_joint_positions();
    let mut lods = lods_of_items(&definition.lod_joint_mapping, dna.descriptor.lod_count, count);
    order
        .into_iter()
        .map(|(index, depth)| InspectJoint {
            index,
            name: name_at(&definition.joint_names, index),
            parent: parent_of(index).map(|parent| name_at(&definition.joint_names, parent)),
            depth,
            local: definition.neutral_joint_translations.get(index).unwrap_or_default(),
            rotation: definition.neutral_joint_rotations.get(index).unwrap_or_default(),
            world: world[index].map(|coordinate| coordinate as f32),
            lods: std::mem::take(&mut lods[index]),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use mhrig_dna::{FileVersion, Vectors3};

    use super::*;

    #[test]
    fn each_joint_stands_behind_the_one_above_it_and_circles_end() {
        let mut dna = Dna::new(FileVersion::new(5));
        dna.definition.joint_names = ["leaf", "root", "b", "circle", "back"].map(Into::into).to_vec();
        dna.definition.joint_hierarchy = vec![2, 1, 1, 4, 3];
        dna.definition.neutral_joint_translations = Vectors3::from_vectors(&[[1.0, 0.0, 0.0]; 5]);
        let tree = tree(&dna);
        let found: Vec<(&str, usize)> = tree.iter().map(|joint| (joint.name.as_str(), joint.depth)).collect();
        assert_eq!(found, [("root", 0), ("b", 1), ("leaf", 2), ("circle", 0), ("back", 1)]);
        assert_eq!(tree[2].world, [3.0, 0.0, 0.0]);
        assert_eq!(tree[2].parent.as_deref(), Some("b"));
    }
}
