//! The facade: one request, one report per job.
//!
//! A job takes a request and a [`Job`] (whom to tell of progress, when to stop) and always returns a [`Report`]:
//! how it ended, what was noticed, how long each stage took, and what the job has to say. Jobs write files whole or
//! not at all, and replace existing ones only when the request says so.
//!
//! ```no_run
//! use mhrig::{BuildRequest, Cancel, Job, MeshSource, Silent, Status};
//!
//! let request = BuildRequest {
//!     archetype: "demo/archetype".into(),
//!     meshes: MeshSource::files(["demo/character"]),
//!     out_dir: "out".into(),
//!     name: "mary".into(),
//!     ..BuildRequest::default()
//! };
//! let report = mhrig::build(&request, Job { progress: &Silent, cancel: &Cancel::default() });
//! assert_eq!(report.status, Status::Ok);
//! ```
#![forbid(unsafe_code)]

mod assemble;
mod batch;
mod build;
mod calib;
mod check;
mod convert;
mod demo;
mod diff;
mod dna_file;
mod eval;
mod expressions;
mod files;
mod fit;
mod held;
mod inspect;
mod joints_csv;
mod live;
mod lods;
mod looks;
mod meshes;
mod mh4m;
mod motion;
mod parts;
mod people;
mod person;
mod placing;
mod pose;
mod posing;
mod record;
mod repair;
mod report;
mod row_cache;
mod run_lock;
mod scene_path;
mod sculpts;
mod sweep;
mod text_table;
mod topology;
mod validate;
mod weights;

pub use assemble::{
    AGREEMENT_CM, AssembleCounts, AssembleDetails, AssembleRequest, DriveNetwork, ExternalBoard, FaceBoard,
    FaceBoardDetails, GlbDetails, JawOpen, MeshAgreement, RawDrive, RigDescription, SeamLine, SeamMotion,
    StagedCopies, StagedDna, Verification, ViewerDetails, assemble, describe_rig,
};
pub use batch::{BatchDetails, BatchRequest, PersonLine, PersonStatus, Shard, batch};
pub use build::{ArchetypeId, BuildDetails, BuildRequest, PartResult, build};
pub use calib::{CalibDetails, CalibRequest, CountChange, EngineChoice, calib};
pub use check::{CheckDetails, CheckRequest, check};
pub use convert::{ConvertDetails, ConvertRequest, DroppedContent, KeptLods, convert};
pub use demo::{
    DEFAULT_IDENTITY, DemoDetails, DemoRequest, FullSizeRequest, demo, demo_build, demo_identities,
    full_size_demo,
};
pub use diff::{
    BehaviorDifference, CountDifference, DiffDetails, DiffRequest, JointDifference, JointsDifference,
    LayerDifference, MeshDifference, NamesDifference, TargetDifference, ValueDifference, diff,
};
pub use eval::{EvalDetails, EvalRequest, FrameSource, eval};
pub use files::OutputSet;
pub use fit::{FitDetails, FitRequest, fit};
pub use held::{UserJoints, parse_place};
pub use inspect::{
    ControlSources, ControlUses, InspectChannel, InspectControl, InspectCorrective, InspectCount,
    InspectDetails, InspectExpression, InspectGuiRow, InspectJoint, InspectJointValues, InspectLod,
    InspectMap, InspectMesh, InspectPart, InspectPose, InspectRequest, InspectSize, InspectSolver,
    InspectView, WeightedControl, inspect,
};
pub use joints_csv::{Truth, parse_joints_csv, write_joints_csv};
pub use live::{LiveOutputs, LiveRig};
pub use lods::{LodPart, LodsBody, LodsDetails, LodsRequest, lods};
pub use meshes::MeshSource;
pub use mh4m::{Mh4mCandidate, Mh4mResources, Mh4mSearch};
pub use mhrig_calib::expressions::{ExpressionMode, JointMatch, RecalculateReport};
pub use mhrig_calib::{
    LodMeshReport, Moved, NormalChange, Retained, Retention, SeamReport, WeightPolicy, WeightReport,
};
pub use mhrig_dna::{FileVersion, LayerSelection, Target as DnaTarget};
pub use mhrig_fit::Fix;
pub use mhrig_fit::{
    AccuracyTable, FitOptions, MappingEffect, MeshCheck, MeshRole, PartDistance, Statistics, StrategySet,
};
pub use mhrig_geom::{Mesh, Polygons, UvSet};
pub use mhrig_report::{Cancel, Cancelled, Finding, Job, Progress, Refused, Severity, Silent};
pub use mhrig_rig::{
    ControlMotion, FrameControls, MeshMotion, RbfPoseWeight, RigOptions, RotationOutput, Semantics, Stretch,
};
pub use mhrig_scene::{
    BrokenMesh, Connection, MeshTransform, NamingPatterns, Plug, ReadOptions, RigLogicKind, RigLogicNode,
    RigMesh, RigScene, RigStage, RigStatements, SceneMesh, SceneMeshes, SkinCluster, TransformNode, UpAxis,
    Wire, network_statements, rig_statements, transform_statements,
};
pub use mhrig_synth::Orient;
pub use mhrig_view::{Shading, View};
pub use motion::MotionProof;
pub use parts::Parts;
pub use placing::{FilledReport, JointLine, StrategyCount};
pub use pose::{Focus, PictureOptions, PoseDetails, PoseRequest, pose};
pub use record::{FileHash, RunRecord};
pub use repair::{RepairDetails, RepairRequest, RepairedReport, repair};
pub use report::{Blame, Report, StageTime, Status, Stop, TOOL, Tool};
pub use scene_path::scene_path;
pub use sculpts::{SculptReport, SculptSource, SculptsDone, parse_sculpt};
pub use sweep::{SweepDetails, SweepRequest, sweep};
pub use text_table::TextTable;
pub use validate::{
    FindingCounts, KeptOfTemplate, TemplateRetention, ValidateDetails, ValidateRequest, validate,
};
