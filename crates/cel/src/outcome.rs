//! What the value of an expression becomes: whether a selector matches, or a derived attribute.
//!
//! Upstream: `dynamic-resource-allocation/cel/compile.go` (`DeviceMatches`; `valToDeviceAttribute`,
//! 1.37).

use crate::device::Attribute;
use crate::release::Release;
use crate::types::Type;
use crate::values::{MapKind, Value};

/// Why a selector has no result for a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvaluationError {
    /// The error that ends kube-scheduler's evaluation.
    Failed(String),
    /// kube-scheduler's behaviour is not reproduced for it. The text completes a sentence about the
    /// selector.
    Unsupported(String),
}

/// Converts a result to a boolean, or to the error about its type.
pub(crate) fn boolean(value: &Value, release: &Release) -> Result<bool, EvaluationError> {
    if let Value::Error(text) = value {
        return Err(EvaluationError::Failed((**text).to_owned()));
    }
    native_bool(value, release).map_err(|reason| {
        let of_type = value.type_name();
        EvaluationError::Failed(format!(
            "CEL result of type {of_type} could not be converted to bool: {reason}"
        ))
    })
}

/// Upstream's conversion of a value to a Go boolean.
fn native_bool(value: &Value, release: &Release) -> Result<bool, String> {
    let name = value.type_name();
    Err(match value {
        Value::Bool(value) => return Ok(*value),
        Value::Optional(Some(inner)) => return native_bool(inner, release),
        Value::Optional(None) => "optional.none() dereference".into(),
        Value::Text(_) => "unsupported native conversion from string to 'bool'".into(),
        Value::Int(_) | Value::Uint(_) => {
            format!("unsupported type conversion from '{name}' to bool")
        }
        Value::Map(map)
            if release.collections_are_generic
                && matches!(map.kind, MapKind::ToTexts(_) | MapKind::Defaulting(_)) =>
        {
            "not implemented".into()
        }
        Value::List(_) | Value::Map(_) => format!("type conversion error from {name} to 'bool'"),
        Value::Double(_) => "type conversion error from Double to 'bool'".into(),
        Value::Bytes(_) => "type conversion error from Bytes to 'bool'".into(),
        Value::Type(_) => "type conversion not supported for 'type'".into(),
        Value::Error(text) => (**text).to_owned(),
        Value::Format(_) => "type conversion error from 'Format' to 'bool'".into(),
        _ => format!(
            "type conversion error from '{}' to 'bool'",
            name.rsplit('.').next().unwrap_or(name)
        ),
    })
}

/// Whether an attribute, or an element of a list attribute, may have this type.
pub(crate) fn is_attribute(t: &Type) -> bool {
    match t {
        Type::Bool | Type::Int | Type::Text | Type::Any | Type::Dyn => true,
        Type::Struct(name) => *name == "kubernetes.Semver",
        _ => false,
    }
}

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
    match scalar(first) {
        Some(Attribute::Bool(_)) => elements(values, "bool", as_bool).map(Attribute::Bools),
        Some(Attribute::Int(_)) => elements(values, "int", as_int).map(Attribute::Ints),
        Some(Attribute::Text(_)) => elements(values, "string", as_text).map(Attribute::Texts),
        Some(_) => elements(values, "semver", as_version).map(Attribute::Versions),
        None => Err(unsupported("unsupported list element type: ", first)),
    }
}

/// The elements of a list, all of which have the type of the first.
fn elements<T>(
    values: &[Value],
    expected: &str,
    take: fn(&Attribute) -> Option<T>,
) -> Result<Vec<T>, EvaluationError> {
    let mut elements = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let Some(element) = scalar(value).as_ref().and_then(take) else {
            let text = format!("expected list element at index {index} to be {expected}, got ");
            return Err(unsupported(&text, value));
        };
        elements.push(element);
    }
    Ok(elements)
}

fn as_bool(scalar: &Attribute) -> Option<bool> {
    if let Attribute::Bool(value) = scalar { Some(*value) } else { None }
}

fn as_int(scalar: &Attribute) -> Option<i64> {
    if let Attribute::Int(number) = scalar { Some(*number) } else { None }
}

fn as_text(scalar: &Attribute) -> Option<String> {
    if let Attribute::Text(text) = scalar { Some(text.clone()) } else { None }
}

fn as_version(scalar: &Attribute) -> Option<String> {
    if let Attribute::Version(version) = scalar { Some(version.clone()) } else { None }
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
            MapKind::Texts | MapKind::Defaulting(_) => "map[string]interface {}",
            MapKind::ToTexts(_) => "map[string]cel.Quantity",
        },
        Value::Format(_) => "cel.Format",
        Value::List(_) | Value::Error(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        Attribute, CompileError, Device, EvaluationError, Program, Release, SelectorLimits,
    };

    /// What an expression makes of a device, or its error.
    fn made(expression: &str) -> Result<Attribute, String> {
        let device = Device::new("example.com")
            .attribute("model", Attribute::Text("a".into()))
            .attribute("firmware", Attribute::Versions(vec!["1.2.3-rc.1+b7".into()]))
            .capacity("memory", "1Gi");
        match Program::compile_attribute(
            expression,
            Release::new(37, false),
            SelectorLimits::LARGEST,
        ) {
            Err(CompileError::Invalid(e)) => Err(e),
            Err(other) => Err(format!("{other:?}")),
            Ok(program) => program.attribute(&device).map_err(|e| match e {
                EvaluationError::Failed(e) => e,
                EvaluationError::Unsupported(what) => format!("not known: {what}"),
            }),
        }
    }

    #[test]
    fn an_expression_makes_an_attribute_of_its_value() {
        let texts =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        for (expression, expected) in [
            ("1", Attribute::Int(1)),
            ("true", Attribute::Bool(true)),
            (r#"device.attributes["example.com"].model + "b""#, Attribute::Text("ab".into())),
            (r#"semver("v2", true)"#, Attribute::Version("2.0.0".into())),
            (r#"dyn(optional.of("a"))"#, Attribute::Text("a".into())),
            ("dyn(type(1))", Attribute::Text("int".into())),
            ("[]", Attribute::Texts(Vec::new())),
            ("[1, 2].filter(i, i > 1)", Attribute::Ints(vec![2])),
            (r#"["a"] + ["b"]"#, Attribute::Texts(texts(&["a", "b"]))),
            ("[true]", Attribute::Bools(vec![true])),
            (
                r#"device.attributes["example.com"].firmware"#,
                Attribute::Versions(texts(&["1.2.3-rc.1+b7"])),
            ),
        ] {
            assert_eq!(made(expression), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn other_values_are_errors_in_the_words_of_go() {
        let scalars = "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars";
        for (expression, expected) in [
            ("1.5", format!("{scalars}, not double")),
            ("[[1]]", format!("{scalars}, not list(list(int))")),
            (r#"{"a": 1}"#, format!("{scalars}, not map(string, int)")),
            ("dyn(1u)", "unsupported CEL return type: uint64".into()),
            ("dyn(null)", "unsupported CEL return type: structpb.NullValue".into()),
            (r#"dyn(b"a")"#, "unsupported CEL return type: []uint8".into()),
            (r#"dyn(duration("1s"))"#, "unsupported CEL return type: time.Duration".into()),
            (r#"dyn(quantity("1"))"#, "unsupported CEL return type: *resource.Quantity".into()),
            ("dyn(optional.none())", "unsupported CEL return type: <nil>".into()),
            (r#"dyn({"a": 1})"#, "unsupported CEL return type: map[ref.Val]ref.Val".into()),
            (
                "dyn(device.attributes)",
                "unsupported CEL return type: map[string]interface {}".into(),
            ),
            (
                r#"dyn(device.capacity["example.com"])"#,
                "unsupported CEL return type: map[string]cel.Quantity".into(),
            ),
            (
                r#"dyn(format.named("uri").value())"#,
                "unsupported CEL return type: cel.Format".into(),
            ),
            ("[dyn(1.5)]", "unsupported list element type: float64".into()),
            (
                r#"[dyn(1), dyn("a")]"#,
                "expected list element at index 1 to be int, got string".into(),
            ),
            (
                r#"[dyn("a"), dyn(1)]"#,
                "expected list element at index 1 to be string, got int64".into(),
            ),
            (
                "[dyn(true), dyn(1)]",
                "expected list element at index 1 to be bool, got int64".into(),
            ),
            ("[dyn([1])]", "not known: makes a list of a device".into()),
            (r#"device.attributes["example.com"].nope"#, "no such key: nope".into()),
        ] {
            assert_eq!(made(expression), Err(expected), "{expression}");
        }
    }

    #[test]
    fn calls_about_authorization_compile_on_dynamic_values_and_are_charged() {
        let check = r#"dyn(1).check("get").allowed()"#;
        assert_eq!(made(&format!("{check} || true")), Ok(Attribute::Bool(true)));
        assert_eq!(made(check), Err("no such overload: check(int, string)".to_owned()));
        let three = [check; 3].join(" || ");
        let error =
            made(&format!("{three} || true")).expect_err("more than an evaluation may cost");
        assert!(error.contains("cost limit exceeded"), "{error}");
        assert!(
            made(r#"1.check("get")"#)
                .expect_err("no authorizer")
                .contains("found no matching overload")
        );
    }
}
