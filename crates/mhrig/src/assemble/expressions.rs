//! What each raw control moves by itself: expressions as displacements of vertices.

use std::collections::HashMap;
use std::sync::Arc;

use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{MorphMoves, Plug, RigMorph, VertexMove};
use rayon::prelude::*;

use super::describe::Described;
use super::evaluate::{Evaluator, SceneSettings};
use super::input::RigPart;
use super::names::{self, Namespace};
use crate::report::Stop;

/// A vertex that moves less than this is left out, cm.
const STILL_CM: f64 = 1e-5;

/// Every raw control of the face at 1 by itself: what it moves in the meshes of LOD `lod`. Those that move nothing are
/// left out.
pub(super) fn expressions(
    described: &Described,
    parts: &[RigPart],
    namespace: &Namespace,
    lod: usize,
    job: Job<'_>,
) -> Result<Vec<RigMorph>, Stop> {
    let scene = &described.scene;
    let holder = namespace.of(names::EXPRESSIONS);
    let Some(holder) = scene.transforms.iter().find(|node| node.name == holder) else {
        return Ok(Vec::new());
    };
    let rigs = parts.iter().filter_map(|part| part.rig().map(Arc::clone)).collect();
    let evaluator = Evaluator::new(scene, rigs);
    let meshes = scene.meshes_of_lod(lod);
    let evaluate = |name: &str, values| {
        evaluator.evaluate(&SceneSettings { values, lods: Vec::new() }).map_err(|error| {
            let remedy = "check the DNA files with `mhrig validate`";
            Finding::new("RIG_EVALUATION", Severity::Error, name, error.to_string(), remedy)
        })
    };
    let rest = evaluate("rest", Vec::new())?;
    // Not the neutral mesh: what rest itself moves, and what rounding does, belongs to no expression.
    let at_rest: HashMap<usize, Vec<[f32; 3]>> =
        meshes.par_iter().map(|&mesh| (mesh, evaluator.deform(mesh, &rest))).collect();
    job.progress.stage("expressions", holder.attributes.len());
    let morphs: Vec<Result<RigMorph, Stop>> = holder
        .attributes
        .par_iter()
        .map(|attribute| {
            job.check()?;
            let plug = Plug::new(&*holder.name, &*attribute.name);
            let pose = evaluate(&attribute.name, vec![(plug, 1.0)])?;
            let mut moves = Vec::new();
            for &mesh in meshes.iter().filter(|&&mesh| evaluator.differs(mesh, &pose, &rest)) {
                let moved = evaluator.deform(mesh, &pose);
                let by = at_rest[&mesh].iter().zip(&moved).enumerate().filter_map(|(vertex, (a, b))| {
                    let by: [f32; 3] = std::array::from_fn(|axis| b[axis] - a[axis]);
                    let length = by.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
                    (length > STILL_CM).then_some((vertex as u32, by))
                });
                let vertices: Vec<VertexMove> = by.collect();
                if !vertices.is_empty() {
                    moves.push(MorphMoves { mesh, vertices });
                }
            }
            job.progress.step();
            Ok(RigMorph { name: attribute.name.clone(), moves })
        })
        .collect();
    let mut morphs = morphs.into_iter().collect::<Result<Vec<_>, Stop>>()?;
    morphs.retain(|morph| !morph.moves.is_empty());
    Ok(morphs)
}
