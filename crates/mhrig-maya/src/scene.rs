//! The meshes of the scene, as the facade takes them.

use mhrig::{
    BrokenMesh, Finding, Mesh, MeshTransform, Polygons, SceneMesh, SceneMeshes, Severity, UpAxis, UvSet,
};
use nalgebra::Matrix4;

use crate::bridge::{self, Host, RawMesh};
use crate::names::{base_name, near, parent_path, quoted};

/// The axis that is up in the scene.
///
/// # Errors
/// Maya does not say: a guess would turn the person.
pub(crate) fn up_axis(host: &Host) -> Result<UpAxis, Finding> {
    match host.mel_text("upAxis -q -axis").as_deref() {
        Some("z") => Ok(UpAxis::Z),
        Some("y") => Ok(UpAxis::Y),
        other => {
            let message = "Maya does not say which axis is up".to_owned();
            let finding = finding("SCENE_UP_AXIS", "scene", message, "set the up axis in Maya's preferences");
            Err(finding.with_values("y or z", other.unwrap_or("nothing")))
        }
    }
}

/// World space with Y up, from a point of the scene.
fn y_up(axis: UpAxis, [x, y, z]: [f64; 3]) -> [f64; 3] {
    match axis {
        UpAxis::Y => [x, y, z],
        UpAxis::Z => [x, z, -y],
    }
}

/// A point of the scene, from world space with Y up.
pub(crate) fn from_y_up(axis: UpAxis, [x, y, z]: [f64; 3]) -> [f64; 3] {
    match axis {
        UpAxis::Y => [x, y, z],
        UpAxis::Z => [x, -z, y],
    }
}

/// The meshes that `names` mean; without names those that are selected, and with nothing selected all of the scene.
///
/// # Errors
/// Names that mean nothing, several things or no mesh.
pub(crate) fn meshes(host: &Host, names: &[String]) -> Result<SceneMeshes, Vec<Finding>> {
    let mut findings = Vec::new();
    let mut notes = Vec::new();
    let mut shapes: Vec<String> = Vec::new();
    let selected = if names.is_empty() { selection(host).map_err(|own| vec![own])? } else { Vec::new() };
    if names.is_empty() && selected.is_empty() {
        shapes = visible_meshes(host, None);
        if shapes.is_empty() {
            findings.push(Finding::new(
                "NO_INPUT",
                Severity::Error,
                "scene",
                "nothing is selected and the scene has no mesh",
                "name or select the person's meshes, or open the scene that has them",
            ));
        }
    }
    for name in names.iter().chain(&selected) {
        match shapes_of(host, name, &mut notes) {
            Ok(found) => shapes.extend(found),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    // A mesh that is meant twice, by itself and by its group, is one mesh.
    let mut seen = std::collections::HashSet::new();
    shapes.retain(|shape| seen.insert(shape.clone()));
    let axis = up_axis(host).map_err(|own| vec![own])?;
    let mut scene = SceneMeshes { findings: notes, ..SceneMeshes::default() };
    for shape in &shapes {
        match read(host, shape, &shapes, axis) {
            Ok(mesh) => scene.meshes.push(mesh),
            Err(finding) => {
                let path = parent_path(shape).to_owned();
                scene.broken.push(BrokenMesh { name: base_name(&path).to_owned(), path, finding });
            }
        }
    }
    Ok(scene)
}

/// What is selected. Not to know it is an error: nothing selected means all of the scene.
fn selection(host: &Host) -> Result<Vec<String>, Finding> {
    host.mel_texts("ls -long -selection -objectsOnly").ok_or_else(|| {
        let message = "Maya does not say what is selected".to_owned();
        finding("SELECTION_UNKNOWN", "scene", message, "name the meshes beside the command")
    })
}

/// Shapes of meshes that are no intermediate objects, by path: of the scene, or at and below one node.
fn visible_meshes(host: &Host, below: Option<&str>) -> Vec<String> {
    let below = below.map(|path| format!("-dag {}", quoted(path))).unwrap_or_default();
    host.mel_texts(&format!("ls -long -allPaths -noIntermediate -type mesh {below}")).unwrap_or_default()
}

fn finding(code: &'static str, place: &str, message: String, remedy: &str) -> Finding {
    Finding::new(code, Severity::Error, place, message, remedy)
}

/// The shapes that one name means.
fn shapes_of(host: &Host, name: &str, notes: &mut Vec<Finding>) -> Result<Vec<String>, Finding> {
    let found = host.mel_texts(&format!("ls -long -allPaths {}", quoted(name))).unwrap_or_default();
    let path = match found.as_slice() {
        [] => return Err(not_found(host, name)),
        [only] => only,
        several if name.contains(['*', '?']) => {
            let mut shapes = Vec::new();
            for path in several {
                shapes.extend(shapes_of(host, path, notes)?);
            }
            return Ok(shapes);
        }
        several => {
            let message = format!("the name fits {} objects", several.len());
            let remedy = "give the full path of the one that is meant, or select it";
            return Err(finding("AMBIGUOUS_NAME", name, message, remedy)
                .with_values("one object", several.join(", ")));
        }
    };
    let Some((kinds, type_name)) = host.node(path) else { return Err(not_found(host, name)) };
    if kinds & bridge::MESH != 0 {
        if kinds & bridge::INTERMEDIATE != 0 {
            notes.push(Finding::new(
                "INTERMEDIATE_SHAPE",
                Severity::Info,
                path.as_str(),
                "this is an intermediate shape, which deformers start from; it is read because it was named",
                "name the transform to have the deformed shape read",
            ));
        }
        return Ok(vec![path.clone()]);
    }
    if kinds & bridge::TRANSFORM != 0 {
        let (hidden, shapes): (Vec<String>, Vec<String>) = host
            .shapes_below(path)
            .into_iter()
            .filter(|shape| host.node(shape).is_some_and(|(kinds, _)| kinds & bridge::MESH != 0))
            .partition(|shape| host.node(shape).is_some_and(|(kinds, _)| kinds & bridge::INTERMEDIATE != 0));
        if let ([shape], Some(original)) = (shapes.as_slice(), hidden.first()) {
            notes.push(Finding::new(
                "DEFORMED_SHAPE",
                Severity::Info,
                path.as_str(),
                format!("the mesh has deformers; {shape} is read as it is now, not {original}"),
                "name the intermediate shape to have that one read",
            ));
        }
        let shapes = if shapes.is_empty() { visible_meshes(host, Some(path)) } else { shapes };
        if !shapes.is_empty() {
            return Ok(shapes);
        }
    }
    let message = format!("this is a {type_name} without a mesh");
    Err(finding("NOT_A_MESH", path, message, "name or select polygon meshes, or groups that hold some"))
}

fn not_found(host: &Host, name: &str) -> Finding {
    let meshes = visible_meshes(host, None);
    let known: Vec<&str> = meshes.iter().map(|shape| parent_path(shape)).collect();
    let alike = near(name, known.iter().copied());
    let remedy = if alike.is_empty() {
        "check the name; namespaces are part of it".to_owned()
    } else {
        format!("did you mean {}?", alike.join(" or "))
    };
    finding("NAME_NOT_FOUND", name, "no object of the scene has this name".to_owned(), &remedy)
}

/// Reads a shape. `all` are the shapes that are read together, to see whether a transform has several of them.
fn read(host: &Host, shape: &str, all: &[String], axis: UpAxis) -> Result<SceneMesh, Finding> {
    let transform = parent_path(shape);
    let siblings = all.iter().filter(|other| parent_path(other) == transform).count();
    let path = if siblings > 1 { shape } else { transform };
    let unreadable = |message: &str| {
        finding(
            "MESH_UNREADABLE",
            path,
            message.to_owned(),
            "delete the mesh's history, or export it and import it again",
        )
    };
    let raw = host.mesh(shape).ok_or_else(|| unreadable("the host does not give this mesh's arrays"))?;
    let (mesh, partly_mapped) =
        checked(&raw, axis).ok_or_else(|| unreadable("its faces and vertices do not fit together"))?;
    let mut findings = Vec::new();
    if partly_mapped {
        findings.push(Finding::new(
            "UV_INCOMPLETE",
            Severity::Info,
            path,
            "some faces have no texture coordinates; they are not compared",
            "transfer the texture coordinates of the original mesh",
        ));
    }
    if host.mel_int(&format!("referenceQuery -isNodeReferenced {}", quoted(shape))) == Some(1) {
        findings.push(Finding::new(
            "REFERENCED_MESH",
            Severity::Info,
            path,
            "this mesh comes from a referenced file and is read-only; it is read as it is in this scene",
            "repair such a mesh in its own file",
        ));
    }
    let name = base_name(if siblings > 1 { shape } else { transform });
    Ok(SceneMesh {
        name: name.to_owned(),
        other_names: vec![base_name(shape).to_owned()],
        path: path.to_owned(),
        file: std::path::PathBuf::new(),
        line: None,
        mesh,
        uv_name: None,
        more_uv_sets: Vec::new(),
        transform: transform_of(host, transform, axis),
        findings,
    })
}

/// The mesh that the arrays mean, and whether only some of its faces have texture coordinates; `None` when they
/// contradict each other.
fn checked(raw: &RawMesh, axis: UpAxis) -> Option<(Mesh, bool)> {
    let positions = raw.points.iter().map(|&point| y_up(axis, point).map(|c| c as f32)).collect();
    let mut faces = Polygons::with_capacity(raw.face_sizes.len(), raw.corners.len());
    let mut at = 0usize;
    for &size in &raw.face_sizes {
        let end = at.checked_add(usize::try_from(size).ok()?)?;
        let corners = raw.corners.get(at..end)?;
        let in_range =
            |&&corner: &&i32| usize::try_from(corner).is_ok_and(|corner| corner < raw.points.len());
        if corners.iter().filter(in_range).count() != corners.len() {
            return None;
        }
        faces.push(corners.iter().map(|&corner| corner as u32)).ok()?;
        at = end;
    }
    if at != raw.corners.len() {
        return None;
    }
    let mapped = !raw.uv_corners.is_empty();
    let wholly = mapped && raw.uv_sizes == raw.face_sizes && raw.uv_corners.len() == raw.corners.len();
    let in_range = raw.uv_corners.iter().all(|&uv| usize::try_from(uv).is_ok_and(|uv| uv < raw.uvs.len()));
    let uv = (wholly && in_range).then(|| UvSet {
        coords: raw.uvs.clone(),
        corners: raw.uv_corners.iter().map(|&uv| uv as u32).collect(),
    });
    Some((Mesh { positions, faces, uv }, mapped && !wholly))
}

fn transform_of(host: &Host, transform: &str, axis: UpAxis) -> MeshTransform {
    let world = |path: &str| host.world_matrix(path).unwrap_or(IDENTITY);
    let rows = world(transform);
    let mut moving_nodes = Vec::new();
    if rows != IDENTITY {
        let ends = transform.match_indices('|').skip(1).map(|(at, _)| at).chain([transform.len()]);
        let mut above = IDENTITY;
        for path in ends.map(|end| &transform[..end]) {
            let here = world(path);
            if here != above {
                moving_nodes.push(path.rsplit('|').next().unwrap_or(path).to_owned());
            }
            above = here;
        }
    }
    // Rows of row vectors are columns of column vectors.
    let scene_from_object = Matrix4::from_fn(|row, column| rows[column][row]);
    let y_up_from_scene = Matrix4::from_fn(|row, column| {
        let unit = [0, 1, 2].map(|k| if k == column { 1.0 } else { 0.0 });
        if row == 3 || column == 3 { f64::from(u8::from(row == column)) } else { y_up(axis, unit)[row] }
    });
    MeshTransform {
        world_from_object: y_up_from_scene * scene_from_object,
        moving_nodes,
        unit_cm: 1.0,
        up_axis: axis,
    }
}

const IDENTITY: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> RawMesh {
        RawMesh {
            points: vec![[0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]],
            face_sizes: vec![3],
            corners: vec![0, 1, 2],
            ..RawMesh::default()
        }
    }

    #[test]
    fn arrays_that_contradict_each_other_are_no_mesh() {
        assert!(checked(&triangle(), UpAxis::Y).is_some());
        for spoil in [
            (|raw: &mut RawMesh| raw.corners[1] = 3) as fn(&mut RawMesh),
            |raw| raw.corners[1] = -1,
            |raw| raw.face_sizes[0] = 4,
            |raw| raw.face_sizes[0] = -3,
            |raw| raw.corners.push(0),
            |raw| raw.face_sizes[0] = i32::MAX,
        ] {
            let mut raw = triangle();
            spoil(&mut raw);
            assert!(checked(&raw, UpAxis::Y).is_none(), "{raw:?}");
        }
    }

    #[test]
    fn texture_coordinates_are_taken_when_every_corner_has_one() {
        let mut raw = triangle();
        raw.uvs = vec![[0.0, 0.5], [1.0, 0.25]];
        raw.uv_sizes = vec![3];
        raw.uv_corners = vec![0, 1, 0];
        let (mesh, partly) = checked(&raw, UpAxis::Y).unwrap();
        assert!(!partly);
        assert_eq!(mesh.uv.unwrap().corners, [0, 1, 0]);
        raw.uv_corners = vec![0, 2, 0];
        assert!(checked(&raw, UpAxis::Y).unwrap().0.uv.is_none());
        raw.uv_sizes = vec![0];
        raw.uv_corners = vec![];
        assert!(!checked(&raw, UpAxis::Y).unwrap().1);
    }

    #[test]
    fn a_z_up_scene_is_turned_and_turned_back() {
        let (mesh, _) = checked(&triangle(), UpAxis::Z).unwrap();
        assert_eq!(mesh.positions[0], [0.0, 2.0, -1.0]);
        assert_eq!(from_y_up(UpAxis::Z, [0.0, 2.0, -1.0]), [0.0, 1.0, 2.0]);
    }
}
