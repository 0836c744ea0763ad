//! Turning the head: an RBF solver over the three joints of the neck, and what the skin needs beyond linear blending.

use mhrig_dna::Dna;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::body::volume_lost;
use crate::correctives::facial_leaves;
use crate::drivers::{Pose, Solver, push_solvers, rbf};
use crate::expressions::{Effect, head_parts, shares_off_seam, sparse};
use crate::head::rows_per_lod;
use crate::posing::{JointDeltas, Posed, pose_by, vector};
use crate::skeleton::PartSkeleton;
use crate::translation_fit::TranslationFit;
use crate::{DemoHuman, SynthError};

/// Joints that turn the head, each by a third.
pub(crate) const NECK_JOINTS: [&str; 3] = ["neck_01", "neck_02", "head"];

/// A way to turn the head: name, world axis (the head turns right-handed about it), largest angle in degrees.
const TURNS: [(&str, [f64; 3], f64); 6] = [
    ("headTurnUp", [-1.0, 0.0, 0.0], 40.0),
    ("headTurnDown", [1.0, 0.0, 0.0], 40.0),
    ("headTurnLeft", [0.0, 1.0, 0.0], 60.0),
    ("headTurnRight", [0.0, -1.0, 0.0], 60.0),
    ("headTiltLeft", [0.0, 0.0, -1.0], 36.0),
    ("headTiltRight", [0.0, 0.0, 1.0], 36.0),
];

/// Number of finest LODs that have the solver.
const LOD_COUNT: usize = 5;

/// Names of the pose controls.
pub(crate) fn pose_control_names() -> impl Iterator<Item = &'static str> {
    TURNS.iter().map(|(name, ..)| *name)
}

/// Adds the solver: the rest pose, and each turn at half and at full angle. Both drive the turn's one pose control, the half
/// one by half, so that what hangs on it comes evenly.
pub(crate) fn set_neck_solver(
    dna: &mut Dna,
    skeleton: &PartSkeleton,
    lod_count: usize,
) -> Result<(), SynthError> {
    dna.rbf_behavior_ext.pose_control_names =
        pose_control_names().map(|name| format!("CTRL_expressions.{name}").into()).collect();
    let joints = neck_joints(skeleton)?;
    let rest = Pose {
        name: "default".to_owned(),
        turns: vec![UnitQuaternion::identity(); joints.len()],
        outputs: Vec::new(),
    };
    let mut poses = vec![rest];
    for (control, (name, axis, angle)) in TURNS.iter().enumerate() {
        for share in [0.5, 1.0] {
            poses.push(Pose {
                name: format!("{name}_{:.0}", angle * share),
                turns: local_turns(skeleton, &joints, *axis, angle * share),
                outputs: vec![(control, share as f32)],
            });
        }
    }
    push_neck_solver(dna, poses, lod_count);
    Ok(())
}

/// Adds a solver over the joints of the neck with `poses`, for the finest LODs.
pub(crate) fn push_neck_solver(dna: &mut Dna, poses: Vec<Pose>, lod_count: usize) {
    push_solvers(
        dna,
        &[Solver {
            name: "neck".to_owned(),
            joints: NECK_JOINTS.map(str::to_owned).to_vec(),
            poses,
            solver_type: rbf::INTERPOLATIVE,
            distance_method: rbf::QUATERNION,
            function_type: rbf::GAUSSIAN,
            radius_deg: None,
            twist_axis: 0,
        }],
    );
    let solvers = |lod| if lod < LOD_COUNT { vec![0] } else { Vec::new() };
    dna.rbf_behavior.lod_solver_mapping = rows_per_lod((0..lod_count).map(solvers));
}

fn neck_joints(skeleton: &PartSkeleton) -> Result<Vec<usize>, SynthError> {
    let find = |name: &&str| {
        skeleton.find(name).ok_or_else(|| SynthError::Mismatch {
            what: "joint of the neck".to_owned(),
            expected: (*name).to_owned(),
            found: "nothing".to_owned(),
        })
    };
    NECK_JOINTS.iter().map(find).collect()
}

/// A turn about a world axis in equal parts for all joints, each in its own frame.
fn local_turns(
    skeleton: &PartSkeleton,
    joints: &[usize],
    axis: [f64; 3],
    angle_deg: f64,
) -> Vec<UnitQuaternion<f64>> {
    let part =
        UnitQuaternion::from_scaled_axis(Vector3::from(axis) * angle_deg.to_radians() / joints.len() as f64);
    let own = |joint: &usize| skeleton.world_from_joint[*joint].rotation;
    joints.iter().map(|joint| own(joint).inverse() * part * own(joint)).collect()
}

/// What each turn needs at its full angle, in the order of [`pose_control_names`]: the volume that linear blending loses
/// against dual quaternion skinning, by joints of the neck as far as they reach and by blend shapes for the rest. The
/// neck seam is left alone, since the body has no such shapes.
pub(crate) fn neck_effects(human: &DemoHuman, skeleton: &PartSkeleton) -> Result<Vec<Effect>, SynthError> {
    let joints = neck_joints(skeleton)?;
    let parts = head_parts(human);
    let fit = TranslationFit::new(skeleton, &parts[0], &facial_leaves(skeleton));
    let share_off_seam = shares_off_seam(human);
    let effects = TURNS.iter().map(|(_, axis, angle)| {
        let turns = local_turns(skeleton, &joints, *axis, *angle);
        let turned = |deltas: &JointDeltas| turned(skeleton, &joints, &turns, deltas);
        let mut deltas = JointDeltas::zero(skeleton.names.len());
        let without = turned(&deltas);
        let lost: Vec<Vec<Vector3<f64>>> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let mut lost = volume_lost(skeleton, part, &without);
                if index == 0 {
                    lost.iter_mut().zip(&share_off_seam).for_each(|(lost, share)| *lost *= *share);
                }
                lost
            })
            .collect();
        fit.translate(skeleton, &without, &lost[0], &mut deltas);
        let with = turned(&deltas);
        let targets = parts.iter().zip(&lost).map(|(part, lost)| {
            sparse(lost.iter().enumerate().map(|(vertex, lost)| {
                let rest = vector(part.mesh.positions[vertex]);
                let blends = [&without, &with].map(|posed| posed.blend(&part.skin, &skeleton.number, vertex));
                let [Some(without), Some(with)] = blends else { return *lost };
                with.solve(without.apply(rest) + lost).map_or(Vector3::zeros(), |point| point - rest)
            }))
        });
        Effect { targets: targets.collect(), joints: deltas }
    });
    Ok(effects.collect())
}

fn turned(
    skeleton: &PartSkeleton,
    joints: &[usize],
    turns: &[UnitQuaternion<f64>],
    deltas: &JointDeltas,
) -> Posed {
    pose_by(skeleton, |joint| {
        if let Some(at) = joints.iter().position(|&known| known == joint) {
            return Some(Isometry3::from_parts(Translation3::identity(), turns[at]));
        }
        let [tx, ty, tz, ..] = deltas.0[joint];
        let translation = Translation3::from([tx, ty, tz].map(f64::from));
        (translation.vector != Vector3::zeros())
            .then(|| Isometry3::from_parts(translation, UnitQuaternion::identity()))
    })
}
