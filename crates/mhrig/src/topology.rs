//! The check of a person's meshes against the archetype.

use mhrig_fit::{FitTemplate, InputMesh, MeshRole, TopologyReport, check_topology};
use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{SceneMesh, SceneMeshes};

use crate::report::Stop;

/// The meshes of a person that stand for one of the archetype's.
pub(crate) struct Checked<'a> {
    /// Usable meshes by the archetype's name.
    pub(crate) meshes: Vec<(&'a str, &'a SceneMesh)>,
    pub(crate) report: TopologyReport,
}

/// Finds the archetype's meshes among `scene` and checks them; everything that was noticed is in the report.
pub(crate) fn check_person<'a>(
    templates: &[&'a FitTemplate],
    scene: &'a SceneMeshes,
    fill_missing: bool,
    job: Job<'_>,
) -> Result<Checked<'a>, Stop> {
    let wanted = templates.iter().flat_map(|template| template.meshes());
    let wanted: Vec<&'a str> = wanted.map(|mesh| mesh.name.as_str()).collect();
    let mut unusable = Vec::new();
    let resolved = scene.resolve(&wanted);
    let known = wanted.iter().zip(&resolved.meshes);
    let known: Vec<(&'a str, &'a SceneMesh)> =
        known.filter_map(|(&name, mesh)| Some((name, (*mesh)?))).collect();
    let named = named_inputs(&wanted, &known, scene, &mut unusable);
    let inputs: Vec<InputMesh<'_>> = named.iter().map(NamedInput::as_input).collect();
    let mut report = check_topology(templates, &inputs, job)?;
    unusable.extend(without_extent(templates, &known));

    // A mesh whose name fits several, that is broken, or whose file could not be read, is not missing as well.
    let is_error_about =
        |finding: &&Finding, name: &str| finding.severity == Severity::Error && finding.place.contains(name);
    let explained = |finding: &Finding| {
        let name = finding.place.as_str();
        let said = resolved
            .findings
            .iter()
            .chain(&scene.findings)
            .chain(&unusable)
            .any(|other| is_error_about(&other, name));
        finding.code == "MESH_MISSING" && (said || scene.broken.iter().any(|broken| broken.name == name))
    };
    report.findings.retain(|finding| !explained(finding));
    // What the reader says of positions the check says with the template at hand.
    let reader = resolved.findings.into_iter().filter(|finding| finding.code != "POSITION_NOT_FINITE");
    report.findings.splice(0..0, reader);
    report.findings.extend(unusable);
    if !fill_missing {
        report.findings.extend(not_filled(&report));
    }
    let usable = |name: &str| report.meshes.iter().any(|check| check.mesh == name && check.matches);
    let meshes = known.into_iter().filter(|(name, _)| usable(name)).collect();
    Ok(Checked { meshes, report })
}

/// A mesh of the scene under the name that it is checked by.
pub(crate) struct NamedInput<'a> {
    name: &'a str,
    place: String,
    mesh: &'a SceneMesh,
}

impl<'a> NamedInput<'a> {
    /// The mesh as it was read.
    pub(crate) fn scene_mesh(&self) -> &'a SceneMesh {
        self.mesh
    }

    pub(crate) fn as_input(&self) -> InputMesh<'_> {
        InputMesh { name: self.name, place: &self.place, mesh: &self.mesh.mesh }
    }
}

/// All meshes of `scene`: those that stand for a template's under its name, the others under their own.
pub(crate) fn input_meshes<'a>(
    templates: &[&'a FitTemplate],
    scene: &'a SceneMeshes,
    findings: &mut Vec<Finding>,
) -> Vec<NamedInput<'a>> {
    let wanted: Vec<&'a str> =
        templates.iter().flat_map(|template| template.meshes()).map(|mesh| mesh.name.as_str()).collect();
    let resolved = scene.resolve(&wanted);
    let known: Vec<(&'a str, &'a SceneMesh)> =
        wanted.iter().zip(&resolved.meshes).filter_map(|(&name, mesh)| Some((name, (*mesh)?))).collect();
    findings.extend(resolved.findings);
    named_inputs(&wanted, &known, scene, findings)
}

/// The most corners that a face may have. Faces of character meshes have a handful; the checks take pains with each.
const MOST_CORNERS: usize = 256;

fn named_inputs<'a>(
    wanted: &[&'a str],
    known: &[(&'a str, &'a SceneMesh)],
    scene: &'a SceneMeshes,
    findings: &mut Vec<Finding>,
) -> Vec<NamedInput<'a>> {
    let is_known = |mesh: &SceneMesh| known.iter().any(|(_, other)| std::ptr::eq(*other, mesh));
    let is_wanted = |mesh: &SceneMesh| wanted.contains(&mesh.name.as_str());
    let strangers = scene.meshes.iter().filter(|mesh| !is_known(mesh) && !is_wanted(mesh));
    let named = known.iter().copied().chain(strangers.map(|mesh| (mesh.name.as_str(), mesh)));
    let mut inputs = Vec::new();
    for (name, mesh) in named {
        let face = mesh.mesh.faces.iter().position(|face| face.len() > MOST_CORNERS);
        match face {
            None => inputs.push(NamedInput { name, place: mesh.full_path(), mesh }),
            Some(face) => findings.push(
                Finding::new(
                    "FACE_SIZE",
                    Severity::Error,
                    format!("{}: {name}: face {face}", mesh.full_path()),
                    "the face has more corners than a face of a character mesh can have",
                    "export the mesh again; the file is damaged, or the mesh is no character",
                )
                .with_values(format!("at most {MOST_CORNERS} corners"), mesh.mesh.faces.face(face).len()),
            ),
        }
    }
    inputs
}

/// A mesh this much smaller than the template's is no person of another size.
const LEAST_EXTENT: f32 = 1e-4;

/// Meshes whose vertices are all in one place.
fn without_extent(templates: &[&FitTemplate], known: &[(&str, &SceneMesh)]) -> Vec<Finding> {
    let extent = |positions: &[[f32; 3]]| {
        (0..3)
            .map(|axis| {
                let values = positions.iter().map(|p| p[axis]).filter(|c| c.is_finite());
                let (low, high) =
                    values.fold((f32::MAX, f32::MIN), |(low, high), c| (low.min(c), high.max(c)));
                high - low
            })
            .fold(0.0, f32::max)
    };
    let template =
        |name: &str| templates.iter().flat_map(|template| template.meshes()).find(|mesh| mesh.name == name);
    let finding = |(name, mesh): &(&str, &SceneMesh)| {
        let (expected, found) = (extent(&template(name)?.mesh.positions), extent(&mesh.mesh.positions));
        (found < expected * LEAST_EXTENT).then(|| {
            Finding::new(
                "NO_EXTENT",
                Severity::Error,
                format!("{}: {name}", mesh.full_path()),
                "all vertices are in one place",
                "export the mesh again, with its positions",
            )
            .with_values(format!("about {expected:.1} cm"), format!("{found} cm"))
        })
    };
    known.iter().filter_map(finding).collect()
}

/// Without filling, a missing mesh keeps the archetype's shape: that has to be said.
fn not_filled(report: &TopologyReport) -> Option<Finding> {
    let missing =
        report.meshes.iter().filter(|check| check.role != MeshRole::Required && check.input.is_none());
    let missing: Vec<&str> = missing.map(|check| check.mesh.as_str()).collect();
    let (first, count) = (missing.first()?, missing.len());
    let finding = Finding::new(
        "MESH_NOT_FILLED",
        Severity::Warning,
        *first,
        format!("{count} missing meshes keep the archetype's shape and will not fit the new face"),
        "leave --no-fill out to have them made from their skin, or add the meshes",
    );
    Some(finding.with_values("all meshes", missing.join(", ")))
}
