//! What the fuzz target of the rig reader calls; tests replay its seeds through the same function.
#![allow(clippy::expect_used)]

use std::path::Path;

use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{read_rig_ma_bytes, write_rig_ma};

/// What the reader lets through is a scene, and is written and read again to the same file.
pub(crate) fn rig(bytes: &[u8]) {
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    let file = Path::new("fuzz.ma");
    let Ok(scene) = read_rig_ma_bytes(file, bytes, job) else { return };
    assert!(scene.check().is_empty());
    let write = |scene| {
        let mut written = Vec::new();
        write_rig_ma(&mut written, scene, job).expect("a scene that was read is written");
        written
    };
    let written = write(&scene);
    let again = read_rig_ma_bytes(file, &written, job).expect("what was written reads");
    assert!(write(&again) == written, "another file");
}
