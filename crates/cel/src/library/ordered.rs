//! Quantities and semantic versions, the values of Kubernetes that have an order.
//!
//! Upstream: `apiserver/pkg/cel/library/{quantity,semverlib}.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::declare::{Overload, global, member};
use crate::release::Release;
use crate::values::{EvalResult, QuantityValue, SemanticVersion, Value, fail};

pub(super) const QUANTITIES: &[Overload] = &[
    global("quantity", "string_to_quantity", "string -> quantity", quantity),
    global("isQuantity", "is_quantity_string", "string -> bool", is_quantity),
    global("sign", "quantity_sign", "quantity -> int", |_, args| {
        of_quantity(args, |quantity| Value::Int(quantity.sign()))
    }),
    member("isGreaterThan", "quantity_is_greater_than", "quantity, quantity -> bool", is_greater),
    member("isLessThan", "quantity_is_less_than", "quantity, quantity -> bool", is_less),
    member("compareTo", "quantity_compare_to", "quantity, quantity -> int", compare_to),
    member("asApproximateFloat", "quantity_get_float", "quantity -> double", |_, args| {
        of_quantity(args, |quantity| Value::Double(quantity.approximate()))
    }),
    member("asInteger", "quantity_get_int", "quantity -> int", |_, args| {
        of_quantity(args, |quantity| match quantity.as_int() {
            Some(integer) => Value::Int(integer),
            None => Value::error("cannot convert value to integer"),
        })
    }),
    member("isInteger", "quantity_is_integer", "quantity -> bool", |_, args| {
        of_quantity(args, |quantity| Value::Bool(quantity.as_int().is_some()))
    }),
    member("add", "quantity_add", "quantity, quantity -> quantity", plus),
    member("add", "quantity_add_int", "quantity, int -> quantity", plus),
    member("sub", "quantity_sub", "quantity, quantity -> quantity", minus),
    member("sub", "quantity_sub_int", "quantity, int -> quantity", minus),
];

pub(super) const VERSIONS: &[Overload] = &[
    global("semver", "string_to_semver", "string -> semver", semver),
    global("semver", "string_bool_to_semver", "string, bool -> semver", semver),
    global("isSemver", "is_semver_string", "string -> bool", is_semver),
    global("isSemver", "is_semver_string_bool", "string, bool -> bool", is_semver),
    member("isGreaterThan", "semver_is_greater_than", "semver, semver -> bool", is_greater),
    member("isLessThan", "semver_is_less_than", "semver, semver -> bool", is_less),
    member("compareTo", "semver_compare_to", "semver, semver -> int", compare_to),
    member("major", "semver_major", "semver -> int", |_, args| part(args, |v| v.major)),
    member("minor", "semver_minor", "semver -> int", |_, args| part(args, |v| v.minor)),
    member("patch", "semver_patch", "semver -> int", |_, args| part(args, |v| v.patch)),
];

/// The first argument of a function of texts.
fn text(args: &[Value]) -> &str {
    args.first().and_then(Value::as_text).unwrap_or_default()
}

fn quantity(release: &Release, args: &[Value]) -> EvalResult {
    QuantityValue::parse(text(args), release)
        .map_or_else(fail, |quantity| Ok(Value::Quantity(quantity)))
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn is_quantity(release: &Release, args: &[Value]) -> EvalResult {
    Ok(Value::Bool(QuantityValue::parse(text(args), release).is_ok()))
}

/// What a function of a quantity returns.
fn of_quantity(args: &[Value], make: fn(&QuantityValue) -> Value) -> EvalResult {
    match args {
        [Value::Quantity(quantity)] => Ok(make(quantity)),
        _ => fail("no such overload"),
    }
}

/// What a comparison of two quantities or two versions returns.
fn compared(args: &[Value], make: fn(Ordering) -> Value) -> EvalResult {
    match args {
        [Value::Quantity(a), Value::Quantity(b)] => Ok(make(a.compare(b))),
        [Value::SemanticVersion(a), Value::SemanticVersion(b)] => Ok(make(a.compare(b))),
        _ => fail("no such overload"),
    }
}

fn is_greater(_: &Release, args: &[Value]) -> EvalResult {
    compared(args, |order| Value::Bool(order == Ordering::Greater))
}

fn is_less(_: &Release, args: &[Value]) -> EvalResult {
    compared(args, |order| Value::Bool(order == Ordering::Less))
}

fn compare_to(_: &Release, args: &[Value]) -> EvalResult {
    compared(args, |order| Value::Int(order as i64))
}

fn plus(release: &Release, args: &[Value]) -> EvalResult {
    sum(release, args, false)
}

fn minus(release: &Release, args: &[Value]) -> EvalResult {
    sum(release, args, true)
}

fn sum(release: &Release, args: &[Value], minus: bool) -> EvalResult {
    match args {
        [Value::Quantity(a), Value::Quantity(b)] => Ok(Value::Quantity(a.plus(b, minus, release))),
        [Value::Quantity(a), Value::Int(b)] => {
            Ok(Value::Quantity(a.plus(&QuantityValue::from_int(*b), minus, release)))
        }
        _ => fail("no such overload"),
    }
}

fn parsed_version(args: &[Value]) -> Result<SemanticVersion, String> {
    let text = text(args);
    match args.get(1) {
        Some(Value::Bool(true)) => SemanticVersion::parse_tolerant(text),
        _ => SemanticVersion::parse(text),
    }
}

fn semver(_: &Release, args: &[Value]) -> EvalResult {
    parsed_version(args).map_or_else(fail, |version| Ok(Value::SemanticVersion(Arc::new(version))))
}

#[expect(clippy::unnecessary_wraps, reason = "one of several")]
fn is_semver(_: &Release, args: &[Value]) -> EvalResult {
    Ok(Value::Bool(parsed_version(args).is_ok()))
}

/// A number of a version.
fn part(args: &[Value], part: fn(&SemanticVersion) -> u64) -> EvalResult {
    match args {
        // Parity: parts above the range of int64 wrap around to negative numbers.
        [Value::SemanticVersion(version)] => Ok(Value::Int(part(version) as i64)),
        _ => fail("no such overload"),
    }
}
