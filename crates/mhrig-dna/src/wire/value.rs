use std::io;

use super::{Fault, FaultKind, Reader, Sink, Source, Writer};
use crate::Text;

/// A value with a place in the file.
pub(crate) trait Wire: Sized {
    /// Fewest bytes that a value takes; more than 0.
    const MIN_SIZE: u64;

    fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault>;
    fn size(&self) -> u64;
    fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()>;

    /// Leaves the reader at the value that `path` leads to, or at the last one on the way that exists.
    fn locate<S: Source>(_reader: &mut Reader<S>, _path: &[Step<'_>]) -> Result<(), Fault> {
        Ok(())
    }

    /// Reads `count` values; the caller has compared the count with the bytes left.
    #[inline]
    fn read_many<S: Source>(reader: &mut Reader<S>, count: usize) -> Result<Vec<Self>, Fault> {
        let mut values = Vec::with_capacity(count);
        for index in 0..count {
            match Self::read(reader) {
                Ok(value) => values.push(value),
                Err(fault) => return Err(fault.at_index(index)),
            }
        }
        Ok(values)
    }

    #[inline]
    fn size_many(values: &[Self]) -> u64 {
        values.iter().map(Self::size).sum()
    }

    #[inline]
    fn write_many<K: Sink>(values: &[Self], writer: &mut Writer<K>) -> io::Result<()> {
        values.iter().try_for_each(|value| value.write(writer))
    }
}

macro_rules! number {
    ($type:ty, $size:literal) => {
        impl Wire for $type {
            const MIN_SIZE: u64 = $size;

            #[inline]
            fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault> {
                Ok(<$type>::from_be_bytes(reader.array()?))
            }

            #[inline]
            fn size(&self) -> u64 {
                $size
            }

            #[inline]
            fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
                writer.array(self.to_be_bytes())
            }

            #[inline]
            fn read_many<S: Source>(reader: &mut Reader<S>, count: usize) -> Result<Vec<Self>, Fault> {
                reader.numbers(count, <$type>::from_be_bytes)
            }

            #[inline]
            fn size_many(values: &[Self]) -> u64 {
                values.len() as u64 * $size
            }

            #[inline]
            fn write_many<K: Sink>(values: &[Self], writer: &mut Writer<K>) -> io::Result<()> {
                writer.numbers(values, <$type>::to_be_bytes)
            }
        }
    };
}

number!(u8, 1);
number!(u16, 2);
number!(u32, 4);
number!(i32, 4);
number!(f32, 4);

impl<T: Wire> Wire for Vec<T> {
    const MIN_SIZE: u64 = 4;

    fn locate<S: Source>(reader: &mut Reader<S>, path: &[Step<'_>]) -> Result<(), Fault> {
        match path {
            [] => Ok(()),
            // Lists that are objects in JSON have a name in between.
            [Step::Field(_), path @ ..] => Self::locate(reader, path),
            [Step::Index(index), path @ ..] => {
                let count = reader.count(T::MIN_SIZE)?;
                T::read_many(reader, count.min(*index))?;
                T::locate(reader, path)
            }
        }
    }

    #[inline]
    fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault> {
        let count = reader.count(T::MIN_SIZE)?;
        T::read_many(reader, count)
    }

    #[inline]
    fn size(&self) -> u64 {
        4 + T::size_many(self)
    }

    #[inline]
    fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        writer.count(self.len() as u64)?;
        T::write_many(self, writer)
    }
}

impl Wire for Text {
    const MIN_SIZE: u64 = 4;

    fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault> {
        Vec::read(reader).map(Text)
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        self.0.write(writer)
    }
}

impl Wire for (Text, Text) {
    const MIN_SIZE: u64 = 8;

    fn read<S: Source>(reader: &mut Reader<S>) -> Result<Self, Fault> {
        let first = Text::read(reader).map_err(|fault| fault.at_index(0))?;
        let second = Text::read(reader).map_err(|fault| fault.at_index(1))?;
        Ok((first, second))
    }

    fn size(&self) -> u64 {
        self.0.size() + self.1.size()
    }

    fn write<K: Sink>(&self, writer: &mut Writer<K>) -> io::Result<()> {
        self.0.write(writer)?;
        self.1.write(writer)
    }
}

/// One step of a path to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

/// The steps of a path such as `meshes[3].positions`.
pub(crate) fn path_steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for part in path.split(['.', '[']).filter(|part| !part.is_empty()) {
        let index = part.strip_suffix(']').and_then(|number| number.parse().ok());
        steps.push(index.map_or(Step::Field(part), Step::Index));
    }
    steps
}

/// Bytes of the size word before a sized record.
pub(super) const SIZE_WORD: u64 = 4;

/// Reads a record that follows its size in bytes.
pub(crate) fn read_sized<S: Source, T>(
    reader: &mut Reader<S>,
    read: impl FnOnce(&mut Reader<S>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let size = reader.count(1).map_err(|fault| fault.in_field("size"))?;
    read_record(reader, size as u64, read)
}

/// Reads a mesh: it follows its size or, in a 2.1 file, the offset of its end.
pub(crate) fn read_mesh<S: Source, T>(
    reader: &mut Reader<S>,
    read: impl FnOnce(&mut Reader<S>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    if !reader.version.has_sections() {
        return read_sized(reader, read);
    }
    let at = reader.position();
    let end = u64::from(reader.u32().map_err(|fault| fault.in_field("offset"))?);
    match end.checked_sub(reader.position()) {
        Some(size) => read_record(reader, size, read),
        None => Err(Fault::new(FaultKind::EndBeforeStart { end }, at).in_field("offset")),
    }
}

fn read_record<S: Source, T>(
    reader: &mut Reader<S>,
    size: u64,
    read: impl FnOnce(&mut Reader<S>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let outer = reader.enter_record(size)?;
    let record = read(reader)?;
    reader.leave_record(outer)?;
    Ok(record)
}

/// Writes what stands before a sized record of `size` bytes.
pub(crate) fn write_size<K: Sink>(writer: &mut Writer<K>, size: u64) -> io::Result<()> {
    writer.count(size)
}

/// Writes what stands before a mesh of `size` bytes.
pub(crate) fn write_mesh_size<K: Sink>(writer: &mut Writer<K>, size: u64) -> io::Result<()> {
    let end = writer.position() + SIZE_WORD + size;
    writer.count(if writer.version.has_sections() { end } else { size })
}
