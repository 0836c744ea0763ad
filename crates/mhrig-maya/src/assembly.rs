//! A described rig becomes nodes of the open scene.
//!
//! What Maya's own commands do is done by them, within one modifier, so that Maya takes it back; geometry and skin
//! weights go through the API into nodes that those commands made, and go and come with them.

use std::collections::HashSet;

use mhrig::{
    Cancelled, ExternalBoard, FaceBoardDetails, Finding, Job, RigMesh, RigScene, RigStage, RigStatements,
    Severity, UpAxis, rig_statements,
};

use crate::bridge::{Edits, Host, Level, NewMesh, ProgressBar, Undoable};
use crate::face_board::{Before, Board};
use crate::messages;
use crate::names::quoted;
use crate::root_namespace::RootNamespace;
use crate::units::Units;

/// Statements between two looks at Esc.
const STATEMENTS_AT_A_TIME: usize = 200;
/// Blend shape targets between two looks at Esc.
const TARGETS_AT_A_TIME: u32 = 64;
/// Units of the progress bar.
const UNITS: i32 = 1000;
/// Missing names that a message lists.
pub(crate) const LISTED: usize = 5;

/// What is to be built, prepared off the main thread.
pub(crate) struct Plan {
    scene: RigScene,
    stages: Vec<RigStatements>,
    geometry: Vec<NewMesh>,
    /// The face board, where it comes from elsewhere.
    board: Option<Board>,
}

impl Plan {
    pub(crate) fn new(
        scene: RigScene,
        external: Option<ExternalBoard>,
        epic_flags: &[String],
        job: Job<'_>,
    ) -> Result<Self, Vec<Finding>> {
        job.progress.stage("prepare", 0);
        let at_fault = |message: String| {
            let remedy = "this is a fault of the program; please report it with the files";
            vec![Finding::new("SCENE", Severity::Error, "scene", message, remedy)]
        };
        let mut stages =
            rig_statements(&scene, epic_flags, job).map_err(|error| at_fault(error.to_string()))?;
        let mut groups = stages.iter_mut().filter(|stage| stage.stage == RigStage::Groups);
        let board = match (external, groups.next()) {
            (Some(external), Some(groups)) => {
                Some(Board::new(&scene, external, &mut groups.statements).map_err(at_fault)?)
            }
            _ => None,
        };
        let geometry = scene.meshes.iter().map(new_mesh).collect();
        Ok(Self { scene, stages, geometry, board })
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
    fn refuse_clashes(&self, taken: &HashSet<String>) -> Result<(), Finding> {
        let imported = self.board.iter().flat_map(|board| board.external.resources.nodes.iter().cloned());
        let names = self.names().into_iter().chain(imported);
        let clashes: Vec<String> = names.filter(|name| taken.contains(name)).collect();
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

/// Names of all nodes; `None` where Maya does not list them. None at all is no list: every scene has nodes of Maya's own.
fn names_in_scene(host: &Host) -> Option<HashSet<String>> {
    let names = host.mel_texts("ls").filter(|names| !names.is_empty())?;
    Some(names.iter().filter_map(|name| name.rsplit('|').next()).map(str::to_owned).collect())
}

/// What is not known to be there cannot be left alone.
fn unlisted() -> Finding {
    let message = "Maya does not list the nodes of the scene, and without the list nothing is built";
    Finding::new("SCENE_UNLISTED", Severity::Error, "scene", message, "save the scene and open it again")
}

/// Why a rig was not built. Its own nodes are not in the scene.
pub(crate) enum Unbuilt {
    Cancelled,
    /// Nothing of the rig is left.
    Failed(Finding),
    /// Something of it is.
    Left(Finding),
}

impl From<Cancelled> for Unbuilt {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// A rig that was built, and how it goes away again.
pub(crate) struct BuiltRig {
    host: Host,
    way: WayBack,
}

enum WayBack {
    /// Maya takes the edits back.
    Edits(Edits),
    /// Something was imported, which Maya does not take back: the nodes that came are deleted, where they are known.
    Imported { before: Before, came: Option<HashSet<String>> },
}

impl BuiltRig {
    /// Says why; what is returned is empty, since it is said already and no fault of the program.
    fn refused(&self, code: &'static str, message: &str, remedy: &str) -> String {
        let finding = Finding::new(code, Severity::Error, "scene", message, remedy);
        self.host.display(Level::Error, &messages::line(&finding));
        String::new()
    }
}

impl Undoable for BuiltRig {
    fn undo(&mut self) -> Result<(), String> {
        let _root = RootNamespace::enter(&self.host);
        match &mut self.way {
            WayBack::Edits(edits) => {
                if edits.undo() {
                    Ok(())
                } else {
                    Err("the rig could not be taken away".to_owned())
                }
            }
            WayBack::Imported { before, came } => {
                let message = match came {
                    Some(came) if before.restore(&self.host, came) => return Ok(()),
                    Some(_) => "not all of the rig and its imported face board could be taken away",
                    None => "Maya did not list what came with the face board, and nothing is taken away",
                };
                Err(self.refused("UNDO", message, "delete what is left by hand, or open the scene again"))
            }
        }
    }

    fn redo(&mut self) -> Result<(), String> {
        let _root = RootNamespace::enter(&self.host);
        match &mut self.way {
            WayBack::Edits(edits) => {
                if edits.apply() {
                    Ok(())
                } else {
                    Err("the rig could not be put back".to_owned())
                }
            }
            WayBack::Imported { .. } => {
                let message = "a rig with an imported face board cannot be put back";
                Err(self.refused("REDO", message, "run mhAssemble again"))
            }
        }
    }
}

/// What a build has to say beside the rig.
pub(crate) struct BuildNotes {
    pub(crate) findings: Vec<Finding>,
    /// What became of a face board that comes from elsewhere.
    pub(crate) face_board: Option<FaceBoardDetails>,
}

/// Builds the rig, or leaves the scene as it was.
pub(crate) fn build(host: &Host, plan: &Plan) -> Result<(BuiltRig, BuildNotes), Unbuilt> {
    let Some(edits) = host.edits() else {
        return Err(failed("scene", "Maya gives no place for edits".to_owned()));
    };
    let Some(_root) = RootNamespace::enter(host) else {
        return Err(failed("scene", "Maya does not make the root the current namespace".to_owned()));
    };
    let names_before = names_in_scene(host).ok_or_else(|| Unbuilt::Failed(unlisted()))?;
    plan.refuse_clashes(&names_before).map_err(Unbuilt::Failed)?;
    let Some(units) = Units::of_scene(host) else {
        return Err(failed("scene", "Maya does not say which units the scene has".to_owned()));
    };
    let before = match plan.board {
        Some(_) => Some(Before::of(host, &units).ok_or_else(|| Unbuilt::Failed(unlisted()))?),
        None => None,
    };
    let is_shown = host.mel_int("about -batch") == Some(0);
    let bar = if is_shown { host.progress(UNITS, true) } else { None };
    let steps = plan.stages.iter().map(|stage| stage.statements.len()).sum::<usize>()
        + plan.geometry.len()
        + plan.scene.blend_shapes.iter().map(|shape| shape.targets.len()).sum::<usize>()
        + plan.scene.skin_clusters.len()
        + plan.board.as_ref().map_or(0, Board::steps);
    let mut builder = Builder { host, plan, edits, bar, step: 0, steps, findings: Vec::new(), details: None };
    let built = |way| BuiltRig { host: *host, way };
    match (builder.run(&units), before) {
        (Ok(()), None) => {
            let notes = BuildNotes { findings: builder.findings, face_board: None };
            Ok((built(WayBack::Edits(builder.edits)), notes))
        }
        (Ok(()), Some(before)) => {
            before.select(host);
            let notes = BuildNotes { findings: builder.findings, face_board: builder.details };
            let came = before.since(host);
            Ok((built(WayBack::Imported { before, came }), notes))
        }
        (Err(why), None) => {
            // Whether that did all is seen from what is there afterwards.
            builder.edits.undo();
            drop(builder);
            let is_clean = clean_up(host, plan, &names_before);
            if units.restore(host) && is_clean { Err(why) } else { Err(left(&why)) }
        }
        (Err(why), Some(before)) => {
            drop(builder);
            let is_clean = before.since(host).is_some_and(|came| before.restore(host, &came));
            if is_clean { Err(why) } else { Err(left(&why)) }
        }
    }
}

/// Says that something of a rig stayed, and why it was not built.
fn left(why: &Unbuilt) -> Unbuilt {
    let ended = match why {
        Unbuilt::Cancelled => "the assembly was stopped by Esc".to_owned(),
        Unbuilt::Failed(finding) | Unbuilt::Left(finding) => {
            format!("the assembly ended at {}: {}", finding.place, finding.message)
        }
    };
    let message = format!("{ended}; what it made of the rig could not be taken away");
    let remedy = "open the scene again without saving it";
    Unbuilt::Left(Finding::new("ASSEMBLY_LEFT", Severity::Error, "scene", message, remedy))
}

pub(crate) fn failed(place: &str, message: String) -> Unbuilt {
    let remedy = "see the messages above this one";
    Unbuilt::Failed(Finding::new("ASSEMBLY_FAILED", Severity::Error, place, message, remedy))
}

/// Deletes what an undone build may have left. `false`: something of it is there still, or that is not known.
fn clean_up(host: &Host, plan: &Plan, before: &HashSet<String>) -> bool {
    let left = || {
        let now = names_in_scene(host)?;
        Some(plan.names().into_iter().filter(|name| now.contains(name) && !before.contains(name)).collect())
    };
    let delete = |name: &String| {
        let name = quoted(name);
        if host.mel_int(&format!("objExists {name}")) == Some(1) {
            let _ = host.mel_texts(&format!("delete {name}"));
        }
    };
    let Some(names): Option<Vec<String>> = left() else { return false };
    names.iter().for_each(delete);
    names.is_empty() || left().is_some_and(|names| names.is_empty())
}

pub(crate) struct Builder<'a> {
    pub(crate) host: &'a Host,
    plan: &'a Plan,
    pub(crate) edits: Edits,
    bar: Option<ProgressBar>,
    step: usize,
    steps: usize,
    pub(crate) findings: Vec<Finding>,
    pub(crate) details: Option<FaceBoardDetails>,
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

impl<'a> Builder<'a> {
    pub(crate) fn scene(&self) -> &'a RigScene {
        &self.plan.scene
    }
}

impl Builder<'_> {
    /// `units`: those of the scene.
    fn run(&mut self, units: &Units) -> Result<(), Unbuilt> {
        let is_ours = *units == Units::of_rigs();
        if !is_ours {
            self.statements("units", &[Units::of_rigs().statement()])?;
        }
        let board = self.plan.board.as_ref();
        for stage in &self.plan.stages {
            // RigLogic nodes read what the board brings.
            if let (RigStage::Network, Some(board)) = (stage.stage, board) {
                self.import_board(board)?;
            }
            let title = title(stage.stage);
            self.statements(title, &stage.statements)?;
            match stage.stage {
                RigStage::Meshes => self.geometry(title)?,
                RigStage::BlendShapes => self.targets()?,
                RigStage::Connections => {
                    self.mend_epic_nodes(title)?;
                    self.weights()?;
                }
                _ => {}
            }
        }
        self.check()?;
        if let Some(board) = board {
            self.set_up_board(board)?;
        }
        if !is_ours {
            self.statements("units", &[units.statement()])?;
        }
        Ok(())
    }

    pub(crate) fn statements(&mut self, title: &str, statements: &[String]) -> Result<(), Unbuilt> {
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
        let now = names_in_scene(self.host).ok_or_else(|| Unbuilt::Failed(unlisted()))?;
        let missing: Vec<String> = self.plan.names().into_iter().filter(|name| !now.contains(name)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let listed = missing.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        Err(failed("scene", format!("{} nodes of the rig were not made: {listed}", missing.len())))
    }

    pub(crate) fn poll(&mut self, title: &str) -> Result<(), Cancelled> {
        let Some(bar) = &mut self.bar else { return Ok(()) };
        // What is mended was not foreseen.
        let value = (self.step as f64 / self.steps.max(1) as f64).min(1.0) * f64::from(UNITS);
        bar.set(value as i32, &format!("assembling: {title}"));
        if bar.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}
