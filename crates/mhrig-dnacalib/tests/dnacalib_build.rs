//! What the build says when the library is not where it should be.
#![allow(clippy::unwrap_used, dead_code)]

#[path = "../build/locate.rs"]
mod locate;

use std::fs;
use std::path::Path;

use locate::{Missing, locate};

fn file(root: &Path, path: &str, content: &[u8]) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

const HEADER: &str = "dnacalib/DNACalib/include/dnacalib/DNACalib.h";

#[test]
fn each_thing_missing_is_named_with_what_to_do() {
    let root = tempfile::tempdir().unwrap();
    let message = |os: &str| locate(Some(root.path()), os).unwrap_err().to_string();

    let unset = locate(None, "linux").unwrap_err().to_string();
    assert!(unset.contains("DNACALIB_ROOT is not set") && unset.contains("without the feature"), "{unset}");

    let nowhere = root.path().join("nowhere");
    let no_folder = locate(Some(&nowhere), "linux").unwrap_err().to_string();
    assert!(no_folder.contains("nowhere, which is not a folder"), "{no_folder}");

    let headers = message("linux");
    assert!(headers.contains("no headers") && headers.contains("DNACalib.h"), "{headers}");

    file(root.path(), HEADER, b"");
    file(root.path(), "lib/Maya2024/windows/dnacalib.dll", b"MZ");
    let library = message("linux");
    assert!(library.contains("no shared library for linux") && library.contains("CMake"), "{library}");

    let import = message("windows");
    assert!(import.contains("dnacalib.dll has no import library dnacalib.lib"), "{import}");

    file(root.path(), "lib/Maya2024/linux/libdnacalib.so.6", b"version https://git-lfs.github.com/spec/v1\n");
    let stub = message("linux");
    assert!(stub.contains("pointer of Git LFS") && stub.contains("git lfs pull"), "{stub}");

    assert_eq!(locate(Some(root.path()), "haiku"), Err(Missing::Platform("haiku".to_owned())));
    for text in [unset, no_folder, headers, library, import, stub] {
        assert!(!text.contains('\n'), "one line for each: {text}");
    }
}

#[test]
fn the_newest_year_counts_and_a_library_put_there_by_hand_goes_first() {
    let root = tempfile::tempdir().unwrap();
    file(root.path(), HEADER, b"");
    for year in ["2022", "2024", "2023"] {
        file(root.path(), &format!("lib/Maya{year}/linux/libdnacalib.so.6"), b"ELF");
        file(root.path(), &format!("lib/Maya{year}/windows/dnacalib.dll"), b"MZ");
    }
    let found = locate(Some(root.path()), "linux").unwrap();
    assert_eq!(found.include, root.path().join("dnacalib/DNACalib/include"));
    assert_eq!(found.library, root.path().join("lib/Maya2024/linux/libdnacalib.so.6"));

    file(root.path(), "lib/linux/libdnacalib.so", b"ELF");
    let found = locate(Some(root.path()), "linux").unwrap();
    assert_eq!(found.library, root.path().join("lib/linux/libdnacalib.so"));

    file(root.path(), "lib/Maya2024/windows/dnacalib.lib", b"!<arch>");
    let found = locate(Some(root.path()), "windows").unwrap();
    assert_eq!(found.import_library, Some(root.path().join("lib/Maya2024/windows/dnacalib.lib")));

    file(root.path(), "lib/libdnacalib.6.dylib", b"");
    assert_eq!(
        locate(Some(root.path()), "macos").unwrap().library,
        root.path().join("lib/libdnacalib.6.dylib")
    );
}
