//! Lists the joints of a DNA file with their neutral positions. Only the names and the neutral pose are read:
//!
//! ```text
//! cargo run -p mhrig-dna --example list_joints -- head.dna
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::PathBuf;

use mhrig_dna::{Dna, LayerSelection, ReadOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map(PathBuf::from).ok_or("give the path of a DNA file")?;
    // Everything but the descriptor and the definition is passed over.
    let options = ReadOptions::default().with_layers(LayerSelection::DEFINITION);
    let (dna, _) = Dna::read_file(&path, &options)?;
    let world = dna.world_joint_positions();
    for (joint, name) in dna.definition.joint_names.iter().enumerate() {
        let parent = dna.definition.joint_hierarchy.get(joint).map(|&parent| usize::from(parent));
        let parent = parent.filter(|&parent| parent != joint);
        let parent = parent.and_then(|parent| dna.definition.joint_names.get(parent));
        let [x, y, z] = world[joint];
        let parent = parent.map_or_else(|| "none".to_owned(), ToString::to_string);
        println!("{name:<40} {x:>10.4} {y:>10.4} {z:>10.4}  parent {parent}");
    }
    Ok(())
}
