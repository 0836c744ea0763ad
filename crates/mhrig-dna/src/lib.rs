//! MetaHuman DNA files: bytes to model and back, without Maya and without a library of anybody else.
//!
//! * All versions from 2.1 to 2.8. A later one opens as far as its layers are known; the rest is kept.
//! * Two forms: [`Dna`], the owned model of a whole file, whose field names are those of the reference library's JSON
//!   in snake case, and [`DnaView`], a borrowed view of bytes in memory that checks a layer at its first access.
//! * Nothing is lost: everything a file holds survives a read and a write byte for byte, layers this crate does not
//!   know included. What a filter or a lower version leaves out is named.
//! * Nothing is believed: sizes are checked before memory is taken for them, and an error says section, field and
//!   offset. Indices are checked when asked for ([`ReadOptions::with_checked_indices`], [`Dna::validate`]).
//!
//! # Read, look, change, write
//!
//! ```
//! use mhrig_dna::{Dna, FileVersion, Vectors3};
//!
//! // A file with one joint; `Dna::read_file` gives that of a file on disk.
//! let mut dna = Dna::new(FileVersion::new(5));
//! dna.definition.joint_names.push("root".into());
//! dna.definition.joint_hierarchy.push(0);
//! dna.definition.neutral_joint_translations = Vectors3::from_vectors(&[[0.0, 90.0, 0.0]]);
//! dna.definition.neutral_joint_rotations = Vectors3::from_vectors(&[[0.0; 3]]);
//!
//! let bytes = dna.to_bytes()?;
//! let again = Dna::from_bytes(&bytes)?;
//! assert_eq!(again, dna);
//! assert_eq!(again.world_joint_positions(), [[0.0, 90.0, 0.0]]);
//! # Ok::<(), mhrig_dna::DnaError>(())
//! ```
//!
//! # Look without reading all of it
//!
//! A view opens in no time, whatever the size of the file; arrays stay where they are.
//!
//! ```
//! # use mhrig_dna::{Dna, FileVersion};
//! use mhrig_dna::DnaView;
//!
//! # let mut dna = Dna::new(FileVersion::new(5));
//! # dna.definition.mesh_names.push("head_lod0_mesh".into());
//! # dna.geometry.meshes.push(Default::default());
//! # let bytes = dna.to_bytes()?;
//! let view = DnaView::open(&bytes)?;
//! for (mesh, name) in view.geometry()?.meshes.iter().zip(&view.definition()?.mesh_names) {
//!     println!("{name}: {} vertices", mesh.positions.len());
//! }
//! # Ok::<(), mhrig_dna::DnaError>(())
//! ```
//!
//! # As JSON, in part, in another version
//!
//! ```
//! use mhrig_dna::{Dna, FileVersion, JsonStyle, LaterLayers, LayerSelection};
//!
//! # let mut dna = Dna::new(FileVersion::new(5));
//! # dna.rbf_behavior.poses.push(Default::default());
//! let text = dna.to_json(JsonStyle::Exact)?;
//! assert_eq!(Dna::from_json(&text)?, dna);
//!
//! let mut names_only = dna.clone();
//! names_only.select_layers(LayerSelection::DEFINITION);
//!
//! let change = dna.set_version(FileVersion::new(1), LaterLayers::Drop);
//! assert_eq!(change.lost[0].name, "rbfb");
//! # Ok::<(), mhrig_dna::DnaError>(())
//! ```
//!
//! # What is wrong with it, what is different
//!
//! ```
//! use mhrig_dna::{DiffOptions, Dna, FileVersion, Target, ValidateOptions};
//!
//! let before = Dna::new(FileVersion::new(5));
//! let mut after = before.clone();
//! after.definition.joint_names.push("root".into());
//!
//! let options = ValidateOptions::default().with_target(Target::Unreal);
//! for finding in after.validate(&options) {
//!     println!("{finding}");
//! }
//! assert_eq!(before.diff(&after, &DiffOptions::default()).counts[0].what, "joints");
//! ```
//!
//! The folder `examples` has programs that do these things with files: `open_view`, `list_joints`, `edit_and_write`,
//! `filter`. The command line `mhrig` does all of it: `inspect`, `validate`, `diff`, `convert`.
#![forbid(unsafe_code)]

mod container;
mod controls;
mod counts;
mod diff;
mod error;
mod filter;
mod input;
mod joints;
mod json;
mod layers;
mod model;
mod record;
mod sizes;
mod text;
mod twist_swing;
mod validate;
mod version;
mod view;
mod wire;

pub use container::{ReadNote, ReadOptions, UnknownLayers};
pub use controls::{
    ATTRIBUTE_NAMES, ChannelEffect, ControlEffects, ControlInfo, ControlKind, ControlLabel, JointEffect,
    MapEffect,
};
pub use counts::Count;
pub use diff::{
    BehaviorDiff, CountDiff, DiffOptions, DnaDiff, JointMove, JointsDiff, MeshDiff, NamesDiff, OtherDiff,
    TargetDiff, ValueDiff,
};
pub use error::{DnaError, Place};
pub use filter::{LayerSelection, LodMode, LodReport, LodSelection};
pub use input::InputKind;
pub use json::JsonStyle;
pub use layers::{LayerKind, MAX_LOD_COUNT};
pub use model::*;
pub use sizes::LayerSize;
pub use text::Text;
pub use validate::{AgainstOptions, DnaFinding, DnaSeverity, Retained, Retention, Target, ValidateOptions};
pub use version::{LaterLayers, Lost, VersionChange};
pub use view::{
    BehaviorView, BigEndian, BigEndianSlice, BlendShapeTargetView, DnaView, FacesView, GeometryView,
    JointGroupView, JointsView, LayerExtent, MeshView, SkinWeightsView, TextureCoordinatesView, Vectors3View,
    VertexLayoutsView, VertexSkinWeightsView,
};
