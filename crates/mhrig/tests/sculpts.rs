//! Sculpts written back into a DNA.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use mhrig::{
    BuildRequest, CalibDetails, CalibRequest, Cancel, DemoRequest, Job, Report, SculptSource, Silent, Status,
};
use mhrig_calib::expressions::{ExpressionRig, ExpressionSettings};
use mhrig_dna::Dna;
use mhrig_geom::Mesh;
use mhrig_scene::{NamedMesh, write_obj};
use nalgebra::Vector3;
use tempfile::TempDir;

fn with_job<T>(run: impl FnOnce(Job<'_>) -> T) -> T {
    run(Job { progress: &Silent, cancel: &Cancel::default() })
}

struct Demo {
    dir: TempDir,
    details: mhrig::DemoDetails,
}

impl Demo {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let request =
            DemoRequest { identity: "template".to_owned(), ..DemoRequest::new(dir.path().join("demo")) };
        let details = with_job(|job| mhrig::demo(&request, job)).details.unwrap();
        Self { dir, details }
    }

    fn head(&self) -> PathBuf {
        self.details.archetype_dir.join("head.dna")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes meshes of the head at other positions as an OBJ.
    fn write_obj(&self, name: &str, head: &Dna, meshes: &[(usize, Vec<[f64; 3]>)]) -> PathBuf {
        let neutral = mhrig_rig::Neutral::from_dna(head).unwrap();
        let posed: Vec<(String, Mesh)> = meshes
            .iter()
            .map(|(mesh, positions)| {
                let of = &neutral.meshes[*mesh];
                let positions = positions.iter().map(|p| p.map(|c| c as f32)).collect();
                (of.name.clone(), Mesh { positions, ..of.mesh.clone() })
            })
            .collect();
        let named: Vec<NamedMesh<'_>> =
            posed.iter().map(|(name, mesh)| NamedMesh { name, mesh, normals: None }).collect();
        let file = self.file(name);
        write_obj(fs::File::create(&file).unwrap(), &named).unwrap();
        file
    }

    fn request(&self, sculpts: &[(&str, &Path)]) -> CalibRequest {
        let source = |(name, file): &(&str, &Path)| SculptSource {
            expression: (*name).to_owned(),
            file: (*file).to_owned(),
        };
        CalibRequest {
            input: self.head(),
            output: self.file("out.dna"),
            sculpts: sculpts.iter().map(source).collect(),
            ..CalibRequest::default()
        }
    }
}

fn read(file: &Path) -> Dna {
    Dna::from_bytes(&fs::read(file).unwrap()).unwrap()
}

fn calib(request: &CalibRequest) -> Report<CalibDetails> {
    with_job(|job| mhrig::calib(request, job))
}

fn refused(request: &CalibRequest) -> mhrig::Finding {
    let report = calib(request);
    assert_eq!(report.status, Status::Refused);
    assert!(!request.output.exists());
    report.findings.last().unwrap().clone()
}

fn rig(dna: &Dna) -> ExpressionRig {
    with_job(|job| ExpressionRig::from_dna(dna, &ExpressionSettings::default(), &job)).unwrap()
}

fn largest_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm()).fold(0.0, f64::max)
}

#[test]
fn a_sculpt_becomes_what_the_expression_looks_like_and_correctives_keep_their_looks() {
    let demo = Demo::new();
    let before = read(&demo.head());
    let old = rig(&before);
    let smile = old.graph().find("mouthCornerPullL").unwrap();
    let control = smile.control;
    let mut sculpt = old.sculpt(&before, usize::from(control), 0).unwrap();
    for p in sculpt.iter_mut().filter(|p| p[0] > 0.5 && p[1] < 152.0) {
        p[2] += 0.15 * (p[0] - 0.5).min(2.0);
        p[1] -= 0.05;
    }
    let file = demo.write_obj("smile.obj", &before, &[(0, sculpt.clone())]);
    for match_joints in [false, true] {
        let request = CalibRequest {
            match_joints,
            output: demo.file(&format!("{match_joints}.dna")),
            ..demo.request(&[("mouthCornerPullL", &file)])
        };
        let report = calib(&request);
        assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
        let done = report.details.unwrap().sculpts.unwrap();
        assert_eq!(done.asked.len(), 1);
        assert_eq!(done.asked[0].meshes, ["head_lod0_mesh"]);
        assert!(done.asked[0].moved > 100 && done.asked[0].largest_cm > 0.1, "{:?}", done.asked);
        let after = read(&request.output);
        let new = rig(&after);
        let shown = new.sculpt(&after, usize::from(control), 0).unwrap();
        assert!(largest_difference(&sculpt, &shown) < 1e-4);
        let mut above = 0;
        for expression in old.graph().expressions() {
            if expression.components.iter().any(|component| component.control == control) {
                let at = usize::from(expression.control);
                let (old, new) = (old.sculpt(&before, at, 0).unwrap(), new.sculpt(&after, at, 0).unwrap());
                assert!(largest_difference(&old, &new) < 1e-4, "{}", expression.name);
                above += 1;
            }
        }
        assert!(above > 3, "{above}");
        if match_joints {
            let matched = &done.recalculated.matched;
            assert_eq!(matched.len(), 1);
            println!("{:?}", matched[0]);
            assert!(matched[0].after_rms_cm < 0.9 * matched[0].before_rms_cm, "{:?}", matched[0]);
            assert_ne!(before.behavior.joints, after.behavior.joints);
        } else {
            assert!(done.recalculated.matched.is_empty());
            assert_eq!(old.joint_values(control), new.joint_values(control));
        }
    }
}

#[test]
fn sculpts_that_ask_for_nothing_or_do_not_fit_are_refused_and_nothing_is_written() {
    let demo = Demo::new();
    let head = read(&demo.head());
    let rig = rig(&head);
    let jaw = usize::from(rig.graph().find("jawOpen").unwrap().control);
    let sculpt = rig.sculpt(&head, jaw, 0).unwrap();
    let same = demo.write_obj("same.obj", &head, &[(0, sculpt.clone())]);
    assert_eq!(refused(&demo.request(&[("jawOpen", &same)])).code, "SCULPT_UNCHANGED");
    let moved: Vec<[f64; 3]> = sculpt.iter().map(|p| [p[0], p[1] + 0.1, p[2]]).collect();
    let good = demo.write_obj("good.obj", &head, &[(0, moved)]);
    // One of two that asks for nothing stops both.
    assert_eq!(
        refused(&demo.request(&[("mouthCornerPullL", &good), ("jawOpen", &same)])).code,
        "SCULPT_UNCHANGED"
    );
    let unknown = refused(&demo.request(&[("jawOpn", &good)]));
    assert_eq!(unknown.code, "EXPRESSION_UNKNOWN");
    assert!(unknown.remedy.contains("jawOpen"), "{}", unknown.remedy);
    assert_eq!(refused(&demo.request(&[("jawOpen", &good), ("jawOpen", &good)])).code, "OPTION_VALUE");
    let text = fs::read_to_string(&good).unwrap();
    let other = demo.file("other.obj");
    fs::write(&other, text.replacen("o head_lod0_mesh", "o hat", 1)).unwrap();
    assert_eq!(refused(&demo.request(&[("jawOpen", &other)])).code, "SCULPT_MESH");
    let teeth = fs::read_to_string(demo.details.character_dir.join("teeth_lod0_mesh.obj")).unwrap();
    fs::write(&other, teeth.replacen("teeth_lod0_mesh", "head_lod0_mesh", 1)).unwrap();
    assert_eq!(refused(&demo.request(&[("jawOpen", &other)])).code, "SCULPT_TOPOLOGY");
    assert_eq!(refused(&demo.request(&[])).code, "NOTHING_TO_DO");
}

#[test]
fn a_command_and_sculpts_work_together_and_a_split_reaches_both_sides() {
    let demo = Demo::new();
    let head = read(&demo.head());
    let before = rig(&head);
    let number = |name: &str| usize::from(before.graph().find(name).unwrap().control);
    let (left, right) = (number("mouthCornerPullL"), number("mouthCornerPullR"));
    let neutral: Vec<[f64; 3]> = head.geometry.meshes[0].positions.iter().map(|p| p.map(f64::from)).collect();
    let whole: Vec<[f64; 3]> =
        neutral.iter().map(|p| if p[2] > 8.0 { [p[0] * 1.05, p[1] + 0.2, p[2]] } else { *p }).collect();
    let file = demo.write_obj("smile.obj", &head, &[(0, whole.clone())]);
    let expressions = demo.file("expressions.json");
    let splits = serde_json::json!({"splits": {"smile": {
        "left": "mouthCornerPullL", "right": "mouthCornerPullR", "band_cm": 1.0}}});
    fs::write(&expressions, splits.to_string()).unwrap();
    let args = demo.file("args.json");
    let run = serde_json::json!({"run": {
        "command": "RenameMesh", "oldName": "teeth_lod0_mesh", "newName": "bite_lod0_mesh"}});
    fs::write(&args, run.to_string()).unwrap();
    let request = CalibRequest {
        args: Some(args),
        expressions: Some(expressions),
        ..demo.request(&[("smile", &file)])
    };
    let report = calib(&request);
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let after = read(&request.output);
    assert!(after.definition.mesh_names.iter().any(|name| *name == "bite_lod0_mesh"));
    let rig = rig(&after);
    let (left, right) = (rig.sculpt(&after, left, 0).unwrap(), rig.sculpt(&after, right, 0).unwrap());
    for (vertex, p) in neutral.iter().enumerate() {
        let parts = (Vector3::from(left[vertex]) - Vector3::from(*p))
            + (Vector3::from(right[vertex]) - Vector3::from(*p));
        let expected = Vector3::from(whole[vertex]) - Vector3::from(*p);
        assert!((parts - expected).norm() < 1e-4, "vertex {vertex}");
        if p[0] > 0.5 {
            assert!((Vector3::from(right[vertex]) - Vector3::from(*p)).norm() < 1e-4);
        }
    }
}

#[test]
fn a_build_with_matched_joints_says_how_much_they_explain_and_looks_the_same() {
    let demo = Demo::new();
    let request = BuildRequest {
        prune: false,
        truth: None,
        out_dir: demo.file("plain"),
        ..demo.details.build_request(false)
    };
    let plain = with_job(|job| mhrig::build(&request, job)).details.unwrap();
    let request = BuildRequest { match_joints: true, out_dir: demo.file("matched"), ..request };
    let started = std::time::Instant::now();
    let report = with_job(|job| mhrig::build(&request, job));
    println!("{:.1} s", started.elapsed().as_secs_f64());
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let details = report.details.unwrap();
    let matched = details.parts["head"].matched();
    assert!(matched.len() > 50, "{}", matched.len());
    let (mut before, mut after) = (0.0, 0.0);
    for found in matched {
        // A corrective's rest also has what joints do not add up to.
        if found.expression.starts_with("CTRL_") {
            assert!(found.after_rms_cm <= found.before_rms_cm * 1.0001 + 1e-6, "{found:?}");
        }
        before += found.before_rms_cm.powi(2) * found.vertices as f64;
        after += found.after_rms_cm.powi(2) * found.vertices as f64;
    }
    println!("left to blend shapes: {:.4} of what it was", (after / before).sqrt());
    assert!(after < 0.6 * before, "{after} {before}");
    let dna = |details: &mhrig::BuildDetails| {
        let is_head = |file: &&PathBuf| file.to_str().unwrap().ends_with("_head.dna");
        read(details.outputs.iter().find(is_head).unwrap())
    };
    let (plain, matched) = (dna(&plain), dna(&details));
    let (old, new) = (rig(&plain), rig(&matched));
    for name in ["jawOpen", "eyeBlinkL", "mouthCornerPullR"] {
        let at = usize::from(old.graph().find(name).unwrap().control);
        for mesh in [0, 1] {
            let (a, b) = (old.sculpt(&plain, at, mesh).unwrap(), new.sculpt(&matched, at, mesh).unwrap());
            assert!(largest_difference(&a, &b) < 1e-4, "{name}, mesh {mesh}");
        }
    }
}
