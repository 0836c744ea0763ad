//! Operations between networks, and joints that networks move: what version 13.5 adds (riglogic.md 14.3, 14.4).
//!
//! The graph is described in dna-format.md 6.10. How a rotation of a network is joined to what joint groups gave is
//! not known; here it turns the joint further, after them.

use std::ops::Range;

use mhrig_dna::{Dna, MachineLearnedBehaviorExt, MlOperation};
use mhrig_report::{Finding, Severity};

use crate::checks::Checks;
use crate::euler::{IDENTITY, Quat, dot, multiply, normalize};
use crate::layout::ControlLayout;
use crate::networks::Networks;

/// The graph of operations, laid out in the order of evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operations {
    operations: Vec<Operation>,
    /// Operation numbers, in the order of evaluation.
    lods: Vec<Vec<usize>>,
    result_len: usize,
    /// Controls that are the w of a quaternion: they are 1 where a mask leaves their network out.
    is_w: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Operation {
    kind: Kind,
    /// Operations whose results it takes, in order.
    dependencies: Vec<usize>,
    /// Where its result is.
    result: Range<usize>,
    /// Whether another operation takes its result.
    is_taken: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Gather { controls: Vec<usize> },
    Scatter { controls: Vec<usize> },
    Network { number: usize },
    WeightedSum { weights: Vec<f32> },
}

/// Results of one evaluation after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperationResults {
    values: Vec<f32>,
    /// Operations that a mask left out, with all that they rest on.
    is_masked: Vec<bool>,
}

const GATHER: u16 = 1;
const SCATTER: u16 = 2;
const NETWORK: u16 = 3;
const WEIGHTED_SUM: u16 = 4;

impl Operations {
    pub(crate) fn new(
        checks: &mut Checks,
        layer: &MachineLearnedBehaviorExt,
        networks: &Networks,
        layout: &ControlLayout,
        lod_count: usize,
    ) -> Self {
        let sets = &layer.operations.operations;
        let mappings = &layer.operations.lod_operation_mappings;
        let mut graph = Self { lods: vec![Vec::new(); lod_count], ..Self::default() };
        if !checks.length(|| "mlbe.lodMLOperationMappings".to_owned(), sets.len(), mappings.len()) {
            return graph;
        }
        let mut firsts = Vec::with_capacity(sets.len());
        for (set, operations) in sets.iter().enumerate() {
            let first = graph.operations.len();
            for (number, operation) in operations.iter().enumerate() {
                let path = format!("mlbe.operations[{set}][{number}]");
                let known = graph.push(checks, &path, operation, &firsts, sets, networks, layout);
                if !known {
                    // It keeps its number; the rig is refused because of what was found.
                    let result = graph.result_len..graph.result_len;
                    let kind = Kind::Gather { controls: Vec::new() };
                    graph.operations.push(Operation {
                        kind,
                        dependencies: Vec::new(),
                        result,
                        is_taken: false,
                    });
                }
            }
            firsts.push(first);
            let path = format!("mlbe.lodMLOperationMappings[{set}]");
            let members = checks.members(&path, &mappings[set], lod_count, operations.len(), "operation");
            for (lod, members) in graph.lods.iter_mut().zip(members) {
                lod.extend(members.into_iter().map(|number| first + number));
            }
        }
        graph.is_w = vec![false; layout.len()];
        graph
    }

    /// Adds an operation; `false` when something about it is wrong.
    #[allow(clippy::too_many_arguments)]
    fn push(
        &mut self,
        checks: &mut Checks,
        path: &str,
        operation: &MlOperation,
        firsts: &[usize],
        sets: &[Vec<MlOperation>],
        networks: &Networks,
        layout: &ControlLayout,
    ) -> bool {
        let Some(dependencies) = dependencies(checks, path, operation, firsts, sets) else { return false };
        let width: usize = dependencies.iter().map(|&other| self.operations[other].result.len()).sum();
        let parameters = &operation.parameters;
        let controls = |checks: &mut Checks| {
            let narrow: Vec<u16> =
                parameters.iter().map(|&control| u16::try_from(control).unwrap_or(u16::MAX)).collect();
            let is_good = checks.indices(|| format!("{path}.parameters"), &narrow, layout.len(), "control");
            is_good.then(|| narrow.iter().map(|&control| usize::from(control)).collect::<Vec<_>>())
        };
        let inputs_path = || format!("{path}.dependencies");
        let (kind, len) = match operation.operation_type {
            GATHER => {
                let Some(controls) = controls(checks) else { return false };
                let len = controls.len();
                (Kind::Gather { controls }, len)
            }
            SCATTER => {
                let Some(controls) = controls(checks) else { return false };
                if !checks.length(inputs_path, controls.len(), width) {
                    return false;
                }
                (Kind::Scatter { controls }, 0)
            }
            NETWORK => {
                let number = match parameters.as_slice() {
                    [number] => usize::try_from(*number).ok().filter(|&number| number < networks.len()),
                    _ => None,
                };
                let Some(number) = number else {
                    let message = "the operation has to name one network";
                    let remedy = "correct the number, or remove the operation";
                    let finding = Finding::new("INDEX_RANGE", Severity::Error, path, message, remedy);
                    let expected = format!("one number less than {}", networks.len());
                    checks.error(finding.with_values(expected, format!("{parameters:?}")));
                    return false;
                };
                let (inputs, outputs) = networks.widths(number);
                if !dependencies.is_empty() && !checks.length(inputs_path, inputs, width) {
                    return false;
                }
                (Kind::Network { number }, outputs)
            }
            WEIGHTED_SUM => {
                let (count, bits) = parameters.split_first().map_or((0, &[][..]), |(c, bits)| (*c, bits));
                let weights: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits)).collect();
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let mut is_good =
                    checks.length(|| format!("{path}.parameters"), dependencies.len(), weights.len());
                is_good &= checks.finite(|| format!("{path}.parameters"), &weights);
                for &other in &dependencies {
                    is_good &= checks.length(inputs_path, count, self.operations[other].result.len());
                }
                if dependencies.is_empty() {
                    is_good &= checks.length(inputs_path, count, 0);
                }
                if !is_good {
                    return false;
                }
                (Kind::WeightedSum { weights }, count)
            }
            other => {
                let message = "this number stands for none of the known operations";
                let remedy = "the file may come from a newer tool; update, or correct the number";
                let place = format!("{path}.operationType");
                let finding = Finding::new("UNKNOWN_CHOICE", Severity::Error, place, message, remedy);
                checks.error(finding.with_values("1 to 4", other));
                return false;
            }
        };
        for &other in &dependencies {
            self.operations[other].is_taken = true;
        }
        let result = self.result_len..self.result_len + len;
        self.result_len = result.end;
        self.operations.push(Operation { kind, dependencies, result, is_taken: false });
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Marks a control that is the w of a quaternion.
    fn mark_w(&mut self, control: usize) {
        if let Some(slot) = self.is_w.get_mut(control) {
            *slot = true;
        }
    }

    pub(crate) fn results(&self) -> OperationResults {
        OperationResults { values: vec![0.0; self.result_len], is_masked: vec![false; self.operations.len()] }
    }

    /// Runs the operations of `lod` on `controls`; `masks` has one entry per network.
    pub(crate) fn evaluate(
        &self,
        lod: usize,
        networks: &Networks,
        masks: &[f32],
        controls: &mut [f32],
        scratch: &mut [Vec<f32>; 2],
        results: &mut OperationResults,
    ) {
        let Some(active) = self.lods.get(lod) else { return };
        for &number in active {
            let operation = &self.operations[number];
            let dependencies = || operation.dependencies.iter().copied();
            let rests_on_masked =
                dependencies().next().is_some() && dependencies().all(|other| results.is_masked[other]);
            results.is_masked[number] = match &operation.kind {
                Kind::Gather { controls: from } => {
                    for (slot, &control) in results.values[operation.result.clone()].iter_mut().zip(from) {
                        *slot = controls[control];
                    }
                    false
                }
                Kind::Scatter { controls: to } => {
                    let mut to = to.iter();
                    for other in dependencies() {
                        let range = self.operations[other].result.clone();
                        let is_masked = results.is_masked[other];
                        for (&value, &control) in results.values[range].iter().zip(to.by_ref()) {
                            controls[control] = if is_masked { self.masked(control) } else { value };
                        }
                    }
                    rests_on_masked
                }
                Kind::WeightedSum { weights } => {
                    let start = operation.result.start;
                    results.values[operation.result.clone()].fill(0.0);
                    for (other, weight) in dependencies().zip(weights) {
                        for (at, from) in self.operations[other].result.clone().enumerate() {
                            results.values[start + at] += weight * results.values[from];
                        }
                    }
                    rests_on_masked
                }
                Kind::Network { number } => self.run_network(
                    operation,
                    *number,
                    networks,
                    masks,
                    controls,
                    scratch,
                    &mut results.values,
                ),
            };
        }
    }

    /// Whether a mask left it out.
    #[allow(clippy::too_many_arguments)]
    fn run_network(
        &self,
        operation: &Operation,
        number: usize,
        networks: &Networks,
        masks: &[f32],
        controls: &mut [f32],
        scratch: &mut [Vec<f32>; 2],
        values: &mut [f32],
    ) -> bool {
        let mask = masks[number];
        let outputs = networks.outputs(number);
        if mask == 0.0 {
            values[operation.result.clone()].fill(0.0);
            if !operation.is_taken {
                for &output in outputs {
                    controls[usize::from(output)] = self.masked(usize::from(output));
                }
            }
            return true;
        }
        let taken = operation.dependencies.iter().flat_map(|&other| self.operations[other].result.clone());
        let result = if operation.dependencies.is_empty() {
            networks.run(number, networks.inputs(number).iter().map(|&i| controls[usize::from(i)]), scratch)
        } else {
            networks.run(number, taken.map(|at| values[at]), scratch)
        };
        for (slot, &value) in values[operation.result.clone()].iter_mut().zip(result) {
            *slot = value * mask;
        }
        if !operation.is_taken {
            for (&output, &value) in outputs.iter().zip(&values[operation.result.clone()]) {
                controls[usize::from(output)] = value;
            }
        }
        false
    }

    /// The value of a control whose network is left out.
    fn masked(&self, control: usize) -> f32 {
        if self.is_w.get(control).is_some_and(|&is_w| is_w) { 1.0 } else { 0.0 }
    }
}

impl OperationResults {
    pub(crate) fn reset(&mut self) {
        self.values.fill(0.0);
        self.is_masked.fill(false);
    }
}

/// The operations, by their place in the whole list, whose results an operation takes.
fn dependencies(
    checks: &mut Checks,
    path: &str,
    operation: &MlOperation,
    firsts: &[usize],
    sets: &[Vec<MlOperation>],
) -> Option<Vec<usize>> {
    let (of_set, numbers) = (&operation.set_dependency_indices, &operation.operation_dependency_indices);
    if !checks.length(|| format!("{path}.mlOperationDependencyIndices"), of_set.len(), numbers.len()) {
        return None;
    }
    let place = || format!("{path}.mlOperationSetDependencyIndices");
    if !checks.indices(place, of_set, firsts.len(), "set that comes before") {
        return None;
    }
    let mut dependencies = Vec::with_capacity(of_set.len());
    for (&set, &number) in of_set.iter().zip(numbers) {
        let count = sets[usize::from(set)].len();
        if !checks.indices(|| format!("{path}.mlOperationDependencyIndices"), &[number], count, "operation") {
            return None;
        }
        dependencies.push(firsts[usize::from(set)] + usize::from(number));
    }
    Some(dependencies)
}

/// Joints that networks move, on top of what joint groups and twist setups give.
#[derive(Clone, Debug, Default)]
pub(crate) struct MlJoints {
    joints: Vec<MlJoint>,
}

#[derive(Clone, Debug)]
struct MlJoint {
    joint: usize,
    is_active: Vec<bool>,
    translation: [Option<usize>; 3],
    rotation: MlRotation,
    scale: [Option<usize>; 3],
}

#[derive(Clone, Copy, Debug)]
enum MlRotation {
    Euler([Option<usize>; 3]),
    Quaternion([Option<usize>; 4]),
}

/// What a network adds to a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MlDelta {
    pub(crate) joint: usize,
    pub(crate) translation: [f32; 3],
    pub(crate) rotation: MlTurn,
    pub(crate) scale: [f32; 3],
}

/// The rotation part of [`MlDelta`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum MlTurn {
    None,
    Euler([f32; 3]),
    Quaternion(Quat),
}

impl MlJoints {
    pub(crate) fn new(
        checks: &mut Checks,
        dna: &Dna,
        layout: &ControlLayout,
        lod_count: usize,
        operations: &mut Operations,
    ) -> Self {
        const TRANSLATION: u16 = 0;
        const ROTATION: u16 = 1;
        const SCALE: u16 = 2;
        const AXES: Range<u16> = 3..10;
        let source = &dna.machine_learned_behavior_ext.joints;
        let path = "mlbe.mlJoints";
        let (inputs, outputs) = (&source.input_indices, &source.output_indices);
        if inputs.is_empty() && outputs.is_empty() {
            return Self::default();
        }
        let Some(width) = source.width() else {
            let message = "joints are moved by networks, but nothing says how";
            let remedy = "expect these joints to stay where the other groups put them";
            checks.warn("ML_JOINTS", format!("{path}.parameterKeys"), message, remedy);
            return Self::default();
        };
        let value = |key| {
            let mut pairs = source.parameter_keys.iter().zip(&source.parameter_values);
            pairs.find(|(found, _)| **found == key).map(|(_, &value)| value)
        };
        if AXES.clone().all(|key| value(key).is_some()) {
            let message = "the networks move joints in axes of their own; their values are taken as they are";
            let remedy = "compare these joints with the host before relying on them";
            checks.warn("ML_JOINT_AXES", format!("{path}.parameterKeys"), message, remedy);
        }
        let has = |key| usize::from(value(key).is_some());
        let is_quaternion = value(ROTATION) == Some(1);
        let rotation_len = has(ROTATION) * if is_quaternion { 4 } else { 3 };
        let rotation_start = has(TRANSLATION) * 3;
        let scale_start = rotation_start + rotation_len;
        debug_assert_eq!(scale_start + has(SCALE) * 3, usize::from(width));
        let joint_count = dna.definition.joint_names.len();
        let limit = joint_count.saturating_mul(usize::from(width));
        let mut is_good = checks.length(|| format!("{path}.outputIndices"), inputs.len(), outputs.len());
        is_good &= checks.indices(|| format!("{path}.inputIndices"), inputs, layout.len(), "control");
        is_good &= checks.indices(|| format!("{path}.outputIndices"), outputs, limit, "joint attribute");
        if !is_good {
            return Self::default();
        }
        let mut joints: Vec<MlJoint> = Vec::new();
        for (&input, &output) in inputs.iter().zip(outputs) {
            let (joint, attribute) = (usize::from(output / width), usize::from(output % width));
            let control = usize::from(input);
            let at = joints.iter().position(|known| known.joint == joint).unwrap_or_else(|| {
                let members = |lod| dna.definition.lod_joint_mapping.members(lod);
                let is_member = |lod| members(lod).iter().any(|&member| usize::from(member) == joint);
                joints.push(MlJoint {
                    joint,
                    is_active: (0..lod_count).map(is_member).collect(),
                    translation: [None; 3],
                    rotation: if is_quaternion {
                        MlRotation::Quaternion([None; 4])
                    } else {
                        MlRotation::Euler([None; 3])
                    },
                    scale: [None; 3],
                });
                joints.len() - 1
            });
            let known = &mut joints[at];
            if attribute < rotation_start {
                known.translation[attribute] = Some(control);
            } else if attribute < scale_start {
                let axis = attribute - rotation_start;
                match &mut known.rotation {
                    MlRotation::Euler(axes) => axes[axis] = Some(control),
                    MlRotation::Quaternion(axes) => axes[axis] = Some(control),
                }
                if is_quaternion && axis == 3 {
                    operations.mark_w(control);
                }
            } else {
                known.scale[attribute - scale_start] = Some(control);
            }
        }
        Self { joints }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// What the networks add at `lod`.
    pub(crate) fn deltas<'a>(
        &'a self,
        lod: usize,
        controls: &'a [f32],
    ) -> impl Iterator<Item = MlDelta> + 'a {
        let active = self.joints.iter().filter(move |joint| joint.is_active.get(lod) == Some(&true));
        active.map(|joint| {
            let read = |row: Option<usize>| row.map_or(0.0, |control| controls[control]);
            MlDelta {
                joint: joint.joint,
                translation: joint.translation.map(read),
                rotation: match joint.rotation {
                    MlRotation::Euler([None, None, None])
                    | MlRotation::Quaternion([None, None, None, None]) => MlTurn::None,
                    MlRotation::Euler(axes) => MlTurn::Euler(axes.map(read)),
                    MlRotation::Quaternion([x, y, z, w]) => {
                        let w = w.map_or(1.0, |control| controls[control]);
                        MlTurn::Quaternion([read(x), read(y), read(z), w])
                    }
                },
                scale: joint.scale.map(read),
            }
        })
    }
}

/// `rotation` turned further by `turn`, which need not have length 1; one of length 0 does nothing.
pub(crate) fn turned(rotation: Quat, turn: Quat) -> Quat {
    let turn = if dot(turn, turn) > 0.0 { normalize(turn) } else { IDENTITY };
    multiply(rotation, turn)
}
