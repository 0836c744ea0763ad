//! The JSON form of a file, in the shape of the reference library (dna-format.md, section 10).

mod base64;
mod number;
mod reader;
mod value;
mod writer;

use std::collections::BTreeMap;
use std::io::{self, Write};

pub(crate) use reader::{JsonFault, JsonReader};
pub(crate) use value::{
    Json, json_form, json_record, present, read_member, read_member_with, unknown_member, write_prefix,
};
pub(crate) use writer::JsonWriter;

use crate::{Dna, DnaError, FileVersion, Layer, LayerContent, LayerKind, Text};

/// How to write JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum JsonStyle {
    /// Valid JSON that reads back to the same file: numbers with as many digits as they need, strings escaped,
    /// `{"f32": "7fc00000"}` (the bits) for numbers that are not finite, `{"bytes": "…"}` (Base64) for strings that
    /// are not UTF-8.
    #[default]
    Exact,
    /// The text of the reference library: six digits, strings not escaped, and for a 2.1 file a last member without a
    /// name, which is not valid JSON.
    Reference,
}

/// Names of the four sections of a 2.1 file, in order.
const SECTIONS: [(&str, LayerKind); 4] = [
    ("descriptor", LayerKind::Descriptor),
    ("definition", LayerKind::Definition),
    ("behavior", LayerKind::Behavior),
    ("geometry", LayerKind::Geometry),
];
/// Members of `sections`; their values are always 0.
const SECTION_OFFSETS: [&str; 8] = [
    "descriptor",
    "definition",
    "behavior",
    "controls",
    "joints",
    "blendShapeChannels",
    "animatedMaps",
    "geometry",
];
/// Name that [`JsonStyle::Exact`] gives to the last member of a 2.1 file.
const TRAILER: &str = "trailer";

impl Dna {
    /// The file as JSON.
    ///
    /// # Errors
    /// As for [`Dna::to_bytes`].
    pub fn to_json(&self, style: JsonStyle) -> Result<Vec<u8>, DnaError> {
        let mut text = Vec::new();
        self.write_json_to(&mut text, style)?;
        Ok(text)
    }

    /// Writes the file as JSON to a stream; give it a buffered one.
    ///
    /// # Errors
    /// As for [`Dna::to_bytes`], and those of the stream. Nothing is written when the model is at fault.
    pub fn write_json_to<W: Write>(&self, stream: W, style: JsonStyle) -> Result<(), DnaError> {
        self.checked_size()?;
        let mut writer = JsonWriter::new(stream, style);
        if self.version.has_sections() {
            self.write_sections_json(&mut writer)?;
        } else {
            writer.object(|writer| {
                write_head(writer, self.version)?;
                self.write_index_json(writer)?;
                self.layers.iter().try_for_each(|layer| {
                    writer.member(&layer.name(), |writer| match (&layer.content, layer.kind()) {
                        (LayerContent::Raw(bytes), _) => writer.base64(bytes),
                        (LayerContent::Typed, Some(kind)) => self.write_layer_json(kind, writer),
                        // Excluded by the check above.
                        (LayerContent::Typed, None) => Ok(()),
                    })
                })
            })?;
        }
        Ok(writer.finish()?)
    }

    fn write_index_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.member("index", |writer| {
            writer.object(|writer| {
                writer.member("entries", |writer| {
                    writer.array(self.layer_extents(), |writer, (layer, offset, size)| {
                        let version = i64::from(layer.major) << 16 | i64::from(layer.minor);
                        writer.object(|writer| {
                            let id = i64::from(u32::from_be_bytes(layer.id));
                            writer.member("id", |writer| writer.integer(id))?;
                            writer.member("version", |writer| writer.integer(version))?;
                            writer.member("offset", |writer| writer.integer(offset as i64))?;
                            writer.member("size", |writer| writer.integer(size as i64))?;
                            if layer.surplus.is_empty() || writer.style() == JsonStyle::Reference {
                                return Ok(());
                            }
                            writer.member("surplus", |writer| writer.base64(&layer.surplus))
                        })
                    })
                })
            })
        })
    }

    fn write_sections_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        let text = |text: &'static [u8]| text.iter().map(|&letter| Text(vec![letter])).collect::<Vec<_>>();
        let marked = |writer: &mut JsonWriter<W>, mark: &'static [u8]| {
            writer.object(|writer| {
                writer.member("data", |writer| {
                    writer.object(|writer| writer.member("value", |writer| text(mark).write_json(writer)))
                })
            })
        };
        writer.object(|writer| {
            write_head(writer, self.version)?;
            writer.member("sections", |writer| {
                writer.object(|writer| {
                    SECTION_OFFSETS
                        .iter()
                        .try_for_each(|name| writer.member(name, |writer| writer.integer(0)))
                })
            })?;
            for (name, kind) in SECTIONS {
                if kind == LayerKind::Geometry {
                    // Behind the count of meshes.
                    writer.mesh_end = Some(self.geometry_offset() + 4);
                }
                writer.member(name, |writer| self.write_layer_json(kind, writer))?;
            }
            match writer.style() {
                JsonStyle::Exact => writer.member(TRAILER, |writer| marked(writer, b"AND")),
                JsonStyle::Reference => marked(writer, b"AND"),
            }
        })
    }

    /// Reads JSON as [`Dna::to_json`] writes it in either style. Offsets and sizes in it are not looked at; the order
    /// of members is free.
    ///
    /// # Errors
    /// [`DnaError::Json`] with line, column and path of the first thing that is not as expected, unknown members
    /// included.
    pub fn from_json(text: &[u8]) -> Result<Self, DnaError> {
        let mut reader = JsonReader::new(text);
        let file = JsonFile::read(&mut reader).map_err(|fault| fault.into_error(text))?;
        Ok(file)
    }
}

fn write_head<W: Write>(writer: &mut JsonWriter<W>, version: FileVersion) -> io::Result<()> {
    let signature = [b"D", b"N", b"A"].map(|letter| Text(letter.to_vec())).to_vec();
    writer.member("signature", |writer| {
        writer.object(|writer| {
            writer.member("data", |writer| {
                writer.object(|writer| writer.member("value", |writer| signature.write_json(writer)))
            })
        })
    })?;
    writer.member("version", |writer| {
        writer.object(|writer| {
            writer.member("generation", |writer| version.generation.write_json(writer))?;
            writer.member("version", |writer| version.version.write_json(writer))
        })
    })
}

/// Members of the outer object, as far as read.
#[derive(Default)]
struct JsonFile {
    dna: Dna,
    has_signature: bool,
    version: Option<FileVersion>,
    index: Option<Vec<Layer>>,
    has_sections: bool,
    has_trailer: bool,
    /// Sections or layers read, by name.
    found: BTreeMap<String, Found>,
}

/// A layer or section.
struct Found {
    position: usize,
    /// `None` where the content is in the typed fields.
    raw: Option<Vec<u8>>,
}

impl JsonFile {
    fn read(reader: &mut JsonReader<'_>) -> Result<Dna, JsonFault> {
        let mut file = Self::default();
        reader.peek();
        let start = reader.position();
        reader.object(|reader, name| file.member(reader, name))?;
        let end = reader.position();
        reader.end()?;
        if !file.has_signature {
            return reader.fault_at(start, "an object with a member \"signature\"");
        }
        let Some(version) = file.version else {
            return reader.fault_at(start, "an object with a member \"version\"");
        };
        file.dna.version = version;
        if version.has_sections() {
            file.check_sections(reader, start, end)?
        } else {
            file.order_layers(reader, start)?
        }
        let lod_count = file.dna.descriptor.lod_count;
        if lod_count > crate::MAX_LOD_COUNT {
            return reader
                .fault_at(start, format!("a descriptor with at most 33 LODs instead of {lod_count}"));
        }
        Ok(file.dna)
    }

    fn member(&mut self, reader: &mut JsonReader<'_>, name: &[u8]) -> Result<(), JsonFault> {
        match name {
            b"signature" if !self.has_signature => {
                self.has_signature = true;
                read_mark(reader, b"DNA").map_err(|fault| fault.in_field("signature"))
            }
            b"version" if self.version.is_none() => {
                self.version = Some(read_version(reader).map_err(|fault| fault.in_field("version"))?);
                Ok(())
            }
            b"index" if self.index.is_none() => {
                self.index = Some(read_index(reader).map_err(|fault| fault.in_field("index"))?);
                Ok(())
            }
            b"sections" if !self.has_sections => {
                self.has_sections = true;
                read_section_offsets(reader).map_err(|fault| fault.in_field("sections"))
            }
            b"" | b"trailer" if !self.has_trailer => {
                self.has_trailer = true;
                read_mark(reader, b"AND").map_err(|fault| fault.in_field(TRAILER))
            }
            _ => self.layer(reader, name),
        }
    }

    fn layer(&mut self, reader: &mut JsonReader<'_>, name: &[u8]) -> Result<(), JsonFault> {
        let name = String::from_utf8_lossy(name).into_owned();
        if self.found.contains_key(&name) {
            return reader.fault(format!("\"{name}\" only once"));
        }
        let first = reader.peek();
        let position = reader.position();
        let section = SECTIONS.iter().find(|(section, _)| *section == name).map(|&(_, kind)| kind);
        let kind = section.or_else(|| {
            let (id, major, minor) = parse_layer_name(&name)?;
            LayerKind::of(id, major, minor)
        });
        let raw = match (first, kind) {
            // A layer of a form that is known for sure has to be an object.
            (Some(b'"'), kind) if section.is_none() && !kind.is_some_and(LayerKind::is_certain) => {
                Some(reader.base64()?)
            }
            (_, Some(kind)) => {
                self.dna.read_layer_json(kind, reader)?;
                None
            }
            _ => return unknown_member(reader, name.as_bytes()),
        };
        self.found.insert(name, Found { position, raw });
        Ok(())
    }

    fn check_sections(&self, reader: &JsonReader<'_>, start: usize, end: usize) -> Result<(), JsonFault> {
        if !self.has_trailer {
            return reader.fault_at(end.saturating_sub(1), "the trailer of a 2.1 file");
        }
        if self.index.is_some() {
            return reader.fault_at(start, "no \"index\" in a 2.1 file");
        }
        for (name, _) in SECTIONS {
            if !self.found.contains_key(name) {
                return reader.fault_at(start, format!("an object with a member \"{name}\""));
            }
        }
        let unknown = |(name, _): &(&String, &Found)| !SECTIONS.iter().any(|(section, _)| section == name);
        match self.found.iter().find(unknown) {
            Some((name, found)) => {
                reader.fault_at(found.position, format!("no member \"{name}\" in a 2.1 file"))
            }
            None => Ok(()),
        }
    }

    fn order_layers(&mut self, reader: &JsonReader<'_>, start: usize) -> Result<(), JsonFault> {
        let Some(index) = self.index.take() else {
            return reader.fault_at(start, "an object with a member \"index\"");
        };
        if self.has_trailer || self.has_sections {
            return reader.fault_at(start, "no \"sections\" or \"trailer\" in a file other than 2.1");
        }
        let mut found = std::mem::take(&mut self.found);
        for mut layer in index {
            let name = layer.name();
            let Some(found) = found.remove(&name) else {
                return reader.fault_at(start, format!("one member \"{name}\" for each index entry"));
            };
            if let Some(bytes) = found.raw {
                layer.content = LayerContent::Raw(bytes);
            }
            self.dna.layers.push(layer);
        }
        match found.first_key_value() {
            Some((name, found)) => reader.fault_at(found.position, format!("an index entry for \"{name}\"")),
            None => Ok(()),
        }
    }
}

/// `geom1.1` in its parts; each character of the id is one byte.
fn parse_layer_name(name: &str) -> Option<([u8; 4], u16, u16)> {
    let mut characters = name.chars();
    let mut id = [0; 4];
    for byte in &mut id {
        *byte = u8::try_from(characters.next()?).ok()?;
    }
    let (major, minor) = characters.as_str().split_once('.')?;
    Some((id, major.parse().ok()?, minor.parse().ok()?))
}

/// Reads `{"data": {"value": ["D", "N", "A"]}}`.
fn read_mark(reader: &mut JsonReader<'_>, mark: &[u8]) -> Result<(), JsonFault> {
    reader.peek();
    let start = reader.position();
    let mut data: Option<Vec<Text>> = None;
    reader.object(|reader, name| match name {
        b"data" => reader.object(|reader, name| match name {
            b"value" => read_member(reader, &mut data, "value"),
            _ => unknown_member(reader, name),
        }),
        _ => unknown_member(reader, name),
    })?;
    let letters = present(reader, start, data, "data")?;
    if letters.iter().flat_map(|letter| &letter.0).eq(mark) {
        return Ok(());
    }
    reader.fault_at(start, format!("the letters {}", mark.escape_ascii()))
}

fn read_version(reader: &mut JsonReader<'_>) -> Result<FileVersion, JsonFault> {
    reader.peek();
    let start = reader.position();
    let (mut generation, mut version) = (None, None);
    reader.object(|reader, name| match name {
        b"generation" => read_member(reader, &mut generation, "generation"),
        b"version" => read_member(reader, &mut version, "version"),
        _ => unknown_member(reader, name),
    })?;
    let generation = present(reader, start, generation, "generation")?;
    let version = present(reader, start, version, "version")?;
    if generation != 2 {
        return reader.fault_at(start, "generation 2");
    }
    Ok(FileVersion { generation, version })
}

fn read_section_offsets(reader: &mut JsonReader<'_>) -> Result<(), JsonFault> {
    reader.object(|reader, name| {
        if SECTION_OFFSETS.iter().any(|section| section.as_bytes() == name) {
            u32::read_json(reader).map(drop)
        } else {
            unknown_member(reader, name)
        }
    })
}

/// Reads `{"entries": […]}` as layers, all of them typed for now.
fn read_index(reader: &mut JsonReader<'_>) -> Result<Vec<Layer>, JsonFault> {
    reader.peek();
    let start = reader.position();
    let mut layers: Option<Vec<Layer>> = None;
    reader.object(|reader, name| match name {
        b"entries" if layers.is_none() => {
            layers = Some(reader.array(read_index_entry).map_err(|fault| fault.in_field("entries"))?);
            Ok(())
        }
        _ => unknown_member(reader, name),
    })?;
    present(reader, start, layers, "entries")
}

fn read_index_entry(reader: &mut JsonReader<'_>) -> Result<Layer, JsonFault> {
    reader.peek();
    let start = reader.position();
    let (mut id, mut version, mut surplus) = (None::<u32>, None::<u32>, None);
    reader.object(|reader, name| match name {
        b"id" => read_member(reader, &mut id, "id"),
        b"version" => read_member(reader, &mut version, "version"),
        b"offset" | b"size" => u32::read_json(reader).map(drop),
        b"surplus" if surplus.is_none() => {
            surplus = Some(reader.base64()?);
            Ok(())
        }
        _ => unknown_member(reader, name),
    })?;
    let id = present(reader, start, id, "id")?;
    let [major, minor] = {
        let version = present(reader, start, version, "version")?;
        [(version >> 16) as u16, version as u16]
    };
    let surplus = surplus.unwrap_or_default();
    Ok(Layer { id: id.to_be_bytes(), major, minor, content: LayerContent::Typed, surplus })
}
