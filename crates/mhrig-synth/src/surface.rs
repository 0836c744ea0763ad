use mhrig_geom::Polygons;
use nalgebra::Vector3;

use crate::posing::vector;

/// Unit normals per vertex: the sum of the face normals around it, weighted by the angle of the face's corner. Zero where
/// no face has area.
pub(crate) fn angle_weighted_normals(positions: &[[f32; 3]], faces: &Polygons) -> Vec<Vector3<f64>> {
    let mut sums = normal_sums(positions, faces);
    for sum in &mut sums {
        *sum = sum.try_normalize(1e-30).unwrap_or_default();
    }
    sums
}

/// The sums that [`angle_weighted_normals`] normalises.
pub(crate) fn normal_sums(positions: &[[f32; 3]], faces: &Polygons) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); positions.len()];
    let mut corners = Vec::new();
    for face in faces.iter() {
        corners.clear();
        corners.extend(face.iter().map(|&vertex| vector(positions[vertex as usize])));
        let Some(normal) = polygon_normal(&corners).try_normalize(1e-30) else { continue };
        for (at, &vertex) in face.iter().enumerate() {
            let next = corners[(at + 1) % corners.len()] - corners[at];
            let previous = corners[(at + corners.len() - 1) % corners.len()] - corners[at];
            let angle = next.cross(&previous).norm().atan2(next.dot(&previous));
            sums[vertex as usize] += normal * angle;
        }
    }
    sums
}

/// Twice the vector area of a polygon, which need not be flat.
pub(crate) fn polygon_normal(corners: &[Vector3<f64>]) -> Vector3<f64> {
    let Some(&origin) = corners.first() else { return Vector3::zeros() };
    let pairs = corners.windows(2).skip(1);
    pairs.map(|pair| (pair[0] - origin).cross(&(pair[1] - origin))).sum()
}

/// The neighbours of every vertex of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    neighbours: Vec<Vec<u32>>,
    fans: Vec<Vec<(usize, usize)>>,
}

impl Rings {
    pub(crate) fn new(vertex_count: usize, faces: &Polygons) -> Self {
        let mut rings =
            Self { neighbours: vec![Vec::new(); vertex_count], fans: vec![Vec::new(); vertex_count] };
        for face in faces.iter() {
            for (at, &vertex) in face.iter().enumerate() {
                let next = face[(at + 1) % face.len()];
                let previous = face[(at + face.len() - 1) % face.len()];
                let neighbours = &mut rings.neighbours[vertex as usize];
                let mut place = |other: u32| {
                    neighbours.iter().position(|&known| known == other).unwrap_or_else(|| {
                        neighbours.push(other);
                        neighbours.len() - 1
                    })
                };
                let fan = (place(next), place(previous));
                rings.fans[vertex as usize].push(fan);
            }
        }
        rings
    }

    /// The vertices that share an edge with `vertex`.
    pub(crate) fn ring(&self, vertex: usize) -> &[u32] {
        &self.neighbours[vertex]
    }

    /// Per face at `vertex`, the places in [`Rings::ring`] of its next and its previous corner.
    pub(crate) fn fans(&self, vertex: usize) -> &[(usize, usize)] {
        &self.fans[vertex]
    }
}
