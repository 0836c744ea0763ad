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
