//! MetaHuman DNA files: bytes to model and back, without Maya.
//!
//! [`Dna`] is the owned model of a whole file; its field names are those of the reference library's JSON, in
//! snake case. Everything a file holds survives a read and a write byte for byte, layers this crate does not
//! know included.
#![forbid(unsafe_code)]

mod container;
mod error;
mod layers;
mod model;
mod text;
mod wire;

pub use container::{ReadOptions, UnknownLayers};
pub use error::{DnaError, Place};
pub use layers::{LayerKind, MAX_LOD_COUNT};
pub use model::*;
pub use text::Text;
