//! `mhAssemble` in the stand-in host: the rig it builds there is evaluated there, and compared with the evaluator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fake_maya::mel_string;
use mhrig::{
    AssembleRequest, Cancel, Job, MeshMotion, PoseRequest, Report, RigDescription, RigMesh, RigScene, Silent,
    Status, UpAxis,
};
use mhrig_e2e::{Demo, Plugin, Session, first_and_last_plugin, plugins};

#[path = "assemble/epic_node.rs"]
mod epic_node;
#[path = "assemble/face_board.rs"]
mod face_board;
#[path = "assemble/open_scene.rs"]
mod open_scene;

/// How far a vertex may be from where the evaluator has it, cm.
const AGREEMENT_CM: f64 = 1e-3;
/// A vertex that is farther than this from its neutral place has moved, cm.
const MOVED_CM: f64 = 1e-4;

fn path(path: &Path) -> String {
    mel_string(&path.display().to_string())
}

/// With the plug-ins of the oldest and the newest year; what is of a year shows in `each_year` and in other suites.
fn each(test: &str, interactive: bool, run: impl FnMut(&mut Session)) {
    with(first_and_last_plugin(), test, interactive, run);
}

fn each_year(test: &str, run: impl FnMut(&mut Session)) {
    with(plugins(), test, false, run);
}

fn with(plugins: Vec<Plugin>, test: &str, interactive: bool, mut run: impl FnMut(&mut Session)) {
    for plugin in plugins {
        let Some(mut session) = Session::start(test, &plugin, interactive) else { return };
        run(&mut session);
    }
}

fn silently<D>(job: impl FnOnce(Job<'_>) -> Report<D>) -> Report<D> {
    job(Job { progress: &Silent, cancel: &Cancel::default() })
}

fn head() -> PathBuf {
    Demo::get().archetype.join("head.dna")
}

fn body() -> PathBuf {
    Demo::get().archetype.join("body.dna")
}

fn command(flags: &str) -> String {
    command_of(&head(), &body(), flags)
}

fn command_of(head: &Path, body: &Path, flags: &str) -> String {
    let archetype = path(&Demo::get().archetype);
    format!("mhAssemble -head {} -body {} -archetype {archetype} {flags}", path(head), path(body))
}

/// Head and body of one person.
struct Pair {
    head: PathBuf,
    body: PathBuf,
}

impl Pair {
    fn of_demo() -> Self {
        Self { head: head(), body: body() }
    }

    fn command(&self, flags: &str) -> String {
        command_of(&self.head, &self.body, flags)
    }
}

/// Meshes of LOD 0 where the evaluator has them, by name, and how far they moved.
fn expected(settings: &[&str]) -> (BTreeMap<String, Vec<f64>>, Vec<MeshMotion>) {
    expected_of(&Pair::of_demo(), settings)
}

fn expected_of(pair: &Pair, settings: &[&str]) -> (BTreeMap<String, Vec<f64>>, Vec<MeshMotion>) {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("posed.obj");
    let request = PoseRequest {
        file: pair.head.clone(),
        body: Some(pair.body.clone()),
        settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
        output: output.clone(),
        ..PoseRequest::default()
    };
    let report = silently(|job| mhrig::pose(&request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let mut meshes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut name = String::new();
    for line in std::fs::read_to_string(output).unwrap().lines() {
        if let Some(object) = line.strip_prefix("o ") {
            name = object.to_owned();
        } else if let Some(point) = line.strip_prefix("v ") {
            let numbers = point.split_whitespace().take(3).map(|word| word.parse::<f64>().unwrap());
            meshes.entry(name.clone()).or_default().extend(numbers);
        }
    }
    (meshes, report.details.unwrap().meshes)
}

/// The locked normals of every mesh that the description has: corner, vertex, normal.
type Normals = BTreeMap<String, Vec<(usize, u32, [f64; 3])>>;

fn described() -> &'static RigDescription {
    static DESCRIBED: OnceLock<RigDescription> = OnceLock::new();
    DESCRIBED.get_or_init(|| {
        let request = AssembleRequest {
            files: vec![head(), body()],
            archetype: Some(Demo::get().archetype.clone()),
            output: std::env::temp_dir().join("scene.ma"),
            ..AssembleRequest::default()
        };
        let report = silently(|job| mhrig::describe_rig(&request, job));
        assert!(report.details.is_some(), "{:?}", report.findings);
        report.details.unwrap()
    })
}

fn described_normals(scene: &RigScene) -> Normals {
    let normals = |mesh: &RigMesh| {
        let vertex = |corner: u32| mesh.mesh.faces.corners()[corner as usize];
        let locked = mesh.locked_normals.iter();
        locked.map(|l| (l.corner as usize, vertex(l.corner), l.normal.map(f64::from))).collect()
    };
    scene.meshes.iter().map(|mesh| (mesh.name.clone(), normals(mesh))).collect()
}

/// The scene has the locked normals of the description, and says what it was made from.
fn assert_made_from_the_same(session: &mut Session) {
    let description = described();
    let expected = described_normals(&description.scene);
    assert!(expected.values().any(|normals| !normals.is_empty()));
    assert_eq!(normals_in_scene(session, &expected), expected);
    for (key, value) in &description.scene.metadata {
        assert_eq!(&session.ok(&format!("getAttr rig.{key}")).text(), value, "{key}");
    }
}

fn normals_in_scene(session: &mut Session, meshes: &Normals) -> Normals {
    let normals = |session: &mut Session, mesh: &str| {
        let numbers = session.ok(&format!("fakeNormals {mesh}")).numbers();
        let lines = numbers.as_chunks::<5>().0.iter();
        lines.map(|&[corner, vertex, x, y, z]| (corner as usize, vertex as u32, [x, y, z])).collect()
    };
    meshes.keys().map(|mesh| (mesh.clone(), normals(session, mesh))).collect()
}

fn points(session: &mut Session, namespace: &str, mesh: &str) -> Vec<f64> {
    session.ok(&format!("fakePoints {namespace}{mesh}")).numbers()
}

/// Largest distance of two lists of points.
fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    distances(a, b).into_iter().fold(0.0, f64::max)
}

fn distances(a: &[f64], b: &[f64]) -> Vec<f64> {
    let distance =
        |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    a.chunks(3).zip(b.chunks(3)).map(distance).collect()
}

/// The attribute of the scene that a setting means: short names of DNA files are those of Maya.
fn apply(session: &mut Session, namespace: &str, settings: &[&str]) {
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap();
        let plug = format!("{namespace}{name}");
        // A raw control that the board drives is set past the board.
        let source = session.ok(&format!("listConnections -s 1 -d 0 -p 1 {plug}")).results;
        if let Some(source) = source.first() {
            session.ok(&format!("disconnectAttr {source} {plug}"));
        }
        session.ok(&format!("setAttr {plug} {value}"));
    }
}

fn assert_pose(session: &mut Session, namespace: &str, settings: &[&str]) {
    assert_pose_of(session, &Pair::of_demo(), namespace, settings);
}

fn assert_pose_of(session: &mut Session, pair: &Pair, namespace: &str, settings: &[&str]) {
    let (meshes, _) = expected_of(pair, settings);
    assert!(meshes.len() > 5);
    let mut worst = 0.0f64;
    for (name, expected) in &meshes {
        let found = points(session, namespace, name);
        let difference = farthest(&found, expected);
        assert!(difference < AGREEMENT_CM, "{settings:?}, {name}: {difference} cm");
        worst = worst.max(difference);
    }
    eprintln!("{settings:?}: {} meshes, at most {worst:.1e} cm", meshes.len());
}

fn count(session: &mut Session, kind: &str) -> usize {
    session.ok(&format!("ls -type {kind}")).results.len()
}

#[test]
fn the_scene_holds_what_the_report_counts() {
    each_year("the_scene_holds_what_the_report_counts", |session| {
        let report = session.json(&command("-json"));
        assert_eq!(report["status"], "ok", "{report}");
        let counts = &report["counts"];
        let number = |key: &str| counts[key].as_u64().unwrap() as usize;
        assert!(number("joints") > 100 && number("meshes") > 10 && number("blend_shape_targets") > 100);
        let (head, body) = (number("head_joints"), number("body_joints"));
        assert_eq!(number("joints"), head + body - number("shared_joints"));
        for (kind, expected) in [
            ("joint", number("joints")),
            ("skinCluster", number("skin_clusters")),
            ("blendShape", number("blend_shapes")),
            ("displayLayer", number("display_layers")),
            ("mhRigLogic", number("rig_logic")),
            // The shape that is seen, and the one that it is deformed from.
            ("mesh", number("meshes") * 2),
        ] {
            assert_eq!(count(session, kind), expected, "{kind}");
        }
        let curves: usize =
            ["animCurveUU", "animCurveUL", "animCurveUA"].map(|kind| count(session, kind)).iter().sum();
        assert_eq!(curves, number("curves"));
        assert_eq!(session.ok("getAttr head.segmentScaleCompensate").text(), "0");
        assert_eq!(session.ok("getAttr head.rotate").numbers(), [0.0; 3]);
        assert!(session.ok("ls -sl").results.is_empty());
    });
}

#[test]
fn the_rig_moves_as_its_dna_files_say() {
    each_year("the_rig_moves_as_its_dna_files_say", |session| {
        assert_eq!(session.ok(&command("")).results, ["rig"]);
        assert_pose(session, "", &[]);
        // On the board …
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=1"]);
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=0.4", "CTRL_C_mouth.tx=-0.7", "CTRL_C_jaw.tx=0.5"]);
        assert_pose_and_back(session, &["CTRL_L_eye.tx=0.8"]);
        // … with a joint that correctives listen to …
        assert_pose_and_back(session, &["lowerarm_l.rz=50", "CTRL_C_jaw.ty=0.5"]);
        // … and past the board.
        let past = ["CTRL_expressions.jawOpen=0.6", "CTRL_expressions.mouthLeft=0.9"];
        apply(session, "", &past);
        assert_pose(session, "", &past);
    });
}

fn assert_pose_and_back(session: &mut Session, settings: &[&str]) {
    assert_pose_of_and_back(session, &Pair::of_demo(), settings);
}

fn assert_pose_of_and_back(session: &mut Session, pair: &Pair, settings: &[&str]) {
    apply(session, "", settings);
    assert_pose_of(session, pair, "", settings);
    let back: Vec<String> =
        settings.iter().map(|setting| format!("{}=0", setting.split_once('=').unwrap().0)).collect();
    apply(session, "", &back.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn an_open_jaw_moves_what_the_evaluator_says_and_the_seam_stays_closed() {
    each("an_open_jaw_moves_what_the_evaluator_says_and_the_seam_stays_closed", false, |session| {
        let report = session.json(&command("-json"));
        let (rest, _) = expected(&[]);
        let setting = ["CTRL_C_jaw.ty=1"];
        let (_, motions) = expected(&setting);
        apply(session, "", &setting);
        let head = motions.iter().max_by_key(|motion| motion.moved).unwrap();
        assert!(head.moved > 100 && head.max_cm > 0.5, "{head:?}");
        let posed = points(session, "", &head.mesh);
        let moved = distances(&posed, &rest[&head.mesh]);
        let count = moved.iter().filter(|&&distance| distance > MOVED_CM).count();
        let most = moved.iter().copied().fold(0.0, f64::max);
        eprintln!("jaw open: {} of {} vertices of {}, at most {most:.3} cm", count, moved.len(), head.mesh);
        assert!(count.abs_diff(head.moved) <= 1, "{count}, expected {}", head.moved);
        assert!((most - head.max_cm).abs() < AGREEMENT_CM, "{most}, expected {}", head.max_cm);
        assert!(report["seam"][0]["pairs"].as_u64().unwrap() > 10, "{}", report["seam"]);
        let body_mesh = rest.keys().find(|name| name.starts_with("body_lod0")).unwrap();
        let gap = |session: &mut Session| {
            let posed = [points(session, "", &head.mesh), points(session, "", body_mesh)];
            seam_gap(&rest, [&head.mesh, body_mesh], [&posed[0], &posed[1]])
        };
        let open_jaw = gap(session);
        assert!(open_jaw < AGREEMENT_CM, "{open_jaw} cm");
        // With the head turned it is what the evaluator has.
        let turned = ["CTRL_C_jaw.ty=1", "neck_01.rz=15", "head.rx=20"];
        apply(session, "", &turned);
        let (found, (expected, _)) = (gap(session), expected(&turned));
        let expected =
            seam_gap(&rest, [&head.mesh, body_mesh], [&expected[&head.mesh], &expected[body_mesh]]);
        eprintln!(
            "seam gap: {open_jaw:.1e} cm, with a turned head {found:.1e} cm, expected {expected:.1e} cm"
        );
        assert!((found - expected).abs() < AGREEMENT_CM, "{found} cm, expected {expected} cm");
    });
}

/// Widest gap between vertices of two meshes that are at one place at rest.
fn seam_gap(rest: &BTreeMap<String, Vec<f64>>, [head, body]: [&str; 2], posed: [&[f64]; 2]) -> f64 {
    let place = |point: &[f64]| [0, 1, 2].map(|axis| (point[axis] * 1e3).round() as i64);
    let at: BTreeMap<[i64; 3], usize> =
        rest[body].chunks(3).enumerate().map(|(vertex, point)| (place(point), vertex)).collect();
    let pairs: Vec<(usize, usize)> = rest[head]
        .chunks(3)
        .enumerate()
        .filter_map(|(vertex, point)| Some((vertex, *at.get(&place(point))?)))
        .collect();
    assert!(pairs.len() > 10, "{} pairs", pairs.len());
    let gaps = pairs
        .into_iter()
        .map(|(a, b)| distances(&posed[0][a * 3..a * 3 + 3], &posed[1][b * 3..b * 3 + 3])[0]);
    gaps.fold(0.0, f64::max)
}

#[test]
fn both_sides_of_the_seam_have_one_normal_in_every_lod_and_no_other_normal_is_locked() {
    let test = "both_sides_of_the_seam_have_one_normal_in_every_lod_and_no_other_normal_is_locked";
    let description = described();
    let expected = described_normals(&description.scene);
    let pairs: usize = description.details.seam.iter().map(|line| line.pairs).sum();
    assert!(description.details.seam.len() > 1 && pairs > 30, "{:?}", description.details.seam);
    let part_of = |mesh: &str| mesh.starts_with("body");
    let lods = |of_body: bool| {
        let own = |mesh: &&RigMesh| part_of(&mesh.name) == of_body;
        let lods = description.scene.meshes.iter().filter(own).filter_map(|m| description.scene.lod_of(m));
        lods.collect::<BTreeSet<_>>()
    };
    for line in &description.details.seam {
        assert!(line.angle_deg < 1e-3, "{line:?}");
    }
    each(test, false, |session| {
        session.ok(&command(""));
        let found = normals_in_scene(session, &expected);
        assert_eq!(found, expected);
        let locked: Vec<&str> =
            found.iter().filter(|(_, normals)| !normals.is_empty()).map(|(mesh, _)| mesh.as_str()).collect();
        assert_eq!(locked.iter().filter(|mesh| part_of(mesh)).count(), lods(true).len(), "{locked:?}");
        assert_eq!(locked.iter().filter(|mesh| !part_of(mesh)).count(), lods(false).len(), "{locked:?}");
        // A vertex of the head has the normal of the vertex of the body that it lies on.
        let lod_of = |name: &str| {
            let mesh = description.scene.meshes.iter().find(|mesh| mesh.name == name).unwrap();
            description.scene.lod_of(mesh).unwrap()
        };
        let (mut at_body, mut compared) = (HashMap::new(), 0);
        for of_body in [true, false] {
            for mesh in locked.iter().filter(|mesh| part_of(mesh) == of_body) {
                let points = points(session, "", mesh);
                let lod = lod_of(mesh);
                let line = description.details.seam.iter().find(|line| line.head_lod == lod);
                for &(_, vertex, normal) in &found[*mesh] {
                    let point = &points[vertex as usize * 3..vertex as usize * 3 + 3];
                    let place = [0, 1, 2].map(|axis| (point[axis] * 1e3).round() as i64);
                    if of_body {
                        at_body.insert((lod, place), normal);
                    } else {
                        let own = at_body.get(&(line.unwrap().body_lod, place));
                        assert_eq!(own, Some(&normal), "{mesh}, vertex {vertex}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared >= pairs, "{compared} corners for {pairs} pairs");
        eprintln!("{pairs} pairs, {compared} corners of the head in {} meshes", locked.len());
        session.ok("undo");
        session.ok("redo");
        assert_eq!(normals_in_scene(session, &expected), expected);
    });
}

#[test]
fn two_characters_in_one_scene_both_move() {
    each("two_characters_in_one_scene_both_move", false, |session| {
        assert_eq!(session.ok(&command("-namespace anna")).results, ["anna:rig"]);
        session.refused(&command("-namespace anna"), "NAME_CLASH");
        assert_eq!(session.ok(&command("-namespace ben")).results, ["ben:rig"]);
        apply(session, "anna:", &["CTRL_C_jaw.ty=1"]);
        apply(session, "ben:", &["CTRL_C_mouth.tx=1"]);
        assert_pose(session, "anna:", &["CTRL_C_jaw.ty=1"]);
        assert_pose(session, "ben:", &["CTRL_C_mouth.tx=1"]);
    });
}

#[test]
fn each_character_says_what_it_was_made_from() {
    each("each_character_says_what_it_was_made_from", false, |session| {
        session.ok(&command("-namespace anna"));
        session.ok(&format!("mhAssemble -head {} -namespace ben", path(&head())));
        let metadata = &described().scene.metadata;
        assert!(metadata.iter().filter(|(key, value)| key.ends_with("Hash") && value.len() > 8).count() == 3);
        for (key, value) in metadata {
            assert_eq!(&session.ok(&format!("getAttr anna:rig.{key}")).text(), value, "{key}");
        }
        let of_ben = |session: &mut Session, key: &str| session.mel(&format!("getAttr ben:head_grp.{key}"));
        let hash = metadata.iter().find(|(key, _)| key == "mhrigHeadHash").unwrap();
        assert_eq!(of_ben(session, "mhrigHeadHash").text(), hash.1);
        assert!(!of_ben(session, "mhrigBodyHash").ok && !of_ben(session, "mhrigArchetypeHash").ok);
    });
}

#[test]
fn undo_takes_the_rig_away_and_redo_brings_it_back() {
    each("undo_takes_the_rig_away_and_redo_brings_it_back", false, |session| {
        session.ok("createNode transform -n kept; currentUnit -linear m");
        let before = session.hash();
        let steps = session.ok("fakeUndoQueue").results.len();
        session.ok(&command(""));
        assert_eq!(session.ok("fakeUndoQueue").results.len(), steps + 1);
        let joints = count(session, "joint");
        session.ok("undo");
        assert_eq!(session.hash(), before);
        assert_eq!(count(session, "joint"), 0);
        session.ok("redo");
        assert_eq!(count(session, "joint"), joints);
        session.ok("undo");
        assert_eq!(session.hash(), before);
        session.ok("redo");
        apply(session, "", &["CTRL_C_jaw.ty=1"]);
        session.ok("currentUnit -linear cm");
        assert_pose(session, "", &["CTRL_C_jaw.ty=1"]);
    });
}

#[test]
fn a_new_scene_is_begun_when_nothing_is_lost_by_it() {
    each("a_new_scene_is_begun_when_nothing_is_lost_by_it", false, |session| {
        session.ok("createNode transform -n rig");
        let before = session.hash();
        session.refused(&command("-newScene"), "UNSAVED_SCENE");
        session.refused(&command(""), "NAME_CLASH");
        assert_eq!(session.hash(), before);
        session.ok(&command("-newScene -force -upAxis z"));
        assert_eq!(session.ok("upAxis -q -axis").text(), "z");
        assert_eq!(session.ok("ls rig").results.len(), 1);
        session.ok("undo");
        assert!(session.ok("ls rig").results.is_empty());
    });
}

#[test]
fn what_cannot_be_assembled_is_refused_and_nothing_is_left() {
    each("what_cannot_be_assembled_is_refused_and_nothing_is_left", false, |session| {
        let before = session.hash();
        session.refused("mhAssemble", "USAGE");
        session.refused(&command("-upAxis x"), "USAGE");
        session.refused(&command("-upAxis z"), "USAGE");
        session.refused(&command("-rigLogic epic"), "USAGE");
        session.refused(&command("-namespace \"1 b\""), "NAMESPACE");
        session.refused(&command_of(&head(), Path::new("/nowhere/body.dna"), ""), "DNA_UNREADABLE");
        let report = session.json(&command_of(&head(), &head(), "-json"));
        assert_eq!(report["status"], "refused", "{report}");
        assert_eq!(session.hash(), before);
    });
}

#[test]
fn esc_at_each_stage_leaves_the_scene_as_it_was() {
    each("esc_at_each_stage_leaves_the_scene_as_it_was", true, |session| {
        session.ok("createNode transform -n kept; select kept");
        let before = session.hash();
        let steps = session.ok("fakeUndoQueue").results.len();
        for stage in [
            "read",
            "describe",
            "prepare",
            "groups",
            "skeleton",
            "meshes",
            "blend shapes",
            "blend shape targets",
            "network",
            "connections",
            "skin weights",
            "layers",
            "check",
        ] {
            session.ok(&format!("fakeEsc {}", mel_string(&format!("assembling: {stage}"))));
            session.refused(&command(""), "CANCELLED");
            let computation = session.ok("fakeComputation").results;
            assert_eq!(computation[1], "1", "{stage} was not interrupted");
            assert_eq!(computation[4], "0", "{stage}: the progress bar stays");
            assert_eq!(session.hash(), before, "{stage}");
            assert_eq!(session.ok("fakeUndoQueue").results.len(), steps);
        }
        session.ok("fakeEsc");
        session.ok(&command(""));
    });
}

/// A folder with copies of the DNA files.
fn folder_of_dna(dir: &Path) -> [PathBuf; 2] {
    std::fs::create_dir(dir).unwrap();
    let copies = ["head.dna", "body.dna"].map(|name| dir.join(name));
    std::fs::copy(head(), &copies[0]).unwrap();
    std::fs::copy(body(), &copies[1]).unwrap();
    copies
}

fn status(session: &mut Session, part: &str) -> String {
    session.ok(&format!("getAttr {part}_rl4Embedded.dnaFileStatus")).text()
}

#[test]
fn a_folder_that_is_saved_moved_and_opened_keeps_its_rig() {
    each("a_folder_that_is_saved_moved_and_opened_keeps_its_rig", false, |session| {
        let dir = tempfile::tempdir().unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        let [head, body] = folder_of_dna(&here);
        session.ok(&format!("file -rename {}", path(&here.join("scene.ma"))));
        session.ok(&command_of(&head, &body, ""));
        assert_eq!(session.ok("getAttr head_rl4Embedded.dnaFilePath").text(), "head.dna");
        assert_pose(session, "", &[]);
        apply(session, "", &["CTRL_C_jaw.ty=0.7"]);
        session.ok("file -save -type mayaAscii");
        std::fs::rename(&here, &there).unwrap();
        session.ok(&format!("file -open -force {}", path(&there.join("scene.ma"))));
        assert_pose(session, "", &["CTRL_C_jaw.ty=0.7"]);
        assert_eq!(status(session, "head"), "ok");
        assert_made_from_the_same(session);
        // The scene alone has moved: the node says what is missing, and a new path is all it needs.
        let elsewhere = dir.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::fs::rename(there.join("scene.ma"), elsewhere.join("scene.ma")).unwrap();
        session.ok(&format!("file -open -force {}", path(&elsewhere.join("scene.ma"))));
        points(session, "", "head_lod0_mesh");
        assert!(status(session, "head").contains("DNA_UNREADABLE"), "{}", status(session, "head"));
        for part in ["head", "body"] {
            let file = mel_string(&there.join(format!("{part}.dna")).display().to_string());
            session.ok(&format!("setAttr -type \"string\" {part}_rl4Embedded.dnaFilePath {file}"));
        }
        assert_pose(session, "", &["CTRL_C_jaw.ty=0.7"]);
        assert_eq!(status(session, "head"), "ok");
    });
}

#[test]
fn a_scene_that_was_written_without_the_host_opens_and_moves_in_it() {
    each("a_scene_that_was_written_without_the_host_opens_and_moves_in_it", false, |session| {
        let dir = tempfile::tempdir().unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        let files = folder_of_dna(&here).to_vec();
        let write = |namespace: Option<&str>, up_axis, output: PathBuf| {
            let request = AssembleRequest {
                files: files.clone(),
                archetype: Some(Demo::get().archetype.clone()),
                namespace: namespace.map(str::to_owned),
                up_axis,
                output,
                ..AssembleRequest::default()
            };
            let report = silently(|job| mhrig::assemble(&request, job));
            assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
            report.details.unwrap()
        };
        let details = write(None, None, here.join("rig.ma"));
        write(Some("ben"), None, here.join("ben.ma"));
        write(None, Some(UpAxis::Z), here.join("z.ma"));
        // DNA files beside the scene go with it.
        std::fs::rename(&here, &there).unwrap();
        session.ok(&format!("file -open -force {}", path(&there.join("rig.ma"))));
        let counts = details.counts;
        for (kind, expected) in [
            ("joint", counts.joints),
            ("skinCluster", counts.skin_clusters),
            ("blendShape", counts.blend_shapes),
            ("displayLayer", counts.display_layers),
            ("mhRigLogic", counts.rig_logic),
            ("mesh", counts.meshes * 2),
        ] {
            assert_eq!(count(session, kind), expected, "{kind}");
        }
        assert_made_from_the_same(session);
        assert_pose(session, "", &[]);
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=1"]);
        assert_pose_and_back(session, &["CTRL_C_jaw.ty=0.4", "CTRL_C_mouth.tx=-0.7", "CTRL_C_jaw.tx=0.5"]);
        assert_pose_and_back(session, &["CTRL_L_eye.tx=0.8"]);
        assert_pose_and_back(session, &["lowerarm_l.rz=50", "CTRL_C_jaw.ty=0.5"]);
        // A second one beside it, imported.
        session.ok(&format!("file -import -type mayaAscii {}", path(&there.join("ben.ma"))));
        apply(session, "ben:", &["CTRL_C_jaw.ty=1"]);
        apply(session, "", &["CTRL_C_mouth.tx=1"]);
        assert_pose(session, "ben:", &["CTRL_C_jaw.ty=1"]);
        assert_pose(session, "", &["CTRL_C_mouth.tx=1"]);
        // A scene with another up axis says so, and has its meshes upright there.
        session.ok(&format!("file -open -force {}", path(&there.join("z.ma"))));
        assert_eq!(session.ok("upAxis -q -axis").text(), "z");
        apply(session, "", &["CTRL_C_jaw.ty=1"]);
        let (meshes, _) = expected(&["CTRL_C_jaw.ty=1"]);
        for (name, expected) in &meshes {
            let turned: Vec<f64> = expected.chunks(3).flat_map(|p| [p[0], -p[2], p[1]]).collect();
            let difference = farthest(&points(session, "", name), &turned);
            assert!(difference < AGREEMENT_CM, "{name}: {difference} cm");
        }
    });
}
