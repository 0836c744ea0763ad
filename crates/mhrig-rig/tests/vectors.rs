//! Agreement with output of the reference evaluator.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use mhrig_dna::Dna;
use mhrig_rig::{FrameControls, Instance, Rig, RigOptions, RotationOutput, parse_frames};
use mhrig_testkit::shared_or_skip;
use serde_json::Value;

/// Translations, scales, channels, maps, controls.
const VALUE_TOLERANCE: f32 = 1e-6;
/// Components of quaternions.
const QUATERNION_TOLERANCE: f32 = 1e-5;
/// Angles in degrees.
const DEGREE_TOLERANCE: f32 = 5e-5;

fn tolerance(key: &str, slot: usize, output: RotationOutput, is_radians: bool) -> f32 {
    if !matches!(key, "joints" | "neutral") {
        return VALUE_TOLERANCE;
    }
    match (output, slot % output.stride()) {
        (RotationOutput::Euler, 3..6) if is_radians => DEGREE_TOLERANCE.to_radians(),
        (RotationOutput::Euler, 3..6) => DEGREE_TOLERANCE,
        (RotationOutput::Quaternion, 3..7) => QUATERNION_TOLERANCE,
        _ => VALUE_TOLERANCE,
    }
}

/// Lines of the reference hold bare NaN tokens.
fn parse(line: &str) -> Value {
    serde_json::from_str(&line.replace("NaN", "\"NaN\"")).unwrap()
}

fn number(value: &Value) -> f32 {
    if value == "NaN" { f32::NAN } else { value.as_f64().unwrap() as f32 }
}

fn compare(
    dir: &Path,
    rig_name: &str,
    controls: FrameControls,
    output: RotationOutput,
    compat: bool,
) -> [f32; 2] {
    let dna = Dna::from_bytes(&std::fs::read(dir.join(format!("{rig_name}.dna"))).unwrap()).unwrap();
    let options = RigOptions::default().with_compat(compat).with_rotation_output(output);
    let rig = Arc::new(Rig::from_dna(&dna, &options).unwrap());
    let (kind, count) = match controls {
        FrameControls::Raw => ("raw", rig.names().raw_controls.len()),
        FrameControls::Gui => ("gui", rig.names().gui_controls.len()),
    };
    let form = if output == RotationOutput::Euler { "euler" } else { "quat" };
    let frames = std::fs::read_to_string(dir.join(format!("{rig_name}.{kind}.frames.txt"))).unwrap();
    let frames = parse_frames(&frames, count).unwrap();
    let expected = std::fs::read_to_string(dir.join(format!("{rig_name}.{kind}.{form}.jsonl"))).unwrap();
    let expected: Vec<Value> = expected.lines().map(parse).collect();
    assert_eq!(frames.len(), expected.len());

    let mut instance = Instance::new(Arc::clone(&rig));
    let mut worst = [0.0f32; 2];
    for ((line, frame), expected) in frames.iter().zip(&expected) {
        let mut frame = frame.clone();
        if !compat {
            frame.lod = frame.lod.map(|lod| lod.min(rig.lod_count() - 1));
        }
        instance.evaluate_frame(&frame, controls).unwrap();
        let mut text = String::new();
        instance.write_json_line(&mut text);
        let found = parse(&text);
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&found), keys(expected));
        assert_eq!(found["lod"], expected["lod"]);
        for key in keys(&found).iter().filter(|key| *key != "lod") {
            let (found, expected) = (found[key].as_array().unwrap(), expected[key].as_array().unwrap());
            assert_eq!(found.len(), expected.len(), "{key}");
            for (slot, (found, expected)) in found.iter().zip(expected).enumerate() {
                let (found, expected) = (number(found), number(expected));
                if expected.is_nan() && found.is_nan() {
                    continue;
                }
                let tolerance = tolerance(key, slot, output, rig.is_radians());
                let difference = (found - expected).abs();
                assert!(
                    difference <= tolerance,
                    "{rig_name}.{kind}.{form} line {line}: {key}[{slot}] is {found}, expected {expected}"
                );
                let is_angle = tolerance != VALUE_TOLERANCE;
                worst[usize::from(is_angle)] = worst[usize::from(is_angle)].max(difference / tolerance);
            }
        }
    }
    worst
}

#[test]
fn every_vector_of_the_reference_evaluator_is_matched() {
    let test = "every_vector_of_the_reference_evaluator_is_matched";
    let Some(dir) = shared_or_skip(test, "vectors/riglogic") else { return };
    let mut worst = [0.0f32; 2];
    for rig in 1..=3 {
        for unit in ["deg", "rad"] {
            for controls in [FrameControls::Raw, FrameControls::Gui] {
                for output in [RotationOutput::Euler, RotationOutput::Quaternion] {
                    let found = compare(&dir, &format!("rig{rig}_{unit}"), controls, output, true);
                    worst = std::array::from_fn(|i| worst[i].max(found[i]));
                }
            }
        }
    }
    eprintln!("largest shares of the tolerances: values {:.3}, rotations {:.3}", worst[0], worst[1]);
}

#[test]
fn without_compat_euler_vectors_of_raw_controls_are_matched_too() {
    let test = "without_compat_euler_vectors_of_raw_controls_are_matched_too";
    let Some(dir) = shared_or_skip(test, "vectors/riglogic") else { return };
    for rig in 1..=3 {
        for unit in ["deg", "rad"] {
            compare(&dir, &format!("rig{rig}_{unit}"), FrameControls::Raw, RotationOutput::Euler, false);
        }
    }
}
