//! Broken structure and files that are no DNA: what the errors say.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use mhrig_dna::*;

mod support;
use support::small_rig;

/// Where a layer's body starts.
fn start(bytes: &[u8], entry: usize) -> usize {
    u32::from_be_bytes(bytes[11 + 16 * entry + 8..][..4].try_into().unwrap()) as usize
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

fn error(bytes: &[u8]) -> String {
    let streamed = Dna::read_from(Cursor::new(bytes), &ReadOptions::default()).unwrap_err().to_string();
    let error = Dna::from_bytes(bytes).unwrap_err();
    assert_eq!(error.to_string(), streamed);
    assert!(error.remedy().is_some(), "{error}");
    error.to_string()
}

#[test]
fn a_count_above_what_is_left_is_named_with_section_path_and_offset() {
    let good = small_rig().to_bytes().unwrap();
    let geometry = start(&good, 3);
    let left = start(&good, 4) - geometry - 4;

    let mut bytes = good.clone();
    put(&mut bytes, geometry, u32::MAX);
    let smallest = u64::from(u32::MAX) * 62;
    assert_eq!(
        error(&bytes),
        format!(
            "geom.meshes at byte {geometry:#x}: a count of 4294967295 needs at least {smallest} bytes, {left} left"
        )
    );

    // Mesh size, positions.xs.
    let mut bytes = good.clone();
    put(&mut bytes, geometry + 8, 1000);
    let at = geometry + 8;
    assert!(
        error(&bytes)
            .starts_with(&format!("geom.meshes[0].positions.xs at byte {at:#x}: a count of 1000 needs"))
    );

    let mut bytes = good;
    let definition = start(&bytes, 1);
    // lodJointMapping.lods: 3 numbers, then 3 rows.
    let row = definition + 4 + 6 + 4 + 4 + 8;
    put(&mut bytes, row, 0x0fff_ffff);
    assert!(error(&bytes).starts_with(&format!("defn.lodJointMapping.indices[1] at byte {row:#x}: ")));
}

#[test]
fn sections_outside_of_the_file_or_over_each_other_are_named() {
    let good = small_rig().to_bytes().unwrap();
    let mut bytes = good.clone();
    put(&mut bytes, 11 + 16 * 3 + 12, 1 << 30);
    let (at, size) = (start(&good, 3), good.len());
    assert_eq!(
        error(&bytes),
        format!(
            "section geom1.1 at byte {at:#x} with 1073741824 bytes does not fit into the file of {size} bytes"
        )
    );
    let mut bytes = good.clone();
    put(&mut bytes, 11 + 16 * 4 + 8, at as u32 + 1);
    assert_eq!(error(&bytes), format!("section mlbh1.0 at byte {:#x} starts inside geom1.1", at + 1));
    let mut bytes = good.clone();
    put(&mut bytes, 11 + 8, 100);
    assert_eq!(error(&bytes), "section desc1.1 at byte 0x64 starts inside the header");
    let mut bytes = good;
    bytes.copy_within(11..15, 27);
    assert_eq!(error(&bytes), "index entry 1 repeats layer desc1.1");
}

#[test]
fn the_table_of_a_2_1_file_is_checked_too() {
    let mut dna = small_rig();
    dna.set_version(FileVersion::new(1), LaterLayers::Drop);
    let good = dna.to_bytes().unwrap();
    let definition = u32::from_be_bytes(good[11..15].try_into().unwrap());

    let mut bytes = good.clone();
    put(&mut bytes, 35, 1 << 30);
    assert!(error(&bytes).starts_with("section geometry at byte 0x40000000 "), "{}", error(&bytes));
    let mut bytes = good.clone();
    put(&mut bytes, 23, definition);
    assert_eq!(error(&bytes), format!("section joints at byte {definition:#x} starts inside definition"));
    let mut bytes = good.clone();
    put(&mut bytes, 7, 38);
    assert_eq!(error(&bytes), "section descriptor at byte 0x26 starts inside the header");
    let mut bytes = good.clone();
    let end = bytes.len();
    bytes[end - 1] = b'X';
    assert_eq!(
        error(&bytes),
        format!("byte {:#x}: `ANX` found, `AND` expected after the last section", end - 3)
    );
    let mut bytes = good.clone();
    let geometry = u32::from_be_bytes(good[35..39].try_into().unwrap()) as usize;
    put(&mut bytes, geometry + 4, 1);
    let at = geometry + 4;
    assert_eq!(
        error(&bytes),
        format!(
            "geom.meshes[0].offset at byte {at:#x}: the record is said to end at byte 0x1, before its start"
        )
    );
}

#[test]
fn a_record_that_does_not_fill_its_size_is_an_error() {
    let mut bytes = small_rig().to_bytes().unwrap();
    let solvers = start(&bytes, 5) + small_rig().rbf_behavior.lod_solver_mapping.lods.len() * 2 + 4;
    // Rows of the mapping: [0, 1], [1], [1]; then the count of solvers and the size of the first.
    let size_at = solvers + 4 + 8 + 6 + 6 + 4;
    let size = u32::from_be_bytes(bytes[size_at..size_at + 4].try_into().unwrap());
    put(&mut bytes, size_at, size + 1);
    let behind = size_at + 4 + size as usize;
    assert_eq!(
        error(&bytes),
        format!("rbfb.solvers[0] at byte {behind:#x}: 1 bytes are left over in the record")
    );
    put(&mut bytes, size_at, size - 1);
    assert_eq!(
        error(&bytes),
        format!("rbfb.solvers[0].twistAxis at byte {:#x}: 2 bytes needed, 1 left", behind - 2)
    );
}

#[test]
fn more_lods_than_the_format_allows_are_an_error() {
    let mut dna = small_rig();
    dna.descriptor.lod_count = 34;
    let bytes = dna.to_bytes().unwrap();
    // maxLOD, complexity `A` and dbName `TEST.1` follow.
    let at = start(&bytes, 1) - 10 - 5 - 4;
    assert_eq!(error(&bytes), format!("desc.lodCount at byte {at:#x}: LOD count is 34, at most 33 allowed"));
}

#[test]
fn inputs_that_are_no_dna_are_named_with_a_remedy() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 46\n";
    let remedy = |bytes: &[u8]| Dna::from_bytes(bytes).unwrap_err().remedy().unwrap();
    assert_eq!(
        error(pointer),
        "not a DNA file but a Git LFS pointer file, which stands for the real one: it starts with `ver` instead of `DNA`"
    );
    assert!(remedy(pointer).contains("git lfs pull"));
    assert_eq!(error(b""), "not a DNA file but an empty file: it starts with nothing instead of `DNA`");
    assert!(error(b"{\"signature\": 1}").contains("but JSON"));
    assert!(error(b"PK\x03\x04").contains("a ZIP archive") && remedy(b"PK\x03\x04").contains("unpack"));
    assert!(error(b"\x1f\x8b\x08").contains("a GZIP file"));
    assert!(error(b"DN").contains("a text"));
    assert_eq!(error(b"DNA\0\x01\0\x01"), "file version 1.1 is not supported, supported are 2.1 to 2.8");
    assert_eq!(error(b"DNA\0\x02"), "header.version at byte 0x5: 2 bytes needed, 0 left");
    assert_eq!(error(b"DNA\0\x02\0\x05"), "index at byte 0x7: 4 bytes needed, 0 left");
}

#[test]
fn paths_that_cannot_be_read_are_named() {
    let folder = std::env::temp_dir();
    let chain = |error: DnaError| {
        let source = std::error::Error::source(&error).unwrap().to_string();
        (error.to_string(), source, error.remedy())
    };
    let (path, reason, remedy) = chain(Dna::read_file(&folder, &ReadOptions::default()).unwrap_err());
    assert_eq!(path, folder.display().to_string());
    assert_eq!(
        (reason.as_str(), remedy),
        ("this is a folder, not a file", Some("give the path of a .dna file"))
    );
    let missing = folder.join("mhrig-dna-no-such-file.dna");
    let (path, _, remedy) = chain(Dna::read_file(&missing, &ReadOptions::default()).unwrap_err());
    assert_eq!((path, remedy), (missing.display().to_string(), Some("check the path")));
}

#[test]
fn what_a_rewrite_does_not_keep_is_noted() {
    let good = small_rig().to_bytes().unwrap();
    let notes = |bytes: &[u8]| {
        let (dna, notes) = Dna::read_with_notes(Cursor::new(bytes), &ReadOptions::default()).unwrap();
        (dna.to_bytes().unwrap(), notes)
    };
    assert_eq!(notes(&good), (good.clone(), vec![]));

    // Bytes after the end, as in an Unreal asset.
    let mut bytes = good.clone();
    bytes.extend(b"more");
    let end = good.len() as u64;
    assert_eq!(notes(&bytes), (good.clone(), vec![ReadNote::Trailing { offset: end, size: 4 }]));

    // The last body moved back.
    let mut bytes = good.clone();
    let last = start(&good, 8);
    bytes.splice(last..last, [7; 3]);
    put(&mut bytes, 11 + 16 * 8 + 8, last as u32 + 3);
    assert_eq!(notes(&bytes), (good.clone(), vec![ReadNote::Gap { offset: last as u64, size: 3 }]));

    // Two index entries exchanged, the bodies where they were.
    let mut bytes = good.clone();
    let (first, second) = (11 + 16 * 7, 11 + 16 * 8);
    let entry: Vec<u8> = bytes[first..first + 16].to_vec();
    bytes.copy_within(second..second + 16, first);
    bytes[second..second + 16].copy_from_slice(&entry);
    let (rewritten, found) = notes(&bytes);
    assert_eq!(found, [ReadNote::Order]);
    assert!(found[0].is_lost_on_rewrite());
    assert_ne!(rewritten, bytes);

    // Kept, but worth a word.
    let mut dna = small_rig();
    dna.layers[0].surplus = vec![1, 2];
    dna.layers.push(Layer::raw(*b"zzzz", 3, 7, vec![0; 5]));
    let bytes = dna.to_bytes().unwrap();
    let (rewritten, found) = notes(&bytes);
    assert_eq!(rewritten, bytes);
    assert_eq!(
        found,
        [
            ReadNote::Surplus { layer: "desc1.1".to_owned(), size: 2 },
            ReadNote::UnknownLayer { layer: "zzzz3.7".to_owned(), size: 5 },
        ]
    );

    let mut sections = small_rig();
    sections.set_version(FileVersion::new(1), LaterLayers::Drop);
    let good = sections.to_bytes().unwrap();
    let mut bytes = good.clone();
    bytes.push(0);
    assert_eq!(notes(&bytes).1, [ReadNote::Trailing { offset: good.len() as u64, size: 1 }]);
    assert_eq!(notes(&good).1, []);
}

#[test]
fn layers_that_are_not_asked_for_are_not_read() {
    for version in [1, 5] {
        let mut dna = small_rig();
        dna.set_version(FileVersion::new(version), LaterLayers::Drop);
        let mut bytes = dna.to_bytes().unwrap();
        // Geometry that cannot be read does not matter to those who do not read it.
        let at = if version == 1 {
            u32::from_be_bytes(bytes[35..39].try_into().unwrap()) as usize
        } else {
            start(&bytes, 3)
        };
        put(&mut bytes, at, u32::MAX);
        let options = ReadOptions::default().with_layers(LayerSelection::DEFINITION);
        let read = Dna::from_bytes_with(&bytes, &options).unwrap();
        assert_eq!(read.descriptor, dna.descriptor);
        assert_eq!(read.definition, dna.definition);
        assert_eq!(read.behavior, Behavior::default());
        assert_eq!(read.layers, dna.layers);
        assert!(Dna::from_bytes(&bytes).is_err());
    }
    let options = ReadOptions::default().with_layers(LayerSelection::GEOMETRY_WITHOUT_BLEND_SHAPES);
    let read = Dna::from_bytes_with(&small_rig().to_bytes().unwrap(), &options).unwrap();
    let mut expected = small_rig();
    expected.select_layers(LayerSelection::GEOMETRY_WITHOUT_BLEND_SHAPES);
    assert_eq!(read, expected);
}
