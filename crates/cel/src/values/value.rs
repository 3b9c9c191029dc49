//! Values, with what they are made of, lists and maps, and how messages show them.
//!
//! Upstream: cel-go `common/types`, `apiserver/pkg/cel`.

use std::sync::{Arc, Mutex, PoisonError};

use go::duration_text;

use super::address::{Cidr, Ip};
use super::quantity::QuantityValue;
use super::semver::SemanticVersion;
use super::time::Time;
use super::url::Url;
use crate::release::Release;

/// A value of an expression; errors are values, too.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
    List(ListValue),
    Map(Arc<Map>),
    Optional(Option<Arc<Value>>),
    /// Nanoseconds.
    Duration(i64),
    Time(Time),
    /// The name of a type.
    Type(Arc<str>),
    Quantity(QuantityValue),
    SemanticVersion(Arc<SemanticVersion>),
    Ip(Ip),
    Cidr(Cidr),
    Url(Arc<Url>),
    Format(&'static NamedFormat),
    Error(Arc<str>),
}

/// A named format, such as `dns1123Label`, that validates strings.
#[derive(Debug)]
pub(crate) struct NamedFormat {
    /// The name in upstream's error messages.
    pub name: &'static str,
    /// The name in `format.named`.
    pub key: &'static str,
    /// Length of its regular expression, which determines the cost.
    pub pattern: u64,
    pub check: fn(&Release, &str) -> Vec<String>,
}

/// Why an evaluation stops without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EvaluationStop {
    /// The cost limit is exceeded.
    Cost,
    /// Upstream's evaluator panics with this text.
    Panic(String),
    /// Its values exceed the memory limit.
    Large,
    /// It exceeds the step limit.
    Long,
    /// Upstream's behaviour is not reproduced; the text completes a sentence.
    Unknown(String),
}

pub(crate) type EvalResult = Result<Value, EvaluationStop>;

/// The error about operands of the wrong types.
pub(crate) const NO_OVERLOAD: &str = "no such overload";

/// An error.
#[expect(clippy::unnecessary_wraps, reason = "most of what fails is an outcome")]
pub(crate) fn fail(text: impl Into<Arc<str>>) -> EvalResult {
    Ok(Value::Error(text.into()))
}

/// A time, or the error about one that does not exist.
impl From<Result<Time, &'static str>> for Value {
    fn from(time: Result<Time, &'static str>) -> Self {
        time.map_or_else(Self::error, Self::Time)
    }
}

impl Value {
    pub fn text(text: &str) -> Self {
        Self::Text(Arc::from(text))
    }

    pub fn error(text: impl Into<Arc<str>>) -> Self {
        Self::Error(text.into())
    }

    pub fn no_overload() -> Self {
        Self::error(NO_OVERLOAD)
    }

    pub fn list(values: Vec<Self>) -> Self {
        Self::List(ListValue::new(values))
    }

    /// A list that Go holds as a slice of this type.
    pub fn slice(of: &'static str, values: Vec<Self>) -> Self {
        Self::List(ListValue::Slice(of, values.into()))
    }

    pub fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// Passes an error on; anything else becomes the error about a missing overload.
    pub fn or_no_overload(&self) -> Self {
        if self.is_error() { self.clone() } else { Self::no_overload() }
    }

    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Time(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::SemanticVersion(_) => "kubernetes.Semver",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Error(_) => "error",
        }
    }

    /// The size in characters, bytes or elements; `None` for types without one.
    pub fn size(&self) -> Option<usize> {
        Some(match self {
            Self::Text(text) => text.chars().count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(list) => list.len(),
            Self::Map(map) => map.len(),
            Self::Ip(ip) => ip.bits().div_ceil(8),
            Self::Cidr(cidr) => cidr.prefix.div_ceil(8),
            _ => return None,
        })
    }

    /// Whether it is a zero value to `optional.ofNonZeroValue`.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Uint(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::List(list) => list.len() == 0,
            // Parity: upstream never considers a map with default entries empty.
            Self::Map(map) => map.len() == 0 && !matches!(map.kind, MapKind::Defaulting(_)),
            Self::Duration(value) => *value == 0,
            Self::Time(time) => time.is_zero(),
            _ => false,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum ListValue {
    /// A list with fixed elements.
    Plain(Arc<[Value]>),
    /// The same, which Go holds as a slice of this type.
    Slice(&'static str, Arc<[Value]>),
    /// The concatenation of two lists. Unlike other lists, it equals another only if no comparison
    /// of elements fails.
    Sum(Arc<[Value]>),
    /// A list that a comprehension builds. Parity: appending modifies it in place.
    Growing(Arc<Mutex<Vec<Value>>>),
}

impl ListValue {
    pub fn new(values: Vec<Value>) -> Self {
        Self::Plain(values.into())
    }

    pub fn growing() -> Self {
        Self::Growing(Arc::default())
    }

    /// The current elements.
    pub fn values(&self) -> Arc<[Value]> {
        match self {
            Self::Plain(values) | Self::Slice(_, values) | Self::Sum(values) => values.clone(),
            Self::Growing(values) => {
                values.lock().unwrap_or_else(PoisonError::into_inner).as_slice().into()
            }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Plain(values) | Self::Slice(_, values) | Self::Sum(values) => values.len(),
            Self::Growing(values) => values.lock().unwrap_or_else(PoisonError::into_inner).len(),
        }
    }

    pub fn get(&self, index: usize) -> Option<Value> {
        match self {
            Self::Plain(values) | Self::Slice(_, values) | Self::Sum(values) => {
                values.get(index).cloned()
            }
            Self::Growing(values) => {
                values.lock().unwrap_or_else(PoisonError::into_inner).get(index).cloned()
            }
        }
    }

    /// Concatenates two lists.
    pub fn plus(&self, other: &Self) -> Self {
        let more = other.values();
        match self {
            Self::Growing(values) => {
                values.lock().unwrap_or_else(PoisonError::into_inner).extend(more.iter().cloned());
                self.clone()
            }
            _ if self.len() == 0 => other.clone(),
            _ if more.is_empty() => self.clone(),
            Self::Plain(values) | Self::Slice(_, values) | Self::Sum(values) => {
                Self::Sum(values.iter().chain(more.iter()).cloned().collect())
            }
        }
    }

    /// The list with its current elements, no longer growing.
    pub fn settled(self) -> Self {
        if let Self::Growing(_) = self { Self::Plain(self.values()) } else { self }
    }
}

/// Converts a value to an index.
pub(crate) fn index_of(value: &Value) -> Result<i64, Value> {
    #[expect(clippy::cast_precision_loss, reason = "only whole numbers pass")]
    match value {
        Value::Int(index) => Ok(*index),
        Value::Double(d) if d.fract() == 0.0 && *d > i64::MIN as f64 && *d < i64::MAX as f64 => {
            Ok(*d as i64)
        }
        Value::Uint(index) if i64::try_from(*index).is_ok() => Ok(*index as i64),
        Value::Double(_) | Value::Uint(_) => {
            Err(Value::error(format!("unsupported index value {} in list", show(value))))
        }
        other => {
            Err(Value::error(format!("unsupported index type '{}' in list", other.type_name())))
        }
    }
}

/// A map. Entries are sorted by key as far as keys have an order; upstream's order is random.
#[derive(Debug)]
pub(crate) struct Map {
    pub kind: MapKind,
    pub entries: Vec<(Value, Value)>,
}

/// What the maps of a device hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Attributes,
    Capacity,
}

impl std::fmt::Display for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// How a map looks up keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapKind {
    /// Values of any type.
    Any,
    /// Strings only.
    Texts,
    /// Keys that convert to a string, with what it holds.
    ToTexts(Holds),
    /// Strings, with what it holds; a missing key yields an empty map.
    Defaulting(Holds),
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
            MapKind::Defaulting(_) => {
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
            MapKind::Texts | MapKind::Defaulting(_) => {
                Ok(key.as_text().and_then(|text| self.at_text(text)))
            }
            MapKind::ToTexts(_) => Ok(as_text(key).and_then(|text| self.at_text(&text))),
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
        let (_, value) = self.entries.iter().find(|(key, _)| key.as_text() == Some(text))?;
        Some(match value {
            // Parity: upstream creates a new list on each access, and as a map key a list equals
            // only itself.
            Value::List(ListValue::Plain(values)) => Value::list(values.to_vec()),
            Value::List(ListValue::Slice(of, values)) => Value::slice(of, values.to_vec()),
            other => other.clone(),
        })
    }

    fn exactly(&self, key: &Value) -> Option<Value> {
        self.entries.iter().find(|(other, _)| same_key(other, key)).map(|(_, value)| value.clone())
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
            Value::List(ListValue::Plain(a) | ListValue::Slice(_, a) | ListValue::Sum(a)),
            Value::List(ListValue::Plain(b) | ListValue::Slice(_, b) | ListValue::Sum(b)),
        ) => Arc::ptr_eq(a, b),
        (Value::Optional(None), Value::Optional(None)) => true,
        (Value::Optional(Some(a)), Value::Optional(Some(b))) => Arc::ptr_eq(a, b),
        (Value::Type(a), Value::Type(b)) => a == b,
        _ => false,
    }
}

/// `%v` of a value.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => "0".into(),
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Uint(v) => v.to_string(),
        Value::Double(v) => general(*v),
        Value::Text(v) => (**v).to_owned(),
        Value::Bytes(v) => {
            format!("[{}]", v.iter().map(u8::to_string).collect::<Vec<_>>().join(" "))
        }
        Value::List(list) => {
            format!("[{}]", list.values().iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Value::Map(map) => {
            let entries =
                map.entries.iter().map(|(key, value)| format!("{}: {}", show(key), show(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Optional(Some(value)) => format!("optional({})", show(value)),
        Value::Optional(None) => "optional.none()".into(),
        Value::Duration(v) => duration_text(*v),
        Value::Time(time) => time.long_text(),
        Value::Type(name) => match &**name {
            "list" => "list(dyn)".into(),
            "map" => "map(dyn, dyn)".into(),
            name => name.to_owned(),
        },
        Value::Quantity(quantity) => quantity.to_text(),
        Value::SemanticVersion(version) => version.to_string(),
        Value::Ip(ip) => ip.to_string(),
        Value::Cidr(cidr) => cidr.to_string(),
        Value::Url(url) => url.to_string(),
        Value::Format(format) => format.name.into(),
        Value::Error(text) => (**text).to_owned(),
    }
}

/// The name of the Go type that holds a value.
pub(crate) fn go_type(value: &Value, release: &Release) -> String {
    let of_values = "cel.dev/cel-go/common/types/ref.Val";
    match value {
        Value::List(ListValue::Plain(_)) if release.collections_are_generic => {
            format!("*types.sliceList[{of_values}]")
        }
        Value::List(ListValue::Slice(of, _)) if release.collections_are_generic => {
            format!("*types.sliceList[{of}]")
        }
        Value::Map(map) if release.collections_are_generic => match map.kind {
            MapKind::Any => format!("*types.nativeMap[{of_values},{of_values}]"),
            MapKind::Texts => "*types.nativeMap[string,interface {}]".to_owned(),
            MapKind::ToTexts(holds) => format!("*cel.nameTo{holds}"),
            MapKind::Defaulting(holds) => format!("*cel.domainTo{holds}"),
        },
        _ => simple_go_type(value).to_owned(),
    }
}

fn simple_go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::Text(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::List(ListValue::Plain(_) | ListValue::Slice(..)) => "*types.baseList",
        Value::List(ListValue::Sum(_)) => "*types.concatList",
        Value::List(ListValue::Growing(_)) => "*types.mutableList",
        Value::Map(map) if matches!(map.kind, MapKind::Defaulting(_)) => "cel.mapper",
        Value::Map(_) => "*types.baseMap",
        Value::Optional(_) => "*types.Optional",
        Value::Duration(_) => "types.Duration",
        Value::Time(_) => "types.Timestamp",
        Value::Type(_) => "*types.Type",
        Value::Quantity(quantity) if quantity.is_pointer() => "*cel.Quantity",
        Value::Quantity(_) => "cel.Quantity",
        Value::SemanticVersion(_) => "cel.Semver",
        Value::Ip(_) => "cel.IP",
        Value::Cidr(_) => "cel.CIDR",
        Value::Url(_) => "cel.URL",
        Value::Format(_) => "cel.Format",
        Value::Error(_) => "*types.Err",
    }
}

/// The shortest digits that identify a positive finite number, and the exponent of the first.
fn digits(value: f64) -> (String, i32) {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("+Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => None,
    }
}

/// `%g` with the fewest digits.
pub(crate) fn general(value: f64) -> String {
    if let Some(text) = special(value) {
        return text.into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}0");
    }
    let (digits, exponent) = digits(value.abs());
    if (-4..6).contains(&exponent) {
        return decimal(value);
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let order = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{order}{:02}", exponent.abs())
}

/// `%f` with the fewest digits.
pub(crate) fn decimal(value: f64) -> String {
    special(value).map_or_else(|| format!("{value}"), Into::into)
}

/// `%.*f`: exact digits, halves to even.
pub(crate) fn fixed(value: f64, precision: usize) -> String {
    special(value).map_or_else(|| format!("{value:.precision$}"), Into::into)
}
