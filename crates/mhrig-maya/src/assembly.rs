//! A described rig becomes nodes of the open scene.
//!
//! What Maya's own commands do is done by them, within one modifier, so that Maya takes it back; geometry and skin
//! weights go through the API into nodes that those commands made, and go and come with them.

use std::collections::HashSet;

use mhrig::{
    Cancelled, Finding, Job, RigMesh, RigScene, RigStage, RigStatements, Severity, UpAxis, rig_statements,
};

use crate::bridge::{Edits, Host, NewMesh, ProgressBar, Undoable};
use crate::names::quoted;

/// Statements between two looks at Esc.
const STATEMENTS_AT_A_TIME: usize = 200;
/// Blend shape targets between two looks at Esc.
const TARGETS_AT_A_TIME: u32 = 64;
/// Units of the progress bar.
const UNITS: i32 = 1000;
/// Missing names that a message lists.
const LISTED: usize = 5;

/// What is to be built, prepared off the main thread.
pub(crate) struct Plan {
    scene: RigScene,
    stages: Vec<RigStatements>,
    geometry: Vec<NewMesh>,
}

impl Plan {
    pub(crate) fn new(scene: RigScene, epic_flags: &[String], job: Job<'_>) -> Result<Self, Vec<Finding>> {
        job.progress.stage("prepare", 0);
        let stages = rig_statements(&scene, epic_flags, job).map_err(|error| {
            let remedy = "this is a fault of the program; please report it with the files";
            vec![Finding::new("SCENE", Severity::Error, "scene", error.to_string(), remedy)]
        })?;
        let geometry = scene.meshes.iter().map(new_mesh).collect();
        Ok(Self { scene, stages, geometry })
    }

    /// Names of all nodes that will be there, but those that a host adds by itself.
    fn names(&self) -> Vec<String> {
        let meshes =
            self.scene.meshes.iter().flat_map(|mesh| [shape_of(&mesh.name), original_of(&mesh.name)]);
        let groups = self.scene.materials.iter().map(|material| format!("{}SG", material.name));
        let nodes = self.scene.node_names().map(|(_, name)| name.to_owned());
        nodes.chain(meshes).chain(groups).collect()
    }

    pub(crate) fn up_axis(&self) -> UpAxis {
        self.scene.up_axis
    }

    /// The top of what was built.
    pub(crate) fn tops(&self) -> Vec<String> {
        let tops = self.scene.transforms.iter().filter(|node| node.parent.is_none());
        tops.map(|node| node.name.clone()).collect()
    }

    /// Refuses to build where nodes have one of the names already.
    pub(crate) fn refuse_clashes(&self, host: &Host) -> Result<(), Finding> {
        let taken = names_in_scene(host);
        let clashes: Vec<String> = self.names().into_iter().filter(|name| taken.contains(name)).collect();
        let Some(first) = clashes.first() else { return Ok(()) };
        let message = format!("{} names of the rig are taken in this scene", clashes.len());
        let remedy = "give -namespace a name of its own, or -newScene";
        Err(Finding::new("NAME_CLASH", Severity::Error, first.clone(), message, remedy))
    }

    /// Loads the plug-ins that node types come from.
    pub(crate) fn load_plugins(&self, host: &Host) -> Result<(), Finding> {
        for plugin in self.scene.plugins.iter().filter(|plugin| plugin.name != "mhrigcreator") {
            let name = quoted(&plugin.name);
            let is_loaded = || host.mel_int(&format!("pluginInfo -q -loaded {name}")) == Some(1);
            if !is_loaded() {
                let _ = host.mel_texts(&format!("loadPlugin -quiet {name}"));
            }
            if !is_loaded() {
                let message = format!("the plug-in {name} cannot be loaded, and the rig needs it");
                let remedy = "load it in the plug-in manager; it comes with Maya or with MetaHuman for Maya";
                return Err(Finding::new("PLUGIN_MISSING", Severity::Error, "scene", message, remedy));
            }
        }
        Ok(())
    }
}

fn shape_of(mesh: &str) -> String {
    format!("{mesh}Shape")
}

fn original_of(mesh: &str) -> String {
    format!("{mesh}ShapeOrig")
}

fn new_mesh(rig_mesh: &RigMesh) -> NewMesh {
    let mesh = &rig_mesh.mesh;
    let index = |index: &u32| i32::try_from(*index).unwrap_or(-1);
    let (normals, (normal_faces, normal_vertices)) = locked_normals(rig_mesh).unzip();
    NewMesh {
        positions: mesh.positions.clone(),
        face_sizes: mesh.faces.iter().map(|face| i32::try_from(face.len()).unwrap_or(-1)).collect(),
        face_corners: mesh.faces.corners().iter().map(index).collect(),
        uvs: mesh.uv.as_ref().map(|uv| uv.coords.clone()).unwrap_or_default(),
        uv_corners: mesh.uv.as_ref().map(|uv| uv.corners.iter().map(index).collect()).unwrap_or_default(),
        normals,
        normal_faces,
        normal_vertices,
    }
}

/// The locked normals of a mesh, each with the face and the vertex of its corner; both lists go upwards.
fn locked_normals(mesh: &RigMesh) -> impl Iterator<Item = ([f32; 3], (i32, i32))> {
    let mut locked = mesh.locked_normals.iter().peekable();
    let corners = mesh.mesh.faces.iter().enumerate();
    let corners = corners.flat_map(|(face, vertices)| vertices.iter().map(move |&vertex| (face, vertex)));
    corners.enumerate().filter_map(move |(corner, (face, vertex))| {
        let locked = locked.next_if(|locked| locked.corner as usize == corner)?;
        Some((locked.normal, (i32::try_from(face).unwrap_or(-1), i32::try_from(vertex).unwrap_or(-1))))
    })
}

fn names_in_scene(host: &Host) -> HashSet<String> {
    let names = host.mel_texts("ls").unwrap_or_default();
    names.iter().filter_map(|name| name.rsplit('|').next()).map(str::to_owned).collect()
}

/// Why a rig was not built. The scene is as it was before.
pub(crate) enum Unbuilt {
    Cancelled,
    Failed(Finding),
}

impl From<Cancelled> for Unbuilt {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A rig that was built.
pub(crate) struct BuiltRig(Edits);

impl Undoable for BuiltRig {
    fn undo(&mut self) -> Result<(), String> {
        if self.0.undo() { Ok(()) } else { Err("the rig could not be taken away".to_owned()) }
    }

    fn redo(&mut self) -> Result<(), String> {
        if self.0.apply() { Ok(()) } else { Err("the rig could not be put back".to_owned()) }
    }
}

/// Builds the rig, or leaves the scene as it was.
pub(crate) fn build(host: &Host, plan: &Plan) -> Result<BuiltRig, Unbuilt> {
    let Some(edits) = host.edits() else {
        return Err(failed("scene", "Maya gives no place for edits".to_owned()));
    };
    let before = names_in_scene(host);
    let is_shown = host.mel_int("about -batch") == Some(0);
    let bar = if is_shown { host.progress(UNITS, true) } else { None };
    let steps = plan.stages.iter().map(|stage| stage.statements.len()).sum::<usize>()
        + plan.geometry.len()
        + plan.scene.blend_shapes.iter().map(|shape| shape.targets.len()).sum::<usize>()
        + plan.scene.skin_clusters.len();
    let mut builder = Builder { host, plan, edits, bar, step: 0, steps };
    match builder.run() {
        Ok(()) => Ok(BuiltRig(builder.edits)),
        Err(why) => {
            builder.edits.undo();
            drop(builder);
            clean_up(host, plan, &before);
            Err(why)
        }
    }
}

fn failed(place: &str, message: String) -> Unbuilt {
    let remedy = "see the messages above this one; the scene is as it was before";
    Unbuilt::Failed(Finding::new("ASSEMBLY_FAILED", Severity::Error, place, message, remedy))
}

/// Deletes what an undone build may have left.
fn clean_up(host: &Host, plan: &Plan, before: &HashSet<String>) {
    let now = names_in_scene(host);
    for name in plan.names().into_iter().filter(|name| now.contains(name) && !before.contains(name)) {
        let name = quoted(&name);
        if host.mel_int(&format!("objExists {name}")) == Some(1) {
            let _ = host.mel_texts(&format!("delete {name}"));
        }
    }
}

struct Builder<'a> {
    host: &'a Host,
    plan: &'a Plan,
    edits: Edits,
    bar: Option<ProgressBar>,
    step: usize,
    steps: usize,
}

fn title(stage: RigStage) -> &'static str {
    match stage {
        RigStage::Groups => "groups and controls",
        RigStage::Skeleton => "skeleton",
        RigStage::Meshes => "meshes",
        RigStage::BlendShapes => "blend shapes",
        RigStage::Network => "network",
        RigStage::Connections => "connections",
        RigStage::Looks => "layers and materials",
    }
}

impl Builder<'_> {
    fn run(&mut self) -> Result<(), Unbuilt> {
        // Numbers of the statements are in cm and degrees.
        let linear = self.host.mel_text("currentUnit -q -linear").unwrap_or_default();
        let angle = self.host.mel_text("currentUnit -q -angle").unwrap_or_default();
        let is_ours = linear == "cm" && angle == "deg";
        if !is_ours {
            self.statements("units", &["currentUnit -linear cm -angle deg;".to_owned()])?;
        }
        for stage in &self.plan.stages {
            let title = title(stage.stage);
            self.statements(title, &stage.statements)?;
            match stage.stage {
                RigStage::Meshes => self.geometry(title)?,
                RigStage::BlendShapes => self.targets()?,
                RigStage::Connections => self.weights()?,
                _ => {}
            }
        }
        if !is_ours {
            self.statements("units", &[format!("currentUnit -linear {linear} -angle {angle};")])?;
        }
        self.check()
    }

    fn statements(&mut self, title: &str, statements: &[String]) -> Result<(), Unbuilt> {
        for chunk in statements.chunks(STATEMENTS_AT_A_TIME) {
            self.poll(title)?;
            let are_added = chunk.iter().all(|statement| self.edits.run(statement));
            if !are_added || !self.edits.apply() {
                return Err(failed(title, "Maya refused a step of the assembly".to_owned()));
            }
            self.step += chunk.len();
        }
        Ok(())
    }

    fn geometry(&mut self, title: &str) -> Result<(), Unbuilt> {
        for (mesh, geometry) in self.plan.scene.meshes.iter().zip(&self.plan.geometry) {
            self.poll(title)?;
            if !self.host.create_mesh(&mesh.name, &original_of(&mesh.name), geometry) {
                return Err(failed(&mesh.name, "Maya does not make this mesh".to_owned()));
            }
            self.step += 1;
        }
        Ok(())
    }

    fn targets(&mut self) -> Result<(), Unbuilt> {
        for shape in &self.plan.scene.blend_shapes {
            for (number, target) in (0u32..).zip(&shape.targets) {
                if number.is_multiple_of(TARGETS_AT_A_TIME) {
                    self.poll("blend shape targets")?;
                }
                let (vertices, deltas) = (&target.vertices, &target.deltas);
                if !self.host.set_shape_target(&shape.name, number, vertices, deltas) {
                    return Err(failed(
                        &shape.name,
                        format!("Maya does not take the target {}", target.name),
                    ));
                }
                self.step += 1;
            }
        }
        Ok(())
    }

    fn weights(&mut self) -> Result<(), Unbuilt> {
        for skin in &self.plan.scene.skin_clusters {
            self.poll("skin weights")?;
            let mesh = self.plan.scene.meshes.get(skin.mesh as usize);
            let shape = mesh.map(|mesh| shape_of(&mesh.name)).unwrap_or_default();
            let count = skin.influences.len();
            if !self.host.set_skin_weights(&skin.name, &shape, count, &skin.offsets, &skin.weights) {
                return Err(failed(&skin.name, "Maya does not take the skin weights".to_owned()));
            }
            self.step += 1;
        }
        Ok(())
    }

    /// A rig that lacks a node is none.
    fn check(&mut self) -> Result<(), Unbuilt> {
        self.poll("check")?;
        let now = names_in_scene(self.host);
        let missing: Vec<String> = self.plan.names().into_iter().filter(|name| !now.contains(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let listed = missing.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        Err(failed("scene", format!("{} nodes of the rig were not made: {listed}", missing.len())))
    }

    fn poll(&mut self, title: &str) -> Result<(), Cancelled> {
        let Some(bar) = &mut self.bar else { return Ok(()) };
        let value = self.step as f64 / self.steps.max(1) as f64 * f64::from(UNITS);
        bar.set(value as i32, &format!("assembling: {title}"));
        if bar.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}
