use fearless_simd::Level;
use mhrig_dna::{Dna, JointGroup, Text, rotation_unit, translation_unit};
use mhrig_report::{Finding, Severity};

use crate::channels::Channels;
use crate::checks::Checks;
use crate::euler::{AngleUnit, Angles, Quat};
use crate::layout::ControlLayout;
use crate::linear_joints::LinearJoints;
use crate::networks::Networks;
use crate::operations::{MlJoints, Operations};
use crate::pruning::PrunedGroup;
use crate::psd::Psds;
use crate::quaternion_joints::QuaternionJoints;
use crate::rbf::RbfSolvers;
use crate::table::Table;
use crate::twist_swing::TwistSwings;
use crate::{RigError, RigOptions, RotationOrder, RotationOutput, Semantics, UnknownName, names};

/// What a DNA computes, checked and laid out for evaluation: immutable, and shared between any number of
/// [`Instance`](crate::Instance)s and threads.
///
/// The semantics are those of the reference evaluator as written down in riglogic.md; section numbers in this
/// crate refer to it.
#[derive(Clone, Debug)]
pub struct Rig {
    pub(crate) options: RigOptions,
    pub(crate) layout: ControlLayout,
    pub(crate) lod_count: usize,
    pub(crate) angles: Angles,
    is_metres: bool,
    pub(crate) names: RigNames,
    pub(crate) gui_to_raw: Table,
    pub(crate) psds: Psds,
    pub(crate) networks: Networks,
    /// Decides which networks run, where the file has it and the semantics know it.
    pub(crate) operations: Operations,
    pub(crate) ml_joints: MlJoints,
    pub(crate) rbf: RbfSolvers,
    pub(crate) linear: LinearJoints,
    pub(crate) level: Level,
    /// Joints whose linear Euler angles become quaternions after a group: per group and LOD.
    pub(crate) converted_by_group: Vec<Vec<Vec<u16>>>,
    /// The same over all groups, each joint once: per LOD.
    pub(crate) converted: Vec<Vec<u16>>,
    pub(crate) quaternions: QuaternionJoints,
    pub(crate) twist_swings: TwistSwings,
    pub(crate) channels: Channels,
    pub(crate) maps: Table,
    pub(crate) map_rows_of_lod: Vec<usize>,
    /// Controls that start at 1: the w of quaternions.
    pub(crate) ones: Vec<usize>,
    neutral: Vec<f32>,
    variable: Vec<Vec<u16>>,
    findings: Vec<Finding>,
}

/// Names of everything in a rig, by number.
#[derive(Clone, Debug, Default)]
pub struct RigNames {
    /// GUI controls.
    pub gui_controls: Vec<String>,
    /// Raw controls.
    pub raw_controls: Vec<String>,
    /// Controls that networks write.
    pub ml_controls: Vec<String>,
    /// Controls that RBF poses write.
    pub rbf_controls: Vec<String>,
    /// Joints.
    pub joints: Vec<String>,
    /// Blend shape channels.
    pub blend_shape_channels: Vec<String>,
    /// Animated maps.
    pub animated_maps: Vec<String>,
}

/// Names of the nine attributes of a joint, in file order.
pub const JOINT_ATTRIBUTES: [&str; 9] = ["tx", "ty", "tz", "rx", "ry", "rz", "sx", "sy", "sz"];

impl Rig {
    /// Checks the behaviour of `dna` and lays it out for evaluation.
    ///
    /// # Errors
    /// [`RigError::NoBehavior`] when nothing in the DNA reacts to a control; [`RigError::Invalid`] with every
    /// number out of range, array of the wrong length, value that is not finite and RBF solver without a
    /// solution.
    pub fn from_dna(dna: &Dna, options: &RigOptions) -> Result<Self, RigError> {
        if !has_behavior(dna) {
            return Err(RigError::NoBehavior);
        }
        let mut checks = Checks::default();
        let definition = &dna.definition;
        let names = RigNames::from_dna(dna);
        let layout = ControlLayout {
            raw_count: names.raw_controls.len(),
            psd_count: usize::from(dna.behavior.controls.psd_count),
            ml_count: names.ml_controls.len(),
            rbf_count: names.rbf_controls.len(),
        };
        let joint_count = names.joints.len();
        let lod_count = usize::from(dna.descriptor.lod_count);
        if lod_count == 0 {
            let message = "the dna says that it has no LOD";
            let remedy = "set the number of LODs in the descriptor";
            let finding = Finding::new("LOD_COUNT", Severity::Error, "desc.lodCount", message, remedy);
            checks.error(finding.with_values("at least 1", 0));
        }
        if layout.len() >= usize::from(u16::MAX) {
            let message = "there are more controls than a control number can address";
            let remedy = "remove controls that nothing uses";
            let finding =
                Finding::new("CONTROL_COUNT", Severity::Error, "defn.rawControlNames", message, remedy);
            checks.error(finding.with_values(format!("less than {}", u16::MAX), layout.len()));
        }
        let is_radians = dna.descriptor.rotation_unit == rotation_unit::RADIANS;
        let unit = if is_radians { AngleUnit::Radians } else { AngleUnit::Degrees };
        let angles = angles(&mut checks, dna, unit, options);

        let (gui_count, raw_count) = (names.gui_controls.len(), layout.raw_count);
        let conditionals = &dna.behavior.controls.conditionals;
        let gui_to_raw =
            Table::new(&mut checks, "bhvr.controls.conditionals", conditionals, gui_count, raw_count);
        let mut psds = Psds::new(&mut checks, &dna.behavior.controls.psds, &layout);
        let networks = Networks::new(&mut checks, &dna.machine_learned_behavior, &layout, lod_count);
        let (mut operations, mut ml_joints) = (Operations::default(), MlJoints::default());
        if options.semantics == Semantics::V13_5 && checks.errors.is_empty() {
            let layer = &dna.machine_learned_behavior_ext;
            operations = Operations::new(&mut checks, layer, &networks, &layout, lod_count);
            ml_joints = MlJoints::new(&mut checks, dna, &layout, lod_count, &mut operations);
        }
        let rbf = RbfSolvers::new(&mut checks, dna, &layout, unit, options, lod_count);
        let twist_swings = TwistSwings::new(&mut checks, &dna.twist_swing_behavior, &layout, joint_count);
        let channel_count = names.blend_shape_channels.len();
        let channels = &dna.behavior.blend_shape_channels;
        let channels = Channels::new(&mut checks, channels, &layout, channel_count, lod_count);
        let maps = &dna.behavior.animated_maps;
        let path = "bhvr.animatedMaps.conditionals";
        let map_table =
            Table::new(&mut checks, path, &maps.conditionals, layout.len(), names.animated_maps.len());
        let map_rows = maps.conditionals.input_indices.len();
        let map_rows_of_lod =
            checks.rows_of_lod(|| "bhvr.animatedMaps.lods".to_owned(), &maps.lods, lod_count, map_rows);
        let translations = &definition.neutral_joint_translations;
        let rotations = &definition.neutral_joint_rotations;
        checks.length(|| "defn.neutralJointTranslations".to_owned(), joint_count, translations.len());
        checks.length(|| "defn.neutralJointRotations".to_owned(), joint_count, rotations.len());
        let groups = check_groups(&mut checks, dna, &layout, joint_count, lod_count);
        if !checks.errors.is_empty() {
            return Err(RigError::Invalid { findings: checks.errors });
        }

        let representations = &dna.joint_behavior_metadata.joint_representations;
        let is_quaternion = |output: u16| {
            let joint = representations.get(usize::from(output / 9));
            (3..6).contains(&(output % 9)) && joint.is_some_and(|joint| joint.rotation == 1)
        };
        let mut linear = LinearJoints::new(lod_count);
        let mut quaternions = QuaternionJoints::default();
        let mut converted_by_group = Vec::new();
        let mut is_read = vec![vec![false; layout.len()]; lod_count];
        for (group, rows_of_lod) in groups {
            let slot = |output: u16| slot(output, options.rotation_output);
            let part = PrunedGroup::new(group, &rows_of_lod, &options.prune, |output| !is_quaternion(output));
            part.mark_inputs(&mut is_read);
            if !part.outputs.is_empty() {
                converted_by_group.push(part.joints_with_rotations());
                linear.push(&part, slot);
            }
            let part = PrunedGroup::new(group, &rows_of_lod, &options.prune, is_quaternion);
            part.mark_inputs(&mut is_read);
            if !part.outputs.is_empty() {
                quaternions.push(&part, angles);
            }
        }
        for (lod, is_read) in is_read.iter_mut().enumerate() {
            let rows = channels.rows(lod).map(|(input, _)| input);
            for input in rows.chain(map_table.inputs(map_rows_of_lod[lod])) {
                is_read[input] = true;
            }
        }
        psds.activate(&layout, &is_read);
        linear.index_controls(layout.len());

        let converted = (0..lod_count).map(|lod| {
            let mut joints: Vec<u16> =
                converted_by_group.iter().flat_map(|group| group[lod].iter().copied()).collect();
            joints.sort_unstable();
            joints.dedup();
            joints
        });
        let mut rig = Self {
            converted: converted.collect(),
            variable: variable_attributes(dna, &twist_swings, lod_count),
            neutral: neutral(dna, angles, options),
            ones: ones(&names, &layout, &rbf, &twist_swings, options.semantics),
            options: *options,
            layout,
            lod_count,
            angles,
            is_metres: dna.descriptor.translation_unit == translation_unit::M,
            names,
            gui_to_raw,
            psds,
            networks,
            operations,
            ml_joints,
            rbf,
            linear,
            level: Level::new(),
            converted_by_group,
            quaternions,
            twist_swings,
            channels,
            maps: map_table,
            map_rows_of_lod,
            findings: checks.warnings,
        };
        rig.warn_about_ml_operations(dna);
        Ok(rig)
    }

    fn warn_about_ml_operations(&mut self, dna: &Dna) {
        let is_evaluated = !self.operations.is_empty() || !self.ml_joints.is_empty();
        if !is_evaluated && dna.layers.iter().any(|layer| &layer.id == b"mlbe") {
            let message = "the file has machine-learned operations (layer mlbe), which are not evaluated";
            let remedy = match self.options.semantics {
                Semantics::V10_3 => "choose the semantics of version 13.5, which know them",
                Semantics::V13_5 => {
                    "expect joints and controls that only these operations move to stay at rest"
                }
            };
            self.findings.push(Finding::new("ML_OPERATIONS", Severity::Warning, "mlbe", message, remedy));
        }
    }

    /// The options that the rig was made with.
    pub fn options(&self) -> &RigOptions {
        &self.options
    }

    /// What is odd in the DNA, but does not stop an evaluation.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Number of LODs, at least 1.
    pub fn lod_count(&self) -> usize {
        self.lod_count
    }

    /// Sections of the control space.
    pub fn layout(&self) -> &ControlLayout {
        &self.layout
    }

    /// Names of everything.
    pub fn names(&self) -> &RigNames {
        &self.names
    }

    /// Number of neural networks.
    pub fn network_count(&self) -> usize {
        self.networks.len()
    }

    /// Networks that the region number `region` of mesh number `mesh` masks.
    pub fn networks_of_region(&self, mesh: usize, region: usize) -> Option<&[usize]> {
        self.networks.of_region(mesh, region)
    }

    /// Numbers per joint in the joint output: 9, or 10 with quaternions.
    pub fn joint_stride(&self) -> usize {
        self.options.rotation_output.stride()
    }

    /// Whether angles, in the file and in Euler output, are radians; degrees otherwise.
    pub fn is_radians(&self) -> bool {
        self.angles.unit == AngleUnit::Radians
    }

    /// Order of Euler angles, in the file and in Euler output.
    pub fn rotation_order(&self) -> RotationOrder {
        self.angles.order
    }

    /// 1 or -1 for each axis: which way round angles are positive, in the file and in Euler output.
    pub fn rotation_signs(&self) -> [f32; 3] {
        self.angles.signs
    }

    /// Centimetres per unit of translations, in the file and in the output.
    pub fn cm_per_unit(&self) -> f64 {
        if self.is_metres { 100.0 } else { 1.0 }
    }

    /// Neutral translation, rotation and scale (1), [`Rig::joint_stride`] numbers per joint, in the units of the file.
    pub fn neutral(&self) -> &[f32] {
        &self.neutral
    }

    /// Joint × 9 + attribute of what can move at LOD `lod`, ascending; empty for an LOD that does not exist.
    pub fn variable_joint_attributes(&self, lod: usize) -> &[u16] {
        self.variable.get(lod).map_or(&[], Vec::as_slice)
    }

    /// Joint × 9 + attribute of what can move at any LOD, ascending: what a host connects.
    pub fn variable_joint_attributes_of_all_lods(&self) -> Vec<u16> {
        let mut all: Vec<u16> = self.variable.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Joints whose rotations LOD `lod` multiplies up from quaternions, by number.
    pub fn quaternion_joints(&self, lod: usize) -> Vec<crate::QuaternionJoint> {
        self.quaternions.of_lod(lod)
    }

    /// Number of values of linear joint groups in memory, padding included.
    pub fn stored_joint_value_count(&self) -> usize {
        self.linear.stored_value_count()
    }

    /// Number of correctives that LOD `lod` evaluates.
    pub fn active_psd_count(&self, lod: usize) -> usize {
        self.psds.active_count(lod)
    }

    /// Numbers of the controls that LOD `lod` evaluates as correctives, ascending: one that only other correctives read
    /// is not among them, and stays 0.
    pub fn active_psds(&self, lod: usize) -> Vec<usize> {
        self.psds.active_controls(lod, self.layout.psds().start)
    }

    /// Whether GUI controls drive anything.
    pub fn has_gui_mapping(&self) -> bool {
        !self.gui_to_raw.is_empty()
    }

    /// Animated maps that control number `control` drives directly at LOD 0.
    pub fn animated_maps_of(&self, control: usize) -> Vec<usize> {
        let mut maps: Vec<usize> = self.maps.outputs_of(control, self.maps.row_count()).collect();
        maps.dedup();
        maps
    }

    /// The number of a raw control: its whole name, or the part after the last dot where that is unambiguous.
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest names.
    pub fn raw_control(&self, name: &str) -> Result<usize, UnknownName> {
        names::find("raw control", &self.names.raw_controls, name)
    }

    /// The number of a GUI control, named like in [`Rig::raw_control`].
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest names.
    pub fn gui_control(&self, name: &str) -> Result<usize, UnknownName> {
        names::find("GUI control", &self.names.gui_controls, name)
    }

    /// Puts `joints` at rest: zero deltas.
    pub(crate) fn reset_joints(&self, joints: &mut [f32]) {
        joints.fill(0.0);
        if self.options.rotation_output == RotationOutput::Quaternion {
            for w in joints.iter_mut().skip(6).step_by(10) {
                *w = 1.0;
            }
        }
    }

    /// Writes the rotation of a joint in the form of the output.
    pub(crate) fn write_rotation(&self, joints: &mut [f32], joint: usize, rotation: Quat) {
        let start = joint * self.joint_stride() + 3;
        match self.options.rotation_output {
            RotationOutput::Quaternion => joints[start..start + 4].copy_from_slice(&rotation),
            RotationOutput::Euler => {
                joints[start..start + 3].copy_from_slice(&self.angles.of_quaternion(rotation));
            }
        }
    }

    /// The rotation of a joint in the output.
    pub(crate) fn read_rotation(&self, joints: &[f32], joint: usize) -> Quat {
        let start = joint * self.joint_stride() + 3;
        match self.options.rotation_output {
            RotationOutput::Quaternion => std::array::from_fn(|i| joints[start + i]),
            RotationOutput::Euler => {
                self.angles.to_quaternion([joints[start], joints[start + 1], joints[start + 2]])
            }
        }
    }

    /// Turns the angles that stand in the first three rotation slots of a joint into a quaternion.
    pub(crate) fn convert_rotation(&self, joints: &mut [f32], joint: u16) {
        let start = usize::from(joint) * 10 + 3;
        let angles = [joints[start], joints[start + 1], joints[start + 2]];
        joints[start..start + 4].copy_from_slice(&self.angles.to_quaternion(angles));
    }

    /// Name of slot `slot` of the joint output, such as `neck_01.rx`.
    pub(crate) fn slot_name(&self, slot: usize) -> String {
        let stride = self.joint_stride();
        let attributes: &[&str] = match self.options.rotation_output {
            RotationOutput::Euler => &JOINT_ATTRIBUTES,
            RotationOutput::Quaternion => &["tx", "ty", "tz", "qx", "qy", "qz", "qw", "sx", "sy", "sz"],
        };
        let joint = self.names.joints.get(slot / stride).map_or("?", String::as_str);
        format!("{joint}.{}", attributes[slot % stride])
    }
}

impl RigNames {
    fn from_dna(dna: &Dna) -> Self {
        let list = |names: &[Text]| names.iter().map(|name| name.to_str().into_owned()).collect::<Vec<_>>();
        let (definition, rbf) = (&dna.definition, &dna.rbf_behavior);
        let is_made_up = dna.rbf_behavior_ext.poses.is_empty() && !rbf.poses.is_empty();
        Self {
            gui_controls: list(&definition.gui_control_names),
            raw_controls: list(&definition.raw_control_names),
            ml_controls: list(&dna.machine_learned_behavior.ml_control_names),
            rbf_controls: if is_made_up {
                rbf.poses.iter().map(|pose| pose.name.to_str().into_owned()).collect()
            } else {
                list(&dna.rbf_behavior_ext.pose_control_names)
            },
            joints: list(&definition.joint_names),
            blend_shape_channels: list(&definition.blend_shape_channel_names),
            animated_maps: list(&definition.animated_map_names),
        }
    }
}

/// How angles of the file are read. Version 13.5 goes by the layer `dsce`, where there is one (riglogic.md 14.7).
fn angles(checks: &mut Checks, dna: &Dna, unit: AngleUnit, options: &RigOptions) -> Angles {
    let mut angles = Angles { unit, order: options.rotation_order, signs: [1.0; 3] };
    if options.semantics == Semantics::V13_5 && dna.layers.iter().any(|layer| &layer.id == b"dsce") {
        match crate::rotation_convention(&dna.descriptor_ext) {
            Some((order, signs)) => (angles.order, angles.signs) = (order, signs),
            None => checks.warn(
                "ROTATION_SEQUENCE",
                "dsce.rotationSequence".to_owned(),
                "the file's rotation sequence or signs are none of the known ones; taken as xyz, all positive",
                "correct the layer dsce, or leave it out",
            ),
        }
    }
    angles
}

/// Slot in the joint output of joint × 9 + attribute.
fn slot(output: u16, rotation_output: RotationOutput) -> usize {
    let (joint, attribute) = (usize::from(output / 9), usize::from(output % 9));
    match rotation_output {
        RotationOutput::Euler => joint * 9 + attribute,
        RotationOutput::Quaternion => joint * 10 + attribute + usize::from(attribute >= 6),
    }
}

fn has_behavior(dna: &Dna) -> bool {
    let behavior = &dna.behavior;
    !behavior.joints.joint_groups.is_empty()
        || !behavior.controls.conditionals.input_indices.is_empty()
        || !behavior.controls.psds.rows.is_empty()
        || !behavior.blend_shape_channels.input_indices.is_empty()
        || !behavior.animated_maps.conditionals.input_indices.is_empty()
        || !dna.machine_learned_behavior.neural_networks.is_empty()
        || !dna.rbf_behavior.solvers.is_empty()
        || !dna.twist_swing_behavior.twists.is_empty()
        || !dna.twist_swing_behavior.swings.is_empty()
}

/// The joint groups with their rows per LOD.
fn check_groups<'a>(
    checks: &mut Checks,
    dna: &'a Dna,
    layout: &ControlLayout,
    joint_count: usize,
    lod_count: usize,
) -> Vec<(&'a JointGroup, Vec<usize>)> {
    let groups = dna.behavior.joints.joint_groups.iter().enumerate().map(|(g, group)| {
        let path = format!("bhvr.joints.jointGroups[{g}]");
        let (inputs, outputs) = (&group.input_indices, &group.output_indices);
        checks.indices(|| format!("{path}.inputIndices"), inputs, layout.len(), "control");
        checks.indices(|| format!("{path}.outputIndices"), outputs, joint_count * 9, "joint attribute");
        let expected = inputs.len().saturating_mul(outputs.len());
        checks.length(|| format!("{path}.values"), expected, group.values.len());
        checks.finite(|| format!("{path}.values"), &group.values);
        let rows_of_lod =
            checks.rows_of_lod(|| format!("{path}.lods"), &group.lods, lod_count, outputs.len());
        if !rows_of_lod.is_sorted_by(|finer, coarser| finer >= coarser) {
            let message =
                "a coarser LOD uses more rows than a finer one; columns that only it needs are left out";
            checks.warn(
                "LOD_ROWS",
                format!("{path}.lods"),
                message,
                "order rows so that coarser LODs are prefixes",
            );
        }
        (group, rows_of_lod)
    });
    groups.collect()
}

impl PrunedGroup {
    /// Marks the controls that each LOD reads.
    fn mark_inputs(&self, is_read: &mut [Vec<bool>]) {
        for (is_read, &columns) in is_read.iter_mut().zip(&self.columns_of_lod) {
            for &input in &self.inputs[..columns] {
                is_read[usize::from(input)] = true;
            }
        }
    }

    /// Per LOD, the joints with a rotation among the rows in use.
    fn joints_with_rotations(&self) -> Vec<Vec<u16>> {
        let rotations = |rows: usize| {
            let mut joints = Vec::new();
            for &output in self.outputs[..rows].iter().filter(|&output| (3..6).contains(&(output % 9))) {
                if !joints.contains(&(output / 9)) {
                    joints.push(output / 9);
                }
            }
            joints
        };
        self.rows_of_lod.iter().map(|&rows| rotations(rows)).collect()
    }
}

/// Neutral transforms in the layout of the joint output.
fn neutral(dna: &Dna, angles: Angles, options: &RigOptions) -> Vec<f32> {
    let definition = &dna.definition;
    let (translations, rotations) =
        (&definition.neutral_joint_translations, &definition.neutral_joint_rotations);
    let mut neutral = Vec::with_capacity(translations.len() * options.rotation_output.stride());
    for (translation, rotation) in translations.iter().zip(rotations.iter()) {
        neutral.extend(translation);
        match options.rotation_output {
            RotationOutput::Euler => neutral.extend(rotation),
            RotationOutput::Quaternion => {
                neutral.extend(angles.to_quaternion(rotation));
            }
        }
        neutral.extend([1.0; 3]);
    }
    neutral
}

/// Joint attributes that can move, per LOD (riglogic.md 8.1).
fn variable_attributes(dna: &Dna, twist_swings: &TwistSwings, lod_count: usize) -> Vec<Vec<u16>> {
    let of_lod = |lod: usize| {
        let mut attributes: Vec<u16> = Vec::new();
        for group in &dna.behavior.joints.joint_groups {
            let rows = group.lods.get(lod).map_or(0, |&rows| usize::from(rows));
            attributes.extend(group.output_indices.iter().take(rows));
        }
        let turned = twist_swings.joints().filter_map(|joint| joint.checked_mul(9));
        attributes.extend(turned.flat_map(|first| first.saturating_add(3)..first.saturating_add(6)));
        attributes.sort_unstable();
        attributes.dedup();
        attributes
    };
    (0..lod_count).map(of_lod).collect()
}

/// Controls that start at 1 (riglogic.md 3, 14.6).
fn ones(
    names: &RigNames,
    layout: &ControlLayout,
    rbf: &RbfSolvers,
    twist_swings: &TwistSwings,
    semantics: Semantics,
) -> Vec<usize> {
    let mut is_driver = vec![false; layout.len()];
    for solver in rbf.solvers() {
        for &input in solver.inputs() {
            is_driver[usize::from(input)] = true;
        }
    }
    if semantics == Semantics::V13_5 {
        for &input in twist_swings.inputs().flatten().collect::<Vec<_>>().iter() {
            is_driver[usize::from(input)] = true;
        }
    }
    let is_w = |name: &str| name.ends_with(".w") || (semantics == Semantics::V13_5 && name.ends_with(".qw"));
    let raw = names.raw_controls.iter().enumerate();
    let mut ones: Vec<usize> =
        raw.filter(|&(control, name)| is_driver[control] && is_w(name)).map(|(control, _)| control).collect();
    if semantics == Semantics::V13_5 {
        let ml = names.ml_controls.iter().enumerate().filter(|(_, name)| is_w(name));
        ones.extend(ml.map(|(control, _)| layout.ml().start + control));
    }
    ones
}
