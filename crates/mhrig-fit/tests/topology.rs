//! The topology check on the human pack and on what artists do to meshes.
#![allow(clippy::unwrap_used)]

mod human_pack;

use human_pack::{BODY_MESHES, HEAD_MESHES, Pack, Person, no_rotation};
use mhrig_fit::{FitTemplate, InputMesh, MeshRole, TopologyReport, check_topology};
use mhrig_geom::{Mesh, Polygons};
use mhrig_report::{Cancel, Job, Severity, Silent};
use nalgebra::{Rotation3, Vector3};

/// A head and a body template, and one person's meshes that can be spoilt.
struct Scene {
    head: FitTemplate,
    body: FitTemplate,
    meshes: Vec<(String, Mesh)>,
}

impl Scene {
    fn load_or_skip(test: &str) -> Option<Self> {
        let pack = Pack::load_or_skip(test)?;
        let (head, body) = (pack.head(no_rotation), pack.body(no_rotation));
        let person = pack.people().swap_remove(0);
        let meshes = Self::meshes_of(&person, [&head, &body]);
        Some(Self { head, body, meshes })
    }

    fn meshes_of(person: &Person, templates: [&FitTemplate; 2]) -> Vec<(String, Mesh)> {
        let meshes = templates.into_iter().flat_map(FitTemplate::meshes);
        meshes
            .map(|template| {
                let positions = person.meshes[&template.name].clone();
                (template.name.clone(), Mesh { positions, ..template.mesh.clone() })
            })
            .collect()
    }

    fn mesh(&mut self, name: &str) -> &mut Mesh {
        &mut self.meshes.iter_mut().find(|(n, _)| n == name).unwrap().1
    }

    fn check(&self) -> TopologyReport {
        let inputs: Vec<_> =
            self.meshes.iter().map(|(name, mesh)| InputMesh { name, place: "scene.ma", mesh }).collect();
        let cancel = Cancel::default();
        check_topology(&[&self.head, &self.body], &inputs, Job { progress: &Silent, cancel: &cancel })
            .unwrap()
    }

    fn codes(&self) -> Vec<&'static str> {
        self.check().findings.iter().map(|finding| finding.code).collect()
    }

    fn move_all(&mut self, change: impl Fn(Vector3<f64>) -> Vector3<f64>) {
        for (_, mesh) in &mut self.meshes {
            for position in &mut mesh.positions {
                let moved: [f64; 3] = change(Vector3::from(position.map(f64::from))).into();
                *position = moved.map(|c| c as f32);
            }
        }
    }
}

fn faces(faces: impl IntoIterator<Item = Vec<u32>>) -> Polygons {
    let mut polygons = Polygons::default();
    faces.into_iter().for_each(|face| polygons.push(face).unwrap());
    polygons
}

#[test]
fn every_person_and_map_of_the_pack_passes_without_a_finding() {
    let Some(pack) = Pack::load_or_skip("every_person_and_map_of_the_pack_passes_without_a_finding") else {
        return;
    };
    let Some(mut scene) = Scene::load_or_skip("") else { return };
    for person in pack.people().iter().chain(&pack.linear_maps()) {
        scene.meshes = Scene::meshes_of(person, [&scene.head, &scene.body]);
        let report = scene.check();
        assert!(report.findings.is_empty(), "{}: {:#?}", person.name, report.findings);
        assert_eq!(report.meshes.len(), HEAD_MESHES.len() + BODY_MESHES.len());
        assert!(report.meshes.iter().all(|check| check.matches && check.uv_matches));
    }
}

#[test]
fn roles_follow_from_the_rules_and_say_what_a_missing_mesh_costs() {
    let Some(mut scene) =
        Scene::load_or_skip("roles_follow_from_the_rules_and_say_what_a_missing_mesh_costs")
    else {
        return;
    };
    scene.meshes.clear();
    let report = scene.check();
    let with_role =
        |role| report.meshes.iter().filter(|m| m.role == role).map(|m| m.mesh.as_str()).collect::<Vec<_>>();
    assert_eq!(with_role(MeshRole::Required), ["head_lod0_mesh", "teeth_lod0_mesh", "body_lod0_mesh"]);
    assert_eq!(with_role(MeshRole::Eye), ["eyeLeft_lod0_mesh", "eyeRight_lod0_mesh"]);
    assert_eq!(with_role(MeshRole::Fillable).len(), 5);
    assert!(!report.is_usable());
    assert!(report.findings.iter().all(|finding| finding.code == "MESH_MISSING"));
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    assert_eq!(
        errors.map(|finding| finding.place.as_str()).collect::<Vec<_>>(),
        with_role(MeshRole::Required)
    );
    assert!(report.findings[0].message.contains("238 joints"), "{}", report.findings[0].message);

    let evidence = scene.head.mesh_evidence();
    let of = |name: &str| evidence.iter().find(|e| e.mesh == name).unwrap();
    assert_eq!(of("eyeLeft_lod0_mesh").exclusively_skinned_joints, 2);
    for e in evidence.iter().filter(|e| e.role == MeshRole::Fillable) {
        assert_eq!((e.exclusively_skinned_joints, e.mapped_joints), (0, 0), "{}", e.mesh);
    }
}

#[test]
fn findings_of_all_meshes_come_together_and_name_the_first_face() {
    let Some(mut scene) = Scene::load_or_skip("findings_of_all_meshes_come_together_and_name_the_first_face")
    else {
        return;
    };
    scene.mesh("teeth_lod0_mesh").positions.pop();
    let mesh = scene.mesh("body_lod0_mesh");
    mesh.faces = faces(mesh.faces.iter().enumerate().map(|(number, face)| {
        let mut face = face.to_vec();
        if number == 70 || number == 99 {
            face.swap(1, 2);
        }
        face
    }));
    scene.mesh("head_lod0_mesh").positions[17][1] = f32::NAN;
    let report = scene.check();
    let found: Vec<_> = report.findings.iter().map(|f| (f.code, f.place.as_str())).collect();
    let not_finite = ("NOT_FINITE", "scene.ma: head_lod0_mesh: vertex 17");
    assert!(found.contains(&not_finite), "{found:?}");
    assert!(found.contains(&("FACE_MISMATCH", "scene.ma: body_lod0_mesh: face 70")), "{found:?}");
    assert!(found.iter().any(|(code, _)| *code == "FACE_INDEX" || *code == "VERTEX_COUNT"), "{found:?}");
    assert!(!report.is_usable());
}

#[test]
fn another_start_corner_is_no_error_and_reversed_faces_are_called_reversed() {
    let Some(mut scene) =
        Scene::load_or_skip("another_start_corner_is_no_error_and_reversed_faces_are_called_reversed")
    else {
        return;
    };
    let mesh = scene.mesh("head_lod0_mesh");
    let original = mesh.faces.clone();
    mesh.faces = faces(original.iter().map(|face| [&face[1..], &face[..1]].concat()));
    let report = scene.check();
    assert!(report.is_usable());
    assert_eq!(report.findings.iter().map(|f| f.code).collect::<Vec<_>>(), ["FACE_START"]);
    scene.mesh("head_lod0_mesh").faces =
        faces(original.iter().map(|face| face.iter().rev().copied().collect()));
    let report = scene.check();
    assert_eq!(report.findings.iter().map(|f| f.code).collect::<Vec<_>>(), ["FACE_REVERSED"]);
    assert!(report.findings[0].message.starts_with("all of 4346"), "{}", report.findings[0].message);
}

#[test]
fn texture_coordinates_that_changed_are_warnings_with_numbers() {
    let Some(mut scene) = Scene::load_or_skip("texture_coordinates_that_changed_are_warnings_with_numbers")
    else {
        return;
    };
    let uv = scene.mesh("head_lod0_mesh").uv.as_mut().unwrap();
    uv.coords[7][0] += 0.01;
    scene.mesh("teeth_lod0_mesh").uv.as_mut().unwrap().coords.iter_mut().for_each(|uv| uv[0] += 1.0);
    scene.mesh("saliva_lod0_mesh").uv.as_mut().unwrap().coords.iter_mut().for_each(|uv| uv[1] = 1.0 - uv[1]);
    scene.mesh("cartilage_lod0_mesh").uv = None;
    let report = scene.check();
    assert!(report.is_usable());
    assert_eq!(scene.codes(), ["UV_CHANGED", "UV_SHIFTED", "UV_FLIPPED", "UV_MISSING"]);
    assert_eq!(report.findings[1].found.as_deref(), Some("(1, 0)"));
}

#[test]
fn units_and_up_axis_are_recognised_and_reported_once() {
    let Some(mut scene) = Scene::load_or_skip("units_and_up_axis_are_recognised_and_reported_once") else {
        return;
    };
    let original = scene.meshes.clone();
    for (factor, remedy) in
        [(0.01, "multiply by 100"), (1.0 / 2.54, "multiply by 2.54"), (10.0, "multiply by 0.1")]
    {
        scene.meshes = original.clone();
        scene.move_all(|p| p * factor);
        let report = scene.check();
        assert_eq!(report.findings.len(), 1, "{factor}: {:#?}", report.findings);
        let finding = &report.findings[0];
        assert_eq!((finding.code, finding.severity), ("UNIT_FACTOR", Severity::Error));
        assert!(finding.remedy.starts_with(remedy), "{}", finding.remedy);
        assert!(finding.place.ends_with("and 9 more"), "{}", finding.place);
    }
    for factor in [0.6, 1.7] {
        scene.meshes = original.clone();
        scene.move_all(|p| p * factor);
        assert_eq!(scene.codes(), Vec::<&str>::new(), "{factor}");
    }
    let turns = [
        (Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2), "UP_AXIS"),
        (Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI), "ORIENTATION"),
    ];
    for (rotation, code) in turns {
        scene.meshes = original.clone();
        scene.move_all(|p| rotation * p);
        assert_eq!(scene.codes(), [code]);
    }
    scene.meshes = original.clone();
    scene.move_all(|p| Vector3::new(-p.x, p.y, p.z));
    assert_eq!(scene.codes(), ["MIRRORED"]);
    scene.meshes = original;
    scene.move_all(|p| p + Vector3::new(80.0, 0.0, 0.0));
    assert_eq!(scene.codes(), ["OFFSET"]);
}

#[test]
fn a_raised_arm_is_called_a_pose() {
    let Some(mut scene) = Scene::load_or_skip("a_raised_arm_is_called_a_pose") else { return };
    let shoulder = scene.body.rest_positions()[scene.body.hierarchy().find("upperarm_l").unwrap().index()];
    let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), 0.7);
    for position in &mut scene.mesh("body_lod0_mesh").positions {
        let p = Vector3::from(position.map(f64::from));
        if p.x > shoulder.x + 2.0 && p.y > 70.0 {
            let moved: [f64; 3] = (shoulder + turn * (p - shoulder)).into();
            *position = moved.map(|c| c as f32);
        }
    }
    let report = scene.check();
    assert_eq!(scene.codes(), ["POSED"], "{:#?}", report.findings);
    assert!(report.is_usable());
    assert!(report.findings[0].found.as_deref().unwrap().contains("_l "), "{:?}", report.findings[0].found);
}

#[test]
fn names_that_fit_nothing_and_names_that_fit_twice_are_reported() {
    let Some(mut scene) = Scene::load_or_skip("names_that_fit_nothing_and_names_that_fit_twice_are_reported")
    else {
        return;
    };
    let mesh = scene.mesh("head_lod0_mesh").clone();
    scene.meshes.push(("hair".into(), mesh.clone()));
    scene.meshes.push(("head_lod0_mesh".into(), mesh));
    let report = scene.check();
    assert_eq!(scene.codes(), ["MESH_AMBIGUOUS", "MESH_UNKNOWN"]);
    assert!(!report.is_usable());
}
