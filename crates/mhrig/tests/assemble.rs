//! A character's rig: described, written as Maya ASCII, read back, proven; and what is refused. On the demo human.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mhrig::{
    AssembleDetails, AssembleRequest, Cancel, DemoRequest, DriveNetwork, FaceBoard, FullSizeRequest, Job,
    Mh4mCandidate, Mh4mSearch, Orient, Report, RigDescription, RigScene, Silent, Status, UpAxis, assemble,
    describe_rig,
};
use mhrig_dna::{Dna, ReadOptions};
use mhrig_scene::{Plug, RigLogicKind, lint_ma, read_rig_ma};
use tempfile::TempDir;

#[path = "assemble/external.rs"]
mod external;
#[path = "assemble/refused.rs"]
mod refused;

fn with_job<T>(run: impl FnOnce(Job<'_>) -> T) -> T {
    run(Job { progress: &Silent, cancel: &Cancel::default() })
}

/// One demo for all tests; they only read it.
fn demo() -> &'static Path {
    static DEMO: OnceLock<TempDir> = OnceLock::new();
    let folder = DEMO.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let request = DemoRequest::new(folder.path().join("demo"));
        let report = with_job(|job| mhrig::demo(&request, job));
        let details = report.details.unwrap();
        let report = with_job(|job| mhrig::demo_build(&details, false, job));
        assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
        folder
    });
    folder.path()
}

fn archetype() -> PathBuf {
    demo().join("demo/archetype")
}

fn dna(part: &str) -> PathBuf {
    demo().join(format!("demo/out/{}_{part}.dna", mhrig::DEFAULT_IDENTITY))
}

fn request(parts: &[&str]) -> AssembleRequest {
    AssembleRequest {
        files: parts.iter().map(|part| dna(part)).collect(),
        archetype: Some(archetype()),
        output: demo().join("nowhere/rig.ma"),
        ..AssembleRequest::default()
    }
}

fn pair() -> AssembleRequest {
    request(&["head", "body"])
}

fn described(request: &AssembleRequest) -> RigDescription {
    let report = with_job(|job| describe_rig(request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    report.details.unwrap()
}

fn the_pair() -> &'static RigDescription {
    static PAIR: OnceLock<RigDescription> = OnceLock::new();
    PAIR.get_or_init(|| described(&pair()))
}

fn refused(request: &AssembleRequest) -> Vec<&'static str> {
    let report = with_job(|job| describe_rig(request, job));
    assert_eq!(report.status, Status::Refused, "{:?}", report.findings);
    report.findings.iter().map(|finding| finding.code).collect()
}

/// A DNA of the demo, changed.
fn changed(folder: &Path, part: &str, name: &str, change: impl FnOnce(&mut Dna)) -> PathBuf {
    let (mut dna, _) = Dna::read_file(&dna(part), &ReadOptions::default()).unwrap();
    change(&mut dna);
    let file = folder.join(name);
    fs::write(&file, dna.to_bytes().unwrap()).unwrap();
    file
}

fn parent<'a>(scene: &'a RigScene, name: &str) -> Option<&'a str> {
    let transforms = scene.transforms.iter().map(|node| (&node.name, node.parent.as_deref()));
    let joints = scene.joints.iter().map(|node| (&node.name, node.parent.as_deref()));
    let meshes = scene.meshes.iter().map(|node| (&node.name, Some(node.parent.as_str())));
    transforms.chain(joints).chain(meshes).find(|(own, _)| *own == name).unwrap_or_else(|| panic!("{name}")).1
}

/// `|a|b|c` of a node.
fn path(scene: &RigScene, name: &str) -> String {
    let mut path = name.to_owned();
    let mut at = parent(scene, name);
    while let Some(above) = at {
        path = format!("{above}|{path}");
        at = parent(scene, above);
    }
    path
}

#[test]
fn a_pair_is_one_skeleton_with_every_mesh_of_every_lod_bound() {
    let RigDescription { details, scene, .. } = the_pair();
    let counts = &details.counts;
    assert_eq!((counts.head_joints, counts.body_joints, counts.shared_joints), (293, 143, 27));
    assert_eq!(counts.joints, 293 + 143 - 27);
    assert_eq!((counts.meshes, counts.skin_clusters, counts.rig_logic), (54, 54, 2));
    assert_eq!((counts.blend_shapes, counts.raw_controls, counts.animated_maps), (9, 73, 37));
    assert!(details.shared_gap_cm < 1e-4);
    let roots: Vec<_> =
        scene.joints.iter().filter(|joint| parent(scene, &joint.name) == Some("joints_grp")).collect();
    assert_eq!(roots.len(), 1);
    assert_eq!(roots[0].name, "root");
    // Facial roots hang below the body's joints.
    for (joint, above) in [
        ("FACIAL_C_FacialRoot", "head"),
        ("FACIAL_C_Neck1Root", "neck_01"),
        ("FACIAL_C_Neck2Root", "neck_02"),
        ("spine_04", "spine_03"),
    ] {
        assert_eq!(parent(scene, joint), Some(above), "{joint}");
    }
    // Every mesh of the files is there, at rest where they have it.
    for part in ["head", "body"] {
        let (dna, _) = Dna::read_file(&dna(part), &ReadOptions::default()).unwrap();
        for (name, mesh) in dna.definition.mesh_names.iter().zip(&dna.geometry.meshes) {
            let own = scene.meshes.iter().find(|mesh| *name == mesh.name.as_str()).unwrap();
            assert_eq!(own.mesh.positions, mesh.positions.to_vectors());
            let skin =
                scene.skin_clusters.iter().find(|skin| skin.name == format!("{}_skinCluster", own.name));
            assert_eq!(skin.unwrap().max_influences, mesh.maximum_influence_per_vertex);
        }
    }
    for layer in &scene.display_layers {
        assert_eq!(layer.visible, layer.name.ends_with("_lod0_layer"), "{}", layer.name);
    }
    assert_eq!(scene.display_layers[0].name, "body_lod3_layer");
    assert_eq!(scene.display_layers[11].name, "head_lod0_layer");
}

#[test]
fn names_and_places_are_those_that_scripts_for_metahumans_look_for() {
    let scene = &the_pair().scene;
    for path_of in [
        "rig|head_grp|geometry_grp|head_lod0_grp|head_lod0_mesh",
        "rig|head_grp|geometry_grp|head_lod7_grp|eyeLeft_lod7_mesh",
        "rig|body_grp|body_geometry_grp|body_lod3_grp|body_lod3_mesh",
        "rig|head_grp|headRig_grp|headRigging_grp|headGui_grp|GRP_faceGUI",
        "rig|head_grp|headRig_grp|headRigging_grp|headGui_grp|CTRL_expressions",
        "rig|head_grp|headRig_grp|headRigging_grp|headGui_grp|FRM_WMmultipliers",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|GRP_C_eyesAim|CTRL_C_eyesAim|GRP_L_eyeAim|CTRL_L_eyeAim",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|GRP_C_eyesAim|CTRL_C_eyesAim|GRP_R_eyeAim|CTRL_R_eyeAim",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|LOC_C_eyeDriver|LOC_L_eyeDriver",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|LOC_C_eyeDriver|LOC_R_eyeDriver",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|LOC_C_eyeDriver|LOC_L_eyeAimUp",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|LOC_C_eyeDriver|LOC_R_eyeAimUp",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|LOC_C_eyeDriver|LOC_L_eyeDriver|L_lookDirection",
        "rig|head_grp|headRig_grp|headRigging_grp|eyesSetup_grp|LOC_C_eyeDriver|LOC_R_eyeDriver|R_lookDirection",
        "rig|head_grp|headRig_grp|headRigging_grp|LOC_world",
        "rig|body_grp|bodyRig_grp",
        "rig|joints_grp|root|pelvis",
    ] {
        let name = path_of.rsplit('|').next().unwrap();
        assert_eq!(path(scene, name), path_of);
    }
    let names: BTreeMap<&str, &str> = scene.node_names().map(|(kind, name)| (name, kind)).collect();
    for (name, kind) in [
        ("head_rl4Embedded", "mhRigLogic"),
        ("body_rl4Embedded", "mhRigLogic"),
        ("head_lod0_mesh_blendShapes", "blendShape"),
        ("head_lod0_mesh_skinCluster", "skinCluster"),
        ("body_lod3_mesh_skinCluster", "skinCluster"),
        ("head_lod0_layer", "displayLayer"),
        ("body_lod3_layer", "displayLayer"),
        ("shader_head_shader", "material"),
        ("shader_eyeLeft_shader", "material"),
        ("FacialControls", "objectSet"),
        ("GRP_faceGUI_parentConstraint1", "parentConstraint"),
        ("GRP_C_eyesAim_parentConstraint1", "parentConstraint"),
        ("CTRL_C_jaw", "transform"),
        ("CTRL_lookAtSwitch", "transform"),
        ("CTRL_faceGUIfollowHead", "transform"),
        ("CTRL_eyesAimFollowHead", "transform"),
    ] {
        assert_eq!(names.get(name), Some(&kind), "{name}");
    }
    let [head, body] = scene.rig_logic.as_slice() else { panic!() };
    assert_eq!(head.naming.joint, "<objName>.<attrName>");
    assert_eq!(head.naming.blend_shape, "<objName>_blendShapes.<attrName>");
    assert_eq!(head.naming.animated_map, "FRM_WMmultipliers.<objName>_<attrName>");
    assert_eq!(head.coordinate_system, "left,up,front");
    let plugs =
        |wires: &[mhrig_scene::Wire]| wires.iter().map(|wire| wire.plug.to_string()).collect::<Vec<_>>();
    assert!(plugs(&head.inputs).contains(&"CTRL_expressions.jawOpen".to_owned()));
    assert!(
        plugs(&head.animated_maps).contains(&"FRM_WMmultipliers.head_cm1_color_head_wm1_jawOpen".to_owned())
    );
    assert!(plugs(&head.rotations).contains(&"FACIAL_C_Jaw.rotateX".to_owned()));
    // Neck and head are inputs of the head's node and outputs of neither: the body owns them.
    assert!(plugs(&head.inputs).contains(&"neck_01_eulerToQuat.outputQuatX".to_owned()));
    for outputs in [&head.translations, &head.rotations, &head.scales, &body.rotations] {
        let on_neck =
            outputs.iter().filter(|wire| ["neck_01", "neck_02", "head"].contains(&wire.plug.node.as_str()));
        assert_eq!(on_neck.count(), 0);
    }
    let shape = &scene.blend_shapes[0];
    assert!(plugs(&head.blend_shapes).contains(&format!("{}.{}", shape.name, shape.targets[0].name)));
    // Raw controls are float attributes from 0 to 1.
    let holder = scene.transforms.iter().find(|node| node.name == "CTRL_expressions").unwrap();
    assert!(holder.attributes.iter().all(|attribute| {
        attribute.keyable && attribute.limit.is_some_and(|limit| (limit.min, limit.max) == (0.0, 1.0))
    }));
    assert_eq!(holder.locked, ["visibility"]);
    // Deformers and joints as a host is to make them.
    let jaw = scene.joints.iter().find(|joint| joint.name == "FACIAL_C_Jaw").unwrap();
    assert!(jaw.orient != [0.0; 3] || jaw.translate != [0.0; 3]);
    let joint = |name: &str| scene.joints.iter().find(|joint| joint.name == name).unwrap();
    let look = |name: &str| (joint(name).radius, joint(name).color);
    assert_eq!(look("FACIAL_L_Eye"), (1.5, Some(6)));
    assert_eq!(look("FACIAL_C_FacialRoot").1, Some(1));
    // The facial root has the controls and maps too, for exporters.
    let of_root: Vec<&str> =
        joint("FACIAL_C_FacialRoot").attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    for name in ["jawOpen", "head_cm1_color_head_wm1_jawOpen"] {
        assert!(of_root.contains(&name), "{name}");
    }
    assert!(!of_root.iter().any(|name| ["qx", "qy", "qz", "qw"].contains(name)));
    // Constraints: what leads what.
    let led = |node: &str| {
        let constraint = scene.constraints.iter().find(|constraint| constraint.node == node).unwrap();
        let leaders: Vec<&str> = constraint.targets.iter().map(|target| target.node.as_str()).collect();
        (constraint.name.as_str(), leaders)
    };
    assert_eq!(led("LOC_C_eyeDriver"), ("LOC_C_eyeDriver_parentConstraint1", vec!["FACIAL_C_FacialRoot"]));
    assert_eq!(led("GRP_faceGUI"), ("GRP_faceGUI_parentConstraint1", vec!["head", "LOC_world"]));
    assert_eq!(led("GRP_C_eyesAim"), ("GRP_C_eyesAim_parentConstraint1", vec!["head", "LOC_world"]));
    for (side, aim) in [("L", "CTRL_L_eyeAim"), ("R", "CTRL_R_eyeAim")] {
        assert_eq!(led(&format!("LOC_{side}_eyeDriver")).1, [aim]);
    }
    // Drivers and board are where the face has its eyes.
    let world = scene.rest_world();
    let place = |name: &str| world[name].column(3).xyz();
    let apart = |a: &str, b: &str| (place(a) - place(b)).norm();
    assert!(apart("LOC_C_eyeDriver", "FACIAL_C_FacialRoot") < 1e-4);
    assert!(apart("LOC_L_eyeDriver", "FACIAL_L_Eye") < 1e-4);
    assert!(apart("LOC_R_eyeDriver", "FACIAL_R_Eye") < 1e-4);
    assert!((place("CTRL_C_eye").y - place("FACIAL_L_Eye").y).abs() < 1e-3);
    assert!((place("GRP_L_eyeAim") - place("FACIAL_L_Eye")).xy().norm() < 1e-4, "in front of the eye");
    // Deformers as a host has them.
    let aliases: Vec<&str> = shape.targets.iter().map(|target| target.name.as_str()).collect();
    let (dna, _) = Dna::read_file(&dna("head"), &ReadOptions::default()).unwrap();
    for alias in aliases {
        assert!(dna.definition.blend_shape_channel_names.iter().any(|channel| *channel == alias), "{alias}");
    }
    let switch = scene.transforms.iter().find(|node| node.name == "CTRL_faceGUIfollowHead").unwrap();
    assert!(switch.limits[1].is_some(), "driven by its ty");
}

#[test]
fn the_seam_gets_one_normal_on_both_sides_in_every_lod() {
    let RigDescription { details, scene, .. } = the_pair();
    assert_eq!(details.seam.len(), 8);
    for line in &details.seam {
        assert!(line.pairs > 0 && line.gap_cm < 1e-3, "{line:?}");
        assert_eq!(line.body_lod, (line.head_lod / 2).min(3));
    }
    // The border of head LOD 0 lies on that of body LOD 0, vertex by vertex, normal by normal.
    let locked = |name: &str| {
        let mesh = scene.meshes.iter().find(|mesh| mesh.name == name).unwrap();
        let mut normals = BTreeMap::new();
        for locked in &mesh.locked_normals {
            let vertex = mesh.mesh.faces.corners()[locked.corner as usize] as usize;
            let place = mesh.mesh.positions[vertex].map(|c| (c * 1e3).round() as i64);
            normals.insert(place, locked.normal);
        }
        normals
    };
    let head = locked("head_lod0_mesh");
    assert!(head.len() >= 20);
    assert_eq!(head, locked("body_lod0_mesh"));
}

#[test]
fn the_written_scene_reads_back_to_the_same_description_and_names_nothing_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let namespaced = AssembleRequest { namespace: Some("mary".into()), up_axis: Some(UpAxis::Z), ..pair() };
    for (number, request) in [pair(), namespaced].into_iter().enumerate() {
        let request = AssembleRequest { output: folder.path().join(format!("rig{number}.ma")), ..request };
        let report = with_job(|job| assemble(&request, job));
        assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
        let scene = described(&request).scene;
        let again = with_job(|job| read_rig_ma(&request.output, job)).unwrap();
        // Not assert_eq: a difference would be printed as two scenes.
        assert!(again == scene, "{}", first_difference(&again, &scene));
        assert_eq!(with_job(|job| lint_ma(&request.output, job)).unwrap(), Vec::new());
        assert_eq!(report.details.unwrap().bytes, fs::metadata(&request.output).unwrap().len());
    }
}

fn first_difference(a: &RigScene, b: &RigScene) -> String {
    let fields = |scene: &RigScene| {
        [
            format!("{:?}", (&scene.up_axis, &scene.maya_version, &scene.plugins, &scene.metadata)),
            format!("{:?}", scene.transforms),
            format!("{:?}", scene.joints),
            format!("{:?}", scene.materials),
            format!("{:?}", scene.meshes),
            format!("{:?}", scene.blend_shapes),
            format!("{:?}", scene.skin_clusters),
            format!("{:?}", scene.display_layers),
            format!("{:?}", (&scene.curves, &scene.utilities, &scene.constraints)),
            format!("{:?}", (&scene.rig_logic, &scene.connections, &scene.sets)),
        ]
    };
    for (a, b) in fields(a).iter().zip(&fields(b)) {
        if let Some(at) = a.bytes().zip(b.bytes()).position(|(a, b)| a != b) {
            let around = |text: &str| {
                String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(80)..(at + 80).min(text.len())])
                    .into_owned()
            };
            return format!("read    {}\nwritten {}", around(a), around(b));
        }
    }
    "lengths differ".to_owned()
}

#[test]
fn a_namespace_and_z_up_change_names_and_axes_alone() {
    let plain = &the_pair().scene;
    let other =
        described(&AssembleRequest { namespace: Some("mary".into()), up_axis: Some(UpAxis::Z), ..pair() })
            .scene;
    let names: Vec<String> = plain.node_names().map(|(_, name)| format!("mary:{name}")).collect();
    assert!(other.node_names().map(|(_, name)| name).eq(names.iter().map(String::as_str)));
    assert_eq!(other.rig_logic[0].naming.joint, "mary:<objName>.<attrName>");
    let rotation = |joint: &mhrig_scene::Joint| {
        mhrig_scene::parent_from_joint([0.0; 3], joint.orient, [0.0; 3], [1.0; 3])
    };
    let quarter = mhrig_scene::parent_from_joint([0.0; 3], [90.0, 0.0, 0.0], [0.0; 3], [1.0; 3]);
    assert!((rotation(&other.joints[0]) - quarter * rotation(&plain.joints[0])).amax() < 1e-9);
    assert_eq!(other.joints[1].translate, plain.joints[1].translate);
    let [x, y, z] = plain.meshes[0].mesh.positions[7];
    assert_eq!(other.meshes[0].mesh.positions[7], [x, -z, y]);
    let [x, y, z] = plain.blend_shapes[0].targets[0].deltas[0];
    assert_eq!(other.blend_shapes[0].targets[0].deltas[0], [x, -z, y]);
}

fn verified(request: AssembleRequest) -> AssembleDetails {
    let report = with_job(|job| describe_rig(&AssembleRequest { verify: true, ..request }, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    report.details.unwrap().details
}

#[test]
fn the_assembled_pair_moves_as_its_files_say() {
    let details = verified(pair());
    let verification = details.verification.unwrap();
    assert_eq!(verification.settings, 20);
    assert_eq!(verification.meshes.len(), 54);
    assert!(verification.max_cm < mhrig::AGREEMENT_CM, "{verification:?}");
    assert!(verification.rest_max_cm < 1e-4);
    // Both sides of the neck go with the same joints.
    assert!(verification.seam_gap_cm < 1e-3 && verification.seam_angle_deg < 0.1, "{verification:?}");
    assert_eq!(verification.seam.len(), 8);
    // The open jaw, as `mhrig pose` has it: 3410 vertices of all head meshes, 3.78 cm at most.
    let jaw = verification.jaw_open.unwrap();
    assert_eq!((jaw.control.as_str(), jaw.mesh.as_str()), ("CTRL_C_jaw.translateY", "head_lod0_mesh"));
    assert!(jaw.moved > jaw.vertices / 4 && jaw.moved < jaw.vertices, "{jaw:?}");
    assert!((3.0..5.0).contains(&jaw.max_cm));
    // Upside or lengthwise, the same.
    let turned =
        verified(AssembleRequest { up_axis: Some(UpAxis::Z), namespace: Some("b".into()), ..pair() });
    let turned = turned.verification.unwrap();
    assert!(turned.max_cm < mhrig::AGREEMENT_CM);
    let turned_jaw = turned.jaw_open.unwrap();
    assert_eq!(turned_jaw.moved, jaw.moved);
    assert!((turned_jaw.max_cm - jaw.max_cm).abs() < 1e-4);
}

#[test]
fn a_slider_that_opens_the_jaw_at_0_is_found_and_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let head = changed(folder.path(), "head", "open.dna", |dna| {
        let jaw =
            dna.definition.raw_control_names.iter().position(|name| name.to_str().ends_with(".jawOpen"));
        let jaw = u16::try_from(jaw.unwrap()).unwrap();
        let table = &mut dna.behavior.controls.conditionals;
        let row = table.output_indices.iter().position(|&output| output == jaw).unwrap();
        (table.slope_values[row], table.cut_values[row]) = (0.75, 0.25);
    });
    let request = AssembleRequest { files: vec![head, dna("body")], verify: true, ..pair() };
    let report = with_job(|job| describe_rig(&request, job));
    assert_eq!(report.status, Status::Findings, "{:?}", report.findings);
    let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["REST_MOVES"]);
    let verification = report.details.unwrap().details.verification.unwrap();
    assert!(verification.rest_max_cm > 0.5 && verification.max_cm < mhrig::AGREEMENT_CM, "{verification:?}");
}

#[test]
fn a_head_or_a_body_alone_is_a_rig_too() {
    let head = described(&AssembleRequest { verify: true, ..request(&["head"]) });
    assert_eq!(head.details.counts.joints, 293);
    assert_eq!(path(&head.scene, "spine_05"), "head_grp|spine_04|spine_05");
    assert!(head.details.verification.unwrap().max_cm < mhrig::AGREEMENT_CM);
    assert!(head.details.seam.is_empty());
    let body = described(&AssembleRequest { verify: true, ..request(&["body"]) });
    assert_eq!((body.details.counts.joints, body.details.counts.board_controls), (143, 0));
    assert_eq!(path(&body.scene, "pelvis"), "body_grp|root|pelvis");
    assert!(body.details.verification.unwrap().max_cm < mhrig::AGREEMENT_CM);
    assert_eq!(body.scene.rig_logic[0].name, "body_rl4Embedded");
}

#[test]
fn the_same_scene_comes_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let request = AssembleRequest { output: folder.path().join("rig.ma"), force: true, ..pair() };
        let report = pool.install(|| with_job(|job| assemble(&request, job)));
        assert_eq!(report.status, Status::Ok);
        fs::read(&request.output).unwrap()
    };
    assert!(bytes(1) == bytes(4));
}

#[test]
fn dna_files_beside_the_scene_are_named_relative_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("dna");
    fs::create_dir(&beside).unwrap();
    fs::copy(dna("head"), beside.join("head.dna")).unwrap();
    let scene = |output: PathBuf| {
        described(&AssembleRequest { files: vec![beside.join("head.dna")], output, ..request(&["head"]) })
            .scene
    };
    assert_eq!(scene(folder.path().join("rig.ma")).rig_logic[0].dna_file_path, "dna/head.dna");
    let elsewhere = tempfile::tempdir().unwrap();
    let absolute = &scene(elsewhere.path().join("rig.ma")).rig_logic[0].dna_file_path;
    assert!(Path::new(absolute).is_absolute() && absolute.ends_with("dna/head.dna"));
}

#[test]
fn epics_node_can_be_asked_for() {
    let scene = described(&AssembleRequest { rig_logic: RigLogicKind::EmbeddedNodeRl4, ..pair() }).scene;
    assert!(scene.rig_logic.iter().all(|node| node.kind == RigLogicKind::EmbeddedNodeRl4));
    let plugin = scene.plugins.iter().find(|plugin| plugin.name == "embeddedRL4").unwrap();
    assert_eq!(plugin.node_types, ["embeddedNodeRL4"]);
}

#[test]
fn sliders_of_a_body_are_on_the_board_too() {
    let folder = tempfile::tempdir().unwrap();
    let with = |name: &str, change: fn(&mut Dna)| {
        let body = changed(folder.path(), "body", name, change);
        AssembleRequest { files: vec![dna("head"), body], ..pair() }
    };
    let scene = described(&with("new.dna", |dna| {
        dna.definition.gui_control_names = vec!["CTRL_C_belly.ty".into(), "CTRL_C_jaw.tz".into()];
    }))
    .scene;
    let control = |name: &str| scene.transforms.iter().find(|node| node.name == name).unwrap();
    assert_eq!(control("CTRL_C_belly").limits[1].map(|limit| (limit.min, limit.max)), Some((0.0, 1.0)));
    // One control of both.
    assert!(control("CTRL_C_jaw").limits.iter().all(Option::is_some));
    assert!(scene.sets[0].members.contains(&"CTRL_C_belly".to_owned()));
}

#[test]
fn a_rotation_of_no_joint_can_be_set_to_any() {
    let folder = tempfile::tempdir().unwrap();
    let body = changed(folder.path(), "body", "gone.dna", |dna| {
        for name in &mut dna.definition.raw_control_names[..4] {
            let component = name.to_str().rsplit('.').next().unwrap().to_owned();
            *name = format!("LOC_gone.{component}").into();
        }
    });
    let scene = described(&AssembleRequest { files: vec![dna("head"), body], ..pair() }).scene;
    let holder = scene.transforms.iter().find(|node| node.name == "LOC_gone").unwrap();
    let of = |value: fn(&mhrig_scene::CustomAttribute) -> f64| {
        holder.attributes.iter().map(value).collect::<Vec<_>>()
    };
    assert_eq!(of(|own| own.value), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(of(|own| own.limit.unwrap().min), [-1.0; 4]);
}

#[test]
fn normals_that_make_an_edge_are_kept_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let head = changed(folder.path(), "head", "edge.dna", |dna| {
        add_edge(dna, "teeth_lod0_mesh");
    });
    let scene =
        described(&AssembleRequest { files: vec![head, dna("body")], archetype: None, ..pair() }).scene;
    let teeth = scene.meshes.iter().find(|mesh| mesh.name == "teeth_lod0_mesh").unwrap();
    let corners = teeth.mesh.faces.corners();
    let around = corners.iter().filter(|&&vertex| vertex == corners[0]).count();
    assert_eq!(teeth.locked_normals.len(), around);
    assert_eq!((teeth.locked_normals[0].corner, teeth.locked_normals[0].normal), (0, [0.0, 1.0, 0.0]));
    let others = the_pair().scene.meshes.iter().filter(|mesh| mesh.name == "teeth_lod0_mesh");
    assert!(others.clone().count() == 1 && others.clone().all(|mesh| mesh.locked_normals.is_empty()));
}

/// A vertex of a mesh gets a normal of its own at the mesh's first face; that vertex.
fn add_edge(dna: &mut Dna, name: &str) -> u32 {
    let number = dna.definition.mesh_names.iter().position(|own| own.to_str() == name).unwrap();
    let mesh = &mut dna.geometry.meshes[number];
    let old = mesh.faces[0][0] as usize;
    let new = u32::try_from(mesh.layouts.positions.len()).unwrap();
    let normal = u32::try_from(mesh.normals.len()).unwrap();
    let (position, texture) = (mesh.layouts.positions[old], mesh.layouts.texture_coordinates[old]);
    mesh.layouts.positions.push(position);
    mesh.layouts.texture_coordinates.push(texture);
    mesh.layouts.normals.push(normal);
    let axes = [&mut mesh.normals.xs, &mut mesh.normals.ys, &mut mesh.normals.zs];
    for (axis, value) in axes.into_iter().zip([0.0, 1.0, 0.0]) {
        axis.push(value);
    }
    mesh.faces[0][0] = new;
    position
}

#[test]
fn an_edge_of_the_skin_stays_where_it_is_not_the_border() {
    let folder = tempfile::tempdir().unwrap();
    let mut edge = 0;
    let head = changed(folder.path(), "head", "edge.dna", |dna| edge = add_edge(dna, "head_lod0_mesh"));
    let scene = described(&AssembleRequest { files: vec![head, dna("body")], ..pair() }).scene;
    let of = |scene: &RigScene| {
        let mesh = scene.meshes.iter().find(|mesh| mesh.name == "head_lod0_mesh").unwrap();
        let corners = mesh.mesh.faces.corners();
        let vertices = mesh.locked_normals.iter().map(|own| corners[own.corner as usize]);
        assert!(mesh.locked_normals.is_sorted_by(|a, b| a.corner < b.corner));
        vertices.collect::<Vec<_>>()
    };
    let (without, with) = (of(&the_pair().scene), of(&scene));
    assert!(!without.is_empty() && !without.contains(&edge), "the edge is at the border");
    assert!(with.contains(&edge) && with.iter().filter(|&&own| own != edge).eq(&without));
}

#[test]
fn a_seam_without_normals_is_no_closed_one() {
    let folder = tempfile::tempdir().unwrap();
    let body = changed(folder.path(), "body", "bare.dna", |dna| {
        for mesh in &mut dna.geometry.meshes {
            for axis in [&mut mesh.normals.xs, &mut mesh.normals.ys, &mut mesh.normals.zs] {
                axis.fill(0.0);
            }
        }
    });
    let request = AssembleRequest { files: vec![dna("head"), body], ..pair() };
    let report = with_job(|job| describe_rig(&request, job));
    let bare: Vec<_> = report.findings.iter().filter(|found| found.code == "SEAM_WITHOUT_NORMALS").collect();
    let seam = report.details.unwrap().details.seam;
    assert_eq!((bare.len(), seam.len()), (8, 8));
    assert!(seam.iter().all(|line| line.without_normal == line.pairs));
    assert!(the_pair().details.seam.iter().all(|line| line.without_normal == 0 && line.pairs > 0));
}

#[test]
fn a_full_size_pair_is_1185_joints_and_54_skin_clusters_in_a_scene_that_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let request =
        FullSizeRequest { dir: folder.path().join("demo"), seed: 1, orient: Orient::Bone, force: false };
    let made = with_job(|job| mhrig::full_size_demo(&request, job)).details.unwrap();
    let request = AssembleRequest {
        files: ["head.dna", "body.dna"].map(|name| made.archetype_dir.join(name)).to_vec(),
        archetype: Some(made.archetype_dir),
        output: folder.path().join("rig.ma"),
        ..AssembleRequest::default()
    };
    let report = with_job(|job| assemble(&request, job));
    assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
    let counts = report.details.unwrap().counts;
    assert_eq!((counts.body_joints, counts.head_joints, counts.shared_joints), (342, 870, 27));
    assert_eq!((counts.joints, counts.skin_clusters, counts.rig_logic), (1185, 54, 2));
    let again = with_job(|job| read_rig_ma(&request.output, job)).unwrap();
    let scene = described(&request).scene;
    assert!(again == scene, "{}", first_difference(&again, &scene));
    // Nothing of a blend shape that does not move is in the file.
    let deltas = again.blend_shapes.iter().flat_map(|shape| &shape.targets).flat_map(|target| &target.deltas);
    assert!(deltas.clone().count() > 1_000_000);
    assert!(deltas.into_iter().all(|delta| *delta != [0.0; 3]));
}

/// Every node but curves and small arithmetic, which are named after what they drive, and every attribute of its own.
fn names_of(scene: &RigScene) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for (kind, name) in scene.node_names().filter(|(kind, _)| !kind.starts_with("animCurve")) {
        let is_small = scene.utilities.iter().any(|utility| utility.name == name);
        if !is_small && !scene.curves.iter().any(|curve| curve.name == name) {
            writeln!(text, "{kind} {name}").unwrap();
        }
    }
    for node in &scene.transforms {
        for attribute in &node.attributes {
            writeln!(text, "attribute {}.{}", node.name, attribute.name).unwrap();
        }
    }
    for joint in &scene.joints {
        for attribute in &joint.attributes {
            writeln!(text, "attribute {}.{}", joint.name, attribute.name).unwrap();
        }
    }
    for (key, _) in &scene.metadata {
        writeln!(text, "text {}.{key}", scene.top_group().unwrap().name).unwrap();
    }
    for node in &scene.rig_logic {
        let naming = &node.naming;
        for (flag, value) in [
            ("-dfp", &node.dna_file_path.rsplit('/').next().unwrap_or_default().to_owned()),
            ("-cn", &naming.control),
            ("-ijn", &naming.input_joint),
            ("-jn", &naming.joint),
            ("-bsn", &naming.blend_shape),
            ("-amn", &naming.animated_map),
            ("-cs", &node.coordinate_system),
        ] {
            writeln!(text, "flag {} {flag} {value}", node.name).unwrap();
        }
    }
    text
}

#[test]
fn node_and_attribute_names_are_those_of_the_golden_file() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/assembled-names.txt");
    let names = names_of(&the_pair().scene);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::write(&golden, &names).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    for (number, (expected, found)) in expected.lines().zip(names.lines()).enumerate() {
        assert_eq!(found, expected, "line {}; UPDATE_GOLDEN=1 writes the file anew", number + 1);
    }
    assert_eq!(names.lines().count(), expected.lines().count());
}

#[test]
fn a_moved_head_is_an_open_seam_that_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let head = changed(folder.path(), "head", "up.dna", |dna| {
        for mesh in &mut dna.geometry.meshes {
            for y in &mut mesh.positions.ys {
                *y += 2.0;
            }
        }
    });
    let request = AssembleRequest { files: vec![head, dna("body")], ..pair() };
    let report = with_job(|job| describe_rig(&request, job));
    let open: Vec<_> = report.findings.iter().filter(|finding| finding.code == "SEAM_OPEN").collect();
    assert_eq!(open.len(), 8);
    assert_eq!(open[0].found.as_deref(), Some("2.0000 cm"));
}

#[test]
fn sliders_reach_raw_controls_through_curves_and_ramps() {
    let scene = &the_pair().scene;
    let into = |plug: &str| {
        let (node, attribute) = plug.split_once('.').unwrap();
        let plug = Plug::new(node, attribute);
        scene
            .connections
            .iter()
            .find(|connection| connection.to == plug)
            .map(|connection| connection.from.to_string())
    };
    assert_eq!(into("CTRL_expressions.jawOpen").as_deref(), Some("CTRL_expressions_jawOpen.output"));
    assert_eq!(into("CTRL_expressions_jawOpen.input").as_deref(), Some("CTRL_C_jaw.translateY"));
    let curve = |name: &str| &scene.curves.iter().find(|curve| curve.name == name).unwrap().keys;
    assert_eq!(*curve("CTRL_expressions_jawOpen"), [[0.0, 0.0], [1.0, 1.0]]);
    assert_eq!(*curve("CTRL_expressions_jawRight"), [[-1.0, 1.0], [0.0, 0.0]]);
    let ramp = curve("CTRL_expressions_neckSwallowPh2");
    assert_eq!(ramp.iter().map(|key| key[1]).collect::<Vec<_>>(), [0.0, 1.0, 0.0]);
    let control = scene.transforms.iter().find(|node| node.name == "CTRL_C_jaw").unwrap();
    let limit = |axis: usize| control.limits[axis].map(|limit| (limit.min, limit.max));
    assert_eq!((limit(0), limit(1), limit(2)), (Some((-1.0, 1.0)), Some((0.0, 1.0)), None));
    assert!(
        control.locked.contains(&"translateZ".to_owned()) && control.locked.contains(&"scaleX".to_owned())
    );
    // The eyes look through their drivers.
    assert_eq!(into("CTRL_expressions_eyeLookUpL.input").as_deref(), Some("LOC_L_eyeDriver_lookY.output"));
}
