//! FBX: units, axes, transforms, instances and errors, on small ASCII files.
#![allow(clippy::unwrap_used)]

mod common;

use common::{codes, finding, names, read, read_bytes, read_bytes_with};
use mhrig_scene::{ReadOptions, Space, UpAxis};

/// A scene with global settings, objects and connections.
fn fbx(up: u8, unit_cm: f64, objects: &str, connections: &str) -> String {
    // axes as exporters write them: Y up with Z to the front, or Z up with -Y to the front
    let (front, front_sign) = if up == 1 { (2, 1) } else { (1, -1) };
    format!(
        r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {{
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}}
GlobalSettings:  {{
	Version: 1000
	Properties70:  {{
		P: "UpAxis", "int", "Integer", "",{up}
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",{front}
		P: "FrontAxisSign", "int", "Integer", "",{front_sign}
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "OriginalUpAxis", "int", "Integer", "",{up}
		P: "OriginalUpAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",{unit_cm}
		P: "OriginalUnitScaleFactor", "double", "Number", "",{unit_cm}
	}}
}}
Objects:  {{
{objects}
}}
Connections:  {{
{connections}
}}
"#
    )
}

fn geometry(id: u32, indices: &str) -> String {
    format!(
        r#"	Geometry: {id}, "Geometry::headShape", "Mesh" {{
		Vertices: *12 {{
			a: 0.1,0,0,1,0,0,1,1,0,0,1,-3.29700
		}}
		PolygonVertexIndex: *4 {{
			a: {indices}
		}}
		GeometryVersion: 124
		LayerElementUV: 0 {{
			Version: 101
			Name: "map1"
			MappingInformationType: "ByPolygonVertex"
			ReferenceInformationType: "IndexToDirect"
			UV: *8 {{
				a: 0,0,1,0,1,1,0,1
			}}
			UVIndex: *4 {{
				a: 0,1,2,3
			}}
		}}
		Layer: 0 {{
			Version: 100
			LayerElement:  {{
				Type: "LayerElementUV"
				TypedIndex: 0
			}}
		}}
	}}
"#
    )
}

fn model(id: u32, name: &str, kind: &str, properties: &str) -> String {
    format!(
        "	Model: {id}, \"Model::{name}\", \"{kind}\" {{\n		Version: 232\n		Properties70:  {{\n{properties}\n		}}\n	}}\n"
    )
}

const INDICES: &str = "0,1,2,-4";
const TREE: &str = "	C: \"OO\",2,0\n	C: \"OO\",3,2\n	C: \"OO\",1,3";

fn head_below_group(up: u8, unit_cm: f64, group: &str, head: &str) -> String {
    let objects = geometry(1, INDICES)
        + &model(2, "grp", "Null", group)
        + &model(3, "rig:head_lod0_mesh", "Mesh", head);
    fbx(up, unit_cm, &objects, TREE)
}

#[test]
fn a_plain_mesh_keeps_its_bits() {
    let scene = read("a.fbx", &head_below_group(1, 1.0, "", ""));
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.name.as_str(), mesh.path.as_str()), ("head_lod0_mesh", "|grp|rig:head_lod0_mesh"));
    assert!(mesh.transform.is_identity());
    assert_eq!(mesh.mesh.positions, [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, -3.297]]);
    assert_eq!(mesh.mesh.faces.face(0), [0, 1, 2, 3]);
    assert_eq!(mesh.mesh.uv.as_ref().unwrap().corners, [0, 1, 2, 3]);
    assert_eq!(mesh.uv_name.as_deref(), Some("map1"));
    assert_eq!(mesh.other_names[0], "headShape");
    assert!(codes(&scene).is_empty());
}

#[test]
fn transforms_and_units_are_applied() {
    let group = "P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,0,0";
    let head = "P: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,0,90";
    let scene = read("a.fbx", &head_below_group(1, 100.0, group, head));
    let mesh = &scene.meshes[0];
    let [x, y, _] = mesh.mesh.positions[1];
    assert!((x - 1000.0).abs() < 1e-3 && (y - 100.0).abs() < 1e-3, "{x} {y}");
    assert_eq!(mesh.transform.unit_cm, 100.0);
    assert_eq!(mesh.transform.moving_nodes, ["grp", "rig:head_lod0_mesh"]);
    let options = ReadOptions { unit_cm: Some(2.54), space: Space::Object, ..ReadOptions::default() };
    let text = head_below_group(1, 100.0, group, head);
    let scene = read_bytes_with("a.fbx", text.as_bytes(), &options).unwrap();
    assert_eq!(scene.meshes[0].mesh.positions[1], [2.54, 0.0, 0.0]);
}

#[test]
fn z_up_files_are_turned() {
    let text = head_below_group(2, 1.0, "", "");
    let scene = read("a.fbx", &text);
    assert_eq!(scene.meshes[0].transform.up_axis, UpAxis::Z);
    let [x, y, z] = scene.meshes[0].mesh.positions[3];
    assert!(x.abs() < 1e-6 && (y + 3.297).abs() < 1e-6 && (z + 1.0).abs() < 1e-6, "{x} {y} {z}");
    let options = ReadOptions { up_axis: Some(UpAxis::Y), ..ReadOptions::default() };
    let scene = read_bytes_with("a.fbx", text.as_bytes(), &options).unwrap();
    assert_eq!(scene.meshes[0].mesh.positions[3], [0.0, 1.0, -3.297]);
}

#[test]
fn instances_and_mirrors_are_noticed() {
    let objects = geometry(1, INDICES)
        + &model(2, "eyeLeft", "Mesh", "")
        + &model(3, "eyeRight", "Mesh", "P: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",-1,1,1");
    let tree = "	C: \"OO\",2,0\n	C: \"OO\",3,0\n	C: \"OO\",1,2\n	C: \"OO\",1,3";
    let scene = read("a.fbx", &fbx(1, 1.0, &objects, tree));
    assert_eq!(names(&scene), ["eyeLeft", "eyeRight"]);
    assert_eq!(scene.meshes[1].mesh.positions[1], [-1.0, 0.0, 0.0]);
    assert!(finding(&scene, "MIRRORED_TRANSFORM").message.contains("eyeRight"));
}

/// A mesh under a moved node, skinned to two joints that were bound where they are but for `moved`.
fn skinned(moved: &str) -> String {
    let translation = |at: &str| format!("P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{at}");
    let matrix = |x: u32, y: u32| format!("*16 {{\n\t\t\ta: 1,0,0,0,0,1,0,0,0,0,1,0,{x},{y},0,1\n\t\t}}");
    let cluster = |id: u32, vertices: &str, link: String| {
        format!(
            "	Deformer: {id}, \"SubDeformer::\", \"Cluster\" {{\n		Version: 100\n		Indexes: *2 {{\n			a: {vertices}\n		}}\n		Weights: *2 {{\n			a: 1,1\n		}}\n		Transform: {}\n		TransformLink: {link}\n	}}\n",
            // the mesh was bound at the origin: its place as the joint sees it
            matrix(0, 0)
                .replace("0,0,0,1\n", "-2,0,0,1\n")
                .replace("-2,0,0,1", if vertices == "0,1" { "-2,0,0,1" } else { "0,-3,0,1" })
        )
    };
    let objects = geometry(1, INDICES)
        + &model(2, "head", "Mesh", &translation("50,0,0"))
        + &model(3, "jointA", "LimbNode", &translation("2,0,0"))
        + &model(4, "jointB", "LimbNode", &translation(moved))
        + "	Deformer: 5, \"Deformer::\", \"Skin\" {\n		Version: 101\n	}\n"
        + &cluster(6, "0,1", matrix(2, 0))
        + &cluster(7, "2,3", matrix(0, 3));
    let tree = "	C: \"OO\",2,0\n	C: \"OO\",3,0\n	C: \"OO\",4,0\n	C: \"OO\",1,2\n	C: \"OO\",5,1\n	C: \"OO\",6,5\n	C: \"OO\",7,5\n	C: \"OO\",3,6\n	C: \"OO\",4,7";
    fbx(1, 1.0, &objects, tree)
}

#[test]
fn a_skinned_mesh_is_where_its_joints_put_it() {
    let scene = read("a.fbx", &skinned("0,3,0"));
    assert_eq!(scene.meshes[0].mesh.positions[1], [1.0, 0.0, 0.0]);
    assert!(codes(&scene).is_empty());
    let scene = read("a.fbx", &skinned("0,9,0"));
    assert_eq!(scene.meshes[0].mesh.positions[1], [51.0, 0.0, 0.0]);
    assert_eq!(codes(&scene), ["SKIN_POSED"]);
}

#[test]
fn broken_files_are_errors() {
    let bad = |indices: &str| {
        let objects = geometry(1, indices) + &model(2, "grp", "Null", "") + &model(3, "head", "Mesh", "");
        read_bytes("a.fbx", fbx(1, 1.0, &objects, TREE).as_bytes()).unwrap_err().to_finding()
    };
    assert_eq!(bad("0,1,9,-4").code, "FILE_MALFORMED");
    assert_eq!(read_bytes("a.fbx", b"").unwrap_err().code(), "FILE_EMPTY");
    assert_eq!(read_bytes("a.fbx", b"glTF\x02").unwrap_err().code(), "FILE_KIND");
    assert_eq!(read_bytes("a.fbx", b"no such file").unwrap_err().code(), "FILE_KIND");
    let nothing = read_bytes("a.fbx", fbx(1, 1.0, "", "").as_bytes()).unwrap_err();
    assert_eq!(nothing.code(), "NO_MESH");
    let text = head_below_group(1, 1.0, "", "").replace("-3.29700", "nan");
    let scene = read_bytes("a.fbx", text.as_bytes());
    // the library may refuse the word or read it; it may not pass as a number
    assert!(scene.is_err() || codes(&scene.unwrap()).contains(&"POSITION_NOT_FINITE"));
}

#[test]
fn a_file_cut_anywhere_is_no_crash() {
    let text = head_below_group(1, 1.0, "", "");
    for end in (0..text.len()).step_by(7) {
        let _ = read_bytes("a.fbx", &text.as_bytes()[..end]);
    }
}

#[test]
fn small_faces_are_left_out() {
    let scene = read("a.fbx", &head_below_group(1, 1.0, "", "").replace(INDICES, "0,1,-3,-4"));
    assert_eq!(scene.meshes[0].mesh.faces.len(), 1);
    assert_eq!(scene.meshes[0].mesh.uv.as_ref().unwrap().corners, [0, 1, 2]);
    assert_eq!(codes(&scene), ["FACE_TOO_SMALL"]);
}
