use mhrig_geom::{JointId, VertexId};
use mhrig_report::Cancelled;
use nalgebra::Vector3;
use serde::Serialize;

use crate::FitTemplate;

/// The kinds of evidence in their order of priority; a joint is placed by the first that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Strategy {
    /// A position from outside: of a joint that another part placed.
    SharedConstraint,
    /// A position from outside: the user's.
    UserConstraint,
    /// A surface row of a mapping table.
    MappingSurface,
    /// A volumetric row of a mapping table.
    MappingVolumetric,
    /// The centre of an eyeball.
    EyeSphere,
    /// A place along the line between two joints.
    Chain,
    /// The affine map of the surface around the joint.
    Patch,
    /// The mean movement of the skin that the joint influences.
    Skin,
    /// A similarity over the placed joints below, or that of the nearest placed ancestor.
    Subtree,
    /// Rigidly with the parent.
    RigidFollow,
    /// A world anchor, which never moves.
    Anchor,
}

impl Strategy {
    /// The name in tables, with the priority in front.
    pub fn label(self) -> &'static str {
        match self {
            Self::SharedConstraint => "0 shared constraint",
            Self::UserConstraint => "0 user constraint",
            Self::MappingSurface => "1 mapping surface",
            Self::MappingVolumetric => "1 mapping volumetric",
            Self::EyeSphere => "2 eye sphere",
            Self::Chain => "3 chain lerp",
            Self::Patch => "4 surface patch",
            Self::Skin => "4 skin weight transfer",
            Self::Subtree => "5 subtree similarity",
            Self::RigidFollow => "6 rigid follow",
            Self::Anchor => "anchor",
        }
    }
}

/// Who demands the position of a constrained joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// Another part, which has the same joint.
    Shared,
    /// The user.
    User,
}

/// A position that a joint has to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The joint, of the template's skeleton.
    pub joint: JointId,
    /// Its world position, cm.
    pub position: Vector3<f64>,
    /// Who demands it.
    pub kind: ConstraintKind,
}

/// What exactly placed a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rule {
    /// It is a world anchor and stays.
    Anchor,
    /// A constraint.
    Constraint(ConstraintKind),
    /// A mapping row.
    Vertex {
        /// Mesh number in the template.
        mesh: usize,
        /// The vertex.
        vertex: VertexId,
        /// Whether the row has an offset.
        is_volumetric: bool,
    },
    /// An eyeball.
    EyeSphere {
        /// Mesh number in the template.
        mesh: usize,
        /// Radius relative to the template's eyeball.
        scale: f64,
    },
    /// A line between two joints.
    Chain {
        /// Where the line begins.
        from: JointId,
        /// Where it ends.
        to: JointId,
        /// Place along it, 0 … 1 between the ends.
        weight: f64,
    },
    /// The affine map of the surface around the joint.
    Patch {
        /// Distance to the nearest vertex at rest, cm.
        depth_cm: f64,
    },
    /// Skin weight transfer.
    Skin {
        /// Sum of the weights of the vertices.
        weight: f64,
    },
    /// The map of the placed joints below.
    SubtreeFit {
        /// Its scale (the mean one of an affine map).
        scale: f64,
    },
    /// The map of an ancestor's placed joints, applied from the nearest placed ancestor.
    Inherited {
        /// Whose map.
        from: JointId,
        /// Its scale.
        scale: f64,
    },
    /// The nearest placed ancestor's movement.
    RigidFollow {
        /// The ancestor, `None` when there is none: the joint stays.
        ancestor: Option<JointId>,
    },
}

impl Rule {
    /// The strategy that the rule belongs to.
    pub fn strategy(&self) -> Strategy {
        match self {
            Self::Anchor => Strategy::Anchor,
            Self::Constraint(ConstraintKind::Shared) => Strategy::SharedConstraint,
            Self::Constraint(ConstraintKind::User) => Strategy::UserConstraint,
            Self::Vertex { is_volumetric: false, .. } => Strategy::MappingSurface,
            Self::Vertex { is_volumetric: true, .. } => Strategy::MappingVolumetric,
            Self::EyeSphere { .. } => Strategy::EyeSphere,
            Self::Chain { .. } => Strategy::Chain,
            Self::Patch { .. } => Strategy::Patch,
            Self::Skin { .. } => Strategy::Skin,
            Self::SubtreeFit { .. } | Self::Inherited { .. } => Strategy::Subtree,
            Self::RigidFollow { .. } => Strategy::RigidFollow,
        }
    }

    /// The rule in words, with the names of `template`.
    pub fn describe(&self, template: &FitTemplate) -> String {
        let joint =
            |joint: &JointId| template.hierarchy().names().get(joint.index()).map_or("?", String::as_str);
        let mesh = |mesh: &usize| template.meshes().get(*mesh).map_or("?", |mesh| mesh.name.as_str());
        match self {
            Self::Anchor => "world anchor, does not move".into(),
            Self::Constraint(ConstraintKind::Shared) => "placed by the other part".into(),
            Self::Constraint(ConstraintKind::User) => "placed by the user".into(),
            Self::Vertex { mesh: m, vertex, is_volumetric } => {
                let offset = if *is_volumetric { " with an offset" } else { "" };
                format!("vertex {} of {}{offset}", vertex.0, mesh(m))
            }
            Self::EyeSphere { mesh: m, scale } => {
                format!("centre of {}, {scale:.3} times the template's size", mesh(m))
            }
            Self::Chain { from, to, .. } if from == to => format!("coincides with {}", joint(from)),
            Self::Chain { from, to, weight } => {
                format!("{weight:.3} of the way from {} to {}", joint(from), joint(to))
            }
            Self::Patch { depth_cm } => format!("affine map of the surface around it, {depth_cm:.2} cm away"),
            Self::Skin { weight } => format!("movement of its skin, total weight {weight:.2}"),
            Self::SubtreeFit { scale } => format!("map of the placed joints below, scale {scale:.4}"),
            Self::Inherited { from, scale } => format!("map of {}, scale {scale:.4}", joint(from)),
            Self::RigidFollow { ancestor: Some(ancestor) } => format!("follows {}", joint(ancestor)),
            Self::RigidFollow { ancestor: None } => "no evidence, stays at rest".into(),
        }
    }
}

/// Where a joint was put, by what, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPlacement {
    /// World position, cm.
    pub position: Vector3<f64>,
    /// What placed it.
    pub rule: Rule,
    /// How many vertices or joints the position rests on.
    pub evidence: usize,
    /// Root mean square by which that evidence disagrees, cm; 0 where there is nothing that could disagree.
    pub residual_cm: f64,
    /// 0 … 1: how reliable the rule is by its nature, lowered by the residual (halved at 1 cm) and never above
    /// the joints that it rests on.
    pub confidence: f64,
}

impl JointPlacement {
    pub(crate) fn new(position: Vector3<f64>, rule: Rule, evidence: usize, residual_cm: f64) -> Self {
        // An order of trust, not a probability.
        let trust = match rule.strategy() {
            Strategy::SharedConstraint | Strategy::UserConstraint | Strategy::Anchor => 1.0,
            Strategy::MappingSurface => 1.0,
            Strategy::EyeSphere => 0.95,
            Strategy::MappingVolumetric => 0.8,
            Strategy::Chain => 0.9,
            Strategy::Patch => 0.75,
            Strategy::Skin => 0.7,
            Strategy::Subtree => 0.5,
            Strategy::RigidFollow => 0.1,
        };
        Self { position, rule, evidence, residual_cm, confidence: trust / (1.0 + residual_cm.max(0.0)) }
    }

    /// Lowers the confidence to that of what the placement rests on.
    pub(crate) fn resting_on(mut self, confidence: f64) -> Self {
        self.confidence = self.confidence.min(confidence);
        self
    }

    /// The strategy that placed the joint.
    pub fn strategy(&self) -> Strategy {
        self.rule.strategy()
    }
}

/// The result of a fit: every joint's placement, by joint number.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// One entry per joint of the template's skeleton.
    pub joints: Vec<JointPlacement>,
}

impl Placement {
    /// World positions by joint number, cm.
    pub fn positions(&self) -> Vec<Vector3<f64>> {
        self.joints.iter().map(|joint| joint.position).collect()
    }
}

/// Why a fit has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// It was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A constraint on a joint that the skeleton does not have, or at a position that is not finite.
    #[error("constraint {index}: joint {joint} at {position:?}; the skeleton has {joints} joints")]
    Constraint {
        /// Number of the constraint.
        index: usize,
        /// Its joint.
        joint: usize,
        /// Its position.
        position: [f64; 3],
        /// Number of joints.
        joints: usize,
    },
    /// Targets for another number of parts than the character has.
    #[error("targets for {found} parts, expected {expected}")]
    Parts {
        /// Parts of the character.
        expected: usize,
        /// Parts of the targets.
        found: usize,
    },
    /// Targets of another template.
    #[error("targets for another template: mesh {mesh} has {found} vertices, expected {expected}")]
    Targets {
        /// Number of the mesh.
        mesh: usize,
        /// Vertices of the template's mesh.
        expected: usize,
        /// Vertices given.
        found: usize,
    },
}
