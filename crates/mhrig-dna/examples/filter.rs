//! Writes the part of a DNA file that a program needs: some layers, some LODs, an older version. All that is lost on
//! the way is named.
//!
//! ```text
//! cargo run -p mhrig-dna --example filter -- head.dna small.dna
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;

use mhrig_dna::{Dna, FileVersion, LaterLayers, LayerSelection, LodMode, LodSelection, ReadOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        return Err("give the file to read and the file to write".into());
    };
    let (mut dna, _) = Dna::read_file(Path::new(input), &ReadOptions::default())?;

    // What moves, without what is moved.
    for layer in dna.select_layers(LayerSelection::BEHAVIOR | LayerSelection::RBF_BEHAVIOR) {
        println!("left out: {}", layer.name());
    }

    // The most detailed LOD alone; every index is renumbered.
    let (mut dna, report) = dna.select_lods(&LodSelection::List(vec![0]), LodMode::Correct)?;
    println!("kept LOD {:?}, dropped {} joints and {} meshes", report.lods, report.joints, report.meshes);

    // The first public version, which has no place for RBF solvers.
    let change = dna.set_version(FileVersion::new(1), LaterLayers::Drop);
    for lost in &change.lost {
        println!("a {} file has no place for {}: {}", change.to, lost.name, lost.content);
    }
    std::fs::write(output, dna.to_bytes()?)?;
    Ok(())
}
