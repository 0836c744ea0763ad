//! Typed arrays: accessors over buffer views over buffers, every step checked against the bytes that are there.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::Path;

use super::buffers;
use super::document::{BufferView, Document};
use crate::error::{Place, SceneError};

/// Elements that an accessor without bytes (all zeros, but for sparse values) may claim.
const MOST_ZEROS: usize = LEAST_BUDGET;

/// Elements that any file may have, shared or not.
const LEAST_BUDGET: usize = 1 << 20;

/// The buffers of a document.
pub(super) struct Arrays<'a> {
    file: &'a Path,
    document: &'a Document,
    buffers: Vec<Cow<'a, [u8]>>,
    /// Elements that may still be read: accessors may share bytes, but a file made of nothing else is refused.
    budget: Cell<usize>,
}

/// How the numbers of an accessor are stored.
#[derive(Clone, Copy)]
struct Component {
    size: usize,
    read: fn(&[u8]) -> f64,
    /// What a normalised integer is divided by.
    range: f64,
}

fn component(kind: u32) -> Option<Component> {
    fn bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.try_into().unwrap_or([0; N])
    }
    Some(match kind {
        5120 => Component { size: 1, read: |b| f64::from(i8::from_le_bytes(bytes(b))), range: 127.0 },
        5121 => Component { size: 1, read: |b| f64::from(u8::from_le_bytes(bytes(b))), range: 255.0 },
        5122 => Component { size: 2, read: |b| f64::from(i16::from_le_bytes(bytes(b))), range: 32767.0 },
        5123 => Component { size: 2, read: |b| f64::from(u16::from_le_bytes(bytes(b))), range: 65535.0 },
        5125 => {
            Component { size: 4, read: |b| f64::from(u32::from_le_bytes(bytes(b))), range: 4_294_967_295.0 }
        }
        5126 => Component { size: 4, read: |b| f64::from(f32::from_le_bytes(bytes(b))), range: 1.0 },
        _ => return None,
    })
}

impl<'a> Arrays<'a> {
    /// Collects the buffers: the binary chunk, files and data in the JSON.
    pub(super) fn new(
        file: &'a Path,
        document: &'a Document,
        binary: Option<&'a [u8]>,
    ) -> Result<Self, SceneError> {
        let mut buffers = Vec::new();
        for (index, buffer) in document.buffers.iter().enumerate() {
            let bytes = match (&buffer.uri, binary) {
                (Some(uri), _) => Cow::Owned(buffers::read_uri(file, index, uri)?),
                (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
                // extensions fill buffers without an address
                (None, _) => Cow::Borrowed(&[][..]),
            };
            if bytes.len() < buffer.byte_length && (buffer.uri.is_some() || index == 0) {
                return Err(SceneError::Truncated {
                    place: Place::file(file).in_part(format!("buffer {index}")),
                    inside: format!("its {} bytes, of which {} are there", buffer.byte_length, bytes.len()),
                });
            }
            buffers.push(bytes);
        }
        // an element takes a byte at least, and up to 64: this leaves room for sharing
        let bytes: usize = buffers.iter().map(|bytes| bytes.len()).fold(0, usize::saturating_add);
        let budget = Cell::new(bytes.saturating_add(LEAST_BUDGET));
        Ok(Self { file, document, buffers, budget })
    }

    fn place(&self, accessor: usize) -> Place {
        Place::file(self.file).in_part(format!("accessor {accessor}"))
    }

    fn malformed(&self, accessor: usize, expected: &str, found: impl ToString) -> SceneError {
        SceneError::Malformed {
            place: self.place(accessor),
            expected: expected.into(),
            found: found.to_string(),
        }
    }

    fn view(&self, accessor: usize, view: usize) -> Result<(&BufferView, &[u8]), SceneError> {
        let index_error = |what, index: usize, count| SceneError::IndexOutOfRange {
            place: self.place(accessor),
            what,
            index: index as i64,
            count,
        };
        let views = &self.document.buffer_views;
        let description = views.get(view).ok_or_else(|| index_error("buffer view", view, views.len()))?;
        let count = self.buffers.len();
        let buffer = self
            .buffers
            .get(description.buffer)
            .ok_or_else(|| index_error("buffer", description.buffer, count))?;
        let end = description.byte_offset.checked_add(description.byte_length);
        let bytes = end.and_then(|end| buffer.get(description.byte_offset..end)).ok_or_else(|| {
            self.malformed(
                accessor,
                "a buffer view inside its buffer",
                format!("one that ends behind its {} bytes", buffer.len()),
            )
        })?;
        Ok((description, bytes))
    }

    /// `count` elements of `N` components each, from `offset` of view `view`.
    fn elements<const N: usize>(
        &self,
        accessor: usize,
        view: usize,
        offset: usize,
        count: usize,
        kind: u32,
        strided: bool,
    ) -> Result<Vec<[f64; N]>, SceneError> {
        let component = component(kind).ok_or_else(|| self.malformed(accessor, "a component type", kind))?;
        let (description, bytes) = self.view(accessor, view)?;
        let size = component.size * N;
        let stride = description.byte_stride.filter(|_| strided).unwrap_or(size);
        if stride < size {
            return Err(self.malformed(accessor, &format!("a stride of at least {size} bytes"), stride));
        }
        let needed = match count {
            0 => Some(0),
            _ => (count - 1)
                .checked_mul(stride)
                .and_then(|n| n.checked_add(size))
                .and_then(|n| n.checked_add(offset)),
        };
        if needed.is_none_or(|needed| needed > bytes.len()) {
            let expected = format!("at most {} bytes", bytes.len());
            return Err(self.malformed(
                accessor,
                &expected,
                format!("{count} elements of {stride} bytes from {offset}"),
            ));
        }
        let element = |index: usize| {
            let start = offset + index * stride;
            std::array::from_fn(|at| {
                let start = start + at * component.size;
                bytes.get(start..start + component.size).map_or(0.0, component.read)
            })
        };
        Ok((0..count).map(element).collect())
    }

    /// The elements of an accessor whose `shape` is `VEC3` or the like, with `N` components.
    pub(super) fn read<const N: usize>(
        &self,
        accessor: usize,
        shape: &str,
    ) -> Result<Vec<[f64; N]>, SceneError> {
        let accessors = &self.document.accessors;
        let Some(description) = accessors.get(accessor) else {
            return Err(SceneError::IndexOutOfRange {
                place: Place::file(self.file),
                what: "accessor",
                index: accessor as i64,
                count: accessors.len(),
            });
        };
        if description.shape != shape {
            return Err(self.malformed(accessor, shape, &description.shape));
        }
        let kind = description.component_type;
        let count = description.count;
        match self.budget.get().checked_sub(count) {
            Some(left) => self.budget.set(left),
            None => {
                let limit = self.budget.get();
                return Err(SceneError::TooMany {
                    place: self.place(accessor),
                    what: "more elements",
                    limit,
                });
            }
        }
        let mut elements = match description.buffer_view {
            Some(view) => self.elements(accessor, view, description.byte_offset, count, kind, true)?,
            None if count <= MOST_ZEROS => vec![[0.0; N]; count],
            None => {
                let place = self.place(accessor);
                return Err(SceneError::TooMany { place, what: "elements without bytes", limit: MOST_ZEROS });
            }
        };
        if let Some(sparse) = &description.sparse {
            let (indices, values) = (&sparse.indices, &sparse.values);
            let at = self.elements::<1>(
                accessor,
                indices.buffer_view,
                indices.byte_offset,
                sparse.count,
                indices.component_type,
                false,
            )?;
            let with = self.elements::<N>(
                accessor,
                values.buffer_view,
                values.byte_offset,
                sparse.count,
                kind,
                false,
            )?;
            for ([index], value) in at.into_iter().zip(with) {
                let element =
                    elements.get_mut(index as usize).ok_or_else(|| SceneError::IndexOutOfRange {
                        place: self.place(accessor),
                        what: "element",
                        index: index as i64,
                        count,
                    })?;
                *element = value;
            }
        }
        if description.normalized {
            let range = component(kind).map_or(1.0, |component| component.range);
            for value in elements.iter_mut().flatten() {
                *value = (*value / range).max(-1.0);
            }
        }
        Ok(elements)
    }

    /// The numbers of an index accessor.
    pub(super) fn indices(&self, accessor: usize) -> Result<Vec<u32>, SceneError> {
        let is_unsigned = |kind| matches!(kind, 5121 | 5123 | 5125);
        match self.document.accessors.get(accessor) {
            Some(description) if !is_unsigned(description.component_type) => {
                return Err(self.malformed(accessor, "unsigned integers", description.component_type));
            }
            _ => {}
        }
        Ok(self.read::<1>(accessor, "SCALAR")?.into_iter().map(|[index]| index as u32).collect())
    }
}
