use mhrig_dna::{Dna, Mesh, Vectors3};

use crate::CalibError;

/// The path of mesh `mesh` in messages.
pub(crate) fn mesh_place(dna: &Dna, mesh: usize) -> String {
    match dna.definition.mesh_names.get(mesh) {
        Some(name) => format!("geom.meshes[{mesh}] ({name})"),
        None => format!("geom.meshes[{mesh}]"),
    }
}

/// Checks that the numbers within one mesh point where they can: layouts, faces, influences, targets.
///
/// # Errors
/// [`CalibError::Count`] or [`CalibError::Index`] with the first place that does not hold.
pub fn check_mesh(dna: &Dna, mesh: usize) -> Result<&Mesh, CalibError> {
    let meshes = &dna.geometry.meshes;
    let found = meshes.get(mesh).ok_or_else(|| CalibError::Index {
        place: "geom.meshes".to_owned(),
        at: mesh,
        found: mesh,
        limit: meshes.len(),
    })?;
    let place = |field: &str| format!("{}.{field}", mesh_place(dna, mesh));
    let vertices = found.positions.xs.len();
    even("positions", &found.positions, vertices, &place)?;
    let normals = found.normals.xs.len();
    even("normals", &found.normals, normals, &place)?;
    let uvs = found.texture_coordinates.us.len();
    count(found.texture_coordinates.vs.len(), uvs, || place("textureCoordinates.vs"))?;

    let layouts = &found.layouts;
    below(&layouts.positions, vertices, || place("layouts.positions"))?;
    below(&layouts.texture_coordinates, uvs, || place("layouts.textureCoordinates"))?;
    below(&layouts.normals, normals, || place("layouts.normals"))?;
    for (at, face) in found.faces.iter().enumerate() {
        below(face, layouts.positions.len(), || place(&format!("faces[{at}].layoutIndices")))?;
    }
    let joints = dna.definition.joint_names.len();
    for (at, record) in found.skin_weights.iter().enumerate() {
        let weights = record.weights.len();
        count(weights, record.joint_indices.len(), || place(&format!("skinWeights[{at}].weights")))?;
        for (influence, &joint) in record.joint_indices.iter().enumerate() {
            if usize::from(joint) >= joints {
                return Err(CalibError::Index {
                    place: place(&format!("skinWeights[{at}].jointIndices")),
                    at: influence,
                    found: usize::from(joint),
                    limit: joints,
                });
            }
        }
    }
    for (at, target) in found.blend_shape_targets.iter().enumerate() {
        let target_place = |field: &str| place(&format!("blendShapeTargets[{at}].{field}"));
        even("deltas", &target.deltas, target.vertex_indices.len(), &target_place)?;
        below(&target.vertex_indices, vertices, || target_place("vertexIndices"))?;
    }
    Ok(found)
}

/// Checks all meshes of `dna` and that there is one per name, see [`check_mesh`].
pub(crate) fn check_meshes(dna: &Dna) -> Result<(), CalibError> {
    let names = dna.definition.mesh_names.len();
    count(dna.geometry.meshes.len(), names, || "geom.meshes".to_owned())?;
    (0..names).try_for_each(|mesh| check_mesh(dna, mesh).map(|_| ()))
}

pub(crate) fn count(found: usize, expected: usize, place: impl FnOnce() -> String) -> Result<(), CalibError> {
    if found == expected { Ok(()) } else { Err(CalibError::Count { place: place(), expected, found }) }
}

pub(crate) fn index(place: &str, at: usize, found: usize, limit: usize) -> Result<(), CalibError> {
    if found < limit { Ok(()) } else { Err(CalibError::Index { place: place.to_owned(), at, found, limit }) }
}

fn even(
    field: &str,
    vectors: &Vectors3,
    expected: usize,
    place: &dyn Fn(&str) -> String,
) -> Result<(), CalibError> {
    count(vectors.xs.len(), expected, || place(&format!("{field}.xs")))?;
    count(vectors.ys.len(), expected, || place(&format!("{field}.ys")))?;
    count(vectors.zs.len(), expected, || place(&format!("{field}.zs")))
}

fn below(numbers: &[u32], limit: usize, place: impl FnOnce() -> String) -> Result<(), CalibError> {
    match numbers.iter().position(|&number| number as usize >= limit) {
        None => Ok(()),
        Some(at) => Err(CalibError::Index { place: place(), at, found: numbers[at] as usize, limit }),
    }
}
