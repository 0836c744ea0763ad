//! The fields of every layer in file order (dna-format.md, section 6).

use std::io;

use crate::json::{Json, JsonFault, JsonReader, JsonWriter, present, read_member, unknown_member};
use crate::record::record;
use crate::wire::{Fault, FaultKind, Reader, Sink, Source, Step, Wire, Writer};
use crate::*;

record!(CoordinateSystem { "xAxis" x_axis: u16, "yAxis" y_axis: u16, "zAxis" z_axis: u16 });
record!(Descriptor {
    "name" name: Text,
    "archetype" archetype: u16,
    "gender" gender: u16,
    "age" age: u16,
    "metadata" metadata: Vec<(Text, Text)>,
    "translationUnit" translation_unit: u16,
    "rotationUnit" rotation_unit: u16,
    "coordinateSystem" coordinate_system: CoordinateSystem,
    "lodCount" lod_count: u16,
    "maxLOD" max_lod: u16,
    "complexity" complexity: Text,
    "dbName" db_name: Text,
});

record!(LodMapping { "lods" lods: Vec<u16>, "indices" indices: Vec<Vec<u16>> });
record!(Vectors3 { "xs" xs: Vec<f32>, "ys" ys: Vec<f32>, "zs" zs: Vec<f32> });
record!(IndexPairs { "from" from: Vec<u16>, "to" to: Vec<u16> });
record!(Definition {
    "lodJointMapping" lod_joint_mapping: LodMapping,
    "lodBlendShapeMapping" lod_blend_shape_mapping: LodMapping,
    "lodAnimatedMapMapping" lod_animated_map_mapping: LodMapping,
    "lodMeshMapping" lod_mesh_mapping: LodMapping,
    "guiControlNames" gui_control_names: Vec<Text>,
    "rawControlNames" raw_control_names: Vec<Text>,
    "jointNames" joint_names: Vec<Text>,
    "blendShapeChannelNames" blend_shape_channel_names: Vec<Text>,
    "animatedMapNames" animated_map_names: Vec<Text>,
    "meshNames" mesh_names: Vec<Text>,
    "meshBlendShapeChannelMapping" mesh_blend_shape_channel_mapping: IndexPairs,
    "jointHierarchy" joint_hierarchy: Vec<u16>,
    "neutralJointTranslations" neutral_joint_translations: Vectors3,
    "neutralJointRotations" neutral_joint_rotations: Vectors3,
});

record!(ConditionalTable {
    "inputIndices" input_indices: Vec<u16>,
    "outputIndices" output_indices: Vec<u16>,
    "fromValues" from_values: Vec<f32>,
    "toValues" to_values: Vec<f32>,
    "slopeValues" slope_values: Vec<f32>,
    "cutValues" cut_values: Vec<f32>,
});
record!(PsdMatrix { "rows" rows: Vec<u16>, "columns" columns: Vec<u16>, "values" values: Vec<f32> });
record!(Controls { "psdCount" psd_count: u16, "conditionals" conditionals: ConditionalTable, "psds" psds: PsdMatrix });
record!(JointGroup {
    "lods" lods: Vec<u16>,
    "inputIndices" input_indices: Vec<u16>,
    "outputIndices" output_indices: Vec<u16>,
    "values" values: Vec<f32>,
    "jointIndices" joint_indices: Vec<u16>,
});
record!(Joints { "rowCount" row_count: u16, "colCount" col_count: u16, "jointGroups" joint_groups: Vec<JointGroup> });
record!(BlendShapeChannels {
    "lods" lods: Vec<u16>,
    "inputIndices" input_indices: Vec<u16>,
    "outputIndices" output_indices: Vec<u16>,
});
record!(AnimatedMaps { "lods" lods: Vec<u16>, "conditionals" conditionals: ConditionalTable });
record!(Behavior {
    "controls" controls: Controls,
    "joints" joints: Joints,
    "blendShapeChannels" blend_shape_channels: BlendShapeChannels,
    "animatedMaps" animated_maps: AnimatedMaps,
});

record!(TextureCoordinates { "us" us: Vec<f32>, "vs" vs: Vec<f32> });
record!(VertexLayouts {
    "positions" positions: Vec<u32>,
    "textureCoordinates" texture_coordinates: Vec<u32>,
    "normals" normals: Vec<u32>,
});
record!(VertexSkinWeights { "weights" weights: Vec<f32>, "jointIndices" joint_indices: Vec<u16> });
record!(BlendShapeTarget {
    "deltas" deltas: Vectors3,
    "vertexIndices" vertex_indices: Vec<u32>,
    "blendShapeChannelIndex" blend_shape_channel_index: u16,
});
/// Faces are objects in JSON.
mod faces {
    use super::*;

    const NAME: &str = "layoutIndices";

    pub(super) fn write_json<W: io::Write>(faces: &[Vec<u32>], writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.array(faces, |writer, face| {
            writer.object(|writer| writer.member(NAME, |writer| face.write_json(writer)))
        })
    }

    pub(super) fn read_json(reader: &mut JsonReader<'_>) -> Result<Vec<Vec<u32>>, JsonFault> {
        reader.array(|reader| {
            reader.peek();
            let start = reader.position();
            let mut face = None;
            reader.object(|reader, name| match name {
                b"layoutIndices" => read_member(reader, &mut face, NAME),
                _ => unknown_member(reader, name),
            })?;
            present(reader, start, face, NAME)
        })
    }
}

record!(mesh Mesh {
    "positions" positions: Vectors3,
    "textureCoordinates" texture_coordinates: TextureCoordinates,
    "normals" normals: Vectors3,
    "layouts" layouts: VertexLayouts,
    "faces" faces: Vec<Vec<u32>> as faces,
    "maximumInfluencePerVertex" maximum_influence_per_vertex: u16,
    "skinWeights" skin_weights: Vec<VertexSkinWeights>,
    "blendShapeTargets" blend_shape_targets: Vec<BlendShapeTarget>,
});
record!(Geometry { "meshes" meshes: Vec<Mesh> });

record!(MeshRegions { "regionNames" region_names: Vec<Vec<Text>>, "indices" indices: Vec<Vec<Vec<u16>>> });
record!(wire NeuralNetworkLayer {
    "biases" biases: Vec<f32>,
    "weights" weights: Vec<f32>,
    "activationFunction.functionId" activation_function: u16,
    "activationFunction.parameters" activation_parameters: Vec<f32>,
});
record!(sized NeuralNetwork {
    "outputIndices" output_indices: Vec<u16>,
    "inputIndices" input_indices: Vec<u16>,
    "layers" layers: Vec<NeuralNetworkLayer>,
});
record!(MachineLearnedBehavior {
    "mlControlNames" ml_control_names: Vec<Text>,
    "lodNeuralNetworkMapping" lod_neural_network_mapping: LodMapping,
    "neuralNetworkToMeshRegion" neural_network_to_mesh_region: MeshRegions,
    "neuralNetworks" neural_networks: Vec<NeuralNetwork>,
});

record!(sized RbfSolver {
    "name" name: Text,
    "rawControlIndices" raw_control_indices: Vec<u16>,
    "poseIndices" pose_indices: Vec<u16>,
    "rawControlValues" raw_control_values: Vec<f32>,
    "radius" radius: f32,
    "weightThreshold" weight_threshold: f32,
    "solverType" solver_type: u16,
    "automaticRadius" automatic_radius: u16,
    "distanceMethod" distance_method: u16,
    "normalizeMethod" normalize_method: u16,
    "functionType" function_type: u16,
    "twistAxis" twist_axis: u16,
});
record!(RbfPose { "name" name: Text, "scale" scale: f32 });
record!(RbfBehavior {
    "lodSolverMapping" lod_solver_mapping: LodMapping,
    "solvers" solvers: Vec<RbfSolver>,
    "poses" poses: Vec<RbfPose>,
});
record!(RbfPoseControls {
    "inputControlIndices" input_control_indices: Vec<u16>,
    "outputControlIndices" output_control_indices: Vec<u16>,
    "outputControlWeights" output_control_weights: Vec<f32>,
});
record!(RbfBehaviorExt { "poseControlNames" pose_control_names: Vec<Text>, "poses" poses: Vec<RbfPoseControls> });

record!(JointRepresentation { "translation" translation: u16, "rotation" rotation: u16, "scale" scale: u16 });
record!(JointBehaviorMetadata { "jointRepresentations" joint_representations: Vec<JointRepresentation> });

record!(MlOperation {
    "parameters" parameters: Vec<u32>,
    "mlOperationSetDependencyIndices" set_dependency_indices: Vec<u16>,
    "mlOperationDependencyIndices" operation_dependency_indices: Vec<u16>,
    "operationType" operation_type: u16,
});
record!(MlOperations {
    "lodMLOperationMappings" lod_operation_mappings: Vec<LodMapping>,
    "operations" operations: Vec<Vec<MlOperation>>,
});
record!(MlJoints {
    "parameterKeys" parameter_keys: Vec<u16>,
    "parameterValues" parameter_values: Vec<u16>,
    "inputIndices" input_indices: Vec<u16>,
    "outputIndices" output_indices: Vec<u16>,
});
record!(MachineLearnedBehaviorExt { "mlbTypeData" operations: MlOperations, "mlbJoints" joints: MlJoints });

record!(RotationSign { "x" x: i32, "y" y: i32, "z" z: i32 });

/// Layers of [`Dna`] that this crate reads into typed fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LayerKind {
    /// `desc`
    Descriptor,
    /// `defn`
    Definition,
    /// `bhvr`
    Behavior,
    /// `geom`
    Geometry,
    /// `mlbh`
    MachineLearnedBehavior,
    /// `rbfb`
    RbfBehavior,
    /// `rbfe`
    RbfBehaviorExt,
    /// `jbmd`
    JointBehaviorMetadata,
    /// `twsw`
    TwistSwingBehavior,
    /// `mlbe`
    MachineLearnedBehaviorExt,
    /// `dsce`
    DescriptorExt,
}

impl LayerKind {
    /// All of them, in the order of a new file.
    pub const ALL: [Self; 11] = [
        Self::Descriptor,
        Self::Definition,
        Self::Behavior,
        Self::Geometry,
        Self::MachineLearnedBehavior,
        Self::RbfBehavior,
        Self::RbfBehaviorExt,
        Self::JointBehaviorMetadata,
        Self::TwistSwingBehavior,
        Self::MachineLearnedBehaviorExt,
        Self::DescriptorExt,
    ];

    /// The four characters of the layer.
    pub const fn id(self) -> [u8; 4] {
        match self {
            Self::Descriptor => *b"desc",
            Self::Definition => *b"defn",
            Self::Behavior => *b"bhvr",
            Self::Geometry => *b"geom",
            Self::MachineLearnedBehavior => *b"mlbh",
            Self::RbfBehavior => *b"rbfb",
            Self::RbfBehaviorExt => *b"rbfe",
            Self::JointBehaviorMetadata => *b"jbmd",
            Self::TwistSwingBehavior => *b"twsw",
            Self::MachineLearnedBehaviorExt => *b"mlbe",
            Self::DescriptorExt => *b"dsce",
        }
    }

    /// The layer id as text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Descriptor => "desc",
            Self::Definition => "defn",
            Self::Behavior => "bhvr",
            Self::Geometry => "geom",
            Self::MachineLearnedBehavior => "mlbh",
            Self::RbfBehavior => "rbfb",
            Self::RbfBehaviorExt => "rbfe",
            Self::JointBehaviorMetadata => "jbmd",
            Self::TwistSwingBehavior => "twsw",
            Self::MachineLearnedBehaviorExt => "mlbe",
            Self::DescriptorExt => "dsce",
        }
    }

    /// Layer version, major and minor, of the known form. For `mlbe` and `dsce` it is a guess, and any version
    /// is read when the body has exactly the known form.
    pub const fn layer_version(self) -> (u16, u16) {
        match self {
            Self::Descriptor | Self::Definition | Self::Behavior | Self::Geometry => (1, 1),
            _ => (1, 0),
        }
    }

    /// File version (of generation 2) that introduced the layer; the first four are in 2.1 files as sections.
    pub const fn since(self) -> u16 {
        match self {
            Self::Descriptor | Self::Definition | Self::Behavior | Self::Geometry => 1,
            Self::MachineLearnedBehavior => 3,
            Self::RbfBehavior | Self::JointBehaviorMetadata | Self::TwistSwingBehavior => 4,
            Self::RbfBehaviorExt => 5,
            Self::MachineLearnedBehaviorExt => 6,
            Self::DescriptorExt => 7,
        }
    }

    /// Whether the form of the layer is known well enough to write entries of it into files that had none.
    pub(crate) const fn is_certain(self) -> bool {
        !matches!(self, Self::MachineLearnedBehaviorExt | Self::DescriptorExt)
    }

    /// The kind of an index entry, if known.
    pub fn of(id: [u8; 4], major: u16, minor: u16) -> Option<Self> {
        let kind = Self::ALL.into_iter().find(|kind| kind.id() == id)?;
        (!kind.is_certain() || kind.layer_version() == (major, minor)).then_some(kind)
    }
}

impl Dna {
    /// Whether the typed content of a layer is all empty (and zero).
    pub fn is_layer_empty(&self, kind: LayerKind) -> bool {
        fn is_default<T: Default + PartialEq>(value: &T) -> bool {
            *value == T::default()
        }
        match kind {
            LayerKind::Descriptor => is_default(&self.descriptor),
            LayerKind::Definition => is_default(&self.definition),
            LayerKind::Behavior => is_default(&self.behavior),
            LayerKind::Geometry => is_default(&self.geometry),
            LayerKind::MachineLearnedBehavior => is_default(&self.machine_learned_behavior),
            LayerKind::RbfBehavior => is_default(&self.rbf_behavior),
            LayerKind::RbfBehaviorExt => is_default(&self.rbf_behavior_ext),
            LayerKind::JointBehaviorMetadata => is_default(&self.joint_behavior_metadata),
            LayerKind::TwistSwingBehavior => is_default(&self.twist_swing_behavior),
            LayerKind::MachineLearnedBehaviorExt => is_default(&self.machine_learned_behavior_ext),
            LayerKind::DescriptorExt => is_default(&self.descriptor_ext),
        }
    }

    /// Empties the typed content of a layer; its index entry stays.
    pub fn clear_layer(&mut self, kind: LayerKind) {
        match kind {
            LayerKind::Descriptor => self.descriptor = Default::default(),
            LayerKind::Definition => self.definition = Default::default(),
            LayerKind::Behavior => self.behavior = Default::default(),
            LayerKind::Geometry => self.geometry = Default::default(),
            LayerKind::MachineLearnedBehavior => self.machine_learned_behavior = Default::default(),
            LayerKind::RbfBehavior => self.rbf_behavior = Default::default(),
            LayerKind::RbfBehaviorExt => self.rbf_behavior_ext = Default::default(),
            LayerKind::JointBehaviorMetadata => self.joint_behavior_metadata = Default::default(),
            LayerKind::TwistSwingBehavior => self.twist_swing_behavior = Default::default(),
            LayerKind::MachineLearnedBehaviorExt => self.machine_learned_behavior_ext = Default::default(),
            LayerKind::DescriptorExt => self.descriptor_ext = Default::default(),
        }
    }

    /// Bytes of the body of a layer in a file of this version.
    pub(crate) fn layer_size(&self, kind: LayerKind) -> u64 {
        match kind {
            LayerKind::Descriptor => self.descriptor.size(),
            LayerKind::Definition => self.definition.size(),
            LayerKind::Behavior => self.behavior.size(),
            LayerKind::Geometry => self.geometry.size(),
            LayerKind::MachineLearnedBehavior => self.machine_learned_behavior.size(),
            LayerKind::RbfBehavior => self.rbf_behavior.size(),
            LayerKind::RbfBehaviorExt => self.rbf_behavior_ext.size(),
            LayerKind::JointBehaviorMetadata => self.joint_behavior_metadata.size(),
            LayerKind::TwistSwingBehavior => self.twist_swing_behavior.size(),
            LayerKind::MachineLearnedBehaviorExt => self.machine_learned_behavior_ext.size(),
            LayerKind::DescriptorExt => DescriptorExt::size(self.version),
        }
    }

    pub(crate) fn read_layer<S: Source>(
        &mut self,
        kind: LayerKind,
        reader: &mut Reader<S>,
    ) -> Result<(), Fault> {
        fn into<T: Wire, S: Source>(field: &mut T, reader: &mut Reader<S>) -> Result<(), Fault> {
            *field = T::read(reader)?;
            Ok(())
        }
        match kind {
            LayerKind::Descriptor => {
                into(&mut self.descriptor, reader).and_then(|()| self.check_lod_count(reader))
            }
            LayerKind::Definition => into(&mut self.definition, reader),
            LayerKind::Behavior => into(&mut self.behavior, reader),
            LayerKind::Geometry => into(&mut self.geometry, reader),
            LayerKind::MachineLearnedBehavior => into(&mut self.machine_learned_behavior, reader),
            LayerKind::RbfBehavior => into(&mut self.rbf_behavior, reader),
            LayerKind::RbfBehaviorExt => into(&mut self.rbf_behavior_ext, reader),
            LayerKind::JointBehaviorMetadata => into(&mut self.joint_behavior_metadata, reader),
            LayerKind::TwistSwingBehavior => into(&mut self.twist_swing_behavior, reader),
            LayerKind::MachineLearnedBehaviorExt => into(&mut self.machine_learned_behavior_ext, reader),
            LayerKind::DescriptorExt => {
                self.descriptor_ext = DescriptorExt::read(reader)?;
                Ok(())
            }
        }
    }

    /// Leaves a reader at the start of a layer at the value that `path` leads to.
    pub(crate) fn locate_in_layer<S: Source>(
        kind: LayerKind,
        reader: &mut Reader<S>,
        path: &[Step<'_>],
    ) -> Result<(), Fault> {
        match kind {
            LayerKind::Descriptor => Descriptor::locate(reader, path),
            LayerKind::Definition => Definition::locate(reader, path),
            LayerKind::Behavior => Behavior::locate(reader, path),
            LayerKind::Geometry => Geometry::locate(reader, path),
            LayerKind::MachineLearnedBehavior => MachineLearnedBehavior::locate(reader, path),
            LayerKind::RbfBehavior => RbfBehavior::locate(reader, path),
            LayerKind::RbfBehaviorExt => RbfBehaviorExt::locate(reader, path),
            LayerKind::JointBehaviorMetadata => JointBehaviorMetadata::locate(reader, path),
            LayerKind::TwistSwingBehavior => TwistSwingBehavior::locate(reader, path),
            LayerKind::MachineLearnedBehaviorExt => MachineLearnedBehaviorExt::locate(reader, path),
            // Holds no index.
            LayerKind::DescriptorExt => Ok(()),
        }
    }

    pub(crate) fn write_layer<K: Sink>(&self, kind: LayerKind, writer: &mut Writer<K>) -> io::Result<()> {
        match kind {
            LayerKind::Descriptor => self.descriptor.write(writer),
            LayerKind::Definition => self.definition.write(writer),
            LayerKind::Behavior => self.behavior.write(writer),
            LayerKind::Geometry => self.geometry.write(writer),
            LayerKind::MachineLearnedBehavior => self.machine_learned_behavior.write(writer),
            LayerKind::RbfBehavior => self.rbf_behavior.write(writer),
            LayerKind::RbfBehaviorExt => self.rbf_behavior_ext.write(writer),
            LayerKind::JointBehaviorMetadata => self.joint_behavior_metadata.write(writer),
            LayerKind::TwistSwingBehavior => self.twist_swing_behavior.write(writer),
            LayerKind::MachineLearnedBehaviorExt => self.machine_learned_behavior_ext.write(writer),
            LayerKind::DescriptorExt => self.descriptor_ext.write(writer),
        }
    }

    /// Called with `reader` right behind the descriptor.
    fn check_lod_count<S: Source>(&self, reader: &Reader<S>) -> Result<(), Fault> {
        let found = self.descriptor.lod_count;
        if found <= MAX_LOD_COUNT {
            return Ok(());
        }
        // lodCount, maxLOD, complexity, dbName end the layer.
        let behind = 4 + self.descriptor.complexity.size() + self.descriptor.db_name.size();
        let offset = reader.position().saturating_sub(behind);
        Err(Fault::new(FaultKind::LodCount { found }, offset).in_field("lodCount"))
    }
}

/// Most LODs that the format allows.
pub const MAX_LOD_COUNT: u16 = 33;

impl DescriptorExt {
    fn size(version: FileVersion) -> u64 {
        if version.has_face_winding() { 17 } else { 16 }
    }

    fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault> {
        let rotation_sequence = i32::read(reader).map_err(|fault| fault.in_field("rotationSequence"))?;
        let rotation_sign = RotationSign::read(reader).map_err(|fault| fault.in_field("rotationSign"))?;
        let face_winding_order = if reader.version.has_face_winding() {
            u8::read(reader).map_err(|fault| fault.in_field("faceWindingOrder"))?
        } else {
            0
        };
        Ok(Self { rotation_sequence, rotation_sign, face_winding_order })
    }

    fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        self.rotation_sequence.write(writer)?;
        self.rotation_sign.write(writer)?;
        if writer.version.has_face_winding() {
            self.face_winding_order.write(writer)?;
        }
        Ok(())
    }
}

/// The activation function is an object of its own in JSON.
impl Json for NeuralNetworkLayer {
    fn write_json<W: io::Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.object(|writer| {
            writer.member("biases", |writer| self.biases.write_json(writer))?;
            writer.member("weights", |writer| self.weights.write_json(writer))?;
            writer.member("activationFunction", |writer| {
                writer.object(|writer| {
                    writer.member("functionId", |writer| self.activation_function.write_json(writer))?;
                    writer.member("parameters", |writer| self.activation_parameters.write_json(writer))
                })
            })
        })
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.peek();
        let start = reader.position();
        let (mut biases, mut weights, mut function, mut parameters) = (None, None, None, None);
        reader.object(|reader, name| match name {
            b"biases" => read_member(reader, &mut biases, "biases"),
            b"weights" => read_member(reader, &mut weights, "weights"),
            b"activationFunction" => reader
                .object(|reader, name| match name {
                    b"functionId" => read_member(reader, &mut function, "functionId"),
                    b"parameters" => read_member(reader, &mut parameters, "parameters"),
                    _ => unknown_member(reader, name),
                })
                .map_err(|fault| fault.in_field("activationFunction")),
            _ => unknown_member(reader, name),
        })?;
        Ok(Self {
            biases: present(reader, start, biases, "biases")?,
            weights: present(reader, start, weights, "weights")?,
            activation_function: present(reader, start, function, "functionId")?,
            activation_parameters: present(reader, start, parameters, "parameters")?,
        })
    }
}

impl Json for DescriptorExt {
    fn write_json<W: io::Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.object(|writer| {
            writer.member("rotationSequence", |writer| self.rotation_sequence.write_json(writer))?;
            writer.member("rotationSign", |writer| self.rotation_sign.write_json(writer))?;
            writer.member("faceWindingOrder", |writer| self.face_winding_order.write_json(writer))
        })
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.peek();
        let start = reader.position();
        let (mut sequence, mut sign, mut winding) = (None, None, None);
        reader.object(|reader, name| match name {
            b"rotationSequence" => read_member(reader, &mut sequence, "rotationSequence"),
            b"rotationSign" => read_member(reader, &mut sign, "rotationSign"),
            b"faceWindingOrder" => read_member(reader, &mut winding, "faceWindingOrder"),
            _ => unknown_member(reader, name),
        })?;
        Ok(Self {
            rotation_sequence: present(reader, start, sequence, "rotationSequence")?,
            rotation_sign: present(reader, start, sign, "rotationSign")?,
            // 2.7 files do not have it.
            face_winding_order: winding.unwrap_or(0),
        })
    }
}

impl Dna {
    pub(crate) fn write_layer_json<W: io::Write>(
        &self,
        kind: LayerKind,
        writer: &mut JsonWriter<W>,
    ) -> io::Result<()> {
        match kind {
            LayerKind::Descriptor => self.descriptor.write_json(writer),
            LayerKind::Definition => self.definition.write_json(writer),
            LayerKind::Behavior => self.behavior.write_json(writer),
            LayerKind::Geometry => self.geometry.write_json(writer),
            LayerKind::MachineLearnedBehavior => self.machine_learned_behavior.write_json(writer),
            LayerKind::RbfBehavior => self.rbf_behavior.write_json(writer),
            LayerKind::RbfBehaviorExt => self.rbf_behavior_ext.write_json(writer),
            LayerKind::JointBehaviorMetadata => self.joint_behavior_metadata.write_json(writer),
            LayerKind::TwistSwingBehavior => self.twist_swing_behavior.write_json(writer),
            LayerKind::MachineLearnedBehaviorExt => self.machine_learned_behavior_ext.write_json(writer),
            LayerKind::DescriptorExt => self.descriptor_ext.write_json(writer),
        }
    }

    pub(crate) fn read_layer_json(
        &mut self,
        kind: LayerKind,
        reader: &mut JsonReader<'_>,
    ) -> Result<(), JsonFault> {
        fn into<T: Json>(field: &mut T, reader: &mut JsonReader<'_>) -> Result<(), JsonFault> {
            *field = T::read_json(reader)?;
            Ok(())
        }
        let result = match kind {
            LayerKind::Descriptor => into(&mut self.descriptor, reader),
            LayerKind::Definition => into(&mut self.definition, reader),
            LayerKind::Behavior => into(&mut self.behavior, reader),
            LayerKind::Geometry => into(&mut self.geometry, reader),
            LayerKind::MachineLearnedBehavior => into(&mut self.machine_learned_behavior, reader),
            LayerKind::RbfBehavior => into(&mut self.rbf_behavior, reader),
            LayerKind::RbfBehaviorExt => into(&mut self.rbf_behavior_ext, reader),
            LayerKind::JointBehaviorMetadata => into(&mut self.joint_behavior_metadata, reader),
            LayerKind::TwistSwingBehavior => into(&mut self.twist_swing_behavior, reader),
            LayerKind::MachineLearnedBehaviorExt => into(&mut self.machine_learned_behavior_ext, reader),
            LayerKind::DescriptorExt => into(&mut self.descriptor_ext, reader),
        };
        result.map_err(|fault| fault.in_field(kind.name()))
    }
}
