//! The stand-in told to fail: every way in which the library could, seen from outside.
#![cfg(feature = "dnacalib")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{command, is_stand_in, small, with_job};
use mhrig_calib::{CalibError, Engine};
use mhrig_dna::{Dna, Text};
use mhrig_dnacalib::DnacalibEngine;
use mhrig_testkit::skip;
use serde_json::json;

fn stand_in_or_skip(test: &str) -> bool {
    if !is_stand_in() {
        skip(test, "the real library is linked, which cannot be told to fail");
    }
    is_stand_in()
}

fn rename(dna: &mut Dna, name: &str, compat: bool) -> Result<Option<CalibError>, CalibError> {
    let command = command(json!({"command": "RenameMesh", "index": 0, "newName": name}));
    with_job(|job| DnacalibEngine { compat }.run(dna, &command, job)).map(|outcome| outcome.status)
}

#[test]
fn errors_of_reading_and_writing_are_errors_with_code_and_message() {
    if !stand_in_or_skip("errors_of_reading_and_writing_are_errors_with_code_and_message") {
        return;
    }
    for (instruction, text) in [
        ("fail read 104 Error seeking file", "dnacalib: reading: Error seeking file (status 104)"),
        ("throw read no memory left", "dnacalib: reading: no memory left"),
        ("throw-number read", "dnacalib: reading: an exception of unknown kind"),
        ("fail write 102 Error writing file", "dnacalib: writing: Error writing file (status 102)"),
        ("throw write the disk is full", "dnacalib: writing: the disk is full"),
        ("throw-number write", "dnacalib: writing: an exception of unknown kind"),
    ] {
        let mut dna = small();
        dna.descriptor.name = Text::from(instruction);
        let before = dna.clone();
        for compat in [false, true] {
            assert_eq!(rename(&mut dna, "other", compat).unwrap_err().to_string(), text);
            assert_eq!(dna, before);
        }
    }
}

#[test]
fn errors_and_exceptions_of_a_command_are_errors() {
    if !stand_in_or_skip("errors_and_exceptions_of_a_command_are_errors") {
        return;
    }
    let mut dna = small();
    let before = dna.clone();
    for (instruction, text) in [
        ("fail run 4711 % of 100%", "dnacalib: RenameMesh: % of 100% (status 4711)"),
        ("fail run 4711 bytes", "dnacalib: RenameMesh: \u{fffd}\u{fffd} (status 4711)"),
        ("throw run out of range", "dnacalib: RenameMesh: out of range"),
        ("throw-number run", "dnacalib: RenameMesh: an exception of unknown kind"),
    ] {
        assert_eq!(rename(&mut dna, instruction, false).unwrap_err().to_string(), text);
        assert_eq!(dna, before);
        // A status does not end a run with compat, an exception does.
        match rename(&mut dna, instruction, true) {
            Ok(status) => assert_eq!(status.unwrap().to_string(), text),
            Err(error) => {
                assert_eq!(error.to_string(), text);
                assert!(instruction.starts_with("throw"));
            }
        }
        dna = before.clone();
    }
}

#[test]
fn after_an_exception_no_other_command_runs() {
    if !stand_in_or_skip("after_an_exception_no_other_command_runs") {
        return;
    }
    let commands = command(json!({"command": "CommandSequence", "commands": [
        {"command": "RenameMesh", "index": 0, "newName": "throw run first"},
        {"command": "RenameMesh", "index": 0, "newName": "throw run second"},
    ]}));
    for compat in [false, true] {
        let mut dna = small();
        let result = with_job(|job| DnacalibEngine { compat }.run(&mut dna, &commands, job));
        assert_eq!(result.unwrap_err().to_string(), "dnacalib: commands[0].RenameMesh: first");
    }
}
