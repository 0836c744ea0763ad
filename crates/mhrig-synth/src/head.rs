//! The head's DNA.

use mhrig_dna::{
    BlendShapeTarget, ConditionalTable, CoordinateSystem, Definition, Descriptor, Dna, FileVersion,
    IndexPairs, LodMapping, Text, Vectors3, direction, rotation_unit, translation_unit,
};

use crate::controls::{MainControl, main_controls};
use crate::expressions::{Effect, main_effects};
use crate::geometry::{LodMesh, dna_mesh, target};
use crate::joint_groups::{Column, joint_groups};
use crate::skeleton::PartSkeleton;
use crate::{DemoHuman, SynthError};

/// Rig definition of the demo human; a name of our own, since no table of a MetaHuman rig fits it.
pub(crate) const DB_NAME_HEAD: &str = "MHRIG.DEMO.HEAD";

/// Joints whose children each begin a group of their own.
const HUBS: [&str; 3] = ["FACIAL_C_FacialRoot", "FACIAL_C_Neck1Root", "FACIAL_C_Neck2Root"];

/// Everything of a part that has levels of detail.
pub(crate) struct Lods {
    /// Meshes per LOD.
    pub(crate) meshes: Vec<Vec<LodMesh>>,
    /// For each joint, the number of LODs from 0 on that have it.
    pub(crate) lod_count_of_joint: Vec<usize>,
}

/// Makes the head.
pub(crate) fn head_dna(human: &DemoHuman, skeleton: &PartSkeleton, lods: &Lods) -> Result<Dna, SynthError> {
    let controls = main_controls();
    let effects = main_effects(human, skeleton, &controls)?;
    let mut dna = Dna {
        descriptor: descriptor("DemoHumanHead", DB_NAME_HEAD, lods.meshes.len() as u16),
        ..Dna::new(FileVersion { generation: 2, version: 5 })
    };
    set_skeleton(&mut dna.definition, skeleton, lods);
    set_controls(&mut dna, &controls);

    let channels: Vec<(String, u16, &Effect)> = controls
        .iter()
        .zip(&effects)
        .enumerate()
        .map(|(number, (control, effect))| (channel_name(&control.name), number as u16, effect))
        .collect();
    set_blend_shapes(&mut dna, lods, &channels);
    let columns: Vec<Column<'_>> = channels
        .iter()
        .map(|(_, control, effect)| Column { control: *control, deltas: &effect.joints })
        .collect();
    let blocks = blocks(skeleton, &HUBS);
    dna.behavior.joints.row_count = (skeleton.names.len() * 9) as u16;
    dna.behavior.joints.col_count = channels.len() as u16;
    dna.behavior.joints.joint_groups =
        joint_groups(&columns, &blocks, &lods.lod_count_of_joint, lods.meshes.len());
    Ok(dna)
}

pub(crate) fn descriptor(name: &str, db_name: &str, lod_count: u16) -> Descriptor {
    Descriptor {
        name: name.into(),
        archetype: 5,
        gender: 2,
        age: 30,
        metadata: vec![("source".into(), "MakeHuman base mesh hm08, CC0 1.0".into())],
        translation_unit: translation_unit::CM,
        rotation_unit: rotation_unit::DEGREES,
        coordinate_system: CoordinateSystem {
            x_axis: direction::LEFT,
            y_axis: direction::UP,
            z_axis: direction::FRONT,
        },
        lod_count,
        max_lod: 0,
        complexity: "A".into(),
        db_name: db_name.into(),
    }
}

pub(crate) fn set_skeleton(definition: &mut Definition, skeleton: &PartSkeleton, lods: &Lods) {
    let lod_count = lods.meshes.len();
    let parents = skeleton.parents.iter().enumerate();
    definition.joint_names = skeleton.names.iter().map(|name| name.as_str().into()).collect();
    definition.joint_hierarchy = parents.map(|(joint, parent)| parent.unwrap_or(joint) as u16).collect();
    definition.neutral_joint_translations = Vectors3::from_vectors(&skeleton.translations);
    definition.neutral_joint_rotations = Vectors3::from_vectors(&skeleton.rotations_deg);
    definition.lod_joint_mapping = rows_per_lod((0..lod_count).map(|lod| {
        let joints = lods.lod_count_of_joint.iter().enumerate();
        joints.filter(|&(_, &count)| count > lod).map(|(joint, _)| joint as u16).collect()
    }));
    let names = lods.meshes.iter().flatten().map(|mesh| mesh.name.as_str().into());
    definition.mesh_names = names.collect();
    let mut first = 0;
    definition.lod_mesh_mapping = rows_per_lod(lods.meshes.iter().map(|meshes| {
        let members = (first..first + meshes.len()).map(|mesh| mesh as u16).collect();
        first += meshes.len();
        members
    }));
}

/// One row per LOD; LODs with the same members share a row.
pub(crate) fn rows_per_lod(members: impl Iterator<Item = Vec<u16>>) -> LodMapping {
    let mut mapping = LodMapping::default();
    for row in members {
        let at = mapping.indices.iter().position(|known| *known == row).unwrap_or_else(|| {
            mapping.indices.push(row);
            mapping.indices.len() - 1
        });
        mapping.lods.push(at as u16);
    }
    mapping
}

fn set_controls(dna: &mut Dna, controls: &[MainControl]) {
    let definition = &mut dna.definition;
    let table = &mut dna.behavior.controls.conditionals;
    for (number, control) in controls.iter().enumerate() {
        definition.raw_control_names.push(format!("CTRL_expressions.{}", control.name).into());
        let gui = Text::from(control.gui.as_str());
        let slider = definition.gui_control_names.iter().position(|name| *name == gui).unwrap_or_else(|| {
            definition.gui_control_names.push(gui);
            definition.gui_control_names.len() - 1
        });
        for row in &control.rows {
            push_row(table, slider as u16, number as u16, [row.from, row.to, row.slope, row.cut]);
        }
    }
}

pub(crate) fn push_row(table: &mut ConditionalTable, input: u16, output: u16, row: [f32; 4]) {
    let [from, to, slope, cut] = row;
    table.input_indices.push(input);
    table.output_indices.push(output);
    table.from_values.push(from);
    table.to_values.push(to);
    table.slope_values.push(slope);
    table.cut_values.push(cut);
}

/// The channel of a control in MetaHuman's manner: `mouthPressUL` is `mouth_press_UL`.
pub(crate) fn channel_name(control: &str) -> String {
    let sides = ["UL", "UR", "DL", "DR", "L", "R"];
    let side = sides.iter().find(|side| {
        control.strip_suffix(**side).is_some_and(|stem| stem.ends_with(|c: char| c.is_ascii_lowercase()))
    });
    let stem = side.map_or(control, |side| &control[..control.len() - side.len()]);
    let region = stem.find(|c: char| c.is_ascii_uppercase()).unwrap_or(stem.len());
    let (region, what) = stem.split_at(region);
    let mut name = region.to_owned();
    let mut letters = what.chars();
    if let Some(first) = letters.next() {
        name.push('_');
        name.push(first.to_ascii_lowercase());
        name.extend(letters);
    }
    if let Some(side) = side {
        name.push('_');
        name.push_str(side);
    }
    name
}

/// Blend shapes are on LOD 0 only, as in MetaHuman heads. A channel is driven by its control at full strength.
fn set_blend_shapes(dna: &mut Dna, lods: &Lods, channels: &[(String, u16, &Effect)]) {
    let lod_count = lods.meshes.len();
    let definition = &mut dna.definition;
    let behavior = &mut dna.behavior.blend_shape_channels;
    let mut targets: Vec<Vec<BlendShapeTarget>> = vec![Vec::new(); lods.meshes[0].len()];
    for (name, control, effect) in channels {
        if effect.targets.iter().all(|shape| shape.vertices.is_empty()) {
            continue;
        }
        let channel = definition.blend_shape_channel_names.len() as u16;
        definition.blend_shape_channel_names.push(name.as_str().into());
        behavior.input_indices.push(*control);
        behavior.output_indices.push(channel);
        for (targets, shape) in targets.iter_mut().zip(&effect.targets) {
            if !shape.vertices.is_empty() {
                targets.push(target(shape, channel));
            }
        }
    }
    let mut mapping = IndexPairs::default();
    for (mesh, targets) in targets.iter().enumerate() {
        for target in targets {
            mapping.from.push(mesh as u16);
            mapping.to.push(target.blend_shape_channel_index);
        }
    }
    definition.mesh_blend_shape_channel_mapping = mapping;
    let channel_count = definition.blend_shape_channel_names.len() as u16;
    let of_lod = |lod| if lod == 0 { channel_count } else { 0 };
    definition.lod_blend_shape_mapping = rows_per_lod((0..lod_count).map(|lod| (0..of_lod(lod)).collect()));
    behavior.lods = (0..lod_count).map(of_lod).collect();
    let mut of_lod_0 = targets.into_iter();
    let meshes = lods.meshes.iter().flatten();
    dna.geometry.meshes = meshes.map(|mesh| dna_mesh(mesh, of_lod_0.next().unwrap_or_default())).collect();
}

/// Numbers the subtrees that begin below a hub; every joint outside of them is a block of its own.
pub(crate) fn blocks(skeleton: &PartSkeleton, hubs: &[&str]) -> Vec<usize> {
    let mut blocks: Vec<usize> = Vec::with_capacity(skeleton.names.len());
    let mut in_subtree = vec![false; skeleton.names.len()];
    let mut count = 0;
    for (joint, parent) in skeleton.parents.iter().enumerate() {
        let parent = parent.filter(|&parent| in_subtree[parent]);
        if let Some(parent) = parent {
            blocks.push(blocks[parent]);
            in_subtree[joint] = true;
        } else {
            blocks.push(count);
            count += 1;
            let parent = skeleton.parents[joint];
            in_subtree[joint] = parent.is_some_and(|parent| hubs.contains(&skeleton.names[parent].as_str()));
        }
    }
    blocks
}
