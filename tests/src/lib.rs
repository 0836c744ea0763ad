//! Support for tests of whole programs: the plug-in in the stand-in host.
#![forbid(unsafe_code)]

mod cli;
mod dna;
mod plugin;
mod session;
mod symbols;

pub use cli::{cli_options, cli_values};
pub use dna::{drive_joint, drive_raw_control, write_epic_names};
pub use plugin::{Plugin, first_and_last_plugin, plugins};
pub use session::{Demo, Session};
pub use symbols::{Symbols, with_year_left_open};
