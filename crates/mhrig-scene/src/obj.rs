//! Wavefront OBJ, as far as polygon meshes go.
//!
//! What names a mesh: its `o` line; in files without `o`, its `g` line, where groups have vertices of their own
//! (Maya writes one block of vertices and one group per mesh). Groups that share vertices are one mesh with named
//! faces. A file with one mesh and no telling name in it gives the mesh the name of the file.

mod parts;

use std::borrow::Cow;
use std::path::Path;

use memchr::{memchr, memchr_iter, memrchr};
use mhrig_geom::Polygons;
use mhrig_report::{Finding, Job, Severity};
use nalgebra::Matrix4;

use crate::error::{Place, SceneError};
use crate::number::{parse_i64, parse_number};
use crate::read::ReadOptions;
use crate::scene_mesh::{MeshTransform, SceneMeshes};

/// No texture coordinate at a corner.
pub(crate) const NO_UV: u32 = u32::MAX;

/// Bytes of a name that are kept.
const LONGEST_NAME: usize = 512;
/// Groups that a face may be in.
const MOST_GROUPS: usize = 16;

/// Faces between two naming lines.
pub(crate) struct Segment {
    /// From the last `o` line.
    pub(crate) object: Option<String>,
    /// From the last `g` line.
    pub(crate) groups: Vec<String>,
    /// The line that began it.
    pub(crate) line: u64,
    /// First face.
    pub(crate) first_face: usize,
}

/// An index that points further than the file has come; legal when the rest of the file brings what it points at.
struct Forward {
    line: u64,
    index: usize,
}

/// The file as it stands, before it is divided into meshes.
pub(crate) struct ObjFile<'a> {
    pub(crate) file: &'a Path,
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) coords: Vec<[f32; 2]>,
    pub(crate) faces: Polygons,
    /// One per corner of `faces`; [`NO_UV`] where there is none.
    pub(crate) uv_corners: Vec<u32>,
    pub(crate) segments: Vec<Segment>,
    /// First vertices of the runs of `v` lines that no face, object or group line interrupts.
    pub(crate) blocks: Vec<usize>,
    pub(crate) findings: Vec<Finding>,
    block_is_open: bool,
    segment_is_open: bool,
    normal_count: usize,
    forward_vertices: Vec<Forward>,
    forward_uvs: Vec<Forward>,
    object: Option<String>,
    groups: Vec<String>,
    too_small: Option<(u64, usize)>,
    unknown: Option<(u64, String)>,
    unknown_count: usize,
    known_count: usize,
}

/// Reads `bytes`, the content of `file`.
pub(crate) fn read_obj(
    file: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<SceneMeshes, SceneError> {
    let mut obj = ObjFile {
        file,
        positions: Vec::new(),
        coords: Vec::new(),
        faces: Polygons::default(),
        uv_corners: Vec::new(),
        segments: Vec::new(),
        blocks: Vec::new(),
        findings: Vec::new(),
        block_is_open: false,
        segment_is_open: false,
        normal_count: 0,
        forward_vertices: Vec::new(),
        forward_uvs: Vec::new(),
        object: None,
        groups: Vec::new(),
        too_small: None,
        unknown: None,
        unknown_count: 0,
        known_count: 0,
    };
    let bytes = with_line_feeds(bytes);
    obj.read_lines(&bytes, job)?;
    obj.finish(&bytes)?;
    let transform = transform_of(options);
    let meshes = parts::split(&mut obj, &transform, job)?;
    Ok(SceneMeshes { meshes, broken: Vec::new(), findings: obj.findings })
}

/// The bytes with `\n` at the end of lines where a file of old has `\r` alone.
fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\n', bytes).is_some() || memchr(b'\r', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect())
}

/// OBJ knows no units, axes or transforms: what the caller says, or centimetres and Y up.
fn transform_of(options: &ReadOptions) -> MeshTransform {
    let unit_cm = options.unit_cm.unwrap_or(1.0);
    let up_axis = options.up_axis.unwrap_or_default();
    let world_from_object = up_axis.y_up_from_file() * Matrix4::new_scaling(unit_cm);
    MeshTransform { world_from_object, moving_nodes: Vec::new(), unit_cm, up_axis }
}

impl ObjFile<'_> {
    fn read_lines(&mut self, bytes: &[u8], job: Job<'_>) -> Result<(), SceneError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut joined = Vec::new();
        let mut line_number = 0;
        let mut rest = bytes;
        while !rest.is_empty() {
            let first_line = line_number + 1;
            if line_number % 65536 == 0 {
                job.check()?;
            }
            let mut line = next_line(&mut rest);
            line_number += 1;
            // a backslash at the end of a line joins the next one to it
            if line.last() == Some(&b'\\') {
                joined.clear();
                while let Some((b'\\', start)) = line.split_last() {
                    joined.extend_from_slice(start);
                    joined.push(b' ');
                    line = next_line(&mut rest);
                    line_number += 1;
                }
                joined.extend_from_slice(line);
                line = &joined;
            }
            self.read_line(line, first_line)?;
        }
        Ok(())
    }

    fn read_line(&mut self, line: &[u8], number: u64) -> Result<(), SceneError> {
        let line = line.trim_ascii();
        let (keyword, rest) = match line.iter().position(u8::is_ascii_whitespace) {
            Some(at) => line.split_at(at),
            None => (line, &[][..]),
        };
        self.known_count += 1;
        match keyword {
            b"v" => {
                let [x, y, z] = self.numbers::<3>(rest, number, "vertex position")?;
                if !self.block_is_open {
                    self.blocks.push(self.positions.len());
                    self.block_is_open = true;
                }
                self.positions.push([x, y, z]);
            }
            b"vt" => {
                // one coordinate is legal, the second one is then 0
                let has_v = words(rest).nth(1).is_some();
                let [u, v] = if has_v {
                    self.numbers::<2>(rest, number, "texture coordinate")?
                } else {
                    let [u] = self.numbers::<1>(rest, number, "texture coordinate")?;
                    [u, 0.0]
                };
                self.coords.push([u as f32, v as f32]);
            }
            b"vn" => {
                self.numbers::<3>(rest, number, "normal")?;
                self.normal_count += 1;
            }
            b"f" | b"fo" => self.read_face(rest, number)?,
            b"o" => {
                self.object = Some(name(rest));
                self.groups.clear();
                self.block_is_open = false;
                self.segment_is_open = false;
            }
            b"g" => {
                self.groups = words(rest).take(MOST_GROUPS).map(name).collect();
                self.block_is_open = false;
                self.segment_is_open = false;
            }
            [] | [b'#', ..] => self.known_count -= 1,
            b"vp" | b"s" | b"usemtl" | b"mtllib" | b"usemap" | b"maplib" | b"mg" | b"bevel" | b"c_interp"
            | b"d_interp" | b"lod" | b"shadow_obj" | b"trace_obj" | b"l" | b"p" | b"deg" | b"bmat"
            | b"step" | b"cstype" | b"curv" | b"curv2" | b"surf" | b"parm" | b"trim" | b"hole" | b"scrv"
            | b"sp" | b"end" | b"con" | b"ctech" | b"stech" | b"vc" => {}
            other => {
                self.known_count -= 1;
                self.unknown_count += 1;
                self.unknown.get_or_insert_with(|| (number, excerpt(other)));
            }
        }
        Ok(())
    }

    /// The first `N` numbers of a line; more are allowed.
    fn numbers<const N: usize>(&self, rest: &[u8], line: u64, what: &str) -> Result<[f64; N], SceneError> {
        let mut values = [0.0; N];
        let mut words = words(rest);
        for (at, value) in values.iter_mut().enumerate() {
            let malformed = |found: String| SceneError::Malformed {
                place: Place::line(self.file, line).in_part(what),
                expected: format!("{N} numbers"),
                found,
            };
            let Some(word) = words.next() else {
                return Err(malformed(format!("{at} and the end of the line")));
            };
            *value = parse_number(word).ok_or_else(|| malformed(format!("`{}`", excerpt(word))))?;
        }
        Ok(values)
    }

    fn read_face(&mut self, rest: &[u8], line: u64) -> Result<(), SceneError> {
        let first = self.uv_corners.len();
        let corner_count = words(rest).count();
        if corner_count < 3 {
            let (_, count) = self.too_small.get_or_insert((line, 0));
            *count += 1;
            // the corners are still checked: a line that was cut off is an error
            for word in words(rest) {
                self.read_corner(word, line)?;
            }
            if corner_count == 0 {
                return Err(SceneError::Malformed {
                    place: Place::line(self.file, line).in_part("face"),
                    expected: "at least 3 corners".into(),
                    found: "the end of the line".into(),
                });
            }
            return Ok(());
        }
        if !std::mem::replace(&mut self.segment_is_open, true) {
            self.segments.push(Segment {
                object: self.object.clone(),
                groups: self.groups.clone(),
                line,
                first_face: self.faces.len(),
            });
        }
        let mut face = Vec::with_capacity(corner_count);
        for word in words(rest) {
            let (vertex, uv) = self.read_corner(word, line)?;
            face.push(vertex);
            self.uv_corners.push(uv);
        }
        debug_assert_eq!(self.uv_corners.len() - first, face.len());
        self.block_is_open = false;
        self.faces.push(face).map_err(|_| SceneError::TooMany {
            place: Place::line(self.file, line),
            what: "face corners",
            limit: u32::MAX as usize,
        })
    }

    /// Vertex and texture coordinate of `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn read_corner(&mut self, word: &[u8], line: u64) -> Result<(u32, u32), SceneError> {
        let mut fields = word.split(|&b| b == b'/');
        let vertex_count = self.positions.len();
        let vertex = self.index(fields.next().unwrap_or_default(), vertex_count, line, word, "vertex")?;
        note_forward(&mut self.forward_vertices, vertex, vertex_count, line);
        let uv = match fields.next() {
            None | Some([]) => NO_UV,
            Some(field) => {
                let uv_count = self.coords.len();
                let uv = self.index(field, uv_count, line, word, "texture coordinate")?;
                note_forward(&mut self.forward_uvs, uv, uv_count, line);
                uv
            }
        };
        match fields.next() {
            None | Some([]) if fields.next().is_none() => {}
            Some(field) if fields.next().is_none() => {
                self.index(field, self.normal_count, line, word, "normal")?;
            }
            _ => return Err(self.malformed_corner(word, line)),
        }
        // `1/2/` is what is left of a corner that was cut off
        if word.ends_with(b"/") {
            return Err(self.malformed_corner(word, line));
        }
        Ok((vertex, uv))
    }

    fn malformed_corner(&self, word: &[u8], line: u64) -> SceneError {
        SceneError::Malformed {
            place: Place::line(self.file, line).in_part("face"),
            expected: "corners of the form v, v/vt, v//vn or v/vt/vn".into(),
            found: format!("`{}`", excerpt(word)),
        }
    }

    /// The 0-based index that `field` stands for: 1-based from the start, or negative from the end of what the file
    /// had so far.
    fn index(
        &self,
        field: &[u8],
        count: usize,
        line: u64,
        word: &[u8],
        what: &'static str,
    ) -> Result<u32, SceneError> {
        let written = parse_i64(field).ok_or_else(|| self.malformed_corner(word, line))?;
        let index = match written {
            1.. => written - 1,
            0 => -1,
            _ => written + count as i64,
        };
        // the highest value is NO_UV
        u32::try_from(index).ok().filter(|&index| index != NO_UV).ok_or_else(|| SceneError::IndexOutOfRange {
            place: Place::line(self.file, line).in_part("face"),
            what,
            index: written,
            count,
        })
    }

    /// What can be said only when the whole file is known.
    fn finish(&mut self, bytes: &[u8]) -> Result<(), SceneError> {
        if let Some((line, keyword)) = &self.unknown {
            if self.unknown_count > self.known_count {
                return Err(SceneError::Malformed {
                    place: Place::line(self.file, *line),
                    expected: "lines of a Wavefront OBJ file (v, vt, f …)".into(),
                    found: format!("`{keyword}`"),
                });
            }
            let message =
                format!("{} lines are of a kind that OBJ does not have and are ignored", self.unknown_count);
            let finding = Finding::new(
                "OBJ_UNKNOWN_LINE",
                Severity::Warning,
                Place::line(self.file, *line).to_string(),
                message,
                "check that the exporter finished and that nobody edited the file",
            );
            self.findings.push(finding.with_values("v, vt, vn, f, o, g …", keyword));
        }
        let checks = [
            (&self.forward_vertices, self.positions.len(), "vertex"),
            (&self.forward_uvs, self.coords.len(), "texture coordinate"),
        ];
        for (forward, count, what) in checks {
            if let Some(first) = forward.iter().find(|forward| forward.index >= count) {
                return Err(SceneError::IndexOutOfRange {
                    place: Place::line(self.file, first.line).in_part("face"),
                    what,
                    index: first.index as i64 + 1,
                    count,
                });
            }
        }
        if let Some((line, count)) = self.too_small {
            self.findings.push(Finding::new(
                "FACE_TOO_SMALL",
                Severity::Warning,
                Place::line(self.file, line).to_string(),
                format!("{count} faces have fewer than 3 corners and are left out"),
                "delete the degenerate faces (Mesh > Cleanup) and export again",
            ));
        }
        if self.faces.is_empty() {
            return Err(SceneError::NoMesh { file: self.file.to_owned() });
        }
        if bytes.last().is_some_and(|&b| b != b'\n' && b != b'\r') {
            let last = bytes.get(memrchr(b'\n', bytes).map_or(0, |at| at + 1)..).unwrap_or_default();
            let line = memchr_iter(b'\n', bytes).count() as u64 + 1;
            let finding = Finding::new(
                "NO_FINAL_NEWLINE",
                Severity::Info,
                Place::line(self.file, line).to_string(),
                "the last line has no end; the file may have been cut off",
                "if faces are missing, export or copy the file again",
            );
            self.findings.push(finding.with_values("a line break", format!("`{}`", excerpt(last))));
        }
        Ok(())
    }
}

/// Keeps `index` for [`ObjFile::finish`] when it points at nothing yet. Only the first line that reaches a new
/// height is kept: the first one beyond the final count is among them.
fn note_forward(forward: &mut Vec<Forward>, index: u32, count: usize, line: u64) {
    let index = index as usize;
    if index != NO_UV as usize && index >= count && forward.last().is_none_or(|last| index > last.index) {
        forward.push(Forward { line, index });
    }
}

/// Cuts the next line off `rest`, without its line break. `\r\n` ends a line too.
fn next_line<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let (line, after) = match memchr(b'\n', rest) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (*rest, &[][..]),
    };
    *rest = after;
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A name, cut off where no application would go on: names are compared and copied often.
fn name(bytes: &[u8]) -> String {
    let bytes = bytes.trim_ascii();
    String::from_utf8_lossy(bytes.get(..LONGEST_NAME).unwrap_or(bytes)).into_owned()
}

/// The beginning of `bytes`, to be shown in a message.
fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let mut text: String =
        String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_control()).take(SHOWN).collect();
    if bytes.len() > SHOWN {
        text.push('…');
    }
    text
}
