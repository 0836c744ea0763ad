use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::JointId;

/// Names and parents of a skeleton's joints.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JointHierarchy {
    names: Vec<String>,
    parents: Vec<Option<JointId>>,
    top_down: Vec<JointId>,
}

/// Why names and parents do not make a hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// The two lists have different lengths.
    #[error("{names} joint names but {parents} parents")]
    Lengths {
        /// Number of names.
        names: usize,
        /// Number of parents.
        parents: usize,
    },
    /// A parent that is not a joint.
    #[error("joint {joint} has parent {parent}, but there are only {count} joints")]
    Parent {
        /// The joint.
        joint: usize,
        /// Its parent.
        parent: usize,
        /// Number of joints.
        count: usize,
    },
    /// A joint is its own ancestor.
    #[error("joint {joint} is its own ancestor")]
    Cycle {
        /// One joint of the cycle.
        joint: usize,
    },
    /// More joints than a `u16` can number.
    #[error("{0} joints are more than a joint number can hold")]
    TooMany(usize),
}

impl JointHierarchy {
    /// Checks and keeps names and parents; a root has no parent, and there may be several.
    ///
    /// # Errors
    /// See [`HierarchyError`].
    pub fn new(names: Vec<String>, parents: Vec<Option<JointId>>) -> Result<Self, HierarchyError> {
        let count = names.len();
        if parents.len() != count {
            return Err(HierarchyError::Lengths { names: count, parents: parents.len() });
        }
        if count > usize::from(u16::MAX) {
            return Err(HierarchyError::TooMany(count));
        }
        let mut children = vec![Vec::new(); count];
        let mut top_down = Vec::with_capacity(count);
        for (joint, parent) in parents.iter().enumerate() {
            let id = JointId(joint as u16);
            match parent {
                None => top_down.push(id),
                Some(parent) if parent.index() < count => children[parent.index()].push(id),
                Some(parent) => {
                    return Err(HierarchyError::Parent { joint, parent: parent.index(), count });
                }
            }
        }
        let mut next = 0;
        while let Some(&joint) = top_down.get(next) {
            top_down.extend_from_slice(&children[joint.index()]);
            next += 1;
        }
        if top_down.len() < count {
            let mut reached = vec![false; count];
            for joint in &top_down {
                reached[joint.index()] = true;
            }
            let joint = reached.iter().position(|&reached| !reached).unwrap_or(0);
            return Err(HierarchyError::Cycle { joint });
        }
        Ok(Self { names, parents, top_down })
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no joints.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Joint names by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of one joint.
    ///
    /// # Panics
    /// When `joint` is not of this skeleton.
    pub fn name(&self, joint: JointId) -> &str {
        &self.names[joint.index()]
    }

    /// The joint of that name (the first, should there be several).
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.names.iter().position(|n| n == name).map(|index| JointId(index as u16))
    }

    /// The parent of `joint`, `None` for a root.
    ///
    /// # Panics
    /// When `joint` is not of this skeleton.
    pub fn parent(&self, joint: JointId) -> Option<JointId> {
        self.parents[joint.index()]
    }

    /// Parents by joint number.
    pub fn parents(&self) -> &[Option<JointId>] {
        &self.parents
    }

    /// All joints, parents before their children.
    pub fn top_down(&self) -> &[JointId] {
        &self.top_down
    }

    /// Direct children of `joint` in number order.
    pub fn children(&self, joint: JointId) -> impl Iterator<Item = JointId> {
        let parents = self.parents.iter().enumerate();
        parents.filter(move |&(_, &parent)| parent == Some(joint)).map(|(index, _)| JointId(index as u16))
    }
}

/// Local transforms of a skeleton: joint in its parent's space (a root in the world).
#[derive(Clone, Debug, PartialEq)]
pub struct JointPose {
    /// Local translation per joint, cm.
    pub translations: Vec<Vector3<f64>>,
    /// Local rotation per joint.
    pub rotations: Vec<Rotation3<f64>>,
}

impl JointPose {
    /// World transforms per joint: `world_from_joint`.
    ///
    /// # Panics
    /// When the pose has not as many joints as `hierarchy`.
    pub fn world(&self, hierarchy: &JointHierarchy) -> Vec<Isometry3<f64>> {
        let mut world = vec![Isometry3::identity(); hierarchy.len()];
        for &joint in hierarchy.top_down() {
            let index = joint.index();
            let parent_from_joint = Isometry3::from_parts(
                Translation3::from(self.translations[index]),
                UnitQuaternion::from_rotation_matrix(&self.rotations[index]),
            );
            world[index] = match hierarchy.parent(joint) {
                Some(parent) => world[parent.index()] * parent_from_joint,
                None => parent_from_joint,
            };
        }
        world
    }
}
