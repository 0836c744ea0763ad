//! Files of one version made into files of another.
#![allow(clippy::unwrap_used)]

use mhrig_dna::*;
use mhrig_testkit::{assert_same_bytes, shared_or_skip};

mod support;
use support::{small_rig, small_rig_28};

#[test]
fn a_lowered_file_is_the_file_of_that_version() {
    let Some(folder) = shared_or_skip("versions of the DNA vectors", "vectors/dna") else { return };
    for name in ["mini", "full", "empty"] {
        let read = |version: u16| std::fs::read(folder.join(format!("{name}2{version}.dna"))).unwrap();
        for version in 1..=5 {
            let mut dna = Dna::from_bytes(&read(5)).unwrap();
            dna.set_version(FileVersion::new(version), LaterLayers::Drop);
            assert_same_bytes(
                &format!("{name} 2.5 to 2.{version}"),
                &read(version),
                &dna.to_bytes().unwrap(),
            );
        }
    }
}

#[test]
fn an_empty_file_of_each_version_is_that_of_the_reference_library() {
    let Some(folder) = shared_or_skip("empty files", "vectors/dna") else { return };
    for version in 1..=5 {
        let bytes = std::fs::read(folder.join(format!("empty2{version}.dna"))).unwrap();
        let found = Dna::from_bytes(&bytes).unwrap();
        let mut made = Dna::new(FileVersion::new(version));
        // What the reference library puts into a new descriptor.
        made.descriptor = found.descriptor.clone();
        assert_same_bytes(&format!("2.{version}"), &bytes, &made.to_bytes().unwrap());
    }
}

#[test]
fn raising_adds_entries_where_the_reference_library_puts_them() {
    let mut dna = small_rig();
    let lowered = dna.set_version(FileVersion::new(4), LaterLayers::Drop);
    assert_eq!(lowered.lost.len(), 1);
    assert_eq!(
        (lowered.lost[0].name.as_str(), lowered.lost[0].content.as_str()),
        ("rbfe", "controls of 2 poses")
    );
    let raised = dna.set_version(FileVersion::new(5), LaterLayers::Drop);
    assert_eq!(raised.added, ["rbfe"]);
    assert!(raised.lost.is_empty());
    assert_eq!(dna.layers.last().unwrap().name(), "rbfe1.0", "behind twsw");
    assert_eq!(
        dna.rbf_behavior_ext,
        small_rig().rbf_behavior_ext,
        "made up as the default, which is what it was"
    );
}

#[test]
fn later_layers_can_be_kept_but_not_in_2_1() {
    let mut dna = small_rig();
    dna.layers.push(Layer::raw(*b"zzzz", 1, 0, vec![1, 2, 3]));
    let change = dna.set_version(FileVersion::new(2), LaterLayers::Keep);
    assert!(change.lost.is_empty() && change.added.is_empty());
    assert_eq!(Dna::from_bytes(&dna.to_bytes().unwrap()).unwrap(), dna);
    let change = dna.set_version(FileVersion::new(1), LaterLayers::Keep);
    let lost: Vec<String> =
        change.lost.iter().map(|lost| format!("{}: {}", lost.name, lost.content)).collect();
    assert_eq!(
        lost,
        [
            "mlbh: 2 neural networks",
            "rbfb: 2 solvers, 2 poses",
            "rbfe: controls of 2 poses",
            "jbmd: representation of 6 joints",
            "twsw: 1 twist, 1 swing",
            "zzzz1.0: a layer kept as bytes",
        ]
    );
    let sections = Dna::from_bytes(&dna.to_bytes().unwrap()).unwrap();
    assert_eq!(sections.geometry, small_rig().geometry);
    dna.set_version(FileVersion::new(5), LaterLayers::Drop);
    assert_eq!(dna.layers.len(), 9);
}

#[test]
fn files_of_2_8_round_trip_and_lose_the_winding_by_name() {
    let dna = small_rig_28();
    let bytes = dna.to_bytes().unwrap();
    assert_eq!(Dna::from_bytes(&bytes).unwrap(), dna);
    let dsce = dna.layers.iter().position(|layer| &layer.id == b"dsce").unwrap();
    let size = u32::from_be_bytes(bytes[11 + 16 * dsce + 12..][..4].try_into().unwrap());
    assert_eq!(size, 17);

    let mut lowered = dna.clone();
    let change = lowered.set_version(FileVersion::new(7), LaterLayers::Drop);
    assert_eq!(change.lost.len(), 1);
    assert_eq!(change.lost[0].name, "dsce.faceWindingOrder");
    assert_eq!(lowered.to_bytes().unwrap().len() + 1, bytes.len());
    let change = lowered.set_version(FileVersion::new(5), LaterLayers::Drop);
    let lost: Vec<&str> = change.lost.iter().map(|lost| lost.name.as_str()).collect();
    assert_eq!(lost, ["mlbe", "dsce"]);
    assert_eq!(lowered, small_rig());
}

#[test]
fn mlbe_and_dsce_of_another_form_are_kept_as_bytes() {
    let mut dna = small_rig();
    dna.version = FileVersion::new(7);
    dna.layers.push(Layer::raw(*b"dsce", 1, 0, vec![7; 17]));
    dna.layers.push(Layer::raw(*b"mlbe", 1, 0, vec![0; 9]));
    let bytes = dna.to_bytes().unwrap();
    let back = Dna::from_bytes(&bytes).unwrap();
    assert_eq!(back, dna);
    assert_eq!(back.descriptor_ext, DescriptorExt::default());
    assert_same_bytes("raw layers", &bytes, &back.to_bytes().unwrap());
}

#[test]
fn content_without_a_place_in_the_file_is_not_lost_silently() {
    let mut dna = small_rig();
    dna.layers.retain(|layer| &layer.id != b"twsw");
    assert!(matches!(dna.to_bytes(), Err(DnaError::LayerNotListed { section, .. }) if section == "twsw"));
    let mut dna = small_rig();
    dna.version = FileVersion::new(1);
    assert!(matches!(dna.to_bytes(), Err(DnaError::LayerNotListed { section, .. }) if section == "mlbh"));
    let mut dna = small_rig_28();
    dna.version = FileVersion::new(7);
    assert!(matches!(dna.to_bytes(), Err(DnaError::FieldNotInVersion { .. })));
    let mut dna = small_rig();
    dna.layers.push(Layer::typed(LayerKind::Geometry));
    assert!(matches!(dna.to_bytes(), Err(DnaError::DuplicateLayer { entry: 9, .. })));
}

#[test]
fn a_version_from_the_future_is_read_as_far_as_it_is_known() {
    let mut dna = small_rig();
    dna.version = FileVersion::new(9);
    dna.layers.push(Layer::raw(*b"newl", 1, 0, vec![1, 2, 3, 4, 5]));
    dna.layers[0].surplus = vec![9, 9];
    let bytes = dna.to_bytes().unwrap();
    let back = Dna::from_bytes(&bytes).unwrap();
    assert!(!back.version.is_known());
    assert_eq!(back, dna);
    assert_same_bytes("2.9", &bytes, &back.to_bytes().unwrap());
    let options = ReadOptions::default().with_unknown_layers(UnknownLayers::Drop);
    assert_eq!(Dna::from_bytes_with(&bytes, &options).unwrap().layers.len(), 9);
}
