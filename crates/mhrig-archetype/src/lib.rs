//! The archetype folder: settings, mapping tables, template DNA, hash.
//!
//! ```text
//! <archetype>/rig.json                       ArchetypeSettings
//! <archetype>/head.dna, body.dna             template DNA of each part (names in rig.json; either may be absent)
//! <archetype>/vertex_joint_mapping/<mesh>.csv   MappingRow per line
//! <archetype>/<seam file>                    SeamPair per line
//! <archetype>/expressions.json               optional
//! ```
//!
//! Nothing here knows a rig by name: everything is found through the settings and the DNA files.
#![forbid(unsafe_code)]

mod archetype;
mod consistency;
mod mapping;
mod seam;
mod settings;

pub use archetype::{Archetype, Part, PartKind, hash_file};
pub use mapping::{parse_mapping, write_mapping};
/// The archetype's rules are those that joints are placed by.
pub use mhrig_fit::{ChainRule, EyeRule, MappingRow, MappingTable};
pub use seam::{SeamPair, parse_seam, write_seam};
pub use settings::{ArchetypeSettings, PartSettings, Pruning, SeamSettings};

/// Name of the settings file.
pub const SETTINGS_FILE: &str = "rig.json";
/// Name of the folder with mapping tables.
pub const MAPPING_FOLDER: &str = "vertex_joint_mapping";
/// Name of the optional file with what a DNA cannot hold about expressions.
pub const EXPRESSIONS_FILE: &str = "expressions.json";
