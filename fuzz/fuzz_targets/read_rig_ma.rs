#![no_main]

#[path = "../../crates/mhrig-scene/tests/common/rig_entry.rs"]
mod rig_entry;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rig_entry::rig(bytes));
