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
    let resolved = scene.resolve(&wanted);
    let known = wanted.iter().zip(&resolved.meshes);
    let known: Vec<(&'a str, &'a SceneMesh)> =
        known.filter_map(|(&name, mesh)| Some((name, (*mesh)?))).collect();
    let is_known = |mesh: &SceneMesh| known.iter().any(|(_, other)| std::ptr::eq(*other, mesh));
    let is_wanted = |mesh: &SceneMesh| wanted.contains(&mesh.name.as_str());
    let strangers = scene.meshes.iter().filter(|mesh| !is_known(mesh) && !is_wanted(mesh));
    let named = known.iter().copied().chain(strangers.map(|mesh| (mesh.name.as_str(), mesh)));
    let named: Vec<(&str, &SceneMesh, String)> =
        named.map(|(name, mesh)| (name, mesh, mesh.full_path())).collect();
    let inputs: Vec<InputMesh<'_>> =
        named.iter().map(|(name, mesh, place)| InputMesh { name, place, mesh: &mesh.mesh }).collect();
    let mut report = check_topology(templates, &inputs, job)?;

    // A mesh whose name fits several, that is broken, or whose file could not be read, is not missing as well.
    let is_error_about =
        |finding: &&Finding, name: &str| finding.severity == Severity::Error && finding.place.contains(name);
    let explained = |finding: &Finding| {
        let name = finding.place.as_str();
        let said = resolved.findings.iter().chain(&scene.findings).any(|other| is_error_about(&other, name));
        finding.code == "MESH_MISSING" && (said || scene.broken.iter().any(|broken| broken.name == name))
    };
    report.findings.retain(|finding| !explained(finding));
    // What the reader says of positions the check says with the template at hand.
    let reader = resolved.findings.into_iter().filter(|finding| finding.code != "POSITION_NOT_FINITE");
    report.findings.splice(0..0, reader);
    if !fill_missing {
        report.findings.extend(not_filled(&report));
    }
    let usable = |name: &str| report.meshes.iter().any(|check| check.mesh == name && check.matches);
    let meshes = known.into_iter().filter(|(name, _)| usable(name)).collect();
    Ok(Checked { meshes, report })
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
