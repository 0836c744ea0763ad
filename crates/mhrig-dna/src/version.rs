//! Raising and lowering the version of a file (dna-format.md, section 8.2).

use crate::{Dna, FileVersion, Layer, LayerKind, RbfPoseControls};

/// What to do, when a version is lowered, with layers that a new file of that version would not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LaterLayers {
    /// Drop them. A 2.1 file cannot hold them in any case.
    #[default]
    Drop,
    /// Keep them, as the reference library does by default; readers go by the index, not by the version.
    Keep,
}

/// What [`Dna::set_version`] did.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct VersionChange {
    /// Version before.
    pub from: FileVersion,
    /// Version now.
    pub to: FileVersion,
    /// Names of index entries that were added, such as `rbfe`.
    pub added: Vec<String>,
    /// Content that the file had and has no more.
    pub lost: Vec<Lost>,
}

/// Content that a lower version has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The layer, such as `rbfb`, or the field, such as `dsce.faceWindingOrder`.
    pub name: String,
    /// What it held: `2 solvers, 5 poses`.
    pub content: String,
    /// Its size in the file.
    pub bytes: u64,
}

impl Dna {
    /// Makes this a file of version `to`. Index entries that the reference library adds to files of that version
    /// are added; RBF poses get the controls that a file without `rbfe` implies.
    pub fn set_version(&mut self, to: FileVersion, later: LaterLayers) -> VersionChange {
        let mut change = VersionChange { from: self.version, to, ..VersionChange::default() };
        if to.has_sections() {
            self.drop_layers(&mut change, |_| true);
        } else {
            if later == LaterLayers::Drop {
                self.drop_layers(&mut change, |since| since > to.version);
            }
            self.add_layers(to, &mut change);
        }
        let winding = &mut self.descriptor_ext.face_winding_order;
        if !to.has_face_winding() && *winding != 0 {
            let content = format!("face winding order {winding}");
            change.lost.push(Lost { name: "dsce.faceWindingOrder".to_owned(), content, bytes: 1 });
            *winding = 0;
        }
        self.version = to;
        change
    }

    /// Drops entries of layers that 2.1 files do not have and whose first version fits `is_dropped`. For a 2.1 file
    /// all entries go, since it has no index.
    fn drop_layers(&mut self, change: &mut VersionChange, is_dropped: impl Fn(u16) -> bool) {
        let to_sections = change.to.has_sections();
        for layer in std::mem::take(&mut self.layers) {
            let kind = LayerKind::ALL.into_iter().find(|kind| kind.id() == layer.id);
            // Nothing is known about the version of an unknown layer; it goes with the index only.
            let dropped = match kind {
                Some(kind) => kind.since() > 1 && is_dropped(kind.since()),
                None => to_sections,
            };
            let bytes = self.body_size(&layer);
            match layer.kind() {
                _ if !dropped && !to_sections => self.layers.push(layer),
                Some(kind) if dropped => {
                    if !self.is_layer_empty(kind) || !layer.surplus.is_empty() {
                        let content = self.layer_summary(kind);
                        change.lost.push(Lost { name: kind.name().to_owned(), content, bytes });
                    }
                    self.clear_layer(kind);
                }
                Some(kind) if layer.surplus.is_empty() => debug_assert_eq!(kind.since(), 1),
                Some(kind) => {
                    let bytes = layer.surplus.len() as u64;
                    let content = "bytes after the known fields".to_owned();
                    change.lost.push(Lost { name: kind.name().to_owned(), content, bytes });
                }
                None => {
                    let content = "a layer kept as bytes".to_owned();
                    change.lost.push(Lost { name: layer.name(), content, bytes });
                }
            }
        }
    }

    fn add_layers(&mut self, to: FileVersion, change: &mut VersionChange) {
        for kind in LayerKind::ALL {
            let expected = kind.is_certain() && kind.since() <= to.version;
            if !expected || self.layers.iter().any(|layer| layer.kind() == Some(kind)) {
                continue;
            }
            self.layers.push(Layer::typed(kind));
            change.added.push(kind.name().to_owned());
            if kind == LayerKind::RbfBehaviorExt {
                self.fill_pose_controls();
            }
        }
    }

    /// Writes down the controls that RBF poses have in a file without `rbfe`: each pose one of its own, behind the
    /// raw, corrective and machine-learned ones (dna-format.md, section 6.7). Does nothing where there are some.
    pub fn fill_pose_controls(&mut self) {
        if !self.rbf_behavior_ext.poses.is_empty() {
            return;
        }
        let first = self.definition.raw_control_names.len()
            + usize::from(self.behavior.controls.psd_count)
            + self.machine_learned_behavior.ml_control_names.len();
        let poses = &self.rbf_behavior.poses;
        self.rbf_behavior_ext.pose_control_names = poses.iter().map(|pose| pose.name.clone()).collect();
        self.rbf_behavior_ext.poses = (first..first + poses.len())
            .map(|control| RbfPoseControls {
                input_control_indices: Vec::new(),
                // More than 65536 controls cannot be addressed by anything in a file.
                output_control_indices: u16::try_from(control).into_iter().collect(),
                output_control_weights: u16::try_from(control).map(|_| 1.0).into_iter().collect(),
            })
            .collect();
    }

    /// The main counts of a layer: `2 solvers, 5 poses`.
    pub fn layer_summary(&self, kind: LayerKind) -> String {
        let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let definition = &self.definition;
        match kind {
            LayerKind::Descriptor => {
                format!(
                    "`{}`, {}",
                    self.descriptor.name,
                    count(usize::from(self.descriptor.lod_count), "LOD")
                )
            }
            LayerKind::Definition => {
                format!(
                    "{}, {}",
                    count(definition.joint_names.len(), "joint"),
                    count(definition.raw_control_names.len(), "raw control")
                )
            }
            LayerKind::Behavior => format!(
                "{}, {}",
                count(self.behavior.joints.joint_groups.len(), "joint group"),
                count(usize::from(self.behavior.controls.psd_count), "corrective")
            ),
            LayerKind::Geometry => {
                let targets = self.geometry.meshes.iter().map(|mesh| mesh.blend_shape_targets.len()).sum();
                let meshes = self.geometry.meshes.len();
                let meshes = if meshes == 1 { "1 mesh".to_owned() } else { format!("{meshes} meshes") };
                format!("{meshes}, {}", count(targets, "blend shape target"))
            }
            LayerKind::MachineLearnedBehavior => {
                count(self.machine_learned_behavior.neural_networks.len(), "neural network")
            }
            LayerKind::RbfBehavior => format!(
                "{}, {}",
                count(self.rbf_behavior.solvers.len(), "solver"),
                count(self.rbf_behavior.poses.len(), "pose")
            ),
            LayerKind::RbfBehaviorExt => {
                format!("controls of {}", count(self.rbf_behavior_ext.poses.len(), "pose"))
            }
            LayerKind::JointBehaviorMetadata => {
                let joints = self.joint_behavior_metadata.joint_representations.len();
                format!("representation of {}", count(joints, "joint"))
            }
            LayerKind::TwistSwingBehavior => format!(
                "{}, {}",
                count(self.twist_swing_behavior.twists.len(), "twist"),
                count(self.twist_swing_behavior.swings.len(), "swing")
            ),
            LayerKind::MachineLearnedBehaviorExt => {
                let operations =
                    self.machine_learned_behavior_ext.operations.operations.iter().map(Vec::len).sum();
                count(operations, "operation")
            }
            LayerKind::DescriptorExt => "rotation sequence and signs".to_owned(),
        }
    }
}
