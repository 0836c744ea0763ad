//! Divides an OBJ file into meshes.

use std::collections::HashMap;
use std::ops::Range;

use mhrig_geom::{Mesh, Polygons, UvSet};
use mhrig_report::{Finding, Job, Severity};

use super::{NO_UV, ObjFile};
use crate::error::{Place, SceneError};
use crate::names;
use crate::scene_mesh::{MeshTransform, SceneMesh};

/// Faces that make one mesh.
#[derive(Default)]
struct Part {
    /// Names that the file gives, its own name first.
    given_names: Vec<String>,
    line: u64,
    /// Ranges of faces, in file order.
    faces: Vec<Range<usize>>,
}

/// Who owns the vertices of a block.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Nobody,
    Part(usize),
    Several,
}

/// Vertices and faces of one mesh, with its own indices.
struct Geometry {
    positions: Vec<[f32; 3]>,
    faces: Polygons,
    coords: Vec<[f32; 2]>,
    uv_corners: Vec<u32>,
}

/// The meshes of `obj`, in the order in which their first faces come.
pub(super) fn split(
    obj: &mut ObjFile<'_>,
    transform: &MeshTransform,
    job: Job<'_>,
) -> Result<Vec<SceneMesh>, SceneError> {
    let has_objects = obj.segments.iter().any(|segment| segment.object.is_some());
    let mut parts = named_parts(obj, has_objects);
    let owners = block_owners(obj, &parts);
    if !has_objects && owners.contains(&Owner::Several) {
        // the groups share vertices: they name faces of one mesh, not meshes
        let line = parts.first().map_or(1, |part| part.line);
        parts = vec![Part { line, ..Part::default() }];
    }
    let positions = transform.place(&std::mem::take(&mut obj.positions));
    if parts.len() == 1 {
        let geometry = Geometry {
            positions,
            faces: std::mem::take(&mut obj.faces),
            coords: std::mem::take(&mut obj.coords),
            uv_corners: std::mem::take(&mut obj.uv_corners),
        };
        let part = parts.pop().unwrap_or_default();
        return Ok(vec![scene_mesh(obj, part, geometry, transform, true)]);
    }
    report_loose(obj, &owners, positions.len());
    let mut cutter = Cutter {
        owned_blocks: owned_blocks(&owners, parts.len()),
        new_vertex: vec![0; positions.len()],
        new_uv: vec![0; obj.coords.len()],
        positions,
    };
    let mut meshes = Vec::with_capacity(parts.len());
    for (index, part) in parts.into_iter().enumerate() {
        job.check()?;
        let geometry = cutter.cut(obj, index, &part)?;
        meshes.push(scene_mesh(obj, part, geometry, transform, false));
    }
    Ok(meshes)
}

/// Groups the segments by object name, or by group names where there are no objects.
fn named_parts(obj: &ObjFile<'_>, has_objects: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut by_name: HashMap<(Option<&str>, &[String]), usize> = HashMap::new();
    for (index, segment) in obj.segments.iter().enumerate() {
        let end = obj.segments.get(index + 1).map_or(obj.faces.len(), |next| next.first_face);
        let groups = if has_objects { &[] } else { segment.groups.as_slice() };
        let part = *by_name.entry((segment.object.as_deref(), groups)).or_insert_with(|| {
            let given_names = match &segment.object {
                Some(object) => vec![object.clone()],
                None => segment.groups.clone(),
            };
            parts.push(Part { given_names, line: segment.line, faces: Vec::new() });
            parts.len() - 1
        });
        parts[part].faces.push(segment.first_face..end);
    }
    put_own_names_first(&mut parts);
    parts
}

/// Maya lists a mesh's own name and those of the nodes above it as groups, in the order in which it came to them
/// first: `g head character`, then `g character teeth`. The own name is the one that the fewest meshes share, and
/// of those the first.
fn put_own_names_first(parts: &mut [Part]) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in parts.iter().flat_map(|part| &part.given_names) {
        *uses.entry(name.clone()).or_default() += 1;
    }
    for part in parts {
        let is_meaningless = |name: &String| names::is_meaningless(names::without_namespace(name));
        part.given_names.sort_by_key(|name| (is_meaningless(name), uses.get(name).copied()));
    }
}

/// For each block of vertices, the part whose faces use it.
fn block_owners(obj: &ObjFile<'_>, parts: &[Part]) -> Vec<Owner> {
    let mut owners = vec![Owner::Nobody; obj.blocks.len()];
    if parts.len() < 2 {
        return owners;
    }
    for (index, part) in parts.iter().enumerate() {
        // consecutive corners are mostly in the same block
        let mut block = 0..0;
        for vertex in part.faces.iter().cloned().flatten().flat_map(|face| obj.faces.face(face)) {
            let vertex = *vertex as usize;
            if block.contains(&vertex) {
                continue;
            }
            let next = obj.blocks.partition_point(|&first| first <= vertex);
            let end = obj.blocks.get(next).copied().unwrap_or(obj.positions.len());
            let Some(this) = next.checked_sub(1) else { continue };
            block = obj.blocks[this]..end;
            owners[this] = match owners[this] {
                Owner::Nobody => Owner::Part(index),
                Owner::Part(other) if other == index => Owner::Part(index),
                _ => Owner::Several,
            };
        }
    }
    owners
}

/// For each part, the blocks that it owns, in file order.
fn owned_blocks(owners: &[Owner], part_count: usize) -> Vec<Vec<usize>> {
    let mut owned = vec![Vec::new(); part_count];
    for (block, owner) in owners.iter().enumerate() {
        if let Owner::Part(part) = owner {
            owned[*part].push(block);
        }
    }
    owned
}

/// Vertices of blocks that no face uses belong to no mesh of a file with several.
fn report_loose(obj: &mut ObjFile<'_>, owners: &[Owner], vertex_count: usize) {
    let size = |block: usize| obj.blocks.get(block + 1).unwrap_or(&vertex_count) - obj.blocks[block];
    let nobody = owners.iter().enumerate().filter(|(_, owner)| **owner == Owner::Nobody);
    let loose: usize = nobody.map(|(block, _)| size(block)).sum();
    if loose > 0 {
        obj.findings.push(Finding::new(
            "LOOSE_VERTICES",
            Severity::Warning,
            obj.file.display().to_string(),
            format!("{loose} vertices belong to no face of any mesh and are left out"),
            "delete loose vertices and export again, or export one mesh per file",
        ));
    }
}

/// Cuts single meshes out of the arrays of the file.
struct Cutter {
    positions: Vec<[f32; 3]>,
    owned_blocks: Vec<Vec<usize>>,
    /// Index in the part by index in the file; only entries of the current part mean something.
    new_vertex: Vec<u32>,
    new_uv: Vec<u32>,
}

impl Cutter {
    fn cut(&mut self, obj: &ObjFile<'_>, index: usize, part: &Part) -> Result<Geometry, SceneError> {
        let too_many = |_| SceneError::TooMany {
            place: Place::line(obj.file, part.line),
            what: "face corners",
            limit: u32::MAX as usize,
        };
        let faces = || part.faces.iter().cloned().flatten();
        // the vertices of its own blocks, used or not, and those it uses of others
        let mut kept: Vec<u32> = Vec::new();
        let mut owned = vec![];
        for &block in &self.owned_blocks[index] {
            let end = obj.blocks.get(block + 1).copied().unwrap_or(self.positions.len());
            owned.push(obj.blocks[block]..end);
            kept.extend((obj.blocks[block]..end).map(|vertex| vertex as u32));
        }
        let is_owned = |vertex: usize| {
            let at = owned.partition_point(|range| range.end <= vertex);
            owned.get(at).is_some_and(|range| range.contains(&vertex))
        };
        kept.extend(faces().flat_map(|face| obj.faces.face(face)).filter(|&&v| !is_owned(v as usize)));
        kept.sort_unstable();
        kept.dedup();
        let mut uvs: Vec<u32> =
            faces().flat_map(|face| &obj.uv_corners[obj.faces.corner_range(face)]).copied().collect();
        uvs.sort_unstable();
        uvs.dedup();
        uvs.retain(|&uv| uv != NO_UV);
        for (new, &old) in kept.iter().enumerate() {
            self.new_vertex[old as usize] = new as u32;
        }
        for (new, &old) in uvs.iter().enumerate() {
            self.new_uv[old as usize] = new as u32;
        }
        let mut geometry = Geometry {
            positions: kept.iter().map(|&v| self.positions[v as usize]).collect(),
            faces: Polygons::default(),
            coords: uvs.iter().map(|&uv| obj.coords[uv as usize]).collect(),
            uv_corners: Vec::new(),
        };
        for face in faces() {
            let corners = obj.faces.face(face).iter().map(|&v| self.new_vertex[v as usize]);
            geometry.faces.push(corners).map_err(too_many)?;
            let uvs = obj.uv_corners[obj.faces.corner_range(face)].iter();
            geometry
                .uv_corners
                .extend(uvs.map(|&uv| if uv == NO_UV { uv } else { self.new_uv[uv as usize] }));
        }
        Ok(geometry)
    }
}

fn scene_mesh(
    obj: &ObjFile<'_>,
    part: Part,
    geometry: Geometry,
    transform: &MeshTransform,
    is_only: bool,
) -> SceneMesh {
    let stem = obj.file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let given = part.given_names.first().map(|name| names::unescape_fbx(name)).unwrap_or_default();
    let is_telling = !names::is_meaningless(names::without_namespace(&given));
    let path = if is_telling || !is_only && !given.is_empty() { &given } else { &stem };
    let name = names::without_namespace(path).to_owned();
    let mut other_names = Vec::new();
    let more = names::before_exporter(&name).into_iter().chain(is_only.then(|| stem.clone()));
    for other in more {
        if other != name && !names::is_meaningless(&other) && !other_names.contains(&other) {
            other_names.push(other);
        }
    }
    let mut mesh = SceneMesh {
        path: format!("|{path}"),
        name,
        other_names,
        file: obj.file.to_owned(),
        line: Some(part.line),
        mesh: Mesh { positions: geometry.positions, faces: geometry.faces, uv: None },
        uv_name: None,
        more_uv_sets: Vec::new(),
        transform: transform.clone(),
        findings: Vec::new(),
    };
    let without_uv = geometry.uv_corners.iter().filter(|&&uv| uv == NO_UV).count();
    if without_uv == 0 {
        mesh.mesh.uv = Some(UvSet { coords: geometry.coords, corners: geometry.uv_corners });
        mesh.uv_name = Some("map1".into());
    } else if without_uv < geometry.uv_corners.len() {
        let of = geometry.uv_corners.len();
        mesh.note(
            "UV_PARTIAL",
            Severity::Warning,
            format!(
                "{without_uv} of {of} face corners have no texture coordinate; the others are ignored too"
            ),
            "give every face texture coordinates, or none",
        );
    }
    mesh.note_positions();
    mesh
}
