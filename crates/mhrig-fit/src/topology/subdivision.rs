//! Meshes that were smoothed by one subdivision step.

use mhrig_geom::Mesh;
use nalgebra::Vector3;

use crate::template::vector;

/// Rounds of the iteration that undoes smoothing; its error falls by a quarter at least in each.
const ROUNDS: usize = 120;

/// A control cage that was found inside a subdivided mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cage {
    /// Positions in the template's order.
    pub(crate) positions: Vec<[f32; 3]>,
    /// Whether the step also smoothed (Catmull-Clark), or only divided faces.
    pub(crate) was_smoothed: bool,
    /// How well the cage, subdivided again, gives the face points of the mesh, cm (root mean square).
    pub(crate) residual_cm: f64,
}

/// Whether `input` has as many vertices and faces as `template` has after one step.
pub(crate) fn has_counts_after_a_step(template: &Mesh, input: &Mesh) -> bool {
    input.faces.len() == template.faces.corners().len()
        && input.positions.len() == template.positions.len() + edges(template).len() + template.faces.len()
        && input.faces.iter().all(|face| face.len() == 4)
}

/// The cage of `input`, when that is `template` after one step with the cage's vertices first (as modelling programs
/// write it).
pub(crate) fn find_cage(template: &Mesh, input: &Mesh) -> Option<Cage> {
    let count = template.positions.len();
    if !has_counts_after_a_step(template, input) {
        return None;
    }
    // Each piece has one vertex of the cage; the point opposite is its face's.
    let mut face_point = vec![None; template.faces.len()];
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); count];
    for face in input.faces.iter() {
        let at = face.iter().position(|&corner| (corner as usize) < count)?;
        if face.iter().filter(|&&corner| (corner as usize) < count).count() != 1 {
            return None;
        }
        around[face[at] as usize].push(face[(at + 2) % 4]);
    }
    for (number, face) in template.faces.iter().enumerate() {
        let shared = around.get(*face.first()? as usize)?.iter().copied();
        let mut shared =
            shared.filter(|point| face.iter().all(|&corner| around[corner as usize].contains(point)));
        face_point[number] = Some(shared.next()?);
    }
    let smoothed: Vec<_> = input.positions[..count].iter().map(|&p| vector(p)).collect();
    let points: Vec<Vector3<f64>> = face_point
        .into_iter()
        .map(|point| Some(vector(input.positions[point? as usize])))
        .collect::<Option<_>>()?;
    let residual = |cage: &[Vector3<f64>]| {
        let square = template.faces.iter().zip(&points).map(|(face, point)| {
            let mean = face.iter().map(|&c| cage[c as usize]).sum::<Vector3<f64>>() / face.len() as f64;
            (mean - point).norm_squared()
        });
        (square.sum::<f64>() / points.len().max(1) as f64).sqrt()
    };
    let undone = undo_smoothing(template, &smoothed);
    let (plain, smooth) = (residual(&smoothed), residual(&undone));
    let was_smoothed = smooth < plain;
    let (cage, residual_cm) = if was_smoothed { (undone, smooth) } else { (smoothed, plain) };
    let positions = cage.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
    Some(Cage { positions, was_smoothed, residual_cm })
}

/// Solves for the cage whose Catmull-Clark vertex points are `smoothed`.
fn undo_smoothing(template: &Mesh, smoothed: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let edges = edges(template);
    let mut cage = smoothed.to_vec();
    for _ in 0..ROUNDS {
        let again = vertex_points(template, &edges, &cage);
        for ((p, wanted), got) in cage.iter_mut().zip(smoothed).zip(&again) {
            *p += wanted - got;
        }
    }
    cage
}

/// Undirected edges with the number of faces at each.
fn edges(mesh: &Mesh) -> Vec<(u32, u32, usize)> {
    let mut all = Vec::with_capacity(mesh.faces.corners().len());
    for face in mesh.faces.iter() {
        for (at, &a) in face.iter().enumerate() {
            let b = face[(at + 1) % face.len()];
            all.push((a.min(b), a.max(b)));
        }
    }
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).map(|run| (run[0].0, run[0].1, run.len())).collect()
}

/// Where one Catmull-Clark step puts the vertices of the cage.
fn vertex_points(mesh: &Mesh, edges: &[(u32, u32, usize)], cage: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    #[derive(Clone, Default)]
    struct Ring {
        faces: Vector3<f64>,
        face_count: f64,
        edges: Vector3<f64>,
        edge_count: f64,
        border: Vector3<f64>,
        border_count: f64,
    }
    let mut rings = vec![Ring::default(); cage.len()];
    for face in mesh.faces.iter() {
        let point = face.iter().map(|&c| cage[c as usize]).sum::<Vector3<f64>>() / face.len() as f64;
        for &corner in face {
            rings[corner as usize].faces += point;
            rings[corner as usize].face_count += 1.0;
        }
    }
    for &(a, b, faces) in edges {
        let middle = (cage[a as usize] + cage[b as usize]) * 0.5;
        for vertex in [a, b] {
            let ring = &mut rings[vertex as usize];
            ring.edges += middle;
            ring.edge_count += 1.0;
            if faces == 1 {
                ring.border += middle;
                ring.border_count += 1.0;
            }
        }
    }
    let point = |(ring, &p): (&Ring, &Vector3<f64>)| {
        if ring.border_count >= 2.0 {
            (ring.border / ring.border_count + p) * 0.5
        } else if ring.face_count > 0.0 && ring.edge_count > 0.0 {
            let n = ring.face_count;
            (ring.faces / n + ring.edges / ring.edge_count * 2.0 + p * (n - 3.0)) / n
        } else {
            p
        }
    };
    rings.iter().zip(cage).map(point).collect()
}

/// One subdivision step as modelling programs write it: cage vertices, then edge points, then face points.
pub(crate) fn subdivide(mesh: &Mesh, smooth: bool) -> Mesh {
    let cage: Vec<_> = mesh.positions.iter().map(|&p| vector(p)).collect();
    let edges = edges(mesh);
    let face_point =
        |face: &[u32]| face.iter().map(|&c| cage[c as usize]).sum::<Vector3<f64>>() / face.len() as f64;
    let edge_at = |a: u32, b: u32| {
        let key = (a.min(b), a.max(b));
        edges.binary_search_by_key(&key, |&(a, b, _)| (a, b)).unwrap_or(0)
    };
    let mut inner = vec![Vector3::zeros(); edges.len()];
    for face in mesh.faces.iter() {
        for (at, &corner) in face.iter().enumerate() {
            inner[edge_at(corner, face[(at + 1) % face.len()])] += face_point(face);
        }
    }
    let mut points = if smooth { vertex_points(mesh, &edges, &cage) } else { cage.clone() };
    for (&(a, b, faces), inner) in edges.iter().zip(&inner) {
        let middle = (cage[a as usize] + cage[b as usize]) * 0.5;
        points.push(if smooth && faces == 2 { (middle + inner / 2.0) * 0.5 } else { middle });
    }
    points.extend(mesh.faces.iter().map(face_point));
    let edge_number = |a: u32, b: u32| (cage.len() + edge_at(a, b)) as u32;
    let mut faces = mhrig_geom::Polygons::default();
    for (number, face) in mesh.faces.iter().enumerate() {
        let center = (cage.len() + edges.len() + number) as u32;
        for (at, &corner) in face.iter().enumerate() {
            let next = edge_number(corner, face[(at + 1) % face.len()]);
            let previous = edge_number(face[(at + face.len() - 1) % face.len()], corner);
            let _ = faces.push([corner, next, center, previous]);
        }
    }
    let positions = points.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
    Mesh { positions, faces, uv: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mhrig_geom::Polygons;

    /// An open, bent grid.
    fn grid(side: u32) -> Mesh {
        let mut mesh = Mesh { faces: Polygons::default(), ..Mesh::default() };
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            mesh.positions.push([x as f32, y as f32, (x as f32 * 1.7).sin() + (y as f32 * 0.9).cos()]);
            if x + 1 < side && y + 1 < side {
                let at = y * side + x;
                mesh.faces.push([at, at + 1, at + side + 1, at + side]).unwrap();
            }
        }
        mesh
    }

    #[test]
    fn the_cage_of_a_smoothed_mesh_is_found_again() {
        let cage = grid(7);
        for smooth in [true, false] {
            let found = find_cage(&cage, &subdivide(&cage, smooth)).unwrap();
            assert_eq!(found.was_smoothed, smooth);
            assert!(found.residual_cm < 1e-5, "{}", found.residual_cm);
            for (a, b) in found.positions.iter().zip(&cage.positions) {
                assert!((vector(*a) - vector(*b)).norm() < 1e-4);
            }
        }
        assert_eq!(find_cage(&cage, &cage), None);
        assert_eq!(find_cage(&grid(6), &subdivide(&cage, true)), None);
    }
}
