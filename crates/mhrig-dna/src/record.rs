//! The macro that turns one list of fields into everything that depends on it.

/// Implements [`Wire`](crate::wire::Wire) and [`Json`](crate::json::Json) for a struct from the list of its fields
/// in file order: JSON name, field, type, and with `as` the module with its JSON form where that is not the one of
/// the type.
///
/// `sized` and `mesh` records are preceded by their size; `wire` records get no JSON form here.
macro_rules! record {
    ($name:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ $(,)? }) => {
        $crate::record::record!(wire $name { $($json $field: $type $(as $form)?),+ });
        $crate::json::json_record!($name, None, { $($json $field: $type $(as $form)?),+ });
    };
    (wire $name:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ $(,)? }) => {
        impl $crate::wire::Wire for $name {
            const MIN_SIZE: u64 = 0 $(+ <$type as $crate::wire::Wire>::MIN_SIZE)+;
            $crate::record::record!(@locate locate { $($json $field: $type $(as $form)?),+ });
            $crate::record::record!(@body read size write $name { $($json $field: $type $(as $form)?),+ });
        }
    };
    (sized $name:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ $(,)? }) => {
        $crate::record::record!(@prefixed read_sized write_size $name { $($json $field: $type $(as $form)?),+ });
    };
    (mesh $name:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ $(,)? }) => {
        $crate::record::record!(@prefixed read_mesh write_mesh_size $name { $($json $field: $type $(as $form)?),+ });
    };
    (@prefixed $read:ident $write:ident $name:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ }) => {
        impl $name {
            $crate::record::record!(@locate locate_in_body { $($json $field: $type $(as $form)?),+ });
            $crate::record::record!(@body read_body body_size write_body $name { $($json $field: $type $(as $form)?),+ });
        }

        impl $crate::wire::Wire for $name {
            const MIN_SIZE: u64 = 4 $(+ <$type as $crate::wire::Wire>::MIN_SIZE)+;

            fn read<S: $crate::wire::Source>(
                reader: &mut $crate::wire::Reader<S>,
            ) -> Result<Self, $crate::wire::Fault> {
                $crate::wire::$read(reader, Self::read_body)
            }

            fn locate<S: $crate::wire::Source>(
                reader: &mut $crate::wire::Reader<S>,
                path: &[$crate::wire::Step<'_>],
            ) -> Result<(), $crate::wire::Fault> {
                if path.is_empty() {
                    return Ok(());
                }
                reader.u32()?;
                Self::locate_in_body(reader, path)
            }

            fn size(&self) -> u64 {
                4 + self.body_size()
            }

            fn write<K: $crate::wire::Sink>(&self, writer: &mut $crate::wire::Writer<K>) -> std::io::Result<()> {
                $crate::wire::$write(writer, self.body_size())?;
                self.write_body(writer)
            }
        }

        $crate::json::json_record!($name, Some(Self::body_size), { $($json $field: $type $(as $form)?),+ });
    };
    (@locate $locate:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ }) => {
        fn $locate<S: $crate::wire::Source>(
            reader: &mut $crate::wire::Reader<S>,
            path: &[$crate::wire::Step<'_>],
        ) -> Result<(), $crate::wire::Fault> {
            let [$crate::wire::Step::Field(name), rest @ ..] = path else { return Ok(()) };
            $(
                if *name == $json {
                    return <$type as $crate::wire::Wire>::locate(reader, rest);
                }
                <$type as $crate::wire::Wire>::read(reader)?;
            )+
            Ok(())
        }
    };
    (@body $read:ident $size:ident $write:ident $name:ident { $($json:literal $field:ident : $type:ty $(as $form:ident)?),+ }) => {
        #[inline]
        fn $read<S: $crate::wire::Source>(
            reader: &mut $crate::wire::Reader<S>,
        ) -> Result<Self, $crate::wire::Fault> {
            // Fields of a struct expression are evaluated in the order written here, the order of the file.
            Ok(Self {
                $($field: match <$type as $crate::wire::Wire>::read(reader) {
                    Ok(value) => value,
                    Err(fault) => return Err(fault.in_field($json)),
                }),+
            })
        }

        #[inline]
        fn $size(&self) -> u64 {
            0 $(+ $crate::wire::Wire::size(&self.$field))+
        }

        #[inline]
        fn $write<K: $crate::wire::Sink>(&self, writer: &mut $crate::wire::Writer<K>) -> std::io::Result<()> {
            $($crate::wire::Wire::write(&self.$field, writer)?;)+
            Ok(())
        }
    };
}
pub(crate) use record;
