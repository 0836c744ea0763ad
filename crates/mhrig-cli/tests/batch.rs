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
