//! The DNA of a full-size body: what the joints of limbs and fingers do to those around them.

use mhrig_dna::{Dna, FileVersion};
use nalgebra::{UnitQuaternion, Vector3};

use crate::SynthError;
use crate::body::{Driver, LIMBS, SIDES, Turn, bone_axis, find, local_turn};
use crate::drivers::{Follow, Pose, Solver, push_driver, push_followers, push_solvers, rbf};
use crate::expressions::clean;
use crate::geometry::dna_mesh;
use crate::head::{Lods, descriptor, rows_per_lod, set_skeleton};
use crate::joint_groups::{Column, joint_groups};
use crate::posing::JointDeltas;
use crate::skeleton::PartSkeleton;

/// Rig definition; a name of our own.
const DB_NAME: &str = "MHRIG.FULL.BODY";

/// A solver. `@` stands for l or r.
struct Plan {
    name: &'static str,
    driver: &'static str,
    /// Joint before and joint after the driver.
    neighbours: (&'static str, &'static str),
    turns: &'static [Turn],
    kind: Kind,
    /// Words in the names of the joints around the driver that it moves.
    moves: &'static [&'static str],
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Swing,
    Hinge,
    Twist,
}

const fn plan(
    name: &'static str,
    driver: &'static str,
    neighbours: (&'static str, &'static str),
    kind: Kind,
    turns: &'static [Turn],
    moves: &'static [&'static str],
) -> Plan {
    Plan { name, driver, neighbours, turns, kind, moves }
}

const fn to(direction: [f64; 3], angle: f64) -> Turn {
    Turn::Towards(direction, angle)
}

const UP: [f64; 3] = [0.3, 1.0, 0.0];
const DOWN: [f64; 3] = [0.0, -1.0, 0.0];
const FRONT: [f64; 3] = [0.0, 0.0, 1.0];
const BACK: [f64; 3] = [0.0, 0.0, -1.0];
const OUT: [f64; 3] = [1.0, 0.0, 0.0];
const IN: [f64; 3] = [-1.0, -0.5, 0.3];

const CLAVICLE: (&str, &str) = ("spine_05", "upperarm_@");
const UPPERARM: (&str, &str) = ("clavicle_@", "lowerarm_@");
const LOWERARM: (&str, &str) = ("upperarm_@", "hand_@");
const HAND: (&str, &str) = ("lowerarm_@", "middle_01_@");
const THIGH: (&str, &str) = ("pelvis", "calf_@");
const CALF: (&str, &str) = ("thigh_@", "foot_@");
const FOOT: (&str, &str) = ("calf_@", "ball_@");

/// The solvers of arms and legs. Each has a rest pose as well; [`SHORT`] has one pose less.
const PLANS: [Plan; 21] = [
    plan(
        "clavicle_up_@",
        "clavicle_@",
        CLAVICLE,
        Kind::Swing,
        &[to(UP, 20.0), to(UP, 40.0)],
        &["clavicle_scap"],
    ),
    plan(
        "clavicle_fwd_@",
        "clavicle_@",
        CLAVICLE,
        Kind::Swing,
        &[to(FRONT, 15.0), to(BACK, 15.0)],
        &["clavicle_pec"],
    ),
    plan(
        "upperarm_up_@",
        "upperarm_@",
        UPPERARM,
        Kind::Swing,
        &[to(UP, 45.0), to(UP, 90.0)],
        &["upperarm_out"],
    ),
    plan(
        "upperarm_fwd_@",
        "upperarm_@",
        UPPERARM,
        Kind::Swing,
        &[to(FRONT, 45.0), to(FRONT, 90.0)],
        &["upperarm_fwd"],
    ),
    plan(
        "upperarm_bck_@",
        "upperarm_@",
        UPPERARM,
        Kind::Swing,
        &[to(BACK, 30.0), to(BACK, 60.0)],
        &["upperarm_bck", "latissimus"],
    ),
    plan(
        "upperarm_in_@",
        "upperarm_@",
        UPPERARM,
        Kind::Swing,
        &[to(IN, 20.0), to(IN, 40.0)],
        &["upperarm_in"],
    ),
    plan(
        "upperarm_down_@",
        "upperarm_@",
        UPPERARM,
        Kind::Swing,
        &[to(DOWN, 20.0), to(DOWN, 40.0)],
        &["clavicle_out"],
    ),
    plan(
        "lowerarm_bend_@",
        "lowerarm_@",
        LOWERARM,
        Kind::Hinge,
        &[Turn::Hinge(45.0), Turn::Hinge(90.0)],
        &["lowerarm_in", "lowerarm_out", "upperarm_bicep", "upperarm_tricep"],
    ),
    plan(
        "lowerarm_full_@",
        "lowerarm_@",
        LOWERARM,
        Kind::Hinge,
        &[Turn::Hinge(110.0), Turn::Hinge(140.0)],
        &["lowerarm_fwd", "lowerarm_bck"],
    ),
    plan(
        "lowerarm_twist_@",
        "lowerarm_@",
        LOWERARM,
        Kind::Twist,
        &[Turn::Twist(60.0), Turn::Twist(-60.0)],
        &["upperarm_twistCor"],
    ),
    plan(
        "hand_twist_@",
        "hand_@",
        HAND,
        Kind::Twist,
        &[Turn::Twist(70.0), Turn::Twist(-70.0)],
        &["wrist_inner"],
    ),
    plan("hand_flex_@", "hand_@", HAND, Kind::Swing, &[to(DOWN, 40.0), to(UP, 40.0)], &["wrist_outer"]),
    plan(
        "hand_side_@",
        "hand_@",
        HAND,
        Kind::Swing,
        &[to(FRONT, 20.0), to(BACK, 20.0)],
        &["metacarpal_slide"],
    ),
    plan("thigh_fwd_@", "thigh_@", THIGH, Kind::Swing, &[to(FRONT, 45.0), to(FRONT, 90.0)], &["thigh_fwd"]),
    plan("thigh_bck_@", "thigh_@", THIGH, Kind::Swing, &[to(BACK, 20.0), to(BACK, 40.0)], &["thigh_bck"]),
    plan("thigh_out_@", "thigh_@", THIGH, Kind::Swing, &[to(OUT, 30.0), to(OUT, 60.0)], &["thigh_out"]),
    plan(
        "thigh_in_@",
        "thigh_@",
        THIGH,
        Kind::Swing,
        &[to(IN, 15.0), to(IN, 30.0)],
        &["thigh_in", "thigh_twistCor"],
    ),
    plan("calf_bend_@", "calf_@", CALF, Kind::Hinge, &[Turn::Hinge(45.0), Turn::Hinge(90.0)], &["calf_knee"]),
    plan(
        "calf_full_@",
        "calf_@",
        CALF,
        Kind::Hinge,
        &[Turn::Hinge(110.0), Turn::Hinge(140.0)],
        &["calf_twistCor"],
    ),
    plan("foot_flex_@", "foot_@", FOOT, Kind::Swing, &[to(UP, 25.0), to(DOWN, 35.0)], &["ankle_fwd"]),
    plan("foot_side_@", "foot_@", FOOT, Kind::Swing, &[to(OUT, 15.0), to(IN, 15.0)], &["ankle_bck"]),
];

/// This one solver has one pose less, so that there are as many as in a MetaHuman's body.
const SHORT: &str = "clavicle_fwd_r";

const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "pinky"];
/// Bends of the joints of a finger.
const BENDS: [Turn; 2] = [Turn::Hinge(45.0), Turn::Hinge(90.0)];

/// Poses of a solver reach so far, degrees.
const RADIUS_DEG: f32 = 50.0;
/// Finest LODs that have the solvers of the limbs, and those of the fingers.
const LIMB_LODS: usize = 3;
const FINGER_LODS: usize = 2;
/// A joint around a driver moves out by so much in a turn of 90 degrees, as a share of its distance.
const MOVE_SHARE: f64 = 0.25;
/// Joints at a driver take this share of its turn back.
const HALF: f64 = -0.5;

/// Makes the body.
pub(crate) fn body_dna(skeleton: &PartSkeleton, lods: &Lods) -> Result<Dna, SynthError> {
    let mut dna = Dna {
        descriptor: descriptor("FullSizeBody", DB_NAME, lods.meshes.len() as u16),
        ..Dna::new(FileVersion { generation: 2, version: 5 })
    };
    set_skeleton(&mut dna.definition, skeleton, lods);
    let mut drivers: Vec<&str> = Vec::new();
    for plan in &PLANS {
        if !drivers.contains(&plan.driver) {
            drivers.push(plan.driver);
        }
    }
    let fingers: Vec<String> =
        FINGERS.iter().flat_map(|finger| (1..=3).map(move |at| format!("{finger}_0{at}_@"))).collect();
    drivers.extend(fingers.iter().map(String::as_str));
    for side in SIDES {
        for driver in &drivers {
            push_driver(&mut dna, &driver.replace('@', side));
        }
    }
    let mut followers = Vec::new();
    for limb in &LIMBS {
        for side in SIDES {
            let driver = Driver::new(skeleton, limb, side)?;
            let of_driver: Vec<(u16, Follow)> =
                driver.followers.iter().map(|&(joint, follow)| (joint as u16, follow)).collect();
            push_followers(&mut dna, &skeleton.names[driver.joint], driver.axis as u16, &of_driver);
            followers.extend(driver.followers.iter().map(|(joint, _)| *joint));
        }
    }

    let mut made =
        Made { skeleton, dna: &mut dna, solvers: Vec::new(), lod_counts: Vec::new(), groups: Vec::new() };
    for side in SIDES {
        for plan in &PLANS {
            made.limb(plan, side)?;
        }
        for finger in FINGERS {
            for at in 1..=3 {
                made.finger(finger, at, side)?;
            }
        }
    }
    let Made { solvers, lod_counts, groups, .. } = made;
    push_solvers(&mut dna, &solvers);
    let lod_count = lods.meshes.len();
    dna.rbf_behavior.lod_solver_mapping = rows_per_lod((0..lod_count).map(|lod| {
        let solvers = lod_counts.iter().enumerate().filter(|&(_, &count)| count > lod);
        solvers.map(|(solver, _)| solver as u16).collect()
    }));
    let first = dna.definition.raw_control_names.len();
    let one_block = vec![0; skeleton.names.len()];
    for of_solver in &groups {
        let columns: Vec<Column<'_>> = of_solver
            .iter()
            .map(|(pose, deltas)| Column { control: (first + pose) as u16, deltas })
            .collect();
        let made = joint_groups(&columns, &one_block, &lods.lod_count_of_joint, lod_count);
        dna.behavior.joints.joint_groups.extend(made);
    }
    dna.behavior.joints.row_count = (skeleton.names.len() * 9) as u16;
    dna.behavior.joints.col_count = groups.iter().map(Vec::len).sum::<usize>() as u16;
    dna.behavior.blend_shape_channels.lods = vec![0; lod_count];
    dna.behavior.animated_maps.lods = vec![0; lod_count];
    dna.geometry.meshes = lods.meshes.iter().flatten().map(|mesh| dna_mesh(mesh, Vec::new())).collect();
    Ok(dna)
}

/// Solvers and what their poses do, so far.
struct Made<'a> {
    skeleton: &'a PartSkeleton,
    dna: &'a mut Dna,
    solvers: Vec<Solver>,
    lod_counts: Vec<usize>,
    /// Per solver its poses' controls and what they do.
    groups: Vec<Vec<(usize, JointDeltas)>>,
}

impl Made<'_> {
    fn limb(&mut self, plan: &Plan, side: &str) -> Result<(), SynthError> {
        let name = plan.name.replace('@', side);
        let bones = [plan.neighbours.0, plan.driver, plan.neighbours.1];
        let bones = [
            find(self.skeleton, bones[0], side)?,
            find(self.skeleton, bones[1], side)?,
            find(self.skeleton, bones[2], side)?,
        ];
        let end = format!("_{side}");
        let names = self.skeleton.names.iter().enumerate();
        let moved: Vec<usize> = names
            .filter(|(_, name)| name.ends_with(&end) && plan.moves.iter().any(|word| name.contains(word)))
            .map(|(joint, _)| joint)
            .collect();
        let turns = if name == SHORT { &plan.turns[..1] } else { plan.turns };
        self.solver(name, bones, (turns, plan.kind, side == "r"), &moved, LIMB_LODS);
        Ok(())
    }

    fn finger(&mut self, finger: &str, at: usize, side: &str) -> Result<(), SynthError> {
        let joint = |name: String| find(self.skeleton, &name, side);
        let driver = joint(format!("{finger}_0{at}_@"))?;
        let before = match (finger, at) {
            ("thumb", 1) => joint("hand_@".to_owned())?,
            (_, 1) => joint(format!("{finger}_metacarpal_@"))?,
            _ => joint(format!("{finger}_0{}_@", at - 1))?,
        };
        let has_parent = |child: usize| self.skeleton.parents[child] == Some(driver);
        let moved: Vec<usize> = (0..self.skeleton.names.len())
            .filter(|&child| has_parent(child) && self.skeleton.names[child].matches('_').count() > 2)
            .collect();
        // The last joint has no bone after it: the one before it goes on.
        let bones = if at == 3 {
            [before, driver, driver]
        } else {
            [before, driver, joint(format!("{finger}_0{}_@", at + 1))?]
        };
        let name = format!("{finger}_0{at}_bend_{side}");
        self.solver(name, bones, (&BENDS, Kind::Hinge, side == "r"), &moved, FINGER_LODS);
        Ok(())
    }

    fn solver(
        &mut self,
        name: String,
        bones: [usize; 3],
        (turns, kind, is_right): (&[Turn], Kind, bool),
        moved: &[usize],
        lod_count: usize,
    ) {
        let driver = bones[1];
        let axis = bone_axis(self.skeleton, driver);
        let mut poses = Vec::new();
        let mut of_solver = Vec::new();
        let all = std::iter::once(None).chain(turns.iter().map(Some));
        for (number, turn) in all.enumerate() {
            let name = if number == 0 { format!("{name}_default") } else { format!("{name}_{number}") };
            let control = self.dna.rbf_behavior_ext.pose_control_names.len();
            self.dna.rbf_behavior_ext.pose_control_names.push(name.as_str().into());
            let rotation =
                turn.map_or_else(UnitQuaternion::identity, |turn| self.turn(turn, bones, axis, is_right));
            poses.push(Pose { name, turns: vec![rotation], outputs: vec![(control, 1.0)] });
            if turn.is_some() {
                of_solver.push((control, self.deltas(driver, &rotation, moved)));
            }
        }
        self.solvers.push(Solver {
            name,
            joints: vec![self.skeleton.names[driver].clone()],
            poses,
            solver_type: if lod_count == FINGER_LODS { rbf::ADDITIVE } else { rbf::INTERPOLATIVE },
            distance_method: match kind {
                Kind::Swing => rbf::SWING_ANGLE,
                Kind::Hinge => rbf::QUATERNION,
                Kind::Twist => rbf::TWIST_ANGLE,
            },
            function_type: if lod_count == FINGER_LODS { rbf::LINEAR } else { rbf::GAUSSIAN },
            radius_deg: Some(if lod_count == FINGER_LODS { 45.0 } else { RADIUS_DEG }),
            twist_axis: axis as u16,
        });
        self.lod_counts.push(lod_count);
        self.groups.push(of_solver);
    }

    fn turn(&self, turn: &Turn, bones: [usize; 3], axis: usize, is_right: bool) -> UnitQuaternion<f64> {
        let position = |joint: usize| self.skeleton.world_from_joint[joint].translation.vector;
        let [before, driver, after] = bones;
        let (first, second) = (position(driver) - position(before), position(after) - position(driver));
        let is_straight = first.cross(&second).norm() <= 0.02 * first.norm() * second.norm().max(1e-9);
        if let (Turn::Hinge(angle), true) = (turn, is_straight) {
            // Fingers bend down: about the axis that is square to the bone and to up.
            let hinge = Vector3::y().cross(&first);
            let turn = UnitQuaternion::from_scaled_axis(hinge.normalize() * angle.to_radians());
            let own = self.skeleton.world_from_joint[driver].rotation;
            return own.inverse() * turn * own;
        }
        local_turn(self.skeleton, turn, bones, axis, is_right)
    }

    /// Joints around the driver move away from it, and those at it turn back by half.
    fn deltas(&self, driver: usize, turn: &UnitQuaternion<f64>, moved: &[usize]) -> JointDeltas {
        let mut deltas = JointDeltas::zero(self.skeleton.names.len());
        let centre = self.skeleton.world_from_joint[driver];
        let world = centre.rotation * turn * centre.rotation.inverse();
        let amount = turn.angle() / std::f64::consts::FRAC_PI_2;
        for &joint in moved {
            let rest = self.skeleton.world_from_joint[joint];
            let arm = rest.translation.vector - centre.translation.vector;
            let delta = &mut deltas.0[joint];
            if arm.norm() < 0.1 {
                let back = rest.rotation.inverse() * world.powf(HALF) * rest.rotation;
                let (x, y, z) = back.euler_angles();
                for (axis, angle) in [x, y, z].into_iter().enumerate() {
                    delta[3 + axis] = clean(angle.to_degrees());
                }
                continue;
            }
            let parent =
                self.skeleton.parents[joint].map(|parent| self.skeleton.world_from_joint[parent].rotation);
            // No farther than what a limb bulges.
            let shift = arm * (MOVE_SHARE * amount * (2.0 / arm.norm()).min(1.0));
            let shift = parent.map_or(shift, |parent| parent.inverse() * shift);
            for axis in 0..3 {
                delta[axis] = clean(shift[axis]);
            }
        }
        deltas
    }
}
