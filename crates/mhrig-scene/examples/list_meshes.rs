//! Lists the meshes of scene files and what the readers noticed: `list_meshes FILE…`.

use std::io::Write;
use std::path::PathBuf;

use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{ReadOptions, read_meshes};

fn main() -> std::io::Result<()> {
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    let mut out = std::io::stdout().lock();
    for file in std::env::args_os().skip(1).map(PathBuf::from) {
        match read_meshes(&file, &ReadOptions::default(), job) {
            Err(error) => {
                let finding = error.to_finding();
                writeln!(out, "{}: {}: {}", finding.place, finding.code, finding.message)?;
            }
            Ok(scene) => {
                writeln!(
                    out,
                    "{}: {} meshes, {} broken",
                    file.display(),
                    scene.meshes.len(),
                    scene.broken.len()
                )?;
                for mesh in &scene.meshes {
                    let (vertices, faces) = (mesh.mesh.positions.len(), mesh.mesh.faces.len());
                    let [low, high] = bounds(&mesh.mesh.positions);
                    let uv = mesh.uv_name.as_deref().unwrap_or("no uv");
                    writeln!(
                        out,
                        "  {} {}: {vertices} v {faces} f {uv} {low:?} {high:?}",
                        mesh.name, mesh.path
                    )?;
                }
                let of_meshes = scene.meshes.iter().flat_map(|mesh| &mesh.findings);
                let of_broken = scene.broken.iter().map(|broken| &broken.finding);
                for finding in scene.findings.iter().chain(of_broken).chain(of_meshes) {
                    let values = finding.expected.iter().zip(&finding.found).next();
                    let values =
                        values.map(|(e, f)| format!(" ({e} expected, {f} found)")).unwrap_or_default();
                    writeln!(out, "  {}: {}: {}{values}", finding.place, finding.code, finding.message)?;
                }
            }
        }
    }
    Ok(())
}

/// Lowest and highest corner of the box round `positions`.
fn bounds(positions: &[[f32; 3]]) -> [[f32; 3]; 2] {
    positions.iter().fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[low, high], p| {
        let fold = |start: [f32; 3], pick: fn(f32, f32) -> f32| {
            std::array::from_fn(|axis| pick(start[axis], p[axis]))
        };
        [fold(low, f32::min), fold(high, f32::max)]
    })
}
