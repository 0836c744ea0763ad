//! Maya ASCII: transforms, units, instances, history and what else stands between a scene and its meshes.
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write as _;

use common::{codes, error, finding, names, place, read, read_bytes, read_bytes_with};
use mhrig_report::Severity;
use mhrig_scene::{ReadOptions, SceneMeshes, Space, UpAxis};
use proptest::prelude::*;

/// Geometry of a mesh node: a square whose corners are the origin and the unit vectors of x and y.
const SQUARE: &str = r#"
	setAttr -k off ".v";
	setAttr ".uvst[0].uvsn" -type "string" "map1";
	setAttr -s 4 ".uvst[0].uvsp[0:3]" -type "float2" 0 0 1 0 1 1 0 1;
	setAttr ".cuvs" -type "string" "map1";
	setAttr -s 4 ".vt[0:3]"  0 0 0 1 0 0 1 1 0 0 1 0;
	setAttr -s 4 ".ed[0:3]"  0 1 0 1 2 0 2 3 0 0 3 0;
	setAttr -ch 4 ".fc[0]" -type "polyFaces"
		f 4 0 1 2 -4
		mu 0 4 0 1 2 3;
"#;

fn scene(body: &str) -> String {
    format!(
        "//Maya ASCII 2024 scene\nrequires maya \"2024\";\ncurrentUnit -l centimeter -a degree -t film;\n{body}"
    )
}

/// A square under a transform with these attributes.
fn square_below(attributes: &str) -> SceneMeshes {
    let body = format!(
        "createNode transform -n \"head\";\n{attributes}\ncreateNode mesh -n \"headShape\" -p \"head\";{SQUARE}"
    );
    read("a.ma", &scene(&body))
}

fn positions(scene: &SceneMeshes) -> &[[f32; 3]] {
    &scene.meshes[0].mesh.positions
}

fn assert_near(found: [f32; 3], expected: [f64; 3], what: &str) {
    // single precision of numbers below 1000
    const TOLERANCE: f64 = 1e-4;
    for axis in 0..3 {
        assert!(
            (f64::from(found[axis]) - expected[axis]).abs() < TOLERANCE,
            "{what}: {found:?} for {expected:?}"
        );
    }
}

#[test]
fn a_plain_mesh_is_read() {
    let scene = square_below("");
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.name.as_str(), mesh.path.as_str(), mesh.line), ("head", "|head", Some(6)));
    assert_eq!(mesh.mesh.faces.face(0), [0, 1, 2, 3]);
    assert_eq!(mesh.mesh.uv.as_ref().unwrap().corners, [0, 1, 2, 3]);
    assert_eq!(mesh.uv_name.as_deref(), Some("map1"));
    assert_eq!(mesh.other_names, ["headShape"]);
    assert!(mesh.transform.is_identity() && codes(&scene).is_empty());
}

#[test]
fn faces_are_read_whatever_flags_announce_them() {
    for flags in ["", "-s 1 ", "-s 1 -ch 4 ", "-ch 400 "] {
        let square = SQUARE.replace("-ch 4 ", flags);
        for square in
            [square.clone(), square.replace(".fc[0]", ".fc[0:0]"), square.replace(".fc[0]", ".face[0]")]
        {
            let body = format!("createNode mesh -n \"headShape\";{square}");
            let scene = read("a.ma", &scene(&body));
            assert_eq!(scene.meshes[0].mesh.faces.face(0), [0, 1, 2, 3], "{flags}");
            assert!(codes(&scene).is_empty());
        }
    }
}

#[test]
fn rotate_orders_turn_first_about_their_first_axis() {
    // a quarter turn about x, then one about y, takes z to -y; the other way round it takes z to x
    let z = |order: u8| {
        let attributes = format!(
            "setAttr \".r\" -type \"double3\" 90 90 0;\nsetAttr \".ro\" {order};\nsetAttr \".t\" -type \"double3\" 0 0 0;"
        );
        let body = format!(
            "createNode transform -n \"a\";\n{attributes}\ncreateNode transform -n \"b\" -p \"a\";\nsetAttr \".tz\" 1;\ncreateNode mesh -n \"bShape\" -p \"b\";{SQUARE}"
        );
        read("a.ma", &scene(&body)).meshes[0].mesh.positions[0]
    };
    for order in [0, 2, 3] {
        assert_near(z(order), [0.0, -1.0, 0.0], "x before y");
    }
    for order in [1, 4, 5] {
        assert_near(z(order), [1.0, 0.0, 0.0], "y before x");
    }
}

#[test]
fn scale_comes_before_shear_and_shear_before_rotation() {
    let scene = square_below(
        "setAttr \".s\" -type \"double3\" 2 3 1;\nsetAttr \".sh\" -type \"double3\" 0.5 0 0;\nsetAttr \".rz\" 90;",
    );
    // (1, 1) is scaled to (2, 3), sheared to (3.5, 3) and turned to (-3, 3.5)
    assert_near(positions(&scene)[2], [-3.0, 3.5, 0.0], "corner");
    assert_eq!(scene.meshes[0].transform.moving_nodes, ["head"]);
}

#[test]
fn pivots_hold_their_point() {
    let scene = square_below(
        "setAttr \".rp\" -type \"double3\" 1 1 0;\nsetAttr \".sp\" -type \"double3\" 1 1 0;\nsetAttr \".r\" -type \"double3\" 0 0 180;\nsetAttr \".s\" -type \"double3\" 2 2 2;",
    );
    assert_near(positions(&scene)[2], [1.0, 1.0, 0.0], "the pivot stays");
    assert_near(positions(&scene)[0], [3.0, 3.0, 0.0], "the opposite corner");
    let moved = square_below(
        "setAttr \".rpt\" -type \"double3\" 10 0 0;\nsetAttr \".spt\" -type \"double3\" 0 5 0;\nsetAttr \".ra\" -type \"double3\" 0 0 90;",
    );
    // the scale pivot translation is inside the rotation, the rotate pivot translation outside
    assert_near(positions(&moved)[0], [5.0, 0.0, 0.0], "translations of pivots");
}

#[test]
fn pivots_without_rotation_leave_the_bits() {
    let scene = square_below(
        "setAttr \".rp\" -type \"double3\" 0.1 3.7 -9.3;\nsetAttr \".sp\" -type \"double3\" 0.3 1e-7 12.34;\nsetAttr \".ro\" 5;",
    );
    assert!(scene.meshes[0].transform.is_identity());
}

#[test]
fn moves_that_cancel_leave_the_bits() {
    let body = format!(
        "createNode transform -n \"g\";\nsetAttr \".t\" -type \"double3\" 0 12.7 0;\ncreateNode transform -n \"head\" -p \"g\";\nsetAttr \".t\" -type \"double3\" 0 -12.7 0;\ncreateNode mesh -n \"headShape\" -p \"head\";{SQUARE}"
    );
    assert!(read("a.ma", &scene(&body)).meshes[0].transform.is_identity());
}

#[test]
fn offset_parent_matrix_and_inherits_transform_are_honoured() {
    let scene_of = |attributes: &str| {
        let body = format!(
            "createNode transform -n \"g\";\nsetAttr \".t\" -type \"double3\" 100 0 0;\ncreateNode transform -n \"head\" -p \"g\";\nsetAttr \".ty\" 1;\n{attributes}\ncreateNode mesh -n \"headShape\" -p \"head\";{SQUARE}"
        );
        read("a.ma", &scene(&body)).meshes[0].mesh.positions[0]
    };
    assert_near(scene_of(""), [100.0, 1.0, 0.0], "plain");
    let opm = "setAttr \".opm\" -type \"matrix\" 0 1 0 0 -1 0 0 0 0 0 1 0 7 0 0 1;";
    assert_near(scene_of(opm), [106.0, 0.0, 0.0], "a quarter turn and a move between node and parent");
    assert_near(scene_of("setAttr \".it\" no;"), [0.0, 1.0, 0.0], "without the parent");
    assert_near(
        scene_of(&format!("{opm}setAttr \".it\" off;")),
        [6.0, 0.0, 0.0],
        "without the parent, with the offset",
    );
}

#[test]
fn joints_orient_and_compensate_the_scale_of_their_parent() {
    let body = |compensates: &str| {
        format!(
            "createNode joint -n \"j1\";\nsetAttr \".s\" -type \"double3\" 2 2 2;\ncreateNode joint -n \"j2\" -p \"j1\";\nsetAttr \".t\" -type \"double3\" 1 0 0;\nsetAttr \".jo\" -type \"double3\" 0 0 90;\n{compensates}\ncreateNode transform -n \"head\" -p \"j2\";\ncreateNode mesh -n \"headShape\" -p \"head\";{SQUARE}"
        )
    };
    let with = read("a.ma", &scene(&body("")));
    assert_near(positions(&with)[1], [2.0, 1.0, 0.0], "the child keeps its size");
    let without = read("a.ma", &scene(&body("setAttr \".ssc\" no;")));
    assert_near(positions(&without)[1], [2.0, 2.0, 0.0], "the child is scaled");
}

/// The matrix product of the node's documentation, written as it stands there: row vectors, row-major.
fn documented_matrix(v: &[[f64; 3]; 9], order: usize) -> [[f64; 4]; 4] {
    type M = [[f64; 4]; 4];
    const I: M = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let mul = |a: M, b: M| -> M {
        std::array::from_fn(|r| std::array::from_fn(|c| (0..4).map(|k| a[r][k] * b[k][c]).sum()))
    };
    let shift = |t: [f64; 3]| -> M { [I[0], I[1], I[2], [t[0], t[1], t[2], 1.0]] };
    let neg = |t: [f64; 3]| t.map(|c| -c);
    let rot = |axis: usize, degrees: f64| -> M {
        let (s, c) = degrees.to_radians().sin_cos();
        match axis {
            0 => [I[0], [0.0, c, s, 0.0], [0.0, -s, c, 0.0], I[3]],
            1 => [[c, 0.0, -s, 0.0], I[1], [s, 0.0, c, 0.0], I[3]],
            _ => [[c, s, 0.0, 0.0], [-s, c, 0.0, 0.0], I[2], I[3]],
        }
    };
    let orders = ["xyz", "yzx", "zxy", "xzy", "yxz", "zyx"];
    let rotation = |angles: [f64; 3], order: usize| {
        orders[order]
            .bytes()
            .map(|b| usize::from(b - b'x'))
            .fold(I, |m, axis| mul(m, rot(axis, angles[axis])))
    };
    let [t, r, s, sh, rp, rpt, sp, spt, ra] = *v;
    let scale = [[s[0], 0.0, 0.0, 0.0], [0.0, s[1], 0.0, 0.0], [0.0, 0.0, s[2], 0.0], I[3]];
    let shear = [I[0], [sh[0], 1.0, 0.0, 0.0], [sh[1], sh[2], 1.0, 0.0], I[3]];
    [
        shift(neg(sp)),
        scale,
        shear,
        shift(sp),
        shift(spt),
        shift(neg(rp)),
        rotation(ra, 0),
        rotation(r, order),
        shift(rp),
        shift(rpt),
        shift(t),
    ]
    .into_iter()
    .fold(I, mul)
}

proptest! {
    #[test]
    fn transforms_are_the_documented_product(
        values in prop::array::uniform9(prop::array::uniform3(-9.0..9.0f64)),
        order in 0..6usize,
        unit in prop::sample::select(vec![("centimeter", 1.0), ("m", 100.0), ("inch", 2.54), ("mm", 0.1)]),
    ) {
        let names = ["t", "r", "s", "sh", "rp", "rpt", "sp", "spt", "ra"];
        let mut text = format!("//Maya ASCII 2024 scene\ncurrentUnit -l {};createNode transform -n \"head\";setAttr \".ro\" {order};", unit.0);
        for (name, [x, y, z]) in names.iter().zip(&values) {
            write!(text, "setAttr \".{name}\" -type \"double3\" {x} {y} {z} ;").unwrap();
        }
        write!(text, "createNode mesh -n \"headShape\" -p \"head\";{SQUARE}").unwrap();
        let scene = read("a.ma", &text);
        let m = documented_matrix(&values, order);
        let mesh = &scene.meshes[0];
        prop_assert_eq!(mesh.transform.unit_cm, unit.1);
        let size = m.iter().flatten().fold(1.0f64, |a, b| a.max(b.abs())) * unit.1;
        for (found, p) in mesh.mesh.positions.iter().zip([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]) {
            for axis in 0..3 {
                let expected = (p[0] * m[0][axis] + p[1] * m[1][axis] + m[3][axis]) * unit.1;
                // rounding of f32, with a reserve for the rounding of the angles
                prop_assert!((f64::from(found[axis]) - expected).abs() < 2e-7 * size);
            }
        }
    }
}

#[test]
fn units_scale_vertices_tweaks_and_transforms_alike() {
    for (unit, cm) in
        [("in", 2.54), ("meter", 100.0), ("ft", 30.48), ("mm", 0.1), ("yard", 91.44), ("km", 100_000.0)]
    {
        let text = format!(
            "currentUnit -l {unit} -a rad;\ncreateNode transform -n \"head\";\nsetAttr \".tx\" 2;\nsetAttr \".rz\" 3.14159265358979323846;\ncreateNode mesh -n \"headShape\" -p \"head\";\nsetAttr \".pt[1]\" -type \"float3\" 1 0 0;{SQUARE}"
        );
        let scene = read("a.ma", &text);
        let found = f64::from(positions(&scene)[1][0]);
        assert!((found / cm).abs() < 1e-6, "{unit}: {found}");
        assert_eq!(scene.meshes[0].transform.unit_cm, cm);
    }
    let options = ReadOptions { unit_cm: Some(10.0), ..ReadOptions::default() };
    let text = format!(
        "currentUnit -l inch;createNode transform -n \"a\";createNode mesh -n \"s\" -p \"a\";{SQUARE}"
    );
    let scene = read_bytes_with("a.ma", text.as_bytes(), &options).unwrap();
    assert_eq!(positions(&scene)[1], [10.0, 0.0, 0.0], "the caller's unit replaces the file's");
    let scene = read("a.ma", &text.replace("inch", "cubit"));
    assert_eq!(finding(&scene, "UNIT_UNKNOWN").severity, Severity::Warning);
}

#[test]
fn up_axis_lines_turn_the_scene() {
    let script = r#"createNode script -n "upAxisScriptNode";
	setAttr ".b" -type "string" "string $currentAxis = `upAxis -q -ax`; if ($currentAxis != \"z\") { upAxis -ax \"z\"; }";
"#;
    for line in ["upAxis -ax \"z\";\n", "upAxis -axis z -rotateView;\n", script] {
        let text = format!(
            "{line}createNode transform -n \"head\";createNode mesh -n \"headShape\" -p \"head\";{SQUARE}"
        );
        let scene = read("a.ma", &text);
        assert_eq!(scene.meshes[0].transform.up_axis, UpAxis::Z, "{line}");
        assert_eq!(positions(&scene)[3], [0.0, 0.0, -1.0], "{line}");
        let options = ReadOptions { up_axis: Some(UpAxis::Y), ..ReadOptions::default() };
        let scene = read_bytes_with("a.ma", text.as_bytes(), &options).unwrap();
        assert_eq!(positions(&scene)[3], [0.0, 1.0, 0.0], "the caller knows better");
    }
}

#[test]
fn object_space_leaves_transforms_out() {
    let text = scene(&format!(
        "createNode transform -n \"head\";setAttr \".t\" -type \"double3\" 9 9 9;createNode mesh -n \"s\" -p \"head\";{SQUARE}"
    ));
    let options = ReadOptions { space: Space::Object, ..ReadOptions::default() };
    let scene = read_bytes_with("a.ma", text.as_bytes(), &options).unwrap();
    assert_eq!(positions(&scene)[1], [1.0, 0.0, 0.0]);
    assert!(scene.meshes[0].transform.is_identity());
}

#[test]
fn tweaks_are_added() {
    let tweaks = "setAttr -s 3 \".pt\";\nsetAttr \".pt[0]\" -type \"float3\" 1 2 3 ;\nsetAttr -s 2 \".pnts[2:3]\" -type \"float3\"  0 0 1 0 0 2;\nsetAttr \".pt[1].py\" 7;\n";
    let body =
        format!("createNode transform -n \"head\";createNode mesh -n \"s\" -p \"head\";{tweaks}{SQUARE}");
    let scene = read("a.ma", &scene(&body));
    assert_eq!(positions(&scene), [[1.0, 2.0, 3.0], [1.0, 7.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]);
}

#[test]
fn smooth_preview_is_ignored() {
    let body = format!(
        "createNode transform -n \"head\";createNode mesh -n \"s\" -p \"head\";{SQUARE}setAttr \".dsm\" 2;setAttr \".dr\" 3;"
    );
    let scene = read("a.ma", &scene(&body));
    assert_eq!((positions(&scene).len(), codes(&scene).len()), (4, 0));
}

#[test]
fn instances_are_read_at_each_of_their_places() {
    let body = format!(
        "createNode transform -n \"eyeLeft\";setAttr \".tx\" 3;createNode mesh -n \"eyeShape\" -p \"eyeLeft\";{SQUARE}\ncreateNode transform -n \"eyeRight\";setAttr \".tx\" -3;setAttr \".sx\" -1;\nparent -s -nc -r -add \"|eyeLeft|eyeShape\" \"eyeRight\" ;\n"
    );
    let scene = read("a.ma", &scene(&body));
    assert_eq!(names(&scene), ["eyeLeft", "eyeRight"]);
    assert_eq!(scene.meshes[1].mesh.positions[1], [-4.0, 0.0, 0.0]);
    assert_eq!(codes(&scene), ["MIRRORED_TRANSFORM"]);
    assert!(scene.meshes[1].transform.is_mirrored() && !scene.meshes[0].transform.is_mirrored());
}

#[test]
fn instanced_groups_multiply_paths() {
    let body = format!(
        "createNode transform -n \"a\";createNode transform -n \"b\";createNode transform -n \"g\" -p \"a\";createNode transform -n \"head\" -p \"g\";createNode mesh -n \"s\" -p \"head\";{SQUARE}\nparent -nc -r -add \"|a|g\" \"b\";"
    );
    let all = read("a.ma", &scene(&body));
    let paths: Vec<_> = all.meshes.iter().map(|mesh| mesh.path.as_str()).collect();
    assert_eq!(paths, ["|a|g|head", "|b|g|head"]);
    let found = all.resolve(&["head"]);
    assert!(found.meshes[0].is_none());
    assert_eq!(found.findings[0].code, "MESH_AMBIGUOUS");
    let candidates = found.findings[0].found.as_ref().unwrap();
    assert!(candidates.contains("a.ma|a|g|head") && candidates.contains("a.ma|b|g|head"), "{candidates}");
    for pick in ["|b|g|head", "b|g|head", "a.ma|b|g|head"] {
        let options = ReadOptions { pick: vec![pick.into()], ..ReadOptions::default() };
        let picked = read_bytes_with("a.ma", scene(&body).as_bytes(), &options).unwrap();
        assert_eq!(picked.resolve(&["head"]).meshes[0].unwrap().path, "|b|g|head", "{pick}");
        assert!(codes(&picked).is_empty());
    }
    for (pick, code) in
        [("g|head", "PICK_AMBIGUOUS"), ("|g|head", "PICK_NOT_FOUND"), ("ead", "PICK_NOT_FOUND")]
    {
        let options = ReadOptions { pick: vec![pick.into()], ..ReadOptions::default() };
        let picked = read_bytes_with("a.ma", scene(&body).as_bytes(), &options).unwrap();
        assert_eq!(codes(&picked), [code], "{pick}");
    }
}

#[test]
fn several_shapes_below_one_transform_are_candidates() {
    let body = format!(
        "createNode transform -n \"ns:head\";createNode mesh -n \"ns:aShape\" -p \"ns:head\";{SQUARE}createNode mesh -n \"ns:bShape\" -p \"ns:head\";{SQUARE}"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!(names(&all), ["head", "head"]);
    assert_eq!(all.resolve(&["head"]).findings[0].code, "MESH_AMBIGUOUS");
    let options = ReadOptions { pick: vec!["|head|bShape".into()], ..ReadOptions::default() };
    let picked = read_bytes_with("a.ma", scene(&body).as_bytes(), &options).unwrap();
    assert_eq!(picked.resolve(&["head"]).meshes[0].unwrap().path, "|ns:head|ns:bShape");
}

#[test]
fn equal_names_in_different_groups_are_told_apart_by_partial_paths() {
    let body = format!(
        "createNode transform -n \"a\";createNode transform -n \"head\" -p \"a\";setAttr \".tx\" 1;createNode transform -n \"b\";createNode transform -n \"head\" -p \"b\";setAttr \".tx\" 2;createNode mesh -n \"s\" -p \"a|head\";{SQUARE}createNode mesh -n \"s\" -p \"|b|head\";{SQUARE}select -ne \"|a|head\";setAttr \".ty\" 5;setAttr \"b|head.tz\" 6;"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!(all.meshes[0].mesh.positions[0], [1.0, 5.0, 0.0]);
    assert_eq!(all.meshes[1].mesh.positions[0], [2.0, 0.0, 6.0]);
}

#[test]
fn the_namespace_is_no_part_of_the_name() {
    let body = format!(
        "createNode transform -n \"rig:geo:grp\";createNode transform -n \"rig:geo:head\" -p \"rig:geo:grp\";createNode mesh -n \"rig:geo:headShape\" -p \"|rig:geo:grp|rig:geo:head\";{SQUARE}"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!(names(&all), ["head"]);
    assert_eq!(all.meshes[0].path, "|rig:geo:grp|rig:geo:head");
    assert_eq!(all.meshes[0].other_names, ["headShape"]);
}

#[test]
fn a_mesh_is_found_by_its_shape_when_no_transform_is_called_so() {
    let body = format!(
        "createNode transform -n \"pCube1\";createNode mesh -n \"head_lod0_mesh\" -p \"pCube1\";{SQUARE}"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!(all.resolve(&["head_lod0_mesh"]).meshes[0].unwrap().name, "pCube1");
}

#[test]
fn intermediate_shapes_are_no_meshes() {
    let body = format!(
        "createNode transform -n \"head\";createNode mesh -n \"headShape\" -p \"head\";{SQUARE}createNode mesh -n \"headShapeOrig\" -p \"head\";setAttr \".io\" yes;{SQUARE}"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!((names(&all), codes(&all)), (vec!["head"], vec![]));
    assert_eq!(all.meshes[0].path, "|head");
}

/// A shape without polygons, skinned and tweaked, with two intermediate shapes of which one is its origin.
fn deformed(connections: &str) -> String {
    let other = SQUARE.replace("1 1 0 0 1 0", "1 1 5 0 1 5");
    scene(&format!(
        "createNode transform -n \"head\";createNode mesh -n \"headShape\" -p \"head\";setAttr \".vir\" yes;setAttr \".uvst[0].uvsn\" -type \"string\" \"map1\";\ncreateNode mesh -n \"headShapeOrig\" -p \"head\";setAttr \".io\" yes;{SQUARE}createNode mesh -n \"headShapeOrig1\" -p \"head\";setAttr \".io\" yes;{other}createNode tweak -n \"tweak1\";setAttr -s 2 \".vl[0].vt\";setAttr \".vl[0].vt[1]\" -type \"float3\" 0 0 9 ;\ncreateNode skinCluster -n \"skinCluster1\";\ncreateNode polySoftEdge -n \"polySoftEdge1\";\ncreateNode polySplit -n \"polySplit1\";\n{connections}"
    ))
}

#[test]
fn a_deformed_shape_is_read_from_the_mesh_that_its_history_starts_from() {
    let scene = read(
        "a.ma",
        &deformed(
            "connectAttr \"headShapeOrig1.w\" \"tweak1.ip[0].ig\";\nconnectAttr \"tweak1.og[0]\" \"skinCluster1.ip[0].ig\";\nconnectAttr \"skinCluster1.og[0]\" \"polySoftEdge1.ip\";connectAttr \"polySoftEdge1.out\" \"headShape.i\";",
        ),
    );
    assert_eq!(positions(&scene), [[0.0, 0.0, 0.0], [1.0, 0.0, 9.0], [1.0, 1.0, 5.0], [0.0, 1.0, 5.0]]);
    let note = finding(&scene, "DEFORMED_SHAPE");
    assert!(
        note.message.contains("headShapeOrig1") && note.message.contains("skinCluster1"),
        "{}",
        note.message
    );
}

#[test]
fn history_that_models_and_origins_that_are_missing_are_refused() {
    let models =
        "connectAttr \"headShapeOrig.w\" \"polySplit1.ip\";connectAttr \"polySplit1.out\" \"headShape.i\";";
    let scene = read("a.ma", &deformed(models));
    let why = finding(&scene, "NO_GEOMETRY");
    assert!(why.message.contains("`polySplit1` (polySplit)"), "{}", why.message);
    assert_eq!(scene.broken[0].name, "head");
    assert_eq!(scene.resolve(&["head"]).findings[0].code, "NO_GEOMETRY");
    let unknown = read("a.ma", &deformed(""));
    assert!(finding(&unknown, "NO_GEOMETRY").message.contains("several intermediate shapes"));
}

#[test]
fn a_deformer_of_several_meshes_keeps_them_apart() {
    let other = SQUARE.replace("1 1 0 0 1 0", "1 1 5 0 1 5");
    let part = |name: &str, geometry: &str| {
        format!(
            "createNode transform -n \"{name}\";createNode mesh -n \"{name}Shape\" -p \"{name}\";createNode mesh -n \"{name}Orig\" -p \"{name}\";setAttr \".io\" yes;{geometry}"
        )
    };
    let text = scene(&format!(
        "{}{}createNode lattice -n \"x\";createNode wrap -n \"wrap1\";connectAttr \"aOrig.w\" \"wrap1.ip[0].ig\";connectAttr \"bOrig.w\" \"wrap1.ip[1].ig\";connectAttr \"wrap1.og[0]\" \"aShape.i\";connectAttr \"wrap1.og[1]\" \"bShape.i\";",
        part("a", SQUARE),
        part("b", &other)
    ));
    let scene = read("a.ma", &text);
    assert_eq!((scene.meshes[0].mesh.positions[2][2], scene.meshes[1].mesh.positions[2][2]), (0.0, 5.0));
}

#[test]
fn a_driven_transform_and_an_unknown_parent_are_warned_about() {
    let body = format!(
        "createNode transform -n \"head\" -p \"rig:grp\";createNode mesh -n \"s\" -p \"head\";{SQUARE}createNode parentConstraint -n \"c\" -p \"head\";connectAttr \"c.ctx\" \"head.tx\";file -r -ns \"rig\" -dr 1 -rfn \"rigRN\" -op \"v=0;\" -typ \"mayaAscii\"\n\t\t \"C:/rigs/rig.ma\";"
    );
    let scene = read("a.ma", &scene(&body));
    assert_eq!(codes(&scene), ["SCENE_REFERENCE", "PARENT_UNKNOWN", "TRANSFORM_DRIVEN"]);
    assert!(finding(&scene, "SCENE_REFERENCE").message.contains("C:/rigs/rig.ma"));
    assert_eq!(scene.meshes[0].path, "|rig:grp|head");
}

#[test]
fn holes_are_reported_and_their_texture_corners_skipped() {
    let hole = r#"
	setAttr -s 8 ".uvst[0].uvsp[0:7]" -type "float2" 0 0 1 0 1 1 0 1 .2 .2 .8 .2 .8 .8 .2 .8;
	setAttr -s 8 ".vt[0:7]"  0 0 0 1 0 0 1 1 0 0 1 0 .2 .2 0 .8 .2 0 .8 .8 0 .2 .8 0;
	setAttr -s 8 ".ed[0:7]"  0 1 0 1 2 0 2 3 0 3 0 0 4 5 0 5 6 0 6 7 0 7 4 0;
	setAttr -ch 16 ".fc[0:1]" -type "polyFaces"
		f 4 0 1 2 3
		mu 0 4 0 1 2 3
		mc 0 4 0 0 0 0
		h 4 -8 -7 -6 -5
		mu 0 4 4 7 6 5
		f 4 4 5 6 7
		mu 0 4 4 5 6 7;
"#;
    let scene = read(
        "a.ma",
        &scene(&format!("createNode transform -n \"h\";createNode mesh -n \"s\" -p \"h\";{hole}")),
    );
    let mesh = &scene.meshes[0].mesh;
    assert_eq!(mesh.faces.iter().collect::<Vec<_>>(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
    assert_eq!(mesh.uv.as_ref().unwrap().corners, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(finding(&scene, "FACE_HOLES").message.contains("face 0"));
}

#[test]
fn all_texture_coordinate_sets_are_read() {
    let sets = r#"
	setAttr ".uvst[0].uvsn" -type "string" "map1";
	setAttr -s 3 ".uvst[0].uvsp[0:2]" -type "float2" 0 0 1 0 1 1;
	setAttr ".uvst[3].uvsn" -type "string" "baked";
	setAttr ".uvst[3].uvsp[0]" -type "float2" .5 .5;
	setAttr ".cuvs" -type "string" "baked";
	setAttr -s 3 ".vt[0:2]"  0 0 0 1 0 0 1 1 0;
	setAttr -s 3 ".ed[0:2]"  0 1 0 1 2 0 2 0 0;
	setAttr ".fc[0]" -type "polyFaces" f 3 0 1 2 mu 0 3 0 1 2 mu 3 3 0 0 0 mu 7 0;
"#;
    let scene_text =
        scene(&format!("createNode transform -n \"h\";createNode mesh -n \"s\" -p \"h\";{sets}"));
    let all = read("a.ma", &scene_text.replace(" mu 7 0", ""));
    assert_eq!(all.meshes[0].uv_name.as_deref(), Some("map1"));
    assert_eq!(all.meshes[0].more_uv_sets[0].name, "baked");
    assert_eq!(all.meshes[0].more_uv_sets[0].uv.corners, [0, 0, 0]);
    assert_eq!(codes(&all), ["UV_SET_ACTIVE"]);
    let cut = read("a.ma", &scene_text);
    assert_eq!(
        finding(&cut, "FILE_MALFORMED").expected.as_deref(),
        Some("3 texture coordinates for the face")
    );
}

#[test]
fn comments_strings_and_escapes_do_not_confuse_the_reader() {
    let body = format!(
        "// createNode mesh -n \"no\";\n/* setAttr \".vt[0]\" ; */ createNode transform -n /* here */ \"head\" // there\n;createNode script -n \"s\";setAttr \".b\" -type \"string\" \"a; \\\"createNode mesh -n \\\\\\\"x\\\\\\\";\\\\\" ;\nsetAttr \".notes\" -type \"string\" \"// \\\" /* ;\n createNode transform -n \\\"no\\\";\";\ncreateNode mesh -n \"headShape\" -p \"head\";{SQUARE}"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!((names(&all), codes(&all)), (vec!["head"], vec![]));
    assert_eq!(all.meshes[0].line, Some(9));
}

#[test]
fn long_arrays_in_chunks_and_in_one_statement_are_the_same() {
    let count = 20_000;
    let mut numbers: Vec<String> = Vec::new();
    for at in 0..count {
        numbers.push(format!("{} {} {}", at, at as f32 * 0.1, -1e-7 * f64::from(at)));
    }
    let rest =
        "setAttr -s 3 \".ed[0:2]\" 0 1 0 1 2 0 2 0 0;setAttr \".fc[0]\" -type \"polyFaces\" f 3 0 1 2;";
    let head = "createNode transform -n \"h\";createNode mesh -n \"s\" -p \"h\";";
    let whole = scene(&format!(
        "{head}setAttr -s {count} \".vt[0:{}]\" {};{rest}",
        count - 1,
        numbers.join("\n\t\t ")
    ));
    let mut chunked = scene(&format!("{head}setAttr -s {count} \".vt\";\n"));
    for (at, chunk) in numbers.chunks(166).enumerate() {
        let (first, last) = (at * 166, at * 166 + chunk.len() - 1);
        let range = if first == last { first.to_string() } else { format!("{first}:{last}") };
        writeln!(chunked, "\tsetAttr \".vt[{range}]\"  {};", chunk.join(" ")).unwrap();
    }
    chunked += rest;
    let (whole, chunked) = (read("a.ma", &whole), read("a.ma", &chunked));
    assert_eq!(positions(&whole).len(), count as usize);
    assert_eq!(positions(&whole), positions(&chunked));
}

#[test]
fn a_broken_mesh_is_named_and_the_others_are_read() {
    let cases = [
        ("1 1 0 0 1 0;", "1 1 0 0 1;", "12 numbers for `vt`", "11"),
        ("1 1 0 0 1 0;", "1 1 0 0 1 zero;", "a number", "`zero`"),
        (".vt[0:3]", ".vt[1:4]", "element 0 of `vt` to be next", "1"),
        ("0 3 0;", "0 9 0;", "a vertex among 4", "9"),
        ("f 4 0 1 2 -4", "f 4 0 1 2 -9", "a edge among 4", "8"),
        (
            "f 4 0 1 2 -4",
            "f 4 0 1 2 3",
            "edges that follow each other round the face",
            "edge 3 of the face begins elsewhere",
        ),
        ("f 4 0 1 2 -4", "f 2 0 1", "at least 3 edges in a face", "2"),
        ("f 4 0 1 2 -4", "f 99999999999 0 1 2", "an integer", "`mu`"),
        ("mu 0 4 0 1 2 3", "mu 0 4 0 1 2 4", "a texture coordinate among 4", "4"),
        ("mu 0 4 0 1 2 3", "mu 0 4 0 1 2 -3", "a texture coordinate", "-3"),
        (".fc[0]", ".fc[0:1]", "2 faces", "1"),
        (".ed[0:3]", ".ed[0:2]", "9 numbers for `ed`", "12"),
        ("mu 0 4 0 1 2 3", "zz 3", "f, h, mu, mc or fc", "`zz`"),
    ];
    for (from, to, expected, found) in cases {
        assert!(SQUARE.contains(from), "{from}");
        let body = format!(
            "createNode transform -n \"bad\";createNode mesh -n \"badShape\" -p \"bad\";{}createNode transform -n \"good\";createNode mesh -n \"goodShape\" -p \"good\";{SQUARE}",
            SQUARE.replace(from, to)
        );
        let all = read("a.ma", &scene(&body));
        assert_eq!(names(&all), ["good"], "{to}");
        let problem = &all.broken[0].finding;
        assert_eq!(
            (problem.expected.as_deref(), problem.found.as_deref()),
            (Some(expected), Some(found)),
            "{to}"
        );
        assert_eq!(problem.severity, Severity::Error);
        assert!(
            place(problem).starts_with("a.ma:") && place(problem).contains("badShape"),
            "{}",
            problem.place
        );
        assert_eq!(all.resolve(&["bad"]).findings, std::slice::from_ref(problem));
        assert!(
            all.resolve(&["good"]).findings.is_empty(),
            "an unrelated mesh is no problem of the good one"
        );
    }
}

#[test]
fn a_broken_transform_breaks_only_what_is_below_it() {
    let body = format!(
        "createNode transform -n \"g\";\nsetAttr \".t\" -type \"double3\" 1 nan 0;\ncreateNode transform -n \"bad\" -p \"g\";createNode mesh -n \"s\" -p \"bad\";{SQUARE}createNode transform -n \"good\";createNode mesh -n \"t\" -p \"good\";{SQUARE}"
    );
    let all = read("a.ma", &scene(&body));
    assert_eq!((names(&all), all.broken.len()), (vec!["good"], 1));
    assert_eq!(place(&all.broken[0].finding), "a.ma:5: g");
}

#[test]
fn not_a_number_is_a_finding_with_the_vertex() {
    for word in ["nan", "-nan", "1.#QNAN", "-1.#IND", "inf", "-inf"] {
        let body = format!(
            "createNode transform -n \"head\";createNode mesh -n \"s\" -p \"head\";{}",
            SQUARE.replace("1 1 0 0 1 0", &format!("1 1 {word} 0 1 0"))
        );
        let all = read("a.ma", &scene(&body));
        assert!(place(finding(&all, "POSITION_NOT_FINITE")).ends_with("|head: vertex 2"), "{word}");
    }
}

#[test]
fn a_file_that_ends_early_is_truncated_and_says_where() {
    let text = scene("createNode transform -n \"head\";\nsetAttr \".t\" -type \"double3\" 1 2");
    let finding = error("a.ma", &text);
    assert_eq!((finding.code, finding.place.as_str()), ("FILE_TRUNCATED", "a.ma:5"));
    let finding = error(
        "a.ma",
        &scene("createNode animCurve -n \"head\";\n\nsetAttr \".t\" -type \"string\" \"never closed;"),
    );
    assert_eq!((finding.code, finding.place.as_str()), ("FILE_TRUNCATED", "a.ma:6"));
}

#[test]
fn what_is_no_scene_is_refused() {
    let cases: [(&[u8], &str); 6] = [
        (b"FOR4\0\0\0\0Maya", "Maya binary"),
        (b"", "FILE_EMPTY"),
        (b"once upon a time; there was a text;", "createNode"),
        (b"//Maya ASCII 2024 scene\n", "comments only"),
        (b"//Maya ASCII 2024 scene\nrequires maya \"2024\";\n", "NO_MESH"),
        (b"o head\nv 0 0 0\n", "createNode"),
    ];
    for (bytes, word) in cases {
        let finding = read_bytes("a.ma", bytes).unwrap_err().to_finding();
        assert!(format!("{finding:?}").contains(word), "{word}: {finding:?}");
    }
}
