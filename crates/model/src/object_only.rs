//! Structs are decoded from objects alone. The decoders that serde derives also take a list, whose
//! items they give to the fields by position; no Kubernetes object is written so.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// A source of which a struct takes an object and nothing else.
#[derive(Debug)]
pub struct ObjectOnly<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(MapVisitor(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(name, fields, MapVisitor(visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Takes an object; anything else is an error of the type.
struct MapVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for MapVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }
}

/// Makes the decoder and the encoder (or with `decode` the decoder alone) of a struct that derives
/// them with `#[serde(remote = "Self")]`, which gives them to the type itself: the decoder takes
/// objects alone.
#[macro_export]
macro_rules! object_only {
    (decode $name:ident $(<$life:lifetime>)?) => {
        impl<'de $(: $life, $life)?> ::serde::Deserialize<'de> for $name $(<$life>)? {
            fn deserialize<D: ::serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                $name::deserialize($crate::object_only::ObjectOnly(input))
            }
        }
    };
    ($name:ident $(<$life:lifetime>)?) => {
        $crate::object_only!(decode $name $(<$life>)?);

        impl $(<$life>)? ::serde::Serialize for $name $(<$life>)? {
            fn serialize<S: ::serde::Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
                $name::serialize(self, output)
            }
        }
    };
}
