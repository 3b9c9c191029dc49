//! The standard library of CEL.
//!
//! Upstream: cel-go `common/stdlib/standard.go`.

use super::costs::{self, Call, Costs, comparison, concatenation};
use super::declare::{Overload, SharedBody, global, member, shared, shared_member};
use super::regex::check_regex;
use crate::release::Release;
use crate::syntax::op;
use crate::values::{
    EvalResult, EvaluationStop, Value, add, arithmetic, compare, convert, equal_values, fail,
    is_nan, negate,
};

/// The overloads of each comparison, for each type and for numbers of different types.
macro_rules! comparisons {
    ($($function:literal, $name:literal;)*) => {
        &[$(
            shared($function, concat!($name, "_bool"), "bool, bool -> bool"),
            shared($function, concat!($name, "_int64"), "int, int -> bool"),
            shared($function, concat!($name, "_int64_double"), "int, double -> bool"),
            shared($function, concat!($name, "_int64_uint64"), "int, uint -> bool"),
            shared($function, concat!($name, "_uint64"), "uint, uint -> bool"),
            shared($function, concat!($name, "_uint64_double"), "uint, double -> bool"),
            shared($function, concat!($name, "_uint64_int64"), "uint, int -> bool"),
            shared($function, concat!($name, "_double"), "double, double -> bool"),
            shared($function, concat!($name, "_double_int64"), "double, int -> bool"),
            shared($function, concat!($name, "_double_uint64"), "double, uint -> bool"),
            shared($function, concat!($name, "_string"), "string, string -> bool")
                .costs(comparison),
            shared($function, concat!($name, "_bytes"), "bytes, bytes -> bool").costs(comparison),
            shared($function, concat!($name, "_timestamp"), "timestamp, timestamp -> bool"),
            shared($function, concat!($name, "_duration"), "duration, duration -> bool"),
        )*]
    };
}

pub(super) const COMPARISONS: &[Overload] = comparisons! {
    "_<_", "less";
    "_<=_", "less_equals";
    "_>_", "greater";
    "_>=_", "greater_equals";
};

/// The overloads of each conversion function, by the type that is converted.
macro_rules! conversions {
    ($($function:literal: $($id:literal $from:literal),*;)*) => {
        &[$($(
            global($function, $id, concat!($from, " -> ", $function), |_, args| {
                converted(args, $function)
            }),
        )*)*]
    };
}

pub(super) const CONVERSIONS: &[Overload] = conversions! {
    "bool": "bool_to_bool" "bool", "string_to_bool" "string";
    "double": "double_to_double" "double", "int64_to_double" "int", "string_to_double" "string",
        "uint64_to_double" "uint";
    "int": "int64_to_int64" "int", "double_to_int64" "double", "duration_to_int64" "duration",
        "string_to_int64" "string", "timestamp_to_int64" "timestamp", "uint64_to_int64" "uint";
    "timestamp": "timestamp_to_timestamp" "timestamp", "int64_to_timestamp" "int",
        "string_to_timestamp" "string";
    "uint": "uint64_to_uint64" "uint", "double_to_uint64" "double", "int64_to_uint64" "int",
        "string_to_uint64" "string";
};

pub(super) const OVERLOADS: &[Overload] = &[
    shared(op::CONDITIONAL, "conditional", "bool, A, A -> A"),
    shared(op::AND, "logical_and", "bool, bool -> bool"),
    shared(op::OR, "logical_or", "bool, bool -> bool"),
    shared(op::NOT, "logical_not", "bool -> bool"),
    shared(op::NOT_STRICTLY_FALSE, "not_strictly_false", "bool -> bool"),
    shared(op::EQUALS, "equals", "A, A -> bool"),
    shared(op::NOT_EQUALS, "not_equals", "A, A -> bool"),
    shared(op::ADD, "add_bytes", "bytes, bytes -> bytes").costs(concatenation),
    shared(op::ADD, "add_double", "double, double -> double"),
    shared(op::ADD, "add_duration_duration", "duration, duration -> duration"),
    shared(op::ADD, "add_duration_timestamp", "duration, timestamp -> timestamp"),
    shared(op::ADD, "add_timestamp_duration", "timestamp, duration -> timestamp"),
    shared(op::ADD, "add_int64", "int, int -> int"),
    shared(op::ADD, "add_list", "list(A), list(A) -> list(A)"),
    shared(op::ADD, "add_string", "string, string -> string").costs(concatenation),
    shared(op::ADD, "add_uint64", "uint, uint -> uint"),
    shared("_/_", "divide_double", "double, double -> double"),
    shared("_/_", "divide_int64", "int, int -> int"),
    shared("_/_", "divide_uint64", "uint, uint -> uint"),
    shared("_%_", "modulo_int64", "int, int -> int"),
    shared("_%_", "modulo_uint64", "uint, uint -> uint"),
    shared("_*_", "multiply_double", "double, double -> double"),
    shared("_*_", "multiply_int64", "int, int -> int"),
    shared("_*_", "multiply_uint64", "uint, uint -> uint"),
    shared(op::NEGATE, "negate_double", "double -> double"),
    shared(op::NEGATE, "negate_int64", "int -> int"),
    shared("_-_", "subtract_double", "double, double -> double"),
    shared("_-_", "subtract_duration_duration", "duration, duration -> duration"),
    shared("_-_", "subtract_int64", "int, int -> int"),
    shared("_-_", "subtract_timestamp_duration", "timestamp, duration -> timestamp"),
    shared("_-_", "subtract_timestamp_timestamp", "timestamp, timestamp -> duration"),
    shared("_-_", "subtract_uint64", "uint, uint -> uint"),
    shared(op::INDEX, "index_list", "list(A), int -> A"),
    shared(op::INDEX, "index_map", "map(A, B), A -> B"),
    shared(op::IN, "in_list", "A, list(A) -> bool")
        .costs(|call| Ok(Some(costs::inner_size(call.release, call.args.get(1))))),
    shared(op::IN, "in_map", "A, map(A, B) -> bool"),
    shared("size", "size_bytes", "bytes -> int"),
    shared_member("size", "bytes_size", "bytes -> int"),
    shared("size", "size_list", "list(A) -> int"),
    shared_member("size", "list_size", "list(A) -> int"),
    shared("size", "size_map", "map(A, B) -> int"),
    shared_member("size", "map_size", "map(A, B) -> int"),
    shared("size", "size_string", "string -> int"),
    shared_member("size", "string_size", "string -> int"),
    shared("type", "type", "A -> type(A)"),
    shared("dyn", "to_dyn", "A -> dyn"),
    global("bytes", "bytes_to_bytes", "bytes -> bytes", to_bytes),
    global("bytes", "string_to_bytes", "string -> bytes", to_bytes).costs(costs::inner_first),
    global("duration", "duration_to_duration", "duration -> duration", to_duration),
    global("duration", "int64_to_duration", "int -> duration", to_duration)
        .exists_if(|release| release.durations_from_integers),
    global("duration", "string_to_duration", "string -> duration", to_duration),
    global("string", "string_to_string", "string -> string", to_string),
    global("string", "bool_to_string", "bool -> string", to_string),
    global("string", "bytes_to_string", "bytes -> string", to_string).costs(costs::inner_first),
    global("string", "double_to_string", "double -> string", to_string),
    global("string", "duration_to_string", "duration -> string", to_string),
    global("string", "int64_to_string", "int -> string", to_string),
    global("string", "timestamp_to_string", "timestamp -> string", to_string),
    global("string", "uint64_to_string", "uint -> string", to_string),
    member("contains", "contains_string", "string, string -> bool", |_, args| {
        texts(args, |a, b| a.contains(b))
    })
    .costs(containing)
    .unguarded(),
    member("endsWith", "ends_with_string", "string, string -> bool", |_, args| {
        texts(args, |a, b| a.ends_with(b))
    })
    .costs(affix)
    .unguarded(),
    member("startsWith", "starts_with_string", "string, string -> bool", |_, args| {
        texts(args, |a, b| a.starts_with(b))
    })
    .costs(affix)
    .unguarded(),
    shared("matches", "matches", "string, string -> bool").costs(costs::matches),
    shared_member("matches", "matches_string", "string, string -> bool").costs(costs::matches),
];

/// The implementation of a function whose overloads share one.
pub(super) fn shared_body(function: &str) -> Option<SharedBody> {
    Some(match function {
        op::NOT => not,
        op::ADD => |_, args| add(args.first()?, args.get(1)?),
        op::NEGATE => |_, args| negate(args.first()?),
        op::IN => contains_value,
        "_/_" => |_, args| arithmetic("_/_", args.first()?, args.get(1)?),
        "_%_" => |_, args| arithmetic("_%_", args.first()?, args.get(1)?),
        "_*_" => |_, args| arithmetic("_*_", args.first()?, args.get(1)?),
        "_-_" => |_, args| arithmetic("_-_", args.first()?, args.get(1)?),
        "_<_" => |release, args| ordered(release, args, |order| order < 0),
        "_<=_" => |release, args| ordered(release, args, |order| order <= 0),
        "_>_" => |release, args| ordered(release, args, |order| order > 0),
        "_>=_" => |release, args| ordered(release, args, |order| order >= 0),
        "size" => size,
        "type" => |_, args| Some(convert(args.first()?, "type")),
        "dyn" => |_, args| Some(Ok(args.first()?.clone())),
        "matches" => matches,
        _ => return None,
    })
}

fn to_bytes(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "bytes")
}

fn to_duration(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "duration")
}

fn to_string(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "string")
}

fn converted(args: &[Value], to: &str) -> EvalResult {
    args.first().map_or_else(|| fail("no such overload"), |arg| convert(arg, to))
}

/// The cost of `contains`: upstream assumes that each character of both texts is compared.
fn containing(call: &Call) -> Costs {
    let text = costs::reading(costs::inner_size(call.release, call.args.first()));
    let part = costs::reading(costs::inner_size(call.release, call.args.get(1)));
    Ok(Some(text * part))
}

/// The cost of `startsWith` and `endsWith`: by the length of the text before 1.37, by that of the
/// argument since.
fn affix(call: &Call) -> Costs {
    let counted = usize::from(call.release.costs_of_arguments);
    Ok(Some(costs::reading(costs::inner_size(call.release, call.args.get(counted)))))
}

fn not(_: &Release, args: &[Value]) -> Option<EvalResult> {
    Some(Ok(match args.first()? {
        Value::Bool(value) => Value::Bool(!value),
        other => other.or_no_overload(),
    }))
}

fn ordered(release: &Release, args: &[Value], test: fn(i64) -> bool) -> Option<EvalResult> {
    let (a, b) = (args.first()?, args.get(1)?);
    if release.nan_is_unordered && (is_nan(a) || is_nan(b)) {
        return Some(Ok(Value::Bool(false)));
    }
    Some(match compare(a, b)? {
        Ok(Value::Int(order)) => Ok(Value::Bool(test(order))),
        failed => failed,
    })
}

fn contains_value(_: &Release, args: &[Value]) -> Option<EvalResult> {
    let [value, container] = args else { return None };
    Some(match container {
        Value::List(list) => contains(list.values().iter(), value),
        Value::Map(map) => {
            map.get(value).map(|value| Value::Bool(value.is_some_and(|v| !v.is_error())))
        }
        other => Ok(other.or_no_overload()),
    })
}

/// Whether `among` contains `value`, by the equality of `value`'s type.
pub(super) fn contains<'v>(among: impl Iterator<Item = &'v Value>, value: &Value) -> EvalResult {
    for other in among {
        if matches!(equal_values(value, other)?, Value::Bool(true)) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn size(_: &Release, args: &[Value]) -> Option<EvalResult> {
    let value = args.first()?;
    match value {
        Value::Text(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) => {
            Some(Ok(Value::Int(i64::try_from(value.size()?).unwrap_or(i64::MAX))))
        }
        _ => None,
    }
}

fn texts(args: &[Value], test: fn(&str, &str) -> bool) -> EvalResult {
    Ok(match args {
        [Value::Text(a), Value::Text(b)] => Value::Bool(test(a, b)),
        [Value::Text(_), other] | [other, ..] => other.or_no_overload(),
        [] => Value::no_overload(),
    })
}

fn matches(_: &Release, args: &[Value]) -> Option<EvalResult> {
    let [Value::Text(text), pattern] = args else { return None };
    let Value::Text(pattern) = pattern else { return Some(Ok(pattern.or_no_overload())) };
    Some(match check_regex(pattern) {
        None => Err(EvaluationStop::Unknown(format!("matches the pattern `{pattern}`"))),
        Some(Err(e)) => fail(e),
        Some(Ok(regex)) => Ok(Value::Bool(regex.is_match(text))),
    })
}
