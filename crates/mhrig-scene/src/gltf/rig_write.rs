//! Writes a [`RigScene`] as binary glTF: skeleton, skinned meshes of one LOD, expressions as morph targets, and an
//! animation that shows each of them once.

use std::collections::HashMap;
use std::io::Write;

use mhrig_geom::Mesh;
use mhrig_report::Job;
use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::builder::{ARRAY_BUFFER, Buffer, FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT, write_container};
use super::write::{METRES, SplitMesh};
use crate::error::SceneError;
use crate::names::without_namespace;
use crate::read::UpAxis;
use crate::rig_scene::{Joint, RigMesh, RigScene, SkinCluster, parent_from_joint};

/// What a glTF file of a rig holds beyond its description.
#[derive(Clone, Debug, Default)]
pub struct RigGlbContent {
    /// The LOD whose meshes are written.
    pub lod: usize,
    /// Expressions, each a morph target of every mesh that it moves.
    pub morphs: Vec<RigMorph>,
}

/// An expression as a displacement of vertices, joints included.
#[derive(Clone, Debug, PartialEq)]
pub struct RigMorph {
    /// Its name.
    pub name: String,
    /// What it moves of each mesh.
    pub moves: Vec<MorphMoves>,
}

/// What an expression moves of one mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphMoves {
    /// Number of the mesh in the scene.
    pub mesh: usize,
    /// Vertices that move, ascending, and how far, cm.
    pub vertices: Vec<VertexMove>,
}

/// A vertex, and how far it moves, cm.
pub type VertexMove = (u32, [f32; 3]);

/// What a glTF file could not hold.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RigGlbReport {
    /// Vertices with more influences than the four that every viewer knows.
    pub pruned_vertices: usize,
    /// The largest weight of one vertex that was left out.
    pub largest_pruned_weight: f32,
    /// Whether an animation of the expressions would be too large, and is left out.
    pub is_sweep_left_out: bool,
}

/// Influences of a vertex that every viewer knows.
const INFLUENCES: usize = 4;
/// Joints that the numbers of influences reach.
const MOST_JOINTS: usize = 1 << 16;
/// Bytes of an animation; a longer one is left out.
const MOST_SWEEP_BYTES: usize = 1 << 28;
/// Seconds that the animation shows one expression, and that it lasts at most.
const SECONDS_PER_MORPH: f32 = 0.4;
const MOST_SECONDS: f32 = 20.0;

/// Writes `scene` with `content` as a binary glTF file: lengths in metres, Y up, vertices split where texture
/// coordinates meet, four influences per vertex. Morph targets are sparse.
///
/// # Errors
/// [`SceneError::Rig`] for a scene that [`RigScene::check`] complains about, [`SceneError::BadMesh`] for a morph that
/// points outside its mesh and for more data than the format holds, [`SceneError::Write`], [`SceneError::Cancelled`].
pub fn write_rig_glb(
    out: impl Write,
    scene: &RigScene,
    content: &RigGlbContent,
    job: Job<'_>,
) -> Result<RigGlbReport, SceneError> {
    let findings = scene.check();
    if !findings.is_empty() {
        return Err(SceneError::Rig { findings });
    }
    check_morphs(scene, content)?;
    if scene.joints.len() > MOST_JOINTS {
        let why = format!("{} joints are more than the {MOST_JOINTS} that it can name", scene.joints.len());
        let mesh = scene.meshes.first().map(|mesh| mesh.name.clone()).unwrap_or_default();
        return Err(SceneError::BadMesh { mesh, why });
    }
    let mut file = RigGlb { scene, content, buffer: Buffer::default(), report: RigGlbReport::default() };
    let document = file.document(job)?;
    let RigGlb { buffer, report, .. } = file;
    write_container(out, &document, buffer.bytes, scene.meshes.last().map_or("", |mesh| &mesh.name))?;
    Ok(report)
}

fn check_morphs(scene: &RigScene, content: &RigGlbContent) -> Result<(), SceneError> {
    for morph in &content.morphs {
        for MorphMoves { mesh, vertices: moves } in &morph.moves {
            let mesh = scene.meshes.get(*mesh);
            let count = mesh.map_or(0, |mesh| mesh.mesh.positions.len());
            let is_sound = moves.is_sorted_by(|a, b| a.0 < b.0)
                && moves.last().is_none_or(|(vertex, _)| (*vertex as usize) < count)
                && moves.iter().all(|(_, by)| by.iter().all(|c| c.is_finite()));
            if !is_sound {
                return Err(SceneError::BadMesh {
                    mesh: mesh.map(|mesh| mesh.name.clone()).unwrap_or_default(),
                    why: format!("the expression {} does not fit it", morph.name),
                });
            }
        }
    }
    Ok(())
}

struct RigGlb<'a> {
    scene: &'a RigScene,
    content: &'a RigGlbContent,
    buffer: Buffer,
    report: RigGlbReport,
}

/// Joints and weights of the vertices of a mesh, strongest first, sums 1.
struct FourInfluences {
    joints: Vec<[u16; INFLUENCES]>,
    weights: Vec<[f32; INFLUENCES]>,
    report: RigGlbReport,
}

impl RigGlb<'_> {
    fn document(&mut self, job: Job<'_>) -> Result<Value, SceneError> {
        let scene = self.scene;
        let mut nodes: Vec<Value> = scene.joints.iter().map(joint_node).collect();
        let mut roots = Vec::new();
        let numbers: HashMap<&str, usize> =
            scene.joints.iter().enumerate().map(|(number, joint)| (joint.name.as_str(), number)).collect();
        for (number, joint) in scene.joints.iter().enumerate() {
            let above = joint.parent.as_deref().and_then(|parent| numbers.get(parent));
            match above {
                Some(&above) => push_child(&mut nodes[above], number),
                None => roots.push(number),
            }
        }
        // One node turns the skeleton upright; skinned meshes go where their joints are.
        let top = nodes.len();
        let mut upright = json!({"name": "rig"});
        if !roots.is_empty() {
            upright["children"] = json!(roots);
        }
        if scene.up_axis == UpAxis::Z {
            let half = std::f32::consts::FRAC_1_SQRT_2;
            upright["rotation"] = json!([-half, 0.0, 0.0, half]);
        }
        nodes.push(upright);
        let mut scene_nodes = vec![top];
        let mut document = json!({
            "asset": {"version": "2.0", "generator": "MhRigCreator"},
            "scene": 0,
        });
        let (mut meshes, mut channels, mut samplers) = (Vec::new(), Vec::new(), Vec::new());
        let has_meshes = scene
            .meshes_of_lod(self.content.lod)
            .into_iter()
            .any(|number| scene.meshes[number].mesh.faces.iter().any(|face| face.len() > 2));
        let times = if has_meshes { self.times() } else { None };
        let mut has_skin = false;
        let mut materials: Vec<u32> = Vec::new();
        for number in scene.meshes_of_lod(self.content.lod) {
            job.check()?;
            let rig_mesh = &scene.meshes[number];
            let Some((mut mesh, shown)) = self.mesh(number, rig_mesh) else { continue };
            let material = materials.iter().position(|&own| own == rig_mesh.material).unwrap_or_else(|| {
                materials.push(rig_mesh.material);
                materials.len() - 1
            });
            mesh["primitives"][0]["material"] = json!(material);
            let is_skinned = scene.skin_clusters.iter().any(|skin| skin.mesh as usize == number);
            // One without joints to go with is turned like them.
            match is_skinned {
                true => scene_nodes.push(nodes.len()),
                false => {
                    let own = nodes.len();
                    push_child(&mut nodes[top], own);
                }
            }
            if let Some(times) = times.filter(|_| !shown.is_empty()) {
                let output = self.sweep(&shown);
                channels.push(json!({
                    "sampler": samplers.len(), "target": {"node": nodes.len(), "path": "weights"},
                }));
                samplers.push(json!({"input": times, "output": output, "interpolation": "LINEAR"}));
            }
            let mut node = json!({"name": without_namespace(&rig_mesh.name), "mesh": meshes.len()});
            has_skin |= is_skinned;
            if is_skinned {
                node["skin"] = json!(0);
            }
            nodes.push(node);
            meshes.push(mesh);
        }
        document["scenes"] = json!([{"nodes": scene_nodes}]);
        document["nodes"] = json!(nodes);
        if has_skin {
            document["skins"] = json!([self.skin()]);
        }
        if !meshes.is_empty() {
            document["meshes"] = json!(meshes);
            document["materials"] = json!(materials.iter().map(|&m| self.material(m)).collect::<Vec<_>>());
            self.buffer.describe(&mut document);
        }
        if !channels.is_empty() {
            document["animations"] =
                json!([{"name": "expressions", "channels": channels, "samplers": samplers}]);
        }
        Ok(document)
    }

    fn material(&self, number: u32) -> Value {
        let material = &self.scene.materials[number as usize];
        let [r, g, b] = material.color;
        let mut value = json!({
            "name": without_namespace(&material.name),
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0 - material.transparency],
                "metallicFactor": 0,
                "roughnessFactor": 0.6,
            },
            "doubleSided": true,
        });
        if material.transparency > 0.0 {
            value["alphaMode"] = json!("BLEND");
        }
        value
    }

    fn skin(&mut self) -> Value {
        let world = self.scene.rest_world();
        let inverse = |joint: &Joint| -> [f32; 16] {
            let world = world.get(joint.name.as_str()).copied().unwrap_or_else(Matrix4::identity);
            let inverse = world.try_inverse().unwrap_or_else(Matrix4::identity);
            let mut numbers = [0.0; 16];
            for (number, value) in numbers.iter_mut().zip(inverse.as_slice()) {
                *number = *value as f32;
            }
            for translation in &mut numbers[12..15] {
                *translation *= METRES;
            }
            (numbers[3], numbers[7], numbers[11], numbers[15]) = (0.0, 0.0, 0.0, 1.0);
            numbers
        };
        let matrices: Vec<[f32; 16]> = self.scene.joints.iter().map(inverse).collect();
        let matrices = self.buffer.floats(&matrices, "MAT4", None);
        json!({
            "joints": (0..self.scene.joints.len()).collect::<Vec<_>>(),
            "inverseBindMatrices": matrices,
        })
    }

    /// A mesh, and the numbers of the morphs that move it; `None` without triangles.
    fn mesh(&mut self, number: usize, rig_mesh: &RigMesh) -> Option<(Value, Vec<usize>)> {
        let mesh = &rig_mesh.mesh;
        let locked = Locked::of(rig_mesh);
        let split = SplitMesh::with_keys(mesh, |corner| locked.key(corner));
        if split.triangles.is_empty() {
            return None;
        }
        let mut primitive = split.primitive(mesh, &mut self.buffer);
        let smooth = split.at_positions(&vertex_normals(mesh));
        let own =
            smooth.into_iter().zip(&split.keys).map(|(smooth, &key)| locked.normal(key).unwrap_or(smooth));
        let normals: Vec<[f32; 3]> = own.collect();
        let normals = self.buffer.floats(&normals, "VEC3", Some(ARRAY_BUFFER));
        primitive["attributes"]["NORMAL"] = json!(normals);
        if let Some(skin) = self.scene.skin_clusters.iter().find(|skin| skin.mesh as usize == number) {
            let four = four_influences(skin, mesh.positions.len());
            self.report.pruned_vertices += four.report.pruned_vertices;
            self.report.largest_pruned_weight =
                self.report.largest_pruned_weight.max(four.report.largest_pruned_weight);
            let joints = split.at_positions(&four.joints);
            let bytes: Vec<u8> = joints.as_flattened().iter().flat_map(|joint| joint.to_le_bytes()).collect();
            let joints =
                self.buffer.accessor(&bytes, UNSIGNED_SHORT, "VEC4", joints.len(), Some(ARRAY_BUFFER));
            let weights = split.at_positions(&four.weights);
            let weights = self.buffer.floats(&weights, "VEC4", Some(ARRAY_BUFFER));
            primitive["attributes"]["JOINTS_0"] = json!(joints);
            primitive["attributes"]["WEIGHTS_0"] = json!(weights);
        }
        let mut value = json!({"name": without_namespace(&rig_mesh.name)});
        let shown = self.morphs(number, &split, &mut primitive, &mut value);
        value["primitives"] = json!([primitive]);
        Some((value, shown))
    }

    /// Adds the morph targets of a mesh, and returns which expressions they are.
    fn morphs(
        &mut self,
        number: usize,
        split: &SplitMesh,
        primitive: &mut Value,
        mesh: &mut Value,
    ) -> Vec<usize> {
        // Vertices of the file at each position.
        let positions = self.scene.meshes[number].mesh.positions.len();
        let mut at_position: Vec<Vec<u32>> = vec![Vec::new(); positions];
        for (vertex, &(position, _)) in split.vertices.iter().enumerate() {
            at_position[position as usize].push(vertex as u32);
        }
        let morphs = self.content.morphs.iter().enumerate();
        let own: Vec<(usize, &[VertexMove])> = morphs
            .filter_map(|(morph, content)| {
                let moves = content.moves.iter().find(|moves| moves.mesh == number)?;
                (!moves.vertices.is_empty()).then_some((morph, moves.vertices.as_slice()))
            })
            .collect();
        let spread = |moves: &[VertexMove]| {
            let mut all: Vec<VertexMove> = moves
                .iter()
                .flat_map(|(position, by)| {
                    let by = by.map(|c| c * METRES);
                    at_position[*position as usize].iter().map(move |&vertex| (vertex, by))
                })
                .collect();
            all.sort_unstable_by_key(|(vertex, _)| *vertex);
            all
        };
        let spread: Vec<Vec<VertexMove>> = own.par_iter().map(|(_, moves)| spread(moves)).collect();
        let targets: Vec<Value> = spread
            .into_iter()
            .map(|moves| {
                let (indices, values): (Vec<u32>, Vec<[f32; 3]>) = moves.into_iter().unzip();
                json!({"POSITION": self.buffer.sparse(split.vertices.len(), &indices, &values)})
            })
            .collect();
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
            mesh["weights"] = json!(vec![0.0; own.len()]);
            let names: Vec<&str> =
                own.iter().map(|(morph, _)| self.content.morphs[*morph].name.as_str()).collect();
            mesh["extras"] = json!({"targetNames": names});
        }
        own.into_iter().map(|(morph, _)| morph).collect()
    }

    /// Key times of the animation: rest, then per expression its height and rest again.
    fn times(&mut self) -> Option<usize> {
        let count = self.content.morphs.len();
        if count == 0 {
            return None;
        }
        let shown: usize = self.content.morphs.iter().map(|morph| morph.moves.len()).sum();
        if (2 * count + 1).saturating_mul(shown) > MOST_SWEEP_BYTES {
            self.report.is_sweep_left_out = true;
            return None;
        }
        let step = SECONDS_PER_MORPH.min(MOST_SECONDS / count as f32) / 2.0;
        let times: Vec<[f32; 1]> = (0..=2 * count).map(|key| [key as f32 * step]).collect();
        let accessor = self.buffer.floats(&times, "SCALAR", None);
        let last = times.last().map_or(0.0, |time| time[0]);
        self.buffer.accessors[accessor]["min"] = json!([0.0]);
        self.buffer.accessors[accessor]["max"] = json!([last]);
        debug_assert_eq!(self.buffer.accessors[accessor]["componentType"], FLOAT);
        Some(accessor)
    }

    /// Weights of the morphs `shown` at each key: one byte each, 255 is 1.
    fn sweep(&mut self, shown: &[usize]) -> usize {
        let keys = 2 * self.content.morphs.len() + 1;
        let mut bytes = vec![0u8; keys * shown.len()];
        for (column, &morph) in shown.iter().enumerate() {
            bytes[(2 * morph + 1) * shown.len() + column] = u8::MAX;
        }
        let accessor = self.buffer.accessor(&bytes, UNSIGNED_BYTE, "SCALAR", bytes.len(), None);
        self.buffer.accessors[accessor]["normalized"] = json!(true);
        accessor
    }
}

fn push_child(node: &mut Value, child: usize) {
    match node.get_mut("children").and_then(Value::as_array_mut) {
        Some(children) => children.push(json!(child)),
        None => node["children"] = json!([child]),
    }
}

fn joint_node(joint: &Joint) -> Value {
    let local = parent_from_joint(joint.translate, joint.orient, [0.0; 3], [1.0; 3]);
    let linear: Matrix3<f64> = local.fixed_view::<3, 3>(0, 0).into_owned();
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(linear));
    let [x, y, z, w] = [rotation.i, rotation.j, rotation.k, rotation.w].map(|c| c as f32);
    let translation = joint.translate.map(|c| c as f32 * METRES);
    json!({
        "name": without_namespace(&joint.name),
        "translation": translation,
        "rotation": [x, y, z, w],
    })
}

/// Locked normals of a mesh, each once; those of one key are one.
struct Locked {
    normals: Vec<[f32; 3]>,
    /// Numbers in `normals`, by corner.
    of_corner: HashMap<u32, u32>,
}

impl Locked {
    fn of(rig_mesh: &RigMesh) -> Self {
        let mut locked = Self { normals: Vec::new(), of_corner: HashMap::new() };
        let mut known: HashMap<[u32; 3], u32> = HashMap::new();
        for own in &rig_mesh.locked_normals {
            let normal = unit(own.normal.map(f64::from));
            let number = *known.entry(normal.map(f32::to_bits)).or_insert_with(|| {
                locked.normals.push(normal);
                locked.normals.len() as u32 - 1
            });
            locked.of_corner.insert(own.corner, number);
        }
        locked
    }

    /// 0 where nothing is locked.
    fn key(&self, corner: usize) -> u32 {
        self.of_corner.get(&(corner as u32)).map_or(0, |number| number + 1)
    }

    fn normal(&self, key: u32) -> Option<[f32; 3]> {
        self.normals.get(key.checked_sub(1)? as usize).copied()
    }
}

/// One normal per vertex: the mean of its faces by area.
fn vertex_normals(mesh: &Mesh) -> Vec<[f32; 3]> {
    let Mesh { positions, faces, .. } = mesh;
    let mut sums = vec![[0.0f64; 3]; positions.len()];
    for face in faces.iter() {
        // Newell's formula: twice the area vector of a polygon, flat or not
        let mut sum = [0.0f64; 3];
        for (i, &corner) in face.iter().enumerate() {
            let next = face[(i + 1) % face.len()];
            let (a, b) = (positions[corner as usize].map(f64::from), positions[next as usize].map(f64::from));
            sum[0] += (a[1] - b[1]) * (a[2] + b[2]);
            sum[1] += (a[2] - b[2]) * (a[0] + b[0]);
            sum[2] += (a[0] - b[0]) * (a[1] + b[1]);
        }
        for &corner in face {
            for (total, part) in sums[corner as usize].iter_mut().zip(sum) {
                *total += part;
            }
        }
    }
    sums.into_iter().map(unit).collect()
}

/// `v` at length one; up where it has none.
fn unit(v: [f64; 3]) -> [f32; 3] {
    let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 1e-30 { v.map(|c| (c / length) as f32) } else { [0.0, 1.0, 0.0] }
}

fn four_influences(skin: &SkinCluster, vertices: usize) -> FourInfluences {
    let mut four = FourInfluences {
        joints: Vec::with_capacity(vertices),
        weights: Vec::with_capacity(vertices),
        report: RigGlbReport::default(),
    };
    for vertex in 0..vertices {
        let mut own: Vec<(u16, f32)> = skin
            .weights_of(vertex)
            .iter()
            .filter(|(_, weight)| *weight > 0.0)
            .map(|&(influence, weight)| (skin.influences[usize::from(influence)] as u16, weight))
            .collect();
        own.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if own.len() > INFLUENCES {
            four.report.pruned_vertices += 1;
            let lost: f32 = own[INFLUENCES..].iter().map(|(_, weight)| weight).sum();
            four.report.largest_pruned_weight = four.report.largest_pruned_weight.max(lost);
            own.truncate(INFLUENCES);
        }
        let sum: f32 = own.iter().map(|(_, weight)| weight).sum();
        let (mut joints, mut weights) = ([0; INFLUENCES], [0.0; INFLUENCES]);
        for (slot, (joint, weight)) in own.iter().enumerate() {
            (joints[slot], weights[slot]) = (*joint, weight / sum);
        }
        // The strongest takes what rounding left, so that the sum is one.
        weights[0] = 1.0 - weights[1..].iter().sum::<f32>();
        four.joints.push(joints);
        four.weights.push(weights);
    }
    four
}
