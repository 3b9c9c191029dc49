//! Which value of a JSON text a decoder rejected: its path, found afterwards from the position in
//! the error.
//!
//! Tracking the path while decoding would take a second decoder for every type. This way only a
//! rejected text pays for the search.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// One step from a value to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueStep {
    /// Into the field of an object.
    Key(String),
    /// Into an item of a list.
    Index(usize),
}

/// The path from the whole text to a value in it: `spec.containers[0].name`; empty for the whole
/// text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Path(pub(crate) Vec<ValueStep>);

impl Path {
    /// Whether it is the path of the whole text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                ValueStep::Key(key) if place == 0 => f.write_str(key)?,
                ValueStep::Key(key) => write!(f, ".{key}")?,
                ValueStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A value or key that a decoder rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongValue {
    /// Its position.
    pub path: Path,
    /// The decoder's message, without the position.
    pub message: String,
}

impl WrongValue {
    /// What was rejected in `line`, which is JSON as `serde_json::Value` writes it. `error` is the
    /// result of `decode` for it.
    pub fn of(
        line: &str,
        error: &serde_json::Error,
        decode: &dyn Fn(&str) -> serde_json::Result<()>,
    ) -> Self {
        let end = error.column().min(line.len());
        let mut path = path_of(line, end);
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let shown = error.to_string();
        let message = shown.strip_suffix(&suffix).unwrap_or(&shown).to_owned();

        // After the bracket of a list, the decoder rejected either the list or, without reading it,
        // the first item. If it was the list, the item does not matter.
        if line.as_bytes().get(..end).is_some_and(|read| read.ends_with(b"["))
            && let Some(other) = with_first_item_replaced(line, end)
            && decode(&other).err().map(|e| e.to_string()).as_ref() != Some(&shown)
        {
            path.0.push(ValueStep::Index(0));
        }
        // A field given under both of its names is not the fault of the second.
        if message.starts_with("duplicate field") {
            path.0.pop();
        }
        Self { path, message }
    }
}

/// The text with a number in place of the item that starts at `start`; `None` if none starts there.
fn with_first_item_replaced(text: &str, start: usize) -> Option<String> {
    let (before, items) = (text.get(..start)?, text.get(start..)?);
    let mut values = Deserializer::from_str(items).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some([before, "0", items.get(values.byte_offset()..)?].concat())
}

/// The path of the value that contains the last of the first `end` bytes. After a colon or a comma,
/// it is the path of the next value: decoders reject some lists and objects without reading them.
fn path_of(text: &str, end: usize) -> Path {
    let bytes = text.as_bytes();
    // The open objects and lists: for an object its key, if read; for a list the index.
    let mut open: Vec<Option<ValueStep>> = Vec::new();
    let mut at = 0;
    while at < end {
        let start = at;
        at += 1;
        match bytes.get(start) {
            Some(b'{') => open.push(None),
            // The list itself was rejected if nothing after the bracket was read.
            Some(b'[') => open.push((at < end).then_some(ValueStep::Index(0))),
            Some(b'}' | b']') => drop(open.pop()),
            Some(b',') => match open.last_mut() {
                Some(Some(ValueStep::Index(index))) => *index += 1,
                Some(key) => *key = None,
                None => {}
            },
            Some(b'"') => {
                at = end_of_string(bytes, at);
                if let Some(key @ None) = open.last_mut() {
                    let text = text.get(start..at).and_then(|text| serde_json::from_str(text).ok());
                    *key = Some(ValueStep::Key(text.unwrap_or_default()));
                }
            }
            // Colons, numbers and words.
            _ => {}
        }
    }
    Path(open.into_iter().flatten().collect())
}

/// The end of a string whose opening quotation mark is right before `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use proptest::prelude::*;
    use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
    use serde_json::{Value, json};

    use super::*;
    use crate::object_only::ObjectOnly;

    /// The shape that the decoded types require of a value.
    #[derive(Debug, Clone)]
    enum Shape {
        Truth,
        Number,
        Text,
        List(Vec<Self>),
        /// A map of names, which requires an object.
        Map(Vec<(String, Self)>),
        /// A struct, which rejects a list only after its bracket.
        Struct(Vec<(String, Self)>),
    }

    impl<'de> DeserializeSeed<'de> for &Shape {
        type Value = ();
        fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
            match self {
                Shape::Truth => input.deserialize_bool(self),
                Shape::Number => input.deserialize_i64(self),
                Shape::Text => input.deserialize_any(self),
                Shape::List(_) => input.deserialize_seq(self),
                Shape::Map(_) => input.deserialize_map(self),
                Shape::Struct(_) => ObjectOnly(input).deserialize_struct("Struct", &[], self),
            }
        }
    }

    impl<'de> Visitor<'de> for &Shape {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("another value")
        }
        fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
            if matches!(self, Shape::Truth) {
                Ok(())
            } else {
                Err(E::invalid_type(de::Unexpected::Bool(true), &self))
            }
        }
        fn visit_u64<E: de::Error>(self, v: u64) -> Result<(), E> {
            if matches!(self, Shape::Number) {
                Ok(())
            } else {
                Err(E::invalid_type(de::Unexpected::Unsigned(v), &self))
            }
        }
        fn visit_str<E: de::Error>(self, v: &str) -> Result<(), E> {
            if matches!(self, Shape::Text) {
                Ok(())
            } else {
                Err(E::invalid_type(de::Unexpected::Str(v), &self))
            }
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
            let Shape::List(items) = self else {
                return Err(de::Error::invalid_type(de::Unexpected::Seq, &self));
            };
            items.iter().try_for_each(|item| seq.next_element_seed(item).map(drop))
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let (Shape::Map(fields) | Shape::Struct(fields)) = self else {
                return Err(de::Error::invalid_type(de::Unexpected::Map, &self));
            };
            while let Some(key) = map.next_key::<String>()? {
                let (_, field) = fields.iter().find(|(name, _)| *name == key).expect("a known key");
                map.next_value_seed(field)?;
            }
            Ok(())
        }
    }

    /// A shape, a value that has it, and the path of every value in that one.
    #[derive(Debug, Clone)]
    struct Sample {
        shape: Shape,
        value: Value,
        paths: Vec<Vec<ValueStep>>,
    }

    impl Sample {
        fn leaf(shape: Shape, value: Value) -> Self {
            Self { shape, value, paths: vec![Vec::new()] }
        }

        fn take_paths(&mut self, step: &ValueStep, of: &Self) {
            self.paths
                .extend(of.paths.iter().map(|path| [std::slice::from_ref(step), path].concat()));
        }

        fn list(items: &[Self]) -> Self {
            let shape = Shape::List(items.iter().map(|item| item.shape.clone()).collect());
            let mut list = Self::leaf(shape, items.iter().map(|item| item.value.clone()).collect());
            for (index, item) in items.iter().enumerate() {
                list.take_paths(&ValueStep::Index(index), item);
            }
            list
        }

        fn object(fields: &std::collections::BTreeMap<String, Self>, is_struct: bool) -> Self {
            let shapes =
                fields.iter().map(|(name, field)| (name.clone(), field.shape.clone())).collect();
            let shape = if is_struct { Shape::Struct(shapes) } else { Shape::Map(shapes) };
            let values = fields.iter().map(|(name, field)| (name.clone(), field.value.clone()));
            let mut object = Self::leaf(shape, Value::Object(values.collect()));
            for (name, field) in fields {
                object.take_paths(&ValueStep::Key(name.clone()), field);
            }
            object
        }
    }

    /// Texts with characters special to JSON, escaped ones, and multi-byte ones.
    const TEXTS: &str = "[a-c.\\[\\]{}:,\"\\\\/\n\t\u{1}\u{7f}é☃😀]{0,6}";

    fn samples() -> impl Strategy<Value = Sample> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(|v| Sample::leaf(Shape::Truth, v.into())),
            any::<u64>().prop_map(|v| Sample::leaf(Shape::Number, v.into())),
            TEXTS.prop_map(|v| Sample::leaf(Shape::Text, v.into())),
        ];
        leaf.prop_recursive(5, 40, 5, |inner| {
            let fields = prop::collection::btree_map(TEXTS, inner.clone(), 0..5);
            prop_oneof![
                prop::collection::vec(inner, 0..5).prop_map(|items| Sample::list(&items)),
                (fields, any::<bool>())
                    .prop_map(|(fields, is_struct)| Sample::object(&fields, is_struct)),
            ]
        })
    }

    /// Values of every type, and with brackets at both ends.
    fn wrong_values() -> Vec<Value> {
        vec![
            json!(null),
            json!(true),
            json!(7),
            json!(-7),
            json!(1.5),
            json!("a\"\\é"),
            json!([]),
            json!({}),
            json!([[]]),
            json!([[1], 2]),
            json!([{"é": 1}]),
            json!({"a": []}),
            json!({"\"": [{}]}),
        ]
    }

    fn is_of(shape: &Shape, value: &Value) -> bool {
        match shape {
            Shape::Truth => value.is_boolean(),
            Shape::Number => value.is_u64(),
            Shape::Text => value.is_string(),
            Shape::List(_) => value.is_array(),
            Shape::Map(_) | Shape::Struct(_) => value.is_object(),
        }
    }

    fn shape_at<'s>(shape: &'s Shape, path: &[ValueStep]) -> &'s Shape {
        let Some((step, rest)) = path.split_first() else { return shape };
        let inner = match (shape, step) {
            (Shape::List(items), ValueStep::Index(index)) => items.get(*index),
            (Shape::Map(fields) | Shape::Struct(fields), ValueStep::Key(key)) => {
                fields.iter().find(|(name, _)| name == key).map(|(_, field)| field)
            }
            _ => None,
        };
        shape_at(inner.expect("a path of the shape"), rest)
    }

    fn put(value: &mut Value, path: &[ValueStep], wrong: Value) {
        let place = path.iter().try_fold(value, |value, step| match step {
            ValueStep::Key(key) => value.get_mut(key),
            ValueStep::Index(index) => value.get_mut(index),
        });
        *place.expect("a path of the value") = wrong;
    }

    fn decode(shape: &Shape, line: &str) -> serde_json::Result<()> {
        shape.deserialize(&mut serde_json::Deserializer::from_str(line))
    }

    proptest! {
        #[test]
        fn path_of_refused_value_is_where_it_stands(sample in samples(), choice in any::<prop::sample::Index>()) {
            decode(&sample.shape, &sample.value.to_string()).expect("a value of this shape");
            let path = choice.get(&sample.paths);
            for wrong in wrong_values() {
                if is_of(shape_at(&sample.shape, path), &wrong) {
                    continue;
                }
                let mut value = sample.value.clone();
                put(&mut value, path, wrong);
                let line = value.to_string();
                let error = decode(&sample.shape, &line).expect_err("a value of another type");
                let found = WrongValue::of(&line, &error, &|line| decode(&sample.shape, line));
                prop_assert_eq!(&found.path.0, path, "{}: {}", line, error);
                prop_assert!(!found.message.contains(" at line 1 column "), "{}", found.message);
            }
        }
    }

    #[test]
    fn path_is_written_with_dots_and_brackets() {
        let path = |steps: &[ValueStep]| Path(steps.to_vec()).to_string();
        let key = |key: &str| ValueStep::Key(key.to_owned());
        assert_eq!(path(&[]), "");
        assert_eq!(
            path(&[key("spec"), key("containers"), ValueStep::Index(2), key("name")]),
            "spec.containers[2].name"
        );
        assert_eq!(path(&[ValueStep::Index(0), ValueStep::Index(1), key("a.b/c")]), "[0][1].a.b/c");
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoded")]
    struct Strict {
        #[serde(alias = "Name")]
        name: String,
        inner: Option<Box<Self>>,
    }

    #[test]
    fn path_of_fields_that_are_unknown_missing_or_twice_there() {
        for (line, path, message) in [
            (
                r#"{"name":"a","inner":{"name":"b","é\n":1}}"#,
                "inner.é\n",
                "unknown field `é\n`, expected one of `Name`, `name`, `inner`",
            ),
            (r#"{"name":"a","inner":{"inner":null}}"#, "inner", "missing field `name`"),
            (r#"{"inner":{"Name":"a","name":"b"},"name":""}"#, "inner", "duplicate field `name`"),
            ("[[1]]", "[0]", "invalid type: sequence, expected a string"),
        ] {
            let error = serde_json::from_str::<Strict>(line).expect_err(line);
            let found = WrongValue::of(line, &error, &|line| {
                serde_json::from_str::<Strict>(line).map(drop)
            });
            assert_eq!(
                (found.path.to_string().as_str(), found.message.as_str()),
                (path, message),
                "{line}"
            );
        }
    }

    #[test]
    fn unknown_disruption_mode_is_refused_as_a_whole() {
        use crate::snapshot::Kind;
        for mode in [r#"{"other":{}}"#, r#"{"other":{},"single":{}}"#, r#""Other""#] {
            let line = format!(r#"{{"spec":{{"disruptionMode":{mode},"minMember":1}}}}"#);
            let error = Kind::PodGroup.decode_json(&line).expect_err(mode);
            let found =
                WrongValue::of(&line, &error, &|line| Kind::PodGroup.decode_json(line).map(drop));
            assert_eq!(found.path.to_string(), "spec.disruptionMode", "{mode}");
        }
    }
}
