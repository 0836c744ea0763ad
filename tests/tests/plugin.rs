//! The built plug-in in the stand-in host, through its real entry points; once per plug-in that was built.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use fake_maya::{Host, Reply, mel_string};
use mhrig::{BuildRequest, Cancel, CheckRequest, FitRequest, Job, MeshSource, Report, Silent, Status};
use mhrig_e2e::{Demo, Session, plugins};

fn path(path: &Path) -> String {
    mel_string(&path.display().to_string())
}

fn each(test: &str, interactive: bool, mut run: impl FnMut(&mut Session)) {
    for plugin in plugins() {
        let Some(mut session) = Session::start(test, &plugin, interactive) else { return };
        run(&mut session);
    }
}

fn silently<D>(job: impl FnOnce(Job<'_>) -> Report<D>) -> Report<D> {
    job(Job { progress: &Silent, cancel: &Cancel::default() })
}

/// What the command line does with the character's files.
fn built_from_files(demo: &Demo, out_dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let request = BuildRequest {
        archetype: demo.archetype.clone(),
        meshes: MeshSource::files([&demo.character]),
        out_dir: out_dir.to_owned(),
        name: "mary".to_owned(),
        ..BuildRequest::default()
    };
    let report = silently(|job| mhrig::build(&request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    dna_files(out_dir)
}

fn dna_files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path());
    let dna = entries.filter(|path| path.extension().is_some_and(|extension| extension == "dna"));
    dna.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect()
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}

/// The joints that a fit of the character's files places, each once, shared ones where the body has them.
fn fitted_joints(demo: &Demo) -> BTreeMap<String, [f32; 3]> {
    let request = FitRequest {
        archetype: demo.archetype.clone(),
        meshes: MeshSource::files([&demo.character]),
        ..FitRequest::default()
    };
    let report = silently(|job| mhrig::fit(&request, job));
    let details = report.details.unwrap();
    let mut joints = BTreeMap::new();
    for part in ["head", "body"] {
        let lines = details.joints.iter().filter(|line| line.part == part);
        joints.extend(lines.map(|line| (line.name.clone(), line.position)));
    }
    joints
}

#[test]
fn commands_register_with_help_and_synopsis() {
    each("commands_register_with_help_and_synopsis", false, |session| {
        let commands = session.ok("pluginInfo -q -command mhrigcreator").results;
        let tables: Vec<&str> = mhrig_maya::COMMANDS.iter().map(|table| table.name).collect();
        assert_eq!(commands, tables);
        let year = session.plugin.year.to_string();
        assert!(session.ok("pluginInfo -q -apiVersion mhrigcreator").text().starts_with(&year));
        assert_eq!(session.ok("pluginInfo -q -vendor mhrigcreator").text(), "MhRigCreator");
        for table in mhrig_maya::COMMANDS {
            assert_eq!(session.ok(&format!("{} -help", table.name)).text(), table.help());
            let synopsis = session.ok(&format!("help {}", table.name)).text();
            for flag in table.flags() {
                assert!(synopsis.contains(&format!("{} {}", flag.short, flag.long)), "{synopsis}");
            }
            let reply = session.mel(&format!("{} -noSuchFlag", table.name));
            assert!(!reply.ok);
        }
    });
}

#[test]
fn it_loads_again_after_it_was_unloaded() {
    each("it_loads_again_after_it_was_unloaded", false, |session| {
        let load = format!("loadPlugin {}", path(&session.plugin.path.clone()));
        for _ in 0..2 {
            session.ok("mhInspectDna -help");
            session.ok("unloadPlugin mhrigcreator");
            assert!(!session.mel("mhInspectDna -help").ok);
            session.ok(&load);
        }
    });
}

#[test]
fn a_plug_in_of_another_year_is_refused_at_load() {
    for plugin in plugins() {
        let other = if plugin.year == 2024 { 2025 } else { plugin.year - 1 };
        let Some(maya) = Session::stand_in("a_plug_in_of_another_year_is_refused_at_load", other) else {
            return;
        };
        let mut host = Host::start(&maya, false).unwrap();
        let reply = host.mel(&format!("loadPlugin {}", path(&plugin.path))).unwrap();
        assert!(!reply.ok);
        // The loader names what this Maya does not have.
        assert!(reply.errors[0].contains(&format!("OpenMaya{}0000", plugin.year)), "{:?}", reply.errors);
        assert!(!host.mel("mhInspectDna -help").unwrap().ok);
        assert!(host.mel("createNode transform").unwrap().ok);
    }
}

#[test]
fn a_panic_becomes_a_message() {
    let Some(plugin) = plugins().into_iter().next() else { return };
    let Some(maya) = Session::stand_in("a_panic_becomes_a_message", plugin.year) else { return };
    let mut host = Host::start_with(&maya, false, &[("MHRIG_PLUGIN_SELF_TEST", "panic")]).unwrap();
    assert!(host.mel(&format!("loadPlugin {}", path(&plugin.path))).unwrap().ok);
    for table in mhrig_maya::COMMANDS {
        let reply = host.mel(table.name).unwrap();
        assert!(!reply.ok);
        let [error] = reply.errors.as_slice() else { panic!("{:?}", reply.errors) };
        let expected = format!("MhRigCreator: error[INTERNAL]: {}: self-test at ", table.name);
        assert!(error.starts_with(&expected), "{error}");
    }
    assert!(host.mel("createNode transform").unwrap().ok);
}

#[test]
fn a_check_of_the_scene_says_what_a_check_of_the_files_says() {
    let demo = Demo::get();
    let request = CheckRequest {
        archetype: demo.archetype.clone(),
        meshes: MeshSource::files([&demo.character]),
        ..CheckRequest::default()
    };
    let report = silently(|job| mhrig::check(&request, job));
    let expected = serde_json::to_value(&report).unwrap();
    each("a_check_of_the_scene_says_what_a_check_of_the_files_says", false, |session| {
        session.load_character(demo);
        let before = session.hash();
        let command = format!("mhCheckTopology -archetype {}", path(&demo.archetype));
        let found = session.json(&format!("{command} -json"));
        assert_eq!(found["status"], expected["status"]);
        let numbers = |report: &serde_json::Value| -> Vec<serde_json::Value> {
            let meshes = report["meshes"].as_array().unwrap().iter();
            meshes
                .map(|mesh| {
                    serde_json::json!([mesh["mesh"], mesh["vertices"], mesh["faces"], mesh["matches"]])
                })
                .collect()
        };
        assert_eq!(numbers(&found), numbers(&expected));
        let reply = session.ok(&command);
        assert!(reply.results.is_empty(), "{:?}", reply.results);
        assert!(
            reply.infos.iter().any(|info| info.contains("meshes have the topology of")),
            "{:?}",
            reply.infos
        );
        assert_eq!(session.hash(), before);
        assert!(session.ok("fakeUndoQueue").results.iter().all(|name| !name.starts_with("mh")));
    });
}

#[test]
fn a_build_of_the_scene_writes_the_bytes_of_a_build_of_the_files() {
    let demo = Demo::get();
    let dir = tempfile::tempdir().unwrap();
    let expected = built_from_files(demo, &dir.path().join("expected"));
    assert!(!expected.is_empty());
    each("a_build_of_the_scene_writes_the_bytes_of_a_build_of_the_files", false, |session| {
        session.load_character(demo);
        let before = session.hash();
        let out = dir.path().join(format!("{} 角色 输出 é", session.plugin.year));
        let command =
            format!("mhBuildDna -archetype {} -outDir {} -name mary", path(&demo.archetype), path(&out));
        let paths = session.ok(&command).results;
        let found = dna_files(&out);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (name, bytes) in &expected {
            mhrig_testkit::assert_same_bytes(name, bytes, &found[name]);
        }
        let names =
            paths.iter().map(|path| Path::new(path).file_name().unwrap().to_string_lossy().into_owned());
        assert_eq!(names.collect::<Vec<_>>(), ["mary_head.dna", "mary_body.dna"]);
        assert!(out.join("mary_report.json").is_file());
        assert_eq!(session.hash(), before);

        // What is there is not replaced without being told to, and then it is kept.
        let reply = session.refused(&command, "OUTPUT_EXISTS");
        assert!(
            reply.errors.iter().any(|error| error.contains("give -force to replace it")),
            "{:?}",
            reply.errors
        );
        session.ok(&format!("{command} -force"));
        assert!(out.join("mary_head.dna.bak").is_file());

        // The DNA that was built can be looked at.
        let lines = session.ok(&format!("mhInspectDna {}", path(&out.join("mary_head.dna")))).results;
        assert!(lines.iter().any(|line| line.starts_with("joints: ")), "{lines:?}");
        let report = session.json(&format!("mhInspectDna -json {}", path(&out.join("mary_head.dna"))));
        assert_eq!(report["bytes"], expected["mary_head.dna"].len());
    });
}

/// Distances between the joints of the scene and where they should be, cm; joints above others moved first.
fn check_joints(session: &mut Session, expected: &BTreeMap<String, [f32; 3]>, factor: f64) {
    for (name, position) in expected {
        let found = session.ok(&format!("xform -q -ws -t {name}")).numbers();
        for (found, expected) in found.iter().zip(position) {
            let expected = f64::from(*expected) / factor;
            assert!((found - expected).abs() < 1e-4, "{name}: {found} found, {expected} expected");
        }
    }
}

/// A skeleton whose joints hang on each other in a chain, turned and scaled, one of them below a plain group.
fn load_chain(session: &mut Session, names: &[String]) {
    let mut above = String::new();
    for (at, name) in names.iter().enumerate() {
        if at == 3 {
            session.ok(&format!(
                "createNode transform -n holder -p {above}; setAttr holder.t 4 0 1; setAttr holder.ry 20"
            ));
            above = "holder".to_owned();
        }
        let parent = if above.is_empty() { String::new() } else { format!("-p {above}") };
        session.ok(&format!("createNode joint -n {name} {parent}"));
        session.ok(&format!(
            "setAttr {name}.t 1 {at} 0.5; setAttr {name}.jo 10 20 {at}; setAttr {name}.r 1 2 3"
        ));
        // Deep chains with a scale at each joint leave nothing of small numbers; one scale shows the point.
        if at == 1 {
            session.ok(&format!("setAttr {name}.s 2 1 0.5"));
        }
        above = if at < 8 { name.clone() } else { above };
    }
}

#[test]
fn a_fit_moves_the_joints_and_undo_puts_them_back() {
    let demo = Demo::get();
    let expected = fitted_joints(demo);
    let names: Vec<String> = expected.keys().cloned().collect();
    each("a_fit_moves_the_joints_and_undo_puts_them_back", false, |session| {
        session.load_character(demo);
        load_chain(session, &names);
        session.ok("createNode transform -n bystander");
        let before = session.hash();
        let steps = session.ok("fakeUndoQueue").results.len();
        let rotation = session.ok(&format!("getAttr {}.r", names[1])).text();
        let moved = session.ok(&format!("mhFit -archetype {}", path(&demo.archetype))).results;
        assert_eq!(moved.len(), names.len());
        assert!(moved.iter().all(|path| path.starts_with('|')));
        check_joints(session, &expected, 1.0);
        assert_eq!(session.ok(&format!("getAttr {}.r", names[1])).text(), rotation);
        let after = session.hash();
        assert_ne!(after, before);
        assert_eq!(session.ok("fakeUndoQueue").results.len(), steps + 1);
        for _ in 0..2 {
            session.ok("undo");
            assert_eq!(session.hash(), before);
            session.ok("redo");
            assert_eq!(session.hash(), after);
        }

        // While it is in the undo queue, the command is in use.
        let reply = session.mel("unloadPlugin mhrigcreator");
        assert!(!reply.ok && reply.errors[0].contains("in use"), "{:?}", reply.errors);
        session.ok("flushUndo");
        session.ok("unloadPlugin mhrigcreator");
    });
}

#[test]
fn units_and_up_axis_of_the_scene_do_not_matter() {
    let demo = Demo::get();
    let dir = tempfile::tempdir().unwrap();
    let expected = built_from_files(demo, &dir.path().join("expected"));
    let joints = fitted_joints(demo);
    let names: Vec<String> = joints.keys().cloned().collect();
    each("units_and_up_axis_of_the_scene_do_not_matter", false, |session| {
        session.ok("currentUnit -linear in; upAxis -axis z");
        for (name, mesh) in &demo.meshes {
            // The same shape in a scene whose Z is up.
            let mut turned = mesh.clone();
            for point in turned.points.chunks_exact_mut(3) {
                (point[1], point[2]) = (-point[2], point[1]);
            }
            let file = dir.path().join("turned.mesh");
            turned.write(&file).unwrap();
            session.ok(&format!("fakeMesh {name} {}", path(&file)));
        }
        let out = dir.path().join(format!("{}", session.plugin.year));
        session.ok(&format!("mhBuildDna -a {} -o {} -n mary", path(&demo.archetype), path(&out)));
        for (name, bytes) in dna_files(&out) {
            mhrig_testkit::assert_same_bytes(&name, &expected[&name], &bytes);
        }
        session.load_flat_skeleton(&names);
        session.ok(&format!("mhFit -a {}", path(&demo.archetype)));
        let turned = joints.iter().map(|(name, [x, y, z])| (name.clone(), [*x, -z, *y])).collect();
        check_joints(session, &turned, 2.54);
    });
}

#[test]
fn the_shape_that_is_seen_is_read() {
    let demo = Demo::get();
    let (head, _) = demo.meshes.iter().find(|(name, _)| name.starts_with("head")).unwrap();
    each("the_shape_that_is_seen_is_read", false, |session| {
        session.load_mesh(demo, head, head, "");
        session.ok(&format!("createNode joint -n bone; skinCluster -n skin bone {head}"));
        // The undeformed shape is the first child now; a bone moved the other one away.
        session.ok(&format!("setAttr bone.tx 100; parent -s {head}|{head}ShapeOrig {head}"));
        let command = format!("mhCheckTopology -headOnly -json -archetype {}", path(&demo.archetype));
        let codes = |report: &serde_json::Value| -> Vec<String> {
            let findings = report["findings"].as_array().unwrap().iter();
            findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
        };
        let report = session.json(&format!("{command} {head}"));
        let found = codes(&report);
        assert!(found.contains(&"DEFORMED_SHAPE".to_owned()), "{found:?}");
        let shifted = found.len();
        // Named by itself, the undeformed one is read: what its position made the check say is gone.
        let report = session.json(&format!("{command} {head}|{head}ShapeOrig"));
        let found = codes(&report);
        assert!(found.contains(&"INTERMEDIATE_SHAPE".to_owned()), "{found:?}");
        assert!(!found.contains(&"DEFORMED_SHAPE".to_owned()));
        assert!(shifted >= found.len(), "{found:?}");
    });
}

#[test]
fn instances_are_told_apart_by_their_paths() {
    let demo = Demo::get();
    let (head, mesh) = demo.meshes.iter().find(|(name, _)| name.starts_with("head")).unwrap();
    each("instances_are_told_apart_by_their_paths", false, |session| {
        session.load_mesh(demo, head, head, "");
        session.ok(&format!(
            "createNode transform -n twin; setAttr twin.tx 500; parent -add -s {head}Shape twin"
        ));
        let command = format!("mhCheckTopology -headOnly -json -archetype {}", path(&demo.archetype));
        // By its shape's name it could be either.
        let report = session.json(&format!("{command} {head}Shape"));
        assert_eq!(report["status"], "refused");
        assert_eq!(report["findings"][0]["code"], "AMBIGUOUS_NAME");
        let found = report["findings"][0]["found"].as_str().unwrap();
        assert!(
            found.contains(&format!("|{head}|{head}Shape")) && found.contains(&format!("|twin|{head}Shape")),
            "{found}"
        );
        // By path it is one, and the other's place does not come into it.
        let report = session.json(&format!("{command} \"|{head}|{head}Shape\""));
        let heads = report["meshes"].as_array().unwrap().iter();
        let checked = heads.filter(|mesh| !mesh["input"].is_null()).count();
        assert_eq!(checked, 1);
        assert_eq!(report["meshes"][0]["vertices"]["found"], mesh.points.len() / 3);
    });
}

#[test]
fn bad_input_is_named_with_a_remedy() {
    let demo = Demo::get();
    let (head, _) = demo.meshes.iter().find(|(name, _)| name.starts_with("head")).unwrap();
    each("bad_input_is_named_with_a_remedy", false, |session| {
        let archetype = path(&demo.archetype);
        let check = format!("mhCheckTopology -archetype {archetype}");
        // Nothing there at all.
        session.refused(&check, "NO_INPUT");
        session.refused("mhCheckTopology", "USAGE");
        session.refused(&format!("{check} -headOnly -bodyOnly"), "USAGE");
        session.refused(&format!("{check} -jobs 0"), "USAGE");

        session.load_mesh(demo, head, head, "");
        // A name that is nearly right.
        let wrong = format!("{}x", &head[..head.len() - 1]);
        let reply = session.refused(&format!("{check} {wrong}"), "NAME_NOT_FOUND");
        assert!(reply.errors[0].contains(&format!("did you mean |{head}?")), "{:?}", reply.errors);
        // No mesh.
        session.ok("createNode camera -n cam; createNode transform -n empty");
        let reply = session.refused(&format!("{check} |cam|camShape1"), "NAME_NOT_FOUND");
        assert_eq!(reply.errors.len(), 1);
        session.refused(&format!("{check} |empty"), "NOT_A_MESH");
        session.ok("select -r empty");
        session.refused(&check, "NOT_A_MESH");
        session.ok("select -clear");
        // Two of one name.
        session.ok("createNode transform -n copy");
        session.load_mesh(demo, head, head, "copy");
        let reply = session.refused(&format!("{check} {head}"), "AMBIGUOUS_NAME");
        assert!(reply.errors[0].contains(&format!("|{head}, |copy|{head}")), "{:?}", reply.errors);
        let found = session.ok(&check);
        assert!(found.results.iter().any(|line| line.contains("|copy|")), "{:?}", found.results);
        session.ok("delete copy");
        // A mesh that a scene only refers to is read.
        session.ok(&format!("fakeReferenced {head}Shape"));
        let report = session.json(&format!("{check} -json -headOnly {head}"));
        assert!(
            report["findings"].as_array().unwrap().iter().any(|found| found["code"] == "REFERENCED_MESH")
        );
        assert_ne!(report["status"], "refused");

        // Folders that are not there or must not be written to.
        session.refused(&format!("mhCheckTopology -archetype /no/such/folder {head}"), "FILE_READ");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let build = format!("mhBuildDna -archetype {archetype} -headOnly -name a");
        session.refused(&build, "USAGE");
        session.refused(&format!("{build} -outDir {}", path(&file)), "OUTPUT_PATH");
        session.refused(&format!("{build} -outDir {} -expressions sing", path(dir.path())), "USAGE");
        session.refused(&format!("{build} -outDir {} -strategySet luck", path(dir.path())), "USAGE");
        let reply = session.mel(&format!("{build} -outDir {} -fillMissing maybe", path(dir.path())));
        assert!(!reply.ok);

        // Files that are no DNA.
        session.refused(&format!("mhInspectDna {}", path(&file)), "DNA_UNREADABLE");
        session.refused("mhInspectDna /no/such.dna", "DNA_UNREADABLE");
        session.refused("mhInspectDna", "USAGE");
        assert!(session.ok("fakeUndoQueue").results.iter().all(|name| !name.starts_with("mh")));
    });
}

#[test]
fn what_maya_does_not_say_is_not_guessed() {
    each("what_maya_does_not_say_is_not_guessed", false, |session| {
        let demo = Demo::get();
        session.load_character(demo);
        let check = format!("mhCheckTopology -archetype {}", path(&demo.archetype));
        // Meshes that are not selected are not meant, and a person that lies down is no other person.
        for (statement, code) in
            [("ls -long -selection", "SELECTION_UNKNOWN"), ("upAxis -q", "SCENE_UP_AXIS")]
        {
            session.ok(&format!("fakeRefuse {}", mel_string(statement)));
            session.refused(&check, code);
        }
        session.ok("fakeRefuse");
        session.ok(&check);
    });
}

#[test]
fn joints_that_cannot_move_refuse_the_fit_and_nothing_moves() {
    let demo = Demo::get();
    let expected = fitted_joints(demo);
    let names: Vec<String> = expected.keys().cloned().collect();
    each("joints_that_cannot_move_refuse_the_fit_and_nothing_moves", false, |session| {
        session.load_character(demo);
        let fit = format!("mhFit -archetype {}", path(&demo.archetype));
        session.refused(&fit, "NO_JOINTS");
        session.load_flat_skeleton(&names);
        let last = names.last().unwrap();

        session.ok(&format!("setAttr -lock on {last}.ty"));
        let before = session.hash();
        let reply = session.refused(&fit, "JOINT_HELD");
        assert!(reply.errors[0].contains(&format!("|{last}: translateY is locked")), "{:?}", reply.errors);
        assert_eq!(session.hash(), before);
        let report = session.json(&format!("{fit} -json"));
        assert_eq!(report["status"], "refused");
        session.ok(&format!("setAttr -lock off {last}.ty"));

        session.ok(&format!("createNode transform -n driver; connectAttr driver.t {last}.t"));
        let reply = session.refused(&fit, "JOINT_HELD");
        assert!(reply.errors[0].contains("driven by driver.translate"), "{:?}", reply.errors);
        session.ok(&format!("disconnectAttr driver.t {last}.t"));

        // Two skeletons: a root says which.
        session.ok("createNode transform -n second");
        session.ok(&format!("createNode joint -n {} -p second", names[0]));
        let reply = session.refused(&fit, "AMBIGUOUS_JOINT");
        assert!(reply.errors[0].contains(&format!("|second|{}", names[0])), "{:?}", reply.errors);
        session.refused(&format!("{fit} -root secnd"), "NAME_NOT_FOUND");
        let moved = session.ok(&format!("{fit} -root second"));
        assert_eq!(moved.results, [format!("|second|{}", names[0])]);
        assert!(
            moved.warnings.iter().any(|warning| warning.contains("[JOINTS_MISSING]")),
            "{:?}",
            moved.warnings
        );
        session.ok("undo; delete second");

        // Bound joints move, with a warning.
        let (mesh, _) = &demo.meshes[0];
        session.ok(&format!("skinCluster -n skin {last} {mesh}"));
        let reply = session.ok(&fit);
        assert!(
            reply.warnings.iter().any(|warning| warning.contains("[BOUND_JOINTS]: skin")),
            "{:?}",
            reply.warnings
        );
        check_joints(session, &expected, 1.0);
    });
}

/// The texts that the progress bar showed.
fn statuses(session: &mut Session) -> Vec<String> {
    session.ok("fakeComputation").results.split_off(5)
}

#[test]
fn esc_at_each_stage_leaves_nothing_behind() {
    let demo = Demo::get();
    let names: Vec<String> = fitted_joints(demo).into_keys().collect();
    let dir = tempfile::tempdir().unwrap();
    // One plug-in of all: stages and threads are the same code in every year.
    let Some(plugin) = plugins().pop() else { return };
    let Some(mut session) = Session::start("esc_at_each_stage_leaves_nothing_behind", &plugin, true) else {
        return;
    };
    let session = &mut session;
    session.load_character(demo);
    session.load_flat_skeleton(&names);
    let before = session.hash();
    let archetype = path(&demo.archetype);
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let commands = [
        format!("mhCheckTopology -archetype {archetype}"),
        format!("mhFit -archetype {archetype}"),
        format!("mhBuildDna -archetype {archetype} -outDir {} -name mary", path(&out)),
    ];
    for command in &commands {
        session.ok(command);
        let stages = statuses(session);
        assert!(stages.len() > 1, "{stages:?}");
        if command.starts_with("mhFit") {
            session.ok("undo");
        }
        let _ = std::fs::remove_dir_all(&out);
        std::fs::create_dir(&out).unwrap();
        for stage in &stages {
            session.ok(&format!("fakeEsc {}", mel_string(stage)));
            let steps = session.ok("fakeUndoQueue").results.len();
            session.refused(command, "CANCELLED");
            let computation = session.ok("fakeComputation").results;
            assert_eq!(computation[1], "1", "{stage} was not interrupted");
            assert_eq!(computation[4], "0", "{stage}: the progress bar stays");
            let (gap, stop): (f64, f64) = (computation[2].parse().unwrap(), computation[3].parse().unwrap());
            eprintln!(
                "{stage}: longest gap between looks for Esc {gap:.0} ms, stopped {stop:.0} ms after it"
            );
            assert_eq!(session.hash(), before, "{stage}");
            assert_eq!(session.ok("fakeUndoQueue").results.len(), steps);
            assert!(is_empty(&out), "{stage}: files are left");
        }
        // Nothing blocks the next run.
        session.ok("fakeEsc");
        session.ok(command);
        if command.starts_with("mhFit") {
            session.ok("undo");
        }
    }
}

#[test]
fn a_cancelled_command_says_so_in_its_report() {
    let demo = Demo::get();
    let Some(plugin) = plugins().pop() else { return };
    let Some(mut session) = Session::start("a_cancelled_command_says_so_in_its_report", &plugin, true) else {
        return;
    };
    session.load_character(demo);
    session.ok("fakeEsc checking");
    let report = session.json(&format!("mhCheckTopology -json -archetype {}", path(&demo.archetype)));
    assert_eq!(report["status"], "cancelled");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let demo = Demo::get();
    let dir = tempfile::tempdir().unwrap();
    let Some(plugin) = plugins().pop() else { return };
    let Some(mut session) = Session::start("results_do_not_depend_on_the_number_of_threads", &plugin, false)
    else {
        return;
    };
    session.load_character(demo);
    let mut files = Vec::new();
    for threads in [1, 3] {
        let out = dir.path().join(threads.to_string());
        let archetype = path(&demo.archetype);
        session.ok(&format!("mhBuildDna -a {archetype} -o {} -n mary -jobs {threads}", path(&out)));
        files.push(dna_files(&out));
    }
    assert!(files[0] == files[1]);
}

#[test]
fn every_option_of_the_command_line_has_a_flag() {
    for table in mhrig_maya::COMMANDS {
        let options = mhrig_e2e::cli_options(table.verb);
        let Some(options) = options else {
            mhrig_testkit::skip(
                "every_option_of_the_command_line_has_a_flag",
                &format!("no verb {}", table.verb),
            );
            continue;
        };
        let known: Vec<&str> = table.flags().filter_map(|flag| flag.cli).collect();
        // What a host application does by other means.
        let elsewhere = ["quiet", "verbose", "all", "color", "version", "pick", "no-fill"];
        // An assembly goes into the open scene of the running Maya; the file's proof is the command line's.
        let of_files: &[&str] =
            if table.verb == "assemble" { &["output", "maya", "verify", "viewer"] } else { &[] };
        let missing: Vec<&String> = options
            .iter()
            .filter(|option| !known.contains(&option.as_str()) && !elsewhere.contains(&option.as_str()))
            .filter(|option| !of_files.contains(&option.as_str()))
            .collect();
        assert!(missing.is_empty(), "{} has no flag for {missing:?} of `mhrig {}`", table.name, table.verb);
    }
}

#[test]
fn every_value_of_the_command_lines_options_is_in_the_flags_help() {
    for table in mhrig_maya::COMMANDS {
        let Some(values) = mhrig_e2e::cli_values(table.verb) else {
            let reason = format!("no verb {}", table.verb);
            mhrig_testkit::skip("every_value_of_the_command_lines_options_is_in_the_flags_help", &reason);
            continue;
        };
        for flag in table.flags() {
            let words: Vec<&str> = flag.help.split(|c: char| !c.is_alphanumeric()).collect();
            for value in flag.cli.and_then(|option| values.get(option)).into_iter().flatten() {
                let (name, option) = (table.name, flag.long);
                assert!(
                    words.contains(&value.as_str()),
                    "{name} {option} does not say that it takes {value}"
                );
            }
        }
    }
}

#[test]
fn the_seeds_strategies_give_the_bytes_of_the_command_line_too() {
    let demo = Demo::get();
    let dir = tempfile::tempdir().unwrap();
    let files = dir.path().join("files");
    let request = BuildRequest {
        archetype: demo.archetype.clone(),
        meshes: MeshSource::files([&demo.character]),
        out_dir: files.clone(),
        name: "mary".to_owned(),
        fit: mhrig::FitOptions::seed(),
        ..BuildRequest::default()
    };
    assert_eq!(silently(|job| mhrig::build(&request, job)).status, Status::Ok);
    let Some(plugin) = plugins().pop() else { return };
    let test = "the_seeds_strategies_give_the_bytes_of_the_command_line_too";
    let Some(mut session) = Session::start(test, &plugin, false) else { return };
    session.load_character(demo);
    let (archetype, out) = (path(&demo.archetype), dir.path().join("scene"));
    session.ok(&format!("mhBuildDna -a {archetype} -o {} -n mary -strategySet seed", path(&out)));
    assert!(dna_files(&out) == dna_files(&files));
    session.refused(&format!("mhBuildDna -a {archetype} -o x -n y -ss better"), "USAGE");
}

#[test]
fn nothing_is_printed_past_the_host() {
    let demo = Demo::get();
    each("nothing_is_printed_past_the_host", false, |session| {
        session.load_character(demo);
        let reply: Reply = session.ok(&format!("mhCheckTopology -archetype {}", path(&demo.archetype)));
        assert!(!reply.errors.iter().any(|error| error.starts_with("printed: ")), "{:?}", reply.errors);
        assert!(reply.infos.iter().all(|info| info.starts_with("MhRigCreator: ")), "{:?}", reply.infos);
    });
}
