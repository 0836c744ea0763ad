//! Reads a DNA file, moves one joint and writes the result; everything else stays as it is, byte for byte.
//!
//! ```text
//! cargo run -p mhrig-dna --example edit_and_write -- head.dna moved.dna FACIAL_C_Jaw 0 -0.5 0
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use mhrig_dna::{DiffOptions, Dna, ReadOptions, ValidateOptions};

const USAGE: &str = "give: the file to read, the file to write, a joint, and how far it moves in x, y, z";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output, joint, x, y, z] = arguments.as_slice() else { return Err(USAGE.into()) };
    let (before, notes) = Dna::read_file(Path::new(input), &ReadOptions::default())?;
    notes.iter().for_each(|note| println!("note: {note}"));

    let mut after = before.clone();
    let names = &after.definition.joint_names;
    let index = names.iter().position(|name| *name == joint.as_str()).ok_or("there is no such joint")?;
    let translations = &mut after.definition.neutral_joint_translations;
    for (values, by) in [(&mut translations.xs, x), (&mut translations.ys, y), (&mut translations.zs, z)] {
        *values.get_mut(index).ok_or("the joint has no neutral translation")? += by.parse::<f32>()?;
    }

    for finding in after.validate(&ValidateOptions::default()) {
        println!("{finding}");
    }
    let diff = before.diff(&after, &DiffOptions::default());
    for moved in &diff.joints.moved {
        println!("{} moved by {:.4}", moved.name, moved.world_distance);
    }
    let mut file = BufWriter::new(File::create(output)?);
    after.write_to(&mut file)?;
    file.flush()?;
    Ok(())
}
