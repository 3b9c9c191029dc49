//! Optional values.
//!
//! Upstream: cel-go `cel/library.go`.

use super::declare::{Function, Run, function, global, member};
use crate::release::Release;
use crate::syntax::op;
use crate::values::{EvalResult, Value, fail};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "optional.of",
        &[global("optional_of", "V -> optional(V)", Run::Direct(|_, args| of(args)))],
    ),
    function(
        "optional.ofNonZeroValue",
        &[global(
            "optional_ofNonZeroValue",
            "V -> optional(V)",
            Run::Direct(|_, args| {
                if args.first().is_some_and(Value::is_zero) {
                    Ok(Value::Optional(None))
                } else {
                    of(args)
                }
            }),
        )],
    ),
    function(
        "optional.none",
        &[global("optional_none", "-> optional(V)", Run::InTurn(|_, _| Ok(Value::Optional(None))))],
    ),
    function(
        "value",
        &[member(
            "optional_value",
            "optional(V) -> V",
            Run::Direct(|_, args| match args.first() {
                Some(Value::Optional(Some(value))) => Ok((**value).clone()),
                _ => fail("optional.none() dereference"),
            }),
        )],
    ),
    function(
        "hasValue",
        &[member(
            "optional_hasValue",
            "optional(V) -> bool",
            Run::Direct(|_, args| {
                Ok(Value::Bool(matches!(args.first(), Some(Value::Optional(Some(_))))))
            }),
        )],
    ),
    function(
        "or",
        &[member("optional_or_optional", "optional(V), optional(V) -> optional(V)", Run::Shared)],
    ),
    function("orValue", &[member("optional_orValue_value", "optional(V), V -> V", Run::Shared)]),
    function(
        op::OPT_SELECT,
        &[global("select_optional_field", "dyn, string -> optional(V)", Run::Shared)],
    ),
    function(
        op::OPT_INDEX,
        &[
            global("list_optindex_optional_int", "list(V), int -> optional(V)", Run::Shared),
            global(
                "optional_list_optindex_optional_int",
                "optional(list(V)), int -> optional(V)",
                Run::Shared,
            ),
            global("map_optindex_optional_value", "map(K, V), K -> optional(V)", Run::Shared),
            global(
                "optional_map_optindex_optional_value",
                "optional(map(K, V)), K -> optional(V)",
                Run::Shared,
            ),
        ],
    ),
    function(
        op::INDEX,
        &[
            global("optional_list_index_int", "optional(list(V)), int -> optional(V)", Run::Shared),
            global(
                "optional_map_index_value",
                "optional(map(K, V)), K -> optional(V)",
                Run::Shared,
            ),
        ],
    ),
    function(
        "last",
        &[member("list_last", "list(V) -> optional(V)", Run::Direct(|_, args| at_end(args, true)))],
    ),
    function(
        "first",
        &[member(
            "list_first",
            "list(V) -> optional(V)",
            Run::Direct(|_, args| at_end(args, false)),
        )],
    ),
    function(
        "optional.unwrap",
        &[global("optional_unwrap", "list(optional(V)) -> list(V)", Run::Direct(unwrap))],
    ),
    function(
        "unwrapOpt",
        &[member("optional_unwrapOpt", "list(optional(V)) -> list(V)", Run::Direct(unwrap))],
    ),
];

fn of(args: &[Value]) -> EvalResult {
    Ok(Value::Optional(args.first().cloned().map(std::sync::Arc::new)))
}

fn at_end(args: &[Value], last: bool) -> EvalResult {
    let Some(Value::List(list)) = args.first() else { return fail("no such overload") };
    let index = if last { list.len().checked_sub(1) } else { Some(0) };
    Ok(Value::Optional(index.and_then(|index| list.get(index)).map(std::sync::Arc::new)))
}

fn unwrap(_: &Release, args: &[Value]) -> EvalResult {
    let Some(Value::List(list)) = args.first() else { return fail("no such overload") };
    let mut values = Vec::new();
    for value in list.values().iter() {
        match value {
            Value::Optional(Some(value)) => values.push((**value).clone()),
            Value::Optional(None) => {}
            other => return fail(format!("value {} is not optional", crate::values::show(other))),
        }
    }
    Ok(Value::list(values))
}
