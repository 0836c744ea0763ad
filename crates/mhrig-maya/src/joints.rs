//! The joints of the scene, and how they get to new places.

use std::collections::HashMap;

use mhrig::{Finding, JointLine, Severity};

use crate::bridge::{Edits, Host, Undoable};
use crate::names::{base_name, near, parent_path, quoted};
use crate::scene::{from_y_up, up_axis};

/// How far from its target a joint may be after it was moved, cm. Doubles through one matrix product and its inverse.
const TOLERANCE_CM: f64 = 1e-4;

/// Where a joint of the scene shall be: world space, cm, the scene's up axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(crate) position: [f64; 3],
}

/// Edits that moved joints.
pub(crate) struct MovedJoints(Edits);

impl Undoable for MovedJoints {
    fn undo(&mut self) -> Result<(), String> {
        if self.0.undo() { Ok(()) } else { Err("the joints could not be put back".to_owned()) }
    }

    fn redo(&mut self) -> Result<(), String> {
        if self.0.apply() { Ok(()) } else { Err("the joints could not be moved again".to_owned()) }
    }
}

fn finding(code: &'static str, severity: Severity, place: &str, message: String, remedy: &str) -> Finding {
    Finding::new(code, severity, place, message, remedy)
}

/// Which joint of the scene each line means. Joints below `root` alone are looked at where it is given.
///
/// # Errors
/// A root that is not there, joints that several of the scene could be, a scene without any of them.
pub(crate) fn targets(
    host: &Host,
    lines: &[JointLine],
    root: Option<&str>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Target>, Vec<Finding>> {
    let joints = scene_joints(host, root)?;
    let mut by_name: HashMap<&str, Vec<&String>> = HashMap::new();
    for path in &joints {
        by_name.entry(base_name(path)).or_default().push(path);
    }
    let axis = up_axis(host).map_err(|own| vec![own])?;
    let (mut targets, mut missing, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    // Shared joints stand in both parts, and at one place: the body's.
    let is_repeated = |line: &JointLine| {
        line.part == "head" && lines.iter().any(|other| other.part == "body" && other.name == line.name)
    };
    for line in lines.iter().filter(|line| !is_repeated(line)) {
        match by_name.get(line.name.as_str()).map(Vec::as_slice) {
            None => missing.push(line.name.as_str()),
            Some([path]) => {
                let position = from_y_up(axis, line.position.map(f64::from));
                targets.push(Target { path: (*path).clone(), position });
            }
            Some(several) => {
                let paths: Vec<&str> = several.iter().map(|path| path.as_str()).collect();
                let message = format!("{} joints of the scene have this name", paths.len());
                let remedy = "name the root of the skeleton that is meant with -root";
                let found = finding("AMBIGUOUS_JOINT", Severity::Error, &line.name, message, remedy);
                errors.push(found.with_values("one joint", paths.join(", ")));
            }
        }
    }
    if targets.is_empty() && errors.is_empty() {
        let message = "no joint of the scene has the name of one of the archetype's".to_owned();
        let remedy =
            "import the skeleton first, or build DNA files with mhBuildDna and assemble a rig from them";
        errors.push(finding("NO_JOINTS", Severity::Error, root.unwrap_or("scene"), message, remedy));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if let Some(first) = missing.first() {
        let message =
            format!("{} joints of the archetype are not in the scene and were left out", missing.len());
        let remedy = "nothing to do for joints that this skeleton is not meant to have";
        let found = finding("JOINTS_MISSING", Severity::Warning, first, message, remedy);
        findings.push(found.with_values("all joints", missing.join(", ")));
    }
    Ok(targets)
}

fn scene_joints(host: &Host, root: Option<&str>) -> Result<Vec<String>, Vec<Finding>> {
    let all = host.mel_texts("ls -long -type joint").unwrap_or_default();
    let Some(root) = root else { return Ok(all) };
    let found = host.mel_texts(&format!("ls -long -allPaths {}", quoted(root))).unwrap_or_default();
    let error = match found.as_slice() {
        [path] => {
            let below = format!("{path}|");
            return Ok(all.into_iter().filter(|joint| joint == path || joint.starts_with(&below)).collect());
        }
        [] => {
            let alike = near(root, all.iter().map(String::as_str));
            let remedy = if alike.is_empty() {
                "check the name; namespaces are part of it".to_owned()
            } else {
                format!("did you mean {}?", alike.join(" or "))
            };
            let message = "no object of the scene has this name".to_owned();
            finding("NAME_NOT_FOUND", Severity::Error, root, message, &remedy)
        }
        several => {
            let message = format!("the name fits {} objects", several.len());
            finding("AMBIGUOUS_NAME", Severity::Error, root, message, "give the full path")
                .with_values("one object", several.join(", "))
        }
    };
    Err(vec![error])
}

/// Moves joints to their targets by their translations alone. Rotations, scales and what hangs on other nodes stay.
///
/// # Errors
/// Joints whose translation is locked, driven or did not lead where it should; nothing is moved then.
pub(crate) fn move_to(
    host: &Host,
    targets: &[Target],
    findings: &mut Vec<Finding>,
) -> Result<MovedJoints, Vec<Finding>> {
    let mut world = World::new(host, targets);
    let mut moves = Vec::with_capacity(targets.len());
    let mut errors = Vec::new();
    for target in targets {
        match world.translation(target) {
            Some(translation) => moves.push((target, translation)),
            None => errors.push(finding(
                "JOINT_UNREADABLE",
                Severity::Error,
                &target.path,
                "the node above this joint has a scale of zero, or the joint has no translation".to_owned(),
                "reset the scale of the nodes above the joint",
            )),
        }
        errors.extend(not_settable(host, &target.path));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    findings.extend(bound(host, targets));
    let failed = |place: &str, message: &str| {
        let remedy = "undo what was done to this joint since it was made, or unlock it";
        vec![finding("JOINT_NOT_MOVED", Severity::Error, place, message.to_owned(), remedy)]
    };
    let mut edits = host.edits().ok_or_else(|| failed("scene", "the host gives no edits"))?;
    for (target, translation) in &moves {
        for (attribute, value) in ["translateX", "translateY", "translateZ"].iter().zip(translation) {
            if !edits.set_number(&target.path, attribute, *value) {
                return Err(failed(&target.path, &format!("{attribute} cannot be edited")));
            }
        }
    }
    let applied = edits.apply();
    let astray = targets.iter().find(|target| {
        let at = host.world_matrix(&target.path).map(|rows| rows[3]);
        !at.is_some_and(|at| (0..3).all(|k| (at[k] - target.position[k]).abs() <= TOLERANCE_CM))
    });
    match (applied, astray) {
        (true, None) => Ok(MovedJoints(edits)),
        (_, astray) => {
            let place = astray.map_or("scene", |target| target.path.as_str());
            let end = if edits.undo() { "all joints were put back" } else { "not all joints are back" };
            Err(failed(place, &format!("the host did not move the joint where it should be; {end}")))
        }
    }
}

/// Says that a joint cannot be moved, and what holds it.
fn not_settable(host: &Host, path: &str) -> Option<Finding> {
    let held = ["translateX", "translateY", "translateZ"].iter().find(|attribute| {
        host.mel_int(&format!("getAttr -settable {}", quoted(&format!("{path}.{attribute}")))) != Some(1)
    })?;
    let drivers = ["translate", held].iter().find_map(|attribute| {
        let plug = quoted(&format!("{path}.{attribute}"));
        let command = format!("listConnections -source on -destination off -plugs on {plug}");
        host.mel_texts(&command).filter(|drivers| !drivers.is_empty())
    });
    let (message, remedy) = match drivers {
        Some(drivers) => (
            format!("{held} is driven by {}", drivers.join(", ")),
            "disconnect or delete the constraint, animation or rig that drives the joint",
        ),
        None => (format!("{held} is locked"), "unlock the joint's translation"),
    };
    Some(finding("JOINT_HELD", Severity::Error, path, message, remedy))
}

/// A warning when joints that are about to move deform something.
fn bound(host: &Host, targets: &[Target]) -> Option<Finding> {
    let joints: Vec<String> = targets.iter().map(|target| quoted(&target.path)).collect();
    let command =
        format!("listConnections -source off -destination on -type skinCluster {}", joints.join(" "));
    let mut clusters = host.mel_texts(&command).unwrap_or_default();
    clusters.sort();
    clusters.dedup();
    let first = clusters.first()?;
    let message =
        format!("the joints deform meshes through {} skin clusters, which move along", clusters.len());
    let remedy = "detach the skins first, or bind again after the fit";
    Some(finding("BOUND_JOINTS", Severity::Warning, first, message, remedy))
}

type Rows = [[f64; 4]; 4];

/// Where nodes are now, and where they will be once the joints above them have moved.
struct World<'a> {
    host: &'a Host,
    goals: HashMap<&'a str, [f64; 3]>,
    known: HashMap<String, Option<(Rows, [f64; 3])>>,
}

impl<'a> World<'a> {
    fn new(host: &'a Host, targets: &'a [Target]) -> Self {
        let goals = targets.iter().map(|target| (target.path.as_str(), target.position)).collect();
        Self { host, goals, known: HashMap::new() }
    }

    /// The matrix of a node now, and its shift: where it will be, less where it is.
    fn node(&mut self, path: &str) -> Option<(Rows, [f64; 3])> {
        if path.is_empty() {
            return Some((IDENTITY, [0.0; 3]));
        }
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let found = self.host.world_matrix(path).and_then(|rows| {
            let shift = match self.goals.get(path) {
                Some(goal) => std::array::from_fn(|k| goal[k] - rows[3][k]),
                // Nothing moves it but what is above.
                None => self.node(parent_path(path))?.1,
            };
            Some((rows, shift))
        });
        self.known.insert(path.to_owned(), found);
        found
    }

    /// The new translation of a joint: the old one, plus what is left of its shift after that of its parent, seen
    /// from the parent. Pivots and offsets of the joint do not come into it.
    fn translation(&mut self, target: &Target) -> Option<[f64; 3]> {
        let (_, shift) = self.node(&target.path)?;
        let (above, above_shift) = self.node(parent_path(&target.path))?;
        let parent_from_world = inverse_linear(&above)?;
        let left: [f64; 3] = std::array::from_fn(|k| shift[k] - above_shift[k]);
        let mut translation = [0.0; 3];
        for (k, attribute) in ["translateX", "translateY", "translateZ"].iter().enumerate() {
            let change: f64 = (0..3).map(|row| left[row] * parent_from_world[row][k]).sum();
            translation[k] = self.host.number(&target.path, attribute)? + change;
        }
        Some(translation)
    }
}

const IDENTITY: Rows =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// The inverse of the upper left 3 × 3, for row vectors; `None` when it has none.
fn inverse_linear(rows: &Rows) -> Option<[[f64; 3]; 3]> {
    let matrix = nalgebra::Matrix3::from_fn(|row, column| rows[row][column]);
    let inverse = matrix.try_inverse().filter(|inverse| inverse.iter().all(|c| c.is_finite()))?;
    Some(std::array::from_fn(|row| std::array::from_fn(|column| inverse[(row, column)])))
}
