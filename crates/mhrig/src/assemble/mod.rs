//! From a head and a body DNA to one rig: described as data, written as a scene, proven to move.

mod board;
mod counts;
mod describe;
mod evaluate;
mod expressions;
mod external;
mod eyes;
mod geometry;
mod input;
mod names;
mod origins;
mod paths;
mod raw_drives;
mod rig_logic;
mod rows;
mod seam;
mod skeleton;
#[cfg(test)]
mod tests;
mod verify;
mod viewer;

use std::io;
use std::path::{Path, PathBuf};

use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{RigGlbContent, RigLogicKind, RigScene, SceneError, UpAxis, write_rig_glb, write_rig_ma};
use serde::Serialize;

use crate::build::ArchetypeId;
use crate::files::OutputSet;
use crate::person::load_archetype;
use crate::report::{Blame, Recorder, Report, Stop, TOOL};
use describe::{DescribeOptions, Described, describe};
use input::{RigPart, read_parts};
use names::Namespace;
use paths::{NodePaths, find_files, node_paths, staging_beside};

pub use counts::AssembleCounts;
pub use external::{ExternalBoard, FaceBoard, FaceBoardDetails};
pub use paths::{StagedCopies, StagedDna};
pub use raw_drives::{DriveNetwork, RawDrive};
pub use seam::SeamLine;
pub use verify::{AGREEMENT_CM, JawOpen, MeshAgreement, SeamMotion, Verification};
pub use viewer::ViewerDetails;

/// Asks for the rig of a character.
#[derive(Clone, Debug)]
pub struct AssembleRequest {
    /// The head, the body, or both in this order. Variables of the environment are put in (`$NAME`, `${NAME}`, `%NAME%`);
    /// the nodes keep such a path as it is given, so that the scene can be moved.
    pub files: Vec<PathBuf>,
    /// The archetype that they were built on: says which vertices of the two necks belong together, and what the
    /// files have to hold.
    pub archetype: Option<PathBuf>,
    /// Where to write: `.ma` or `.glb` by its suffix.
    pub output: PathBuf,
    /// Where to write a page that shows the character and moves its face; none where that is absent.
    pub viewer: Option<PathBuf>,
    /// Namespace of all names, so that two characters fit into one scene.
    pub namespace: Option<String>,
    /// The up axis of the scene; that of the files where none is given.
    pub up_axis: Option<UpAxis>,
    /// The oldest Maya that should open the scene: its year.
    pub maya_version: u16,
    /// Which node evaluates the DNA files in Maya.
    pub rig_logic: RigLogicKind,
    /// Which face board the rig gets.
    pub face_board: FaceBoard,
    /// Folder of the scene, where relative paths of `files` start, and stay as they are given; the working folder where
    /// none is given.
    pub scene_folder: Option<PathBuf>,
    /// Folder for copies of files whose path Epic's node cannot open. Where none is given, a scene that is written gets a
    /// folder `dna` beside it, unless that could not be opened either: then there is a warning instead.
    pub staging: Option<PathBuf>,
    /// Whether the description is evaluated and compared with the DNA files before anything is written.
    pub verify: bool,
    /// Whether existing files may be replaced.
    pub force: bool,
}

impl Default for AssembleRequest {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            archetype: None,
            output: PathBuf::new(),
            viewer: None,
            namespace: None,
            up_axis: None,
            maya_version: 2024,
            rig_logic: RigLogicKind::default(),
            face_board: FaceBoard::Own,
            scene_folder: None,
            staging: None,
            verify: false,
            force: false,
        }
    }
}

/// What an assembly has to say.
#[derive(Clone, Debug, Serialize)]
pub struct AssembleDetails {
    /// Which archetype was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archetype: Option<ArchetypeId>,
    /// How much of everything the scene holds.
    pub counts: AssembleCounts,
    /// Largest distance between the places that head and body give a shared joint, cm.
    pub shared_gap_cm: f64,
    /// The border of head and body, LOD by LOD.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seam: Vec<SeamLine>,
    /// How the description moves, compared with the DNA files; absent when that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// The face board, where it is not our own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub face_board: Option<FaceBoardDetails>,
    /// What a glTF file holds; absent for other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glb: Option<GlbDetails>,
    /// What the viewer page holds; absent when none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer: Option<ViewerDetails>,
    /// Size of the scene in bytes.
    pub bytes: u64,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

/// What a glTF file of a rig holds, and what it could not hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GlbDetails {
    /// Expressions that are morph targets.
    pub morph_targets: usize,
    /// Vertices with more than the four influences that every viewer knows.
    pub pruned_vertices: usize,
    /// The largest weight of one vertex that was left out.
    pub largest_pruned_weight: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    MayaAscii,
    Glb,
}

/// A described rig, for a host that builds it itself.
#[derive(Clone, Debug, Serialize)]
pub struct RigDescription {
    /// What an assembly has to say.
    #[serde(flatten)]
    pub details: AssembleDetails,
    /// The description.
    #[serde(skip)]
    pub scene: RigScene,
    /// The face board that the host has to put in, where it is not in the description.
    #[serde(skip)]
    pub external: Option<ExternalBoard>,
    /// Copies of DNA files that Epic's nodes read, to be made before the nodes are.
    #[serde(skip)]
    pub staged: Vec<StagedDna>,
}

/// Assembles the rig of a character and writes it.
pub fn assemble(request: &AssembleRequest, job: Job<'_>) -> Report<AssembleDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, request.verify)
}

/// Describes the rig of a character and writes nothing: what a host makes nodes of. Paths to the DNA files are as seen
/// from where the request's output would be.
pub fn describe_rig(request: &AssembleRequest, job: Job<'_>) -> Report<RigDescription> {
    let mut recorder = Recorder::new(job);
    let result = check_request(request).and_then(|()| {
        let Prepared { described, details, external, staged, .. } = prepare(request, &mut recorder)?;
        Ok(RigDescription { details, scene: described.scene, external, staged })
    });
    recorder.finish(result, request.verify)
}

fn run(request: &AssembleRequest, recorder: &mut Recorder<'_>) -> Result<AssembleDetails, Stop> {
    let format = format_of(&request.output)?;
    check_request(request)?;
    if request.face_board != FaceBoard::Own {
        return Err(usage(
            "FACE_BOARD",
            request.output.display().to_string(),
            "only Maya can put the board of MetaHuman for Maya into a rig",
            "use mhAssemble there, or the face board of our own",
        ));
    }
    let mut outputs = OutputSet::new(request.force);
    outputs.check_targets(
        [Some(&request.output), request.viewer.as_ref()].into_iter().flatten().map(PathBuf::as_path),
    )?;
    // What Epic's node cannot open gets a copy beside the scene.
    let staging = match format {
        Format::MayaAscii => request.staging.clone().or_else(|| staging_beside(&request.output)),
        Format::Glb => None,
    };
    let request = &AssembleRequest { staging, ..request.clone() };
    let Prepared { described, mut details, parts, staged, .. } = prepare(request, recorder)?;
    let content = match format {
        Format::MayaAscii => None,
        Format::Glb => Some(recorder.stage("expressions", |_, job| {
            let namespace = Namespace::new(request.namespace.as_deref());
            let morphs = expressions::expressions(&described, &parts, &namespace, 0, job)?;
            Ok(RigGlbContent { lod: 0, morphs })
        })?),
    };
    let page = match &request.viewer {
        Some(_) => {
            let page = |findings: &mut _, job| viewer::viewer_page(&described, &parts, findings, job);
            Some(recorder.stage("viewer", page)?)
        }
        None => None,
    };
    drop(parts);
    details.outputs = recorder.stage("write", |findings, job| {
        let added = outputs.add(&request.output, |file| {
            let mut counted = Counted { out: file, bytes: 0 };
            match &content {
                None => write_rig_ma(&mut counted, &described.scene, job).map_err(into_io)?,
                Some(content) => {
                    let report =
                        write_rig_glb(&mut counted, &described.scene, content, job).map_err(into_io)?;
                    details.glb = Some(GlbDetails {
                        morph_targets: content.morphs.len(),
                        pruned_vertices: report.pruned_vertices,
                        largest_pruned_weight: report.largest_pruned_weight,
                    });
                    if report.is_sweep_left_out {
                        findings.push(no_sweep(&request.output, content.morphs.len()));
                    }
                }
            }
            details.bytes = counted.bytes;
            Ok(())
        });
        // a writer that was told to stop says so as a failure to write
        job.check()?;
        added?;
        if let (Some(page), Some(target)) = (&page, &request.viewer) {
            outputs.add(target, |file| {
                let mut counted = Counted { out: file, bytes: 0 };
                page.write(&mut counted)?;
                details.viewer = Some(ViewerDetails { bytes: counted.bytes, ..page.details });
                Ok(())
            })?;
        }
        let copies = StagedCopies::make(&staged)?;
        let mut written = outputs.commit()?;
        copies.keep();
        written.extend(staged.iter().map(|copy| copy.to.clone()));
        Ok::<_, Stop>(written)
    })?;
    Ok(details)
}

fn no_sweep(output: &Path, expressions: usize) -> Finding {
    let message = format!("an animation of {expressions} expressions would be too large; the file has none");
    let place = output.display().to_string();
    Finding::new("GLB_WITHOUT_SWEEP", Severity::Info, place, message, "nothing to do")
}

/// A description before it is written.
struct Prepared {
    described: Described,
    details: AssembleDetails,
    parts: Vec<RigPart>,
    external: Option<ExternalBoard>,
    staged: Vec<StagedDna>,
}

/// Reads, describes and proves.
fn prepare(request: &AssembleRequest, recorder: &mut Recorder<'_>) -> Result<Prepared, Stop> {
    let archetype = match &request.archetype {
        Some(dir) => Some(load_archetype(dir, recorder)?),
        None => None,
    };
    let files = find_files(request)?;
    let (parts, NodePaths { paths: dna_paths, staged }) = recorder.stage("read", |findings, job| {
        let found: Vec<PathBuf> = files.iter().map(|file| file.file.clone()).collect();
        let parts = read_parts(&found, archetype.as_ref(), findings, job)?;
        let paths = node_paths(&parts, &files, request, findings)?;
        Ok::<_, Stop>((parts, paths))
    })?;
    let resources = match &request.face_board {
        FaceBoard::Own => None,
        FaceBoard::Mh4m(search) => Some(
            recorder
                .stage("face board", |findings, job| external::resources(&parts, search, findings, job))?,
        ),
    };
    let options = DescribeOptions {
        namespace: request.namespace.clone(),
        up_axis: request.up_axis,
        maya_version: request.maya_version,
        rig_logic: request.rig_logic,
        dna_paths,
        is_board_external: resources.is_some(),
        metadata: metadata(&parts, archetype.as_ref().map(ArchetypeId::of).as_ref()),
    };
    let described = recorder
        .stage("describe", |findings, job| describe(&parts, archetype.as_ref(), &options, findings, job))?;
    let external = match resources {
        Some(resources) => Some(external::external_board(&described, resources)?),
        None => None,
    };
    let counts = AssembleCounts::of(&described, &parts);
    counts.check(&described, &parts)?;
    let verification = match request.verify {
        true => Some(recorder.stage("verify", |findings, job| {
            let namespace = Namespace::new(request.namespace.as_deref());
            verify::verify(&described, &parts, &namespace, findings, job)
        })?),
        false => None,
    };
    recorder.stop_on_errors()?;
    let details = AssembleDetails {
        archetype: archetype.as_ref().map(ArchetypeId::of),
        counts,
        shared_gap_cm: described.shared_gap_cm,
        seam: described.seam.lines.clone(),
        verification,
        face_board: external.as_ref().map(FaceBoardDetails::from),
        glb: None,
        viewer: None,
        bytes: 0,
        outputs: Vec::new(),
    };
    Ok(Prepared { described, details, parts, external, staged })
}

/// A writer that knows how much went through it.
struct Counted<'a> {
    out: &'a mut dyn io::Write,
    bytes: u64,
}

impl io::Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn into_io(error: SceneError) -> io::Error {
    match error {
        SceneError::Write(error) => error,
        error => io::Error::other(error),
    }
}

fn format_of(output: &Path) -> Result<Format, Stop> {
    let suffix = output.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default().to_lowercase();
    match suffix.as_str() {
        "ma" => Ok(Format::MayaAscii),
        "glb" => Ok(Format::Glb),
        _ => Err(usage(
            "OUTPUT_FORMAT",
            output.display().to_string(),
            "the suffix says no format that a rig is written in",
            "end the name in .ma or .glb",
        )),
    }
}

fn check_request(request: &AssembleRequest) -> Result<(), Stop> {
    if !(1..=2).contains(&request.files.len()) {
        return Err(usage(
            "PART_COUNT",
            format!("{} files", request.files.len()),
            "a character is a head, a body, or both",
            "give HEAD.dna, BODY.dna, or HEAD.dna BODY.dna",
        ));
    }
    if let Some(name) = &request.namespace
        && (name.contains(':') || !mhrig_scene::is_node_name(name))
    {
        return Err(usage(
            "NAMESPACE",
            format!("{name:?}"),
            "this is no namespace",
            "use letters, digits and underscores, not beginning with a digit",
        ));
    }
    if request.face_board != FaceBoard::Own {
        return check_external(request);
    }
    Ok(())
}

/// What the board of MetaHuman for Maya does not go together with.
fn check_external(request: &AssembleRequest) -> Result<(), Stop> {
    if request.namespace.is_some() {
        return Err(usage(
            "BOARD_NAMESPACE",
            "request".to_owned(),
            "the assemble script of MetaHuman for Maya finds nodes by their names and knows no namespace",
            "leave --namespace out, or use the face board of our own",
        ));
    }
    if request.verify {
        return Err(usage(
            "BOARD_VERIFY",
            "request".to_owned(),
            "a description without its face board cannot be compared with the DNA files",
            "leave --verify out, or use the face board of our own",
        ));
    }
    Ok(())
}

fn usage(code: &'static str, place: String, message: &str, remedy: &str) -> Stop {
    Stop::Blamed(Finding::new(code, Severity::Error, place, message, remedy), Blame::Usage)
}

/// Who made the scene from what.
fn metadata(parts: &[RigPart], archetype: Option<&ArchetypeId>) -> Vec<(String, String)> {
    let mut pairs = vec![("mhrigTool".to_owned(), format!("{} {}", TOOL.name, TOOL.version))];
    if let Some(archetype) = archetype {
        pairs.push(("mhrigArchetype".to_owned(), archetype.name.clone()));
        pairs.push(("mhrigArchetypeHash".to_owned(), archetype.hash.clone()));
    }
    for part in parts {
        let title = if part.kind == mhrig_archetype::PartKind::Head { "Head" } else { "Body" };
        let file = part.file().file_name().unwrap_or_default().to_string_lossy().into_owned();
        pairs.push((format!("mhrig{title}File"), file));
        pairs.push((format!("mhrig{title}Hash"), part.hash.clone()));
        pairs.push((format!("mhrig{title}Rig"), part.dna.descriptor.db_name.to_string()));
    }
    pairs
}
