#![no_main]

#[path = "../../crates/mhrig-dna/tests/support/entries.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entries::dna_json(bytes));
