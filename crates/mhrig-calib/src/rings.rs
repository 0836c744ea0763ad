use mhrig_dna::Mesh;
use nalgebra::{Matrix3, Vector3};

/// The neighbours of each vertex along the edges of faces, stored flat, ascending and each once.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Rings {
    /// Rings of a mesh whose numbers were checked.
    pub(crate) fn from_mesh(mesh: &Mesh) -> Self {
        let layouts = &mesh.layouts.positions;
        let mut pairs = Vec::with_capacity(mesh.faces.iter().map(Vec::len).sum::<usize>() * 2);
        for face in &mesh.faces {
            let corner = |at: usize| layouts[face[at % face.len()] as usize];
            for at in 0..face.len() {
                let (a, b) = (corner(at), corner(at + 1));
                if a != b {
                    pairs.push((a, b));
                    pairs.push((b, a));
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut offsets = vec![0u32; mesh.positions.len() + 1];
        for &(vertex, _) in &pairs {
            offsets[vertex as usize + 1] += 1;
        }
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        Self { offsets, neighbours: pairs.into_iter().map(|(_, neighbour)| neighbour).collect() }
    }

    pub(crate) fn of(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// The vertices of each part of the mesh that hangs together.
    pub(crate) fn parts(&self) -> Vec<Vec<u32>> {
        let count = self.offsets.len().saturating_sub(1);
        let mut is_seen = vec![false; count];
        let mut parts = Vec::new();
        for start in 0..count {
            if is_seen[start] {
                continue;
            }
            is_seen[start] = true;
            let mut part = vec![start as u32];
            let mut next = 0;
            while let Some(&vertex) = part.get(next) {
                for &neighbour in self.of(vertex as usize) {
                    if !std::mem::replace(&mut is_seen[neighbour as usize], true) {
                        part.push(neighbour);
                    }
                }
                next += 1;
            }
            parts.push(part);
        }
        parts
    }
}

/// Sums over edges before and after a change of shape, from which the turn and the stretch between them follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgeSums {
    covariance: Matrix3<f64>,
    old_squares: f64,
    new_squares: f64,
}

impl EdgeSums {
    /// Adds the edges around a vertex.
    pub(crate) fn add_ring(
        &mut self,
        vertex: usize,
        rings: &Rings,
        old: &[[f32; 3]],
        new: &[[f32; 3]],
        weight: f64,
    ) {
        let vector = |p: [f32; 3]| Vector3::from(p.map(f64::from));
        for &neighbour in rings.of(vertex) {
            let old_edge = vector(old[neighbour as usize]) - vector(old[vertex]);
            let new_edge = vector(new[neighbour as usize]) - vector(new[vertex]);
            self.covariance += new_edge * old_edge.transpose() * weight;
            self.old_squares += old_edge.norm_squared() * weight;
            self.new_squares += new_edge.norm_squared() * weight;
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.covariance += other.covariance;
        self.old_squares += other.old_squares;
        self.new_squares += other.new_squares;
    }

    /// Rotation and scale that best take the old edges to the new ones (least squares); `None` where the edges do not
    /// tell.
    pub(crate) fn similarity(&self) -> Option<(Matrix3<f64>, f64)> {
        if !(self.old_squares > 0.0
            && self.new_squares > 0.0
            && self.covariance.iter().all(|c| c.is_finite()))
        {
            return None;
        }
        let svd = self.covariance.svd(true, true);
        let (u, v_t) = (svd.u?, svd.v_t?);
        // Edges along one line say nothing about the turn around it.
        if svd.singular_values[1] <= 1e-9 * svd.singular_values[0] {
            return None;
        }
        let mut sign = Vector3::new(1.0, 1.0, 1.0);
        if (u * v_t).determinant() < 0.0 {
            sign[2] = -1.0;
        }
        let rotation = u * Matrix3::from_diagonal(&sign) * v_t;
        Some((rotation, (self.new_squares / self.old_squares).sqrt()))
    }
}

/// Whether each vertex lies on an edge that only one face has.
pub(crate) fn on_border(mesh: &Mesh) -> Vec<bool> {
    let layouts = &mesh.layouts.positions;
    let mut edges = Vec::new();
    for face in &mesh.faces {
        let corner = |at: usize| layouts[face[at % face.len()] as usize];
        for at in 0..face.len() {
            let (a, b) = (corner(at), corner(at + 1));
            if a != b {
                edges.push((a.min(b), a.max(b)));
            }
        }
    }
    edges.sort_unstable();
    let mut border = vec![false; mesh.positions.len()];
    for run in edges.chunk_by(|a, b| a == b) {
        if run.len() == 1 {
            border[run[0].0 as usize] = true;
            border[run[0].1 as usize] = true;
        }
    }
    border
}
