//! Converts the result of a derived attribute's expression to an attribute.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go` (`valToDeviceAttribute`, 1.37).

use crate::device::Attribute;
use crate::program::EvaluationError;
use crate::values::{MapKind, Value};

pub(crate) fn attribute(value: &Value) -> Result<Attribute, EvaluationError> {
    if let Value::Error(text) = value {
        return Err(EvaluationError::Failed((**text).to_owned()));
    }
    if let Some(scalar) = scalar(value) {
        return Ok(scalar);
    }
    match value {
        Value::List(list) => of_list(&list.values()),
        _ => Err(unsupported("unsupported CEL return type: ", value)),
    }
}

/// Converts a single value. Parity: a type becomes its name, and an optional becomes its value.
fn scalar(value: &Value) -> Option<Attribute> {
    match value {
        Value::Bool(value) => Some(Attribute::Bool(*value)),
        Value::Int(number) => Some(Attribute::Int(*number)),
        Value::Text(text) | Value::Type(text) => Some(Attribute::Text((**text).to_owned())),
        Value::SemanticVersion(version) => Some(Attribute::Version(version.to_string())),
        Value::Optional(Some(value)) => scalar(value),
        _ => None,
    }
}

/// Converts a list; its first element determines the type of all. Parity: an empty list is one of
/// strings.
fn of_list(values: &[Value]) -> Result<Attribute, EvaluationError> {
    let Some(first) = values.first() else { return Ok(Attribute::Texts(Vec::new())) };
    let unlike = |expected: &str, index: usize, value| {
        unsupported(
            &format!("expected list element at index {index} to be {expected}, got "),
            value,
        )
    };
    let (mut texts, mut numbers, mut booleans, mut versions) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let kind =
        scalar(first).ok_or_else(|| unsupported("unsupported list element type: ", first))?;
    for (index, value) in values.iter().enumerate() {
        match (&kind, scalar(value)) {
            (Attribute::Bool(_), Some(Attribute::Bool(value))) => booleans.push(value),
            (Attribute::Int(_), Some(Attribute::Int(number))) => numbers.push(number),
            (Attribute::Text(_), Some(Attribute::Text(text))) => texts.push(text),
            (Attribute::Version(_), Some(Attribute::Version(version))) => versions.push(version),
            (Attribute::Bool(_), _) => return Err(unlike("bool", index, value)),
            (Attribute::Int(_), _) => return Err(unlike("int", index, value)),
            (Attribute::Text(_), _) => return Err(unlike("string", index, value)),
            _ => return Err(unlike("semver", index, value)),
        }
    }
    Ok(match kind {
        Attribute::Bool(_) => Attribute::Bools(booleans),
        Attribute::Int(_) => Attribute::Ints(numbers),
        Attribute::Text(_) => Attribute::Texts(texts),
        _ => Attribute::Versions(versions),
    })
}

/// The conversion error, which ends with the Go type of the value.
fn unsupported(text: &str, value: &Value) -> EvaluationError {
    match native_type(value) {
        Some(name) => EvaluationError::Failed(format!("{text}{name}")),
        None => EvaluationError::Unsupported(format!("makes a {} of a device", value.type_name())),
    }
}

fn native_type(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Double(_) => "float64",
        Value::Text(_) | Value::Type(_) => "string",
        Value::Bytes(_) => "[]uint8",
        Value::Optional(None) => "<nil>",
        Value::Optional(Some(value)) => return native_type(value),
        Value::Duration(_) => "time.Duration",
        Value::Time(_) => "time.Time",
        Value::Quantity(_) => "*resource.Quantity",
        Value::SemanticVersion(_) => "semver.Version",
        Value::Ip(_) => "netip.Addr",
        Value::Cidr(_) => "netip.Prefix",
        Value::Url(_) => "*url.URL",
        Value::Map(map) => match map.kind {
            MapKind::Any => "map[ref.Val]ref.Val",
            MapKind::Texts | MapKind::Defaulting => "map[string]interface {}",
            MapKind::ToTexts => "map[string]cel.Quantity",
        },
        Value::Format(_) => "cel.Format",
        Value::List(_) | Value::Error(_) => return None,
    })
}

#[cfg(test)]
mod tests;
