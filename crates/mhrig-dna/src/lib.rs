//! MetaHuman DNA files: bytes to model and back, without Maya.
//!
//! [`Dna`] is the owned model of a whole file; its field names are those of the reference library's JSON, in
//! snake case. Everything a file holds survives a read and a write byte for byte, layers this crate does not
//! know included.
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
