use std::fmt;

use crate::FileVersion;

/// Something about a file that is no error but that a reader may want to know, since a rewrite does not keep it or
/// since not everything in it is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadNote {
    /// Bytes that belong to no section.
    Gap {
        /// Where they start.
        offset: u64,
        /// How many they are.
        size: u64,
    },
    /// Bytes after the end.
    Trailing {
        /// Where they start.
        offset: u64,
        /// How many they are.
        size: u64,
    },
    /// Bytes after the known fields of a layer; they are kept.
    Surplus {
        /// Name of the layer.
        layer: String,
        /// How many they are.
        size: u64,
    },
    /// Bodies, or offsets of empty ones, are not where writers put them; a rewrite does.
    Order,
    /// A layer that is kept as bytes.
    UnknownLayer {
        /// Name of the layer.
        layer: String,
        /// Size of its body.
        size: u64,
    },
    /// A later version than this crate knows.
    NewerVersion {
        /// Version of the file.
        found: FileVersion,
    },
}

impl ReadNote {
    /// Whether a rewrite gives other bytes.
    pub fn is_lost_on_rewrite(&self) -> bool {
        matches!(self, Self::Gap { .. } | Self::Trailing { .. } | Self::Order)
    }
}

impl fmt::Display for ReadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gap { offset, size } => {
                write!(f, "{size} bytes at byte {offset:#x} belong to no section and are not kept")
            }
            Self::Trailing { offset, size } => {
                write!(f, "{size} bytes after the end of the DNA at byte {offset:#x} are not kept")
            }
            Self::Surplus { layer, size } => {
                write!(f, "{size} bytes after the known fields of layer {layer} are kept as they are")
            }
            Self::Order => {
                f.write_str("offsets are not those of the order of the index; a rewrite makes them so")
            }
            Self::UnknownLayer { layer, size } => {
                write!(f, "layer {layer} ({size} bytes) is not known and kept as it is")
            }
            Self::NewerVersion { found } => write!(
                f,
                "version {found} is newer than the supported 2.1 to 2.8; what is known of it was read"
            ),
        }
    }
}
