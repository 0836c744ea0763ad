//! Whether a character stands in another pose than the template.

use mhrig_geom::{SimilarityKind, fit_similarity, rotation_angle};
use mhrig_report::{Finding, Severity};
use nalgebra::Vector3;

use super::frame::Frame;
use super::{Expected, InputMesh};
use crate::template::vector;

/// Limbs of different people in the same pose differ by up to 10 degrees, the skin of the jaw by up to 20.
const ORDINARY_TURN_DEG: f64 = 25.0;

/// A region of skin is judged when it has this many vertices …
const LEAST_VERTICES: usize = 24;

/// … and spreads, in its second direction too, over this share of the mesh.
const LEAST_SPREAD: f64 = 0.005;

/// How many joints a finding names.
const NAMED_JOINTS: usize = 4;

/// Compares the turn of each joint's own skin, without the vertices `stray`, with that of the whole mesh.
pub(super) fn check(
    frame: &Frame,
    wanted: &Expected<'_>,
    positions: &[[f32; 3]],
    stray: &[u32],
    input: &InputMesh<'_>,
) -> Option<Finding> {
    let joints = wanted.template.hierarchy().len();
    let mut regions = vec![Vec::new(); joints];
    for vertex in (0..wanted.skin.vertex_count()).filter(|&vertex| !stray.contains(&(vertex as u32))) {
        for (joint, weight) in wanted.skin.influences(vertex) {
            if weight > 0.5 {
                regions[joint.index()].push(vertex);
            }
        }
    }
    let size = spread(&wanted.mesh.positions.iter().map(|&p| vector(p)).collect::<Vec<_>>())[2];
    let mut turned = Vec::new();
    for (joint, region) in regions.iter().enumerate().filter(|(_, region)| region.len() >= LEAST_VERTICES) {
        let pick = |from: &[[f32; 3]]| region.iter().map(|&v| vector(from[v])).collect::<Vec<_>>();
        let (source, target) = (pick(&wanted.mesh.positions), pick(positions));
        if spread(&source)[1] < LEAST_SPREAD * size {
            continue;
        }
        let Some(own) = fit_similarity(&source, &target, None, SimilarityKind::Similar) else { continue };
        let turn = frame.similarity.rotation.inverse() * own.rotation;
        let angle = rotation_angle(&turn).to_degrees();
        if angle > ORDINARY_TURN_DEG {
            turned.push((angle, joint));
        }
    }
    turned.sort_by(|a, b| b.0.total_cmp(&a.0));
    let &(most, _) = turned.first()?;
    let names = wanted.template.hierarchy().names();
    let named: Vec<String> = turned
        .iter()
        .take(NAMED_JOINTS)
        .map(|&(angle, joint)| format!("{} {angle:.0}°", names[joint]))
        .collect();
    let message = format!(
        "the character is posed differently: the skin of {} joints is turned against the template by up to {most:.0} \
         degrees",
        turned.len()
    );
    let remedy = "bring the character into the template's pose: joint rotations are kept, so limbs would bend \
                  about the template's axes";
    let finding = Finding::new("POSED", Severity::Warning, input.label(), message, remedy);
    let expected = format!("below {ORDINARY_TURN_DEG} degrees");
    Some(finding.with_values(expected, named.join(", ")))
}

/// Root mean square extents in three perpendicular directions, smallest first.
fn spread(points: &[Vector3<f64>]) -> [f64; 3] {
    let count = points.len().max(1) as f64;
    let mean = points.iter().sum::<Vector3<f64>>() / count;
    let scatter = points.iter().map(|p| (p - mean) * (p - mean).transpose()).sum::<nalgebra::Matrix3<f64>>();
    let mut extents: [f64; 3] = (scatter / count).symmetric_eigenvalues().into();
    extents.sort_by(f64::total_cmp);
    extents.map(|e| e.max(0.0).sqrt())
}
