use std::collections::BTreeMap;

use super::{Same, distance, name_or_number, numbered_names, positions_by_name};
use crate::{BlendShapeTarget, Dna, Mesh, Vectors3, VertexSkinWeights};

/// How a mesh differs.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct MeshDiff {
    /// Its name.
    pub name: String,
    /// Number of vertices before and after, when they differ; vertices are not compared then.
    pub vertex_counts: Option<(usize, usize)>,
    /// Vertices that are elsewhere.
    pub moved: usize,
    /// Vertices compared.
    pub vertices: usize,
    /// Greatest distance.
    pub greatest_distance: f64,
    /// Vertex with the greatest distance.
    pub farthest_vertex: usize,
    /// Mean distance of all vertices.
    pub mean_distance: f64,
    /// Faces with other corners, or one more than the other file has.
    pub faces: usize,
    /// Texture coordinates that differ.
    pub texture_coordinates: usize,
    /// Normals that differ.
    pub normals: usize,
    /// Vertices with other skin weights.
    pub weights: usize,
    /// Greatest difference of a skin weight.
    pub greatest_weight_difference: f64,
    /// Cap of influences before and after, when it differs.
    pub influence_caps: Option<(u16, u16)>,
    /// Channels of targets that only the first file has.
    pub targets_lost: Vec<String>,
    /// Channels of targets that only the second file has.
    pub targets_added: Vec<String>,
    /// Targets that differ, the greatest difference first.
    pub targets: Vec<TargetDiff>,
}

/// A blend shape target that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDiff {
    /// Its channel.
    pub channel: String,
    /// Vertices with another delta.
    pub vertices: usize,
    /// Greatest distance of deltas.
    pub greatest_distance: f64,
}

impl MeshDiff {
    fn is_empty(&self) -> bool {
        *self == Self { name: self.name.clone(), vertices: self.vertices, ..Self::default() }
    }
}

pub(super) fn diff(before: &Dna, after: &Dna, same: Same) -> Vec<MeshDiff> {
    let later = positions_by_name(&after.definition.mesh_names);
    let mut meshes = Vec::new();
    for (old, key) in before.geometry.meshes.iter().zip(numbered_names(&before.definition.mesh_names)) {
        let (name, _) = key;
        let new = later.get(&key).and_then(|&at| after.geometry.meshes.get(at));
        let Some(new) = new else { continue };
        let mut mesh = mesh_diff(old, new, same);
        mesh.name = name.to_string();
        skin_diff((before, old), (after, new), same, &mut mesh);
        target_diffs((before, old), (after, new), same, &mut mesh);
        if !mesh.is_empty() {
            meshes.push(mesh);
        }
    }
    meshes
}

fn mesh_diff(old: &Mesh, new: &Mesh, same: Same) -> MeshDiff {
    let mut mesh = MeshDiff::default();
    let (before, after) = (old.positions.len(), new.positions.len());
    if before == after {
        mesh.vertices = before;
        let mut sum = 0.0;
        for (vertex, (a, b)) in old.positions.iter().zip(new.positions.iter()).enumerate() {
            let distance = distance(a.map(f64::from), b.map(f64::from));
            if is_beyond(distance, same) {
                mesh.moved += 1;
                if mesh.moved == 1 || greater(mesh.greatest_distance, distance) != mesh.greatest_distance {
                    (mesh.greatest_distance, mesh.farthest_vertex) = (distance, vertex);
                }
            }
            sum += distance;
        }
        if mesh.moved > 0 {
            mesh.mean_distance = sum / before.max(1) as f64;
        }
    } else {
        mesh.vertex_counts = Some((before, after));
    }
    let corners = |mesh: &Mesh, face: usize| -> Option<Vec<Option<u32>>> {
        let corners = mesh.faces.get(face)?.iter();
        Some(corners.map(|&corner| mesh.layouts.positions.get(corner as usize).copied()).collect())
    };
    let faces = old.faces.len().max(new.faces.len());
    mesh.faces = (0..faces).filter(|&face| corners(old, face) != corners(new, face)).count();
    let (uv_old, uv_new) = (&old.texture_coordinates, &new.texture_coordinates);
    let uvs = uv_old.us.iter().zip(&uv_old.vs).zip(uv_new.us.iter().zip(&uv_new.vs));
    mesh.texture_coordinates =
        uvs.filter(|((u, v), (x, y))| !same.values(**u, **x) || !same.values(**v, **y)).count()
            + uv_old.us.len().abs_diff(uv_new.us.len());
    mesh.normals = vectors_differing(&old.normals, &new.normals, same);
    if mesh.faces + mesh.texture_coordinates + mesh.normals == 0 && old.layouts != new.layouts {
        // Layouts in another order, for one.
        mesh.faces = faces;
    }
    let (cap, new_cap) = (old.maximum_influence_per_vertex, new.maximum_influence_per_vertex);
    mesh.influence_caps = (cap != new_cap).then_some((cap, new_cap));
    mesh
}

fn is_beyond(distance: f64, same: Same) -> bool {
    // Not a number is beyond any tolerance.
    distance.is_nan() || distance > f64::from(same.tolerance)
}

/// The greater of two distances; not a number is greater than all.
fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

fn vectors_differing(old: &Vectors3, new: &Vectors3, same: Same) -> usize {
    let pairs = old.iter().zip(new.iter());
    let differ = |(a, b): &([f32; 3], [f32; 3])| a.iter().zip(b).any(|(&a, &b)| !same.values(a, b));
    pairs.filter(differ).count() + old.len().abs_diff(new.len())
}

fn skin_diff((before, old): (&Dna, &Mesh), (after, new): (&Dna, &Mesh), same: Same, mesh: &mut MeshDiff) {
    let weights = |dna: &Dna, skin: &VertexSkinWeights| {
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for (&joint, &weight) in skin.joint_indices.iter().zip(&skin.weights) {
            let name = name_or_number(&dna.definition.joint_names, usize::from(joint));
            *weights.entry(name).or_default() += f64::from(weight);
        }
        weights
    };
    let is_same_skeleton = before.definition.joint_names == after.definition.joint_names;
    for (a, b) in old.skin_weights.iter().zip(&new.skin_weights) {
        if is_same_skeleton && a == b {
            continue;
        }
        let (a, b) = (weights(before, a), weights(after, b));
        let of = |weights: &BTreeMap<String, f64>, joint: &String| weights.get(joint).copied().unwrap_or(0.0);
        let differences = a
            .keys()
            .chain(b.keys())
            .map(|joint| distance([of(&a, joint), 0.0, 0.0], [of(&b, joint), 0.0, 0.0]));
        let greatest = differences.fold(0.0, greater);
        if is_beyond(greatest, same) {
            mesh.weights += 1;
            mesh.greatest_weight_difference = greater(mesh.greatest_weight_difference, greatest);
        }
    }
    mesh.weights += old.skin_weights.len().abs_diff(new.skin_weights.len());
}

fn target_diffs((before, old): (&Dna, &Mesh), (after, new): (&Dna, &Mesh), same: Same, mesh: &mut MeshDiff) {
    /// Targets by name of their channel; of several of one channel each has a number.
    fn by_channel<'m>(dna: &Dna, mesh: &'m Mesh) -> BTreeMap<(String, usize), &'m BlendShapeTarget> {
        let names = &dna.definition.blend_shape_channel_names;
        let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
        let key = |target: &BlendShapeTarget| {
            let channel = target.blend_shape_channel_index;
            let earlier = seen.entry(channel).or_default();
            *earlier += 1;
            (name_or_number(names, usize::from(channel)), *earlier)
        };
        let keys: Vec<(String, usize)> = mesh.blend_shape_targets.iter().map(key).collect();
        keys.into_iter().zip(&mesh.blend_shape_targets).collect()
    }
    let title = |(name, number): &(String, usize)| {
        if *number == 1 { name.clone() } else { format!("{name} (target {number})") }
    };
    let (old, new) = (by_channel(before, old), by_channel(after, new));
    mesh.targets_lost = old.keys().filter(|channel| !new.contains_key(*channel)).map(title).collect();
    mesh.targets_added = new.keys().filter(|channel| !old.contains_key(*channel)).map(title).collect();
    for (channel, a) in &old {
        let Some(b) = new.get(channel) else { continue };
        if a.deltas == b.deltas && a.vertex_indices == b.vertex_indices {
            continue;
        }
        let deltas = |target: &BlendShapeTarget| {
            let mut deltas: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
            for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
                deltas.insert(vertex, delta.map(f64::from));
            }
            deltas
        };
        let (a, b) = (deltas(a), deltas(b));
        let of =
            |deltas: &BTreeMap<u32, [f64; 3]>, vertex: u32| deltas.get(&vertex).copied().unwrap_or_default();
        let only_b = b.keys().filter(|vertex| !a.contains_key(vertex));
        let mut target = TargetDiff { channel: title(channel), vertices: 0, greatest_distance: 0.0 };
        for &vertex in a.keys().chain(only_b) {
            let distance = distance(of(&a, vertex), of(&b, vertex));
            if is_beyond(distance, same) {
                target.vertices += 1;
                target.greatest_distance = greater(target.greatest_distance, distance);
            }
        }
        if target.vertices > 0 {
            mesh.targets.push(target);
        }
    }
    mesh.targets.sort_by(|a, b| b.greatest_distance.total_cmp(&a.greatest_distance));
}
