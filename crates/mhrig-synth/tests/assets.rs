//! The assets are the benchmark data, no more and no less.
#![allow(clippy::expect_used)]

use std::path::{Path, PathBuf};

use mhrig_synth::{DemoHuman, JointSet, TEMPLATE_IDENTITY, human_parts};
use mhrig_testkit::{assert_same_bytes, read_f32x3, shared_or_skip};

fn human_data(test: &str) -> Option<PathBuf> {
    shared_or_skip(test, "data/human")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bits(positions: &[[f32; 3]]) -> Vec<u8> {
    positions.iter().flatten().flat_map(|value| value.to_bits().to_le_bytes()).collect()
}

#[test]
fn positions_of_all_people_are_the_data_bit_for_bit() {
    let Some(data) = human_data("positions_of_all_people_are_the_data_bit_for_bit") else { return };
    let human = DemoHuman::load().expect("assets");
    for part in &human.parts {
        let expected = read_f32x3(&data.join("template").join(format!("{}.f32", part.name)));
        assert_same_bytes(part.name, &bits(&expected), &bits(&part.mesh.positions));
    }
    let people: Vec<_> = human.identities.iter().filter(|person| person.name != TEMPLATE_IDENTITY).collect();
    assert_eq!(people.len(), 8);
    for identity in people {
        let folder = data.join("identities").join(&identity.name);
        for (part, positions) in human_parts().iter().zip(&identity.positions) {
            let expected = read_f32x3(&folder.join(format!("{part}.f32")));
            assert_same_bytes(&format!("{} {part}", identity.name), &bits(&expected), &bits(positions));
        }
        for (line, (joint, position)) in text(&folder.join("joints_truth.csv"))
            .lines()
            .skip(1)
            .zip(human.joints.iter().zip(&identity.joints))
        {
            let [x, y, z] = position;
            assert_eq!(line, format!("{},{x:.6},{y:.6},{z:.6}", joint.name));
        }
    }
}

#[test]
fn faces_and_texture_coordinates_are_those_of_the_obj_files() {
    let Some(data) = human_data("faces_and_texture_coordinates_are_those_of_the_obj_files") else { return };
    let human = DemoHuman::load().expect("assets");
    for part in &human.parts {
        let obj = text(&data.join("template").join(format!("{}.obj", part.name)));
        let uv = part.mesh.uv.as_ref().expect("uv");
        let found_uv = uv.coords.iter().map(|[u, v]| format!("vt {u:.5} {v:.5}"));
        let found_faces = (0..part.mesh.faces.len()).map(|face| {
            let corners = part.mesh.faces.corner_range(face);
            let pairs = part.mesh.faces.face(face).iter().zip(&uv.corners[corners]);
            pairs.fold("f".to_owned(), |line, (vertex, uv)| format!("{line} {}/{}", vertex + 1, uv + 1))
        });
        let found: Vec<String> = found_uv.chain(found_faces).collect();
        let expected: Vec<&str> =
            obj.lines().filter(|line| line.starts_with("vt ") || line.starts_with("f ")).collect();
        assert_eq!(expected, found, "{}", part.name);
    }
}

#[test]
fn joints_weights_and_tables_are_those_of_the_data() {
    let Some(data) = human_data("joints_weights_and_tables_are_those_of_the_data") else { return };
    let human = DemoHuman::load().expect("assets");
    let joints = text(&data.join("joints.csv"));
    assert_eq!(joints.lines().count() - 1, human.joints.len());
    for (line, joint) in joints.lines().skip(1).zip(&human.joints) {
        let parent = joint.parent.map_or("", |parent| human.joints[parent].name.as_str());
        let set = match joint.set {
            JointSet::Head => "head",
            JointSet::Body => "body",
            JointSet::Shared => "shared",
        };
        let [x, y, z] = joint.position;
        assert_eq!(line, format!("{},{parent},{x:.6},{y:.6},{z:.6},{set}", joint.name));
    }
    for part in &human.parts {
        let rows = text(&data.join("weights").join(format!("{}.csv", part.name)));
        let mut rows = rows.lines().skip(1);
        for vertex in 0..part.skin.vertex_count() {
            let mut sum = 0.0;
            for (joint, weight) in part.skin.influences(vertex) {
                let row = rows.next().unwrap_or_else(|| panic!("{}: more weights than rows", part.name));
                let (place, written) = row.rsplit_once(',').expect("three fields");
                assert_eq!(place, format!("{vertex},{}", joint.0), "{}", part.name);
                // Six digits were written, then the sum was made 1 on reading.
                let written: f32 = written.parse().expect("a weight");
                assert!((written - weight).abs() < 2e-5, "{}: {row} became {weight}", part.name);
                sum += f64::from(weight);
            }
            assert!((sum - 1.0).abs() < 1e-6, "{} vertex {vertex}: sum {sum}", part.name);
        }
        assert_eq!(rows.next(), None, "{}", part.name);
    }
    assert_eq!(human.seam.len(), 42);
    for pair in &human.seam {
        let head = human.parts[0].mesh.positions[pair.head_vertex as usize];
        let body = human.parts[9].mesh.positions[pair.body_vertex as usize];
        assert_eq!(head, body);
    }
    for table in &human.mappings {
        let expected = text(&data.join("vertex_joint_mapping").join(format!("{}.csv", table.mesh)));
        assert_eq!(expected.lines().count(), table.rows.len());
        for (line, row) in expected.lines().zip(&table.rows) {
            let offset = row.offset_cm.map_or(String::new(), |[x, y, z]| format!(" {x:.5} {y:.5} {z:.5}"));
            assert_eq!(line, format!("{} {}{offset}", row.joint, row.vertex));
        }
    }
}

#[test]
fn displacements_of_all_expressions_are_the_data_bit_for_bit() {
    let Some(data) = human_data("displacements_of_all_expressions_are_the_data_bit_for_bit") else { return };
    let human = DemoHuman::load().expect("assets");
    assert_eq!(human.expressions.len(), 52);
    for (part, name) in human_parts().iter().enumerate() {
        let path = data.join("expressions").join(format!("{name}.full.bin"));
        let mut found = (human.expressions.len() as u32).to_le_bytes().to_vec();
        for expression in &human.expressions {
            let shape = &expression.full[part];
            found.extend((shape.vertices.len() as u32).to_le_bytes());
            found.extend(shape.vertices.iter().flat_map(|vertex| vertex.to_le_bytes()));
            found.extend(bits(&shape.deltas));
        }
        if path.exists() {
            assert_same_bytes(name, &std::fs::read(&path).expect("readable"), &found);
        } else {
            assert!(human.expressions.iter().all(|expression| expression.full[part].vertices.is_empty()));
        }
    }
    let rows = text(&data.join("expressions/joint_deltas.csv"));
    let found: Vec<String> = human
        .expressions
        .iter()
        .flat_map(|expression| {
            expression.joints.iter().map(|delta| {
                let ([tx, ty, tz], [rx, ry, rz]) = (delta.translation, delta.rotation_deg);
                let joint = &human.joints[delta.joint].name;
                format!("{},{joint},{tx:.5},{ty:.5},{tz:.5},{rx:.4},{ry:.4},{rz:.4}", expression.name)
            })
        })
        .collect();
    assert_eq!(rows.lines().skip(1).collect::<Vec<_>>(), found);
}
