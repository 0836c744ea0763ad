//! What tests share: finding reference data, skipping aloud, comparing bytes. Depends on nothing, so that every
//! crate may use it in its tests.
#![forbid(unsafe_code)]

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The folder with reference data: `$MHRIG_SHARED`, or `../shared` beside the checkout. `None` where it is absent.
pub fn shared_dir() -> Option<PathBuf> {
    let dir = match std::env::var_os("MHRIG_SHARED") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
    };
    dir.canonicalize().ok().filter(|dir| dir.join("design.md").is_file())
}

/// A file or folder of the reference data, or `None` after having said that `test` is skipped.
pub fn shared_or_skip(test: &str, path: &str) -> Option<PathBuf> {
    let found = shared_dir().map(|dir| dir.join(path)).filter(|path| path.exists());
    if found.is_none() {
        skip(test, &format!("the reference data {path} is not beside this checkout"));
    }
    found
}

/// Says that `test` is skipped and why: on the terminal, past the capture of the test harness, and as a line of
/// the file named by `$MHRIG_SKIP_LOG`, from which `scripts/check` counts the skips.
pub fn skip(test: &str, reason: &str) {
    let line = format!("SKIPPED {test}: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("MHRIG_SKIP_LOG") {
        let file = OpenOptions::new().create(true).append(true).open(log);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The folder of the full-size demo, for benches: `target/tmp/full-size`, with `archetype/head.dna` and so on. The program
/// `mhrig` makes it (a release build of it is made first) where it is not there or older than what it is made of.
///
/// # Errors
/// When the program cannot be built or run.
pub fn full_size_demo() -> io::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let dir = root.join("target/tmp/full-size");
    let sources = ["crates/mhrig-synth/src", "crates/mhrig-synth/assets", "assets/demo-human"];
    let newest = sources.iter().filter_map(|source| newest(&root.join(source))).max();
    let made = std::fs::metadata(dir.join("truth/joints.csv")).and_then(|file| file.modified()).ok();
    if made.is_some() && made >= newest {
        return Ok(dir);
    }
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(&root)
        .args(["run", "--release", "--quiet", "--package", "mhrig-cli", "--", "demo"])
        .arg(&dir)
        .args(["--size", "full", "--quiet"])
        .status()?;
    if status.success() { Ok(dir) } else { Err(io::Error::other("mhrig demo --size full failed")) }
}

/// When the newest file in a folder was changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let times = entries.filter_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => newest(&entry.path()),
        _ => entry.metadata().ok()?.modified().ok(),
    });
    times.max()
}

/// Reads a file of little-endian `f32` triples.
///
/// # Panics
/// When the file cannot be read or its length is not a multiple of 12.
pub fn read_f32x3(path: &Path) -> Vec<[f32; 3]> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    assert!(bytes.len().is_multiple_of(12), "{}: {} bytes", path.display(), bytes.len());
    let number = |c: &[u8]| f32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    bytes.chunks_exact(12).map(|c| [number(&c[0..4]), number(&c[4..8]), number(&c[8..12])]).collect()
}

/// Asserts that two byte strings are equal, and shows the first difference with its surroundings otherwise.
///
/// # Panics
/// When they differ.
pub fn assert_same_bytes(what: &str, expected: &[u8], found: &[u8]) {
    if expected == found {
        return;
    }
    let common = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let start = common.saturating_sub(16) & !15;
    let dump = |bytes: &[u8]| {
        let mut text = String::new();
        for row in (start..bytes.len().min(start + 64)).step_by(16) {
            text += &format!("  {row:08x} ");
            for byte in &bytes[row..bytes.len().min(row + 16)] {
                text += &format!(" {byte:02x}");
            }
            text.push('\n');
        }
        text
    };
    panic!(
        "{what}: first difference at byte {common} (0x{common:x}); {} bytes expected, {} found\nexpected\n{}found\n{}",
        expected.len(),
        found.len(),
        dump(expected),
        dump(found)
    );
}

/// The first of some programs that is on the PATH.
pub fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.into_iter().find(|file| file.is_file())
}

/// A browser that can run without a screen: `$MHRIG_BROWSER`, or Chromium or Chrome on the PATH. `None` after having
/// said that `test` is skipped.
pub fn browser_or_skip(test: &str) -> Option<PathBuf> {
    let browser = match std::env::var_os("MHRIG_BROWSER") {
        Some(browser) => Some(PathBuf::from(browser)),
        None => program(&["chromium", "chromium-browser", "google-chrome"]),
    };
    if browser.is_none() {
        skip(test, "there is no Chromium on the PATH");
    }
    browser
}
