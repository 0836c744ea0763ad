//! What becomes of expressions and skin weights in a build of the demo human.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::PathBuf;

use mhrig::{
    AssembleRequest, BuildDetails, BuildRequest, Cancel, DemoRequest, ExpressionMode, Job, MeshSource,
    Report, Silent, Status, SweepRequest, WeightPolicy,
};
use mhrig_dna::Dna;
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
        let request = DemoRequest {
            dir: dir.path().join("demo"),
            identity: identity.to_owned(),
            orient: mhrig::Orient::Bone,
            people: false,
            force: false,
        };
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
