//! Structs are decoded only from objects. The decoders that serde derives also accept a list, whose
//! items they assign to the fields by position; no Kubernetes object is written like that.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Makes structs accept only a JSON object, not an array.
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

/// Accepts an object; anything else is a type error.
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

/// Generates the decoder and the encoder (with `decode`, only the decoder) of a struct that derives
/// them with `#[serde(remote = "Self")]`, which makes them inherent methods: the decoder accepts
/// only objects.
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
