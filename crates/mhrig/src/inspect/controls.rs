//! Controls: who drives them, what they drive.

use std::collections::BTreeMap;
use std::path::Path;

use mhrig_dna::{ATTRIBUTE_NAMES, ControlInfo, ControlKind, Dna};
use mhrig_report::{Finding, Severity};
use serde::Serialize;

use super::name_at;

/// A control, correctives aside.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectControl {
    /// Its number among all controls.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// `raw`, `ml` or `pose`: the section of the controls that it is in.
    pub kind: &'static str,
    /// Its role: `gui`, `psd`, `rbf`, `ml`, `direct` (only animation sets it) or `unused`.
    pub label: &'static str,
    /// Who drives it.
    pub sources: ControlSources,
    /// What it drives.
    pub uses: ControlUses,
}

/// Who drives a control.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ControlSources {
    /// Rows from GUI controls.
    pub gui: Vec<InspectGuiRow>,
    /// RBF poses that write it.
    pub rbf_poses: Vec<String>,
    /// Numbers of neural networks that write it.
    pub networks: Vec<u16>,
}

/// What a control drives, itself and not through others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ControlUses {
    /// RBF solvers that read it.
    pub solvers: Vec<String>,
    /// Numbers of neural networks that read it.
    pub networks: Vec<u16>,
    /// Number of correctives that multiply it.
    pub correctives: usize,
    /// Number of joint groups that read it.
    pub joint_groups: usize,
    /// Number of blend shape channels that read it.
    pub blend_shape_channels: usize,
    /// Number of animated map rows that read it.
    pub animated_maps: usize,
    /// Number of twists and swings that read it.
    pub twists_and_swings: usize,
}

/// A row from a GUI control: `slope · value + cut` while the value is within `from` and `to`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectGuiRow {
    /// The GUI control.
    pub control: String,
    /// Least value for which the row applies.
    pub from: f32,
    /// Greatest value for which the row applies.
    pub to: f32,
    /// Factor.
    pub slope: f32,
    /// Summand.
    pub cut: f32,
}

/// A control and how strongly it counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightedControl {
    /// Its name.
    pub control: String,
    /// Its weight.
    pub weight: f32,
}

/// A corrective.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectCorrective {
    /// Its number among all controls.
    pub index: u16,
    /// What it is called here: `psd` and its number.
    pub name: String,
    /// Controls that it multiplies.
    pub inputs: Vec<WeightedControl>,
    /// Number of joints that it moves.
    pub joints: usize,
    /// Number of its deltas of joint attributes.
    pub joint_values: usize,
    /// Blend shape channels that it drives.
    pub blend_shape_channels: Vec<String>,
    /// Animated maps that it drives.
    pub animated_maps: Vec<String>,
}

/// All that one control does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectExpression {
    /// Its number among all controls.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// Its role, see [`InspectControl::label`].
    pub label: &'static str,
    /// Who drives it.
    pub sources: ControlSources,
    /// What it multiplies, if it is a corrective.
    pub inputs: Vec<WeightedControl>,
    /// Joints that it moves.
    pub joints: Vec<InspectJointValues>,
    /// Blend shape channels that it drives.
    pub blend_shape_channels: Vec<InspectChannel>,
    /// Animated maps that it drives.
    pub animated_maps: Vec<InspectMap>,
    /// Correctives that it takes part in.
    pub correctives: Vec<InspectCorrective>,
}

/// What a control does to one joint, at full strength.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectJointValues {
    /// The joint.
    pub joint: String,
    /// LODs in which it happens.
    pub lods: Vec<u16>,
    /// Deltas in the file's units, by attribute: `tx` … `sz`.
    pub values: BTreeMap<&'static str, f32>,
}

/// A blend shape channel that a control drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InspectChannel {
    /// Its name.
    pub channel: String,
    /// LODs in which it happens.
    pub lods: Vec<u16>,
    /// Meshes with a target of the channel, and how many vertices the target moves.
    pub meshes: Vec<(String, usize)>,
}

/// An animated map that a control drives: `slope · control + cut` while the control is within `from` and `to`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectMap {
    /// Its name.
    pub map: String,
    /// LODs in which it happens.
    pub lods: Vec<u16>,
    /// Least value for which the row applies.
    pub from: f32,
    /// Greatest value for which the row applies.
    pub to: f32,
    /// Factor.
    pub slope: f32,
    /// Summand.
    pub cut: f32,
}

/// All controls but the correctives.
pub(super) fn controls(dna: &Dna) -> Vec<InspectControl> {
    let mut rows = gui_rows(dna);
    let controls = dna.controls().into_iter().filter(|info| info.kind != ControlKind::Corrective);
    controls
        .map(|info| InspectControl {
            index: info.index,
            kind: match info.kind {
                ControlKind::Raw => "raw",
                ControlKind::Corrective => "psd",
                ControlKind::MachineLearned => "ml",
                ControlKind::Pose => "pose",
            },
            label: info.label.name(),
            sources: sources(dna, &info, rows.remove(&info.index).unwrap_or_default()),
            uses: ControlUses {
                solvers: info
                    .solvers
                    .iter()
                    .filter_map(|&solver| dna.rbf_behavior.solvers.get(usize::from(solver)))
                    .map(|solver| solver.name.to_string())
                    .collect(),
                networks: info.read_by_networks,
                correctives: info.correctives.len(),
                joint_groups: info.joint_groups,
                blend_shape_channels: info.blend_shape_channels,
                animated_maps: info.animated_maps,
                twists_and_swings: info.twists_and_swings,
            },
            name: info.name,
        })
        .collect()
}

fn gui_rows(dna: &Dna) -> BTreeMap<u16, Vec<InspectGuiRow>> {
    let table = &dna.behavior.controls.conditionals;
    let value = |values: &[f32], row: usize| values.get(row).copied().unwrap_or(f32::NAN);
    let mut rows: BTreeMap<u16, Vec<InspectGuiRow>> = BTreeMap::new();
    for (row, (&input, &output)) in table.input_indices.iter().zip(&table.output_indices).enumerate() {
        rows.entry(output).or_default().push(InspectGuiRow {
            control: name_at(&dna.definition.gui_control_names, usize::from(input)),
            from: value(&table.from_values, row),
            to: value(&table.to_values, row),
            slope: value(&table.slope_values, row),
            cut: value(&table.cut_values, row),
        });
    }
    rows
}

fn sources(dna: &Dna, info: &ControlInfo, gui: Vec<InspectGuiRow>) -> ControlSources {
    let pose = |&pose: &u16| {
        let pose = usize::from(pose);
        dna.rbf_behavior.poses.get(pose).map_or_else(|| format!("#{pose}"), |pose| pose.name.to_string())
    };
    ControlSources {
        gui,
        rbf_poses: info.poses.iter().map(pose).collect(),
        networks: info.written_by_networks.clone(),
    }
}

/// All correctives.
pub(super) fn correctives(dna: &Dna) -> Vec<InspectCorrective> {
    let mut inputs = corrective_inputs(dna);
    let raw = dna.definition.raw_control_names.len();
    let numbers = raw..raw + usize::from(dna.behavior.controls.psd_count);
    let numbers = numbers.map_while(|number| u16::try_from(number).ok());
    numbers.map(|number| corrective(dna, number, inputs.remove(&number).unwrap_or_default())).collect()
}

fn corrective_inputs(dna: &Dna) -> BTreeMap<u16, Vec<WeightedControl>> {
    let psds = &dna.behavior.controls.psds;
    let mut inputs: BTreeMap<u16, Vec<WeightedControl>> = BTreeMap::new();
    for ((&row, &column), &weight) in psds.rows.iter().zip(&psds.columns).zip(&psds.values) {
        inputs.entry(row).or_default().push(WeightedControl { control: dna.control_name(column), weight });
    }
    inputs
}

fn corrective(dna: &Dna, index: u16, inputs: Vec<WeightedControl>) -> InspectCorrective {
    let effects = dna.control_effects(index);
    let mut joints: Vec<u16> = effects.joints.iter().map(|effect| effect.joint).collect();
    joints.dedup();
    let definition = &dna.definition;
    let channels = effects.blend_shape_channels.iter();
    let maps = effects.animated_maps.iter();
    InspectCorrective {
        index,
        name: dna.control_name(index),
        inputs,
        joints: joints.len(),
        joint_values: effects.joints.len(),
        blend_shape_channels: channels
            .map(|effect| name_at(&definition.blend_shape_channel_names, usize::from(effect.channel)))
            .collect(),
        animated_maps: maps
            .map(|effect| name_at(&definition.animated_map_names, usize::from(effect.map)))
            .collect(),
    }
}

/// The controls that a name means: a control, a raw control without what stands before its dot, all that a GUI
/// control drives, or all that drive a blend shape channel.
///
/// # Errors
/// What to say when there is none.
pub(super) fn find(dna: &Dna, name: &str) -> Result<Vec<u16>, String> {
    if let Some(control) = dna.find_control(name) {
        return Ok(vec![control]);
    }
    let definition = &dna.definition;
    let position = |names: &[mhrig_dna::Text]| {
        let at = names.iter().position(|known| *known == name);
        at.and_then(|at| u16::try_from(at).ok())
    };
    let driven = |inputs: &[u16], outputs: &[u16], wanted: u16| {
        let mut controls: Vec<u16> = inputs
            .iter()
            .zip(outputs)
            .filter(|(input, _)| **input == wanted)
            .map(|(_, &output)| output)
            .collect();
        controls.sort_unstable();
        controls.dedup();
        controls
    };
    let raw = &definition.raw_control_names;
    let ending: Vec<u16> = (0..raw.len())
        .filter(|&control| raw[control].to_str().rsplit_once('.').is_some_and(|(_, end)| end == name))
        .filter_map(|control| u16::try_from(control).ok())
        .collect();
    let gui = position(&definition.gui_control_names).map(|gui| {
        let rows = &dna.behavior.controls.conditionals;
        driven(&rows.input_indices, &rows.output_indices, gui)
    });
    let channel = position(&definition.blend_shape_channel_names).map(|channel| {
        let rows = &dna.behavior.blend_shape_channels;
        driven(&rows.output_indices, &rows.input_indices, channel)
    });
    [Some(ending), gui, channel]
        .into_iter()
        .flatten()
        .find(|controls| !controls.is_empty())
        .ok_or_else(|| unknown_message(dna, name))
}

fn unknown_message(dna: &Dna, name: &str) -> String {
    let wanted = name.to_lowercase();
    let is_like = |known: &&mhrig_dna::Text| {
        let known = known.to_str().to_lowercase();
        let end = known.rsplit('.').next().unwrap_or(&known);
        !wanted.is_empty() && (known.contains(&wanted) || (end.len() > 2 && wanted.contains(end)))
    };
    let definition = &dna.definition;
    let names = definition.raw_control_names.iter().chain(&definition.blend_shape_channel_names);
    let alike: Vec<String> = names.filter(is_like).take(5).map(ToString::to_string).collect();
    match alike.as_slice() {
        [] => format!("there is no control `{name}`"),
        alike => format!("there is no control `{name}`; similar ones are {}", alike.join(", ")),
    }
}

/// The finding for a name without a control.
pub(super) fn unknown(file: &Path, message: String) -> Finding {
    let remedy = "list the controls with `mhrig inspect FILE.dna --controls`";
    Finding::new("EXPRESSION_UNKNOWN", Severity::Error, file.display().to_string(), message, remedy)
}

/// All that one control does.
pub(super) fn expression(dna: &Dna, control: u16) -> InspectExpression {
    let definition = &dna.definition;
    let effects = dna.control_effects(control);
    let mut all_inputs = corrective_inputs(dna);
    let info = dna.controls().into_iter().nth(usize::from(control));
    let gui = gui_rows(dna).remove(&control).unwrap_or_default();
    let sources = info.as_ref().map_or_else(ControlSources::default, |info| sources(dna, info, gui));

    // Attributes that are in use in the same LODs share an entry.
    let mut joints: Vec<InspectJointValues> = Vec::new();
    for effect in &effects.joints {
        let joint = name_at(&definition.joint_names, usize::from(effect.joint));
        let attribute = ATTRIBUTE_NAMES.get(usize::from(effect.attribute)).copied().unwrap_or("?");
        let same = joints.iter_mut().rev().take_while(|entry| entry.joint == joint);
        match same
            .into_iter()
            .find(|entry| entry.lods == effect.lods && !entry.values.contains_key(attribute))
        {
            Some(entry) => {
                entry.values.insert(attribute, effect.value);
            }
            None => joints.push(InspectJointValues {
                joint,
                lods: effect.lods.clone(),
                values: BTreeMap::from([(attribute, effect.value)]),
            }),
        }
    }
    let channel = |effect: &mhrig_dna::ChannelEffect| InspectChannel {
        channel: name_at(&definition.blend_shape_channel_names, usize::from(effect.channel)),
        lods: effect.lods.clone(),
        meshes: effect
            .meshes
            .iter()
            .map(|&(mesh, vertices)| (name_at(&definition.mesh_names, usize::from(mesh)), vertices))
            .collect(),
    };
    let map = |effect: &mhrig_dna::MapEffect| InspectMap {
        map: name_at(&definition.animated_map_names, usize::from(effect.map)),
        lods: effect.lods.clone(),
        from: effect.from,
        to: effect.to,
        slope: effect.slope,
        cut: effect.cut,
    };
    InspectExpression {
        index: control,
        name: dna.control_name(control),
        label: info.as_ref().map_or("unused", |info| info.label.name()),
        sources,
        inputs: all_inputs.get(&control).cloned().unwrap_or_default(),
        joints,
        blend_shape_channels: effects.blend_shape_channels.iter().map(channel).collect(),
        animated_maps: effects.animated_maps.iter().map(map).collect(),
        correctives: effects
            .correctives
            .iter()
            .map(|&(row, _)| corrective(dna, row, all_inputs.remove(&row).unwrap_or_default()))
            .collect(),
    }
}
