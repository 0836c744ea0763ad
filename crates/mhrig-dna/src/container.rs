//! The outer form of a file: header, section table (2.1) or layer index (2.2 and later).

mod layout;
mod note;
mod options;
mod read;

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::wire::{Sink, SliceSink, StreamSink, Wire, Writer};
use crate::{Behavior, Dna, DnaError, Layer, LayerContent, LayerKind};

pub(crate) use layout::{Layout, Part, PartKind};
pub use note::ReadNote;
pub use options::{ReadOptions, UnknownLayers};

const SIGNATURE: [u8; 3] = *b"DNA";
const TRAILER: [u8; 3] = *b"AND";
/// Signature and version.
const HEADER_SIZE: u64 = 7;
const SECTION_TABLE_SIZE: u64 = 8 * 4;
const INDEX_ENTRY_SIZE: u64 = 16;

impl Dna {
    /// Size of the file in bytes.
    pub fn file_size(&self) -> u64 {
        if self.version.has_sections() {
            let sections = LayerKind::ALL.into_iter().filter(|kind| kind.since() == 1);
            let bodies: u64 = sections.map(|kind| self.layer_size(kind)).sum();
            HEADER_SIZE + SECTION_TABLE_SIZE + bodies + TRAILER.len() as u64
        } else {
            let bodies: u64 = self.layers.iter().map(|layer| self.body_size(layer)).sum();
            HEADER_SIZE + 4 + INDEX_ENTRY_SIZE * self.layers.len() as u64 + bodies
        }
    }

    /// The file as bytes.
    ///
    /// # Errors
    /// When a layer with content is not listed in [`Dna::layers`] or has no place in a file of this version, when
    /// an entry is listed twice, and when the file would exceed 4 GiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, DnaError> {
        let size = self.checked_size()?;
        let mut bytes = vec![0; usize::try_from(size).map_err(|_| DnaError::TooLarge { size })?];
        self.write_body(&mut Writer::new(SliceSink::new(&mut bytes), self.version))?;
        Ok(bytes)
    }

    /// Writes the file to a stream, in large pieces and without building it in memory.
    ///
    /// # Errors
    /// As for [`Dna::to_bytes`], and those of the stream. Nothing is written when the model is at fault.
    pub fn write_to<W: Write>(&self, stream: W) -> Result<(), DnaError> {
        self.checked_size()?;
        let mut writer = Writer::new(StreamSink::new(stream), self.version);
        self.write_body(&mut writer)?;
        Ok(writer.sink.finish()?)
    }

    pub(crate) fn checked_size(&self) -> Result<u64, DnaError> {
        let mut seen = BTreeSet::new();
        for (entry, layer) in self.layers.iter().enumerate() {
            if layer.content == LayerContent::Typed && layer.kind().is_none() {
                return Err(DnaError::LayerNotKnown { section: layer.name() });
            }
            if !seen.insert((layer.id, layer.major, layer.minor)) {
                return Err(DnaError::DuplicateLayer { section: layer.name(), entry });
            }
        }
        for kind in LayerKind::ALL {
            let listed = if self.version.has_sections() {
                kind.since() == 1
            } else {
                self.layers.iter().any(|layer| layer.kind() == Some(kind))
            };
            if !listed && !self.is_layer_empty(kind) {
                return Err(DnaError::LayerNotListed {
                    section: kind.name().to_owned(),
                    version: self.version,
                });
            }
        }
        if self.descriptor_ext.face_winding_order != 0 && !self.version.has_face_winding() {
            return Err(DnaError::FieldNotInVersion {
                field: "dsce.faceWindingOrder",
                version: self.version,
            });
        }
        if self.version.has_sections() {
            let lost = self.layers.iter().find(|layer| layer.kind().is_none() || !layer.surplus.is_empty());
            if let Some(layer) = lost {
                return Err(DnaError::LayerNotListed { section: layer.name(), version: self.version });
            }
        }
        let size = self.file_size();
        if size > u64::from(u32::MAX) {
            return Err(DnaError::TooLarge { size });
        }
        Ok(size)
    }

    pub(crate) fn body_size(&self, layer: &Layer) -> u64 {
        let known = match &layer.content {
            LayerContent::Raw(bytes) => bytes.len() as u64,
            LayerContent::Typed => layer.kind().map_or(0, |kind| self.layer_size(kind)),
        };
        known + layer.surplus.len() as u64
    }

    /// Layers with offset and size of their bodies.
    pub(crate) fn layer_extents(&self) -> impl Iterator<Item = (&Layer, u64, u64)> {
        let first = HEADER_SIZE + 4 + INDEX_ENTRY_SIZE * self.layers.len() as u64;
        self.layers.iter().scan(first, |next, layer| {
            let (offset, size) = (*next, self.body_size(layer));
            *next += size;
            Some((layer, offset, size))
        })
    }

    /// Offset of the geometry section in a 2.1 file.
    pub(crate) fn geometry_offset(&self) -> u64 {
        let bodies = self.descriptor.size() + self.definition.size() + self.behavior.size();
        HEADER_SIZE + SECTION_TABLE_SIZE + bodies
    }

    fn write_body<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        writer.array(SIGNATURE)?;
        self.version.generation.write(writer)?;
        self.version.version.write(writer)?;
        if self.version.has_sections() { self.write_sections(writer) } else { self.write_layers(writer) }
    }

    fn write_sections<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        let Behavior { controls, joints, blend_shape_channels, animated_maps } = &self.behavior;
        let descriptor_at = HEADER_SIZE + SECTION_TABLE_SIZE;
        let definition_at = descriptor_at + self.descriptor.size();
        let controls_at = definition_at + self.definition.size();
        let joints_at = controls_at + controls.size();
        let channels_at = joints_at + joints.size();
        let maps_at = channels_at + blend_shape_channels.size();
        let geometry_at = maps_at + animated_maps.size();
        let table = [
            descriptor_at,
            definition_at,
            controls_at,
            controls_at,
            joints_at,
            channels_at,
            maps_at,
            geometry_at,
        ];
        table.into_iter().try_for_each(|offset| writer.count(offset))?;
        self.descriptor.write(writer)?;
        self.definition.write(writer)?;
        self.behavior.write(writer)?;
        self.geometry.write(writer)?;
        writer.array(TRAILER)
    }

    fn write_layers<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        writer.count(self.layers.len() as u64)?;
        for (layer, offset, size) in self.layer_extents() {
            writer.array(layer.id)?;
            layer.major.write(writer)?;
            layer.minor.write(writer)?;
            writer.count(offset)?;
            writer.count(size)?;
        }
        for layer in &self.layers {
            match (&layer.content, layer.kind()) {
                (LayerContent::Typed, Some(kind)) => self.write_layer(kind, writer)?,
                (LayerContent::Typed, None) => {}
                (LayerContent::Raw(bytes), _) => u8::write_many(bytes, writer)?,
            }
            u8::write_many(&layer.surplus, writer)?;
        }
        Ok(())
    }
}
