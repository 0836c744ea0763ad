//! glTF 2.0: `.glb` and `.gltf`.
//!
//! Lengths in glTF are metres and Y is up. The primitives of a mesh become one mesh; primitives that share their
//! positions share their vertices. Vertices stay as the file has them: most exporters split them along texture
//! seams and hard edges.

mod accessor;
mod buffers;
mod builder;
mod document;
mod rig_write;
mod write;

pub(crate) use self::buffers::buffer_files;
pub use self::rig_write::{MorphMoves, RigGlbContent, RigGlbReport, RigMorph, VertexMove, write_rig_glb};
pub use self::write::write_glb;

use std::collections::HashMap;
use std::path::Path;

use mhrig_geom::{Mesh, Polygons, UvSet};
use mhrig_report::{Finding, Job, Severity};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use self::accessor::Arrays;
use self::document::{Document, Node, Primitive};
use crate::error::{Place, SceneError};
use crate::names;
use crate::read::{ReadOptions, Space};
use crate::scene_mesh::{BrokenMesh, MeshTransform, NamedUvSet, SceneMesh, SceneMeshes};

/// Deeper node trees are refused.
const DEEPEST: usize = 256;
/// Texture coordinate sets that are read.
const MOST_UV_SETS: usize = 8;
/// Face corners of all second and further instances together.
const MOST_INSTANCE_CORNERS: usize = 1 << 25;
/// What an instance costs at least, in corners.
const LEAST_INSTANCE: usize = 1 << 12;
/// Extensions that change what the accessors mean, or keep the vertices elsewhere.
const GEOMETRY_EXTENSIONS: &[&str] =
    &["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
/// Largest difference between the bind transforms of a skin's joints that counts as rounding, relative.
const BIND_TOLERANCE: f64 = 1e-4;

/// Reads `bytes`, the content of `file`: binary glTF or its JSON.
pub(crate) fn read_gltf(
    file: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let (json, binary) =
        if bytes.starts_with(b"glTF") { buffers::glb_chunks(file, bytes)? } else { (bytes, None) };
    let document: Document = serde_json::from_slice(json).map_err(|error| SceneError::Malformed {
        place: match error.line() {
            0 => Place::file(file),
            line => Place::line(file, line as u64),
        }
        .in_part("JSON"),
        expected: "a glTF document".into(),
        found: error.to_string(),
    })?;
    if !document.asset.version.starts_with("2.") {
        return Err(SceneError::Unsupported {
            place: Place::file(file),
            what: format!("version {} of glTF", document.asset.version),
            remedy: "export as glTF 2.0",
        });
    }
    if let Some(name) = document.extensions_required.iter().find(|name| is_geometry_extension(name)) {
        return Err(compressed(Place::file(file), name));
    }
    let arrays = Arrays::new(file, &document, binary)?;
    let mut reader = Reader {
        file,
        document: &document,
        arrays,
        options,
        scene: SceneMeshes::default(),
        cache: HashMap::new(),
        world: vec![None; document.nodes.len()],
        parents: vec![None; document.nodes.len()],
        binds: HashMap::new(),
        instance_corners: 0,
        unit_cm: options.unit_cm.unwrap_or(100.0),
    };
    reader.read(job)?;
    if reader.scene.meshes.is_empty() && reader.scene.broken.is_empty() {
        return Err(SceneError::NoMesh { file: file.to_owned() });
    }
    Ok(reader.scene)
}

fn is_geometry_extension(name: &str) -> bool {
    GEOMETRY_EXTENSIONS.contains(&name)
}

fn compressed(place: Place, extension: &str) -> SceneError {
    SceneError::Unsupported {
        place,
        what: format!("the compression {extension}"),
        remedy: "export without mesh compression (Draco, meshopt)",
    }
}

/// The polygons of a glTF mesh in its own space, in metres.
#[derive(Clone)]
struct Built {
    positions: Vec<[f64; 3]>,
    faces: Polygons,
    uv_sets: Vec<NamedUvSet>,
    notes: Vec<(&'static str, String, &'static str)>,
}

struct Reader<'a> {
    file: &'a Path,
    document: &'a Document,
    arrays: Arrays<'a>,
    options: &'a ReadOptions,
    scene: SceneMeshes,
    /// Meshes that more than one node may use.
    cache: HashMap<usize, Result<Built, Box<Finding>>>,
    /// World transforms of the nodes that the scene has reached.
    world: Vec<Option<Matrix4<f64>>>,
    /// Parents of those nodes.
    parents: Vec<Option<usize>>,
    /// What each skin does to its meshes; see [`Reader::bind_transform`].
    binds: HashMap<usize, Option<Matrix4<f64>>>,
    instance_corners: usize,
    unit_cm: f64,
}

/// A node on the way through the tree.
struct Visit {
    node: usize,
    depth: usize,
    parent: Option<usize>,
}

impl Reader<'_> {
    fn read(&mut self, job: Job<'_>) -> Result<(), SceneError> {
        let mut with_mesh = Vec::new();
        let root = |node| Visit { node, depth: 0, parent: None };
        let mut open: Vec<Visit> = self.roots().into_iter().rev().map(root).collect();
        while let Some(Visit { node: index, depth, parent }) = open.pop() {
            let Some(node) = self.document.nodes.get(index) else {
                return Err(SceneError::IndexOutOfRange {
                    place: Place::file(self.file),
                    what: "node",
                    index: index as i64,
                    count: self.document.nodes.len(),
                });
            };
            // the format has trees: a node in two places, or below itself, is an error of the exporter
            if self.world[index].is_some() || depth > DEEPEST {
                let place = Place::file(self.file).in_part(format!("node {index}")).to_string();
                let message = "the node is below two others, below itself or too deep; it is read once";
                let remedy = "export the scene again";
                self.scene.findings.push(Finding::new(
                    "NODE_TREE",
                    Severity::Warning,
                    place,
                    message,
                    remedy,
                ));
                continue;
            }
            let world_from_parent =
                parent.and_then(|parent| self.world[parent]).unwrap_or_else(Matrix4::identity);
            self.world[index] = Some(world_from_parent * local_transform(node));
            self.parents[index] = parent;
            open.extend(node.children.iter().rev().map(|&child| Visit {
                node: child,
                depth: depth + 1,
                parent: Some(index),
            }));
            if let Some(mesh) = node.mesh {
                with_mesh.push((index, mesh));
            }
        }
        for (node, mesh) in with_mesh {
            job.check()?;
            self.add_mesh(node, mesh)?;
        }
        Ok(())
    }

    /// The path of a node that the scene has reached, and the names of the nodes on it that move what is below.
    fn path(&self, node: usize) -> (String, Vec<String>) {
        let up = std::iter::successors(Some(node), |&node| self.parents[node]);
        let mut down: Vec<usize> = up.collect();
        down.reverse();
        let path = down.iter().flat_map(|&node| ["|".to_owned(), node_name(self.document, node)]).collect();
        let moves = |&node: &usize| local_transform(&self.document.nodes[node]) != Matrix4::identity();
        let moving = down.into_iter().filter(moves).map(|node| node_name(self.document, node)).collect();
        (path, moving)
    }

    /// The root nodes of the scene that the file shows, or of all nodes where it names no scene.
    fn roots(&self) -> Vec<usize> {
        let scenes = &self.document.scenes;
        match scenes.get(self.document.scene.unwrap_or(0)) {
            Some(scene) => scene.nodes.clone(),
            None => {
                let mut is_child = vec![false; self.document.nodes.len()];
                for &child in self.document.nodes.iter().flat_map(|node| &node.children) {
                    if let Some(flag) = is_child.get_mut(child) {
                        *flag = true;
                    }
                }
                (0..is_child.len()).filter(|&node| !is_child[node]).collect()
            }
        }
    }

    fn add_mesh(&mut self, node: usize, mesh: usize) -> Result<(), SceneError> {
        let (path, moving) = self.path(node);
        let node_name = node_name(self.document, node);
        let name = names::without_namespace(&node_name).to_owned();
        let is_instance = self.cache.contains_key(&mesh);
        if !is_instance {
            let built = self.build(mesh, &path);
            let built = match built {
                Err(error @ (SceneError::Cancelled(_) | SceneError::Unreadable { .. })) => return Err(error),
                Err(error) => Err(Box::new(error.to_finding())),
                Ok(built) => Ok(built),
            };
            self.cache.insert(mesh, built);
        }
        let built = match self.cache.get(&mesh) {
            Some(Ok(built)) => built.clone(),
            Some(Err(finding)) => {
                let finding = (**finding).clone();
                self.scene.broken.push(BrokenMesh { name, path, finding });
                return Ok(());
            }
            None => return Ok(()),
        };
        if is_instance {
            self.instance_corners += built.faces.corners().len().max(LEAST_INSTANCE);
            if self.instance_corners > MOST_INSTANCE_CORNERS {
                let place = Place::file(self.file).in_part(&path).to_string();
                let message = "not all instances are read";
                let remedy = "delete the instances that do not belong to the character";
                let finding = Finding::new("TOO_MANY_INSTANCES", Severity::Warning, place, message, remedy);
                self.scene.findings.push(finding);
                return Ok(());
            }
        }
        let (transform, posed) = self.transform(node, moving);
        let mut other_names = Vec::new();
        let mesh_name = self.document.meshes.get(mesh).and_then(|mesh| mesh.name.as_deref());
        if let Some(other) = mesh_name.map(names::without_namespace).filter(|other| *other != name) {
            other_names.push(other.to_owned());
        }
        other_names.extend(names::before_exporter(&name));
        let mut uv_sets = built.uv_sets.into_iter();
        let first_uv = uv_sets.next();
        let mut scene_mesh = SceneMesh {
            name,
            other_names,
            path,
            file: self.file.to_owned(),
            line: None,
            uv_name: first_uv.as_ref().map(|set| set.name.clone()),
            mesh: Mesh {
                positions: transform.place(&built.positions),
                faces: built.faces,
                uv: first_uv.map(|set| set.uv),
            },
            more_uv_sets: uv_sets.collect(),
            transform,
            findings: Vec::new(),
        };
        for (code, message, remedy) in built.notes {
            scene_mesh.note(code, Severity::Warning, message, remedy);
        }
        if posed {
            let message = "the skeleton is not in its bind pose; the mesh is read unposed".to_owned();
            let remedy = "go to the bind pose before exporting, if the pose is not wanted";
            scene_mesh.note("SKIN_POSED", Severity::Info, message, remedy);
        }
        if scene_mesh.transform.is_mirrored() {
            let nodes = scene_mesh.transform.moving_nodes.join(", ");
            let message = format!("the transform mirrors the mesh (nodes {nodes}); its faces are inside out");
            let remedy = "apply the transforms before exporting, and reverse the normals";
            scene_mesh.note("MIRRORED_TRANSFORM", Severity::Warning, message, remedy);
        }
        scene_mesh.note_positions();
        self.scene.meshes.push(scene_mesh);
        Ok(())
    }

    /// The transform of the mesh at `node`, and whether its skeleton is posed.
    fn transform(&mut self, node: usize, moving_nodes: Vec<String>) -> (MeshTransform, bool) {
        let skin = self.document.nodes[node].skin;
        let mut posed = false;
        let mut moving_nodes = moving_nodes;
        let world = if self.options.space == Space::Object {
            moving_nodes.clear();
            Matrix4::identity()
        } else if let Some(skin) = skin {
            // a skinned mesh follows its joints, not its node
            moving_nodes.clear();
            let bind = match self.binds.get(&skin) {
                Some(bind) => *bind,
                None => {
                    let bind = self.bind_transform(skin);
                    self.binds.insert(skin, bind);
                    bind
                }
            };
            match bind {
                Some(world) => world,
                None => {
                    posed = true;
                    Matrix4::identity()
                }
            }
        } else {
            self.world[node].unwrap_or_else(Matrix4::identity)
        };
        let up_axis = self.options.up_axis.unwrap_or_default();
        let world_from_object = up_axis.y_up_from_file() * Matrix4::new_scaling(self.unit_cm) * world;
        (MeshTransform { world_from_object, moving_nodes, unit_cm: self.unit_cm, up_axis }, posed)
    }

    /// What the joints of a skin do to its mesh as the file has them, when they all do the same.
    fn bind_transform(&self, skin: usize) -> Option<Matrix4<f64>> {
        let skin = self.document.skins.get(skin)?;
        let inverse_binds = match skin.inverse_bind_matrices {
            Some(accessor) => self.arrays.read::<16>(accessor, "MAT4").ok()?,
            None => vec![Matrix4::identity().as_slice().try_into().ok()?; skin.joints.len()],
        };
        let mut first: Option<Matrix4<f64>> = None;
        for (&joint, inverse_bind) in skin.joints.iter().zip(&inverse_binds) {
            let world = self.world.get(joint).copied().flatten()?;
            let transform = world * Matrix4::from_column_slice(inverse_bind);
            match first {
                None => first = Some(transform),
                Some(first) => {
                    let size = first.amax().max(1.0);
                    if (first - transform).amax() > BIND_TOLERANCE * size {
                        return None;
                    }
                }
            }
        }
        let first = first?;
        let is_identity = (first - Matrix4::identity()).amax() <= BIND_TOLERANCE;
        Some(if is_identity { Matrix4::identity() } else { first })
    }

    fn build(&self, mesh: usize, path: &str) -> Result<Built, SceneError> {
        let place = || Place::file(self.file).in_part(path);
        let meshes = &self.document.meshes;
        let Some(mesh) = meshes.get(mesh) else {
            return Err(SceneError::IndexOutOfRange {
                place: place(),
                what: "mesh",
                index: mesh as i64,
                count: meshes.len(),
            });
        };
        let mut built = Built {
            positions: Vec::new(),
            faces: Polygons::default(),
            uv_sets: Vec::new(),
            notes: Vec::new(),
        };
        let mut first_vertex: HashMap<usize, usize> = HashMap::new();
        let mut uv_builders: Vec<UvBuilder> = (0..MOST_UV_SETS).map(|_| UvBuilder::default()).collect();
        let mut skipped = 0;
        for primitive in &mesh.primitives {
            if let Some(name) = primitive.extensions.keys().find(|name| is_geometry_extension(name)) {
                return Err(compressed(place(), name));
            }
            let mode = primitive.mode.unwrap_or(4);
            let Some(accessor) = primitive.attribute("POSITION").filter(|_| matches!(mode, 4..=6)) else {
                skipped += 1;
                continue;
            };
            let start = match first_vertex.get(&accessor) {
                Some(&start) => start,
                None => {
                    let start = built.positions.len();
                    built.positions.extend(self.arrays.read::<3>(accessor, "VEC3")?);
                    first_vertex.insert(accessor, start);
                    start
                }
            };
            let vertex_count = self.document.accessors.get(accessor).map_or(0, |accessor| accessor.count);
            if u32::try_from(built.positions.len()).is_err() {
                return Err(SceneError::TooMany {
                    place: place(),
                    what: "vertices",
                    limit: u32::MAX as usize,
                });
            }
            let triangles = self.triangles(primitive, mode, vertex_count, path)?;
            for (set, builder) in uv_builders.iter_mut().enumerate() {
                builder.add(&self.arrays, primitive, set, &triangles, vertex_count)?;
            }
            for triangle in &triangles {
                let corners = triangle.map(|vertex| vertex + start as u32);
                built.faces.push(corners).map_err(|_| SceneError::TooMany {
                    place: place(),
                    what: "face corners",
                    limit: u32::MAX as usize,
                })?;
            }
        }
        if skipped > 0 {
            let message = format!("{skipped} primitives are points or lines and are left out");
            built.notes.push(("PRIMITIVE_SKIPPED", message, "export triangles only"));
        }
        if built.faces.is_empty() {
            return Err(SceneError::Malformed {
                place: place(),
                expected: "triangles".into(),
                found: "points or lines only".into(),
            });
        }
        let corner_count = built.faces.corners().len();
        for (set, builder) in uv_builders.into_iter().enumerate() {
            match builder.corners.len() {
                0 => {}
                mapped if mapped == corner_count && !builder.has_gap => {
                    let uv = UvSet { coords: builder.coords, corners: builder.corners };
                    built.uv_sets.push(NamedUvSet { name: format!("TEXCOORD_{set}"), uv });
                }
                _ => {
                    let message = format!(
                        "some primitives have no texture coordinates in set TEXCOORD_{set}; the set is ignored"
                    );
                    built.notes.push(("UV_PARTIAL", message, "give every face texture coordinates, or none"));
                }
            }
        }
        Ok(built)
    }

    /// The triangles of a primitive, as indices into its vertices.
    fn triangles(
        &self,
        primitive: &Primitive,
        mode: u32,
        vertex_count: usize,
        path: &str,
    ) -> Result<Vec<[u32; 3]>, SceneError> {
        let place = Place::file(self.file).in_part(path);
        let indices: Vec<u32> = match primitive.indices {
            Some(accessor) => self.arrays.indices(accessor)?,
            None => (0..u32::try_from(vertex_count).unwrap_or(u32::MAX)).collect(),
        };
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= vertex_count) {
            return Err(SceneError::IndexOutOfRange {
                place,
                what: "vertex",
                index: i64::from(index),
                count: vertex_count,
            });
        }
        if mode == 4 && !indices.len().is_multiple_of(3) {
            return Err(SceneError::Malformed {
                place,
                expected: "a number of indices that is a multiple of 3".into(),
                found: indices.len().to_string(),
            });
        }
        let by_threes =
            |windows: std::slice::Windows<'_, u32>| windows.map(|w| [w[0], w[1], w[2]]).collect::<Vec<_>>();
        Ok(match mode {
            4 => indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
            5 => {
                let flip = |(at, t): (usize, [u32; 3])| if at % 2 == 0 { t } else { [t[1], t[0], t[2]] };
                by_threes(indices.windows(3)).into_iter().enumerate().map(flip).collect()
            }
            _ => {
                let hub = indices.first().copied().unwrap_or_default();
                indices.get(1..).unwrap_or_default().windows(2).map(|w| [w[0], w[1], hub]).collect()
            }
        })
    }
}

/// One texture coordinate set of a mesh, put together from its primitives.
#[derive(Default)]
struct UvBuilder {
    coords: Vec<[f32; 2]>,
    corners: Vec<u32>,
    first: HashMap<usize, usize>,
    has_gap: bool,
}

impl UvBuilder {
    fn add(
        &mut self,
        arrays: &Arrays<'_>,
        primitive: &Primitive,
        set: usize,
        triangles: &[[u32; 3]],
        vertex_count: usize,
    ) -> Result<(), SceneError> {
        let Some(accessor) = primitive.attribute(&format!("TEXCOORD_{set}")) else {
            self.has_gap = true;
            return Ok(());
        };
        let start = match self.first.get(&accessor) {
            Some(&start) => start,
            None => {
                let start = self.coords.len();
                // v runs downwards in glTF and upwards everywhere else here
                let coords = arrays.read::<2>(accessor, "VEC2")?;
                self.coords.extend(coords.into_iter().map(|[u, v]| [u as f32, (1.0 - v) as f32]));
                self.first.insert(accessor, start);
                start
            }
        };
        let end = self.coords.len();
        if end - start < vertex_count {
            self.has_gap = true;
            return Ok(());
        }
        self.corners.extend(triangles.iter().flatten().map(|&vertex| vertex + start as u32));
        Ok(())
    }
}

/// The name of a node, of its mesh where it has none, or its number.
fn node_name(document: &Document, node: usize) -> String {
    let of_node = document.nodes.get(node);
    let of_mesh =
        || of_node.and_then(|node| document.meshes.get(node.mesh?)).and_then(|mesh| mesh.name.as_deref());
    let named =
        of_node.and_then(|node| node.name.as_deref()).filter(|name| !name.is_empty()).or_else(of_mesh);
    named.map_or_else(|| format!("node{node}"), str::to_owned)
}

fn local_transform(node: &Node) -> Matrix4<f64> {
    if let Some(matrix) = &node.matrix {
        return Matrix4::from_column_slice(matrix);
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let quaternion = Quaternion::new(w, x, y, z);
    let rotation = if quaternion == Quaternion::identity() || quaternion.norm() == 0.0 {
        Matrix4::identity()
    } else {
        UnitQuaternion::from_quaternion(quaternion).to_homogeneous()
    };
    Matrix4::new_translation(&Vector3::from(node.translation.unwrap_or_default()))
        * rotation
        * Matrix4::new_nonuniform_scaling(&Vector3::from(node.scale.unwrap_or([1.0; 3])))
}
