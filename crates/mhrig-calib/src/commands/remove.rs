use mhrig_dna::{ConditionalTable, Dna};

use super::Removal;
use super::renumber::{Renumbering, is_listed, kept_rows, pick};
use crate::CalibError;
use crate::check::index;

impl Removal {
    /// The numbers that count.
    pub(super) fn selected(&self, command: &'static str) -> Result<Vec<usize>, CalibError> {
        let given = usize::from(self.index.is_some())
            + usize::from(self.indices.is_some())
            + usize::from(!self.setters.is_empty());
        let ambiguous = |found: usize, place: &str| CalibError::Option {
            option: command,
            found: format!("{found} of them{place}"),
            expected: "exactly one of index, indices and setters",
        };
        if given != 1 {
            return Err(ambiguous(given, ""));
        }
        let (one, list) = match self.setters.last() {
            Some(setter) => (setter.index, setter.indices.as_ref()),
            None => (self.index, self.indices.as_ref()),
        };
        match (one, list) {
            (Some(one), None) => Ok(vec![one]),
            (None, Some(list)) => Ok(list.clone()),
            (one, _) => Err(ambiguous(if one.is_some() { 2 } else { 0 }, " in the last setter")),
        }
    }

    /// The numbers that count, checked against the number of items unless wrong ones are to be overlooked.
    pub(super) fn checked(
        &self,
        command: &'static str,
        items: usize,
        compat: bool,
    ) -> Result<Vec<usize>, CalibError> {
        let selected = self.selected(command)?;
        if !compat {
            for (at, &item) in selected.iter().enumerate() {
                index(command, at, item, items)?;
            }
        }
        if self.weights.is_some() && command != "RemoveJoint" {
            return Err(CalibError::Option {
                option: command,
                found: "weights".to_owned(),
                expected: "an argument of RemoveJoint",
            });
        }
        Ok(selected)
    }
}

pub(super) fn blend_shapes(dna: &mut Dna, args: &Removal, compat: bool) -> Result<(), CalibError> {
    let definition = &mut dna.definition;
    let count = definition.blend_shape_channel_names.len();
    let selected = args.checked("RemoveBlendShape", count, compat)?;
    let mapping = &definition.lod_blend_shape_mapping;
    let is_removed = |item: usize| selected.contains(&item) || (compat && !is_listed(mapping, item));
    let numbers = Renumbering::new(count, is_removed);
    if !compat && numbers.kept() == count {
        return Ok(());
    }
    numbers.keep(&mut definition.blend_shape_channel_names);
    numbers.lods(&mut definition.lod_blend_shape_mapping);
    let pairs = &mut definition.mesh_blend_shape_channel_mapping;
    let kept: Vec<usize> = (0..pairs.from.len())
        .filter(|&at| pairs.to.get(at).is_some_and(|&to| numbers.of(to).is_some()))
        .collect();
    pick(&mut pairs.from, &kept);
    pick(&mut pairs.to, &kept);
    numbers.numbers(&mut pairs.to);

    let channels = &mut dna.behavior.blend_shape_channels;
    let outputs = &channels.output_indices;
    let rows = outputs.len().min(channels.input_indices.len());
    let kept = kept_rows(rows, &mut channels.lods, |row| numbers.of(outputs[row]).is_some());
    pick(&mut channels.input_indices, &kept);
    pick(&mut channels.output_indices, &kept);
    numbers.numbers(&mut channels.output_indices);
    if compat {
        // The library counts the channels of each LOD, not the rows; of an emptied list it makes no counts.
        let mapping = &definition.lod_blend_shape_mapping;
        channels.lods = (0..mapping.lods.len()).map(|lod| mapping.members(lod).len() as u16).collect();
        if numbers.kept() == 0 && count == 0 {
            channels.lods.clear();
        }
    }
    for mesh in &mut dna.geometry.meshes {
        mesh.blend_shape_targets.retain_mut(|target| match numbers.of(target.blend_shape_channel_index) {
            Some(number) => {
                target.blend_shape_channel_index = number;
                true
            }
            None => false,
        });
    }
    Ok(())
}

pub(super) fn animated_maps(dna: &mut Dna, args: &Removal, compat: bool) -> Result<(), CalibError> {
    let definition = &mut dna.definition;
    let count = definition.animated_map_names.len();
    let selected = args.checked("RemoveAnimatedMap", count, compat)?;
    let mapping = &definition.lod_animated_map_mapping;
    let is_removed = |item: usize| selected.contains(&item) || (compat && !is_listed(mapping, item));
    let numbers = Renumbering::new(count, is_removed);
    if numbers.kept() == count {
        return Ok(());
    }
    let maps = &mut dna.behavior.animated_maps;
    let table = &mut maps.conditionals;
    let rows = table.output_indices.len();
    let outputs = &table.output_indices;
    let mut lods = maps.lods.clone();
    let kept = kept_rows(rows, &mut lods, |row| numbers.of(outputs[row]).is_some());
    if compat {
        // The library takes every removed row of a map off the count of every LOD that lists the map.
        for (lod, count) in maps.lods.iter_mut().enumerate() {
            let listed = mapping.members(lod);
            let removed =
                outputs.iter().filter(|&output| numbers.of(*output).is_none() && listed.contains(output));
            *count = count.wrapping_sub(removed.count() as u16);
        }
    } else {
        maps.lods = lods;
    }
    pick_rows(table, &kept);
    numbers.numbers(&mut table.output_indices);
    numbers.keep(&mut definition.animated_map_names);
    numbers.lods(&mut definition.lod_animated_map_mapping);
    Ok(())
}

fn pick_rows(table: &mut ConditionalTable, kept: &[usize]) {
    pick(&mut table.input_indices, kept);
    pick(&mut table.output_indices, kept);
    pick(&mut table.from_values, kept);
    pick(&mut table.to_values, kept);
    pick(&mut table.slope_values, kept);
    pick(&mut table.cut_values, kept);
}

pub(super) fn meshes(dna: &mut Dna, args: &Removal, compat: bool) -> Result<(), CalibError> {
    let definition = &mut dna.definition;
    let count = definition.mesh_names.len();
    let selected = args.checked("RemoveMesh", count, compat)?;
    let mapping = &definition.lod_mesh_mapping;
    let is_removed = |item: usize| selected.contains(&item) || (compat && !is_listed(mapping, item));
    let numbers = Renumbering::new(count, is_removed);
    numbers.keep(&mut definition.mesh_names);
    numbers.keep(&mut dna.geometry.meshes);
    numbers.lods(&mut definition.lod_mesh_mapping);
    let pairs = &mut definition.mesh_blend_shape_channel_mapping;
    let kept: Vec<usize> = (0..pairs.to.len())
        .filter(|&at| pairs.from.get(at).is_some_and(|&from| numbers.of(from).is_some()))
        .collect();
    pick(&mut pairs.from, &kept);
    pick(&mut pairs.to, &kept);
    numbers.numbers(&mut pairs.from);
    let regions = &mut dna.machine_learned_behavior.neural_network_to_mesh_region;
    numbers.keep(&mut regions.region_names);
    numbers.keep(&mut regions.indices);
    Ok(())
}
