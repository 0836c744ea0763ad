//! Whether meshes have the template's topology, and if not, what happened to them.

mod combined;
mod correspondence;
mod diagnosis;
mod faces;
mod fix;
mod frame;
mod posture;
mod propagation;
mod repair;
mod report;
mod stray;
mod subdivision;
mod uv;

use std::borrow::Cow;

use mhrig_geom::{Mesh, SkinWeights};
use mhrig_report::{Cancelled, Finding, Job, Severity};
use nalgebra::Vector3;

use crate::template::vector;
use crate::{FitTemplate, MeshEvidence, MeshRole};
use combined::CombinedPart;
use diagnosis::Diagnosis;
use faces::FaceComparison;
pub use fix::Fix;
use frame::FrameFixes;
pub use repair::{Repair, RepairedMesh, repair_meshes};
pub use report::{Count, MeshCheck, TopologyReport};

/// A mesh as it came from a file or scene.
#[derive(Clone, Copy, Debug)]
pub struct InputMesh<'a> {
    /// Its name without namespace, by which the template's mesh is found.
    pub name: &'a str,
    /// Where it comes from: file, or file and path in the scene.
    pub place: &'a str,
    /// Vertices in world space, cm, Y up; faces; texture coordinates.
    pub mesh: &'a Mesh,
}

impl InputMesh<'_> {
    /// File and name, as findings say it.
    pub(crate) fn label(&self) -> String {
        if self.place.is_empty() { self.name.to_owned() } else { format!("{}: {}", self.place, self.name) }
    }
}

/// A template mesh with what hangs on it.
pub(crate) struct Expected<'a> {
    pub(crate) name: &'a str,
    pub(crate) mesh: &'a Mesh,
    pub(crate) skin: &'a SkinWeights,
    pub(crate) template: &'a FitTemplate,
    pub(crate) evidence: MeshEvidence,
}

/// The meshes of all parts, in order.
pub(crate) fn expected<'a>(templates: &[&'a FitTemplate]) -> Vec<Expected<'a>> {
    let of_template = |template: &&'a FitTemplate| {
        let template: &'a FitTemplate = template;
        let meshes = template.meshes().iter().zip(template.mesh_evidence());
        meshes.map(move |(mesh, evidence)| Expected {
            name: mesh.name.as_str(),
            mesh: &mesh.mesh,
            skin: &mesh.skin,
            template,
            evidence,
        })
    };
    templates.iter().flat_map(of_template).collect()
}

/// A mesh that can stand for one of the template's, once `fixes` are done.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    /// Number of the input.
    pub(crate) input: usize,
    /// Positions in the template's order.
    pub(crate) positions: Cow<'a, [[f32; 3]]>,
    pub(crate) fixes: Vec<Fix>,
    /// Whether the fixes keep all positions as they are.
    pub(crate) is_lossless: bool,
}

/// Everything that is known about the inputs.
pub(crate) struct Analysis<'t, 'i> {
    pub(crate) expected: Vec<Expected<'t>>,
    /// By template mesh.
    pub(crate) sources: Vec<Option<Source<'i>>>,
    checks: Vec<MeshCheck>,
    findings: Vec<Finding>,
    /// What the frames of the sources need, by template mesh.
    pub(crate) frame_fixes: Vec<FrameFixes>,
}

/// Compares meshes with those of the templates (of the parts that are to be built).
///
/// Collects everything there is to say: meshes that are missing, and what that costs; vertex and face counts;
/// each face's vertices; texture coordinates; size, up axis and orientation. Where a mesh does not match, it looks
/// for what happened to it, and says that instead: one finding per kind of thing. Meshes are found by name; inputs
/// that no template mesh is named after are recognised by their faces, or listed in one finding.
///
/// # Errors
/// [`Cancelled`] when the job was asked to stop.
pub fn check_topology(
    templates: &[&FitTemplate],
    inputs: &[InputMesh<'_>],
    job: Job<'_>,
) -> Result<TopologyReport, Cancelled> {
    let analysis = Analysis::new(templates, inputs, job)?;
    Ok(TopologyReport { meshes: analysis.checks, findings: analysis.findings })
}

impl<'t, 'i> Analysis<'t, 'i> {
    pub(crate) fn new(
        templates: &[&'t FitTemplate],
        inputs: &[InputMesh<'i>],
        job: Job<'_>,
    ) -> Result<Self, Cancelled> {
        let expected = expected(templates);
        job.progress.stage("topology", expected.len());
        let mut sources: Vec<Option<Source<'i>>> = vec![None; expected.len()];
        let mut checks: Vec<MeshCheck> = expected.iter().map(MeshCheck::missing).collect();
        let mut by_mesh: Vec<Vec<Finding>> = vec![Vec::new(); expected.len()];
        let mut parts = Vec::new();
        for (wanted, check) in checks.iter_mut().enumerate() {
            job.check()?;
            let name = expected[wanted].name;
            let candidates: Vec<usize> = (0..inputs.len()).filter(|&i| inputs[i].name == name).collect();
            match *candidates.as_slice() {
                [] => {}
                [input] => {
                    let compared = compare(&expected, wanted, &inputs[input], input, check, job);
                    job.check()?;
                    sources[wanted] = compared.source;
                    by_mesh[wanted] = compared.findings;
                    parts.extend(compared.parts.into_iter().map(|part| (input, part)));
                }
                _ => by_mesh[wanted].push(ambiguous(name, candidates.iter().map(|&i| inputs[i].place))),
            }
            job.progress.step();
        }
        let mut strangers = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            if expected.iter().any(|wanted| wanted.name == input.name) {
                continue;
            }
            job.check()?;
            if not_finite(input).is_some() || broken_faces(input).is_some() {
                strangers.push(number);
            } else if let Some((wanted, finding)) = renamed(&expected, &sources, &by_mesh, input) {
                by_mesh[wanted].push(finding);
                let positions = Cow::Borrowed(input.mesh.positions.as_slice());
                let fixes = vec![Fix::Rename];
                sources[wanted] = Some(Source { input: number, positions, fixes, is_lossless: true });
            } else if let Some(diagnosis) = diagnosis::combined(&expected, input, job) {
                let first = diagnosis.parts.iter().map(|part| part.expected).min().unwrap_or(0);
                by_mesh[first].extend(diagnosis.findings);
                parts.extend(diagnosis.parts.into_iter().map(|part| (number, part)));
            } else {
                strangers.push(number);
            }
        }
        for (input, part) in parts {
            let fixes = vec![Fix::SplitCombined];
            let positions = Cow::Owned(part.positions);
            let source = Source { input, positions, fixes, is_lossless: true };
            sources[part.expected].get_or_insert(source);
        }
        for (wanted, check) in checks.iter_mut().enumerate() {
            if let Some(source) = &sources[wanted] {
                check.input.get_or_insert(source.input);
                check.place.get_or_insert_with(|| inputs[source.input].place.to_owned());
                check.matches = source.fixes.is_empty();
            } else if check.input.is_none() && by_mesh[wanted].is_empty() {
                by_mesh[wanted].push(missing(&expected[wanted].evidence));
            }
        }
        let mut findings: Vec<Finding> = by_mesh.into_iter().flatten().collect();
        job.check()?;
        let frames = frame::check(&expected, &sources, inputs);
        findings.extend(frames.findings);
        for ((check, source), frame) in checks.iter_mut().zip(&sources).zip(&frames.fixes) {
            check.fixes.extend(source.iter().flat_map(|source| source.fixes.iter().copied()));
            check.fixes.extend(frame.kinds());
        }
        findings.extend(unknown(&expected, inputs, &strangers));
        Ok(Self { expected, sources, checks, findings, frame_fixes: frames.fixes })
    }
}

/// What comparing an input with the template mesh of its name gave.
#[derive(Default)]
struct Compared<'i> {
    source: Option<Source<'i>>,
    findings: Vec<Finding>,
    parts: Vec<CombinedPart>,
}

fn compare<'i>(
    expected: &[Expected<'_>],
    wanted: usize,
    input: &InputMesh<'i>,
    number: usize,
    check: &mut MeshCheck,
    job: Job<'_>,
) -> Compared<'i> {
    let (template, mesh) = (expected[wanted].mesh, input.mesh);
    check.input = Some(number);
    check.place = Some(input.place.to_owned());
    check.vertices.found = Some(mesh.positions.len());
    check.faces.found = Some(mesh.faces.len());
    let mut findings: Vec<Finding> = not_finite(input).into_iter().chain(broken_faces(input)).collect();
    if !findings.is_empty() {
        return Compared { findings, ..Compared::default() };
    }
    let whole = |fixes| {
        let positions = Cow::Borrowed(mesh.positions.as_slice());
        Some(Source { input: number, positions, fixes, is_lossless: true })
    };
    let is_same_size =
        template.positions.len() == mesh.positions.len() && template.faces.len() == mesh.faces.len();
    let comparison = is_same_size.then(|| FaceComparison::of(&template.faces, &mesh.faces));
    let faces = comparison.as_ref().and_then(|comparison| comparison.finding(&expected[wanted], input));
    match faces {
        None if is_same_size => {
            let uv = uv::compare(&expected[wanted], input);
            check.uv_matches = uv.is_none();
            findings.extend(uv);
            Compared { source: whole(Vec::new()), findings, ..Compared::default() }
        }
        Some(finding) if comparison.as_ref().is_some_and(FaceComparison::is_same) => {
            // Corners do not correspond, so texture coordinates cannot be compared corner by corner.
            check.uv_matches = true;
            let fixes = if finding.severity < Severity::Error { Vec::new() } else { vec![Fix::Reverse] };
            Compared { source: whole(fixes), findings: vec![finding], ..Compared::default() }
        }
        faces => match diagnosis::diagnose(expected, wanted, input, job) {
            Some(diagnosis) => {
                let Diagnosis { findings, fixes, positions, is_lossless, parts } = diagnosis;
                check.uv_matches = fixes.is_empty() && positions.is_some();
                let source = positions.map(|positions| Source {
                    input: number,
                    positions: Cow::Owned(positions),
                    fixes,
                    is_lossless,
                });
                Compared { source, findings, parts }
            }
            None => {
                let finding = faces.unwrap_or_else(|| counts(&expected[wanted], input));
                Compared { findings: vec![finding], ..Compared::default() }
            }
        },
    }
}

/// The missing template mesh whose faces a mesh of another name has. Of several (eyeballs are alike) the one nearest.
fn renamed(
    expected: &[Expected<'_>],
    sources: &[Option<Source<'_>>],
    by_mesh: &[Vec<Finding>],
    input: &InputMesh<'_>,
) -> Option<(usize, Finding)> {
    let center = |positions: &[[f32; 3]]| {
        let sum = positions.iter().map(|&p| vector(p)).sum::<Vector3<f64>>();
        sum / positions.len().max(1) as f64
    };
    let found = center(&input.mesh.positions);
    let distance = |wanted: usize| (center(&expected[wanted].mesh.positions) - found).norm();
    let wanted = diagnosis::same_topology(expected, input.mesh)
        .filter(|&wanted| sources[wanted].is_none() && by_mesh[wanted].is_empty())
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
    let name = expected[wanted].name;
    let message = format!("this mesh has the faces of {name}, which is missing");
    let remedy = format!("name it {name} (fix: rename)");
    let required = expected[wanted].evidence.role == MeshRole::Required;
    let severity = if required { Severity::Error } else { Severity::Warning };
    let finding = Finding::new("MESH_NAME", severity, input.label(), message, remedy);
    Some((wanted, finding.with_values(name, input.name)))
}

/// The finding of a mesh that is not there: what is placed without it, or not at all.
fn missing(evidence: &MeshEvidence) -> Finding {
    let name = &evidence.mesh;
    match evidence.role {
        MeshRole::Required => {
            let message = if evidence.mapped_joints > 0 {
                format!(
                    "a required mesh is missing: its mapping rows place {} joints, which nothing else can place",
                    evidence.mapped_joints
                )
            } else {
                format!(
                    "a required mesh is missing: its skin is the only evidence for {} joints",
                    evidence.exclusively_skinned_joints
                )
            };
            let remedy = format!("add a mesh named {name} with {} vertices to the input", evidence.vertices);
            Finding::new("MESH_MISSING", Severity::Error, name, message, remedy)
        }
        MeshRole::Eye => Finding::new(
            "MESH_MISSING",
            Severity::Warning,
            name,
            format!(
                "an eyeball is missing: {} and what hangs on it get weaker evidence than its centre",
                evidence.eye_joints.join(", ")
            ),
            format!("add a mesh named {name}, or accept eye joints that sit less exactly"),
        ),
        MeshRole::Fillable => Finding::new(
            "MESH_MISSING",
            Severity::Warning,
            name,
            "a decorative mesh is missing: no joint depends on it, its shape is guessed from the others",
            format!(
                "add a mesh named {name}, or accept the guess; without filling it keeps the template's shape"
            ),
        ),
    }
}

fn ambiguous<'a>(name: &str, places: impl Iterator<Item = &'a str>) -> Finding {
    let places: Vec<&str> = places.collect();
    let message = format!("{} meshes have this name", places.len());
    Finding::new(
        "MESH_AMBIGUOUS",
        Severity::Error,
        name,
        message,
        "keep one of them, or pick one by its path",
    )
    .with_values("one mesh", places.join(", "))
}

fn counts(wanted: &Expected<'_>, input: &InputMesh<'_>) -> Finding {
    let (template, mesh) = (wanted.mesh, input.mesh);
    let counts = |mesh: &Mesh| format!("{} vertices, {} faces", mesh.positions.len(), mesh.faces.len());
    let is_vertices = template.positions.len() != mesh.positions.len();
    let (code, what) = if is_vertices { ("VERTEX_COUNT", "vertices") } else { ("FACE_COUNT", "faces") };
    let remedy = "use the mesh that the template's topology was wrapped onto, exported without changes";
    let message = format!("the mesh has another number of {what} than the template's");
    Finding::new(code, Severity::Error, input.label(), message, remedy)
        .with_values(counts(template), counts(mesh))
}

fn not_finite(input: &InputMesh<'_>) -> Option<Finding> {
    let is_bad = |p: &[f32; 3]| !p.iter().all(|c| c.is_finite());
    let at = input.mesh.positions.iter().position(is_bad)?;
    let count = input.mesh.positions.iter().filter(|p| is_bad(p)).count();
    let message = format!("{count} vertices have positions that are not finite numbers");
    let place = format!("{}: vertex {at}", input.label());
    let remedy = "delete the mesh's history, or move these vertices to where they belong";
    let found = format!("{:?}", input.mesh.positions[at]);
    Some(
        Finding::new("NOT_FINITE", Severity::Error, place, message, remedy)
            .with_values("finite numbers", found),
    )
}

fn broken_faces(input: &InputMesh<'_>) -> Option<Finding> {
    let count = input.mesh.positions.len();
    let is_broken = |face: &[u32]| face.iter().any(|&corner| corner as usize >= count);
    let at = input.mesh.faces.iter().position(is_broken)?;
    let message = "a face names a vertex that the mesh does not have";
    let place = format!("{}: face {at}", input.label());
    let found = format!("{:?}", input.mesh.faces.face(at));
    let remedy = "export the mesh again; the file is damaged";
    let expected = format!("numbers below {count}");
    Some(Finding::new("FACE_INDEX", Severity::Error, place, message, remedy).with_values(expected, found))
}

/// One finding for all inputs that could not be told.
fn unknown(expected: &[Expected<'_>], inputs: &[InputMesh<'_>], strangers: &[usize]) -> Option<Finding> {
    let strangers: Vec<String> = strangers.iter().map(|&number| inputs[number].label()).collect();
    let first = strangers.first()?;
    let message = match strangers.len() {
        1 => "this mesh is named after no mesh of the template and is left out".to_owned(),
        count => format!("{count} meshes are named after no mesh of the template and are left out"),
    };
    let remedy = "rename it if it stands for one of the template's meshes";
    let finding = Finding::new("MESH_UNKNOWN", Severity::Info, first, message, remedy);
    let wanted: Vec<&str> = expected.iter().map(|wanted| wanted.name).collect();
    Some(finding.with_values(wanted.join(", "), strangers.join(", ")))
}
