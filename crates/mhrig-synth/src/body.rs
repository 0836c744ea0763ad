//! The body's DNA.

use mhrig_dna::{Dna, FileVersion};

use crate::SynthError;
use crate::geometry::dna_mesh;
use crate::head::{Lods, descriptor, set_skeleton};
use crate::skeleton::PartSkeleton;

/// Rig definition of the demo human's body.
pub(crate) const DB_NAME_BODY: &str = "MHRIG.DEMO.BODY";

/// Makes the body.
pub(crate) fn body_dna(skeleton: &PartSkeleton, lods: &Lods) -> Result<Dna, SynthError> {
    let mut dna = Dna {
        descriptor: descriptor("DemoHumanBody", DB_NAME_BODY, lods.meshes.len() as u16),
        ..Dna::new(FileVersion { generation: 2, version: 5 })
    };
    set_skeleton(&mut dna.definition, skeleton, lods);
    dna.behavior.joints.row_count = (skeleton.names.len() * 9) as u16;
    dna.geometry.meshes = lods.meshes.iter().flatten().map(|mesh| dna_mesh(mesh, Vec::new())).collect();
    Ok(dna)
}
