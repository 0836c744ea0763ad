//! Files made to break readers: cut, changed, claiming more than they hold.
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write as _;

use common::{codes, names, read, read_bytes};
use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{ReadOptions, SceneError, read_mesh_bytes, read_skins};
use proptest::prelude::*;

const OBJ: &str =
    "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 -1/1/1\no b\nv 0 0 1 \\\n\nf 1 2 4\n";
const MA: &str = r#"//Maya ASCII 2024 scene
file -r -ns "n" -rfn "nRN" "c:/n.ma";
requires maya "2024";
currentUnit -l cm -a deg;
createNode transform -n "g"; setAttr ".t" -type "double3" 1 2 3; setAttr ".opm" -type "matrix" 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1;
createNode mesh -n "s" -p "g";
setAttr ".pt[1]" -type "float3" 0 0 1;
setAttr ".uvst[0].uvsn" -type "string" "map\"1";
setAttr -s 3 ".uvst[0].uvsp[0:2]" -type "float2" 0 0 1 0 1 1;
setAttr -s 3 ".vt[0:2]"  0 0 0 1 0 0 1 1 0;
setAttr -s 3 ".ed[0:2]"  0 1 0 1 2 0 2 0 0;
setAttr ".fc[0]" -type "polyFaces" f 3 0 1 2 mu 0 3 0 1 2 h 3 -1 -3 -2;
createNode transform -n "i"; parent -s -nc -r -add "|g|s" "i";
createNode mesh -n "d" -p "i"; createNode tweak -n "t"; setAttr ".vl[0].vt[0]" 1 1 1;
connectAttr "s.w" "t.ip[0].ig"; connectAttr "t.og[0]" "d.i"; /* end */ // end
"#;

#[test]
fn the_samples_are_good() {
    assert_eq!(names(&read("a.obj", OBJ)), ["a", "b"]);
    assert_eq!(names(&read("a.ma", MA)), ["g", "i", "i"]);
}

#[test]
fn files_cut_anywhere_are_no_crash() {
    for (name, text) in [("a.obj", OBJ), ("a.ma", MA)] {
        for end in 0..text.len() {
            let _ = read_bytes(name, &text.as_bytes()[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn changed_bytes_are_no_crash(
        which in 0..2usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b" -.0123459;\"[]:|f/\\*\n\xff\0ahmeu".to_vec())), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let (name, text) = [("a.obj", OBJ), ("a.ma", MA)][which];
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let from = cut.index(bytes.len());
        let _ = read_bytes(name, &bytes);
        // a piece repeated in another place
        bytes.extend_from_within(from..(from + 60).min(bytes.len()));
        let _ = read_bytes(name, &bytes);
    }
}

#[test]
fn claims_are_not_believed() {
    let head = "createNode transform -n \"g\";createNode mesh -n \"s\" -p \"g\";";
    let cases = [
        "setAttr -s 4000000000 \".vt[0:3999999999]\" 0 0 0;",
        "setAttr \".vt[4294967295]\" 0 0 0;",
        "setAttr \".ed[4294967290:4294967295]\" 0 0 0;",
        "setAttr \".fc[0:4294967295]\" -type \"polyFaces\" f 4294967295 0 1 2;",
        "setAttr \".uvst[4294967295].uvsp[0:4294967295]\" -type \"float2\" 0 0;",
        "setAttr \".pt[4294967295]\" -type \"float3\" 0 0 1;",
    ];
    for case in cases {
        let scene = read("a.ma", &format!("{head}{case}"));
        assert_eq!((scene.meshes.len(), scene.broken.len()), (0, 1), "{case}");
    }
    let sets: String =
        (0..1000).map(|set| format!("setAttr \".uvst[{set}].uvsn\" -type \"string\" \"m\";")).collect();
    assert_eq!(codes(&read("a.ma", &format!("{head}{sets}"))), ["FILE_MALFORMED"]);
}

#[test]
fn influences_beyond_the_last_that_can_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ma");
    let job = Job { progress: &Silent, cancel: &Cancel::default() };
    let skins = |values: &str| {
        let text = format!(
            "createNode transform -n \"g\"; createNode mesh -n \"s\" -p \"g\"; createNode skinCluster -n \"k\";\n\
             setAttr \".wl[0].w[65535{values};\nconnectAttr \"k.og[0]\" \"s.i\";\n"
        );
        std::fs::write(&file, text).unwrap();
        read_skins(&file, job)
    };
    assert_eq!(skins("]\" 0.5").unwrap()[0].influences, [[(65535, 0.5)]]);
    assert_eq!(skins(":65536]\" 0.5 0").unwrap()[0].influences, [[(65535, 0.5)]]);
    let error = skins(":65536]\" 0.5 0.5").unwrap_err();
    assert!(error.code() == "FILE_MALFORMED" && error.place().contains("a.ma:2"), "{error}");
}

#[test]
fn parents_in_a_circle_and_instances_without_end_are_cut() {
    let square = "setAttr \".vt[0:2]\" 0 0 0 1 0 0 1 1 0;setAttr \".ed[0:2]\" 0 1 0 1 2 0 2 0 0;setAttr \".fc[0]\" -type \"polyFaces\" f 3 0 1 2;";
    let circle = format!(
        "createNode transform -n \"a\";createNode transform -n \"b\" -p \"a\";createNode mesh -n \"s\" -p \"b\";{square}parent -r -add \"a\" \"b\";"
    );
    let scene = read("a.ma", &circle);
    assert!(codes(&scene).contains(&"TOO_MANY_INSTANCES"));
    // forty levels with two parents each: 2^40 paths
    let mut doubled = "createNode transform -n \"n0\";".to_owned();
    for level in 1..40 {
        let above = level - 1;
        write!(doubled, "createNode transform -n \"n{level}\" -p \"n{above}\";createNode transform -n \"m{level}\" -p \"n{above}\";").unwrap();
        if level > 1 {
            write!(doubled, "parent -r -add \"n{level}\" \"m{above}\";").unwrap();
        }
    }
    write!(doubled, "createNode mesh -n \"s\" -p \"n39\";{square}").unwrap();
    let scene = read("a.ma", &doubled);
    assert!(!scene.meshes.is_empty() && scene.meshes.len() <= 64, "{}", scene.meshes.len());
    assert_eq!(codes(&scene), ["TOO_MANY_INSTANCES"]);
    let mut deep = String::new();
    for level in 0..100_000 {
        let parent = if level == 0 { String::new() } else { format!(" -p \"n{}\"", level - 1) };
        write!(deep, "createNode transform -n \"n{level}\"{parent};").unwrap();
    }
    write!(deep, "createNode mesh -n \"s\" -p \"n99999\";{square}").unwrap();
    let scene = read("a.ma", &deep);
    assert_eq!((scene.meshes.len(), codes(&scene)), (0, vec!["TOO_MANY_INSTANCES"]));
}

#[test]
fn many_equal_names_and_shared_parts_are_told_apart() {
    const MANY: usize = 50_000;
    let square = "setAttr \".vt[0:2]\" 0 0 0 1 0 0 1 1 0;setAttr \".ed[0:2]\" 0 1 0 1 2 0 2 0 0;setAttr \".fc[0]\" -type \"polyFaces\" f 3 0 1 2;";
    // one name for all nodes
    let mut same = String::new();
    for _ in 0..MANY {
        write!(same, "createNode transform -n \"g\";createNode mesh -n \"s\" -p \"g\";{square}").unwrap();
    }
    let scene = read("a.ma", &same);
    assert_eq!(scene.meshes.len(), MANY);
    let found = scene.resolve(&["g"]);
    assert!(
        found.meshes[0].is_none() && found.findings[0].found.as_ref().unwrap().ends_with("and 49992 more")
    );
    // shapes whose history runs through one node
    let mut history =
        format!("createNode transform -n \"o\";createNode mesh -n \"oShape\" -p \"o\";{square}");
    for at in 0..MANY {
        write!(history, "createNode transform -n \"g{at}\";createNode mesh -n \"s{at}\" -p \"g{at}\";connectAttr \"oShape.w\" \"w.ip[{at}].ig\";connectAttr \"w.og[{at}]\" \"s{at}.i\";").unwrap();
    }
    assert_eq!(read("a.ma", &history).meshes.len(), MANY + 1);
    // tweaks of one vertex, over and over
    let mut tweaks = "createNode transform -n \"o\";createNode mesh -n \"s\" -p \"o\";".to_owned();
    for _ in 0..MANY {
        tweaks += "setAttr \".pt[1]\" -type \"float3\" 0 0 1;";
    }
    assert_eq!(read("a.ma", &(tweaks + square)).meshes[0].mesh.positions[1], [1.0, 0.0, 1.0]);
    // objects and groups of an OBJ
    let mut obj = String::new();
    for at in 0..MANY {
        write!(obj, "o p{at}\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng a b c d\nf -1 -2 -3\n").unwrap();
    }
    assert_eq!(read("a.obj", &obj).meshes.len(), MANY);
    let mut shared = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".repeat(MANY);
    for at in 0..MANY {
        write!(shared, "o p{}\nf {} 2 {}\n", at % 1000, at + 1, at + 3).unwrap();
    }
    assert_eq!(read("a.obj", &shared).meshes.len(), 1000);
    let groups = format!("g {}\n", "name ".repeat(MANY));
    let faces = "f 1 2 3\n".repeat(MANY);
    let scene = read("a.obj", &format!("{groups}v 0 0 0\nv 1 0 0\nv 0 1 0\n{faces}"));
    assert_eq!(scene.meshes[0].mesh.faces.len(), MANY);
    let long = format!("o {}\n", "x".repeat(1 << 20));
    let switching = "g a\nf 1 2 3\ng b\nf 1 2 3\n".repeat(MANY);
    let scene = read("a.obj", &format!("{long}v 0 0 0\nv 1 0 0\nv 0 1 0\n{switching}"));
    assert_eq!(scene.meshes[0].mesh.faces.len(), 2 * MANY);
}

#[test]
fn a_string_without_end_is_not_kept() {
    // skipped strings may be of any length; one that matters has a limit
    let long = "x".repeat(40 << 20);
    let finding = read_bytes("a.ma", format!("createNode transform -n \"{long}\";").as_bytes())
        .unwrap_err()
        .to_finding();
    assert_eq!(finding.code, "TOO_MANY");
    let skipped = format!("createNode script -n \"s\";setAttr \".b\" -type \"string\" \"{long}\";");
    assert_eq!(read_bytes("a.ma", skipped.as_bytes()).unwrap_err().code(), "NO_MESH");
}

#[test]
fn a_cancelled_job_stops() {
    let cancel = Cancel::default();
    cancel.cancel();
    let job = Job { progress: &Silent, cancel: &cancel };
    for (name, text) in [("a.obj", OBJ), ("a.ma", MA)] {
        let result = read_mesh_bytes(name.as_ref(), text.as_bytes(), &ReadOptions::default(), job);
        assert!(matches!(result, Err(SceneError::Cancelled(_))), "{name}");
    }
}
