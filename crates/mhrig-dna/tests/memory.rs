//! Files that were read and dropped leave nothing behind. Alone in its program, since it looks at the memory of all
//! of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use mhrig_dna::{Dna, ReadOptions};

#[path = "support/full_size.rs"]
mod full_size;

/// Resident memory in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_hundred_files_read_and_dropped_leave_memory_as_it_was() {
    let bytes = full_size::head().to_bytes().unwrap();
    let read = || drop(Dna::read_from(Cursor::new(&bytes), &ReadOptions::default()).unwrap());
    (0..5).for_each(|_| read());
    let before = resident();
    (0..100).for_each(|_| read());
    let grown = resident().saturating_sub(before);
    // A hundredth of what a leak of the model would be.
    assert!(grown < bytes.len() as u64, "{grown} bytes more after 100 files of {}", bytes.len());
}
