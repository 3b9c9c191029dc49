//! Values.
//!
//! Upstream: cel-go `common/types`, `apiserver/pkg/cel`.

mod address;
mod bigint;
mod compare;
mod convert;
mod list;
mod map;
mod operators;
mod quantity;
mod quantity_text;
mod semver;
mod show;
mod time;
mod url;

use std::sync::Arc;

pub(crate) use address::{Cidr, Ip};
pub(crate) use compare::{compare, equal, equal_values};
pub(crate) use convert::convert;
pub(crate) use list::{ListValue, index_of};
pub(crate) use map::{Map, MapKind, same_key, unhashable};
pub(crate) use operators::{add, arithmetic, negate};
pub(crate) use quantity::QuantityValue;
pub(crate) use semver::SemanticVersion;
pub(crate) use show::{decimal, fixed, general, go_type, show};
pub(crate) use time::{Time, parse_time};
pub(crate) use url::{Url, check_request_uri};

use crate::library::NamedFormat;

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
            Self::Map(map) => map.len() == 0 && map.kind != MapKind::Defaulting,
            Self::Duration(value) => *value == 0,
            Self::Time(time) => time.is_zero(),
            _ => false,
        }
    }
}
