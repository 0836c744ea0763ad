//! The outer form of a file: header, section table (2.1) or layer index (2.2 and later).

use std::io::{self, Read, Seek, Write};

use crate::wire::{
    Fault, Reader, Sink, SliceSink, SliceSource, Source, StreamSink, StreamSource, Wire, Writer,
};
use crate::{Behavior, Dna, DnaError, FileVersion, Layer, LayerContent, LayerKind};

const SIGNATURE: [u8; 3] = *b"DNA";
const TRAILER: [u8; 3] = *b"AND";
/// Signature and version.
const HEADER_SIZE: u64 = 7;
const SECTION_TABLE_SIZE: u64 = 8 * 4;
const INDEX_ENTRY_SIZE: u64 = 16;

/// How to read a file.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// What to do with layers that this crate does not know.
    pub unknown_layers: UnknownLayers,
}

impl ReadOptions {
    /// These options with another policy for unknown layers.
    pub fn with_unknown_layers(mut self, policy: UnknownLayers) -> Self {
        self.unknown_layers = policy;
        self
    }
}

/// Policy for layers, or versions of layers, that this crate does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UnknownLayers {
    /// Keep them as bytes.
    #[default]
    Keep,
    /// Leave them out.
    Drop,
}

impl Dna {
    /// Reads a file of generation 2 that is in memory.
    ///
    /// A version later than [`FileVersion::NEWEST`] is read as far as its layers are known; the rest is kept.
    /// Bytes between sections or after the last one are not kept. Indices are not checked against what they
    /// point to.
    ///
    /// # Errors
    /// Whatever is wrong with the structure, with section, field path and offset.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DnaError> {
        Self::from_bytes_with(bytes, &ReadOptions::default())
    }

    /// Like [`Dna::from_bytes`], with options.
    ///
    /// # Errors
    /// As for [`Dna::from_bytes`].
    pub fn from_bytes_with(bytes: &[u8], options: &ReadOptions) -> Result<Self, DnaError> {
        read(&mut Reader::new(SliceSource::new(bytes)), options)
    }

    /// Reads a file through a small buffer, from the current position of `stream` to its end. Takes less time and
    /// memory than reading the file into memory first.
    ///
    /// # Errors
    /// As for [`Dna::from_bytes`], and those of the stream.
    pub fn read_from<R: Read + Seek>(stream: R, options: &ReadOptions) -> Result<Self, DnaError> {
        read(&mut Reader::new(StreamSource::new(stream)?), options)
    }

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

    fn checked_size(&self) -> Result<u64, DnaError> {
        for (entry, layer) in self.layers.iter().enumerate() {
            if layer.content == LayerContent::Typed && layer.kind().is_none() {
                return Err(DnaError::LayerNotKnown { section: layer.name() });
            }
            let same =
                |other: &Layer| (other.id, other.major, other.minor) == (layer.id, layer.major, layer.minor);
            if self.layers.iter().take(entry).any(same) {
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

    fn body_size(&self, layer: &Layer) -> u64 {
        let known = match &layer.content {
            LayerContent::Raw(bytes) => bytes.len() as u64,
            LayerContent::Typed => layer.kind().map_or(0, |kind| self.layer_size(kind)),
        };
        known + layer.surplus.len() as u64
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
        let mut offset = HEADER_SIZE + 4 + INDEX_ENTRY_SIZE * self.layers.len() as u64;
        for layer in &self.layers {
            let size = self.body_size(layer);
            writer.array(layer.id)?;
            layer.major.write(writer)?;
            layer.minor.write(writer)?;
            writer.count(offset)?;
            writer.count(size)?;
            offset += size;
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

fn read<S: Source>(reader: &mut Reader<S>, options: &ReadOptions) -> Result<Dna, DnaError> {
    let version = read_header(reader)?;
    reader.version = version;
    if version.has_sections() {
        read_sections(reader, version)
    } else {
        read_layers(reader, version, options)
    }
}

/// Reads signature and version.
fn read_header<S: Source>(reader: &mut Reader<S>) -> Result<FileVersion, DnaError> {
    let in_header = |fault: Fault| fault.in_section("header");
    let start = reader.left().min(SIGNATURE.len() as u64) as usize;
    let found = u8::read_many(reader, start).map_err(in_header)?;
    if found != SIGNATURE {
        return Err(DnaError::Signature { found });
    }
    let generation = reader.u16().map_err(|fault| in_header(fault.in_field("generation")))?;
    let version = reader.u16().map_err(|fault| in_header(fault.in_field("version")))?;
    let found = FileVersion { generation, version };
    if generation != 2 {
        return Err(DnaError::Generation { found });
    }
    Ok(found)
}

/// A part of the file that belongs to one section.
#[derive(Clone, Debug)]
struct Extent {
    name: String,
    start: u64,
    /// For 2.1 files the start of the next section, or the end of the file.
    end: u64,
}

/// Checks that sections are inside the file, behind the header and apart from each other.
fn check_extents(extents: &[Extent], header_end: u64, file_size: u64) -> Result<(), DnaError> {
    for extent in extents {
        if extent.end > file_size || extent.start > file_size {
            let (section, size) = (extent.name.clone(), extent.end.saturating_sub(extent.start));
            return Err(DnaError::SectionOutside { section, offset: extent.start, size, file_size });
        }
    }
    let mut sorted: Vec<&Extent> = extents.iter().filter(|extent| extent.start < extent.end).collect();
    sorted.sort_by_key(|extent| extent.start);
    let overlap = |first: &str, second: &Extent| DnaError::SectionsOverlap {
        first: first.to_owned(),
        second: second.name.clone(),
        offset: second.start,
    };
    if let Some(first) = sorted.first().filter(|first| first.start < header_end) {
        return Err(overlap("the header", first));
    }
    for pair in sorted.windows(2) {
        if let [first, second] = pair
            && second.start < first.end
        {
            return Err(overlap(&first.name, second));
        }
    }
    Ok(())
}

fn read_sections<S: Source>(reader: &mut Reader<S>, version: FileVersion) -> Result<Dna, DnaError> {
    const NAMES: [&str; 8] = [
        "descriptor",
        "definition",
        "behavior",
        "controls",
        "joints",
        "blendShapeChannels",
        "animatedMaps",
        "geometry",
    ];
    let in_table = |fault: Fault| fault.in_section("sections");
    let file_size = reader.file_size();
    let mut starts = [0; 8];
    for (start, name) in starts.iter_mut().zip(NAMES) {
        *start = u64::from(reader.u32().map_err(|fault| in_table(fault.in_field(name)))?);
    }
    let [_, _, behavior_at, ..] = starts;
    if behavior_at > file_size {
        let section = "behavior".to_owned();
        return Err(DnaError::SectionOutside { section, offset: behavior_at, size: 0, file_size });
    }
    // `behavior` has no bytes of its own, its parts have.
    let own = starts.iter().zip(NAMES).filter(|&(_, name)| name != "behavior");
    let extents: Vec<Extent> = own
        .map(|(&start, name)| {
            let next = starts.iter().copied().filter(|&next| next > start).min();
            Extent { name: name.to_owned(), start, end: next.unwrap_or(file_size.max(start)) }
        })
        .collect();
    for (number, extent) in extents.iter().enumerate() {
        // No section is empty, so equal starts are an overlap.
        if let Some(first) = extents.iter().take(number).find(|first| first.start == extent.start) {
            let (first, second) = (first.name.clone(), extent.name.clone());
            return Err(DnaError::SectionsOverlap { first, second, offset: extent.start });
        }
    }
    check_extents(&extents, HEADER_SIZE + SECTION_TABLE_SIZE, file_size)?;

    let mut dna = Dna { version, ..Dna::default() };
    for extent in &extents {
        reader.enter(extent.start, extent.end)?;
        let (section, part, result) = match extent.name.as_str() {
            "descriptor" => ("desc", None, dna.read_layer(LayerKind::Descriptor, reader)),
            "definition" => ("defn", None, dna.read_layer(LayerKind::Definition, reader)),
            "controls" => ("bhvr", Some("controls"), read_into(&mut dna.behavior.controls, reader)),
            "joints" => ("bhvr", Some("joints"), read_into(&mut dna.behavior.joints, reader)),
            "blendShapeChannels" => (
                "bhvr",
                Some("blendShapeChannels"),
                read_into(&mut dna.behavior.blend_shape_channels, reader),
            ),
            "animatedMaps" => {
                ("bhvr", Some("animatedMaps"), read_into(&mut dna.behavior.animated_maps, reader))
            }
            _ => ("geom", None, dna.read_layer(LayerKind::Geometry, reader)),
        };
        result.map_err(|fault| part.into_iter().fold(fault, Fault::in_field).in_section(section))?;
    }
    read_trailer(reader)?;
    Ok(dna)
}

fn read_into<T: Wire, S: Source>(field: &mut T, reader: &mut Reader<S>) -> Result<(), Fault> {
    *field = T::read(reader)?;
    Ok(())
}

/// Reads the mark behind the geometry, which is the last section read.
fn read_trailer<S: Source>(reader: &mut Reader<S>) -> Result<(), DnaError> {
    let offset = reader.position();
    reader.enter(offset, reader.file_size())?;
    let count = reader.left().min(TRAILER.len() as u64) as usize;
    let found = u8::read_many(reader, count).map_err(|fault| fault.in_section("trailer"))?;
    if found != TRAILER {
        return Err(DnaError::Trailer { offset, found });
    }
    Ok(())
}

struct IndexEntry {
    id: [u8; 4],
    major: u16,
    minor: u16,
    extent: Extent,
}

fn read_index<S: Source>(reader: &mut Reader<S>) -> Result<Vec<IndexEntry>, DnaError> {
    let in_index = |fault: Fault| fault.in_section("index");
    let count = reader.count(INDEX_ENTRY_SIZE).map_err(in_index)?;
    let mut entries: Vec<IndexEntry> = Vec::with_capacity(count);
    for number in 0..count {
        let at = |fault: Fault| in_index(fault.at_index(number));
        let id = reader.array().map_err(at)?;
        let major = reader.u16().map_err(at)?;
        let minor = reader.u16().map_err(at)?;
        let start = u64::from(reader.u32().map_err(at)?);
        let end = start + u64::from(reader.u32().map_err(at)?);
        let name = Layer::raw(id, major, minor, Vec::new()).name();
        entries.push(IndexEntry { id, major, minor, extent: Extent { name, start, end } });
    }
    // A sorted copy, since a hostile file can hold a hundred thousand entries.
    let mut order: Vec<(&IndexEntry, usize)> = entries.iter().zip(0..).collect();
    order.sort_by_key(|(entry, number)| (entry.id, entry.major, entry.minor, *number));
    for pair in order.windows(2) {
        if let [(first, _), (second, entry)] = pair
            && (first.id, first.major, first.minor) == (second.id, second.major, second.minor)
        {
            return Err(DnaError::DuplicateLayer { section: second.extent.name.clone(), entry: *entry });
        }
    }
    let extents: Vec<Extent> = entries.iter().map(|entry| entry.extent.clone()).collect();
    check_extents(&extents, reader.position(), reader.file_size())?;
    Ok(entries)
}

fn read_layers<S: Source>(
    reader: &mut Reader<S>,
    version: FileVersion,
    options: &ReadOptions,
) -> Result<Dna, DnaError> {
    let entries = read_index(reader)?;
    let mut dna = Dna { version, layers: Vec::with_capacity(entries.len()), ..Dna::default() };
    for IndexEntry { id, major, minor, extent } in entries {
        reader.enter(extent.start, extent.end)?;
        let section: String = id.iter().copied().map(char::from).collect();
        let mut kind = LayerKind::of(id, major, minor);
        if let Some(guessed) = kind.filter(|kind| !kind.is_certain()) {
            // The form of these is known from hearsay; anything but an exact fit is kept as bytes.
            let first = !dna.layers.iter().any(|layer| layer.kind() == kind);
            if !first || dna.read_layer(guessed, reader).is_err() || reader.left() > 0 {
                if first {
                    dna.clear_layer(guessed);
                }
                kind = None;
                reader.enter(extent.start, extent.end)?;
            }
        } else if let Some(kind) = kind {
            dna.read_layer(kind, reader).map_err(|fault| fault.in_section(&section))?;
        }
        let left = reader.left() as usize;
        if kind.is_none() && options.unknown_layers == UnknownLayers::Drop {
            continue;
        }
        let rest = u8::read_many(reader, left).map_err(|fault| fault.in_section(&section))?;
        dna.layers.push(match kind {
            Some(_) => Layer { id, major, minor, content: LayerContent::Typed, surplus: rest },
            None => Layer::raw(id, major, minor, rest),
        });
    }
    Ok(dna)
}
