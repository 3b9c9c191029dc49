//! Types, and how messages show them.
//!
//! Upstream: cel-go `common/types/types.go`, `checker/format.go`.

use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "the type of types")]
pub(crate) enum Type {
    Dyn,
    Any,
    Bool,
    Bytes,
    Double,
    Duration,
    Error,
    Int,
    List(Arc<Type>),
    Map(Arc<(Type, Type)>),
    Null,
    Opaque(&'static str, Arc<[Type]>),
    Text,
    Struct(&'static str),
    Time,
    Type(Option<Arc<Type>>),
    Param(Arc<str>),
    Uint,
}

impl Type {
    pub fn list(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    pub fn optional(value: Self) -> Self {
        Self::Opaque("optional_type", Arc::new([value]))
    }

    pub fn of_type(of: Self) -> Self {
        Self::Type(Some(Arc::new(of)))
    }

    pub const fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    /// The type inside an optional type.
    pub fn unwrapped(&self) -> Option<&Self> {
        match self {
            Self::Opaque("optional_type", of) => of.first(),
            _ => None,
        }
    }

    /// Its name, without parameters.
    pub fn name(&self) -> &str {
        match self {
            Self::Dyn => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Bool => "bool",
            Self::Bytes => "bytes",
            Self::Double => "double",
            Self::Duration => "google.protobuf.Duration",
            Self::Error => "error",
            Self::Int => "int",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Null => "null_type",
            Self::Opaque(name, _) | Self::Struct(name) => name,
            Self::Text => "string",
            Self::Time => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::Param(name) => name,
            Self::Uint => "uint",
        }
    }

    pub fn parameters(&self) -> Vec<&Self> {
        match self {
            Self::List(of) | Self::Type(Some(of)) => vec![of],
            Self::Map(of) => vec![&of.0, &of.1],
            Self::Opaque(_, of) => of.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it is a type parameter or contains one.
    pub fn has_parameter(&self) -> bool {
        matches!(self, Self::Param(_)) || self.parameters().into_iter().any(Self::has_parameter)
    }

    /// The parameters of this type with those of another; `None` if more than these differs.
    pub fn pairs<'t>(&'t self, other: &'t Self) -> Option<Vec<(&'t Self, &'t Self)>> {
        let (own, others) = (self.parameters(), other.parameters());
        let is_alike = std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.name() == other.name()
            && own.len() == others.len();
        is_alike.then(|| own.into_iter().zip(others).collect())
    }

    /// The type as error messages of the type checker print it.
    pub fn show(&self) -> String {
        let name = match self {
            Self::Any => "any",
            Self::Duration => "duration",
            Self::Error => "!error!",
            Self::Null => "null",
            Self::Time => "timestamp",
            _ => self.name(),
        };
        with_parameters(name, &self.parameters(), Self::show)
    }

    /// The type as the error about a selector's result type prints it.
    pub fn show_full(&self) -> String {
        match self {
            Self::Param(name) => format!("<{name}>"),
            _ => with_parameters(self.name(), &self.parameters(), Self::show_full),
        }
    }

    /// Whether the types are equal up to renaming of type parameters.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Param(_), Self::Param(_)) => true,
            _ => self.pairs(other).is_some_and(|of| of.iter().all(|(a, b)| a.is_equivalent(b))),
        }
    }
}

fn with_parameters(name: &str, parameters: &[&Type], show: impl Fn(&Type) -> String) -> String {
    if parameters.is_empty() {
        return name.into();
    }
    format!("{name}({})", parameters.iter().map(|p| show(p)).collect::<Vec<_>>().join(", "))
}
