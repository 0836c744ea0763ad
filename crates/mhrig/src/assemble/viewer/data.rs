//! Numbers of a viewer page: typed arrays in one block, and the JSON that says where each of them is.

use mhrig_geom::JointId;
use mhrig_scene::UpAxis;
use serde_json::{Value, json};

use super::ViewerDetails;
use crate::assemble::describe::Described;
use crate::assemble::input::RigPart;
use crate::looks::Look;

/// Arrays one after the other, little-endian, each at a multiple of eight.
#[derive(Default)]
pub(super) struct Data {
    pub(super) bytes: Vec<u8>,
}

/// A kind of number that arrays of the block have.
pub(super) trait Number: Copy {
    /// Name of JavaScript's typed array.
    const ARRAY: &'static str;
    fn push(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty => $array:literal),*) => {
        $(impl Number for $number {
            const ARRAY: &'static str = $array;
            fn push(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}
numbers!(
    i16 => "Int16Array", i32 => "Int32Array", u16 => "Uint16Array", u32 => "Uint32Array", f32 => "Float32Array",
    f64 => "Float64Array"
);

impl Data {
    /// Adds an array and says where it is.
    pub(super) fn array<T: Number>(&mut self, numbers: impl IntoIterator<Item = T>) -> Value {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let start = self.bytes.len();
        for number in numbers {
            number.push(&mut self.bytes);
        }
        let count = (self.bytes.len() - start) / std::mem::size_of::<T>();
        json!([T::ARRAY, start, count])
    }
}

/// Numbers of parents, -1 for none. A joint's number takes all sixteen bits, so the sign needs more.
fn parents(parents: &[Option<JointId>]) -> impl Iterator<Item = i32> {
    parents.iter().map(|parent| parent.map_or(-1, |parent| i32::from(parent.0)))
}

/// Joints of a part at rest, in the axes of the file.
pub(super) fn joints(data: &mut Data, part: &RigPart) -> Value {
    let skeleton = part.deformer().skeleton();
    let hierarchy = skeleton.hierarchy();
    let neutral = skeleton.neutral();
    let parents = parents(hierarchy.parents());
    // nalgebra keeps columns together.
    let rotations = neutral.rotations.iter().flat_map(|rotation| rotation.matrix().iter().copied());
    json!({
        "names": hierarchy.names(),
        "parents": data.array(parents),
        "order": data.array(hierarchy.top_down().iter().map(|joint| joint.0)),
        "translations": data.array(neutral.translations.iter().flat_map(|t| [t.x, t.y, t.z])),
        "rotations": data.array(rotations),
    })
}

/// What moves the meshes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    /// Nothing.
    Still,
    /// The joints of another part.
    Led,
    /// Sliders of its own.
    Own,
}

/// Meshes of LOD 0. Skin and shapes are left out where nothing moves them.
pub(super) fn meshes(
    data: &mut Data,
    part: &RigPart,
    motion: Motion,
    details: &mut ViewerDetails,
) -> Vec<Value> {
    let deformer = part.deformer();
    let mut meshes = Vec::new();
    for &number in deformer.meshes_of_lod(0) {
        let mesh = &deformer.meshes()[number];
        let rest = mesh.neutral();
        details.vertices += rest.len();
        let mut triangles: Vec<u32> = Vec::new();
        for face in mesh.faces().iter() {
            for corner in 2..face.len() {
                triangles.extend([face[0], face[corner - 1], face[corner]]);
            }
        }
        let look = match Look::of(mesh.name(), rest) {
            Look::Hidden => json!({ "hidden": true }),
            Look::Eye { center } => json!({ "eye": center }),
            Look::Plain { color, gloss } => json!({ "color": color, "gloss": gloss }),
        };
        let mut value = json!({
            "name": mesh.name(),
            "number": number,
            "look": look,
            "positions": data.array(rest.iter().flatten().copied()),
            "triangles": data.array(triangles),
        });
        if motion != Motion::Still {
            value["skin"] = skin(data, part, number);
        }
        if motion == Motion::Own {
            value["targets"] = targets(data, part, number, details);
        }
        meshes.push(value);
    }
    meshes
}

fn skin(data: &mut Data, part: &RigPart, number: usize) -> Value {
    let mesh = &part.deformer().meshes()[number];
    let of_vertex = || (0..mesh.vertex_count()).map(|vertex| mesh.influences(vertex));
    let mut end = 0;
    let ends: Vec<u32> = of_vertex()
        .map(|influences| {
            end += influences.len() as u32;
            end
        })
        .collect();
    json!({
        "ends": data.array(ends),
        "joints": data.array(of_vertex().flatten().map(|(joint, _)| *joint)),
        "weights": data.array(of_vertex().flatten().map(|(_, weight)| *weight)),
    })
}

/// Shapes with deltas as whole numbers of a step, which is a 32767th of the largest: within 0.0001 cm for 6 cm.
fn targets(data: &mut Data, part: &RigPart, number: usize, details: &mut ViewerDetails) -> Value {
    const STEPS: f32 = 32767.0;
    let mesh = &part.deformer().meshes()[number];
    let (mut channels, mut counts, mut steps): (Vec<u16>, Vec<u32>, Vec<f32>) = Default::default();
    let (mut vertices, mut deltas): (Vec<u32>, Vec<i16>) = Default::default();
    for (channel, moves) in mesh.targets() {
        let moves: Vec<(u32, [f32; 3])> = moves.collect();
        let largest = moves.iter().flat_map(|(_, delta)| delta).fold(0.0f32, |most, c| most.max(c.abs()));
        let step = largest / STEPS;
        channels.push(channel as u16);
        counts.push(moves.len() as u32);
        steps.push(step);
        for (vertex, delta) in moves {
            vertices.push(vertex);
            deltas.extend(delta.map(|c| if step > 0.0 { (c / step).round() as i16 } else { 0 }));
        }
    }
    details.targets += channels.len();
    let vertices = if mesh.vertex_count() <= usize::from(u16::MAX) {
        data.array(vertices.iter().map(|&vertex| vertex as u16))
    } else {
        data.array(vertices)
    };
    json!({
        "channels": data.array(channels),
        "counts": data.array(counts),
        "steps": data.array(steps),
        "vertices": vertices,
        "deltas": data.array(deltas),
    })
}

/// Pairs of border vertices at LOD 0, as numbers of the DNA's meshes and of their vertices: head mesh, vertex, body mesh,
/// vertex.
pub(super) fn seam(data: &mut Data, described: &Described, parts: &[RigPart]) -> Value {
    if parts.len() < 2 {
        return Value::Null;
    }
    let in_dna = |part: usize, scene: usize| -> Option<u32> {
        let numbers = &described.meshes[part];
        numbers.iter().position(|&number| number == Some(scene)).map(|number| number as u32)
    };
    let first = described.seam.pairs.iter().filter(|pair| pair.head_lod == 0);
    let numbers = first.filter_map(|pair| {
        let (head, body) = (in_dna(0, pair.head.0)?, in_dna(1, pair.body.0)?);
        Some([head, pair.head.1 as u32, body, pair.body.1 as u32])
    });
    data.array(numbers.flatten().collect::<Vec<u32>>())
}

/// Whether a file has +Z up.
pub(super) fn up_name(up: Option<UpAxis>) -> &'static str {
    if up == Some(UpAxis::Z) { "z" } else { "y" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_with_a_high_number_is_no_root() {
        let numbers: Vec<i32> = parents(&[None, Some(JointId(0)), Some(JointId(40_000))]).collect();
        assert_eq!(numbers, [-1, 0, 40_000]);
    }
}
