//! Where the parts of a file are.

use super::{HEADER_SIZE, INDEX_ENTRY_SIZE, ReadNote, SECTION_TABLE_SIZE, SIGNATURE};
use crate::input::InputKind;
use crate::wire::{Fault, Reader, Source, Step, Wire, path_steps};
use crate::{
    AnimatedMaps, BlendShapeChannels, Controls, Dna, DnaError, FileVersion, Joints, Layer, LayerKind,
};

/// Header and section table or index of a file, checked: all parts are inside the file and apart from each other.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) version: FileVersion,
    /// In the order of the table or index.
    pub(crate) parts: Vec<Part>,
    /// Where the parts may begin.
    header_end: u64,
    /// Whether the table of a 2.1 file has the behavior start where the controls do, as writers put it.
    behavior_starts_with_controls: bool,
}

/// A section or layer.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    pub(crate) name: String,
    pub(crate) start: u64,
    /// For 2.1 files the start of the next section, or the end of the file.
    pub(crate) end: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Layer {
        id: [u8; 4],
        major: u16,
        minor: u16,
    },
    /// A section of a 2.1 file that is a whole layer.
    Section(LayerKind),
    /// The sections of a 2.1 file that make up the behavior.
    Controls,
    Joints,
    BlendShapeChannels,
    AnimatedMaps,
}

const SECTIONS: [(&str, Option<PartKind>); 8] = [
    ("descriptor", Some(PartKind::Section(LayerKind::Descriptor))),
    ("definition", Some(PartKind::Section(LayerKind::Definition))),
    // Has no bytes of its own.
    ("behavior", None),
    ("controls", Some(PartKind::Controls)),
    ("joints", Some(PartKind::Joints)),
    ("blendShapeChannels", Some(PartKind::BlendShapeChannels)),
    ("animatedMaps", Some(PartKind::AnimatedMaps)),
    ("geometry", Some(PartKind::Section(LayerKind::Geometry))),
];

impl Layout {
    pub(crate) fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, DnaError> {
        let version = read_header(reader)?;
        reader.version = version;
        let (parts, behavior_at) =
            if version.has_sections() { read_table(reader)? } else { (read_index(reader)?, None) };
        let controls = parts.iter().find(|part| part.kind == PartKind::Controls);
        let behavior_starts_with_controls = controls.map(|part| part.start) == behavior_at;
        Ok(Self { version, parts, header_end: reader.position(), behavior_starts_with_controls })
    }

    /// The parts that make up a layer, in the order of the index or table.
    pub(crate) fn parts_of(&self, kind: LayerKind) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(move |part| match part.kind {
            PartKind::Layer { id, major, minor } => LayerKind::of(id, major, minor) == Some(kind),
            _ => part.section().0 == kind,
        })
    }

    /// Offset of the value at `path`, which starts with the name of its layer.
    pub(super) fn locate<S: Source>(&self, reader: &mut Reader<S>, path: &str) -> Option<u64> {
        let steps = path_steps(path);
        let (&Step::Field(layer), mut rest) = steps.split_first()? else { return None };
        let kind = LayerKind::ALL.into_iter().find(|kind| kind.name() == layer)?;
        let part = self.parts_of(kind).find(|part| match part.kind {
            PartKind::Layer { .. } => true,
            _ => part.section().1.is_none_or(|inner| rest.first() == Some(&Step::Field(inner))),
        })?;
        reader.enter(part.start, part.end).ok()?;
        let found = match part.kind {
            PartKind::Layer { .. } | PartKind::Section(_) => Dna::locate_in_layer(kind, reader, rest),
            _ => {
                rest = rest.get(1..)?;
                match part.kind {
                    PartKind::Controls => Controls::locate(reader, rest),
                    PartKind::Joints => Joints::locate(reader, rest),
                    PartKind::BlendShapeChannels => BlendShapeChannels::locate(reader, rest),
                    _ => AnimatedMaps::locate(reader, rest),
                }
            }
        };
        found.ok()?;
        Some(reader.position())
    }

    /// Bytes that no part owns, with the ends that the parts turned out to have.
    pub(super) fn gaps(&self, ends: &[u64], file_end: u64, notes: &mut Vec<ReadNote>) {
        let mut extents: Vec<(u64, u64)> = self
            .parts
            .iter()
            .zip(ends)
            .map(|(part, &end)| (part.start, end))
            .filter(|(start, end)| start < end)
            .collect();
        // Empty bodies are in no extent, but they have an offset all the same.
        let before = std::iter::once(self.header_end).chain(ends.iter().copied());
        let is_loose = |(part, end): (&Part, u64)| part.start == part.end && part.start != end;
        let has_loose = self.parts.iter().zip(before).any(is_loose);
        if !extents.is_sorted() || has_loose || !self.behavior_starts_with_controls {
            notes.push(ReadNote::Order);
            extents.sort_unstable();
        }
        let mut covered = self.header_end;
        for (start, end) in extents {
            if start > covered {
                notes.push(ReadNote::Gap { offset: covered, size: start - covered });
            }
            covered = covered.max(end);
        }
        if file_end > covered {
            notes.push(ReadNote::Trailing { offset: covered, size: file_end - covered });
        }
    }
}

/// Reads signature and version.
fn read_header<S: Source>(reader: &mut Reader<S>) -> Result<FileVersion, DnaError> {
    let in_header = |fault: Fault| fault.in_section("header");
    let start = reader.left().min(InputKind::BYTES_NEEDED) as usize;
    let found = u8::read_many(reader, start).map_err(in_header)?;
    if !found.starts_with(&SIGNATURE) {
        let kind = InputKind::of(&found);
        return Err(DnaError::NotDna { kind, found: found.into_iter().take(SIGNATURE.len()).collect() });
    }
    reader.enter(SIGNATURE.len() as u64, reader.file_size())?;
    let generation = reader.u16().map_err(|fault| in_header(fault.in_field("generation")))?;
    let version = reader.u16().map_err(|fault| in_header(fault.in_field("version")))?;
    let found = FileVersion { generation, version };
    if generation != 2 {
        return Err(DnaError::Generation { found });
    }
    Ok(found)
}

/// The parts, and where the behavior is said to start.
fn read_table<S: Source>(reader: &mut Reader<S>) -> Result<(Vec<Part>, Option<u64>), DnaError> {
    let file_size = reader.file_size();
    let mut starts = [0; SECTIONS.len()];
    for (start, (name, _)) in starts.iter_mut().zip(SECTIONS) {
        *start = u64::from(reader.u32().map_err(|fault| fault.in_field(name).in_section("sections"))?);
    }
    let mut parts: Vec<Part> = Vec::with_capacity(SECTIONS.len());
    let mut behavior_at = None;
    for (&start, (name, kind)) in starts.iter().zip(SECTIONS) {
        let outside = |start: u64| DnaError::SectionOutside {
            section: name.to_owned(),
            offset: start,
            size: 0,
            file_size,
        };
        if start > file_size {
            return Err(outside(start));
        }
        let Some(kind) = kind else {
            behavior_at = Some(start);
            continue;
        };
        // No section is empty, so equal starts are an overlap.
        if let Some(first) = parts.iter().find(|first| first.start == start) {
            let (first, second) = (first.name.clone(), name.to_owned());
            return Err(DnaError::SectionsOverlap { first, second, offset: start });
        }
        let own_starts = starts.iter().zip(SECTIONS).filter(|(_, (_, kind))| kind.is_some());
        let next = own_starts.map(|(&next, _)| next).filter(|&next| next > start).min();
        parts.push(Part { kind, name: name.to_owned(), start, end: next.unwrap_or(file_size) });
    }
    check_extents(&parts, HEADER_SIZE + SECTION_TABLE_SIZE, file_size)?;
    Ok((parts, behavior_at))
}

fn read_index<S: Source>(reader: &mut Reader<S>) -> Result<Vec<Part>, DnaError> {
    let in_index = |fault: Fault| fault.in_section("index");
    let count = reader.count(INDEX_ENTRY_SIZE).map_err(in_index)?;
    let mut parts: Vec<Part> = Vec::with_capacity(count);
    let mut order = Vec::with_capacity(count);
    for number in 0..count {
        let at = |fault: Fault| in_index(fault.at_index(number));
        let id = reader.array().map_err(at)?;
        let major = reader.u16().map_err(at)?;
        let minor = reader.u16().map_err(at)?;
        let start = u64::from(reader.u32().map_err(at)?);
        let end = start + u64::from(reader.u32().map_err(at)?);
        let name = Layer::raw(id, major, minor, Vec::new()).name();
        parts.push(Part { kind: PartKind::Layer { id, major, minor }, name, start, end });
        order.push((id, major, minor, number));
    }
    // Sorted, since a hostile file can hold a million entries.
    order.sort_unstable();
    for pair in order.windows(2) {
        if let [(id, major, minor, _), (other_id, other_major, other_minor, entry)] = pair
            && (id, major, minor) == (other_id, other_major, other_minor)
        {
            let section = Layer::raw(*id, *major, *minor, Vec::new()).name();
            return Err(DnaError::DuplicateLayer { section, entry: *entry });
        }
    }
    check_extents(&parts, reader.position(), reader.file_size())?;
    Ok(parts)
}

/// Checks that parts are inside the file, behind the header and apart from each other.
fn check_extents(parts: &[Part], header_end: u64, file_size: u64) -> Result<(), DnaError> {
    for part in parts {
        if part.end > file_size || part.start > file_size {
            let size = part.end.saturating_sub(part.start);
            return Err(DnaError::SectionOutside {
                section: part.name.clone(),
                offset: part.start,
                size,
                file_size,
            });
        }
    }
    let mut sorted: Vec<&Part> = parts.iter().filter(|part| part.start < part.end).collect();
    sorted.sort_by_key(|part| part.start);
    let overlap = |first: &str, second: &Part| DnaError::SectionsOverlap {
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
