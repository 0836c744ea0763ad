//! Skin weights of joints that the demo human does not have: each takes over some of the skin around it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use mhrig_geom::{JointId, Mesh, SkinWeights};
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::posing::vector;
use crate::surface::Rings;

/// Most influences of a vertex at LOD 0.
const MOST_INFLUENCES: usize = 12;
/// Share of the skin right at a joint that is its own.
const OWN_SHARE: f64 = 0.5;
/// A joint reaches so many times as far as the joints around it are away.
const REACH: f64 = 1.8;
/// How many joints around it count for that.
const AROUND: usize = 3;
/// Weights below this are no influence.
const LEAST_WEIGHT: f64 = 1e-3;

/// A joint that gets skin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) joint: u16,
    pub(crate) position: Vector3<f64>,
}

/// Gives each of `owners` its skin. `others` are the joints that have skin already; `fade` scales what is taken per vertex;
/// distances are measured along the surface, so that no lip takes from the other, and are within `reach_cm`.
pub(crate) fn give_skin(
    weights: &mut [Vec<(u16, f64)>],
    mesh: &Mesh,
    owners: &[Owner],
    others: &[Vector3<f64>],
    fade: impl Fn(usize) -> f64,
    reach_cm: (f64, f64),
) {
    let rings = Rings::new(mesh.positions.len(), &mesh.faces);
    let all: Vec<Vector3<f64>> =
        owners.iter().map(|owner| owner.position).chain(others.iter().copied()).collect();
    let of_owner = |owner: &Owner| {
        let reach = (REACH * spacing(&owner.position, &all)).clamp(reach_cm.0, reach_cm.1);
        let start = nearest(mesh, &owner.position);
        let mut found = around(mesh, &rings, start, reach);
        for (_, distance) in &mut found {
            let ratio = *distance / reach;
            *distance = OWN_SHARE * (1.0 - ratio * ratio).powi(2);
        }
        found
    };
    let found: Vec<Vec<(u32, f64)>> = owners.par_iter().map(of_owner).collect();
    let mut taken: Vec<Vec<(u16, f64)>> = vec![Vec::new(); weights.len()];
    for (owner, found) in owners.iter().zip(found) {
        for (vertex, share) in found {
            let share = share * fade(vertex as usize);
            if share > LEAST_WEIGHT {
                taken[vertex as usize].push((owner.joint, share));
            }
        }
    }
    for (weights, taken) in weights.iter_mut().zip(taken) {
        weights.extend(taken);
    }
}

/// Mean distance of the nearest few other joints.
fn spacing(position: &Vector3<f64>, all: &[Vector3<f64>]) -> f64 {
    let mut distances: Vec<f64> =
        all.iter().map(|other| (other - position).norm()).filter(|&distance| distance > 1e-6).collect();
    distances.sort_by(f64::total_cmp);
    distances.truncate(AROUND);
    distances.iter().sum::<f64>() / distances.len().max(1) as f64
}

fn nearest(mesh: &Mesh, position: &Vector3<f64>) -> u32 {
    let distance = |vertex: usize| (vector(mesh.positions[vertex]) - position).norm_squared();
    let distances = (0..mesh.positions.len()).map(|vertex| (distance(vertex), vertex));
    distances.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, vertex)| vertex as u32)
}

#[derive(PartialEq)]
struct Step {
    distance: f64,
    vertex: u32,
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    /// The nearest is the greatest, for a heap.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.vertex.cmp(&self.vertex))
    }
}

/// The vertices within `reach` of `start` along edges, with their distances.
fn around(mesh: &Mesh, rings: &Rings, start: u32, reach: f64) -> Vec<(u32, f64)> {
    let mut heap = BinaryHeap::from([Step { distance: 0.0, vertex: start }]);
    let mut settled: Vec<(u32, f64)> = Vec::new();
    let mut best = std::collections::HashMap::from([(start, 0.0)]);
    while let Some(Step { distance, vertex }) = heap.pop() {
        if best.get(&vertex).is_some_and(|&known| known < distance) {
            continue;
        }
        settled.push((vertex, distance));
        let from = vector(mesh.positions[vertex as usize]);
        for &next in rings.ring(vertex as usize) {
            let distance = distance + (vector(mesh.positions[next as usize]) - from).norm();
            if distance < reach && best.get(&next).is_none_or(|&known| distance < known) {
                best.insert(next, distance);
                heap.push(Step { distance, vertex: next });
            }
        }
    }
    settled.sort_unstable_by_key(|&(vertex, _)| vertex);
    settled
}

/// Moves the share `share` of the weight of `from` near `position` to `to`.
pub(crate) fn share_skin(
    weights: &mut [Vec<(u16, f64)>],
    mesh: &Mesh,
    (from, to): (u16, u16),
    position: Vector3<f64>,
    reach_cm: f64,
) {
    for (weights, &at) in weights.iter_mut().zip(&mesh.positions) {
        let ratio = (vector(at) - position).norm() / reach_cm;
        let Some(own) = weights.iter_mut().find(|(joint, _)| *joint == from).filter(|_| ratio < 1.0) else {
            continue;
        };
        let moved = own.1 * OWN_SHARE * (1.0 - ratio * ratio).powi(2);
        own.1 -= moved;
        weights.push((to, moved));
    }
}

/// Weights as a DNA has them: the largest few, with the sum 1.
pub(crate) fn finished(weights: Vec<Vec<(u16, f64)>>) -> SkinWeights {
    let mut skin = SkinWeights::default();
    for mut weights in weights {
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weights.truncate(MOST_INFLUENCES);
        weights.retain(|&(_, weight)| weight >= LEAST_WEIGHT * total);
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        weights.sort_unstable_by_key(|&(joint, _)| joint);
        skin.push(weights.iter().map(|&(joint, weight)| (JointId(joint), (weight / total) as f32)));
    }
    skin
}
