//! Where the bytes of a file go.

use crate::wire::Wire;
use crate::{Dna, Layer, LayerKind};

/// Bytes of one layer, see [`Dna::layer_sizes`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LayerSize {
    /// `header`, or the name of the layer: `geom1.1`, `geom` in a file with fixed sections.
    pub name: String,
    /// Its bytes in the file.
    pub bytes: u64,
    /// What they are for, in file order; not all of them are named.
    pub parts: Vec<(&'static str, u64)>,
}

impl Dna {
    /// Bytes per layer in the order of the file, the header with its index (and the mark at the end of a 2.1 file)
    /// first. Their sum is [`Dna::file_size`].
    ///
    /// ```
    /// use mhrig_dna::{Dna, FileVersion};
    ///
    /// let dna = Dna::new(FileVersion::new(5));
    /// let sizes = dna.layer_sizes();
    /// assert_eq!(sizes.iter().map(|layer| layer.bytes).sum::<u64>(), dna.file_size());
    /// assert_eq!(sizes[1].name, "desc1.1");
    /// ```
    pub fn layer_sizes(&self) -> Vec<LayerSize> {
        let sections = LayerKind::ALL.into_iter().filter(|kind| kind.since() == 1);
        let layers: Vec<LayerSize> = if self.version.has_sections() {
            sections
                .map(|kind| {
                    let (name, bytes) = (kind.name().to_owned(), self.layer_size(kind));
                    LayerSize { name, bytes, parts: self.part_sizes(kind) }
                })
                .collect()
        } else {
            let size = |layer: &Layer| {
                let parts = layer.kind().map_or_else(Vec::new, |kind| self.part_sizes(kind));
                LayerSize { name: layer.name(), bytes: self.body_size(layer), parts }
            };
            self.layers.iter().map(size).collect()
        };
        let bodies: u64 = layers.iter().map(|layer| layer.bytes).sum();
        let header =
            LayerSize { name: "header".to_owned(), bytes: self.file_size() - bodies, parts: Vec::new() };
        std::iter::once(header).chain(layers).collect()
    }

    fn part_sizes(&self, kind: LayerKind) -> Vec<(&'static str, u64)> {
        match kind {
            LayerKind::Definition => {
                let definition = &self.definition;
                let names = self.name_lists();
                let in_layer = names.iter().filter(|(path, _)| path.starts_with("defn."));
                vec![
                    (
                        "LOD lists",
                        definition.lod_joint_mapping.size()
                            + definition.lod_blend_shape_mapping.size()
                            + definition.lod_animated_map_mapping.size()
                            + definition.lod_mesh_mapping.size(),
                    ),
                    ("names", in_layer.map(|(_, names)| names.to_vec().size()).sum()),
                    ("pairs of mesh and channel", definition.mesh_blend_shape_channel_mapping.size()),
                    (
                        "joints",
                        definition.joint_hierarchy.size()
                            + definition.neutral_joint_translations.size()
                            + definition.neutral_joint_rotations.size(),
                    ),
                ]
            }
            LayerKind::Behavior => vec![
                ("controls", self.behavior.controls.size()),
                ("joint groups", self.behavior.joints.size()),
                ("blend shape channels", self.behavior.blend_shape_channels.size()),
                ("animated maps", self.behavior.animated_maps.size()),
            ],
            LayerKind::Geometry => {
                let sum = |size: &dyn Fn(&crate::Mesh) -> u64| self.geometry.meshes.iter().map(size).sum();
                vec![
                    ("positions", sum(&|mesh| mesh.positions.size())),
                    ("texture coordinates", sum(&|mesh| mesh.texture_coordinates.size())),
                    ("normals", sum(&|mesh| mesh.normals.size())),
                    ("layouts", sum(&|mesh| mesh.layouts.size())),
                    ("faces", sum(&|mesh| mesh.faces.size())),
                    ("skin weights", sum(&|mesh| mesh.skin_weights.size())),
                    ("blend shape targets", sum(&|mesh| mesh.blend_shape_targets.size())),
                ]
            }
            _ => Vec::new(),
        }
    }
}
