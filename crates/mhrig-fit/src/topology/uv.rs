use mhrig_geom::UvSet;
use mhrig_report::{Finding, Severity};

use super::{Expected, InputMesh};

/// Texture coordinates closer than this are the same; text files keep five or six digits.
pub(crate) const UV_TOLERANCE: f32 = 2e-4;

/// Why the layout does not matter, in the words of every finding here.
const KEPT: &str = "nothing needs to be done unless textures were painted for the other layout: the output keeps the \
                    template's texture coordinates";

/// Compares texture coordinates corner by corner on meshes with the same faces; `None` when they agree.
pub(super) fn compare(wanted: &Expected<'_>, input: &InputMesh<'_>) -> Option<Finding> {
    let expected = wanted.mesh.uv.as_ref()?;
    let label = input.label();
    let Some(found) = &input.mesh.uv else {
        let message = "the mesh has no texture coordinates";
        return Some(Finding::new("UV_MISSING", Severity::Info, label, message, KEPT));
    };
    let corner_count = wanted.mesh.faces.corners().len();
    if found.corners.len() != corner_count || expected.corners.len() != corner_count {
        let message = "texture coordinates do not cover all face corners";
        return Some(
            Finding::new("UV_CHANGED", Severity::Warning, label, message, KEPT)
                .with_values(corner_count, found.corners.len()),
        );
    }
    if let Some(finding) = not_finite(found, &label) {
        return Some(finding);
    }
    let changes = || (0..corner_count).map(|corner| (corner, difference(expected, found, corner)));
    let is_changed =
        |(_, by): &(usize, Option<[f32; 2]>)| by.is_none_or(|by| !by.iter().all(|d| d.abs() <= UV_TOLERANCE));
    let count = changes().filter(is_changed).count();
    let (first, _) = changes().find(is_changed)?;

    // Whole tiles are an idiom of their own: the layout is the same, the shells are parked elsewhere.
    let tiles = changes().filter(is_changed).map(|(_, by)| {
        let by = by?;
        let tile = by.map(f32::round);
        (0..2).all(|i| (by[i] - tile[i]).abs() <= UV_TOLERANCE).then_some(tile.map(|t| t as i32))
    });
    if let Some(mut tiles) = tiles.collect::<Option<Vec<_>>>() {
        tiles.sort_unstable();
        tiles.dedup();
        let tiles: Vec<String> = tiles.iter().map(|[u, v]| format!("({u}, {v})")).collect();
        let message =
            format!("{count} of {corner_count} face corners have texture coordinates shifted by whole tiles");
        let finding = Finding::new("UV_SHIFTED", Severity::Warning, label, message, KEPT);
        return Some(finding.with_values("(0, 0)", tiles.join(", ")));
    }
    let is_flipped = |(corner, _): (usize, _)| {
        let (Some([u, v]), Some([x, y])) = (at(expected, corner), at(found, corner)) else { return false };
        (u - x).abs() <= UV_TOLERANCE && (1.0 - v - y).abs() <= UV_TOLERANCE
    };
    if changes().all(is_flipped) {
        let message = "texture coordinates are upside down (v is 1 − v)";
        return Some(Finding::new("UV_FLIPPED", Severity::Warning, label, message, KEPT));
    }
    let face =
        (0..wanted.mesh.faces.len()).find(|&face| wanted.mesh.faces.corner_range(face).contains(&first));
    let place = format!("{label}: face {}", face.unwrap_or(0));
    let message = format!("{count} of {corner_count} face corners have other texture coordinates");
    let show = |set, corner| at(set, corner).map_or("none".into(), |[u, v]| format!("({u}, {v})"));
    Some(
        Finding::new("UV_CHANGED", Severity::Warning, place, message, KEPT)
            .with_values(show(expected, first), show(found, first)),
    )
}

/// Coordinates that are no numbers. The output does not take them, but whatever made them may have broken more.
fn not_finite(found: &UvSet, label: &str) -> Option<Finding> {
    let is_bad = |at: &[f32; 2]| !at.iter().all(|c| c.is_finite());
    let first = found.coords.iter().position(is_bad)?;
    let count = found.coords.iter().filter(|at| is_bad(at)).count();
    let [u, v] = found.coords[first];
    let message = format!("{count} texture coordinates are not finite numbers");
    let place = format!("{label}: texture coordinate {first}");
    let finding = Finding::new("UV_NOT_FINITE", Severity::Warning, place, message, KEPT);
    Some(finding.with_values("finite numbers", format!("({u}, {v})")))
}

/// The coordinates of a corner, `None` when the set is broken there.
pub(crate) fn at(set: &UvSet, corner: usize) -> Option<[f32; 2]> {
    set.coords.get(*set.corners.get(corner)? as usize).copied()
}

fn difference(expected: &UvSet, found: &UvSet, corner: usize) -> Option<[f32; 2]> {
    let ([u, v], [x, y]) = (at(expected, corner)?, at(found, corner)?);
    Some([x - u, y - v])
}
