//! Maps.

use std::sync::Arc;

use super::{EvaluationStop, Value, show};

/// A map. Entries are sorted by key as far as keys have an order; upstream's order is random.
#[derive(Debug)]
pub(crate) struct Map {
    pub kind: MapKind,
    pub entries: Vec<(Value, Value)>,
}

/// How a map looks up keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapKind {
    /// Values of any type.
    Any,
    /// Strings only.
    Texts,
    /// Keys that convert to a string.
    ToTexts,
    /// Strings; a missing key yields an empty map.
    Defaulting,
}

impl Map {
    pub const fn new(entries: Vec<(Value, Value)>) -> Self {
        Self { kind: MapKind::Any, entries }
    }

    pub fn texts(kind: MapKind, mut entries: Vec<(Arc<str>, Value)>) -> Self {
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self {
            kind,
            entries: entries.into_iter().map(|(key, value)| (Value::Text(key), value)).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value at a key, or the default of this kind of map.
    pub fn find(&self, key: &Value) -> Result<Option<Value>, EvaluationStop> {
        match self.kind {
            MapKind::Defaulting => {
                let empty =
                    || Value::Map(Arc::new(Self { kind: MapKind::Texts, entries: Vec::new() }));
                Ok(Some(self.get(key)?.unwrap_or_else(empty)))
            }
            _ => self.get(key),
        }
    }

    /// The value at a key.
    pub fn get(&self, key: &Value) -> Result<Option<Value>, EvaluationStop> {
        match self.kind {
            MapKind::Texts | MapKind::Defaulting => {
                Ok(key.as_text().and_then(|text| self.at_text(text)))
            }
            MapKind::ToTexts => Ok(as_text(key).and_then(|text| self.at_text(&text))),
            MapKind::Any if self.entries.is_empty() => Ok(None),
            MapKind::Any => {
                if let Some(name) = unhashable(key) {
                    return Err(EvaluationStop::Panic(format!(
                        "runtime error: hash of unhashable type {name}"
                    )));
                }
                Ok(self
                    .exactly(key)
                    .or_else(|| other_number(key).iter().find_map(|key| self.exactly(key))))
            }
        }
    }

    fn at_text(&self, text: &str) -> Option<Value> {
        let (_, value) = self.entries.iter().find(|(known, _)| known.as_text() == Some(text))?;
        Some(match value {
            // Parity: upstream creates a new list on each access, and as a map key a list equals
            // only itself.
            Value::List(super::ListValue::Plain(values)) => Value::list(values.to_vec()),
            other => other.clone(),
        })
    }

    fn exactly(&self, key: &Value) -> Option<Value> {
        self.entries.iter().find(|(known, _)| same_key(known, key)).map(|(_, value)| value.clone())
    }
}

/// Converts a key to a string.
fn as_text(key: &Value) -> Option<String> {
    match key {
        Value::Text(text) => Some((**text).to_owned()),
        Value::Quantity(_)
        | Value::SemanticVersion(_)
        | Value::Ip(_)
        | Value::Cidr(_)
        | Value::Url(_) => Some(show(key)),
        Value::Optional(Some(value)) => as_text(value),
        _ => None,
    }
}

/// The same number in the other numeric types, in the order of lookup.
fn other_number(key: &Value) -> Vec<Value> {
    #[expect(clippy::cast_precision_loss, reason = "only whole numbers pass")]
    match key {
        Value::Double(d) if d.fract() == 0.0 => {
            let mut others = Vec::new();
            if *d > i64::MIN as f64 && *d < i64::MAX as f64 {
                others.push(Value::Int(*d as i64));
            }
            if *d >= 0.0 && *d < 18_446_744_073_709_551_616.0 {
                others.push(Value::Uint(*d as u64));
            }
            others
        }
        Value::Int(n) => u64::try_from(*n).ok().map(Value::Uint).into_iter().collect(),
        Value::Uint(n) => i64::try_from(*n).ok().map(Value::Int).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The Go type of a value that cannot be hashed; looking it up makes upstream panic.
pub(crate) fn unhashable(key: &Value) -> Option<&'static str> {
    match key {
        Value::Bytes(_) => Some("types.Bytes"),
        Value::SemanticVersion(_) => Some("cel.Semver"),
        Value::Format(_) => Some("cel.Format"),
        _ => None,
    }
}

/// Whether Go considers two keys equal: the same type, and equal values or, where upstream holds
/// pointers, the same object.
pub(crate) fn same_key(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Uint(a), Value::Uint(b)) => a == b,
        #[expect(clippy::float_cmp, reason = "as Go compares keys")]
        (Value::Double(a), Value::Double(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Time(a), Value::Time(b)) => a.is_same_key(b),
        (Value::Ip(a), Value::Ip(b)) => a == b,
        (Value::Cidr(a), Value::Cidr(b)) => a == b,
        (Value::Quantity(a), Value::Quantity(b)) => a.is(b),
        (Value::Url(a), Value::Url(b)) => Arc::ptr_eq(a, b),
        (Value::Map(a), Value::Map(b)) => Arc::ptr_eq(a, b),
        (
            Value::List(super::ListValue::Plain(a) | super::ListValue::Sum(a)),
            Value::List(super::ListValue::Plain(b) | super::ListValue::Sum(b)),
        ) => Arc::ptr_eq(a, b),
        (Value::Optional(None), Value::Optional(None)) => true,
        (Value::Optional(Some(a)), Value::Optional(Some(b))) => Arc::ptr_eq(a, b),
        (Value::Type(a), Value::Type(b)) => a == b,
        _ => false,
    }
}
