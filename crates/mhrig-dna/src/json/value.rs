use std::io::{self, Write};

use super::reader::{JsonFault, JsonReader};
use super::writer::JsonWriter;
use crate::Text;

/// A value with a JSON form.
pub(crate) trait Json: Sized {
    fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()>;
    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault>;
}

macro_rules! integer {
    ($type:ty, $what:literal) => {
        impl Json for $type {
            fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
                writer.integer(i64::from(*self))
            }

            fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
                reader.integer($what)
            }
        }
    };
}

integer!(u8, "a whole number from 0 to 255");
integer!(u16, "a whole number from 0 to 65535");
integer!(u32, "a whole number from 0 to 4294967295");
integer!(i32, "a whole number of 32 bits");

impl Json for f32 {
    fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.float(*self)
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.float()
    }
}

impl Json for Text {
    fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.text(&self.0)
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.text()
    }
}

impl Json for (Text, Text) {
    fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.array([&self.0, &self.1], |writer, text| text.write_json(writer))
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.peek();
        let at = reader.position();
        let pair: Result<[Text; 2], _> = reader.array(Text::read_json)?.try_into();
        match pair {
            Ok([first, second]) => Ok((first, second)),
            Err(_) => reader.fault_at(at, "a key and a value"),
        }
    }
}

impl<T: Json> Json for Vec<T> {
    fn write_json<W: Write>(&self, writer: &mut JsonWriter<W>) -> io::Result<()> {
        writer.array(self, |writer, value| value.write_json(writer))
    }

    fn read_json(reader: &mut JsonReader<'_>) -> Result<Self, JsonFault> {
        reader.array(T::read_json)
    }
}

/// Implements [`Json`] for a struct from the list of its fields, see [`crate::record!`]. `prefix` is what the
/// object starts with besides its fields.
macro_rules! json_record {
    ($name:ident, $prefix:expr, { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ }) => {
        impl $crate::json::Json for $name {
            fn write_json<W: std::io::Write>(
                &self,
                writer: &mut $crate::json::JsonWriter<W>,
            ) -> std::io::Result<()> {
                writer.object(|writer| {
                    let prefix: Option<fn(&Self) -> u64> = $prefix;
                    if let Some(size) = prefix {
                        $crate::json::write_prefix(writer, size(self))?;
                    }
                    $(writer.member($json, |writer| {
                        $crate::json::json_form!(write $($form)?)(&self.$field, writer)
                    })?;)+
                    Ok(())
                })
            }

            fn read_json(
                reader: &mut $crate::json::JsonReader<'_>,
            ) -> Result<Self, $crate::json::JsonFault> {
                let prefix: Option<fn(&Self) -> u64> = $prefix;
                reader.peek();
                let start = reader.position();
                $(let mut $field: Option<$type> = None;)+
                reader.object(|reader, name| {
                    $(
                        if name == $json.as_bytes() {
                            let read = $crate::json::json_form!(read $($form)?);
                            return $crate::json::read_member_with(reader, &mut $field, $json, read);
                        }
                    )+
                    if prefix.is_some() && matches!(name, b"size" | b"offset") {
                        return <u32 as $crate::json::Json>::read_json(reader)
                            .map(drop)
                            .map_err(|fault| fault.in_field("size"));
                    }
                    $crate::json::unknown_member(reader, name)
                })?;
                Ok(Self { $($field: $crate::json::present(reader, start, $field, $json)?),+ })
            }
        }
    };
}
pub(crate) use json_record;

macro_rules! json_form {
    (write) => {
        $crate::json::Json::write_json
    };
    (read) => {
        $crate::json::Json::read_json
    };
    (write $form:ident) => {
        $form::write_json
    };
    (read $form:ident) => {
        $form::read_json
    };
}
pub(crate) use json_form;

/// Writes the size of a record, or for a mesh of a 2.1 file the offset of its end.
pub(crate) fn write_prefix<W: Write>(writer: &mut JsonWriter<W>, size: u64) -> io::Result<()> {
    match writer.mesh_end {
        Some(end) => {
            let end = end + 4 + size;
            writer.mesh_end = Some(end);
            writer.member("offset", |writer| writer.integer(end as i64))
        }
        None => writer.member("size", |writer| writer.integer(size as i64)),
    }
}

/// Reads the value of member `name` into `field`, which must not have one.
pub(crate) fn read_member<T: Json>(
    reader: &mut JsonReader<'_>,
    field: &mut Option<T>,
    name: &'static str,
) -> Result<(), JsonFault> {
    read_member_with(reader, field, name, T::read_json)
}

/// Like [`read_member`], for a value of another form.
pub(crate) fn read_member_with<T>(
    reader: &mut JsonReader<'_>,
    field: &mut Option<T>,
    name: &'static str,
    read: impl FnOnce(&mut JsonReader<'_>) -> Result<T, JsonFault>,
) -> Result<(), JsonFault> {
    if field.is_some() {
        return reader.fault(format!("\"{name}\" only once"));
    }
    *field = Some(read(reader).map_err(|fault| fault.in_field(name))?);
    Ok(())
}

pub(crate) fn unknown_member(reader: &JsonReader<'_>, name: &[u8]) -> Result<(), JsonFault> {
    let name = String::from_utf8_lossy(name);
    reader.fault(format!("no member \"{name}\" here"))
}

/// The value of a member, or the fault that the object starting at `start` lacks it.
pub(crate) fn present<T>(
    reader: &JsonReader<'_>,
    start: usize,
    field: Option<T>,
    name: &'static str,
) -> Result<T, JsonFault> {
    match field {
        Some(value) => Ok(value),
        None => reader.fault_at(start, format!("an object with a member \"{name}\"")),
    }
}
