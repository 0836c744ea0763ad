//! Controls: who drives them, what they drive.

use std::collections::BTreeSet;

use crate::{ConditionalTable, Dna, JointGroup};

/// The sections of the control space (dna-format.md, section 6.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ControlKind {
    /// Set by animation or by GUI controls.
    Raw,
    /// A corrective: the product of other controls.
    Corrective,
    /// The output of a neural network.
    MachineLearned,
    /// The output of an RBF pose.
    Pose,
}

/// One word for the role of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ControlLabel {
    /// A GUI control drives it.
    Gui,
    /// A corrective: it is one, or nothing but correctives reads it.
    Psd,
    /// An RBF pose writes it, or an RBF solver reads it.
    Rbf,
    /// A network writes it, or reads it.
    Ml,
    /// Nothing in the file drives it, but joints, blend shapes or maps read it: animation sets it.
    Direct,
    /// Nothing drives or reads it.
    Unused,
}

impl ControlLabel {
    /// The word: `gui`, `psd`, `rbf`, `ml`, `direct`, `unused`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gui => "gui",
            Self::Psd => "psd",
            Self::Rbf => "rbf",
            Self::Ml => "ml",
            Self::Direct => "direct",
            Self::Unused => "unused",
        }
    }
}

/// A control with all that writes and reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ControlInfo {
    /// Number in the control space.
    pub index: u16,
    /// Its name; correctives get `psd` and their number.
    pub name: String,
    /// Its section.
    pub kind: ControlKind,
    /// Its role.
    pub label: ControlLabel,
    /// Names of GUI controls that drive it.
    pub gui: Vec<String>,
    /// Controls that a corrective multiplies.
    pub inputs: Vec<u16>,
    /// Correctives that read it.
    pub correctives: Vec<u16>,
    /// RBF solvers that read it.
    pub solvers: Vec<u16>,
    /// RBF poses that write it.
    pub poses: Vec<u16>,
    /// Networks that write it.
    pub written_by_networks: Vec<u16>,
    /// Networks that read it.
    pub read_by_networks: Vec<u16>,
    /// Number of joint groups that read it.
    pub joint_groups: usize,
    /// Number of blend shape channels that read it.
    pub blend_shape_channels: usize,
    /// Number of animated map rows that read it.
    pub animated_maps: usize,
    /// Number of twists and swings that read it.
    pub twists_and_swings: usize,
}

/// Names of the nine attributes of a joint, in the order of outputs.
pub const ATTRIBUTE_NAMES: [&str; 9] = ["tx", "ty", "tz", "rx", "ry", "rz", "sx", "sy", "sz"];

/// What one control does directly, see [`Dna::control_effects`].
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct ControlEffects {
    /// Joint attributes.
    pub joints: Vec<JointEffect>,
    /// Blend shape channels.
    pub blend_shape_channels: Vec<ChannelEffect>,
    /// Animated maps.
    pub animated_maps: Vec<MapEffect>,
    /// Correctives that read the control, with the weight of the cell.
    pub correctives: Vec<(u16, f32)>,
}

/// A value of the joint matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEffect {
    /// The joint.
    pub joint: u16,
    /// Number in [`ATTRIBUTE_NAMES`].
    pub attribute: u8,
    /// Delta at full strength of the control, in the file's units.
    pub value: f32,
    /// LODs in which the row is in use.
    pub lods: Vec<u16>,
}

/// A blend shape channel that a control drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelEffect {
    /// The channel.
    pub channel: u16,
    /// LODs in which the row is in use.
    pub lods: Vec<u16>,
    /// Meshes with a target of the channel, and how many vertices the target moves.
    pub meshes: Vec<(u16, usize)>,
}

/// A row of an animated map that a control drives.
#[derive(Clone, Debug, PartialEq)]
pub struct MapEffect {
    /// The map.
    pub map: u16,
    /// Least value of the control for which the row applies.
    pub from: f32,
    /// Greatest value of the control for which the row applies.
    pub to: f32,
    /// `slope · control + cut` is added to the map.
    pub slope: f32,
    /// See `slope`.
    pub cut: f32,
    /// LODs in which the row is in use.
    pub lods: Vec<u16>,
}

impl Dna {
    /// All controls in the order of their numbers.
    pub fn controls(&self) -> Vec<ControlInfo> {
        let mut controls: Vec<ControlInfo> = (0..self.control_count())
            .map_while(|index| u16::try_from(index).ok())
            .map(|index| ControlInfo {
                index,
                name: self.control_name(index),
                kind: self.control_kind(index),
                label: ControlLabel::Unused,
                gui: Vec::new(),
                inputs: Vec::new(),
                correctives: Vec::new(),
                solvers: Vec::new(),
                poses: Vec::new(),
                written_by_networks: Vec::new(),
                read_by_networks: Vec::new(),
                joint_groups: 0,
                blend_shape_channels: 0,
                animated_maps: 0,
                twists_and_swings: 0,
            })
            .collect();
        let mut note = |control: u16, change: &mut dyn FnMut(&mut ControlInfo)| {
            if let Some(info) = controls.get_mut(usize::from(control)) {
                change(info);
            }
        };
        let behavior = &self.behavior;
        let rows = &behavior.controls.conditionals;
        for (&input, &output) in rows.input_indices.iter().zip(&rows.output_indices) {
            let name = self.definition.gui_control_names.get(usize::from(input));
            let name = name.map_or_else(|| format!("GUI control {input}"), ToString::to_string);
            note(output, &mut |info| info.gui.push(name.clone()));
        }
        for (&row, &column) in behavior.controls.psds.rows.iter().zip(&behavior.controls.psds.columns) {
            note(row, &mut |info| info.inputs.push(column));
            note(column, &mut |info| info.correctives.push(row));
        }
        for group in &behavior.joints.joint_groups {
            group.input_indices.iter().for_each(|&input| note(input, &mut |info| info.joint_groups += 1));
        }
        for &input in &behavior.blend_shape_channels.input_indices {
            note(input, &mut |info| info.blend_shape_channels += 1);
        }
        for &input in &behavior.animated_maps.conditionals.input_indices {
            note(input, &mut |info| info.animated_maps += 1);
        }
        for (network, number) in self.machine_learned_behavior.neural_networks.iter().zip(0..) {
            network
                .input_indices
                .iter()
                .for_each(|&input| note(input, &mut |info| info.read_by_networks.push(number)));
            network
                .output_indices
                .iter()
                .for_each(|&output| note(output, &mut |info| info.written_by_networks.push(number)));
        }
        for (solver, number) in self.rbf_behavior.solvers.iter().zip(0..) {
            solver
                .raw_control_indices
                .iter()
                .for_each(|&input| note(input, &mut |info| info.solvers.push(number)));
        }
        for (pose, number) in self.rbf_behavior_ext.poses.iter().zip(0..) {
            pose.output_control_indices
                .iter()
                .for_each(|&output| note(output, &mut |info| info.poses.push(number)));
        }
        if self.rbf_behavior_ext.poses.is_empty() {
            // Pose controls are implied, one per pose.
            let first = self.control_count() - self.rbf_behavior.poses.len();
            for pose in 0..self.rbf_behavior.poses.len() {
                if let (Ok(control), Ok(pose)) = (u16::try_from(first + pose), u16::try_from(pose)) {
                    note(control, &mut |info| info.poses.push(pose));
                }
            }
        }
        let layer = &self.twist_swing_behavior;
        for record in layer.twists.iter().chain(&layer.swings) {
            record
                .input_control_indices
                .iter()
                .for_each(|&input| note(input, &mut |info| info.twists_and_swings += 1));
        }
        for info in &mut controls {
            // A control may have several rows.
            let mut seen = BTreeSet::new();
            info.gui.retain(|name| seen.insert(name.clone()));
            info.label = label(info);
        }
        controls
    }

    /// Section of a control.
    pub fn control_kind(&self, control: u16) -> ControlKind {
        let raw = self.definition.raw_control_names.len();
        let correctives = raw + usize::from(self.behavior.controls.psd_count);
        let ml = correctives + self.machine_learned_behavior.ml_control_names.len();
        match usize::from(control) {
            control if control < raw => ControlKind::Raw,
            control if control < correctives => ControlKind::Corrective,
            control if control < ml => ControlKind::MachineLearned,
            _ => ControlKind::Pose,
        }
    }

    /// Name of a control; a corrective is called `psd` and its number.
    pub fn control_name(&self, control: u16) -> String {
        let raw = &self.definition.raw_control_names;
        let ml = &self.machine_learned_behavior.ml_control_names;
        let first_ml = raw.len() + usize::from(self.behavior.controls.psd_count);
        let first_pose = first_ml + ml.len();
        let index = usize::from(control);
        let name = match self.control_kind(control) {
            ControlKind::Raw => raw.get(index),
            ControlKind::Corrective => None,
            ControlKind::MachineLearned => ml.get(index - first_ml),
            ControlKind::Pose => {
                let names = &self.rbf_behavior_ext.pose_control_names;
                let pose = index - first_pose;
                names.get(pose).or_else(|| self.rbf_behavior.poses.get(pose).map(|pose| &pose.name))
            }
        };
        match (name, self.control_kind(control)) {
            (Some(name), _) => name.to_string(),
            (None, ControlKind::Corrective) => format!("psd{control}"),
            (None, _) => format!("control {control}"),
        }
    }

    /// The control with that name, or with that number.
    pub fn find_control(&self, name: &str) -> Option<u16> {
        let controls = (0..self.control_count()).map_while(|index| u16::try_from(index).ok());
        let number = name.parse().ok().filter(|&index: &u16| usize::from(index) < self.control_count());
        controls.into_iter().find(|&control| self.control_name(control) == name).or(number)
    }

    /// What a control does when it goes from 0 to 1, correctives that it takes part in aside.
    pub fn control_effects(&self, control: u16) -> ControlEffects {
        let behavior = &self.behavior;
        let mut effects = ControlEffects::default();
        for group in &behavior.joints.joint_groups {
            let columns = group.input_indices.len();
            let at = group.input_indices.iter().enumerate().filter(|&(_, &input)| input == control);
            for (column, _) in at {
                for (row, &output) in group.output_indices.iter().enumerate() {
                    let value = group.values.get(row * columns + column).copied().unwrap_or(0.0);
                    if value != 0.0 {
                        let (joint, attribute) = (output / 9, (output % 9) as u8);
                        effects.joints.push(JointEffect {
                            joint,
                            attribute,
                            value,
                            lods: lods_with_row(&group.lods, row),
                        });
                    }
                }
            }
        }
        effects.joints.sort_by_key(|effect| (effect.joint, effect.attribute));
        let table = &behavior.blend_shape_channels;
        for (row, (&input, &channel)) in table.input_indices.iter().zip(&table.output_indices).enumerate() {
            if input == control {
                let meshes = self.meshes_of_channel(channel);
                let lods = lods_with_row(&table.lods, row);
                effects.blend_shape_channels.push(ChannelEffect { channel, lods, meshes });
            }
        }
        let ConditionalTable {
            input_indices,
            output_indices,
            from_values,
            to_values,
            slope_values,
            cut_values,
        } = &behavior.animated_maps.conditionals;
        for (row, (&input, &map)) in input_indices.iter().zip(output_indices).enumerate() {
            if input == control {
                let value = |values: &[f32]| values.get(row).copied().unwrap_or(0.0);
                effects.animated_maps.push(MapEffect {
                    map,
                    from: value(from_values),
                    to: value(to_values),
                    slope: value(slope_values),
                    cut: value(cut_values),
                    lods: lods_with_row(&behavior.animated_maps.lods, row),
                });
            }
        }
        let psds = &behavior.controls.psds;
        let cells = psds.rows.iter().zip(&psds.columns).zip(&psds.values);
        effects.correctives = cells
            .filter(|((_, column), _)| **column == control)
            .map(|((&row, _), &value)| (row, value))
            .collect();
        effects
    }

    fn meshes_of_channel(&self, channel: u16) -> Vec<(u16, usize)> {
        let mut meshes = Vec::new();
        for (mesh, number) in self.geometry.meshes.iter().zip(0..) {
            for target in &mesh.blend_shape_targets {
                if target.blend_shape_channel_index == channel {
                    meshes.push((number, target.vertex_indices.len()));
                }
            }
        }
        meshes
    }
}

impl JointGroup {
    /// LODs in which a row is in use.
    pub fn lods_with_row(&self, row: usize) -> Vec<u16> {
        lods_with_row(&self.lods, row)
    }
}

/// LODs in which `row` is among the leading rows in use.
fn lods_with_row(lods: &[u16], row: usize) -> Vec<u16> {
    lods.iter().zip(0..).filter(|&(&rows, _)| row < usize::from(rows)).map(|(_, lod)| lod).collect()
}

fn label(info: &ControlInfo) -> ControlLabel {
    match info.kind {
        ControlKind::Corrective => return ControlLabel::Psd,
        ControlKind::MachineLearned => return ControlLabel::Ml,
        ControlKind::Pose => return ControlLabel::Rbf,
        ControlKind::Raw => {}
    }
    let is_read_directly =
        info.joint_groups + info.blend_shape_channels + info.animated_maps + info.twists_and_swings > 0;
    // Who drives it comes first, then who reads it.
    if !info.gui.is_empty() {
        ControlLabel::Gui
    } else if !info.poses.is_empty() {
        ControlLabel::Rbf
    } else if !info.written_by_networks.is_empty() {
        ControlLabel::Ml
    } else if !info.inputs.is_empty() {
        ControlLabel::Psd
    } else if !info.solvers.is_empty() {
        ControlLabel::Rbf
    } else if !info.read_by_networks.is_empty() {
        ControlLabel::Ml
    } else if is_read_directly {
        ControlLabel::Direct
    } else if !info.correctives.is_empty() {
        ControlLabel::Psd
    } else {
        ControlLabel::Unused
    }
}
