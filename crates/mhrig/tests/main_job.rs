//! The main job on the demo human: meshes in, head and body DNA out.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use mhrig::{
    BuildDetails, BuildRequest, Cancel, DemoRequest, ExpressionMode, FitOptions, Job, MeshSource, Orient,
    Parts, Progress, Report, Severity, Silent, Status, demo_identities,
};
use mhrig_dna::Dna;
use mhrig_testkit::{assert_same_bytes, shared_or_skip, skip};
use tempfile::TempDir;

const TEMPLATE: &str = "template";
const SOMEONE: &str = "dev06_asym_face";

fn job(cancel: &Cancel) -> Job<'_> {
    Job { progress: &Silent, cancel }
}

fn demo(dir: &Path, identity: &str, orient: Orient) -> mhrig::DemoDetails {
    let (dir, identity) = (dir.to_owned(), identity.to_owned());
    let request = DemoRequest { dir, identity, orient, people: false, force: false };
    let report = mhrig::demo(&request, job(&Cancel::default()));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    report.details.unwrap()
}

/// A demo in a folder of its own.
struct Demo {
    dir: TempDir,
    details: mhrig::DemoDetails,
}

impl Demo {
    fn new(identity: &str) -> Self {
        Self::oriented(identity, Orient::Bone)
    }

    fn oriented(identity: &str, orient: Orient) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let details = demo(&dir.path().join("demo"), identity, orient);
        Self { dir, details }
    }

    fn request(&self, out: &str) -> BuildRequest {
        BuildRequest { out_dir: self.dir.path().join(out), ..self.details.build_request(false) }
    }

    fn build(&self, out: &str) -> BuildDetails {
        built(&self.request(out))
    }

    fn obj(&self, mesh: &str) -> PathBuf {
        self.details.character_dir.join(format!("{mesh}.obj"))
    }
}

fn run(request: &BuildRequest) -> Report<BuildDetails> {
    mhrig::build(request, job(&Cancel::default()))
}

fn built(request: &BuildRequest) -> BuildDetails {
    let report = run(request);
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    report.details.unwrap()
}

fn read(details: &BuildDetails, part: &str) -> Dna {
    let suffix = format!("_{part}.dna");
    let file = details.outputs.iter().find(|file| file.to_str().unwrap().ends_with(&suffix)).unwrap();
    Dna::from_bytes(&fs::read(file).unwrap()).unwrap()
}

fn dna_bytes(details: &BuildDetails) -> Vec<Vec<u8>> {
    let dna = details.outputs.iter().filter(|file| file.extension().is_some_and(|suffix| suffix == "dna"));
    dna.map(|file| fs::read(file).unwrap()).collect()
}

/// What a figure may be above the baseline, cm: it has four digits, and was measured with other skin weights at the
/// border of the neck, where both sides of the demo have one set.
const ALLOWANCE_CM: f64 = 0.0005;

#[test]
fn every_person_is_built_as_accurately_as_the_baseline() {
    let test = "every_person_is_built_as_accurately_as_the_baseline";
    let Some(baseline) = shared_or_skip(test, "data/human/baseline.md") else { return };
    let baseline = fs::read_to_string(baseline).unwrap();
    for identity in demo_identities().unwrap().iter().filter(|identity| *identity != TEMPLATE) {
        let demo = Demo::new(identity);
        let details = built(&BuildRequest { fit: FitOptions::seed(), ..demo.request("out") });
        for part in ["head", "body"] {
            let expected = baseline_total(&baseline, identity, part);
            let total = &details.accuracy[part].total;
            let found = [total.mean, total.p95, total.max];
            println!("{identity} {part}: mean, p95, max {found:.4?}, baseline {expected:.4?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(*found <= expected + ALLOWANCE_CM, "{identity} {part}: {found} against {expected}");
            }
        }
    }
}

/// Mean, p95 and maximum of the row "total" of one person's part.
fn baseline_total(text: &str, identity: &str, part: &str) -> [f64; 3] {
    let person = text.split("## ").find(|section| section.starts_with(&format!("DEV {identity}"))).unwrap();
    let table = person.split(&format!("| {part}: strategy")).nth(1).unwrap();
    let row = table.lines().find(|line| line.starts_with("| **total**")).unwrap();
    let cells: Vec<f64> = row.split('|').skip(2).filter_map(|cell| cell.trim().parse().ok()).collect();
    [cells[1], cells[3], cells[4]]
}

#[test]
fn accuracy_does_not_depend_on_the_neutral_rotations() {
    let bone = Demo::new(SOMEONE).build("out");
    let none = Demo::oriented(SOMEONE, Orient::None).build("out");
    for (a, b) in bone.joints.iter().zip(&none.joints) {
        assert_eq!((&a.name, a.strategy), (&b.name, b.strategy));
        let distance = a.position.iter().zip(b.position).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(distance < 1e-4, "{}: {distance}", a.name);
    }
}

#[test]
fn the_scene_and_the_obj_files_give_the_same_bytes() {
    let demo = Demo::new(SOMEONE);
    let objs = demo.build("objs");
    let scene = MeshSource::files([demo.details.character_dir.join("scene.ma")]);
    let scene = built(&BuildRequest { meshes: scene, ..demo.request("scene") });
    for (a, b) in dna_bytes(&objs).iter().zip(dna_bytes(&scene)) {
        assert_same_bytes("scene.ma against the OBJ files", a, &b);
    }
}

#[test]
fn the_same_build_twice_and_on_one_thread_gives_the_same_bytes() {
    let demo = Demo::new(SOMEONE);
    let threads = |count: usize| rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
    let first = dna_bytes(&threads(2).install(|| demo.build("a")));
    let second = dna_bytes(&threads(2).install(|| demo.build("b")));
    let single = dna_bytes(&threads(1).install(|| demo.build("c")));
    let many = dna_bytes(&threads(7).install(|| demo.build("d")));
    for (other, what) in [(second, "twice"), (single, "one thread"), (many, "seven threads")] {
        for (a, b) in first.iter().zip(&other) {
            assert_same_bytes(what, a, b);
        }
    }
}

#[test]
fn the_archetype_from_its_own_meshes_is_the_archetype() {
    let demo = Demo::new(TEMPLATE);
    let details = built(&BuildRequest { prune: false, ..demo.request("out") });
    for joint in &details.joints {
        assert!(joint.error.unwrap() < 1e-4, "{}: {:?}", joint.name, joint.error);
    }
    for part in ["head", "body"] {
        let template = demo.details.archetype_dir.join(format!("{part}.dna"));
        let template = Dna::from_bytes(&fs::read(template).unwrap()).unwrap();
        let result = read(&details, part);
        assert_eq!(template.behavior, result.behavior, "{part}");
        assert_eq!(template.rbf_behavior, result.rbf_behavior, "{part}");
        assert_eq!(template.twist_swing_behavior, result.twist_swing_behavior, "{part}");
        for (a, b) in template.geometry.meshes.iter().zip(&result.geometry.meshes) {
            assert!(a.blend_shape_targets == b.blend_shape_targets);
            assert!(a.positions == b.positions);
        }
    }
}

#[test]
fn expressions_are_carried_and_nothing_but_pruned() {
    let demo = Demo::new(SOMEONE);
    let details = built(&BuildRequest { expressions: ExpressionMode::Carry, ..demo.request("out") });
    let template = Dna::from_bytes(&fs::read(demo.details.archetype_dir.join("head.dna")).unwrap()).unwrap();
    let result = read(&details, "head");
    let mut pruned = 0;
    for (a, b) in template.geometry.meshes.iter().zip(&result.geometry.meshes) {
        assert_eq!(a.blend_shape_targets.len(), b.blend_shape_targets.len());
        for (a, b) in a.blend_shape_targets.iter().zip(&b.blend_shape_targets) {
            let deltas = a.vertex_indices.iter().zip(a.deltas.iter());
            let is_kept =
                |delta: &[f32; 3]| delta.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt() > 0.002;
            let expected: Vec<(u32, [f32; 3])> =
                deltas.filter(|(_, delta)| is_kept(delta)).map(|(vertex, delta)| (*vertex, delta)).collect();
            let found: Vec<(u32, [f32; 3])> = b.vertex_indices.iter().copied().zip(b.deltas.iter()).collect();
            assert!(expected == found);
            pruned += a.vertex_indices.len() - found.len();
        }
    }
    assert!(pruned > 0, "the demo has small deltas to prune");
}

#[test]
fn neutral_rotations_are_kept_and_given_positions_are_stored_bit_for_bit() {
    let demo = Demo::new(SOMEONE);
    let details = demo.build("out");
    let mut compared = 0;
    for part in ["head", "body"] {
        let template = demo.details.archetype_dir.join(format!("{part}.dna"));
        let template = Dna::from_bytes(&fs::read(template).unwrap()).unwrap();
        let result = read(&details, part);
        assert_eq!(template.definition.neutral_joint_rotations, result.definition.neutral_joint_rotations);
        let human = mhrig_synth::DemoHuman::load().unwrap();
        for (name, mesh) in human.identity_meshes(SOMEONE).unwrap() {
            let Some(index) = result.definition.mesh_names.iter().position(|other| *other == name) else {
                continue;
            };
            let stored = result.geometry.meshes[index].positions.to_vectors();
            let bits = |positions: &[[f32; 3]]| -> Vec<u32> {
                positions.iter().flatten().map(|c| c.to_bits()).collect()
            };
            assert!(bits(&stored) == bits(&mesh.positions), "{name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 10);
}

#[test]
fn shared_joints_of_head_and_body_agree() {
    let demo = Demo::new(SOMEONE);
    let details = demo.build("out");
    let (head, body) = (read(&details, "head"), read(&details, "body"));
    let neutral = |dna: &Dna| mhrig_rig::Neutral::from_dna(dna).unwrap();
    let (head_neutral, body_neutral) = (neutral(&head), neutral(&body));
    let world = |neutral: &mhrig_rig::Neutral| neutral.pose.world(&neutral.hierarchy);
    let (head_world, body_world) = (world(&head_neutral), world(&body_neutral));
    let translation = |dna: &Dna, joint: usize| dna.definition.neutral_joint_translations.get(joint).unwrap();
    let mut shared = 0;
    let mut same_bits = 0;
    for (joint, name) in head_neutral.hierarchy.names().iter().enumerate() {
        let Some(other) = body_neutral.hierarchy.find(name) else { continue };
        shared += 1;
        let (a, b) = (head_world[joint].translation.vector, body_world[other.index()].translation.vector);
        assert!((a - b).norm() < 1e-5, "{name}: {}", (a - b).norm());
        let (a, b) = (translation(&head, joint), translation(&body, other.index()));
        same_bits += usize::from(a.map(f32::to_bits) == b.map(f32::to_bits));
    }
    // All but the head's root, which hangs on the world in the head and on spine_03 in the body.
    assert_eq!((shared, same_bits), (27, 26));
}

#[test]
fn four_head_meshes_are_enough_and_the_rest_is_filled() {
    let demo = Demo::new(SOMEONE);
    let all = demo.build("all");
    let few =
        ["head_lod0_mesh", "teeth_lod0_mesh", "eyeLeft_lod0_mesh", "eyeRight_lod0_mesh", "body_lod0_mesh"];
    let few = MeshSource::files(few.map(|mesh| demo.obj(mesh)));
    let report = run(&BuildRequest { meshes: few.clone(), ..demo.request("few") });
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let details = report.details.unwrap();
    assert_eq!(details.filled.len(), 5);
    assert!(details.filled.iter().all(|filled| filled.coverage > 0.99));
    println!("4 of 9 head meshes: {}", worst_move(&all, &details));

    let unfilled = run(&BuildRequest { meshes: few, fill_missing: false, ..demo.request("unfilled") });
    assert!(unfilled.findings.iter().any(|finding| finding.code == "MESH_NOT_FILLED"));
    assert!(unfilled.details.unwrap().filled.is_empty());

    let no_eyes = ["head_lod0_mesh", "teeth_lod0_mesh", "body_lod0_mesh"];
    let no_eyes = MeshSource::files(no_eyes.map(|mesh| demo.obj(mesh)));
    let report = run(&BuildRequest { meshes: no_eyes, ..demo.request("no_eyes") });
    assert!(report.findings.iter().any(|f| f.code == "MESH_MISSING" && f.place.contains("eyeLeft")));
    println!("without eyes too: {}", worst_move(&all, &report.details.unwrap()));
}

/// How far the joint that moved most is from where it was with all meshes, and the means of both.
fn worst_move(all: &BuildDetails, some: &BuildDetails) -> String {
    let moved = all.joints.iter().zip(&some.joints).filter(|(a, _)| a.part == "head").map(|(a, b)| {
        let square: f32 = a.position.iter().zip(b.position).map(|(a, b)| (a - b) * (a - b)).sum();
        (square.sqrt(), a.name.as_str())
    });
    let (distance, joint) = moved.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    let mean = |details: &BuildDetails| details.accuracy["head"].total.mean;
    format!("{joint} moved most, {distance:.4} cm; head mean {:.4} → {:.4} cm", mean(all), mean(some))
}

#[test]
fn a_part_can_be_built_alone() {
    let demo = Demo::new(SOMEONE);
    for (parts, name) in [(Parts::HeadOnly, "head"), (Parts::BodyOnly, "body")] {
        let details = built(&BuildRequest { parts, ..demo.request(name) });
        let dna =
            details.outputs.iter().filter(|file| file.extension().is_some_and(|suffix| suffix == "dna"));
        assert_eq!(dna.count(), 1);
        assert_eq!(details.strategies.keys().collect::<Vec<_>>(), [&name]);
    }
}

#[test]
fn an_existing_result_is_refused_without_force_and_kept_with_it() {
    let demo = Demo::new(SOMEONE);
    demo.build("out");
    let again = run(&demo.request("out"));
    assert_eq!(again.status, Status::Refused);
    assert_eq!(again.findings[0].code, "OUTPUT_EXISTS");
    built(&BuildRequest { force: true, ..demo.request("out") });
    assert!(demo.dir.path().join("out").join(format!("{SOMEONE}_head.dna.bak")).exists());
}

/// Raises the cancel flag when the job comes to the given call.
struct CancelAt<'a> {
    cancel: &'a Cancel,
    calls: AtomicUsize,
    at: usize,
}

impl CancelAt<'_> {
    fn call(&self) {
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.at {
            self.cancel.cancel();
        }
    }
}

impl Progress for CancelAt<'_> {
    fn stage(&self, _name: &str, _steps: usize) {
        self.call();
    }
    fn step(&self) {
        self.call();
    }
}

#[test]
fn a_build_that_is_cancelled_anywhere_leaves_nothing() {
    let demo = Demo::new(SOMEONE);
    let request = demo.request("out");
    let mut at = 0;
    loop {
        let cancel = Cancel::default();
        let progress = CancelAt { cancel: &cancel, calls: AtomicUsize::new(0), at };
        let report = mhrig::build(&request, Job { progress: &progress, cancel: &cancel });
        if report.status == Status::Ok {
            break;
        }
        assert_eq!(report.status, Status::Cancelled, "at call {at}: {:?}", report.findings);
        assert!(!request.out_dir.exists(), "cancelled at call {at}");
        // Every call at the start, then ever sparser: a build makes hundreds.
        at += 1 + at / 8;
    }
    assert!(at > 20, "a build reports progress more than {at} times");
}

#[test]
fn bad_meshes_are_refused_with_place_and_remedy_and_without_output() {
    let demo = Demo::new(SOMEONE);
    let head = fs::read_to_string(demo.obj("head_lod0_mesh")).unwrap();
    let folder = demo.dir.path().join("bad");
    fs::create_dir(&folder).unwrap();
    let lines: Vec<&str> = head.lines().collect();
    let first_vertex = lines.iter().position(|line| line.starts_with("v ")).unwrap();
    let with_vertex = |text: &str| {
        let mut lines = lines.clone();
        lines[first_vertex + 7] = text;
        lines.join("\n")
    };
    let without_last_face = lines[..lines.len() - 1].join("\n");
    let cases: [(&str, String, &[&str]); 8] = [
        ("empty file", String::new(), &["FILE_EMPTY"]),
        ("not an OBJ", "MZ\u{0}\u{1}\u{2}binary".to_owned(), &["NOT_OBJ", "FILE_KIND", "WRONG_KIND"]),
        ("NaN position", with_vertex("v nan 0 0"), &["NOT_FINITE", "POSITION_NOT_FINITE"]),
        ("infinite position", with_vertex("v 0 inf 0"), &["NOT_FINITE", "POSITION_NOT_FINITE"]),
        ("a vertex too many", with_vertex("v 0 0 0\nv 0 0 0"), &["VERTEX_COUNT", "EXTRA_VERTICES"]),
        ("a face too few", without_last_face, &["FACE_COUNT"]),
        ("broken line", with_vertex("v 0 zero 0"), &[]),
        ("face of nothing", format!("{head}\nf 1 2 999999\n"), &[]),
    ];
    for (what, text, codes) in cases {
        let file = folder.join("head_lod0_mesh.obj");
        fs::write(&file, text).unwrap();
        let mut paths: Vec<PathBuf> =
            ["teeth_lod0_mesh", "eyeLeft_lod0_mesh", "eyeRight_lod0_mesh", "body_lod0_mesh"]
                .map(|mesh| demo.obj(mesh))
                .to_vec();
        paths.push(file.clone());
        let request = BuildRequest { meshes: MeshSource::files(paths), ..demo.request("out") };
        let report = run(&request);
        assert_eq!(report.status, Status::Refused, "{what}");
        assert!(!request.out_dir.exists(), "{what}");
        let errors: Vec<_> = report.findings.iter().filter(|f| f.severity == Severity::Error).collect();
        println!("{what}: {errors:#?}");
        assert!(errors.iter().all(|f| !f.remedy.is_empty()), "{what}");
        assert!(errors.iter().all(|f| f.place.contains("head_lod0_mesh")), "{what}: {errors:?}");
        assert_eq!(errors.len(), 1, "{what}: one finding, no cascade: {errors:?}");
        if !codes.is_empty() {
            assert!(errors.iter().any(|f| codes.contains(&f.code)), "{what}: {errors:?}");
        }
    }
}

#[test]
fn a_mesh_without_extent_and_an_endless_face_are_refused() {
    let demo = Demo::new(SOMEONE);
    let text = fs::read_to_string(demo.obj("head_lod0_mesh")).unwrap();
    let flat = |line: &str| if line.starts_with("v ") { "v 0 0 0\n".to_owned() } else { format!("{line}\n") };
    let collapsed: String = text.lines().map(flat).collect();
    let endless = format!("{text}f{}\n", " 1/1".repeat(100_000));
    for (text, code) in [(collapsed, "NO_EXTENT"), (endless, "FACE_SIZE")] {
        let file = demo.dir.path().join("head_lod0_mesh.obj");
        fs::write(&file, text).unwrap();
        let meshes = MeshSource::files([file, demo.obj("teeth_lod0_mesh")]);
        let report = run(&BuildRequest { meshes, parts: Parts::HeadOnly, ..demo.request("out") });
        assert_eq!(report.status, Status::Refused);
        assert!(report.findings.iter().any(|finding| finding.code == code), "{:?}", report.findings);
    }
}

#[test]
fn shuffled_vertices_are_recognised_as_such() {
    let demo = Demo::new(SOMEONE);
    let text = fs::read_to_string(demo.obj("head_lod0_mesh")).unwrap();
    let vertices: Vec<&str> = text.lines().filter(|line| line.starts_with("v ")).collect();
    let count = vertices.len();
    // Vertex i of the file becomes vertex i + 1, the last one the first; faces follow.
    let mut shuffled = vec![vertices[count - 1]];
    shuffled.extend(&vertices[..count - 1]);
    let mut shuffled: Vec<String> = shuffled.into_iter().map(str::to_owned).collect();
    for line in text.lines().filter(|line| !line.starts_with("v ")) {
        let corner = |corner: &str| {
            let (vertex, rest) = corner.split_once('/').unwrap();
            let vertex: usize = vertex.parse().unwrap();
            format!("{}/{rest}", vertex % count + 1)
        };
        shuffled.push(match line.strip_prefix("f ") {
            Some(face) => format!("f {}", face.split(' ').map(corner).collect::<Vec<_>>().join(" ")),
            None => line.to_owned(),
        });
    }
    let file = demo.dir.path().join("head_lod0_mesh.obj");
    fs::write(&file, shuffled.join("\n") + "\n").unwrap();
    let meshes = MeshSource::files([file, demo.obj("teeth_lod0_mesh")]);
    let request = BuildRequest { meshes, parts: Parts::HeadOnly, ..demo.request("out") };
    let report = run(&request);
    assert_eq!(report.status, Status::Refused);
    let errors: Vec<_> = report.findings.iter().filter(|f| f.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "one finding, no cascade: {errors:?}");
    assert_eq!(errors[0].code, "VERTEX_ORDER");
    assert!(!request.out_dir.exists());
}

#[test]
fn a_missing_required_mesh_says_what_it_costs() {
    let demo = Demo::new(SOMEONE);
    let only_body = MeshSource::files([demo.obj("body_lod0_mesh")]);
    let report = run(&BuildRequest { meshes: only_body, ..demo.request("out") });
    assert_eq!(report.status, Status::Refused);
    let head =
        report.findings.iter().find(|f| f.code == "MESH_MISSING" && f.place == "head_lod0_mesh").unwrap();
    assert!(head.message.contains("238 joints"), "{}", head.message);
    let teeth =
        report.findings.iter().find(|f| f.code == "MESH_MISSING" && f.place == "teeth_lod0_mesh").unwrap();
    assert_eq!(teeth.severity, Severity::Error);
}

#[test]
fn an_archetype_whose_parts_disagree_is_refused() {
    let demo = Demo::new(SOMEONE);
    let archetype = &demo.details.archetype_dir;
    let refused = |what: &str| {
        let report = run(&demo.request("out"));
        assert_eq!(report.status, Status::Refused, "{what}");
        report.findings.iter().find(|finding| finding.severity == Severity::Error).unwrap().clone()
    };
    let change = |file: &str, edit: &dyn Fn(Vec<u8>) -> Vec<u8>, what: &str| {
        let path = archetype.join(file);
        let original = fs::read(&path).unwrap();
        fs::write(&path, edit(original.clone())).unwrap();
        let finding = refused(what);
        fs::write(&path, original).unwrap();
        println!("{what}: {finding:#?}");
        finding
    };
    let text = |from: &'static str, to: &'static str| {
        move |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(from, to).into_bytes()
    };
    assert_eq!(change("rig.json", &|_| b"{".to_vec(), "broken settings").code, "ARCHETYPE_SETTINGS");
    let joint = change("rig.json", &text("FACIAL_L_Eye\"", "FACIAL_L_Eyeball\""), "unknown eye joint");
    assert_eq!(joint.code, "ARCHETYPE_JOINT");
    let outside =
        change("rig.json", &text("\"head.dna\"", "\"../character/head.dna\""), "DNA outside the folder");
    assert_eq!(outside.code, "ARCHETYPE_FILE");
    let table = "vertex_joint_mapping/head_lod0_mesh.csv";
    let row =
        change(table, &text("FACIAL_L_ChinSide 3058", "FACIAL_L_ChinSide 99999"), "row beyond the mesh");
    assert_eq!(row.code, "MAPPING_VERTEX");
    let cut = change("head.dna", &|bytes| bytes[..bytes.len() / 2].to_vec(), "cut DNA");
    assert_eq!(cut.code, "DNA_INVALID");
    let other = |bytes: Vec<u8>| {
        let mut dna = Dna::from_bytes(&bytes).unwrap();
        dna.definition.neutral_joint_translations.ys[1] += 2.0;
        dna.to_bytes().unwrap()
    };
    assert_eq!(change("body.dna", &other, "another person's body").code, "PAIR_APART");
    let metres = |bytes: Vec<u8>| {
        let mut dna = Dna::from_bytes(&bytes).unwrap();
        dna.descriptor.translation_unit = 1;
        dna.to_bytes().unwrap()
    };
    assert_eq!(change("body.dna", &metres, "body in metres").code, "PAIR_UNITS");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_an_environment_failure() {
    use std::os::unix::fs::PermissionsExt;
    let demo = Demo::new(SOMEONE);
    let locked = demo.dir.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), b"").is_ok() {
        skip("a_folder_that_cannot_be_written_is_an_environment_failure", "this user may write everywhere");
        return;
    }
    let report = run(&BuildRequest { out_dir: locked, ..demo.request("out") });
    assert_eq!((report.status, report.blame), (Status::Refused, Some(mhrig::Blame::Environment)));
}
