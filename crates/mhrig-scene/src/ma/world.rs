//! From the nodes of a scene to meshes in world space.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use mhrig_geom::Mesh;
use mhrig_report::{Finding, Job, Severity};
use nalgebra::Matrix4;

use super::mesh_node::{Geometry, MeshProblem, Tweaks};
use super::scene::{NodeId, NodeKind, Scene};
use crate::error::{Place, SceneError};
use crate::names;
use crate::read::{ReadOptions, Space};
use crate::scene_mesh::{BrokenMesh, MeshTransform, SceneMesh, SceneMeshes, mesh_place};

/// Deeper hierarchies are refused: none that an artist builds comes near, and each path costs memory.
const DEEPEST: usize = 256;
/// Instances of one shape that are read.
const MOST_INSTANCES: usize = 64;
/// Face corners of all second and further instances together.
const MOST_INSTANCE_CORNERS: usize = 1 << 25;
/// What an instance costs at least, in corners.
const LEAST_INSTANCE: usize = 1 << 12;
/// Steps from node to parent for one shape, all instances together.
const MOST_STEPS: usize = 1 << 13;
/// Nodes of a history that are followed.
const LONGEST_HISTORY: usize = 4096;

/// Modelling nodes that leave vertices and faces as they are.
const HARMLESS_MODELLING: &[&str] = &[
    "polySoftEdge",
    "polyNormalizeUV",
    "polyTweakUV",
    "polyMapCut",
    "polyMapSew",
    "polyMapSewMove",
    "polyMapDel",
    "polyAutoProj",
    "polyPlanarProj",
    "polyCylProj",
    "polySphProj",
    "polyProj",
    "polyLayoutUV",
    "polyMoveUV",
    "polyFlipUV",
    "polyPinUV",
    "polyCopyUV",
    "polyCreateUVSet",
    "polyContourProj",
    "polyOptUvs",
    "polyStraightenUVBorder",
    "polyColorPerVertex",
    "polyColorMod",
    "polyColorDel",
    "polyNormalPerVertex",
    "polyDelFacetAttr",
    "polySetVertices",
    "polyUVRectangle",
    "polyUVStackSimilarShells",
    "polyModifierWorld",
    "polyClean",
];

/// Where the polygons of a visible shape come from.
struct Origin {
    /// The mesh node that stores them.
    base: NodeId,
    /// Nodes between it and the visible shape, nearest to the shape first.
    history: Vec<String>,
    /// Offsets that tweak nodes in between add.
    tweaks: Vec<Tweaks>,
}

/// All meshes of `scene`, in the order in which their nodes come in the file.
pub(super) fn meshes_of(
    file: &Path,
    scene: Scene,
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let mut all = SceneMeshes { findings: scene.findings.clone(), ..SceneMeshes::default() };
    let mut world = World {
        file,
        scene: &scene,
        options,
        shape_counts: HashMap::new(),
        mesh_children: HashMap::new(),
        instance_corners: 0,
    };
    for (id, node) in scene.nodes.iter().enumerate() {
        if let NodeKind::Mesh(mesh) = &node.kind {
            for &parent in &node.parents {
                if !mesh.is_intermediate {
                    *world.shape_counts.entry(parent).or_default() += 1;
                }
                world.mesh_children.entry(parent).or_default().push(id);
            }
        }
    }
    for id in 0..scene.nodes.len() {
        if scene.mesh(id).is_some_and(|mesh| !mesh.is_intermediate) {
            job.check()?;
            world.add_meshes(id, &mut all);
        }
    }
    for reference in &scene.references {
        let place = Place::line(file, reference.line).in_part(&reference.namespace);
        let finding = Finding::new(
            "SCENE_REFERENCE",
            Severity::Info,
            place.to_string(),
            format!("the scene refers to {}; the meshes in there are not read", reference.file),
            "give that file too, or import the reference (File > Reference Editor > Import Objects from Reference)",
        );
        all.findings.push(finding);
    }
    if all.meshes.is_empty() && all.broken.is_empty() && scene.references.is_empty() {
        return Err(SceneError::NoMesh { file: file.to_owned() });
    }
    Ok(all)
}

struct World<'a> {
    file: &'a Path,
    scene: &'a Scene,
    options: &'a ReadOptions,
    /// Visible mesh shapes below each transform.
    shape_counts: HashMap<NodeId, usize>,
    /// All mesh shapes below each transform.
    mesh_children: HashMap<NodeId, Vec<NodeId>>,
    instance_corners: usize,
}

impl World<'_> {
    /// Adds the mesh of shape `id`, once for each of its instances.
    fn add_meshes(&mut self, id: NodeId, all: &mut SceneMeshes) {
        let (chains, mut is_cut) = self.chains(id);
        let mut built = Some(self.build(id));
        let count = chains.len();
        for (at, chain) in chains.into_iter().enumerate() {
            if at > 0 {
                let corners = built.as_ref().and_then(|b| b.as_ref().ok()).map_or(0, Built::corner_count);
                self.instance_corners += corners.max(LEAST_INSTANCE);
                if self.instance_corners > MOST_INSTANCE_CORNERS {
                    is_cut = true;
                    break;
                }
            }
            let this = if at + 1 == count { built.take() } else { built.clone() };
            let (path, name) = self.path_and_name(id, &chain);
            let problem = chain.iter().find_map(|&node| self.scene.nodes[node].problem.clone());
            match (this, problem) {
                (Some(Ok(built)), None) => all.meshes.push(self.scene_mesh(id, &chain, built, path, name)),
                (_, Some(finding)) => all.broken.push(BrokenMesh { name, path, finding }),
                (Some(Err(finding)), None) => all.broken.push(BrokenMesh { name, path, finding: *finding }),
                (None, None) => {}
            }
        }
        if is_cut {
            let node = &self.scene.nodes[id];
            let finding = Finding::new(
                "TOO_MANY_INSTANCES",
                if count == 0 { Severity::Error } else { Severity::Warning },
                mesh_place(self.file, Some(node.line), &node.name),
                format!(
                    "not all instances are read: more than {MOST_INSTANCES}, or below more than {DEEPEST} nodes"
                ),
                "delete the instances and groups that do not belong to the character",
            );
            if count == 0 {
                // no way up is short enough to be a place in the world
                let named = node.parents.first().copied().unwrap_or(id);
                let name = self.scene.short_name(named).to_owned();
                all.broken.push(BrokenMesh { name, path: node.name.clone(), finding });
            } else {
                all.findings.push(finding);
            }
        }
    }

    /// The ways from the node up to the root, without the node itself: one per instance, the primary one first.
    /// Says whether some were left out.
    fn chains(&self, id: NodeId) -> (Vec<Vec<NodeId>>, bool) {
        let mut done = Vec::new();
        let mut open: Vec<Vec<NodeId>> = vec![Vec::new()];
        let mut is_cut = false;
        let mut steps = 0;
        while let Some(mut chain) = open.pop() {
            loop {
                let top = chain.last().copied().unwrap_or(id);
                let parents = &self.scene.nodes[top].parents;
                let Some((&first, others)) = parents.split_first() else {
                    done.push(chain);
                    break;
                };
                steps += 1;
                // a node below itself runs into the limit of depth
                if chain.len() == DEEPEST || steps > MOST_STEPS {
                    is_cut = true;
                    break;
                }
                for &other in others.iter().rev() {
                    if open.len() == MOST_INSTANCES {
                        is_cut = true;
                        break;
                    }
                    open.push(chain.iter().copied().chain([other]).collect());
                }
                chain.push(first);
            }
            if done.len() == MOST_INSTANCES {
                return (done, is_cut || !open.is_empty());
            }
        }
        (done, is_cut)
    }

    /// The DAG path, and the name without namespace: of the transform, of the shape where there is none.
    fn path_and_name(&self, id: NodeId, chain: &[NodeId]) -> (String, String) {
        let mut path = String::new();
        if let Some(unknown) =
            chain.last().copied().or(Some(id)).and_then(|top| self.scene.nodes[top].unknown_parent.as_ref())
        {
            path.push('|');
            path.push_str(unknown.trim_start_matches('|'));
        }
        for &node in chain.iter().rev() {
            path.push('|');
            path.push_str(&self.scene.nodes[node].name);
        }
        let Some(&transform) = chain.first() else {
            return (format!("{path}|{}", self.scene.nodes[id].name), self.scene.short_name(id).to_owned());
        };
        if self.shape_counts.get(&transform).copied().unwrap_or_default() > 1 {
            path.push('|');
            path.push_str(&self.scene.nodes[id].name);
        }
        (path, self.scene.short_name(transform).to_owned())
    }

    /// The polygons of shape `id` in its own space.
    fn build(&self, id: NodeId) -> Result<Built, Box<Finding>> {
        let node = &self.scene.nodes[id];
        let Some(mesh) = self.scene.mesh(id) else { return Err(self.no_geometry(id, "it is no mesh")) };
        if let Some(problem) = &node.problem {
            return Err(Box::new(problem.clone()));
        }
        let mut notes = Vec::new();
        let (base, history) = if mesh.has_geometry() {
            (mesh, None)
        } else {
            let origin = self.origin(id)?;
            let Some(base) = self.scene.mesh(origin.base) else {
                return Err(self.no_geometry(id, "its history holds no mesh"));
            };
            if let Some(problem) = &self.scene.nodes[origin.base].problem {
                return Err(Box::new(problem.clone()));
            }
            (base, Some(origin))
        };
        let mut positions = base.vertices.clone();
        let mut lost = base.tweaks.add_to(&mut positions);
        if let Some(origin) = &history {
            let original = &self.scene.nodes[origin.base].name;
            let mut message = format!(
                "the shape is the result of its history; the mesh it starts from, `{original}`, is read"
            );
            let named: Vec<_> = origin.history.iter().take(6).map(String::as_str).collect();
            if !named.is_empty() {
                message += &format!(" (without the effect of {})", named.join(", "));
            }
            notes.push((
                "DEFORMED_SHAPE",
                Severity::Info,
                message,
                "if the deformed shape is wanted: delete the history, or duplicate the mesh, and save again",
            ));
            for tweaks in &origin.tweaks {
                lost += tweaks.add_to(&mut positions);
            }
            lost += mesh.tweaks.add_to(&mut positions);
        }
        if lost > 0 {
            notes.push((
                "TWEAK_WITHOUT_VERTEX",
                Severity::Warning,
                format!("{lost} tweaks belong to vertices that do not exist"),
                "delete the history of the mesh (Edit > Delete by Type > History) and save again",
            ));
        }
        let geometry = base.geometry().map_err(|problem| self.problem(id, &problem))?;
        if base.faces.hole_count > 0 {
            let face = base.faces.first_face_with_hole.unwrap_or_default();
            notes.push((
                "FACE_HOLES",
                Severity::Warning,
                format!(
                    "{} faces have holes, face {face} is the first; the holes are ignored",
                    base.faces.hole_count
                ),
                "fill the holes, or cut the faces so that none surrounds a hole",
            ));
        }
        for (set, corners) in &geometry.partial_uv_sets {
            notes.push((
                "UV_PARTIAL",
                Severity::Warning,
                format!(
                    "{corners} face corners have no texture coordinate in set `{set}`; the set is ignored"
                ),
                "give every face texture coordinates, or none",
            ));
        }
        let current = base.current_uv_set.as_deref();
        if let (Some(first), Some(current)) = (&geometry.first_uv, current)
            && first.name != current
            && geometry.more_uv_sets.iter().any(|set| set.name == current)
        {
            notes.push((
                "UV_SET_ACTIVE",
                Severity::Info,
                format!(
                    "the active texture coordinate set is `{current}`; the first one, `{}`, is used",
                    first.name
                ),
                "make the set of the character the first one",
            ));
        }
        Ok(Built { positions, geometry, notes })
    }

    fn no_geometry(&self, id: NodeId, why: &str) -> Box<Finding> {
        let node = &self.scene.nodes[id];
        Box::new(Finding::new(
            "NO_GEOMETRY",
            Severity::Error,
            mesh_place(self.file, Some(node.line), &node.name),
            format!("the file does not hold the polygons of this shape: {why}"),
            "delete the history of the mesh (Edit > Delete by Type > History) and save again",
        ))
    }

    fn problem(&self, id: NodeId, problem: &MeshProblem) -> Box<Finding> {
        let node = &self.scene.nodes[id];
        let in_face = |face: Option<usize>| match face {
            Some(face) => format!("{}: face {face}", node.name),
            None => node.name.clone(),
        };
        let place = |face| Place::line(self.file, node.line).in_part(in_face(face));
        let error = match *problem {
            MeshProblem::Index { face, what, index, count } => {
                SceneError::IndexOutOfRange { place: place(face), what, index, count }
            }
            MeshProblem::OpenFace { face, corner } => SceneError::Malformed {
                place: place(Some(face)),
                expected: "edges that follow each other round the face".into(),
                found: format!("edge {corner} of the face begins elsewhere"),
            },
            MeshProblem::TooMany => {
                SceneError::TooMany { place: place(None), what: "face corners", limit: u32::MAX as usize }
            }
        };
        Box::new(error.to_finding())
    }

    /// Follows the history of a shape that stores no polygons back to the mesh it starts from.
    fn origin(&self, id: NodeId) -> Result<Origin, Box<Finding>> {
        let mut history = Vec::new();
        let mut tweaks = Vec::new();
        let mut seen = HashSet::new();
        // names as the connections write them
        let mut node_name = self.link_name(id);
        let mut output = None;
        while seen.insert(node_name.clone()) && seen.len() < LONGEST_HISTORY {
            let Some(links) = self.scene.links.get(&node_name) else { break };
            // a deformer of several meshes has an input for each output
            let Some(link) = links.into(output) else { break };
            output = link.source_index;
            node_name.clone_from(&link.source_node);
            let source = self.scene.find(&node_name);
            if let Some(source) = source.filter(|&source| source != id) {
                match &self.scene.nodes[source].kind {
                    NodeKind::Mesh(mesh) if mesh.has_geometry() => {
                        tweaks.reverse();
                        return Ok(Origin { base: source, history, tweaks });
                    }
                    NodeKind::Mesh(_) => node_name = self.link_name(source),
                    NodeKind::Tweak(by_geometry) => {
                        tweaks.extend(output.and_then(|output| by_geometry.get(&output)).cloned());
                    }
                    NodeKind::Transform { .. } => {}
                }
                continue;
            }
            if let Some(kind) = self.scene.modelling_nodes.get(&node_name)
                && !HARMLESS_MODELLING.contains(&kind.as_str())
            {
                return Err(self.no_geometry(id, &format!("`{node_name}` ({kind}) makes or changes them")));
            }
            history.push(node_name.clone());
        }
        // no connection tells: the one stored mesh beside it
        let siblings =
            self.scene.nodes[id].parents.iter().filter_map(|parent| self.mesh_children.get(parent)).flatten();
        let mut stored = siblings.copied().filter(|&other| {
            self.scene.mesh(other).is_some_and(|mesh| mesh.is_intermediate && mesh.has_geometry())
        });
        match (stored.next(), stored.next()) {
            (Some(base), None) => Ok(Origin { base, history, tweaks }),
            (Some(_), Some(_)) => {
                Err(self.no_geometry(id, "several intermediate shapes may be what it starts from"))
            }
            (None, _) => Err(self.no_geometry(id, "neither it nor a mesh in its history stores them")),
        }
    }

    /// The name under which connections lead to node `id`: the shortest way of writing it that is in use.
    fn link_name(&self, id: NodeId) -> String {
        let mut path = self.scene.nodes[id].name.clone();
        let mut node = id;
        let is_linked = |path: &str| self.scene.links.contains_key(path) && self.scene.find(path) == Some(id);
        for _ in 0..DEEPEST {
            if is_linked(&path) {
                return path;
            }
            let Some(&parent) = self.scene.nodes[node].parents.first() else {
                let absolute = format!("|{path}");
                return if is_linked(&absolute) { absolute } else { path };
            };
            path = format!("{}|{path}", self.scene.nodes[parent].name);
            node = parent;
        }
        path
    }

    fn scene_mesh(
        &self,
        id: NodeId,
        chain: &[NodeId],
        built: Built,
        path: String,
        name: String,
    ) -> SceneMesh {
        let transform = self.transform(chain);
        let node = &self.scene.nodes[id];
        let shape = self.scene.short_name(id).to_owned();
        let mut other_names: Vec<String> = (shape != name).then_some(shape).into_iter().collect();
        other_names.extend(names::before_exporter(&name));
        let (uv_name, uv) = built.geometry.first_uv.map(|set| (set.name, set.uv)).unzip();
        let mut mesh = SceneMesh {
            name,
            other_names,
            path,
            file: self.file.to_owned(),
            line: Some(node.line),
            mesh: Mesh { positions: transform.place(&built.positions), faces: built.geometry.faces, uv },
            uv_name,
            more_uv_sets: built.geometry.more_uv_sets,
            transform,
            findings: Vec::new(),
        };
        for (code, severity, message, remedy) in &built.notes {
            mesh.note(code, *severity, message.clone(), remedy);
        }
        self.note_transform(chain, &mut mesh);
        mesh.note_positions();
        mesh
    }

    /// The world transform of what is below `chain`, which leads upwards.
    fn transform(&self, chain: &[NodeId]) -> MeshTransform {
        let mut world = Matrix4::identity();
        let mut moving = Vec::new();
        for (at, &node) in chain.iter().enumerate() {
            let NodeKind::Transform { is_joint, values, .. } = &self.scene.nodes[node].kind else { continue };
            let Some(values) = values else { continue };
            let parent_joint_scale =
                chain.get(at + 1).and_then(|&parent| match &self.scene.nodes[parent].kind {
                    NodeKind::Transform { is_joint: true, values, .. } if *is_joint => {
                        Some(values.as_ref().map_or([1.0; 3], |values| values.scale))
                    }
                    _ => None,
                });
            let parent_from_node = values.parent_from_node(*is_joint, parent_joint_scale);
            if parent_from_node != Matrix4::identity() {
                moving.push(self.scene.nodes[node].name.clone());
                world = parent_from_node * world;
            }
            if !values.inherits_transform {
                break;
            }
        }
        moving.reverse();
        let up_axis = self.options.up_axis.or(self.scene.up_axis).unwrap_or_default();
        let object_space = self.options.space == Space::Object;
        let world = if object_space { Matrix4::identity() } else { world };
        MeshTransform {
            world_from_object: up_axis.y_up_from_file() * world,
            moving_nodes: if object_space { Vec::new() } else { moving },
            unit_cm: self.scene.unit_cm.unwrap_or(1.0),
            up_axis,
        }
    }

    fn note_transform(&self, chain: &[NodeId], mesh: &mut SceneMesh) {
        if self.options.space == Space::Object {
            return;
        }
        for &node in chain {
            let node = &self.scene.nodes[node];
            if let Some(parent) = &node.unknown_parent {
                let message =
                    format!("its parent `{parent}` is not in the file; its place in the world may differ");
                let remedy =
                    "import the reference that holds the parent, or unparent the mesh, and save again";
                mesh.note("PARENT_UNKNOWN", Severity::Warning, message, remedy);
            }
            if let Some(attribute) = &node.driven {
                let message = format!(
                    "`{}.{attribute}` is driven by a connection; the value that the file stores is used",
                    node.name
                );
                let remedy = "delete the constraint or animation on the mesh, or bake it, and save again";
                mesh.note("TRANSFORM_DRIVEN", Severity::Warning, message, remedy);
            }
        }
        if mesh.transform.is_mirrored() {
            let message = format!(
                "the transform mirrors the mesh (nodes {}); its faces are inside out",
                mesh.transform.moving_nodes.join(", ")
            );
            let remedy = "freeze the transform (Modify > Freeze Transformations) and reverse the normals";
            mesh.note("MIRRORED_TRANSFORM", Severity::Warning, message, remedy);
        }
    }
}

/// A mesh in its own space, and what is to be said about it.
#[derive(Clone)]
struct Built {
    positions: Vec<[f64; 3]>,
    geometry: Geometry,
    notes: Vec<(&'static str, Severity, String, &'static str)>,
}

impl Built {
    fn corner_count(&self) -> usize {
        self.geometry.faces.corners().len()
    }
}
