//! The values of `setAttr`, for the attributes that matter.

use std::io::Read;

use nalgebra::Matrix4;

use super::attribute::{AttributePath, Step};
use super::lexer::Token;
use super::mesh_node::{FaceList, MOST_UV_SETS, MeshNode, NO_UV, Tweaks};
use super::scene::{NodeId, NodeKind};
use super::statements::{Reader, Stop, excerpt, flag_takes_value};
use super::transform::Transform;
use crate::number::{parse_i64, parse_number};
use crate::read::UpAxis;

/// The up axis that a script sets, with or without quotes.
pub(super) fn axis_of_script(script: &str) -> Option<UpAxis> {
    let plain = script.replace('"', "");
    let has =
        |axis: char| ["-ax", "-axis"].iter().any(|flag| plain.contains(&format!("upAxis {flag} {axis}")));
    [(UpAxis::Z, 'z'), (UpAxis::Y, 'y')].into_iter().find(|(_, name)| has(*name)).map(|(axis, _)| axis)
}

/// A vector attribute of a transform.
#[derive(Clone, Copy)]
enum Vector {
    Translate,
    Rotate,
    Scale,
    Shear,
    RotatePivot,
    RotatePivotTranslate,
    ScalePivot,
    ScalePivotTranslate,
    RotateAxis,
    JointOrient,
}

/// Short and long names of the vector attributes.
const VECTORS: [(&str, &str, Vector); 10] = [
    ("t", "translate", Vector::Translate),
    ("r", "rotate", Vector::Rotate),
    ("s", "scale", Vector::Scale),
    ("sh", "shear", Vector::Shear),
    ("rp", "rotatePivot", Vector::RotatePivot),
    ("rpt", "rotatePivotTranslate", Vector::RotatePivotTranslate),
    ("sp", "scalePivot", Vector::ScalePivot),
    ("spt", "scalePivotTranslate", Vector::ScalePivotTranslate),
    ("ra", "rotateAxis", Vector::RotateAxis),
    ("jo", "jointOrient", Vector::JointOrient),
];

/// The vector attribute that `name` is or is a component of, and which component.
fn vector_attribute(name: &str) -> Option<(Vector, Option<usize>)> {
    VECTORS.iter().find_map(|&(short, long, vector)| {
        let components = match vector {
            Vector::Shear => ["xy", "xz", "yz"],
            _ => ["x", "y", "z"],
        };
        if name == short || name == long {
            return Some((vector, None));
        }
        let is_component = |component: &str| {
            name.strip_prefix(short).is_some_and(|rest| rest == component)
                || name.strip_prefix(long).is_some_and(|rest| rest.eq_ignore_ascii_case(component))
        };
        components.iter().position(|component| is_component(component)).map(|axis| (vector, Some(axis)))
    })
}

/// Whether `name` is an attribute that places what is below a transform.
pub(super) fn is_transform_attribute(name: &str) -> bool {
    vector_attribute(name).is_some() || matches!(name, "opm" | "offsetParentMatrix")
}

impl Vector {
    fn of(self, transform: &mut Transform) -> &mut [f64; 3] {
        match self {
            Self::Translate => &mut transform.translate,
            Self::Rotate => &mut transform.rotate,
            Self::Scale => &mut transform.scale,
            Self::Shear => &mut transform.shear,
            Self::RotatePivot => &mut transform.rotate_pivot,
            Self::RotatePivotTranslate => &mut transform.rotate_pivot_translate,
            Self::ScalePivot => &mut transform.scale_pivot,
            Self::ScalePivotTranslate => &mut transform.scale_pivot_translate,
            Self::RotateAxis => &mut transform.rotate_axis,
            Self::JointOrient => &mut transform.joint_orient,
        }
    }

    fn is_angle(self) -> bool {
        matches!(self, Self::Rotate | Self::RotateAxis | Self::JointOrient)
    }

    fn is_ratio(self) -> bool {
        matches!(self, Self::Scale | Self::Shear)
    }
}

fn bad<T>(expected: impl Into<String>, found: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Bad { expected: expected.into(), found: found.into() })
}

/// `value` as an index.
fn index_of(value: f64) -> Option<u32> {
    (value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

impl<R: Read> Reader<'_, R> {
    /// The next number of the statement; yes and no count as 1 and 0.
    fn number(&mut self) -> Result<Option<f64>, Stop> {
        if let Some(value) = self.lexer.next_parsed(parse_number) {
            return Ok(Some(value));
        }
        loop {
            match self.argument()? {
                None => return Ok(None),
                Some(Token::Word) => {
                    let word = self.lexer.token();
                    if let Some(value) = parse_number(word) {
                        return Ok(Some(value));
                    }
                    match word {
                        b"yes" | b"on" | b"true" => return Ok(Some(1.0)),
                        b"no" | b"off" | b"false" => return Ok(Some(0.0)),
                        _ => {}
                    }
                    if !self.is_flag() {
                        return bad("a number", format!("`{}`", excerpt(word)));
                    }
                    if flag_takes_value(word) {
                        self.argument()?;
                    }
                }
                Some(_) => return bad("a number", format!("the string \"{}\"", excerpt(self.lexer.token()))),
            }
        }
    }

    /// Reads all numbers of the statement into `self.values`.
    fn numbers(&mut self) -> Result<(), Stop> {
        self.values.clear();
        while let Some(value) = self.number()? {
            self.values.push(value);
        }
        Ok(())
    }

    /// Like [`Reader::numbers`], for `step`, whose elements have `width` numbers each.
    fn elements(&mut self, step: &Step<'_>, width: usize) -> Result<(), Stop> {
        self.numbers()?;
        let expected = step.len().map(|elements| elements.saturating_mul(width as u64));
        match expected {
            Some(expected) if expected != self.values.len() as u64 => {
                bad(format!("{expected} numbers for `{}`", step.name), self.values.len().to_string())
            }
            _ => Ok(()),
        }
    }

    /// The last string of the statement.
    fn string(&mut self) -> Result<Option<String>, Stop> {
        Ok(self.arguments()?.pop().filter(|(flag, _)| flag.is_none()).map(|(_, text)| text))
    }

    fn flag_value(&mut self) -> Result<Option<bool>, Stop> {
        Ok(self.number()?.map(|value| value != 0.0))
    }

    pub(super) fn up_axis_script(&mut self) -> Result<(), Stop> {
        if let Some(script) = self.string()? {
            self.scene.up_axis = axis_of_script(&script).or(self.scene.up_axis);
        }
        Ok(())
    }

    pub(super) fn set_transform(&mut self, id: NodeId, path: &AttributePath<'_>) -> Result<(), Stop> {
        let Some(name) = path.steps.last().map(|step| step.name) else { return Ok(self.skip()?) };
        let vector = vector_attribute(name);
        let is_other = matches!(
            name,
            "ro" | "rotateOrder"
                | "it"
                | "inheritsTransform"
                | "ssc"
                | "segmentScaleCompensate"
                | "opm"
                | "offsetParentMatrix"
        );
        if vector.is_none() && !is_other {
            return Ok(self.skip()?);
        }
        self.numbers()?;
        // only flags, as in `setAttr -l on ".tx"`
        if self.values.is_empty() {
            return Ok(());
        }
        let (unit_cm, angle_rad) = (self.unit_cm, self.angle_rad);
        let values = std::mem::take(&mut self.values);
        let NodeKind::Transform { values: transform, .. } = &mut self.scene.nodes[id].kind else {
            return Ok(());
        };
        let transform = transform.get_or_insert_with(Box::default);
        let wrong_count =
            |expected: usize| bad(format!("{expected} numbers for `{name}`"), values.len().to_string());
        let result = if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            bad(format!("finite numbers for `{name}`"), value.to_string())
        } else if let Some((vector, component)) = vector {
            let factor = match vector {
                _ if vector.is_angle() => angle_rad,
                _ if vector.is_ratio() => 1.0,
                _ => unit_cm,
            };
            let target = vector.of(transform);
            match (component, values.as_slice()) {
                (None, &[x, y, z]) => {
                    *target = [x, y, z].map(|c| c * factor);
                    Ok(())
                }
                (Some(axis), &[value]) => {
                    target[axis] = value * factor;
                    Ok(())
                }
                // `.tx` of a parent compound: `setAttr ".t" 1` and the like are no file's
                (None, _) => wrong_count(3),
                (Some(_), _) => wrong_count(1),
            }
        } else {
            match (name, values.as_slice()) {
                ("ro" | "rotateOrder", &[order]) if (0.0..6.0).contains(&order) => {
                    transform.rotate_order = order as u8;
                    Ok(())
                }
                ("it" | "inheritsTransform", &[on]) => {
                    transform.inherits_transform = on != 0.0;
                    Ok(())
                }
                ("ssc" | "segmentScaleCompensate", &[on]) => {
                    transform.segment_scale_compensate = on != 0.0;
                    Ok(())
                }
                // matrices have no unit: their translation is in cm in every scene
                ("opm" | "offsetParentMatrix", numbers) if numbers.len() == 16 => {
                    transform.offset_parent_matrix = Matrix4::from_column_slice(numbers);
                    Ok(())
                }
                ("ro" | "rotateOrder", _) => bad("a rotate order from 0 to 5", format!("{values:?}")),
                ("opm" | "offsetParentMatrix", _) => wrong_count(16),
                _ => wrong_count(1),
            }
        };
        self.values = values;
        result
    }

    fn mesh_mut(&mut self, id: NodeId) -> Option<&mut MeshNode> {
        match &mut self.scene.nodes[id].kind {
            NodeKind::Mesh(mesh) => Some(mesh),
            _ => None,
        }
    }

    pub(super) fn set_mesh(&mut self, id: NodeId, path: &AttributePath<'_>) -> Result<(), Stop> {
        let steps = path.steps.as_slice();
        match steps {
            [step @ Step { name: "vt" | "vrts", range: Some((first, _)) }] => {
                self.set_vertices(id, step, *first)
            }
            [step @ Step { name: "ed" | "edge", range: Some((first, _)) }] => {
                self.set_edges(id, step, *first)
            }
            [step @ Step { name: "fc" | "face", range: Some((first, _)) }] => {
                self.set_faces(id, step, *first)
            }
            [step @ Step { name: "pt" | "pnts", range: Some(_) }, rest @ ..] => {
                let mut tweaks = match self.mesh_mut(id) {
                    Some(mesh) => std::mem::take(&mut mesh.tweaks),
                    None => return Ok(()),
                };
                let result = self.read_tweaks(step, rest, &mut tweaks);
                if let Some(mesh) = self.mesh_mut(id) {
                    mesh.tweaks = tweaks;
                }
                result
            }
            [Step { name: "uvst" | "uvSet", range: Some((set, _)) }, rest @ ..] => {
                self.set_uv_set(id, *set, rest)
            }
            [Step { name: "cuvs" | "currentUVSet", .. }] => {
                let name = self.string()?;
                if let Some(mesh) = self.mesh_mut(id) {
                    mesh.current_uv_set = name;
                }
                Ok(())
            }
            [Step { name: "io" | "intermediateObject", .. }] => {
                if let (Some(on), Some(mesh)) = (self.flag_value()?, self.mesh_mut(id)) {
                    mesh.is_intermediate = on;
                }
                Ok(self.skip()?)
            }
            [step @ Step { name: "vt" | "vrts" | "ed" | "edge" | "fc" | "face", range: Some(_) }, ..] => {
                bad(format!("whole elements of `{}`", step.name), "a component of one".to_owned())
            }
            _ => Ok(self.skip()?),
        }
    }

    /// Numbers must follow the ones that are there: a gap would be filled with vertices that the file does not have.
    fn check_start(&self, step: &Step<'_>, first: u32, have: usize) -> Result<(), Stop> {
        if first as usize == have {
            return Ok(());
        }
        bad(format!("element {have} of `{}` to be next", step.name), first.to_string())
    }

    fn set_vertices(&mut self, id: NodeId, step: &Step<'_>, first: u32) -> Result<(), Stop> {
        let have = self.mesh_mut(id).map_or(0, |mesh| mesh.vertices.len());
        self.check_start(step, first, have)?;
        self.elements(step, 3)?;
        let unit_cm = self.unit_cm;
        let values = std::mem::take(&mut self.values);
        if let Some(mesh) = self.mesh_mut(id) {
            let vertices = values.chunks_exact(3).map(|p| [p[0] * unit_cm, p[1] * unit_cm, p[2] * unit_cm]);
            mesh.vertices.extend(vertices);
        }
        self.values = values;
        Ok(())
    }

    fn set_edges(&mut self, id: NodeId, step: &Step<'_>, first: u32) -> Result<(), Stop> {
        let have = self.mesh_mut(id).map_or(0, |mesh| mesh.edges.len());
        self.check_start(step, first, have)?;
        self.elements(step, 3)?;
        let mut edges = Vec::with_capacity(self.values.len() / 3);
        for ends in self.values.chunks_exact(3) {
            let (Some(from), Some(to)) = (index_of(ends[0]), index_of(ends[1])) else {
                return bad("vertex numbers of an edge", format!("{} {}", ends[0], ends[1]));
            };
            edges.push([from, to]);
        }
        if let Some(mesh) = self.mesh_mut(id) {
            mesh.edges.append(&mut edges);
        }
        Ok(())
    }

    /// Offsets of vertices; `rest` may name one axis of a vertex.
    fn read_tweaks(&mut self, step: &Step<'_>, rest: &[Step<'_>], tweaks: &mut Tweaks) -> Result<(), Stop> {
        let Some((first, last)) = step.range else { return Ok(self.skip()?) };
        let axis = match rest {
            [] => None,
            [Step { name: "px" | "pntx" | "vx" | "xVertex", .. }] => Some(0),
            [Step { name: "py" | "pnty" | "vy" | "yVertex", .. }] => Some(1),
            [Step { name: "pz" | "pntz" | "vz" | "zVertex", .. }] => Some(2),
            _ => return Ok(self.skip()?),
        };
        self.elements(step, if axis.is_some() { 1 } else { 3 })?;
        let width = if axis.is_some() { 1 } else { 3 };
        for (vertex, offset) in (first..=last).zip(self.values.chunks_exact(width)) {
            let mut by = [None; 3];
            match axis {
                Some(axis) => by[axis] = Some(offset[0] * self.unit_cm),
                None => by = std::array::from_fn(|axis| Some(offset[axis] * self.unit_cm)),
            }
            tweaks.set(vertex, by);
        }
        Ok(())
    }

    pub(super) fn set_tweak(&mut self, id: NodeId, path: &AttributePath<'_>) -> Result<(), Stop> {
        let [
            Step { name: "vl" | "vlist", range: Some((geometry, _)) },
            step @ Step { name: "vt" | "vertex", range: Some(_) },
            rest @ ..,
        ] = path.steps.as_slice()
        else {
            return Ok(self.skip()?);
        };
        let mut tweaks = Tweaks::default();
        let result = self.read_tweaks(step, rest, &mut tweaks);
        if let NodeKind::Tweak(by_geometry) = &mut self.scene.nodes[id].kind {
            by_geometry.entry(*geometry).or_default().append(tweaks);
        }
        result
    }

    fn set_uv_set(&mut self, id: NodeId, set: u32, rest: &[Step<'_>]) -> Result<(), Stop> {
        let Some(mesh) = self.mesh_mut(id) else { return Ok(()) };
        if !mesh.uv_sets.contains_key(&set) && mesh.uv_sets.len() >= MOST_UV_SETS {
            return bad(format!("at most {MOST_UV_SETS} texture coordinate sets"), "one more");
        }
        match rest {
            [Step { name: "uvsn" | "uvSetName", .. }] => {
                let name = self.string()?;
                if let Some(mesh) = self.mesh_mut(id) {
                    mesh.uv_sets.entry(set).or_default().name = name;
                }
                Ok(())
            }
            [step @ Step { name: "uvsp" | "uvSetPoints", range: Some((first, _)) }] => {
                let have = mesh.uv_sets.entry(set).or_default().coords.len();
                self.check_start(step, *first, have)?;
                self.elements(step, 2)?;
                let values = std::mem::take(&mut self.values);
                if let Some(mesh) = self.mesh_mut(id) {
                    let coords = values.chunks_exact(2).map(|p| [p[0] as f32, p[1] as f32]);
                    mesh.uv_sets.entry(set).or_default().coords.extend(coords);
                }
                self.values = values;
                Ok(())
            }
            _ => Ok(self.skip()?),
        }
    }

    fn set_faces(&mut self, id: NodeId, step: &Step<'_>, first: u32) -> Result<(), Stop> {
        let Some(mesh) = self.mesh_mut(id) else { return Ok(()) };
        let mut faces = std::mem::take(&mut mesh.faces);
        let result = self.read_faces(step, first, &mut faces);
        if let Some(mesh) = self.mesh_mut(id) {
            mesh.faces = faces;
        }
        result
    }

    /// `f 4 0 5 -2 -5 mu 0 4 0 1 3 2 h 3 …`: faces by edges, texture coordinates by set, holes.
    fn read_faces(&mut self, step: &Step<'_>, first: u32, faces: &mut FaceList) -> Result<(), Stop> {
        self.check_start(step, first, faces.len())?;
        let before = faces.len();
        let mut in_hole = false;
        while let Some(token) = self.argument()? {
            if token != Token::Word {
                // `-type "polyFaces"` has passed as flag and value
                return bad("f, h, mu, mc or fc", format!("\"{}\"", excerpt(self.lexer.token())));
            }
            if self.is_flag() {
                self.argument()?;
                continue;
            }
            match self.lexer.token() {
                b"f" | b"face" => {
                    in_hole = false;
                    let count = self.count()?;
                    for _ in 0..count {
                        let edge = self.integer()?;
                        let Ok(edge) = i32::try_from(edge) else {
                            return bad("an edge number", edge.to_string());
                        };
                        faces.edge_refs.push(edge);
                    }
                    let Ok(end) = u32::try_from(faces.edge_refs.len()) else {
                        return bad("fewer than 4294967296 face corners", "more");
                    };
                    if count < 3 {
                        return bad("at least 3 edges in a face", count.to_string());
                    }
                    faces.ends.push(end);
                }
                b"h" | b"hole" => {
                    in_hole = true;
                    for _ in 0..self.count()? {
                        self.integer()?;
                    }
                    faces.hole_count += 1;
                    faces.first_face_with_hole.get_or_insert(faces.ends.len().saturating_sub(1));
                }
                b"mu" => self.read_face_uv(faces, in_hole)?,
                // colours
                b"mc" => {
                    self.integer()?;
                    for _ in 0..self.count()? {
                        self.integer()?;
                    }
                }
                // colours, and texture coordinates of scenes older than Maya 3
                b"fc" | b"mf" | b"mh" => {
                    for _ in 0..self.count()? {
                        self.integer()?;
                    }
                }
                other => return bad("f, h, mu, mc or fc", format!("`{}`", excerpt(other))),
            }
        }
        let read = (faces.len() - before) as u64;
        match step.len() {
            Some(expected) if expected != read => bad(format!("{expected} faces"), read.to_string()),
            _ => Ok(()),
        }
    }

    /// The rest of `mu set count id…`, for the last face.
    fn read_face_uv(&mut self, faces: &mut FaceList, in_hole: bool) -> Result<(), Stop> {
        let set = self.integer()?;
        let Ok(set) = u32::try_from(set) else { return bad("a texture coordinate set", set.to_string()) };
        if !faces.uv_corners.contains_key(&set) && faces.uv_corners.len() >= MOST_UV_SETS {
            return bad(format!("at most {MOST_UV_SETS} texture coordinate sets"), "one more");
        }
        let count = self.count()?;
        let face = faces.last_face();
        // some writers list the coordinates of a hole behind those of the outer loop
        if !in_hole && count < face.len() as u64 {
            return bad(format!("{} texture coordinates for the face", face.len()), count.to_string());
        }
        if in_hole {
            for _ in 0..count {
                self.integer()?;
            }
            return Ok(());
        }
        let corners = faces.uv_corners.entry(set).or_default();
        corners.resize(face.start, NO_UV);
        for at in 0..count {
            let uv = self.integer()?;
            if at < face.len() as u64 {
                let Some(uv) = u32::try_from(uv).ok().filter(|&uv| uv != NO_UV) else {
                    return bad("a texture coordinate", uv.to_string());
                };
                corners.push(uv);
            }
        }
        Ok(())
    }

    fn integer(&mut self) -> Result<i64, Stop> {
        if let Some(value) = self.lexer.next_parsed(parse_i64) {
            return Ok(value);
        }
        match self.argument()? {
            Some(Token::Word) => match parse_i64(self.lexer.token()) {
                Some(value) => Ok(value),
                None => bad("an integer", format!("`{}`", excerpt(self.lexer.token()))),
            },
            Some(_) => bad("an integer", format!("\"{}\"", excerpt(self.lexer.token()))),
            None => bad("an integer", "the end of the statement"),
        }
    }

    fn count(&mut self) -> Result<u64, Stop> {
        let count = self.integer()?;
        u64::try_from(count).or_else(|_| bad("a count", count.to_string()))
    }
}
