//! What the writers write, the readers read: to the same bits.

#![allow(clippy::unwrap_used, clippy::type_complexity)]

use std::path::Path;

use mhrig_geom::{Mesh, Polygons, UvSet};
use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{
    MaWriteOptions, NamedMesh, ReadOptions, SceneMeshes, read_inputs, read_meshes, write_ma, write_obj,
};
use proptest::prelude::*;

fn read(path: &Path) -> SceneMeshes {
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    read_meshes(path, &ReadOptions::default(), job).unwrap()
}

fn bits(mesh: &Mesh) -> (Vec<[u32; 3]>, &Polygons, Option<(Vec<[u32; 2]>, &[u32])>) {
    let uv =
        mesh.uv.as_ref().map(|uv| (uv.coords.iter().map(|c| c.map(f32::to_bits)).collect(), &*uv.corners));
    (mesh.positions.iter().map(|p| p.map(f32::to_bits)).collect(), &mesh.faces, uv)
}

fn finite() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |v| v.is_finite())
}

/// Any mesh whose faces have distinct corners, with or without texture coordinates.
fn meshes() -> impl Strategy<Value = Mesh> {
    let positions = prop::collection::vec([finite(), finite(), finite()], 5..40);
    (positions, any::<bool>()).prop_flat_map(|(positions, has_uv)| {
        let count = positions.len() as u32;
        let order: Vec<u32> = (0..count).collect();
        let face =
            (Just(order).prop_shuffle(), 3..6usize).prop_map(|(order, corners)| order[..corners].to_vec());
        let coords = prop::collection::vec([finite(), finite()], 1..20);
        (Just(positions), prop::collection::vec(face, 1..20), coords, any::<u64>(), Just(has_uv)).prop_map(
            |(positions, face_list, coords, seed, has_uv)| {
                let mut faces = Polygons::default();
                for face in &face_list {
                    faces.push(face.iter().copied()).unwrap();
                }
                let corner =
                    |at: usize| ((seed.wrapping_mul(at as u64 * 2 + 1) >> 7) % coords.len() as u64) as u32;
                let corners = (0..faces.corners().len()).map(corner).collect();
                let uv = has_uv.then(|| UvSet { coords: coords.clone(), corners });
                Mesh { positions, faces, uv }
            },
        )
    })
}

proptest! {
    #[test]
    fn obj_and_maya_ascii_give_back_the_same_bits(mesh in meshes()) {
        let folder = tempfile::tempdir().unwrap();
        let named = [NamedMesh { name: "head_lod0_mesh", mesh: &mesh, normals: None }];
        let mut bytes = Vec::new();
        write_obj(&mut bytes, &named).unwrap();
        let obj = folder.path().join("a.obj");
        std::fs::write(&obj, bytes).unwrap();
        let mut bytes = Vec::new();
        write_ma(&mut bytes, &named, &MaWriteOptions::default()).unwrap();
        let ma = folder.path().join("a.ma");
        std::fs::write(&ma, bytes).unwrap();
        for file in [obj, ma] {
            let scene = read(&file);
            prop_assert_eq!(scene.meshes.len(), 1);
            prop_assert_eq!(&scene.meshes[0].name, "head_lod0_mesh");
            prop_assert_eq!(bits(&scene.meshes[0].mesh), bits(&mesh));
            prop_assert!(scene.meshes[0].findings.is_empty());
        }
    }
}

#[test]
fn the_reference_human_is_the_same_from_obj_files_and_from_one_scene() {
    let Some(template) = mhrig_testkit::shared_or_skip(
        "the_reference_human_is_the_same_from_obj_files_and_from_one_scene",
        "data/human/template",
    ) else {
        return;
    };
    let from_obj = read(&template);
    assert_eq!(from_obj.meshes.len(), 10);
    assert!(from_obj.findings.is_empty());
    let head = from_obj.resolve(&["head_lod0_mesh"]).meshes[0].unwrap();
    assert_eq!(
        (head.mesh.positions.len(), head.mesh.faces.len(), head.mesh.uv.as_ref().unwrap().coords.len()),
        (4368, 4346, 4561)
    );
    let named: Vec<_> =
        from_obj.meshes.iter().map(|m| NamedMesh { name: &m.name, mesh: &m.mesh, normals: None }).collect();
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.ma");
    let options = MaWriteOptions { group: Some("character".into()), ..MaWriteOptions::default() };
    write_ma(std::fs::File::create(&scene).unwrap(), &named, &options).unwrap();
    let from_ma = read(&scene);
    assert_eq!(from_ma.meshes.len(), 10);
    for (a, b) in from_obj.meshes.iter().zip(&from_ma.meshes) {
        assert_eq!(a.name, b.name);
        assert_eq!(b.path, format!("|character|{}", b.name));
        assert_eq!(bits(&a.mesh), bits(&b.mesh), "{}", a.name);
    }
    // one OBJ with all parts, normals included
    let all = folder.path().join("all.obj");
    let normals: Vec<_> = named.iter().map(|n| vec![[0.0, 1.0, 0.0]; n.mesh.positions.len()]).collect();
    let named: Vec<_> =
        named.iter().zip(&normals).map(|(n, normals)| NamedMesh { normals: Some(normals), ..*n }).collect();
    write_obj(std::fs::File::create(&all).unwrap(), &named).unwrap();
    let from_one = read(&all);
    assert_eq!(from_one.meshes.len(), 10);
    for (a, b) in from_obj.meshes.iter().zip(&from_one.meshes) {
        assert_eq!(a.name, b.name);
        assert_eq!(bits(&a.mesh).0, bits(&b.mesh).0, "{}", a.name);
        assert_eq!(a.mesh.faces, b.mesh.faces, "{}", a.name);
    }
}

#[test]
fn a_list_reads_in_the_order_given() {
    let folder = tempfile::tempdir().unwrap();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let files = ["b.obj", "a.obj"].map(|name| folder.path().join(name));
    for file in &files {
        std::fs::write(file, triangle).unwrap();
    }
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    let names = |scene: SceneMeshes| scene.meshes.into_iter().map(|m| m.name).collect::<Vec<_>>();
    assert_eq!(names(read_inputs(&files, &ReadOptions::default(), job).unwrap()), ["b", "a"]);
    assert_eq!(names(read(folder.path())), ["a", "b"]);
}
