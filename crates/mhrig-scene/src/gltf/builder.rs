//! The parts that glTF files share: one buffer with its views and accessors, and the binary container.

use std::io::Write;

use serde_json::{Value, json};

use crate::error::SceneError;

pub(super) const UNSIGNED_BYTE: u32 = 5121;
pub(super) const UNSIGNED_SHORT: u32 = 5123;
pub(super) const UNSIGNED_INT: u32 = 5125;
pub(super) const FLOAT: u32 = 5126;
/// What a buffer view is for: vertices, or indices of triangles.
pub(super) const ARRAY_BUFFER: u32 = 34962;
pub(super) const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// A buffer that grows, and what describes it.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// Appends bytes as a view of their own, aligned to four; `target` is what the view is for.
    pub(super) fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes.extend_from_slice(bytes);
        self.views.len() - 1
    }

    /// Appends an accessor for bytes that get a view of their own.
    pub(super) fn accessor(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        target: Option<u32>,
    ) -> usize {
        let view = self.view(bytes, target);
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "count": count, "type": kind,
        }));
        self.accessors.len() - 1
    }

    /// Appends vectors of `f32`, for vertices where `target` says so.
    pub(super) fn floats<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        kind: &str,
        target: Option<u32>,
    ) -> usize {
        let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, FLOAT, kind, values.len(), target)
    }

    /// Vertex positions: their accessor says the least and the greatest.
    pub(super) fn positions(&mut self, positions: &[[f32; 3]]) -> usize {
        let accessor = self.floats(positions, "VEC3", Some(ARRAY_BUFFER));
        self.set_bounds(accessor, positions.iter().copied(), None);
        accessor
    }

    /// Vectors that are zero but for some, given by number, ascending.
    pub(super) fn sparse(&mut self, count: usize, indices: &[u32], values: &[[f32; 3]]) -> usize {
        let mut accessor = json!({"componentType": FLOAT, "count": count, "type": "VEC3"});
        if !indices.is_empty() {
            let (bytes, component): (Vec<u8>, u32) = if count <= usize::from(u16::MAX) {
                (indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect(), UNSIGNED_SHORT)
            } else {
                (indices.iter().flat_map(|index| index.to_le_bytes()).collect(), UNSIGNED_INT)
            };
            let index_view = self.view(&bytes, None);
            let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
            let value_view = self.view(&bytes, None);
            accessor["sparse"] = json!({
                "count": indices.len(),
                "indices": {"bufferView": index_view, "componentType": component},
                "values": {"bufferView": value_view},
            });
        }
        self.accessors.push(accessor);
        let number = self.accessors.len() - 1;
        let zero = (indices.len() < count).then_some([0.0; 3]);
        self.set_bounds(number, values.iter().copied(), zero);
        number
    }

    fn set_bounds(&mut self, accessor: usize, values: impl Iterator<Item = [f32; 3]>, and: Option<[f32; 3]>) {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for value in values.chain(and) {
            for axis in 0..3 {
                min[axis] = min[axis].min(value[axis]);
                max[axis] = max[axis].max(value[axis]);
            }
        }
        self.accessors[accessor]["min"] = json!(min);
        self.accessors[accessor]["max"] = json!(max);
    }

    /// Puts what describes the buffer into `document`.
    pub(super) fn describe(&self, document: &mut Value) {
        document["accessors"] = json!(self.accessors);
        document["bufferViews"] = json!(self.views);
        document["buffers"] = json!([{"byteLength": self.bytes.len().next_multiple_of(4)}]);
    }
}

/// Writes a binary glTF file. `last` is named when it is too large.
pub(super) fn write_container(
    mut out: impl Write,
    document: &Value,
    mut bytes: Vec<u8>,
    last: &str,
) -> Result<(), SceneError> {
    let mut json = serde_json::to_vec(document).map_err(|error| SceneError::Write(error.into()))?;
    json.resize(json.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + if bytes.is_empty() { 0 } else { 8 + bytes.len() };
    let total = u32::try_from(total).map_err(|_| SceneError::BadMesh {
        mesh: last.to_owned(),
        why: "all meshes together are more than a glb file can hold".to_owned(),
    })?;
    out.write_all(b"glTF")?;
    for word in [2, total, json.len() as u32] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(b"JSON")?;
    out.write_all(&json)?;
    if !bytes.is_empty() {
        out.write_all(&(bytes.len() as u32).to_le_bytes())?;
        out.write_all(b"BIN\0")?;
        out.write_all(&bytes)?;
    }
    out.flush()?;
    Ok(())
}
