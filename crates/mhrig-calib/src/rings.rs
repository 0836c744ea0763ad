use mhrig_dna::Mesh;

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
