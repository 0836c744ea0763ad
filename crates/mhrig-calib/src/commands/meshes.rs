use mhrig_dna::{Dna, Mesh, Vectors3, VertexSkinWeights};
use mhrig_report::{Finding, Severity};

use super::number::floats;
use super::{JointValues, Number, Operation, SetSkinWeights, SetVertexPositions, Vector};
use crate::check::{count, index, mesh_place};
use crate::{CalibError, CommandStatus};

impl Operation {
    /// The result for one value, in the reference library's order of operations.
    pub(super) fn apply(self, a: [f32; 3], b: [f32; 3], weight: f32, compat: bool) -> [f32; 3] {
        std::array::from_fn(|axis| {
            let (a, b) = (a[axis], b[axis]);
            match self {
                Self::Interpolate => a * (1.0 - weight) + b * weight,
                Self::Add => a + b * weight,
                Self::Subtract => a - b * weight,
                Self::Multiply if compat || weight == 1.0 => a * (b * weight),
                Self::Multiply => a * (1.0 - weight + b * weight),
            }
        })
    }
}

/// Mesh `mesh`, `None` where it does not exist and that is to be overlooked.
pub(super) fn mesh_mut(dna: &mut Dna, mesh: usize, compat: bool) -> Result<Option<&mut Mesh>, CalibError> {
    let meshes = dna.geometry.meshes.len();
    if !compat {
        index("mesh", 0, mesh, meshes)?;
    }
    Ok(dna.geometry.meshes.get_mut(mesh))
}

pub(super) fn set_vertex_positions(
    dna: &mut Dna,
    args: &SetVertexPositions,
    compat: bool,
) -> Result<(), CalibError> {
    let given = args.positions.len();
    if let Some(masks) = &args.masks
        && masks.len() != given
    {
        return Err(CalibError::Command {
            status: CommandStatus::PositionMaskCount,
            place: "SetVertexPositions.masks".to_owned(),
            expected: given,
            found: masks.len(),
        });
    }
    let place = mesh_place(dna, args.mesh);
    let Some(mesh) = mesh_mut(dna, args.mesh, compat)? else { return Ok(()) };
    if !compat {
        count(given, mesh.positions.len(), || format!("SetVertexPositions.positions for {place}"))?;
    }
    let weight = |at: usize| args.masks.as_ref().map_or(1.0, |masks| masks[at].0);
    let before = |at: usize| mesh.positions.get(at).unwrap_or_default();
    let combine = |(at, &position): (usize, &Vector)| {
        args.operation.apply(before(at), floats(position), weight(at), compat)
    };
    let positions: Vec<[f32; 3]> = args.positions.iter().enumerate().map(combine).collect();
    if !compat {
        finite("SetVertexPositions.positions", &positions)?;
    }
    mesh.positions = Vectors3::from_vectors(&positions);
    Ok(())
}

pub(super) fn set_joint_translations(
    dna: &mut Dna,
    args: &JointValues,
    compat: bool,
) -> Result<(), CalibError> {
    let values = joint_values(dna, args, compat, "SetNeutralJointTranslations.values")?;
    dna.definition.neutral_joint_translations = values;
    Ok(())
}

pub(super) fn set_joint_rotations(dna: &mut Dna, args: &JointValues, compat: bool) -> Result<(), CalibError> {
    let values = joint_values(dna, args, compat, "SetNeutralJointRotations.values")?;
    dna.definition.neutral_joint_rotations = values;
    Ok(())
}

fn joint_values(dna: &Dna, args: &JointValues, compat: bool, place: &str) -> Result<Vectors3, CalibError> {
    let mut values: Vec<[f32; 3]> = args.values.iter().copied().map(floats).collect();
    let joints = dna.definition.joint_names.len();
    if compat {
        // The library takes any number of values and writes one per joint.
        values.resize(joints, [0.0; 3]);
    } else {
        count(values.len(), joints, || place.to_owned())?;
        finite(place, &values)?;
    }
    Ok(Vectors3::from_vectors(&values))
}

/// How far from 1 a sum of weights may be without a finding.
const WEIGHT_SUM_TOLERANCE: f64 = 1e-3;

pub(super) fn set_skin_weights(
    dna: &mut Dna,
    args: &SetSkinWeights,
    compat: bool,
    findings: &mut Vec<Finding>,
) -> Result<(), CalibError> {
    let joints = dna.definition.joint_names.len();
    let place = mesh_place(dna, args.mesh);
    let Some(mesh) = mesh_mut(dna, args.mesh, compat)? else { return Ok(()) };
    let mut record = VertexSkinWeights {
        weights: args.weights.iter().map(|&Number(weight)| weight).collect(),
        joint_indices: args.joints.iter().map(|&joint| joint as u16).collect(),
    };
    if compat {
        if args.vertex >= mesh.skin_weights.len() {
            // As in the library, but a typing slip must not take all memory.
            let limit = mesh.positions.len().max(usize::from(u16::MAX)) + 1;
            index("SetSkinWeights.vertex", 0, args.vertex, limit)?;
            mesh.skin_weights.resize_with(args.vertex + 1, VertexSkinWeights::default);
        }
    } else {
        let maximum = usize::from(mesh.maximum_influence_per_vertex);
        index("SetSkinWeights.vertex", 0, args.vertex, mesh.skin_weights.len())?;
        check_influences(&mut record, args, joints, maximum)?;
        let sum = normalise(&mut record.weights);
        if (sum - 1.0).abs() > WEIGHT_SUM_TOLERANCE && !record.weights.is_empty() {
            findings.push(
                Finding::new(
                    "WEIGHT_SUM",
                    Severity::Warning,
                    format!("{place}.skinWeights[{}]", args.vertex),
                    "the weights did not add up to 1 and were scaled to do so",
                    "give weights that add up to 1",
                )
                .with_values(1, sum),
            );
        }
    }
    mesh.skin_weights[args.vertex] = record;
    Ok(())
}

fn check_influences(
    record: &mut VertexSkinWeights,
    args: &SetSkinWeights,
    joints: usize,
    maximum: usize,
) -> Result<(), CalibError> {
    count(args.joints.len(), args.weights.len(), || "SetSkinWeights.joints".to_owned())?;
    for (at, &joint) in args.joints.iter().enumerate() {
        index("SetSkinWeights.joints", at, joint, joints)?;
    }
    if args.weights.len() > maximum {
        return Err(CalibError::Option {
            option: "SetSkinWeights.weights",
            found: format!("{} influences", args.weights.len()),
            expected: "within the mesh's maximum influences per vertex",
        });
    }
    match record.weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        Some(at) => Err(CalibError::NotFinite { place: "SetSkinWeights.weights".to_owned(), at }),
        None => Ok(()),
    }
}

/// Brings weights to sum 1, if they are not at it already, and returns the sum that they had.
pub(super) fn normalise(weights: &mut [f32]) -> f64 {
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    if sum > 0.0 && (sum - 1.0).abs() > 1e-6 {
        weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) / sum) as f32);
    }
    sum
}

pub(super) fn finite(place: &str, values: &[[f32; 3]]) -> Result<(), CalibError> {
    match values.iter().position(|value| !value.iter().all(|c| c.is_finite())) {
        Some(at) => Err(CalibError::NotFinite { place: place.to_owned(), at }),
        None => Ok(()),
    }
}
