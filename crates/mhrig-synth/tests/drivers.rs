//! Joints that drive others: the solvers know their poses, rest is rest, limbs keep their volume.
#![allow(clippy::expect_used)]

mod support;

use std::sync::Arc;

use mhrig_dna::Dna;
use mhrig_rig::{Instance, Neutral, Rig, RigOptions, RotationOutput};
use mhrig_synth::Orient;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use support::{human, made};

fn rig(dna: &Dna) -> Arc<Rig> {
    let options = RigOptions::default().with_rotation_output(RotationOutput::Quaternion);
    let rig = Rig::from_dna(dna, &options).expect("a rig");
    assert_eq!(rig.findings(), []);
    Arc::new(rig)
}

/// A part at work: driver joints turned, everything else as the rig says.
struct Driven<'a> {
    dna: &'a Dna,
    neutral: Neutral,
    instance: Instance,
}

impl<'a> Driven<'a> {
    fn new(dna: &'a Dna) -> Self {
        Self { dna, neutral: Neutral::from_dna(dna).expect("neutral"), instance: Instance::new(rig(dna)) }
    }

    fn set(&mut self, raw: &[(u16, f32)]) {
        let names = &self.dna.definition.raw_control_names;
        let mut values: Vec<f32> =
            names.iter().map(|name| if name.to_str().ends_with(".qw") { 1.0 } else { 0.0 }).collect();
        for (control, value) in raw {
            values[usize::from(*control)] = *value;
        }
        self.instance.set_raw_controls(&values).expect("set");
        self.instance.calculate().expect("calculated");
    }

    /// Sets the drivers of pose `pose` of solver `solver`.
    fn set_pose(&mut self, solver: usize, pose: usize) {
        let solver = &self.dna.rbf_behavior.solvers[solver];
        let count = solver.raw_control_indices.len();
        let values = &solver.raw_control_values[pose * count..(pose + 1) * count];
        let raw: Vec<(u16, f32)> =
            solver.raw_control_indices.iter().copied().zip(values.iter().copied()).collect();
        self.set(&raw);
    }

    /// World transforms of all joints, at rest and as driven, and scales as differences to 1.
    #[allow(clippy::type_complexity)]
    fn joints(
        &self,
        with_correctives: bool,
    ) -> (Vec<Isometry3<f64>>, Vec<Isometry3<f64>>, Vec<Vector3<f64>>) {
        let names = self.neutral.hierarchy.names();
        let raw = self.instance.raw_controls();
        let raw_names = &self.dna.definition.raw_control_names;
        let moved_by_groups: Vec<u16> = self
            .dna
            .behavior
            .joints
            .joint_groups
            .iter()
            .flat_map(|group| group.joint_indices.clone())
            .collect();
        let twists = &self.dna.twist_swing_behavior;
        let mut world: Vec<Isometry3<f64>> = Vec::new();
        let mut rest: Vec<Isometry3<f64>> = Vec::new();
        let mut scales = Vec::new();
        for (joint, name) in names.iter().enumerate() {
            let output: [f32; 10] =
                self.instance.joints()[joint * 10..joint * 10 + 10].try_into().expect("ten");
            let output = output.map(f64::from);
            let driver = format!("{name}.qx");
            let driver = raw_names.iter().position(|known| *known == *driver);
            let follows = twists.twists.iter().chain(&twists.swings);
            let follows = follows.flat_map(|t| &t.output_joint_indices).any(|&j| usize::from(j) == joint);
            let by_groups = moved_by_groups.contains(&(joint as u16)) && with_correctives;
            let turn = match driver {
                Some(at) => Quaternion::new(raw[at + 3], raw[at], raw[at + 1], raw[at + 2]).cast::<f64>(),
                None if follows || by_groups => Quaternion::new(output[6], output[3], output[4], output[5]),
                None => Quaternion::identity(),
            };
            let shift =
                if by_groups { Vector3::new(output[0], output[1], output[2]) } else { Vector3::zeros() };
            scales.push(if by_groups {
                Vector3::new(output[7], output[8], output[9])
            } else {
                Vector3::zeros()
            });
            let neutral = Isometry3::from_parts(
                Translation3::from(self.neutral.pose.translations[joint] + shift),
                UnitQuaternion::from_rotation_matrix(&self.neutral.pose.rotations[joint])
                    * UnitQuaternion::from_quaternion(turn),
            );
            let at_rest = Isometry3::from_parts(
                Translation3::from(self.neutral.pose.translations[joint]),
                UnitQuaternion::from_rotation_matrix(&self.neutral.pose.rotations[joint]),
            );
            let parent = self.neutral.hierarchy.parents()[joint];
            let above =
                |of: &[Isometry3<f64>]| parent.map_or(Isometry3::identity(), |parent| of[parent.index()]);
            let (posed, at_rest) = (above(&world) * neutral, above(&rest) * at_rest);
            world.push(posed);
            rest.push(at_rest);
        }
        (rest, world, scales)
    }

    /// Where a joint is, at rest and as driven.
    fn positions(&self, name: &str) -> (Vector3<f64>, Vector3<f64>) {
        let joint = self.neutral.hierarchy.find(name).expect("a joint").index();
        let (rest, world, _) = self.joints(true);
        (rest[joint].translation.vector, world[joint].translation.vector)
    }

    /// LOD 0 positions.
    fn deform(&self, blending: Blending) -> Vec<Vec<Vector3<f64>>> {
        let with_correctives = blending == Blending::LinearWithCorrectives;
        let (rest, world, scales) = self.joints(with_correctives);
        let weights = self.instance.blend_shapes();
        let of_lod_0 = self.dna.definition.lod_mesh_mapping.members(0).iter();
        of_lod_0
            .map(|&mesh| {
                let mesh = &self.dna.geometry.meshes[usize::from(mesh)];
                let mut positions: Vec<Vector3<f64>> =
                    mesh.positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
                if with_correctives {
                    for target in &mesh.blend_shape_targets {
                        let weight = f64::from(weights[usize::from(target.blend_shape_channel_index)]);
                        for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
                            positions[vertex as usize] += Vector3::from(delta.map(f64::from)) * weight;
                        }
                    }
                }
                let vertices = positions.iter().zip(&mesh.skin_weights);
                vertices
                    .map(|(position, skin)| {
                        let influences = skin.joint_indices.iter().zip(&skin.weights);
                        if blending == Blending::DualQuaternions {
                            let transform = |joint: usize| world[joint] * rest[joint].inverse();
                            let influences =
                                influences.map(|(&j, &w)| (transform(usize::from(j)), f64::from(w)));
                            return dual_quaternion_blend(influences, *position);
                        }
                        let parts = influences.map(|(&joint, &weight)| {
                            let joint = usize::from(joint);
                            let local = rest[joint].inverse_transform_point(&(*position).into());
                            let local = local.coords.component_mul(&(Vector3::repeat(1.0) + scales[joint]));
                            world[joint].transform_point(&local.into()).coords * f64::from(weight)
                        });
                        parts.sum::<Vector3<f64>>()
                    })
                    .collect()
            })
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Blending {
    Linear,
    LinearWithCorrectives,
    DualQuaternions,
}

/// Kavan et al. 2008: the blend that keeps volume.
fn dual_quaternion_blend(
    influences: impl Iterator<Item = (Isometry3<f64>, f64)>,
    position: Vector3<f64>,
) -> Vector3<f64> {
    let zero = Quaternion::new(0.0, 0.0, 0.0, 0.0);
    let (mut real, mut dual, mut first) = (zero, zero, None);
    for (transform, weight) in influences {
        let rotation = *transform.rotation.quaternion();
        let side = first.get_or_insert(rotation).dot(&rotation).signum();
        real += rotation * (weight * side);
        dual += Quaternion::from_imag(transform.translation.vector) * rotation * (0.5 * weight * side);
    }
    let length = real.norm();
    let shift = (dual * real.conjugate()).imag() * (2.0 / (length * length));
    UnitQuaternion::from_quaternion(real) * position + shift
}

fn rms(a: &[Vec<Vector3<f64>>], b: &[Vec<Vector3<f64>>]) -> f64 {
    let squares = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).norm_squared());
    squares.sum::<f64>().sqrt()
}

#[test]
fn every_solver_knows_its_poses() {
    for orient in [Orient::Bone, Orient::None] {
        let archetype = made(orient);
        let (head, body) = (rig(&archetype.head), rig(&archetype.body));
        assert_eq!((head.rbf_solvers().len(), body.rbf_solvers().len()), (1, 10));
        for weight in head.rbf_pose_weights().into_iter().chain(body.rbf_pose_weights()) {
            assert!(weight.is_recognized(), "{orient:?} {weight:?}");
        }
        let types: Vec<u16> = archetype.body.rbf_behavior.solvers.iter().map(|s| s.solver_type).collect();
        assert!(types.contains(&0) && types.contains(&1));
    }
}

#[test]
fn parts_at_rest_do_not_move() {
    for orient in [Orient::Bone, Orient::None] {
        for dna in [&made(orient).head, &made(orient).body] {
            let mut driven = Driven::new(dna);
            driven.set(&[]);
            for (at, value) in driven.instance.joints().iter().enumerate() {
                let expected = if at % 10 == 6 { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-6, "{orient:?} joint output {at}: {value}");
            }
            assert!(driven.instance.blend_shapes().iter().all(|&weight| weight == 0.0));
            assert!(driven.instance.animated_maps().iter().all(|&map| map == 0.0));
        }
    }
}

#[test]
fn correctives_bring_bent_limbs_closer_to_the_blend_that_keeps_volume() {
    for orient in [Orient::Bone, Orient::None] {
        let body = &made(orient).body;
        let mut driven = Driven::new(body);
        for (solver, record) in body.rbf_behavior.solvers.iter().enumerate() {
            let is_twist = record.distance_method == 3;
            if is_twist && orient == Orient::None {
                // No axis of an unturned joint is its bone's.
                continue;
            }
            let mut best = 1.0f64;
            for (pose, &number) in record.pose_indices.iter().enumerate().skip(1) {
                driven.set_pose(solver, pose);
                let name = &body.rbf_behavior.poses[usize::from(number)].name;
                let wanted = driven.deform(Blending::DualQuaternions);
                let without = rms(&driven.deform(Blending::Linear), &wanted);
                let with = rms(&driven.deform(Blending::LinearWithCorrectives), &wanted);
                assert!(with < without, "{orient:?} {name}: {with} with, {without} without correctives");
                best = best.min(with / without);
            }
            let name = record.name.to_str().into_owned();
            let least = if name.starts_with("shoulder") { 0.85 } else { 1.0 };
            assert!(is_twist || best < least, "{orient:?} {name}: only {best}");
        }
    }
}

#[test]
fn a_turned_head_gets_the_volume_back_and_stays_on_its_neck() {
    let (head, body) = (&made(Orient::Bone).head, &made(Orient::Bone).body);
    let mut driven = Driven::new(head);
    let body_names = &body.definition.raw_control_names;
    assert!(
        body_names.iter().all(|name| !name.to_str().starts_with("neck")),
        "the body has no shapes for it"
    );
    let solver = &head.rbf_behavior.solvers[0];
    for (pose, &number) in solver.pose_indices.iter().enumerate().skip(1) {
        driven.set_pose(0, pose);
        let name = head.rbf_behavior.poses[usize::from(number)].name.to_str().into_owned();
        let wanted = driven.deform(Blending::DualQuaternions);
        let plain = driven.deform(Blending::Linear);
        let corrected = driven.deform(Blending::LinearWithCorrectives);
        let (with, without) = (rms(&corrected, &wanted), rms(&plain, &wanted));
        // Half poses get half of what the full pose needs, which grows with the square of the angle.
        let is_half = pose % 2 == 1;
        assert!(with < without * if is_half { 1.0 } else { 0.5 }, "{name}: {with} with, {without} without");
        for pair in &human().seam {
            let vertex = pair.head_vertex as usize;
            let moved = (corrected[0][vertex] - plain[0][vertex]).norm();
            // Blend shapes cancel what joints do to the seam; at half turns the joints stand elsewhere.
            let limit = if is_half { 1e-2 } else { 1e-3 };
            assert!(moved < limit, "{name}: seam vertex {vertex} is moved by {moved} cm");
        }
    }
}

#[test]
fn limbs_twist_by_thirds() {
    let body = &made(Orient::Bone).body;
    let mut driven = Driven::new(body);
    let joint = |name: &str| driven.neutral.hierarchy.find(name).expect("a joint").index();
    let (first, second) = (joint("lowerarm_twist_02_l"), joint("lowerarm_twist_01_l"));
    let names = &body.definition.raw_control_names;
    let hand = names.iter().position(|name| *name == "hand_l.qx").expect("a driver") as u16;
    let angle = 60f64.to_radians();
    let half = angle / 2.0;
    driven.set(&[(hand, half.sin() as f32), (hand + 3, half.cos() as f32)]);
    let turned = |joint: usize| {
        let output = &driven.instance.joints()[joint * 10 + 3..joint * 10 + 7];
        2.0 * f64::from(output[0]).atan2(f64::from(output[3]))
    };
    assert!((turned(first) - angle / 3.0).abs() < 1e-5);
    assert!((turned(second) - angle * 2.0 / 3.0).abs() < 1e-5);
}

#[test]
fn poses_are_what_they_are_called() {
    for orient in [Orient::Bone, Orient::None] {
        let archetype = made(orient);
        let directions = [
            ("shoulder_l_up_90", "hand_l", [0.0, 40.0, 0.0]),
            ("shoulder_r_up_90", "hand_r", [0.0, 40.0, 0.0]),
            ("shoulder_l_forward_60", "hand_l", [0.0, 0.0, 20.0]),
            ("shoulder_r_back_40", "hand_r", [0.0, 0.0, -20.0]),
            ("shoulder_l_in_30", "hand_l", [-10.0, 0.0, 0.0]),
            ("shoulder_r_in_30", "hand_r", [10.0, 0.0, 0.0]),
            ("elbow_l_bent_90", "hand_l", [0.0, 10.0, 0.0]),
            ("hip_r_forward_90", "calf_r", [0.0, 30.0, 30.0]),
            ("hip_l_back_30", "calf_l", [0.0, 0.0, -10.0]),
            ("hip_l_out_45", "calf_l", [20.0, 0.0, 0.0]),
            ("hip_r_out_45", "calf_r", [-20.0, 0.0, 0.0]),
            ("knee_l_bent_90", "foot_l", [0.0, 30.0, -30.0]),
            ("knee_r_bent_135", "foot_r", [0.0, 50.0, -20.0]),
            ("headTurnUp_40", "FACIAL_C_NoseTip", [0.0, 5.0, 0.0]),
            ("headTurnDown_40", "FACIAL_C_NoseTip", [0.0, -5.0, 0.0]),
            ("headTurnLeft_60", "FACIAL_C_NoseTip", [5.0, 0.0, 0.0]),
            ("headTurnRight_60", "FACIAL_C_NoseTip", [-5.0, 0.0, 0.0]),
            ("headTiltLeft_36", "FACIAL_C_Skull", [3.0, 0.0, 0.0]),
            ("headTiltRight_36", "FACIAL_C_Skull", [-3.0, 0.0, 0.0]),
        ];
        let (mut head, mut body) = (Driven::new(&archetype.head), Driven::new(&archetype.body));
        for (pose, joint, least) in directions {
            let driven = if pose.starts_with("head") { &mut head } else { &mut body };
            let poses = &driven.dna.rbf_behavior.poses;
            let number = poses.iter().position(|known| known.name == pose).expect("a pose") as u16;
            let solvers = driven.dna.rbf_behavior.solvers.iter().enumerate();
            let place = |(solver, record): (usize, &mhrig_dna::RbfSolver)| {
                Some((solver, record.pose_indices.iter().position(|&known| known == number)?))
            };
            let (solver, at) = solvers.filter_map(place).next().expect("a solver");
            driven.set_pose(solver, at);
            let (rest, posed) = driven.positions(joint);
            for axis in 0..3 {
                let moved = posed[axis] - rest[axis];
                let enough = if least[axis] < 0.0 { moved < least[axis] } else { moved > least[axis] };
                assert!(
                    least[axis] == 0.0 || enough,
                    "{orient:?} {pose}: {joint} moves {moved} along axis {axis}"
                );
            }
        }
    }
}
