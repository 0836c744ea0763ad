//! The seeds of the fuzz targets, replayed. `UPDATE_SEEDS=1` writes those that are made.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use mhrig_dna::*;

#[path = "support/entries.rs"]
mod entries;
mod support;

fn folder_of(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target)
}

/// A few small files of each form.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for version in [1, 2, 5, 8] {
        let mut small = Dna::new(FileVersion::new(version));
        small.descriptor.lod_count = 1;
        small.definition.joint_names = vec!["root".into()];
        small.definition.joint_hierarchy = vec![0];
        small.geometry.meshes.push(Mesh {
            faces: vec![vec![0, 0, 0]],
            skin_weights: vec![VertexSkinWeights { weights: vec![1.0], joint_indices: vec![0] }],
            ..Mesh::default()
        });
        seeds.push((format!("small{version}"), small.to_bytes().unwrap()));
        let mut rig = support::small_rig_28();
        rig.set_version(FileVersion::new(version), LaterLayers::Drop);
        seeds.push((format!("rig{version}"), rig.to_bytes().unwrap()));
    }
    let mut unknown = support::small_rig();
    unknown.layers.insert(2, Layer::raw(*b"zzzz", 3, 7, vec![1, 2, 3]));
    unknown.layers[0].surplus = vec![9];
    seeds.push(("unknown".to_owned(), unknown.to_bytes().unwrap()));
    seeds
}

fn seeds_of(target: &str) -> Vec<(String, Vec<u8>)> {
    let mut seeds = seeds();
    for (name, bytes) in &mut seeds {
        match target {
            "dna_json" => {
                *bytes = Dna::from_bytes(bytes).unwrap().to_json(JsonStyle::Exact).unwrap();
                name.push_str(".json");
            }
            "dna_edit" => bytes.insert(0, 0b10),
            _ => {}
        }
    }
    seeds
}

fn replay(target: &str, entry: impl Fn(&[u8])) {
    let folder = folder_of(target);
    if std::env::var_os("UPDATE_SEEDS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in seeds_of(target) {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 9, "{}", folder.display());
    for path in paths {
        entry(&std::fs::read(&path).unwrap());
    }
    // Seeds that nothing reads would fuzz nothing.
    for (name, bytes) in seeds_of(target) {
        assert_eq!(std::fs::read(folder.join(&name)).unwrap(), bytes, "{name} is out of date");
    }
}

#[test]
fn bytes_in_memory_are_read_or_refused() {
    replay("dna_bytes", entries::dna_bytes);
}

#[test]
fn streams_give_what_memory_gives() {
    replay("dna_stream", entries::dna_stream);
}

#[test]
fn views_show_what_the_model_holds() {
    replay("dna_view", entries::dna_view);
}

#[test]
fn json_is_read_or_refused() {
    replay("dna_json", entries::dna_json);
}

#[test]
fn models_can_be_edited() {
    replay("dna_edit", entries::dna_edit);
}
