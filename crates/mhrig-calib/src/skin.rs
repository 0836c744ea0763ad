//! Skin weights: where they come from in a build, transfer between meshes, caps of influences.

use mhrig_dna::{Dna, VertexSkinWeights};
use mhrig_report::Job;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::CalibError;
use crate::check::{check_mesh, count, index, mesh_place};
use crate::joint_space::check_joints;
use crate::lod_meshes::{bind_to_surface, lower_meshes};

/// Where the skin weights of a build come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightPolicy {
    /// They stay as they are in the template.
    #[default]
    Template,
    /// Meshes that come with weights get these; lower LODs of such meshes get them by transfer.
    Scene,
    /// Lower LODs get theirs from LOD 0 by transfer.
    Transfer,
}

/// Weights of one mesh as a scene has them.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshWeights {
    /// Number of the mesh in the DNA.
    pub mesh: usize,
    /// Per vertex, its influences as joint number and weight.
    pub influences: Vec<Vec<(u16, f32)>>,
}

/// What became of the weights of one mesh.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct WeightReport {
    /// Name of the mesh.
    pub mesh: String,
    /// Name of the mesh that they were transferred from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of vertices.
    pub vertices: usize,
    /// Most influences that a vertex of the mesh may have.
    pub cap: usize,
    /// Vertices that lost influences to the cap.
    pub capped: usize,
    /// Largest sum of weights that a vertex lost to the cap before the rest was scaled up again, 0 to 1.
    pub largest_loss: f64,
    /// Mean of that sum over the vertices that lost some.
    pub mean_loss: f64,
    /// Vertices whose weights did not add up to 1 (within 0.001) and were scaled.
    pub rescaled: usize,
    /// Vertices that got no weight and kept what they had.
    pub without_weight: usize,
}

/// Applies `policy` to `dna`. Weights that are set are scaled to a sum of 1 and cut to the mesh's cap of influences,
/// the smallest first; the report says what that cost. `scene`: weights of meshes of a scene, for
/// [`WeightPolicy::Scene`].
///
/// # Errors
/// [`CalibError::Index`] for a mesh or joint that does not exist, [`CalibError::Count`] for another number of vertices,
/// [`CalibError::NotFinite`] for a weight that is negative or not finite, [`CalibError::Cancelled`]. The model is as it
/// was then, except after a cancel.
pub fn apply_weights(
    dna: &mut Dna,
    policy: WeightPolicy,
    scene: &[MeshWeights],
    job: &Job<'_>,
) -> Result<Vec<WeightReport>, CalibError> {
    let mut reports = Vec::new();
    match policy {
        WeightPolicy::Template => return Ok(reports),
        WeightPolicy::Scene => {
            for weights in scene {
                check_weights(dna, weights)?;
            }
            for weights in scene {
                reports.push(set_mesh_weights(dna, weights)?);
            }
        }
        WeightPolicy::Transfer => {}
    }
    let given = |mesh: usize| scene.iter().any(|weights| weights.mesh == mesh);
    let (pairs, _) = lower_meshes(dna);
    job.progress.stage("transfer skin weights", pairs.len());
    for (mesh, source) in pairs {
        if policy == WeightPolicy::Transfer || (given(source) && !given(mesh)) {
            reports.push(transfer_skin_weights(dna, source, mesh, job)?);
        }
        job.progress.step();
    }
    Ok(reports)
}

fn check_weights(dna: &Dna, weights: &MeshWeights) -> Result<(), CalibError> {
    let mesh = check_mesh(dna, weights.mesh)?;
    let place = || format!("weights for {}", mesh_place(dna, weights.mesh));
    count(weights.influences.len(), mesh.positions.len(), place)?;
    let joints = dna.definition.joint_names.len();
    for (vertex, influences) in weights.influences.iter().enumerate() {
        for &(joint, weight) in influences {
            index(&place(), vertex, usize::from(joint), joints)?;
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(CalibError::NotFinite { place: place(), at: vertex });
            }
        }
    }
    Ok(())
}

/// Sets the weights of all vertices of a mesh, see [`apply_weights`] for what is done to them.
///
/// # Errors
/// As [`apply_weights`].
pub fn set_mesh_weights(dna: &mut Dna, weights: &MeshWeights) -> Result<WeightReport, CalibError> {
    check_weights(dna, weights)?;
    let name = dna.definition.mesh_names[weights.mesh].to_string();
    let mesh = &mut dna.geometry.meshes[weights.mesh];
    let records = weights.influences.iter().map(|influences| merged(influences.iter().copied())).collect();
    Ok(store(mesh, records, name, None))
}

/// Gives mesh `to` the weights of the surface of mesh `from`: each vertex those of the point that
/// [`crate::LodBindings`] would bind it to. Joints that the LOD of `to` does not have pass their weight to the nearest
/// ancestor that it has.
///
/// # Errors
/// As [`apply_weights`].
pub fn transfer_skin_weights(
    dna: &mut Dna,
    from: usize,
    to: usize,
    job: &Job<'_>,
) -> Result<WeightReport, CalibError> {
    check_joints(dna)?;
    let source = check_mesh(dna, from)?;
    check_mesh(dna, to)?;
    count(source.skin_weights.len(), source.positions.len(), || {
        format!("{}.skinWeights", mesh_place(dna, from))
    })?;
    let heirs = heirs_in_lod(dna, to);
    let points = bind_to_surface(dna, to, from, job)?;
    let records: Vec<Vec<(u16, f32)>> = points
        .par_iter()
        .map(|(vertices, weights)| {
            let parts = vertices.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
            merged(parts.flat_map(|(&vertex, &part)| {
                let record = &source.skin_weights[vertex as usize];
                let influences = record.joint_indices.iter().zip(&record.weights);
                let heirs = &heirs;
                influences.map(move |(&joint, &weight)| {
                    (
                        heirs.get(usize::from(joint)).copied().unwrap_or(joint),
                        (f64::from(weight) * part) as f32,
                    )
                })
            }))
        })
        .collect();
    let name = |mesh: usize| dna.definition.mesh_names[mesh].to_string();
    let (name, source) = (name(to), name(from));
    Ok(store(&mut dna.geometry.meshes[to], records, name, Some(source)))
}

/// For each joint the joint that stands for it in the finest LOD that lists `mesh`: itself, or the nearest ancestor that
/// is in that LOD.
fn heirs_in_lod(dna: &Dna, mesh: usize) -> Vec<u16> {
    let definition = &dna.definition;
    let joints = definition.joint_names.len() as u16;
    let mut lods = 0..usize::from(dna.descriptor.lod_count);
    let lists =
        |lod: &usize| definition.lod_mesh_mapping.members(*lod).iter().any(|&m| usize::from(m) == mesh);
    let members = lods.find(lists).map_or(&[][..], |lod| definition.lod_joint_mapping.members(lod));
    let mut is_member = vec![members.is_empty(); usize::from(joints)];
    for &member in members {
        if let Some(flag) = is_member.get_mut(usize::from(member)) {
            *flag = true;
        }
    }
    (0..joints)
        .map(|joint| {
            let mut at = joint;
            for _ in 0..joints {
                let parent = definition.joint_hierarchy[usize::from(at)];
                if is_member[usize::from(at)] {
                    return at;
                }
                if parent == at {
                    break;
                }
                at = parent;
            }
            joint
        })
        .collect()
}

/// Influences with one entry per joint, by joint number, without zeros.
fn merged(influences: impl Iterator<Item = (u16, f32)>) -> Vec<(u16, f32)> {
    let mut all: Vec<(u16, f32)> = influences.filter(|&(_, weight)| weight > 0.0).collect();
    all.sort_by_key(|&(joint, _)| joint);
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    all
}

/// Caps, scales and stores records; a vertex without any weight keeps what it has.
fn store(
    mesh: &mut mhrig_dna::Mesh,
    records: Vec<Vec<(u16, f32)>>,
    name: String,
    source: Option<String>,
) -> WeightReport {
    let cap = usize::from(mesh.maximum_influence_per_vertex);
    let mut report =
        WeightReport { mesh: name, source, vertices: records.len(), cap, ..WeightReport::default() };
    mesh.skin_weights.resize_with(records.len(), VertexSkinWeights::default);
    for (mut record, stored) in records.into_iter().zip(&mut mesh.skin_weights) {
        let sum: f64 = record.iter().map(|&(_, weight)| f64::from(weight)).sum();
        if sum <= 0.0 {
            report.without_weight += 1;
            continue;
        }
        if (sum - 1.0).abs() > 1e-3 {
            report.rescaled += 1;
        }
        let lost = cut(&mut record, cap) / sum;
        if lost > 0.0 {
            report.capped += 1;
            report.largest_loss = report.largest_loss.max(lost);
            report.mean_loss += lost;
        }
        let rest: f64 = record.iter().map(|&(_, weight)| f64::from(weight)).sum();
        stored.joint_indices = record.iter().map(|&(joint, _)| joint).collect();
        stored.weights = record.iter().map(|&(_, weight)| (f64::from(weight) / rest) as f32).collect();
    }
    if report.capped > 0 {
        report.mean_loss /= report.capped as f64;
    }
    report
}

/// Leaves the `cap` largest influences (of equal ones those of lower joint numbers) and returns the weight of the rest.
fn cut(record: &mut Vec<(u16, f32)>, cap: usize) -> f64 {
    if cap == 0 || record.len() <= cap {
        return 0.0;
    }
    let mut order: Vec<usize> = (0..record.len()).collect();
    order.sort_by(|&a, &b| record[b].1.total_cmp(&record[a].1).then(a.cmp(&b)));
    let mut kept = vec![false; record.len()];
    order[..cap].iter().for_each(|&at| kept[at] = true);
    let lost = record.iter().zip(&kept).filter(|(_, kept)| !**kept).map(|((_, w), _)| f64::from(*w)).sum();
    let mut at = 0;
    record.retain(|_| {
        at += 1;
        kept[at - 1]
    });
    lost
}
