//! `mhrig inspect`, `validate`, `diff` and `convert`: agreement with the reference library through the program, and
//! what they say about files that are none.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use mhrig_testkit::{assert_same_bytes, shared_or_skip, skip};
use serde_json::Value;
use tempfile::TempDir;

fn mhrig(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mhrig")).args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn done(args: &[&str]) -> Output {
    let output = mhrig(args);
    assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
    output
}

fn json(args: &[&str]) -> Value {
    let output = mhrig(&[args, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", stdout(&output)))
}

fn codes(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// The demo human; tests only read it.
fn demo() -> &'static Path {
    static DEMO: OnceLock<TempDir> = OnceLock::new();
    DEMO.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        done(&["demo", text(&dir.path().join("demo"))]);
        dir
    })
    .path()
}

fn head() -> PathBuf {
    demo().join("demo/archetype/head.dna")
}

fn body() -> PathBuf {
    demo().join("demo/archetype/body.dna")
}

/// The reference library's files of one folder.
fn vectors(test: &str, folder: &str) -> Option<Vec<PathBuf>> {
    let folder = shared_or_skip(test, folder)?;
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|suffix| suffix == "dna")).collect();
    files.sort();
    assert!(!files.is_empty());
    Some(files)
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// Numbers to six significant digits, the digits that the reference library writes.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            format!("{:.5e}", number.as_f64().unwrap()).parse::<f64>().unwrap().into()
        }
        Value::Number(number) => number.as_f64().unwrap().into(),
        Value::Array(values) => values.iter().map(rounded).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), rounded(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

#[test]
fn every_vector_survives_the_way_to_json_and_back_byte_for_byte() {
    let test = "every_vector_survives_the_way_to_json_and_back_byte_for_byte";
    let Some(files) = vectors(test, "vectors/dna") else { return };
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let as_json = dir.path().join(format!("{}.json", stem(&file)));
        let back = dir.path().join(format!("{}.dna", stem(&file)));
        done(&["convert", text(&file), text(&as_json)]);
        done(&["convert", text(&as_json), text(&back)]);
        assert_same_bytes(stem(&file), &fs::read(&file).unwrap(), &fs::read(&back).unwrap());
        let again = dir.path().join(format!("{}.again.dna", stem(&file)));
        done(&["convert", text(&file), text(&again)]);
        assert_same_bytes(stem(&file), &fs::read(&file).unwrap(), &fs::read(&again).unwrap());
    }
}

#[test]
fn the_json_is_that_of_the_reference_library() {
    let Some(files) = vectors("the_json_is_that_of_the_reference_library", "vectors/dna") else { return };
    let dir = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for file in files {
        let Ok(reference) = fs::read_to_string(file.with_extension("json")) else { continue };
        let exact = dir.path().join("exact.json");
        let compat = dir.path().join("compat.json");
        done(&["convert", text(&file), text(&exact), "--force"]);
        done(&["convert", text(&file), text(&compat), "--force", "--compat"]);
        assert_same_bytes(stem(&file), reference.as_bytes(), &fs::read(&compat).unwrap());
        // The reference gives the last member of a 2.1 file no name, which is no JSON.
        if stem(&file).ends_with("21") {
            continue;
        }
        let (found, expected): (Value, Value) = (
            serde_json::from_slice(&fs::read(&exact).unwrap()).unwrap(),
            serde_json::from_str(&reference).unwrap(),
        );
        assert!(rounded(&found) == rounded(&expected), "{}", stem(&file));
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
}

#[test]
fn lod_selection_gives_the_bytes_of_the_reference_library() {
    let test = "lod_selection_gives_the_bytes_of_the_reference_library";
    let Some(files) = vectors(test, "vectors/dna/lod") else { return };
    let dir = tempfile::tempdir().unwrap();
    for expected in files {
        let (name, lods) = stem(&expected).split_once(".lods_").unwrap();
        let input = expected.parent().unwrap().parent().unwrap().join(format!("{name}.dna"));
        let output = dir.path().join(format!("{}.dna", stem(&expected)));
        let lods = lods.replace('_', ",");
        done(&["convert", text(&input), text(&output), "--lods", &lods, "--compat"]);
        assert_same_bytes(stem(&expected), &fs::read(&expected).unwrap(), &fs::read(&output).unwrap());
    }
}

#[test]
fn versions_go_up_and_down_and_what_is_lost_is_named() {
    let Some(files) = vectors("versions_go_up_and_down_and_what_is_lost_is_named", "vectors/dna") else {
        return;
    };
    let full = files.iter().find(|file| stem(file) == "full25").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let low = dir.path().join("low.dna");
    let report = json(&["convert", text(full), text(&low), "--format-version", "2.1"]);
    assert_eq!(report["status"], "ok");
    assert_eq!((&report["from_version"], &report["to_version"]), (&"2.5".into(), &"2.1".into()));
    let lost: Vec<&str> =
        report["lost"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    for layer in ["mlbh", "rbfb", "rbfe", "jbmd", "twsw"] {
        assert!(lost.contains(&layer), "{layer} in {lost:?}");
    }
    assert!(codes(&report).contains(&"VERSION_LOSS"));
    let compared = json(&["diff", text(full), text(&low)]);
    assert_eq!(compared["status"], "findings");
    assert_eq!(compared["version"], serde_json::json!(["2.5", "2.1"]));
    assert!(compared["meshes"].as_array().unwrap().is_empty());

    let high = dir.path().join("high.dna");
    let report = json(&["convert", text(&low), text(&high), "--format-version", "2.8"]);
    assert!(report["added"].as_array().unwrap().contains(&"twsw".into()), "{report}");
    done(&["inspect", text(&high)]);
    let refused = mhrig(&["convert", text(&low), text(&high), "--format-version", "2.9", "--force"]);
    assert_eq!(code(&refused), 2);
}

#[test]
fn layers_are_left_out_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("behavior.dna");
    let report = json(&["convert", text(&head()), text(&output), "--layers", "behavior,rbf"]);
    assert_eq!(report["status"], "ok");
    let lost = report["lost"].as_array().unwrap();
    assert!(lost.iter().any(|lost| lost["name"] == "geom"), "{lost:?}");
    let sizes = json(&["inspect", text(&output), "--sizes"]);
    let geometry = sizes["sizes"].as_array().unwrap().iter().find(|size| size["name"] == "geom1.1").unwrap();
    assert_eq!(geometry["bytes"], 4);
    assert!(sizes["counts"].as_array().unwrap().iter().any(|c| c["what"] == "joints" && c["count"] == 293));
}

#[test]
fn the_overview_has_what_tells_rigs_apart() {
    let output = stdout(&done(&["inspect", text(&head())]));
    for word in
        ["version", "DBName", "units", "cm, degrees", "x left, y up, z front", "LOD", "PSD", "channels"]
    {
        assert!(output.contains(word), "{word} in\n{output}");
    }
    let report = json(&["inspect", text(&head())]);
    assert_eq!(report["lods"].as_array().unwrap().len(), 8);
    assert_eq!(report["meshes"].as_array().unwrap().len(), 50);
    assert_eq!(report["translation_unit"], "cm");
}

#[test]
fn joints_are_a_tree_with_local_and_world_positions() {
    let report = json(&["inspect", text(&head()), "--joints"]);
    let joints = report["joints"].as_array().unwrap();
    assert_eq!(joints.len(), 293);
    let root = &joints[0];
    assert!(root["parent"].is_null() && root["depth"] == 0);
    assert_eq!(root["local"], root["world"]);
    for (at, joint) in joints.iter().enumerate().skip(1) {
        let above = joints[..at].iter().rev().find(|above| above["name"] == joint["parent"]).unwrap();
        assert_eq!(joint["depth"].as_u64().unwrap(), above["depth"].as_u64().unwrap() + 1);
    }
    let tree = stdout(&done(&["inspect", text(&head()), "--joints"]));
    assert!(tree.lines().any(|line| line.starts_with("    ")), "{tree}");
}

#[test]
fn each_raw_control_has_a_label_and_its_sources() {
    let report = json(&["inspect", text(&head()), "--controls"]);
    let controls = report["controls"].as_array().unwrap();
    let raw: Vec<&Value> = controls.iter().filter(|control| control["kind"] == "raw").collect();
    assert!(!raw.is_empty());
    for control in &raw {
        let has_gui = !control["sources"]["gui"].as_array().unwrap().is_empty();
        assert_eq!(control["label"] == "gui", has_gui, "{control}");
    }
    let labels: Vec<&str> = controls.iter().map(|control| control["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"gui") && labels.contains(&"rbf"), "{labels:?}");
}

#[test]
fn an_expression_shows_joints_channels_and_correctives_by_its_short_name() {
    let report = json(&["inspect", text(&head()), "--expression", "jawOpen"]);
    let expression = &report["expressions"][0];
    assert!(expression["name"].as_str().unwrap().ends_with("jawOpen"));
    let joints = expression["joints"].as_array().unwrap();
    let jaw = joints.iter().find(|joint| joint["joint"] == "FACIAL_C_Jaw").unwrap();
    let values = jaw["values"].as_object().unwrap();
    assert!(values.values().any(|value| value.as_f64().unwrap().abs() > 5.0), "{values:?}");
    assert!(!jaw["lods"].as_array().unwrap().is_empty());
    assert!(!expression["blend_shape_channels"].as_array().unwrap().is_empty());
    assert!(!expression["correctives"].as_array().unwrap().is_empty());

    let unknown = mhrig(&["inspect", text(&head()), "--expression", "jawOpn"]);
    assert_eq!(code(&unknown), 3);
    assert!(stderr(&unknown).contains("EXPRESSION_UNKNOWN"));
    let alike = mhrig(&["inspect", text(&head()), "--expression", "jaw"]);
    assert!(stderr(&alike).contains("jawOpen"), "{}", stderr(&alike));
}

#[test]
fn every_view_prints_a_table_and_json() {
    for file in [head(), body()] {
        for view in ["--meshes", "--controls", "--psd", "--rbf", "--lods", "--sizes", "--joints"] {
            let output = stdout(&done(&["inspect", text(&file), view]));
            assert!(output.lines().count() > 1, "{view}: {output}");
            assert_eq!(json(&["inspect", text(&file), view])["status"], "ok");
        }
    }
    let sizes = json(&["inspect", text(&head()), "--sizes"]);
    let sum: u64 =
        sizes["sizes"].as_array().unwrap().iter().map(|size| size["bytes"].as_u64().unwrap()).sum();
    assert_eq!(sum, fs::metadata(head()).unwrap().len());
}

#[test]
fn every_vector_can_be_inspected_and_validated_without_surprise() {
    for folder in ["vectors/dna", "vectors/riglogic"] {
        let test = "every_vector_can_be_inspected_and_validated_without_surprise";
        let Some(files) = vectors(test, folder) else { return };
        for file in files {
            let views = ["--meshes", "--controls", "--psd", "--rbf", "--lods", "--sizes", "--joints"];
            done(&[&["inspect", text(&file)], &views[..]].concat());
            for target in ["ue", "maya", "lib"] {
                let output = mhrig(&["validate", text(&file), "--target", target]);
                assert!([0, 1].contains(&code(&output)), "{}: {}", stem(&file), stderr(&output));
            }
        }
    }
}

#[test]
fn the_demo_is_valid_and_the_template_of_itself() {
    for file in [head(), body()] {
        let output = mhrig(&["validate", text(&file), "--against", text(&file), "--all"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains("kept of the template"), "{}", stdout(&output));
    }
    // A person built from the template has all of it but the smallest deltas.
    let dir = tempfile::tempdir().unwrap();
    let (archetype, character) = (demo().join("demo/archetype"), demo().join("demo/character"));
    done(&[
        "build",
        "--archetype",
        text(&archetype),
        text(&character),
        "-o",
        text(dir.path()),
        "--name",
        "me",
        "-q",
    ]);
    for part in ["head", "body"] {
        let (built, template) =
            (dir.path().join(format!("me_{part}.dna")), archetype.join(format!("{part}.dna")));
        let output = mhrig(&["validate", text(&built), "--against", text(&template), "--target", "ue"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }

    let report = json(&["validate", text(&body()), "--against", text(&head())]);
    assert_eq!(report["status"], "findings");
    assert!(codes(&report).contains(&"COUNT_CHANGED"), "{:?}", codes(&report));
}

#[test]
fn findings_have_a_path_a_code_and_unreals_word() {
    let dir = tempfile::tempdir().unwrap();
    let as_json = dir.path().join("head.json");
    let broken = dir.path().join("head.dna");
    done(&["convert", text(&head()), text(&as_json), "--lods", "0"]);
    let mut model: Value = serde_json::from_slice(&fs::read(&as_json).unwrap()).unwrap();
    let mesh = &mut model["geom1.1"]["meshes"][0];
    mesh["skinWeights"][5]["weights"][0] = (-0.5).into();
    mesh["positions"]["xs"][7] = serde_json::json!({"f32": "7fc00000"});
    model["defn1.1"]["jointHierarchy"][3] = 9999.into();
    fs::write(&as_json, serde_json::to_vec(&model).unwrap()).unwrap();
    done(&["convert", text(&as_json), text(&broken)]);

    let report = json(&["validate", text(&broken), "--target", "ue"]);
    assert_eq!(report["status"], "findings");
    let findings = report["findings"].as_array().unwrap();
    let of = |code: &str| findings.iter().find(|f| f["code"] == code).unwrap_or_else(|| panic!("{code}"));
    assert_eq!(of("NOT_FINITE")["unreal"], "InvalidHeadMesh");
    assert!(
        of("NOT_FINITE")["where"]
            .as_str()
            .unwrap()
            .contains("geom.meshes[0].positions.xs[7] (head_lod0_mesh)")
    );
    assert_eq!(of("INDEX_RANGE")["unreal"], "InvalidInputBones");
    let output = mhrig(&["validate", text(&broken)]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("error[INDEX_RANGE, Unreal: InvalidInputBones]"), "{}", stderr(&output));
}

#[test]
fn a_difference_is_told_in_joints_and_vertices_and_ends_with_1() {
    done(&["diff", text(&head()), text(&head())]);
    let dir = tempfile::tempdir().unwrap();
    let as_json = dir.path().join("head.json");
    let moved = dir.path().join("moved.dna");
    done(&["convert", text(&head()), text(&as_json)]);
    let mut model: Value = serde_json::from_slice(&fs::read(&as_json).unwrap()).unwrap();
    let joints = model["defn1.1"]["jointNames"].as_array().unwrap();
    let jaw = joints.iter().position(|name| name == "FACIAL_C_Jaw").unwrap();
    let x = &mut model["defn1.1"]["neutralJointTranslations"]["xs"][jaw];
    *x = (x.as_f64().unwrap() as f32 + 0.25).into();
    let y = &mut model["geom1.1"]["meshes"][0]["positions"]["ys"][11];
    *y = (y.as_f64().unwrap() as f32 - 0.5).into();
    fs::write(&as_json, serde_json::to_vec(&model).unwrap()).unwrap();
    done(&["convert", text(&as_json), text(&moved)]);

    let output = mhrig(&["diff", text(&head()), text(&moved)]);
    assert_eq!(code(&output), 1);
    for word in ["FACIAL_C_Jaw", "head_lod0_mesh", "moved", "near joint", "0.5000"] {
        assert!(stdout(&output).contains(word), "{word} in\n{}", stdout(&output));
    }
    let report = json(&["diff", text(&head()), text(&moved)]);
    assert_eq!(report["meshes"][0]["farthest_vertex"], 11);
    assert!((report["meshes"][0]["greatest_distance"].as_f64().unwrap() - 0.5).abs() < 1e-5);
    done(&["diff", text(&head()), text(&moved), "--tolerance", "0.51"]);
    assert_eq!(code(&mhrig(&["diff", text(&head()), text(&moved), "--tolerance", "-1"])), 2);
}

#[test]
fn files_that_are_no_dna_are_named_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &str); 8] = [
        (
            "pointer.dna",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            "git lfs pull",
        ),
        ("empty.dna", b"", "an empty file"),
        ("json.dna", b"{\"signature\": {}}", "mhrig convert"),
        ("zip.dna", b"PK\x03\x04rest of it", "a ZIP archive"),
        ("gzip.dna", b"\x1f\x8b\x08\0\0\0\0\0", "gunzip"),
        ("text.dna", b"v 0 0 0\n", "a text"),
        ("generation.dna", b"DNA\0\x03\0\x01\0\0\0\0", "2.1 to 2.8"),
        ("cut.dna", b"DNA\0\x02\0\x05\0\0\0\x09", "cut off or damaged"),
    ];
    let out = dir.path().join("out.dna");
    for (name, bytes, word) in cases {
        let file = dir.path().join(name);
        fs::write(&file, bytes).unwrap();
        let runs: [&[&str]; 4] = [
            &["inspect", text(&file)],
            &["validate", text(&file)],
            &["diff", text(&file), text(&file)],
            &["convert", text(&file), text(&out)],
        ];
        for args in runs {
            let output = mhrig(args);
            assert_eq!(code(&output), 3, "{args:?}");
            let message = stderr(&output);
            for word in [word, name, "DNA_UNREADABLE", "what to do"] {
                assert!(message.contains(word), "{word} in {message}");
            }
            assert!(!out.exists());
        }
    }
    for (path, word) in [(dir.path().to_owned(), "a folder"), (dir.path().join("none.dna"), "check the path")]
    {
        let output = mhrig(&["inspect", text(&path)]);
        assert_eq!(code(&output), 3);
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_must_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("secret.dna");
    fs::write(&file, b"DNA").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_ok() {
        skip("a_file_that_must_not_be_read_is_named", "this user may read everything");
        return;
    }
    let output = mhrig(&["inspect", text(&file)]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("ask for the right to read"), "{}", stderr(&output));
}

#[test]
fn json_that_is_none_is_named_too() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.dna");
    let cases: [(&str, &[u8], &str); 6] = [
        (
            "pointer.json",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n",
            "git lfs pull",
        ),
        ("empty.json", b"", "an empty file"),
        ("dna.json", b"DNA\0\x02\0\x05", "name it .dna"),
        ("zip.json", b"PK\x03\x04", "a ZIP archive"),
        ("other.json", b"{\"hello\": 1}", "line 1, column"),
        ("cut.json", b"{\"signature\": {\"data\": {\"value\": [\"D\"", "line 1, column"),
    ];
    for (name, bytes, word) in cases {
        let file = dir.path().join(name);
        fs::write(&file, bytes).unwrap();
        let output = mhrig(&["convert", text(&file), text(&out)]);
        assert_eq!(code(&output), 3, "{name}");
        assert!(stderr(&output).contains("JSON_UNREADABLE"), "{}", stderr(&output));
        assert!(stderr(&output).contains(word), "{word} in {}", stderr(&output));
        assert!(!out.exists());
    }
    let with_mark = dir.path().join("mark.json");
    done(&["convert", text(&body()), text(&with_mark), "--layers", "definition"]);
    let marked = [b"\xef\xbb\xbf".to_vec(), fs::read(&with_mark).unwrap()].concat();
    fs::write(&with_mark, marked).unwrap();
    done(&["convert", text(&with_mark), text(&out)]);
}

#[test]
fn a_newer_version_is_inspected_as_far_as_it_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("newer.dna");
    let mut bytes = fs::read(body()).unwrap();
    bytes[6] = 9;
    fs::write(&file, &bytes).unwrap();
    let output = done(&["inspect", text(&file)]);
    assert!(stderr(&output).contains("VERSION_NEWER") && stderr(&output).contains("2.1 to 2.8"));
    assert!(stdout(&output).contains("2.9"));

    // A geometry of another form does not keep the rest from being shown.
    let sizes = json(&["inspect", text(&body()), "--sizes"]);
    let layers = sizes["sizes"].as_array().unwrap();
    let before = layers.iter().take_while(|layer| layer["name"] != "geom1.1");
    let start: u64 = before.map(|layer| layer["bytes"].as_u64().unwrap()).sum();
    bytes[start as usize..start as usize + 4].fill(0xff);
    fs::write(&file, &bytes).unwrap();
    let report = json(&["inspect", text(&file), "--joints"]);
    assert_eq!(report["status"], "ok");
    assert_eq!(report["joints"].as_array().unwrap().len(), 143);
    assert!(codes(&report).contains(&"DNA_UNREADABLE"));
    assert_eq!(code(&mhrig(&["validate", text(&file)])), 3);
}

#[test]
fn an_existing_file_stays_unless_it_is_forced() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.dna");
    fs::write(&out, b"old").unwrap();
    let refused = mhrig(&["convert", text(&body()), text(&out)]);
    assert_eq!(code(&refused), 4);
    assert_eq!(fs::read(&out).unwrap(), b"old");
    done(&["convert", text(&body()), text(&out), "--force"]);
    assert_same_bytes("body", &fs::read(body()).unwrap(), &fs::read(&out).unwrap());
    assert_eq!(fs::read(dir.path().join("a.dna.bak")).unwrap(), b"old");
    // A file may be converted into itself.
    done(&["convert", text(&out), text(&out), "--lods", "0", "--force"]);
    assert_same_bytes("backup", &fs::read(body()).unwrap(), &fs::read(dir.path().join("a.dna.bak")).unwrap());

    assert_eq!(code(&mhrig(&["convert", text(&body()), text(&dir.path().join("a.txt"))])), 2);
    let missing = mhrig(&["convert", text(&body()), text(&dir.path().join("b.dna")), "--lods", "0,9"]);
    assert_eq!(code(&missing), 3);
    assert!(stderr(&missing).contains("LOD 9 does not exist"), "{}", stderr(&missing));
}
