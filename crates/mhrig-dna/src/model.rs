use std::fmt;

use crate::{LayerKind, Text};

/// A whole DNA file.
///
/// Enumerations are kept as the `u16` of the file, since values outside the known range have to survive; the
/// modules of constants ([`translation_unit`], [`rotation_unit`], …) name the known ones.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Dna {
    /// File version.
    pub version: FileVersion,
    /// Layers in the order of the file's index (2.2 and later). Empty for 2.1, which has four fixed sections.
    pub layers: Vec<Layer>,
    /// `desc`: who this is, units, axes, LOD count.
    pub descriptor: Descriptor,
    /// `defn`: names, hierarchy, LOD membership, neutral joints.
    pub definition: Definition,
    /// `bhvr`: what controls do.
    pub behavior: Behavior,
    /// `geom`: meshes, skin weights, blend shape targets.
    pub geometry: Geometry,
    /// `mlbh`: neural networks.
    pub machine_learned_behavior: MachineLearnedBehavior,
    /// `rbfb`: RBF solvers and poses.
    pub rbf_behavior: RbfBehavior,
    /// `rbfe`: controls of RBF poses.
    pub rbf_behavior_ext: RbfBehaviorExt,
    /// `jbmd`: how joint outputs are represented.
    pub joint_behavior_metadata: JointBehaviorMetadata,
    /// `twsw`: twist and swing setups.
    pub twist_swing_behavior: TwistSwingBehavior,
    /// `mlbe`: operations between networks, and joints that networks drive.
    pub machine_learned_behavior_ext: MachineLearnedBehaviorExt,
    /// `dsce`: rotation sequence, signs and face winding.
    pub descriptor_ext: DescriptorExt,
}

impl Dna {
    /// An empty file of `version`, with an entry for each layer that the reference library writes into a new
    /// file of that version, in its order: `desc defn bhvr geom mlbh rbfb rbfe jbmd twsw`.
    ///
    /// Entries for `mlbe` (2.6) and `dsce` (2.7) are not made: a file may lack any layer, and their place in the
    /// order is not known. [`Dna::ensure_layer`] adds them.
    pub fn new(version: FileVersion) -> Self {
        let mut dna = Self { version, ..Self::default() };
        if !version.has_sections() {
            let kinds = LayerKind::ALL
                .into_iter()
                .filter(|kind| kind.is_certain() && kind.since() <= version.version);
            dna.layers = kinds.map(Layer::typed).collect();
        }
        dna
    }

    /// Appends an index entry for `kind` unless there is one. A 2.1 file has no index and stays as it is.
    pub fn ensure_layer(&mut self, kind: LayerKind) {
        let has_it = self.layers.iter().any(|layer| layer.kind() == Some(kind));
        if !has_it && !self.version.has_sections() {
            self.layers.push(Layer::typed(kind));
        }
    }
}

/// File version: generation (2) and version (1 to 8 are known).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileVersion {
    /// Generation, 2 in all known files.
    pub generation: u16,
    /// Version within the generation.
    pub version: u16,
}

impl FileVersion {
    /// The last version of generation 2 that this crate knows all layers of.
    pub const NEWEST: Self = Self::new(8);

    /// Version `version` of generation 2.
    pub const fn new(version: u16) -> Self {
        Self { generation: 2, version }
    }

    /// Whether the file has fixed sections instead of an index of layers: 2.1 alone.
    pub const fn has_sections(self) -> bool {
        self.generation == 2 && self.version == 1
    }

    /// Whether `dsce` ends with the face winding order.
    pub(crate) const fn has_face_winding(self) -> bool {
        self.version >= 8
    }

    /// Whether this crate knows all layers of the version: 2.1 to 2.8.
    pub const fn is_known(self) -> bool {
        self.generation == 2 && 1 <= self.version && self.version <= Self::NEWEST.version
    }
}

impl Default for FileVersion {
    fn default() -> Self {
        Self::new(5)
    }
}

impl fmt::Display for FileVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.generation, self.version)
    }
}

/// One entry of the layer index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Four characters such as `desc`.
    pub id: [u8; 4],
    /// Layer version, major.
    pub major: u16,
    /// Layer version, minor.
    pub minor: u16,
    /// Where the content is.
    pub content: LayerContent,
    /// Bytes of the body after the known fields of a typed layer, kept as they are.
    pub surplus: Vec<u8>,
}

impl Layer {
    /// An entry for the typed layer `kind`.
    pub fn typed(kind: LayerKind) -> Self {
        let (major, minor) = kind.layer_version();
        Self { id: kind.id(), major, minor, content: LayerContent::Typed, surplus: Vec::new() }
    }

    /// An entry for a layer kept as bytes.
    pub fn raw(id: [u8; 4], major: u16, minor: u16, bytes: Vec<u8>) -> Self {
        Self { id, major, minor, content: LayerContent::Raw(bytes), surplus: Vec::new() }
    }

    /// Which typed layer this is; `None` for one kept as bytes.
    pub fn kind(&self) -> Option<LayerKind> {
        match self.content {
            LayerContent::Typed => LayerKind::of(self.id, self.major, self.minor),
            LayerContent::Raw(_) => None,
        }
    }

    /// Id and version as in the JSON form: `geom1.1`.
    pub fn name(&self) -> String {
        let id: String = self.id.iter().copied().map(char::from).collect();
        format!("{id}{}.{}", self.major, self.minor)
    }
}

/// Where the content of a [`Layer`] is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerContent {
    /// In the typed field of [`Dna`] that belongs to the layer id.
    Typed,
    /// Here, as the bytes of the file: a layer or layer version that this crate does not know.
    Raw(Vec<u8>),
}

/// Values of [`Descriptor::translation_unit`].
pub mod translation_unit {
    /// Centimetres.
    pub const CM: u16 = 0;
    /// Metres.
    pub const M: u16 = 1;
}

/// Values of [`Descriptor::rotation_unit`].
pub mod rotation_unit {
    /// Degrees.
    pub const DEGREES: u16 = 0;
    /// Radians.
    pub const RADIANS: u16 = 1;
}

/// Values of [`CoordinateSystem`]'s axes.
pub mod direction {
    /// Character's left.
    pub const LEFT: u16 = 0;
    /// Character's right.
    pub const RIGHT: u16 = 1;
    /// Up.
    pub const UP: u16 = 2;
    /// Down.
    pub const DOWN: u16 = 3;
    /// Front.
    pub const FRONT: u16 = 4;
    /// Back.
    pub const BACK: u16 = 5;
}

/// Directions of the three axes, see [`direction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct CoordinateSystem {
    pub x_axis: u16,
    pub y_axis: u16,
    pub z_axis: u16,
}

/// Layer `desc`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Descriptor {
    /// Character name; not reliable in files as they come.
    pub name: Text,
    /// 0 asian, 1 black, 2 caucasian, 3 hispanic, 4 alien, 5 other.
    pub archetype: u16,
    /// 0 male, 1 female, 2 other.
    pub gender: u16,
    /// Age in years.
    pub age: u16,
    /// Key and value pairs in file order.
    pub metadata: Vec<(Text, Text)>,
    /// Unit of translations and positions, see [`translation_unit`].
    pub translation_unit: u16,
    /// Unit of rotations, see [`rotation_unit`].
    pub rotation_unit: u16,
    /// Directions of the axes.
    pub coordinate_system: CoordinateSystem,
    /// Number of LODs, at most 33.
    pub lod_count: u16,
    /// Number, in the source database, of this file's LOD 0.
    pub max_lod: u16,
    /// Name of the control interface.
    pub complexity: Text,
    /// Rig definition, such as `MH.6`.
    pub db_name: Text,
}

/// Which items belong to which LOD: `lods[l]` is the row of `indices` with the members of LOD `l`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LodMapping {
    /// Row of `indices` per LOD; a LOD beyond its end is empty.
    pub lods: Vec<u16>,
    /// Rows of item numbers; several LODs may name one row.
    pub indices: Vec<Vec<u16>>,
}

impl LodMapping {
    /// The members of LOD `lod`; empty where the LOD or its row does not exist.
    pub fn members(&self, lod: usize) -> &[u16] {
        let row = self.lods.get(lod).and_then(|&row| self.indices.get(usize::from(row)));
        row.map_or(&[], Vec::as_slice)
    }
}

/// Three parallel arrays of coordinates.
#[derive(Clone, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct Vectors3 {
    pub xs: Vec<f32>,
    pub ys: Vec<f32>,
    pub zs: Vec<f32>,
}

impl Vectors3 {
    /// The arrays of `vectors`.
    pub fn from_vectors(vectors: &[[f32; 3]]) -> Self {
        Self {
            xs: vectors.iter().map(|v| v[0]).collect(),
            ys: vectors.iter().map(|v| v[1]).collect(),
            zs: vectors.iter().map(|v| v[2]).collect(),
        }
    }

    /// Number of whole vectors: the shortest of the three lengths.
    pub fn len(&self) -> usize {
        self.xs.len().min(self.ys.len()).min(self.zs.len())
    }

    /// Whether there is no whole vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Vector `index`, if all three arrays have it.
    pub fn get(&self, index: usize) -> Option<[f32; 3]> {
        Some([*self.xs.get(index)?, *self.ys.get(index)?, *self.zs.get(index)?])
    }

    /// The whole vectors in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [f32; 3]> + '_ {
        let rest = self.ys.iter().zip(&self.zs);
        self.xs.iter().zip(rest).map(|(&x, (&y, &z))| [x, y, z])
    }

    /// The whole vectors as one list.
    pub fn to_vectors(&self) -> Vec<[f32; 3]> {
        self.iter().collect()
    }
}

/// Pairs of numbers as two arrays of equal length.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct IndexPairs {
    pub from: Vec<u16>,
    pub to: Vec<u16>,
}

/// Layer `defn`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definition {
    /// Joints per LOD.
    pub lod_joint_mapping: LodMapping,
    /// Blend shape channels per LOD.
    pub lod_blend_shape_mapping: LodMapping,
    /// Animated maps per LOD.
    pub lod_animated_map_mapping: LodMapping,
    /// Meshes per LOD.
    pub lod_mesh_mapping: LodMapping,
    /// Names of GUI controls.
    pub gui_control_names: Vec<Text>,
    /// Names of raw controls.
    pub raw_control_names: Vec<Text>,
    /// Names of joints.
    pub joint_names: Vec<Text>,
    /// Names of blend shape channels.
    pub blend_shape_channel_names: Vec<Text>,
    /// Names of animated maps.
    pub animated_map_names: Vec<Text>,
    /// Names of meshes.
    pub mesh_names: Vec<Text>,
    /// Mesh number (`from`) and blend shape channel (`to`) of each target.
    pub mesh_blend_shape_channel_mapping: IndexPairs,
    /// Parent of each joint; a root names itself.
    pub joint_hierarchy: Vec<u16>,
    /// Local translation of each joint in the neutral pose, in the file's translation unit.
    pub neutral_joint_translations: Vectors3,
    /// Local rotation of each joint in the neutral pose: angles about x, y, z, in the file's rotation unit.
    pub neutral_joint_rotations: Vectors3,
}

/// Rows `output += slope · input + cut` for `from ≤ input ≤ to`, as six parallel arrays.
#[derive(Clone, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct ConditionalTable {
    pub input_indices: Vec<u16>,
    pub output_indices: Vec<u16>,
    pub from_values: Vec<f32>,
    pub to_values: Vec<f32>,
    pub slope_values: Vec<f32>,
    pub cut_values: Vec<f32>,
}

/// Cells of the corrective (PSD) matrix, as three parallel arrays.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PsdMatrix {
    /// The corrective's own number in the control space.
    pub rows: Vec<u16>,
    /// Input control.
    pub columns: Vec<u16>,
    /// Weight of the cell.
    pub values: Vec<f32>,
}

/// Layer `bhvr`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Behavior {
    /// GUI to raw controls, and correctives.
    pub controls: Controls,
    /// Joint deltas.
    pub joints: Joints,
    /// Blend shape channels and the controls that drive them.
    pub blend_shape_channels: BlendShapeChannels,
    /// Animated maps and the controls that drive them.
    pub animated_maps: AnimatedMaps,
}

/// The controls part of [`Behavior`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Controls {
    /// Number of correctives.
    pub psd_count: u16,
    /// GUI control (input) to raw control (output).
    pub conditionals: ConditionalTable,
    /// The correctives.
    pub psds: PsdMatrix,
}

/// The joints part of [`Behavior`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Joints {
    /// 9 × number of joints.
    pub row_count: u16,
    /// Number of input controls.
    pub col_count: u16,
    /// Blocks of the joint matrix.
    pub joint_groups: Vec<JointGroup>,
}

/// One block of the joint matrix.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct JointGroup {
    /// Number of leading rows in use, per LOD.
    pub lods: Vec<u16>,
    /// Control of each column.
    pub input_indices: Vec<u16>,
    /// Joint × 9 + attribute of each row; attributes are tx ty tz rx ry rz sx sy sz.
    pub output_indices: Vec<u16>,
    /// `output_indices.len() × input_indices.len()` deltas, row after row.
    pub values: Vec<f32>,
    /// Joints that this group writes.
    pub joint_indices: Vec<u16>,
}

/// The blend shape part of [`Behavior`].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BlendShapeChannels {
    /// Number of leading rows in use, per LOD.
    pub lods: Vec<u16>,
    /// Control of each row.
    pub input_indices: Vec<u16>,
    /// Blend shape channel of each row.
    pub output_indices: Vec<u16>,
}

/// The animated map part of [`Behavior`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AnimatedMaps {
    /// Number of leading rows in use, per LOD.
    pub lods: Vec<u16>,
    /// Control (input) to animated map (output).
    pub conditionals: ConditionalTable,
}

/// Layer `geom`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Geometry {
    /// One per mesh name.
    pub meshes: Vec<Mesh>,
}

/// Position, texture coordinate and normal of each layout: three parallel arrays of indices.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct VertexLayouts {
    pub positions: Vec<u32>,
    pub texture_coordinates: Vec<u32>,
    pub normals: Vec<u32>,
}

/// Texture coordinates as two parallel arrays.
#[derive(Clone, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct TextureCoordinates {
    pub us: Vec<f32>,
    pub vs: Vec<f32>,
}

/// One mesh of [`Geometry`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mesh {
    /// Neutral vertex positions.
    pub positions: Vectors3,
    /// Texture coordinates.
    pub texture_coordinates: TextureCoordinates,
    /// Normals.
    pub normals: Vectors3,
    /// What face corners point to.
    pub layouts: VertexLayouts,
    /// Per face, its corners as numbers of layouts.
    pub faces: Vec<Vec<u32>>,
    /// Cap of influences per vertex.
    pub maximum_influence_per_vertex: u16,
    /// One record per position.
    pub skin_weights: Vec<VertexSkinWeights>,
    /// Blend shape targets.
    pub blend_shape_targets: Vec<BlendShapeTarget>,
}

/// Influences of one vertex.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct VertexSkinWeights {
    /// Weight of each influence.
    pub weights: Vec<f32>,
    /// Joint of each influence.
    pub joint_indices: Vec<u16>,
}

/// A sparse shape.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BlendShapeTarget {
    /// One delta per entry of `vertex_indices`.
    pub deltas: Vectors3,
    /// Vertices that move.
    pub vertex_indices: Vec<u32>,
    /// Channel that drives this target.
    pub blend_shape_channel_index: u16,
}

/// Layer `mlbh`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MachineLearnedBehavior {
    /// Names of the controls that networks write.
    pub ml_control_names: Vec<Text>,
    /// Networks per LOD.
    pub lod_neural_network_mapping: LodMapping,
    /// Regions and their networks, per mesh.
    pub neural_network_to_mesh_region: MeshRegions,
    /// The networks.
    pub neural_networks: Vec<NeuralNetwork>,
}

/// Regions of meshes that networks work on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MeshRegions {
    /// Region names, per mesh.
    pub region_names: Vec<Vec<Text>>,
    /// Network numbers, per mesh and region.
    pub indices: Vec<Vec<Vec<u16>>>,
}

/// One network.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NeuralNetwork {
    /// Controls that it writes.
    pub output_indices: Vec<u16>,
    /// Controls that it reads.
    pub input_indices: Vec<u16>,
    /// Its layers from input to output.
    pub layers: Vec<NeuralNetworkLayer>,
}

/// One layer of a [`NeuralNetwork`].
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NeuralNetworkLayer {
    /// One per unit.
    pub biases: Vec<f32>,
    /// One row per unit.
    pub weights: Vec<f32>,
    /// 0 linear, 1 relu, 2 leaky relu, 3 tanh, 4 sigmoid.
    pub activation_function: u16,
    /// Parameters of the activation function.
    pub activation_parameters: Vec<f32>,
}

/// Layer `rbfb`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RbfBehavior {
    /// Solvers per LOD.
    pub lod_solver_mapping: LodMapping,
    /// The solvers.
    pub solvers: Vec<RbfSolver>,
    /// The poses.
    pub poses: Vec<RbfPose>,
}

/// One RBF solver.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RbfSolver {
    /// Name.
    pub name: Text,
    /// Raw controls that it reads.
    pub raw_control_indices: Vec<u16>,
    /// Poses that it weighs.
    pub pose_indices: Vec<u16>,
    /// `pose_indices.len() × raw_control_indices.len()` control values, pose after pose.
    pub raw_control_values: Vec<f32>,
    /// Radius.
    pub radius: f32,
    /// Weights below are cut.
    pub weight_threshold: f32,
    /// 0 additive, 1 interpolative.
    pub solver_type: u16,
    /// 0 on, 1 off.
    pub automatic_radius: u16,
    /// 0 euclidean, 1 quaternion, 2 swing angle, 3 twist angle.
    pub distance_method: u16,
    /// 0 only above one, 1 always.
    pub normalize_method: u16,
    /// 0 gaussian, 1 exponential, 2 linear, 3 cubic, 4 quintic.
    pub function_type: u16,
    /// 0 X, 1 Y, 2 Z.
    pub twist_axis: u16,
}

/// One RBF pose.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RbfPose {
    /// Name.
    pub name: Text,
    /// Scale.
    pub scale: f32,
}

/// Layer `rbfe`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RbfBehaviorExt {
    /// Names of pose controls.
    pub pose_control_names: Vec<Text>,
    /// Parallel to [`RbfBehavior::poses`].
    pub poses: Vec<RbfPoseControls>,
}

/// Controls of one RBF pose.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RbfPoseControls {
    /// Controls whose product scales the pose's weight.
    pub input_control_indices: Vec<u16>,
    /// Controls that the pose writes.
    pub output_control_indices: Vec<u16>,
    /// Weight of each written control.
    pub output_control_weights: Vec<f32>,
}

/// Layer `jbmd`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JointBehaviorMetadata {
    /// One per joint; an empty list means all defaults.
    pub joint_representations: Vec<JointRepresentation>,
}

/// How the outputs of one joint are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct JointRepresentation {
    /// 0 vector.
    pub translation: u16,
    /// 0 Euler angles, 1 quaternion.
    pub rotation: u16,
    /// 0 vector.
    pub scale: u16,
}

/// Layer `twsw`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TwistSwingBehavior {
    /// Twist setups.
    pub twists: Vec<TwistSwing>,
    /// Swing setups.
    pub swings: Vec<TwistSwing>,
}

/// One twist or swing setup.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TwistSwing {
    /// One per output joint.
    pub blend_weights: Vec<f32>,
    /// Joints that are turned.
    pub output_joint_indices: Vec<u16>,
    /// Four raw controls that hold a quaternion x y z w.
    pub input_control_indices: Vec<u16>,
    /// 0 X, 1 Y, 2 Z.
    pub twist_axis: u16,
}

/// Layer `mlbe`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MachineLearnedBehaviorExt {
    /// Operations between networks.
    pub operations: MlOperations,
    /// Joints that are driven by networks.
    pub joints: MlJoints,
}

/// Sets of operations, and which of them run at which LOD.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MlOperations {
    /// Operations per LOD, for each set.
    pub lod_operation_mappings: Vec<LodMapping>,
    /// The sets in the order in which they run.
    pub operations: Vec<Vec<MlOperation>>,
}

/// One operation of [`MlOperations`].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MlOperation {
    /// By type: controls (gather, scatter), one network (MLP), output count and weights as bits of `f32`
    /// (weighted sum).
    pub parameters: Vec<u32>,
    /// Set of each operation whose result this one uses; parallel to `operation_dependency_indices`.
    pub set_dependency_indices: Vec<u16>,
    /// Number within its set of each operation whose result this one uses.
    pub operation_dependency_indices: Vec<u16>,
    /// 0 unspecified, 1 gather, 2 scatter, 3 MLP, 4 weighted sum.
    pub operation_type: u16,
}

/// Joints driven by networks.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MlJoints {
    /// What each of `parameter_values` describes.
    pub parameter_keys: Vec<u16>,
    /// Representation of the joints.
    pub parameter_values: Vec<u16>,
    /// Control of each row.
    pub input_indices: Vec<u16>,
    /// Joint × width + attribute of each row; the width follows from the parameters.
    pub output_indices: Vec<u16>,
}

impl MlJoints {
    /// Number of attributes of a joint: 3 for a translation or scale vector or Euler angles, 4 for a quaternion, for
    /// each of the keys 0 to 2 that is there. `None` where that gives none.
    pub fn width(&self) -> Option<u16> {
        const ROTATION: u16 = 1;
        const SCALE: u16 = 2;
        const QUATERNION: u16 = 1;
        let keys = self.parameter_keys.iter().zip(&self.parameter_values);
        let widths = keys.map(|(&key, &value)| match (key, value) {
            (ROTATION, QUATERNION) => 4,
            (0..=SCALE, _) => 3,
            _ => 0u16,
        });
        Some(widths.fold(0u16, u16::saturating_add)).filter(|&width| width > 0)
    }
}

/// Layer `dsce`. The default is what holds for files without the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DescriptorExt {
    /// 0 xyz, 1 xzy, 2 yxz, 3 yzx, 4 zxy, 5 zyx.
    pub rotation_sequence: i32,
    /// Sign of the rotation about each axis.
    pub rotation_sign: RotationSign,
    /// 0 counter-clockwise, 1 clockwise; written by versions 2.8 and later only.
    pub face_winding_order: u8,
}

/// 1 or -1 per axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RotationSign {
    pub x: i32,
    pub y: i32,
    pub z: i32,
}

impl Default for RotationSign {
    fn default() -> Self {
        Self { x: 1, y: 1, z: 1 }
    }
}
