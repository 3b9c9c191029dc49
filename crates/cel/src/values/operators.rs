//! Arithmetic.

use super::{EvalResult, NO_OVERLOAD, Value, fail};

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
            Ok(t.plus(*d))
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
            d.checked_neg().map_or_else(|| fail(INT), |d| Ok(t.plus(d)))
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
