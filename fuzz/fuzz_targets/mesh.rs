//! What the mesh readers promise of every result.

use std::path::Path;

use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{MaWriteOptions, NamedMesh, ReadOptions, read_mesh_bytes, write_ma, write_obj};

/// Reads `bytes` as `name` and checks the meshes.
pub fn check(name: &str, bytes: &[u8]) {
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    let Ok(scene) = read_mesh_bytes(Path::new(name), bytes, &ReadOptions::default(), job) else { return };
    let names: Vec<&str> = scene.meshes.iter().map(|mesh| mesh.name.as_str()).take(4).collect();
    scene.resolve(&names);
    for scene_mesh in &scene.meshes {
        let mesh = &scene_mesh.mesh;
        let sets = mesh.uv.iter().chain(scene_mesh.more_uv_sets.iter().map(|set| &set.uv));
        assert!(mesh.faces.corners().iter().all(|&vertex| (vertex as usize) < mesh.positions.len()));
        assert!(mesh.faces.iter().all(|face| face.len() >= 3));
        for uv in sets {
            assert_eq!(uv.corners.len(), mesh.faces.corners().len());
            assert!(uv.corners.iter().all(|&at| (at as usize) < uv.coords.len()));
        }
        // numbers that are not finite are the only reason for which a mesh cannot be written
        let numbers = mesh.positions.iter().flatten().chain(mesh.uv.iter().flat_map(|uv| uv.coords.iter().flatten()));
        let is_finite = numbers.clone().all(|number| number.is_finite());
        let named = [NamedMesh { name: "mesh", mesh, normals: None }];
        let mut obj = Vec::new();
        assert_eq!(write_obj(&mut obj, &named).is_ok(), is_finite);
        assert_eq!(write_ma(std::io::sink(), &named, &MaWriteOptions::default()).is_ok(), is_finite);
        // an OBJ without a face is no mesh: FBX can hold vertices alone
        if is_finite && !mesh.faces.is_empty() {
            let again = read_mesh_bytes(Path::new("mesh.obj"), &obj, &ReadOptions::default(), job);
            assert_eq!(again.expect("what was written reads").meshes[0].mesh.faces, mesh.faces);
        }
    }
}
