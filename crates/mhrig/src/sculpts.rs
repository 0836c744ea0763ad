//! Sculpts that are written back into a DNA.

use std::path::{Path, PathBuf};

use mhrig_calib::expressions::{
    ExpressionRig, ExpressionSettings, MatchOptions, RecalculateOptions, RecalculateReport, WholeSculpt,
    recalculate, sculpt_edits,
};
use mhrig_calib::{CalibError, FileFrame};
use mhrig_dna::Dna;
use mhrig_report::{Finding, Job, Severity};
use mhrig_rig::{Neutral, NeutralMesh};
use mhrig_scene::{ReadOptions, SceneError, SceneMesh, read_inputs};
use serde::Serialize;

use crate::calib::edit_stop;
use crate::report::{Blame, Stop};

/// A sculpt of one expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SculptSource {
    /// The expression: a raw control, a corrective (`jawOpen+smile`), or a name of the expressions file.
    pub expression: String,
    /// A file with its meshes, posed as the expression is to look when it is fully on, under their names.
    pub file: PathBuf,
}

/// Reads `NAME=FILE`.
pub fn parse_sculpt(text: &str) -> Option<SculptSource> {
    let (name, file) = text.split_once('=')?;
    let (expression, file) = (name.trim().to_owned(), PathBuf::from(file));
    let is_whole = !expression.is_empty() && !file.as_os_str().is_empty();
    is_whole.then_some(SculptSource { expression, file })
}

/// What one sculpt asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SculptReport {
    /// The expression.
    pub expression: String,
    /// The meshes that were sculpted.
    pub meshes: Vec<String>,
    /// How many of their vertices are elsewhere than before.
    pub moved: usize,
    /// How far at most, cm.
    pub largest_cm: f64,
}

/// What came of writing sculpts back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SculptsDone {
    /// What was asked for, sculpt by sculpt.
    pub asked: Vec<SculptReport>,
    /// What it took.
    pub recalculated: RecalculateReport,
}

/// A sculpt is unchanged when no vertex is further away than this, cm: text files are written with so many decimals.
const UNCHANGED_CM: f64 = 1e-4;

/// Gives expressions of `dna`, which was read from `place`, the sculpts of some files.
pub(crate) fn write_back(
    dna: &mut Dna,
    place: &Path,
    sources: &[SculptSource],
    settings: &ExpressionSettings,
    match_joints: bool,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<SculptsDone, Stop> {
    let failed = |error: CalibError| edit_stop(place, &error);
    let settings = settings.of_rig(dna);
    let rig = ExpressionRig::from_dna(dna, &settings, &job).map_err(failed)?;
    let neutral = Neutral::from_dna(dna).map_err(|error| {
        let remedy = "`mhrig validate` says what is wrong with the file";
        Finding::new("DNA_NEUTRAL", Severity::Error, place.display().to_string(), error.to_string(), remedy)
    })?;
    for source in sources {
        if !knows(&rig, &settings, &source.expression) {
            return Err(unknown(&rig, &settings, &source.expression));
        }
    }
    let frame = FileFrame::of(&dna.descriptor);
    let mut wholes = Vec::new();
    for source in sources {
        job.check()?;
        wholes.push(WholeSculpt {
            expression: source.expression.clone(),
            sculpts: read_sculpts(&neutral, source, &frame, findings, job)?,
        });
    }
    let mut asked = Vec::new();
    for (whole, source) in wholes.iter().zip(sources) {
        asked.push(changes(dna, &rig, &settings, whole, source).map_err(|error| match error {
            Some(error) => failed(error),
            None => unchanged(source),
        })?);
    }
    let edits = sculpt_edits(dna, &rig, &settings, &wholes).map_err(failed)?;
    let matching = match_joints.then(|| MatchOptions { all: false, ..MatchOptions::default() });
    let options = RecalculateOptions { matching, ..RecalculateOptions::default() };
    let recalculated = recalculate(dna, None, &edits, &settings, &options, &job).map_err(failed)?;
    Ok(SculptsDone { asked, recalculated })
}

fn knows(rig: &ExpressionRig, settings: &ExpressionSettings, name: &str) -> bool {
    let is_phase = |(of, number): (&str, &str)| {
        let phases = settings.phases.get(of).map_or(0, Vec::len);
        number.parse::<usize>().is_ok_and(|number| (1..=phases).contains(&number))
    };
    settings.splits.contains_key(name)
        || settings.phases.contains_key(name)
        || name.rsplit_once("_ph").is_some_and(is_phase)
        || rig.graph().find(name).is_some()
}

fn unknown(rig: &ExpressionRig, settings: &ExpressionSettings, name: &str) -> Stop {
    let of_rig = rig.graph().expressions().iter().map(|expression| expression.name.as_str());
    let of_settings = settings.splits.keys().chain(settings.phases.keys()).map(String::as_str);
    let near = mhrig_rig::nearest_names(of_rig.chain(of_settings), name);
    let remedy = match near.as_slice() {
        [] => "`mhrig inspect FILE --controls` lists the expressions with their names".to_owned(),
        near => format!("expressions with names like it: {}", near.join(", ")),
    };
    let message = "the file has no such expression";
    let finding = Finding::new("EXPRESSION_UNKNOWN", Severity::Error, name, message, remedy);
    Stop::Blamed(finding, Blame::Usage)
}

fn unchanged(source: &SculptSource) -> Stop {
    let place = format!("{}: {}", source.expression, source.file.display());
    let message = "the sculpt is what the expression looks like already; nothing was written";
    let remedy = "export the changed mesh, posed with the expression fully on, or leave this sculpt out";
    Stop::from(Finding::new("SCULPT_UNCHANGED", Severity::Error, place, message, remedy))
}

/// Sculpts by mesh number.
type MeshSculpts = Vec<(usize, Vec<[f32; 3]>)>;

/// The meshes of a file as sculpts: mesh numbers with positions in the axes of the DNA.
fn read_sculpts(
    neutral: &Neutral,
    source: &SculptSource,
    frame: &FileFrame,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<MeshSculpts, Stop> {
    let paths = std::slice::from_ref(&source.file);
    let scene = read_inputs(paths, &ReadOptions::default(), job).map_err(|error| match error {
        SceneError::Cancelled(cancelled) => Stop::Cancelled(cancelled),
        error => Stop::from(error.to_finding()),
    })?;
    findings.extend(scene.findings.iter().cloned());
    let wanted: Vec<&str> = neutral.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
    let resolved = scene.resolve(&wanted);
    if let Some(error) = resolved.findings.iter().find(|finding| finding.severity == Severity::Error) {
        return Err(error.clone().into());
    }
    findings.extend(resolved.findings.iter().cloned());
    let mut sculpts = Vec::new();
    for (number, (expected, found)) in neutral.meshes.iter().zip(&resolved.meshes).enumerate() {
        let Some(found) = found else { continue };
        check_topology(expected, found)?;
        sculpts.push((number, frame.points(found.mesh.positions.clone())));
    }
    if sculpts.is_empty() {
        let names: Vec<&str> = scene.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
        let place = source.file.display().to_string();
        let message = "the file has no mesh of the DNA";
        let remedy = "name the mesh as in the DNA, such as head_lod0_mesh";
        let finding = Finding::new("SCULPT_MESH", Severity::Error, place, message, remedy);
        return Err(finding.with_values("a mesh of the DNA", names.join(", ")).into());
    }
    Ok(sculpts)
}

fn check_topology(expected: &NeutralMesh, found: &SceneMesh) -> Result<(), Stop> {
    let refused = |message: &str, expected: usize, found_count: usize| {
        let remedy = "sculpt on the mesh of the rig, without adding, removing or reordering its vertices";
        let finding = Finding::new("SCULPT_TOPOLOGY", Severity::Error, found.full_path(), message, remedy);
        Err(finding.with_values(expected, found_count).into())
    };
    let (own, other) = (&expected.mesh, &found.mesh);
    if own.positions.len() != other.positions.len() {
        return refused("other number of vertices", own.positions.len(), other.positions.len());
    }
    if own.faces.len() != other.faces.len() {
        return refused("other number of faces", own.faces.len(), other.faces.len());
    }
    if own.faces.corners() != other.faces.corners() {
        let pairs = own.faces.corners().iter().zip(other.faces.corners());
        let at = pairs.take_while(|(a, b)| a == b).count();
        let vertex = |corners: &[u32]| corners.get(at).map_or(0, |&vertex| vertex as usize);
        let (own, other) = (vertex(own.faces.corners()), vertex(other.faces.corners()));
        return refused("the faces have other vertices, so the order of vertices is another", own, other);
    }
    Ok(())
}

/// How far a sculpt is from what its expression looks like; no error but `None` when it is nowhere.
fn changes(
    dna: &Dna,
    rig: &ExpressionRig,
    settings: &ExpressionSettings,
    whole: &WholeSculpt,
    source: &SculptSource,
) -> Result<SculptReport, Option<CalibError>> {
    let mut report =
        SculptReport { expression: source.expression.clone(), meshes: Vec::new(), moved: 0, largest_cm: 0.0 };
    let edits = sculpt_edits(dna, rig, settings, std::slice::from_ref(whole)).map_err(Some)?;
    for edit in &edits {
        for (mesh, sculpt) in &edit.sculpts {
            let before = rig.sculpt(dna, usize::from(edit.control), *mesh).map_err(Some)?;
            let name = dna.definition.mesh_names.get(*mesh).map(ToString::to_string).unwrap_or_default();
            if !report.meshes.contains(&name) {
                report.meshes.push(name);
            }
            for (before, after) in before.iter().zip(sculpt) {
                let squared: f64 = before.iter().zip(after).map(|(a, &b)| (a - f64::from(b)).powi(2)).sum();
                let distance = squared.sqrt();
                report.moved += usize::from(distance > UNCHANGED_CM);
                report.largest_cm = report.largest_cm.max(distance);
            }
        }
    }
    if report.moved == 0 { Err(None) } else { Ok(report) }
}
