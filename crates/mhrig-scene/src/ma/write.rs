//! Writes meshes as a Maya ASCII scene.

use std::collections::HashMap;
use std::io::{BufWriter, Write};

use mhrig_geom::{Mesh, UvSet};

use crate::error::SceneError;
use crate::scene_mesh::NamedMesh;

/// Elements per `setAttr`, as Maya writes them: its parser has a limit on the length of a statement.
pub(super) const VERTICES_PER_STATEMENT: usize = 166;
const EDGES_PER_STATEMENT: usize = 166;
const UVS_PER_STATEMENT: usize = 250;
const FACES_PER_STATEMENT: usize = 500;
/// Numbers per line, to keep lines readable.
const ELEMENTS_PER_LINE: usize = 8;

/// How [`write_ma`] writes.
#[derive(Clone, Debug)]
pub struct MaWriteOptions {
    /// The oldest Maya that should open the scene: its year.
    pub maya_version: u16,
    /// A group to put the meshes under.
    pub group: Option<String>,
}

impl Default for MaWriteOptions {
    fn default() -> Self {
        Self { maya_version: 2024, group: None }
    }
}

/// Writes a Maya ASCII scene with one transform and one mesh node per mesh, smooth edges, texture coordinates in the
/// set `map1`, and the initial material. Numbers are the shortest decimals that read back to the same `f32`.
///
/// # Errors
/// [`SceneError::Name`] for names that are no node names, [`SceneError::BadMesh`] for indices out of range, faces
/// with fewer than three corners and numbers that are not finite, and [`SceneError::Write`].
pub fn write_ma(
    out: impl Write,
    meshes: &[NamedMesh<'_>],
    options: &MaWriteOptions,
) -> Result<(), SceneError> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let year = options.maya_version;
    writeln!(out, "//Maya ASCII {year} scene")?;
    writeln!(out, "//Codeset: UTF-8")?;
    writeln!(out, "requires maya \"{year}\";")?;
    writeln!(out, "currentUnit -l centimeter -a degree -t film;")?;
    writeln!(out, "fileInfo \"application\" \"MhRigCreator\";")?;
    if let Some(group) = &options.group {
        check_name(group)?;
        writeln!(out, "createNode transform -n \"{group}\";")?;
    }
    for named in meshes {
        check_name(named.name)?;
        named.check()?;
        if let Some(face) = named.mesh.faces.iter().position(|face| face.len() < 3) {
            let why = format!("face {face} has fewer than 3 corners");
            return Err(SceneError::BadMesh { mesh: named.name.to_owned(), why });
        }
        match &options.group {
            Some(group) => writeln!(out, "createNode transform -n \"{}\" -p \"{group}\";", named.name)?,
            None => writeln!(out, "createNode transform -n \"{}\";", named.name)?,
        }
        let name = named.name;
        writeln!(out, "createNode mesh -n \"{name}Shape\" -p \"{name}\";")?;
        write_geometry(&mut out, named.mesh)?;
    }
    for named in meshes {
        writeln!(out, "connectAttr \"{}Shape.iog\" \":initialShadingGroup.dsm\" -na;", named.name)?;
    }
    writeln!(out, "// End of scene")?;
    out.flush()?;
    Ok(())
}

/// Node names: letters, digits and underscores, not beginning with a digit.
fn check_name(name: &str) -> Result<(), SceneError> {
    let mut bytes = name.bytes();
    let starts_well = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if starts_well && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        Ok(())
    } else {
        Err(SceneError::Name { name: name.to_owned(), format: "a Maya scene" })
    }
}

/// Writes the attributes of a mesh node.
pub(super) fn write_geometry(out: &mut impl Write, mesh: &Mesh) -> Result<(), SceneError> {
    writeln!(out, "\tsetAttr -k off \".v\";")?;
    writeln!(out, "\tsetAttr \".vir\" yes;")?;
    writeln!(out, "\tsetAttr \".vif\" yes;")?;
    writeln!(out, "\tsetAttr \".uvst[0].uvsn\" -type \"string\" \"map1\";")?;
    if let Some(UvSet { coords, .. }) = &mesh.uv {
        write_elements(
            out,
            ".uvst[0].uvsp",
            " -type \"float2\"",
            UVS_PER_STATEMENT,
            coords,
            |out, [u, v]| write!(out, "{u} {v}"),
        )?;
    }
    writeln!(out, "\tsetAttr \".cuvs\" -type \"string\" \"map1\";")?;
    writeln!(out, "\tsetAttr \".dcc\" -type \"string\" \"Ambient+Diffuse\";")?;
    write_elements(out, ".vt", "", VERTICES_PER_STATEMENT, &mesh.positions, |out, [x, y, z]| {
        write!(out, "{x} {y} {z}")
    })?;
    let edges = Edges::of(mesh);
    // the third number says that the edge is smooth
    write_elements(out, ".ed", "", EDGES_PER_STATEMENT, &edges.ends, |out, [from, to]| {
        write!(out, "{from} {to} 1")
    })?;
    write_faces(out, mesh, &edges)?;
    writeln!(out, "\tsetAttr \".cd\" -type \"dataPolyComponent\" Index_Data Edge 0 ;")?;
    writeln!(out, "\tsetAttr \".cvd\" -type \"dataPolyComponent\" Index_Data Vertex 0 ;")?;
    writeln!(out, "\tsetAttr \".pd[0]\" -type \"dataPolyComponent\" Index_Data UV 0 ;")?;
    writeln!(out, "\tsetAttr \".hfd\" -type \"dataPolyComponent\" Index_Data Face 0 ;")?;
    Ok(())
}

/// Writes an array attribute: its size, then its elements in statements of at most `per_statement`.
fn write_elements<T>(
    out: &mut impl Write,
    attribute: &str,
    kind: &str,
    per_statement: usize,
    elements: &[T],
    write_one: impl Fn(&mut dyn Write, &T) -> std::io::Result<()>,
) -> Result<(), SceneError> {
    if elements.is_empty() {
        return Ok(());
    }
    writeln!(out, "\tsetAttr -s {} \"{attribute}\";", elements.len())?;
    for (at, chunk) in elements.chunks(per_statement).enumerate() {
        let first = at * per_statement;
        write!(out, "\tsetAttr \"{attribute}{}\"{kind}", range(first, chunk.len()))?;
        for line in chunk.chunks(ELEMENTS_PER_LINE) {
            write!(out, "\n\t\t")?;
            for element in line {
                write!(out, " ")?;
                write_one(out, element)?;
            }
        }
        writeln!(out, ";")?;
    }
    Ok(())
}

/// `[7]` for one element, `[0:165]` for several. Of none there is no range: callers write no statement then.
pub(super) fn range(first: usize, count: usize) -> String {
    if count <= 1 { format!("[{first}]") } else { format!("[{first}:{}]", first + count - 1) }
}

fn write_faces(out: &mut impl Write, mesh: &Mesh, edges: &Edges) -> Result<(), SceneError> {
    let faces = &mesh.faces;
    if faces.is_empty() {
        return Ok(());
    }
    writeln!(out, "\tsetAttr -s {} -ch {} \".fc\";", faces.len(), faces.corners().len())?;
    for first in (0..faces.len()).step_by(FACES_PER_STATEMENT) {
        let last = (first + FACES_PER_STATEMENT).min(faces.len());
        let corners = faces.corner_range(last - 1).end - faces.corner_range(first).start;
        let range = range(first, last - first);
        write!(out, "\tsetAttr -ch {corners} \".fc{range}\" -type \"polyFaces\" ")?;
        for face in first..last {
            let corners = faces.corner_range(face);
            write!(out, "\n\t\tf {}", corners.len())?;
            for reference in &edges.refs[corners.clone()] {
                write!(out, " {reference}")?;
            }
            if let Some(uv) = &mesh.uv {
                write!(out, "\n\t\tmu 0 {}", corners.len())?;
                for uv in &uv.corners[corners] {
                    write!(out, " {uv}")?;
                }
            }
        }
        writeln!(out, ";")?;
    }
    Ok(())
}

/// The edges of a mesh in the order in which its faces come to them.
struct Edges {
    ends: Vec<[u32; 2]>,
    /// One per face corner: the edge that begins there, `-e - 1` where the face runs against it.
    refs: Vec<i64>,
}

impl Edges {
    fn of(mesh: &Mesh) -> Self {
        let mut by_ends: HashMap<[u32; 2], usize> = HashMap::with_capacity(mesh.faces.corners().len() / 2);
        let mut edges = Self { ends: Vec::new(), refs: Vec::with_capacity(mesh.faces.corners().len()) };
        for face in mesh.faces.iter() {
            for (at, &from) in face.iter().enumerate() {
                let to = face[(at + 1) % face.len()];
                let key = [from.min(to), from.max(to)];
                let edge = *by_ends.entry(key).or_insert_with(|| {
                    edges.ends.push([from, to]);
                    edges.ends.len() - 1
                });
                let forward = edges.ends[edge] == [from, to];
                let edge = edge as i64;
                edges.refs.push(if forward { edge } else { -edge - 1 });
            }
        }
        edges
    }
}
