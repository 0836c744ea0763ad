//! What is refused, by which name, and that nothing is written then.

use super::*;

#[test]
fn files_that_do_not_belong_together_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let with = |files: Vec<PathBuf>| AssembleRequest { files, archetype: None, ..pair() };
    let (head, body) = (dna("head"), dna("body"));
    let file = |part: &str, name: &str, change: fn(&mut Dna)| changed(folder.path(), part, name, change);
    let cases: Vec<(&str, AssembleRequest)> = vec![
        ("PARTS_SWAPPED", with(vec![body.clone(), head.clone()])),
        ("PARTS_SWAPPED", AssembleRequest { files: vec![body.clone(), head.clone()], ..pair() }),
        ("PARTS_SAME", with(vec![head.clone(), head.clone()])),
        ("PARTS_SAME", with(vec![body.clone(), body.clone()])),
        ("DNA_UNREADABLE", with(vec![head.clone(), folder.path().join("nowhere.dna")])),
        (
            "AXES",
            with(vec![
                head.clone(),
                file("body", "z_up.dna", |dna| {
                    let axes = &mut dna.descriptor.coordinate_system;
                    (axes.y_axis, axes.z_axis) = (5, 2);
                }),
            ]),
        ),
        (
            "AXES_UNSUPPORTED",
            with(vec![file("head", "right.dna", |dna| dna.descriptor.coordinate_system.x_axis = 1)]),
        ),
        ("UNITS", with(vec![head.clone(), file("body", "m.dna", |dna| dna.descriptor.translation_unit = 1)])),
        ("UNITS", with(vec![head.clone(), file("body", "rad.dna", |dna| dna.descriptor.rotation_unit = 1)])),
        (
            "SHARED_JOINTS",
            with(vec![
                head.clone(),
                file("body", "other.dna", |dna| {
                    for name in &mut dna.definition.joint_names {
                        *name = format!("other_{name}").into();
                    }
                }),
            ]),
        ),
        (
            "SHARED_JOINTS_APART",
            with(vec![
                head.clone(),
                file("body", "taller.dna", |dna| {
                    let spine =
                        dna.definition.joint_names.iter().position(|name| *name == "spine_02").unwrap();
                    dna.definition.neutral_joint_translations.xs[spine] += 2.0;
                }),
            ]),
        ),
        (
            "NAME_CLASH",
            with(vec![
                head.clone(),
                file("body", "clash.dna", |dna| {
                    dna.definition.mesh_names[0] = "head_lod0_mesh".into();
                }),
            ]),
        ),
        (
            "BAD_NAME",
            with(vec![file("head", "name.dna", |dna| {
                dna.definition.joint_names[200] = "jaw open".into();
            })]),
        ),
        (
            "ARCHETYPE_MISMATCH",
            AssembleRequest {
                files: vec![file("head", "joint.dna", |dna| {
                    dna.definition.joint_names[200] = "renamed".into();
                })],
                ..pair()
            },
        ),
        (
            "RIG_VERSION",
            AssembleRequest {
                files: vec![file("head", "db.dna", |dna| dna.descriptor.db_name = "MH.4".into())],
                ..pair()
            },
        ),
        (
            "CONTROL_TWICE",
            with(vec![file("head", "twice.dna", |dna| {
                dna.definition.gui_control_names[0] = "CTRL_one.ty".into();
                dna.definition.gui_control_names[1] = "CTRL_one.translateY".into();
            })]),
        ),
        (
            "CONTROL_ATTRIBUTE",
            with(vec![file("head", "turned.dna", |dna| {
                dna.definition.gui_control_names[0] = "CTRL_one.rx".into();
            })]),
        ),
        (
            "BAD_NAME",
            with(vec![file("head", "slider.dna", |dna| {
                dna.definition.gui_control_names[0] = "CTRL_one.a\"b".into();
            })]),
        ),
        (
            "BAD_NAME",
            with(vec![file("head", "channel.dna", |dna| {
                dna.definition.blend_shape_channel_names[0] = "jaw open".into();
            })]),
        ),
        (
            "NAME_CLASH",
            with(vec![file("head", "channels.dna", |dna| {
                let names = &mut dna.definition.blend_shape_channel_names;
                names[1] = names[0].clone();
            })]),
        ),
        (
            "NAME_CLASH",
            with(vec![file("head", "raw.dna", |dna| {
                dna.definition.raw_control_names[0] = "CTRL_expressions.visibility".into();
            })]),
        ),
        (
            "NAME_CLASH",
            with(vec![file("head", "envelope.dna", |dna| {
                dna.definition.blend_shape_channel_names[0] = "envelope".into();
            })]),
        ),
        (
            "NAME_CLASH",
            with(vec![file("head", "template.dna", |dna| {
                dna.definition.raw_control_names[0] = "CTRL_expressions.template".into();
            })]),
        ),
        (
            "NAME_CLASH",
            with(vec![file("head", "persp.dna", |dna| {
                dna.definition.joint_names[200] = "persp".into();
            })]),
        ),
        ("NAMESPACE", AssembleRequest { namespace: Some("a:b".into()), ..pair() }),
        ("NAMESPACE", AssembleRequest { namespace: Some("1".into()), ..pair() }),
        ("PART_COUNT", AssembleRequest { files: Vec::new(), ..pair() }),
    ];
    for (number, (code, request)) in cases.iter().enumerate() {
        let codes = refused(request);
        assert!(codes.contains(code), "case {number}, {code}: {codes:?}");
    }
}

#[test]
fn an_archetype_of_a_head_alone_tells_heads_from_bodies() {
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(archetype()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.is_file() {
            fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
        }
    }
    let rig = folder.path().join("rig.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&rig).unwrap()).unwrap();
    json.as_object_mut().unwrap().remove("body").unwrap();
    fs::write(&rig, json.to_string()).unwrap();
    let archetype = Some(folder.path().to_owned());
    described(&AssembleRequest { archetype: archetype.clone(), ..pair() });
    described(&AssembleRequest { archetype: archetype.clone(), ..request(&["body"]) });
    assert!(refused(&AssembleRequest { archetype, ..request(&["body", "head"]) }).contains(&"PARTS_SWAPPED"));
}

#[test]
fn a_raw_control_that_head_and_body_drive_differently_is_refused_by_name() {
    /// The jaw's slider and raw control in the body too, with this slope.
    fn drive(dna: &mut Dna, slope: f32) {
        dna.definition.gui_control_names = vec!["CTRL_C_jaw.ty".into()];
        // In place of one joint's rotation.
        for (number, own) in ["jawOpen", "one", "two", "three"].into_iter().enumerate() {
            dna.definition.raw_control_names[number] = format!("CTRL_expressions.{own}").into();
        }
        let table = &mut dna.behavior.controls.conditionals;
        (table.input_indices, table.output_indices) = (vec![0], vec![0]);
        (table.from_values, table.to_values) = (vec![0.0], vec![1.0]);
        (table.slope_values, table.cut_values) = (vec![slope], vec![0.0]);
    }
    let folder = tempfile::tempdir().unwrap();
    let with = |name: &str, change: fn(&mut Dna)| {
        let body = changed(folder.path(), "body", name, change);
        AssembleRequest { files: vec![dna("head"), body], ..pair() }
    };
    let scene = described(&with("same.dna", |dna| drive(dna, 1.0))).scene;
    let into =
        |connection: &&mhrig_scene::Connection| connection.to == Plug::new("CTRL_expressions", "jawOpen");
    assert_eq!(scene.connections.iter().filter(into).count(), 1);
    assert_eq!(refused(&with("other.dna", |dna| drive(dna, 0.5))), ["ROWS_DIFFER"]);
}

#[test]
fn a_name_that_maya_does_not_take_is_found_in_its_dna() {
    let folder = tempfile::tempdir().unwrap();
    type Change = fn(&mut Dna);
    let changes: [(&str, Change); 5] = [
        ("jointNames[200]: c:jaw open", |dna| dna.definition.joint_names[200] = "jaw open".into()),
        ("guiControlNames[3]: c:CTRL_one", |dna| {
            dna.definition.gui_control_names[3] = "CTRL_one.a\"b".into();
        }),
        ("rawControlNames[7]: c:CTRL_expressions", |dna| {
            dna.definition.raw_control_names[7] = "CTRL_expressions.visibility".into();
        }),
        ("blendShapeChannelNames[0]: c:head_lod0_mesh_blendShapes", |dna| {
            dna.definition.blend_shape_channel_names[0] = "jaw open".into();
        }),
        ("animatedMapNames[0]: c:FRM_WMmultipliers", |dna| {
            dna.definition.animated_map_names[0] = "FRM.jaw open".into();
        }),
    ];
    for (place, change) in changes {
        let head = changed(folder.path(), "head", "head.dna", change);
        let files = vec![head.clone(), dna("body")];
        let namespace = Some("c".to_owned());
        let request = AssembleRequest { files, archetype: None, namespace, ..pair() };
        let report = with_job(|job| describe_rig(&request, job));
        let places: Vec<_> = report.findings.iter().map(|finding| finding.place.clone()).collect();
        let expected = format!("{}: defn.{}", head.display(), place);
        assert!(places.contains(&expected), "{expected}: {places:?}");
    }
}

#[test]
fn one_broken_file_of_two_is_one_refusal_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.dna");
    let bytes = fs::read(dna("head")).unwrap();
    fs::write(&broken, &bytes[..bytes.len() / 2]).unwrap();
    let output = folder.path().join("out/rig.ma");
    let request = AssembleRequest { files: vec![broken, dna("body")], output: output.clone(), ..pair() };
    let report: Report<AssembleDetails> = with_job(|job| assemble(&request, job));
    assert_eq!(report.status, Status::Refused);
    let errors = report.findings.iter().filter(|finding| finding.severity == mhrig::Severity::Error);
    assert_eq!(errors.map(|finding| finding.code).collect::<Vec<_>>(), ["DNA_UNREADABLE"]);
    assert!(!output.exists() && !output.parent().unwrap().exists());
    // An existing scene is not replaced without being told to.
    fs::write(folder.path().join("rig.ma"), "mine").unwrap();
    let request = AssembleRequest { output: folder.path().join("rig.ma"), ..pair() };
    let report = with_job(|job| assemble(&request, job));
    assert_eq!(report.findings.last().map(|finding| finding.code), Some("OUTPUT_EXISTS"));
    assert_eq!(fs::read(folder.path().join("rig.ma")).unwrap(), b"mine");
}

#[test]
fn a_scene_and_a_page_of_one_name_are_refused_before_either_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let request = AssembleRequest {
        output: folder.path().join("rig.glb"),
        viewer: Some(folder.path().join("sub/../rig.glb")),
        force: true,
        ..pair()
    };
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(&request.output, "mine").unwrap();
    let report = with_job(|job| assemble(&request, job));
    assert_eq!(report.findings.last().map(|finding| finding.code), Some("OUTPUT_TWICE"));
    assert_eq!(fs::read(&request.output).unwrap(), b"mine");
}

#[test]
fn a_cancelled_assembly_leaves_nothing() {
    /// Raises the flag at the beginning of a stage.
    struct At<'a>(&'static str, &'a Cancel);
    impl mhrig::Progress for At<'_> {
        fn stage(&self, name: &str, _steps: usize) {
            if name == self.0 {
                self.1.cancel();
            }
        }
        fn step(&self) {}
    }
    for (stage, output) in [
        ("archetype", "rig.ma"),
        ("read", "rig.ma"),
        ("describe", "rig.ma"),
        ("verify", "rig.ma"),
        ("write", "rig.ma"),
        ("expressions", "rig.glb"),
        ("viewer", "rig.glb"),
        ("write", "rig.glb"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let cancel = Cancel::default();
        let progress = At(stage, &cancel);
        let request = AssembleRequest {
            output: folder.path().join(output),
            viewer: Some(folder.path().join("rig.html")),
            verify: true,
            ..pair()
        };
        let report = assemble(&request, Job { progress: &progress, cancel: &cancel });
        assert_eq!(report.status, Status::Cancelled, "{stage}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{stage}");
    }
}
