//! Levels of detail of the demo human.

use mhrig_geom::{JointId, SkinWeights};
use nalgebra::Vector3;

use crate::geometry::LodMesh;
use crate::head::Lods;
use crate::skeleton::PartSkeleton;
use crate::surface::normal_sums;
use crate::{DemoHuman, HumanPart};

/// Influences per vertex at LOD 0, as in MetaHuman heads.
const MAXIMUM_INFLUENCES: u16 = 12;

/// The LODs of head and body. The two sides of the neck seam share their normals.
pub(crate) fn part_lods(human: &DemoHuman, head: &PartSkeleton, body: &PartSkeleton) -> (Lods, Lods) {
    let parts = &human.parts;
    let mut sums: Vec<Vec<Vector3<f64>>> =
        parts.iter().map(|part| normal_sums(&part.mesh.positions, &part.mesh.faces)).collect();
    let last = parts.len() - 1;
    for pair in &human.seam {
        let (at_head, at_body) = (pair.head_vertex as usize, pair.body_vertex as usize);
        let sum = sums[0][at_head] + sums[last][at_body];
        sums[0][at_head] = sum;
        sums[last][at_body] = sum;
    }
    let mut meshes: Vec<LodMesh> = Vec::new();
    for (index, (part, sums)) in parts.iter().zip(sums).enumerate() {
        let skeleton = if index == last { body } else { head };
        meshes.push(LodMesh {
            name: part.name.to_owned(),
            mesh: part.mesh.clone(),
            skin: part_skin(part, skeleton),
            normals: sums.iter().map(|sum| sum.try_normalize(1e-30).unwrap_or_default()).collect(),
            maximum_influences: MAXIMUM_INFLUENCES,
        });
    }
    let body_meshes = meshes.split_off(last);
    let lods = |meshes: Vec<LodMesh>, skeleton: &PartSkeleton| Lods {
        meshes: vec![meshes],
        lod_count_of_joint: vec![1; skeleton.names.len()],
    };
    (lods(meshes, head), lods(body_meshes, body))
}

/// The skin weights of a part with the part's own joint numbers.
fn part_skin(part: &HumanPart, skeleton: &PartSkeleton) -> SkinWeights {
    let mut skin = SkinWeights::default();
    for vertex in 0..part.skin.vertex_count() {
        let influences = part.skin.influences(vertex);
        skin.push(
            influences.filter_map(|(joint, weight)| Some((JointId(skeleton.number[joint.index()]?), weight))),
        );
    }
    skin
}
