//! The borrowed view sees what the owned model holds.
#![allow(clippy::unwrap_used)]

use mhrig_dna::*;
use mhrig_testkit::shared_or_skip;

mod support;
use support::{small_rig, small_rig_28};

fn same(what: &str, bytes: &[u8]) {
    let dna = Dna::from_bytes(bytes).unwrap();
    let view = DnaView::open(bytes).unwrap();
    assert_eq!(view.version(), dna.version);
    assert_eq!(view.descriptor().unwrap(), &dna.descriptor, "{what}");
    assert_eq!(view.definition().unwrap(), &dna.definition, "{what}");
    assert_eq!(Behavior::from(view.behavior().unwrap().clone()), dna.behavior, "{what}");
    let meshes: Vec<Mesh> = view.geometry().unwrap().meshes.iter().map(Mesh::from).collect();
    assert_eq!(meshes, dna.geometry.meshes, "{what}");
    assert_eq!(view.machine_learned_behavior().unwrap(), &dna.machine_learned_behavior, "{what}");
    assert_eq!(view.rbf_behavior().unwrap(), &dna.rbf_behavior, "{what}");
    assert_eq!(view.rbf_behavior_ext().unwrap(), &dna.rbf_behavior_ext, "{what}");
    assert_eq!(view.joint_behavior_metadata().unwrap(), &dna.joint_behavior_metadata, "{what}");
    assert_eq!(view.twist_swing_behavior().unwrap(), &dna.twist_swing_behavior, "{what}");
    assert_eq!(view.machine_learned_behavior_ext().unwrap(), &dna.machine_learned_behavior_ext, "{what}");
    assert_eq!(view.descriptor_ext().unwrap(), &dna.descriptor_ext, "{what}");
    assert_eq!(view.to_dna().unwrap(), dna, "{what}");
}

#[test]
fn the_view_of_every_vector_is_the_model() {
    let Some(folder) = shared_or_skip("views of the DNA vectors", "vectors/dna") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "dna") {
            same(&path.display().to_string(), &std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn the_view_of_each_version_is_the_model() {
    for version in 1..=8 {
        let mut dna = small_rig_28();
        dna.set_version(FileVersion::new(version), LaterLayers::Drop);
        same(&format!("2.{version}"), &dna.to_bytes().unwrap());
    }
}

#[test]
fn big_arrays_stay_where_they_are() {
    let bytes = small_rig().to_bytes().unwrap();
    let view = DnaView::open(&bytes).unwrap();
    let mesh = &view.geometry().unwrap().meshes[2];
    let xs = mesh.positions.xs;
    let offset = xs.as_bytes().as_ptr() as usize - bytes.as_ptr() as usize;
    assert!(offset < bytes.len());
    assert_eq!(xs.len(), 6);
    assert_eq!(xs.to_vec(), small_rig().geometry.meshes[2].positions.xs);
    assert_eq!((xs.get(4), xs.get(6), xs.get(usize::MAX)), (Some(2.0), None, None));
    assert_eq!(mesh.positions.get(5), Some([2.0, 1.0, 0.0]));
    assert_eq!((mesh.faces.len(), mesh.faces.iter().count()), (3, 3));
    assert_eq!((mesh.skin_weights.len(), mesh.skin_weights.iter().count()), (6, 6));
    assert_eq!(format!("{:?}", mesh.layouts.normals), "[0, 0, 0, 0, 0, 0]");
    let extents: Vec<String> = view.layers().map(|extent| extent.name).collect();
    assert_eq!(extents[3], "geom1.1");
    let geometry = view.layer_bytes("geom1.1").unwrap();
    assert_eq!(geometry.len() as u64, view.layers().nth(3).unwrap().size);
    assert_eq!(geometry[..4], 4u32.to_be_bytes());
    assert_eq!(view.layer_bytes("nope"), None);
}

#[test]
fn a_layer_is_checked_at_its_first_use_and_others_are_not() {
    let mut bytes = small_rig().to_bytes().unwrap();
    let geometry = DnaView::open(&bytes).unwrap().layers().nth(3).unwrap().offset as usize;
    // positions.xs of the first mesh.
    bytes[geometry + 8] = 0xff;
    let view = DnaView::open(&bytes).unwrap();
    assert!(view.definition().is_ok() && view.behavior().is_ok());
    let error = view.geometry().unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("geom.meshes[0].positions.xs at byte {:#x}: ", geometry + 8)),
        "{error}"
    );
    assert_eq!(error, Dna::from_bytes(&bytes).unwrap_err().to_string());
}

#[test]
fn views_of_damaged_files_say_what_the_reader_says() {
    let good = small_rig().to_bytes().unwrap();
    let check = |bytes: &[u8]| {
        let view = DnaView::open(bytes);
        let whole = view.and_then(|view| {
            let errors = [
                view.descriptor().err(),
                view.definition().err(),
                view.behavior().err(),
                view.geometry().err(),
                view.machine_learned_behavior().err(),
                view.rbf_behavior().err(),
                view.rbf_behavior_ext().err(),
                view.joint_behavior_metadata().err(),
                view.twist_swing_behavior().err(),
            ];
            match errors.into_iter().flatten().next() {
                Some(error) => Err(error),
                None => Ok(()),
            }
        });
        match (whole, Dna::from_bytes(bytes)) {
            (Ok(()), Ok(_)) => {}
            (Err(ours), Err(theirs)) => assert_eq!(ours.to_string(), theirs.to_string()),
            (ours, theirs) => panic!("{ours:?} and {:?}", theirs.map(drop)),
        }
    };
    for cut in 0..good.len() {
        check(&good[..cut]);
    }
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x82;
        check(&bytes);
    }
}
