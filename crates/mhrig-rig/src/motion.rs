//! Proof that a rig moves right: at rest it is the neutral pose, and each control does something, without tearing.

use std::sync::Arc;

use mhrig_report::{Cancelled, Finding, Job, Severity};
use rayon::prelude::*;
use serde::Serialize;

use crate::{Deformer, Driver, EvaluationError, Instance, Rig, SkeletonPose};

/// A vertex that is farther from its neutral place than this has moved, cm.
pub const MOVED_CM: f64 = 1e-4;

/// How far a mesh is from its neutral pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshMotion {
    /// Name of the mesh.
    pub mesh: String,
    /// Its LOD.
    pub lod: usize,
    /// Number of its vertices.
    pub vertices: usize,
    /// Vertices that are more than [`MOVED_CM`] away from their neutral place.
    pub moved: usize,
    /// Largest distance, cm.
    pub max_cm: f64,
    /// Vertex of the largest distance.
    pub farthest: usize,
}

/// Why a check has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The job was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The rig cannot be evaluated.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// A rig with the meshes that it moves.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// What the controls do.
    pub rig: &'a Arc<Rig>,
    /// What the joints and channels move.
    pub deformer: &'a Deformer,
}

impl Moving<'_> {
    /// An instance with all raw controls at zero and drivers without rotation, settled: evaluated until values that
    /// are read a frame late have arrived.
    ///
    /// # Errors
    /// When the rig cannot be evaluated.
    pub fn at_rest(&self, lod: usize) -> Result<Instance, EvaluationError> {
        let mut instance = Instance::new(Arc::clone(self.rig));
        instance.set_lod(lod)?;
        instance.set_drivers_to_rest()?;
        instance.settle()?;
        Ok(instance)
    }

    /// How far the meshes of the instance's LOD are from their neutral pose.
    pub fn motion(&self, instance: &Instance) -> Vec<MeshMotion> {
        let lod = instance.lod();
        let deformed = self.deformer.deform_lod(lod, instance).into_iter();
        deformed.map(|(mesh, positions)| self.mesh_motion(lod, mesh, &positions)).collect()
    }

    fn mesh_motion(&self, lod: usize, mesh: usize, positions: &[[f32; 3]]) -> MeshMotion {
        self.deformer.mesh_motion(lod, mesh, positions)
    }

    /// Zero controls: every mesh of every LOD has to be where the neutral pose has it.
    ///
    /// # Errors
    /// When the rig cannot be evaluated.
    pub fn check_rest(&self) -> Result<Vec<MeshMotion>, EvaluationError> {
        let mut motions = Vec::new();
        for lod in 0..self.rig.lod_count().min(self.deformer.lod_count()) {
            motions.extend(self.motion(&self.at_rest(lod)?));
        }
        Ok(motions)
    }

    /// The control that opens the jaw, fully on, at LOD 0: what it moves, and how far. `None` when the rig has no
    /// control of that name.
    ///
    /// # Errors
    /// When the rig cannot be evaluated.
    pub fn check_jaw_open(&self) -> Result<Option<Vec<MeshMotion>>, EvaluationError> {
        let Ok(control) = self.rig.raw_control("jawOpen") else { return Ok(None) };
        let mut instance = self.at_rest(0)?;
        instance.set_raw_control(control, 1.0)?;
        instance.settle()?;
        Ok(Some(self.motion(&instance)))
    }

    /// Every raw control at 1 by itself, at LOD 0; x, y and z of a driver quaternion as a turn of
    /// [`SWEEP_TURN_DEGREES`], its w not at all.
    ///
    /// # Errors
    /// When the job was asked to stop, or the rig cannot be evaluated.
    pub fn sweep(&self, job: &Job) -> Result<Vec<ControlMotion>, MotionError> {
        let drivers = self.rig.drivers();
        let rest = self.at_rest(0)?;
        let edges: Vec<Vec<Edge>> = self.deformer.meshes_of_lod(0).iter().map(|&m| self.edges(m)).collect();
        let controls: Vec<usize> = (0..self.rig.layout().raw_count)
            .filter(|&control| !drivers.iter().any(|driver| usize::from(driver.controls[3]) == control))
            .collect();
        job.progress.stage("sweep", controls.len());
        let evaluate = |sweeper: &mut Sweeper, control: usize| {
            job.check()?;
            let motion = sweeper.control(self, control, &drivers, &edges)?;
            job.progress.step();
            Ok(motion)
        };
        let new_sweeper = || Sweeper { rest: &rest, pose: self.deformer.skeleton().rest() };
        let motions: Vec<Result<ControlMotion, MotionError>> =
            controls.into_par_iter().map_init(new_sweeper, evaluate).collect();
        motions.into_iter().collect()
    }

    /// The edges of a mesh, each once, with their neutral lengths.
    fn edges(&self, mesh: usize) -> Vec<Edge> {
        let positions = self.deformer.neutral_positions(mesh);
        let faces = self.deformer.meshes()[mesh].faces();
        let corners = faces.iter().flat_map(|face| {
            let next = |i: usize| face[(i + 1) % face.len()];
            face.iter().enumerate().map(move |(i, &corner)| (corner.min(next(i)), corner.max(next(i))))
        });
        let mut pairs: Vec<(u32, u32)> = corners.collect();
        pairs.sort_unstable();
        pairs.dedup();
        let length = |a: u32, b: u32| distance(&positions[a as usize], &positions[b as usize]);
        pairs.into_iter().map(|(a, b)| Edge { ends: [a, b], neutral_cm: length(a, b) }).collect()
    }
}

impl Deformer {
    /// How far `positions` of mesh `mesh`, which belongs to LOD `lod`, are from its neutral pose.
    ///
    /// # Panics
    /// When there is no such mesh.
    pub fn mesh_motion(&self, lod: usize, mesh: usize, positions: &[[f32; 3]]) -> MeshMotion {
        let neutral = self.neutral_positions(mesh);
        let (mut moved, mut farthest, mut max_cm) = (0, 0, 0.0);
        for (vertex, (a, b)) in neutral.iter().zip(positions).enumerate() {
            let distance = distance(a, b);
            moved += usize::from(distance > MOVED_CM);
            if distance > max_cm {
                (farthest, max_cm) = (vertex, distance);
            }
        }
        let name = self.meshes()[mesh].name().to_owned();
        MeshMotion { mesh: name, lod, vertices: positions.len(), moved, max_cm, farthest }
    }
}

impl Instance {
    /// Evaluates until values that are read a frame late have arrived: a corrective of a corrective, a network that
    /// reads a corrective, and what reads those.
    ///
    /// # Errors
    /// As [`Instance::calculate`].
    pub fn settle(&mut self) -> Result<(), EvaluationError> {
        const FRAMES: usize = 4;
        for _ in 0..FRAMES {
            self.calculate()?;
        }
        Ok(())
    }
}

/// Turn of a driver about one axis in [`Moving::sweep`].
pub const SWEEP_TURN_DEGREES: f64 = 45.0;

#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [u32; 2],
    neutral_cm: f64,
}

/// What one raw control does by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControlMotion {
    /// Name of the control.
    pub control: String,
    /// Number of the driver quaternion that it is a component of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<usize>,
    /// Vertices that move, over all meshes.
    pub moved: usize,
    /// Largest displacement, cm.
    pub max_cm: f64,
    /// Joints with a delta other than at rest.
    pub joints: usize,
    /// Blend shape channels with another weight than at rest.
    pub channels: usize,
    /// Animated maps with another value than at rest.
    pub maps: usize,
    /// Per mesh that moves, its most stretched edge.
    pub stretches: Vec<Stretch>,
}

/// The edge of a mesh that a control stretches most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Name of the mesh.
    pub mesh: String,
    /// Ends of the edge.
    pub edge: [u32; 2],
    /// Its neutral length, cm.
    pub neutral_cm: f64,
    /// Its length, cm.
    pub length_cm: f64,
}

impl Stretch {
    /// Length over neutral length.
    pub fn ratio(&self) -> f64 {
        self.length_cm / self.neutral_cm.max(1e-6)
    }
}

struct Sweeper<'a> {
    rest: &'a Instance,
    pose: SkeletonPose,
}

impl Sweeper<'_> {
    fn control(
        &mut self,
        moving: &Moving,
        control: usize,
        drivers: &[Driver],
        edges: &[Vec<Edge>],
    ) -> Result<ControlMotion, EvaluationError> {
        let mut instance = self.rest.clone();
        let driver = drivers.iter().position(|d| d.controls[..3].contains(&(control as u16)));
        match driver.map(|number| &drivers[number]) {
            Some(driver) => {
                let (sin, cos) = (SWEEP_TURN_DEGREES.to_radians() / 2.0).sin_cos();
                let mut rotation = [0.0, 0.0, 0.0, cos as f32];
                for (component, &own) in rotation.iter_mut().zip(&driver.controls[..3]) {
                    *component = if usize::from(own) == control { sin as f32 } else { 0.0 };
                }
                instance.set_driver(driver, rotation)?;
            }
            None => instance.set_raw_control(control, 1.0)?,
        }
        instance.settle()?;
        moving.deformer.skeleton().update(&instance, &Default::default(), &mut self.pose);
        let stride = moving.rig.joint_stride();
        let differ = |(a, b): (&[f32], &[f32])| a != b;
        let count = |a: &[f32], b: &[f32]| a.iter().zip(b).filter(|(a, b)| a != b).count();
        let mut motion = ControlMotion {
            control: moving.rig.names().raw_controls[control].clone(),
            driver,
            moved: 0,
            max_cm: 0.0,
            joints: instance
                .joints()
                .chunks(stride)
                .zip(self.rest.joints().chunks(stride))
                .filter(|&p| differ(p))
                .count(),
            channels: count(instance.blend_shapes(), self.rest.blend_shapes()),
            maps: count(instance.animated_maps(), self.rest.animated_maps()),
            stretches: Vec::new(),
        };
        for (&mesh, edges) in moving.deformer.meshes_of_lod(0).iter().zip(edges) {
            let mut positions = vec![[0.0; 3]; moving.deformer.meshes()[mesh].vertex_count()];
            moving.deformer.deform(mesh, &self.pose, instance.blend_shapes(), &mut positions);
            let of_mesh = moving.mesh_motion(0, mesh, &positions);
            if of_mesh.moved == 0 {
                continue;
            }
            motion.moved += of_mesh.moved;
            motion.max_cm = motion.max_cm.max(of_mesh.max_cm);
            motion.stretches.extend(most_stretched(&of_mesh.mesh, edges, &positions));
        }
        Ok(motion)
    }
}

/// Edges shorter than this say nothing about tearing: lips and lids touch, cm.
const SHORT_EDGE_CM: f64 = 0.01;

fn most_stretched(mesh: &str, edges: &[Edge], positions: &[[f32; 3]]) -> Option<Stretch> {
    let mut worst: Option<(f64, Stretch)> = None;
    for edge in edges.iter().filter(|edge| edge.neutral_cm >= SHORT_EDGE_CM) {
        let [a, b] = edge.ends;
        let length_cm = distance(&positions[a as usize], &positions[b as usize]);
        let ratio = length_cm / edge.neutral_cm;
        if worst.as_ref().is_none_or(|(most, _)| ratio > *most) {
            let stretch =
                Stretch { mesh: mesh.to_owned(), edge: edge.ends, neutral_cm: edge.neutral_cm, length_cm };
            worst = Some((ratio, stretch));
        }
    }
    worst.map(|(_, stretch)| stretch)
}

/// An edge may stretch to this many times what the archetype's most stretched edge of the same mesh does under the
/// same control, before the mesh counts as torn.
pub const TEAR_FACTOR: f64 = 2.0;

/// What an edge may stretch to where there is no archetype to compare with.
pub const TEAR_RATIO: f64 = 6.0;

/// Says which controls of a sweep move nothing, and which tear a mesh: stretch an edge far more than the archetype
/// (`reference`, the sweep of its own rig) does with the same control, or beyond any measure where there is none.
pub fn judge_sweep(sweep: &[ControlMotion], reference: Option<&[ControlMotion]>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for motion in sweep {
        let of_reference = reference.and_then(|all| all.iter().find(|other| other.control == motion.control));
        // A joint's rotation drives what it drives; that need not depend on each of its components.
        let is_driver_used = motion.driver.is_some()
            && sweep.iter().any(|other| other.driver == motion.driver && other.moved > 0);
        let is_still = motion.moved == 0 && motion.maps == 0 && !is_driver_used;
        if is_still && of_reference.is_none_or(|other| other.moved > 0) {
            let message = match (motion.joints, motion.channels) {
                (0, 0) => "the control changes nothing",
                _ => "the control changes joints or channels, but no vertex moves",
            };
            let remedy = "remove the control, or check the joint groups and targets that it drives";
            let place = motion.control.clone();
            findings.push(Finding::new("CONTROL_MOVES_NOTHING", Severity::Warning, place, message, remedy));
        }
        for stretch in &motion.stretches {
            let own = of_reference.and_then(|other| other.stretches.iter().find(|s| s.mesh == stretch.mesh));
            let limit = own.map_or(TEAR_RATIO, |own| TEAR_FACTOR * own.ratio().max(1.0));
            if stretch.ratio() > limit {
                let [a, b] = stretch.edge;
                let place = format!("{}: {}: edge {a}-{b}", motion.control, stretch.mesh);
                let message = "the mesh tears: the control stretches an edge far more than it should";
                let remedy = "look at the skin weights and targets around these vertices";
                let expected = format!("at most {limit:.2} times its neutral length");
                let found = format!("{:.2} times ({:.3} cm)", stretch.ratio(), stretch.length_cm);
                let finding = Finding::new("MESH_TEARS", Severity::Warning, place, message, remedy);
                findings.push(finding.with_values(expected, found));
            }
        }
    }
    findings
}

/// Says which meshes are not at their neutral place in a [`Moving::check_rest`].
pub fn judge_rest(motions: &[MeshMotion]) -> Vec<Finding> {
    let moved = motions.iter().filter(|motion| motion.max_cm > MOVED_CM || motion.max_cm.is_nan());
    let finding = |motion: &MeshMotion| {
        let place = format!("{}: vertex {}", motion.mesh, motion.farthest);
        let message = "the mesh is not at its neutral place while all controls are zero";
        let remedy = "look for networks, RBF poses or joint values that act at rest";
        let finding = Finding::new("REST_POSE", Severity::Error, place, message, remedy);
        finding.with_values(format!("at most {MOVED_CM} cm away"), format!("{:.6} cm", motion.max_cm))
    };
    moved.map(finding).collect()
}

fn distance(a: &[f32; 3], b: &[f32; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2));
    squares.sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(control: &str, moved: usize, ratio: f64) -> ControlMotion {
        let stretch =
            Stretch { mesh: "head".to_owned(), edge: [1, 2], neutral_cm: 0.5, length_cm: 0.5 * ratio };
        ControlMotion {
            control: control.to_owned(),
            driver: None,
            moved,
            max_cm: 1.0,
            joints: 1,
            channels: 0,
            maps: 0,
            stretches: if moved > 0 { vec![stretch] } else { Vec::new() },
        }
    }

    fn codes(findings: &[Finding]) -> Vec<(&str, &str)> {
        findings.iter().map(|finding| (finding.code, finding.place.as_str())).collect()
    }

    #[test]
    fn a_control_that_moves_nothing_is_found() {
        let sweep = [motion("a", 5, 1.2), motion("b", 0, 1.0)];
        assert_eq!(codes(&judge_sweep(&sweep, None)), [("CONTROL_MOVES_NOTHING", "b")]);
        // The archetype's own control moves nothing either: the person is not to blame.
        assert_eq!(codes(&judge_sweep(&sweep, Some(&sweep))), []);
        assert_eq!(
            codes(&judge_sweep(&sweep, Some(&[motion("b", 3, 1.0)]))),
            [("CONTROL_MOVES_NOTHING", "b")]
        );
    }

    #[test]
    fn a_map_or_a_used_driver_is_enough() {
        let map = ControlMotion { maps: 1, ..motion("wrinkle", 0, 1.0) };
        let still = ControlMotion { driver: Some(0), ..motion("hand.qy", 0, 1.0) };
        let used = ControlMotion { driver: Some(0), ..motion("hand.qx", 9, 1.0) };
        assert_eq!(codes(&judge_sweep(&[map, still.clone(), used], None)), []);
        assert_eq!(codes(&judge_sweep(&[still], None)), [("CONTROL_MOVES_NOTHING", "hand.qy")]);
    }

    #[test]
    fn a_mesh_tears_when_it_stretches_far_more_than_the_archetypes() {
        let (torn, whole) = ([motion("a", 5, 4.1)], [motion("a", 5, 2.0)]);
        assert_eq!(codes(&judge_sweep(&torn, Some(&whole))), [("MESH_TEARS", "a: head: edge 1-2")]);
        assert_eq!(codes(&judge_sweep(&torn, Some(&torn))), []);
        assert_eq!(codes(&judge_sweep(&torn, None)), []);
        assert_eq!(codes(&judge_sweep(&[motion("a", 5, 7.0)], None)), [("MESH_TEARS", "a: head: edge 1-2")]);
    }

    #[test]
    fn a_mesh_that_is_not_at_rest_is_an_error() {
        let motion = |max_cm| MeshMotion {
            mesh: "head".to_owned(),
            lod: 0,
            vertices: 9,
            moved: 0,
            max_cm,
            farthest: 4,
        };
        assert!(judge_rest(&[motion(0.9e-4)]).is_empty());
        assert_eq!(codes(&judge_rest(&[motion(2e-4)])), [("REST_POSE", "head: vertex 4")]);
        assert_eq!(judge_rest(&[motion(f64::NAN)]).len(), 1);
    }
}
