use std::collections::BTreeMap;

use mhrig_dna::{BlendShapeTarget, Dna, Text, Vectors3};

use crate::CalibError;
use crate::check::{check_meshes, index};

/// Deltas by vertex, ascending.
pub(crate) type Sparse = Vec<(u32, [f32; 3])>;

/// Which blend shape targets each control drives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    /// Per control: mesh and target, by mesh.
    by_control: Vec<Vec<(usize, usize)>>,
    /// Per control, the channels that it drives.
    channels: Vec<Vec<u16>>,
}

impl Shapes {
    /// Reads rows and targets. Where several rows write one channel, the last one counts, as at run time.
    pub(crate) fn from_dna(dna: &Dna, controls: usize) -> Result<Self, CalibError> {
        check_meshes(dna)?;
        let rows = &dna.behavior.blend_shape_channels;
        let channel_count = dna.definition.blend_shape_channel_names.len();
        let mut driver: Vec<Option<u16>> = vec![None; channel_count];
        for (at, (&input, &output)) in rows.input_indices.iter().zip(&rows.output_indices).enumerate() {
            index("bhvr.blendShapeChannels.inputIndices", at, usize::from(input), controls)?;
            index("bhvr.blendShapeChannels.outputIndices", at, usize::from(output), channel_count)?;
            driver[usize::from(output)] = Some(input);
        }
        let mut shapes =
            Self { by_control: vec![Vec::new(); controls], channels: vec![Vec::new(); controls] };
        for (channel, driver) in driver.iter().enumerate() {
            if let Some(control) = driver {
                shapes.channels[usize::from(*control)].push(channel as u16);
            }
        }
        for (mesh, found) in dna.geometry.meshes.iter().enumerate() {
            for (at, target) in found.blend_shape_targets.iter().enumerate() {
                let channel = usize::from(target.blend_shape_channel_index);
                if let Some(control) = driver.get(channel).copied().flatten() {
                    shapes.by_control[usize::from(control)].push((mesh, at));
                }
            }
        }
        Ok(shapes)
    }

    /// Targets of `control` as mesh and number of the target, by mesh.
    pub(crate) fn of(&self, control: u16) -> &[(usize, usize)] {
        self.by_control.get(usize::from(control)).map_or(&[], Vec::as_slice)
    }

    /// Targets of `control` on one mesh.
    pub(crate) fn on_mesh(&self, control: u16, mesh: usize) -> &[(usize, usize)] {
        let all = self.of(control);
        let start = all.partition_point(|&(other, _)| other < mesh);
        let end = all.partition_point(|&(other, _)| other <= mesh);
        &all[start..end]
    }

    /// Meshes on which `control` has a target, ascending.
    pub(crate) fn meshes(&self, control: u16) -> Vec<usize> {
        let mut meshes: Vec<usize> = self.of(control).iter().map(|&(mesh, _)| mesh).collect();
        meshes.dedup();
        meshes
    }

    /// The channels of `control`.
    pub(crate) fn channels(&self, control: u16) -> &[u16] {
        self.channels.get(usize::from(control)).map_or(&[], Vec::as_slice)
    }

    /// What `control` adds to a mesh, all its targets together.
    pub(crate) fn deltas(&self, dna: &Dna, control: u16, mesh: usize) -> Sparse {
        let targets = &dna.geometry.meshes[mesh].blend_shape_targets;
        let mut deltas = Sparse::new();
        for &(_, target) in self.on_mesh(control, mesh) {
            let target = &targets[target];
            deltas.extend(target.vertex_indices.iter().copied().zip(target.deltas.iter()));
        }
        deltas.sort_by_key(|&(vertex, _)| vertex);
        deltas.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = std::array::from_fn(|axis| kept.1[axis] + next.1[axis]);
            }
            is_same
        });
        deltas
    }

    /// Replaces what `control` adds to a mesh: its first target there gets `deltas`, further ones are emptied. Without a
    /// target there is one made of the control's channel, or of a new channel named `name`. Gives back whether a target
    /// was made.
    pub(crate) fn write(
        &self,
        dna: &mut Dna,
        control: u16,
        mesh: usize,
        name: &str,
        deltas: &Sparse,
    ) -> bool {
        let targets = self.on_mesh(control, mesh);
        let (vertex_indices, values): (Vec<u32>, Vec<[f32; 3]>) = deltas.iter().copied().unzip();
        let values = Vectors3::from_vectors(&values);
        if let Some((&(_, first), rest)) = targets.split_first() {
            let stored = &mut dna.geometry.meshes[mesh].blend_shape_targets;
            for &(_, target) in rest {
                stored[target].vertex_indices.clear();
                stored[target].deltas = Vectors3::default();
            }
            stored[first].vertex_indices = vertex_indices;
            stored[first].deltas = values;
            return false;
        }
        if deltas.is_empty() {
            return false;
        }
        let known = dna.definition.blend_shape_channel_names.iter().position(|known| *known == name);
        let channel = self.channels(control).first().copied().or(known.map(|at| at as u16));
        let channel = channel.unwrap_or_else(|| add_channel(dna, name, mesh, control));
        dna.geometry.meshes[mesh].blend_shape_targets.push(BlendShapeTarget {
            deltas: values,
            vertex_indices,
            blend_shape_channel_index: channel,
        });
        let pairs = &mut dna.definition.mesh_blend_shape_channel_mapping;
        let pair = (mesh as u16, channel);
        if !pairs.from.iter().zip(&pairs.to).any(|(&from, &to)| (from, to) == pair) {
            let at = pairs.from.iter().zip(&pairs.to).take_while(|(from, to)| (**from, **to) < pair).count();
            pairs.from.insert(at, pair.0);
            pairs.to.insert(at, pair.1);
        }
        true
    }
}

/// Makes a channel that `control` drives in the LODs that have `mesh`, from 0 on.
fn add_channel(dna: &mut Dna, name: &str, mesh: usize, control: u16) -> u16 {
    let lod_count = usize::from(dna.descriptor.lod_count);
    let in_lod = |lod: &usize| {
        let members = dna.definition.lod_mesh_mapping.members(*lod);
        members.iter().any(|&member| usize::from(member) == mesh)
    };
    let lods = (0..lod_count).rfind(in_lod).map_or(0, |lod| lod + 1);
    insert_channel(dna, name, control, lods)
}

/// Appends a channel with a row that `control` drives, active in the first `lods` LODs.
pub(crate) fn insert_channel(dna: &mut Dna, name: &str, control: u16, lods: usize) -> u16 {
    let lod_count = usize::from(dna.descriptor.lod_count);
    let lods = lods.min(lod_count);
    let definition = &mut dna.definition;
    let channel = definition.blend_shape_channel_names.len() as u16;
    definition.blend_shape_channel_names.push(Text::from(name));
    let mapping = &mut definition.lod_blend_shape_mapping;
    // LODs may share a row; those that get the channel must not share one with those that do not.
    let lists: BTreeMap<usize, Vec<u16>> = (0..lod_count)
        .map(|lod| {
            let mut members = mapping.members(lod).to_vec();
            if lod < lods {
                members.push(channel);
            }
            (lod, members)
        })
        .collect();
    mapping.lods.clear();
    mapping.indices.clear();
    for list in lists.into_values() {
        let row = mapping.indices.iter().position(|row| *row == list).unwrap_or(mapping.indices.len());
        if row == mapping.indices.len() {
            mapping.indices.push(list);
        }
        mapping.lods.push(row as u16);
    }
    let rows = &mut dna.behavior.blend_shape_channels;
    rows.lods.resize(lod_count, 0);
    // Leading rows belong to coarser LODs too: the new row goes behind the rows of the last LOD that has it.
    let count = rows.input_indices.len().min(rows.output_indices.len());
    let at = match lods.checked_sub(1) {
        Some(last) => usize::from(rows.lods[last]).min(count),
        None => count,
    };
    rows.input_indices.insert(at, control);
    rows.output_indices.insert(at, channel);
    rows.lods[..lods].iter_mut().for_each(|lod| *lod = lod.saturating_add(1));
    channel
}
