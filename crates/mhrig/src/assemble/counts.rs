use mhrig_archetype::PartKind;
use mhrig_report::{Finding, Severity};
use mhrig_scene::RigScene;
use serde::Serialize;

use super::describe::Described;
use super::input::RigPart;

/// How much of everything an assembled scene holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AssembleCounts {
    /// Joints of the one skeleton.
    pub joints: usize,
    /// Joints of the head DNA.
    pub head_joints: usize,
    /// Joints of the body DNA.
    pub body_joints: usize,
    /// Joints that both have.
    pub shared_joints: usize,
    /// Meshes of all LODs.
    pub meshes: usize,
    /// Skin clusters.
    pub skin_clusters: usize,
    /// Blend shape nodes.
    pub blend_shapes: usize,
    /// Targets of all of them.
    pub blend_shape_targets: usize,
    /// Vertices that targets move.
    pub blend_shape_deltas: usize,
    /// Controls of the face board.
    pub board_controls: usize,
    /// Attributes that hold raw controls.
    pub raw_controls: usize,
    /// Attributes that hold animated maps.
    pub animated_maps: usize,
    /// Curves between controls and what they drive.
    pub curves: usize,
    /// Nodes that evaluate a DNA.
    pub rig_logic: usize,
    /// Display layers, one per part and LOD.
    pub display_layers: usize,
}

impl AssembleCounts {
    pub(super) fn of(described: &Described, parts: &[RigPart]) -> Self {
        let scene = &described.scene;
        let joints_of = |kind: PartKind| {
            parts.iter().filter(|part| part.kind == kind).map(|part| part.joint_names().len()).sum()
        };
        let targets = || scene.blend_shapes.iter().flat_map(|shape| &shape.targets);
        Self {
            joints: scene.joints.len(),
            head_joints: joints_of(PartKind::Head),
            body_joints: joints_of(PartKind::Body),
            shared_joints: described.shared_joints,
            meshes: scene.meshes.len(),
            skin_clusters: scene.skin_clusters.len(),
            blend_shapes: scene.blend_shapes.len(),
            blend_shape_targets: targets().count(),
            blend_shape_deltas: targets().map(|target| target.vertices.len()).sum(),
            board_controls: described.board_controls,
            raw_controls: attributes_of(scene, super::names::EXPRESSIONS),
            animated_maps: attributes_of(scene, super::names::MAP_MULTIPLIERS),
            curves: scene.curves.len(),
            rig_logic: scene.rig_logic.len(),
            display_layers: scene.display_layers.len(),
        }
    }

    /// Refuses a scene that lacks something of the files.
    pub(super) fn check(&self, described: &Described, parts: &[RigPart]) -> Result<(), Finding> {
        let expect = |what: &str, expected: usize, found: usize| {
            if expected == found {
                return Ok(());
            }
            let message = format!("the scene has another number of {what} than the files say");
            let remedy = "this is a fault of the program; please report it with the files";
            let finding = Finding::new("COUNT", Severity::Error, "scene", message, remedy);
            Err(finding.with_values(expected, found))
        };
        expect("joints", self.head_joints + self.body_joints - self.shared_joints, self.joints)?;
        let in_lods = described.meshes.iter().flatten().filter(|mesh| mesh.is_some()).count();
        expect("meshes", in_lods, self.meshes)?;
        expect("skin clusters", in_lods, self.skin_clusters)?;
        let driven = parts.iter().filter(|part| part.rig().is_some()).count();
        expect("RigLogic nodes", driven, self.rig_logic)
    }
}

fn attributes_of(scene: &RigScene, holder: &str) -> usize {
    let named = |name: &str| name.rsplit(':').next() == Some(holder);
    scene.transforms.iter().find(|node| named(&node.name)).map_or(0, |node| node.attributes.len())
}
