//! CEL values, and the device as a CEL value.

use std::cmp::Ordering;
use std::rc::Rc;

use super::SelectorError;
use super::semver::SemanticVersion;
use crate::cluster::devices::{Attribute, Device};
use crate::cluster::quantity::Quantity;
use crate::cluster::symbols::{Sym, Symbols};

/// Why the evaluation of an expression fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EvalError {
    /// An error that `&&` and `||` may absorb.
    Error(Rc<str>),
    /// An error that ends the evaluation.
    Stop(Rc<str>),
    /// The expression needs a function that is not implemented here.
    Unsupported(Rc<str>),
}

impl EvalError {
    pub(super) fn error(text: impl Into<Rc<str>>) -> Self {
        Self::Error(text.into())
    }

    pub(super) fn no_overload() -> Self {
        Self::error("no such overload")
    }
}

pub(super) type EvalResult = Result<Value, EvalError>;

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    List(Rc<[Value]>),
    Map(Rc<[(Value, Value)]>),
    Optional(Option<Rc<Value>>),
    Quantity(Quantity),
    SemanticVersion(Rc<SemanticVersion>),
    Type(&'static str),
    /// `device`.
    Device,
    /// `device.attributes`: a map from domains to maps; unknown domains have empty maps.
    Attributes,
    /// `device.capacity`: likewise.
    Capacities,
}

impl Value {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(Rc::from(text))
    }

    pub(super) fn list(values: Vec<Self>) -> Self {
        Self::List(values.into())
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) | Self::Device | Self::Attributes | Self::Capacities => "map",
            Self::Optional(_) => "optional_type",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::SemanticVersion(_) => "kubernetes.Semver",
            Self::Type(_) => "type",
        }
    }

    /// Equality. Values of different types differ, except numbers of the same value.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Type(a), Self::Type(b)) => a == b,
            (Self::List(a), Self::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.equals(b)),
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len() && a.iter().all(|(key, value)| find(b, key).is_some_and(|other| value.equals(other)))
            }
            (Self::Optional(a), Self::Optional(b)) => match (a, b) {
                (Some(a), Some(b)) => a.equals(b),
                (None, None) => true,
                _ => false,
            },
            (Self::Quantity(a), Self::Quantity(b)) => a.amount_cmp(*b) == Ordering::Equal,
            (Self::SemanticVersion(a), Self::SemanticVersion(b)) => a == b,
            _ => self.compare_numbers(other) == Some(Ordering::Equal),
        }
    }

    /// Order of two values of an ordered type.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Bytes(a), Self::Bytes(b)) => Some(a.cmp(b)),
            _ => self.compare_numbers(other),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a double is compared as a double, as upstream does")]
    fn compare_numbers(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Uint(a), Self::Uint(b)) => Some(a.cmp(b)),
            (Self::Int(a), Self::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
            (Self::Uint(a), Self::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b),
            (Self::Double(a), Self::Int(b)) => a.partial_cmp(&(*b as f64)),
            (Self::Int(a), Self::Double(b)) => (*a as f64).partial_cmp(b),
            (Self::Double(a), Self::Uint(b)) => a.partial_cmp(&(*b as f64)),
            (Self::Uint(a), Self::Double(b)) => (*a as f64).partial_cmp(b),
            _ => None,
        }
    }
}

/// The value at a key.
pub(super) fn find<'m>(map: &'m [(Value, Value)], key: &Value) -> Option<&'m Value> {
    map.iter().find(|(known, _)| known.equals(key)).map(|(_, value)| value)
}

/// The input of a selector: the device and its driver.
#[derive(Clone, Copy)]
pub(super) struct DeviceFacts<'d> {
    pub device: &'d Device,
    pub driver: Sym,
    pub symbols: &'d Symbols,
}

impl DeviceFacts<'_> {
    /// Converts all attributes, as upstream does before it evaluates the expression.
    pub(super) fn check(self) -> Result<(), SelectorError> {
        for (name, attribute) in &self.device.attributes {
            if let Err(e) = self.attribute(attribute) {
                return Err(SelectorError::Runtime(format!("attribute {}: {e}", self.symbols.text(*name))));
            }
        }
        Ok(())
    }

    fn attribute(self, attribute: &Attribute) -> Result<Value, String> {
        Ok(match attribute {
            Attribute::Int(value) => Value::Int(*value),
            Attribute::Bool(value) => Value::Bool(*value),
            Attribute::Text(text) => Value::text(self.symbols.text(*text)),
            Attribute::Version(text) => {
                let version = SemanticVersion::parse(self.symbols.text(*text));
                Value::SemanticVersion(Rc::new(version.map_err(|e| format!("parse semantic version: {e}"))?))
            }
            Attribute::List(values) => Value::list(values.iter().map(|v| self.attribute(v)).collect::<Result<_, _>>()?),
            Attribute::Unknown => return Err("unsupported attribute value".into()),
        })
    }

    /// Splits a qualified name into domain and name.
    fn qualified(self, name: Sym) -> (String, String) {
        let text = self.symbols.text(name);
        match text.split_once('/') {
            Some((domain, name)) => (domain.to_owned(), name.to_owned()),
            None => (self.symbols.text(self.driver).to_owned(), text.to_owned()),
        }
    }

    fn entries(self, of: &Value) -> Vec<(String, String, Value)> {
        let qualify = |name: Sym, value: Value| {
            let (domain, name) = self.qualified(name);
            (domain, name, value)
        };
        if matches!(of, Value::Attributes) {
            let known = |(name, a): &(Sym, Attribute)| Some(qualify(*name, self.attribute(a).ok()?));
            self.device.attributes.iter().filter_map(known).collect()
        } else {
            self.device.capacity.iter().map(|(name, c)| qualify(*name, Value::Quantity(c.value))).collect()
        }
    }

    /// The map of a domain of `device.attributes` or `device.capacity`.
    pub(super) fn domain(self, of: &Value, domain: &str) -> Value {
        let entries = self.entries(of).into_iter().filter(|(d, _, _)| d == domain);
        Value::Map(entries.map(|(_, name, value)| (Value::text(&name), value)).collect())
    }

    /// The domains of the device.
    pub(super) fn domains(self, of: &Value) -> Vec<String> {
        let mut domains: Vec<String> = self.entries(of).into_iter().map(|(domain, _, _)| domain).collect();
        domains.sort_unstable();
        domains.dedup();
        domains
    }

    /// A field of `device`.
    pub(super) fn field(self, name: &str) -> Option<Value> {
        Some(match name {
            "driver" => Value::text(self.symbols.text(self.driver)),
            "attributes" => Value::Attributes,
            "capacity" => Value::Capacities,
            "allowMultipleAllocations" => Value::Bool(self.device.shareable),
            _ => return None,
        })
    }
}
