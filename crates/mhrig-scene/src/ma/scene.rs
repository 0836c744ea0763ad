//! The part of a Maya scene that matters for its meshes.

use std::collections::HashMap;

use mhrig_report::Finding;

use super::mesh_node::{MeshNode, Tweaks};
use super::transform::Transform;
use crate::names;
use crate::read::UpAxis;

/// Index of a node in [`Scene::nodes`].
pub(super) type NodeId = usize;

/// How many nodes of one name a look-up compares; more are only found by their whole path.
const MOST_NAMESAKES: usize = 256;

pub(super) struct Node {
    pub(super) name: String,
    /// The first parent is the one the node was created under.
    pub(super) parents: Vec<NodeId>,
    /// The parent that the file names and does not contain.
    pub(super) unknown_parent: Option<String>,
    pub(super) line: u64,
    pub(super) kind: NodeKind,
    /// Why the values of the node cannot be trusted.
    pub(super) problem: Option<Finding>,
    /// An attribute of the transform that a connection drives.
    pub(super) driven: Option<String>,
}

pub(super) enum NodeKind {
    /// A transform or something derived from it; `is_known` is false for types that may be neither.
    Transform {
        is_joint: bool,
        is_known: bool,
        values: Option<Box<Transform>>,
    },
    Mesh(Box<MeshNode>),
    /// A tweak node: offsets by index of the geometry.
    Tweak(HashMap<u32, Tweaks>),
}

/// A connection that geometry flows through.
pub(super) struct Link {
    pub(super) source_node: String,
    /// Index of the output, where it has one.
    pub(super) source_index: Option<u32>,
}

/// The connections that lead geometry into one node.
#[derive(Default)]
pub(super) struct Links {
    /// By the index of the input.
    by_input: HashMap<Option<u32>, Link>,
    /// The input that the file connects first.
    first: Option<u32>,
}

impl Links {
    pub(super) fn add(&mut self, input: Option<u32>, link: Link) {
        if self.by_input.is_empty() {
            self.first = input;
        }
        self.by_input.insert(input, link);
    }

    /// The connection into input `index`, or the first one where there is none.
    pub(super) fn into(&self, index: Option<u32>) -> Option<&Link> {
        index.and_then(|_| self.by_input.get(&index)).or_else(|| self.by_input.get(&self.first))
    }
}

/// A reference to another file.
pub(super) struct Reference {
    pub(super) file: String,
    pub(super) namespace: String,
    pub(super) line: u64,
}

#[derive(Default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<Node>,
    by_name: HashMap<String, Vec<NodeId>>,
    by_parent: HashMap<(Option<NodeId>, String), NodeId>,
    /// Connections by the node that they lead to, as the file names it.
    pub(super) links: HashMap<String, Links>,
    /// Types of the nodes outside the DAG that make or change polygons (`poly…`).
    pub(super) modelling_nodes: HashMap<String, String>,
    pub(super) references: Vec<Reference>,
    pub(super) up_axis: Option<UpAxis>,
    /// cm per length unit; the last one that the file sets.
    pub(super) unit_cm: Option<f64>,
    pub(super) findings: Vec<Finding>,
}

impl Scene {
    /// Adds a node under `parent`, which is a path as the file writes it.
    pub(super) fn add(&mut self, name: String, parent: Option<&str>, line: u64, kind: NodeKind) -> NodeId {
        let found = parent.and_then(|parent| self.find(parent));
        let id = self.nodes.len();
        self.by_name.entry(name.clone()).or_default().push(id);
        self.by_parent.insert((found, name.clone()), id);
        self.nodes.push(Node {
            name,
            parents: found.into_iter().collect(),
            unknown_parent: parent.filter(|_| found.is_none()).map(str::to_owned),
            line,
            kind,
            problem: None,
            driven: None,
        });
        id
    }

    /// Puts `child` below `parent`, in addition to its other parents or in place of them.
    pub(super) fn place_below(&mut self, child: NodeId, parent: NodeId, adds: bool) {
        let node = &mut self.nodes[child];
        if !adds {
            node.parents.clear();
            node.unknown_parent = None;
        }
        if !node.parents.contains(&parent) && node.parents.len() < MOST_NAMESAKES {
            node.parents.push(parent);
        }
        self.by_parent.insert((Some(parent), self.nodes[child].name.clone()), child);
    }

    /// The node that `path` names: `head`, `group|head` or `|root|group|head`. Where several fit, the newest.
    pub(super) fn find(&self, path: &str) -> Option<NodeId> {
        if let Some(absolute) = path.strip_prefix('|') {
            let mut node = None;
            for name in absolute.split('|') {
                node = Some(*self.by_parent.get(&(node, root_relative(name).to_owned()))?);
            }
            return node;
        }
        let mut names = path.rsplit('|').map(root_relative);
        let last = names.next()?;
        let before: Vec<&str> = names.collect();
        let namesakes = self.by_name.get(last)?;
        let fits = |&&id: &&NodeId| {
            let mut node = id;
            before.iter().all(|name| match self.nodes[node].parents.first() {
                Some(&parent) if self.nodes[parent].name == **name => {
                    node = parent;
                    true
                }
                _ => false,
            })
        };
        namesakes.iter().rev().take(MOST_NAMESAKES).find(fits).copied()
    }

    pub(super) fn mesh(&self, id: NodeId) -> Option<&MeshNode> {
        match &self.nodes[id].kind {
            NodeKind::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    /// The name without namespace.
    pub(super) fn short_name(&self, id: NodeId) -> &str {
        names::without_namespace(&self.nodes[id].name)
    }
}

/// `:head` names the node of the root namespace, `head`.
pub(super) fn root_relative(name: &str) -> &str {
    name.strip_prefix(':').unwrap_or(name)
}
