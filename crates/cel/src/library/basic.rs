//! The standard library of CEL.
//!
//! Upstream: cel-go `common/stdlib/standard.go`.

use super::costs::{self, Call, Costs, comparison, concatenation};
use super::declare::{Function, Overload, Run, function, global, member};
use super::regex_go::check_regex;
use crate::release::Release;
use crate::syntax::op;
use crate::values::{
    EvalResult, EvaluationStop, Value, add, arithmetic, compare, convert, fail, negate,
};

/// Declares the overloads of a comparison for each type, and for numbers of different types.
macro_rules! comparisons {
    ($name:literal) => {
        &[
            global(concat!($name, "_bool"), "bool, bool -> bool", Run::Shared),
            global(concat!($name, "_int64"), "int, int -> bool", Run::Shared),
            global(concat!($name, "_int64_double"), "int, double -> bool", Run::Shared),
            global(concat!($name, "_int64_uint64"), "int, uint -> bool", Run::Shared),
            global(concat!($name, "_uint64"), "uint, uint -> bool", Run::Shared),
            global(concat!($name, "_uint64_double"), "uint, double -> bool", Run::Shared),
            global(concat!($name, "_uint64_int64"), "uint, int -> bool", Run::Shared),
            global(concat!($name, "_double"), "double, double -> bool", Run::Shared),
            global(concat!($name, "_double_int64"), "double, int -> bool", Run::Shared),
            global(concat!($name, "_double_uint64"), "double, uint -> bool", Run::Shared),
            global(concat!($name, "_string"), "string, string -> bool", Run::Shared)
                .costs(comparison),
            global(concat!($name, "_bytes"), "bytes, bytes -> bool", Run::Shared).costs(comparison),
            global(concat!($name, "_timestamp"), "timestamp, timestamp -> bool", Run::Shared),
            global(concat!($name, "_duration"), "duration, duration -> bool", Run::Shared),
        ]
    };
}

const fn to(
    id: &'static str,
    signature: &'static str,
    run: fn(&Release, &[Value]) -> EvalResult,
) -> Overload {
    global(id, signature, Run::Direct(run))
}

pub(super) const FUNCTIONS: &[Function] = &[
    function(op::CONDITIONAL, &[global("conditional", "bool, A, A -> A", Run::Shared)]),
    function(op::AND, &[global("logical_and", "bool, bool -> bool", Run::Shared)]),
    function(op::OR, &[global("logical_or", "bool, bool -> bool", Run::Shared)]),
    function(op::NOT, &[global("logical_not", "bool -> bool", Run::Shared)]).shared(not),
    function(op::NOT_STRICTLY_FALSE, &[global("not_strictly_false", "bool -> bool", Run::Shared)]),
    function(op::EQUALS, &[global("equals", "A, A -> bool", Run::Shared)]),
    function(op::NOT_EQUALS, &[global("not_equals", "A, A -> bool", Run::Shared)]),
    function(
        op::ADD,
        &[
            global("add_bytes", "bytes, bytes -> bytes", Run::Shared).costs(concatenation),
            global("add_double", "double, double -> double", Run::Shared),
            global("add_duration_duration", "duration, duration -> duration", Run::Shared),
            global("add_duration_timestamp", "duration, timestamp -> timestamp", Run::Shared),
            global("add_timestamp_duration", "timestamp, duration -> timestamp", Run::Shared),
            global("add_int64", "int, int -> int", Run::Shared),
            global("add_list", "list(A), list(A) -> list(A)", Run::Shared),
            global("add_string", "string, string -> string", Run::Shared).costs(concatenation),
            global("add_uint64", "uint, uint -> uint", Run::Shared),
        ],
    )
    .shared(sum),
    function(
        "_/_",
        &[
            global("divide_double", "double, double -> double", Run::Shared),
            global("divide_int64", "int, int -> int", Run::Shared),
            global("divide_uint64", "uint, uint -> uint", Run::Shared),
        ],
    )
    .shared(|_, args| binary("_/_", args)),
    function(
        "_%_",
        &[
            global("modulo_int64", "int, int -> int", Run::Shared),
            global("modulo_uint64", "uint, uint -> uint", Run::Shared),
        ],
    )
    .shared(|_, args| binary("_%_", args)),
    function(
        "_*_",
        &[
            global("multiply_double", "double, double -> double", Run::Shared),
            global("multiply_int64", "int, int -> int", Run::Shared),
            global("multiply_uint64", "uint, uint -> uint", Run::Shared),
        ],
    )
    .shared(|_, args| binary("_*_", args)),
    function(
        op::NEGATE,
        &[
            global("negate_double", "double -> double", Run::Shared),
            global("negate_int64", "int -> int", Run::Shared),
        ],
    )
    .shared(|_, args| negate(args.first()?)),
    function(
        "_-_",
        &[
            global("subtract_double", "double, double -> double", Run::Shared),
            global("subtract_duration_duration", "duration, duration -> duration", Run::Shared),
            global("subtract_int64", "int, int -> int", Run::Shared),
            global("subtract_timestamp_duration", "timestamp, duration -> timestamp", Run::Shared),
            global("subtract_timestamp_timestamp", "timestamp, timestamp -> duration", Run::Shared),
            global("subtract_uint64", "uint, uint -> uint", Run::Shared),
        ],
    )
    .shared(|_, args| binary("_-_", args)),
    function("_<_", comparisons!("less")).shared(|_, args| ordered(args, |o| o < 0)),
    function("_<=_", comparisons!("less_equals")).shared(|_, args| ordered(args, |o| o <= 0)),
    function("_>_", comparisons!("greater")).shared(|_, args| ordered(args, |o| o > 0)),
    function("_>=_", comparisons!("greater_equals")).shared(|_, args| ordered(args, |o| o >= 0)),
    function(
        op::INDEX,
        &[
            global("index_list", "list(A), int -> A", Run::Shared),
            global("index_map", "map(A, B), A -> B", Run::Shared),
        ],
    ),
    function(
        op::IN,
        &[
            global("in_list", "A, list(A) -> bool", Run::Shared)
                .costs(|call| Ok(Some(costs::inner_size(call.args.get(1))))),
            global("in_map", "A, map(A, B) -> bool", Run::Shared),
        ],
    )
    .shared(contains_value),
    function(
        "size",
        &[
            global("size_bytes", "bytes -> int", Run::Shared),
            member("bytes_size", "bytes -> int", Run::Shared),
            global("size_list", "list(A) -> int", Run::Shared),
            member("list_size", "list(A) -> int", Run::Shared),
            global("size_map", "map(A, B) -> int", Run::Shared),
            member("map_size", "map(A, B) -> int", Run::Shared),
            global("size_string", "string -> int", Run::Shared),
            member("string_size", "string -> int", Run::Shared),
        ],
    )
    .shared(size),
    function("type", &[global("type", "A -> type(A)", Run::Shared)])
        .shared(|_, args| Some(convert(args.first()?, "type"))),
    function(
        "bool",
        &[
            to("bool_to_bool", "bool -> bool", to_bool),
            to("string_to_bool", "string -> bool", to_bool),
        ],
    ),
    function(
        "bytes",
        &[
            to("bytes_to_bytes", "bytes -> bytes", to_bytes),
            to("string_to_bytes", "string -> bytes", to_bytes).costs(converting),
        ],
    ),
    function(
        "double",
        &[
            to("double_to_double", "double -> double", to_double),
            to("int64_to_double", "int -> double", to_double),
            to("string_to_double", "string -> double", to_double),
            to("uint64_to_double", "uint -> double", to_double),
        ],
    ),
    function(
        "duration",
        &[
            to("duration_to_duration", "duration -> duration", to_duration),
            to("int64_to_duration", "int -> duration", to_duration)
                .known(|r| r.durations_from_integers),
            to("string_to_duration", "string -> duration", to_duration),
        ],
    ),
    function("dyn", &[global("to_dyn", "A -> dyn", Run::Shared)])
        .shared(|_, args| Some(Ok(args.first()?.clone()))),
    function(
        "int",
        &[
            to("int64_to_int64", "int -> int", to_int),
            to("double_to_int64", "double -> int", to_int),
            to("duration_to_int64", "duration -> int", to_int),
            to("string_to_int64", "string -> int", to_int),
            to("timestamp_to_int64", "timestamp -> int", to_int),
            to("uint64_to_int64", "uint -> int", to_int),
        ],
    ),
    function(
        "string",
        &[
            to("string_to_string", "string -> string", to_string),
            to("bool_to_string", "bool -> string", to_string),
            to("bytes_to_string", "bytes -> string", to_string).costs(converting),
            to("double_to_string", "double -> string", to_string),
            to("duration_to_string", "duration -> string", to_string),
            to("int64_to_string", "int -> string", to_string),
            to("timestamp_to_string", "timestamp -> string", to_string),
            to("uint64_to_string", "uint -> string", to_string),
        ],
    ),
    function(
        "timestamp",
        &[
            to("timestamp_to_timestamp", "timestamp -> timestamp", to_timestamp),
            to("int64_to_timestamp", "int -> timestamp", to_timestamp),
            to("string_to_timestamp", "string -> timestamp", to_timestamp),
        ],
    ),
    function(
        "uint",
        &[
            to("uint64_to_uint64", "uint -> uint", to_uint),
            to("double_to_uint64", "double -> uint", to_uint),
            to("int64_to_uint64", "int -> uint", to_uint),
            to("string_to_uint64", "string -> uint", to_uint),
        ],
    ),
    function(
        "contains",
        &[member(
            "contains_string",
            "string, string -> bool",
            Run::Direct(|_, args| texts(args, |a, b| a.contains(b))),
        )
        .costs(|call| {
            let reading = |arg| costs::reading(costs::inner_size(arg));
            Ok(Some(reading(call.args.first()) * reading(call.args.get(1))))
        })],
    )
    .unguarded(),
    function(
        "endsWith",
        &[member(
            "ends_with_string",
            "string, string -> bool",
            Run::Direct(|_, args| texts(args, |a, b| a.ends_with(b))),
        )
        .costs(affix)],
    )
    .unguarded(),
    function(
        "startsWith",
        &[member(
            "starts_with_string",
            "string, string -> bool",
            Run::Direct(|_, args| texts(args, |a, b| a.starts_with(b))),
        )
        .costs(affix)],
    )
    .unguarded(),
    function(
        "matches",
        &[
            global("matches", "string, string -> bool", Run::Shared).costs(costs::matches),
            member("matches_string", "string, string -> bool", Run::Shared).costs(costs::matches),
        ],
    )
    .shared(matches),
];

fn to_bool(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "bool")
}
fn to_bytes(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "bytes")
}
fn to_double(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "double")
}
fn to_duration(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "duration")
}
fn to_int(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "int")
}
fn to_string(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "string")
}
fn to_timestamp(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "timestamp")
}
fn to_uint(_: &Release, args: &[Value]) -> EvalResult {
    converted(args, "uint")
}

fn converted(args: &[Value], to: &str) -> EvalResult {
    args.first().map_or_else(|| fail("no such overload"), |arg| convert(arg, to))
}

fn converting(call: &Call) -> Costs {
    Ok(Some(costs::reading(costs::inner_size(call.args.first()))))
}

/// The cost of `startsWith` and `endsWith`: by the length of the text before 1.37, by that of the
/// argument since.
fn affix(call: &Call) -> Costs {
    let counted = usize::from(call.release.costs_of_arguments);
    Ok(Some(costs::reading(costs::inner_size(call.args.get(counted)))))
}

fn not(_: &Release, args: &[Value]) -> Option<EvalResult> {
    Some(Ok(match args.first()? {
        Value::Bool(value) => Value::Bool(!value),
        other => other.or_no_overload(),
    }))
}

fn sum(_: &Release, args: &[Value]) -> Option<EvalResult> {
    add(args.first()?, args.get(1)?)
}

fn binary(operator: &str, args: &[Value]) -> Option<EvalResult> {
    arithmetic(operator, args.first()?, args.get(1)?)
}

fn ordered(args: &[Value], test: fn(i64) -> bool) -> Option<EvalResult> {
    let order = compare(args.first()?, args.get(1)?)?;
    Some(
        order.map(
            |order| if let Value::Int(order) = order { Value::Bool(test(order)) } else { order },
        ),
    )
}

fn contains_value(_: &Release, args: &[Value]) -> Option<EvalResult> {
    let [value, container] = args else { return None };
    Some(match container {
        Value::List(list) => contains(list.values().iter(), value),
        Value::Map(map) => map.get(value).map(|found| Value::Bool(found.is_some())),
        other => Ok(other.or_no_overload()),
    })
}

/// Whether `among` contains `value`, by the equality of `value`'s type.
pub(super) fn contains<'v>(
    mut among: impl Iterator<Item = &'v Value>,
    value: &Value,
) -> EvalResult {
    let found = among.try_fold(false, |found, other| {
        Ok::<bool, EvaluationStop>(
            found || matches!(crate::values::equal_values(value, other)?, Value::Bool(true)),
        )
    })?;
    Ok(Value::Bool(found))
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
