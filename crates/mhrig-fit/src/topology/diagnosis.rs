//! What happened to a mesh whose vertices or faces are not the template's.

use mhrig_geom::Mesh;
use mhrig_report::{Finding, Job, Severity};

use super::combined::{self, CombinedPart};
use super::correspondence::Correspondence;
use super::faces::FaceComparison;
use super::fix::Fix;
use super::propagation::RoughFrame;
use super::subdivision;
use super::{Expected, InputMesh};

/// A smoothed mesh whose cage leaves more than this share of its size was changed after smoothing.
const CAGE_RESIDUAL: f64 = 1e-4;

/// What was found out about a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Diagnosis {
    /// One per kind of thing that happened.
    pub(super) findings: Vec<Finding>,
    /// What has to be done to use the mesh; empty when nothing does harm.
    pub(super) fixes: Vec<Fix>,
    /// The positions in the template's order.
    pub(super) positions: Option<Vec<[f32; 3]>>,
    /// Whether the fixes keep all positions as they are.
    pub(super) is_lossless: bool,
    /// The parts of a combined mesh, instead of `positions`.
    pub(super) parts: Vec<CombinedPart>,
}

/// Looks for the cause why `input` is not mesh `wanted` of `expected`; `None` when there is no telling, or the job was
/// asked to stop.
pub(super) fn diagnose(
    expected: &[Expected<'_>],
    wanted: usize,
    input: &InputMesh<'_>,
    job: Job<'_>,
) -> Option<Diagnosis> {
    let template = expected[wanted].mesh;
    if let Some(other) = same_topology(expected, input.mesh).find(|&other| other != wanted) {
        return Some(other_part(&expected[other], input));
    }
    if input.mesh.positions.len() > template.positions.len()
        && let Some(diagnosis) = combined(expected, input, job)
    {
        return Some(diagnosis);
    }
    let rough = RoughFrame::of(template, input.mesh);
    if let Some(found) = Correspondence::find(template, input.mesh, &rough, job) {
        return Some(corresponding(&expected[wanted], input, &found));
    }
    subdivided(template, input, job)
}

/// Template meshes whose faces are those of `mesh`.
pub(super) fn same_topology<'a>(
    expected: &'a [Expected<'_>],
    mesh: &'a Mesh,
) -> impl Iterator<Item = usize> + 'a {
    let is_same = |template: &Mesh| {
        template.positions.len() == mesh.positions.len()
            && template.faces.len() == mesh.faces.len()
            && FaceComparison::of(&template.faces, &mesh.faces).is_same()
    };
    (0..expected.len()).filter(move |&number| is_same(expected[number].mesh))
}

/// Whether `input` is several parts in one.
pub(super) fn combined(expected: &[Expected<'_>], input: &InputMesh<'_>, job: Job<'_>) -> Option<Diagnosis> {
    if !is_sum_of_parts(expected, input.mesh.positions.len()) {
        return None;
    }
    let parts = combined::split_by_ranges(expected, input.mesh)
        .or_else(|| combined::split_by_shells(expected, input.mesh, job))?;
    let names: Vec<&str> = parts.iter().map(|part| expected[part.expected].name).collect();
    let message = format!("{} parts are combined into this mesh: {}", parts.len(), names.join(", "));
    let remedy = "separate the parts again (fix: split-combined)";
    let expected_names = "one mesh per part";
    let finding = Finding::new("COMBINED_PARTS", Severity::Error, input.label(), message, remedy)
        .with_values(expected_names, format!("{} vertices in one mesh", input.mesh.positions.len()));
    Some(Diagnosis {
        findings: vec![finding],
        fixes: vec![Fix::SplitCombined],
        positions: None,
        is_lossless: true,
        parts,
    })
}

/// Whether some of the parts, at least two, have `count` vertices together.
fn is_sum_of_parts(expected: &[Expected<'_>], count: usize) -> bool {
    let total: usize = expected.iter().map(|part| part.mesh.positions.len()).sum();
    if count > total {
        return false;
    }
    // Fewest parts (0, 1, 2 or more) that give each sum.
    let mut parts_for: Vec<Option<u8>> = vec![None; count + 1];
    parts_for[0] = Some(0);
    let mut has_two = vec![false; count + 1];
    for part in expected {
        let size = part.mesh.positions.len();
        for sum in (size..=count).rev().filter(|_| size > 0) {
            if let Some(parts) = parts_for[sum - size] {
                has_two[sum] |= parts > 0 || has_two[sum - size];
                parts_for[sum] = Some(parts_for[sum].unwrap_or(2).min(parts + 1).min(2));
            }
        }
    }
    has_two[count]
}

fn other_part(other: &Expected<'_>, input: &InputMesh<'_>) -> Diagnosis {
    let message = format!("this is the mesh of another part: its faces are those of {}", other.name);
    let remedy = format!("name it {}, and give {} its own mesh", other.name, input.name);
    let finding = Finding::new("OTHER_PART", Severity::Error, input.label(), message, remedy);
    Diagnosis { findings: vec![finding.with_values(input.name, other.name)], ..Diagnosis::default() }
}

fn corresponding(wanted: &Expected<'_>, input: &InputMesh<'_>, found: &Correspondence) -> Diagnosis {
    let (template, label) = (wanted.mesh, input.label());
    let mut diagnosis = Diagnosis {
        positions: Some(found.positions(input.mesh)),
        is_lossless: found.copy_distance_cm == 0.0,
        ..Diagnosis::default()
    };
    let counts = |finding: Finding| {
        finding.with_values(
            format!("{} vertices", template.positions.len()),
            format!("{} vertices", input.mesh.positions.len()),
        )
    };
    let mut add = |fix: Option<Fix>, finding: Finding| {
        diagnosis.findings.push(finding);
        diagnosis.fixes.extend(fix);
    };
    let error = |code, place: String, message: String, remedy: &str| {
        Finding::new(code, Severity::Error, place, message, remedy)
    };
    if let Some(first) = found.loose.iter().chain(&found.extra).min() {
        let message = format!(
            "vertices that the template does not have: {} loose, {} in other shells",
            found.loose.len(),
            found.extra.len()
        );
        let place = format!("{label}: vertex {first}");
        let finding = error("EXTRA_VERTICES", place, message, "delete them (fix: drop-extras)");
        add(Some(Fix::DropExtras), counts(finding));
    }
    if let Some(first) = found.first_copied {
        let place = format!("{label}: vertex {}", found.input_of[first as usize]);
        let apart = if found.copy_distance_cm > 0.0 {
            format!(", up to {:.4} cm apart", found.copy_distance_cm)
        } else {
            String::new()
        };
        let (code, message) = if found.copies_at_uv_seams {
            let how = "the mesh is split along the seams of its texture coordinates";
            ("SPLIT_AT_UV_SEAMS", format!("{how}: {} vertices too many{apart}", found.copies))
        } else {
            let how = "vertices that belong together are not merged";
            ("UNWELDED", format!("{how}: {} too many{apart}", found.copies))
        };
        let remedy = "merge them, or export without splitting at seams and hard edges (fix: weld)";
        add(Some(Fix::Weld), counts(error(code, place, message, remedy)));
    }
    if found.split_faces > 0 {
        let message =
            format!("{} of {} faces are cut into triangles", found.split_faces, template.faces.len());
        let remedy = "export without triangulating (fix: untriangulate)";
        let finding = error("TRIANGULATED", label.clone(), message, remedy);
        let faces = |mesh: &Mesh| format!("{} faces", mesh.faces.len());
        add(Some(Fix::Untriangulate), finding.with_values(faces(template), faces(input.mesh)));
    }
    if let Some(first) = found.first_moved {
        let message =
            format!("the faces are the template's, but {} vertices have another number", found.moved);
        let remedy = "export with the vertex order kept (fix: reorder)";
        let place = format!("{label}: vertex {first}");
        let finding = error("VERTEX_ORDER", place, message, remedy);
        let number = format!("vertex {}", found.input_of[first as usize]);
        add(Some(Fix::Reorder), finding.with_values(format!("vertex {first}"), number));
    }
    if let Some(first) = found.first_reversed {
        let all = found.reversed == template.faces.len();
        let which = if all { "all".to_owned() } else { found.reversed.to_string() };
        let message = format!(
            "{which} of {} faces are reversed: the same vertices the other way round",
            template.faces.len()
        );
        let place = format!("{label}: face {first}");
        let remedy = "reverse these faces, their normals point inwards (fix: reverse)";
        add(Some(Fix::Reverse), error("FACE_REVERSED", place, message, remedy));
    }
    if diagnosis.findings.is_empty() && found.faces_moved > 0 {
        debug_assert!(found.keeps_vertices());
        let message = format!(
            "{} of {} faces stand at another place in the list; this does no harm",
            found.faces_moved,
            template.faces.len()
        );
        let finding =
            Finding::new("FACE_ORDER", Severity::Warning, label, message, "nothing needs to be done");
        diagnosis.findings.push(finding);
    }
    diagnosis
}

fn subdivided(template: &Mesh, input: &InputMesh<'_>, job: Job<'_>) -> Option<Diagnosis> {
    let in_order = subdivision::find_cage(template, input.mesh);
    let cage =
        in_order.or_else(|| subdivision::find_cage(template, &as_subdivided(template, input.mesh, job)?))?;
    let how = if cage.was_smoothed { "smoothed and subdivided once" } else { "subdivided once" };
    let message = format!("the mesh is the template's, {how} (smooth preview)");
    let remedy = "export the cage without smooth preview (fix: unsubdivide)";
    let finding = Finding::new("SUBDIVIDED", Severity::Error, input.label(), message, remedy).with_values(
        format!("{} vertices", template.positions.len()),
        format!("{} vertices", input.mesh.positions.len()),
    );
    let is_whole = cage.residual_cm <= CAGE_RESIDUAL * super::correspondence::size(&input.mesh.positions);
    Some(Diagnosis {
        findings: vec![finding],
        fixes: if is_whole { vec![Fix::Unsubdivide] } else { Vec::new() },
        positions: is_whole.then_some(cage.positions),
        is_lossless: false,
        parts: Vec::new(),
    })
}

/// `input` in the vertex order of `template` after one step, when it has its faces.
fn as_subdivided(template: &Mesh, input: &Mesh, job: Job<'_>) -> Option<Mesh> {
    if !subdivision::has_counts_after_a_step(template, input) {
        return None;
    }
    let refined = subdivision::subdivide(template, true);
    let rough = RoughFrame::of(&refined, input);
    let found = Correspondence::find(&refined, input, &rough, job)?;
    Some(Mesh { positions: found.positions(input), ..refined })
}
