//! A smooth warp of space from template to target, for meshes that are not given.

use nalgebra::{DMatrix, Vector3};

use crate::template::vector;
use crate::{FilledMesh, FitTemplate, MeshRole, Targets};

/// Vertices of the given meshes that a warp goes through: the nearest ones.
const CENTERS: usize = 400;

/// Vertices closer than this to another are the same point, cm.
const SAME_POINT_CM: f64 = 1e-4;

/// The warp that takes given vertices exactly where they are in the target and varies as smoothly as can be in
/// between: radial functions `|d|` plus a linear part, so that affine changes are reproduced. Linear in the target's
/// vertices: rows of coefficients, one per vertex of the missing mesh.
#[derive(Debug)]
pub(crate) struct Warp {
    /// Mesh and vertex of each center.
    centers: Vec<(usize, u32)>,
    /// Missing vertices × centers.
    coefficients: DMatrix<f64>,
}

impl Warp {
    /// The warp for mesh `mesh` from the meshes that are `present` and not guesses themselves.
    pub(crate) fn new(template: &FitTemplate, mesh: usize, present: &[bool]) -> Option<Self> {
        let missing: Vec<_> = template.meshes.get(mesh)?.mesh.positions.iter().map(|&p| vector(p)).collect();
        let evidence = template.mesh_evidence();
        let mut candidates = Vec::new();
        for (number, source) in template.meshes.iter().enumerate() {
            if number == mesh || !present[number] || evidence[number].role == MeshRole::Fillable {
                continue;
            }
            for (vertex, &position) in source.mesh.positions.iter().enumerate() {
                let position = vector(position);
                let distance =
                    missing.iter().map(|p| (p - position).norm_squared()).fold(f64::INFINITY, f64::min);
                candidates.push((distance, number, vertex as u32, position));
            }
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut centers: Vec<(usize, u32)> = Vec::new();
        let mut points: Vec<Vector3<f64>> = Vec::new();
        for (_, number, vertex, position) in candidates {
            if points.len() == CENTERS {
                break;
            }
            if points.iter().all(|p| (p - position).norm() > SAME_POINT_CM) {
                centers.push((number, vertex));
                points.push(position);
            }
        }
        let coefficients = coefficients(&points, &missing)?;
        Some(Self { centers, coefficients })
    }

    /// The mesh for the target's positions.
    pub(crate) fn fill(&self, mesh: usize, targets: &Targets<'_>) -> Option<FilledMesh> {
        let position = |&(mesh, vertex): &(usize, u32)| {
            targets.positions(mesh)?.get(vertex as usize).map(|&p| vector(p))
        };
        let positions: Vec<Vector3<f64>> = self.centers.iter().map(position).collect::<Option<_>>()?;
        let vertex = |row: usize| {
            let terms = positions.iter().enumerate().map(|(at, p)| p * self.coefficients[(row, at)]);
            let sum: [f64; 3] = terms.sum::<Vector3<f64>>().into();
            sum.map(|c| c as f32)
        };
        let positions = (0..self.coefficients.nrows()).map(vertex).collect();
        Some(FilledMesh { mesh, positions, coverage: 1.0, uncovered: 0 })
    }
}

/// Interpolation rows from `centers` to `points`.
fn coefficients(centers: &[Vector3<f64>], points: &[Vector3<f64>]) -> Option<DMatrix<f64>> {
    let count = centers.len();
    if count < 4 {
        return None;
    }
    let mean = centers.iter().sum::<Vector3<f64>>() / count as f64;
    let polynomial =
        |p: &Vector3<f64>, term: usize| if term == 0 { 1.0 } else { p[term - 1] - mean[term - 1] };
    let system = DMatrix::from_fn(count + 4, count + 4, |row, column| match (row < count, column < count) {
        (true, true) => -(centers[row] - centers[column]).norm(),
        (true, false) => polynomial(&centers[row], column - count),
        (false, true) => polynomial(&centers[column], row - count),
        (false, false) => 0.0,
    });
    let wanted = DMatrix::from_fn(count + 4, points.len(), |row, point| {
        if row < count {
            -(points[point] - centers[row]).norm()
        } else {
            polynomial(&points[point], row - count)
        }
    });
    let solution = system.lu().solve(&wanted)?;
    let rows = solution.rows(0, count).transpose();
    rows.iter().all(|c| c.is_finite()).then_some(rows)
}
