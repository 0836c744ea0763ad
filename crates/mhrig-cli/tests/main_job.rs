//! The program itself: exit codes, what goes to stdout and stderr, what is left on disk.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// One demo for all tests; they only read it.
fn demo() -> &'static Path {
    static DEMO: OnceLock<TempDir> = OnceLock::new();
    DEMO.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let output = mhrig(&["demo", text(&dir.path().join("demo"))]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        dir
    })
    .path()
}

fn archetype() -> PathBuf {
    demo().join("demo/archetype")
}

fn character() -> PathBuf {
    demo().join("demo/character")
}

#[test]
fn the_demo_runs_and_prints_the_accuracy_table() {
    let dir = tempfile::tempdir().unwrap();
    let output = mhrig(&["demo", text(&dir.path().join("d")), "--run"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = stdout(&output);
    for word in ["distance to the true joints", "1 mapping surface", "total", "no fit", "seam:", "stages, ms"]
    {
        assert!(table.contains(word), "{word} in\n{table}");
    }
    for file in
        ["archetype/rig.json", "character/scene.ma", "truth/joints.csv", "out/dev01_young_woman_head.dna"]
    {
        assert!(dir.path().join("d").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_report_in_json_has_the_common_keys_and_nothing_else_is_on_stdout() {
    let dir = tempfile::tempdir().unwrap();
    let (archetype, character) = (archetype(), character());
    let out = dir.path().join("out");
    let args = [
        "build",
        "--archetype",
        text(&archetype),
        "-o",
        text(&out),
        "--name",
        "me",
        text(&character),
        "--json",
    ];
    let output = mhrig(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["status"], "ok");
    for key in
        ["tool", "findings", "stages", "joints", "strategies", "filled", "retention", "archetype", "outputs"]
    {
        assert!(!report[key].is_null(), "{key}");
    }
    for key in ["name", "strategy", "confidence", "position"] {
        assert!(!report["joints"][0][key].is_null(), "joints[0].{key}");
    }
    let written = fs::read_to_string(out.join("me_report.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(written["joints"], report["joints"]);
}

#[test]
fn the_check_says_ok_with_0_and_findings_with_1() {
    let (archetype, character) = (archetype(), character());
    let good = mhrig(&["check", "--archetype", text(&archetype), text(&character)]);
    assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
    let head = character.join("head_lod0_mesh.obj");
    let partial = mhrig(&["check", "--archetype", text(&archetype), text(&head), "--head-only"]);
    assert_eq!(partial.status.code(), Some(1));
    assert!(stderr(&partial).contains("error[MESH_MISSING]: teeth_lod0_mesh"), "{}", stderr(&partial));
    assert!(stdout(&partial).contains("missing"));
}

#[test]
fn joints_are_written_with_the_columns_that_are_promised() {
    let dir = tempfile::tempdir().unwrap();
    let joints = dir.path().join("joints.csv");
    let (archetype, character) = (archetype(), character());
    let truth = demo().join("demo/truth/joints.csv");
    let args = [
        "fit",
        "--archetype",
        text(&archetype),
        text(&character),
        "--truth",
        text(&truth),
        "-o",
        text(&joints),
    ];
    let output = mhrig(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let written = fs::read_to_string(&joints).unwrap();
    assert_eq!(written.lines().next(), Some("joint,x,y,z"));
    assert_eq!(written.lines().count(), 1 + 409);
    assert!(stdout(&output).contains("total without shared constraint"));
}

#[test]
fn exit_codes_tell_usage_input_and_environment_apart() {
    let (archetype, character) = (archetype(), character());
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let build = |archetype: &str, meshes: &str, out: &str, name: &str| {
        mhrig(&["build", "--archetype", archetype, "-o", out, "--name", name, meshes])
    };
    let usage = mhrig(&["build"]);
    assert_eq!(usage.status.code(), Some(2));
    let bad_name = build(text(&archetype), text(&character), text(&out), "a/b");
    assert_eq!(bad_name.status.code(), Some(2), "{}", stderr(&bad_name));
    let no_effect = mhrig(&["demo", "x", "--seed", "3"]);
    assert_eq!(no_effect.status.code(), Some(2), "{}", stderr(&no_effect));
    assert!(stderr(&no_effect).contains("--size full"), "{}", stderr(&no_effect));
    let no_mesh = build(text(&archetype), "nowhere.obj", text(&out), "x");
    assert_eq!(no_mesh.status.code(), Some(3), "{}", stderr(&no_mesh));
    assert!(stderr(&no_mesh).contains("nowhere.obj") && stderr(&no_mesh).contains("what to do"));
    let no_archetype = build(text(&dir.path().join("none")), text(&character), text(&out), "x");
    assert_eq!(no_archetype.status.code(), Some(3), "{}", stderr(&no_archetype));
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    let no_folder = build(text(&archetype), text(&character), text(&file.join("out")), "x");
    assert_eq!(no_folder.status.code(), Some(4), "{}", stderr(&no_folder));
    assert!(!out.exists());
}

#[test]
fn names_with_spaces_and_beyond_ascii_work() {
    let dir = tempfile::tempdir().unwrap();
    let (archetype, character) = (archetype(), character());
    let out = dir.path().join("输出 folder");
    let args =
        ["build", "--archetype", text(&archetype), "-o", text(&out), "--name", "张 三", text(&character)];
    let output = mhrig(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(out.join("张 三_head.dna").is_file());
}

#[test]
fn help_lists_only_verbs_that_work() {
    let help = stdout(&mhrig(&["--help"]));
    let verbs = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let verbs = verbs.take_while(|line| !line.trim().is_empty());
    // Long descriptions go on in lines that are indented further.
    let verbs = verbs.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    for verb in verbs.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help") {
        let output = mhrig(&[verb, "--help"]);
        assert_eq!(output.status.code(), Some(0), "{verb}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_build_with_130_and_leaves_nothing() {
    use std::io::Write;
    use std::process::Stdio;
    use std::time::Duration;

    let dir = tempfile::tempdir().unwrap();
    let archetype = archetype();
    // The program waits for the mesh in this pipe, so the signal meets it at work, however fast the machine.
    let pipe = dir.path().join("head_lod0_mesh.obj");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let out = dir.path().join("out");
    let args = ["build", "--archetype", text(&archetype), "-o", text(&out), "--name", "x", text(&pipe)];
    let mut program = Command::new(env!("CARGO_BIN_EXE_mhrig"));
    let mut child = program.args(args).stderr(Stdio::null()).spawn().unwrap();
    let mut mesh = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    mesh.write_all(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    // The flag is raised by a thread of the program; give it all the time it may need.
    std::thread::sleep(Duration::from_millis(500));
    mesh.write_all(b"f 1 2 3\n").unwrap();
    drop(mesh);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!out.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_is_an_environment_failure_and_no_panic() {
    let (archetype, character) = (archetype(), character());
    for json in [&[][..], &["--json"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_mhrig"));
        let program = program.args(["check", "--archetype", text(&archetype), text(&character)]).args(json);
        let output = program.stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
        assert!(stderr(&output).contains("standard output"));
    }
}

#[test]
fn meshes_in_inches_are_diagnosed_and_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let (archetype, character) = (archetype(), character());
    let inches = dir.path().join("inches");
    fs::create_dir(&inches).unwrap();
    for entry in fs::read_dir(&character).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|suffix| suffix != "obj") {
            continue;
        }
        let scaled = fs::read_to_string(&file).unwrap();
        let scaled = scaled.lines().map(|line| match line.strip_prefix("v ") {
            Some(numbers) => {
                let numbers = numbers.split(' ').map(|n| (n.parse::<f64>().unwrap() / 2.54).to_string());
                format!("v {}\n", numbers.collect::<Vec<_>>().join(" "))
            }
            None => format!("{line}\n"),
        });
        fs::write(inches.join(file.file_name().unwrap()), scaled.collect::<String>()).unwrap();
    }
    let check = mhrig(&["check", "--archetype", text(&archetype), text(&inches)]);
    assert_eq!(check.status.code(), Some(1));
    assert!(stderr(&check).contains("UNIT_FACTOR"), "{}", stderr(&check));
    let repaired = dir.path().join("repaired");
    let args =
        ["repair", "--archetype", text(&archetype), text(&inches), "--fix", "unit", "-o", text(&repaired)];
    let repair = mhrig(&args);
    assert!(repaired.join("head_lod0_mesh.obj").is_file(), "{}", stderr(&repair));
    let again = mhrig(&["check", "--archetype", text(&archetype), text(&repaired)]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
}

#[test]
fn a_command_line_that_is_not_understood_gives_a_report_in_json_too() {
    for args in
        [&["inspect", "--json"][..], &["inspect", "a.dna", "--jonts", "--json"], &["--json", "nonsense"]]
    {
        let output = mhrig(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["status"], "refused");
        assert_eq!(report["findings"][0]["code"], "USAGE");
        assert!(!report["findings"][0]["message"].as_str().unwrap().is_empty());
        assert!(stderr(&output).contains("error: "), "{}", stderr(&output));
    }
    assert!(mhrig(&["inspect"]).stdout.is_empty());
}

#[test]
fn an_archetype_without_its_mapping_folder_says_so() {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(archetype()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let output = mhrig(&["check", "--archetype", text(dir.path()), text(&character()), "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let missing = findings.iter().find(|finding| finding["code"] == "MAPPING_MISSING").unwrap();
    assert!(missing["where"].as_str().unwrap().ends_with("vertex_joint_mapping"), "{missing}");
}
