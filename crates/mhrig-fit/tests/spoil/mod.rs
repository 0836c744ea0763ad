//! What programs and people do to meshes.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::collections::HashMap;

use mhrig_geom::{Mesh, Polygons, UvSet};

/// A fixed pseudo-random order of 0 … count − 1.
pub fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for at in (1..count).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(at, (state % (at as u64 + 1)) as usize);
    }
    order
}

/// The mesh from faces given as corners (vertex, texture coordinate).
pub fn build(positions: Vec<[f32; 3]>, coords: Vec<[f32; 2]>, faces: &[Vec<(u32, u32)>]) -> Mesh {
    let mut polygons = Polygons::default();
    let mut corners = Vec::new();
    for face in faces {
        polygons.push(face.iter().map(|corner| corner.0)).unwrap();
        corners.extend(face.iter().map(|corner| corner.1));
    }
    let uv = (!coords.is_empty()).then_some(UvSet { coords, corners });
    Mesh { positions, faces: polygons, uv }
}

/// Faces as corners (vertex, texture coordinate).
pub fn corners(mesh: &Mesh) -> Vec<Vec<(u32, u32)>> {
    let uv = mesh.uv.as_ref();
    let face = |number: usize| {
        let range = mesh.faces.corner_range(number);
        let coordinate = |corner: usize| uv.map_or(0, |uv| uv.corners[corner]);
        range.map(|corner| (mesh.faces.corners()[corner], coordinate(corner))).collect()
    };
    (0..mesh.faces.len()).map(face).collect()
}

pub fn coords(mesh: &Mesh) -> Vec<[f32; 2]> {
    mesh.uv.as_ref().map_or_else(Vec::new, |uv| uv.coords.clone())
}

pub fn without_uv(mesh: &Mesh) -> Mesh {
    Mesh { uv: None, ..mesh.clone() }
}

/// New vertex numbers.
pub fn shuffle_vertices(mesh: &Mesh) -> Mesh {
    let order = shuffled(mesh.positions.len());
    let mut positions = vec![[0.0; 3]; order.len()];
    order.iter().enumerate().for_each(|(old, &new)| positions[new] = mesh.positions[old]);
    let mut faces = corners(mesh);
    faces.iter_mut().flatten().for_each(|corner| corner.0 = order[corner.0 as usize] as u32);
    build(positions, coords(mesh), &faces)
}

/// Another order of the faces.
pub fn shuffle_faces(mesh: &Mesh) -> Mesh {
    let faces = corners(mesh);
    let faces: Vec<_> = shuffled(faces.len()).into_iter().map(|face| faces[face].clone()).collect();
    build(mesh.positions.clone(), coords(mesh), &faces)
}

/// One vertex per pair of position and texture coordinate, numbered as they occur, as game engines export.
pub fn split_at_uv_seams(mesh: &Mesh) -> Mesh {
    split(mesh, |corner, _| corner)
}

/// Every face on its own, as programs export hard edges.
pub fn split_all(mesh: &Mesh) -> Mesh {
    split(mesh, |(vertex, _), face| (vertex, face as u32))
}

fn split(mesh: &Mesh, key: impl Fn((u32, u32), usize) -> (u32, u32)) -> Mesh {
    let mut number: HashMap<(u32, u32), u32> = HashMap::new();
    let mut positions = Vec::new();
    let mut faces = corners(mesh);
    for (at, face) in faces.iter_mut().enumerate() {
        for corner in face {
            let vertex = corner.0;
            corner.0 = *number.entry(key(*corner, at)).or_insert_with(|| {
                positions.push(mesh.positions[vertex as usize]);
                positions.len() as u32 - 1
            });
        }
    }
    build(positions, coords(mesh), &faces)
}

/// Fans of triangles.
pub fn triangulate(mesh: &Mesh) -> Mesh {
    let mut triangles = Vec::new();
    for (number, face) in corners(mesh).iter().enumerate() {
        // Every other face along its other diagonal.
        let turn = number % 2;
        let face: Vec<_> = (0..face.len()).map(|at| face[(at + turn) % face.len()]).collect();
        triangles.extend((1..face.len() - 1).map(|at| vec![face[0], face[at], face[at + 1]]));
    }
    build(mesh.positions.clone(), coords(mesh), &triangles)
}

pub fn reverse_faces(mesh: &Mesh, is_reversed: impl Fn(usize) -> bool) -> Mesh {
    let mut faces = corners(mesh);
    for (number, face) in faces.iter_mut().enumerate() {
        if is_reversed(number) {
            face.reverse();
        }
    }
    build(mesh.positions.clone(), coords(mesh), &faces)
}

/// Vertices that no face uses, before all others and after them.
pub fn add_loose(mesh: &Mesh, before: u32, after: u32) -> Mesh {
    let point = |n: u32| [0.0, 200.0 + n as f32, 3.0];
    let mut positions: Vec<_> = (0..before).map(point).collect();
    positions.extend_from_slice(&mesh.positions);
    positions.extend((0..after).map(point));
    let mut faces = corners(mesh);
    faces.iter_mut().flatten().for_each(|corner| corner.0 += before);
    build(positions, coords(mesh), &faces)
}

/// One mesh after another.
pub fn combine(meshes: &[&Mesh]) -> Mesh {
    let (mut positions, mut all_coords, mut faces) = (Vec::new(), Vec::new(), Vec::new());
    for mesh in meshes {
        let (first, first_coord) = (positions.len() as u32, all_coords.len() as u32);
        positions.extend_from_slice(&mesh.positions);
        all_coords.extend(coords(mesh));
        let shift =
            |face: Vec<(u32, u32)>| face.into_iter().map(|(v, t)| (v + first, t + first_coord)).collect();
        faces.extend(corners(mesh).into_iter().map(shift).collect::<Vec<Vec<_>>>());
    }
    build(positions, all_coords, &faces)
}

/// One Catmull-Clark step as modelling programs write it: cage vertices, then edge points, then face points.
pub fn subdivide(mesh: &Mesh) -> Mesh {
    let p = |v: u32| mesh.positions[v as usize].map(f64::from);
    let mean = |points: &[[f64; 3]]| {
        let sum = points.iter().fold([0.0; 3], |s, p| [s[0] + p[0], s[1] + p[1], s[2] + p[2]]);
        sum.map(|c| c / points.len() as f64)
    };
    let face_points: Vec<[f64; 3]> =
        mesh.faces.iter().map(|face| mean(&face.iter().map(|&v| p(v)).collect::<Vec<_>>())).collect();
    let mut edges: Vec<(u32, u32, Vec<usize>)> = Vec::new();
    let mut edge_number: HashMap<(u32, u32), usize> = HashMap::new();
    for (number, face) in mesh.faces.iter().enumerate() {
        for at in 0..face.len() {
            let (a, b) = (face[at], face[(at + 1) % face.len()]);
            let key = (a.min(b), a.max(b));
            let edge = *edge_number.entry(key).or_insert_with(|| {
                edges.push((key.0, key.1, Vec::new()));
                edges.len() - 1
            });
            edges[edge].2.push(number);
        }
    }
    let count = mesh.positions.len();
    // Face points, edge middles, and middles of border edges around each vertex.
    type Points = Vec<[f64; 3]>;
    let mut around: Vec<(Points, Points, Points)> = vec![Default::default(); count];
    for (number, face) in mesh.faces.iter().enumerate() {
        face.iter().for_each(|&v| around[v as usize].0.push(face_points[number]));
    }
    for (a, b, faces) in &edges {
        let middle = mean(&[p(*a), p(*b)]);
        for v in [*a, *b] {
            around[v as usize].1.push(middle);
            if faces.len() == 1 {
                around[v as usize].2.push(middle);
            }
        }
    }
    let mut positions: Vec<[f64; 3]> = (0..count)
        .map(|v| {
            let here = p(v as u32);
            let (faces, edges, border) = &around[v];
            if border.len() >= 2 {
                return mean(&[mean(border), here]);
            }
            if faces.is_empty() {
                return here;
            }
            let (f, e, n) = (mean(faces), mean(edges), faces.len() as f64);
            [0, 1, 2].map(|c| (f[c] + 2.0 * e[c] + (n - 3.0) * here[c]) / n)
        })
        .collect();
    for (a, b, faces) in &edges {
        let middle = mean(&[p(*a), p(*b)]);
        let inner = mean(&faces.iter().map(|&face| face_points[face]).collect::<Vec<_>>());
        positions.push(if faces.len() == 2 { mean(&[middle, inner]) } else { middle });
    }
    positions.extend(&face_points);
    let mut faces = Polygons::default();
    for (number, face) in mesh.faces.iter().enumerate() {
        let edge = |a: u32, b: u32| (count + edge_number[&(a.min(b), a.max(b))]) as u32;
        let center = (count + edges.len() + number) as u32;
        for at in 0..face.len() {
            let (here, next, previous) =
                (face[at], face[(at + 1) % face.len()], face[(at + face.len() - 1) % face.len()]);
            faces.push([here, edge(here, next), center, edge(previous, here)]).unwrap();
        }
    }
    Mesh { positions: positions.into_iter().map(|p| p.map(|c| c as f32)).collect(), faces, uv: None }
}
