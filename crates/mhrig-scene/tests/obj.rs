//! Wavefront OBJ: what names a mesh, which lines are legal, and what is said about those that are not.
#![allow(clippy::unwrap_used)]

mod common;

use common::{codes, error, finding, names, place, read, read_bytes, read_bytes_with};
use mhrig_report::Severity;
use mhrig_scene::{ReadOptions, SceneError, UpAxis};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn polygons_and_texture_corners_are_read() {
    let scene = read(
        "quad.obj",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nvt 0 0\nvt 1 0 0\nvt .5 1\nvn 0 0 1\n\
         f 1/1/1 2/2/1 3/3/1 4/1/1\nf 2/1 5/2 3/3\n",
    );
    let mesh = &scene.meshes[0].mesh;
    assert_eq!(mesh.faces.iter().collect::<Vec<_>>(), [&[0, 1, 2, 3][..], &[1, 4, 2]]);
    let uv = mesh.uv.as_ref().unwrap();
    assert_eq!(uv.coords, [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]);
    assert_eq!(uv.corners, [0, 1, 2, 0, 0, 1, 2]);
    assert!(codes(&scene).is_empty());
}

#[test]
fn indices_may_count_back_and_lines_may_continue() {
    let text = "\u{feff}# a comment\r\nv 0 0 \\\r\n0\r\n\tv\t1 0 0 1.0\r\nv 0 1 0 0.5 0.5 0.5\r\nf -3 -2 \\\n -1\r\n";
    let scene = read("a.obj", text);
    assert_eq!(scene.meshes[0].mesh.faces.face(0), [0, 1, 2]);
    assert_eq!(scene.meshes[0].mesh.positions, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
}

#[test]
fn carriage_returns_alone_end_lines_too() {
    let scene = read("a.obj", &format!("# of an old program\n{TRIANGLE}").replace('\n', "\r"));
    assert_eq!(scene.meshes[0].mesh.positions, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    assert!(codes(&scene).is_empty());
}

#[test]
fn an_index_may_point_forwards() {
    assert_eq!(read("a.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").meshes[0].mesh.faces.face(0), [0, 1, 2]);
}

#[test]
fn a_file_without_names_gives_its_own() {
    for header in ["", "o default\n", "g default\n", "o Object.1\n", "g (null)\n", "o polySurface3\n", "g\n"]
    {
        let scene = read("head_lod0_mesh.obj", &format!("{header}{TRIANGLE}"));
        assert_eq!(names(&scene), ["head_lod0_mesh"], "{header}");
    }
    let scene = read("file.obj", &format!("o rig:head_lod0_mesh\n{TRIANGLE}"));
    assert_eq!(names(&scene), ["head_lod0_mesh"]);
    assert_eq!(scene.meshes[0].path, "|rig:head_lod0_mesh");
}

#[test]
fn a_mesh_is_found_by_its_file_when_nothing_is_called_so() {
    let scene = read("head_lod0_mesh.obj", &format!("o Basemesh\n{TRIANGLE}"));
    assert_eq!(names(&scene), ["Basemesh"]);
    let found = scene.resolve(&["head_lod0_mesh", "teeth_lod0_mesh"]);
    assert_eq!(found.meshes[0].unwrap().name, "Basemesh");
    assert!(found.meshes[1].is_none() && found.findings.is_empty());
}

#[test]
fn objects_are_meshes_with_vertices_of_their_own() {
    let scene = read(
        "all.obj",
        "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nvt 0 0\nvt 1 1\nf 1/1 2/2 3/1\n\
         o b\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 5 6 7\n",
    );
    assert_eq!(names(&scene), ["a", "b"]);
    // a vertex that no face uses still belongs to the object that lists it
    assert_eq!(scene.meshes[0].mesh.positions.len(), 4);
    assert_eq!(scene.meshes[0].mesh.uv.as_ref().unwrap().corners, [0, 1, 0]);
    assert_eq!(scene.meshes[1].mesh.positions, [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0]]);
    assert_eq!(scene.meshes[1].mesh.faces.face(0), [0, 1, 2]);
    assert_eq!(scene.meshes[1].line, Some(13));
}

#[test]
fn objects_may_share_one_list_of_vertices() {
    let scene = read("all.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 7 7 7\no a\nf 1 2 3\no b\nf 2 4 3\n");
    assert_eq!(names(&scene), ["a", "b"]);
    assert_eq!(scene.meshes[1].mesh.positions, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]);
    assert_eq!(scene.meshes[1].mesh.faces.face(0), [0, 2, 1]);
}

#[test]
fn groups_with_vertices_of_their_own_are_meshes_as_maya_writes_them() {
    let part = |name: &str, first: usize| {
        let [a, b, c] = [first, first + 1, first + 2];
        format!(
            "g default\nv 0 0 0\nv 1 0 0\nv 0 1 0\ns off\ng {name}\nusemtl initialShadingGroup\nf {a} {b} {c}\n"
        )
    };
    let scene = read("all.obj", &format!("{}{}", part("head_lod0_mesh", 1), part("teeth_lod0_mesh", 4)));
    assert_eq!(names(&scene), ["head_lod0_mesh", "teeth_lod0_mesh"]);
}

#[test]
fn a_mesh_is_called_what_the_fewest_others_are_called() {
    // as Maya writes |character|parts|head, |character|parts|teeth, |character|eyes|eye and |character|eyes|eye|shell
    let groups = [
        "head parts character",
        "parts character rig:teeth",
        "character eye eyes",
        "character eye eyes shell",
    ];
    let mut text = String::new();
    for (at, groups) in groups.iter().enumerate() {
        let [a, b, c] = [1, 2, 3].map(|corner| 3 * at + corner);
        text += &format!("g default\nv {at} 0 0\nv 1 {at} 0\nv 0 1 {at}\ng {groups}\nf {a} {b} {c}\n");
    }
    let scene = read("all.obj", &text);
    assert_eq!(names(&scene), ["head", "teeth", "eye", "shell"]);
    assert_eq!(scene.meshes[1].path, "|rig:teeth");
    assert!(scene.meshes.iter().all(|mesh| mesh.other_names.is_empty()));
    let scene = read("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng default head character\nf 1 2 3\n");
    assert_eq!(names(&scene), ["head"]);
}

#[test]
fn groups_that_share_vertices_name_faces_of_one_mesh() {
    let scene = read("head.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng lips\nf 1 2 3\ng chin\nf 2 4 3\n");
    assert_eq!(names(&scene), ["head"]);
    assert_eq!((scene.meshes[0].mesh.positions.len(), scene.meshes[0].mesh.faces.len()), (4, 2));
}

#[test]
fn unit_and_up_axis_are_applied_when_the_caller_knows_them() {
    let text = "v 1 2 3\nv 2 2 3\nv 1 2 4\nf 1 2 3\n";
    let options = ReadOptions { unit_cm: Some(100.0), up_axis: Some(UpAxis::Z), ..ReadOptions::default() };
    let scene = read_bytes_with("a.obj", text.as_bytes(), &options).unwrap();
    assert_eq!(scene.meshes[0].mesh.positions[0], [100.0, 300.0, -200.0]);
    assert!(!scene.meshes[0].transform.is_identity());
    assert!(!scene.meshes[0].transform.is_mirrored());
}

#[test]
fn positions_that_are_no_numbers_are_findings_with_the_vertex() {
    for (word, shown) in [("nan", "NaN"), ("inf", "inf"), ("-1.#IND", "NaN"), ("1e39", "inf")] {
        let scene = read("head.obj", &format!("{TRIANGLE}v 0 {word} 0\nv {word} 0 0\nf 1 4 5\n"));
        let finding = finding(&scene, "POSITION_NOT_FINITE");
        assert_eq!(finding.severity, Severity::Error);
        assert_eq!(place(finding), "head.obj:4: |head: vertex 3");
        assert!(finding.message.starts_with("2 of 5 vertex positions"), "{}", finding.message);
        assert_eq!(finding.found.as_deref(), Some(format!("0 {shown} 0").as_str()));
    }
}

#[test]
fn indices_out_of_range_name_line_index_and_count() {
    let cases = [
        ("f 1 2 9\n", "vertex", "9", 3),
        ("f 1 2 0\n", "vertex", "0", 3),
        ("f 1 2 -4\n", "vertex", "-4", 3),
        ("f 1/1 2/1 3/1\n", "texture coordinate", "1", 0),
        ("f 1//-1 2//-1 3//-1\n", "normal", "-1", 0),
        ("f 1 2 4294967296\n", "vertex", "4294967296", 3),
    ];
    for (face, what, index, count) in cases {
        let finding = error("head.obj", &format!("{TRIANGLE}\n{face}"));
        assert_eq!(finding.code, "INDEX_OUT_OF_RANGE", "{face}");
        assert_eq!(finding.place, "head.obj:6: face", "{face}");
        assert_eq!(finding.expected, Some(format!("a {what} among {count}")), "{face}");
        assert_eq!(finding.found.as_deref(), Some(index), "{face}");
    }
}

#[test]
fn the_first_of_several_wrong_indices_is_named() {
    let finding = error("a.obj", &format!("{TRIANGLE}f 1 2 5\nf 1 2 9\nv 0 0 0\n"));
    assert_eq!((finding.place.as_str(), finding.found.as_deref()), ("a.obj:5: face", Some("5")));
}

#[test]
fn malformed_lines_are_named_with_what_stands_there() {
    let cases = [
        ("v 1 2\n", "a.obj:5: vertex position", "3 numbers", "2 and the end of the line"),
        ("v 1 2 x\n", "a.obj:5: vertex position", "3 numbers", "`x`"),
        ("v 1,5 2,5 3,5\n", "a.obj:5: vertex position", "3 numbers", "`1,5`"),
        ("vt\n", "a.obj:5: texture coordinate", "1 numbers", "0 and the end of the line"),
        ("f 1 2 3/\n", "a.obj:5: face", "corners of the form v, v/vt, v//vn or v/vt/vn", "`3/`"),
        ("f 1 2 a\n", "a.obj:5: face", "corners of the form v, v/vt, v//vn or v/vt/vn", "`a`"),
        ("f 1 2 1/2/3/4\n", "a.obj:5: face", "corners of the form v, v/vt, v//vn or v/vt/vn", "`1/2/3/4`"),
        ("f\n", "a.obj:5: face", "at least 3 corners", "the end of the line"),
    ];
    for (line, place, expected, found) in cases {
        let finding = error("a.obj", &format!("{TRIANGLE}{line}"));
        assert_eq!(finding.code, "FILE_MALFORMED", "{line}");
        assert_eq!(finding.place, place, "{line}");
        assert_eq!(
            (finding.expected.as_deref(), finding.found.as_deref()),
            (Some(expected), Some(found)),
            "{line}"
        );
        assert!(!finding.remedy.is_empty());
    }
}

#[test]
fn what_is_no_obj_is_refused_with_its_real_kind() {
    let cases: [(&[u8], &str); 12] = [
        (b"", "FILE_EMPTY"),
        (b"FOR8\0\0\0\0\0\0\0\0Maya", "Maya binary"),
        (b"DNA\0\x02\0\x01", "DNA"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"Kaydara FBX Binary  \0", "FBX"),
        (b"glTF\x02\0\0\0", "glTF"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"//Maya ASCII 2024 scene\n", "Maya ASCII"),
        (b"v 0 0 0\0\x01\x02", "binary data"),
        (b"hello world\nthis is a letter\n", "v, vt, f"),
        (b"# only a comment\n", "NO_MESH"),
    ];
    for (bytes, word) in cases {
        let finding = read_bytes("a.obj", bytes).unwrap_err().to_finding();
        assert!(format!("{finding:?}").contains(word), "{word}: {finding:?}");
        assert!(!finding.remedy.is_empty());
    }
}

#[test]
fn files_that_cannot_be_opened_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let missing = common::read_with(&folder.path().join("none.obj"), &ReadOptions::default()).unwrap_err();
    assert!(missing.remedy().contains("no such file"), "{}", missing.remedy());
    std::fs::write(folder.path().join("scene.ma"), "x").unwrap();
    let finding = common::read_with(folder.path(), &ReadOptions::default()).unwrap_err().to_finding();
    assert_eq!(finding.code, "FOLDER_WITHOUT_MESHES");
    assert!(finding.remedy.contains("scene.ma"), "{}", finding.remedy);
    let text = read_bytes("a.txt", b"v 0 0 0").unwrap_err();
    assert!(matches!(text, SceneError::UnknownSuffix { .. }), "{text}");
    let binary = read_bytes("a.mb", b"FOR4xxxxMayaFOR4").unwrap_err();
    assert!(binary.remedy().contains("Maya ASCII"), "{}", binary.remedy());
}

#[test]
fn a_broken_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.obj"), "f 1 2 3\n").unwrap();
    std::fs::write(folder.path().join("b.obj"), TRIANGLE).unwrap();
    std::fs::write(folder.path().join("c.obj"), "").unwrap();
    let scene = common::read_with(folder.path(), &ReadOptions::default()).unwrap();
    assert_eq!(names(&scene), ["b"]);
    assert_eq!(codes(&scene), ["INDEX_OUT_OF_RANGE", "FILE_EMPTY"]);
    assert!(scene.findings.iter().all(|finding| finding.severity == Severity::Error));
}

#[test]
fn small_faces_partial_uvs_and_strange_lines_are_noticed() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\nf 1 2 3\nf 1 2\nhello\n";
    let scene = read("a.obj", text);
    assert_eq!(codes(&scene), ["OBJ_UNKNOWN_LINE", "FACE_TOO_SMALL", "UV_PARTIAL"]);
    assert_eq!(place(finding(&scene, "FACE_TOO_SMALL")), "a.obj:7");
    assert_eq!(place(finding(&scene, "OBJ_UNKNOWN_LINE")), "a.obj:8");
    assert!(scene.meshes[0].mesh.uv.is_none());
    assert_eq!(scene.meshes[0].mesh.faces.len(), 2);
}

#[test]
fn a_last_line_without_end_is_noticed() {
    let scene = read("a.obj", TRIANGLE.trim_end());
    assert_eq!(place(finding(&scene, "NO_FINAL_NEWLINE")), "a.obj:4");
}

#[test]
fn names_that_fbx_converters_escape_are_read() {
    let scene = read("a.obj", &format!("g rigFBXASC058head_lod0_mesh\n{TRIANGLE}"));
    assert_eq!(names(&scene), ["head_lod0_mesh"]);
    let scene = read("a.obj", &format!("o head_lod0_mesh_head_lod0_mesh.001\n{TRIANGLE}"));
    assert!(scene.resolve(&["head_lod0_mesh"]).meshes[0].is_some());
}
