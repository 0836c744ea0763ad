//! The body's DNA: what elbows, knees, shoulders and hips do to the joints around them.

use mhrig_dna::{Dna, FileVersion, JointRepresentation};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::drivers::{Follow, Pose, Solver, follow, push_driver, push_followers, push_solvers, rbf};
use crate::expressions::clean;
use crate::geometry::dna_mesh;
use crate::head::{Lods, descriptor, rows_per_lod, set_skeleton};
use crate::joint_groups::{Column, joint_groups};
use crate::posing::{JointDeltas, Posed, dual_quaternion_skinned, pose_by, vector};
use crate::skeleton::PartSkeleton;
use crate::translation_fit::TranslationFit;
use crate::{DemoHuman, HumanPart, SynthError};

/// Rig definition of the demo human's body.
pub(crate) const DB_NAME_BODY: &str = "MHRIG.DEMO.BODY";

/// A limb joint that drives others. `@` stands for l or r.
pub(crate) struct Limb {
    pub(crate) driver: &'static str,
    followers: &'static [(&'static str, Follow)],
}

/// Twist joints sit at a third and two thirds of their bone and take that share of the twist between its ends.
pub(crate) const LIMBS: [Limb; 5] = [
    Limb {
        driver: "upperarm_@",
        followers: &[
            ("upperarm_correctiveRoot_@", Follow::Swing(0.5)),
            ("upperarm_twist_01_@", Follow::TwistOfParent(1.0 / 3.0)),
            ("upperarm_twist_02_@", Follow::TwistOfParent(2.0 / 3.0)),
        ],
    },
    Limb { driver: "lowerarm_@", followers: &[("lowerarm_correctiveRoot_@", Follow::Swing(0.5))] },
    Limb {
        driver: "hand_@",
        followers: &[
            ("lowerarm_twist_02_@", Follow::TwistOfSibling(1.0 / 3.0)),
            ("lowerarm_twist_01_@", Follow::TwistOfSibling(2.0 / 3.0)),
        ],
    },
    Limb {
        driver: "thigh_@",
        followers: &[
            ("thigh_correctiveRoot_@", Follow::Swing(0.5)),
            ("thigh_twist_01_@", Follow::TwistOfParent(1.0 / 3.0)),
            ("thigh_twist_02_@", Follow::TwistOfParent(2.0 / 3.0)),
        ],
    },
    Limb {
        driver: "calf_@",
        followers: &[
            ("calf_correctiveRoot_@", Follow::Swing(0.5)),
            ("calf_twist_02_@", Follow::TwistOfParent(1.0 / 3.0)),
            ("calf_twist_01_@", Follow::TwistOfParent(2.0 / 3.0)),
        ],
    },
];

/// How a pose of a solver turns its driver.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// By an angle in degrees towards a direction; for the left side, Y up, facing +Z.
    Towards([f64; 3], f64),
    /// By an angle in degrees about the hinge between the driver's bone and the one before it, further bent.
    Hinge(f64),
    /// By an angle in degrees about its own bone.
    Twist(f64),
}

/// A solver of one limb. `@` stands for l or r.
struct SolverPlan {
    name: &'static str,
    driver: &'static str,
    /// Joint before and joint after the driver, which span the hinge.
    neighbours: (&'static str, &'static str),
    poses: &'static [(&'static str, Turn)],
    solver_type: u16,
    distance_method: u16,
    function_type: u16,
    radius_deg: f32,
    /// Joints that are moved so that the limb keeps its volume.
    correctives: &'static [&'static str],
    /// Whether the sacrum goes along.
    turns_sacrum: bool,
    /// Number of LODs that have it.
    lod_count: usize,
}

const SOLVERS: [SolverPlan; 5] = [
    SolverPlan {
        name: "shoulder_@",
        driver: "upperarm_@",
        neighbours: ("clavicle_@", "lowerarm_@"),
        poses: &[
            ("up_45", Turn::Towards([0.3, 1.0, 0.0], 45.0)),
            ("up_90", Turn::Towards([0.3, 1.0, 0.0], 90.0)),
            ("forward_60", Turn::Towards([0.0, 0.0, 1.0], 60.0)),
            ("back_40", Turn::Towards([0.0, 0.0, -1.0], 40.0)),
            ("in_30", Turn::Towards([-1.0, -0.5, 0.3], 30.0)),
        ],
        solver_type: rbf::INTERPOLATIVE,
        distance_method: rbf::SWING_ANGLE,
        function_type: rbf::EXPONENTIAL,
        radius_deg: 60.0,
        correctives: &[
            "upperarm_out_@",
            "upperarm_fwd_@",
            "upperarm_in_@",
            "upperarm_bck_@",
            "clavicle_out_@",
            "clavicle_scap_@",
            "clavicle_pec_@",
            "spine_04_latissimus_@",
        ],
        turns_sacrum: false,
        lod_count: 3,
    },
    SolverPlan {
        name: "elbow_@",
        driver: "lowerarm_@",
        neighbours: ("upperarm_@", "hand_@"),
        poses: &[("bent_45", Turn::Hinge(45.0)), ("bent_90", Turn::Hinge(90.0))],
        solver_type: rbf::INTERPOLATIVE,
        distance_method: rbf::QUATERNION,
        function_type: rbf::GAUSSIAN,
        radius_deg: 70.0,
        correctives: &["lowerarm_in_@", "upperarm_bicep_@"],
        turns_sacrum: false,
        lod_count: 3,
    },
    SolverPlan {
        name: "forearm_@",
        driver: "hand_@",
        neighbours: ("lowerarm_@", "middle_metacarpal_@"),
        poses: &[("twist_in_80", Turn::Twist(80.0)), ("twist_out_80", Turn::Twist(-80.0))],
        solver_type: rbf::ADDITIVE,
        distance_method: rbf::TWIST_ANGLE,
        function_type: rbf::LINEAR,
        radius_deg: 80.0,
        correctives: &[],
        turns_sacrum: false,
        lod_count: 2,
    },
    SolverPlan {
        name: "hip_@",
        driver: "thigh_@",
        neighbours: ("pelvis", "calf_@"),
        poses: &[
            ("forward_45", Turn::Towards([0.0, 0.0, 1.0], 45.0)),
            ("forward_90", Turn::Towards([0.0, 0.0, 1.0], 90.0)),
            ("back_30", Turn::Towards([0.0, 0.0, -1.0], 30.0)),
            ("out_45", Turn::Towards([1.0, 0.0, 0.0], 45.0)),
        ],
        solver_type: rbf::INTERPOLATIVE,
        distance_method: rbf::SWING_ANGLE,
        function_type: rbf::GAUSSIAN,
        radius_deg: 60.0,
        correctives: &["thigh_fwd_lwr_@", "hip_@"],
        turns_sacrum: true,
        lod_count: 3,
    },
    SolverPlan {
        name: "knee_@",
        driver: "calf_@",
        neighbours: ("thigh_@", "foot_@"),
        // Tents of 45 degrees at steps of 45 degrees: each pose fades out where the next is full.
        poses: &[
            ("bent_45", Turn::Hinge(45.0)),
            ("bent_90", Turn::Hinge(90.0)),
            ("bent_135", Turn::Hinge(135.0)),
        ],
        solver_type: rbf::ADDITIVE,
        distance_method: rbf::QUATERNION,
        function_type: rbf::LINEAR,
        radius_deg: 45.0,
        correctives: &["calf_twistCor_02_@"],
        turns_sacrum: false,
        lod_count: 3,
    },
];

/// The sacrum goes along with this share of a thigh's swing.
const SACRUM: (&str, f64) = ("pelvis_sacrum", 0.1);

pub(crate) const SIDES: [&str; 2] = ["l", "r"];

/// Makes the body.
///
/// The correctives of a pose follow from one rule: dual quaternion skinning keeps the volume of a bent limb and linear
/// blending does not; the corrective joints of the limb are translated so that the linear blend comes as close as it can to
/// the other. Forearms, which have no joints that could be translated for it, are widened instead, see [`widening`].
pub(crate) fn body_dna(human: &DemoHuman, skeleton: &PartSkeleton, lods: &Lods) -> Result<Dna, SynthError> {
    let mut dna = Dna {
        descriptor: descriptor("DemoHumanBody", DB_NAME_BODY, lods.meshes.len() as u16),
        ..Dna::new(FileVersion { generation: 2, version: 5 })
    };
    set_skeleton(&mut dna.definition, skeleton, lods);
    for limb in &LIMBS {
        for side in SIDES {
            push_driver(&mut dna, &limb.driver.replace('@', side));
        }
    }
    let mut drivers = Vec::new();
    for limb in &LIMBS {
        for side in SIDES {
            let driver = Driver::new(skeleton, limb, side)?;
            let followers: Vec<(u16, Follow)> =
                driver.followers.iter().map(|&(joint, follow)| (joint as u16, follow)).collect();
            push_followers(&mut dna, &skeleton.names[driver.joint], driver.axis as u16, &followers);
            drivers.push(driver);
        }
    }

    let part = &human.parts[human.parts.len() - 1];
    let sacrum = find(skeleton, SACRUM.0, "")?;
    let mut solvers = Vec::new();
    let mut lod_counts = Vec::new();
    let mut effects: Vec<Vec<(usize, JointDeltas)>> = Vec::new();
    for plan in &SOLVERS {
        for side in SIDES {
            let joint = find(skeleton, plan.driver, side)?;
            let Some(driver) = drivers.iter().find(|driver| driver.joint == joint) else { continue };
            let bones = [plan.neighbours.0, plan.driver, plan.neighbours.1];
            let bones = [find(skeleton, bones[0], side)?, joint, find(skeleton, bones[2], side)?];
            let correctives = plan.correctives.iter().map(|name| find(skeleton, name, side));
            let fit = TranslationFit::new(skeleton, part, &correctives.collect::<Result<Vec<_>, _>>()?);
            let name = plan.name.replace('@', side);
            let mut poses = Vec::new();
            let mut of_solver = Vec::new();
            let turns = plan.poses.iter().map(|(pose, turn)| (*pose, Some(turn)));
            for (pose, turn) in std::iter::once(("default", None)).chain(turns) {
                let name = format!("{name}_{pose}");
                let control = dna.rbf_behavior_ext.pose_control_names.len();
                dna.rbf_behavior_ext.pose_control_names.push(name.as_str().into());
                let rotation = turn.map_or(UnitQuaternion::identity(), |turn| {
                    local_turn(skeleton, turn, bones, driver.axis, side == "r")
                });
                poses.push(Pose { name, turns: vec![rotation], outputs: vec![(control, 1.0)] });
                if let Some(turn) = turn {
                    let mut deltas = JointDeltas::zero(skeleton.names.len());
                    let posed = driver.posed(skeleton, &rotation);
                    fit.translate(skeleton, &posed, &volume_lost(skeleton, part, &posed), &mut deltas);
                    if let Turn::Twist(angle) = turn {
                        widen(driver, *angle, &mut deltas);
                    }
                    if plan.turns_sacrum {
                        turn_sacrum(skeleton, joint, &rotation, sacrum, &mut deltas);
                    }
                    of_solver.push((control, deltas));
                }
            }
            solvers.push(Solver {
                name,
                joints: vec![skeleton.names[joint].clone()],
                poses,
                solver_type: plan.solver_type,
                distance_method: plan.distance_method,
                function_type: plan.function_type,
                radius_deg: Some(plan.radius_deg),
                twist_axis: driver.axis as u16,
            });
            lod_counts.push(plan.lod_count);
            effects.push(of_solver);
        }
    }
    push_solvers(&mut dna, &solvers);
    dna.rbf_behavior.lod_solver_mapping = rows_per_lod((0..lods.meshes.len()).map(|lod| {
        let solvers = lod_counts.iter().enumerate().filter(|&(_, &count)| count > lod);
        solvers.map(|(solver, _)| solver as u16).collect()
    }));

    let first = dna.definition.raw_control_names.len();
    set_joint_groups(&mut dna, skeleton, lods, &effects, first, sacrum);
    dna.behavior.blend_shape_channels.lods = vec![0; lods.meshes.len()];
    dna.behavior.animated_maps.lods = vec![0; lods.meshes.len()];
    dna.geometry.meshes = lods.meshes.iter().flatten().map(|mesh| dna_mesh(mesh, Vec::new())).collect();
    Ok(dna)
}

/// One group per solver; the sacrum, which solvers of both sides turn, has a group of its own that multiplies quaternions.
fn set_joint_groups(
    dna: &mut Dna,
    skeleton: &PartSkeleton,
    lods: &Lods,
    effects: &[Vec<(usize, JointDeltas)>],
    first_pose_control: usize,
    sacrum: usize,
) {
    let lod_count = lods.meshes.len();
    let count = skeleton.names.len();
    let control = |pose: &usize| (first_pose_control + pose) as u16;
    let mut groups = Vec::new();
    for of_solver in effects {
        let mut without_sacrum = of_solver.clone();
        without_sacrum.iter_mut().for_each(|(_, deltas)| deltas.0[sacrum] = [0.0; 9]);
        let columns: Vec<Column<'_>> =
            without_sacrum.iter().map(|(pose, deltas)| Column { control: control(pose), deltas }).collect();
        groups.extend(joint_groups(&columns, &vec![0; count], &lods.lod_count_of_joint, lod_count));
    }
    let mut only_sacrum: Vec<(usize, JointDeltas)> = effects.concat();
    for (_, deltas) in &mut only_sacrum {
        deltas
            .0
            .iter_mut()
            .enumerate()
            .filter(|(joint, _)| *joint != sacrum)
            .for_each(|(_, d)| *d = [0.0; 9]);
    }
    let columns: Vec<Column<'_>> =
        only_sacrum.iter().map(|(pose, deltas)| Column { control: control(pose), deltas }).collect();
    groups.extend(joint_groups(&columns, &vec![0; count], &lods.lod_count_of_joint, lod_count));
    dna.behavior.joints.row_count = (count * 9) as u16;
    dna.behavior.joints.col_count = effects.iter().map(Vec::len).sum::<usize>() as u16;
    dna.behavior.joints.joint_groups = groups;
    dna.joint_behavior_metadata.joint_representations =
        vec![JointRepresentation { translation: 0, rotation: 0, scale: 0 }; count];
    dna.joint_behavior_metadata.joint_representations[sacrum].rotation = 1;
}

/// The axis of a joint's frame that lies nearest to its bone, which is the direction to its main child: 0, 1 or 2. Bone
/// orientations make it x; with parallel joints it is the best there is.
pub(crate) fn bone_axis(skeleton: &PartSkeleton, joint: usize) -> usize {
    let children = (0..skeleton.names.len()).filter(|&child| skeleton.parents[child] == Some(joint));
    let position = |joint: usize| skeleton.world_from_joint[joint].translation.vector;
    let bones = children.map(|child| position(child) - position(joint));
    let bone = bones.max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_else(Vector3::x);
    let own = skeleton.world_from_joint[joint].rotation.inverse() * bone;
    own.iamax()
}

/// A pose's rotation in the driver's own frame; `[before, driver, after]` are the joints at the ends of its bones.
pub(crate) fn local_turn(
    skeleton: &PartSkeleton,
    turn: &Turn,
    [before, driver, after]: [usize; 3],
    axis: usize,
    is_right: bool,
) -> UnitQuaternion<f64> {
    let position = |joint: usize| skeleton.world_from_joint[joint].translation.vector;
    let bone = position(after) - position(driver);
    let (axis, angle) = match turn {
        Turn::Twist(angle) => {
            let mut own = Vector3::zeros();
            own[axis] = 1.0;
            return UnitQuaternion::from_scaled_axis(own * angle.to_radians());
        }
        Turn::Towards(direction, angle) => {
            let mut direction = Vector3::from(*direction);
            if is_right {
                direction.x = -direction.x;
            }
            (bone.cross(&direction), *angle)
        }
        Turn::Hinge(angle) => ((position(driver) - position(before)).cross(&bone), *angle),
    };
    let world = UnitQuaternion::from_scaled_axis(axis.normalize() * angle.to_radians());
    let own = skeleton.world_from_joint[driver].rotation;
    own.inverse() * world * own
}

/// A driver joint and what follows it.
pub(crate) struct Driver {
    pub(crate) joint: usize,
    /// The axis of its frame along its bone.
    pub(crate) axis: usize,
    pub(crate) followers: Vec<(usize, Follow)>,
}

impl Driver {
    pub(crate) fn new(skeleton: &PartSkeleton, limb: &Limb, side: &str) -> Result<Self, SynthError> {
        let joint = find(skeleton, limb.driver, side)?;
        let followers = limb.followers.iter();
        let followers = followers.map(|(name, follow)| Ok((find(skeleton, name, side)?, *follow)));
        Ok(Self {
            joint,
            axis: bone_axis(skeleton, joint),
            followers: followers.collect::<Result<_, SynthError>>()?,
        })
    }

    /// The skeleton with the driver turned, in its own frame, and its followers following.
    fn posed(&self, skeleton: &PartSkeleton, turn: &UnitQuaternion<f64>) -> Posed {
        pose_by(skeleton, |joint| {
            let follower = self.followers.iter().find(|(follower, _)| *follower == joint);
            let rotation = match follower {
                Some((_, how)) => follow(turn, *how, self.axis),
                None if joint == self.joint => *turn,
                None => return None,
            };
            Some(Isometry3::from_parts(Translation3::identity(), rotation))
        })
    }
}

/// The joint of that name on a side.
pub(crate) fn find(skeleton: &PartSkeleton, name: &str, side: &str) -> Result<usize, SynthError> {
    let name = name.replace('@', side);
    skeleton.find(&name).ok_or_else(|| SynthError::Mismatch {
        what: "joint of the body".to_owned(),
        expected: name,
        found: "nothing".to_owned(),
    })
}

/// How much the cross-section of a twisted limb is to be widened: a blend of two transforms that differ by an angle of 2a
/// shrinks by cos a, and `joints` joints share the twist.
fn widening(twist_rad: f64, joints: usize) -> f64 {
    1.0 / (twist_rad / joints as f64 / 2.0).cos() - 1.0
}

/// Widens the followers of a twist of so many degrees across their bone.
fn widen(driver: &Driver, twist_deg: f64, deltas: &mut JointDeltas) {
    let scale = widening(twist_deg.to_radians(), driver.followers.len() + 1) as f32;
    for (joint, _) in &driver.followers {
        for across in (0..3).filter(|&across| across != driver.axis) {
            deltas.0[*joint][6 + across] = scale;
        }
    }
}

/// Turns the sacrum by its share of a thigh's rotation.
fn turn_sacrum(
    skeleton: &PartSkeleton,
    thigh: usize,
    turn: &UnitQuaternion<f64>,
    sacrum: usize,
    deltas: &mut JointDeltas,
) {
    let (thigh, own) =
        (skeleton.world_from_joint[thigh].rotation, skeleton.world_from_joint[sacrum].rotation);
    let world = thigh * turn.powf(SACRUM.1) * thigh.inverse();
    let (x, y, z) = (own.inverse() * world * own).euler_angles();
    for (at, angle) in [x, y, z].into_iter().enumerate() {
        deltas.0[sacrum][3 + at] = clean(angle.to_degrees());
    }
}

/// Per vertex, where dual quaternion skinning puts it minus where linear blending does.
pub(crate) fn volume_lost(skeleton: &PartSkeleton, part: &HumanPart, posed: &Posed) -> Vec<Vector3<f64>> {
    let vertices = part.mesh.positions.iter().enumerate();
    vertices
        .map(|(vertex, &rest)| {
            let rest = vector(rest);
            let kept = dual_quaternion_skinned(posed, &part.skin, &skeleton.number, vertex, rest);
            let blended = posed.blend(&part.skin, &skeleton.number, vertex).map(|blend| blend.apply(rest));
            kept.zip(blended).map_or(Vector3::zeros(), |(kept, blended)| kept - blended)
        })
        .collect()
}
