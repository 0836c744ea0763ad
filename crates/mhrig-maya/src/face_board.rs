//! A face board of MetaHuman for Maya goes into a rig that was built without one: imported, placed at the height of the
//! eyes, set up by its assemble script; what that leaves unconnected is driven by our own curves.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use mhrig::{
    DriveNetwork, ExternalBoard, FaceBoardDetails, Finding, RigScene, Severity, TransformNode, UpAxis,
    network_statements, transform_statements,
};

use crate::assemble_script;
use crate::assembly::{Builder, Unbuilt, failed};
use crate::bridge::Host;
use crate::epic_nodes::plug;
use crate::names::quoted;
use crate::units::Units;

/// Names that one statement takes.
const NAMES_AT_A_TIME: usize = 200;
/// Names that one finding lists.
const LISTED: usize = 20;
/// How often nodes are deleted that go only after others.
const ROUNDS: usize = 4;
/// Attributes of a joint whose inputs the script breaks.
const JOINT_ATTRIBUTES: [&str; 9] =
    ["translateX", "translateY", "translateZ", "rotateX", "rotateY", "rotateZ", "scaleX", "scaleY", "scaleZ"];

/// A board that is to be put in.
pub(crate) struct Board {
    pub(crate) external: ExternalBoard,
    /// Nodes that hold raw controls or maps; the board may bring them.
    holders: Vec<TransformNode>,
    up_axis: UpAxis,
}

impl Board {
    /// The board of a described rig. What makes the holders is taken out of `groups`: it comes later.
    pub(crate) fn new(
        scene: &RigScene,
        external: ExternalBoard,
        groups: &mut Vec<String>,
    ) -> Result<Self, String> {
        let is_holder = |node: &&TransformNode| external.holders.contains(&node.name);
        let holders: Vec<TransformNode> = scene.transforms.iter().filter(is_holder).cloned().collect();
        let mut later = HashSet::new();
        for holder in &holders {
            later.extend(transform_statements(holder).map_err(|error| error.to_string())?);
        }
        groups.retain(|statement| !later.contains(statement));
        Ok(Self { external, holders, up_axis: scene.up_axis })
    }

    /// Units of progress that it takes.
    pub(crate) fn steps(&self) -> usize {
        self.external.drives.len()
    }
}

/// A path as MEL has it on every system.
fn mel_path(path: &Path) -> String {
    quoted(&path.to_string_lossy().replace('\\', "/"))
}

fn exists(host: &Host, name: &str) -> bool {
    host.mel_int(&format!("objExists {}", quoted(name))) == Some(1)
}

/// What leads into an attribute. Nodes in between that convert units come and go with their connection.
fn source_of(host: &Host, plug: &str) -> Option<String> {
    let sources = host.mel_texts(&format!("listConnections -s 1 -d 0 -p 1 -scn 1 {}", quoted(plug)));
    sources.into_iter().flatten().next()
}

/// Whether a plug belongs to a node.
fn is_of(name: &str, node: &str) -> bool {
    plug(name).is_some_and(|own| own.node == node)
}

fn warning(code: &'static str, place: &str, message: String, remedy: &str) -> Finding {
    Finding::new(code, Severity::Warning, place, message, remedy)
}

/// The first of some names.
fn listed(names: &[String]) -> String {
    let listed = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

impl Builder<'_> {
    /// Imports the scenes of the board, and gives the holders their attributes.
    pub(crate) fn import_board(&mut self, board: &Board) -> Result<(), Unbuilt> {
        let resources = &board.external.resources;
        for file in std::iter::once(&resources.gui).chain(&resources.analog_gui) {
            self.poll("import")?;
            let path = mel_path(file);
            let import = format!("file -import -type \"mayaAscii\" -ignoreVersion -returnNewNodes {path}");
            if self.host.mel_texts(&import).is_none() {
                let place = file.display().to_string();
                return Err(failed(&place, "Maya does not import the face board".to_owned()));
            }
        }
        self.level(board);
        for holder in &board.holders {
            let statements = self.holder(holder);
            let statements =
                statements.map_err(|error| failed(&holder.name, format!("cannot be described: {error}")))?;
            self.statements("import", &statements)?;
        }
        Ok(())
    }

    /// What makes a holder, or what it lacks.
    fn holder(&self, holder: &TransformNode) -> Result<Vec<String>, String> {
        if !exists(self.host, &holder.name) {
            return transform_statements(holder).map_err(|error| error.to_string());
        }
        let mut lacking = TransformNode::group(&*holder.name, None);
        let is_lacking = |name: &str| !exists(self.host, &format!("{}.{name}", holder.name));
        lacking.attributes = holder.attributes.iter().filter(|own| is_lacking(&own.name)).cloned().collect();
        let mut statements = transform_statements(&lacking).map_err(|error| error.to_string())?;
        statements.retain(|statement| !statement.starts_with("createNode"));
        Ok(statements)
    }

    /// Moves the board up or down until its control of the eyes is as high as the eyes.
    fn level(&mut self, board: &Board) {
        let (control, joint) = &board.external.level;
        let axis = if board.up_axis == UpAxis::Z { 2 } else { 1 };
        let height = |name: &str| Some(self.host.world_matrix(name)?[3][axis]);
        let top = self.host.mel_texts(&format!("ls -long {}", quoted(control)));
        let top = top.into_iter().flatten().next();
        let top = top.as_deref().and_then(|path| path.split('|').find(|step| !step.is_empty()));
        let place = board.external.resources.gui.display().to_string();
        let (Some(from), Some(to), Some(top)) = (height(control), height(joint), top) else {
            let message = format!("{control} or {joint} is missing; the board stands as its file has it");
            self.findings.push(warning("BOARD_PLACE", &place, message, "move the board by hand"));
            return;
        };
        let attribute = ["translateX", "translateY", "translateZ"][axis];
        let moved = self.host.number(&format!("|{top}"), attribute).is_some_and(|now| {
            self.edits.set_number(&format!("|{top}"), attribute, now + to - from) && self.edits.apply()
        });
        if !moved {
            let message = format!("{top} cannot be moved to the height of the eyes");
            self.findings.push(warning("BOARD_PLACE", &place, message, "move the board by hand"));
        }
        if board.up_axis == UpAxis::Z {
            let message = "the scene's up axis is Z; the board lies as its file has it".to_owned();
            self.findings.push(warning("BOARD_UP_AXIS", &place, message, "turn the board by hand"));
        }
    }

    /// Runs the assemble script, mends what it breaks, and drives what it leaves.
    pub(crate) fn set_up_board(&mut self, board: &Board) -> Result<(), Unbuilt> {
        self.poll("assemble script")?;
        let external = &board.external;
        let before = self.shared_inputs(external);
        let text = self.host.mel_text(&assemble_script::statement(external));
        let answer = assemble_script::answer(text.as_deref());
        self.findings.extend(answer.finding(external));
        self.poll("board connections")?;
        self.mend_shared_inputs(external, before)?;
        let mut details = FaceBoardDetails::from(external);
        details.script_ran = answer.ran;
        self.drive_the_rest(external, &mut details)?;
        let controls = self.controls(external);
        details.controls = controls.len();
        self.make_set(external, &controls)?;
        self.details = Some(details);
        Ok(())
    }

    /// What drives the joints that head and body share: the script takes them to be the head's alone. The head's own
    /// outputs to them it breaks rightly.
    fn shared_inputs(&self, external: &ExternalBoard) -> Vec<(String, String)> {
        let plugs = external
            .shared_joints
            .iter()
            .flat_map(|joint| JOINT_ATTRIBUTES.map(|attribute| format!("{joint}.{attribute}")));
        let sources = plugs.filter_map(|plug| Some((source_of(self.host, &plug)?, plug)));
        sources.filter(|(source, _)| !is_of(source, &external.head_rig_logic)).collect()
    }

    fn mend_shared_inputs(
        &mut self,
        external: &ExternalBoard,
        before: Vec<(String, String)>,
    ) -> Result<(), Unbuilt> {
        let broken = before.into_iter().filter(|(_, plug)| source_of(self.host, plug).is_none());
        let statements: Vec<String> =
            broken.map(|(from, to)| format!("connectAttr {} {};", quoted(&from), quoted(&to))).collect();
        if !statements.is_empty() {
            let message = format!(
                "the assemble script disconnected {} attributes of joints that the body drives; they are connected again",
                statements.len()
            );
            let place = external.resources.script.display().to_string();
            let code = "SHARED_JOINT_INPUTS";
            self.findings.push(Finding::new(code, Severity::Info, place, message, "nothing to do"));
        }
        self.statements("board connections", &statements)
    }

    /// Drives the raw controls that nothing drives yet, where the board has a control for them.
    fn drive_the_rest(
        &mut self,
        external: &ExternalBoard,
        details: &mut FaceBoardDetails,
    ) -> Result<(), Unbuilt> {
        let sliders = external.sliders();
        let there: HashSet<_> =
            sliders.into_iter().filter(|slider| exists(self.host, &slider.to_string())).collect();
        let mut network = DriveNetwork::default();
        let mut half_driven = Vec::new();
        for drive in &external.drives {
            let target = drive.target.to_string();
            let is_there = exists(self.host, &target);
            let missing: Vec<String> =
                drive.sliders().filter(|slider| !there.contains(slider)).map(ToString::to_string).collect();
            let partly = || format!("{target} (without {})", missing.join(", "));
            let is_partly = !missing.is_empty() && missing.len() < drive.sliders().count();
            if is_there && source_of(self.host, &target).is_some() {
                details.connected_by_script += 1;
                half_driven.extend(is_partly.then(partly));
                continue;
            }
            match drive.with_sliders(|slider| there.contains(slider)).filter(|_| is_there) {
                Some(drive) => {
                    network.add(&drive);
                    details.connected_by_curves += 1;
                    half_driven.extend(is_partly.then(partly));
                }
                None => details.without_control.push(target),
            }
        }
        let DriveNetwork { curves, utilities, connections } = network;
        let statements = network_statements(&curves, &utilities, &connections)
            .map_err(|error| failed("board connections", error.to_string()))?;
        self.statements("board connections", &statements)?;
        details.half_driven = half_driven;
        for (names, what) in [
            (&details.without_control, "have no control on the board"),
            (
                &details.half_driven,
                "are driven by some of their controls alone, since the board lacks the others",
            ),
        ] {
            if !names.is_empty() {
                let message = format!("{} raw controls {what}: {}", names.len(), listed(names));
                let remedy =
                    "set them on their holder, or use -faceBoard mh, which has a control for every slider";
                let place = external.resources.gui.display().to_string();
                self.findings.push(warning("BOARD_CONTROLS", &place, message, remedy));
            }
        }
        Ok(())
    }

    /// Controls of the DNA's sliders that the board has.
    fn controls(&self, external: &ExternalBoard) -> BTreeSet<String> {
        let controls: BTreeSet<String> =
            external.sliders().into_iter().map(|slider| slider.node.clone()).collect();
        controls.into_iter().filter(|name| exists(self.host, name)).collect()
    }

    /// The set of all controls, unless the board has one.
    fn make_set(&mut self, external: &ExternalBoard, controls: &BTreeSet<String>) -> Result<(), Unbuilt> {
        if exists(self.host, &external.control_set) {
            return Ok(());
        }
        let members: Vec<String> = controls.iter().map(|name| quoted(name)).collect();
        let empty = if members.is_empty() { " -empty" } else { "" };
        let statement = format!("sets -name {}{empty} {};", quoted(&external.control_set), members.join(" "));
        self.statements("board connections", &[statement])
    }
}

/// A scene before something was imported into it, which Maya cannot take back.
pub(crate) struct Before {
    /// Of all nodes.
    ids: HashSet<String>,
    selection: Vec<String>,
    units: Units,
    /// Clipping planes, which the script sets: camera, near and far in cm.
    clipping: Vec<(String, f64, f64)>,
}

/// Of all nodes; `None` where Maya does not list them. None at all is no list: every scene has nodes of Maya's own.
fn ids(host: &Host) -> Option<HashSet<String>> {
    let ids = host.mel_texts("ls -uuid").filter(|ids| !ids.is_empty())?;
    Some(ids.into_iter().collect())
}

impl Before {
    /// `None`: Maya does not list the nodes, and what comes later could not be told from what was there.
    pub(crate) fn of(host: &Host, units: &Units) -> Option<Self> {
        let cameras = host.mel_texts("ls -long -type camera")?;
        let clipping = cameras.into_iter().filter_map(|camera| {
            let near = host.number(&camera, "nearClipPlane")?;
            let far = host.number(&camera, "farClipPlane")?;
            Some((camera, near, far))
        });
        Some(Self {
            ids: ids(host)?,
            selection: host.mel_texts("ls -sl -long")?,
            units: units.clone(),
            clipping: clipping.collect(),
        })
    }

    /// Nodes that came since; `None` where Maya does not list them.
    pub(crate) fn since(&self, host: &Host) -> Option<HashSet<String>> {
        Some(ids(host)?.difference(&self.ids).cloned().collect())
    }

    /// Selects what was selected.
    pub(crate) fn select(&self, host: &Host) {
        let names: Vec<String> = self.selection.iter().map(|name| quoted(name)).collect();
        let select =
            if names.is_empty() { "select -cl".to_owned() } else { format!("select -r {}", names.join(" ")) };
        let _ = host.mel_texts(&select);
    }

    /// Deletes the nodes `came` and sets what was set. `false`: something of them is left in the hierarchy, or the units
    /// are others.
    pub(crate) fn restore(&self, host: &Host, came: &HashSet<String>) -> bool {
        let is_erased = erase(host, came);
        let is_clean = self.units.restore(host) && is_erased;
        if let Some(mut edits) = host.edits() {
            for (camera, near, far) in &self.clipping {
                edits.set_number(camera, "nearClipPlane", *near);
                edits.set_number(camera, "farClipPlane", *far);
            }
            edits.apply();
        }
        self.select(host);
        is_clean
    }
}

/// Full paths, or names, of nodes that are still there; `None` where Maya does not list them.
fn names_of(host: &Host, nodes: &[&String]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for chunk in nodes.chunks(NAMES_AT_A_TIME) {
        let list: Vec<&str> = chunk.iter().map(|id| id.as_str()).collect();
        names.extend(host.mel_texts(&format!("ls -long {}", list.join(" ")))?);
    }
    Some(names)
}

fn erase(host: &Host, came: &HashSet<String>) -> bool {
    for _ in 0..ROUNDS {
        let Some(now) = ids(host) else { return false };
        let mut left: Vec<&String> = came.iter().filter(|id| now.contains(*id)).collect();
        if left.is_empty() {
            return true;
        }
        left.sort();
        let Some(mut names) = names_of(host, &left) else { return false };
        names.sort();
        // Whole hierarchies first: what hangs below a node goes with it.
        let is_top = |name: &&String| {
            let mut above = name.as_str();
            while let Some(at) = above.rfind('|').filter(|&at| at > 0) {
                above = &above[..at];
                if names.binary_search_by(|other| other.as_str().cmp(above)).is_ok() {
                    return false;
                }
            }
            name.starts_with('|')
        };
        let tops: Vec<&String> = names.iter().filter(is_top).collect();
        let round = if tops.is_empty() { names.iter().collect() } else { tops };
        for name in round {
            let name = quoted(name);
            if host.mel_int(&format!("objExists {name}")) == Some(1) {
                let _ = host.mel_texts(&format!("lockNode -lock 0 {name}"));
                let _ = host.mel_texts(&format!("delete {name}"));
            }
        }
    }
    let Some(now) = ids(host) else { return false };
    let left: Vec<&String> = came.iter().filter(|id| now.contains(*id)).collect();
    names_of(host, &left).is_some_and(|names| !names.iter().any(|name| name.starts_with('|')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_the_head_to_shared_joints_are_told_from_those_of_others() {
        for (source, expected) in [
            ("head_rl4Embedded.jntRotationOutputs[3]", true),
            ("body_rl4Embedded.jntRotationOutputs[3]", false),
            ("head_rl4Embedded1.jntRotationOutputs[3]", false),
            ("|rig|neck_01_parentConstraint1.constraintRotateX", false),
        ] {
            assert_eq!(is_of(source, "head_rl4Embedded"), expected, "{source}");
        }
    }
}
