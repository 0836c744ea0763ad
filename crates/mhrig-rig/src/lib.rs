//! A DNA as a rig: its neutral pose as geometry, and its evaluation.
#![forbid(unsafe_code)]

mod neutral;

pub use neutral::{Neutral, NeutralError, NeutralMesh};
