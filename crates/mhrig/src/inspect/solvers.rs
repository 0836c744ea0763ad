//! RBF solvers and their poses.

use mhrig_dna::{Dna, RbfSolver};
use serde::Serialize;

use super::controls::WeightedControl;
use super::{lods_of_items, name_at, word};

/// An RBF solver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectSolver {
    /// Its number.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// LODs that have it.
    pub lods: Vec<u16>,
    /// Raw controls that it reads.
    pub inputs: Vec<String>,
    /// `additive` or `interpolative`.
    pub solver_type: String,
    /// How far apart two poses are is measured as `euclidean`, `quaternion`, `swing angle` or `twist angle`.
    pub distance: String,
    /// `gaussian`, `exponential`, `linear`, `cubic` or `quintic`.
    pub function: String,
    /// Whether weights are normalised `above one` only, or `always`.
    pub normalize: String,
    /// `x`, `y` or `z`.
    pub twist_axis: String,
    /// Radius.
    pub radius: f32,
    /// Whether the radius is computed from the poses.
    pub automatic_radius: String,
    /// Weights below are cut.
    pub weight_threshold: f32,
    /// Its poses.
    pub poses: Vec<InspectPose>,
}

/// A pose of an RBF solver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InspectPose {
    /// Its number.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// Its scale.
    pub scale: f32,
    /// Value of each of the solver's inputs in the pose.
    pub values: Vec<f32>,
    /// Controls whose product scales the pose's weight.
    pub scaled_by: Vec<String>,
    /// Controls that the pose writes.
    pub outputs: Vec<WeightedControl>,
}

pub(super) fn solvers(dna: &Dna) -> Vec<InspectSolver> {
    let solvers = &dna.rbf_behavior.solvers;
    let mapping = &dna.rbf_behavior.lod_solver_mapping;
    let mut lods = lods_of_items(mapping, dna.descriptor.lod_count, solvers.len());
    let describe = |(index, solver): (usize, &RbfSolver)| {
        let inputs = &solver.raw_control_indices;
        InspectSolver {
            index,
            name: solver.name.to_string(),
            lods: std::mem::take(&mut lods[index]),
            inputs: inputs
                .iter()
                .map(|&input| name_at(&dna.definition.raw_control_names, usize::from(input)))
                .collect(),
            solver_type: word(solver.solver_type, &[(0, "additive"), (1, "interpolative")]),
            distance: word(
                solver.distance_method,
                &[(0, "euclidean"), (1, "quaternion"), (2, "swing angle"), (3, "twist angle")],
            ),
            function: word(
                solver.function_type,
                &[(0, "gaussian"), (1, "exponential"), (2, "linear"), (3, "cubic"), (4, "quintic")],
            ),
            normalize: word(solver.normalize_method, &[(0, "above one"), (1, "always")]),
            twist_axis: word(solver.twist_axis, &[(0, "x"), (1, "y"), (2, "z")]),
            radius: solver.radius,
            automatic_radius: word(solver.automatic_radius, &[(0, "on"), (1, "off")]),
            weight_threshold: solver.weight_threshold,
            poses: solver
                .pose_indices
                .iter()
                .enumerate()
                .map(|(row, &index)| pose(dna, solver, row, index))
                .collect(),
        }
    };
    solvers.iter().enumerate().map(describe).collect()
}

fn pose(dna: &Dna, solver: &RbfSolver, row: usize, index: u16) -> InspectPose {
    let width = solver.raw_control_indices.len();
    let start = row.saturating_mul(width);
    let pose = dna.rbf_behavior.poses.get(usize::from(index));
    let (mut scaled_by, mut outputs) = (Vec::new(), Vec::new());
    if let Some(controls) = dna.rbf_behavior_ext.poses.get(usize::from(index)) {
        scaled_by = controls.input_control_indices.iter().map(|&input| dna.control_name(input)).collect();
        let weights = controls.output_control_weights.iter().copied().chain(std::iter::repeat(1.0));
        outputs = controls
            .output_control_indices
            .iter()
            .zip(weights)
            .map(|(&control, weight)| WeightedControl { control: dna.control_name(control), weight })
            .collect();
    } else if dna.rbf_behavior_ext.poses.is_empty()
        && let Some(pose) = pose
    {
        // A file without these controls implies one per pose, of its name.
        outputs.push(WeightedControl { control: pose.name.to_string(), weight: 1.0 });
    }
    InspectPose {
        index,
        name: pose.map_or_else(|| format!("#{index}"), |pose| pose.name.to_string()),
        scale: pose.map_or(0.0, |pose| pose.scale),
        values: solver
            .raw_control_values
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take(width)
            .copied()
            .collect(),
        scaled_by,
        outputs,
    }
}
