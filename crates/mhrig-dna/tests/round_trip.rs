//! Every reference file survives a read and a write.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;
use std::path::{Path, PathBuf};

use mhrig_dna::{Dna, ReadOptions};
use mhrig_testkit::{assert_same_bytes, shared_or_skip};

fn dna_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ext| ext == "dna")).collect();
    files.sort();
    assert!(!files.is_empty(), "no .dna files in {}", folder.display());
    files
}

#[test]
fn every_vector_reads_and_writes_back_to_the_same_bytes() {
    let Some(folder) = shared_or_skip("round trip of the DNA vectors", "vectors/dna") else { return };
    for path in dna_files(&folder).into_iter().chain(dna_files(&folder.join("lod"))) {
        let what = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        let dna = Dna::from_bytes(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(dna.file_size(), bytes.len() as u64, "{what}");
        assert_same_bytes(&what, &bytes, &dna.to_bytes().unwrap());

        let streamed = Dna::read_from(Cursor::new(&bytes), &ReadOptions::default()).unwrap();
        assert_eq!(streamed, dna, "{what}: read through a stream");
        let mut written = Vec::new();
        dna.write_to(&mut written).unwrap();
        assert_same_bytes(&what, &bytes, &written);
    }
}

#[test]
fn every_rig_vector_and_calibration_vector_reads_and_writes_back_to_the_same_bytes() {
    let Some(folder) = shared_or_skip("round trip of the rig vectors", "vectors/riglogic") else { return };
    let Some(calib) = shared_or_skip("round trip of the calibration vectors", "vectors/dnacalib") else {
        return;
    };
    let mut files = dna_files(&folder);
    for entry in std::fs::read_dir(&calib).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let inside = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            files.extend(inside.filter(|path| path.extension().is_some_and(|ext| ext == "dna")));
        }
    }
    for path in files {
        let what = path.display().to_string();
        let bytes = std::fs::read(&path).unwrap();
        let dna = Dna::from_bytes(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_same_bytes(&what, &bytes, &dna.to_bytes().unwrap());
    }
}

/// A small file with every layer of its version.
fn small_files() -> Option<Vec<(String, Vec<u8>)>> {
    let folder = shared_or_skip("damage to the small DNA vectors", "vectors/dna")?;
    let files = dna_files(&folder).into_iter().filter(|path| path.metadata().unwrap().len() < 1200);
    Some(files.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect())
}

#[test]
fn a_file_cut_at_any_byte_is_an_error() {
    let Some(files) = small_files() else { return };
    for (what, bytes) in files {
        for cut in 0..bytes.len() {
            assert!(Dna::from_bytes(&bytes[..cut]).is_err(), "{what} cut to {cut} bytes was read");
            let stream = Cursor::new(&bytes[..cut]);
            assert!(
                Dna::read_from(stream, &ReadOptions::default()).is_err(),
                "{what} cut to {cut} bytes was read"
            );
        }
    }
}

#[test]
fn a_changed_byte_never_panics_and_what_is_read_can_be_written() {
    let Some(files) = small_files() else { return };
    for (what, bytes) in files {
        for at in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                let Ok(dna) = Dna::from_bytes(&changed) else { continue };
                let written = dna.to_bytes().unwrap_or_else(|error| panic!("{what}, byte {at}: {error}"));
                assert!(
                    Dna::from_bytes(&written).unwrap().to_bytes().unwrap() == written,
                    "{what}, byte {at}"
                );
            }
        }
    }
}
