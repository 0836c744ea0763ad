//! [`RigScene`]: the plain description of a rig.
//!
//! It is data and nothing else: one list of nodes per kind, parents before children, names in place of pointers where a
//! host has names, numbers where there are many. A backend walks the lists in the order of the fields and makes what
//! it finds: inside Maya through its API, as a Maya ASCII file, as glTF. Connections that follow from what a node is
//! (a joint drives its skin cluster, a shape is shaded by its material) are not listed; those of the rig are.

mod check;
mod deformers;
mod network;
mod nodes;
mod pose;

pub use check::is_node_name;
pub use deformers::{BlendShape, LockedNormal, RigMesh, ShapeTarget, SkinCluster};
pub use network::{
    Constraint, ConstraintKind, ConstraintTarget, CurveOutput, DrivenCurve, NamingPatterns, RigLogicKind,
    RigLogicNode, UtilityKind, UtilityNode, Wire,
};
pub use nodes::{
    Connection, CustomAttribute, DisplayLayer, Joint, Limit, Material, ObjectSet, Plug, Shape, TransformNode,
};
pub use pose::{parent_from_joint, parent_from_transform, place_of};

use crate::read::UpAxis;

/// A rig as data. Lengths in cm, angles in degrees, the world has the scene's up axis.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RigScene {
    /// The axis that points up.
    pub up_axis: UpAxis,
    /// The oldest Maya that should open the scene: its year.
    pub maya_version: u16,
    /// Plug-ins that nodes of the scene need.
    pub plugins: Vec<PluginRequirement>,
    /// Who made it from what, as key and value: version of the tool, archetype, hashes of the inputs. Kept as text
    /// attributes of the top group, so that every character of a scene has its own.
    pub metadata: Vec<(String, String)>,
    /// Groups, controls, locators, holders of attributes.
    pub transforms: Vec<TransformNode>,
    /// The skeleton.
    pub joints: Vec<Joint>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Meshes.
    pub meshes: Vec<RigMesh>,
    /// At most one per mesh; acts before the skin cluster.
    pub blend_shapes: Vec<BlendShape>,
    /// At most one per mesh.
    pub skin_clusters: Vec<SkinCluster>,
    /// Layers, the last drawn first in a list.
    pub display_layers: Vec<DisplayLayer>,
    /// Curves between controls and what they drive.
    pub curves: Vec<DrivenCurve>,
    /// Small arithmetic.
    pub utilities: Vec<UtilityNode>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// Nodes that evaluate a DNA.
    pub rig_logic: Vec<RigLogicNode>,
    /// Connections between attributes, but for those of [`RigLogicNode`].
    pub connections: Vec<Connection>,
    /// Sets.
    pub sets: Vec<ObjectSet>,
}

/// A plug-in that a scene needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginRequirement {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Node types that it has and the scene uses.
    pub node_types: Vec<String>,
}

/// Name of the attribute by which a group of meshes says which LOD it is.
pub const LOD_ATTRIBUTE: &str = "mhLod";

impl RigScene {
    /// The group that everything is below of: the first node without a parent.
    pub fn top_group(&self) -> Option<&TransformNode> {
        self.transforms.iter().find(|node| node.parent.is_none())
    }

    /// The LOD of a mesh, by the group that it is in.
    pub fn lod_of(&self, mesh: &RigMesh) -> Option<usize> {
        let group = self.transforms.iter().find(|group| group.name == mesh.parent)?;
        let lod = group.attributes.iter().find(|attribute| attribute.name == LOD_ATTRIBUTE)?;
        Some(lod.value as usize)
    }

    /// Numbers of the meshes of LOD `lod`.
    pub fn meshes_of_lod(&self, lod: usize) -> Vec<usize> {
        let meshes = self.meshes.iter().enumerate();
        meshes.filter(|(_, mesh)| self.lod_of(mesh) == Some(lod)).map(|(number, _)| number).collect()
    }
}
