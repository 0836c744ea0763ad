//! What the tests share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use mhrig_calib::{CalibError, Command};
use mhrig_dna::{Definition, Dna, FileVersion, LodMapping, Mesh, Text, Vectors3, VertexSkinWeights};
use mhrig_report::{Cancel, Job, Silent};
use serde_json::Value;

pub fn with_job<T>(run: impl FnOnce(&Job<'_>) -> T) -> T {
    let cancel = Cancel::default();
    run(&Job { progress: &Silent, cancel: &cancel })
}

/// Whether the linked library is the project's own stand-in.
pub fn is_stand_in() -> bool {
    mhrig_dnacalib::library_version().is_some_and(|version| version.contains("stand-in"))
}

/// The command that the stand-in does not have.
pub fn lacks_command(error: &CalibError) -> Option<String> {
    match error {
        CalibError::Library { code: 9000, message, .. } if is_stand_in() => Some(message.clone()),
        _ => None,
    }
}

pub fn command(run: Value) -> Command {
    serde_json::from_value(run).unwrap()
}

/// A file with two joints, two LODs and a mesh in each.
pub fn small() -> Dna {
    let mesh = |count: usize| Mesh {
        positions: Vectors3::from_vectors(&vec![[1.0, 2.0, 3.0]; count]),
        skin_weights: vec![VertexSkinWeights { weights: vec![1.0], joint_indices: vec![0] }; count],
        maximum_influence_per_vertex: 4,
        ..Mesh::default()
    };
    let both = LodMapping { lods: vec![0, 0], indices: vec![vec![0, 1]] };
    let none = LodMapping { lods: vec![0, 0], indices: vec![vec![]] };
    let mut dna = Dna::new(FileVersion::new(1));
    dna.descriptor.lod_count = 2;
    dna.definition = Definition {
        joint_names: ["root", "head"].map(Text::from).to_vec(),
        joint_hierarchy: vec![0, 0],
        neutral_joint_translations: Vectors3::from_vectors(&[[0.0; 3], [0.0, 10.0, 0.0]]),
        neutral_joint_rotations: Vectors3::from_vectors(&[[0.0; 3]; 2]),
        lod_joint_mapping: both,
        mesh_names: ["head_lod0_mesh", "head_lod1_mesh"].map(Text::from).to_vec(),
        lod_mesh_mapping: LodMapping { lods: vec![0, 1], indices: vec![vec![0], vec![1]] },
        lod_blend_shape_mapping: none.clone(),
        lod_animated_map_mapping: none,
        ..Definition::default()
    };
    dna.behavior.blend_shape_channels.lods = vec![0, 0];
    dna.behavior.animated_maps.lods = vec![0, 0];
    dna.geometry.meshes = vec![mesh(8), mesh(4)];
    dna
}
