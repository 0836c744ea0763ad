//! LOD selection.

use crate::{
    AnimatedMaps, Behavior, BlendShapeChannels, ConditionalTable, Dna, DnaError, JointGroup, LayerKind,
    LodMapping, MlOperation, TwistSwing, Vectors3, VertexSkinWeights,
};

/// Which LODs to keep; 0 is the most detailed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LodSelection {
    /// All from `max` (the most detailed) to `min`.
    Range {
        /// Most detailed LOD to keep.
        max: u16,
        /// Least detailed LOD to keep.
        min: u16,
    },
    /// These, in any order.
    List(Vec<u16>),
}

/// What to do where the reference library is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LodMode {
    /// The right thing: every index is renumbered, joints that kept joints hang from are kept, each LOD counts
    /// once, LODs that the file does not have are an error.
    #[default]
    Correct,
    /// The bytes of the reference library, oddities included.
    Compat,
}

/// What [`Dna::select_lods`] did.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LodReport {
    /// Old numbers of the LODs that were kept.
    pub lods: Vec<u16>,
    /// Joints dropped.
    pub joints: usize,
    /// Meshes dropped.
    pub meshes: usize,
    /// Blend shape channels dropped.
    pub blend_shape_channels: usize,
    /// Animated maps dropped.
    pub animated_maps: usize,
    /// Neural networks dropped.
    pub neural_networks: usize,
    /// RBF solvers dropped.
    pub rbf_solvers: usize,
    /// Vertices of kept meshes that lost an influence because its joint was dropped.
    pub reweighted_vertices: usize,
}

/// New numbers of the items of one kind.
struct Renumbering {
    /// By old number.
    new: Vec<Option<u16>>,
}

impl Renumbering {
    fn from_kept(kept: impl Iterator<Item = bool>) -> Self {
        let mut next = 0usize;
        let new = kept.map(|kept| {
            let number = next;
            next += usize::from(kept);
            // Nothing can refer to an item with a larger number.
            u16::try_from(number).ok().filter(|_| kept)
        });
        Self { new: new.collect() }
    }

    fn get(&self, old: u16) -> Option<u16> {
        self.new.get(usize::from(old)).copied().flatten()
    }

    fn dropped(&self) -> usize {
        self.new.iter().filter(|new| new.is_none()).count()
    }

    fn kept(&self) -> usize {
        self.new.len() - self.dropped()
    }

    /// Keeps the elements of a list that is parallel to the items.
    fn cut<T>(&self, list: &mut Vec<T>) {
        let mut number = 0;
        list.retain(|_| {
            number += 1;
            self.new.get(number - 1).is_some_and(Option::is_some)
        });
    }

    /// Renumbers members of the list and removes those that are gone.
    fn renumber(&self, list: &mut Vec<u16>) {
        *list = list.iter().filter_map(|&old| self.get(old)).collect();
    }

    fn renumber_rows(&self, mapping: &mut LodMapping) {
        mapping.indices.iter_mut().for_each(|row| self.renumber(row));
    }
}

impl Dna {
    /// Keeps the selected LODs only, with everything that belongs to them.
    ///
    /// # Errors
    /// [`DnaError::NoSuchLod`] in correct mode; [`DnaError::Inconsistent`] where the file contradicts itself so that
    /// there is no right answer: a LOD that names a missing row, a row with members that do not exist, a joint group
    /// that writes, in a LOD, joints that are not in it.
    pub fn select_lods(
        mut self,
        selection: &LodSelection,
        mode: LodMode,
    ) -> Result<(Self, LodReport), DnaError> {
        let lod_count = self.descriptor.lod_count;
        let (chosen, new_count) = choose(selection, lod_count, mode)?;
        let mut report = LodReport { lods: chosen.clone(), ..LodReport::default() };
        let first = chosen.first().copied().unwrap_or(0);
        self.descriptor.max_lod = self.descriptor.max_lod.saturating_add(first);
        self.descriptor.lod_count = new_count;
        if chosen.iter().copied().eq(0..lod_count) {
            return Ok((self, report));
        }

        let in_no_lod = joints_in_no_lod(&self, mode);
        let definition = &mut self.definition;
        let joint_count = definition.joint_names.len();
        let joints_kept =
            select_rows(&mut definition.lod_joint_mapping, &chosen, joint_count, "lodJointMapping")?;
        let mut joints_kept: Vec<bool> =
            joints_kept.iter().zip(&in_no_lod).map(|(&kept, &no_lod)| kept || no_lod).collect();
        if mode == LodMode::Correct {
            keep_ancestors(&definition.joint_hierarchy, &mut joints_kept);
        }
        let joints = Renumbering::from_kept(joints_kept.into_iter());
        let select = |mapping: &mut LodMapping, count: usize, name: &'static str| {
            let kept = select_rows(mapping, &chosen, count, name)?;
            let numbers = Renumbering::from_kept(kept.into_iter());
            numbers.renumber_rows(mapping);
            Ok::<_, DnaError>(numbers)
        };
        let channels = select(
            &mut definition.lod_blend_shape_mapping,
            definition.blend_shape_channel_names.len(),
            "lodBlendShapeMapping",
        )?;
        let maps = select(
            &mut definition.lod_animated_map_mapping,
            definition.animated_map_names.len(),
            "lodAnimatedMapMapping",
        )?;
        let meshes = select(&mut definition.lod_mesh_mapping, definition.mesh_names.len(), "lodMeshMapping")?;
        joints.renumber_rows(&mut definition.lod_joint_mapping);

        let old_hierarchy = definition.joint_hierarchy.clone();
        cut_definition(definition, &joints, &channels, &maps, &meshes);
        self.cut_behavior(&chosen, mode, &joints, &channels, &maps)?;
        report.reweighted_vertices = self.cut_geometry(mode, &joints, &channels, &meshes, &old_hierarchy);
        report.neural_networks = self.cut_networks(&chosen, &meshes)?;
        let solvers = &mut self.rbf_behavior.solvers;
        let kept = select_rows(
            &mut self.rbf_behavior.lod_solver_mapping,
            &chosen,
            solvers.len(),
            "lodSolverMapping",
        )?;
        let solver_numbers = Renumbering::from_kept(kept.into_iter());
        solver_numbers.renumber_rows(&mut self.rbf_behavior.lod_solver_mapping);
        solver_numbers.cut(solvers);
        joints.cut(&mut self.joint_behavior_metadata.joint_representations);
        for records in [&mut self.twist_swing_behavior.twists, &mut self.twist_swing_behavior.swings] {
            records.retain_mut(|record| cut_twist_swing(record, &joints));
        }
        self.cut_operations(&chosen, &joints)?;

        report.joints = joints.dropped();
        report.meshes = meshes.dropped();
        report.blend_shape_channels = channels.dropped();
        report.animated_maps = maps.dropped();
        report.rbf_solvers = solver_numbers.dropped();
        Ok((self, report))
    }

    fn cut_behavior(
        &mut self,
        chosen: &[u16],
        mode: LodMode,
        joints: &Renumbering,
        channels: &Renumbering,
        maps: &Renumbering,
    ) -> Result<(), DnaError> {
        // A file without the layer stays without it.
        let has_behavior = !self.is_layer_empty(LayerKind::Behavior);
        let Behavior { joints: matrix, blend_shape_channels, animated_maps, .. } = &mut self.behavior;
        for (number, group) in matrix.joint_groups.iter_mut().enumerate() {
            cut_group(group, chosen, mode, joints).map_err(|(row, joint)| DnaError::Inconsistent {
                path: format!("bhvr.joints.jointGroups[{number}].outputIndices[{row}]"),
                found: format!("joint {joint}"),
                expected: "a joint of the LODs in which the row is active".to_owned(),
            })?;
        }
        if has_behavior {
            // At most 7281 joints can be addressed by the outputs.
            matrix.row_count = u16::try_from(joints.kept() * 9).unwrap_or(u16::MAX);
        }
        let BlendShapeChannels { lods, input_indices, output_indices } = blend_shape_channels;
        let rows = keep_lods(lods, chosen, mode);
        input_indices.truncate(rows);
        output_indices.truncate(rows);
        let AnimatedMaps { lods: map_lods, conditionals } = animated_maps;
        let rows = keep_lods(map_lods, chosen, mode);
        retain_conditionals(conditionals, |row| row < rows);
        if mode == LodMode::Correct {
            let keep: Vec<bool> =
                output_indices.iter().map(|&output| channels.get(output).is_some()).collect();
            retain_by(input_indices, |row| keep.get(row).copied().unwrap_or(false));
            channels.renumber(output_indices);
            count_kept(lods, &keep);
            let outputs = &conditionals.output_indices;
            let keep: Vec<bool> = outputs.iter().map(|&output| maps.get(output).is_some()).collect();
            retain_conditionals(conditionals, |row| keep.get(row).copied().unwrap_or(false));
            maps.renumber(&mut conditionals.output_indices);
            count_kept(map_lods, &keep);
        }
        Ok(())
    }

    fn cut_geometry(
        &mut self,
        mode: LodMode,
        joints: &Renumbering,
        channels: &Renumbering,
        meshes: &Renumbering,
        old_hierarchy: &[u16],
    ) -> usize {
        meshes.cut(&mut self.geometry.meshes);
        let root =
            old_hierarchy.iter().zip(0..).find(|&(&parent, joint)| parent == joint).map(|(_, joint)| joint);
        let root = root.and_then(|root| joints.get(root)).unwrap_or(0);
        let mut reweighted = 0;
        for mesh in &mut self.geometry.meshes {
            mesh.blend_shape_targets
                .retain(|target| channels.get(target.blend_shape_channel_index).is_some());
            if mode == LodMode::Correct {
                for target in &mut mesh.blend_shape_targets {
                    let new = channels.get(target.blend_shape_channel_index);
                    target.blend_shape_channel_index = new.unwrap_or_default();
                }
            }
            for vertex in &mut mesh.skin_weights {
                let changed = match mode {
                    LodMode::Compat => cut_weights_compat(vertex, joints, root),
                    LodMode::Correct => cut_weights(vertex, joints, old_hierarchy),
                };
                reweighted += usize::from(changed);
            }
        }
        reweighted
    }

    fn cut_networks(&mut self, chosen: &[u16], meshes: &Renumbering) -> Result<usize, DnaError> {
        let layer = &mut self.machine_learned_behavior;
        let count = layer.neural_networks.len();
        let kept =
            select_rows(&mut layer.lod_neural_network_mapping, chosen, count, "lodNeuralNetworkMapping")?;
        let networks = Renumbering::from_kept(kept.into_iter());
        networks.renumber_rows(&mut layer.lod_neural_network_mapping);
        networks.cut(&mut layer.neural_networks);
        meshes.cut(&mut layer.neural_network_to_mesh_region.region_names);
        meshes.cut(&mut layer.neural_network_to_mesh_region.indices);
        layer
            .neural_network_to_mesh_region
            .indices
            .iter_mut()
            .flatten()
            .for_each(|region| networks.renumber(region));
        Ok(networks.dropped())
    }

    fn cut_operations(&mut self, chosen: &[u16], joints: &Renumbering) -> Result<(), DnaError> {
        let layer = &mut self.machine_learned_behavior_ext;
        let width = layer.joints.width();
        let operations = &mut layer.operations;
        let mut numbers = Vec::new();
        for (set, mapping) in operations.operations.iter().zip(&mut operations.lod_operation_mappings) {
            let kept = select_rows(mapping, chosen, set.len(), "lodMLOperationMappings")?;
            let set_numbers = Renumbering::from_kept(kept.into_iter());
            set_numbers.renumber_rows(mapping);
            numbers.push(set_numbers);
        }
        for (set, set_numbers) in operations.operations.iter_mut().zip(&numbers) {
            set_numbers.cut(set);
        }
        for operation in operations.operations.iter_mut().flatten() {
            let MlOperation { set_dependency_indices: sets, operation_dependency_indices: members, .. } =
                operation;
            let kept = sets.iter().zip(members.iter()).filter_map(|(&set, &member)| {
                let new = match numbers.get(usize::from(set)) {
                    Some(numbers) => numbers.get(member)?,
                    None => member,
                };
                Some((set, new))
            });
            (*sets, *members) = kept.unzip();
        }
        if let Some(width) = width {
            let outputs = layer.joints.output_indices.iter().map(|&output| {
                let new = joints.get(output / width)?;
                new.checked_mul(width)?.checked_add(output % width)
            });
            let outputs: Vec<Option<u16>> = outputs.collect();
            retain_by(&mut layer.joints.input_indices, |row| outputs.get(row).is_some_and(Option::is_some));
            layer.joints.output_indices = outputs.into_iter().flatten().collect();
        }
        Ok(())
    }
}

/// The chosen LODs, ascending, each once, and the new LOD count.
fn choose(selection: &LodSelection, lod_count: u16, mode: LodMode) -> Result<(Vec<u16>, u16), DnaError> {
    let mut chosen = match selection {
        LodSelection::Range { max, min } => {
            if mode == LodMode::Correct && (max > min || *max >= lod_count) {
                return Err(DnaError::NoSuchLod { found: *max, lod_count });
            }
            (*max..=*min).take_while(|&lod| lod < lod_count).collect()
        }
        LodSelection::List(list) => list.clone(),
    };
    if mode == LodMode::Correct {
        if let Some(&found) = chosen.iter().find(|&&lod| lod >= lod_count) {
            return Err(DnaError::NoSuchLod { found, lod_count });
        }
        if chosen.is_empty() {
            return Err(DnaError::NoLodChosen);
        }
    }
    chosen.retain(|&lod| lod < lod_count);
    chosen.sort_unstable();
    let with_repeats = chosen.len();
    chosen.dedup();
    // The reference library counts a LOD as often as it is listed.
    let new_count = if mode == LodMode::Compat { with_repeats } else { chosen.len() };
    Ok((chosen, u16::try_from(new_count).unwrap_or(u16::MAX)))
}

/// Joints that are kept whatever the LODs, because they are in none.
fn joints_in_no_lod(dna: &Dna, mode: LodMode) -> Vec<bool> {
    let mapping = &dna.definition.lod_joint_mapping;
    let mut in_no_lod = vec![true; dna.definition.joint_names.len()];
    // The reference library takes LOD 0 for a list of all joints that any LOD uses.
    let lods = if mode == LodMode::Compat { 1 } else { mapping.lods.len() };
    for &joint in (0..lods).flat_map(|lod| mapping.members(lod)) {
        if let Some(flag) = in_no_lod.get_mut(usize::from(joint)) {
            *flag = false;
        }
    }
    in_no_lod
}

/// Keeps what joints hang from, so that positions relative to the parent stay what they are.
fn keep_ancestors(hierarchy: &[u16], kept: &mut [bool]) {
    for joint in 0..kept.len() {
        let mut at = joint;
        while kept.get(at) == Some(&true) {
            let Some(parent) = hierarchy.get(at).map(|&parent| usize::from(parent)) else { break };
            match kept.get_mut(parent) {
                // A parent that is kept already takes care of its own ancestors.
                Some(flag) if !*flag => *flag = true,
                _ => break,
            }
            at = parent;
        }
    }
}

/// Keeps the rows of the chosen LODs, renumbers `lods`, and tells which of `count` items are in a kept row.
fn select_rows(
    mapping: &mut LodMapping,
    chosen: &[u16],
    count: usize,
    name: &'static str,
) -> Result<Vec<bool>, DnaError> {
    let rows = mapping.indices.len();
    let lods: Vec<u16> =
        chosen.iter().filter_map(|&lod| mapping.lods.get(usize::from(lod)).copied()).collect();
    let mut is_used = vec![false; rows];
    for &row in &lods {
        match is_used.get_mut(usize::from(row)) {
            Some(used) => *used = true,
            None => {
                return Err(DnaError::Inconsistent {
                    path: format!("{name}.lods"),
                    found: format!("row {row}"),
                    expected: format!("a row below {rows}"),
                });
            }
        }
    }
    let numbers = Renumbering::from_kept(is_used.into_iter());
    numbers.cut(&mut mapping.indices);
    mapping.lods = lods;
    numbers.renumber(&mut mapping.lods);
    let mut kept = vec![false; count];
    for &item in mapping.indices.iter().flatten() {
        match kept.get_mut(usize::from(item)) {
            Some(kept) => *kept = true,
            None => {
                return Err(DnaError::Inconsistent {
                    path: format!("{name}.indices"),
                    found: item.to_string(),
                    expected: format!("a number below {count}"),
                });
            }
        }
    }
    Ok(kept)
}

fn cut_definition(
    definition: &mut crate::Definition,
    joints: &Renumbering,
    channels: &Renumbering,
    maps: &Renumbering,
    meshes: &Renumbering,
) {
    joints.cut(&mut definition.joint_names);
    channels.cut(&mut definition.blend_shape_channel_names);
    maps.cut(&mut definition.animated_map_names);
    meshes.cut(&mut definition.mesh_names);
    let pairs = &mut definition.mesh_blend_shape_channel_mapping;
    let kept = pairs
        .from
        .iter()
        .zip(&pairs.to)
        .filter_map(|(&mesh, &channel)| Some((meshes.get(mesh)?, channels.get(channel)?)));
    (pairs.from, pairs.to) = kept.unzip();
    joints.cut(&mut definition.joint_hierarchy);
    for parent in &mut definition.joint_hierarchy {
        *parent = joints.get(*parent).unwrap_or(0);
    }
    for Vectors3 { xs, ys, zs } in
        [&mut definition.neutral_joint_translations, &mut definition.neutral_joint_rotations]
    {
        [xs, ys, zs].into_iter().for_each(|coordinates| joints.cut(coordinates));
    }
}

/// Keeps the row counts of the chosen LODs and tells how many rows are needed for them.
fn keep_lods(lods: &mut Vec<u16>, chosen: &[u16], mode: LodMode) -> usize {
    *lods = chosen.iter().filter_map(|&lod| lods.get(usize::from(lod)).copied()).collect();
    let rows = match mode {
        LodMode::Compat => lods.first(),
        LodMode::Correct => lods.iter().max(),
    };
    rows.map_or(0, |&rows| usize::from(rows))
}

/// Cuts a group. The error is a row and the joint that it writes but the LODs do not have.
fn cut_group(
    group: &mut JointGroup,
    chosen: &[u16],
    mode: LodMode,
    joints: &Renumbering,
) -> Result<(), (usize, u16)> {
    let rows = keep_lods(&mut group.lods, chosen, mode);
    let columns = group.input_indices.len();
    group.output_indices.truncate(rows);
    group.values.truncate(rows.saturating_mul(columns));
    if rows == 0 {
        group.input_indices.clear();
    }
    for (row, output) in group.output_indices.iter_mut().enumerate() {
        let joint = *output / 9;
        // A smaller joint number cannot overflow.
        *output = joints.get(joint).ok_or((row, joint))? * 9 + *output % 9;
    }
    joints.renumber(&mut group.joint_indices);
    Ok(())
}

/// As the reference library does it: what is left is divided by what was not removed, in `f32`.
fn cut_weights_compat(vertex: &mut VertexSkinWeights, joints: &Renumbering, root: u16) -> bool {
    let mut removed = 0.0f32;
    let mut any = false;
    for (&joint, &weight) in vertex.joint_indices.iter().zip(&vertex.weights) {
        if joints.get(joint).is_none() {
            removed += weight;
            any = true;
        }
    }
    if !any {
        joints.renumber(&mut vertex.joint_indices);
        return false;
    }
    let is_kept: Vec<bool> = vertex.joint_indices.iter().map(|&joint| joints.get(joint).is_some()).collect();
    retain_by(&mut vertex.weights, |at| is_kept.get(at).copied().unwrap_or(true));
    joints.renumber(&mut vertex.joint_indices);
    if vertex.joint_indices.is_empty() {
        vertex.joint_indices = vec![root];
        vertex.weights = vec![1.0];
    } else {
        let factor = 1.0 / (1.0 - removed);
        vertex.weights.iter_mut().for_each(|weight| *weight *= factor);
    }
    true
}

/// Gives weights of dropped joints to the other joints of the vertex in proportion; where none is left, all of it
/// to the nearest kept ancestor of the joint with the largest weight.
fn cut_weights(vertex: &mut VertexSkinWeights, joints: &Renumbering, old_hierarchy: &[u16]) -> bool {
    if vertex.joint_indices.iter().all(|&joint| joints.get(joint).is_some()) {
        joints.renumber(&mut vertex.joint_indices);
        return false;
    }
    let pairs = || vertex.joint_indices.iter().copied().zip(vertex.weights.iter().copied());
    let total: f64 = pairs().map(|(_, weight)| f64::from(weight)).sum();
    let kept: Vec<(u16, f32)> =
        pairs().filter_map(|(joint, weight)| Some((joints.get(joint)?, weight))).collect();
    let left: f64 = kept.iter().map(|&(_, weight)| f64::from(weight)).sum();
    if left > 0.0 {
        (vertex.joint_indices, vertex.weights) = kept
            .into_iter()
            .map(|(joint, weight)| (joint, (f64::from(weight) * (total / left)) as f32))
            .unzip();
        return true;
    }
    let heaviest = pairs().reduce(|most, next| if next.1 > most.1 { next } else { most });
    let mut joint = heaviest.map_or(0, |(joint, _)| joint);
    for _ in 0..old_hierarchy.len() {
        match old_hierarchy.get(usize::from(joint)) {
            Some(&parent) if joints.get(joint).is_none() => joint = parent,
            _ => break,
        }
    }
    vertex.joint_indices = vec![joints.get(joint).unwrap_or(0)];
    vertex.weights = vec![total as f32];
    true
}

/// Tells whether the record stays: one that loses all of its joints does not.
fn cut_twist_swing(record: &mut TwistSwing, joints: &Renumbering) -> bool {
    let is_kept: Vec<bool> =
        record.output_joint_indices.iter().map(|&joint| joints.get(joint).is_some()).collect();
    retain_by(&mut record.blend_weights, |at| is_kept.get(at).copied().unwrap_or(true));
    joints.renumber(&mut record.output_joint_indices);
    is_kept.is_empty() || !record.output_joint_indices.is_empty()
}

fn retain_by<T>(list: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut number = 0;
    list.retain(|_| {
        number += 1;
        keep(number - 1)
    });
}

fn retain_conditionals(table: &mut ConditionalTable, keep: impl Fn(usize) -> bool) {
    retain_by(&mut table.input_indices, &keep);
    retain_by(&mut table.output_indices, &keep);
    retain_by(&mut table.from_values, &keep);
    retain_by(&mut table.to_values, &keep);
    retain_by(&mut table.slope_values, &keep);
    retain_by(&mut table.cut_values, &keep);
}

/// Lowers each count of leading rows by the rows that went.
fn count_kept(lods: &mut [u16], keep: &[bool]) {
    for rows in lods {
        let gone = keep.iter().take(usize::from(*rows)).filter(|&&keep| !keep).count();
        *rows -= gone as u16;
    }
}
