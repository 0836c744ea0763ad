//! A file in memory, read where it is needed.

mod lists;

use std::sync::OnceLock;

use crate::container::{Layout, PartKind};
use crate::wire::{Fault, Reader, SliceSource, Wire};
use crate::{
    AnimatedMaps, Behavior, BlendShapeChannels, Controls, Definition, Descriptor, DescriptorExt, Dna,
    DnaError, FileVersion, JointBehaviorMetadata, LayerKind, MachineLearnedBehavior,
    MachineLearnedBehaviorExt, RbfBehavior, RbfBehaviorExt, TwistSwingBehavior,
};

pub use lists::{BigEndian, BigEndianSlice, FacesView, SkinWeightsView, VertexSkinWeightsView};
use lists::{Lend, lend_list, lend_list_with, lend_mesh, view_record};

/// A borrowed view of a file in memory.
///
/// Opening checks the header and where the layers are. A layer is checked as a whole at its first use; after that
/// its big arrays are read in place, big-endian, without a copy. Small layers are read into their owned form.
/// Indices are not checked.
///
/// ```
/// use mhrig_dna::{Dna, DnaView, FileVersion, Mesh, Vectors3};
///
/// let mut dna = Dna::new(FileVersion::new(5));
/// dna.definition.mesh_names.push("head_lod0_mesh".into());
/// let positions = Vectors3::from_vectors(&[[0.0, 1.0, 2.0]]);
/// dna.geometry.meshes.push(Mesh { positions, ..Mesh::default() });
/// let bytes = dna.to_bytes()?;
///
/// let view = DnaView::open(&bytes)?;
/// let positions = &view.geometry()?.meshes[0].positions;
/// assert_eq!(positions.ys.get(0), Some(1.0));
/// # Ok::<(), mhrig_dna::DnaError>(())
/// ```
#[derive(Debug)]
pub struct DnaView<'a> {
    bytes: &'a [u8],
    layout: Layout,
    descriptor: OnceLock<Descriptor>,
    definition: OnceLock<Definition>,
    behavior: OnceLock<BehaviorView<'a>>,
    geometry: OnceLock<GeometryView<'a>>,
    machine_learned_behavior: OnceLock<MachineLearnedBehavior>,
    rbf_behavior: OnceLock<RbfBehavior>,
    rbf_behavior_ext: OnceLock<RbfBehaviorExt>,
    joint_behavior_metadata: OnceLock<JointBehaviorMetadata>,
    twist_swing_behavior: OnceLock<TwistSwingBehavior>,
    machine_learned_behavior_ext: OnceLock<MachineLearnedBehaviorExt>,
    descriptor_ext: OnceLock<DescriptorExt>,
}

/// Where a layer, or a section of a 2.1 file, is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerExtent {
    /// Name, such as `geom1.1`, or that of a section, such as `geometry`.
    pub name: String,
    /// Offset in the file.
    pub offset: u64,
    /// Size in bytes; for a section up to the next one.
    pub size: u64,
}

/// Layer `bhvr`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BehaviorView<'a> {
    /// GUI to raw controls, and correctives.
    pub controls: Controls,
    /// Joint deltas.
    pub joints: JointsView<'a>,
    /// Blend shape channels and the controls that drive them.
    pub blend_shape_channels: BlendShapeChannels,
    /// Animated maps and the controls that drive them.
    pub animated_maps: AnimatedMaps,
}

/// The joints part of [`BehaviorView`]; fields as in [`crate::Joints`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct JointsView<'a> {
    pub row_count: u16,
    pub col_count: u16,
    pub joint_groups: Vec<JointGroupView<'a>>,
}

/// One block of the joint matrix; fields as in [`crate::JointGroup`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct JointGroupView<'a> {
    pub lods: BigEndianSlice<'a, u16>,
    pub input_indices: BigEndianSlice<'a, u16>,
    pub output_indices: BigEndianSlice<'a, u16>,
    pub values: BigEndianSlice<'a, f32>,
    pub joint_indices: BigEndianSlice<'a, u16>,
}

/// Layer `geom`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GeometryView<'a> {
    /// One per mesh name.
    pub meshes: Vec<MeshView<'a>>,
}

/// One mesh; fields as in [`crate::Mesh`].
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct MeshView<'a> {
    pub positions: Vectors3View<'a>,
    pub texture_coordinates: TextureCoordinatesView<'a>,
    pub normals: Vectors3View<'a>,
    pub layouts: VertexLayoutsView<'a>,
    pub faces: FacesView<'a>,
    pub maximum_influence_per_vertex: u16,
    pub skin_weights: SkinWeightsView<'a>,
    pub blend_shape_targets: Vec<BlendShapeTargetView<'a>>,
}

/// Three parallel arrays of coordinates.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct Vectors3View<'a> {
    pub xs: BigEndianSlice<'a, f32>,
    pub ys: BigEndianSlice<'a, f32>,
    pub zs: BigEndianSlice<'a, f32>,
}

impl<'a> Vectors3View<'a> {
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
        Some([self.xs.get(index)?, self.ys.get(index)?, self.zs.get(index)?])
    }

    /// The whole vectors in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [f32; 3]> + Clone + use<'a> {
        let rest = self.ys.iter().zip(self.zs.iter());
        self.xs.iter().zip(rest).map(|(x, (y, z))| [x, y, z])
    }
}

/// Texture coordinates as two parallel arrays.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct TextureCoordinatesView<'a> {
    pub us: BigEndianSlice<'a, f32>,
    pub vs: BigEndianSlice<'a, f32>,
}

/// Position, texture coordinate and normal of each layout.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct VertexLayoutsView<'a> {
    pub positions: BigEndianSlice<'a, u32>,
    pub texture_coordinates: BigEndianSlice<'a, u32>,
    pub normals: BigEndianSlice<'a, u32>,
}

/// A sparse shape; fields as in [`crate::BlendShapeTarget`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub struct BlendShapeTargetView<'a> {
    pub deltas: Vectors3View<'a>,
    pub vertex_indices: BigEndianSlice<'a, u32>,
    pub blend_shape_channel_index: u16,
}

view_record!(JointsView of Joints { "rowCount" row_count, "colCount" col_count, "jointGroups" joint_groups => lend_list });
view_record!(JointGroupView of JointGroup {
    "lods" lods,
    "inputIndices" input_indices,
    "outputIndices" output_indices,
    "values" values,
    "jointIndices" joint_indices,
});
view_record!(Vectors3View of Vectors3 { "xs" xs, "ys" ys, "zs" zs });
view_record!(TextureCoordinatesView of TextureCoordinates { "us" us, "vs" vs });
view_record!(VertexLayoutsView of VertexLayouts {
    "positions" positions,
    "textureCoordinates" texture_coordinates,
    "normals" normals,
});
view_record!(BlendShapeTargetView of BlendShapeTarget {
    "deltas" deltas,
    "vertexIndices" vertex_indices,
    "blendShapeChannelIndex" blend_shape_channel_index,
});
view_record!(MeshView of Mesh {
    "positions" positions,
    "textureCoordinates" texture_coordinates,
    "normals" normals,
    "layouts" layouts,
    "faces" faces,
    "maximumInfluencePerVertex" maximum_influence_per_vertex,
    "skinWeights" skin_weights,
    "blendShapeTargets" blend_shape_targets => lend_list,
});

impl<'a> DnaView<'a> {
    /// Opens a file in memory.
    ///
    /// # Errors
    /// When header, section table or index are wrong, see [`Dna::from_bytes`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, DnaError> {
        let layout = Layout::read(&mut Reader::new(SliceSource::new(bytes)))?;
        Ok(Self {
            bytes,
            layout,
            descriptor: OnceLock::new(),
            definition: OnceLock::new(),
            behavior: OnceLock::new(),
            geometry: OnceLock::new(),
            machine_learned_behavior: OnceLock::new(),
            rbf_behavior: OnceLock::new(),
            rbf_behavior_ext: OnceLock::new(),
            joint_behavior_metadata: OnceLock::new(),
            twist_swing_behavior: OnceLock::new(),
            machine_learned_behavior_ext: OnceLock::new(),
            descriptor_ext: OnceLock::new(),
        })
    }

    /// Version of the file.
    pub fn version(&self) -> FileVersion {
        self.layout.version
    }

    /// All layers or sections in the order of the file's index or table.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = LayerExtent> + '_ {
        self.layout.parts.iter().map(|part| LayerExtent {
            name: part.name.clone(),
            offset: part.start,
            size: part.end - part.start,
        })
    }

    /// The bytes of a layer, by its name in [`DnaView::layers`].
    pub fn layer_bytes(&self, name: &str) -> Option<&'a [u8]> {
        let part = self.layout.parts.iter().find(|part| part.name == name)?;
        self.bytes.get(usize::try_from(part.start).ok()?..usize::try_from(part.end).ok()?)
    }

    /// The owned model of the whole file.
    ///
    /// # Errors
    /// As for [`Dna::from_bytes`].
    pub fn to_dna(&self) -> Result<Dna, DnaError> {
        Dna::from_bytes(self.bytes)
    }

    /// `desc`; empty where the file does not have it, as for the other layers.
    ///
    /// # Errors
    /// What is wrong with the layer, with field path and offset.
    pub fn descriptor(&self) -> Result<&Descriptor, DnaError> {
        self.owned(&self.descriptor, LayerKind::Descriptor, |dna| dna.descriptor)
    }

    /// `defn`: all names.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn definition(&self) -> Result<&Definition, DnaError> {
        self.owned(&self.definition, LayerKind::Definition, |dna| dna.definition)
    }

    /// `bhvr`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn behavior(&self) -> Result<&BehaviorView<'a>, DnaError> {
        cached(&self.behavior, || {
            let mut view = BehaviorView::default();
            for part in self.layout.parts_of(LayerKind::Behavior) {
                let mut reader = self.reader(part.start, part.end)?;
                let result = match part.kind {
                    PartKind::Controls => read_field(&mut view.controls, &mut reader, "controls"),
                    PartKind::Joints => lend_field(&mut view.joints, &mut reader, "joints"),
                    PartKind::BlendShapeChannels => {
                        read_field(&mut view.blend_shape_channels, &mut reader, "blendShapeChannels")
                    }
                    PartKind::AnimatedMaps => {
                        read_field(&mut view.animated_maps, &mut reader, "animatedMaps")
                    }
                    PartKind::Layer { .. } | PartKind::Section(_) => {
                        read_field(&mut view.controls, &mut reader, "controls")
                            .and_then(|()| lend_field(&mut view.joints, &mut reader, "joints"))
                            .and_then(|()| {
                                read_field(&mut view.blend_shape_channels, &mut reader, "blendShapeChannels")
                            })
                            .and_then(|()| read_field(&mut view.animated_maps, &mut reader, "animatedMaps"))
                    }
                };
                result.map_err(|fault| fault.in_section(LayerKind::Behavior.name()))?;
            }
            Ok(view)
        })
    }

    /// `geom`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn geometry(&self) -> Result<&GeometryView<'a>, DnaError> {
        cached(&self.geometry, || {
            let mut view = GeometryView::default();
            for part in self.layout.parts_of(LayerKind::Geometry) {
                let mut reader = self.reader(part.start, part.end)?;
                let meshes = lend_list_with(&mut reader, lend_mesh);
                view.meshes = meshes
                    .map_err(|fault| fault.in_field("meshes").in_section(LayerKind::Geometry.name()))?;
            }
            Ok(view)
        })
    }

    /// `mlbh`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn machine_learned_behavior(&self) -> Result<&MachineLearnedBehavior, DnaError> {
        let kind = LayerKind::MachineLearnedBehavior;
        self.owned(&self.machine_learned_behavior, kind, |dna| dna.machine_learned_behavior)
    }

    /// `rbfb`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn rbf_behavior(&self) -> Result<&RbfBehavior, DnaError> {
        self.owned(&self.rbf_behavior, LayerKind::RbfBehavior, |dna| dna.rbf_behavior)
    }

    /// `rbfe`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn rbf_behavior_ext(&self) -> Result<&RbfBehaviorExt, DnaError> {
        self.owned(&self.rbf_behavior_ext, LayerKind::RbfBehaviorExt, |dna| dna.rbf_behavior_ext)
    }

    /// `jbmd`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn joint_behavior_metadata(&self) -> Result<&JointBehaviorMetadata, DnaError> {
        let kind = LayerKind::JointBehaviorMetadata;
        self.owned(&self.joint_behavior_metadata, kind, |dna| dna.joint_behavior_metadata)
    }

    /// `twsw`.
    ///
    /// # Errors
    /// As for [`DnaView::descriptor`].
    pub fn twist_swing_behavior(&self) -> Result<&TwistSwingBehavior, DnaError> {
        let kind = LayerKind::TwistSwingBehavior;
        self.owned(&self.twist_swing_behavior, kind, |dna| dna.twist_swing_behavior)
    }

    /// `mlbe`; empty also where the layer has another form than the known one.
    ///
    /// # Errors
    /// None at present.
    pub fn machine_learned_behavior_ext(&self) -> Result<&MachineLearnedBehaviorExt, DnaError> {
        let kind = LayerKind::MachineLearnedBehaviorExt;
        self.owned(&self.machine_learned_behavior_ext, kind, |dna| dna.machine_learned_behavior_ext)
    }

    /// `dsce`; the default also where the layer has another form than the known one.
    ///
    /// # Errors
    /// None at present.
    pub fn descriptor_ext(&self) -> Result<&DescriptorExt, DnaError> {
        self.owned(&self.descriptor_ext, LayerKind::DescriptorExt, |dna| dna.descriptor_ext)
    }

    fn reader(&self, start: u64, end: u64) -> Result<Reader<SliceSource<'a>>, DnaError> {
        let mut reader = Reader::new(SliceSource::new(self.bytes));
        reader.version = self.layout.version;
        reader.enter(start, end)?;
        Ok(reader)
    }

    /// Reads a layer into its owned form, once.
    fn owned<'v, T>(
        &'v self,
        cell: &'v OnceLock<T>,
        kind: LayerKind,
        take: impl FnOnce(Dna) -> T,
    ) -> Result<&'v T, DnaError> {
        cached(cell, || {
            let mut dna = Dna { version: self.layout.version, ..Dna::default() };
            for part in self.layout.parts_of(kind) {
                let mut reader = self.reader(part.start, part.end)?;
                let result = dna.read_layer(kind, &mut reader);
                if kind.is_certain() {
                    result.map_err(|fault| fault.in_section(kind.name()))?;
                } else if result.is_err() || reader.left() > 0 {
                    // Of another form than the known one; perhaps an entry of another version has it.
                    dna.clear_layer(kind);
                    continue;
                }
                break;
            }
            Ok(take(dna))
        })
    }
}

/// The value of the cell, made if it is not there yet. Errors are not kept.
fn cached<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, DnaError>) -> Result<&T, DnaError> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

fn read_field<T: Wire>(
    field: &mut T,
    reader: &mut Reader<SliceSource<'_>>,
    name: &'static str,
) -> Result<(), Fault> {
    *field = T::read(reader).map_err(|fault| fault.in_field(name))?;
    Ok(())
}

fn lend_field<'a, T: Lend<'a>>(
    field: &mut T,
    reader: &mut Reader<SliceSource<'a>>,
    name: &'static str,
) -> Result<(), Fault> {
    *field = T::lend(reader).map_err(|fault| fault.in_field(name))?;
    Ok(())
}

impl From<BehaviorView<'_>> for Behavior {
    fn from(view: BehaviorView<'_>) -> Self {
        let groups = view.joints.joint_groups.iter().map(|group| crate::JointGroup {
            lods: group.lods.to_vec(),
            input_indices: group.input_indices.to_vec(),
            output_indices: group.output_indices.to_vec(),
            values: group.values.to_vec(),
            joint_indices: group.joint_indices.to_vec(),
        });
        Self {
            joints: crate::Joints {
                row_count: view.joints.row_count,
                col_count: view.joints.col_count,
                joint_groups: groups.collect(),
            },
            controls: view.controls,
            blend_shape_channels: view.blend_shape_channels,
            animated_maps: view.animated_maps,
        }
    }
}

impl From<&Vectors3View<'_>> for crate::Vectors3 {
    fn from(view: &Vectors3View<'_>) -> Self {
        Self { xs: view.xs.to_vec(), ys: view.ys.to_vec(), zs: view.zs.to_vec() }
    }
}

impl From<&MeshView<'_>> for crate::Mesh {
    fn from(view: &MeshView<'_>) -> Self {
        let target = |target: &BlendShapeTargetView<'_>| crate::BlendShapeTarget {
            deltas: (&target.deltas).into(),
            vertex_indices: target.vertex_indices.to_vec(),
            blend_shape_channel_index: target.blend_shape_channel_index,
        };
        let skin = |skin: VertexSkinWeightsView<'_>| crate::VertexSkinWeights {
            weights: skin.weights.to_vec(),
            joint_indices: skin.joint_indices.to_vec(),
        };
        Self {
            positions: (&view.positions).into(),
            texture_coordinates: crate::TextureCoordinates {
                us: view.texture_coordinates.us.to_vec(),
                vs: view.texture_coordinates.vs.to_vec(),
            },
            normals: (&view.normals).into(),
            layouts: crate::VertexLayouts {
                positions: view.layouts.positions.to_vec(),
                texture_coordinates: view.layouts.texture_coordinates.to_vec(),
                normals: view.layouts.normals.to_vec(),
            },
            faces: view.faces.iter().map(|face| face.to_vec()).collect(),
            maximum_influence_per_vertex: view.maximum_influence_per_vertex,
            skin_weights: view.skin_weights.iter().map(skin).collect(),
            blend_shape_targets: view.blend_shape_targets.iter().map(target).collect(),
        }
    }
}
