//! FBX, binary and ASCII, through the `ufbx` library.

use std::path::Path;

use mhrig_geom::{Mesh, Polygons, UvSet};
use mhrig_report::{Finding, Job, Severity};
use nalgebra::Matrix4;

use crate::error::{Place, SceneError};
use crate::names;
use crate::read::{ReadOptions, Space, UpAxis};
use crate::scene_mesh::{BrokenMesh, MeshTransform, NamedUvSet, SceneMesh, SceneMeshes};
use crate::skin::SceneSkin;

/// Memory for decompressed arrays: this much per byte of the file, and this much at least.
const MEMORY_PER_BYTE: usize = 64;
const LEAST_MEMORY: usize = 1 << 30;
/// Where the header of a text file must be.
const HEAD: usize = 1 << 16;
/// Face corners of all second and further instances together.
const MOST_INSTANCE_CORNERS: usize = 1 << 25;
/// What an instance costs at least, in corners.
const LEAST_INSTANCE: usize = 1 << 12;
/// Largest difference between the transforms of a skin's joints that counts as rounding, relative.
const BIND_TOLERANCE: f64 = 1e-4;
/// Deeper node trees are refused.
const DEEPEST: u32 = 256;

/// Reads `bytes`, the content of `file`.
pub(crate) fn read_fbx(
    file: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let scene = load(file, bytes, options, job)?;
    let mut reader =
        Reader { file, options, scene: &scene, out: SceneMeshes::default(), instance_corners: 0 };
    for node in &scene.nodes {
        job.check()?;
        if let Some(mesh) = &node.mesh {
            reader.add(node, mesh);
        }
    }
    if reader.out.meshes.is_empty() && reader.out.broken.is_empty() {
        return Err(SceneError::NoMesh { file: file.to_owned() });
    }
    Ok(reader.out)
}

/// Reads the skin weights of `bytes`, the content of `file`.
pub(crate) fn read_skins(file: &Path, bytes: &[u8], job: Job<'_>) -> Result<Vec<SceneSkin>, SceneError> {
    let scene = load(file, bytes, &ReadOptions::default(), job)?;
    let name = |node: &ufbx::Node| {
        let raw = names::unescape_fbx(&node.element.name);
        names::without_namespace(&raw).to_owned()
    };
    let mut skins = Vec::new();
    for node in &scene.nodes {
        let Some(mesh) = node.mesh.as_ref().filter(|mesh| !mesh.skin_deformers.is_empty()) else { continue };
        let mut skin = SceneSkin {
            mesh: name(node),
            joints: Vec::new(),
            influences: vec![Vec::new(); mesh.vertices.len()],
        };
        for cluster in mesh.skin_deformers.iter().flat_map(|deformer| deformer.clusters.iter()) {
            job.check()?;
            let Some(joint) = &cluster.bone_node else { continue };
            let number = u16::try_from(skin.joints.len()).map_err(|_| SceneError::TooMany {
                place: Place::file(file).in_part(&skin.mesh),
                what: "joints of a skin",
                limit: usize::from(u16::MAX),
            })?;
            skin.joints.push(name(joint));
            for (&vertex, &weight) in cluster.vertices.iter().zip(cluster.weights.iter()) {
                if let Some(influences) = skin.influences.get_mut(vertex as usize) {
                    influences.push((number, weight as f32));
                }
            }
        }
        skins.push(skin);
    }
    Ok(skins)
}

fn load(
    file: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<ufbx::SceneRoot, SceneError> {
    // the text form begins with comments and the header; any other text would fail at an arbitrary word
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    if !head.starts_with(b"Kaydara FBX Binary") && memchr::memmem::find(head, b"FBX").is_none() {
        return Err(SceneError::WrongKind {
            file: file.to_owned(),
            expected: "an FBX file",
            found: crate::format::FileKind::Text,
        });
    }
    let memory = ufbx::AllocatorOpts {
        memory_limit: bytes.len().saturating_mul(MEMORY_PER_BYTE).max(LEAST_MEMORY),
        ..ufbx::AllocatorOpts::default()
    };
    let progress = |_: &ufbx::Progress| match job.check() {
        Ok(()) => ufbx::ProgressResult::Continue,
        Err(_) => ufbx::ProgressResult::Cancel,
    };
    let mut load = ufbx::LoadOpts {
        result_allocator: memory,
        ignore_animation: true,
        ignore_embedded: true,
        skip_skin_vertices: true,
        index_error_handling: ufbx::IndexErrorHandling::AbortLoading,
        node_depth_limit: DEEPEST,
        file_format: ufbx::FileFormat::Fbx,
        no_format_from_extension: true,
        progress_cb: ufbx::ProgressCb::Ref(&progress),
        ..ufbx::LoadOpts::default()
    };
    load.temp_allocator.memory_limit = load.result_allocator.memory_limit;
    // without a target the numbers stay as they are, for the caller's unit and axis to be applied
    if options.up_axis.is_none() {
        load.target_axes = ufbx::CoordinateAxes::right_handed_y_up();
    }
    if options.unit_cm.is_none() {
        load.target_unit_meters = 0.01;
    }
    let scene = ufbx::load_memory(bytes, load).map_err(|error| load_error(file, &error))?;
    job.check()?;
    Ok(scene)
}

fn load_error(file: &Path, error: &ufbx::Error) -> SceneError {
    let place = Place::file(file);
    let description = error.description.to_string();
    match error.type_ {
        ufbx::ErrorType::Cancelled => SceneError::Cancelled(mhrig_report::Cancelled),
        ufbx::ErrorType::TruncatedFile | ufbx::ErrorType::EmptyFile => {
            SceneError::Truncated { place, inside: "its data".into() }
        }
        ufbx::ErrorType::MemoryLimit | ufbx::ErrorType::AllocationLimit | ufbx::ErrorType::OutOfMemory => {
            SceneError::TooMany { place, what: "bytes of memory for this file", limit: LEAST_MEMORY }
        }
        ufbx::ErrorType::UnsupportedVersion => SceneError::Unsupported {
            place,
            what: format!("this version of FBX ({description})"),
            remedy: "export as FBX 2014 or later",
        },
        _ => SceneError::Malformed { place, expected: "an FBX scene".into(), found: description },
    }
}

struct Reader<'a> {
    file: &'a Path,
    options: &'a ReadOptions,
    scene: &'a ufbx::Scene,
    out: SceneMeshes,
    instance_corners: usize,
}

impl Reader<'_> {
    fn add(&mut self, node: &ufbx::Node, mesh: &ufbx::Mesh) {
        let mut path = String::new();
        let mut names_down = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at.filter(|node| !node.is_root) {
            names_down.push(&*node.element.name);
            at = node.parent.as_deref();
        }
        for name in names_down.iter().rev() {
            path.push('|');
            path.push_str(name);
        }
        let raw = names::unescape_fbx(&node.element.name);
        let name = names::without_namespace(&raw).to_owned();
        let is_instance = mesh
            .element
            .instances
            .first()
            .is_some_and(|first| first.element.element_id != node.element.element_id);
        if is_instance {
            self.instance_corners += mesh.num_indices.max(LEAST_INSTANCE);
            if self.instance_corners > MOST_INSTANCE_CORNERS {
                let place = Place::file(self.file).in_part(&path).to_string();
                let remedy = "delete the instances that do not belong to the character";
                let finding = Finding::new(
                    "TOO_MANY_INSTANCES",
                    Severity::Warning,
                    place,
                    "not all instances are read",
                    remedy,
                );
                self.out.findings.push(finding);
                return;
            }
        }
        if mesh.num_faces == 0 {
            return;
        }
        match self.scene_mesh(node, mesh, &name, &path) {
            Ok(mesh) => self.out.meshes.push(mesh),
            Err(error) => self.out.broken.push(BrokenMesh { name, path, finding: error.to_finding() }),
        }
    }

    fn scene_mesh(
        &self,
        node: &ufbx::Node,
        mesh: &ufbx::Mesh,
        name: &str,
        path: &str,
    ) -> Result<SceneMesh, SceneError> {
        let place = || Place::file(self.file).in_part(path);
        let vertex_count = mesh.vertices.len();
        let mut faces = Polygons::with_capacity(mesh.faces.len(), mesh.vertex_indices.len());
        // corners of the faces that are kept, as places in the arrays of the file
        let mut corners = Vec::with_capacity(mesh.vertex_indices.len());
        let mut too_small = 0;
        for face in &mesh.faces {
            let range = face.index_begin as usize..face.index_begin as usize + face.num_indices as usize;
            let Some(vertices) = mesh.vertex_indices.get(range.clone()) else {
                return Err(SceneError::Malformed {
                    place: place(),
                    expected: "faces inside their index list".into(),
                    found: format!("{range:?}"),
                });
            };
            if vertices.len() < 3 {
                too_small += 1;
                continue;
            }
            if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= vertex_count) {
                return Err(SceneError::IndexOutOfRange {
                    place: place(),
                    what: "vertex",
                    index: i64::from(vertex),
                    count: vertex_count,
                });
            }
            faces.push(vertices.iter().copied()).map_err(|_| SceneError::TooMany {
                place: place(),
                what: "face corners",
                limit: u32::MAX as usize,
            })?;
            corners.extend(range);
        }
        let (transform, is_posed) = self.transform(node, mesh);
        let positions: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| [v.x, v.y, v.z]).collect();
        let mut uv_sets = Vec::new();
        let mut partial = None;
        for set in &mesh.uv_sets {
            match uv_set(set, &corners) {
                Some(uv) => uv_sets.push(NamedUvSet { name: set.name.to_string(), uv }),
                None => partial = Some(set.name.to_string()),
            }
        }
        let mut uv_sets = uv_sets.into_iter();
        let first_uv = uv_sets.next();
        let shape = names::unescape_fbx(&mesh.element.name);
        let shape = names::without_namespace(&shape);
        let mut other_names: Vec<String> =
            (!shape.is_empty() && shape != name).then(|| shape.to_owned()).into_iter().collect();
        other_names.extend(names::before_exporter(name));
        let mut out = SceneMesh {
            name: name.to_owned(),
            other_names,
            path: path.to_owned(),
            file: self.file.to_owned(),
            line: None,
            uv_name: first_uv.as_ref().map(|set| set.name.clone()),
            mesh: Mesh { positions: transform.place(&positions), faces, uv: first_uv.map(|set| set.uv) },
            more_uv_sets: uv_sets.collect(),
            transform,
            findings: Vec::new(),
        };
        if too_small > 0 {
            let message = format!("{too_small} faces have fewer than 3 corners and are left out");
            let remedy = "delete the degenerate faces (Mesh > Cleanup) and export again";
            out.note("FACE_TOO_SMALL", Severity::Warning, message, remedy);
        }
        if let Some(set) = partial {
            let message =
                format!("some face corners have no texture coordinate in set `{set}`; the set is ignored");
            out.note(
                "UV_PARTIAL",
                Severity::Warning,
                message,
                "give every face texture coordinates, or none",
            );
        }
        if is_posed {
            let message = "the skeleton is not in its bind pose; the mesh is read unposed".to_owned();
            let remedy = "go to the bind pose before exporting, if the pose is not wanted";
            out.note("SKIN_POSED", Severity::Info, message, remedy);
        }
        if out.transform.is_mirrored() {
            let nodes = out.transform.moving_nodes.join(", ");
            let message = format!("the transform mirrors the mesh (nodes {nodes}); its faces are inside out");
            let remedy = "freeze the transform (Modify > Freeze Transformations) and reverse the normals";
            out.note("MIRRORED_TRANSFORM", Severity::Warning, message, remedy);
        }
        out.note_positions();
        Ok(out)
    }

    /// The transform of `mesh` at `node`, and whether its skeleton is posed.
    fn transform(&self, node: &ufbx::Node, mesh: &ufbx::Mesh) -> (MeshTransform, bool) {
        let settings = &self.scene.settings;
        let file_unit_cm = settings.original_unit_meters * 100.0;
        let up_axis = self.options.up_axis.unwrap_or(match settings.original_axis_up {
            ufbx::CoordinateAxis::PositiveZ => UpAxis::Z,
            _ => UpAxis::Y,
        });
        let mut moving_nodes = Vec::new();
        let mut is_posed = false;
        let mut world_from_object = if self.options.space == Space::Object {
            // the root holds unit and axes
            from_ufbx(&self.scene.root_node.node_to_world)
        } else {
            let mut at = Some(node);
            while let Some(node) = at.filter(|node| !node.is_root) {
                if from_ufbx(&node.node_to_parent) != Matrix4::identity() {
                    moving_nodes.push(node.element.name.to_string());
                }
                at = node.parent.as_deref();
            }
            moving_nodes.reverse();
            let of_node = from_ufbx(&node.geometry_to_world);
            match bind_transform(mesh, &of_node) {
                Bind::Unskinned => of_node,
                Bind::Same(of_joints) => of_joints,
                Bind::Posed => {
                    is_posed = true;
                    of_node
                }
            }
        };
        if let Some(unit_cm) = self.options.unit_cm {
            world_from_object = Matrix4::new_scaling(unit_cm) * world_from_object;
        }
        if let Some(axis) = self.options.up_axis {
            world_from_object = axis.y_up_from_file() * world_from_object;
        }
        let unit_cm = self.options.unit_cm.unwrap_or(file_unit_cm);
        (MeshTransform { world_from_object, moving_nodes, unit_cm, up_axis }, is_posed)
    }
}

/// What the joints of a skin do to its mesh as the file has them.
enum Bind {
    /// There are none.
    Unskinned,
    /// All of them the same: the skeleton is in its bind pose, here or elsewhere.
    Same(Matrix4<f64>),
    /// Different things.
    Posed,
}

/// Compares the transforms that the joints give `mesh`. One that equals that of its node up to rounding is the
/// node's, whose numbers are exact.
fn bind_transform(mesh: &ufbx::Mesh, of_node: &Matrix4<f64>) -> Bind {
    let mut of_joints = mesh
        .skin_deformers
        .iter()
        .flat_map(|skin| skin.clusters.iter())
        .filter(|cluster| cluster.bone_node.is_some() && cluster.num_weights > 0)
        .map(|cluster| from_ufbx(&cluster.geometry_to_world));
    let Some(first) = of_joints.next() else { return Bind::Unskinned };
    let is_near = |a: &Matrix4<f64>, b: &Matrix4<f64>| (a - b).amax() <= BIND_TOLERANCE * a.amax().max(1.0);
    if !of_joints.all(|other| is_near(&first, &other)) {
        Bind::Posed
    } else if is_near(&first, of_node) {
        Bind::Same(*of_node)
    } else {
        Bind::Same(first)
    }
}

/// A texture coordinate set for the face corners at `corners`; `None` where some have none.
fn uv_set(set: &ufbx::UvSet, corners: &[usize]) -> Option<UvSet> {
    let values = &set.vertex_uv.values;
    let coords: Vec<[f32; 2]> = values.iter().map(|uv| [uv.x as f32, uv.y as f32]).collect();
    let at = |&corner: &usize| {
        set.vertex_uv.indices.get(corner).copied().filter(|&uv| (uv as usize) < coords.len())
    };
    let corners: Option<Vec<u32>> = corners.iter().map(at).collect();
    corners.map(|corners| UvSet { coords, corners })
}

#[rustfmt::skip]
fn from_ufbx(m: &ufbx::Matrix) -> Matrix4<f64> {
    Matrix4::new(
        m.m00, m.m01, m.m02, m.m03,
        m.m10, m.m11, m.m12, m.m13,
        m.m20, m.m21, m.m22, m.m23,
        0.0,   0.0,   0.0,   1.0,
    )
}
