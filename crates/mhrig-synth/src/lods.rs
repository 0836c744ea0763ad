//! Levels of detail of the demo human.

use mhrig_geom::{JointId, SkinWeights};
use nalgebra::Vector3;

use crate::geometry::LodMesh;
use crate::head::Lods;
use crate::human::{body_lod_at, lod_mesh_name};
use crate::seam::share_lod_weights;
use crate::skeleton::PartSkeleton;
use crate::surface::normal_sums;
use crate::{DemoHuman, HumanPart, JointSet};

/// Influences per vertex and LOD, as in MetaHuman heads.
const HEAD_INFLUENCES: [u16; 8] = [12, 12, 12, 8, 8, 8, 4, 4];
const BODY_INFLUENCES: [u16; 4] = [12, 12, 8, 4];
/// Share of the leaf joints that a LOD keeps: those with most skin.
const HEAD_LEAVES: [f64; 8] = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.2, 0.2];
const BODY_LEAVES: [f64; 4] = [1.0, 1.0, 0.5, 0.2];
/// Joints so marked are in the LODs of twelve influences alone.
const FINE_MARK: &str = "_12IPV_";
const FINE_LODS: usize = 3;

/// The LODs of head and body. The two sides of the neck seam share their normals and their skin weights.
pub(crate) fn part_lods(human: &DemoHuman, head: &PartSkeleton, body: &PartSkeleton) -> (Lods, Lods) {
    let (head_parts, body_parts) = human.parts.split_at(human.parts.len() - 1);
    let (head_lods, body_lods) = human.lods.split_at(head_parts.len());
    let is_fixed = |joint: &PartSkeleton| -> Vec<bool> {
        let sets = human.joints.iter().map(|joint| joint.set == JointSet::Shared);
        let shared: Vec<&str> = sets
            .zip(&human.joints)
            .filter(|(is_shared, _)| *is_shared)
            .map(|(_, joint)| joint.name.as_str())
            .collect();
        joint.names.iter().map(|name| shared.contains(&name.as_str())).collect()
    };
    let mut head_counts = lod_counts(head, &is_fixed(head), head_parts, &HEAD_LEAVES);
    for (count, name) in head_counts.iter_mut().zip(&head.names) {
        if name.contains(FINE_MARK) {
            *count = FINE_LODS.min(*count);
        }
    }
    let body_counts = lod_counts(body, &is_fixed(body), body_parts, &BODY_LEAVES);
    let mut lods = (
        Lods {
            meshes: meshes(head_parts, head_lods, head, &head_counts, &HEAD_INFLUENCES),
            lod_count_of_joint: head_counts,
        },
        Lods {
            meshes: meshes(body_parts, body_lods, body, &body_counts, &BODY_INFLUENCES),
            lod_count_of_joint: body_counts,
        },
    );
    share_seam_normals(human, &mut lods.0, &mut lods.1);
    share_lod_weights(human, [head, body], [&mut lods.0, &mut lods.1]);
    lods
}

/// For each joint, the number of LODs that have it. Joints with children and `fixed` ones are in all of them; of the leaves,
/// coarse LODs keep those that move most skin. Joints of both sides go together.
fn lod_counts(skeleton: &PartSkeleton, fixed: &[bool], parts: &[HumanPart], kept: &[f64]) -> Vec<usize> {
    let count = skeleton.names.len();
    let mut mass = vec![0.0f64; count];
    for part in parts {
        for vertex in 0..part.skin.vertex_count() {
            for (joint, weight) in part.skin.influences(vertex) {
                if let Some(joint) = skeleton.number[joint.index()] {
                    mass[usize::from(joint)] += f64::from(weight);
                }
            }
        }
    }
    let other_side = |joint: usize| -> usize {
        let name = &skeleton.names[joint];
        let mirrored = if name.contains("_L_") {
            name.replace("_L_", "_R_")
        } else if name.contains("_R_") {
            name.replace("_R_", "_L_")
        } else if let Some(stem) = name.strip_suffix("_l") {
            format!("{stem}_r")
        } else if let Some(stem) = name.strip_suffix("_r") {
            format!("{stem}_l")
        } else {
            return joint;
        };
        skeleton.find(&mirrored).unwrap_or(joint)
    };
    let other: Vec<usize> = (0..count).map(other_side).collect();
    let mass_of_pair: Vec<f64> = (0..count).map(|joint| mass[joint].max(mass[other[joint]])).collect();
    let mut has_child = vec![false; count];
    for parent in skeleton.parents.iter().flatten() {
        has_child[*parent] = true;
    }
    let mut leaves: Vec<usize> = (0..count).filter(|&joint| !has_child[joint] && !fixed[joint]).collect();
    leaves.sort_by(|&a, &b| mass_of_pair[b].total_cmp(&mass_of_pair[a]).then(a.cmp(&b)));
    let mut counts = vec![kept.len(); count];
    let mut rank_of = vec![usize::MAX; count];
    for (rank, &leaf) in leaves.iter().enumerate() {
        rank_of[leaf] = rank;
    }
    for (rank, &leaf) in leaves.iter().enumerate() {
        // A pair counts as a whole, by the better of its ranks.
        let rank = rank.min(rank_of[other[leaf]]);
        let share = rank as f64 / leaves.len() as f64;
        counts[leaf] = kept.iter().take_while(|&&kept| share < kept).count();
    }
    counts
}

fn meshes(
    parts: &[HumanPart],
    lods: &[Vec<crate::human::PartLod>],
    skeleton: &PartSkeleton,
    lod_count_of_joint: &[usize],
    influences: &[u16],
) -> Vec<Vec<LodMesh>> {
    let of_lod = |lod: usize| {
        let parts = parts.iter().zip(lods);
        let meshes = parts.filter_map(|(part, lods)| {
            let (mesh, vertices) = match lod.checked_sub(1) {
                None => (&part.mesh, None),
                Some(at) => lods.get(at).map(|lod| (&lod.mesh, Some(&lod.vertices)))?,
            };
            let sums = normal_sums(&mesh.positions, &mesh.faces);
            let count = mesh.positions.len();
            let vertices = (0..count).map(|at| vertices.map_or(at, |vertices| vertices[at] as usize));
            let mut skin = SkinWeights::default();
            for vertex in vertices {
                skin.push(lod_influences(part, skeleton, lod_count_of_joint, lod, influences[lod], vertex));
            }
            Some(LodMesh {
                name: lod_mesh_name(part.name, lod),
                mesh: mesh.clone(),
                skin,
                normals: sums.iter().map(|sum| sum.try_normalize(1e-30).unwrap_or_default()).collect(),
                maximum_influences: influences[lod],
            })
        });
        meshes.collect()
    };
    (0..influences.len()).map(of_lod).collect()
}

/// The influences of one vertex at a LOD: joints that the LOD does not have give their weight to the nearest ancestor that
/// it has, the largest ones up to the cap are kept, and the sum is made 1 again.
fn lod_influences(
    part: &HumanPart,
    skeleton: &PartSkeleton,
    lod_count_of_joint: &[usize],
    lod: usize,
    cap: u16,
    vertex: usize,
) -> Vec<(JointId, f32)> {
    let mut merged: Vec<(usize, f64)> = Vec::new();
    for (joint, weight) in part.skin.influences(vertex) {
        let Some(mut joint) = skeleton.number[joint.index()].map(usize::from) else { continue };
        while lod_count_of_joint[joint] <= lod
            && let Some(parent) = skeleton.parents[joint]
        {
            joint = parent;
        }
        match merged.iter_mut().find(|(known, _)| *known == joint) {
            Some((_, sum)) => *sum += f64::from(weight),
            None => merged.push((joint, f64::from(weight))),
        }
    }
    if merged.len() > usize::from(cap) {
        merged.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        merged.truncate(usize::from(cap));
        merged.sort_unstable_by_key(|&(joint, _)| joint);
    }
    let sum: f64 = merged.iter().map(|(_, weight)| weight).sum();
    merged.into_iter().map(|(joint, weight)| (JointId(joint as u16), (weight / sum) as f32)).collect()
}

/// At the seam both sides get one normal: the angle-weighted mean over the faces of both. A LOD of the body meets two or
/// more LODs of the head; the finest of them decides.
fn share_seam_normals(human: &DemoHuman, head: &mut Lods, body: &mut Lods) {
    let last = human.parts.len() - 1;
    let place = |part: usize, lod: usize, vertex: u32| human.place_in_lod(part, lod, vertex);
    let mut settled: Vec<Option<Vec<Vector3<f64>>>> = vec![None; body.meshes.len()];
    for head_lod in 0..head.meshes.len() {
        let body_lod = body_lod_at(head_lod);
        let (head_mesh, body_mesh) = (&mut head.meshes[head_lod][0], &mut body.meshes[body_lod][0]);
        let head_sums = normal_sums(&head_mesh.mesh.positions, &head_mesh.mesh.faces);
        let body_sums = normal_sums(&body_mesh.mesh.positions, &body_mesh.mesh.faces);
        let normals = settled[body_lod].get_or_insert_with(|| {
            let pairs = human.seam.iter().map(|pair| {
                let at_head = place(0, head_lod, pair.head_vertex).map(|at| head_sums[at]);
                let at_body = place(last, body_lod, pair.body_vertex).map(|at| body_sums[at]);
                let sum = at_head.unwrap_or_default() + at_body.unwrap_or_default();
                sum.try_normalize(1e-30).unwrap_or_default()
            });
            pairs.collect()
        });
        for (pair, normal) in human.seam.iter().zip(normals) {
            if let Some(at) = place(0, head_lod, pair.head_vertex) {
                head_mesh.normals[at] = *normal;
            }
            if let Some(at) = place(last, body_lod, pair.body_vertex) {
                body_mesh.normals[at] = *normal;
            }
        }
    }
}
