//! What the user says: joints that stay, joints that are placed, meshes that may be repaired.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use mhrig::{
    BuildDetails, BuildRequest, Cancel, DemoDetails, DemoRequest, FitOptions, FitRequest, Job, JointLine,
    Report, Silent, Status, UserJoints,
};
use tempfile::TempDir;

fn job(cancel: &Cancel) -> Job<'_> {
    Job { progress: &Silent, cancel }
}

fn demo() -> (TempDir, DemoDetails) {
    let dir = tempfile::tempdir().unwrap();
    let request =
        DemoRequest { identity: "dev06_asym_face".into(), ..DemoRequest::new(dir.path().join("demo")) };
    let report = mhrig::demo(&request, job(&Cancel::default()));
    (dir, report.details.unwrap())
}

fn request(demo: &DemoDetails, out: &Path, joints: UserJoints) -> BuildRequest {
    BuildRequest { out_dir: out.to_owned(), joints, truth: None, ..demo.build_request(false) }
}

fn build(request: &BuildRequest) -> Report<BuildDetails> {
    mhrig::build(request, job(&Cancel::default()))
}

fn built(request: &BuildRequest) -> BuildDetails {
    let report = build(request);
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    report.details.unwrap()
}

fn line<'a>(joints: &'a [JointLine], part: &str, name: &str) -> &'a JointLine {
    joints.iter().find(|line| line.part == part && line.name == name).unwrap()
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

/// Stored translations are single precision.
const ROUNDING_CM: f32 = 2e-5;

#[test]
fn placed_joints_are_where_the_user_wants_them_and_the_rest_follows() {
    let (dir, demo) = demo();
    let plain = built(&request(&demo, &dir.path().join("plain"), UserJoints::default()));
    let (jaw, neck) = ("FACIAL_C_Jaw", "neck_01");
    let at = |name: &str, part: &str| line(&plain.joints, part, name).position;
    let [jaw_at, neck_at] = [at(jaw, "head"), at(neck, "body")].map(|p| [p[0], p[1] + 1.0, p[2] - 0.5]);
    let place = [(jaw, jaw_at), (neck, neck_at)].map(|(name, at)| (name.to_owned(), at.map(f64::from)));
    for fit in [FitOptions::seed(), FitOptions::best()] {
        let joints = UserJoints { place: place.to_vec(), ..UserJoints::default() };
        let out = dir.path().join(format!("{:?}", fit.strategy_set));
        let placed = built(&BuildRequest { fit, ..request(&demo, &out, joints) });
        // A shared joint goes to both parts.
        for (part, name, at) in [("head", jaw, jaw_at), ("body", neck, neck_at), ("head", neck, neck_at)] {
            let line = line(&placed.joints, part, name);
            assert!(
                distance(line.position, at) < ROUNDING_CM,
                "{part} {name}: {:?} for {at:?}",
                line.position
            );
            assert!(line.strategy.starts_with("0 "), "{}", line.strategy);
        }
    }
    assert!(line(&plain.joints, "head", jaw).placed_by_hand);
    assert!(!line(&plain.joints, "body", "hand_l").placed_by_hand);
}

#[test]
fn locked_joints_stay_where_the_earlier_files_have_them_while_the_mesh_changes() {
    let (dir, demo) = demo();
    let (jaw, spine) = ("FACIAL_C_Jaw", "spine_02");
    let place = vec![(jaw.to_owned(), [0.3, 149.0, 4.0]), (spine.to_owned(), [0.2, 104.0, -1.0])];
    let first =
        built(&request(&demo, &dir.path().join("first"), UserJoints { place, ..UserJoints::default() }));
    let dna: Vec<PathBuf> =
        first.outputs.iter().filter(|file| file.extension().is_some_and(|s| s == "dna")).cloned().collect();
    assert_eq!(dna.len(), 2);
    // The sculptor went on: the head is 2 % wider.
    let head = demo.character_dir.join("head_lod0_mesh.obj");
    let wider = fs::read_to_string(&head).unwrap();
    let wider = wider.lines().map(|line| match line.strip_prefix("v ").map(|n| n.split_once(' ').unwrap()) {
        Some((x, rest)) => format!("v {} {rest}\n", x.parse::<f32>().unwrap() * 1.02),
        None => format!("{line}\n"),
    });
    fs::write(&head, wider.collect::<String>()).unwrap();
    let lock = vec![jaw.to_owned(), "spine_0*".to_owned()];
    let joints = UserJoints { lock, from: dna, ..UserJoints::default() };
    let request = FitRequest {
        archetype: demo.archetype_dir.clone(),
        meshes: demo.build_request(false).meshes,
        joints: joints.clone(),
        ..FitRequest::default()
    };
    let fit = mhrig::fit(&request, job(&Cancel::default()));
    assert_eq!(fit.status, Status::Ok, "{:?}", fit.findings);
    let rebuilt = built(&self::request(&demo, &dir.path().join("second"), joints));
    for joints in [fit.details.unwrap().joints, rebuilt.joints] {
        for (part, name) in
            [("head", jaw), ("body", "spine_01"), ("body", spine), ("body", "spine_04"), ("head", "spine_04")]
        {
            let (before, after) = (line(&first.joints, part, name), line(&joints, part, name));
            assert!(distance(before.position, after.position) < ROUNDING_CM, "{part} {name}");
        }
        // What is not locked goes with the new mesh.
        let ear = |joints: &[JointLine]| line(joints, "head", "FACIAL_L_Ear1").position;
        assert!(distance(ear(&joints), ear(&first.joints)) > 0.05);
    }
}

#[test]
fn a_joint_that_does_not_exist_is_a_usage_error_with_suggestions() {
    let (dir, demo) = demo();
    let place = vec![("spine_9".to_owned(), [0.0; 3])];
    let out = dir.path().join("out");
    let report = build(&request(&demo, &out, UserJoints { place, ..UserJoints::default() }));
    assert_eq!((report.status, report.findings[0].code), (Status::Refused, "JOINT_UNKNOWN"));
    let twice = UserJoints {
        lock: vec!["neck_01".into()],
        place: vec![("neck_01".to_owned(), [0.0; 3])],
        ..UserJoints::default()
    };
    let report = build(&request(&demo, &out, twice));
    assert_eq!(report.findings[0].code, "JOINT_TWICE");
    assert!(!out.exists());
}

#[test]
fn auto_repair_does_what_changes_no_position_and_says_so() {
    let (dir, demo) = demo();
    let whole = built(&request(&demo, &dir.path().join("whole"), UserJoints::default()));
    // The teeth under another name, the body with one loose vertex more and its vertices in reverse order.
    let file = |mesh: &str| demo.character_dir.join(format!("{mesh}.obj"));
    let teeth =
        fs::read_to_string(file("teeth_lod0_mesh")).unwrap().replace("teeth_lod0_mesh", "Teeth_final");
    fs::write(file("Teeth_final"), teeth).unwrap();
    fs::remove_file(file("teeth_lod0_mesh")).unwrap();
    let body = fs::read_to_string(file("body_lod0_mesh")).unwrap();
    let mut vertices: Vec<&str> = body.lines().filter(|line| line.starts_with("v ")).collect();
    let count = vertices.len();
    vertices.reverse();
    let other =
        body.lines().filter(|line| !line.starts_with("v ")).map(|line| match line.strip_prefix("f ") {
            Some(corners) => {
                let corner = |corner: &str| match corner.split_once('/') {
                    Some((v, rest)) => format!("{}/{rest}", count + 1 - v.parse::<usize>().unwrap()),
                    None => (count + 1 - corner.parse::<usize>().unwrap()).to_string(),
                };
                format!("f {}", corners.split(' ').map(corner).collect::<Vec<_>>().join(" "))
            }
            None => line.to_owned(),
        });
    let text = format!("{}\nv 0 500 0\n{}\n", vertices.join("\n"), other.collect::<Vec<_>>().join("\n"));
    fs::write(file("body_lod0_mesh"), text).unwrap();
    let out = dir.path().join("out");
    let plain = build(&request(&demo, &out, UserJoints::default()));
    assert_eq!(plain.status, Status::Refused);
    let repaired = built(&BuildRequest { auto_repair: true, ..request(&demo, &out, UserJoints::default()) });
    let fixes: Vec<(&str, Vec<&str>)> =
        repaired.repaired.iter().map(|mesh| (mesh.mesh.as_str(), mesh.fixes.clone())).collect();
    assert_eq!(
        fixes,
        [("teeth_lod0_mesh", vec!["rename"]), ("body_lod0_mesh", vec!["drop-extras", "reorder"])]
    );
    for (a, b) in whole.outputs.iter().zip(&repaired.outputs).filter(|(a, _)| a.extension().unwrap() == "dna")
    {
        assert!(fs::read(a).unwrap() == fs::read(b).unwrap(), "{}", b.display());
    }
    // Meshes in another unit cannot be repaired without changing positions: that is not done unasked.
    let head = fs::read_to_string(file("head_lod0_mesh")).unwrap();
    let metres = head.lines().map(|line| match line.strip_prefix("v ") {
        Some(p) => format!(
            "v {}\n",
            p.split(' ')
                .map(|n| (n.parse::<f32>().unwrap() / 100.0).to_string())
                .collect::<Vec<_>>()
                .join(" ")
        ),
        None => format!("{line}\n"),
    });
    fs::write(file("head_lod0_mesh"), metres.collect::<String>()).unwrap();
    let refused = build(&BuildRequest {
        auto_repair: true,
        ..request(&demo, &dir.path().join("no"), UserJoints::default())
    });
    assert_eq!(refused.status, Status::Refused);
    assert!(refused.findings.iter().any(|finding| finding.code == "UNIT_FACTOR"), "{:?}", refused.findings);
}
