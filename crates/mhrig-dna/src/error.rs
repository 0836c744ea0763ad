use std::fmt;
use std::io;

use crate::FileVersion;

/// Why bytes could not be read as a DNA, or a DNA could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DnaError {
    /// The input or output failed.
    #[error("input or output failed")]
    Io(#[from] io::Error),
    /// The first three bytes are not `DNA`.
    #[error("not a DNA file: it starts with {} instead of `DNA`", ShowBytes(found))]
    Signature {
        /// The first bytes, at most three.
        found: Vec<u8>,
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

struct ShowBytes<'a>(&'a [u8]);

impl fmt::Display for ShowBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("nothing"),
            bytes => write!(f, "`{}`", bytes.escape_ascii()),
        }
    }
}
