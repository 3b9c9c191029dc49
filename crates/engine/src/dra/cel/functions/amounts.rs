//! CEL functions of quantities and semantic versions.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{FunctionSignature, Ty, f, m};
use crate::cluster::quantity::Quantity;
use crate::dra::cel::semver::SemanticVersion;
use crate::dra::cel::value::{EvalError, EvalResult, Value};
use Ty::{Any, Bool, Double, Int, Text};

pub(super) static QUANTITIES: &[FunctionSignature] = &[
    f("quantity", &[Text], Ty::Quantity, |a| match a {
        [Value::Text(text)] => Quantity::parse(text).map(Value::Quantity).map_err(|_| EvalError::error(BAD_QUANTITY)),
        _ => Err(EvalError::no_overload()),
    }),
    f("isQuantity", &[Text], Bool, |a| match a {
        [Value::Text(text)] => Ok(Value::Bool(Quantity::parse(text).is_ok())),
        _ => Err(EvalError::no_overload()),
    }),
    m("sign", &[Ty::Quantity], Int, |a| quantity(a, |q, _| Ok(Value::Int(q.amount_cmp(Quantity::ZERO) as i64)))),
    m("isInteger", &[Ty::Quantity], Bool, |a| quantity(a, |q, _| Ok(Value::Bool(q.as_units().is_some())))),
    m("asInteger", &[Ty::Quantity], Int, |a| {
        quantity(a, |q, _| {
            q.as_units().map(Value::Int).ok_or_else(|| EvalError::error("cannot convert value to integer"))
        })
    }),
    m("asApproximateFloat", &[Ty::Quantity], Double, |a| quantity(a, |q, _| Ok(Value::Double(q.approximate())))),
    m("add", &[Ty::Quantity, Any], Ty::Quantity, |a| {
        quantity(a, |q, other| Ok(Value::Quantity(q + other.ok_or_else(EvalError::no_overload)?)))
    }),
    m("sub", &[Ty::Quantity, Any], Ty::Quantity, |a| {
        quantity(a, |q, other| Ok(Value::Quantity(q - other.ok_or_else(EvalError::no_overload)?)))
    }),
];

/// The comparison functions, which quantities and versions share.
pub(super) static COMPARISONS: &[FunctionSignature] = &[
    m("isLessThan", &[Ty::Quantity, Ty::Quantity], Bool, |a| compared(a, |o| Value::Bool(o == Ordering::Less))),
    m("isGreaterThan", &[Ty::Quantity, Ty::Quantity], Bool, |a| compared(a, |o| Value::Bool(o == Ordering::Greater))),
    m("compareTo", &[Ty::Quantity, Ty::Quantity], Int, |a| compared(a, |o| Value::Int(o as i64))),
    m("isLessThan", &[Ty::SemanticVersion, Ty::SemanticVersion], Bool, |a| {
        compared(a, |o| Value::Bool(o == Ordering::Less))
    }),
    m("isGreaterThan", &[Ty::SemanticVersion, Ty::SemanticVersion], Bool, |a| {
        compared(a, |o| Value::Bool(o == Ordering::Greater))
    }),
    m("compareTo", &[Ty::SemanticVersion, Ty::SemanticVersion], Int, |a| compared(a, |o| Value::Int(o as i64))),
];

pub(super) static VERSIONS: &[FunctionSignature] = &[
    f("semver", &[Text], Ty::SemanticVersion, version),
    f("semver", &[Text, Bool], Ty::SemanticVersion, version),
    f("isSemver", &[Text], Bool, |a| Ok(Value::Bool(version(a).is_ok()))),
    f("isSemver", &[Text, Bool], Bool, |a| Ok(Value::Bool(version(a).is_ok()))),
    m("major", &[Ty::SemanticVersion], Int, |a| part(a, 0)),
    m("minor", &[Ty::SemanticVersion], Int, |a| part(a, 1)),
    m("patch", &[Ty::SemanticVersion], Int, |a| part(a, 2)),
];

/// Upstream's error for a text that is not a quantity.
const BAD_QUANTITY: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

fn quantity(args: &[Value], run: impl Fn(Quantity, Option<Quantity>) -> EvalResult) -> EvalResult {
    match args {
        [Value::Quantity(q)] => run(*q, None),
        [Value::Quantity(q), Value::Quantity(other)] => run(*q, Some(*other)),
        [Value::Quantity(q), Value::Int(other)] => run(*q, Some(Quantity::from_units(*other))),
        _ => Err(EvalError::no_overload()),
    }
}

fn compared(args: &[Value], result: impl Fn(Ordering) -> Value) -> EvalResult {
    match args {
        [Value::Quantity(a), Value::Quantity(b)] => Ok(result(a.amount_cmp(*b))),
        [Value::SemanticVersion(a), Value::SemanticVersion(b)] => Ok(result(a.cmp(b))),
        _ => Err(EvalError::no_overload()),
    }
}

fn version(args: &[Value]) -> EvalResult {
    let parsed = match args {
        [Value::Text(text)] | [Value::Text(text), Value::Bool(false)] => SemanticVersion::parse(text),
        [Value::Text(text), Value::Bool(true)] => SemanticVersion::parse_tolerant(text),
        _ => return Err(EvalError::no_overload()),
    };
    parsed.map(|v| Value::SemanticVersion(Rc::new(v))).map_err(EvalError::error)
}

fn part(args: &[Value], index: usize) -> EvalResult {
    match args {
        [Value::SemanticVersion(version)] => {
            let number = version.numbers.get(index).copied().unwrap_or_default();
            Ok(Value::Int(i64::try_from(number).unwrap_or(i64::MAX)))
        }
        _ => Err(EvalError::no_overload()),
    }
}
