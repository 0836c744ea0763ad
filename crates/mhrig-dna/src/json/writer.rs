use std::io::{self, Write};

use super::number::{integer, shortest, six_digits};
use super::{JsonStyle, base64};

/// Writes JSON text in the layout of the reference library: members on lines of their own, array elements on one.
pub(crate) struct JsonWriter<W> {
    out: W,
    style: JsonStyle,
    depth: usize,
    /// Whether the object or array being written has an element already.
    has_element: bool,
    /// End of the mesh written last, for 2.1 files; there meshes begin with the offset of their end.
    pub(crate) mesh_end: Option<u64>,
}

impl<W: Write> JsonWriter<W> {
    pub(crate) fn new(out: W, style: JsonStyle) -> Self {
        Self { out, style, depth: 0, has_element: false, mesh_end: None }
    }

    pub(crate) fn style(&self) -> JsonStyle {
        self.style
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn raw(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.write_all(text)
    }

    fn new_line(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| self.out.write_all(b"    "))
    }

    /// Writes an object; `members` calls [`JsonWriter::member`].
    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        self.raw(b"{")?;
        self.depth += 1;
        let outer = std::mem::replace(&mut self.has_element, false);
        members(self)?;
        self.depth -= 1;
        self.has_element = outer;
        self.new_line()?;
        self.raw(b"}")
    }

    pub(crate) fn member(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.has_element {
            self.raw(b",")?;
        }
        self.has_element = true;
        self.new_line()?;
        self.string(name.as_bytes())?;
        self.raw(b": ")?;
        value(self)
    }

    pub(crate) fn array<T>(
        &mut self,
        elements: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.raw(b"[")?;
        for (number, element) in elements.into_iter().enumerate() {
            if number > 0 {
                self.raw(b", ")?;
            }
            write(self, element)?;
        }
        self.raw(b"]")
    }

    pub(crate) fn integer(&mut self, value: i64) -> io::Result<()> {
        self.raw(integer(value).as_bytes())
    }

    pub(crate) fn float(&mut self, value: f32) -> io::Result<()> {
        match self.style {
            JsonStyle::Reference => self.raw(six_digits(value).as_bytes()),
            JsonStyle::Exact if value.is_finite() => self.raw(shortest(value).as_bytes()),
            JsonStyle::Exact => write!(self.out, "{{\"f32\": \"{:08x}\"}}", value.to_bits()),
        }
    }

    pub(crate) fn text(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.style == JsonStyle::Exact && std::str::from_utf8(bytes).is_err() {
            write!(self.out, "{{\"bytes\": \"{}\"}}", base64::encode(bytes))
        } else {
            self.string(bytes)
        }
    }

    pub(crate) fn base64(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.string(base64::encode(bytes).as_bytes())
    }

    fn string(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.raw(b"\"")?;
        if self.style == JsonStyle::Reference {
            self.raw(bytes)?;
        } else {
            for &byte in bytes {
                match byte {
                    b'"' => self.raw(b"\\\"")?,
                    b'\\' => self.raw(b"\\\\")?,
                    b'\n' => self.raw(b"\\n")?,
                    b'\r' => self.raw(b"\\r")?,
                    b'\t' => self.raw(b"\\t")?,
                    0..0x20 | 0x7f => write!(self.out, "\\u{byte:04x}")?,
                    _ => self.raw(&[byte])?,
                }
            }
        }
        self.raw(b"\"")
    }
}
