//! The head's DNA.

use mhrig_dna::{
    BlendShapeTarget, ConditionalTable, CoordinateSystem, Definition, Descriptor, Dna, FileVersion,
    IndexPairs, LodMapping, Text, Vectors3, direction, rotation_unit, translation_unit,
};

use crate::combinations::{Combination, channel_name, combination_name, combinations};
use crate::controls::{MainControl, main_controls};
use crate::correctives::{CorrectiveSolver, Dense};
use crate::drivers::push_driver;
use crate::expressions::{Effect, main_effects};
use crate::geometry::{LodMesh, dna_mesh, target};
use crate::joint_groups::{Column, joint_groups};
use crate::maps::set_animated_maps;
use crate::neck::{NECK_JOINTS, neck_effects, pose_control_names, set_neck_solver};
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
    let combinations = combinations();
    let mains = main_effects(human, skeleton, &controls)?;
    let correctives = corrective_effects(human, skeleton, &controls, &mains, &combinations)?;
    let turns = neck_effects(human, skeleton)?;
    let mut dna = Dna {
        descriptor: descriptor("DemoHumanHead", DB_NAME_HEAD, lods.meshes.len() as u16),
        ..Dna::new(FileVersion { generation: 2, version: 5 })
    };
    set_skeleton(&mut dna.definition, skeleton, lods);
    set_controls(&mut dna, &controls);
    for joint in NECK_JOINTS {
        push_driver(&mut dna, joint);
    }
    set_correctives(&mut dna, &controls, &combinations);
    set_neck_solver(&mut dna, skeleton, lods.meshes.len())?;
    set_animated_maps(&mut dna, &controls, &combinations);

    let names = controls.iter().map(|control| channel_name(&control.name));
    let names = names.chain(combinations.iter().map(|of| combination_name(&of.components)));
    let names = names.chain(pose_control_names().map(channel_name));
    let first_corrective = dna.definition.raw_control_names.len();
    let last = first_corrective + combinations.len() + turns.len();
    let numbers = (0..controls.len()).chain(first_corrective..last).map(|number| number as u16);
    let channels: Vec<(String, u16, &Effect)> = names
        .zip(numbers.zip(mains.iter().chain(&correctives).chain(&turns)))
        .map(|(name, (number, effect))| (name, number, effect))
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

/// The effect of every combination, in order.
fn corrective_effects(
    human: &DemoHuman,
    skeleton: &PartSkeleton,
    controls: &[MainControl],
    mains: &[Effect],
    combinations: &[Combination],
) -> Result<Vec<Effect>, SynthError> {
    let solver = CorrectiveSolver::new(human, skeleton);
    let mut displacements: Vec<Option<Dense>> = vec![None; controls.len()];
    let mut effects: Vec<Effect> = Vec::with_capacity(combinations.len());
    for combination in combinations {
        let components = component_numbers(controls, combination)?;
        for &at in &components {
            displacements[at].get_or_insert_with(|| solver.displacement(&[&mains[at]]));
        }
        let of_components: Vec<(&Effect, &Dense)> =
            components.iter().filter_map(|&at| Some((&mains[at], displacements[at].as_ref()?))).collect();
        let below = combinations.iter().zip(&effects).filter(|(other, _)| {
            other.components.iter().all(|component| combination.components.contains(component))
        });
        let below: Vec<&Effect> = below.map(|(_, effect)| effect).collect();
        effects.push(solver.solve(combination, &of_components, &below));
    }
    Ok(effects)
}

fn component_numbers(controls: &[MainControl], combination: &Combination) -> Result<Vec<usize>, SynthError> {
    let number = |component: &String| {
        let number = controls.iter().position(|control| control.name == *component);
        number.ok_or_else(|| SynthError::Mismatch {
            what: "component of a corrective".to_owned(),
            expected: "a control".to_owned(),
            found: component.clone(),
        })
    };
    combination.components.iter().map(number).collect()
}

/// Correctives are products of their components.
fn set_correctives(dna: &mut Dna, controls: &[MainControl], combinations: &[Combination]) {
    let first = dna.definition.raw_control_names.len();
    dna.behavior.controls.psd_count = combinations.len() as u16;
    let psds = &mut dna.behavior.controls.psds;
    for (at, combination) in combinations.iter().enumerate() {
        for component in &combination.components {
            if let Some(control) = controls.iter().position(|control| control.name == *component) {
                psds.rows.push((first + at) as u16);
                psds.columns.push(control as u16);
                psds.values.push(1.0);
            }
        }
    }
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

/// Blend shapes are on LOD 0 only, as in MetaHuman heads. A channel is driven by its control at full strength.
pub(crate) fn set_blend_shapes(dna: &mut Dna, lods: &Lods, channels: &[(String, u16, &Effect)]) {
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
