//! Small models for tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use mhrig_calib::{MeshPositions, NeutralInput, NeutralOptions};
use mhrig_dna::{
    BlendShapeTarget, Dna, JointGroup, LodMapping, Mesh, Text, TextureCoordinates, Vectors3, VertexLayouts,
    VertexSkinWeights,
};
use mhrig_report::{Cancel, Job, Silent};

pub fn with_job<T>(run: impl FnOnce(&Job<'_>) -> T) -> T {
    let cancel = Cancel::default();
    run(&Job { progress: &Silent, cancel: &cancel })
}

/// A grid of `columns × rows` quads whose vertices are `place(u, v)` with texture coordinates `uv(u, v)`.
pub fn grid(
    columns: usize,
    rows: usize,
    place: impl Fn(f64, f64) -> [f64; 3],
    uv: impl Fn(f64, f64) -> [f64; 2],
) -> Mesh {
    let mut positions = Vec::new();
    let mut coordinates = TextureCoordinates::default();
    for row in 0..=rows {
        for column in 0..=columns {
            let (u, v) = (column as f64 / columns as f64, row as f64 / rows as f64);
            positions.push(place(u, v).map(|c| c as f32));
            let [s, t] = uv(u, v);
            coordinates.us.push(s as f32);
            coordinates.vs.push(t as f32);
        }
    }
    let count = positions.len() as u32;
    let at = |column: usize, row: usize| (row * (columns + 1) + column) as u32;
    let mut faces = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            faces.push(vec![
                at(column, row),
                at(column + 1, row),
                at(column + 1, row + 1),
                at(column, row + 1),
            ]);
        }
    }
    let all: Vec<u32> = (0..count).collect();
    Mesh {
        normals: Vectors3::from_vectors(&vec![[0.0, 0.0, 1.0]; positions.len()]),
        positions: Vectors3::from_vectors(&positions),
        texture_coordinates: coordinates,
        layouts: VertexLayouts { positions: all.clone(), texture_coordinates: all.clone(), normals: all },
        faces,
        maximum_influence_per_vertex: 4,
        skin_weights: vec![VertexSkinWeights { weights: vec![1.0], joint_indices: vec![0] }; count as usize],
        ..Mesh::default()
    }
}

/// Two patches side by side as one mesh.
pub fn joined(mut first: Mesh, second: &Mesh) -> Mesh {
    let positions = first.positions.len() as u32;
    let uvs = first.texture_coordinates.us.len() as u32;
    let normals = first.normals.len() as u32;
    let layouts = first.layouts.positions.len() as u32;
    first.positions.xs.extend(&second.positions.xs);
    first.positions.ys.extend(&second.positions.ys);
    first.positions.zs.extend(&second.positions.zs);
    first.normals.xs.extend(&second.normals.xs);
    first.normals.ys.extend(&second.normals.ys);
    first.normals.zs.extend(&second.normals.zs);
    first.texture_coordinates.us.extend(&second.texture_coordinates.us);
    first.texture_coordinates.vs.extend(&second.texture_coordinates.vs);
    first.layouts.positions.extend(second.layouts.positions.iter().map(|i| i + positions));
    first.layouts.texture_coordinates.extend(second.layouts.texture_coordinates.iter().map(|i| i + uvs));
    first.layouts.normals.extend(second.layouts.normals.iter().map(|i| i + normals));
    first.faces.extend(second.faces.iter().map(|face| face.iter().map(|i| i + layouts).collect()));
    first.skin_weights.extend(second.skin_weights.iter().cloned());
    first
}

/// A DNA of one joint with the given meshes, one list of them per LOD.
pub fn dna(lods: Vec<Vec<(&str, Mesh)>>) -> Dna {
    let mut dna = Dna::default();
    dna.descriptor.lod_count = lods.len() as u16;
    let definition = &mut dna.definition;
    definition.joint_names = vec![Text::from("root")];
    definition.joint_hierarchy = vec![0];
    definition.neutral_joint_translations = Vectors3::from_vectors(&[[0.0; 3]]);
    definition.neutral_joint_rotations = Vectors3::from_vectors(&[[10.0, 20.0, 30.0]]);
    definition.lod_joint_mapping = LodMapping { lods: vec![0; lods.len()], indices: vec![vec![0]] };
    for (lod, meshes) in lods.into_iter().enumerate() {
        definition.lod_mesh_mapping.lods.push(lod as u16);
        let first = definition.mesh_names.len() as u16;
        definition.lod_mesh_mapping.indices.push((first..first + meshes.len() as u16).collect());
        for (name, mesh) in meshes {
            definition.mesh_names.push(Text::from(name));
            dna.geometry.meshes.push(mesh);
        }
    }
    dna.behavior.joints.joint_groups = vec![JointGroup {
        lods: vec![1; usize::from(dna.descriptor.lod_count)],
        input_indices: vec![0],
        output_indices: vec![3],
        values: vec![5.0],
        joint_indices: vec![0],
    }];
    dna
}

/// Gives a mesh a target that moves every vertex by `delta`.
pub fn add_target(mesh: &mut Mesh, delta: [f32; 3]) {
    let count = mesh.positions.len();
    mesh.blend_shape_targets.push(BlendShapeTarget {
        deltas: Vectors3::from_vectors(&vec![delta; count]),
        vertex_indices: (0..count as u32).collect(),
        blend_shape_channel_index: 0,
    });
}

/// The positions of the meshes of LOD 0 after `map`.
pub fn mapped_lod0(dna: &Dna, map: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<(usize, Vec<[f32; 3]>)> {
    let meshes = dna.definition.lod_mesh_mapping.members(0).iter().map(|&mesh| usize::from(mesh));
    meshes
        .map(|mesh| {
            let positions = dna.geometry.meshes[mesh].positions.iter();
            (mesh, positions.map(|p| map(p.map(f64::from)).map(|c| c as f32)).collect())
        })
        .collect()
}

/// Applies a neutral update of LOD 0 positions only.
pub fn update(
    dna: &Dna,
    positions: &[(usize, Vec<[f32; 3]>)],
    options: &NeutralOptions,
) -> (Dna, mhrig_calib::NeutralReport) {
    let meshes: Vec<MeshPositions<'_>> =
        positions.iter().map(|(mesh, p)| MeshPositions { mesh: *mesh, positions_cm: p }).collect();
    let input = NeutralInput { joint_translations_cm: None, meshes: &meshes, ..NeutralInput::default() };
    let mut result = dna.clone();
    let report = with_job(|job| {
        mhrig_calib::NeutralPlan::from_template(dna, job)?.apply(&mut result, &input, options, job)
    });
    (result, report.unwrap())
}
