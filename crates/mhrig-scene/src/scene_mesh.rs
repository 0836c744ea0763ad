use std::path::{Path, PathBuf};

use mhrig_geom::{Mesh, UvSet};
use mhrig_report::{Finding, Severity};
use nalgebra::{Matrix4, Point3};

use crate::read::UpAxis;

/// A texture coordinate set and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedUvSet {
    /// The name, `map1` for the first one of Maya.
    pub name: String,
    /// The coordinates.
    pub uv: UvSet,
}

/// How a mesh came into world space.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshTransform {
    /// World space (cm, Y up) from the numbers that the file stores for the mesh; column vectors.
    pub world_from_object: Matrix4<f64>,
    /// Names of the nodes above the mesh that move it, from the root down.
    pub moving_nodes: Vec<String>,
    /// Centimetres per length unit of the file.
    pub unit_cm: f64,
    /// The up axis of the file.
    pub up_axis: UpAxis,
}

impl MeshTransform {
    /// Whether positions are exactly the numbers of the file.
    pub fn is_identity(&self) -> bool {
        self.world_from_object == Matrix4::identity()
    }

    /// Whether the transform turns the mesh inside out: a negative scale, or an odd number of them.
    pub fn is_mirrored(&self) -> bool {
        self.world_from_object.fixed_view::<3, 3>(0, 0).determinant() < 0.0
    }

    /// Applies the transform and rounds once. Under the identity the numbers are only rounded.
    pub(crate) fn place(&self, positions: &[[f64; 3]]) -> Vec<[f32; 3]> {
        if self.is_identity() {
            return positions.iter().map(|p| p.map(|c| c as f32)).collect();
        }
        let m = &self.world_from_object;
        positions
            .iter()
            .map(|&p| {
                let world = m.transform_point(&Point3::from(p));
                [world.x as f32, world.y as f32, world.z as f32]
            })
            .collect()
    }
}

/// A mesh of a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneMesh {
    /// The name without namespace: of the transform in a Maya scene, of the object or group in an OBJ file, of the
    /// file where the OBJ names nothing.
    pub name: String,
    /// Other names that the mesh may be meant by, the best first: of its shape, of its file, the name without what
    /// exporters append.
    pub other_names: Vec<String>,
    /// Where it is in the scene, namespaces included: the DAG path `|group|head_lod0_mesh`. A mesh that shares its
    /// transform with others has its shape's name at the end.
    pub path: String,
    /// The file it comes from.
    pub file: PathBuf,
    /// The line on which it begins, where the format has lines.
    pub line: Option<u64>,
    /// The polygons: world space (or object space, where that was asked for), cm, Y up. `uv` is the first set.
    pub mesh: Mesh,
    /// The name of `mesh.uv`, where there is one.
    pub uv_name: Option<String>,
    /// The texture coordinate sets after the first.
    pub more_uv_sets: Vec<NamedUvSet>,
    /// How it came into world space.
    pub transform: MeshTransform,
    /// What the reader noticed about it.
    pub findings: Vec<Finding>,
}

impl SceneMesh {
    /// File and path, to tell candidates apart: `scene.ma|group|head_lod0_mesh`.
    pub fn full_path(&self) -> String {
        full_path(&self.file, &self.path)
    }

    /// Adds a finding about this mesh, placed at its file, line and path.
    pub(crate) fn note(&mut self, code: &'static str, severity: Severity, message: String, remedy: &str) {
        let place = mesh_place(&self.file, self.line, &self.path);
        self.findings.push(Finding::new(code, severity, place, message, remedy));
    }

    /// Notes positions that are no finite numbers: how many, and the first.
    pub(crate) fn note_positions(&mut self) {
        let bad = |p: &&[f32; 3]| p.iter().any(|c| !c.is_finite());
        let count = self.mesh.positions.iter().filter(bad).count();
        let Some((vertex, p)) = self.mesh.positions.iter().enumerate().find(|(_, p)| bad(p)) else { return };
        let place = mesh_place(&self.file, self.line, &self.path);
        let of = self.mesh.positions.len();
        let finding = Finding::new(
            "POSITION_NOT_FINITE",
            Severity::Error,
            format!("{place}: vertex {vertex}"),
            format!("{count} of {of} vertex positions are not finite numbers, vertex {vertex} is the first"),
            "undo the edit or the deformer that broke these vertices, and export again",
        );
        self.findings.push(finding.with_values("finite numbers", format!("{} {} {}", p[0], p[1], p[2])));
    }
}

/// `file:line: path`.
pub(crate) fn mesh_place(file: &Path, line: Option<u64>, path: &str) -> String {
    match line {
        Some(line) => format!("{}:{line}: {path}", file.display()),
        None => format!("{}: {path}", file.display()),
    }
}

pub(crate) fn full_path(file: &Path, path: &str) -> String {
    format!("{}{path}", file.display())
}

/// A mesh that the file names and that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenMesh {
    /// The name without namespace.
    pub name: String,
    /// Where it is in the scene.
    pub path: String,
    /// Why it cannot be used.
    pub finding: Finding,
}

/// What was read from one or more scene files.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SceneMeshes {
    /// The meshes: files in the order given, and within a file in the file's order.
    pub meshes: Vec<SceneMesh>,
    /// Meshes that cannot be used.
    pub broken: Vec<BrokenMesh>,
    /// What concerns no single mesh: files that could not be read, references to other scenes, picks that fit nothing.
    pub findings: Vec<Finding>,
}

/// A mesh to be written, with its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedMesh<'a> {
    /// The name.
    pub name: &'a str,
    /// The polygons: world space, cm, Y up.
    pub mesh: &'a Mesh,
    /// One normal per vertex, where normals are to be written (OBJ only).
    pub normals: Option<&'a [[f32; 3]]>,
}

impl NamedMesh<'_> {
    /// Checks that every index is in range and every number finite.
    ///
    /// # Errors
    /// [`crate::SceneError::BadMesh`] otherwise.
    pub(crate) fn check(&self) -> Result<(), crate::SceneError> {
        let bad = |why: String| Err(crate::SceneError::BadMesh { mesh: self.name.to_owned(), why });
        let Mesh { positions, faces, uv } = self.mesh;
        if let Some(vertex) = positions.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return bad(format!("position {vertex} is not finite"));
        }
        if let Some(corner) = faces.corners().iter().find(|&&c| c as usize >= positions.len()) {
            return bad(format!("vertex {corner} does not exist, there are {}", positions.len()));
        }
        if let Some(uv) = uv {
            if uv.corners.len() != faces.corners().len() {
                let (found, expected) = (uv.corners.len(), faces.corners().len());
                return bad(format!("{found} texture corners for {expected} face corners"));
            }
            if let Some(corner) = uv.corners.iter().find(|&&c| c as usize >= uv.coords.len()) {
                return bad(format!(
                    "texture coordinate {corner} does not exist, there are {}",
                    uv.coords.len()
                ));
            }
            if let Some(at) = uv.coords.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
                return bad(format!("texture coordinate {at} is not finite"));
            }
        }
        if let Some(normals) = self.normals {
            if normals.len() != positions.len() {
                return bad(format!("{} normals for {} vertices", normals.len(), positions.len()));
            }
            if let Some(at) = normals.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
                return bad(format!("normal {at} is not finite"));
            }
        }
        Ok(())
    }
}
