//! The Maya plug-in.
//!
//! `cpp/` holds a shim that registers commands and answers questions about the scene; what the commands are and do
//! stands here, on top of the facade `mhrig`. All unsafe code is in `bridge`, whose head states the policy.
//! [`docs()`] is the reference of all commands, made from the tables that also make Maya's syntax objects and the
//! text of `-help`.
#![deny(unsafe_code, unsafe_op_in_unsafe_fn)]

mod assemble_script;
mod assembly;
#[allow(unsafe_code, reason = "the border to C++; the policy is at the head of the module")]
mod bridge;
mod commands;
mod epic_nodes;
mod face_board;
mod flags;
mod job;
mod joints;
mod messages;
mod names;
mod rig_node;
mod root_namespace;
mod scene;
mod units;

pub use commands::{COMMANDS, docs};
pub use flags::{CommandTable, Flag, Kind};

/// The Maya year that this build is for.
pub const YEAR: &str = maya_sys::YEAR;
