//! Opens a borrowed view of a DNA file in memory: layers are checked at their first access, and large arrays are read
//! where they are, without a copy.
//!
//! ```text
//! cargo run -p mhrig-dna --example open_view -- head.dna
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;

use mhrig_dna::DnaView;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the path of a DNA file")?;
    let bytes = std::fs::read(path)?;
    let view = DnaView::open(&bytes)?;
    println!("version {}", view.version());
    for layer in view.layers() {
        println!("{:<12} {:>10} bytes at {:#x}", layer.name, layer.size, layer.offset);
    }
    let names = &view.definition()?.mesh_names;
    for (mesh, name) in view.geometry()?.meshes.iter().zip(names) {
        // A position is read from the bytes of the file each time.
        let highest = mesh.positions.iter().map(|[_, y, _]| y).fold(f32::NEG_INFINITY, f32::max);
        println!("{name:<30} {:>6} vertices, the highest at {highest:.3}", mesh.positions.len());
    }
    Ok(())
}
