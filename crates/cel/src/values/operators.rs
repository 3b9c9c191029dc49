//! Equality, order and arithmetic.
//!
//! Upstream: cel-go `common/types`.

use std::cmp::Ordering;

use super::value::{EvalResult, ListValue, Map, NO_OVERLOAD, Value, fail};

/// The `==` operator: null equals only null.
pub(crate) fn equal(a: &Value, b: &Value) -> EvalResult {
    match (a, b) {
        (Value::Null, Value::Null) => Ok(Value::Bool(true)),
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Bool(false)),
        _ => equal_values(a, b),
    }
}

/// Whether two values are equal by the rules of the first one's type.
pub(crate) fn equal_values(a: &Value, b: &Value) -> EvalResult {
    let same = match (a, b) {
        (Value::Error(_), _) => return Ok(a.clone()),
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Time(a), Value::Time(b)) => a.instant() == b.instant(),
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::List(a), Value::List(b)) => return lists(a, b),
        (Value::Map(a), Value::Map(b)) => return maps(a, b),
        (Value::Optional(Some(a)), Value::Optional(Some(b))) => return equal_values(a, b),
        (Value::Optional(a), Value::Optional(b)) => a.is_none() && b.is_none(),
        // Parity: upstream holds a sum of quantities as a pointer, which equals nothing.
        (Value::Quantity(a), Value::Quantity(b)) if !b.is_pointer() => {
            a.copy().compare(b) == Ordering::Equal
        }
        (Value::SemanticVersion(a), Value::SemanticVersion(b)) => a.compare(b) == Ordering::Equal,
        (Value::Ip(a), Value::Ip(b)) => a == b,
        (Value::Cidr(a), Value::Cidr(b)) => a == b,
        (Value::Url(a), Value::Url(b)) => a.to_string() == b.to_string(),
        (Value::Format(a), Value::Format(b)) => a.name == b.name,
        (
            Value::Quantity(_)
            | Value::SemanticVersion(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Url(_)
            | Value::Format(_),
            _,
        ) => return Ok(b.or_no_overload()),
        _ => numbers(a, b) == Some(Ordering::Equal),
    };
    Ok(Value::Bool(same))
}

fn lists(a: &ListValue, b: &ListValue) -> EvalResult {
    let (one, other) = (a.values(), b.values());
    if one.len() != other.len() {
        return Ok(Value::Bool(false));
    }
    let mut failed = None;
    for (x, y) in one.iter().zip(other.iter()) {
        match equal(x, y)? {
            Value::Bool(false) => return Ok(Value::Bool(false)),
            error @ Value::Error(_) if failed.is_none() => failed = Some(error),
            _ => {}
        }
    }
    // Parity: only concatenated lists report elements that cannot be compared.
    Ok(failed.filter(|_| matches!(a, ListValue::Sum(_))).unwrap_or(Value::Bool(true)))
}

fn maps(a: &Map, b: &Map) -> EvalResult {
    if a.len() != b.len() {
        return Ok(Value::Bool(false));
    }
    for (key, value) in &a.entries {
        if value.is_error() {
            return Ok(value.clone());
        }
        let Some(other) = b.find(key)?.filter(|other| !other.is_error()) else {
            return Ok(Value::Bool(false));
        };
        if matches!(equal(value, &other)?, Value::Bool(false)) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

/// The order of two values as -1, 0 or 1, or the error; `None` if the first is of a type without
/// order.
pub(crate) fn compare(a: &Value, b: &Value) -> Option<EvalResult> {
    let order = match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.instant().cmp(&b.instant()),
        (Value::Double(_) | Value::Int(_) | Value::Uint(_), _) if is_nan(a) || is_nan(b) => {
            return Some(fail("NaN values cannot be ordered"));
        }
        (
            Value::Double(_) | Value::Int(_) | Value::Uint(_),
            Value::Double(_) | Value::Int(_) | Value::Uint(_),
        ) => numbers(a, b).unwrap_or(Ordering::Equal),
        (
            Value::Bool(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Time(_)
            | Value::Double(_)
            | Value::Int(_)
            | Value::Uint(_),
            _,
        ) => return Some(Ok(b.or_no_overload())),
        _ => return None,
    };
    Some(Ok(Value::Int(order as i64)))
}

pub(crate) fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Double(value) if value.is_nan())
}

/// The order of two numbers of any types.
fn numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => double_and_int(*a, *b),
        (Value::Int(a), Value::Double(b)) => double_and_int(*b, *a).map(Ordering::reverse),
        (Value::Double(a), Value::Uint(b)) => double_and_uint(*a, *b),
        (Value::Uint(a), Value::Double(b)) => double_and_uint(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}

/// The order of a double and an integer. A double outside the integers' range differs from all of
/// them, also from those that are rounded to it.
#[expect(clippy::cast_precision_loss, reason = "compared as doubles, as upstream does")]
fn double_and_int(double: f64, int: i64) -> Option<Ordering> {
    if double < i64::MIN as f64 {
        Some(Ordering::Less)
    } else if double > i64::MAX as f64 {
        Some(Ordering::Greater)
    } else {
        double.partial_cmp(&(int as f64))
    }
}

/// [`double_and_int`] for an unsigned integer.
#[expect(clippy::cast_precision_loss, reason = "compared as doubles, as upstream does")]
fn double_and_uint(double: f64, uint: u64) -> Option<Ordering> {
    if double < 0.0 {
        Some(Ordering::Less)
    } else if double > u64::MAX as f64 {
        Some(Ordering::Greater)
    } else {
        double.partial_cmp(&(uint as f64))
    }
}

const INT: &str = "integer overflow";
const UINT: &str = "unsigned integer overflow";

fn int(value: Option<i64>) -> EvalResult {
    value.map_or_else(|| fail(INT), |v| Ok(Value::Int(v)))
}

fn uint(value: Option<u64>) -> EvalResult {
    value.map_or_else(|| fail(UINT), |v| Ok(Value::Uint(v)))
}

fn duration(value: Option<i64>) -> EvalResult {
    value.map_or_else(|| fail(INT), |v| Ok(Value::Duration(v)))
}

/// `+`; `None` if the first operand's type has no addition.
pub(crate) fn add(a: &Value, b: &Value) -> Option<EvalResult> {
    Some(match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a.checked_add(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint(a.checked_add(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::Text(a), Value::Text(b)) => Ok(Value::Text(format!("{a}{b}").into())),
        (Value::Bytes(a), Value::Bytes(b)) => {
            Ok(Value::Bytes(a.iter().chain(b.iter()).copied().collect()))
        }
        (Value::List(a), Value::List(b)) => Ok(Value::List(a.plus(b))),
        (Value::Duration(a), Value::Duration(b)) => duration(a.checked_add(*b)),
        (Value::Duration(d), Value::Time(t)) | (Value::Time(t), Value::Duration(d)) => {
            Ok(t.plus(*d).into())
        }
        (
            Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::List(_)
            | Value::Duration(_)
            | Value::Time(_),
            _,
        ) => Ok(b.or_no_overload()),
        _ => return None,
    })
}

/// `- * / %`; `None` if the first operand's type lacks the operator.
pub(crate) fn arithmetic(operator: &str, a: &Value, b: &Value) -> Option<EvalResult> {
    let defined = match a {
        Value::Int(_) | Value::Uint(_) => true,
        Value::Double(_) => operator != "_%_",
        Value::Duration(_) | Value::Time(_) => operator == "_-_",
        _ => false,
    };
    if !defined {
        return None;
    }
    Some(match (operator, a, b) {
        ("_-_", Value::Int(a), Value::Int(b)) => int(a.checked_sub(*b)),
        ("_-_", Value::Uint(a), Value::Uint(b)) => uint(a.checked_sub(*b)),
        ("_-_", Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        ("_-_", Value::Duration(a), Value::Duration(b)) => duration(a.checked_sub(*b)),
        ("_-_", Value::Time(t), Value::Duration(d)) => {
            d.checked_neg().map_or_else(|| fail(INT), |d| Ok(t.plus(d).into()))
        }
        ("_-_", Value::Time(a), Value::Time(b)) => duration(a.minus(b)),
        ("_*_", Value::Int(a), Value::Int(b)) => int(a.checked_mul(*b)),
        ("_*_", Value::Uint(a), Value::Uint(b)) => uint(a.checked_mul(*b)),
        ("_*_", Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        ("_/_", Value::Int(_), Value::Int(0)) | ("_/_", Value::Uint(_), Value::Uint(0)) => {
            fail("division by zero")
        }
        ("_/_", Value::Int(a), Value::Int(b)) => int(a.checked_div(*b)),
        ("_/_", Value::Uint(a), Value::Uint(b)) => uint(a.checked_div(*b)),
        ("_/_", Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
        ("_%_", Value::Int(_), Value::Int(0)) | ("_%_", Value::Uint(_), Value::Uint(0)) => {
            fail("modulus by zero")
        }
        ("_%_", Value::Int(a), Value::Int(b)) => int(a.checked_rem(*b)),
        ("_%_", Value::Uint(a), Value::Uint(b)) => uint(a.checked_rem(*b)),
        // The second operand is of another type, or an error.
        _ => Ok(b.or_no_overload()),
    })
}

/// Unary `-`; `None` if the type has no negation.
pub(crate) fn negate(value: &Value) -> Option<EvalResult> {
    Some(match value {
        Value::Int(v) => int(v.checked_neg()),
        Value::Double(v) => Ok(Value::Double(-v)),
        Value::Duration(v) => duration(v.checked_neg()),
        Value::Bool(_) => fail(NO_OVERLOAD),
        _ => return None,
    })
}
