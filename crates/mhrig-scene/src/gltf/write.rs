use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};

use crate::error::SceneError;
use crate::scene_mesh::NamedMesh;

/// Metres per centimetre.
const METRES: f32 = 0.01;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

/// Writes meshes as one binary glTF file: a node per mesh, triangles, normals and texture coordinates where given.
/// Vertices are split where texture coordinates meet; lengths become metres.
///
/// # Errors
/// [`SceneError::BadMesh`] for indices out of range, numbers that are not finite and more data than the format
/// holds; [`SceneError::Write`].
pub fn write_glb(mut out: impl Write, meshes: &[NamedMesh<'_>]) -> Result<(), SceneError> {
    let mut file = Glb::default();
    for named in meshes {
        named.check()?;
        file.add(named);
    }
    let json = file.document();
    let mut json = serde_json::to_vec(&json).map_err(|error| SceneError::Write(error.into()))?;
    json.resize(json.len().next_multiple_of(4), b' ');
    file.bytes.resize(file.bytes.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + 8 + file.bytes.len();
    let total = u32::try_from(total).map_err(|_| SceneError::BadMesh {
        mesh: meshes.last().map_or("", |named| named.name).to_owned(),
        why: "all meshes together are more than a glb file can hold".to_owned(),
    })?;
    out.write_all(b"glTF")?;
    for word in [2, total, json.len() as u32] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    out.write_all(&(file.bytes.len() as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    out.write_all(&file.bytes)?;
    out.flush()?;
    Ok(())
}

#[derive(Default)]
struct Glb {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Glb {
    fn add(&mut self, named: &NamedMesh<'_>) {
        let mesh = named.mesh;
        // One vertex of the file per position and texture coordinate, in the order of their first use.
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut vertices: Vec<(u32, u32)> = Vec::new();
        let mut triangles: Vec<u32> = Vec::new();
        for face in 0..mesh.faces.len() {
            let corners: Vec<u32> = mesh
                .faces
                .corner_range(face)
                .map(|corner| {
                    let uv = mesh.uv.as_ref().map_or(0, |uv| uv.corners[corner]);
                    let key = (mesh.faces.corners()[corner], uv);
                    *numbers.entry(key).or_insert_with(|| {
                        vertices.push(key);
                        vertices.len() as u32 - 1
                    })
                })
                .collect();
            for i in 1..corners.len().saturating_sub(1) {
                triangles.extend([corners[0], corners[i], corners[i + 1]]);
            }
        }
        if triangles.is_empty() {
            return;
        }
        let positions: Vec<[f32; 3]> =
            vertices.iter().map(|&(p, _)| mesh.positions[p as usize].map(|c| c * METRES)).collect();
        let bound = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..3).map(|axis| positions.iter().fold(start, |bound, p| pick(bound, p[axis]))).collect()
        };
        let (min, max) = (bound(f32::min, f32::INFINITY), bound(f32::max, f32::NEG_INFINITY));
        let mut attributes = serde_json::Map::new();
        let position = self.floats(&positions, "VEC3");
        self.accessors[position]["min"] = json!(min);
        self.accessors[position]["max"] = json!(max);
        attributes.insert("POSITION".into(), json!(position));
        if let Some(normals) = named.normals {
            let normal = |&(p, _): &(u32, u32)| normals.get(p as usize).copied().unwrap_or_default();
            let normals: Vec<[f32; 3]> = vertices.iter().map(normal).collect();
            attributes.insert("NORMAL".into(), json!(self.floats(&normals, "VEC3")));
        }
        if let Some(uv) = &mesh.uv {
            let coords: Vec<[f32; 2]> = vertices
                .iter()
                .map(|&(_, uv_index)| uv.coords[uv_index as usize])
                .map(|[u, v]| [u, 1.0 - v])
                .collect();
            attributes.insert("TEXCOORD_0".into(), json!(self.floats(&coords, "VEC2")));
        }
        let bytes = triangles.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = self.accessor(bytes, UNSIGNED_INT, "SCALAR", triangles.len(), 34963);
        let primitive = json!({"attributes": attributes, "indices": indices, "material": 0});
        self.nodes.push(json!({"name": named.name, "mesh": self.meshes.len()}));
        self.meshes.push(json!({"name": named.name, "primitives": [primitive]}));
    }

    fn floats<const N: usize>(&mut self, values: &[[f32; N]], kind: &str) -> usize {
        let bytes = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(bytes, FLOAT, kind, values.len(), 34962)
    }

    fn accessor(&mut self, bytes: Vec<u8>, component: u32, kind: &str, count: usize, target: u32) -> usize {
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(), "target": target,
        }));
        self.bytes.extend(bytes);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": kind,
        }));
        self.accessors.len() - 1
    }

    fn document(&self) -> Value {
        let mut document = json!({
            "asset": {"version": "2.0", "generator": "MhRigCreator"},
            "scene": 0,
            "scenes": [{"nodes": (0..self.nodes.len()).collect::<Vec<_>>()}],
        });
        if !self.nodes.is_empty() {
            document["nodes"] = json!(self.nodes);
            document["meshes"] = json!(self.meshes);
            document["materials"] = json!([{
                "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.6},
                "doubleSided": true,
            }]);
            document["accessors"] = json!(self.accessors);
            document["bufferViews"] = json!(self.views);
            document["buffers"] = json!([{"byteLength": self.bytes.len().next_multiple_of(4)}]);
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mhrig_geom::{Mesh, Polygons, UvSet};
    use mhrig_report::{Cancel, Job, Silent};

    use super::*;
    use crate::{ReadOptions, read_mesh_bytes};

    fn quad() -> Mesh {
        let mut faces = Polygons::default();
        faces.push([0, 1, 2, 3]).unwrap();
        faces.push([0, 3, 4]).unwrap();
        Mesh {
            positions: vec![
                [0.0, 150.0, 0.0],
                [1.5, 150.0, 0.0],
                [1.5, 151.0, 0.0],
                [0.0, 151.0, 0.0],
                [-1.0, 150.0, 2.0],
            ],
            faces,
            uv: Some(UvSet {
                coords: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]],
                corners: vec![0, 1, 2, 3, 4, 3, 1],
            }),
        }
    }

    #[test]
    fn a_written_file_reads_back_to_the_same_triangles() {
        let mesh = quad();
        let normals = [[0.0, 0.0, 1.0]; 5];
        let named = NamedMesh { name: "quad", mesh: &mesh, normals: Some(&normals) };
        let mut bytes = Vec::new();
        write_glb(&mut bytes, &[named]).unwrap();
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let read = read_mesh_bytes(Path::new("a.glb"), &bytes, &ReadOptions::default(), job).unwrap();
        assert_eq!(read.meshes.len(), 1);
        let found = &read.meshes[0];
        assert_eq!(found.name, "quad");
        let corners: Vec<[f32; 3]> =
            found.mesh.faces.corners().iter().map(|&c| found.mesh.positions[c as usize]).collect();
        let expected: Vec<[f32; 3]> =
            [0, 1, 2, 0, 2, 3, 0, 3, 4].into_iter().map(|c: usize| mesh.positions[c]).collect();
        assert_eq!(corners.len(), expected.len());
        for (found, expected) in corners.iter().zip(&expected) {
            for axis in 0..3 {
                assert!((found[axis] - expected[axis]).abs() < 1e-4, "{found:?} {expected:?}");
            }
        }
        let uv = found.mesh.uv.as_ref().unwrap();
        let last = uv.corners.last().map(|&c| uv.coords[c as usize]);
        assert_eq!(last, Some([1.0, 0.0]));
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        let mut mesh = quad();
        mesh.positions[1][0] = f32::NAN;
        let named = NamedMesh { name: "quad", mesh: &mesh, normals: None };
        assert!(matches!(write_glb(Vec::new(), &[named]), Err(SceneError::BadMesh { .. })));
    }
}
