use nalgebra::Vector3;

use crate::FitTemplate;
use crate::template::vector;

/// The guessed shape of a mesh that was not given.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledMesh {
    /// Mesh number in the template.
    pub mesh: usize,
    /// Vertex positions: world space, cm, Y up, template vertex order.
    pub positions: Vec<[f32; 3]>,
    /// Share of the vertices that have a source of their own, 0 … 1; the others move with the mean of those.
    pub coverage: f64,
    /// Vertices without a source of their own.
    pub uncovered: usize,
}

/// Fills mesh `mesh` of the template by its skin: as a fit changes translations only, linear blend skinning comes
/// down to the weighted mean of the joints' movements, `p' = p + Σ w (T' − T) / Σ w`.
///
/// `positions` are the fitted world positions by joint number, cm. `None` when the template has no such mesh or
/// the joints are not as many as its skeleton's.
pub fn fill_from_skin(template: &FitTemplate, mesh: usize, positions: &[Vector3<f64>]) -> Option<FilledMesh> {
    let source = template.meshes.get(mesh)?;
    if positions.len() != template.rest.len() {
        return None;
    }
    let moves: Vec<Vector3<f64>> = positions.iter().zip(&template.rest).map(|(to, from)| to - from).collect();
    let shift = |vertex: usize| {
        let (mut weight_sum, mut sum) = (0.0, Vector3::zeros());
        for (joint, weight) in source.skin.influences(vertex) {
            weight_sum += f64::from(weight);
            sum += moves[joint.index()] * f64::from(weight);
        }
        (weight_sum > 0.0).then(|| sum / weight_sum)
    };
    let shifts: Vec<Option<Vector3<f64>>> = (0..source.mesh.positions.len()).map(shift).collect();
    Some(filled(template, mesh, &shifts))
}

/// A filled mesh out of the displacements that are known.
pub(crate) fn filled(template: &FitTemplate, mesh: usize, shifts: &[Option<Vector3<f64>>]) -> FilledMesh {
    let covered = shifts.iter().flatten().count();
    let mean = shifts.iter().flatten().sum::<Vector3<f64>>() / covered.max(1) as f64;
    let rest = &template.meshes[mesh].mesh.positions;
    let moved = rest.iter().zip(shifts).map(|(&p, shift)| {
        let position: [f64; 3] = (vector(p) + shift.unwrap_or(mean)).into();
        position.map(|c| c as f32)
    });
    FilledMesh {
        mesh,
        positions: moved.collect(),
        coverage: if rest.is_empty() { 1.0 } else { covered as f64 / rest.len() as f64 },
        uncovered: rest.len() - covered,
    }
}
