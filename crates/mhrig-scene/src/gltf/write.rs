use std::collections::BTreeMap;
use std::io::Write;

use mhrig_geom::Mesh;
use serde_json::{Value, json};

use super::builder::{ARRAY_BUFFER, Buffer, ELEMENT_ARRAY_BUFFER, UNSIGNED_INT, write_container};
use crate::error::SceneError;
use crate::scene_mesh::NamedMesh;

/// Metres per centimetre.
pub(super) const METRES: f32 = 0.01;

/// Writes meshes as one binary glTF file: a node per mesh, triangles, normals and texture coordinates where given.
/// Vertices are split where texture coordinates meet; lengths become metres.
///
/// # Errors
/// [`SceneError::BadMesh`] for indices out of range, numbers that are not finite and more data than the format
/// holds; [`SceneError::Write`].
pub fn write_glb(out: impl Write, meshes: &[NamedMesh<'_>]) -> Result<(), SceneError> {
    let mut file = Glb::default();
    for named in meshes {
        named.check()?;
        file.add(named);
    }
    let document = file.document();
    write_container(out, &document, file.buffer.bytes, meshes.last().map_or("", |named| named.name))
}

/// Triangles of a mesh, and the vertices of a file that they are made of: one per position and texture coordinate, in
/// the order of their first use.
pub(super) struct SplitMesh {
    /// Position and texture coordinate of each vertex of the file.
    pub(super) vertices: Vec<(u32, u32)>,
    /// What else tells the vertex from others at its position.
    pub(super) keys: Vec<u32>,
    pub(super) triangles: Vec<u32>,
}

impl SplitMesh {
    pub(super) fn of(mesh: &Mesh) -> Self {
        Self::with_keys(mesh, |_| 0)
    }

    /// Corners with different keys get vertices of their own.
    pub(super) fn with_keys(mesh: &Mesh, key_of: impl Fn(usize) -> u32) -> Self {
        let mut numbers: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
        let mut vertices: Vec<(u32, u32)> = Vec::new();
        let mut keys: Vec<u32> = Vec::new();
        let mut triangles: Vec<u32> = Vec::new();
        for face in 0..mesh.faces.len() {
            let corners: Vec<u32> = mesh
                .faces
                .corner_range(face)
                .map(|corner| {
                    let uv = mesh.uv.as_ref().map_or(0, |uv| uv.corners[corner]);
                    let (position, key) = (mesh.faces.corners()[corner], key_of(corner));
                    *numbers.entry((position, uv, key)).or_insert_with(|| {
                        vertices.push((position, uv));
                        keys.push(key);
                        vertices.len() as u32 - 1
                    })
                })
                .collect();
            for i in 1..corners.len().saturating_sub(1) {
                triangles.extend([corners[0], corners[i], corners[i + 1]]);
            }
        }
        Self { vertices, keys, triangles }
    }

    /// What `values` has at the position of each vertex.
    pub(super) fn at_positions<T: Copy + Default>(&self, values: &[T]) -> Vec<T> {
        self.vertices.iter().map(|&(p, _)| values.get(p as usize).copied().unwrap_or_default()).collect()
    }

    /// Indices, positions (metres), and texture coordinates as attributes of a primitive.
    pub(super) fn primitive(&self, mesh: &Mesh, buffer: &mut Buffer) -> Value {
        let positions: Vec<[f32; 3]> =
            self.at_positions(&mesh.positions).iter().map(|p| p.map(|c| c * METRES)).collect();
        let mut attributes = serde_json::Map::new();
        attributes.insert("POSITION".into(), json!(buffer.positions(&positions)));
        if let Some(uv) = &mesh.uv {
            let coords = self.vertices.iter().map(|&(_, at)| uv.coords[at as usize]);
            let coords: Vec<[f32; 2]> = coords.map(|[u, v]| [u, 1.0 - v]).collect();
            attributes.insert("TEXCOORD_0".into(), json!(buffer.floats(&coords, "VEC2", Some(ARRAY_BUFFER))));
        }
        let bytes: Vec<u8> = self.triangles.iter().flat_map(|index| index.to_le_bytes()).collect();
        let target = Some(ELEMENT_ARRAY_BUFFER);
        let indices = buffer.accessor(&bytes, UNSIGNED_INT, "SCALAR", self.triangles.len(), target);
        json!({"attributes": attributes, "indices": indices})
    }
}

#[derive(Default)]
struct Glb {
    buffer: Buffer,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Glb {
    fn add(&mut self, named: &NamedMesh<'_>) {
        let split = SplitMesh::of(named.mesh);
        if split.triangles.is_empty() {
            return;
        }
        let mut primitive = split.primitive(named.mesh, &mut self.buffer);
        if let Some(normals) = named.normals {
            let normals = split.at_positions(normals);
            let accessor = self.buffer.floats(&normals, "VEC3", Some(ARRAY_BUFFER));
            primitive["attributes"]["NORMAL"] = json!(accessor);
        }
        primitive["material"] = json!(0);
        self.nodes.push(json!({"name": named.name, "mesh": self.meshes.len()}));
        self.meshes.push(json!({"name": named.name, "primitives": [primitive]}));
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
            self.buffer.describe(&mut document);
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
