//! A face board that comes from an installation of MetaHuman for Maya, and what a host needs to know to put it in.

use std::collections::{BTreeSet, HashSet};

use mhrig_archetype::PartKind;
use mhrig_report::{Finding, Job, Refused, Severity};
use mhrig_scene::{LOD_ATTRIBUTE, Plug, RigScene, TransformNode};
use serde::Serialize;

use super::describe::Described;
use super::input::RigPart;
use super::names::{self, PartNames};
use super::raw_drives::RawDrive;
use crate::mh4m::{Mh4mResources, Mh4mSearch, find_mh4m};
use crate::report::Stop;

/// Which face board a rig gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FaceBoard {
    /// One made from the sliders of the DNA.
    #[default]
    Own,
    /// That of an installation of MetaHuman for Maya, set up by its assemble script; only Maya can do that.
    Mh4m(Mh4mSearch),
}

/// What became of a face board from an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaceBoardDetails {
    /// What it was taken from.
    #[serde(flatten)]
    pub resources: Mh4mResources,
    /// Whether the assemble script ran to its end.
    pub script_ran: bool,
    /// Controls of the DNA's sliders that the board has.
    pub controls: usize,
    /// Raw controls that something of the installation drives: its script, or the board as it was imported.
    pub connected_by_script: usize,
    /// Raw controls that the script left out and our own curves drive.
    pub connected_by_curves: usize,
    /// Raw controls that the DNA has a slider for and the board has none.
    pub without_control: Vec<String>,
    /// Raw controls with several sliders, of which the board has some alone, and those that it lacks.
    pub half_driven: Vec<String>,
}

/// What a host needs to put an external board into a rig that was described without one.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalBoard {
    /// Where the board, its aims and its script are.
    pub resources: Mh4mResources,
    /// Names of the described transforms that hold raw controls and maps; the board may have them already.
    pub holders: Vec<String>,
    /// What the sliders have to do to the raw controls.
    pub drives: Vec<RawDrive>,
    /// Joints of head and body, whose inputs the script breaks.
    pub shared_joints: Vec<String>,
    /// The RigLogic node of the head, whose outputs to shared joints the script breaks rightly.
    pub head_rig_logic: String,
    /// The group above the head.
    pub top_group: String,
    /// The group of the head's rig.
    pub rig_group: String,
    /// The control that has to be as high as the joint beside it.
    pub level: (String, String),
    /// What the set of all controls is called.
    pub control_set: String,
}

impl ExternalBoard {
    /// Attributes of the board that drive raw controls, each once.
    pub fn sliders(&self) -> BTreeSet<&Plug> {
        self.drives.iter().flat_map(RawDrive::sliders).collect()
    }
}

/// Finds the installation for the head among `parts`.
pub(super) fn resources(
    parts: &[RigPart],
    search: &Mh4mSearch,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<Mh4mResources, Stop> {
    let Some(head) = parts.iter().find(|part| part.kind == PartKind::Head) else {
        let message = "a body alone has no face for the board of MetaHuman for Maya";
        let remedy = "add the head, or use the face board of our own";
        return Err(Finding::new("BOARD_WITHOUT_HEAD", Severity::Error, "request", message, remedy).into());
    };
    find_mh4m(search, &head.dna.descriptor.db_name.to_str(), findings, job)
}

/// What the host has to know, after having looked whether board and rig fit together.
pub(super) fn external_board(described: &Described, resources: Mh4mResources) -> Result<ExternalBoard, Stop> {
    let scene = &described.scene;
    let holds = |node: &&TransformNode| node.attributes.iter().any(|own| own.name != LOD_ATTRIBUTE);
    let holders = scene.transforms.iter().filter(holds);
    let head = PartNames::of(PartKind::Head);
    let board = ExternalBoard {
        holders: holders.map(|node| node.name.clone()).collect(),
        drives: described.drives.clone(),
        shared_joints: described.shared_names.clone(),
        head_rig_logic: head.rig_logic.to_owned(),
        top_group: head.top.to_owned(),
        rig_group: head.rig.to_owned(),
        level: (names::BOTH_EYES.to_owned(), names::eye_joint(names::SIDES[0])),
        control_set: names::CONTROL_SET.to_owned(),
        resources,
    };
    check_names(scene, &board)?;
    check_controls(&board)?;
    Ok(board)
}

/// No node of the rig may have the name of a node of the board, which scripts find by its name.
fn check_names(scene: &RigScene, board: &ExternalBoard) -> Result<(), Stop> {
    let known: HashSet<&str> = board.resources.nodes.iter().map(String::as_str).collect();
    let clash = |name: &&str| known.contains(name) && !board.holders.iter().any(|holder| holder == name);
    let clashes: Vec<&str> = scene.node_names().map(|(_, name)| name).filter(clash).collect();
    let Some(first) = clashes.first() else { return Ok(()) };
    let message = format!("{} nodes of the rig have names of the board, {first} for one", clashes.len());
    let remedy = "use the face board of our own";
    let place = board.resources.gui.display().to_string();
    Err(Stop::Refused(Refused::because(Finding::new("NAME_CLASH", Severity::Error, place, message, remedy))))
}

/// A board that lacks most of the controls belongs to another rig.
fn check_controls(board: &ExternalBoard) -> Result<(), Stop> {
    let controls: BTreeSet<&str> = board.sliders().into_iter().map(|slider| slider.node.as_str()).collect();
    let known: HashSet<&str> = board.resources.nodes.iter().map(String::as_str).collect();
    let missing: Vec<&str> = controls.iter().filter(|name| !known.contains(**name)).copied().collect();
    if missing.len() * 2 <= controls.len() {
        return Ok(());
    }
    let (gone, all) = (missing.len(), controls.len());
    let first = missing.first().copied().unwrap_or_default();
    let message = format!(
        "the board belongs to another rig: {gone} of the {all} controls of the head's DNA are missing, {first} for one"
    );
    let remedy = "use the installation that the head was made with, or the face board of our own";
    let place = board.resources.gui.display().to_string();
    Err(Finding::new("BOARD_MISMATCH", Severity::Error, place, message, remedy).into())
}

/// The details before a host has done anything.
impl From<&ExternalBoard> for FaceBoardDetails {
    fn from(board: &ExternalBoard) -> Self {
        Self {
            resources: board.resources.clone(),
            script_ran: false,
            controls: 0,
            connected_by_script: 0,
            connected_by_curves: 0,
            without_control: Vec::new(),
            half_driven: Vec::new(),
        }
    }
}
