//! How much of everything a file holds.

use crate::Dna;

/// What the values of joint groups are called.
pub(crate) const JOINT_VALUES: &str = "joint values";

/// One number of [`Dna::counts`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// What is counted, in the plural: `raw controls`.
    pub what: &'static str,
    /// Path of the list.
    pub path: &'static str,
    /// How many there are.
    pub count: usize,
}

impl Dna {
    /// The numbers that tell one rig definition from another, always the same kinds in the same order.
    pub fn counts(&self) -> Vec<Count> {
        let definition = &self.definition;
        let behavior = &self.behavior;
        let meshes = &self.geometry.meshes;
        let joint_values = behavior.joints.joint_groups.iter().map(|group| group.values.len()).sum();
        [
            ("LODs", "desc.lodCount", usize::from(self.descriptor.lod_count)),
            ("meshes", "defn.meshNames", definition.mesh_names.len()),
            ("joints", "defn.jointNames", definition.joint_names.len()),
            ("GUI controls", "defn.guiControlNames", definition.gui_control_names.len()),
            ("raw controls", "defn.rawControlNames", definition.raw_control_names.len()),
            ("correctives", "bhvr.controls.psdCount", usize::from(behavior.controls.psd_count)),
            ("corrective cells", "bhvr.controls.psds.rows", behavior.controls.psds.rows.len()),
            (
                "GUI rows",
                "bhvr.controls.conditionals.inputIndices",
                behavior.controls.conditionals.input_indices.len(),
            ),
            ("joint groups", "bhvr.joints.jointGroups", behavior.joints.joint_groups.len()),
            (JOINT_VALUES, "bhvr.joints.jointGroups", joint_values),
            (
                "blend shape channels",
                "defn.blendShapeChannelNames",
                definition.blend_shape_channel_names.len(),
            ),
            (
                "blend shape targets",
                "geom.meshes",
                meshes.iter().map(|mesh| mesh.blend_shape_targets.len()).sum(),
            ),
            ("animated maps", "defn.animatedMapNames", definition.animated_map_names.len()),
            ("vertices", "geom.meshes", meshes.iter().map(|mesh| mesh.positions.len()).sum()),
            ("faces", "geom.meshes", meshes.iter().map(|mesh| mesh.faces.len()).sum()),
            ("ML controls", "mlbh.mlControlNames", self.machine_learned_behavior.ml_control_names.len()),
            ("neural networks", "mlbh.neuralNetworks", self.machine_learned_behavior.neural_networks.len()),
            ("RBF solvers", "rbfb.solvers", self.rbf_behavior.solvers.len()),
            ("RBF poses", "rbfb.poses", self.rbf_behavior.poses.len()),
            ("twists", "twsw.twists", self.twist_swing_behavior.twists.len()),
            ("swings", "twsw.swings", self.twist_swing_behavior.swings.len()),
        ]
        .map(|(what, path, count)| Count { what, path, count })
        .to_vec()
    }
}
