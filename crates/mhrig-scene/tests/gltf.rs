//! glTF: containers, accessors, node trees, skins and errors.
#![allow(clippy::unwrap_used)]

mod common;

use common::{codes, finding, names, read_bytes, read_bytes_with};
use mhrig_scene::{ReadOptions, SceneMeshes, Space, UpAxis};
use proptest::prelude::*;

/// A binary glTF file of two chunks.
fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((length as u32).to_le_bytes());
    for (kind, chunk) in [(0x4e4f_534au32, json), (0x004e_4942, binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind.to_le_bytes());
        out.extend(chunk);
    }
    out
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Bytes of a square: 48 of positions, 32 of texture coordinates, 12 of 16-bit indices, in metres.
fn square() -> Vec<u8> {
    let mut bytes = floats(&[0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.01, 0.01, 0.0, 0.0, 0.01, 0.0]);
    bytes.extend(floats(&[0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]));
    bytes.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()));
    bytes
}

const ACCESSORS: &str = r#""accessors":[
  {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
  {"bufferView":1,"componentType":5126,"count":4,"type":"VEC2"},
  {"bufferView":2,"componentType":5123,"count":6,"type":"SCALAR"}],
 "bufferViews":[
  {"buffer":0,"byteOffset":0,"byteLength":48},
  {"buffer":0,"byteOffset":48,"byteLength":32},
  {"buffer":0,"byteOffset":80,"byteLength":12}]"#;
const PRIMITIVE: &str = r#"{"attributes":{"POSITION":0,"TEXCOORD_0":1},"indices":2}"#;

fn document(nodes: &str, primitives: &str, more: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}],
 "meshes":[{{"name":"headMesh","primitives":[{primitives}]}}],
 "buffers":[{{"byteLength":92}}],{ACCESSORS}{more}}}"#
    )
}

fn read(json: &str) -> SceneMeshes {
    read_bytes("a.glb", &glb(json, &square())).unwrap()
}

fn head() -> String {
    document(r#"{"name":"rig:head","mesh":0}"#, PRIMITIVE, "")
}

#[test]
fn metres_become_centimetres_and_v_runs_upwards() {
    let scene = read(&head());
    let mesh = &scene.meshes[0];
    assert_eq!((mesh.name.as_str(), mesh.path.as_str()), ("head", "|rig:head"));
    assert_eq!(mesh.other_names, ["headMesh"]);
    assert_eq!(mesh.mesh.positions, [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(mesh.mesh.faces.iter().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3]]);
    let uv = mesh.mesh.uv.as_ref().unwrap();
    assert_eq!((uv.coords[0], uv.corners.as_slice()), ([0.0, 0.0], &[0, 1, 2, 0, 2, 3][..]));
    assert_eq!(mesh.transform.unit_cm, 100.0);
    assert!(codes(&scene).is_empty());
}

#[test]
fn node_transforms_are_applied_from_the_root_down() {
    let nodes = r#"{"name":"g","children":[1],"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 0.5,0,0,1]},
      {"name":"head","mesh":0,"translation":[0.1,0,0],"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,2,2]}"#;
    let scene = read(&document(nodes, PRIMITIVE, ""));
    let [x, y, z] = scene.meshes[0].mesh.positions[1];
    // (0.01, 0, 0) → scaled and turned (0, 0.02, 0) → moved (0.1, 0.02, 0) → turned (-0.02, 0.1, 0) → moved
    assert!((x - 48.0).abs() < 1e-4 && (y - 10.0).abs() < 1e-4 && z == 0.0, "{x} {y} {z}");
    assert_eq!(scene.meshes[0].path, "|g|head");
    assert_eq!(scene.meshes[0].transform.moving_nodes, ["g", "head"]);
}

#[test]
fn options_replace_unit_axis_and_space() {
    let nodes = r#"{"name":"head","mesh":0,"translation":[9,9,9]}"#;
    let bytes = glb(&document(nodes, PRIMITIVE, ""), &square());
    let options = ReadOptions {
        unit_cm: Some(1.0),
        up_axis: Some(UpAxis::Z),
        space: Space::Object,
        ..ReadOptions::default()
    };
    let scene = read_bytes_with("a.glb", &bytes, &options).unwrap();
    assert_eq!(scene.meshes[0].mesh.positions[3], [0.0, 0.0, -0.01]);
}

#[test]
fn a_skinned_mesh_follows_its_joints_not_its_node() {
    // the joint is scaled by 0.01 and its inverse bind matrix undoes everything but a scale by 0.1
    let skin = r#","skins":[{"joints":[1],"inverseBindMatrices":3}]"#;
    let json = document(
        r#"{"name":"head","mesh":0,"skin":0,"translation":[7,7,7],"children":[1]},{"name":"j","scale":[0.01,0.01,0.01],"translation":[-7,-7,-7]}"#,
        PRIMITIVE,
        skin,
    );
    let json = json
        .replace(
            r#""type":"SCALAR"}]"#,
            r#""type":"SCALAR"},{"bufferView":3,"componentType":5126,"count":1,"type":"MAT4"}]"#,
        )
        .replace(r#""byteLength":12}]"#, r#""byteLength":12},{"buffer":0,"byteOffset":92,"byteLength":64}]"#)
        .replace(r#"[{"byteLength":92}]"#, r#"[{"byteLength":156}]"#);
    let mut bytes = square();
    bytes
        .extend(floats(&[10.0, 0.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let scene = read_bytes("a.glb", &glb(&json, &bytes)).unwrap();
    let [x, y, _] = scene.meshes[0].mesh.positions[1];
    assert!((x - 0.1).abs() < 1e-6 && y.abs() < 1e-6, "{x} {y}");
}

#[test]
fn a_posed_skeleton_is_noticed_and_the_mesh_read_unposed() {
    let skin = r#","skins":[{"joints":[1,2]}]"#;
    let nodes = r#"{"name":"head","mesh":0,"skin":0,"translation":[7,7,7],"children":[1,2]},{"name":"j"},{"name":"k","translation":[1,0,0]}"#;
    let scene = read(&document(nodes, PRIMITIVE, skin));
    assert_eq!(codes(&scene), ["SKIN_POSED"]);
    assert_eq!(scene.meshes[0].mesh.positions[1], [1.0, 0.0, 0.0]);
}

#[test]
fn primitives_join_and_share_vertices() {
    let two = r#"{"attributes":{"POSITION":0,"TEXCOORD_0":1},"indices":2},{"attributes":{"POSITION":0,"TEXCOORD_0":1},"mode":6},{"attributes":{"POSITION":0},"mode":1}"#;
    let scene = read(&document(r#"{"mesh":0}"#, two, ""));
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.name, "headMesh");
    assert_eq!(mesh.mesh.positions.len(), 4);
    assert_eq!(mesh.mesh.faces.iter().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3], [1, 2, 0], [2, 3, 0]]);
    assert!(finding(&scene, "PRIMITIVE_SKIPPED").message.starts_with("1 primitives"));
    let partial =
        r#"{"attributes":{"POSITION":0,"TEXCOORD_0":1},"indices":2},{"attributes":{"POSITION":0},"mode":5}"#;
    let scene = read(&document(r#"{"mesh":0}"#, partial, ""));
    assert!(scene.meshes[0].mesh.uv.is_none());
    assert_eq!(scene.meshes[0].mesh.faces.iter().skip(2).collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(codes(&scene), ["UV_PARTIAL"]);
}

#[test]
fn quantised_and_sparse_accessors_are_read() {
    let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_mesh_quantization"],"scenes":[{"nodes":[0]}],"nodes":[{"name":"a","mesh":0}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"byteLength":60}],
      "accessors":[{"bufferView":0,"componentType":5122,"normalized":true,"count":3,"type":"VEC3",
        "sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":1,"byteOffset":2}}}],
      "bufferViews":[{"buffer":0,"byteLength":24,"byteStride":8},{"buffer":0,"byteOffset":24,"byteLength":8}]}"#;
    let mut bytes: Vec<u8> =
        [0i16, 0, 0, 9, 32767, 0, 0, 9, 0, -32768, 0, 9].iter().flat_map(|v| v.to_le_bytes()).collect();
    // element 2 becomes (0, 0, 32767)
    bytes.extend([2, 0, 0, 0, 0, 0, 0xff, 0x7f]);
    bytes.resize(60, 0);
    let scene = read_bytes("a.glb", &glb(json, &bytes)).unwrap();
    assert_eq!(scene.meshes[0].mesh.positions, [[0.0; 3], [100.0, 0.0, 0.0], [0.0, 0.0, 100.0]]);
}

#[test]
fn a_text_file_with_its_buffer_beside_it_or_in_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my data.bin"), square()).unwrap();
    let file = folder.path().join("a.gltf");
    let beside = head().replace(r#"{"byteLength":92}"#, r#"{"byteLength":92,"uri":"my%20data.bin"}"#);
    std::fs::write(&file, &beside).unwrap();
    assert_eq!(names(&common::read_with(&file, &ReadOptions::default()).unwrap()), ["head"]);
    std::fs::write(&file, beside.replace("my%20data", "gone")).unwrap();
    let error = common::read_with(&file, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("gone.bin"), "{error}");
    let text = "AAAAAAAAAAAAAAAACtcjPAAAAAAAAAAACtcjPArXIzwAAAAA";
    let inside = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"head","mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
      "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],
      "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,DATA"}]}"#;
    let scene = read_bytes("a.gltf", inside.replace("DATA", text).as_bytes()).unwrap();
    assert_eq!(scene.meshes[0].mesh.positions.len(), 3);
}

#[test]
fn instances_are_read_and_node_cycles_are_cut() {
    let nodes =
        r#"{"name":"a","mesh":0,"children":[1,0]},{"name":"b","mesh":0,"scale":[-1,1,1],"children":[0]}"#;
    let scene = read(&document(nodes, PRIMITIVE, ""));
    assert_eq!(names(&scene), ["a", "b"]);
    assert_eq!(scene.meshes[1].mesh.positions[1], [-1.0, 0.0, 0.0]);
    assert_eq!(codes(&scene), ["NODE_TREE", "NODE_TREE", "MIRRORED_TRANSFORM"]);
}

#[test]
fn wrong_files_are_errors_with_place_and_numbers() {
    let head = head();
    let cases = [
        (r#""count":4,"type":"VEC3""#, r#""count":5,"type":"VEC3""#, "accessor 0", "at most 48 bytes"),
        (
            r#""count":4,"type":"VEC3""#,
            r#""count":18446744073709551615,"type":"VEC3""#,
            "accessor 0",
            "more elements",
        ),
        (r#""type":"VEC3""#, r#""type":"VEC4""#, "accessor 0", "VEC3"),
        (
            r#""componentType":5126,"count":4,"type":"VEC3""#,
            r#""componentType":9,"count":4,"type":"VEC3""#,
            "accessor 0",
            "component type",
        ),
        (r#""componentType":5123"#, r#""componentType":5126"#, "accessor 2", "unsigned integers"),
        (
            r#""byteOffset":80,"byteLength":12"#,
            r#""byteOffset":80,"byteLength":13"#,
            "accessor 2",
            "inside its buffer",
        ),
        (r#""byteOffset":80"#, r#""byteOffset":18446744073709551615"#, "accessor 2", "inside its buffer"),
        (r#""indices":2"#, r#""indices":7"#, "accessor 7", "there are 3"),
        (r#""count":6"#, r#""count":5"#, "|rig:head", "multiple of 3"),
        (r#""POSITION":0"#, r#""POSITION":[]"#, "|rig:head", "points or lines"),
        (r#""bufferView":0"#, r#""bufferView":3"#, "buffer view 3", "there are 3"),
    ];
    for (from, to, place, word) in cases {
        assert!(head.contains(from), "{from}");
        let scene = read(&head.replacen(from, to, 1));
        let text = format!("{:?}", scene.broken);
        assert!(text.contains(place) && text.contains(word), "{to}: {text}");
        assert_eq!(scene.broken[0].name, "head");
    }
    let whole = [
        (r#""nodes":[0]"#, r#""nodes":[5]"#, "node 5"),
        (r#"[{"byteLength":92}]"#, r#"[{"byteLength":999}]"#, "999 bytes, of which 92"),
        (r#""version":"2.0""#, r#""version":"1.0""#, "version 1.0"),
        (
            r#""scene":0"#,
            r#""extensionsRequired":["KHR_draco_mesh_compression"]"#,
            "KHR_draco_mesh_compression",
        ),
        (r#""scene":0"#, r#""scene":"x""#, "invalid type"),
    ];
    for (from, to, word) in whole {
        let error = read_bytes("a.glb", &glb(&head.replacen(from, to, 1), &square())).unwrap_err();
        assert!(error.to_string().contains(word), "{to}: {error}");
        assert!(!error.remedy().is_empty());
    }
    assert_eq!(read_bytes("a.glb", b"glTF\x01\0\0\0").unwrap_err().code(), "UNSUPPORTED");
    assert_eq!(read_bytes("a.glb", b"v 0 0 0\n").unwrap_err().code(), "FILE_KIND");
    assert_eq!(read_bytes("a.gltf", b"{}").unwrap_err().code(), "FILE_MALFORMED");
}

#[test]
fn a_small_file_cannot_claim_much_memory() {
    // a thousand primitives over accessors that all share the same bytes
    let primitives: Vec<String> = (0..1000).map(|_| r#"{"attributes":{"POSITION":0}}"#.to_owned()).collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{}]}}],"buffers":[{{"byteLength":0}}],
          "accessors":[{{"componentType":5126,"count":900000,"type":"VEC3"}}]}}"#,
        primitives.join(",").replace(r#""POSITION":0}"#, r#""POSITION":0},"indices":0"#)
    );
    let scene = read_bytes("a.glb", &glb(&json, &[])).unwrap();
    assert_eq!(scene.broken.len(), 1);
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let bytes = glb(&head(), &square());
    for end in 0..bytes.len() {
        assert!(read_bytes("a.glb", &bytes[..end]).is_err(), "{end}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn changed_bytes_are_no_crash(at in any::<prop::sample::Index>(), byte in any::<u8>(), more in any::<prop::sample::Index>()) {
        let mut bytes = glb(&head(), &square());
        let length = bytes.len();
        bytes[at.index(length)] = byte;
        bytes[more.index(length)] ^= 1 << (byte % 8);
        let _ = read_bytes("a.glb", &bytes);
    }
}
