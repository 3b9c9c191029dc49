//! An object in which every field that is read is there, made by asking its decoder which fields it
//! has.

use serde::de::value::{BorrowedStrDeserializer, Error};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// The key of an entry of a map.
const ANY: &str = "any";

/// Says yes to whatever is asked for.
pub struct Everything;

impl<'de> Deserializer<'de> for Everything {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str("text")
    }
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(true)
    }
    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i32(1)
    }
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(1)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Once(true))
    }
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { names: &[ANY], next: 0 })
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields { names, next: 0 })
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct enum
        identifier ignored_any
    }
}

/// A list of one item.
struct Once(bool);

impl<'de> SeqAccess<'de> for Once {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        std::mem::take(&mut self.0).then(|| seed.deserialize(Everything)).transpose()
    }
}

struct Fields {
    names: &'static [&'static str],
    next: usize,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let name = self.names.get(self.next);
        self.next += 1;
        name.map(|name| seed.deserialize(BorrowedStrDeserializer::new(name))).transpose()
    }
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Everything)
    }
}

/// The paths of `every` that `object` does not have.
pub fn missing(every: &Value, object: &Value) -> Vec<String> {
    let below = |every: &Value, object: Option<&Value>, step: &str| match object {
        Some(object) => {
            missing(every, object).into_iter().map(|path| format!("{step}{path}")).collect()
        }
        None => vec![step.to_owned()],
    };
    match every {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, every)| {
                let value = match object.get(name) {
                    None if name == ANY => {
                        object.as_object().and_then(|entries| entries.values().next())
                    }
                    value => value,
                };
                below(every, value, &format!(".{name}"))
            })
            .collect(),
        Value::Array(items) => {
            items.iter().flat_map(|every| below(every, object.get(0), "[]")).collect()
        }
        _ => Vec::new(),
    }
}
