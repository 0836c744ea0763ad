//! Reading whole files.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::{Layout, Part, PartKind, ReadNote, ReadOptions, TRAILER, UnknownLayers};
use crate::wire::{Fault, Reader, SliceSource, Source, StreamSource, Wire};
use crate::{Dna, DnaError, Layer, LayerContent, LayerKind, LayerSelection, Place};

impl Dna {
    /// Reads a file of generation 2 that is in memory.
    ///
    /// A version later than [`FileVersion::NEWEST`](crate::FileVersion::NEWEST) is read as far as its layers are
    /// known; the rest is kept. Bytes between sections or after the last one are not kept. Indices are not checked
    /// against what they point to.
    ///
    /// ```
    /// use mhrig_dna::{Dna, FileVersion};
    ///
    /// let bytes = Dna::new(FileVersion::new(5)).to_bytes()?;
    /// let dna = Dna::from_bytes(&bytes)?;
    /// assert_eq!(dna.version.to_string(), "2.5");
    /// assert_eq!(dna.to_bytes()?, bytes);
    /// # Ok::<(), mhrig_dna::DnaError>(())
    /// ```
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
        read(&mut Reader::new(SliceSource::new(bytes)), options, &mut Vec::new())
    }

    /// Reads a file through a small buffer, from the current position of `stream` to its end. Takes less time and
    /// memory than reading the file into memory first, and passes over layers that are not selected.
    ///
    /// ```no_run
    /// use mhrig_dna::{Dna, LayerSelection, ReadOptions};
    ///
    /// let options = ReadOptions::default().with_layers(LayerSelection::DEFINITION);
    /// let names = Dna::read_from(std::fs::File::open("head.dna")?, &options)?.definition.joint_names;
    /// # Ok::<(), mhrig_dna::DnaError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Dna::from_bytes`], and those of the stream.
    pub fn read_from<R: Read + Seek>(stream: R, options: &ReadOptions) -> Result<Self, DnaError> {
        read(&mut Reader::new(StreamSource::new(stream)?), options, &mut Vec::new())
    }

    /// Like [`Dna::read_from`], with what there is to say about the file although it is no error.
    ///
    /// # Errors
    /// As for [`Dna::read_from`].
    pub fn read_with_notes<R: Read + Seek>(
        stream: R,
        options: &ReadOptions,
    ) -> Result<(Self, Vec<ReadNote>), DnaError> {
        let mut notes = Vec::new();
        let dna = read(&mut Reader::new(StreamSource::new(stream)?), options, &mut notes)?;
        Ok((dna, notes))
    }

    /// Reads the file at `path`, see [`Dna::read_with_notes`].
    ///
    /// # Errors
    /// [`DnaError::InFile`] with the path, around what is wrong.
    pub fn read_file(path: &Path, options: &ReadOptions) -> Result<(Self, Vec<ReadNote>), DnaError> {
        let in_file = |source: DnaError| DnaError::InFile { path: path.to_owned(), source: Box::new(source) };
        let file = File::open(path).map_err(|error| in_file(error.into()))?;
        match file.metadata() {
            Ok(metadata) if metadata.is_dir() => Err(in_file(DnaError::Directory)),
            _ => Self::read_with_notes(file, options).map_err(in_file),
        }
    }
}

fn read<S: Source>(
    reader: &mut Reader<S>,
    options: &ReadOptions,
    notes: &mut Vec<ReadNote>,
) -> Result<Dna, DnaError> {
    let layout = Layout::read(reader)?;
    if !layout.version.is_known() {
        notes.push(ReadNote::NewerVersion { found: layout.version });
    }
    let mut dna = if layout.version.has_sections() {
        read_sections(reader, &layout, options, notes)?
    } else {
        read_layers(reader, &layout, options, notes)?
    };
    if !options.layers.contains(LayerSelection::GEOMETRY) {
        dna.geometry.meshes.iter_mut().for_each(|mesh| mesh.blend_shape_targets = Vec::new());
    }
    if options.check_indices
        && let Some(finding) = dna.first_bad_index()
    {
        let offset = layout.locate(reader, &finding.path).unwrap_or(0);
        let (section, path) = finding.path.split_once('.').unwrap_or((&finding.path, ""));
        let place = Place { section: section.to_owned(), path: path.to_owned(), offset };
        let (found, expected) = (finding.found.unwrap_or_default(), finding.expected.unwrap_or_default());
        return Err(DnaError::Index { place, found, expected });
    }
    Ok(dna)
}

fn read_sections<S: Source>(
    reader: &mut Reader<S>,
    layout: &Layout,
    options: &ReadOptions,
    notes: &mut Vec<ReadNote>,
) -> Result<Dna, DnaError> {
    let mut dna = Dna { version: layout.version, ..Dna::default() };
    let mut ends = Vec::with_capacity(layout.parts.len());
    for part in &layout.parts {
        let (kind, inner) = part.section();
        if !options.layers.keeps(kind) {
            ends.push(part.end);
            continue;
        }
        reader.enter(part.start, part.end)?;
        let behavior = &mut dna.behavior;
        let result = match part.kind {
            PartKind::Controls => read_into(&mut behavior.controls, reader),
            PartKind::Joints => read_into(&mut behavior.joints, reader),
            PartKind::BlendShapeChannels => read_into(&mut behavior.blend_shape_channels, reader),
            PartKind::AnimatedMaps => read_into(&mut behavior.animated_maps, reader),
            PartKind::Section(_) | PartKind::Layer { .. } => dna.read_layer(kind, reader),
        };
        result.map_err(|fault| inner.into_iter().fold(fault, Fault::in_field).in_section(kind.name()))?;
        ends.push(reader.position());
    }
    // Geometry is the last in the table and always there.
    if options.layers.keeps(LayerKind::Geometry)
        && let Some(end) = ends.last_mut()
    {
        *end = read_trailer(reader)?;
        layout.gaps(&ends, reader.file_size(), notes);
    }
    Ok(dna)
}

fn read_into<T: Wire, S: Source>(field: &mut T, reader: &mut Reader<S>) -> Result<(), Fault> {
    *field = T::read(reader)?;
    Ok(())
}

/// Reads the mark behind the geometry, where the reader stands, and gives the end of the file.
fn read_trailer<S: Source>(reader: &mut Reader<S>) -> Result<u64, DnaError> {
    let offset = reader.position();
    reader.enter(offset, reader.file_size())?;
    let count = reader.left().min(TRAILER.len() as u64) as usize;
    let found = u8::read_many(reader, count).map_err(|fault| fault.in_section("trailer"))?;
    if found != TRAILER {
        return Err(DnaError::Trailer { offset, found });
    }
    Ok(reader.position())
}

fn read_layers<S: Source>(
    reader: &mut Reader<S>,
    layout: &Layout,
    options: &ReadOptions,
    notes: &mut Vec<ReadNote>,
) -> Result<Dna, DnaError> {
    let mut dna =
        Dna { version: layout.version, layers: Vec::with_capacity(layout.parts.len()), ..Dna::default() };
    let mut typed = Vec::new();
    for part in &layout.parts {
        let PartKind::Layer { id, major, minor } = part.kind else { continue };
        reader.enter(part.start, part.end)?;
        let mut kind = LayerKind::of(id, major, minor);
        if kind.is_some_and(|kind| !options.layers.keeps(kind)) {
            dna.layers.push(Layer { id, major, minor, content: LayerContent::Typed, surplus: Vec::new() });
            continue;
        }
        if let Some(guessed) = kind.filter(|kind| !kind.is_certain()) {
            // The form of these is known from hearsay; anything but an exact fit is kept as bytes.
            if typed.contains(&guessed) || !fits(&mut dna, guessed, reader) {
                kind = None;
                reader.enter(part.start, part.end)?;
            } else {
                typed.push(guessed);
            }
        } else if let Some(kind) = kind {
            dna.read_layer(kind, reader).map_err(|fault| fault.in_section(kind.name()))?;
        }
        let is_left_out =
            options.unknown_layers == UnknownLayers::Drop || options.layers != LayerSelection::ALL;
        if kind.is_none() && is_left_out {
            continue;
        }
        let rest =
            u8::read_many(reader, reader.left() as usize).map_err(|fault| fault.in_section(&part.name))?;
        let (layer, size) = (part.name.clone(), rest.len() as u64);
        dna.layers.push(if kind.is_some() {
            if size > 0 {
                notes.push(ReadNote::Surplus { layer, size });
            }
            Layer { id, major, minor, content: LayerContent::Typed, surplus: rest }
        } else {
            notes.push(ReadNote::UnknownLayer { layer, size });
            Layer::raw(id, major, minor, rest)
        });
    }
    let ends: Vec<u64> = layout.parts.iter().map(|part| part.end).collect();
    layout.gaps(&ends, reader.file_size(), notes);
    Ok(dna)
}

/// Reads a layer of uncertain form; `false` with nothing changed unless it has exactly that form.
fn fits<S: Source>(dna: &mut Dna, kind: LayerKind, reader: &mut Reader<S>) -> bool {
    let fits = dna.read_layer(kind, reader).is_ok() && reader.left() == 0;
    if !fits {
        dna.clear_layer(kind);
    }
    fits
}

impl Part {
    /// The layer that a section of a 2.1 file belongs to, and the field in it.
    pub(crate) fn section(&self) -> (LayerKind, Option<&'static str>) {
        match self.kind {
            PartKind::Section(kind) => (kind, None),
            PartKind::Controls => (LayerKind::Behavior, Some("controls")),
            PartKind::Joints => (LayerKind::Behavior, Some("joints")),
            PartKind::BlendShapeChannels => (LayerKind::Behavior, Some("blendShapeChannels")),
            PartKind::AnimatedMaps => (LayerKind::Behavior, Some("animatedMaps")),
            // Not part of a 2.1 file; the kind is not looked at.
            PartKind::Layer { .. } => (LayerKind::Descriptor, None),
        }
    }
}
