//! The text of a configuration file.
//!
//! Upstream: apimachinery `pkg/runtime/serializer/json/json.go` `RecognizesData`,
//! `pkg/util/json/json.go` `UnmarshalStrict` (1.37).

use std::fmt;
use std::fmt::Write as _;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A configuration file, and what its value does not show.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// The value; of a field that stands twice, the last one counts.
    pub value: Value,
    /// The duplicate fields.
    pub(super) repeated: Vec<RepeatedField>,
}

/// A duplicate field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RepeatedField {
    /// Where it stands.
    pub(super) path: String,
    /// The value that a later one replaces.
    pub(super) earlier: Value,
}

impl From<Value> for ConfigFile {
    /// A value in which no field stands twice.
    fn from(value: Value) -> Self {
        Self { value, repeated: Vec::new() }
    }
}

impl ConfigFile {
    /// Whether kube-scheduler reads the text as JSON; it reads everything else as YAML.
    pub fn is_json(text: &str) -> bool {
        text.trim_start().starts_with('{')
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// When the text is anything but one JSON value.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let mut repeated = Vec::new();
        let mut input = serde_json::Deserializer::from_str(text);
        let value =
            Reader { path: &mut String::new(), repeated: &mut repeated }.deserialize(&mut input)?;
        input.end()?;
        Ok(Self { value, repeated })
    }
}

/// Reads a value and notes which fields stand twice in it.
struct Reader<'r> {
    /// Where the value stands.
    path: &'r mut String,
    repeated: &'r mut Vec<RepeatedField>,
}

impl Reader<'_> {
    /// A reader of a nested value, whose path extends `path`.
    fn within(&mut self) -> Reader<'_> {
        Reader { path: self.path, repeated: self.repeated }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        // Parity: `-0` is a whole number to Go.
        if value == 0.0 && value.is_sign_negative() {
            return Ok(0.into());
        }
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut input: A) -> Result<Value, A::Error> {
        let (mut items, length) = (Vec::new(), self.path.len());
        loop {
            // Writing to a text cannot fail.
            let _ = write!(self.path, "[{}]", items.len());
            let item = input.next_element_seed(self.within())?;
            self.path.truncate(length);
            match item {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut input: A) -> Result<Value, A::Error> {
        let (mut fields, length) = (Map::new(), self.path.len());
        while let Some(name) = input.next_key::<String>()? {
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            let value = input.next_value_seed(self.within())?;
            if let Some(earlier) = fields.insert(name, value) {
                self.repeated.push(RepeatedField { path: self.path.clone(), earlier });
            }
            self.path.truncate(length);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_with_a_field_twice_keeps_the_last_and_names_each_path() {
        let text =
            r#" {"a": [{"b": 1, "b": {"c": -0, "c": "d"}}, 1.5, null, true], "a": 2, "e": 1}"#;
        let file = ConfigFile::from_json(text).unwrap();
        assert_eq!(file.value, json!({"a": 2, "e": 1}));
        let paths: Vec<&str> = file.repeated.iter().map(|field| &*field.path).collect();
        assert_eq!(paths, ["a[0].b.c", "a[0].b", "a"]);
        assert_eq!(file.repeated[1].earlier, 1);
    }

    #[test]
    fn json_without_a_field_twice_is_its_value() {
        let text = r#"{"a": [-0, 9223372036854775807, 1e3, "\u00e9\n", {}, []], "": null}"#;
        let file = ConfigFile::from_json(text).unwrap();
        assert_eq!(
            file.value,
            json!({"a": [0, 9_223_372_036_854_775_807_i64, 1e3, "é\n", {}, []], "": null})
        );
        assert!(file.repeated.is_empty());
    }

    #[test]
    fn text_that_begins_with_a_brace_is_json_and_nothing_else() {
        assert!(ConfigFile::is_json("\n\t {a: b}") && !ConfigFile::is_json("# {\n{}"));
        for text in ["{a: b}", "{}{}", "{} # comment", "{\"a\": 1,}"] {
            assert!(ConfigFile::from_json(text).is_err(), "{text}");
        }
    }
}
