//! Names of the assembled scene. They follow the MetaHuman convention, so that scripts made for it find their nodes.

use mhrig_archetype::PartKind;

/// Group above everything of a head and a body.
pub(super) const RIG: &str = "rig";
/// Group above the skeleton of a head and a body.
pub(super) const JOINTS: &str = "joints_grp";
/// Holder of raw controls; the object part of their names in a DNA.
pub(super) const EXPRESSIONS: &str = "CTRL_expressions";
/// Holder of animated maps.
pub(super) const MAP_MULTIPLIERS: &str = "FRM_WMmultipliers";
/// Group of the face board.
pub(super) const BOARD: &str = "GRP_faceGUI";
/// Group in which the controls of the face stand.
pub(super) const RIGGING: &str = "headRigging_grp";
/// Group of the board within [`RIGGING`].
pub(super) const GUI: &str = "headGui_grp";
/// Group of eye aims and drivers within [`RIGGING`].
pub(super) const EYES_SETUP: &str = "eyesSetup_grp";
/// A place that does not move.
pub(super) const WORLD: &str = "LOC_world";
/// Group of the eye aims.
pub(super) const EYES_AIM: &str = "GRP_C_eyesAim";
/// The control that both eyes aim at.
pub(super) const EYES_AIM_CONTROL: &str = "CTRL_C_eyesAim";
/// What the eye drivers hang below.
pub(super) const EYE_DRIVERS: &str = "LOC_C_eyeDriver";
/// The control that turns both eyes.
pub(super) const BOTH_EYES: &str = "CTRL_C_eye";
/// 0: the board turns the eyes; 1: the aims do.
pub(super) const LOOK_AT_SWITCH: &str = "CTRL_lookAtSwitch";
/// 1: both eyes aim at one point.
pub(super) const CONVERGENCE_SWITCH: &str = "CTRL_convergenceSwitch";
/// 1: the board goes with the head.
pub(super) const BOARD_FOLLOWS_HEAD: &str = "CTRL_faceGUIfollowHead";
/// 1: the eye aims go with the head.
pub(super) const EYES_AIM_FOLLOWS_HEAD: &str = "CTRL_eyesAimFollowHead";
/// Set of all controls of the board.
pub(super) const CONTROL_SET: &str = "FacialControls";
/// The joint that the board and the eye aims go with.
pub(super) const HEAD_JOINT: &str = "head";
/// The joint that the eye drivers go with.
pub(super) const FACIAL_ROOT: &str = "FACIAL_C_FacialRoot";

/// Beginning of the names of nodes that are added to a board which is not ours.
pub(super) const OWN_PREFIX: &str = "mhrig_";

/// Side of the character: `L` or `R`.
pub(super) const SIDES: [&str; 2] = ["L", "R"];

/// The line that shows where an eye looks.
pub(super) fn look_direction(side: &str) -> String {
    format!("{side}_lookDirection")
}

/// The joint of an eye.
pub(super) fn eye_joint(side: &str) -> String {
    format!("FACIAL_{side}_Eye")
}

/// The board control of an eye.
pub(super) fn eye_control(side: &str) -> String {
    format!("CTRL_{side}_eye")
}

/// Names of one part.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartNames {
    pub(super) top: &'static str,
    pub(super) geometry: &'static str,
    pub(super) rig: &'static str,
    pub(super) rig_logic: &'static str,
    prefix: &'static str,
}

impl PartNames {
    pub(super) fn of(kind: PartKind) -> Self {
        match kind {
            PartKind::Head => Self {
                top: "head_grp",
                geometry: "geometry_grp",
                rig: "headRig_grp",
                rig_logic: "head_rl4Embedded",
                prefix: "head",
            },
            PartKind::Body => Self {
                top: "body_grp",
                geometry: "body_geometry_grp",
                rig: "bodyRig_grp",
                rig_logic: "body_rl4Embedded",
                prefix: "body",
            },
        }
    }

    pub(super) fn lod_group(&self, lod: usize) -> String {
        format!("{}_lod{lod}_grp", self.prefix)
    }

    pub(super) fn layer(&self, lod: usize) -> String {
        format!("{}_lod{lod}_layer", self.prefix)
    }
}

/// The namespace of a character.
#[derive(Clone, Debug, Default)]
pub(super) struct Namespace(String);

impl Namespace {
    pub(super) fn new(name: Option<&str>) -> Self {
        Self(name.map(|name| format!("{name}:")).unwrap_or_default())
    }

    /// `name` in the namespace.
    pub(super) fn of(&self, name: impl AsRef<str>) -> String {
        format!("{}{}", self.0, name.as_ref())
    }

    /// The namespace with its colon; empty where there is none.
    pub(super) fn prefix(&self) -> &str {
        &self.0
    }
}

/// Long name of an attribute that a DNA gives by its short name.
pub(super) fn long_attribute(short: &str) -> &str {
    match short {
        "tx" => "translateX",
        "ty" => "translateY",
        "tz" => "translateZ",
        "rx" => "rotateX",
        "ry" => "rotateY",
        "rz" => "rotateZ",
        "sx" => "scaleX",
        "sy" => "scaleY",
        "sz" => "scaleZ",
        other => other,
    }
}

/// Long names of the nine attributes of a joint, in the order of a DNA.
pub(super) const JOINT_ATTRIBUTES: [&str; 9] =
    ["translateX", "translateY", "translateZ", "rotateX", "rotateY", "rotateZ", "scaleX", "scaleY", "scaleZ"];
