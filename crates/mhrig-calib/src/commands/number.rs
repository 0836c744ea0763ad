use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An `f32`, in JSON a number or `"NaN"`, `"Infinity"`, `"-Infinity"`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Number(pub f32);

impl From<Number> for f32 {
    fn from(number: Number) -> Self {
        number.0
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_nan() => serializer.serialize_str("NaN"),
            f32::INFINITY => serializer.serialize_str("Infinity"),
            f32::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            value => serializer.serialize_f32(value),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl Visitor<'_> for Numbers {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number(value as f32))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f32))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f32))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                match text {
                    "NaN" => Ok(Number(f32::NAN)),
                    "Infinity" => Ok(Number(f32::INFINITY)),
                    "-Infinity" => Ok(Number(f32::NEG_INFINITY)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// The vector's numbers.
pub(super) fn floats(vector: super::Vector) -> [f32; 3] {
    vector.map(f32::from)
}
