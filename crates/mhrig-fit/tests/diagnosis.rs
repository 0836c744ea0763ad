//! Meshes as artists really have them: what the check says of them, and what the repair makes of them.
#![allow(clippy::unwrap_used)]

mod human_pack;
mod spoil;

use human_pack::{Pack, no_rotation};
use mhrig_fit::{FitTemplate, Fix, InputMesh, Repair, TopologyReport, check_topology, repair_meshes};
use mhrig_geom::Mesh;
use mhrig_report::{Cancel, Job, Severity, Silent};
use proptest::prelude::*;

/// One person's meshes, some of which get spoilt.
struct Scene {
    templates: [FitTemplate; 2],
    good: Vec<(String, Mesh)>,
    meshes: Vec<(String, Mesh)>,
}

impl Scene {
    fn load_or_skip(test: &str) -> Option<Self> {
        let pack = Pack::load_or_skip(test)?;
        let templates = [pack.head(no_rotation), pack.body(no_rotation)];
        let person = &pack.people()[5];
        let meshes = templates.iter().flat_map(FitTemplate::meshes).map(|template| {
            let positions = person.meshes[&template.name].clone();
            (template.name.clone(), Mesh { positions, ..template.mesh.clone() })
        });
        let good: Vec<_> = meshes.collect();
        Some(Self { meshes: good.clone(), templates, good })
    }

    fn good(&self, name: &str) -> &Mesh {
        &self.good.iter().find(|(n, _)| n == name).unwrap().1
    }

    /// The scene with one mesh replaced.
    fn spoil(&mut self, name: &str, spoil: impl Fn(&Mesh) -> Mesh) -> &mut Self {
        self.meshes.iter_mut().find(|(n, _)| n == name).unwrap().1 =
            spoil(self.good.iter().find(|(n, _)| n == name).map(|(_, m)| m).unwrap());
        self
    }

    fn reset(&mut self) -> &mut Self {
        self.meshes.clone_from(&self.good);
        self
    }

    fn inputs(&self) -> Vec<InputMesh<'_>> {
        self.meshes.iter().map(|(name, mesh)| InputMesh { name, place: "s.fbx", mesh }).collect()
    }

    fn check(&self) -> TopologyReport {
        let cancel = Cancel::default();
        let job = Job { progress: &Silent, cancel: &cancel };
        check_topology(&[&self.templates[0], &self.templates[1]], &self.inputs(), job).unwrap()
    }

    fn codes(&self) -> Vec<&'static str> {
        self.check().findings.iter().map(|finding| finding.code).collect()
    }

    fn repair(&self, allowed: &[Fix], lossless_only: bool) -> Repair {
        let cancel = Cancel::default();
        let job = Job { progress: &Silent, cancel: &cancel };
        let templates = [&self.templates[0], &self.templates[1]];
        repair_meshes(&templates, &self.inputs(), allowed, lossless_only, job).unwrap()
    }

    /// The spoilt mesh is told by these codes, and repaired by these fixes to what it was.
    fn expect(&self, name: &str, codes: &[&str], fixes: &[Fix]) {
        let report = self.check();
        let found: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(found, codes, "{name}: {:#?}", report.findings);
        let repair = self.repair(&Fix::ALL, true);
        let mesh =
            repair.meshes.iter().find(|mesh| mesh.name == name).unwrap_or_else(|| panic!("{name} is gone"));
        assert_eq!(mesh.fixes, fixes, "{name}");
        assert!(mesh.is_lossless);
        assert_eq!(mesh.mesh.positions, self.good(name).positions, "{name}");
        assert_eq!(mesh.mesh.faces, self.good(name).faces, "{name}");
        assert!(repair.remaining.findings.is_empty(), "{:#?}", repair.remaining.findings);
        // Nothing happens that was not asked for.
        let refused = self.repair(&[], false);
        assert!(refused.findings.is_empty());
        if fixes.iter().any(|fix| *fix != Fix::Rename) {
            assert!(!refused.remaining.is_usable());
        }
    }
}

const HEAD: &str = "head_lod0_mesh";

/// A symmetric mesh, one of two like shells with several pieces, an eyeball that turns into itself, and a body.
const SHAPES: [&str; 4] = [HEAD, "teeth_lod0_mesh", "eyeLeft_lod0_mesh", "body_lod0_mesh"];

#[test]
fn other_vertex_numbers_are_found_and_put_in_order() {
    let Some(mut scene) = Scene::load_or_skip("other_vertex_numbers_are_found_and_put_in_order") else {
        return;
    };
    for name in SHAPES {
        scene.reset().spoil(name, spoil::shuffle_vertices).expect(name, &["VERTEX_ORDER"], &[Fix::Reorder]);
        let both = |mesh: &Mesh| spoil::shuffle_faces(&spoil::shuffle_vertices(mesh));
        scene.reset().spoil(name, both).expect(name, &["VERTEX_ORDER"], &[Fix::Reorder]);
        // By connectivity alone.
        let bare = |mesh: &Mesh| spoil::without_uv(&both(mesh));
        scene.reset().spoil(name, bare).expect(name, &["VERTEX_ORDER"], &[Fix::Reorder]);
    }
    let report = scene.reset().spoil(HEAD, spoil::shuffle_vertices).check();
    let finding = &report.findings[0];
    assert!(finding.place.starts_with("s.fbx: head_lod0_mesh: vertex "), "{}", finding.place);
    assert!(finding.message.contains(" vertices have another number"), "{}", finding.message);
    let check = report.meshes.iter().find(|check| check.mesh == HEAD).unwrap();
    assert!(!check.matches && check.fixes == [Fix::Reorder]);
}

#[test]
fn faces_in_another_order_do_no_harm() {
    let Some(mut scene) = Scene::load_or_skip("faces_in_another_order_do_no_harm") else { return };
    for name in SHAPES {
        let report = scene.reset().spoil(name, spoil::shuffle_faces).check();
        assert_eq!(scene.codes(), ["FACE_ORDER"], "{name}");
        assert!(report.is_usable() && report.meshes.iter().all(|check| check.matches));
    }
}

#[test]
fn split_vertices_are_merged_where_they_stand_for_one() {
    let Some(mut scene) = Scene::load_or_skip("split_vertices_are_merged_where_they_stand_for_one") else {
        return;
    };
    for name in SHAPES {
        let codes = ["SPLIT_AT_UV_SEAMS", "VERTEX_ORDER"];
        let fixes = [Fix::Weld, Fix::Reorder];
        scene.reset().spoil(name, spoil::split_at_uv_seams).expect(name, &codes, &fixes);
        let codes = ["UNWELDED", "VERTEX_ORDER"];
        scene.reset().spoil(name, spoil::split_all).expect(name, &codes, &fixes);
        if name == "body_lod0_mesh" {
            continue;
        }
        let shuffled = |mesh: &Mesh| spoil::shuffle_faces(&spoil::shuffle_vertices(&spoil::split_all(mesh)));
        scene.reset().spoil(name, shuffled).expect(name, &codes, &fixes);
        // Without texture coordinates and in another order, coinciding vertices are all there is to go by.
        if name == HEAD {
            let bare = |mesh: &Mesh| spoil::without_uv(&shuffled(mesh));
            scene.reset().spoil(name, bare).expect(name, &codes, &fixes);
        }
    }
    // Copies that moved apart are merged only when changing positions is allowed.
    scene.reset().spoil(HEAD, |mesh| {
        let mut split = spoil::split_all(mesh);
        split.positions[9][0] += 0.001;
        split
    });
    let report = scene.check();
    assert!(report.findings[0].message.contains("0.0010 cm apart"), "{}", report.findings[0].message);
    assert!(!scene.repair(&Fix::ALL, true).remaining.is_usable());
    assert!(scene.repair(&Fix::ALL, false).remaining.is_usable());
}

#[test]
fn triangles_are_joined_to_the_templates_faces() {
    let Some(mut scene) = Scene::load_or_skip("triangles_are_joined_to_the_templates_faces") else { return };
    for name in SHAPES {
        scene.reset().spoil(name, spoil::triangulate).expect(name, &["TRIANGULATED"], &[Fix::Untriangulate]);
    }
    // As a game engine exports.
    let engine = |mesh: &Mesh| spoil::triangulate(&spoil::split_at_uv_seams(mesh));
    let codes = ["SPLIT_AT_UV_SEAMS", "TRIANGULATED", "VERTEX_ORDER"];
    let fixes = [Fix::Weld, Fix::Untriangulate, Fix::Reorder];
    scene.reset().spoil(HEAD, engine).expect(HEAD, &codes, &fixes);
}

#[test]
fn reversed_faces_are_counted() {
    let Some(mut scene) = Scene::load_or_skip("reversed_faces_are_counted") else { return };
    for name in SHAPES {
        let all = |mesh: &Mesh| spoil::reverse_faces(mesh, |_| true);
        scene.reset().spoil(name, all).expect(name, &["FACE_REVERSED"], &[Fix::Reverse]);
        let some = |mesh: &Mesh| spoil::reverse_faces(mesh, |face| face % 9 == 3);
        scene.reset().spoil(name, some).expect(name, &["FACE_REVERSED"], &[Fix::Reverse]);
        let both =
            |mesh: &Mesh| spoil::without_uv(&spoil::shuffle_faces(&spoil::shuffle_vertices(&all(mesh))));
        let codes = ["VERTEX_ORDER", "FACE_REVERSED"];
        scene.reset().spoil(name, both).expect(name, &codes, &[Fix::Reorder, Fix::Reverse]);
    }
    let report = scene.reset().spoil(HEAD, |mesh| spoil::reverse_faces(mesh, |face| face < 10)).check();
    assert!(report.findings[0].message.starts_with("10 of 4346 faces are reversed"));
}

#[test]
fn extra_vertices_and_shells_are_listed_and_left_out() {
    let Some(mut scene) = Scene::load_or_skip("extra_vertices_and_shells_are_listed_and_left_out") else {
        return;
    };
    for name in SHAPES {
        let loose = |mesh: &Mesh| spoil::add_loose(mesh, 0, 3);
        scene.reset().spoil(name, loose).expect(name, &["EXTRA_VERTICES"], &[Fix::DropExtras]);
        let before = |mesh: &Mesh| spoil::add_loose(mesh, 2, 1);
        scene.reset().spoil(name, before).expect(name, &["EXTRA_VERTICES"], &[Fix::DropExtras]);
    }
    let hat = scene.good("cartilage_lod0_mesh").clone();
    let mut hat = spoil::build(hat.positions.clone(), Vec::new(), &spoil::corners(&hat)[..7]);
    hat.positions.truncate(30);
    let with_hat = |mesh: &Mesh| spoil::combine(&[mesh, &spoil::add_loose(&hat, 0, 2)]);
    scene.reset().spoil(HEAD, with_hat);
    let report = scene.check();
    assert_eq!(scene.codes(), ["EXTRA_VERTICES"], "{:#?}", report.findings);
    assert!(report.findings[0].place.ends_with("vertex 4368"), "{}", report.findings[0].place);
    let shuffled = |mesh: &Mesh| spoil::without_uv(&spoil::shuffle_vertices(&with_hat(mesh)));
    scene.reset().spoil(HEAD, shuffled).expect(
        HEAD,
        &["EXTRA_VERTICES", "VERTEX_ORDER"],
        &[Fix::DropExtras, Fix::Reorder],
    );
}

#[test]
fn a_smoothed_mesh_gives_its_cage_back() {
    let Some(mut scene) = Scene::load_or_skip("a_smoothed_mesh_gives_its_cage_back") else { return };
    for name in [HEAD, "eyeLeft_lod0_mesh"] {
        scene.reset().spoil(name, spoil::subdivide);
        let report = scene.check();
        assert_eq!(scene.codes(), ["SUBDIVIDED"], "{:#?}", report.findings);
        let repair = scene.repair(&Fix::ALL, false);
        let mesh = repair.meshes.iter().find(|mesh| mesh.name == name).unwrap();
        assert_eq!((mesh.fixes.as_slice(), mesh.is_lossless), (&[Fix::Unsubdivide][..], false));
        for (a, b) in mesh.mesh.positions.iter().zip(&scene.good(name).positions) {
            assert!((0..3).all(|c| (a[c] - b[c]).abs() < 1e-3), "{a:?} {b:?}");
        }
        assert!(repair.remaining.findings.is_empty());
        assert!(
            !scene.repair(&Fix::ALL, true).remaining.is_usable(),
            "smoothing cannot be undone to the bit"
        );
    }
}

#[test]
fn a_smoothed_mesh_in_any_vertex_order_gives_its_cage_back() {
    let test = "a_smoothed_mesh_in_any_vertex_order_gives_its_cage_back";
    let Some(mut scene) = Scene::load_or_skip(test) else { return };
    for name in [HEAD, "eyeLeft_lod0_mesh"] {
        let smooth = |mesh: &Mesh| spoil::shuffle_faces(&spoil::shuffle_vertices(&spoil::subdivide(mesh)));
        scene.reset().spoil(name, smooth);
        assert_eq!(scene.codes(), ["SUBDIVIDED"], "{name}");
        let repair = scene.repair(&Fix::ALL, false);
        let mesh = repair.meshes.iter().find(|mesh| mesh.name == name).unwrap();
        assert_eq!(mesh.fixes, [Fix::Unsubdivide]);
        for (a, b) in mesh.mesh.positions.iter().zip(&scene.good(name).positions) {
            let distance = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(distance < 1e-3, "{name}: {distance}");
        }
        assert!(repair.remaining.findings.is_empty(), "{:#?}", repair.remaining.findings);
    }
}

#[test]
fn a_stray_vertex_is_named_and_changes_nothing_else() {
    let Some(mut scene) = Scene::load_or_skip("a_stray_vertex_is_named_and_changes_nothing_else") else {
        return;
    };
    for name in SHAPES {
        for far in [60.0, 1e4, 1e9] {
            scene.reset().spoil(name, |mesh| {
                let mut mesh = mesh.clone();
                mesh.positions[17][1] += far;
                mesh
            });
            let report = scene.check();
            assert_eq!(scene.codes(), ["VERTEX_STRAY"], "{name} {far}: {:#?}", report.findings);
            assert!(report.findings[0].place.ends_with("vertex 17"), "{}", report.findings[0].place);
        }
    }
    // A loose one that the template does not have must not turn the match of the others round.
    let extra = |mesh: &Mesh| {
        let mut mesh = spoil::without_uv(&spoil::shuffle_vertices(mesh));
        mesh.positions.push([3000.0, -2e4, 40.0]);
        mesh
    };
    for name in SHAPES {
        let codes = ["EXTRA_VERTICES", "VERTEX_ORDER"];
        scene.reset().spoil(name, extra).expect(name, &codes, &[Fix::DropExtras, Fix::Reorder]);
    }
}

#[test]
fn texture_coordinates_that_are_no_numbers_are_said() {
    let Some(mut scene) = Scene::load_or_skip("texture_coordinates_that_are_no_numbers_are_said") else {
        return;
    };
    for bad in [f32::NAN, f32::INFINITY] {
        scene.reset().spoil(HEAD, |mesh| {
            let mut mesh = mesh.clone();
            mesh.uv.as_mut().unwrap().coords[5][1] = bad;
            mesh
        });
        assert_eq!(scene.codes(), ["UV_NOT_FINITE"]);
        assert!(scene.check().is_usable());
    }
}

#[test]
fn combined_parts_are_told_and_taken_apart() {
    let Some(mut scene) = Scene::load_or_skip("combined_parts_are_told_and_taken_apart") else { return };
    let head_parts: Vec<(String, Mesh)> = scene.good[..9].to_vec();
    let whole = spoil::combine(&head_parts.iter().map(|(_, mesh)| mesh).collect::<Vec<_>>());
    let mut backwards: Vec<&Mesh> = head_parts.iter().map(|(_, mesh)| mesh).collect();
    backwards.reverse();
    let backwards = spoil::combine(&backwards);
    let stirred = spoil::without_uv(&spoil::shuffle_faces(&spoil::shuffle_vertices(&whole)));
    for (combined, name) in
        [(&whole, HEAD), (&backwards, HEAD), (&whole, "everything"), (&stirred, "polySurface1")]
    {
        scene.meshes = scene.good[9..].to_vec();
        scene.meshes.push((name.to_owned(), combined.clone()));
        let report = scene.check();
        assert_eq!(scene.codes(), ["COMBINED_PARTS"], "{name}: {:#?}", report.findings);
        assert!(
            report.findings[0].message.contains("9 parts are combined"),
            "{}",
            report.findings[0].message
        );
        let repair = scene.repair(&[Fix::SplitCombined], true);
        assert!(repair.remaining.findings.is_empty(), "{:#?}", repair.remaining.findings);
        assert_eq!(repair.meshes.len(), 10);
        for mesh in &repair.meshes {
            assert_eq!(mesh.mesh.positions, scene.good(&mesh.name).positions, "{}", mesh.name);
        }
    }
    // Only some of them.
    scene.reset();
    let [head, teeth] = [scene.good(HEAD), scene.good("teeth_lod0_mesh")];
    let two = spoil::combine(&[head, teeth]);
    scene.meshes.retain(|(name, _)| name != "teeth_lod0_mesh");
    scene.spoil(HEAD, |_| two.clone());
    assert_eq!(scene.codes(), ["COMBINED_PARTS"]);
    assert!(scene.repair(&[Fix::SplitCombined], true).remaining.findings.is_empty());
}

#[test]
fn meshes_under_a_wrong_name_are_recognised() {
    let Some(mut scene) = Scene::load_or_skip("meshes_under_a_wrong_name_are_recognised") else { return };
    let teeth = scene.good("teeth_lod0_mesh").clone();
    scene.spoil(HEAD, |_| teeth.clone());
    let report = scene.check();
    assert_eq!(scene.codes(), ["OTHER_PART"]);
    assert!(report.findings[0].message.contains("teeth_lod0_mesh"), "{}", report.findings[0].message);

    scene.reset();
    for (name, _) in &mut scene.meshes {
        if name.starts_with("eye") || name == HEAD {
            *name = format!("{name}_final2");
        }
    }
    let report = scene.check();
    assert!(report.findings.iter().all(|finding| finding.code == "MESH_NAME"), "{:#?}", report.findings);
    assert_eq!(report.findings.len(), 6);
    let repair = scene.repair(&[Fix::Rename], true);
    assert!(repair.remaining.findings.is_empty(), "{:#?}", repair.remaining.findings);
    for mesh in &repair.meshes {
        assert_eq!(mesh.mesh, *scene.good(&mesh.name), "{}", mesh.name);
    }
}

#[test]
fn units_axes_and_mirror_images_are_taken_back() {
    let Some(mut scene) = Scene::load_or_skip("units_axes_and_mirror_images_are_taken_back") else { return };
    let change = |scene: &mut Scene, change: fn([f32; 3]) -> [f32; 3]| {
        scene.reset();
        scene.meshes.iter_mut().flat_map(|(_, mesh)| &mut mesh.positions).for_each(|p| *p = change(*p));
    };
    type Change = fn([f32; 3]) -> [f32; 3];
    let cases: [(Change, &str, Fix); 4] = [
        (|p| p.map(|c| c / 2.54), "UNIT_FACTOR", Fix::Unit),
        (|[x, y, z]| [x, -z, y], "UP_AXIS", Fix::Axis),
        (|[x, y, z]| [-x, y, -z], "ORIENTATION", Fix::Axis),
        (|[x, y, z]| [-x, y, z], "MIRRORED", Fix::Mirror),
    ];
    for (spoil, code, fix) in cases {
        change(&mut scene, spoil);
        assert_eq!(scene.codes(), [code]);
        let repair = scene.repair(&[fix], false);
        assert!(repair.remaining.findings.is_empty(), "{code}: {:#?}", repair.remaining.findings);
        assert_eq!(repair.meshes.len(), 10, "{code}");
        for mesh in &repair.meshes {
            for (a, b) in mesh.mesh.positions.iter().zip(&scene.good(&mesh.name).positions) {
                assert!((0..3).all(|c| (a[c] - b[c]).abs() < 1e-4), "{code} {}: {a:?} {b:?}", mesh.name);
            }
        }
        let left = scene.repair(&Fix::ALL, true);
        assert!(!left.remaining.is_usable(), "{code} is not lossless");
    }
    // Everything at once.
    change(&mut scene, |[x, y, z]| [x * 0.01, -z * 0.01, y * 0.01]);
    let broken = spoil::triangulate(&scene.meshes[0].1);
    scene.meshes[0].1 = broken;
    assert_eq!(scene.codes(), ["TRIANGULATED", "UNIT_FACTOR", "UP_AXIS"]);
    assert!(scene.repair(&Fix::ALL, false).remaining.findings.is_empty());
}

#[test]
fn what_cannot_be_told_stays_a_plain_mismatch() {
    let Some(mut scene) = Scene::load_or_skip("what_cannot_be_told_stays_a_plain_mismatch") else { return };
    // One quad cut in two, the count of vertices kept.
    scene.spoil(HEAD, |mesh| {
        let mut faces = spoil::corners(mesh);
        let cut = faces[100].clone();
        faces[100] = vec![cut[0], cut[1], cut[2], cut[3]];
        faces[100].swap(0, 1);
        spoil::build(mesh.positions.clone(), spoil::coords(mesh), &faces)
    });
    let report = scene.check();
    assert_eq!(scene.codes(), ["FACE_MISMATCH"]);
    assert_eq!(report.findings[0].place, "s.fbx: head_lod0_mesh: face 100");
    scene.reset().spoil(HEAD, |mesh| {
        let mut faces = spoil::corners(mesh);
        faces.pop();
        spoil::build(mesh.positions.clone(), spoil::coords(mesh), &faces)
    });
    assert_eq!(scene.codes(), ["FACE_COUNT"]);
    scene.reset().spoil(HEAD, |mesh| spoil::combine(&[mesh, mesh]));
    assert_eq!(scene.codes().len(), 1);
    assert!(!scene.check().is_usable());
    scene.reset().spoil(HEAD, |_| Mesh::default());
    assert_eq!(scene.codes(), ["VERTEX_COUNT"]);
    assert_eq!(scene.check().findings[0].severity, Severity::Error);
}

#[test]
fn a_cancelled_check_says_so() {
    let Some(mut scene) = Scene::load_or_skip("a_cancelled_check_says_so") else { return };
    scene.spoil(HEAD, spoil::shuffle_vertices);
    let cancel = Cancel::default();
    cancel.cancel();
    let job = Job { progress: &Silent, cancel: &cancel };
    assert!(check_topology(&[&scene.templates[0]], &scene.inputs(), job).is_err());
    assert!(repair_meshes(&[&scene.templates[0]], &scene.inputs(), &Fix::ALL, true, job).is_err());
}

#[test]
fn points_in_one_place_and_at_the_ends_of_the_numbers_are_survived() {
    let test = "points_in_one_place_and_at_the_ends_of_the_numbers_are_survived";
    let Some(mut scene) = Scene::load_or_skip(test) else { return };
    for value in [0.0, 3.0, f32::MAX, f32::MIN_POSITIVE] {
        let flat = |mesh: &Mesh| {
            let mut split = spoil::without_uv(&spoil::shuffle_faces(&spoil::split_all(mesh)));
            split.positions.iter_mut().for_each(|p| *p = [value; 3]);
            split
        };
        scene.reset().spoil("saliva_lod0_mesh", flat);
        assert!(!scene.check().is_usable());
        scene.repair(&Fix::ALL, false);
    }
}

#[test]
fn fixes_have_names_and_know_what_is_lossless() {
    for fix in Fix::ALL {
        assert_eq!(Fix::from_name(fix.name()), Some(fix));
    }
    assert_eq!(Fix::from_name("magic"), None);
    assert!(Fix::Reorder.is_lossless() && !Fix::Unit.is_lossless());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever faces a mesh has, the check and the repair end, and say something when it is not the template's.
    #[test]
    fn no_mesh_makes_the_check_panic(
        positions in proptest::collection::vec(proptest::array::uniform3(-9.0f32..9.0), 0..40),
        faces in proptest::collection::vec(proptest::collection::vec(0u32..42, 0..6), 0..40),
    ) {
        let scene = SCENE.with(std::rc::Rc::clone);
        let Some(scene) = scene.as_ref() else { return Ok(()) };
        let mut mesh = Mesh { positions, ..Mesh::default() };
        faces.into_iter().for_each(|face| mesh.faces.push(face).unwrap());
        let cancel = Cancel::default();
        let job = Job { progress: &Silent, cancel: &cancel };
        let input = InputMesh { name: "saliva_lod0_mesh", place: "", mesh: &mesh };
        let report = check_topology(&[scene], &[input], job).unwrap();
        prop_assert!(report.findings.iter().any(|finding| finding.place.contains("saliva")));
        repair_meshes(&[scene], &[input], &Fix::ALL, false, job).unwrap();
    }
}

thread_local! {
    static SCENE: std::rc::Rc<Option<FitTemplate>> =
        std::rc::Rc::new(Pack::load_or_skip("no_mesh_makes_the_check_panic").map(|pack| pack.head(no_rotation)));
}
