//! The archetype of full size has the counts of a MetaHuman, and everything in it is valid.
#![allow(clippy::expect_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use mhrig_dna::{Dna, Target, ValidateOptions};
use mhrig_rig::{Deformer, Moving, Rig, RigOptions};
use mhrig_synth::{DemoHuman, FullOptions, FullSize, full_size};

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
