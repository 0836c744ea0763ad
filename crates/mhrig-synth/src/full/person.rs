//! The demo human in full size: finer meshes, more joints.

use std::collections::HashMap;

use mhrig_archetype::{MappingTable, SeamPair};
use mhrig_geom::{Mesh, rotation_from_euler_xyz};
use nalgebra::{Rotation3, Vector3};
use rayon::prelude::*;

use super::joints::{FullJoints, Place};
use super::random::Random;
use super::refine::Refined;
use super::skin::{Owner, finished, give_skin, share_skin};
use super::tables::mesh_counts;
use crate::coarse::coarse_parts;
use crate::expressions::shares_off_seam_of;
use crate::human::{lod_vertices, part_lod};
use crate::posing::vector;
use crate::seam::replaced;
use crate::surface::angle_weighted_normals;
use crate::{
    DemoHuman, HumanExpression, HumanJoint, HumanJointDelta, HumanPart, Identity, JointSet, SynthError,
    TEMPLATE_IDENTITY,
};

/// The person that the archetype is made of, and another one.
pub(crate) struct FullHuman {
    /// The data as that of the demo human, in full size; its one identity is the character.
    pub(crate) human: DemoHuman,
    /// Numbers of the head's joints among those of the human, in the head's order.
    pub(crate) head: Vec<usize>,
    /// The same of the body.
    pub(crate) body: Vec<usize>,
}

/// Vertices of the neck seam per LOD of the body, where its edges were split.
const SEAM_VERTICES: [usize; 4] = [84, 42, 24, 12];

/// How far a joint reaches over the skin, cm.
const HEAD_REACH_CM: (f64, f64) = (0.5, 3.0);
const BODY_REACH_CM: (f64, f64) = (1.0, 7.0);
/// Reach of the joints of tongue and lashes, cm.
const SMALL_REACH_CM: f64 = 1.5;

/// Name of the one identity.
pub(crate) const CHARACTER: &str = "character";

impl FullHuman {
    /// `detail` is the share of the listed vertices that are added to those of the demo human, 1 for full size.
    pub(crate) fn new(demo: &DemoHuman, seed: u64, detail: f64) -> Result<Self, SynthError> {
        let counts = counts(demo, detail)?;
        let seam_edges = seam_edges(demo);
        let body = demo.parts.len() - 1;
        let refined = demo.parts.par_iter().enumerate().map(|(part, of)| {
            let side = |pair: &SeamPair| if part == 0 { pair.head_vertex } else { pair.body_vertex };
            let seam = if part == 0 || part == body { &seam_edges[..] } else { &[] };
            let edges = seam.iter().map(|&(a, b)| (side(&demo.seam[a]), side(&demo.seam[b])));
            Refined::new(&of.mesh, edges)
        });
        let mut refined: Vec<Refined> = refined.collect::<Result<_, _>>()?;
        let has_room =
            |part: usize| refined[part].vertex_count() + refined[part].frozen_cost() <= counts[part][0];
        let mut seam = demo.seam.clone();
        let splits_seam = has_room(0) && has_room(body);
        if splits_seam {
            let of_head: HashMap<(u32, u32), u32> = refined[0].split_frozen().into_iter().collect();
            let of_body: HashMap<(u32, u32), u32> = refined[body].split_frozen().into_iter().collect();
            let key = |a: u32, b: u32| (a.min(b), a.max(b));
            for &(a, b) in &seam_edges {
                let (a, b) = (demo.seam[a], demo.seam[b]);
                let middles = of_head
                    .get(&key(a.head_vertex, b.head_vertex))
                    .zip(of_body.get(&key(a.body_vertex, b.body_vertex)));
                if let Some((&head_vertex, &body_vertex)) = middles {
                    seam.push(SeamPair { head_vertex, body_vertex });
                }
            }
        }
        refined.par_iter_mut().zip(&counts).for_each(|(refined, counts)| refined.refine(counts[0]));
        for (part, (refined, counts)) in refined.iter().zip(&counts).enumerate() {
            expect(demo.parts[part].name, counts[0], refined.vertex_count())?;
        }

        let template_head = refined[0].mesh(&demo.parts[0].mesh.positions)?;
        let normals = angle_weighted_normals(&template_head.positions, &template_head.faces);
        let joints = FullJoints::new(demo, &template_head.positions, &normals)?;
        let archetype = Shape::new(demo, &archetype_mix(demo, seed));
        let character = Shape::new(demo, &character_mix(demo, seed));
        let meshes = refined.par_iter().zip(&archetype.parts).map(|(refined, base)| refined.mesh(base));
        let mut meshes: Vec<Mesh> = meshes.collect::<Result<_, _>>()?;
        close_seam(&seam, &mut meshes);
        let world = joints.positions(&archetype.joints, &meshes[0].positions);
        let parts = skinned_parts(demo, &refined, meshes, &joints, &world, &seam);

        let seam_counts = if splits_seam { SEAM_VERTICES } else { crate::human::SEAM_VERTICES };
        let coarse = coarse_parts(&parts, &seam, &counts, &seam_counts);
        let mut lods = Vec::with_capacity(parts.len());
        for (number, (part, coarse)) in parts.iter().zip(coarse).enumerate() {
            let mut of_part: Vec<crate::human::PartLod> = Vec::new();
            for (before, coarse) in coarse.into_iter().enumerate() {
                let lod = match (coarse, of_part.last()) {
                    (Some(coarse), _) => part_lod(part, &coarse)?,
                    (None, Some(last)) => last.clone(),
                    (None, None) => crate::human::PartLod {
                        vertices: (0..part.mesh.positions.len() as u32).collect(),
                        mesh: part.mesh.clone(),
                    },
                };
                expect(part.name, counts[number][before + 1], lod.vertices.len())?;
                of_part.push(lod);
            }
            lods.push(of_part);
        }

        let human_joints = joints.joints.iter().zip(&world).map(|(joint, &position)| HumanJoint {
            name: joint.name.to_owned(),
            parent: joint.parent,
            position,
            set: joint.set,
        });
        let expressions = expressions(demo, &refined, &joints, &world);
        let mut positions: Vec<Vec<[f32; 3]>> =
            refined.par_iter().zip(&character.parts).map(|(refined, base)| refined.positions(base)).collect();
        close_seam_of(&seam, &mut positions);
        let truth = joints.positions(&character.joints, &positions[0]);
        let human = DemoHuman {
            joints: human_joints.collect(),
            mappings: mappings(demo, &joints, &world, &parts),
            parts,
            lods,
            seam,
            expressions,
            identities: vec![Identity { name: CHARACTER.to_owned(), positions, joints: truth }],
        };
        Ok(Self { human, head: joints.head, body: joints.body })
    }
}

fn expect(what: &str, expected: usize, found: usize) -> Result<(), SynthError> {
    if expected == found {
        return Ok(());
    }
    Err(SynthError::Mismatch {
        what: format!("vertices of {what}"),
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

/// Vertices of each part per LOD.
fn counts(demo: &DemoHuman, detail: f64) -> Result<Vec<Vec<usize>>, SynthError> {
    let table = mesh_counts()?;
    let of_part = |(number, part): (usize, &HumanPart)| {
        let stem = part.name.split('_').next().unwrap_or_default();
        let listed = table.iter().find(|(name, _)| *name == stem).map(|(_, counts)| counts);
        let listed = listed.ok_or_else(|| SynthError::Mismatch {
            what: "table of meshes".to_owned(),
            expected: stem.to_owned(),
            found: "nothing".to_owned(),
        })?;
        let base = part.mesh.positions.len();
        let first = base + ((listed[0].saturating_sub(base)) as f64 * detail).round() as usize;
        // A smaller instance has the coarse LODs of full size where it has the vertices for them.
        let share = first as f64 / listed[0] as f64;
        let mut counts: Vec<usize> = listed
            .iter()
            .enumerate()
            .map(|(lod, &count)| {
                let least = lod_vertices(number).get(lod).copied().unwrap_or(count);
                ((count as f64 * share).round() as usize).max(least.min(count))
            })
            .collect();
        counts[0] = first;
        for lod in 1..counts.len() {
            counts[lod] = counts[lod].min(counts[lod - 1]);
        }
        Ok(counts)
    };
    demo.parts.iter().enumerate().map(of_part).collect()
}

/// Pairs of places in the seam whose vertices are joined by an edge of the body.
fn seam_edges(demo: &DemoHuman) -> Vec<(usize, usize)> {
    let Some(body) = demo.parts.last() else { return Vec::new() };
    let place: HashMap<u32, usize> =
        demo.seam.iter().enumerate().map(|(at, pair)| (pair.body_vertex, at)).collect();
    let mut edges = Vec::new();
    for face in body.mesh.faces.iter() {
        for (at, vertex) in face.iter().enumerate() {
            let next = &face[(at + 1) % face.len()];
            if let (Some(&a), Some(&b)) = (place.get(vertex), place.get(next)) {
                edges.push((a.min(b), a.max(b)));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Vertices and joints of a mix of the demo human's people.
struct Shape {
    parts: Vec<Vec<[f32; 3]>>,
    joints: Vec<[f64; 3]>,
}

impl Shape {
    /// The template plus the shares `mix` of how the people differ from it.
    fn new(demo: &DemoHuman, mix: &[(usize, f64)]) -> Self {
        let people: Vec<(&Identity, f64)> =
            mix.iter().map(|&(at, share)| (&demo.identities[at], share)).collect();
        let parts = demo.parts.iter().enumerate().map(|(number, part)| {
            let vertices = part.mesh.positions.iter().enumerate();
            let at = |(vertex, &position): (usize, &[f32; 3])| -> [f32; 3] {
                let template = vector(position);
                let others = people.iter();
                let sum: Vector3<f64> = others
                    .map(|(person, share)| (vector(person.positions[number][vertex]) - template) * *share)
                    .sum();
                (template + sum).map(|c| c as f32).into()
            };
            vertices.map(at).collect()
        });
        let joints = demo.joints.iter().enumerate().map(|(joint, of)| {
            let template = Vector3::from(of.position);
            let others = people.iter();
            let sum: Vector3<f64> =
                others.map(|(person, share)| (Vector3::from(person.joints[joint]) - template) * *share).sum();
            (template + sum).into()
        });
        Self { parts: parts.collect(), joints: joints.collect() }
    }
}

fn people(demo: &DemoHuman) -> Vec<usize> {
    (0..demo.identities.len()).filter(|&at| demo.identities[at].name != TEMPLATE_IDENTITY).collect()
}

/// The archetype is near the template.
fn archetype_mix(demo: &DemoHuman, seed: u64) -> Vec<(usize, f64)> {
    let mut random = Random::new(seed, "archetype");
    people(demo).into_iter().map(|person| (person, random.between(0.0, 0.08))).collect()
}

/// The character is one of the people for the most part, with something of the others.
fn character_mix(demo: &DemoHuman, seed: u64) -> Vec<(usize, f64)> {
    let mut random = Random::new(seed, "character");
    let people = people(demo);
    let main = (random.unit() * people.len() as f64) as usize;
    let share = |at: usize, random: &mut Random| {
        if at == main { random.between(0.5, 0.7) } else { random.between(0.0, 0.06) }
    };
    people.iter().enumerate().map(|(at, &person)| (person, share(at, &mut random))).collect()
}

/// Both sides of the seam have the same bits.
fn close_seam(seam: &[SeamPair], meshes: &mut [Mesh]) {
    let Some((body, others)) = meshes.split_last_mut() else { return };
    for pair in seam {
        body.positions[pair.body_vertex as usize] = others[0].positions[pair.head_vertex as usize];
    }
}

fn close_seam_of(seam: &[SeamPair], positions: &mut [Vec<[f32; 3]>]) {
    let Some((body, others)) = positions.split_last_mut() else { return };
    for pair in seam {
        body[pair.body_vertex as usize] = others[0][pair.head_vertex as usize];
    }
}

fn skinned_parts(
    demo: &DemoHuman,
    refined: &[Refined],
    meshes: Vec<Mesh>,
    joints: &FullJoints,
    world: &[[f64; 3]],
    seam: &[SeamPair],
) -> Vec<HumanPart> {
    let number = numbers(demo, joints);
    let is_new = |at: usize| !matches!(joints.joints[at].place, Place::Known(_));
    let owners = |of: JointSet, wanted: &(dyn Fn(&Place) -> bool + Sync)| -> Vec<Owner> {
        let joints = joints.joints.iter().enumerate();
        let joints = joints.filter(|(at, joint)| joint.set == of && is_new(*at) && wanted(&joint.place));
        joints.map(|(at, _)| Owner { joint: at as u16, position: world[at].into() }).collect()
    };
    let others = |of: JointSet| -> Vec<Vector3<f64>> {
        let joints = joints.joints.iter().enumerate();
        let known = joints.filter(|(at, joint)| joint.set == of && !is_new(*at));
        known.map(|(at, _)| world[at].into()).collect()
    };
    let last = demo.parts.len() - 1;
    let of_part = |(part, mesh): (usize, Mesh)| {
        let mut weights: Vec<Vec<(u16, f64)>> = refined[part].skin(&demo.parts[part].skin);
        for weights in &mut weights {
            renumber(weights, &number);
        }
        if part == 0 {
            let owners = owners(JointSet::Head, &|place| !matches!(place, Place::OffParent { .. }));
            let fade = shares_off_seam_of(&mesh.positions, seam.iter().map(|pair| pair.head_vertex));
            let others = others(JointSet::Head);
            give_skin(&mut weights, &mesh, &owners, &others, |vertex| fade[vertex], HEAD_REACH_CM);
            for (weights, fade) in weights.iter_mut().zip(&fade) {
                leave_to_shared(weights, joints, *fade);
            }
        } else if part == last {
            let owners = owners(JointSet::Body, &|_| true);
            let fade = shares_off_seam_of(&mesh.positions, seam.iter().map(|pair| pair.body_vertex));
            let others = others(JointSet::Body);
            give_skin(&mut weights, &mesh, &owners, &others, |vertex| fade[vertex], BODY_REACH_CM);
        } else {
            for (at, joint) in joints.joints.iter().enumerate() {
                if let (Place::OffParent { .. }, Some(parent)) = (&joint.place, joint.parent) {
                    let pair = (parent as u16, at as u16);
                    share_skin(&mut weights, &mesh, pair, world[at].into(), SMALL_REACH_CM);
                }
            }
        }
        HumanPart { name: demo.parts[part].name, mesh, skin: finished(weights) }
    };
    let mut parts: Vec<HumanPart> = meshes.into_par_iter().enumerate().map(of_part).collect();
    share_seam_skin(seam, &mut parts);
    parts
}

/// On the seam, where `fade` is 0, the head's own joints leave their weight to the joint that they share with the body, so
/// that both sides move alike.
fn leave_to_shared(weights: &mut Vec<(u16, f64)>, joints: &FullJoints, fade: f64) {
    let mut left: Vec<(u16, f64)> = Vec::new();
    for (joint, weight) in weights.iter_mut() {
        let mut above = usize::from(*joint);
        while joints.joints[above].set == JointSet::Head
            && let Some(parent) = joints.joints[above].parent
        {
            above = parent;
        }
        if above != usize::from(*joint) {
            left.push((above as u16, *weight * (1.0 - fade)));
            *weight *= fade;
        }
    }
    weights.extend(left);
    merge(weights);
}

/// Both sides of the seam have the same weights.
fn share_seam_skin(seam: &[SeamPair], parts: &mut [HumanPart]) {
    let Some((body, others)) = parts.split_last_mut() else { return };
    let of_head = |pair: &SeamPair| {
        let influences = others[0].skin.influences(pair.head_vertex as usize);
        (pair.body_vertex as usize, influences.collect())
    };
    body.skin = replaced(&body.skin, &seam.iter().map(of_head).collect());
}

/// For each joint of the demo human its number in full size, or that of the nearest ancestor that there is.
fn numbers(demo: &DemoHuman, joints: &FullJoints) -> Vec<u16> {
    let mut numbers: Vec<u16> = Vec::with_capacity(demo.joints.len());
    for joint in &demo.joints {
        let above = joint.parent.map_or(0, |parent| numbers[parent]);
        numbers.push(joints.find(&joint.name).map_or(above, |at| at as u16));
    }
    numbers
}

fn renumber(weights: &mut Vec<(u16, f64)>, number: &[u16]) {
    for (joint, _) in weights.iter_mut() {
        *joint = number[usize::from(*joint)];
    }
    merge(weights);
}

/// One weight per joint.
fn merge(weights: &mut Vec<(u16, f64)>) {
    weights.sort_by_key(|&(joint, _)| joint);
    weights.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
}

/// The expressions in full size. Joints on the skin that the demo human does not have go along with their vertex.
fn expressions(
    demo: &DemoHuman,
    refined: &[Refined],
    joints: &FullJoints,
    world: &[[f64; 3]],
) -> Vec<HumanExpression> {
    let of_expression = |expression: &HumanExpression| {
        let shapes = refined.iter().zip(&expression.full);
        let full: Vec<crate::SparseShape> = shapes.map(|(refined, shape)| refined.shape(shape)).collect();
        let mut delta = vec![None; joints.joints.len()];
        for known in &expression.joints {
            if let Some(at) = joints.find(&demo.joints[known.joint].name) {
                delta[at] = Some(HumanJointDelta { joint: at, ..*known });
            }
        }
        let displacement: HashMap<u32, Vector3<f64>> =
            full[0].vertices.iter().copied().zip(full[0].deltas.iter().map(|&delta| vector(delta))).collect();
        let mut posed: Vec<(Rotation3<f64>, Vector3<f64>)> = Vec::with_capacity(delta.len());
        for (at, joint) in joints.joints.iter().enumerate() {
            let rest = Vector3::from(world[at]);
            let above = joint.parent.map(|parent| (posed[parent], Vector3::from(world[parent])));
            let Some(((turn, shift), parent_rest)) = above else {
                posed.push((Rotation3::identity(), rest));
                continue;
            };
            let local = rest - parent_rest;
            let vertex = match joint.place {
                Place::OnSkin { vertex } | Place::BelowSkin { vertex, .. } => Some(vertex),
                _ => None,
            };
            if let Some(vertex) = vertex {
                let wanted = rest + displacement.get(&vertex).copied().unwrap_or_default();
                let translation = turn.inverse() * (wanted - shift) - local;
                if translation.norm() > SMALLEST_CM {
                    let translation = translation.into();
                    delta[at] = Some(HumanJointDelta { joint: at, translation, rotation_deg: [0.0; 3] });
                }
            }
            let (translation, own) = delta[at].map_or((Vector3::zeros(), Rotation3::identity()), |delta| {
                let angles = delta.rotation_deg.map(f64::to_radians);
                (Vector3::from(delta.translation), rotation_from_euler_xyz(angles))
            });
            posed.push((turn * own, shift + turn * (local + translation)));
        }
        HumanExpression { name: expression.name.clone(), joints: delta.into_iter().flatten().collect(), full }
    };
    demo.expressions.par_iter().map(of_expression).collect()
}

/// Translations below this are not worth a value, cm.
const SMALLEST_CM: f64 = 0.002;

/// The demo human's tables, with offsets for the shape of the archetype, and the rows of the new joints.
fn mappings(
    demo: &DemoHuman,
    joints: &FullJoints,
    world: &[[f64; 3]],
    parts: &[HumanPart],
) -> Vec<MappingTable> {
    let mut tables = demo.mappings.clone();
    for table in &mut tables {
        let part = parts.iter().find(|part| part.name == table.mesh);
        for row in &mut table.rows {
            let vertex = part.and_then(|part| part.mesh.positions.get(row.vertex as usize));
            if let (Some(offset), Some(at), Some(&vertex)) =
                (&mut row.offset_cm, joints.find(&row.joint), vertex)
            {
                let exact = Vector3::from(world[at]) - vector(vertex);
                *offset = exact.map(|c| (c * 1e5).round() / 1e5 + 0.0).into();
            }
        }
        if table.mesh == parts[0].name {
            table.rows.extend(joints.new_rows());
        }
    }
    tables
}
