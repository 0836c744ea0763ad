//! The .glb of an assembled character, read by other code than what wrote it: rest, expressions, sweep, skeleton.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mhrig::{AssembleRequest, Cancel, DemoRequest, Job, PoseRequest, Silent, Status};
use mhrig_scene::RigScene;
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3, Vector4};
use serde_json::Value;

/// How far a vertex may be from where the evaluator has it, cm.
const AGREEMENT_CM: f64 = 1e-3;
/// A vertex that is farther than this from where it was has moved, cm.
const MOVED_CM: f64 = 1e-4;
const CM: f64 = 100.0;

fn job(run: impl FnOnce(Job<'_>)) {
    run(Job { progress: &Silent, cancel: &Cancel::default() });
}

struct Glb {
    document: Value,
    bytes: Vec<u8>,
}

/// A mesh with all that moves it, lengths in cm.
struct SkinnedMesh {
    name: String,
    positions: Vec<[f64; 3]>,
    joints: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
    morphs: BTreeMap<String, Vec<[f64; 3]>>,
}

impl Glb {
    fn read(file: &Path) -> Self {
        let file = fs::read(file).unwrap();
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(&file[..4], b"glTF");
        assert_eq!((number(4), number(8)), (2, file.len()));
        let json = number(12);
        assert_eq!(&file[16..20], b"JSON");
        let document = serde_json::from_slice(&file[20..20 + json]).unwrap();
        assert_eq!(&file[24 + json..28 + json], b"BIN\0");
        Self { document, bytes: file[28 + json..].to_vec() }
    }

    /// Numbers of an accessor, row by row.
    fn rows(&self, accessor: &Value) -> Vec<Vec<f64>> {
        let accessor = &self.document["accessors"][accessor.as_u64().unwrap() as usize];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let count = accessor["count"].as_u64().unwrap() as usize;
        let kind = accessor["componentType"].as_u64().unwrap();
        let mut rows = match accessor.get("bufferView") {
            Some(_) => self.components(accessor, kind, count, width),
            None => vec![vec![0.0; width]; count],
        };
        if let Some(sparse) = accessor.get("sparse") {
            let moved = sparse["count"].as_u64().unwrap() as usize;
            let index_kind = sparse["indices"]["componentType"].as_u64().unwrap();
            let indices = self.components(&sparse["indices"], index_kind, moved, 1);
            let values = self.components(&sparse["values"], kind, moved, width);
            for (index, value) in indices.iter().zip(values) {
                rows[index[0] as usize] = value;
            }
        }
        if accessor["normalized"] == true {
            rows.iter_mut().flatten().for_each(|number| *number /= 255.0);
        }
        rows
    }

    fn components(&self, at: &Value, kind: u64, count: usize, width: usize) -> Vec<Vec<f64>> {
        let view = &self.document["bufferViews"][at["bufferView"].as_u64().unwrap() as usize];
        assert!(view.get("byteStride").is_none());
        let offset = |value: &Value| value["byteOffset"].as_u64().unwrap_or(0) as usize;
        let size = match kind {
            5121 => 1,
            5123 => 2,
            5125 | 5126 => 4,
            other => panic!("{other}"),
        };
        let begin = offset(view) + offset(at);
        let bytes = &self.bytes[begin..begin + count * width * size];
        let number = |bytes: &[u8]| match kind {
            5121 => f64::from(bytes[0]),
            5123 => f64::from(u16::from_le_bytes(bytes.try_into().unwrap())),
            5125 => f64::from(u32::from_le_bytes(bytes.try_into().unwrap())),
            _ => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
        };
        let numbers: Vec<f64> = bytes.chunks(size).map(number).collect();
        numbers.chunks(width).map(<[f64]>::to_vec).collect()
    }

    fn points(&self, accessor: &Value) -> Vec<[f64; 3]> {
        self.rows(accessor).iter().map(|row| std::array::from_fn(|axis| row[axis] * CM)).collect()
    }

    fn meshes(&self) -> Vec<SkinnedMesh> {
        let mut meshes = Vec::new();
        for node in self.document["nodes"].as_array().unwrap() {
            let Some(number) = node["mesh"].as_u64() else { continue };
            assert_eq!(node["skin"], 0);
            let mesh = &self.document["meshes"][number as usize];
            let [primitive] = mesh["primitives"].as_array().unwrap().as_slice() else { panic!() };
            let attributes = &primitive["attributes"];
            let names = mesh["extras"]["targetNames"].as_array().cloned().unwrap_or_default();
            let targets = primitive["targets"].as_array().cloned().unwrap_or_default();
            assert_eq!(names.len(), targets.len());
            let morphs = names
                .iter()
                .zip(&targets)
                .map(|(name, target)| (name.as_str().unwrap().to_owned(), self.points(&target["POSITION"])));
            meshes.push(SkinnedMesh {
                name: node["name"].as_str().unwrap().to_owned(),
                positions: self.points(&attributes["POSITION"]),
                joints: self.rows(&attributes["JOINTS_0"]),
                weights: self.rows(&attributes["WEIGHTS_0"]),
                morphs: morphs.collect(),
            });
        }
        meshes
    }

    /// Matrices that take a vertex at rest to where its joints have it, in cm, after `turn` turned one joint, in the axes
    /// of what is above it.
    fn skin(&self, turn: Option<(&str, UnitQuaternion<f64>)>) -> Vec<Matrix4<f64>> {
        let nodes = self.document["nodes"].as_array().unwrap();
        let local = |node: &Value| {
            let numbers = |key: &str| -> Option<Vec<f64>> {
                Some(node.get(key)?.as_array()?.iter().filter_map(Value::as_f64).collect())
            };
            let t = numbers("translation").unwrap_or(vec![0.0; 3]);
            let q = numbers("rotation").unwrap_or(vec![0.0, 0.0, 0.0, 1.0]);
            let mut rotation = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]));
            if let Some((_, turn)) = turn.filter(|(name, _)| node["name"] == *name) {
                rotation = turn * rotation;
            }
            Matrix4::new_translation(&(Vector3::new(t[0], t[1], t[2]) * CM)) * rotation.to_homogeneous()
        };
        let mut world = vec![Matrix4::identity(); nodes.len()];
        let mut open: Vec<usize> = self.document["scenes"][0]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node.as_u64().unwrap() as usize)
            .collect();
        open.iter().for_each(|&root| world[root] = local(&nodes[root]));
        while let Some(node) = open.pop() {
            for child in nodes[node]["children"].as_array().into_iter().flatten() {
                let child = child.as_u64().unwrap() as usize;
                world[child] = world[node] * local(&nodes[child]);
                open.push(child);
            }
        }
        let skin = &self.document["skins"][0];
        let binds = self.rows(&skin["inverseBindMatrices"]);
        let joints = skin["joints"].as_array().unwrap().iter();
        joints
            .zip(binds)
            .map(|(joint, bind)| {
                let mut bind = Matrix4::from_column_slice(&bind);
                (0..3).for_each(|axis| bind[(axis, 3)] *= CM);
                world[joint.as_u64().unwrap() as usize] * bind
            })
            .collect()
    }
}

impl SkinnedMesh {
    /// Vertices with some expressions at some weights.
    fn posed(&self, skin: &[Matrix4<f64>], weights: &[(&str, f64)]) -> Vec<[f64; 3]> {
        let mut moved = self.positions.clone();
        for (name, weight) in weights {
            let Some(morph) = self.morphs.get(*name) else { continue };
            for (point, by) in moved.iter_mut().zip(morph) {
                (0..3).for_each(|axis| point[axis] += weight * by[axis]);
            }
        }
        moved
            .iter()
            .zip(self.joints.iter().zip(&self.weights))
            .map(|(p, (joints, weights))| {
                let point = Vector4::new(p[0], p[1], p[2], 1.0);
                let sum = joints
                    .iter()
                    .zip(weights)
                    .map(|(&joint, &weight)| skin[joint as usize] * point * weight)
                    .sum::<Vector4<f64>>();
                [sum.x, sum.y, sum.z]
            })
            .collect()
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

struct Character {
    _folder: tempfile::TempDir,
    files: Vec<PathBuf>,
    glb: Glb,
    scene: RigScene,
    jaw: mhrig::JawOpen,
}

fn character() -> Character {
    let folder = tempfile::tempdir().unwrap();
    let (mut files, mut scene, mut jaw) = (Vec::new(), RigScene::default(), None);
    let glb = folder.path().join("rig.glb");
    job(|job| {
        let request = DemoRequest::new(folder.path().join("demo"));
        let archetype = mhrig::demo(&request, job).details.unwrap().archetype_dir;
        files = ["head.dna", "body.dna"].map(|name| archetype.join(name)).to_vec();
        let request = AssembleRequest {
            files: files.clone(),
            archetype: Some(archetype),
            output: glb.clone(),
            verify: true,
            ..AssembleRequest::default()
        };
        let report = mhrig::assemble(&request, job);
        assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
        jaw = report.details.unwrap().verification.unwrap().jaw_open;
        scene = mhrig::describe_rig(&request, job).details.unwrap().scene;
    });
    Character { files, glb: Glb::read(&glb), scene, jaw: jaw.unwrap(), _folder: folder }
}

/// Vertices of LOD 0 as the evaluator of the DNA files has them, by mesh.
fn expected(files: &[PathBuf], setting: &str) -> BTreeMap<String, Vec<[f64; 3]>> {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("posed.obj");
    job(|job| {
        let request = PoseRequest {
            file: files[0].clone(),
            body: Some(files[1].clone()),
            settings: vec![setting.to_owned()],
            output: output.clone(),
            ..PoseRequest::default()
        };
        assert_eq!(mhrig::pose(&request, job).status, Status::Ok);
    });
    let mut meshes: BTreeMap<String, Vec<[f64; 3]>> = BTreeMap::new();
    let mut name = String::new();
    for line in fs::read_to_string(output).unwrap().lines() {
        if let Some(object) = line.strip_prefix("o ") {
            name = object.to_owned();
        } else if let Some(point) = line.strip_prefix("v ") {
            let mut numbers = point.split_whitespace().map(|word| word.parse::<f64>().unwrap());
            let point = std::array::from_fn(|_| numbers.next().unwrap());
            meshes.entry(name.clone()).or_default().push(point);
        }
    }
    meshes
}

/// Which vertex of the scene's mesh each vertex of the file is: by place, of which a mesh has some twice.
fn originals(scene: &RigScene, mesh: &SkinnedMesh) -> Vec<Vec<usize>> {
    let own = scene.meshes.iter().find(|own| own.name == mesh.name).unwrap();
    let key = |p: [f64; 3]| p.map(|c| (c * 1e4).round() as i64);
    let mut at: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (vertex, p) in own.mesh.positions.iter().enumerate() {
        at.entry(key(p.map(f64::from))).or_default().push(vertex);
    }
    let near = |p: [f64; 3]| {
        // Metres and centimetres round differently.
        let [x, y, z] = key(p);
        let offsets = [0, -1, 1];
        let keys = offsets.into_iter().flat_map(|dx| {
            offsets.into_iter().flat_map(move |dy| offsets.map(|dz| [x + dx, y + dy, z + dz]))
        });
        let found: Vec<usize> = keys.filter_map(|key| at.get(&key)).flatten().copied().collect();
        assert!(!found.is_empty(), "{}: nothing at {p:?}", mesh.name);
        found
    };
    mesh.positions.iter().map(|&p| near(p)).collect()
}

#[test]
fn expressions_of_the_glb_are_where_the_evaluator_has_them() {
    let Character { files, glb, scene, jaw, .. } = &character();
    let meshes = glb.meshes();
    let names: BTreeSet<&str> = meshes.iter().map(|mesh| mesh.name.as_str()).collect();
    let of_lod: BTreeSet<&str> =
        scene.meshes_of_lod(0).into_iter().map(|number| scene.meshes[number].name.as_str()).collect();
    assert_eq!(names, of_lod);
    let skin = glb.skin(None);
    assert_eq!(skin.len(), scene.joints.len());
    for expression in ["jawOpen", "eyeBlinkL", "mouthCornerPullR", "tongueOut"] {
        assert!(meshes.iter().any(|mesh| mesh.morphs.contains_key(expression)), "{expression}");
        let expected = expected(files, &format!("CTRL_expressions.{expression}=1"));
        let mut worst = 0.0f64;
        for mesh in &meshes {
            let moved = &expected[&mesh.name];
            let found = mesh.posed(&skin, &[(expression, 1.0)]);
            for (found, candidates) in found.iter().zip(originals(scene, mesh)) {
                let nearest =
                    candidates.iter().map(|&vertex| distance(*found, moved[vertex])).fold(f64::MAX, f64::min);
                worst = worst.max(nearest);
            }
        }
        assert!(worst < AGREEMENT_CM, "{expression}: {worst} cm");
        println!("{expression}: at most {worst:.1e} cm");
    }
    // The open jaw moves as many vertices, and as far, as in the description that the Maya scene is made of.
    let mesh = meshes.iter().find(|mesh| mesh.name == jaw.mesh).unwrap();
    let (rest, open) = (mesh.posed(&skin, &[]), mesh.posed(&skin, &[("jawOpen", 1.0)]));
    let by: Vec<f64> = rest.iter().zip(&open).map(|(a, b)| distance(*a, *b)).collect();
    let most = by.iter().copied().fold(0.0, f64::max);
    assert!((most - jaw.max_cm).abs() < AGREEMENT_CM, "{most} for {}", jaw.max_cm);
    let moved: BTreeSet<usize> = by
        .iter()
        .zip(originals(scene, mesh))
        .filter(|(by, _)| **by > MOVED_CM)
        .flat_map(|(_, own)| own)
        .collect();
    println!("jaw open: {} vertices, at most {most:.3} cm; description: {jaw:?}", moved.len());
    assert!(moved.len().abs_diff(jaw.moved) <= jaw.moved / 100, "{} for {}", moved.len(), jaw.moved);
}

#[test]
fn the_sweep_of_the_glb_shows_every_expression_once() {
    let Character { glb, scene, .. } = &character();
    let [animation] = glb.document["animations"].as_array().unwrap().as_slice() else { panic!() };
    let holder = scene.transforms.iter().find(|node| node.name == "CTRL_expressions").unwrap();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for channel in animation["channels"].as_array().unwrap() {
        assert_eq!(channel["target"]["path"], "weights");
        let node = &glb.document["nodes"][channel["target"]["node"].as_u64().unwrap() as usize];
        let mesh = &glb.document["meshes"][node["mesh"].as_u64().unwrap() as usize];
        let names = mesh["extras"]["targetNames"].as_array().unwrap();
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let times: Vec<f64> = glb.rows(&sampler["input"]).concat();
        let weights: Vec<f64> = glb.rows(&sampler["output"]).concat();
        assert_eq!(weights.len(), times.len() * names.len());
        assert!(times.is_sorted_by(|a, b| a < b) && times.last().unwrap() < &21.0);
        for (column, name) in names.iter().enumerate() {
            let of_name: Vec<f64> = weights.iter().skip(column).step_by(names.len()).copied().collect();
            assert_eq!(of_name.iter().filter(|weight| **weight == 1.0).count(), 1, "{name}");
            assert_eq!(of_name.iter().filter(|weight| **weight == 0.0).count(), times.len() - 1);
            shown.insert(name.as_str().unwrap().to_owned());
        }
    }
    // All that move something, which are nearly all.
    assert!(holder.attributes.len() - shown.len() < 5, "{} of {}", shown.len(), holder.attributes.len());
}

#[test]
fn a_turned_root_of_the_glb_takes_all_along() {
    let Character { glb, .. } = &character();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5);
    let turned = glb.skin(Some(("root", turn)));
    let rest = glb.skin(None);
    for mesh in glb.meshes() {
        for (a, b) in mesh.posed(&rest, &[]).iter().zip(mesh.posed(&turned, &[])) {
            let expected = turn * Vector3::from(*a);
            assert!(distance(expected.into(), b) < AGREEMENT_CM, "{}: {a:?}", mesh.name);
        }
    }
}

fn written(scene: &RigScene) -> Glb {
    let file = tempfile::NamedTempFile::new().unwrap();
    job(|job| {
        mhrig_scene::write_rig_glb(file.as_file(), scene, &mhrig_scene::RigGlbContent::default(), job)
            .unwrap();
    });
    Glb::read(file.path())
}

#[test]
fn an_edge_has_a_normal_for_each_of_its_sides() {
    let Character { mut scene, .. } = character();
    let teeth = scene.meshes.iter_mut().find(|mesh| mesh.name == "teeth_lod0_mesh").unwrap();
    let corners = teeth.mesh.faces.corners();
    let around: Vec<usize> = (0..corners.len()).filter(|&corner| corners[corner] == corners[0]).collect();
    assert!(around.len() > 1);
    let sides = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let locked = around.iter().zip(sides.into_iter().cycle());
    teeth.locked_normals =
        locked.map(|(&corner, normal)| mhrig_scene::LockedNormal { corner: corner as u32, normal }).collect();
    let at = teeth.mesh.positions[corners[0] as usize].map(|c| f64::from(c) / CM);
    let glb = written(&scene);
    let meshes = glb.document["meshes"].as_array().unwrap();
    let teeth = meshes.iter().find(|mesh| mesh["name"] == "teeth_lod0_mesh").unwrap();
    let attributes = &teeth["primitives"][0]["attributes"];
    let (positions, normals) = (glb.rows(&attributes["POSITION"]), glb.rows(&attributes["NORMAL"]));
    let here =
        positions.iter().zip(&normals).filter(|(p, _)| p.iter().zip(at).all(|(a, b)| (*a - b).abs() < 1e-6));
    let found: Vec<&Vec<f64>> = here.map(|(_, normal)| normal).collect();
    for side in sides {
        assert!(found.contains(&&side.map(f64::from).to_vec()), "{side:?}: {found:?}");
    }
}

#[test]
fn meshes_without_a_skin_hang_below_the_rig_and_name_none() {
    let Character { mut scene, .. } = character();
    scene.skin_clusters.clear();
    let glb = written(&scene);
    assert!(glb.document.get("skins").is_none());
    let nodes = glb.document["nodes"].as_array().unwrap();
    let rig = nodes.iter().find(|node| node["name"] == "rig").unwrap();
    let mut meshes = nodes.iter().enumerate().filter(|(_, node)| node.get("mesh").is_some()).peekable();
    assert!(meshes.peek().is_some());
    for (number, node) in meshes {
        assert!(node.get("skin").is_none() && rig["children"].as_array().unwrap().contains(&number.into()));
    }
}

#[test]
fn weights_that_do_not_sum_to_one_are_no_part_of_an_expression() {
    let Character { files, glb, .. } = &character();
    let folder = tempfile::tempdir().unwrap();
    let head = folder.path().join("head.dna");
    let (mut dna, _) = mhrig_dna::Dna::read_file(&files[0], &mhrig_dna::ReadOptions::default()).unwrap();
    let mesh = dna.definition.mesh_names.iter().position(|name| name.to_str() == "head_lod0_mesh").unwrap();
    for vertex in dna.geometry.meshes[mesh].skin_weights.iter_mut().step_by(7) {
        vertex.weights.iter_mut().for_each(|weight| *weight *= 0.9);
    }
    fs::write(&head, dna.to_bytes().unwrap()).unwrap();
    let output = folder.path().join("rig.glb");
    job(|job| {
        let request = AssembleRequest {
            files: vec![head, files[1].clone()],
            output: output.clone(),
            ..AssembleRequest::default()
        };
        assert_ne!(mhrig::assemble(&request, job).status, Status::Refused);
    });
    let of_head =
        |glb: &Glb| glb.meshes().into_iter().find(|mesh| mesh.name == "head_lod0_mesh").unwrap().morphs;
    let (whole, changed) = (of_head(glb), of_head(&Glb::read(&output)));
    assert!(whole.len() > 10 && whole.keys().eq(changed.keys()));
    let zero = [0.0; 3];
    for (name, moves) in &whole {
        for (vertex, (a, b)) in moves.iter().zip(&changed[name]).enumerate() {
            let allowed = 0.11 * distance(*a, zero) + 1e-4;
            assert!(distance(*a, *b) < allowed, "{name}, vertex {vertex}: {a:?}, {b:?}");
        }
    }
    // Nothing is in every expression.
    let still = |vertex: usize| whole.values().any(|moves| moves[vertex] == zero);
    assert!((0..whole.values().next().unwrap().len()).all(still));
}
