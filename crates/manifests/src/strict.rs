//! A decoder that accepts what the API server accepts with strict field validation, and names the
//! field that is wrong.
//!
//! It differs from the decoder of `serde_json` in three ways: a struct's unknown fields are
//! collected, `null` is the zero value of every type as in Go, and a number without a fraction is a
//! whole number, since kubectl writes `3.0` as `3`.
//!
//! Upstream: `staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json/json.go` (1.37).

use std::cell::RefCell;
use std::fmt;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Number, Value, map};

/// Fields that earlier releases have and the types do not, by what they are in.
const FORMER: [(&str, &str); 4] = [
    // Up to 1.23.
    ("metadata", "clusterName"),
    // Up to 1.30.
    ("resourceClaims", "source"),
    // Of persistent volume claims, up to 1.27.
    ("status", "resizeStatus"),
    // Of pods in 1.35.
    ("spec", "workloadRef"),
];

/// Decodes a value as a `T`.
///
/// # Errors
/// The first value of a wrong type, or else all unknown fields.
pub(crate) fn decode<T: de::DeserializeOwned>(value: &Value) -> Result<(), String> {
    let unknown = RefCell::default();
    let root = Node { value, place: Place::Top, unknown: &unknown };
    T::deserialize(root).map_err(|Problem { place, text }| match place {
        Some(place) => format!("{place}: {text}"),
        None => text,
    })?;
    let unknown: Vec<String> = unknown.into_inner();
    if unknown.is_empty() { Ok(()) } else { Err(unknown.join(", ")) }
}

/// The place of a value in its manifest.
#[derive(Clone, Copy)]
enum Place<'p> {
    Top,
    Field(&'p Place<'p>, &'p str),
    /// Of a map, whose keys are free.
    Key(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>, usize),
}

impl<'p> Place<'p> {
    /// The name of the field, also for an item of its list.
    fn name(self) -> &'p str {
        match self {
            Self::Field(_, name) | Self::Item(&Self::Field(_, name), _) => name,
            Self::Top | Self::Key(..) | Self::Item(..) => "",
        }
    }
}

/// `spec.containers[0].resources.requests[cpu]`.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Field(Self::Top, name) => f.write_str(name),
            Self::Field(object, name) => write!(f, "{object}.{name}"),
            Self::Key(map, key) => write!(f, "{map}[{key}]"),
            Self::Item(list, index) => write!(f, "{list}[{index}]"),
        }
    }
}

#[derive(Debug)]
struct Problem {
    /// The field, once it is known: the innermost one.
    place: Option<String>,
    text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self { place: None, text: text.to_string() }
    }
}

/// A value that is decoded.
#[derive(Clone, Copy)]
struct Node<'n> {
    value: &'n Value,
    place: Place<'n>,
    /// The unknown fields of the whole manifest.
    unknown: &'n RefCell<Vec<String>>,
}

impl Node<'_> {
    fn wrong_type(self, expected: &str) -> Problem {
        let found = match self.value {
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
            value => value.to_string(),
        };
        self.at(Problem { place: None, text: format!("expected {expected}, found {found}") })
    }

    /// Says where a problem is, unless it is known from further inside.
    fn at(self, problem: Problem) -> Problem {
        let place = problem.place.or_else(|| Some(self.place.to_string()));
        Problem { place: place.filter(|place| !place.is_empty()), ..problem }
    }

    fn whole<N: TryFrom<i64>>(self, expected: &str) -> Result<N, Problem> {
        let number = match self.value {
            Value::Null => Some(0),
            Value::Number(number) => whole(number),
            _ => None,
        };
        number.and_then(|n| N::try_from(n).ok()).ok_or_else(|| self.wrong_type(expected))
    }

    fn visit_fields<'de, V: Visitor<'de>>(
        self,
        known: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let none = map::Map::new();
        let fields = match self.value {
            Value::Null => none.iter(),
            Value::Object(fields) => fields.iter(),
            _ => return Err(self.wrong_type("an object")),
        };
        visitor
            .visit_map(Fields { node: self, left: fields, known, next: None })
            .map_err(|problem| self.at(problem))
    }
}

/// The value of a number without a fraction.
fn whole(number: &Number) -> Option<i64> {
    // Every whole number of 53 bits is a float; larger ones are none that a field takes.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.as_i64().or_else(|| {
        number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT).map(|n| n as i64)
    })
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Problem;

    /// For quantities, and whatever else is a number or a text.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let visited = match self.value {
            Value::Null => visitor.visit_str(""),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (whole(number), number.as_f64()) {
                (Some(whole), _) => visitor.visit_i64(whole),
                (None, Some(float)) => visitor.visit_f64(float),
                (None, None) => return Err(self.wrong_type("a smaller number")),
            },
            Value::String(text) => visitor.visit_str(text),
            Value::Array(_) => return self.deserialize_seq(visitor),
            Value::Object(_) => return self.deserialize_map(visitor),
        };
        visited.map_err(|problem| self.at(problem))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.value {
            Value::Null => visitor.visit_bool(false),
            Value::Bool(value) => visitor.visit_bool(*value),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_i32(self.whole("a whole number of 32 bits")?)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_i64(self.whole("a whole number of 64 bits")?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let text = match self.value {
            Value::Null => "",
            Value::String(text) => text,
            _ => return Err(self.wrong_type("text")),
        };
        // Times and base64 may reject a text.
        visitor.visit_str(text).map_err(|problem| self.at(problem))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let items = match self.value {
            Value::Null => [].iter(),
            Value::Array(items) => items.iter(),
            _ => return Err(self.wrong_type("a list")),
        };
        visitor.visit_seq(Items { node: self, left: items, index: 0 })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.visit_fields(None, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        self.visit_fields(Some(fields), visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple
        tuple_struct enum identifier ignored_any
    }
}

/// The items of a list.
struct Items<'n> {
    node: Node<'n>,
    left: slice::Iter<'n, Value>,
    index: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Problem;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Problem> {
        let Some(value) = self.left.next() else { return Ok(None) };
        let place = Place::Item(&self.node.place, self.index);
        self.index += 1;
        seed.deserialize(Node { value, place, ..self.node }).map(Some)
    }
}

/// The fields of an object or a map.
struct Fields<'n> {
    node: Node<'n>,
    left: map::Iter<'n>,
    /// The fields that the type has; `None` for a map.
    known: Option<&'static [&'static str]>,
    /// The field whose name was visited.
    next: Option<(&'n str, &'n Value)>,
}

impl<'de> de::MapAccess<'de> for Fields<'_> {
    type Error = Problem;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Problem> {
        for (name, value) in self.left.by_ref() {
            if self.known.is_none_or(|known| known.contains(&name.as_str())) {
                self.next = Some((name, value));
                let name: StrDeserializer<'_, Problem> = name.as_str().into_deserializer();
                return seed.deserialize(name).map(Some);
            }
            if !FORMER.contains(&(self.node.place.name(), name)) {
                let place = Place::Field(&self.node.place, name);
                self.node.unknown.borrow_mut().push(format!("unknown field \"{place}\""));
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Problem> {
        let Some((name, value)) = self.next.take() else {
            return Err(de::Error::custom("a value without a name"));
        };
        let place = match self.known {
            Some(_) => Place::Field(&self.node.place, name),
            None => Place::Key(&self.node.place, name),
        };
        seed.deserialize(Node { value, place, ..self.node })
    }
}
