use std::io::{BufWriter, Write};

use crate::error::SceneError;
use crate::scene_mesh::NamedMesh;

/// Writes meshes as one Wavefront OBJ: polygons, texture coordinates per corner, normals where given. Numbers are
/// the shortest decimals that read back to the same `f32`.
///
/// # Errors
/// [`SceneError::Name`] for a name with a line break, one that is empty, or one that ends in a backslash;
/// [`SceneError::BadMesh`] for indices out of range and numbers that are not finite; [`SceneError::Write`].
pub fn write_obj(out: impl Write, meshes: &[NamedMesh<'_>]) -> Result<(), SceneError> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    writeln!(out, "# MhRigCreator: cm, Y up")?;
    let (mut first_vertex, mut first_uv, mut first_normal) = (1u64, 1u64, 1u64);
    for named in meshes {
        let name = named.name;
        if name.trim() != name || name.is_empty() || name.contains(['\n', '\r']) || name.ends_with('\\') {
            return Err(SceneError::Name { name: name.to_owned(), format: "an OBJ file" });
        }
        named.check()?;
        let mesh = named.mesh;
        writeln!(out, "o {name}")?;
        for [x, y, z] in &mesh.positions {
            writeln!(out, "v {x} {y} {z}")?;
        }
        for [u, v] in mesh.uv.iter().flat_map(|uv| &uv.coords) {
            writeln!(out, "vt {u} {v}")?;
        }
        for [x, y, z] in named.normals.into_iter().flatten() {
            writeln!(out, "vn {x} {y} {z}")?;
        }
        for face in 0..mesh.faces.len() {
            write!(out, "f")?;
            for corner in mesh.faces.corner_range(face) {
                let vertex = u64::from(mesh.faces.corners()[corner]);
                write!(out, " {}", vertex + first_vertex)?;
                match (&mesh.uv, named.normals) {
                    (Some(uv), None) => write!(out, "/{}", u64::from(uv.corners[corner]) + first_uv)?,
                    (None, Some(_)) => write!(out, "//{}", vertex + first_normal)?,
                    (Some(uv), Some(_)) => {
                        write!(
                            out,
                            "/{}/{}",
                            u64::from(uv.corners[corner]) + first_uv,
                            vertex + first_normal
                        )?;
                    }
                    (None, None) => {}
                }
            }
            writeln!(out)?;
        }
        first_vertex += mesh.positions.len() as u64;
        first_uv += mesh.uv.as_ref().map_or(0, |uv| uv.coords.len()) as u64;
        first_normal += named.normals.map_or(0, <[_]>::len) as u64;
    }
    out.flush()?;
    Ok(())
}
