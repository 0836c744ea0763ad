//! `mhAssemble` with Epic's node, whose plug-in a stand-in takes the place of; and the paths that nodes of both kinds keep.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

use fake_maya::mel_string;
use mhrig_e2e::{Demo, Session, plugins, write_epic_names};
use serde_json::Value;
use tempfile::TempDir;

const PARTS: [&str; 2] = ["head", "body"];
/// The variable that paths of these tests begin with.
const SHOW: &str = "MHRIG_TEST_SHOW";

/// A show's folder with the DNA files of the demo in `dna`, and the folder of Maya's settings, both without a letter that
/// is not ASCII.
struct Show {
    dir: TempDir,
}

impl Show {
    fn new() -> Self {
        let show = Self { dir: tempfile::tempdir().unwrap() };
        assert!(show.dir.path().to_str().unwrap().is_ascii());
        show.add("dna");
        show
    }

    /// One more folder with the DNA files.
    fn add(&self, folder: &str) -> PathBuf {
        let folder = self.dir.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        for part in PARTS {
            let file = format!("{part}.dna");
            fs::copy(Demo::get().archetype.join(&file), folder.join(&file)).unwrap();
            write_epic_names(&folder.join(&file));
        }
        folder
    }

    fn settings(&self) -> PathBuf {
        self.dir.path().join("settings")
    }

    /// The copies that were made.
    fn copies(&self) -> Vec<PathBuf> {
        let mut open = vec![self.settings()];
        let mut files = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() { open.push(entry.path()) } else { files.push(entry.path()) }
            }
        }
        files
    }
}

/// Runs with each plug-in and a show of its own.
fn each(test: &str, interactive: bool, mut run: impl FnMut(&mut Session, &Show)) {
    for plugin in plugins() {
        let show = Show::new();
        let settings = show.settings().display().to_string();
        let folder = show.dir.path().display().to_string();
        let variables = [("MAYA_APP_DIR", settings.as_str()), (SHOW, folder.as_str())];
        let Some(mut session) = Session::start_with(test, &plugin, interactive, &variables) else { return };
        run(&mut session, &show);
    }
}

fn command(head: &str, body: &str, flags: &str) -> String {
    format!("mhAssemble -head {} -body {} {flags}", mel_string(head), mel_string(body))
}

fn command_in(folder: &Path, flags: &str) -> String {
    let [head, body] = PARTS.map(|part| folder.join(format!("{part}.dna")).display().to_string());
    command(&head, &body, flags)
}

fn attribute(session: &mut Session, part: &str, name: &str) -> String {
    session.ok(&format!("getAttr {part}_rl4Embedded.{name}")).text()
}

fn kinds(session: &mut Session) -> [usize; 2] {
    ["embeddedNodeRL4", "mhRigLogic"].map(|kind| session.ok(&format!("ls -type {kind}")).results.len())
}

fn findings<'a>(report: &'a Value, code: &str) -> Vec<&'a Value> {
    report["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == code).collect()
}

#[test]
fn epics_command_gets_the_documented_patterns_and_newer_flags_where_its_help_knows_them() {
    let test = "epics_command_gets_the_documented_patterns_and_newer_flags_where_its_help_knows_them";
    for is_newer in [false, true] {
        each(test, false, |session, show| {
            session.load_epic(is_newer, show.dir.path());
            let help = session.ok("help createEmbeddedNodeRL4").text();
            assert_eq!(help.contains("-cs") && help.contains("-ijn"), is_newer);
            // Without a flag it is Epic's node where that is loaded.
            let reply = session.ok(&command_in(&show.dir.path().join("dna"), "-namespace anna"));
            assert!(!reply.warnings.iter().any(|text| text.contains("embeddedRL4")), "{:?}", reply.warnings);
            assert_eq!(kinds(session), [2, 0]);
            for part in PARTS {
                let node = format!("anna:{part}");
                let newer = |value: &str| if is_newer { value.to_owned() } else { String::new() };
                for (name, expected) in [
                    ("controlNaming", "anna:<objName>.<attrName>".to_owned()),
                    ("jointNaming", "anna:<objName>.<attrName>".to_owned()),
                    ("blendShapeNaming", "anna:<objName>_blendShapes.<attrName>".to_owned()),
                    ("animatedMapNaming", "anna:FRM_WMmultipliers.<objName>_<attrName>".to_owned()),
                    ("inputJointNaming", newer("anna:<objName>.<attrName>")),
                    ("coordinateSystem", newer("left,up,front")),
                ] {
                    assert_eq!(attribute(session, &node, name), expected, "{part}, {name}");
                }
                let path = attribute(session, &node, "dnaFilePath");
                assert!(path.ends_with(&format!("/dna/{part}.dna")), "{path}");
            }
            assert!(show.copies().is_empty());
            // Ours is there for whoever asks for it.
            session.ok(&command_in(&show.dir.path().join("dna"), "-namespace ben -rigLogic mh"));
            assert_eq!(kinds(session), [2, 2]);
        });
    }
}

#[test]
fn a_path_that_is_not_ascii_is_read_from_a_copy_named_by_its_content() {
    let test = "a_path_that_is_not_ascii_is_read_from_a_copy_named_by_its_content";
    each(test, false, |session, show| {
        session.load_epic(true, show.dir.path());
        let folder = show.add("角色 é");
        let report = session.json(&command_in(&folder, "-rigLogic epic -json"));
        assert_eq!(report["status"], "ok", "{report}");
        let staged = findings(&report, "DNA_STAGED");
        assert_eq!(staged.len(), 2, "{report}");
        for (part, finding) in PARTS.into_iter().zip(&staged) {
            let path = attribute(session, part, "dnaFilePath");
            let file = folder.join(format!("{part}.dna"));
            assert!(path.is_ascii() && path.starts_with(show.settings().to_str().unwrap()), "{path}");
            assert!(path.contains("/prefs/"), "{path}");
            let hash = session
                .ok(&format!("getAttr rig.mhrig{}Hash", ["Head", "Body"][usize::from(part == "body")]));
            assert_eq!(Path::new(&path).file_stem().unwrap().to_str(), Some(hash.text().as_str()));
            assert_eq!(fs::read(&path).unwrap(), fs::read(&file).unwrap());
            assert!(finding["message"].as_str().unwrap().contains(&path), "{finding}");
            assert_eq!(finding["where"].as_str(), file.to_str());
        }
        // A second character of the same files needs no more copies, and our own node none at all.
        session.ok(&command_in(&folder, "-namespace second"));
        assert_eq!(show.copies().len(), 2);
        session.ok(&command_in(&folder, "-namespace own -rigLogic mh"));
        assert_eq!(attribute(session, "own:head", "dnaFilePath"), folder.join("head.dna").to_str().unwrap());
        // A variable is no help where what it stands for is not ASCII.
        let given = format!("${SHOW}/角色 é/head.dna");
        session.ok(&format!("mhAssemble -head {} -namespace third", mel_string(&given)));
        assert!(
            attribute(session, "third:head", "dnaFilePath").starts_with(show.settings().to_str().unwrap())
        );
        assert_eq!(show.copies().len(), 2);
    });
}

#[test]
fn no_copy_is_left_of_an_assembly_that_was_refused_or_cancelled() {
    each("no_copy_is_left_of_an_assembly_that_was_refused_or_cancelled", true, |session, show| {
        session.load_epic(false, show.dir.path());
        let folder = show.add("角色");
        session.ok("createNode transform -n rig");
        session.refused(&command_in(&folder, ""), "NAME_CLASH");
        session.ok("delete rig");
        let before = session.hash();
        for stage in ["read", "prepare", "groups", "connections", "check"] {
            session.ok(&format!("fakeEsc {}", mel_string(&format!("assembling: {stage}"))));
            session.refused(&command_in(&folder, ""), "CANCELLED");
            assert_eq!(session.hash(), before, "{stage}");
            assert!(!show.settings().exists(), "{stage}: {:?}", show.copies());
        }
        session.ok("fakeEsc");
        // Where no folder can be made there is no half of a rig either.
        fs::write(show.settings(), "a file").unwrap();
        session.refused(&command_in(&folder, ""), "DNA_NOT_STAGED");
        assert_eq!(session.hash(), before);
        // Nor does the open scene go for one that cannot be built.
        session.refused(&command_in(&folder, "-newScene -force"), "DNA_NOT_STAGED");
        assert_eq!(session.hash(), before);
        fs::remove_file(show.settings()).unwrap();
        session.ok(&command_in(&folder, ""));
        assert_eq!(show.copies().len(), 2);
    });
}

#[test]
fn where_the_settings_are_not_ascii_either_the_assembly_is_refused() {
    let test = "where_the_settings_are_not_ascii_either_the_assembly_is_refused";
    for plugin in plugins() {
        let show = Show::new();
        let settings = show.dir.path().join("设置").display().to_string();
        let variables = [("MAYA_APP_DIR", settings.as_str())];
        let Some(mut session) = Session::start_with(test, &plugin, false, &variables) else { return };
        session.load_epic(true, show.dir.path());
        let before = session.hash();
        let folder = show.add("角色");
        session.refused(&command_in(&folder, ""), "NON_ASCII_PATH");
        assert_eq!(session.hash(), before);
        assert!(!Path::new(&settings).exists());
        session.ok(&command_in(&folder, "-rigLogic mh"));
    }
}

#[test]
fn a_path_with_variables_or_relative_to_the_scene_is_read_and_kept_as_given() {
    let test = "a_path_with_variables_or_relative_to_the_scene_is_read_and_kept_as_given";
    each(test, false, |session, show| {
        session.load_epic(true, show.dir.path());
        session
            .ok(&format!("file -rename {}", mel_string(show.dir.path().join("shot.ma").to_str().unwrap())));
        let pairs = [
            [format!("${SHOW}/dna/head.dna"), format!("%{SHOW}%/dna/body.dna")],
            [format!("${{{SHOW}}}/dna/head.dna"), "dna/body.dna".to_owned()],
            ["dna/../dna/head.dna".to_owned(), "./dna/body.dna".to_owned()],
        ];
        for (number, [head, body]) in pairs.iter().enumerate() {
            for kind in ["mh", "epic"] {
                let name = format!("{kind}{number}");
                session.ok(&command(head, body, &format!("-namespace {name} -rigLogic {kind}")));
                assert_eq!(&attribute(session, &format!("{name}:head"), "dnaFilePath"), head);
                assert_eq!(&attribute(session, &format!("{name}:body"), "dnaFilePath"), body);
                if kind == "mh" {
                    session.ok(&format!("fakePoints {name}:head_lod0_mesh"));
                    for part in PARTS {
                        assert_eq!(attribute(session, &format!("{name}:{part}"), "dnaFileStatus"), "ok");
                    }
                }
            }
        }
        let before = session.hash();
        for kind in ["mh", "epic"] {
            let unset = "$MHRIG_TEST_NOT_SET/head.dna";
            let reply = session.refused(
                &format!("mhAssemble -head {} -namespace x -rigLogic {kind}", mel_string(unset)),
                "PATH_VARIABLE",
            );
            assert!(reply.errors[0].contains("MHRIG_TEST_NOT_SET"), "{:?}", reply.errors);
        }
        assert_eq!(session.hash(), before);
        // A node whose path is set to such a one says so, too.
        session.ok(
            "setAttr -type \"string\" mh0:head_rl4Embedded.dnaFilePath \"%MHRIG_TEST_NOT_SET%/head.dna\"",
        );
        session.ok("fakePoints mh0:head_lod0_mesh");
        assert!(attribute(session, "mh0:head", "dnaFileStatus").contains("PATH_VARIABLE"));
    });
}

#[test]
fn undo_redo_and_esc_work_with_epics_node() {
    each("undo_redo_and_esc_work_with_epics_node", true, |session, show| {
        session.load_epic(true, show.dir.path());
        let folder = show.dir.path().join("dna");
        session.ok("createNode transform -n kept");
        let before = session.hash();
        for stage in ["network", "connections", "skin weights", "layers", "check"] {
            session.ok(&format!("fakeEsc {}", mel_string(&format!("assembling: {stage}"))));
            session.refused(&command_in(&folder, ""), "CANCELLED");
            assert_eq!(session.hash(), before, "{stage}");
            assert_eq!(kinds(session), [0, 0]);
        }
        session.ok("fakeEsc");
        session.ok(&command_in(&folder, ""));
        let paths = |session: &mut Session| PARTS.map(|part| attribute(session, part, "dnaFilePath"));
        let (built, mut redone) = (paths(session), None);
        for _ in 0..2 {
            session.ok("undo");
            assert_eq!(session.hash(), before);
            assert_eq!(kinds(session), [0, 0]);
            session.ok("redo");
            assert_eq!(kinds(session), [2, 0]);
            assert_eq!(paths(session), built);
            let hash = session.hash();
            assert_eq!(*redone.get_or_insert_with(|| hash.clone()), hash);
        }
        assert!(built[0].ends_with("/dna/head.dna") && built[1].ends_with("/dna/body.dna"));
    });
}
