//! Affine maps of the surface around each joint, as rows of coefficients.
//!
//! The map is the weighted least-squares affine one from the template's vertices to the target's, evaluated at the
//! joint. It is linear in the target's vertices, so that all that depends on the template is computed once: one row
//! of coefficients per joint.

use std::collections::HashMap;

use mhrig_geom::JointId;
use mhrig_report::{Cancelled, Job};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use crate::seed::LEAST_SKIN_WEIGHT;
use crate::template::vector;
use crate::{FitTemplate, JointPlacement, MeshRole, Rule, Targets};

/// How much of a vertex's weight comes from the joint's skin; the rest comes from nearness.
const SKIN_SHARE: f64 = 0.5;

/// Nearness falls with the third power of the distance, so that every shell of surface around a joint inside a limb
/// counts less than the one before.
fn nearness(squared_distance: f64) -> f64 {
    1.0 / (squared_distance * squared_distance.sqrt())
}

/// How soon nearness stops to grow, in squares of the joint's depth below the surface: the surface on all sides of a limb
/// is to count, and yet not all of it alike. See `of_two_values_the_template_alone_speaks_for_the_softness_in_use`.
const SOFTNESS: f64 = 0.5;

/// Heaviest vertices that a row keeps; more of them change no joint by a tenth of a millimetre on average.
const ROW_LENGTH: usize = 2048;

/// A patch flatter than this (square of the ratio of extents) determines no map.
const FLATNESS: f64 = 1e-9;

/// All that rows depend on besides the templates and the way they are computed.
pub(crate) const SETTINGS: [f64; 4] = [SKIN_SHARE, SOFTNESS, ROW_LENGTH as f64, FLATNESS];

/// The vertices that count as evidence, of all parts: those of meshes that cannot be filled.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// Part and mesh number of each mesh in it, with its first vertex.
    meshes: Vec<(usize, usize, usize)>,
    pub(crate) rest: Vec<Vector3<f64>>,
    areas: Vec<f64>,
}

impl Surface {
    /// The evidence meshes of `parts` that `is_present` (part, mesh).
    pub(crate) fn new(parts: &[&FitTemplate], is_present: impl Fn(usize, usize) -> bool) -> Self {
        let mut surface = Self { meshes: Vec::new(), rest: Vec::new(), areas: Vec::new() };
        for (part, template) in parts.iter().enumerate() {
            for (mesh, evidence) in template.mesh_evidence().iter().enumerate() {
                if evidence.role == MeshRole::Fillable || !is_present(part, mesh) {
                    continue;
                }
                surface.meshes.push((part, mesh, surface.rest.len()));
                let mesh = &template.meshes[mesh].mesh;
                surface.rest.extend(mesh.positions.iter().map(|&p| vector(p)));
                surface.areas.extend(vertex_areas(mesh));
            }
        }
        surface
    }

    /// The target's positions of all vertices; `None` when a mesh is missing.
    pub(crate) fn positions(&self, targets: &[&Targets<'_>]) -> Option<Vec<Vector3<f64>>> {
        let mut positions = Vec::with_capacity(self.rest.len());
        for &(part, mesh, first) in &self.meshes {
            debug_assert_eq!(first, positions.len());
            positions.extend(targets.get(part)?.positions(mesh)?.iter().map(|&p| vector(p)));
        }
        (positions.len() == self.rest.len()).then_some(positions)
    }

    /// Weights of each joint (by name) on the vertices, in order.
    fn skin_by_name<'a>(&self, parts: &[&'a FitTemplate]) -> HashMap<&'a str, Vec<(u32, f64)>> {
        let mut by_name: HashMap<&str, Vec<(u32, f64)>> = HashMap::new();
        for &(part, mesh, first) in &self.meshes {
            let template = parts[part];
            let skin = &template.meshes[mesh].skin;
            for vertex in 0..skin.vertex_count() {
                for (joint, weight) in skin.influences(vertex).filter(|(_, weight)| *weight > 0.0) {
                    let name = template.hierarchy.name(joint);
                    by_name.entry(name).or_default().push(((first + vertex) as u32, f64::from(weight)));
                }
            }
        }
        by_name
    }
}

/// A vertex's share of the faces around it.
fn vertex_areas(mesh: &mhrig_geom::Mesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions.len()];
    for face in mesh.faces.iter() {
        let corner =
            |at: usize| face.get(at).and_then(|&c| mesh.positions.get(c as usize)).map(|&p| vector(p));
        let Some(origin) = corner(0) else { continue };
        let mut twice = Vector3::zeros();
        for at in 1..face.len().saturating_sub(1) {
            if let (Some(b), Some(c)) = (corner(at), corner(at + 1)) {
                twice += (b - origin).cross(&(c - origin));
            }
        }
        let share = twice.norm() * 0.5 / face.len() as f64;
        for &corner in face {
            if let Some(area) = areas.get_mut(corner as usize) {
                *area += share;
            }
        }
    }
    areas
}

/// One joint's row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Ascending.
    pub(crate) vertices: Vec<u32>,
    /// Contribution of each vertex to the joint's position.
    pub(crate) coefficients: Vec<f64>,
    /// Weight of each vertex in the least squares, sum 1.
    pub(crate) weights: Vec<f32>,
    pub(crate) mean: Vector3<f64>,
    pub(crate) inverse_scatter: Matrix3<f64>,
    pub(crate) depth_cm: f64,
}

/// The rows of one part, by joint number; `None` where a joint needs none or has no surface.
pub(crate) type Rows = Vec<Option<Row>>;

/// Computes the rows of the joints of part `part` that may need one.
pub(crate) fn compute_rows(
    parts: &[&FitTemplate],
    part: usize,
    surface: &Surface,
    job: Job<'_>,
) -> Result<Rows, Cancelled> {
    rows_of_softness(parts, part, surface, SOFTNESS, job)
}

fn rows_of_softness(
    parts: &[&FitTemplate],
    part: usize,
    surface: &Surface,
    softness: f64,
    job: Job<'_>,
) -> Result<Rows, Cancelled> {
    let template = parts[part];
    let skin = surface.skin_by_name(parts);
    let needs_row = |joint: usize| {
        !template.is_anchor[joint]
            && template.exact_chains[joint].is_none()
            && !template.rows.iter().any(|row| row.joint.index() == joint && row.offset.is_none())
    };
    let row = |joint: usize| {
        job.check()?;
        if !needs_row(joint) || surface.rest.is_empty() {
            return Ok(None);
        }
        // Siblings that coincide with the joint move with it, and lend it their skin.
        let mut influence: HashMap<u32, f64> = HashMap::new();
        let followers = (0..template.rest.len()).filter(|&other| {
            let is_sibling = template.hierarchy.parents()[other] == template.hierarchy.parents()[joint];
            other == joint
                || is_sibling
                    && template.exact_chains[other]
                        .is_some_and(|chain| chain.from == chain.to && chain.from.index() == joint)
        });
        let mut order = Vec::new();
        for follower in followers {
            for &(vertex, weight) in
                skin.get(template.hierarchy.name(JointId(follower as u16))).into_iter().flatten()
            {
                *influence.entry(vertex).or_insert_with(|| {
                    order.push(vertex);
                    0.0
                }) += weight;
            }
        }
        order.sort_unstable();
        let influence: Vec<(u32, f64)> = order.iter().map(|vertex| (*vertex, influence[vertex])).collect();
        Ok(Row::new(&template.rest[joint], surface, &influence, softness))
    };
    (0..template.rest.len()).into_par_iter().map(row).collect()
}

impl Row {
    fn new(joint: &Vector3<f64>, surface: &Surface, influence: &[(u32, f64)], softness: f64) -> Option<Self> {
        let distances: Vec<f64> = surface.rest.iter().map(|p| (p - joint).norm_squared()).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        // Nearness stops to grow at the depth of the joint.
        let soft = (nearest * softness).max(1e-6);
        let mut weights: Vec<f64> =
            distances.iter().zip(&surface.areas).map(|(d, area)| area * nearness(d + soft)).collect();
        let near_sum: f64 = weights.iter().sum();
        let skin_weight: f64 = influence.iter().map(|(_, weight)| weight).sum();
        let skin_sum: f64 =
            influence.iter().map(|&(vertex, weight)| weight * surface.areas[vertex as usize]).sum();
        let has_skin = skin_weight > LEAST_SKIN_WEIGHT && skin_sum > 0.0;
        let near_share = if has_skin { 1.0 - SKIN_SHARE } else { 1.0 };
        weights.iter_mut().for_each(|weight| *weight *= near_share / near_sum);
        if has_skin {
            for &(vertex, weight) in influence {
                weights[vertex as usize] += SKIN_SHARE * weight * surface.areas[vertex as usize] / skin_sum;
            }
        }
        if !weights.iter().all(|weight| weight.is_finite()) {
            return None;
        }
        let mut vertices: Vec<u32> =
            (0..weights.len() as u32).filter(|&v| weights[v as usize] > 0.0).collect();
        if vertices.len() > ROW_LENGTH {
            let heavier =
                |a: &u32, b: &u32| weights[*b as usize].total_cmp(&weights[*a as usize]).then(a.cmp(b));
            vertices.select_nth_unstable_by(ROW_LENGTH - 1, heavier);
            vertices.truncate(ROW_LENGTH);
            vertices.sort_unstable();
        }
        let total: f64 = vertices.iter().map(|&v| weights[v as usize]).sum();
        let kept: Vec<f64> = vertices.iter().map(|&v| weights[v as usize] / total).collect();
        let points = || vertices.iter().map(|&v| surface.rest[v as usize]).zip(&kept);
        let mean: Vector3<f64> = points().map(|(p, weight)| p * *weight).sum();
        let scatter: Matrix3<f64> =
            points().map(|(p, weight)| (p - mean) * (p - mean).transpose() * *weight).sum();
        let extents = scatter.symmetric_eigenvalues();
        if extents.min() <= extents.max() * FLATNESS {
            return None;
        }
        let inverse_scatter = scatter.try_inverse()?;
        let slope = inverse_scatter * (joint - mean);
        let coefficients = points().map(|(p, weight)| weight * (1.0 + (p - mean).dot(&slope))).collect();
        let weights = kept.iter().map(|&weight| weight as f32).collect();
        let depth_cm = nearest.sqrt();
        Some(Self { vertices, coefficients, weights, mean, inverse_scatter, depth_cm })
    }

    /// The joint for the target's positions of the surface.
    pub(crate) fn place(&self, surface: &Surface, positions: &[Vector3<f64>]) -> JointPlacement {
        let mut joint = Vector3::zeros();
        let (mut mean, mut square, mut cross) = (Vector3::zeros(), 0.0, Matrix3::zeros());
        let mut weight_sum = 0.0;
        // About a vertex of the patch, so that squares stay small.
        let origin = self.vertices.first().map_or_else(Vector3::zeros, |&v| positions[v as usize]);
        for (at, &vertex) in self.vertices.iter().enumerate() {
            let (to, weight) = (positions[vertex as usize], f64::from(self.weights[at]));
            joint += to * self.coefficients[at];
            let away = to - origin;
            weight_sum += weight;
            mean += away * weight;
            square += away.norm_squared() * weight;
            cross += away * (surface.rest[vertex as usize] - self.mean).transpose() * weight;
        }
        mean /= weight_sum;
        let spread = square / weight_sum - mean.norm_squared();
        let explained = (cross * self.inverse_scatter).component_mul(&cross).sum() / weight_sum;
        let residual_cm = (spread - explained).max(0.0).sqrt();
        let rule = Rule::Patch { depth_cm: self.depth_cm };
        JointPlacement::new(joint, rule, self.vertices.len(), residual_cm)
    }
}

#[cfg(test)]
#[path = "../tests/human_pack/mod.rs"]
mod human_pack;

#[cfg(test)]
mod tests {
    use mhrig_report::{Cancel, Silent};

    use super::human_pack::{Pack, no_rotation};
    use super::*;

    /// The affine map is exact for affine changes whatever the weights. Of the next order, quadratic ones, it misses
    /// `Σ c (x − j)ᵀ Q (x − j)`, so that over all directions of `Q` alike the second moment of the coefficients about the
    /// joint says how far the joint goes astray; and the sum of their squares how much of what single vertices do
    /// on their own gets through. Both come from the template alone. Less softness costs less of the one and more of the
    /// other; the product of both says which is worth more, whatever their units.
    #[test]
    fn of_two_values_the_template_alone_speaks_for_the_softness_in_use() {
        let Some(pack) =
            Pack::load_or_skip("of_two_values_the_template_alone_speaks_for_the_softness_in_use")
        else {
            return;
        };
        let (head, body) = (pack.head(no_rotation), pack.body(no_rotation));
        let parts = [&body, &head];
        let surface = Surface::new(&parts, |_, _| true);
        let cancel = Cancel::default();
        let job = Job { progress: &Silent, cancel: &cancel };
        println!("softness  astray, cm² mean  median  p95  noise mean  both, geometric mean");
        let mut both_by_softness = Vec::new();
        for softness in [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0] {
            let (mut astray, mut noise) = (Vec::new(), Vec::new());
            for (part, template) in parts.iter().enumerate() {
                let rows = rows_of_softness(&parts, part, &surface, softness, job).unwrap();
                for (joint, row) in rows.iter().enumerate() {
                    let Some(row) = row else { continue };
                    let terms = row.vertices.iter().zip(&row.coefficients);
                    let moment: Matrix3<f64> = terms
                        .map(|(&vertex, c)| {
                            let away = surface.rest[vertex as usize] - template.rest[joint];
                            away * away.transpose() * *c
                        })
                        .sum();
                    astray.push(moment.norm());
                    noise.push(row.coefficients.iter().map(|c| c * c).sum::<f64>().sqrt());
                }
            }
            let count = astray.len() as f64;
            // Joint by joint, so that the few deep ones of the trunk do not speak for all.
            let both =
                astray.iter().zip(&noise).map(|(a, n): (&f64, &f64)| (a * n).ln()).sum::<f64>() / count;
            astray.sort_by(f64::total_cmp);
            let mean = astray.iter().sum::<f64>() / count;
            let (median, p95) = (astray[astray.len() / 2], astray[astray.len() * 95 / 100]);
            let noise = noise.iter().sum::<f64>() / count;
            println!("{softness:>8}  {mean:>10.3} {median:>7.3} {p95:>7.3} {noise:>7.4} {:>7.4}", both.exp());
            both_by_softness.push((softness, both));
        }
        let both =
            |softness: f64| both_by_softness.iter().find(|(of, _)| *of == softness).map(|(_, both)| *both);
        assert!(both(SOFTNESS).unwrap() < both(1.0).unwrap());
    }
}
