use std::collections::BTreeSet;

use serde::Serialize;

use crate::FitTemplate;
use crate::seed::LEAST_SKIN_WEIGHT;

/// What a part needs a mesh for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshRole {
    /// Joints are placed by its mapping rows, or in a part without mapping tables by its skin alone.
    Required,
    /// An eyeball: a joint is placed at its centre.
    Eye,
    /// No joint depends on it; it can be filled from the others.
    Fillable,
}

/// What hangs on a mesh of a template.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshEvidence {
    /// Name of the mesh.
    pub mesh: String,
    /// Its role, which follows from the figures below.
    pub role: MeshRole,
    /// Number of vertices.
    pub vertices: usize,
    /// Joints that its mapping rows place.
    pub mapped_joints: usize,
    /// Joints that stand at the centre of it as of an eyeball.
    pub eye_joints: Vec<String>,
    /// Joints that influence enough of it for skin transfer.
    pub skinned_joints: usize,
    /// Those of them that influence no other mesh enough.
    pub exclusively_skinned_joints: usize,
}

impl FitTemplate {
    /// What hangs on each mesh, in the order of [`FitTemplate::meshes`]: the reason for its role.
    pub fn mesh_evidence(&self) -> Vec<MeshEvidence> {
        let skinned: Vec<BTreeSet<usize>> = self.meshes.iter().map(skinned_joints).collect();
        let mut meshes_of_joint = vec![0usize; self.rest.len()];
        for &joint in skinned.iter().flatten() {
            meshes_of_joint[joint] += 1;
        }
        let evidence = |number: usize| {
            let rows = self.rows.iter().filter(|row| row.mesh == number);
            let mapped: BTreeSet<usize> = rows.map(|row| row.joint.index()).collect();
            let eyes = self.eyes.iter().filter(|eye| eye.mesh == number);
            let eye_joints: Vec<String> = eyes.map(|eye| self.hierarchy.name(eye.joint).to_owned()).collect();
            let exclusive = skinned[number].iter().filter(|&&joint| meshes_of_joint[joint] == 1).count();
            let role =
                if !mapped.is_empty() || (self.rows.is_empty() && exclusive > 0 && eye_joints.is_empty()) {
                    MeshRole::Required
                } else if !eye_joints.is_empty() {
                    MeshRole::Eye
                } else {
                    MeshRole::Fillable
                };
            MeshEvidence {
                mesh: self.meshes[number].name.clone(),
                role,
                vertices: self.meshes[number].mesh.positions.len(),
                mapped_joints: mapped.len(),
                eye_joints,
                skinned_joints: skinned[number].len(),
                exclusively_skinned_joints: exclusive,
            }
        };
        (0..self.meshes.len()).map(evidence).collect()
    }
}

fn skinned_joints(mesh: &crate::TemplateMesh) -> BTreeSet<usize> {
    let mut weights = std::collections::BTreeMap::<usize, f64>::new();
    for vertex in 0..mesh.skin.vertex_count() {
        for (joint, weight) in mesh.skin.influences(vertex) {
            *weights.entry(joint.index()).or_default() += f64::from(weight);
        }
    }
    weights.into_iter().filter(|&(_, weight)| weight > LEAST_SKIN_WEIGHT).map(|(joint, _)| joint).collect()
}
