use mhrig_dna::{Dna, RbfSolver};
use mhrig_report::{Finding, Severity};

use crate::checks::Checks;
use crate::euler::{AngleUnit, Quat, dot};
use crate::inverse::{inverse_matrix, residual};
use crate::layout::ControlLayout;
use crate::twist_swing::is_zero;
use crate::{RigOptions, Semantics};

/// RBF solvers and the pose controls that they write (riglogic.md 6).
#[derive(Clone, Debug, Default)]
pub(crate) struct RbfSolvers {
    solvers: Vec<Solver>,
    /// Solver numbers, in evaluation order.
    lods: Vec<Vec<usize>>,
}

/// One solver.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    name: String,
    inputs: Vec<u16>,
    poses: Vec<Pose>,
    /// `poses.len() × inputs.len()`, as in the file.
    targets: Vec<f32>,
    /// The same, converted for the distance.
    converted: Vec<f32>,
    /// Inverse of the kernel matrix, `poses.len()` squared, of interpolative solvers.
    coefficients: Option<Vec<f32>>,
    distance: Distance,
    identity_for_zero: bool,
    kernel: Kernel,
    radius: f32,
    threshold: f32,
    always_normalized: bool,
}

#[derive(Clone, Debug)]
struct Pose {
    name: String,
    scale: f32,
    inputs: Vec<u16>,
    outputs: Vec<(u16, f32)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Distance {
    Euclidean,
    Quaternion,
    Swing { axis: usize },
    TwistArc { axis: usize },
    TwistAngle { axis: usize },
}

#[derive(Clone, Copy, Debug)]
enum Kernel {
    Gaussian,
    Exponential,
    Linear,
    Cubic,
    Quintic,
}

/// A converted kernel matrix times its inverse may be this far from the identity. Well-posed solvers stay below
/// 1e-3 in `f32`; a matrix that cannot be inverted misses by about 1.
const INVERSE_TOLERANCE: f32 = 0.05;

/// Buffers of [`RbfSolvers::evaluate`].
#[derive(Clone, Debug, Default)]
pub(crate) struct RbfScratch {
    input: Vec<f32>,
    kernels: Vec<f32>,
    weights: Vec<f32>,
}

impl RbfSolvers {
    pub(crate) fn new(
        checks: &mut Checks,
        dna: &Dna,
        layout: &ControlLayout,
        unit: AngleUnit,
        options: &RigOptions,
        lod_count: usize,
    ) -> Self {
        if layout.rbf_count == 0 {
            return Self::default();
        }
        let behavior = &dna.rbf_behavior;
        let poses = poses(checks, dna, layout);
        let count = behavior.solvers.len();
        let lods =
            checks.members("rbfb.lodSolverMapping", &behavior.lod_solver_mapping, lod_count, count, "solver");
        let solvers = behavior.solvers.iter().enumerate().filter_map(|(s, solver)| {
            Solver::new(checks, &format!("rbfb.solvers[{s}]"), solver, &poses, layout, unit, options)
        });
        Self { solvers: solvers.collect(), lods }
    }

    pub(crate) fn solvers(&self) -> &[Solver] {
        &self.solvers
    }

    pub(crate) fn of_lod(&self, lod: usize) -> &[usize] {
        self.lods.get(lod).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn scratch(&self) -> RbfScratch {
        let most = |count: fn(&Solver) -> usize| self.solvers.iter().map(count).max().unwrap_or(0);
        RbfScratch {
            input: vec![0.0; most(|solver| solver.inputs.len())],
            kernels: vec![0.0; most(|solver| solver.poses.len())],
            weights: vec![0.0; most(|solver| solver.poses.len())],
        }
    }

    /// Runs the solvers of `lod` on `controls`.
    pub(crate) fn evaluate(&self, lod: usize, controls: &mut [f32], scratch: &mut RbfScratch) {
        for &number in self.of_lod(lod) {
            let solver = &self.solvers[number];
            for pose in &solver.poses {
                for &(output, _) in &pose.outputs {
                    controls[usize::from(output)] = 0.0;
                }
            }
            let input = &mut scratch.input[..solver.inputs.len()];
            for (slot, &index) in input.iter_mut().zip(&solver.inputs) {
                *slot = controls[usize::from(index)];
            }
            let weights = &mut scratch.weights[..solver.poses.len()];
            solver.weights(input, &mut scratch.kernels, weights);
            for (pose, weight) in solver.poses.iter().zip(&*weights) {
                let gain = pose.inputs.iter().fold(1.0, |gain, &input| gain * controls[usize::from(input)]);
                for &(output, share) in &pose.outputs {
                    controls[usize::from(output)] += share * weight * gain;
                }
            }
        }
    }
}

impl Solver {
    fn new(
        checks: &mut Checks,
        path: &str,
        solver: &RbfSolver,
        poses: &[Pose],
        layout: &ControlLayout,
        unit: AngleUnit,
        options: &RigOptions,
    ) -> Option<Self> {
        let (inputs, targets) = (&solver.raw_control_indices, &solver.raw_control_values);
        let count = solver.pose_indices.len();
        let mut is_good =
            checks.indices(|| format!("{path}.rawControlIndices"), inputs, layout.raw_count, "raw control");
        is_good &=
            checks.indices(|| format!("{path}.poseIndices"), &solver.pose_indices, poses.len(), "pose");
        let expected = count.saturating_mul(inputs.len());
        is_good &= checks.length(|| format!("{path}.rawControlValues"), expected, targets.len());
        is_good &= checks.finite(|| format!("{path}.rawControlValues"), targets);
        is_good &= checks.finite(|| format!("{path}.radius"), &[solver.radius]);
        is_good &= checks.finite(|| format!("{path}.weightThreshold"), &[solver.weight_threshold]);
        let axis = checks.choice(|| format!("{path}.twistAxis"), solver.twist_axis, &[0usize, 1, 2])?;
        let twist = match options.semantics {
            Semantics::V10_3 => Distance::TwistArc { axis },
            Semantics::V13_5 => Distance::TwistAngle { axis },
        };
        let distances = [Distance::Euclidean, Distance::Quaternion, Distance::Swing { axis }, twist];
        let distance =
            checks.choice(|| format!("{path}.distanceMethod"), solver.distance_method, &distances)?;
        let kernels = [Kernel::Gaussian, Kernel::Exponential, Kernel::Linear, Kernel::Cubic, Kernel::Quintic];
        let kernel = checks.choice(|| format!("{path}.functionType"), solver.function_type, &kernels)?;
        let is_interpolative =
            checks.choice(|| format!("{path}.solverType"), solver.solver_type, &[false, true])?;
        let automatic =
            checks.choice(|| format!("{path}.automaticRadius"), solver.automatic_radius, &[true, false])?;
        let always_normalized =
            checks.choice(|| format!("{path}.normalizeMethod"), solver.normalize_method, &[false, true])?;
        if distance != Distance::Euclidean && !inputs.len().is_multiple_of(4) {
            let whole = inputs.len().next_multiple_of(4);
            is_good &= checks.length(|| format!("{path}.rawControlIndices"), whole, inputs.len());
        }
        if !is_good {
            return None;
        }
        let identity_for_zero = !options.compat;
        let mut converted = targets.clone();
        for target in converted.chunks_mut(inputs.len().max(1)) {
            distance.convert(target, identity_for_zero);
        }
        let mut solver = Self {
            name: solver.name.to_str().into_owned(),
            inputs: inputs.clone(),
            poses: solver.pose_indices.iter().map(|&pose| poses[usize::from(pose)].clone()).collect(),
            targets: targets.clone(),
            converted,
            coefficients: None,
            distance,
            identity_for_zero,
            kernel,
            radius: unit.to_radians(solver.radius),
            threshold: solver.weight_threshold,
            always_normalized,
        };
        if automatic {
            solver.radius = solver.mean_distance();
        }
        if !options.compat && count > 0 && (solver.radius.is_nan() || solver.radius <= 0.0) {
            let message = "the solver has no radius: its poses do not differ, or it has a single pose";
            let remedy =
                "turn the automatic radius off and set a radius, or remove poses that repeat another";
            checks.warn("RBF_RADIUS", format!("{path} ({})", solver.name), message, remedy);
        }
        if is_interpolative {
            let matrix = solver.kernel_matrix();
            let inverse = inverse_matrix(&matrix, count);
            if !options.compat {
                let error = residual(&matrix, &inverse, count);
                if error.is_nan() || error > INVERSE_TOLERANCE {
                    checks.error(solver.singular(path));
                    return None;
                }
            }
            solver.coefficients = Some(inverse);
        }
        Some(solver)
    }

    /// Name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether its weights interpolate, so that each pose has a weight of one at itself.
    pub(crate) fn is_interpolative(&self) -> bool {
        self.coefficients.is_some()
    }

    /// Names of its poses.
    pub(crate) fn pose_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.poses.iter().map(|pose| pose.name.as_str())
    }

    /// Raw controls that it reads.
    pub(crate) fn inputs(&self) -> &[u16] {
        &self.inputs
    }

    /// Values of those at pose `pose`, as in the file.
    pub(crate) fn target(&self, pose: usize) -> &[f32] {
        let width = self.inputs.len();
        &self.targets[pose * width..(pose + 1) * width]
    }

    /// Whether its inputs are quaternions.
    pub(crate) fn reads_rotations(&self) -> bool {
        self.distance != Distance::Euclidean
    }

    fn converted_target(&self, pose: usize) -> &[f32] {
        let width = self.inputs.len();
        &self.converted[pose * width..(pose + 1) * width]
    }

    fn mean_distance(&self) -> f32 {
        let count = self.poses.len();
        let mut sum = 0.0f32;
        for i in 0..count {
            for j in i + 1..count {
                sum += self.distance.between(self.converted_target(j), self.converted_target(i));
            }
        }
        sum / ((count * count.saturating_sub(1) / 2) as f32)
    }

    fn kernel_matrix(&self) -> Vec<f32> {
        let count = self.poses.len();
        let mut matrix = vec![0.0; count * count];
        for i in 0..count {
            for j in i..count {
                let distance = self.distance.between(self.converted_target(i), self.converted_target(j));
                let value = self.kernel.at(distance, self.radius);
                matrix[i * count + j] = value;
                matrix[j * count + i] = value;
            }
        }
        matrix
    }

    /// The weights of the poses at `input`, which gets converted: after normalization, scale and threshold.
    pub(crate) fn weights(&self, input: &mut [f32], kernels: &mut [f32], weights: &mut [f32]) {
        self.normalized_weights(input, kernels, weights);
        for (weight, pose) in weights.iter_mut().zip(&self.poses) {
            let scaled = *weight * pose.scale;
            *weight = if scaled > self.threshold { scaled } else { 0.0 };
        }
    }

    /// The same before scale and threshold.
    pub(crate) fn normalized_weights(&self, input: &mut [f32], kernels: &mut [f32], weights: &mut [f32]) {
        let count = self.poses.len();
        self.distance.convert(input, self.identity_for_zero);
        let kernels = &mut kernels[..count];
        for (pose, kernel) in kernels.iter_mut().enumerate() {
            *kernel = self.kernel.at(self.distance.between(self.converted_target(pose), input), self.radius);
        }
        match &self.coefficients {
            None => weights.copy_from_slice(kernels),
            Some(coefficients) => {
                for (weight, row) in weights.iter_mut().zip(coefficients.chunks_exact(count.max(1))) {
                    let sum = row.iter().zip(&*kernels).fold(0.0f32, |sum, (c, k)| sum + c * k);
                    *weight = sum.clamp(0.0, 1.0);
                }
            }
        }
        let sum = weights.iter().fold(0.0f32, |sum, weight| sum + weight);
        let ratio = if sum > 1.0 || self.always_normalized { 1.0 / sum } else { 1.0 };
        for weight in weights {
            *weight *= ratio;
        }
    }

    fn singular(&self, path: &str) -> Finding {
        let message = "the kernel matrix of this interpolative solver cannot be inverted";
        let remedy = "remove poses that repeat another, or use the additive type or another radius";
        let finding =
            Finding::new("RBF_SINGULAR", Severity::Error, format!("{path} ({})", self.name), message, remedy);
        let mut nearest: Option<(f32, usize, usize)> = None;
        for i in 0..self.poses.len() {
            for j in i + 1..self.poses.len() {
                let distance = self.distance.between(self.converted_target(i), self.converted_target(j));
                if nearest.is_none_or(|(least, ..)| distance < least) {
                    nearest = Some((distance, i, j));
                }
            }
        }
        let names: Vec<&str> = self.pose_names().collect();
        match nearest {
            Some((distance, i, j)) => finding.with_values(
                "poses that differ",
                format!(
                    "radius {}, poses {} and {} at a distance of {distance}",
                    self.radius, names[i], names[j]
                ),
            ),
            None => finding,
        }
    }
}

/// The poses with their controls; those of a file without the extension layer each get a control of their own
/// (dna-format.md 6.7).
fn poses(checks: &mut Checks, dna: &Dna, layout: &ControlLayout) -> Vec<Pose> {
    let (poses, controls) = (&dna.rbf_behavior.poses, &dna.rbf_behavior_ext.poses);
    let is_made_up = controls.is_empty();
    if !is_made_up {
        checks.length(|| "rbfe.poses".to_owned(), poses.len(), controls.len());
    }
    let mut result = Vec::with_capacity(poses.len());
    for (p, pose) in poses.iter().enumerate() {
        checks.finite(|| format!("rbfb.poses[{p}].scale"), &[pose.scale]);
        let (inputs, outputs) = match controls.get(p) {
            Some(controls) => {
                let path = format!("rbfe.poses[{p}]");
                let (inputs, outputs) = (&controls.input_control_indices, &controls.output_control_indices);
                let weights = &controls.output_control_weights;
                checks.indices(|| format!("{path}.inputControlIndices"), inputs, layout.len(), "control");
                checks.indices(|| format!("{path}.outputControlIndices"), outputs, layout.len(), "control");
                checks.length(|| format!("{path}.outputControlWeights"), outputs.len(), weights.len());
                checks.finite(|| format!("{path}.outputControlWeights"), weights);
                (inputs.clone(), outputs.iter().copied().zip(weights.iter().copied()).collect())
            }
            None => {
                let own = layout.rbf().start + p;
                let output = u16::try_from(own).ok().filter(|_| is_made_up && own < layout.len());
                (Vec::new(), output.map(|output| (output, 1.0)).into_iter().collect())
            }
        };
        result.push(Pose { name: pose.name.to_str().into_owned(), scale: pose.scale, inputs, outputs });
    }
    result
}

impl Distance {
    /// Brings driver values into the form that [`Distance::between`] compares.
    fn convert(self, values: &mut [f32], identity_for_zero: bool) {
        if self == Self::Euclidean {
            return;
        }
        for value in values.chunks_exact_mut(4) {
            let mut q: Quat = [value[0], value[1], value[2], value[3]];
            if identity_for_zero && is_zero(q) {
                q = crate::euler::IDENTITY;
            }
            let q = match self {
                Self::Euclidean | Self::Quaternion => q,
                Self::Swing { axis } => swing(q, axis, identity_for_zero),
                Self::TwistArc { axis } => twist(q, axis, identity_for_zero),
                Self::TwistAngle { axis } => [twist_angle(q, axis), 0.0, 0.0, 0.0],
            };
            value.copy_from_slice(&q);
        }
    }

    /// Distance of two converted drivers.
    fn between(self, a: &[f32], b: &[f32]) -> f32 {
        match self {
            Self::Euclidean | Self::TwistAngle { .. } => {
                let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
                squares.fold(0.0f32, |sum, square| sum + square).sqrt()
            }
            Self::Quaternion | Self::Swing { .. } | Self::TwistArc { .. } => {
                let squares = a.chunks_exact(4).zip(b.chunks_exact(4)).map(|(a, b)| {
                    let cosine = dot([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
                    let square = cosine * cosine;
                    let angle = if square > 1.0 { 0.0 } else { (2.0 * square - 1.0).acos() };
                    angle * angle
                });
                squares.fold(0.0f32, |sum, square| sum + square).sqrt()
            }
        }
    }
}

impl Kernel {
    fn at(self, distance: f32, radius: f32) -> f32 {
        let share = || distance / radius;
        let clipped = |power: f32| if 1.0 - power > 0.0 { 1.0 - power } else { 0.0 };
        match self {
            Self::Gaussian => (-distance / (radius * radius)).exp(),
            Self::Exponential => ((-2.0 * distance) / radius).exp(),
            Self::Linear => clipped(share()),
            Self::Cubic => {
                let u = share();
                clipped(u * (u * u))
            }
            Self::Quintic => {
                let u = share();
                clipped(u * (u * (u * (u * u))))
            }
        }
    }
}

/// What is left of `q` without its turn about an axis, with a negative w.
fn swing(q: Quat, axis: usize, defined: bool) -> Quat {
    let [x, y, z, w] = q;
    let length = (q[axis] * q[axis] + w * w).sqrt();
    if defined && length == 0.0 {
        // Half a turn about an axis at right angles: there is no twist, all of it is swing.
        return q;
    }
    let n = -length;
    match axis {
        0 => [0.0, (w * y - x * z) / n, (w * z + x * y) / n, n],
        1 => [(w * x + y * z) / n, 0.0, (w * z - y * x) / n, n],
        _ => [(w * x - z * y) / n, (w * y + z * x) / n, 0.0, n],
    }
}

/// The turn of `q` about an axis.
fn twist(q: Quat, axis: usize, defined: bool) -> Quat {
    let length = (q[axis] * q[axis] + q[3] * q[3]).sqrt();
    if defined && length == 0.0 {
        return crate::euler::IDENTITY;
    }
    let mut twist = [0.0, 0.0, 0.0, q[3] / length];
    twist[axis] = q[axis] / length;
    twist
}

/// The angle of that turn, wrapped once into −π…π.
fn twist_angle(q: Quat, axis: usize) -> f32 {
    use std::f32::consts::{PI, TAU};
    let angle = 2.0 * q[axis].atan2(q[3]);
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}
