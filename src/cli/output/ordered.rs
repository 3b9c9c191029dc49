//! JSON that preserves the order of fields, which [`serde_json::Value`] does not.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

/// A JSON value. Everything that is printed as YAML passes through it, so that only this type has a
/// YAML encoder.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ordered {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
            Self::Map(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

struct OrderedVisitor;

impl<'de> Visitor<'de> for OrderedVisitor {
    type Value = Ordered;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value of JSON")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Bool(value))
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Number(value.into()))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Ordered, E> {
        Ok(Ordered::Number(value.into()))
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Ordered, E> {
        // JSON has only finite numbers.
        Ok(Number::from_f64(value).map_or(Ordered::Null, Ordered::Number))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Ordered, E> {
        Ok(Ordered::Text(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ordered, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Ordered::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Ordered::Map(fields))
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrderedVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::Ordered;

    #[test]
    fn json_reads_back_with_fields_in_their_order() {
        let json =
            r#"{"b":[1,-2,1.5,1e300,true,null,"é\n"],"a":{},"":{"z":[],"y":18446744073709551615}}"#;
        let value: Ordered = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), json.replace("1e300", "1e+300"));
        assert!(serde_saphyr::to_string(&value).unwrap().starts_with("b:\n"));
    }
}
