//! What becomes of expressions and skin weights in a build of the demo human.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::PathBuf;

use mhrig::{
    AssembleRequest, BuildDetails, BuildRequest, Cancel, DemoRequest, ExpressionMode, Job, LodsRequest,
    MeshSource, ReadOptions, Report, Silent, Status, SweepRequest, WeightPolicy,
};
use mhrig_calib::expressions::{ExpressionRig, ExpressionSettings, RecalculateOptions, recalculate};
use mhrig_calib::{MeshPositions, NeutralInput, NeutralOptions, NeutralPlan, SeamPlan};
use mhrig_dna::Dna;
use nalgebra::{Rotation3, Vector3};
use tempfile::TempDir;

/// The person whose meshes are the archetype's own.
const TEMPLATE: &str = "template";
const SOMEONE: &str = "dev04_heavy";

fn with_job<T>(run: impl FnOnce(Job<'_>) -> T) -> T {
    run(Job { progress: &Silent, cancel: &Cancel::default() })
}

struct Demo {
    dir: TempDir,
    details: mhrig::DemoDetails,
}

impl Demo {
    fn new(identity: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let request =
            DemoRequest { identity: identity.to_owned(), ..DemoRequest::new(dir.path().join("demo")) };
        let report = with_job(|job| mhrig::demo(&request, job));
        Self { dir, details: report.details.unwrap() }
    }

    fn request(&self, out: &str) -> BuildRequest {
        BuildRequest { out_dir: self.dir.path().join(out), ..self.details.build_request(false) }
    }

    fn template(&self, part: &str) -> Dna {
        Dna::from_bytes(&fs::read(self.template_file(part)).unwrap()).unwrap()
    }

    fn template_file(&self, part: &str) -> PathBuf {
        self.details.archetype_dir.join(format!("{part}.dna"))
    }

    fn write_expressions(&self, content: &serde_json::Value) {
        fs::write(self.details.archetype_dir.join("expressions.json"), content.to_string()).unwrap();
    }

    /// Sets thresholds of the archetype.
    fn set_pruning(&self, pruning: &serde_json::Value) {
        let file = self.details.archetype_dir.join("rig.json");
        let mut rig: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        rig["pruning"] = pruning.clone();
        fs::write(file, rig.to_string()).unwrap();
    }
}

fn run(request: &BuildRequest) -> Report<BuildDetails> {
    with_job(|job| mhrig::build(request, job))
}

fn built(request: &BuildRequest) -> BuildDetails {
    let report = run(request);
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    report.details.unwrap()
}

fn file(details: &BuildDetails, part: &str) -> PathBuf {
    let suffix = format!("_{part}.dna");
    details.outputs.iter().find(|file| file.to_str().unwrap().ends_with(&suffix)).unwrap().clone()
}

fn read(details: &BuildDetails, part: &str) -> Dna {
    Dna::from_bytes(&fs::read(file(details, part)).unwrap()).unwrap()
}

#[test]
fn identity_recalculation_returns_every_delta_with_pruning_off() {
    /// Of a delta, cm.
    const TOLERANCE: f32 = 1e-5;
    let demo = Demo::new(TEMPLATE);
    let request =
        BuildRequest { expressions: ExpressionMode::Recalculate, prune: false, ..demo.request("out") };
    let details = built(&request);
    for part in ["head", "body"] {
        let (template, result) = (demo.template(part), read(&details, part));
        assert_eq!(template.behavior, result.behavior, "{part}");
        for (a, b) in template.geometry.meshes.iter().zip(&result.geometry.meshes) {
            assert_eq!(a.blend_shape_targets.len(), b.blend_shape_targets.len());
            for (a, b) in a.blend_shape_targets.iter().zip(&b.blend_shape_targets) {
                assert_eq!(a.vertex_indices, b.vertex_indices);
                for (a, b) in a.deltas.iter().zip(b.deltas.iter()) {
                    assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() <= TOLERANCE));
                }
            }
        }
        let retention = &details.retention[part];
        assert_eq!(retention.blend_shape_deltas.share, 1.0, "{part}");
        assert_eq!(retention.joint_values.share, 1.0, "{part}");
        assert!(details.motion[part].rest_max_cm.unwrap() < 1e-3);
    }
}

#[test]
fn every_mode_of_expressions_gives_a_person_that_moves_and_does_not_tear() {
    let demo = Demo::new(SOMEONE);
    for mode in [ExpressionMode::Carry, ExpressionMode::Recalculate, ExpressionMode::Transfer] {
        let details = built(&BuildRequest { expressions: mode, ..demo.request(&format!("{mode:?}")) });
        assert_eq!(details.expressions, mode);
        for part in ["head", "body"] {
            assert!(details.motion[part].rest_max_cm.unwrap() < 1e-3, "{mode:?} {part}");
            let request = SweepRequest {
                file: file(&details, part),
                archetype: Some(demo.details.archetype_dir.clone()),
                ..SweepRequest::default()
            };
            let sweep = with_job(|job| mhrig::sweep(&request, job));
            assert_eq!(sweep.status, Status::Ok, "{mode:?} {part}: {:?}", sweep.findings);
        }
        assert!(details.motion["head"].jaw_open.iter().any(|mesh| mesh.max_cm > 0.5), "{mode:?}");
    }
}

#[test]
fn without_thresholds_for_joints_recalculation_and_carrying_give_the_same_bytes() {
    let demo = Demo::new(SOMEONE);
    demo.set_pruning(&serde_json::json!({"blend_shape_cm": 0.002}));
    let bytes = |mode| {
        let details = built(&BuildRequest { expressions: mode, ..demo.request(&format!("{mode:?}")) });
        ["head", "body"].map(|part| fs::read(file(&details, part)).unwrap())
    };
    assert!(bytes(ExpressionMode::Carry) == bytes(ExpressionMode::Recalculate));
}

#[test]
fn blend_shapes_make_up_for_pruned_joint_values_only_in_recalculation() {
    let demo = Demo::new(TEMPLATE);
    demo.set_pruning(&serde_json::json!({"blend_shape_cm": 0.0, "joint_translation_cm": 0.05}));
    let carried = built(&BuildRequest { expressions: ExpressionMode::Carry, ..demo.request("carry") });
    let recalculated = built(&demo.request("recalculate"));
    let (carried_head, head) = (read(&carried, "head"), read(&recalculated, "head"));
    assert_eq!(carried_head.behavior.joints, head.behavior.joints);
    assert!(carried.retention["head"].joint_translations.share < 1.0);
    assert!(carried_head.geometry != head.geometry);
    let report = recalculated.parts["head"].update.recalculated.as_ref().unwrap();
    assert!(report.changed_shapes > 0 && report.largest_change_cm < 0.5, "{report:?}");
}

#[test]
fn pruning_takes_a_stated_share() {
    let demo = Demo::new(SOMEONE);
    let details = built(&demo.request("out"));
    let retention = &details.retention["head"];
    let share = retention.blend_shape_deltas.share;
    println!("blend shape deltas of the demo human's head that are kept: {:.1} %", share * 100.0);
    assert!((0.5..0.999).contains(&share), "{share}");
    assert!(retention.blend_shape_deltas.energy > 0.999);
    let unpruned = built(&BuildRequest { prune: false, ..demo.request("unpruned") });
    assert_eq!(unpruned.retention["head"].blend_shape_deltas.share, 1.0);
}

#[test]
fn weights_of_a_bound_scene_arrive_and_lower_lods_follow() {
    let demo = Demo::new(SOMEONE);
    let first = built(&demo.request("first"));
    let scene = demo.dir.path().join("rig.ma");
    let assembled = AssembleRequest {
        files: vec![file(&first, "head"), file(&first, "body")],
        output: scene.clone(),
        ..AssembleRequest::default()
    };
    let report = with_job(|job| mhrig::assemble(&assembled, job));
    assert!(report.details.is_some(), "{:?}", report.findings);
    let request = BuildRequest {
        meshes: MeshSource::files([&scene]),
        weights: WeightPolicy::Scene,
        ..demo.request("scene")
    };
    let report = run(&request);
    let details = report.details.as_ref().unwrap_or_else(|| panic!("{:?}", report.findings));
    // Lower LODs may lose influences to their cap; nothing else is to be said of the weights.
    let is_problem =
        |finding: &&mhrig::Finding| finding.code.starts_with("WEIGHTS_") && finding.code != "WEIGHTS_CAP";
    let problem = report.findings.iter().find(is_problem);
    assert!(problem.is_none(), "{problem:?}");
    for part in ["head", "body"] {
        let (template, result) = (demo.template(part), read(details, part));
        let weights = details.parts[part].weights();
        for &mesh in template.definition.lod_mesh_mapping.members(0) {
            let mesh = usize::from(mesh);
            let name = template.definition.mesh_names[mesh].to_string();
            let line = weights.iter().find(|line| line.mesh == name).unwrap();
            assert_eq!((line.source.as_ref(), line.without_weight), (None, 0), "{name}");
            let pairs = template.geometry.meshes[mesh].skin_weights.iter();
            for (a, b) in pairs.zip(&result.geometry.meshes[mesh].skin_weights) {
                let weight = |joint: u16, record: &mhrig_dna::VertexSkinWeights| {
                    let at = record.joint_indices.iter().position(|&other| other == joint);
                    at.map_or(0.0, |at| record.weights[at])
                };
                for &joint in a.joint_indices.iter().chain(&b.joint_indices) {
                    let difference = (weight(joint, a) - weight(joint, b)).abs();
                    assert!(difference < 1e-4, "{name}: {difference}");
                }
            }
        }
        let lower = weights.iter().filter(|line| line.source.is_some()).count();
        assert_eq!(
            lower,
            template.geometry.meshes.len() - template.definition.lod_mesh_mapping.members(0).len()
        );
    }
}

#[test]
fn meshes_without_weights_keep_the_templates_and_a_finding_says_so() {
    let demo = Demo::new(SOMEONE);
    let report = run(&BuildRequest { weights: WeightPolicy::Scene, ..demo.request("out") });
    let missing = report.findings.iter().filter(|finding| finding.code == "WEIGHTS_MISSING").count();
    assert_eq!(missing, 10);
    let details = report.details.unwrap();
    let (template, result) = (demo.template("head"), read(&details, "head"));
    for (a, b) in template.geometry.meshes.iter().zip(&result.geometry.meshes) {
        assert!(a.skin_weights == b.skin_weights);
    }
}

#[test]
fn transferred_weights_keep_the_cap_of_each_lod_and_the_report_states_what_it_cost() {
    let demo = Demo::new(SOMEONE);
    let report = run(&BuildRequest { weights: WeightPolicy::Transfer, ..demo.request("out") });
    let details = report.details.unwrap();
    let head = read(&details, "head");
    let weights = details.parts["head"].weights();
    assert_eq!(weights.len(), head.geometry.meshes.len() - 9);
    let mut capped = 0;
    for line in weights {
        let mesh = head.definition.mesh_names.iter().position(|name| *name == line.mesh.as_str()).unwrap();
        let mesh = &head.geometry.meshes[mesh];
        assert_eq!(line.cap, usize::from(mesh.maximum_influence_per_vertex));
        for record in &mesh.skin_weights {
            assert!(record.weights.len() <= line.cap, "{}", line.mesh);
            let sum: f32 = record.weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-4, "{}: {sum}", line.mesh);
        }
        capped += line.capped;
        assert!((0.0..=1.0).contains(&line.largest_loss) && line.mean_loss <= line.largest_loss);
    }
    let of_all = ["head", "body"].map(|part| details.parts[part].weights()).concat();
    let stated = report.findings.iter().filter(|finding| finding.code == "WEIGHTS_CAP").count();
    assert_eq!(stated, of_all.iter().filter(|line| line.capped > 0).count());
    println!("vertices cut to the cap of their LOD: {capped}");
}

#[test]
fn expressions_that_no_part_has_are_refused_and_others_are_taken() {
    let demo = Demo::new(TEMPLATE);
    let head = demo.template("head");
    let names: Vec<String> =
        head.definition.raw_control_names.iter().take(2).map(ToString::to_string).collect();
    demo.write_expressions(&serde_json::json!({
        "splits": {"both": {"left": names[0], "right": names[1], "band_cm": 1.0}},
        "phases": {"slow": [names[0], names[1]]},
        "curious": true,
    }));
    let report = run(&demo.request("good"));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    assert!(report.findings.iter().any(|finding| finding.place.ends_with("expressions.json: curious")));
    demo.write_expressions(&serde_json::json!({"targets": {"laugh": [names[0], "nobody"]}}));
    let report = run(&demo.request("bad"));
    assert_eq!(report.status, Status::Refused);
    let finding = report.findings.iter().find(|finding| finding.code == "ARCHETYPE_EXPRESSIONS").unwrap();
    assert!(finding.place.ends_with("expressions.json: targets.laugh"), "{}", finding.place);
    demo.write_expressions(&serde_json::json!({"splits": 7}));
    assert_eq!(run(&demo.request("worse")).status, Status::Refused);
}

/// Brings a DNA file into metres and radians with Z up, as some exporters have it.
fn into_other_frame(file: &std::path::Path) {
    use mhrig_calib::{Command, Engine, NativeEngine};
    let mut dna = Dna::from_bytes(&fs::read(file).unwrap()).unwrap();
    let run = |dna: &mut Dna, command: serde_json::Value| {
        let command: Command = serde_json::from_value(command).unwrap();
        with_job(|job| NativeEngine { compat: false }.run(dna, &command, &job)).unwrap();
    };
    run(&mut dna, serde_json::json!({"command": "Rotate", "degrees": [90, 0, 0]}));
    run(&mut dna, serde_json::json!({"command": "Scale", "factor": 0.01}));
    let degrees = std::f32::consts::PI / 180.0;
    let rotations = &mut dna.definition.neutral_joint_rotations;
    for values in [&mut rotations.xs, &mut rotations.ys, &mut rotations.zs] {
        values.iter_mut().for_each(|angle| *angle *= degrees);
    }
    for group in &mut dna.behavior.joints.joint_groups {
        let columns = group.input_indices.len().max(1);
        for (row, output) in group.values.chunks_mut(columns).zip(&group.output_indices) {
            if (3..6).contains(&(output % 9)) {
                row.iter_mut().for_each(|value| *value *= degrees);
            }
        }
    }
    // Radii of solvers are angles.
    dna.rbf_behavior.solvers.iter_mut().for_each(|solver| solver.radius *= degrees);
    let descriptor = &mut dna.descriptor;
    descriptor.translation_unit = mhrig_dna::translation_unit::M;
    descriptor.rotation_unit = mhrig_dna::rotation_unit::RADIANS;
    let direction = (mhrig_dna::direction::LEFT, mhrig_dna::direction::BACK, mhrig_dna::direction::UP);
    let system = &mut descriptor.coordinate_system;
    (system.x_axis, system.y_axis, system.z_axis) = direction;
    fs::write(file, dna.to_bytes().unwrap()).unwrap();
}

#[test]
fn a_template_in_metres_and_radians_with_z_up_gives_the_same_person_in_its_own_frame() {
    /// Of a vertex and of a delta, cm: f32 in metres rounds 170 cm to 1e-5.
    const TOLERANCE_CM: f64 = 1e-4;
    /// Of a joint, cm: deep inside the body it rests on maps of the surface, which magnify that rounding.
    const JOINT_TOLERANCE_CM: f64 = 5e-4;
    let usual = Demo::new(SOMEONE);
    let other = Demo::new(SOMEONE);
    for part in ["head", "body"] {
        into_other_frame(&other.template_file(part));
    }
    let (expected, found) = (built(&usual.request("out")), built(&other.request("out")));
    let mut largest = 0.0f64;
    for (a, b) in expected.joints.iter().zip(&found.joints) {
        assert_eq!((&a.name, a.strategy), (&b.name, b.strategy));
        let distance = (0..3).map(|axis| f64::from(a.position[axis] - b.position[axis]).abs());
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < JOINT_TOLERANCE_CM, "{}: {distance}", a.name);
        largest = largest.max(distance);
    }
    println!("joints differ by {largest:.1e} cm at most");
    for part in ["head", "body"] {
        let (template, a, b) = (other.template(part), read(&expected, part), read(&found, part));
        assert_eq!(template.descriptor, b.descriptor, "{part}");
        assert_eq!(
            template.definition.neutral_joint_rotations, b.definition.neutral_joint_rotations,
            "{part}"
        );
        for (mesh, (a, b)) in a.geometry.meshes.iter().zip(&b.geometry.meshes).enumerate() {
            let in_cm = |v: &mhrig_dna::Vectors3| -> Vec<[f32; 3]> {
                v.iter().map(|v| [v[0], v[2], -v[1]].map(|c| c * 100.0)).collect()
            };
            let as_f64 =
                |v: &mhrig_dna::Vectors3| -> Vec<[f64; 3]> { v.iter().map(|v| v.map(f64::from)).collect() };
            let error = largest_error(as_f64(&a.positions).into_iter(), in_cm(&b.positions).into_iter());
            assert!(error < TOLERANCE_CM, "{part} mesh {mesh}: {error}");
            for (a, b) in a.blend_shape_targets.iter().zip(&b.blend_shape_targets) {
                // Deltas as long as the threshold of pruning may fall on either side of it.
                let b: std::collections::BTreeMap<u32, [f32; 3]> =
                    b.vertex_indices.iter().copied().zip(in_cm(&b.deltas)).collect();
                for (vertex, a) in a.vertex_indices.iter().zip(a.deltas.iter()) {
                    let b = b.get(vertex).copied().unwrap_or_default();
                    let error = largest_error([a.map(f64::from)].into_iter(), [b].into_iter());
                    assert!(error < 0.002 + TOLERANCE_CM && (b == [0.0; 3] || error < TOLERANCE_CM));
                }
            }
        }
        let share = |details: &BuildDetails| details.retention[part].joint_values.share;
        assert!((share(&expected) - share(&found)).abs() < 1e-3, "{part}");
        assert!(found.motion[part].rest_max_cm.unwrap() < 1e-2, "{part}");
    }
    for lod in &found.seam {
        assert!(lod.pairs > 0 && lod.gap_after_cm < 1e-3, "{lod:?}");
    }
}

#[test]
fn a_joint_moved_there_and_back_gives_back_every_delta() {
    /// Of a delta, cm.
    const TOLERANCE: f32 = 1e-5;
    let demo = Demo::new(TEMPLATE);
    let template = demo.template("head");
    let original: Vec<[f64; 3]> =
        template.definition.neutral_joint_translations.iter().map(|t| t.map(f64::from)).collect();
    let mut moved = original.clone();
    for (name, by) in [("FACIAL_C_Jaw", [0.4, -0.3, 0.05]), ("FACIAL_L_LipCorner", [0.1, 0.2, -0.1])] {
        let joint = template.definition.joint_names.iter().position(|joint| *joint == name).unwrap();
        (0..3).for_each(|axis| moved[joint][axis] += by[axis]);
    }
    let mut dna = template.clone();
    let mut move_to = |joints: &[[f64; 3]]| {
        let settings = ExpressionSettings::default();
        let options = RecalculateOptions::default();
        with_job(|job| recalculate(&mut dna, Some(joints), &[], &settings, &options, &job)).unwrap()
    };
    let there = move_to(&moved);
    assert!(there.largest_change_cm > 0.05 && there.changed_shapes > 10, "{there:?}");
    let back = move_to(&original);
    assert!(back.largest_change_cm > 0.05, "{back:?}");
    let mut compared = 0;
    for (a, b) in template.geometry.meshes.iter().zip(&dna.geometry.meshes) {
        let known = a.blend_shape_targets.iter().map(Some).chain(std::iter::repeat(None));
        for (a, b) in known.zip(&b.blend_shape_targets) {
            let mut left: std::collections::BTreeMap<u32, [f32; 3]> =
                b.vertex_indices.iter().copied().zip(b.deltas.iter()).collect();
            for (vertex, a) in a.iter().flat_map(|a| a.vertex_indices.iter().zip(a.deltas.iter())) {
                let b = left.remove(vertex).expect("every delta is kept");
                assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() <= TOLERANCE), "{a:?} {b:?}");
                compared += 1;
            }
            // What the way there added is gone again.
            assert!(left.values().flatten().all(|c| c.abs() <= TOLERANCE));
        }
    }
    assert!(compared > 100_000, "{compared}");
    assert_eq!(template.behavior.joints, dna.behavior.joints);
}

/// A build of the archetype's own meshes after `map`, with every delta kept.
fn run_mapped(
    demo: &Demo,
    expressions: ExpressionMode,
    map: &dyn Fn(Vector3<f64>) -> Vector3<f64>,
) -> Report<BuildDetails> {
    let paths = [demo.details.character_dir.clone()];
    let mut scene = with_job(|job| mhrig_scene::read_inputs(&paths, &ReadOptions::default(), job)).unwrap();
    for mesh in &mut scene.meshes {
        for position in &mut mesh.mesh.positions {
            *position = map(Vector3::from(position.map(f64::from))).map(|c| c as f32).into();
        }
    }
    run(&BuildRequest {
        meshes: MeshSource::Scene(scene),
        expressions,
        prune: false,
        truth: None,
        ..demo.request(&format!("{expressions:?}"))
    })
}

/// The template with all that is in the world moved by `map` and neutral rotations as they are, expressions by `mode`.
fn moved_part(template: &Dna, mode: ExpressionMode, map: &dyn Fn(Vector3<f64>) -> Vector3<f64>) -> Dna {
    let neutral = mhrig_rig::Neutral::from_dna(template).unwrap();
    let world = neutral.pose.world(&neutral.hierarchy);
    let place = |joint: usize| map(world[joint].translation.vector);
    let parents = template.definition.joint_hierarchy.iter().enumerate();
    let local: Vec<[f64; 3]> = parents
        .map(|(joint, &parent)| match usize::from(parent) {
            parent if parent == joint => place(joint).into(),
            parent => (world[parent].rotation.inverse() * (place(joint) - place(parent))).into(),
        })
        .collect();
    let top = template.definition.lod_mesh_mapping.members(0).iter().map(|&mesh| usize::from(mesh));
    let meshes: Vec<(usize, Vec<[f32; 3]>)> = top
        .map(|mesh| {
            let positions = template.geometry.meshes[mesh].positions.iter();
            let moved = positions.map(|p| map(Vector3::from(p.map(f64::from))).map(|c| c as f32).into());
            (mesh, moved.collect())
        })
        .collect();
    let given: Vec<MeshPositions<'_>> =
        meshes.iter().map(|(mesh, positions_cm)| MeshPositions { mesh: *mesh, positions_cm }).collect();
    let input =
        NeutralInput { joint_translations_cm: Some(&local), meshes: &given, ..NeutralInput::default() };
    let options = NeutralOptions { expressions: mode, prune: None, ..NeutralOptions::default() };
    let mut dna = template.clone();
    with_job(|job| NeutralPlan::from_template(template, &job)?.apply(&mut dna, &input, &options, &job))
        .unwrap();
    dna
}

fn largest_error(expected: impl Iterator<Item = [f64; 3]>, found: impl Iterator<Item = [f32; 3]>) -> f64 {
    let pairs = expected.zip(found);
    pairs.map(|(a, b)| (Vector3::from(a) - Vector3::from(b.map(f64::from))).norm()).fold(0.0, f64::max)
}

/// Largest difference between deltas after `map` and those found, cm.
fn delta_error(template: &Dna, found: &Dna, map: &dyn Fn(Vector3<f64>) -> Vector3<f64>) -> f64 {
    let mut error = 0.0f64;
    for (a, b) in template.geometry.meshes.iter().zip(&found.geometry.meshes) {
        for (a, b) in a.blend_shape_targets.iter().zip(&b.blend_shape_targets) {
            assert_eq!(a.vertex_indices, b.vertex_indices);
            let expected = a.deltas.iter().map(|d| map(Vector3::from(d.map(f64::from))).into());
            error = error.max(largest_error(expected, b.deltas.iter()));
        }
    }
    error
}

/// How far the open jaw is from where `map` takes the template's, cm.
fn jaw_error(template: &Dna, found: &Dna, map: &dyn Fn(Vector3<f64>) -> Vector3<f64>) -> f64 {
    let sculpt = |dna: &Dna| {
        let rig = with_job(|job| ExpressionRig::from_dna(dna, &ExpressionSettings::default(), &job)).unwrap();
        let jaw = usize::from(rig.graph().find("jawOpen").unwrap().control);
        rig.sculpt(dna, jaw, 0).unwrap()
    };
    let expected = sculpt(template).into_iter().map(|p| map(Vector3::from(p)).into());
    largest_error(expected, sculpt(found).into_iter().map(|p| p.map(|c| c as f32)))
}

/// Of a delta, cm.
const DELTA_TOLERANCE_CM: f64 = 1e-4;

#[test]
fn transfer_follows_the_size_of_the_whole_person_through_a_build_and_carrying_does_not() {
    const SCALE: f64 = 1.15;
    let demo = Demo::new(TEMPLATE);
    let map = |p: Vector3<f64>| p * SCALE;
    let details = |mode| {
        let report = run_mapped(&demo, mode, &map);
        report.details.unwrap_or_else(|| panic!("{:?}", report.findings))
    };
    let (carried, transferred) = (details(ExpressionMode::Carry), details(ExpressionMode::Transfer));
    for part in ["head", "body"] {
        let template = demo.template(part);
        let (carried, transferred) = (read(&carried, part), read(&transferred, part));
        assert_eq!(template.behavior, carried.behavior, "{part}");
        assert_eq!(delta_error(&template, &carried, &|d| d), 0.0, "{part}");
        let error = delta_error(&template, &transferred, &map);
        println!("{part}: largest error of a delta {error:.2e} cm");
        assert!(error < DELTA_TOLERANCE_CM, "{part}: {error}");
        let groups = template.behavior.joints.joint_groups.iter();
        for (a, b) in groups.zip(&transferred.behavior.joints.joint_groups) {
            assert_eq!(a.output_indices, b.output_indices);
            let columns = a.input_indices.len().max(1);
            for (at, (a_value, b_value)) in a.values.iter().zip(&b.values).enumerate() {
                let is_translation = a.output_indices[at / columns] % 9 < 3;
                let factor = if is_translation { SCALE } else { 1.0 };
                let error = (f64::from(*a_value) * factor - f64::from(*b_value)).abs();
                assert!(error < DELTA_TOLERANCE_CM, "{part}: {a_value} became {b_value}");
            }
        }
    }
    let error = jaw_error(&demo.template("head"), &read(&transferred, "head"), &map);
    assert!(error < 1e-3, "{error}");
}

#[test]
fn transfer_follows_the_turn_of_the_whole_person_and_carrying_does_not() {
    let demo = Demo::new(TEMPLATE);
    let turn = Rotation3::from_euler_angles(0.0, std::f64::consts::FRAC_PI_2, 0.0);
    let map = |p: Vector3<f64>| turn * p;
    let template = demo.template("head");
    let carried = moved_part(&template, ExpressionMode::Carry, &map);
    assert_eq!(template.behavior, carried.behavior);
    assert_eq!(delta_error(&template, &carried, &|d| d), 0.0);
    let transferred = moved_part(&template, ExpressionMode::Transfer, &map);
    assert_eq!(template.definition.neutral_joint_rotations, transferred.definition.neutral_joint_rotations);
    let error = delta_error(&template, &transferred, &map);
    println!("largest error of a delta {error:.2e} cm");
    assert!(error < DELTA_TOLERANCE_CM, "{error}");
    let error = jaw_error(&template, &transferred, &map);
    println!("the open jaw is {error:.2e} cm from where it belongs");
    assert!(error < 5e-3, "{error}");
    // A build says what is wrong with such a person instead.
    let report = run_mapped(&demo, ExpressionMode::Transfer, &map);
    assert_eq!(report.status, Status::Refused);
    assert!(report.findings.iter().any(|finding| finding.code == "ORIENTATION"), "{:?}", report.findings);
}

#[test]
fn head_and_body_share_positions_and_normals_along_the_seam_in_every_pair_of_lods() {
    let demo = Demo::new(SOMEONE);
    let details = built(&demo.request("out"));
    let plan = SeamPlan::from_templates(&demo.template("head"), &demo.template("body"), 1e-3).unwrap();
    let (head, body) = (read(&details, "head"), read(&details, "body"));
    let normals = |dna: &Dna, (mesh, vertex): (usize, usize)| -> Vec<[f32; 3]> {
        let mesh = &dna.geometry.meshes[mesh];
        let layouts = mesh.layouts.positions.iter().zip(&mesh.layouts.normals);
        let own = layouts.filter(|(position, _)| **position as usize == vertex);
        own.map(|(_, normal)| mesh.normals.get(*normal as usize).unwrap()).collect()
    };
    let mut lods = Vec::new();
    for lod in plan.lods() {
        let pairs = lod.pairs();
        assert!(pairs.len() > 3, "LOD {}", lod.head_lod);
        for [at_head, at_body] in pairs {
            let position = |dna: &Dna, (mesh, vertex): (usize, usize)| {
                dna.geometry.meshes[mesh].positions.get(vertex).unwrap().map(f64::from)
            };
            let gap = Vector3::from(position(&head, at_head)) - Vector3::from(position(&body, at_body));
            assert!(gap.norm() < 1e-3, "LOD {}", lod.head_lod);
            let (a, b) = (normals(&head, at_head), normals(&body, at_body));
            assert!(!a.is_empty() && !b.is_empty());
            for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                let difference = Vector3::from(*a) - Vector3::from(*b);
                assert!(difference.norm() < 1e-5, "LOD {}: {a:?} {b:?}", lod.head_lod);
            }
        }
        lods.push((lod.head_lod, lod.body_lod));
    }
    assert_eq!(lods, [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3)]);
}

#[test]
fn lower_lods_of_a_head_with_hostile_layouts_have_no_nan_and_no_vertex_on_the_other_side() {
    let demo = Demo::new(SOMEONE);
    let details = built(&demo.request("out"));
    let mut head = read(&details, "head");
    for (number, mesh) in head.geometry.meshes.iter_mut().enumerate() {
        let (us, vs) = (&mut mesh.texture_coordinates.us, &mut mesh.texture_coordinates.vs);
        match number % 5 {
            0 => us.fill(0.5),
            1 => vs.iter_mut().step_by(3).for_each(|v| *v = f32::NAN),
            2 => us.iter_mut().for_each(|u| *u += 9.0),
            // Both sides share the layout of one.
            3 => us.iter_mut().for_each(|u| *u = 0.5 - (*u - 0.5).abs()),
            _ => mesh.layouts.texture_coordinates.iter_mut().step_by(2).for_each(|uv| *uv = 0),
        }
    }
    let input = demo.dir.path().join("hostile.dna");
    fs::write(&input, head.to_bytes().unwrap()).unwrap();
    let request = LodsRequest { input, output: demo.dir.path().join("lods.dna"), ..LodsRequest::default() };
    let report = with_job(|job| mhrig::lods(&request, job));
    assert!(report.details.is_some(), "{:?}", report.findings);
    let result = Dna::from_bytes(&fs::read(&request.output).unwrap()).unwrap();
    let pairs = head.geometry.meshes.iter().zip(&result.geometry.meshes).enumerate();
    for (number, (before, after)) in pairs {
        let name = head.definition.mesh_names[number].to_string();
        let is_eye = name.starts_with("eye");
        for (before, after) in before.positions.iter().zip(after.positions.iter()) {
            assert!(after.iter().all(|c| c.is_finite()), "{name}");
            if is_eye && before[0].abs() > 1.0 {
                assert_eq!(before[0].signum(), after[0].signum(), "{name}: {before:?} went to {after:?}");
            }
        }
        for normal in after.normals.iter() {
            assert!(normal.iter().all(|c| c.is_finite()), "{name}");
        }
    }
}
