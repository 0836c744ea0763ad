//! The archetype of full size has the counts of a MetaHuman, and everything in it is valid.
#![allow(clippy::expect_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use mhrig_dna::{Dna, Target, ValidateOptions};
use mhrig_rig::{Deformer, Moving, Rig, RigOptions};
use mhrig_synth::{DemoHuman, FullOptions, FullSize, full_size, shape_controls};

fn human() -> &'static DemoHuman {
    static HUMAN: OnceLock<DemoHuman> = OnceLock::new();
    HUMAN.get_or_init(|| DemoHuman::load().expect("the assets"))
}

/// The small instance that most tests look at.
fn small() -> &'static FullSize {
    static SMALL: OnceLock<FullSize> = OnceLock::new();
    SMALL.get_or_init(|| full_size(human(), &options()).expect("an archetype"))
}

fn options() -> FullOptions {
    FullOptions::default().with_detail(0.05)
}

/// Everything that validation says, but for the note which programs read the file.
fn findings(dna: &Dna) -> Vec<String> {
    let targets = [Target::Any, Target::Unreal, Target::Maya, Target::Library];
    let of_target = |target| dna.validate(&ValidateOptions::default().with_target(target));
    let all = targets.into_iter().flat_map(of_target).filter(|finding| finding.code != "VERSION_SUPPORT");
    all.map(|finding| finding.to_string()).collect()
}

/// The counts that both the full instance and a smaller one have.
fn check_counts(full: &FullSize) {
    let (head, body) = (&full.archetype.head, &full.archetype.body);
    let counts = |dna: &Dna| {
        let (definition, behavior) = (&dna.definition, &dna.behavior);
        let targets = dna.geometry.meshes.iter().map(|mesh| mesh.blend_shape_targets.len());
        [
            usize::from(dna.descriptor.lod_count),
            definition.joint_names.len(),
            dna.geometry.meshes.len(),
            definition.raw_control_names.len(),
            definition.gui_control_names.len(),
            behavior.controls.conditionals.input_indices.len(),
            usize::from(behavior.controls.psd_count),
            definition.blend_shape_channel_names.len(),
            targets.sum(),
            definition.animated_map_names.len(),
            behavior.joints.joint_groups.len(),
            dna.rbf_behavior.solvers.len(),
            dna.rbf_behavior.poses.len(),
        ]
    };
    assert_eq!(counts(head), [8, 870, 50, 263, 174, 259, 545, 782, 858, 82, 122, 1, 38]);
    assert_eq!(counts(body), [4, 342, 4, 176, 0, 0, 0, 0, 0, 0, 72, 72, 215]);
    assert_eq!(head.geometry.meshes[0].blend_shape_targets.len(), 737);
    let rows: BTreeMap<&str, [usize; 2]> = full
        .archetype
        .mappings
        .iter()
        .map(|table| {
            let volumetric = table.rows.iter().filter(|row| row.offset_cm.is_some()).count();
            (table.mesh.as_str(), [table.rows.len() - volumetric, volumetric])
        })
        .collect();
    assert_eq!(rows, BTreeMap::from([("head_lod0_mesh", [770, 30]), ("teeth_lod0_mesh", [0, 12])]));
    assert_eq!((full.character.len(), full.truth.len()), (10, 870 + 342 - 27));
    let shared: Vec<(usize, usize)> = head
        .definition
        .joint_names
        .iter()
        .enumerate()
        .filter_map(|(at, name)| {
            Some((at, body.definition.joint_names.iter().position(|other| other == name)?))
        })
        .collect();
    assert_eq!(shared.len(), 27);
    for (in_head, in_body) in shared {
        if usize::from(head.definition.joint_hierarchy[in_head]) == in_head {
            continue;
        }
        for (ours, theirs) in [
            (&head.definition.neutral_joint_translations, &body.definition.neutral_joint_translations),
            (&head.definition.neutral_joint_rotations, &body.definition.neutral_joint_rotations),
        ] {
            let bits = |values: Option<[f32; 3]>| values.map(|values| values.map(f32::to_bits));
            assert_eq!(bits(ours.get(in_head)), bits(theirs.get(in_body)));
        }
    }
}

/// At rest everything is where it was; an open jaw moves most of the head by some centimetres.
fn check_motion(dna: &Dna, opens: bool) {
    let rig = Rig::from_dna(dna, &RigOptions::default()).expect("a rig");
    assert_eq!(rig.findings(), []);
    let deformer = Deformer::from_dna(dna).expect("meshes");
    let rig = Arc::new(rig);
    let moving = Moving { rig: &rig, deformer: &deformer };
    for mesh in moving.check_rest().expect("evaluated") {
        assert!(mesh.max_cm < 1e-4, "{} is {} cm off at rest", mesh.mesh, mesh.max_cm);
    }
    let open = moving.check_jaw_open().expect("evaluated");
    assert_eq!(open.is_some(), opens);
    if let Some(open) = open {
        let head = &open[0];
        assert!(head.moved * 2 > head.vertices, "{} of {} vertices move", head.moved, head.vertices);
        assert!((2.0..6.0).contains(&head.max_cm), "the jaw opens by {} cm", head.max_cm);
    }
}

#[test]
fn the_small_instance_is_valid_and_moves() {
    check_counts(small());
    assert_eq!(findings(&small().archetype.head), Vec::<String>::new());
    assert_eq!(findings(&small().archetype.body), Vec::<String>::new());
    check_motion(&small().archetype.head, true);
    check_motion(&small().archetype.body, false);
}

#[test]
fn full_size_has_the_listed_vertices_and_is_valid() {
    let full = full_size(human(), &FullOptions::default()).expect("an archetype");
    check_counts(&full);
    let (head, body) = (&full.archetype.head, &full.archetype.body);
    let mut vertices: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for dna in [head, body] {
        for (name, mesh) in dna.definition.mesh_names.iter().zip(&dna.geometry.meshes) {
            let name = std::str::from_utf8(&name.0).expect("a name");
            let part = name.split('_').next().expect("a part");
            vertices.entry(part).or_default().push(mesh.positions.len());
        }
    }
    let table = include_str!("../assets/full-size/meshes.txt");
    let listed: BTreeMap<&str, Vec<usize>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (part, counts) = line.split_once(' ').expect("a part and counts");
            (part, counts.split(' ').map(|count| count.parse().expect("a count")).collect())
        })
        .collect();
    assert_eq!(vertices, listed);
    let values: usize = head.behavior.joints.joint_groups.iter().map(|group| group.values.len()).sum();
    assert!((1_060_000..=1_080_000).contains(&values), "{values} joint values");
    let bytes = head.to_bytes().expect("bytes").len();
    assert!((42_000_000..50_000_000).contains(&bytes), "{bytes} bytes");
    assert_eq!(findings(head), Vec::<String>::new());
    assert_eq!(findings(body), Vec::<String>::new());
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let on = |threads: usize, seed: u64| -> [Vec<u8>; 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let options = options().with_seed(seed).with_detail(0.0);
        let full = pool.install(|| full_size(human(), &options)).expect("an archetype");
        [&full.archetype.head, &full.archetype.body].map(|dna| dna.to_bytes().expect("bytes"))
    };
    let one = on(1, 5);
    assert!(one == on(2, 5));
    assert!(one != on(2, 6));
}

#[test]
fn a_written_archetype_of_full_size_loads_without_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    small().archetype.write(folder.path()).expect("written");
    let archetype = mhrig_archetype::Archetype::load(folder.path()).expect("loaded");
    assert_eq!(archetype.findings, []);
    assert_eq!(archetype.shared_joints().len(), 27);
}

/// Number of faces at each edge.
fn edges(mesh: &mhrig_dna::Mesh) -> BTreeMap<(u32, u32), usize> {
    let mut edges = BTreeMap::new();
    for face in &mesh.faces {
        let vertex = |corner: usize| mesh.layouts.positions[face[corner % face.len()] as usize];
        for corner in 0..face.len() {
            let (a, b) = (vertex(corner), vertex(corner + 1));
            *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
        }
    }
    edges
}

#[test]
fn meshes_are_surfaces_like_those_of_the_demo_human() {
    let (head, body) = (&small().archetype.head, &small().archetype.body);
    let lod_0 = head.geometry.meshes[..9].iter().chain(&body.geometry.meshes[..1]);
    for (part, mesh) in human().parts.iter().zip(lod_0) {
        let edges = edges(mesh);
        assert!(edges.values().all(|&faces| faces <= 2), "{}", part.name);
        // Splitting rings of quads changes neither the number of holes nor that of pieces.
        let euler = mesh.positions.len() as i64 - edges.len() as i64 + mesh.faces.len() as i64;
        let mut of_demo = std::collections::BTreeSet::new();
        for face in part.mesh.faces.iter() {
            for (at, &a) in face.iter().enumerate() {
                let b = face[(at + 1) % face.len()];
                of_demo.insert((a.min(b), a.max(b)));
            }
        }
        let of_demo = part.mesh.positions.len() as i64 - of_demo.len() as i64 + part.mesh.faces.len() as i64;
        assert_eq!(euler, of_demo, "{}", part.name);
        let quads = mesh.faces.iter().filter(|face| face.len() == 4).count();
        // Only the few vertices that no ring fits are triangles' tips.
        let triangles = mesh.faces.len() - quads;
        assert!(triangles <= 4 * 40, "{}: {triangles} of {} faces", part.name, mesh.faces.len());
    }
}

#[test]
fn the_seam_is_closed_in_all_pairs_of_lods() {
    let full = small();
    let meshes = [&full.archetype.head, &full.archetype.body].map(|dna| {
        let meshes = dna.definition.mesh_names.iter().zip(&dna.geometry.meshes);
        let main = meshes.filter(|(name, _)| name.0.starts_with(b"head_") || name.0.starts_with(b"body_"));
        main.map(|(_, mesh)| mesh).collect::<Vec<_>>()
    });
    let bits = |mesh: &mhrig_dna::Mesh| -> std::collections::BTreeSet<[u32; 3]> {
        mesh.positions.iter().map(|position| position.map(f32::to_bits)).collect()
    };
    for head_lod in 0..8 {
        let shared = bits(meshes[0][head_lod]).intersection(&bits(meshes[1][(head_lod / 2).min(3)])).count();
        let expected = full.archetype.seam.len();
        let least = if head_lod < 2 { expected } else { 12 };
        assert!(shared >= least, "LOD {head_lod}: {shared} vertices in common, {expected} at LOD 0");
    }
    let (head, body) = (meshes[0][0], meshes[1][0]);
    // Joints have other numbers in each part, and each part lists its own in order.
    let weights = |dna: &mhrig_dna::Dna, mesh: &mhrig_dna::Mesh, vertex: usize| {
        let skin = &mesh.skin_weights[vertex];
        let name = |&joint: &u16| dna.definition.joint_names[usize::from(joint)].to_string();
        let named =
            skin.joint_indices.iter().map(name).zip(skin.weights.iter().map(|weight| weight.to_bits()));
        named.collect::<std::collections::BTreeMap<String, u32>>()
    };
    for pair in &full.archetype.seam {
        let (in_head, in_body) = (pair.head_vertex as usize, pair.body_vertex as usize);
        assert_eq!(head.positions.get(in_head), body.positions.get(in_body));
        let of_head = weights(&full.archetype.head, head, in_head);
        assert_eq!(of_head, weights(&full.archetype.body, body, in_body));
        for target in &head.blend_shape_targets {
            if let Some(at) = target.vertex_indices.iter().position(|&vertex| vertex == pair.head_vertex) {
                let delta = target.deltas.get(at).expect("a delta");
                assert!(delta.iter().all(|c| c.abs() < 0.01), "the seam opens by {delta:?}");
            }
        }
    }
}

#[test]
fn joints_are_in_or_near_the_meshes() {
    for dna in [&small().archetype.head, &small().archetype.body] {
        let neutral = mhrig_rig::Neutral::from_dna(dna).expect("neutral");
        let lod_0: Vec<&mhrig_rig::NeutralMesh> =
            neutral.meshes.iter().filter(|mesh| mesh.name.contains("lod0")).collect();
        let world = neutral.pose.world(&neutral.hierarchy);
        for (name, joint) in neutral.hierarchy.names().iter().zip(world) {
            // Roots, skull and spine are deep inside, and the shoulders of a head beside it.
            if !name.starts_with("FACIAL_") && !name.contains("_0")
                || name.contains("Root")
                || name.contains("spine")
            {
                continue;
            }
            let at = joint.translation.vector;
            let distance = lod_0
                .iter()
                .flat_map(|mesh| &mesh.mesh.positions)
                .map(|position| (nalgebra::Vector3::from(position.map(f64::from)) - at).norm());
            let nearest = distance.fold(f64::INFINITY, f64::min);
            assert!(nearest < 11.0, "{name} is {nearest} cm from the nearest vertex");
        }
    }
}

#[test]
fn correctives_include_each_other_as_sets_do() {
    let psds = &small().archetype.head.behavior.controls.psds;
    let mut sets: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
    for (&row, &column) in psds.rows.iter().zip(&psds.columns) {
        sets.entry(row).or_default().push(column);
    }
    let mut unique: Vec<Vec<u16>> = sets
        .values()
        .map(|set| {
            let mut set = set.clone();
            set.sort_unstable();
            set
        })
        .collect();
    let larger = unique.iter().filter(|set| set.len() > 2).count();
    let with_parts = unique
        .iter()
        .filter(|set| set.len() > 2)
        .filter(|set| {
            unique.iter().any(|part| part.len() < set.len() && part.iter().all(|c| set.contains(c)))
        })
        .count();
    assert!(larger > 100 && with_parts == larger, "{with_parts} of {larger}");
    // Layers come one after the other.
    assert!(sets.values().zip(sets.values().skip(1)).all(|(a, b)| a.len() <= b.len()));
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 545);
}

#[test]
fn blend_shapes_are_small_and_smooth() {
    let dna = &small().archetype.head;
    let mesh = &dna.geometry.meshes[0];
    let edges = edges(mesh);
    let sculpted: Vec<String> =
        human().expressions.iter().flat_map(|expression| shape_controls(&expression.name)).collect();
    let drivers = &dna.behavior.blend_shape_channels;
    for target in &mesh.blend_shape_targets {
        let mut dense = vec![[0.0f32; 3]; mesh.positions.len()];
        for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
            dense[vertex as usize] = delta;
        }
        let name = &dna.definition.blend_shape_channel_names[usize::from(target.blend_shape_channel_index)];
        let length = |v: [f32; 3]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
        let largest = dense.iter().map(|&delta| length(delta)).fold(0.0, f32::max);
        assert!((5e-4..4.0).contains(&largest), "{name}: {largest} cm");
        // Bumps are smooth. The shapes of the 52 expressions are what joints leave to be done, and a shut lid folds.
        let row = drivers.output_indices.iter().position(|&of| of == target.blend_shape_channel_index);
        let control = usize::from(drivers.input_indices[row.expect("a driven channel")]);
        let control = dna.definition.raw_control_names.get(control).map(|name| name.to_str().into_owned());
        let is_sculpted = control.is_some_and(|control| sculpted.contains(&control));
        let steepest = if is_sculpted { 4.0 } else { 0.5 };
        for &(a, b) in edges.keys() {
            let [from, to] = [a, b].map(|vertex| dense[vertex as usize]);
            let step = length(std::array::from_fn(|axis| from[axis] - to[axis]));
            let [p, q] = [a, b].map(|vertex| mesh.positions.get(vertex as usize).expect("a vertex"));
            let edge = length(std::array::from_fn(|axis| p[axis] - q[axis]));
            assert!(step <= steepest * edge + 0.02, "{name}: {step} cm along an edge of {edge} cm");
        }
    }
}

#[test]
fn the_character_is_another_person_in_the_same_topology() {
    let full = small();
    for (name, mesh) in &full.character {
        let (dna, at) = [&full.archetype.head, &full.archetype.body]
            .into_iter()
            .find_map(|dna| {
                let names = &dna.definition.mesh_names;
                Some((dna, names.iter().position(|known| known.to_str() == *name)?))
            })
            .expect("a mesh of the archetype");
        let template = &dna.geometry.meshes[at];
        assert_eq!(template.positions.len(), mesh.positions.len());
        assert_eq!(template.faces.len(), mesh.faces.len());
        let moved = template.positions.iter().zip(&mesh.positions).filter(|(a, b)| a != *b).count();
        assert!(moved * 2 > mesh.positions.len(), "{name}: {moved} vertices differ");
    }
}
