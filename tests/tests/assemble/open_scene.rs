//! The open scene: where a rig stands in it, and what is left of it where none is built.

use super::face_board::{Installation, RAN, known, script};
use super::*;

fn current(session: &mut Session) -> String {
    session.ok("namespaceInfo -currentNamespace").text()
}

/// Statements that begin so fail from now on, but for the first `count`.
fn refuse(session: &mut Session, statement: &str, count: usize) {
    session.ok(&format!("fakeRefuse {} {count}", mel_string(statement)));
}

fn said(reply: &fake_maya::Reply, code: &str) -> String {
    let code = format!("error[{code}]");
    reply.errors.iter().find(|error| error.contains(&code)).cloned().unwrap_or_default()
}

#[test]
fn a_rig_stands_in_the_root_whatever_namespace_is_current() {
    each("a_rig_stands_in_the_root_whatever_namespace_is_current", true, |session| {
        session.ok("namespace -add \":show:shot\"; namespace -set \":show:shot\"");
        session.ok("fakeEsc \"assembling: meshes\"");
        session.refused(&command(""), "CANCELLED");
        session.ok("fakeEsc");
        assert_eq!(current(session), "show:shot");
        session.ok(&command(""));
        assert_eq!(current(session), "show:shot");
        for (name, expected) in [("rig", "1"), ("head_lod0_mesh", "1"), ("show:shot:rig", "0")] {
            assert_eq!(session.ok(&format!("objExists \"{name}\"")).text(), expected, "{name}");
        }
        session.ok("undo");
        assert_eq!(session.ok("objExists rig").text(), "0");
        assert_eq!(current(session), "show:shot");
        session.ok("redo");
        assert_eq!(session.ok("objExists rig").text(), "1");
        assert_eq!(current(session), "show:shot");
        session.ok("undo");
        refuse(session, "createNode -ss joint", 0);
        session.refused(&command(""), "ASSEMBLY_FAILED");
        session.ok("fakeRefuse");
        assert_eq!(current(session), "show:shot");
        // A new scene has no other namespace than the root.
        session.ok(&command("-newScene -force"));
        assert_eq!(current(session), ":");
    });
}

#[test]
fn an_imported_board_stands_in_the_root_whatever_namespace_is_current() {
    each("an_imported_board_stands_in_the_root_whatever_namespace_is_current", false, |session| {
        let installation = Installation::of(&known(), |_| true);
        session.ok("createNode transform -n kept; namespace -add shot; namespace -set shot");
        let before = session.hash();
        script(session, RAN, "createNode transform -n byScript");
        session.ok(&installation.command(""));
        assert_eq!(current(session), "shot");
        for name in ["rig", "gui", "CTRL_C_jaw", "byScript", "FacialControls"] {
            assert_eq!(session.ok(&format!("objExists {name}")).text(), "1", "{name}");
            assert_eq!(session.ok(&format!("objExists shot:{name}")).text(), "0", "{name}");
        }
        session.ok("undo");
        assert_eq!((current(session).as_str(), session.hash()), ("shot", before));
    });
}

#[test]
fn a_failure_says_whether_the_scene_is_as_it_was_or_new_and_empty() {
    each("a_failure_says_whether_the_scene_is_as_it_was_or_new_and_empty", false, |session| {
        session.ok("createNode transform -n kept; currentUnit -linear m");
        let before = session.hash();
        refuse(session, "createNode -ss joint", 0);
        let reply = session.refused(&command(""), "ASSEMBLY_FAILED");
        assert!(said(&reply, "ASSEMBLY_FAILED").ends_with("; the scene is as it was before"), "{reply:?}");
        assert_eq!(session.hash(), before);
        let reply = session.refused(&command("-newScene -force"), "ASSEMBLY_FAILED");
        assert!(said(&reply, "ASSEMBLY_FAILED").ends_with("; the new scene is empty"), "{reply:?}");
        assert_eq!(session.ok("ls").results, ["time1"]);
        // Where no new scene begins, the open one stays.
        session.ok("createNode transform -n kept");
        refuse(session, "file -new", 0);
        session.refused(&command("-newScene -force"), "NEW_SCENE");
        assert_eq!(session.ok("ls kept").results, ["kept"]);
        refuse(session, "upAxis -axis", 0);
        let reply = session.refused(&command("-newScene -force"), "NEW_SCENE");
        assert!(said(&reply, "NEW_SCENE").ends_with("; the new scene is empty"), "{reply:?}");
    });
}

#[test]
fn nothing_is_built_where_maya_does_not_say_what_the_scene_has() {
    each("nothing_is_built_where_maya_does_not_say_what_the_scene_has", false, |session| {
        let installation = Installation::of(&known(), |_| true);
        script(session, RAN, "");
        session.ok("createNode transform -n kept; select kept");
        let before = session.hash();
        let (own, board) = (command(""), installation.command(""));
        for (statement, commands, code) in [
            ("ls", &[&own, &board][..], "SCENE_UNLISTED"),
            ("ls -uuid", &[&board], "SCENE_UNLISTED"),
            ("ls -sl", &[&board], "SCENE_UNLISTED"),
            ("currentUnit -q", &[&own, &board], "ASSEMBLY_FAILED"),
            ("namespaceInfo", &[&own, &board], "ASSEMBLY_FAILED"),
            ("upAxis -q", &[&own, &board], "SCENE_UP_AXIS"),
        ] {
            for command in commands {
                refuse(session, statement, 0);
                session.refused(command, code);
                session.ok("fakeRefuse");
                assert_eq!(session.hash(), before, "{statement}");
            }
        }
        // No nodes at all is no answer either.
        for statement in ["ls", "ls -uuid"] {
            session.ok(&format!("fakeRefuse -silently {}", mel_string(statement)));
            session.refused(&board, "SCENE_UNLISTED");
            session.ok("fakeRefuse");
            assert_eq!(session.hash(), before, "{statement}");
        }
        assert!(session.ok("fakePython").results.is_empty());
    });
}

#[test]
fn what_was_there_stays_where_a_rig_cannot_be_told_from_it() {
    each("what_was_there_stays_where_a_rig_cannot_be_told_from_it", true, |session| {
        let installation = Installation::of(&known(), |_| true);
        let kept = |session: &mut Session| session.ok("objExists kept").text() == "1";
        script(session, RAN, "");
        // Maya lists the nodes before the build, and not after it.
        for (statement, count) in [("ls -uuid", 1), ("ls -long FA4E", 0)] {
            session.ok("file -new -force; createNode transform -n kept");
            session.ok("fakeEsc \"assembling: assemble script\"");
            refuse(session, statement, count);
            let reply = session.refused(&installation.command(""), "ASSEMBLY_LEFT");
            let message = said(&reply, "ASSEMBLY_LEFT");
            assert!(message.contains("stopped by Esc") && message.contains("without saving"), "{message}");
            assert!(kept(session) && session.ok("objExists rig").text() == "1", "{statement}");
            session.ok("fakeRefuse; fakeEsc");
        }
        session.ok("file -new -force; createNode transform -n kept");
        refuse(session, "ls -uuid", 1);
        session.ok(&installation.command(""));
        session.ok("fakeRefuse");
        session.refused("undo", "UNDO");
        assert!(kept(session) && session.ok("objExists rig").text() == "1");
        // Nor is a rig without a board said to be gone where that is not known.
        session.ok("file -new -force; createNode transform -n kept; fakeEsc \"assembling: skeleton\"");
        refuse(session, "ls", 1);
        session.refused(&command(""), "ASSEMBLY_LEFT");
        session.ok("fakeRefuse");
        assert!(kept(session));
        refuse(session, "ls", 1);
        let reply = session.refused(&command("-newScene -force"), "ASSEMBLY_LEFT");
        assert!(said(&reply, "ASSEMBLY_LEFT").ends_with("; begin a new scene"), "{reply:?}");
    });
}
