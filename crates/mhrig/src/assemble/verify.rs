//! Proof that an assembled rig moves as its DNA files say: the description is evaluated and compared with `mhrig-rig`.

use std::collections::BTreeMap;
use std::sync::Arc;

use mhrig_report::{Finding, Job, Refused, Severity};
use mhrig_rig::MOVED_CM;
use mhrig_scene::{Plug, UpAxis};
use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;

use super::describe::Described;
use super::evaluate::{Evaluator, SceneEvaluationError, ScenePose, SceneSettings};
use super::input::{RigPart, Turn};
use super::names::{Namespace, long_attribute};
use super::rig_logic::split_name;
use super::seam::{SEAM_TOLERANCE_CM, angle_deg, distance, unit};
use crate::posing::{PartPose, Settings};
use crate::report::Stop;

/// How far a vertex of the assembled rig may be from where `mhrig-rig` has it, cm.
pub const AGREEMENT_CM: f64 = 1e-3;
/// How many settings of controls are compared, besides rest.
const SETTINGS: usize = 20;
/// Turns of driver joints in settings, degrees at most.
const TURN_DEG: f64 = 20.0;

/// What the comparison found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Settings of controls that were compared, besides rest.
    pub settings: usize,
    /// Vertices that were compared in each of them.
    pub vertices: usize,
    /// Largest distance of any vertex of any mesh at rest from the neutral pose, cm.
    pub rest_max_cm: f64,
    /// Largest difference of any vertex in any setting, cm.
    pub max_cm: f64,
    /// Every mesh with its largest difference.
    pub meshes: Vec<MeshAgreement>,
    /// What the slider that opens the jaw moves; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jaw_open: Option<JawOpen>,
    /// Widest gap of the seam in any setting, cm.
    pub seam_gap_cm: f64,
    /// Largest angle between the normals of the two sides of the seam in any setting, degrees.
    pub seam_angle_deg: f64,
    /// The seam of each LOD of the head in the setting that opens it most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seam: Vec<SeamMotion>,
}

/// How far the seam of one LOD of the head opens when the character moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeamMotion {
    /// LOD of the head.
    pub head_lod: usize,
    /// Widest gap, cm.
    pub gap_cm: f64,
    /// The setting in which it is widest; 0 is rest.
    pub setting: usize,
    /// Largest angle between the normals of the two sides in any setting, degrees.
    pub angle_deg: f64,
}

/// How far a mesh of the assembled rig is from where `mhrig-rig` has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshAgreement {
    /// Its name.
    pub mesh: String,
    /// Its LOD.
    pub lod: usize,
    /// Largest difference of a vertex, cm.
    pub max_cm: f64,
    /// The setting in which it is largest; 0 is rest.
    pub setting: usize,
}

/// What an open jaw moves in the mesh that it moves most of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JawOpen {
    /// The slider, such as `CTRL_C_jaw.translateY`.
    pub control: String,
    /// The mesh.
    pub mesh: String,
    /// Its vertices.
    pub vertices: usize,
    /// Vertices that move.
    pub moved: usize,
    /// How far the farthest moves, cm.
    pub max_cm: f64,
}

/// One setting: words for the reference, values for the scene.
#[derive(Clone, Debug, Default)]
struct Setting {
    words: Vec<String>,
    values: Vec<(Plug, f64)>,
}

impl Setting {
    fn set(&mut self, namespace: &Namespace, name: &str, value: f32) {
        let Some((object, attribute)) = split_name(name) else { return };
        self.words.push(format!("{name}={value}"));
        self.values.push((Plug::new(namespace.of(object), long_attribute(attribute)), f64::from(value)));
    }

    /// Whether a value is set for this name.
    fn has(&self, name: &str) -> bool {
        let mut names = self.words.iter().filter_map(|word| word.rsplit_once('='));
        names.any(|(own, _)| own == name)
    }

    fn moves_any(&self, sliders: &[(String, f32, f32)]) -> bool {
        sliders.iter().any(|(name, ..)| self.has(name))
    }
}

/// Compares a description with the files that it was made from.
pub(super) fn verify(
    described: &Described,
    parts: &[RigPart],
    namespace: &Namespace,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<Verification, Stop> {
    let scene = &described.scene;
    let rigs: Vec<_> = parts.iter().filter_map(|part| part.rig().map(Arc::clone)).collect();
    let evaluator = Evaluator::new(scene, rigs);
    let (jaw, settings) = settings(parts, namespace);
    let compare = Compare { described, parts, evaluator: &evaluator };
    job.progress.stage("verify", settings.len());
    let results: Vec<Result<Compared, Stop>> = settings
        .par_iter()
        .map(|setting| {
            job.check()?;
            let compared = compare.run(setting, 0)?;
            job.progress.step();
            Ok(compared)
        })
        .collect();
    let results = results.into_iter().collect::<Result<Vec<_>, Stop>>()?;
    let mut verification = Verification {
        settings: settings.len() - 1,
        vertices: scene.meshes.iter().map(|mesh| mesh.mesh.positions.len()).sum(),
        rest_max_cm: results.first().map_or(0.0, |rest| rest.from_neutral_cm),
        max_cm: 0.0,
        meshes: Vec::new(),
        jaw_open: None,
        seam_gap_cm: 0.0,
        seam_angle_deg: 0.0,
        seam: Vec::new(),
    };
    for line in &described.seam.lines {
        let of_lod = |result: &Compared| result.seam.get(&line.head_lod).copied().unwrap_or_default();
        let own = results.iter().enumerate().map(|(setting, result)| (setting, of_lod(result)));
        let mut motion = SeamMotion { head_lod: line.head_lod, gap_cm: 0.0, setting: 0, angle_deg: 0.0 };
        for (setting, (gap, angle)) in own {
            if gap > motion.gap_cm {
                (motion.gap_cm, motion.setting) = (gap, setting);
            }
            motion.angle_deg = motion.angle_deg.max(angle);
        }
        verification.seam_gap_cm = verification.seam_gap_cm.max(motion.gap_cm);
        verification.seam_angle_deg = verification.seam_angle_deg.max(motion.angle_deg);
        verification.seam.push(motion);
    }
    for (number, mesh) in scene.meshes.iter().enumerate() {
        let worst = results.iter().enumerate().map(|(setting, result)| (setting, result.meshes[number]));
        let (setting, max_cm) = worst.fold((0, 0.0), |worst, own| if own.1 > worst.1 { own } else { worst });
        let lod = scene.lod_of(mesh).unwrap_or(0);
        verification.meshes.push(MeshAgreement { mesh: mesh.name.clone(), lod, max_cm, setting });
    }
    // The coarser LODs once more at their own LOD, with the first setting after rest.
    if let Some(setting) = settings.get(1) {
        let lods = parts.first().map_or(0, |part| part.deformer().lod_count());
        for lod in 1..lods {
            job.check()?;
            let compared = compare.run(setting, lod)?;
            for number in scene.meshes_of_lod(lod) {
                let agreement = &mut verification.meshes[number];
                if compared.meshes[number] > agreement.max_cm {
                    (agreement.max_cm, agreement.setting) = (compared.meshes[number], 1);
                }
            }
        }
    }
    verification.max_cm = verification.meshes.iter().map(|mesh| mesh.max_cm).fold(0.0, f64::max);
    verification.jaw_open = jaw.zip(results.get(1)).and_then(|(control, result)| {
        let (mesh, moved, max_cm) = result.moved.iter().copied().max_by_key(|(_, moved, _)| *moved)?;
        let mesh = &scene.meshes[mesh];
        let (name, vertices) = (mesh.name.clone(), mesh.mesh.positions.len());
        Some(JawOpen { control: control.to_string(), mesh: name, vertices, moved, max_cm })
    });
    judge(&verification, findings);
    Ok(verification)
}

fn judge(verification: &Verification, findings: &mut Vec<Finding>) {
    let remedy = "this is a fault of the program; please report it with the files";
    for mesh in verification.meshes.iter().filter(|mesh| mesh.max_cm > AGREEMENT_CM) {
        let message = format!("the assembled mesh is not where the DNA has it in setting {}", mesh.setting);
        let finding = Finding::new("RIG_DIFFERS", Severity::Error, mesh.mesh.clone(), message, remedy);
        let found = format!("{:.4} cm", mesh.max_cm);
        findings.push(finding.with_values(format!("at most {AGREEMENT_CM} cm"), found));
    }
    if verification.rest_max_cm > AGREEMENT_CM {
        let message = "with every slider at 0 the character is not in its neutral pose";
        let remedy =
            "look for rows from GUI to raw controls that give a value at 0: `mhrig inspect --controls`";
        let finding = Finding::new("REST_MOVES", Severity::Warning, "rest", message, remedy);
        let found = format!("{:.4} cm", verification.rest_max_cm);
        findings.push(finding.with_values(format!("at most {AGREEMENT_CM} cm"), found));
    }
    if verification.seam_gap_cm > SEAM_TOLERANCE_CM {
        let message = "the seam of head and body opens when the character moves";
        let remedy = "give both sides of the seam the same skin weights";
        let finding = Finding::new("SEAM_OPENS", Severity::Warning, "seam", message, remedy);
        let found = format!("{:.4} cm", verification.seam_gap_cm);
        findings.push(finding.with_values(format!("at most {SEAM_TOLERANCE_CM} cm"), found));
    }
    if let Some(jaw) = verification.jaw_open.as_ref().filter(|jaw| jaw.moved == 0) {
        let message = format!("{} opens the jaw, but moves nothing", jaw.control);
        let remedy = "check the behaviour of the head with `mhrig pose --sweep`";
        findings.push(Finding::new("JAW_STILL", Severity::Error, jaw.mesh.clone(), message, remedy));
    }
}

/// Rest, then the slider that opens the jaw, then mixtures of sliders and turns of drivers that are the same every time.
/// Returns that slider too.
fn settings(parts: &[RigPart], namespace: &Namespace) -> (Option<Plug>, Vec<Setting>) {
    let mut settings = vec![Setting::default()];
    let mut jaw = None;
    let mut sliders: Vec<(String, f32, f32)> = Vec::new();
    let mut sliders_of_parts = Vec::new();
    let mut turns: Vec<String> = Vec::new();
    for part in parts {
        let definition = &part.dna.definition;
        let table = &part.dna.behavior.controls.conditionals;
        let ranges = super::rows::ranges(table, definition.gui_control_names.len());
        let before = sliders.len();
        for (name, range) in definition.gui_control_names.iter().zip(&ranges) {
            if let Some((min, max)) = range {
                sliders.push((name.to_string(), *min as f32, *max as f32));
            }
        }
        sliders_of_parts.push(before..sliders.len());
        let opens = |name: &str| name.rsplit('.').next() == Some("jawOpen");
        let drives = super::rows::drives(table, &ranges);
        let opener = drives.iter().find(|drive| {
            definition.raw_control_names.get(drive.output).is_some_and(|name| opens(&name.to_str()))
        });
        if let Some(drive) = opener
            && jaw.is_none()
        {
            let name = definition.gui_control_names[drive.input].to_string();
            let most = drive.keys.iter().max_by(|a, b| a[1].total_cmp(&b[1])).map_or(1.0, |key| key[0]);
            let mut setting = Setting::default();
            setting.set(namespace, &name, most as f32);
            jaw = setting.values.first().map(|(plug, _)| plug.clone());
            settings.push(setting);
        }
        if let Some(rig) = part.rig() {
            let joints = rig.drivers().into_iter().filter_map(|driver| driver.joint);
            turns.extend(joints.map(|joint| rig.names().joints[joint.index()].clone()));
        }
    }
    turns.sort();
    turns.dedup();
    let mut random = Random(0x5eed);
    while settings.len() <= SETTINGS {
        let mut setting = Setting::default();
        if !sliders.is_empty() {
            for _ in 0..1 + random.below(8) {
                let (name, min, max) = &sliders[random.below(sliders.len())];
                if !setting.has(name) {
                    setting.set(namespace, name, min + (max - min) * random.unit());
                }
            }
        }
        // Every other setting turns joints too.
        if !turns.is_empty() && (settings.len() % 2 == 0 || sliders.is_empty()) {
            for _ in 0..1 + random.below(3) {
                let joint = &turns[random.below(turns.len())];
                let axis = ["rx", "ry", "rz"][random.below(3)];
                let name = format!("{joint}.{axis}");
                if !setting.has(&name) {
                    let angle = (random.unit() * 2.0 - 1.0) * TURN_DEG as f32;
                    setting.set(namespace, &name, angle);
                }
            }
        }
        settings.push(setting);
    }
    // A board at 0 is a board all the same: its rows may give raw controls a value there. Where nothing is set, the
    // reference would not look at them.
    for setting in &mut settings {
        for of_part in sliders_of_parts.iter().filter_map(|range| sliders.get(range.clone())) {
            let Some((first, ..)) = of_part.first().filter(|_| !setting.moves_any(of_part)) else { continue };
            setting.words.push(format!("{first}=0"));
        }
    }
    (jaw, settings)
}

/// Numbers that look random and are always the same (a linear congruential generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// 0 … 1 in steps of 1/256, so that decimals are short.
    fn unit(&mut self) -> f32 {
        (self.next() % 257) as f32 / 256.0
    }
}

struct Compare<'a> {
    described: &'a Described,
    parts: &'a [RigPart],
    evaluator: &'a Evaluator<'a>,
}

/// One setting, compared.
struct Compared {
    /// Per mesh of the scene, the largest difference.
    meshes: Vec<f64>,
    /// Largest distance from the neutral pose.
    from_neutral_cm: f64,
    /// Meshes of LOD 0 with how many vertices moved, and how far the farthest.
    moved: Vec<(usize, usize, f64)>,
    /// Per LOD of the head, the widest gap and the largest angle of the seam.
    seam: BTreeMap<usize, (f64, f64)>,
}

impl Compare<'_> {
    fn run(&self, setting: &Setting, lod: usize) -> Result<Compared, Stop> {
        let scene = &self.described.scene;
        let poses = Settings::read(&setting.words, self.parts)?.apply(self.parts, lod)?;
        let with_rig = self.parts.iter().zip(&poses).filter(|(part, _)| part.rig().is_some());
        let lods = with_rig.map(|(_, pose)| pose.lod).collect();
        let settings = SceneSettings { values: setting.values.clone(), lods };
        let pose = self.evaluator.evaluate(&settings).map_err(failed)?;
        let mut compared = Compared {
            meshes: vec![0.0; scene.meshes.len()],
            from_neutral_cm: 0.0,
            moved: Vec::new(),
            seam: BTreeMap::new(),
        };
        let mut deformed: Vec<Vec<[f32; 3]>> = vec![Vec::new(); scene.meshes.len()];
        for (part, (reference, numbers)) in self.parts.iter().zip(poses.iter().zip(&self.described.meshes)) {
            for (dna_mesh, number) in numbers.iter().enumerate() {
                let Some(number) = *number else { continue };
                let own = self.evaluator.deform(number, &pose);
                let theirs = reference_positions(part, reference, dna_mesh, scene.up_axis);
                let pairs = own.iter().zip(&theirs);
                compared.meshes[number] = pairs.map(|(a, b)| distance(*a, *b)).fold(0.0, worse);
                let rest = &scene.meshes[number].mesh.positions;
                let distances = || own.iter().zip(rest).map(|(a, b)| distance(*a, *b));
                let farthest = distances().fold(0.0, worse);
                compared.from_neutral_cm = compared.from_neutral_cm.max(farthest);
                if scene.lod_of(&scene.meshes[number]) == Some(0) {
                    let moved = distances().filter(|&distance| distance > MOVED_CM).count();
                    compared.moved.push((number, moved, farthest));
                }
                deformed[number] = own;
            }
        }
        self.seam(&pose, &deformed, &mut compared);
        Ok(compared)
    }

    /// The seam in a pose: gaps, and the angle between the locked normals of the two sides as the skin turns them.
    fn seam(&self, pose: &ScenePose, deformed: &[Vec<[f32; 3]>], compared: &mut Compared) {
        let scene = &self.described.scene;
        for of_lod in self.described.seam.pairs.chunk_by(|a, b| a.head_lod == b.head_lod) {
            for of_mesh in of_lod.chunk_by(|a, b| (a.head.0, a.body.0) == (b.head.0, b.body.0)) {
                let Some(first) = of_mesh.first() else { continue };
                let heads: Vec<usize> = of_mesh.iter().map(|pair| pair.head.1).collect();
                let bodies: Vec<usize> = of_mesh.iter().map(|pair| pair.body.1).collect();
                let head_turns = self.evaluator.turns(first.head.0, pose, &heads);
                let body_turns = self.evaluator.turns(first.body.0, pose, &bodies);
                let (gap, angle) = compared.seam.entry(first.head_lod).or_default();
                for (pair, turns) in of_mesh.iter().zip(head_turns.iter().zip(&body_turns)) {
                    let at = |(mesh, vertex): (usize, usize)| deformed[mesh].get(vertex).copied();
                    if let (Some(a), Some(b)) = (at(pair.head), at(pair.body)) {
                        *gap = gap.max(distance(a, b));
                    }
                    let normal = |(mesh, vertex): (usize, usize)| {
                        let mesh = &scene.meshes[mesh];
                        let corners = mesh.mesh.faces.corners();
                        let is_own = |locked: &&mhrig_scene::LockedNormal| {
                            corners.get(locked.corner as usize).is_some_and(|&own| own as usize == vertex)
                        };
                        let locked = mesh.locked_normals.iter().find(is_own)?;
                        Some(Vector3::from(locked.normal.map(f64::from)))
                    };
                    if let (Some(a), Some(b)) = (normal(pair.head), normal(pair.body)) {
                        let (a, b) = (unit((turns.0 * a).into()), unit((turns.1 * b).into()));
                        if let (Some(a), Some(b)) = (a, b) {
                            *angle = angle.max(angle_deg(a, b));
                        }
                    }
                }
            }
        }
    }
}

/// The larger of two; what is no number counts as infinitely far.
fn worse(most: f64, own: f64) -> f64 {
    if own.is_nan() { f64::INFINITY } else { most.max(own) }
}

fn failed(error: SceneEvaluationError) -> Stop {
    let place = match &error {
        SceneEvaluationError::Cycle(plug) => plug.to_string(),
        SceneEvaluationError::RigLogic { node, .. } => node.clone(),
    };
    let remedy = "this is a fault of the program; please report it with the files";
    let finding = Finding::new("RIG_EVALUATION", Severity::Error, place, error.to_string(), remedy);
    Stop::Refused(Refused::because(finding))
}

/// Where `mhrig-rig` has the vertices of a mesh, in the axes of the scene.
fn reference_positions(part: &RigPart, pose: &PartPose, mesh: usize, up: UpAxis) -> Vec<[f32; 3]> {
    let deformer = part.deformer();
    let mut positions = vec![[0.0; 3]; deformer.meshes()[mesh].vertex_count()];
    deformer.deform(mesh, &pose.pose, &pose.channels, &mut positions);
    let turn = Turn::between(UpAxis::Y, up);
    for position in &mut positions {
        *position = turn.apply(*position);
    }
    positions
}
