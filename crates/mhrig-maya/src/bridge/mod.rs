//! The border to C++: the only place with unsafe code.
//!
//! # Policy
//! * The shim owns every object of Maya's; Rust holds opaque handles and gives them back to the shim.
//! * Every function that C++ calls goes through [`guard()`]: a panic becomes a message and a failure.
//! * Commands are called on Maya's main thread; nodes (module `node`) on any, one call at a time each. [`Host`] and what comes from it are neither `Send` nor `Sync`, so
//!   threads of a job cannot reach it.
//!
//! Sentences that the `SAFETY` comments use:
//! * **table**: the shim passes a pointer to its `kHost`, a constant that lives as long as the plug-in.
//! * **handle**: the handle came from the shim and was not given back yet; its owner gives it back once, when dropped.
//! * **text**: the shim's texts are valid until the call returns, and are copied before that.
//! * **sink**: the shim calls the sink, before it returns, with the context it was given.

mod abi;
mod entry;
mod guard;
mod host;
mod node;

pub(crate) use abi::{INTERMEDIATE, MESH, TRANSFORM};
pub(crate) use entry::Undoable;
pub(crate) use host::{Arguments, Edits, Host, Level, NewMesh, ProgressBar, RawMesh};
