//! A stand-in for Maya, for tests.
//!
//! The C++ in `cpp/` implements the part of the API that `devkit-bindings/include` declares on top of a small but
//! real scene, and a host program that reads MEL from its standard input. [`build()`] compiles both for one Maya year,
//! [`Host`] runs the program and talks to it. The compiler is the one the `cc` crate finds; nothing of Maya's is
//! needed. Linux only.
//!
//! What the stand-in cannot show: a mistake that the headers and it share. The tests of symbol names, and
//! `devkit-bindings/devkit-check` for whoever has a devkit, exist for that.
#![forbid(unsafe_code)]

mod build;
mod host;
mod mesh;

pub use build::{BuildError, EpicRelease, FakeMaya, YEARS, build};
pub use host::{Host, Reply, mel_string};
pub use mesh::MeshDump;
