//! Whether meshes have the template's topology, and if not, what happened to them.

mod faces;
mod frame;
mod posture;
mod report;
mod uv;

use std::collections::BTreeMap;

use mhrig_geom::{Mesh, SkinWeights};
use mhrig_report::{Cancelled, Finding, Job, Severity};

use crate::{FitTemplate, MeshEvidence, MeshRole};
use faces::FaceComparison;
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

/// Compares meshes with those of the templates (of the parts that are to be built).
///
/// Collects everything there is to say: meshes that are missing, and what that costs; vertex and face counts;
/// each face's vertices; texture coordinates; size, up axis and orientation. Meshes are found by name; inputs that
/// no template mesh is named after are listed in one finding.
///
/// # Errors
/// [`Cancelled`] when the job was asked to stop.
pub fn check_topology(
    templates: &[&FitTemplate],
    inputs: &[InputMesh<'_>],
    job: Job<'_>,
) -> Result<TopologyReport, Cancelled> {
    let expected = expected(templates);
    let mut findings = Vec::new();
    let mut meshes = Vec::new();
    let mut matched = Vec::new();
    job.progress.stage("topology", expected.len());
    for wanted in &expected {
        job.check()?;
        let candidates: Vec<usize> = (0..inputs.len()).filter(|&i| inputs[i].name == wanted.name).collect();
        let mut check = MeshCheck::missing(wanted);
        match *candidates.as_slice() {
            [] => findings.push(missing(&wanted.evidence)),
            [input] => {
                compare(wanted, &inputs[input], input, &mut check, &mut findings);
                if check.matches {
                    matched.push((wanted, inputs[input]));
                }
            }
            _ => findings.push(ambiguous(wanted.name, candidates.iter().map(|&i| inputs[i].place))),
        }
        meshes.push(check);
        job.progress.step();
    }
    job.check()?;
    findings.extend(frame::check(&matched));
    findings.extend(strangers(&expected, inputs));
    Ok(TopologyReport { meshes, findings })
}

fn compare(
    wanted: &Expected<'_>,
    input: &InputMesh<'_>,
    number: usize,
    check: &mut MeshCheck,
    findings: &mut Vec<Finding>,
) {
    let (template, mesh) = (wanted.mesh, input.mesh);
    check.input = Some(number);
    check.place = Some(input.place.to_owned());
    check.vertices.found = Some(mesh.positions.len());
    check.faces.found = Some(mesh.faces.len());
    let before = findings.len();
    findings.extend(not_finite(input));
    findings.extend(broken_faces(input));
    if findings.len() > before {
        return;
    }
    let is_same_size =
        template.positions.len() == mesh.positions.len() && template.faces.len() == mesh.faces.len();
    let comparison = is_same_size.then(|| FaceComparison::of(&template.faces, &mesh.faces));
    match comparison.as_ref().and_then(|comparison| comparison.finding(wanted, input)) {
        None if is_same_size => {
            check.matches = true;
            let uv = uv::compare(wanted, input);
            check.uv_matches = uv.is_none();
            findings.extend(uv);
        }
        Some(finding) if finding.severity < Severity::Error => {
            check.matches = true;
            findings.push(finding);
            // Corners do not correspond, so texture coordinates cannot be compared corner by corner.
            check.uv_matches = true;
        }
        Some(finding) => findings.push(finding),
        None => findings.push(counts(wanted, input)),
    }
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

/// One finding for all inputs that no template mesh is named after.
fn strangers(expected: &[Expected<'_>], inputs: &[InputMesh<'_>]) -> Option<Finding> {
    let names: BTreeMap<&str, ()> = expected.iter().map(|wanted| (wanted.name, ())).collect();
    let strangers: Vec<String> =
        inputs.iter().filter(|input| !names.contains_key(input.name)).map(InputMesh::label).collect();
    let first = strangers.first()?;
    let message = match strangers.len() {
        1 => "this mesh is named after no mesh of the template and is left out".to_owned(),
        count => format!("{count} meshes are named after no mesh of the template and are left out"),
    };
    let remedy = "rename it if it stands for one of the template's meshes";
    let finding = Finding::new("MESH_UNKNOWN", Severity::Info, first, message, remedy);
    let wanted: Vec<&str> = names.into_keys().collect();
    Some(finding.with_values(wanted.join(", "), strangers.join(", ")))
}
