use mhrig_geom::Mesh;
use mhrig_report::{Cancelled, Finding, Job, Severity};

use super::frame::FrameFixes;
use super::{Analysis, Fix, InputMesh, TopologyReport, check_topology};
use crate::FitTemplate;

/// A mesh of the template's topology that was made from an input.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedMesh {
    /// Name of the template mesh.
    pub name: String,
    /// Number of the input that it comes from.
    pub input: usize,
    /// The mesh: with the input's own faces and texture coordinates where those were right, else the template's.
    pub mesh: Mesh,
    /// What was done, in order; empty for a mesh that was right.
    pub fixes: Vec<Fix>,
    /// Whether every position is one that the input has, to the bit.
    pub is_lossless: bool,
}

/// The result of a repair.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The meshes that can be used now, in the order of the templates.
    pub meshes: Vec<RepairedMesh>,
    /// What was done, one finding per mesh that was changed.
    pub findings: Vec<Finding>,
    /// The check of the meshes as they are now. Inputs that needed a fix that was not allowed are in it unchanged.
    pub remaining: TopologyReport,
}

/// Repairs what can be repaired by the `allowed` fixes.
///
/// A mesh is repaired whole or not at all: when one of the fixes that it needs is not allowed, it stays as it is.
/// With `lossless_only` a mesh is repaired only when none of its positions changes.
///
/// # Errors
/// [`Cancelled`] when the job was asked to stop.
pub fn repair_meshes(
    templates: &[&FitTemplate],
    inputs: &[InputMesh<'_>],
    allowed: &[Fix],
    lossless_only: bool,
    job: Job<'_>,
) -> Result<Repair, Cancelled> {
    let analysis = Analysis::new(templates, inputs, job)?;
    let mut meshes = Vec::new();
    let mut findings = Vec::new();
    let mut is_consumed = vec![false; inputs.len()];
    let mut is_left = vec![false; inputs.len()];
    for ((wanted, source), frame) in
        analysis.expected.iter().zip(&analysis.sources).zip(&analysis.frame_fixes)
    {
        let Some(source) = source else { continue };
        let input = &inputs[source.input];
        let mut fixes: Vec<Fix> = source.fixes.iter().copied().chain(frame.kinds()).collect();
        fixes.sort_unstable();
        let is_lossless = source.is_lossless && fixes.iter().all(|fix| fix.is_lossless());
        if !fixes.iter().all(|fix| allowed.contains(fix)) || (lossless_only && !is_lossless) {
            is_left[source.input] = true;
            continue;
        }
        is_consumed[source.input] = true;
        let keeps_faces = source.fixes.is_empty() || source.fixes == [Fix::Rename];
        let shape = if keeps_faces { input.mesh } else { wanted.mesh };
        let frame = if fixes.is_empty() { &FrameFixes::default() } else { frame };
        let mesh = Mesh {
            positions: source.positions.iter().map(|&position| frame.apply(position)).collect(),
            faces: shape.faces.clone(),
            uv: shape.uv.clone(),
        };
        if !fixes.is_empty() {
            let names: Vec<&str> = fixes.iter().map(|fix| fix.name()).collect();
            let kept = if is_lossless { "all positions are the input's" } else { "positions were changed" };
            let message = format!("repaired as {}: {}; {kept}", wanted.name, names.join(", "));
            let remedy = "check that the mesh still looks right";
            findings.push(Finding::new("REPAIRED", Severity::Info, input.label(), message, remedy));
        }
        meshes.push(RepairedMesh {
            name: wanted.name.to_owned(),
            input: source.input,
            mesh,
            fixes,
            is_lossless,
        });
    }
    let repaired = meshes.iter().map(|mesh: &RepairedMesh| InputMesh {
        name: &mesh.name,
        place: inputs[mesh.input].place,
        mesh: &mesh.mesh,
    });
    let rest =
        (0..inputs.len()).filter(|&input| is_left[input] || !is_consumed[input]).map(|input| inputs[input]);
    let now: Vec<InputMesh<'_>> = repaired.chain(rest).collect();
    let remaining = check_topology(templates, &now, job)?;
    Ok(Repair { meshes, findings, remaining })
}
