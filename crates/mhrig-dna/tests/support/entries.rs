//! What the fuzz targets call; tests replay the corpus through the same functions.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::Cursor;

use mhrig_dna::*;

/// Bytes in memory: read, written, read again.
pub(crate) fn dna_bytes(bytes: &[u8]) {
    for options in [ReadOptions::default(), ReadOptions::default().with_checked_indices()] {
        let Ok(dna) = Dna::from_bytes_with(bytes, &options) else { continue };
        let written = dna.to_bytes().unwrap();
        assert_eq!(dna.file_size(), written.len() as u64);
        assert_eq!(dna.layer_sizes().iter().map(|layer| layer.bytes).sum::<u64>(), dna.file_size());
        let back = Dna::from_bytes(&written).unwrap();
        assert_eq!(back.to_bytes().unwrap(), written);
    }
    for (_, layers) in LayerSelection::NAMES {
        let _ = Dna::from_bytes_with(bytes, &ReadOptions::default().with_layers(layers));
    }
}

/// A stream gives what bytes in memory give.
pub(crate) fn dna_stream(bytes: &[u8]) {
    let options = ReadOptions::default();
    let streamed = Dna::read_with_notes(Cursor::new(bytes), &options);
    match (streamed, Dna::from_bytes(bytes)) {
        (Ok((streamed, notes)), Ok(read)) => {
            let written = read.to_bytes().unwrap();
            assert_eq!(streamed.to_bytes().unwrap(), written);
            // A file without a note that says so comes back as it was.
            if !notes.iter().any(ReadNote::is_lost_on_rewrite) {
                assert_eq!(written, bytes);
            }
            let mut rewritten = Vec::new();
            read.write_to(&mut rewritten).unwrap();
            assert_eq!(rewritten, written);
        }
        (Err(ours), Err(theirs)) => assert_eq!(ours.to_string(), theirs.to_string()),
        (ours, theirs) => panic!("stream {:?}, memory {:?}", ours.map(drop), theirs.map(drop)),
    }
}

/// A view, all of it.
pub(crate) fn dna_view(bytes: &[u8]) {
    let Ok(view) = DnaView::open(bytes) else { return };
    for extent in view.layers() {
        assert!(view.layer_bytes(&extent.name).is_some());
    }
    let _ = (view.descriptor(), view.definition(), view.machine_learned_behavior(), view.rbf_behavior());
    let _ = (view.rbf_behavior_ext(), view.joint_behavior_metadata(), view.twist_swing_behavior());
    let _ = (view.machine_learned_behavior_ext(), view.descriptor_ext());
    let whole = Dna::from_bytes(bytes);
    let behavior = view.behavior().map(|view| Behavior::from(view.clone()));
    let meshes = view.geometry().map(|geometry| geometry.meshes.iter().map(Mesh::from).collect());
    if let Ok(dna) = whole {
        let (behavior, meshes) = (behavior.unwrap(), meshes.unwrap());
        let seen = Dna { behavior, geometry: Geometry { meshes }, ..dna.clone() };
        assert_eq!(seen.to_bytes().unwrap(), dna.to_bytes().unwrap());
    }
}

/// JSON text: read, written, read again.
pub(crate) fn dna_json(text: &[u8]) {
    let Ok(dna) = Dna::from_json(text) else { return };
    // What JSON can say and a file cannot, such as a value without a place in its version, is refused on writing.
    let Ok(bytes) = dna.to_bytes() else { return };
    let exact = dna.to_json(JsonStyle::Exact).unwrap();
    assert_eq!(Dna::from_json(&exact).unwrap().to_bytes().unwrap(), bytes);
    let _ = dna.to_json(JsonStyle::Reference).unwrap();
}

/// Everything that takes a model: validation, comparison, filters, versions. The first byte says which version and
/// LODs.
pub(crate) fn dna_edit(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let Ok(dna) = Dna::from_bytes(bytes) else { return };
    for target in [Target::Any, Target::Unreal, Target::Maya, Target::Library] {
        dna.validate(&ValidateOptions::default().with_target(target));
    }
    assert!(dna.diff(&dna, &DiffOptions::default()).is_empty());
    dna.validate_against(&dna, &AgainstOptions::default());
    for info in dna.controls().iter().take(64) {
        dna.control_effects(info.index);
    }
    dna.world_joint_positions();
    let mut converted = dna.clone();
    converted.set_version(FileVersion::new(u16::from(choice % 9) + 1), LaterLayers::Drop);
    converted.to_bytes().unwrap();
    let lods = (0..8).filter(|lod| choice >> lod & 1 == 1).collect();
    for mode in [LodMode::Correct, LodMode::Compat] {
        let Ok((cut, _)) = dna.clone().select_lods(&LodSelection::List(Vec::clone(&lods)), mode) else {
            continue;
        };
        cut.to_bytes().unwrap();
        dna.diff(&cut, &DiffOptions::default().with_tolerance(0.5));
    }
}
