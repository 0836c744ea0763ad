//! The node `mhRigLogic` in the stand-in host, evaluated there and compared with the evaluator.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fake_maya::mel_string;
use mhrig::{LiveOutputs, LiveRig};
use mhrig_e2e::{Demo, Session, plugins};

fn path(path: &Path) -> String {
    mel_string(&path.display().to_string())
}

fn each(test: &str, mut run: impl FnMut(&mut Session)) {
    for plugin in plugins() {
        let Some(mut session) = Session::start(test, &plugin, false) else { return };
        run(&mut session);
    }
}

fn head() -> PathBuf {
    Demo::get().archetype.join("head.dna")
}

/// Raw controls by their place, from a pattern that leaves most at rest.
fn controls(count: usize, seed: usize) -> Vec<(usize, f32)> {
    (0..count)
        .filter(|i| i % 7 == seed % 7)
        .map(|i| (i, ((i * 37 + seed * 11) % 100) as f32 / 100.0))
        .collect()
}

fn expected(file: &Path, lod: usize, controls: &[(usize, f32)]) -> LiveOutputs {
    let mut rig = LiveRig::open(file, false).unwrap();
    controls.iter().for_each(|&(control, value)| rig.set_control(control, value));
    rig.evaluate(lod).unwrap().clone()
}

fn control_count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| LiveRig::open(&head(), false).unwrap().control_count())
}

fn create(session: &mut Session, name: &str, file: &Path) {
    session.ok(&format!("createNode mhRigLogic -n {name}"));
    session.ok(&format!("setAttr -type \"string\" {name}.dnaFilePath {}", path(file)));
}

fn set(session: &mut Session, node: &str, controls: &[(usize, f32)]) {
    for (control, value) in controls {
        session.ok(&format!("setAttr {node}.inputs[{control}] {value}"));
    }
}

fn value(session: &mut Session, plug: &str) -> f64 {
    session.ok(&format!("getAttr {plug}")).text().trim().parse().unwrap()
}

/// Compares outputs at a spread of elements; angles come in degrees.
fn assert_outputs(session: &mut Session, node: &str, expected: &LiveOutputs) {
    assert!(!expected.translations.is_empty() && !expected.rotations.is_empty());
    let kinds: [(&str, &[f64], f64); 5] = [
        ("jntTranslationOutputs", &expected.translations, 1.0),
        ("jntRotationOutputs", &expected.rotations, 180.0 / std::f64::consts::PI),
        ("jntScaleOutputs", &expected.scales, 1.0),
        ("bsOutputs", &expected.blend_shapes, 1.0),
        ("amOutputs", &expected.animated_maps, 1.0),
    ];
    for (attribute, expected, unit) in kinds {
        for at in (0..expected.len()).step_by(1 + expected.len() / 8) {
            let found = value(session, &format!("{node}.{attribute}[{at}]"));
            let expected = expected[at] * unit;
            assert!(
                (found - expected).abs() < 1e-5,
                "{node}.{attribute}[{at}]: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn the_node_gives_what_the_evaluator_gives() {
    each("the_node_gives_what_the_evaluator_gives", |session| {
        create(session, "head_rl4Embedded", &head());
        assert_outputs(session, "head_rl4Embedded", &expected(&head(), 0, &[]));
        let controls = controls(control_count(), 1);
        set(session, "head_rl4Embedded", &controls);
        let posed = expected(&head(), 0, &controls);
        assert_ne!(posed, expected(&head(), 0, &[]));
        assert_outputs(session, "head_rl4Embedded", &posed);
        session.ok("setAttr head_rl4Embedded.lod 2");
        assert_outputs(session, "head_rl4Embedded", &expected(&head(), 2, &controls));
        session.ok("setAttr head_rl4Embedded.lod 99");
        let coarsest = LiveRig::open(&head(), false).unwrap().lod_count() - 1;
        assert_outputs(session, "head_rl4Embedded", &expected(&head(), coarsest, &controls));
        assert_eq!(session.ok("getAttr head_rl4Embedded.dnaFileStatus").text(), "ok");
    });
}

#[test]
fn two_nodes_of_one_file_do_not_share_their_state() {
    each("two_nodes_of_one_file_do_not_share_their_state", |session| {
        create(session, "first", &head());
        create(session, "second", &head());
        let (one, two) = (controls(control_count(), 2), controls(control_count(), 3));
        set(session, "first", &one);
        set(session, "second", &two);
        for _ in 0..2 {
            assert_outputs(session, "first", &expected(&head(), 0, &one));
            assert_outputs(session, "second", &expected(&head(), 0, &two));
        }
    });
}

#[test]
fn a_path_that_leads_nowhere_is_said_once_and_can_be_set_right() {
    each("a_path_that_leads_nowhere_is_said_once_and_can_be_set_right", |session| {
        create(session, "rig", &head());
        let rest = expected(&head(), 0, &[]);
        assert_outputs(session, "rig", &rest);
        session.ok("setAttr -type \"string\" rig.dnaFilePath \"/nowhere/头.dna\"");
        let reply = session.ok("getAttr rig.jntTranslationOutputs[4]");
        let said =
            |errors: &[String]| errors.iter().filter(|error| error.contains("[DNA_UNREADABLE]")).count();
        assert_eq!(said(&reply.errors), 1, "{:?}", reply.errors);
        assert!(
            reply.errors[0].contains("dnaFilePath") && reply.errors[0].contains("头.dna"),
            "{:?}",
            reply.errors
        );
        // The last pose stays, the status says what is wrong, and nobody is told twice.
        session.ok("setAttr rig.inputs[3] 0.5");
        let reply = session.ok("getAttr rig.jntTranslationOutputs[5]");
        assert_eq!(said(&reply.errors), 0);
        assert_outputs(session, "rig", &rest);
        assert!(session.ok("getAttr rig.dnaFileStatus").text().contains("DNA_UNREADABLE"));
        // Relinked.
        let dir = tempfile::tempdir().unwrap();
        let moved = dir.path().join("moved 角色.dna");
        std::fs::copy(head(), &moved).unwrap();
        session.ok(&format!("setAttr -type \"string\" rig.dnaFilePath {}", path(&moved)));
        assert_outputs(session, "rig", &expected(&head(), 0, &[(3, 0.5)]));
        assert_eq!(session.ok("getAttr rig.dnaFileStatus").text(), "ok");
    });
}

#[test]
fn a_variable_that_is_set_after_the_scene_was_opened_is_found() {
    each("a_variable_that_is_set_after_the_scene_was_opened_is_found", |session| {
        create(session, "rig", Path::new("$MHRIG_TEST_LATER/head.dna"));
        session.ok("getAttr rig.jntTranslationOutputs[4]");
        assert!(session.ok("getAttr rig.dnaFileStatus").text().contains("PATH_VARIABLE"));
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy(head(), dir.path().join("head.dna")).unwrap();
        session.ok(&format!("putenv MHRIG_TEST_LATER {}", path(dir.path())));
        set(session, "rig", &[(3, 0.5)]);
        assert_outputs(session, "rig", &expected(&head(), 0, &[(3, 0.5)]));
        assert_eq!(session.ok("getAttr rig.dnaFileStatus").text(), "ok");
    });
}

#[test]
fn a_relative_path_starts_at_the_scene() {
    each("a_relative_path_starts_at_the_scene", |session| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("dna")).unwrap();
        std::fs::copy(head(), dir.path().join("dna/head.dna")).unwrap();
        session.ok(&format!("file -rename {}", path(&dir.path().join("scene.ma"))));
        create(session, "rig", Path::new("dna/head.dna"));
        assert_outputs(session, "rig", &expected(&head(), 0, &[]));
    });
}

#[test]
fn a_driver_joint_turns_what_it_drives() {
    each("a_driver_joint_turns_what_it_drives", |session| {
        let body = Demo::get().archetype.join("body.dna");
        let rig = LiveRig::open(&body, false).unwrap();
        let drivers = rig.driver_joints();
        let elbow =
            drivers.iter().position(|name| name == "lowerarm_l").expect("the demo's body has an elbow");
        create(session, "body_rl4Embedded", &body);
        let mut rig = rig;
        let rest = rig.evaluate(0).unwrap().clone();
        rig.set_driver(elbow, [0.1, -0.2, 1.2]);
        let bent = rig.evaluate(0).unwrap().clone();
        assert_ne!(rest, bent);
        for (axis, radians) in [0.1f64, -0.2, 1.2].into_iter().enumerate() {
            let at = elbow * 3 + axis;
            session.ok(&format!("setAttr body_rl4Embedded.driverRotations[{at}] {}", radians.to_degrees()));
        }
        for (attribute, values, unit) in [
            ("jntTranslationOutputs", &bent.translations, 1.0),
            ("jntRotationOutputs", &bent.rotations, 180.0 / std::f64::consts::PI),
        ] {
            for (at, expected) in values.iter().enumerate() {
                let found = value(session, &format!("body_rl4Embedded.{attribute}[{at}]"));
                assert!(
                    (found - expected * unit).abs() < 1e-4,
                    "{attribute}[{at}]: {found}, expected {expected}"
                );
            }
        }
    });
}

#[test]
fn the_plug_in_stays_while_the_scene_has_its_nodes() {
    each("the_plug_in_stays_while_the_scene_has_its_nodes", |session| {
        create(session, "rig", &head());
        assert!(!session.mel("unloadPlugin mhrigcreator").ok);
        session.ok("mhInspectDna -help");
        assert_outputs(session, "rig", &expected(&head(), 0, &[]));
        session.ok("delete rig");
        session.ok("flushUndo");
        session.ok("unloadPlugin mhrigcreator");
    });
}
