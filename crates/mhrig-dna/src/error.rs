use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::{FileVersion, InputKind};

/// Why bytes could not be read as a DNA, or a DNA could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DnaError {
    /// The input or output failed.
    #[error("input or output failed")]
    Io(#[from] io::Error),
    /// The first three bytes are not `DNA`.
    #[error("not a DNA file but {}: it starts with {} instead of `DNA`", kind.name().unwrap_or("something else"), ShowBytes(found))]
    NotDna {
        /// What it is.
        kind: InputKind,
        /// The first bytes, at most three.
        found: Vec<u8>,
    },
    /// The path is that of a folder.
    #[error("this is a folder, not a file")]
    Directory,
    /// Something is wrong with a file, see the source.
    #[error("{}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<DnaError>,
    },
    /// The file is of another generation than 2.
    #[error("file version {found} is not supported, supported are 2.1 to 2.8")]
    Generation {
        /// Version in the file.
        found: FileVersion,
    },
    /// A value needs more bytes than its section has left.
    #[error("{place}: {needed} bytes needed, {left} left")]
    Short {
        /// Where the value starts.
        place: Place,
        /// Bytes that the value needs.
        needed: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// A count says more than the bytes left can hold.
    #[error("{place}: a count of {count} needs at least {needed} bytes, {left} left")]
    Count {
        /// Where the count is.
        place: Place,
        /// The count.
        count: u64,
        /// Fewest bytes that so many elements take.
        needed: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// A record with a declared size is shorter than that size.
    #[error("{place}: {surplus} bytes are left over in the record")]
    Surplus {
        /// Where the surplus starts.
        place: Place,
        /// Number of bytes.
        surplus: u64,
    },
    /// A record with a declared end ends before it starts.
    #[error("{place}: the record is said to end at byte {end:#x}, before its start")]
    EndBeforeStart {
        /// Where the end is stored.
        place: Place,
        /// The end.
        end: u64,
    },
    /// An index points to nothing.
    #[error("{place}: {found} found, {expected} expected")]
    Index {
        /// Where the index is.
        place: Place,
        /// The index.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// More LODs than the format allows.
    #[error("{place}: LOD count is {found}, at most 33 allowed")]
    LodCount {
        /// Where the number is.
        place: Place,
        /// The number.
        found: u16,
    },
    /// A section reaches outside of the file.
    #[error(
        "section {section} at byte {offset:#x} with {size} bytes does not fit into the file of {file_size} bytes"
    )]
    SectionOutside {
        /// Name of the section.
        section: String,
        /// Where it starts.
        offset: u64,
        /// Its size, 0 where the file does not tell.
        size: u64,
        /// Size of the file.
        file_size: u64,
    },
    /// Two sections share bytes.
    #[error("section {second} at byte {offset:#x} starts inside {first}")]
    SectionsOverlap {
        /// The section (or the header) that comes first.
        first: String,
        /// The section that starts inside.
        second: String,
        /// Where the second one starts.
        offset: u64,
    },
    /// Two index entries with the same id and version.
    #[error("index entry {entry} repeats layer {section}")]
    DuplicateLayer {
        /// Name of the layer.
        section: String,
        /// Number of the second entry.
        entry: usize,
    },
    /// The three bytes at the end of a 2.1 file are not `AND`.
    #[error("byte {offset:#x}: {} found, `AND` expected after the last section", ShowBytes(found))]
    Trailer {
        /// Where the trailer should be.
        offset: u64,
        /// What is there.
        found: Vec<u8>,
    },
    /// Text is not the JSON form of a DNA.
    #[error("line {line}, column {column}{}: {expected} expected, found `{}`", InPath(path), found.escape_debug())]
    Json {
        /// Line of the text, from 1.
        line: usize,
        /// Byte of the line, from 1.
        column: usize,
        /// Path of the member.
        path: String,
        /// What should be there.
        expected: String,
        /// The text that is there, cut short.
        found: String,
    },
    /// The model holds content for a layer that is not in its layer list, so it would be lost.
    #[error("layer {section} has content but no entry in the layer list of this {version} file")]
    LayerNotListed {
        /// Name of the layer.
        section: String,
        /// Version of the file to write.
        version: FileVersion,
    },
    /// The model holds a value that a file of its version has no place for, so it would be lost.
    #[error("{field} is set, but a {version} file has no place for it")]
    FieldNotInVersion {
        /// Path of the field.
        field: &'static str,
        /// Version of the file to write.
        version: FileVersion,
    },
    /// A LOD was chosen that the file does not have.
    #[error("LOD {found} does not exist, the file has {lod_count}")]
    NoSuchLod {
        /// The LOD.
        found: u16,
        /// Number of LODs in the file.
        lod_count: u16,
    },
    /// An empty list of LODs.
    #[error("no LOD was chosen")]
    NoLodChosen,
    /// The model contradicts itself.
    #[error("{path}: {found} found, {expected} expected")]
    Inconsistent {
        /// Path of the field.
        path: String,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
    },
    /// A typed layer entry whose id or version this crate does not know.
    #[error("layer {section} is marked as typed but is not a known layer")]
    LayerNotKnown {
        /// Name of the layer.
        section: String,
    },
    /// The file would be larger than its 32-bit offsets allow.
    #[error("the file would have {size} bytes, at most {} are possible", u32::MAX)]
    TooLarge {
        /// Size in bytes.
        size: u64,
    },
}

impl DnaError {
    /// What to do about it, where that can be said.
    pub fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            Self::InFile { source, .. } => return source.remedy(),
            Self::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => "check the path",
                io::ErrorKind::PermissionDenied => "ask for the right to read the file",
                _ => return None,
            },
            Self::NotDna { kind, .. } => kind.remedy(),
            Self::Directory => "give the path of a .dna file",
            Self::Generation { .. } => "export the file with a current version of its program",
            Self::Short { .. }
            | Self::Count { .. }
            | Self::Surplus { .. }
            | Self::EndBeforeStart { .. }
            | Self::LodCount { .. }
            | Self::SectionOutside { .. }
            | Self::SectionsOverlap { .. }
            | Self::DuplicateLayer { .. }
            | Self::Trailer { .. } => "the file is cut off or damaged: copy or export it again",
            Self::Index { .. } | Self::Inconsistent { .. } => "see `mhrig validate` for all of it",
            Self::Json { .. } => "compare with what `mhrig convert FILE.dna FILE.json` writes",
            Self::LayerNotListed { .. } | Self::FieldNotInVersion { .. } => "write a later file version",
            Self::NoSuchLod { .. } | Self::NoLodChosen => "choose among the LODs that `mhrig inspect` lists",
            Self::LayerNotKnown { .. } | Self::TooLarge { .. } => return None,
        })
    }
}

/// Where in a file something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Section: the layer id such as `geom`, also for 2.1 files, or `header` or `index`.
    pub section: String,
    /// Field path within the section, such as `meshes[3].positions.xs`; names as in the JSON form.
    pub path: String,
    /// Byte offset in the file.
    pub offset: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        write!(f, "{}{dot}{} at byte {:#x}", self.section, self.path, self.offset)
    }
}

struct InPath<'a>(&'a str);

impl fmt::Display for InPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " ({})", self.0) }
    }
}

struct ShowBytes<'a>(&'a [u8]);

impl fmt::Display for ShowBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("nothing"),
            bytes => write!(f, "`{}`", bytes.escape_ascii()),
        }
    }
}
