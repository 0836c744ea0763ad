//! Distances between the parts of a character: lids on eyeballs, lashes on lids, lips on teeth.

use mhrig_geom::{Mesh, SimilarityKind, TriangleTree, fit_similarity};
use mhrig_report::{Cancelled, Finding, Job, Severity};
use nalgebra::Vector3;
use serde::Serialize;

use crate::template::vector;
use crate::{FitTemplate, MeshRole, Targets};

/// Vertices this close to another mesh belong to it, cm.
const NEAR_CM: f64 = 0.5;

/// A change of one vertex beyond this is reported as a warning, cm. Among people of very different shape, with parts
/// made for each other, the largest is 0.5 cm.
pub const DISTANCE_RANGE_CM: f64 = 0.6;

/// A change of the mean distance beyond this is reported as a warning, cm. Among such people the largest is 0.15 cm.
pub const MEAN_DISTANCE_RANGE_CM: f64 = 0.2;

/// How the distance of one mesh to another changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartDistance {
    /// The mesh whose vertices are measured.
    pub mesh: String,
    /// The mesh to whose surface.
    pub to: String,
    /// How many vertices are near that surface in the template (0.5 cm): those that are measured.
    pub vertices: usize,
    /// Their mean distance in the template, times the size of the character relative to it, cm. Inside an eyeball
    /// distances are negative.
    pub expected_cm: f64,
    /// Their mean distance now, cm.
    pub found_cm: f64,
    /// The change of greatest size, cm: negative where they came closer.
    pub largest_change_cm: f64,
    /// The vertex with that change.
    pub vertex: usize,
}

impl PartDistance {
    /// The change of the mean distance, cm: negative where the meshes came closer.
    pub fn mean_change_cm(&self) -> f64 {
        self.found_cm - self.expected_cm
    }

    /// A warning when the change is beyond [`DISTANCE_RANGE_CM`] or [`MEAN_DISTANCE_RANGE_CM`].
    pub fn finding(&self) -> Option<Finding> {
        let direction = |change: f64| if change < 0.0 { "closer to" } else { "further from" };
        let (largest, mean) = (self.largest_change_cm, self.mean_change_cm());
        let (message, range, change) = if mean.abs() > MEAN_DISTANCE_RANGE_CM {
            let message = format!(
                "the {} vertices that go with {} are {:.2} cm {} it than in the template, on average",
                self.vertices,
                self.to,
                mean.abs(),
                direction(mean)
            );
            (message, MEAN_DISTANCE_RANGE_CM, mean)
        } else if largest.abs() > DISTANCE_RANGE_CM {
            let message = format!(
                "a vertex that goes with {} is {:.2} cm {} it than in the template",
                self.to,
                largest.abs(),
                direction(largest)
            );
            (message, DISTANCE_RANGE_CM, largest)
        } else {
            return None;
        };
        let place = format!("{}: vertex {}", self.mesh, self.vertex);
        let remedy =
            "look whether the two meshes were moved or scaled apart; leave one out to have it filled";
        let finding = Finding::new("PART_DISTANCE", Severity::Warning, place, message, remedy);
        Some(finding.with_values(format!("at most {range} cm"), format!("{change:.3} cm")))
    }
}

/// Measures every mesh of the part against every other that it is near to in the template.
///
/// `targets` are the character's meshes (given or filled); what is missing is left out. Distances are compared after
/// scaling the template's by the size of the character's main mesh.
///
/// # Errors
/// [`Cancelled`] when the job was asked to stop.
pub fn part_distances(
    template: &FitTemplate,
    targets: &Targets<'_>,
    job: Job<'_>,
) -> Result<Vec<PartDistance>, Cancelled> {
    let scale = size_of(template, targets);
    let roles: Vec<MeshRole> = template.mesh_evidence().iter().map(|evidence| evidence.role).collect();
    let mut distances = Vec::new();
    for (to, surface) in template.meshes.iter().enumerate() {
        job.check()?;
        let Some(now) = targets.positions(to) else { continue };
        let triangles = triangles(&surface.mesh);
        let is_closed = roles[to] == MeshRole::Eye;
        let rest = Surface::new(&surface.mesh.positions, &triangles, is_closed);
        let mut moved = None;
        for (number, mesh) in template.meshes.iter().enumerate() {
            let Some(positions) = targets.positions(number).filter(|_| number != to) else { continue };
            let near = rest.near(&mesh.mesh);
            if near.is_empty() {
                continue;
            }
            job.check()?;
            let moved = moved.get_or_insert_with(|| Surface::new(now, &triangles, is_closed));
            let mut largest = (0.0f64, near[0].0);
            let (mut expected, mut found) = (0.0, 0.0);
            for &(vertex, at_rest) in &near {
                let Some(distance) = moved.distance(vector(positions[vertex])) else { continue };
                let at_rest = at_rest * scale;
                expected += at_rest;
                found += distance;
                if (distance - at_rest).abs() > largest.0.abs() {
                    largest = (distance - at_rest, vertex);
                }
            }
            distances.push(PartDistance {
                mesh: mesh.name.clone(),
                to: surface.name.clone(),
                vertices: near.len(),
                expected_cm: expected / near.len() as f64,
                found_cm: found / near.len() as f64,
                largest_change_cm: largest.0,
                vertex: largest.1,
            });
        }
    }
    Ok(distances)
}

/// Size of the largest given mesh relative to the template's.
fn size_of(template: &FitTemplate, targets: &Targets<'_>) -> f64 {
    let given = template.meshes.iter().enumerate();
    let given = given.filter_map(|(number, mesh)| Some((&mesh.mesh.positions, targets.positions(number)?)));
    let largest = given.max_by_key(|(positions, _)| positions.len());
    let similarity = largest.and_then(|(from, to)| {
        let [from, to] = [from.as_slice(), to].map(|p| p.iter().map(|&p| vector(p)).collect::<Vec<_>>());
        fit_similarity(&from, &to, None, SimilarityKind::Similar)
    });
    similarity.map_or(1.0, |similarity| similarity.scale)
}

fn triangles(mesh: &Mesh) -> Vec<[u32; 3]> {
    let fans = mesh
        .faces
        .iter()
        .flat_map(|face| (1..face.len().saturating_sub(1)).map(|at| [face[0], face[at], face[at + 1]]));
    fans.collect()
}

/// A surface to measure to.
struct Surface<'a> {
    tree: TriangleTree,
    positions: &'a [[f32; 3]],
    triangles: &'a [[u32; 3]],
    /// Whether there is an inside.
    is_closed: bool,
}

impl<'a> Surface<'a> {
    fn new(positions: &'a [[f32; 3]], triangles: &'a [[u32; 3]], is_closed: bool) -> Self {
        Self { tree: TriangleTree::new(positions, triangles), positions, triangles, is_closed }
    }

    fn distance(&self, point: Vector3<f64>) -> Option<f64> {
        let closest = self.tree.closest(point)?;
        let distance = closest.distance_squared.sqrt();
        if !self.is_closed {
            return Some(distance);
        }
        let corners = self.triangles.get(closest.triangle as usize)?;
        let [a, b, c] = corners.map(|corner| vector(self.positions[corner as usize]));
        let foot = a * closest.weights[0] + b * closest.weights[1] + c * closest.weights[2];
        let is_inside = (b - a).cross(&(c - a)).dot(&(point - foot)) < 0.0;
        Some(if is_inside { -distance } else { distance })
    }

    /// Vertices of `mesh` near the surface, with their distances.
    fn near(&self, mesh: &Mesh) -> Vec<(usize, f64)> {
        let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for &position in self.positions {
            low = low.inf(&vector(position));
            high = high.sup(&vector(position));
        }
        let is_around =
            |p: &Vector3<f64>| (0..3).all(|c| p[c] >= low[c] - NEAR_CM && p[c] <= high[c] + NEAR_CM);
        let vertices = mesh.positions.iter().map(|&p| vector(p)).enumerate();
        let measured = vertices.filter(|(_, p)| is_around(p)).filter_map(|(vertex, p)| {
            self.distance(p).filter(|distance| distance.abs() <= NEAR_CM).map(|distance| (vertex, distance))
        });
        measured.collect()
    }
}
