use mhrig_report::{Finding, Severity};
use serde::Serialize;

use crate::Rig;

/// What one RBF solver makes of its driver standing exactly at one of its poses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RbfPoseWeight {
    /// Number of the solver.
    pub solver: usize,
    /// Name of the solver.
    pub solver_name: String,
    /// Name of the pose at which the driver stands.
    pub pose_name: String,
    /// Whether the solver interpolates (weights of 1 at its poses) or adds (largest weight at its poses).
    pub is_interpolative: bool,
    /// Weight of that pose: normalized, before the pose's scale and the solver's threshold.
    pub own_weight: f32,
    /// Name of the pose with the largest weight.
    pub largest_name: String,
    /// Its weight.
    pub largest_weight: f32,
}

/// An interpolative solver gives a pose at least this weight at itself.
const INTERPOLATED: f32 = 0.999;

impl RbfPoseWeight {
    /// Whether the solver recognizes its pose.
    pub fn is_recognized(&self) -> bool {
        if self.is_interpolative {
            self.own_weight >= INTERPOLATED
        } else {
            self.own_weight > 0.0 && self.own_weight >= self.largest_weight
        }
    }
}

/// Says which poses a solver does not recognize in a [`Rig::rbf_pose_weights`].
pub fn judge_rbf_poses(weights: &[RbfPoseWeight]) -> Vec<Finding> {
    let missed = weights.iter().filter(|weight| !weight.is_recognized());
    let finding = |weight: &RbfPoseWeight| {
        let place = format!("{}: pose {}", weight.solver_name, weight.pose_name);
        let message = "the solver does not recognize its own pose";
        let remedy = "look for poses that repeat another, and at the radius";
        let expected = if weight.is_interpolative {
            format!("a weight of at least {INTERPOLATED}")
        } else {
            "the largest weight".to_owned()
        };
        let found =
            format!("{}; pose {} has {}", weight.own_weight, weight.largest_name, weight.largest_weight);
        Finding::new("RBF_POSE", Severity::Warning, place, message, remedy).with_values(expected, found)
    };
    missed.map(finding).collect()
}

/// One RBF solver of a rig.
#[derive(Clone, Copy, Debug)]
pub struct RbfSolverView<'a>(&'a crate::rbf::Solver);

impl<'a> RbfSolverView<'a> {
    /// Name.
    pub fn name(&self) -> &'a str {
        self.0.name()
    }

    /// Names of its poses.
    pub fn pose_names(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        self.0.pose_names()
    }

    /// Raw controls that it reads, in order.
    pub fn raw_controls(&self) -> &'a [u16] {
        self.0.inputs()
    }

    /// Values of those at pose `pose`; `None` where there is no such pose.
    pub fn pose_values(&self, pose: usize) -> Option<&'a [f32]> {
        (pose < self.pose_names().len()).then(|| self.0.target(pose))
    }

    /// Whether the raw controls are quaternions, four each.
    pub fn reads_rotations(&self) -> bool {
        self.0.reads_rotations()
    }
}

impl Rig {
    /// The RBF solvers by number.
    pub fn rbf_solvers(&self) -> impl ExactSizeIterator<Item = RbfSolverView<'_>> {
        self.rbf.solvers().iter().map(RbfSolverView)
    }

    /// Puts the driver of every solver at every of its poses and weighs them.
    pub fn rbf_pose_weights(&self) -> Vec<RbfPoseWeight> {
        let mut result = Vec::new();
        for (number, solver) in self.rbf.solvers().iter().enumerate() {
            let names: Vec<&str> = solver.pose_names().collect();
            let (mut kernels, mut weights) = (vec![0.0; names.len()], vec![0.0; names.len()]);
            for (pose, name) in names.iter().enumerate() {
                solver.normalized_weights(&mut solver.target(pose).to_vec(), &mut kernels, &mut weights);
                let (largest, largest_weight) = weights
                    .iter()
                    .copied()
                    .enumerate()
                    .fold((pose, weights[pose]), |best, next| if next.1 > best.1 { next } else { best });
                result.push(RbfPoseWeight {
                    solver: number,
                    solver_name: solver.name().to_owned(),
                    pose_name: (*name).to_owned(),
                    is_interpolative: solver.is_interpolative(),
                    own_weight: weights[pose],
                    largest_name: names[largest].to_owned(),
                    largest_weight,
                });
            }
        }
        result
    }
}
