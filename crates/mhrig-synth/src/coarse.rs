//! Coarser versions of all parts of a human, which keep the neck seam closed.

use mhrig_archetype::SeamPair;
use mhrig_geom::Mesh;
use rayon::prelude::*;

use crate::HumanPart;
use crate::decimate::{Decimation, Fate};
use crate::human::body_lod_at;

/// A coarser version of a part, in numbers of its LOD 0 mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoarsePart {
    /// The vertices that are left, ascending.
    pub vertices: Vec<u32>,
    /// Corners of triangles as places in `vertices`.
    pub corners: Vec<u32>,
    /// Texture coordinate of each corner.
    pub uv_corners: Vec<u32>,
}

/// Simplifies each part step by step to the vertices of `counts`, LOD 0 first; the entry of a LOD that has as many vertices
/// as the one before is empty. The neck seam loses the same vertices on head (the first part) and body (the last one):
/// `seam_counts` are its vertices per LOD of the body.
pub fn coarse_parts(
    parts: &[HumanPart],
    seam: &[SeamPair],
    counts: &[Vec<usize>],
    seam_counts: &[usize],
) -> Vec<Vec<Option<CoarsePart>>> {
    let Some(body) = parts.len().checked_sub(1) else { return Vec::new() };
    // Where a layout is cut down to the border, a vertex cannot go without tearing the layout.
    let cuts = [0, body].map(|part| coordinates_at(&parts[part].mesh));
    let is_cut =
        |pair: &SeamPair| cuts[0][pair.head_vertex as usize] > 1 || cuts[1][pair.body_vertex as usize] > 1;
    let kept =
        kept_on_seam(&parts[body].mesh, seam, &seam.iter().map(is_cut).collect::<Vec<_>>(), seam_counts);
    let of_part = |(number, part): (usize, &HumanPart)| {
        let mut decimation = Decimation::new(&part.mesh);
        let counts = counts.get(number).map_or(&[][..], Vec::as_slice);
        let steps = counts.windows(2).enumerate();
        let coarse = steps.map(|(before, pair)| {
            if pair[0] == pair[1] {
                return None;
            }
            let mut fates = vec![Fate::Free; part.mesh.positions.len()];
            let lod = before + 1;
            let seam_lod = match number {
                0 => Some(body_lod_at(lod)),
                _ if number == body => Some(lod),
                _ => None,
            };
            if let Some(seam_lod) = seam_lod {
                for (pair, &last_lod) in seam.iter().zip(&kept) {
                    let vertex = if number == 0 { pair.head_vertex } else { pair.body_vertex };
                    fates[vertex as usize] = if seam_lod <= last_lod { Fate::Kept } else { Fate::Removed };
                }
            }
            decimation.reduce(pair[1], &fates);
            Some(coarse_part(&decimation, part.mesh.positions.len()))
        });
        coarse.collect()
    };
    parts.par_iter().enumerate().map(of_part).collect()
}

fn coarse_part(decimation: &Decimation, vertex_count: usize) -> CoarsePart {
    let mut place = vec![0; vertex_count];
    let mut vertices = Vec::new();
    for vertex in (0..vertex_count).filter(|&vertex| decimation.is_alive(vertex)) {
        place[vertex] = vertices.len() as u32;
        vertices.push(vertex as u32);
    }
    let triangles = decimation.triangles();
    CoarsePart {
        vertices,
        corners: triangles.flat_map(|(corners, _)| corners).map(|vertex| place[vertex as usize]).collect(),
        uv_corners: decimation.triangles().flat_map(|(_, uvs)| uvs).collect(),
    }
}

/// Per vertex of the seam, the last LOD of the body that has it: the vertices that bend the ring least go first.
/// Vertices that are `fixed` stay.
fn kept_on_seam(body: &Mesh, seam: &[SeamPair], fixed: &[bool], counts: &[usize]) -> Vec<usize> {
    let ring: Vec<[f32; 3]> = seam.iter().map(|pair| body.positions[pair.body_vertex as usize]).collect();
    let mut last_lod = vec![counts.len().saturating_sub(1); ring.len()];
    let mut left = ring_order(body, seam);
    for (lod, &count) in counts.iter().enumerate().skip(1) {
        while left.len() > count {
            let bend = |at: usize| {
                let around = [at + left.len() - 1, at, at + 1].map(|at| ring[left[at % left.len()]]);
                let [before, here, after] = around.map(|p| p.map(f64::from));
                let (a, b) = (sub(here, before), sub(after, here));
                let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
                cross.iter().map(|c| c * c).sum::<f64>()
                    + 1e-3 * sub(after, before).iter().map(|c| c * c).sum::<f64>()
            };
            let free = (0..left.len()).filter(|&at| !fixed[left[at]]);
            let Some(first) = free.min_by(|&a, &b| bend(a).total_cmp(&bend(b))) else { break };
            last_lod[left.remove(first)] = lod - 1;
        }
    }
    last_lod
}

/// Per vertex the number of texture coordinates that meet there.
fn coordinates_at(mesh: &Mesh) -> Vec<usize> {
    let uv_corners = mesh.uv.as_ref().map_or(&[][..], |uv| &uv.corners);
    let mut pairs: Vec<(u32, u32)> =
        mesh.faces.corners().iter().copied().zip(uv_corners.iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut counts = vec![0; mesh.positions.len()];
    for (vertex, _) in pairs {
        counts[vertex as usize] += 1;
    }
    counts
}

/// The places in `seam` in the order in which they follow each other around the neck.
fn ring_order(body: &Mesh, seam: &[SeamPair]) -> Vec<usize> {
    let mut place = vec![None; body.positions.len()];
    for (at, pair) in seam.iter().enumerate() {
        place[pair.body_vertex as usize] = Some(at);
    }
    let mut neighbours = vec![Vec::new(); seam.len()];
    for face in body.faces.iter() {
        for (at, &vertex) in face.iter().enumerate() {
            let next = face[(at + 1) % face.len()];
            if let (Some(a), Some(b)) = (place[vertex as usize], place[next as usize]) {
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
        }
    }
    if seam.is_empty() {
        return Vec::new();
    }
    let mut order = vec![0];
    while let Some(next) = order.last().and_then(|&last| neighbours[last].iter().find(|n| !order.contains(n)))
    {
        order.push(*next);
    }
    order
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
