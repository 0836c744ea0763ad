//! Rigs as Maya ASCII: what is written reads back the same, what is broken is refused, nothing makes the reader panic.
#![allow(clippy::unwrap_used)]

use std::path::Path;

#[path = "common/rig_entry.rs"]
mod rig_entry;

use mhrig_geom::{Mesh, Polygons, UvSet};
use mhrig_report::{Cancel, Finding, Job, Silent};
use mhrig_scene::{
    BlendShape, Connection, Constraint, ConstraintKind, ConstraintTarget, CurveOutput, CustomAttribute,
    DisplayLayer, DrivenCurve, Joint, LOD_ATTRIBUTE, Limit, LockedNormal, Material, NamingPatterns,
    ObjectSet, Plug, PluginRequirement, ReadOptions, RigLogicKind, RigLogicNode, RigMesh, RigScene,
    SceneError, Shape, ShapeTarget, SkinCluster, TransformNode, UpAxis, UtilityKind, UtilityNode, Wire,
    lint_ma, read_mesh_bytes, read_rig_ma_bytes, write_rig_ma,
};
use proptest::prelude::*;

fn written(scene: &RigScene) -> Vec<u8> {
    let mut bytes = Vec::new();
    let job = Job { progress: &Silent, cancel: &Cancel::default() };
    write_rig_ma(&mut bytes, scene, job).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<RigScene, SceneError> {
    read_rig_ma_bytes(Path::new("rig.ma"), bytes, Job { progress: &Silent, cancel: &Cancel::default() })
}

fn lint(bytes: &[u8]) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rig.ma");
    std::fs::write(&file, bytes).unwrap();
    lint_ma(&file, Job { progress: &Silent, cancel: &Cancel::default() }).unwrap()
}

fn plug(node: &str, attribute: &str) -> Plug {
    Plug::new(node, attribute)
}

/// A little of everything.
fn scene() -> RigScene {
    let mut faces = Polygons::default();
    faces.push([0, 1, 2, 3]).unwrap();
    faces.push([0, 3, 4]).unwrap();
    let mesh = Mesh {
        positions: vec![
            [0.0, 1.5e-7, -0.0],
            [1.0, 0.1, 0.0],
            [1.0, 1.0, 0.3],
            [0.0, 1.0, 1e10],
            [-1.0, 0.5, 0.25],
        ],
        faces,
        uv: Some(UvSet {
            coords: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            corners: vec![0, 1, 2, 3, 0, 3, 2],
        }),
    };
    let mut lod_group = TransformNode::group("a:head_lod0_grp", Some("a:rig"));
    lod_group.attributes.push(CustomAttribute {
        name: LOD_ATTRIBUTE.to_owned(),
        value: 0.0,
        limit: None,
        keyable: false,
    });
    let mut control = TransformNode::group("a:CTRL_C_jaw", Some("a:rig"))
        .at([0.1, -2.0, 1.0 / 3.0])
        .with_shape(Shape::Curve { points: vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.5, 0.5, 0.0]] })
        .with_color(17)
        .with_locked(["translateZ", "rotateX", "visibility"]);
    control.limits = [Some(Limit { min: -1.0, max: 1.0 }), Some(Limit { min: 0.0, max: 1.0 }), None];
    control.rotate = [10.0, 0.0, -45.5];
    control.scale = [0.5; 3];
    let mut holder = TransformNode::group("a:CTRL_expressions", Some("a:rig"));
    holder.attributes.push(CustomAttribute {
        name: "jawOpen".into(),
        value: 0.25,
        limit: Some(Limit { min: 0.0, max: 1.0 }),
        keyable: true,
    });
    let mut label =
        TransformNode::group("a:TXT", Some("a:rig")).with_shape(Shape::Label { text: "jaw \"C\"\\".into() });
    label.is_template = true;
    label.visible = false;
    let locator = TransformNode::group("a:LOC", Some("a:rig")).with_shape(Shape::Locator { size: 2.5 });
    let up = TransformNode::group("a:LOC_up", Some("a:rig")).with_shape(Shape::Locator { size: 1.0 });
    let joint = |name: &str, parent: &str, at: [f64; 3]| Joint {
        name: name.into(),
        parent: Some(parent.into()),
        translate: at,
        orient: [0.0, 90.0, 1.0 / 7.0],
        radius: 0.2,
        color: Some(12),
        attributes: vec![CustomAttribute {
            name: "jawOpen".into(),
            value: 0.0,
            limit: Some(Limit { min: 0.0, max: 1.0 }),
            keyable: true,
        }],
    };
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -0.125, 2.0, 1.0 / 3.0, 1.0];
    let target = |node: &str, weight: f64| ConstraintTarget {
        node: node.into(),
        weight,
        offset_translate: [0.5, 0.0, 0.0],
        offset_rotate: [0.0, 0.0, 30.0],
    };
    let wire = |index: u32, plug: Plug| Wire { index, plug };
    RigScene {
        up_axis: UpAxis::Z,
        maya_version: 2025,
        plugins: vec![
            PluginRequirement {
                name: "mhrigcreator".into(),
                version: "0.1.0".into(),
                node_types: vec!["mhRigLogic".into()],
            },
            PluginRequirement {
                name: "quatNodes".into(),
                version: "1.0".into(),
                node_types: vec!["eulerToQuat".into()],
            },
        ],
        metadata: vec![
            ("mhrigTool".into(), "a \"quoted\" \\ text\nin two lines; é".into()),
            ("mhrigHeadHash".into(), "0123".into()),
            ("mhrigHeadFile".into(), String::new()),
        ],
        transforms: vec![TransformNode::group("a:rig", None), lod_group, control, holder, label, locator, up],
        joints: vec![
            joint("a:root", "a:rig", [0.0; 3]),
            joint("a:neck_01", "a:root", [0.1, 120.0, -3.0]),
            joint("a:FACIAL_C_Jaw", "a:neck_01", [0.0, 1e-9, 2.0]),
        ],
        materials: vec![Material { name: "a:shader".into(), color: [0.5, 0.25, 0.125], transparency: 0.5 }],
        meshes: vec![RigMesh {
            name: "a:head_lod0_mesh".into(),
            parent: "a:head_lod0_grp".into(),
            mesh,
            locked_normals: vec![
                LockedNormal { corner: 1, normal: [0.0, 0.6, 0.8] },
                LockedNormal { corner: 6, normal: [0.0, -1.0, 0.0] },
            ],
            material: 0,
        }],
        blend_shapes: vec![BlendShape {
            name: "a:head_lod0_mesh_blendShapes".into(),
            mesh: 0,
            targets: vec![
                ShapeTarget {
                    name: "jaw_open".into(),
                    vertices: vec![0, 1, 2, 4],
                    deltas: vec![[0.0, -1.0, 0.0], [1e-8, 0.0, 0.0], [0.1, 0.2, 0.3], [3.0, 0.0, -0.5]],
                },
                ShapeTarget { name: "empty".into(), vertices: Vec::new(), deltas: Vec::new() },
                ShapeTarget { name: "one".into(), vertices: vec![3], deltas: vec![[1.0, 2.0, 3.0]] },
            ],
        }],
        skin_clusters: vec![SkinCluster {
            name: "a:head_lod0_mesh_skinCluster".into(),
            mesh: 0,
            influences: vec![0, 2],
            bind_pre: vec![identity, identity],
            offsets: vec![0, 1, 3, 3, 4, 6],
            weights: vec![(0, 1.0), (0, 0.75), (1, 0.25), (1, 1.0), (0, 0.1), (1, 0.9)],
            max_influences: 12,
        }],
        display_layers: vec![DisplayLayer {
            name: "a:head_lod0_layer".into(),
            members: vec!["a:head_lod0_grp".into()],
            visible: false,
        }],
        curves: vec![
            DrivenCurve {
                name: "a:curve".into(),
                output: CurveOutput::Number,
                keys: vec![[0.0, 0.0], [0.2, 1.0], [0.4, 0.0]],
            },
            DrivenCurve {
                name: "a:angle".into(),
                output: CurveOutput::Angle,
                keys: vec![[0.0, 0.0], [1.0, -30.0]],
            },
            DrivenCurve { name: "a:length".into(), output: CurveOutput::Length, keys: vec![[0.0, 3.25]] },
        ],
        utilities: vec![
            UtilityNode { name: "a:quat".into(), kind: UtilityKind::EulerToQuat, values: Vec::new() },
            UtilityNode {
                name: "a:clamp".into(),
                kind: UtilityKind::Clamp,
                values: vec![("minR".into(), 0.0), ("maxR".into(), 1.0)],
            },
        ],
        constraints: vec![
            Constraint {
                name: "a:LOC_parentConstraint1".into(),
                node: "a:LOC".into(),
                kind: ConstraintKind::Parent,
                targets: vec![target("a:neck_01", 0.0), target("a:rig", 1.0)],
            },
            Constraint {
                name: "a:CTRL_C_jaw_aimConstraint1".into(),
                node: "a:CTRL_C_jaw".into(),
                kind: ConstraintKind::Aim {
                    aim: [0.0, 0.0, 1.0],
                    up: [0.0, 1.0, 0.0],
                    up_object: "a:LOC_up".into(),
                },
                targets: vec![ConstraintTarget {
                    offset_translate: [0.0; 3],
                    offset_rotate: [0.0; 3],
                    ..target("a:LOC", 1.0)
                }],
            },
        ],
        rig_logic: vec![RigLogicNode {
            name: "a:head_rl4Embedded".into(),
            kind: RigLogicKind::MhRigLogic,
            dna_file_path: "角色/head.dna".into(),
            naming: NamingPatterns {
                control: "a:<objName>.<attrName>".into(),
                input_joint: "a:<objName>.<attrName>".into(),
                joint: "a:<objName>.<attrName>".into(),
                blend_shape: "a:<objName>_blendShapes.<attrName>".into(),
                animated_map: "a:FRM_WMmultipliers.<objName>_<attrName>".into(),
            },
            coordinate_system: "left,up,front".into(),
            lod: 1,
            inputs: vec![
                wire(0, plug("a:CTRL_expressions", "jawOpen")),
                wire(1, plug("a:quat", "outputQuatX")),
            ],
            translations: vec![wire(3, plug("a:FACIAL_C_Jaw", "translateY"))],
            rotations: vec![wire(0, plug("a:FACIAL_C_Jaw", "rotateX"))],
            scales: Vec::new(),
            blend_shapes: vec![wire(7, plug("a:head_lod0_mesh_blendShapes", "jaw_open"))],
            animated_maps: Vec::new(),
        }],
        connections: vec![
            Connection { from: plug("a:CTRL_C_jaw", "translateY"), to: plug("a:curve", "input") },
            Connection { from: plug("a:curve", "output"), to: plug("a:clamp", "inputR") },
            Connection { from: plug("a:clamp", "outputR"), to: plug("a:CTRL_expressions", "jawOpen") },
            Connection { from: plug("a:neck_01", "rotateX"), to: plug("a:quat", "inputRotateX") },
            Connection {
                from: plug("a:LOC_parentConstraint1", "constraintTranslateX"),
                to: plug("a:LOC", "translateX"),
            },
            Connection {
                from: plug("a:CTRL_C_jaw", "translateX"),
                to: plug("a:LOC_parentConstraint1", "neck_01W0"),
            },
        ],
        sets: vec![ObjectSet { name: "a:FacialControls".into(), members: vec!["a:CTRL_C_jaw".into()] }],
    }
}

#[test]
fn a_rig_reads_back_to_the_same_description() {
    let scene = scene();
    assert_eq!(scene.check(), Vec::new());
    let bytes = written(&scene);
    let again = read(&bytes).unwrap();
    assert_eq!(again, scene);
    assert_eq!(written(&again), bytes);
}

#[test]
fn what_a_rig_was_made_from_stands_on_its_top_group() {
    let text = String::from_utf8(written(&scene())).unwrap();
    assert_eq!(text.matches("fileInfo").count(), 1, "only who wrote the file");
    let top = text.find("createNode transform -n \"a:rig\"").unwrap();
    let next = top + 1 + text[top + 1..].find("createNode").unwrap();
    assert!(text[top..next].contains("setAttr \".mhrigHeadHash\" -type \"string\" \"0123\";"));
    let misplaced = text.replacen(
        "createNode transform",
        "createNode transform -n \"a:other\";\ncreateNode transform",
        1,
    );
    assert!(read(misplaced.as_bytes()).unwrap_err().to_string().contains("top group"));
    let joint = "createNode joint -n \"a:root\" -p \"a:rig\";\n";
    let on_joint =
        text.replacen(joint, &format!("{joint}\taddAttr -sn \"x\" -ln \"x\" -dt \"string\";\n"), 1);
    assert!(on_joint != text && read(on_joint.as_bytes()).unwrap_err().to_string().contains("top group"));
    let job = Job { progress: &Silent, cancel: &Cancel::default() };
    let stages = mhrig_scene::rig_statements(&scene(), &[], job).unwrap();
    let wanted = "setAttr \"a:rig.mhrigHeadHash\" -type \"string\" \"0123\";";
    assert!(stages[0].statements.iter().any(|statement| statement == wanted), "{:?}", stages[0]);
}

#[test]
fn the_mesh_reader_finds_the_meshes_of_a_rig_at_rest() {
    let scene = scene();
    let job = Job { progress: &Silent, cancel: &Cancel::default() };
    let options = ReadOptions { up_axis: Some(UpAxis::Y), ..ReadOptions::default() };
    let found = read_mesh_bytes(Path::new("rig.ma"), &written(&scene), &options, job).unwrap();
    assert!(found.broken.is_empty(), "{:?}", found.broken);
    assert_eq!(found.meshes.len(), 1);
    assert_eq!(found.meshes[0].name, "head_lod0_mesh");
    assert_eq!(found.meshes[0].mesh, scene.meshes[0].mesh);
    // The file itself says that Z is up.
    let found = read_mesh_bytes(Path::new("rig.ma"), &written(&scene), &ReadOptions::default(), job).unwrap();
    let upright = scene.meshes[0].mesh.positions.iter().map(|[x, y, z]| [*x, *z, -*y]);
    let pairs = found.meshes[0].mesh.positions.iter().zip(upright);
    assert!(pairs.clone().count() > 0);
    for (found, expected) in pairs {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}, {expected:?}");
    }
}

#[test]
fn a_written_rig_has_nothing_that_the_lint_complains_about() {
    assert_eq!(lint(&written(&scene())), Vec::new());
}

#[test]
fn the_lint_names_what_is_not_there() {
    let text = String::from_utf8(written(&scene())).unwrap();
    let cases = [
        (
            "createNode joint -n \"a:neck_01\" -p \"a:root\";",
            "createNode joint -n \"a:neck_9\" -p \"a:root\";",
            "NODE_MISSING",
        ),
        ("connectAttr \"a:curve.output\"", "connectAttr \"a:curve.putout\"", "ATTRIBUTE_MISSING"),
        ("setAttr \".jo\"", "setAttr \".jx\"", "ATTRIBUTE_MISSING"),
        ("createNode clamp", "createNode clump", "NODE_TYPE"),
        ("requires -nodeType \"mhRigLogic\"", "requires -nodeType \"other\"", "PLUGIN_MISSING"),
        ("\"a:clamp.inputR\"", "\"a:CTRL_expressions.jawOpen\"", "TWO_SOURCES"),
        ("-p \"a:head_lod0_grp\"", "-p \"a:nowhere\"", "NODE_MISSING"),
    ];
    for (from, to, code) in cases {
        assert!(text.contains(from), "{from}");
        let findings = lint(text.replacen(from, to, 1).as_bytes());
        assert!(findings.iter().any(|finding| finding.code == code), "{from}: {findings:?}");
    }
}

#[test]
fn attributes_of_nodes_that_are_not_there_are_found_and_refused() {
    let text = String::from_utf8(written(&scene())).unwrap();
    let lines = text.lines().count() as u64;
    let end = "// End of scene\n";
    let first = "createNode transform -n \"a:rig\";";
    let cases = [
        (end, "setAttr \"a:nobody.v\" no;\n", lines),
        (end, "setAttr -l on -k off \":a:nobody.v\";\n", lines),
        (end, "select -ne \"a:nobody\";\n\tsetAttr \".v\" no;\n", lines + 1),
        (end, "select -ne a:nobody;\n\taddAttr -ln \"x\" -at \"double\";\n", lines + 1),
        (end, "select -cl;\n\tsetAttr \".v\" no;\n", lines + 1),
        // also a node that comes later
        (first, "setAttr \"a:rig.v\" no;\n", line_of(&text, first)),
    ];
    for (before, added, line) in cases {
        let broken = text.replacen(before, &format!("{added}{before}"), 1);
        let findings = lint(broken.as_bytes());
        assert_eq!(findings.len(), 1, "{added}: {findings:?}");
        let place = format!("rig.ma:{line}");
        assert!(findings[0].code == "NODE_MISSING" && findings[0].place.contains(&place), "{findings:?}");
        let error = read(broken.as_bytes()).unwrap_err();
        assert!(error.code() == "FILE_MALFORMED" && error.place().contains(&place), "{added}: {error}");
        // whoever wants the meshes alone is not told of it
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let options = ReadOptions { up_axis: Some(UpAxis::Y), ..ReadOptions::default() };
        let found = read_mesh_bytes(Path::new("rig.ma"), broken.as_bytes(), &options, job).unwrap();
        assert_eq!((found.meshes.len(), found.broken.len()), (1, 0), "{added}");
    }
    let alone = "//Maya ASCII 2025 scene\nrequires maya \"2025\";\nsetAttr \".v\" no;\n";
    assert!(read(alone.as_bytes()).unwrap_err().place().contains("rig.ma:3"));
    assert_eq!(lint(alone.as_bytes())[0].code, "NODE_MISSING");
}

fn line_of(text: &str, part: &str) -> u64 {
    text[..text.find(part).unwrap()].lines().count() as u64 + 1
}

#[test]
fn nodes_that_every_scene_has_may_be_set() {
    let text = String::from_utf8(written(&scene())).unwrap();
    let own = "select -ne :time1;\n\tsetAttr \".o\" 1;\n\taddAttr -ln \"x\" -at \"double\";\n\
               setAttr \":defaultResolution.w\" 960;\nselect -ne \":a:CTRL_C_jaw\";\n\tsetAttr \".s\" -type \"double3\" 0.25 0.25 0.25;\n";
    let end = "// End of scene\n";
    let saved = text.replacen(end, &format!("{own}{end}"), 1);
    assert_eq!(lint(saved.as_bytes()), Vec::new());
    let mut expected = scene();
    expected.transforms[2].scale = [0.25; 3];
    assert_eq!(read(saved.as_bytes()).unwrap(), expected);
}

#[test]
fn descriptions_that_are_no_scene_are_refused_with_a_name() {
    type Break = fn(&mut RigScene);
    let cases: [(&str, Break); 15] = [
        ("NAME_CLASH", |s| s.joints[2].name = "a:rig".into()),
        ("NAME_CLASH", |s| s.transforms[6].name = "a:head_lod0_meshShape".into()),
        ("BAD_NAME", |s| s.joints[2].name = "a:jaw open".into()),
        ("BAD_NAME", |s| s.metadata[1].0 = "mhrigTool".into()),
        ("BAD_NAME", |s| s.metadata[1].0 = "a:key".into()),
        ("RIG_INCONSISTENT", |s| s.transforms[0].parent = Some("a:rig".into())),
        ("NODE_MISSING", |s| s.joints[1].parent = Some("a:nobody".into())),
        ("NODE_MISSING", |s| s.sets[0].members.push("a:nobody".into())),
        ("NODE_MISSING", |s| s.connections[0].to.node = "a:nobody".into()),
        ("RIG_INCONSISTENT", |s| s.joints[0].translate[1] = f64::NAN),
        ("RIG_INCONSISTENT", |s| s.skin_clusters[0].influences[1] = 9),
        ("RIG_INCONSISTENT", |s| s.skin_clusters[0].weights[1].0 = 7),
        ("RIG_INCONSISTENT", |s| s.blend_shapes[0].targets[0].vertices[3] = 99),
        ("RIG_INCONSISTENT", |s| s.curves[0].keys[1][0] = -1.0),
        ("RIG_INCONSISTENT", |s| s.connections[1].to = Plug::new("a:CTRL_expressions", "jawOpen")),
    ];
    for (number, (code, change)) in cases.into_iter().enumerate() {
        let mut scene = scene();
        change(&mut scene);
        let findings = scene.check();
        assert!(findings.iter().any(|finding| finding.code == code), "case {number}: {findings:?}");
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let mut bytes = Vec::new();
        assert!(
            matches!(write_rig_ma(&mut bytes, &scene, job), Err(SceneError::Rig { .. })),
            "case {number}"
        );
        assert!(bytes.is_empty());
    }
}

#[test]
fn a_node_with_the_name_of_one_that_maya_makes_is_refused() {
    let material = format!("{}SG", scene().materials[0].name);
    let info = format!("{}_info", scene().materials[0].name);
    let with_shape = scene().transforms.iter().find(|node| node.shape != Shape::None).unwrap().name.clone();
    let shape = format!("{with_shape}Shape");
    for name in [&*material, &*info, &*shape, "persp", "layerManager", "lambert1", "upAxis_script"] {
        let mut scene = RigScene { up_axis: UpAxis::Z, ..scene() };
        let last = scene.joints.len() - 1;
        scene.joints[last].name = name.to_owned();
        let findings = scene.check();
        let is_it = |finding: &Finding| finding.code == "NAME_CLASH" && finding.place == name;
        assert!(findings.iter().any(is_it), "{name}: {findings:?}");
    }
}

#[test]
fn attributes_and_targets_with_names_that_maya_does_not_take_are_refused() {
    let on_holder = |name: &str| {
        let mut scene = scene();
        let holder = scene.transforms.iter_mut().find(|node| !node.attributes.is_empty()).unwrap();
        let mut attribute = holder.attributes[0].clone();
        attribute.name = name.to_owned();
        holder.attributes.push(attribute);
        scene
    };
    let on_shape = |name: &str| {
        let mut scene = scene();
        let mut target = scene.blend_shapes[0].targets[0].clone();
        target.name = name.to_owned();
        scene.blend_shapes[0].targets.push(target);
        scene
    };
    for (code, names) in [
        ("BAD_NAME", ["", "a b", "a:b", "a.b", "a\"b", "a\\b", "a\nb", "1a", "a[0]", "\u{e4}"].as_slice()),
        ("NAME_CLASH", &["message", "nodeState"]),
    ] {
        for name in names {
            for scene in [on_holder(name), on_shape(name)] {
                let findings = scene.check();
                assert!(findings.iter().any(|finding| finding.code == code), "{name:?}: {findings:?}");
            }
        }
    }
    let codes = |scene: RigScene| scene.check().iter().map(|finding| finding.code).collect::<Vec<_>>();
    for name in ["tx", "visibility", "v"] {
        assert_eq!(codes(on_holder(name)), ["NAME_CLASH"], "{name}");
    }
    let known = scene().blend_shapes[0].targets[0].name.clone();
    for name in ["weight", known.as_str()] {
        assert_eq!(codes(on_shape(name)), ["NAME_CLASH"], "{name}");
    }
    assert_eq!(codes(on_holder("new")), [""; 0]);
    assert_eq!(codes(on_shape("new")), [""; 0]);
}

#[test]
fn what_the_reader_refuses_has_a_line() {
    let text = String::from_utf8(written(&scene())).unwrap();
    let cases = [
        ("createNode clamp", "createNode polyCube"),
        ("setAttr \".ssc\" no;", "setAttr \".ssc\" yes;"),
        ("requires maya \"2025\";", "requires maya \"new\";"),
        ("-type \"pointArray\" 4", "-type \"pointArray\" 5"),
        ("\"vtx[0:2]\"", "\"vtx[0:4000000000]\""),
        (".vt[0:4]", ".vt[1:5]"),
        ("createNode joint -n \"a:root\"", "createNode joint -n \"a:neck_01\""),
    ];
    for (from, to) in cases {
        assert!(text.contains(from), "{from}");
        let error = read(text.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(error.place().contains("rig.ma:"), "{from}: {error}");
    }
}

#[test]
fn weights_and_faces_follow_each_other_and_counts_are_whole() {
    let text = String::from_utf8(written(&scene())).unwrap();
    let weights = "setAttr \".wl[0:4].w\"\n\t\t1 0 1\n\t\t2 0 0.75 1 0.25\n";
    let pieces =
        "setAttr -s 2 \".wl[0].w\";\nsetAttr \".wl[0].w\" 1 0 1;\nsetAttr \".wl[1:4].w\" 2 0 0.75 1 0.25\n";
    assert_eq!(read(text.replacen(weights, pieces, 1).as_bytes()).unwrap(), scene());
    assert!(text.contains(weights) && text.contains("f 4 0 1 2 3\n") && text.contains("mu 0 4 "));
    let cases = [
        (weights, "setAttr \".wl[1:5].w\"\n1 0 1\n2 0 0.75 1 0.25\n"),
        (weights, "setAttr \".wl[0:3].w\"\n1 0 1\n2 0 0.75 1 0.25\n"),
        (weights, "setAttr \".wl[0:5].w\"\n1 0 1\n2 0 0.75 1 0.25\n"),
        (weights, "setAttr \".wl[0:18446744073709551615].w\"\n1 0 1\n2 0 0.75 1 0.25\n"),
        (
            weights,
            "setAttr \".wl[1].w\" 2 0 0.75 1 0.25; setAttr \".wl[0].w\" 1 0 1; setAttr \".wl[2:4].w\"\n",
        ),
        (weights, "setAttr \".wl[0].w[0]\" 1; setAttr \".wl[0:4].w\"\n1 0 1\n2 0 0.75 1 0.25\n"),
        ("2 0 0.75 1 0.25", "2.5 0 0.75 1 0.25"),
        ("2 0 0.75 1 0.25", "-1 2 0 0.75 1 0.25"),
        ("2 0 0.75 1 0.25", "nan 2 0 0.75 1 0.25"),
        ("2 0 0.75 1 0.25", "2 0 0.75 1.7 0.25"),
        ("2 0 0.75 1 0.25", "2 -1 0.75 1 0.25"),
        ("2 0 0.75 1 0.25", "2 65536 0.75 1 0.25"),
        ("\".pm[0]\"", "\".pm[1]\""),
        ("\".pm[1]\"", "\".pm[0]\""),
        ("\".pm[1]\"", "\".pm[18446744073709551615]\""),
        ("\".mi\" 12", "\".mi\" -1"),
        ("\".mi\" 12", "\".mi\" 1.7"),
        ("\".mi\" 12", "\".mi\" 65536"),
        ("\".ovc\" 17", "\".ovc\" 256"),
        ("\".lod\" 1", "\".lod\" 0.5"),
        (".fc[0:1]", ".fc[1:2]"),
        (".fc[0:1]", ".fc[0:2]"),
        (".fc[0:1]", ".fc[0]"),
        ("f 4 0 1 2 3\n", "f -1 f 4 0 1 2 3\n"),
        ("mu 0 4 ", "mu 0 -1 mu 0 4 "),
        (" 0 1 1 1 2 1 ", " 0 1.5 1 1 2 1 "),
        ("0 no 3\n\t\t3 0 1 2\n\t\t3", "0 no 3\n\t\t3 0 1 2\n\t\t2"),
        (" 0 0.2 1 0.4 0;", " 0 0.2 1 0.4 0; setAttr \".ktv[3]\" \"a\" \"b\";"),
    ];
    for (from, to) in cases {
        assert!(text.contains(from), "{from}");
        let broken = text.replacen(from, to, 1);
        let error = read(broken.as_bytes()).unwrap_err();
        assert!(error.code() == "FILE_MALFORMED" && error.place().contains("rig.ma:"), "{to}: {error}");
    }
}

#[test]
fn many_attributes_and_layers_are_no_searches() {
    // searched one by one, attributes alone take some 10^9 comparisons of names
    const MANY: usize = 40_000;
    let mut scene = scene();
    let attribute = scene.transforms[3].attributes[0].clone();
    let more = (0..MANY).map(|n| CustomAttribute { name: format!("x{n}"), ..attribute.clone() });
    scene.transforms[3].attributes.extend(more);
    for n in 0..MANY / 10 {
        let group = TransformNode::group(format!("a:group{n}"), Some("a:rig"));
        let members = vec![group.name.clone()];
        scene.display_layers.push(DisplayLayer { name: format!("a:layer{n}"), members, visible: true });
        scene.transforms.push(group);
    }
    let sources = (0..MANY).map(|n| Connection {
        from: plug("a:CTRL_expressions", &format!("x{n}")),
        to: plug(&format!("a:clamp{n}"), "inputR"),
    });
    scene.connections.extend(sources);
    let clamps = (0..MANY).map(|n| UtilityNode {
        name: format!("a:clamp{n}"),
        kind: UtilityKind::Clamp,
        values: Vec::new(),
    });
    scene.utilities.extend(clamps);
    let bytes = written(&scene);
    assert!(read(&bytes).unwrap() == scene);
    assert_eq!(lint(&bytes), Vec::new());
}

/// Element numbers at the end of what a machine counts to: what they replace in a written rig.
const ELEMENTS_WITHOUT_END: [(&str, &str); 4] = [
    ("setAttr \".vt[0:4]\"", "setAttr \".vt[0:18446744073709551615]\" 0 0 0; setAttr \".vt[0:4]\""),
    ("setAttr -s 3 \".ktv[0:2]\" ", "setAttr \".ktv[9223372036854775808]\" 0 0; setAttr \".ktv[0:2]\" "),
    ("setAttr -s 3 \".ktv[0:2]\" ", "setAttr \".ktv[0:9223372036854775807]\" "),
    ("\"vtx[0:2]\"", "\"vtx[0:4294967295]\""),
];

fn with_elements_without_end(number: usize) -> Vec<u8> {
    let text = String::from_utf8(written(&scene())).unwrap();
    let (from, to) = ELEMENTS_WITHOUT_END[number];
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1).into_bytes()
}

#[test]
fn element_numbers_without_end_are_refused_with_a_line() {
    for number in 0..ELEMENTS_WITHOUT_END.len() {
        let error = read(&with_elements_without_end(number)).unwrap_err();
        assert!(error.code() == "FILE_MALFORMED" && error.place().contains("rig.ma:"), "{number}: {error}");
    }
}

#[test]
fn epics_command_gets_the_documented_flags_and_newer_ones_where_it_knows_them() {
    let mut epic = scene();
    epic.rig_logic[0].kind = RigLogicKind::EmbeddedNodeRl4;
    epic.plugins[0].name = "embeddedRL4".into();
    epic.plugins[0].node_types = vec!["embeddedNodeRL4".into()];
    let job = Job { progress: &Silent, cancel: &Cancel::default() };
    let command = |known: &[&str]| {
        let known: Vec<String> = known.iter().map(|flag| (*flag).to_owned()).collect();
        let stages = mhrig_scene::rig_statements(&epic, &known, job).unwrap();
        let mut statements = stages.into_iter().flat_map(|stage| stage.statements);
        statements.find(|statement| statement.starts_with("createEmbeddedNodeRL4")).unwrap()
    };
    let documented = "createEmbeddedNodeRL4 -n \"a:head_rl4Embedded\" -dfp \"角色/head.dna\" \
                      -cn \"a:<objName>.<attrName>\" -jn \"a:<objName>.<attrName>\" \
                      -bsn \"a:<objName>_blendShapes.<attrName>\" \
                      -amn \"a:FRM_WMmultipliers.<objName>_<attrName>\"";
    assert_eq!(command(&[]), format!("{documented};"));
    let newer = " -ijn \"a:<objName>.<attrName>\" -cs \"left,up,front\"";
    assert_eq!(command(&["-cs", "-ijn"]), format!("{documented}{newer};"));
}

#[test]
fn a_file_has_the_described_wires_at_epics_node_and_no_others() {
    let mut epic = scene();
    epic.rig_logic[0].kind = RigLogicKind::EmbeddedNodeRl4;
    epic.plugins[0].name = "embeddedRL4".into();
    epic.plugins[0].node_types = vec!["embeddedNodeRL4".into()];
    let node = &epic.rig_logic[0];
    let described: Vec<String> = node
        .input_connections()
        .chain(node.output_connections())
        .map(|own| format!("connectAttr \"{}\" \"{}\";", own.from, own.to))
        .collect();
    assert!(!node.inputs.is_empty() && described.len() > node.inputs.len());
    let text = String::from_utf8(written(&epic)).unwrap();
    let name = format!("\"{}.", node.name);
    let found = text.lines().filter(|line| line.starts_with("connectAttr") && line.contains(&name));
    assert_eq!(found.collect::<Vec<_>>(), described);
    // Epic's command, which would connect more, is not called.
    assert!(!text.contains("createEmbeddedNodeRL4"));
}

/// The seeds of the fuzz target: rigs as they are written, and one that a host would have saved otherwise.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let whole = scene();
    let bare = RigScene { maya_version: 2024, ..RigScene::default() };
    let mut epic = scene();
    epic.rig_logic[0].kind = RigLogicKind::EmbeddedNodeRl4;
    epic.plugins[0].name = "embeddedRL4".into();
    epic.plugins[0].node_types = vec!["embeddedNodeRL4".into()];
    let mut reordered = written(&whole);
    reordered
        .extend_from_slice(b"select -ne \"a:rig\";\n\tsetAttr -l on -k off \".v\" no;\n/* end */ // end\n");
    vec![
        ("bare.ma", written(&bare)),
        ("whole.ma", written(&whole)),
        ("epic.ma", written(&epic)),
        ("more.ma", reordered),
        ("vertices_without_end.ma", with_elements_without_end(0)),
        ("key_without_end.ma", with_elements_without_end(1)),
    ]
}

#[test]
fn the_seeds_of_the_fuzz_target_replay() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/read_rig_ma");
    if std::env::var_os("UPDATE_SEEDS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in seeds() {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        rig_entry::rig(&bytes);
        count += 1;
    }
    assert!(count >= seeds().len(), "{count} seeds");
}

#[test]
fn a_rig_cut_anywhere_is_no_crash() {
    let bytes = written(&scene());
    for end in 0..bytes.len() {
        let _ = read(&bytes[..end]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn changed_bytes_are_no_crash(
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b" -.0123459;\"[]:|f/\\*\n\xff\0vtxw".to_vec())), 1..6),
    ) {
        let mut bytes = written(&scene());
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(scene) = read(&bytes) {
            // What the reader lets through is a scene.
            prop_assert!(scene.check().is_empty());
        }
    }

    #[test]
    fn any_numbers_come_back_to_the_same_bits(
        numbers in prop::array::uniform3(any::<f64>().prop_filter("finite", |v| v.is_finite())),
        singles in prop::array::uniform3(any::<f32>().prop_filter("finite", |v| v.is_finite())),
    ) {
        let mut scene = scene();
        scene.joints[1].translate = numbers;
        scene.skin_clusters[0].bind_pre[1][12..15].copy_from_slice(&numbers);
        scene.blend_shapes[0].targets[2].deltas[0] = singles;
        scene.meshes[0].mesh.positions[2] = singles;
        scene.skin_clusters[0].weights[1].1 = singles[0];
        let again = read(&written(&scene)).unwrap();
        // -0 and 0 are different bits
        let same = format!("{again:?}") == format!("{scene:?}");
        prop_assert!(same);
    }
}
