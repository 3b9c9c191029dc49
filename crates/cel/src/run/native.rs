//! Unwraps an optional as releases before 1.37 do: by way of a Go value, which is converted back
//! and may change its type.
//!
//! Upstream: cel-go `interpreter/attributes.go` (`applyQualifiers`), `common/types/provider.go`
//! (`nativeToValue`).

use std::sync::Arc;

use crate::values::{ListValue, Map, MapKind, Value, show};

/// Converts a value to Go and back.
pub(super) fn through_go(value: &Value) -> Value {
    let unsupported = |go: &str| {
        Value::error(format!("unsupported conversion to ref.Val: ({go}){}", show(value)))
    };
    match value {
        Value::Quantity(_) => unsupported("*resource.Quantity"),
        Value::SemanticVersion(_) => unsupported("semver.Version"),
        Value::Ip(_) => unsupported("netip.Addr"),
        Value::Cidr(_) => unsupported("netip.Prefix"),
        Value::Url(_) => unsupported("*url.URL"),
        Value::Error(_) => unsupported("*errors.errorString"),
        Value::Type(name) => Value::Text(name.clone()),
        Value::Optional(None) => Value::Null,
        Value::Optional(Some(inner)) => through_go(inner),
        Value::List(ListValue::Sum(values)) => Value::list(values.iter().map(through_go).collect()),
        Value::Map(map) if map.kind == MapKind::Defaulting => {
            Value::Map(Arc::new(Map { kind: MapKind::Texts, entries: map.entries.clone() }))
        }
        other => other.clone(),
    }
}
