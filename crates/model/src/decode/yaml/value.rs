//! The values of a YAML text as JSON, as sigs.k8s.io/yaml produces them: a key that YAML reads as a
//! number or a boolean becomes text.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A value of any type.
pub(super) struct Loose(pub Value);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_unit<E: Error>(self) -> Result<Loose, E> {
        Ok(Loose(Value::Null))
    }
    fn visit_none<E: Error>(self) -> Result<Loose, E> {
        Ok(Loose(Value::Null))
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Loose, D::Error> {
        Loose::deserialize(deserializer)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Loose, E> {
        Ok(Loose(value.into()))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Loose, E> {
        Ok(Loose(value.into()))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Loose, E> {
        Ok(Loose(value.into()))
    }
    #[expect(clippy::cast_precision_loss, reason = "kubectl rounds integers beyond 64 bits, too")]
    fn visit_i128<E: Error>(self, value: i128) -> Result<Loose, E> {
        Ok(Loose(Number::from_i128(value).map_or_else(|| (value as f64).into(), Value::Number)))
    }
    #[expect(clippy::cast_precision_loss, reason = "kubectl rounds integers beyond 64 bits, too")]
    fn visit_u128<E: Error>(self, value: u128) -> Result<Loose, E> {
        Ok(Loose(Number::from_u128(value).map_or_else(|| (value as f64).into(), Value::Number)))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Loose, E> {
        Ok(Loose(value.into()))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Loose, E> {
        Ok(Loose(value.into()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Loose, A::Error> {
        let mut items = Vec::new();
        while let Some(Loose(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Loose(Value::Array(items)))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        let mut fields = Map::new();
        while let Some(Loose(key)) = map.next_key()? {
            let name = match key {
                Value::String(name) => name,
                Value::Bool(value) => value.to_string(),
                Value::Number(number) => number.to_string(),
                Value::Null => "null".to_owned(),
                Value::Array(_) | Value::Object(_) => {
                    return Err(A::Error::custom("a key is no single value"));
                }
            };
            let Loose(value) = map.next_value()?;
            fields.insert(name, value);
        }
        Ok(Loose(Value::Object(fields)))
    }
}
