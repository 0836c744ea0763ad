//! Many people at once: a bad one, a kill, and going on.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// Whose head is broken.
const BROKEN: &str = "dev04_heavy";

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// An archetype and all people of the demo human, one of them with a face too few; tests only read it.
fn demo() -> &'static Path {
    static DEMO: OnceLock<TempDir> = OnceLock::new();
    DEMO.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let output = mhrig(&["demo", text(dir.path()), "--people"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let head = dir.path().join("people").join(BROKEN).join("head_lod0_mesh.obj");
        let lines = fs::read_to_string(&head).unwrap();
        let cut = lines.rfind("\nf ").unwrap();
        fs::write(&head, &lines[..=cut]).unwrap();
        dir
    })
    .path()
}

/// The people of the demo; the template is one of them.
fn names() -> Vec<String> {
    let manifest: Value = json(&demo().join("people.json"));
    let people = manifest["people"].as_array().unwrap().iter();
    people.map(|person| person["name"].as_str().unwrap().to_owned()).collect()
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn batch<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    static PATHS: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    let (people, archetype) = PATHS.get_or_init(|| (demo().join("people.json"), demo().join("archetype")));
    let mut args = vec!["batch", text(people), "--archetype", text(archetype), "-o", text(out)];
    args.extend(more);
    args
}

/// The DNA files below `out`, with content and time.
fn dna(out: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let folders = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let dna = files.filter(|file| file.extension().is_some_and(|suffix| suffix == "dna"));
    let entry = |file: PathBuf| {
        let time = file.metadata().unwrap().modified().unwrap();
        (file.file_name().unwrap().to_str().unwrap().to_owned(), (fs::read(&file).unwrap(), time))
    };
    dna.map(entry).collect()
}

/// A batch that nothing interrupted.
fn whole() -> &'static Path {
    static WHOLE: OnceLock<TempDir> = OnceLock::new();
    WHOLE
        .get_or_init(|| {
            let dir = tempfile::tempdir().unwrap();
            let output = mhrig(&batch(&dir.path().join("out"), &[]));
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            assert!(stderr(&output).contains(BROKEN), "{}", stderr(&output));
            dir
        })
        .path()
}

#[test]
fn a_bad_person_does_not_stop_the_others_and_its_report_says_why() {
    let out = whole().join("out");
    let summary = json(&out.join("summary.json"));
    let people = summary["people"].as_array().unwrap();
    assert_eq!(people.len(), names().len());
    for person in people {
        let name = person["name"].as_str().unwrap();
        let is_bad = name == BROKEN;
        assert_eq!(person["status"], if is_bad { "failed" } else { "ok" }, "{person}");
        let report = json(&out.join(person["report"].as_str().unwrap()));
        assert_eq!(report["status"], if is_bad { "refused" } else { "ok" });
        assert_eq!(out.join(name).join(format!("{name}_head.dna")).exists(), !is_bad);
        assert_eq!(person["mean_error_cm"].is_number(), !is_bad, "{person}");
    }
    let broken = people.iter().find(|person| person["name"] == BROKEN).unwrap();
    assert!(broken["code"].is_string() && broken["remedy"] != "", "{broken}");
    let csv = fs::read_to_string(out.join("summary.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + people.len());
    assert!(csv.starts_with("name,status,report,"), "{csv}");
}

#[test]
fn a_killed_batch_goes_on_and_ends_like_one_that_was_not() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut program = Command::new(env!("CARGO_BIN_EXE_mhrig"));
    let quiet = program.args(batch(&out, &["--jobs", "1"])).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    // Two are done, and another is at work.
    let is_done = |name: &String| out.join(name).join(format!("{name}_report.json")).exists();
    let done = || names().into_iter().filter(is_done).collect::<Vec<_>>();
    let start = Instant::now();
    while done().len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "the batch ended before it could be killed");
        assert!(start.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(5));
    }
    // On Unix this is SIGKILL: the program gets no chance to tidy up.
    child.kill().unwrap();
    child.wait().unwrap();
    let (before, finished) = (dna(&out), done());
    assert!(finished.len() < names().len() && !out.join("summary.json").exists());
    let expected = dna(&whole().join("out"));
    for (name, (bytes, _)) in &before {
        assert!(*bytes == expected[name].0, "{name} is not whole");
    }

    let resumed = mhrig(&batch(&out, &["--resume", "--json"]));
    assert_eq!(resumed.status.code(), Some(1), "{}", stderr(&resumed));
    let report: Value = serde_json::from_slice(&resumed.stdout).unwrap();
    assert_eq!((&report["failed"], &report["open"]), (&1.into(), &0.into()));
    assert_eq!(report["kept"], finished.iter().filter(|name| *name != BROKEN).count());
    let after = dna(&out);
    assert_eq!(after.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, (bytes, time)) in &after {
        assert!(*bytes == expected[name].0, "{name}");
        // What was finished was not made again.
        if finished.iter().any(|person| name.starts_with(person.as_str())) {
            assert_eq!(before[name].1, *time, "{name}");
        }
    }
    let same =
        |file: &str| fs::read(out.join(file)).unwrap() == fs::read(whole().join("out").join(file)).unwrap();
    assert!(same("summary.json") && same("summary.csv"));
    let hidden = fs::read_dir(&out)
        .unwrap()
        .flat_map(|entry| fs::read_dir(entry.unwrap().path()).into_iter().flatten());
    assert!(hidden.into_iter().all(|entry| !entry.unwrap().file_name().to_str().unwrap().starts_with('.')));
}

#[test]
fn without_resume_or_force_earlier_results_are_not_touched() {
    let out = whole().join("out");
    let refused = mhrig(&batch(&out, &[]));
    assert_eq!(refused.status.code(), Some(4));
    assert!(stderr(&refused).contains("OUTPUT_EXISTS") && stderr(&refused).contains("--resume"));
}

#[test]
fn only_what_changed_is_made_again_and_stale_results_are_moved_away() {
    let dir = tempfile::tempdir().unwrap();
    let (people, out, archetype) =
        (dir.path().join("people"), dir.path().join("out"), demo().join("archetype"));
    for name in ["dev01_young_woman", "dev06_asym_face", "dev08_muscular"] {
        fs::create_dir_all(people.join(name)).unwrap();
        for entry in fs::read_dir(demo().join("people").join(name)).unwrap() {
            let file = entry.unwrap().path();
            fs::copy(&file, people.join(name).join(file.file_name().unwrap())).unwrap();
        }
    }
    let run = |more: &[&str]| {
        let mut args =
            vec!["batch", text(&people), "--archetype", text(&archetype), "-o", text(&out), "--json"];
        args.extend(more);
        let output = mhrig(&args);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let count = |key: &str| report[key].as_u64().unwrap();
        (output.status.code(), count("built"), count("kept"), count("failed"))
    };
    // Shards share the work, and a run over all of them sums up.
    assert_eq!(run(&["--shard", "1/2"]), (Some(0), 2, 0, 0));
    assert_eq!(run(&["--shard", "2/2"]), (Some(0), 1, 0, 0));
    assert!(out.join("summary_1_of_2.json").exists() && !out.join("summary.json").exists());
    assert_eq!(run(&["--resume"]), (Some(0), 0, 3, 0));
    assert!(out.join("summary.csv").exists());
    // Another option, another result.
    assert_eq!(run(&["--resume", "--no-prune"]), (Some(0), 3, 0, 0));
    assert_eq!(run(&["--resume"]), (Some(0), 3, 0, 0));
    // A damaged output is made again, and so is a person whose mesh changed.
    let head = out.join("dev01_young_woman/dev01_young_woman_head.dna");
    let whole = fs::read(&head).unwrap();
    fs::write(&head, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(run(&["--resume"]), (Some(0), 1, 2, 0));
    assert!(fs::read(&head).unwrap() == whole);
    fs::write(people.join("dev08_muscular/head_lod0_mesh.obj"), "v 0 0 0\n").unwrap();
    assert_eq!(run(&["--resume"]), (Some(1), 0, 2, 1));
    assert!(!out.join("dev08_muscular/dev08_muscular_head.dna").exists());
    assert!(out.join("dev08_muscular/dev08_muscular_head.dna.bak").exists());
}

#[test]
fn the_folder_of_one_person_is_not_taken_for_many_people() {
    let (dir, archetype) = (tempfile::tempdir().unwrap(), demo().join("archetype"));
    let person = demo().join("people/dev06_asym_face");
    let out = dir.path().join("out");
    let refused = mhrig(&["batch", text(&person), "--archetype", text(&archetype), "-o", text(&out)]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("BATCH_FOLDER"), "{}", stderr(&refused));
    let shard = mhrig(&batch(&out, &["--shard", "3/2"]));
    assert_eq!(shard.status.code(), Some(2));
    assert!(!out.exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_batch_with_130_and_the_summary_says_what_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut program = Command::new(env!("CARGO_BIN_EXE_mhrig"));
    let quiet = program.args(batch(&out, &["--jobs", "1"])).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    let start = Instant::now();
    while !names().iter().any(|name| out.join(name).join(format!("{name}_report.json")).exists()) {
        assert!(start.elapsed() < Duration::from_secs(300) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let summary = json(&out.join("summary.json"));
    let people = summary["people"].as_array().unwrap();
    let count = |status: &str| people.iter().filter(|person| person["status"] == status).count();
    assert!(count("open") >= 1 && count("ok") >= 1, "{people:?}");
    assert_eq!(people.len(), names().len());
}

/// A folder of one person who is to be had quickly, and the archetype.
fn one_person(more: &Value) -> (TempDir, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let mut person = more.clone();
    person["name"] = "mary".into();
    person["meshes"] = vec![text(&demo().join("people/dev06_asym_face"))].into();
    let list = dir.path().join("list.json");
    fs::write(&list, serde_json::json!({ "people": [person] }).to_string()).unwrap();
    let (archetype, out) = (demo().join("archetype"), dir.path().join("out"));
    let args = ["batch", text(&list), "--archetype", text(&archetype), "-o", text(&out), "--json"];
    let args = args.map(str::to_owned).to_vec();
    (dir, args)
}

fn run_json(args: &[String], more: &[&str]) -> (Option<i32>, Value) {
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let output = mhrig(&args);
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())
}

#[test]
fn a_second_run_in_the_same_folder_is_told_of_the_first_and_spoils_nothing() {
    let (dir, args) = one_person(&serde_json::json!({}));
    let out = dir.path().join("out");
    assert_eq!(run_json(&args, &[]).0, Some(0));
    let before = dna(&out);
    // A run elsewhere, which nobody can judge from here.
    let other = r#"{"program": "MhRigCreator 9", "process": 77, "host": "farm-7"}"#;
    let lock = out.join("summary.lock");
    fs::write(&lock, other).unwrap();
    let (code, report) = run_json(&args, &["--force"]);
    assert_eq!(code, Some(4), "{report}");
    let finding = &report["findings"][0];
    assert_eq!(finding["code"], "OUTPUT_IN_USE");
    assert!(finding["found"].as_str().unwrap().contains("process 77 on farm-7"), "{finding}");
    fs::rename(&lock, out.join("mary/.mhrig-lock")).unwrap();
    let (code, report) = run_json(&args, &["--force"]);
    assert_eq!((code, &report["people"][0]["code"]), (Some(1), &"OUTPUT_IN_USE".into()), "{report}");
    assert!(dna(&out) == before, "what the other run works on was touched");
    assert_eq!(fs::read_to_string(out.join("mary/.mhrig-lock")).unwrap(), other);
    fs::remove_file(out.join("mary/.mhrig-lock")).unwrap();
    assert_eq!(run_json(&args, &["--resume"]).1["kept"], 1);
    let left = |folder: &Path| {
        fs::read_dir(folder)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().contains("lock"))
            .count()
    };
    assert_eq!(left(&out) + left(&out.join("mary")), 0);
}

#[test]
fn a_manifest_locks_and_places_joints_per_person() {
    let place = serde_json::json!({"lock": ["index_01_*"], "place": {"FACIAL_C_Jaw": [0.25, 145.5, 6.5]}});
    let (dir, args) = one_person(&place);
    let (code, report) = run_json(&args, &[]);
    assert_eq!(code, Some(0), "{report}");
    let report = json(&dir.path().join("out/mary/mary_report.json"));
    let joint = |name: &str| {
        report["joints"].as_array().unwrap().iter().find(|joint| joint["name"] == name).unwrap().clone()
    };
    let jaw = joint("FACIAL_C_Jaw");
    assert_eq!(jaw["strategy"], "0 user constraint");
    let position: Vec<f64> =
        jaw["position"].as_array().unwrap().iter().map(|c| c.as_f64().unwrap()).collect();
    for (found, wanted) in position.iter().zip([0.25, 145.5, 6.5]) {
        assert!((found - wanted).abs() < 1e-4, "{jaw}");
    }
    assert_eq!(joint("index_01_l")["strategy"], "0 user constraint");
    assert_ne!(joint("index_02_l")["strategy"], "0 user constraint");
    // The same person without it is another result.
    let list = dir.path().join("list.json");
    let changed = fs::read_to_string(&list).unwrap().replace("145.5", "145.6");
    fs::write(&list, changed).unwrap();
    assert_eq!(run_json(&args, &["--resume"]).1["built"], 1);
    // A joint that is not there fails this person alone.
    let misspelt = fs::read_to_string(&list).unwrap().replace("FACIAL_C_Jaw", "FACIAL_C_Yaw");
    fs::write(&list, misspelt).unwrap();
    let (code, report) = run_json(&args, &["--resume"]);
    assert_eq!((code, &report["people"][0]["code"]), (Some(1), &"JOINT_UNKNOWN".into()), "{report}");
}

#[test]
fn results_are_the_same_bytes_with_and_without_the_cache_beside_the_archetype() {
    let (dir, mut args) = one_person(&serde_json::json!({}));
    let archetype = dir.path().join("archetype");
    let copy = |from: &Path, to: &Path| {
        fs::create_dir_all(to).unwrap();
        for entry in
            fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
        {
            fs::copy(&entry, to.join(entry.file_name().unwrap())).unwrap();
        }
    };
    copy(&demo().join("archetype"), &archetype);
    copy(&demo().join("archetype/vertex_joint_mapping"), &archetype.join("vertex_joint_mapping"));
    args[3] = text(&archetype).to_owned();
    let cache = archetype.join(".mhrig-cache");
    let built = |args: &[String]| -> Vec<(String, Vec<u8>)> {
        assert_eq!(run_json(args, &["--force"]).0, Some(0));
        dna(&dir.path().join("out")).into_iter().map(|(name, (bytes, _))| (name, bytes)).collect()
    };
    let files = || fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let computed = built(&args);
    let [file] = files().try_into().unwrap();
    let kept = fs::read(&file).unwrap();
    assert!(built(&args) == computed, "read from the cache");
    let mut damaged = kept.clone();
    damaged[kept.len() / 2] ^= 1;
    fs::write(&file, damaged).unwrap();
    assert!(built(&args) == computed, "damaged");
    assert!(fs::read(&file).unwrap() == kept, "made anew");
    fs::remove_dir_all(&cache).unwrap();
    // Nothing can be written there.
    fs::write(&cache, "").unwrap();
    assert!(built(&args) == computed, "without");
}
