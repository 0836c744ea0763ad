use mhrig_dna::{BlendShapeTarget, Dna, IndexPairs, LodMapping, Vectors3};

use super::meshes::finite;
use super::number::floats;
use super::run::Memory;
use super::{SetBlendShapeTargetDeltas, Threshold};
use crate::check::{check_mesh, index};
use crate::{CalibError, CommandStatus};

pub(super) fn set_deltas(
    dna: &mut Dna,
    args: &SetBlendShapeTargetDeltas,
    compat: bool,
    memory: &mut Memory,
) -> Result<(), CalibError> {
    if !compat {
        let meshes = dna.geometry.meshes.len();
        if args.mesh < meshes {
            check_mesh(dna, args.mesh)?;
        }
    }
    let fail = |status, argument: &str, expected, found| {
        let place = format!("SetBlendShapeTargetDeltas.{argument}");
        Err(CalibError::Command { status, place, expected, found })
    };
    let mesh = dna.geometry.meshes.get_mut(args.mesh);
    // A mesh that does not exist counts as one without vertices.
    let vertex_count = mesh.as_ref().map_or(0, |mesh| mesh.positions.len());
    let present = mesh.as_ref().and_then(|mesh| mesh.blend_shape_targets.get(args.target));

    let given = args.vertices.as_deref().filter(|vertices| !vertices.is_empty());
    let vertices: Vec<u32> = match given.or(memory.vertices.as_deref()) {
        Some(vertices) => vertices.to_vec(),
        None => {
            let own = present.map_or(&[][..], |target| &target.vertex_indices);
            if own.len() != args.deltas.len() {
                return fail(CommandStatus::NoVertexIndices, "vertices", args.deltas.len(), own.len());
            }
            memory.vertices = Some(own.to_vec());
            own.to_vec()
        }
    };
    if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= vertex_count) {
        return fail(CommandStatus::VertexIndexOutOfRange, "vertices", vertex_count, vertex as usize);
    }
    if vertices.len() != args.deltas.len() {
        return fail(CommandStatus::DeltaVertexCount, "vertices", args.deltas.len(), vertices.len());
    }
    if let Some(masks) = &args.masks
        && masks.len() != args.deltas.len()
    {
        return fail(CommandStatus::DeltaMaskCount, "masks", args.deltas.len(), masks.len());
    }
    let Some(mesh) = mesh else { return Ok(()) };
    let targets = &mut mesh.blend_shape_targets;
    if !compat {
        index("SetBlendShapeTargetDeltas.target", 0, args.target, targets.len())?;
    } else if args.target >= targets.len() {
        index("SetBlendShapeTargetDeltas.target", 0, args.target, usize::from(u16::MAX) + 1)?;
    }
    let before = targets.get(args.target);
    let mut dense = match before {
        Some(target) => spread(target, vertex_count, compat),
        None => vec![[0.0; 3]; vertex_count],
    };
    for (at, (&vertex, &delta)) in vertices.iter().zip(&args.deltas).enumerate() {
        let weight = args.masks.as_ref().map_or(1.0, |masks| masks[at].0);
        let value = &mut dense[vertex as usize];
        *value = args.operation.apply(*value, floats(delta), weight, compat);
    }
    if !compat {
        finite("SetBlendShapeTargetDeltas.deltas", &dense)?;
    }
    if args.target >= targets.len() {
        targets.resize_with(args.target + 1, BlendShapeTarget::default);
    }
    let moved = dense.iter().enumerate().filter(|(_, delta)| **delta != [0.0; 3]);
    let (vertex_indices, deltas): (Vec<u32>, Vec<[f32; 3]>) =
        moved.map(|(vertex, &delta)| (vertex as u32, delta)).unzip();
    targets[args.target].deltas = Vectors3::from_vectors(&deltas);
    targets[args.target].vertex_indices = vertex_indices;
    Ok(())
}

/// The deltas of a target, one per vertex.
fn spread(target: &BlendShapeTarget, vertex_count: usize, compat: bool) -> Vec<[f32; 3]> {
    let mut dense = vec![[0.0; 3]; vertex_count];
    if !compat {
        for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
            if let Some(value) = dense.get_mut(vertex as usize) {
                *value = delta;
            }
        }
        return dense;
    }
    // The library moves deltas to their vertices from the last to the first within one array, which is right only
    // when no delta has to move forward past one that is still to be moved.
    for (value, delta) in dense.iter_mut().zip(target.deltas.iter()) {
        *value = delta;
    }
    for at in (0..target.vertex_indices.len().min(vertex_count)).rev() {
        let to = target.vertex_indices[at] as usize;
        if to < vertex_count && to != at {
            dense[to] = dense[at];
            dense[at] = [0.0; 3];
        }
    }
    dense
}

pub(super) fn prune(dna: &mut Dna, args: &Threshold, compat: bool) -> Result<(), CalibError> {
    let threshold = args.threshold.0;
    if !compat {
        if !(threshold.is_finite() && threshold >= 0.0) {
            return Err(CalibError::Option {
                option: "PruneBlendShapeTargets.threshold",
                found: threshold.to_string(),
                expected: "a length of at least 0",
            });
        }
        for mesh in 0..dna.geometry.meshes.len() {
            check_mesh(dna, mesh)?;
        }
    }
    let limit = threshold * threshold;
    for target in dna.geometry.meshes.iter_mut().flat_map(|mesh| &mut mesh.blend_shape_targets) {
        let pairs = target.vertex_indices.iter().zip(target.deltas.iter());
        let kept = pairs.filter(|(_, d)| {
            let squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            squared > limit
        });
        let (vertex_indices, deltas): (Vec<u32>, Vec<[f32; 3]>) = kept.map(|(&v, d)| (v, d)).unzip();
        target.vertex_indices = vertex_indices;
        target.deltas = Vectors3::from_vectors(&deltas);
    }
    Ok(())
}

/// Removes channels, targets, their LOD lists and the rows that drive them; controls and correctives stay.
pub(super) fn clear(dna: &mut Dna) {
    let lods = usize::from(dna.descriptor.lod_count);
    let definition = &mut dna.definition;
    definition.blend_shape_channel_names.clear();
    definition.lod_blend_shape_mapping = LodMapping {
        lods: vec![0; definition.lod_blend_shape_mapping.lods.len()],
        indices: vec![Vec::new()],
    };
    definition.mesh_blend_shape_channel_mapping = IndexPairs::default();
    let channels = &mut dna.behavior.blend_shape_channels;
    channels.input_indices.clear();
    channels.output_indices.clear();
    channels.lods = vec![0; lods];
    dna.geometry.meshes.iter_mut().for_each(|mesh| mesh.blend_shape_targets.clear());
}
