//! An evaluation allocates nothing.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use mhrig_dna::Dna;
use mhrig_rig::{Deformer, Instance, JointEdits, Rig, RigOptions, RotationOutput};
use mhrig_testkit::shared_or_skip;

#[test]
fn a_frame_allocates_nothing() {
    let Some(dir) = shared_or_skip("a_frame_allocates_nothing", "vectors/riglogic") else { return };
    let dna = Dna::from_bytes(&std::fs::read(dir.join("rig1_deg.dna")).unwrap()).unwrap();
    for output in [RotationOutput::Euler, RotationOutput::Quaternion] {
        let options = RigOptions::default().with_rotation_output(output);
        let rig = Arc::new(Rig::from_dna(&dna, &options).unwrap());
        let values: Vec<f32> = (0..rig.names().raw_controls.len()).map(|i| 0.3 + 0.02 * i as f32).collect();
        let gui = vec![0.5; rig.names().gui_controls.len()];
        let deformer = Deformer::from_dna(&dna).unwrap();
        let mut pose = deformer.skeleton().rest();
        let edits = JointEdits::default();
        let mut instance = Instance::new(rig);
        let counted = allocation_counter::measure(|| {
            for lod in [0, 1, 0] {
                instance.set_lod(lod).unwrap();
                instance.set_gui_controls(&gui).unwrap();
                instance.map_gui_to_raw();
                instance.set_raw_controls(&values).unwrap();
                instance.set_network_mask(1, 0.5).unwrap();
                instance.calculate().unwrap();
                deformer.skeleton().update(&instance, &edits, &mut pose);
            }
        });
        assert_eq!(counted.count_total, 0, "{output:?}");
    }
}
