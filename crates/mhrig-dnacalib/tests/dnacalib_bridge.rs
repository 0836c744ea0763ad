//! What the bridge promises, with whatever library is linked.
#![cfg(feature = "dnacalib")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{command, small, with_job};
use mhrig_calib::{CalibError, CommandStatus, Engine, NativeEngine};
use mhrig_dna::{Dna, FileVersion};
use mhrig_dnacalib::DnacalibEngine;
use mhrig_report::{Cancel, Job, Progress, Silent};
use serde_json::{Value, json};

fn run(dna: &mut Dna, run: Value, compat: bool) -> Result<Option<CalibError>, CalibError> {
    let command = command(run);
    with_job(|job| DnacalibEngine { compat }.run(dna, &command, job)).map(|outcome| outcome.status)
}

fn translate(x: f32) -> Value {
    json!({"command": "Translate", "vector": [x, 0.0, 0.0]})
}

/// A command that the library refuses with status 3201.
fn wrong_masks(dna: &Dna) -> Value {
    let positions = vec![[0.0; 3]; dna.geometry.meshes[0].positions.len()];
    json!({"command": "SetVertexPositions", "mesh": 0, "positions": positions, "masks": [1.0]})
}

fn sequence(commands: &[Value]) -> Value {
    json!({"command": "CommandSequence", "commands": commands})
}

#[test]
fn a_file_comes_back_byte_for_byte_when_nothing_is_done() {
    let dna = small();
    let mut after = dna.clone();
    assert!(run(&mut after, sequence(&[]), false).unwrap().is_none());
    assert_eq!(after.to_bytes().unwrap(), dna.to_bytes().unwrap());
}

#[test]
fn a_status_becomes_an_error_with_place_code_and_message_and_the_model_stays() {
    let mut dna = small();
    let before = dna.clone();
    let commands = [translate(1.0), wrong_masks(&dna), translate(2.0)];
    let error = run(&mut dna, sequence(&commands), false).unwrap_err();
    assert_eq!(error.status(), Some(CommandStatus::PositionMaskCount));
    let text = error.to_string();
    assert!(text.starts_with("dnacalib: commands[1].SetVertexPositions: "), "{text}");
    assert!(text.ends_with(" (status 3201)") && text.len() > 70, "{text}");
    assert_eq!(dna, before);
}

#[test]
fn with_compat_the_run_goes_on_after_an_error_and_says_so() {
    let (mut dna, mut native) = (small(), small());
    let commands = [translate(1.0), wrong_masks(&dna), translate(2.0)];
    let status = run(&mut dna, sequence(&commands), true).unwrap().unwrap();
    assert_eq!(status.status(), Some(CommandStatus::PositionMaskCount));
    let command = command(sequence(&commands));
    with_job(|job| NativeEngine { compat: true }.run(&mut native, &command, job)).unwrap();
    assert_eq!(dna, native);
}

#[test]
fn an_error_is_not_that_of_an_earlier_run() {
    let mut dna = small();
    let wrong = wrong_masks(&dna);
    assert!(run(&mut dna, wrong, true).unwrap().is_some());
    assert!(run(&mut dna, translate(1.0), true).unwrap().is_none());
    assert!(run(&mut dna, translate(1.0), false).unwrap().is_none());
}

#[test]
fn files_newer_than_the_library_reads_are_refused_before_it_sees_them() {
    for version in [2, 4, 8] {
        let mut dna = small();
        dna.set_version(FileVersion::new(version), mhrig_dna::LaterLayers::Drop);
        let error = run(&mut dna, translate(1.0), false).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the file is of version 2.{version}; dnacalib reads files up to 2.1")
        );
    }
}

#[test]
fn commands_and_arguments_that_the_library_lacks_are_refused_by_name() {
    let own = [
        (json!({"command": "RecalculateNormals", "mesh": 0}), "command then.RecalculateNormals"),
        (json!({"command": "SetJointParent", "joint": 1, "parent": 0}), "command then.SetJointParent"),
        (
            json!({"command": "SetLODs", "lods": [0], "renumberMaps": true}),
            "argument renumberMaps of then.SetLODs",
        ),
        (
            json!({"command": "RemoveJoint", "index": 1, "weights": "parent"}),
            "argument weights of then.RemoveJoint",
        ),
        (
            json!({"command": "RenameMesh", "index": 0, "newName": "a\0b"}),
            "name with a zero byte in it, as given to then.RenameMesh",
        ),
    ];
    for (own, what) in own {
        let nested = json!({"command": "Conditional", "condition": {"kind": "never"}, "then": own});
        let error = run(&mut small(), nested, true).unwrap_err();
        assert_eq!(error.to_string(), format!("dnacalib has no {what}"));
    }
}

#[test]
fn numbers_beyond_the_librarys_are_refused() {
    let deltas = json!([[0.0, 0.0, 0.0]]);
    for (run_, place) in [
        (json!({"command": "RemoveMesh", "index": 65536}), "RemoveMesh.index[0]"),
        (json!({"command": "RemoveMesh", "indices": [0, 70000]}), "RemoveMesh.indices[1]"),
        (json!({"command": "CalculateMeshLowerLODs", "mesh": 65536}), "CalculateMeshLowerLODs.mesh[0]"),
        (
            json!({"command": "SetBlendShapeTargetDeltas", "mesh": 0, "target": 65536, "deltas": deltas}),
            "SetBlendShapeTargetDeltas.target[0]",
        ),
    ] {
        let text = run(&mut small(), run_, true).unwrap_err().to_string();
        assert!(text.starts_with(place) && text.ends_with("is not below 65536"), "{text}");
    }
}

#[test]
fn what_would_crash_the_library_is_an_error() {
    let mut dna = small();
    let meshes = dna.definition.mesh_names.len();
    for compat in [false, true] {
        let wrong = json!({"command": "CalculateMeshLowerLODs", "mesh": meshes});
        let commands = sequence(&[translate(1.0), wrong]);
        let text = run(&mut dna, commands, compat).unwrap_err().to_string();
        assert_eq!(
            text,
            "dnacalib: commands[1].CalculateMeshLowerLODs: there is no such mesh, and the library would crash"
        );
    }
}

/// Counts steps; at one of them it does something.
struct At<F: Fn() + Sync> {
    steps: AtomicUsize,
    at: usize,
    what: F,
}

impl<F: Fn() + Sync> Progress for At<F> {
    fn stage(&self, _name: &str, _steps: usize) {}

    fn step(&self) {
        if self.steps.fetch_add(1, Ordering::Relaxed) == self.at {
            (self.what)();
        }
    }
}

#[test]
fn a_run_can_be_cancelled_between_two_commands() {
    let mut dna = small();
    let before = dna.clone();
    let cancel = Cancel::default();
    let progress = At { steps: AtomicUsize::new(0), at: 1, what: || cancel.cancel() };
    let commands = command(sequence(&vec![translate(1.0); 5]));
    let job = Job { progress: &progress, cancel: &cancel };
    let result = DnacalibEngine { compat: true }.run(&mut dna, &commands, &job);
    assert!(matches!(result, Err(CalibError::Cancelled(_))), "{result:?}");
    // Two commands and the sequence that they are in.
    assert_eq!(progress.steps.load(Ordering::Relaxed), 3);
    assert_eq!(dna, before);
    let result =
        DnacalibEngine::default().run(&mut dna, &commands, &Job { progress: &Silent, cancel: &cancel });
    assert!(matches!(result, Err(CalibError::Cancelled(_))), "{result:?}");
}

#[test]
fn a_panic_of_the_caller_passes_around_the_library_and_the_next_run_works() {
    let mut dna = small();
    let cancel = Cancel::default();
    let progress = At { steps: AtomicUsize::new(0), at: 1, what: || std::panic::resume_unwind(Box::new(42)) };
    let commands = command(sequence(&vec![translate(1.0); 5]));
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let job = Job { progress: &progress, cancel: &cancel };
        DnacalibEngine::default().run(&mut dna, &commands, &job)
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<i32>(), Some(&42));
    assert!(run(&mut dna, translate(1.0), false).unwrap().is_none());
}

#[test]
fn runs_of_several_threads_do_not_mix_their_statuses() {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for round in 0..8 {
                    let mut dna = small();
                    let is_wrong = (thread + round) % 2 == 0;
                    let what = if is_wrong { wrong_masks(&dna) } else { translate(1.0) };
                    assert_eq!(run(&mut dna, what, false).is_err(), is_wrong);
                }
            });
        }
    });
}

#[test]
fn conditions_see_the_model_as_it_is_at_their_turn() {
    let mut dna = small();
    let joint = dna.definition.joint_names[1].to_string();
    let conditional = |kind: &str, value: Value, by: f32| json!({"command": "Conditional", "condition": {"kind": kind, "value": value}, "then": translate(by)});
    let (meshes, lods) = (dna.definition.mesh_names.len(), dna.descriptor.lod_count);
    let before = dna.geometry.meshes[0].positions.xs[0];
    let commands = sequence(&[
        conditional("meshCountAtLeast", json!(meshes), 1.0),
        conditional("meshCountAtLeast", json!(meshes + 1), 2.0),
        conditional("lodCountAtLeast", json!(lods), 4.0),
        conditional("lodCountAtLeast", json!(lods + 1), 8.0),
        conditional("jointExists", json!(joint), 16.0),
        json!({"command": "RenameJoint", "oldName": joint, "newName": "elsewhere"}),
        conditional("jointExists", json!(joint), 32.0),
        conditional("jointExists", json!("elsewhere"), 64.0),
        conditional("jointExists", json!("elsewher"), 128.0),
    ]);
    run(&mut dna, commands, false).unwrap();
    assert_eq!(dna.geometry.meshes[0].positions.xs[0], before + 1.0 + 4.0 + 16.0 + 64.0);
}

#[test]
fn positions_of_a_sequence_are_repeated_and_taken_out_one_by_one() {
    let mut dna = small();
    let before = dna.geometry.meshes[0].positions.xs[0];
    // 1, 2, 4, 1, 1 without the first 1 and the 4.
    let commands = json!({
        "command": "CommandSequence",
        "commands": [translate(1.0), translate(2.0), translate(4.0)],
        "repeat": [0, 0],
        "removed": [0, 2],
    });
    run(&mut dna, commands, false).unwrap();
    assert_eq!(dna.geometry.meshes[0].positions.xs[0], before + 2.0 + 1.0 + 1.0);
    for (key, limit) in [("repeat", 1), ("removed", 2)] {
        let commands = json!({
            "command": "CommandSequence", "commands": [translate(1.0)], "repeat": [0], key: [7],
        });
        let text = run(&mut dna, commands, true).unwrap_err().to_string();
        assert_eq!(text, format!("{key}[0]: 7 is not below {limit}"));
    }
}

#[test]
fn a_file_whose_indices_point_to_nothing_never_reaches_the_library() {
    let mut dna = small();
    dna.geometry.meshes[1].skin_weights[2].joint_indices[0] = 77;
    let before = dna.clone();
    for compat in [false, true] {
        let run = command(json!({"command": "Translate", "vector": [1, 2, 3]}));
        let error = with_job(|job| DnacalibEngine { compat }.run(&mut dna, &run, job)).unwrap_err();
        assert_eq!(error.code(), "INDEX_RANGE");
        assert!(
            error.to_string().contains("geom.meshes[1]") || error.to_string().contains("meshes[1]"),
            "{error}"
        );
        assert_eq!(dna, before);
    }
}
