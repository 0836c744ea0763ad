//! What the reference library has no command for.

use mhrig_dna::{BlendShapeTarget, Dna, Text, Vectors3};
use mhrig_report::{Finding, Job, Severity};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use super::meshes::finite;
use super::number::floats;
use super::{Number, Removal, Vector, remove};
use crate::check::{check_mesh, count, index, mesh_place};
use crate::expressions::insert_channel;
use crate::joint_space::{LocalRotation, check_joints, turn_translation_rows};
use crate::skin::{MeshWeights, WeightReport, set_mesh_weights, transfer_skin_weights};
use crate::{CalibError, NormalPlan, PruneThresholds};

/// Something by its number or by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Item {
    /// By number.
    Index(usize),
    /// By name, the first of that name.
    Name(String),
}

impl Item {
    fn find(&self, command: &'static str, names: &[Text]) -> Result<usize, CalibError> {
        match self {
            Self::Index(at) => index(command, 0, *at, names.len()).map(|()| *at),
            Self::Name(name) => names
                .iter()
                .position(|known| *known == name.as_str())
                .ok_or_else(|| CalibError::Name { command, name: name.clone() }),
        }
    }
}

/// Arguments of [`super::Command::SetBlendShapeTarget`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetBlendShapeTarget {
    /// Name of the channel; it is made when there is none of that name.
    pub name: String,
    /// The mesh.
    pub mesh: Item,
    /// One delta per entry of `vertices`, or per vertex of the mesh. Zeros are left out.
    pub deltas: Vec<Vector>,
    /// Vertices that the deltas are for; all of the mesh in order when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<u32>>,
    /// Control that drives the channel: a raw control by name, or any control by number. A new channel needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Item>,
    /// In how many LODs, from 0 on, a new channel works; those that have the mesh when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lods: Option<usize>,
}

pub(super) fn set_target(dna: &mut Dna, args: &SetBlendShapeTarget) -> Result<(), CalibError> {
    const COMMAND: &str = "SetBlendShapeTarget";
    let mesh = args.mesh.find(COMMAND, &dna.definition.mesh_names)?;
    let vertex_count = check_mesh(dna, mesh)?.positions.len();
    let deltas: Vec<[f32; 3]> = args.deltas.iter().copied().map(floats).collect();
    finite("SetBlendShapeTarget.deltas", &deltas)?;
    let mut dense = vec![[0.0; 3]; vertex_count];
    match &args.vertices {
        Some(vertices) => {
            count(vertices.len(), deltas.len(), || "SetBlendShapeTarget.vertices".to_owned())?;
            for (at, (&vertex, &delta)) in vertices.iter().zip(&deltas).enumerate() {
                index("SetBlendShapeTarget.vertices", at, vertex as usize, vertex_count)?;
                dense[vertex as usize] = delta;
            }
        }
        None => {
            count(deltas.len(), vertex_count, || "SetBlendShapeTarget.deltas".to_owned())?;
            dense = deltas;
        }
    }
    let control = args.control.as_ref().map(|control| find_control(dna, control)).transpose()?;
    let names = &dna.definition.blend_shape_channel_names;
    let known = names.iter().position(|name| *name == args.name.as_str());
    let channel = match (known, control) {
        (Some(channel), _) => channel as u16,
        (None, Some(control)) => add_channel(dna, args, mesh, control)?,
        (None, None) => {
            return Err(CalibError::Option {
                option: "SetBlendShapeTarget.control",
                found: "none".to_owned(),
                expected: "the control that drives a new channel",
            });
        }
    };
    if let (Some(_), Some(control)) = (known, control) {
        drive_channel(dna, channel, control);
    }
    let moved = dense.iter().enumerate().filter(|(_, delta)| **delta != [0.0; 3]);
    let (vertex_indices, deltas): (Vec<u32>, Vec<[f32; 3]>) =
        moved.map(|(vertex, &delta)| (vertex as u32, delta)).unzip();
    let new = BlendShapeTarget {
        deltas: Vectors3::from_vectors(&deltas),
        vertex_indices,
        blend_shape_channel_index: channel,
    };
    let targets = &mut dna.geometry.meshes[mesh].blend_shape_targets;
    match targets.iter_mut().find(|target| target.blend_shape_channel_index == channel) {
        Some(target) => *target = new,
        None => targets.push(new),
    }
    let pairs = &mut dna.definition.mesh_blend_shape_channel_mapping;
    let pair = (mesh as u16, channel);
    if !pairs.from.iter().zip(&pairs.to).any(|(&from, &to)| (from, to) == pair) {
        let at = pairs.from.iter().zip(&pairs.to).take_while(|(from, to)| (**from, **to) < pair).count();
        pairs.from.insert(at, pair.0);
        pairs.to.insert(at, pair.1);
    }
    Ok(())
}

/// The number of a control in the control space: raw controls, correctives, ML controls, RBF pose controls.
fn find_control(dna: &Dna, control: &Item) -> Result<u16, CalibError> {
    let raw = dna.definition.raw_control_names.len();
    let controls = raw
        + usize::from(dna.behavior.controls.psd_count)
        + dna.machine_learned_behavior.ml_control_names.len()
        + dna.rbf_behavior.poses.len().max(dna.rbf_behavior_ext.pose_control_names.len());
    let found = match control {
        Item::Index(at) => *at,
        Item::Name(_) => control.find("SetBlendShapeTarget.control", &dna.definition.raw_control_names)?,
    };
    index("SetBlendShapeTarget.control", 0, found, controls.min(usize::from(u16::MAX)))?;
    Ok(found as u16)
}

fn add_channel(
    dna: &mut Dna,
    args: &SetBlendShapeTarget,
    mesh: usize,
    control: u16,
) -> Result<u16, CalibError> {
    if args.name.is_empty() {
        return Err(CalibError::Option {
            option: "SetBlendShapeTarget.name",
            found: "an empty name".to_owned(),
            expected: "a name",
        });
    }
    let lod_count = usize::from(dna.descriptor.lod_count);
    let definition = &dna.definition;
    let in_lod = |lod: &usize| {
        definition.lod_mesh_mapping.members(*lod).iter().any(|&member| usize::from(member) == mesh)
    };
    let lods = args.lods.unwrap_or_else(|| (0..lod_count).rfind(in_lod).map_or(0, |lod| lod + 1));
    if lods > lod_count {
        index("SetBlendShapeTarget.lods", 0, lods, lod_count + 1)?;
    }
    let channel = definition.blend_shape_channel_names.len();
    index("SetBlendShapeTarget.name", 0, channel, usize::from(u16::MAX))?;
    Ok(insert_channel(dna, &args.name, control, lods))
}

/// Makes `control` the driver of `channel`: in all its rows, or in a new one that works in LOD 0 only.
fn drive_channel(dna: &mut Dna, channel: u16, control: u16) {
    let rows = &mut dna.behavior.blend_shape_channels;
    let mut has_row = false;
    for (input, _) in
        rows.input_indices.iter_mut().zip(&rows.output_indices).filter(|(_, output)| **output == channel)
    {
        *input = control;
        has_row = true;
    }
    if !has_row {
        let count = rows.input_indices.len().min(rows.output_indices.len());
        let at = rows.lods.first().map_or(count, |&lod| usize::from(lod).min(count));
        rows.input_indices.insert(at, control);
        rows.output_indices.insert(at, channel);
        if let Some(lod) = rows.lods.first_mut() {
            *lod = lod.saturating_add(1);
        }
    }
}

/// Arguments of [`super::Command::RemoveBlendShapeTarget`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoveBlendShapeTarget {
    /// Name of the channel.
    pub name: Item,
    /// The mesh.
    pub mesh: Item,
}

pub(super) fn remove_target(dna: &mut Dna, args: &RemoveBlendShapeTarget) -> Result<(), CalibError> {
    const COMMAND: &str = "RemoveBlendShapeTarget";
    let mesh = args.mesh.find(COMMAND, &dna.definition.mesh_names)?;
    let channel = args.name.find(COMMAND, &dna.definition.blend_shape_channel_names)?;
    let meshes = dna.geometry.meshes.len();
    index("RemoveBlendShapeTarget.mesh", 0, mesh, meshes)?;
    let has = |target: &BlendShapeTarget| usize::from(target.blend_shape_channel_index) == channel;
    let targets = &mut dna.geometry.meshes[mesh].blend_shape_targets;
    if !targets.iter().any(has) {
        let name = format!("{} on mesh {mesh}", dna.definition.blend_shape_channel_names[channel]);
        return Err(CalibError::Name { command: COMMAND, name });
    }
    targets.retain(|target| !has(target));
    let pairs = &mut dna.definition.mesh_blend_shape_channel_mapping;
    let gone = (mesh as u16, channel as u16);
    let kept: Vec<(u16, u16)> = pairs.from.iter().copied().zip(pairs.to.iter().copied()).collect();
    (pairs.from, pairs.to) = kept.into_iter().filter(|pair| *pair != gone).unzip();
    if !dna.geometry.meshes.iter().any(|mesh| mesh.blend_shape_targets.iter().any(has)) {
        let removal = Removal { index: Some(channel), ..Removal::default() };
        remove::blend_shapes(dna, &removal, false)?;
    }
    Ok(())
}

/// Arguments of [`super::Command::SetTextureCoordinates`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetTextureCoordinates {
    /// The mesh.
    pub mesh: Item,
    /// One per texture coordinate that the mesh has.
    pub coordinates: Vec<[Number; 2]>,
}

pub(super) fn set_texture_coordinates(dna: &mut Dna, args: &SetTextureCoordinates) -> Result<(), CalibError> {
    const PLACE: &str = "SetTextureCoordinates.coordinates";
    let mesh = args.mesh.find("SetTextureCoordinates", &dna.definition.mesh_names)?;
    let expected = check_mesh(dna, mesh)?.texture_coordinates.us.len();
    count(args.coordinates.len(), expected, || PLACE.to_owned())?;
    if let Some(at) = args.coordinates.iter().position(|uv| !uv.iter().all(|c| c.0.is_finite())) {
        return Err(CalibError::NotFinite { place: PLACE.to_owned(), at });
    }
    let coordinates = &mut dna.geometry.meshes[mesh].texture_coordinates;
    coordinates.us = args.coordinates.iter().map(|uv| uv[0].0).collect();
    coordinates.vs = args.coordinates.iter().map(|uv| uv[1].0).collect();
    Ok(())
}

/// Arguments of [`super::Command::SetNormals`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetNormals {
    /// The mesh.
    pub mesh: Item,
    /// One per normal that the mesh has.
    pub normals: Vec<Vector>,
}

pub(super) fn set_normals(dna: &mut Dna, args: &SetNormals) -> Result<(), CalibError> {
    let mesh = args.mesh.find("SetNormals", &dna.definition.mesh_names)?;
    let normals: Vec<[f32; 3]> = args.normals.iter().copied().map(floats).collect();
    let expected = check_mesh(dna, mesh)?.normals.len();
    count(normals.len(), expected, || "SetNormals.normals".to_owned())?;
    finite("SetNormals.normals", &normals)?;
    dna.geometry.meshes[mesh].normals = Vectors3::from_vectors(&normals);
    Ok(())
}

/// Arguments of [`super::Command::RecalculateNormals`].
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecalculateNormals {
    /// The mesh; all when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<Item>,
}

pub(super) fn recalculate_normals(dna: &mut Dna, args: &RecalculateNormals) -> Result<(), CalibError> {
    let meshes = match &args.mesh {
        Some(mesh) => vec![mesh.find("RecalculateNormals", &dna.definition.mesh_names)?],
        None => (0..dna.geometry.meshes.len()).collect(),
    };
    for &mesh in &meshes {
        check_mesh(dna, mesh)?;
    }
    for mesh in meshes {
        let mesh = &mut dna.geometry.meshes[mesh];
        NormalPlan::from_template(mesh).apply(mesh, None);
    }
    Ok(())
}

/// Arguments of [`super::Command::SetMeshSkinWeights`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetMeshSkinWeights {
    /// The mesh.
    pub mesh: Item,
    /// Per vertex, the weight of each influence. They are scaled to a sum of 1 and cut to the mesh's cap.
    pub weights: Vec<Vec<Number>>,
    /// Per vertex, the joint of each influence.
    pub joints: Vec<Vec<u16>>,
}

pub(super) fn set_skin_weights(
    dna: &mut Dna,
    args: &SetMeshSkinWeights,
    findings: &mut Vec<Finding>,
) -> Result<(), CalibError> {
    let mesh = args.mesh.find("SetMeshSkinWeights", &dna.definition.mesh_names)?;
    count(args.joints.len(), args.weights.len(), || "SetMeshSkinWeights.joints".to_owned())?;
    let mut influences = Vec::with_capacity(args.weights.len());
    for (vertex, (weights, joints)) in args.weights.iter().zip(&args.joints).enumerate() {
        count(joints.len(), weights.len(), || format!("SetMeshSkinWeights.joints[{vertex}]"))?;
        influences.push(joints.iter().copied().zip(weights.iter().map(|weight| weight.0)).collect());
    }
    let report = set_mesh_weights(dna, &MeshWeights { mesh, influences })?;
    report_weights(&report, mesh_place(dna, mesh), findings);
    Ok(())
}

/// Arguments of [`super::Command::TransferSkinWeights`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferSkinWeights {
    /// The mesh that has the weights.
    pub from: Item,
    /// The mesh that gets them.
    pub to: Item,
}

pub(super) fn transfer_weights(
    dna: &mut Dna,
    args: &TransferSkinWeights,
    findings: &mut Vec<Finding>,
    job: &Job<'_>,
) -> Result<(), CalibError> {
    let find = |item: &Item| item.find("TransferSkinWeights", &dna.definition.mesh_names);
    let (from, to) = (find(&args.from)?, find(&args.to)?);
    let report = transfer_skin_weights(dna, from, to, job)?;
    report_weights(&report, mesh_place(dna, to), findings);
    Ok(())
}

fn report_weights(report: &WeightReport, place: String, findings: &mut Vec<Finding>) {
    if report.capped > 0 {
        let message = format!(
            "{} vertices had more than {} influences; the smallest were dropped, at most {:.4} of a vertex's weight",
            report.capped, report.cap, report.largest_loss
        );
        findings.push(Finding::new(
            "WEIGHT_CAP",
            Severity::Info,
            place.clone(),
            message,
            "raise the mesh's maximum influences per vertex where this is too much",
        ));
    }
    if report.without_weight > 0 {
        findings.push(Finding::new(
            "WEIGHT_NONE",
            Severity::Warning,
            place,
            format!("{} vertices were given no weight and kept what they had", report.without_weight),
            "give every vertex a weight",
        ));
    }
}

/// Arguments of [`super::Command::SetJointParent`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetJointParent {
    /// The joint.
    pub joint: Item,
    /// Its new parent; with none, or the joint itself, it becomes a root.
    #[serde(default)]
    pub parent: Option<Item>,
}

/// Hangs a joint, with all below it, from another joint. Everything keeps its place in the world, and the translations
/// that controls give the joint keep their direction there.
pub(super) fn set_joint_parent(dna: &mut Dna, args: &SetJointParent) -> Result<(), CalibError> {
    const COMMAND: &str = "SetJointParent";
    check_joints(dna)?;
    let names = &dna.definition.joint_names;
    let joint = args.joint.find(COMMAND, names)?;
    let parent = args.parent.as_ref().map_or(Ok(joint), |parent| parent.find(COMMAND, names))?;
    let rotations = LocalRotation::of_file(dna)?;
    let ancestors = |from: usize| -> Result<Vec<usize>, CalibError> {
        let mut chain = vec![from];
        while let Some(&last) = chain.last() {
            let next = usize::from(dna.definition.joint_hierarchy[last]);
            if next == last {
                break;
            }
            if chain.len() > names.len() {
                return Err(CalibError::Option {
                    option: "defn.jointHierarchy",
                    found: "a cycle".to_owned(),
                    expected: "a hierarchy",
                });
            }
            chain.push(next);
        }
        Ok(chain)
    };
    let new_chain = ancestors(parent)?;
    if parent != joint && new_chain.contains(&joint) {
        return Err(CalibError::Option {
            option: "SetJointParent.parent",
            found: names[parent].to_string(),
            expected: "a joint that is not below the joint itself",
        });
    }
    let world = |chain: &[usize]| {
        let local = |&joint: &usize| {
            let translation = dna.definition.neutral_joint_translations.get(joint).unwrap_or_default();
            let rotation = UnitQuaternion::from_rotation_matrix(&rotations.get(dna, joint));
            Isometry3::from_parts(Translation3::from(translation.map(f64::from)), rotation)
        };
        chain.iter().rev().map(local).fold(Isometry3::identity(), |world, local| world * local)
    };
    let own_chain = ancestors(joint)?;
    let world_from_old = world(&own_chain[1..]);
    let world_from_new = if parent == joint { Isometry3::identity() } else { world(&new_chain) };
    let new_from_joint = world_from_new.inverse() * world(&own_chain);
    let turn = (world_from_new.inverse() * world_from_old).rotation.to_rotation_matrix();
    let translations = &mut dna.definition.neutral_joint_translations;
    translations.xs[joint] = new_from_joint.translation.x as f32;
    translations.ys[joint] = new_from_joint.translation.y as f32;
    translations.zs[joint] = new_from_joint.translation.z as f32;
    rotations.set(dna, joint, &new_from_joint.rotation.to_rotation_matrix());
    dna.definition.joint_hierarchy[joint] = parent as u16;
    for group in &mut dna.behavior.joints.joint_groups {
        if group.values.len() == group.output_indices.len() * group.input_indices.len() {
            turn_translation_rows(group, joint as u16, &turn);
        }
    }
    Ok(())
}

/// Arguments of [`super::Command::PruneJointValues`].
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PruneJointValues {
    /// Translations up to this size become 0, cm.
    pub translation_cm: Number,
    /// Rotations up to this size become 0, degrees.
    pub rotation_deg: Number,
    /// Scales up to this size become 0.
    pub scale: Number,
}

pub(super) fn prune_joint_values(dna: &mut Dna, args: &PruneJointValues) -> Result<(), CalibError> {
    let thresholds = PruneThresholds {
        joint_translation_cm: f64::from(args.translation_cm.0),
        joint_rotation_deg: f64::from(args.rotation_deg.0),
        joint_scale: f64::from(args.scale.0),
        ..PruneThresholds::default()
    };
    crate::prune_joint_values(dna, &thresholds).map(|_| ())
}
