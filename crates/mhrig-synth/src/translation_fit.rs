use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Vector3};

use crate::HumanPart;
use crate::expressions::clean;
use crate::posing::{JointDeltas, Posed};
use crate::skeleton::PartSkeleton;

/// Translations below this are not worth a value in the joint matrix, cm.
const SMALLEST_CM: f64 = 0.005;
/// Weight of "do not move" against "explain the displacement", relative to the mean of a joint's squared weights.
const RIDGE: f64 = 0.05;

/// The normal equations of moving the skin of one mesh by translating some joints, factored.
pub(crate) struct TranslationFit {
    joints: Vec<usize>,
    /// Per vertex, (place in `joints`, weight).
    weights: Vec<Vec<(usize, f64)>>,
    factor: Option<Cholesky<f64, Dyn>>,
}

impl TranslationFit {
    /// `joints`: joints without children; those that no vertex hangs on are left out.
    pub(crate) fn new(skeleton: &PartSkeleton, part: &HumanPart, joints: &[usize]) -> Self {
        let mut place = vec![None; skeleton.names.len()];
        let mut used = Vec::new();
        let mut weights = vec![Vec::new(); part.mesh.positions.len()];
        for (vertex, weights) in weights.iter_mut().enumerate() {
            for (joint, weight) in part.skin.influences(vertex) {
                let Some(joint) = skeleton.number[joint.index()].map(usize::from) else { continue };
                if !joints.contains(&joint) {
                    continue;
                }
                let at = *place[joint].get_or_insert_with(|| {
                    used.push(joint);
                    used.len() - 1
                });
                weights.push((at, f64::from(weight)));
            }
        }
        let mut normal_matrix = DMatrix::zeros(used.len(), used.len());
        for weights in &weights {
            for &(row, a) in weights {
                for &(column, b) in weights {
                    normal_matrix[(row, column)] += a * b;
                }
            }
        }
        let ridge = RIDGE * normal_matrix.trace() / used.len().max(1) as f64;
        for at in 0..used.len() {
            normal_matrix[(at, at)] += ridge;
        }
        Self { joints: used, weights, factor: Cholesky::new(normal_matrix) }
    }

    /// Adds to `joints` the translations, in their parents' posed frames, that bring the skin closest to where `missing`
    /// says it should go, as far as that pays.
    pub(crate) fn translate(
        &self,
        skeleton: &PartSkeleton,
        posed: &Posed,
        missing: &[Vector3<f64>],
        joints: &mut JointDeltas,
    ) {
        let Some(factor) = &self.factor else { return };
        let mut right = [(); 3].map(|()| DVector::zeros(self.joints.len()));
        for (weights, missing) in self.weights.iter().zip(missing) {
            for &(at, weight) in weights {
                for (axis, right) in right.iter_mut().enumerate() {
                    right[at] += weight * missing[axis];
                }
            }
        }
        let [x, y, z] = right.map(|right| factor.solve(&right));
        for (at, &joint) in self.joints.iter().enumerate() {
            let world = Vector3::new(x[at], y[at], z[at]);
            if world.norm() < SMALLEST_CM {
                continue;
            }
            let parent = skeleton.parents[joint].map(|parent| posed.world_from_joint[parent].rotation);
            let local = parent.map_or(world, |parent| parent.inverse() * world);
            for axis in 0..3 {
                joints.0[joint][axis] += clean(local[axis]);
            }
        }
    }
}
