//! The set extension: lists used as sets.
//!
//! Upstream: cel-go `ext/sets.go`.

use super::basic::contains;
use super::costs::{self, Call, Costs};
use super::declare::{Function, Run, function, global};
use crate::release::Release;
use crate::values::{EvalResult, Value, fail};

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "sets.contains",
        &[global(
            "list_sets_contains_list",
            "list(T), list(T) -> bool",
            Run::Direct(|_, args| all(args, false)),
        )
        .costs(once)],
    ),
    function(
        "sets.equivalent",
        &[global(
            "list_sets_equivalent_list",
            "list(T), list(T) -> bool",
            Run::Direct(|_, args| match all(args, false)? {
                Value::Bool(true) => all(args, true),
                other => Ok(other),
            }),
        )
        .costs(|call| product(call, 2))],
    ),
    function(
        "sets.intersects",
        &[global("list_sets_intersects_list", "list(T), list(T) -> bool", Run::Direct(intersects))
            .costs(once)],
    ),
];

fn once(call: &Call) -> Costs {
    product(call, 1)
}

fn product(call: &Call, factor: u64) -> Costs {
    let sizes = costs::size(call.args.first()).wrapping_mul(costs::size(call.args.get(1)));
    Ok(Some(1u64.saturating_add(sizes.saturating_mul(factor))))
}

/// Whether the first list contains every element of the second.
fn all(args: &[Value], reversed: bool) -> EvalResult {
    let [Value::List(a), Value::List(b)] = args else { return fail("no such overload") };
    let (list, part) = if reversed { (b, a) } else { (a, b) };
    let list = list.values();
    for value in part.values().iter() {
        match contains(list.iter(), value)? {
            Value::Bool(true) => {}
            other => return Ok(other),
        }
    }
    Ok(Value::Bool(true))
}

fn intersects(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::List(a), Value::List(b)] = args else { return fail("no such overload") };
    let other = b.values();
    for value in a.values().iter() {
        if matches!(contains(other.iter(), value)?, Value::Bool(true)) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
