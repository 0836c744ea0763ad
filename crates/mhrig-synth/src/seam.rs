//! Skin weights of the neck seam: both sides move alike, at every pair of LODs.

use std::collections::BTreeMap;

use mhrig_geom::{JointId, SkinWeights};

use crate::head::Lods;
use crate::human::body_lod_at;
use crate::skeleton::PartSkeleton;
use crate::{DemoHuman, HumanJoint, JointSet};

/// Influences of some vertices.
type Influences = BTreeMap<usize, Vec<(JointId, f32)>>;

/// `human` with the same weights on both sides of its seam: the mean of both, on joints that head and body share. What
/// only the head has leaves its weight to the nearest ancestor that both have. The topmost shared joint stands on the
/// head for all that is above it in the body: neither side keeps that weight, else the body's surface would speak for a
/// joint that it does not follow.
pub(crate) fn with_shared_seam(human: &DemoHuman) -> DemoHuman {
    let mut human = human.clone();
    let last = human.parts.len() - 1;
    let is_shared = |joint: &HumanJoint| joint.set == JointSet::Shared;
    let Some(topmost) = human.joints.iter().position(is_shared) else { return human };
    let (mut at_head, mut at_body) = (Influences::new(), Influences::new());
    for pair in &human.seam {
        let (in_head, in_body) = (pair.head_vertex as usize, pair.body_vertex as usize);
        let sides = [(0, in_head), (last, in_body)];
        let both = sides.iter().flat_map(|&(part, vertex)| human.parts[part].skin.influences(vertex));
        let mut merged: BTreeMap<usize, f64> = BTreeMap::new();
        for (joint, weight) in both {
            let mut joint = joint.index();
            while !is_shared(&human.joints[joint]) {
                joint = human.joints[joint].parent.unwrap_or(topmost);
            }
            *merged.entry(joint).or_default() += f64::from(weight);
        }
        if merged.len() > 1 {
            merged.remove(&topmost);
        }
        let influences = normalized(merged.into_iter().collect(), |joint| JointId(joint as u16));
        at_head.insert(in_head, influences.clone());
        at_body.insert(in_body, influences);
    }
    for (part, influences) in [(0, &at_head), (last, &at_body)] {
        human.parts[part].skin = replaced(&human.parts[part].skin, influences);
    }
    human
}

/// Gives each vertex of the seam one set of weights for an LOD of the body and all LODs of the head that meet it: those
/// of LOD 0, cut to the smallest cap among them.
pub(crate) fn share_lod_weights(
    human: &DemoHuman,
    skeletons: [&PartSkeleton; 2],
    [head, body]: [&mut Lods; 2],
) {
    let last = human.parts.len() - 1;
    for body_lod in 0..body.meshes.len() {
        let head_lods: Vec<usize> =
            (0..head.meshes.len()).filter(|&head_lod| body_lod_at(head_lod) == body_lod).collect();
        let caps = head_lods.iter().map(|&lod| head.meshes[lod][0].maximum_influences);
        let cap = caps.fold(body.meshes[body_lod][0].maximum_influences, u16::min);
        let weights: Vec<Vec<(JointId, f32)>> =
            human.seam.iter().map(|pair| cut(human, pair.head_vertex as usize, cap)).collect();
        let set = |part: usize, lod: usize, lods: &mut Lods, skeleton: &PartSkeleton| {
            let vertices = human.seam.iter().map(|pair| match part {
                0 => pair.head_vertex,
                _ => pair.body_vertex,
            });
            let mut influences = Influences::new();
            for (vertex, weights) in vertices.zip(&weights) {
                let Some(at) = human.place_in_lod(part, lod, vertex) else { continue };
                // Joints of both parts are in both, and in all their LODs.
                let own = weights
                    .iter()
                    .filter_map(|&(joint, weight)| Some((JointId(skeleton.number[joint.index()]?), weight)));
                let mut own: Vec<_> = own.collect();
                own.sort_unstable_by_key(|(joint, _)| joint.0);
                influences.insert(at, own);
            }
            let skin = &mut lods.meshes[lod][0].skin;
            *skin = replaced(skin, &influences);
        };
        for head_lod in head_lods {
            set(0, head_lod, head, skeletons[0]);
        }
        set(last, body_lod, body, skeletons[1]);
    }
}

/// The largest `cap` influences of a vertex of the head at LOD 0.
fn cut(human: &DemoHuman, vertex: usize, cap: u16) -> Vec<(JointId, f32)> {
    let influences = human.parts[0].skin.influences(vertex);
    let mut weights: Vec<(JointId, f64)> =
        influences.map(|(joint, weight)| (joint, f64::from(weight))).collect();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.0.cmp(&b.0.0)));
    weights.truncate(usize::from(cap));
    weights.sort_unstable_by_key(|(joint, _)| joint.0);
    normalized(weights, |joint| joint)
}

fn normalized<J>(weights: Vec<(J, f64)>, joint_id: impl Fn(J) -> JointId) -> Vec<(JointId, f32)> {
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.into_iter().map(|(joint, weight)| (joint_id(joint), (weight / sum) as f32)).collect()
}

/// `skin` with other influences at some vertices.
pub(crate) fn replaced(skin: &SkinWeights, by: &Influences) -> SkinWeights {
    let mut result = SkinWeights::default();
    for vertex in 0..skin.vertex_count() {
        match by.get(&vertex) {
            Some(influences) => result.push(influences.iter().copied()),
            None => result.push(skin.influences(vertex)),
        }
    }
    result
}
