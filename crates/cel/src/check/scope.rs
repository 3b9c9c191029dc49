//! Resolves names: variables, types and constants.
//!
//! Upstream: cel-go `checker/env.go`, `checker/scopes.go`;
//! `dynamic-resource-allocation/cel/compile.go`.

use std::sync::Arc;

use crate::release::Release;
use crate::types::Type;

/// The type of devices.
pub(crate) const DEVICE: &str = "kubernetes.DRADevice";

/// Variables of comprehensions, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct VariableScope {
    variables: Vec<(Arc<str>, Type)>,
}

/// What a name resolves to.
pub(crate) enum Meaning {
    /// A variable, and whether an inner variable of the same name shadows it.
    Variable {
        name: Arc<str>,
        t: Type,
        hidden: bool,
    },
    Type {
        name: Arc<str>,
        t: Type,
    },
    /// A message or enumeration of protocol buffers.
    Message,
}

impl VariableScope {
    pub fn add(&mut self, name: &Arc<str>, t: Type) {
        self.variables.push((name.clone(), t));
    }

    pub fn remove(&mut self, count: usize) {
        self.variables.truncate(self.variables.len().saturating_sub(count));
    }

    fn local(&self, name: &str) -> Option<&Type> {
        self.variables.iter().rev().find(|(variable, _)| **variable == *name).map(|(_, t)| t)
    }

    /// Resolves a name without dots.
    pub fn simple(&self, name: &str, release: &Release) -> Option<Meaning> {
        let bare = name.strip_prefix('.').unwrap_or(name);
        let local = self.local(bare);
        if let Some(t) = local
            && (bare == name || !release.tells_scopes_apart)
        {
            return Some(Meaning::Variable { name: bare.into(), t: t.clone(), hidden: false });
        }
        global(bare, release, local.is_some())
    }

    /// Resolves a qualified name, one with dots.
    pub fn qualified(&self, name: &str, release: &Release) -> Option<Meaning> {
        let bare = name.strip_prefix('.').unwrap_or(name);
        let local = bare.split('.').next().is_some_and(|first| self.local(first).is_some());
        if local && bare == name && release.tells_scopes_apart {
            return None;
        }
        global(bare, release, local)
    }
}

fn global(name: &str, release: &Release, hidden: bool) -> Option<Meaning> {
    // Until 1.36, what a list or map holds is free, and each use of the name binds it.
    let (first, second) = if release.types_are_parametrised {
        (Type::Dyn, Type::Dyn)
    } else {
        (Type::Param("A".into()), Type::Param("B".into()))
    };
    let t = match name {
        "device" => {
            return Some(Meaning::Variable { name: name.into(), t: Type::Struct(DEVICE), hidden });
        }
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "google.protobuf.Duration" | "duration" => Type::Duration,
        "int" => Type::Int,
        "list" => Type::list(first),
        "map" => Type::map(first, second),
        "null_type" => Type::Null,
        "string" => Type::Text,
        "google.protobuf.Timestamp" | "timestamp" => Type::Time,
        "type" => Type::Type(None),
        "uint" => Type::Uint,
        "optional_type" if release.types_are_parametrised => Type::optional(Type::Dyn),
        "optional_type" => Type::Opaque("optional_type", Arc::new([])),
        "net.IP" => Type::Opaque("net.IP", Arc::new([])),
        "net.CIDR" => Type::Opaque("net.CIDR", Arc::new([])),
        DEVICE => Type::Struct(DEVICE),
        _ => return MESSAGES.contains(&name).then_some(Meaning::Message),
    };
    Some(Meaning::Type { name: name.into(), t: Type::of_type(t) })
}

/// The protocol buffer messages and enumerations in upstream's type registry.
const MESSAGES: &[&str] = &[
    "google.protobuf.Any",
    "google.protobuf.BoolValue",
    "google.protobuf.BytesValue",
    "google.protobuf.DoubleValue",
    "google.protobuf.Empty",
    "google.protobuf.FloatValue",
    "google.protobuf.Int32Value",
    "google.protobuf.Int64Value",
    "google.protobuf.ListValue",
    "google.protobuf.NullValue",
    "google.protobuf.NullValue.NULL_VALUE",
    "google.protobuf.StringValue",
    "google.protobuf.Struct",
    "google.protobuf.UInt32Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.Value",
];

/// Whether a message literal of this type is allowed.
pub(crate) fn is_message(name: &str) -> bool {
    let bare = name.strip_prefix('.').unwrap_or(name);
    MESSAGES.contains(&bare)
        || matches!(bare, DEVICE | "google.protobuf.Duration" | "google.protobuf.Timestamp")
}

/// The type of a field of a device.
pub(crate) fn field(name: &str, release: &Release) -> Option<Type> {
    let by_domain_and_name = match name {
        "driver" => return Some(Type::Text),
        "allowMultipleAllocations" => return Some(Type::Bool),
        "attributes" if release.dynamic_attributes => Type::Dyn,
        "attributes" => Type::Any,
        "capacity" => Type::Struct("kubernetes.Quantity"),
        _ => return None,
    };
    Some(Type::map(Type::Text, Type::map(Type::Text, by_domain_and_name)))
}
