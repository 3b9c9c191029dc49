//! Optional values.
//!
//! Upstream: cel-go `cel/library.go`.

use std::sync::Arc;

use super::declare::{Overload, global, member, shared, shared_member};
use crate::release::Release;
use crate::syntax::op;
use crate::values::{EvalResult, Value, fail, show};

pub(super) const OVERLOADS: &[Overload] = &[
    global("optional.of", "optional_of", "V -> optional(V)", of),
    global("optional.ofNonZeroValue", "optional_ofNonZeroValue", "V -> optional(V)", of_non_zero),
    global("optional.none", "optional_none", "-> optional(V)", |_, _| Ok(Value::Optional(None))),
    member("value", "optional_value", "optional(V) -> V", value),
    member("hasValue", "optional_hasValue", "optional(V) -> bool", has_value),
    shared_member("or", "optional_or_optional", "optional(V), optional(V) -> optional(V)"),
    shared_member("orValue", "optional_orValue_value", "optional(V), V -> V"),
    shared(op::OPT_SELECT, "select_optional_field", "dyn, string -> optional(V)"),
    shared(op::OPT_INDEX, "list_optindex_optional_int", "list(V), int -> optional(V)"),
    shared(
        op::OPT_INDEX,
        "optional_list_optindex_optional_int",
        "optional(list(V)), int -> optional(V)",
    ),
    shared(op::OPT_INDEX, "map_optindex_optional_value", "map(K, V), K -> optional(V)"),
    shared(
        op::OPT_INDEX,
        "optional_map_optindex_optional_value",
        "optional(map(K, V)), K -> optional(V)",
    ),
    shared(op::INDEX, "optional_list_index_int", "optional(list(V)), int -> optional(V)"),
    shared(op::INDEX, "optional_map_index_value", "optional(map(K, V)), K -> optional(V)"),
    member("last", "list_last", "list(V) -> optional(V)", |_, args| at_end(args, true)),
    member("first", "list_first", "list(V) -> optional(V)", |_, args| at_end(args, false)),
    global("optional.unwrap", "optional_unwrap", "list(optional(V)) -> list(V)", unwrap),
    member("unwrapOpt", "optional_unwrapOpt", "list(optional(V)) -> list(V)", unwrap),
];

fn of(_: &Release, args: &[Value]) -> EvalResult {
    Ok(Value::Optional(args.first().cloned().map(Arc::new)))
}

fn of_non_zero(release: &Release, args: &[Value]) -> EvalResult {
    if args.first().is_some_and(Value::is_zero) {
        return Ok(Value::Optional(None));
    }
    of(release, args)
}

fn value(_: &Release, args: &[Value]) -> EvalResult {
    match args.first() {
        Some(Value::Optional(Some(value))) => Ok((**value).clone()),
        _ => fail("optional.none() dereference"),
    }
}

fn has_value(_: &Release, args: &[Value]) -> EvalResult {
    Ok(Value::Bool(matches!(args.first(), Some(Value::Optional(Some(_))))))
}

fn at_end(args: &[Value], last: bool) -> EvalResult {
    let Some(Value::List(list)) = args.first() else { return fail("no such overload") };
    let index = if last { list.len().checked_sub(1) } else { Some(0) };
    Ok(Value::Optional(index.and_then(|index| list.get(index)).map(Arc::new)))
}

fn unwrap(_: &Release, args: &[Value]) -> EvalResult {
    let Some(Value::List(list)) = args.first() else { return fail("no such overload") };
    let mut values = Vec::new();
    for value in list.values().iter() {
        match value {
            Value::Optional(Some(value)) => values.push((**value).clone()),
            Value::Optional(None) => {}
            other => return fail(format!("value {} is not optional", show(other))),
        }
    }
    Ok(Value::list(values))
}
