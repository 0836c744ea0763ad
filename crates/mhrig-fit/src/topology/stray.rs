//! Single vertices that were dragged away from their neighbours.

use mhrig_geom::Mesh;
use mhrig_report::{Finding, Severity};

use super::{Expected, InputMesh};
use crate::template::vector;

/// All edges of a stray vertex are this much longer than those of the mesh in general, measured by the template's.
const STRETCH: f64 = 8.0;

/// More of them are no accident but another shape.
const MOST_SHARE: f64 = 0.01;

/// The vertices of `found`, in the template's order, that are far from all their neighbours.
pub(super) fn find(template: &Mesh, found: &[[f32; 3]]) -> Vec<u32> {
    let mut least = vec![f64::INFINITY; template.positions.len()];
    let mut all = Vec::with_capacity(template.faces.corners().len());
    for face in template.faces.iter() {
        for (at, &a) in face.iter().enumerate() {
            let b = face[(at + 1) % face.len()];
            let length = |positions: &[[f32; 3]]| {
                (vector(positions[a as usize]) - vector(positions[b as usize])).norm()
            };
            let stretch = length(found) / length(&template.positions);
            if stretch.is_finite() {
                all.push(stretch);
                for vertex in [a, b] {
                    least[vertex as usize] = least[vertex as usize].min(stretch);
                }
            }
        }
    }
    if all.is_empty() {
        return Vec::new();
    }
    let middle = all.len() / 2;
    let (_, &mut usual, _) = all.select_nth_unstable_by(middle, f64::total_cmp);
    let is_stray = |vertex: &u32| {
        let least = least[*vertex as usize];
        least.is_finite() && least > STRETCH * usual
    };
    let stray: Vec<u32> = (0..least.len() as u32).filter(is_stray).collect();
    if stray.len() as f64 > (least.len() as f64 * MOST_SHARE).max(1.0) { Vec::new() } else { stray }
}

/// What there is to say of them.
pub(super) fn finding(
    stray: &[u32],
    wanted: &Expected<'_>,
    found: &[[f32; 3]],
    input: &InputMesh<'_>,
) -> Option<Finding> {
    let first = *stray.first()?;
    let message = format!("{} vertices are far from all their neighbours and will be spikes", stray.len());
    let place = format!("{}: vertex {first}", input.label());
    let remedy = "move them back, or undo the edit that moved them";
    let show = |p: [f32; 3]| format!("({}, {}, {})", p[0], p[1], p[2]);
    let at = |positions: &[[f32; 3]]| positions.get(first as usize).map_or_else(String::new, |&p| show(p));
    let finding = Finding::new("VERTEX_STRAY", Severity::Warning, place, message, remedy);
    Some(finding.with_values(format!("near {}", at(&wanted.mesh.positions)), at(found)))
}
