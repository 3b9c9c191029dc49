//! Kubernetes' list library.
//!
//! Upstream: `apiserver/pkg/cel/library/lists.go`; `dynamic-resource-allocation/cel/compile.go`
//! (`includes` in 1.36).

use super::costs;
use super::declare::{Function, Overload, Run, function, member};
use crate::release::Release;
use crate::values::{EvalResult, Value, add, compare, equal_values, fail};

/// The longest list that `includes` of 1.36 accepts.
const MOST_INCLUDED: usize = 48;

/// Declares overloads for lists of every comparable type.
macro_rules! for_comparable {
    ($before:literal, $after:literal, $result:tt, $run:expr) => {
        &[
            for_comparable!(@ "int", $before, $after, $result, $run),
            for_comparable!(@ "uint", $before, $after, $result, $run),
            for_comparable!(@ "double", $before, $after, $result, $run),
            for_comparable!(@ "bool", $before, $after, $result, $run),
            for_comparable!(@ "duration", $before, $after, $result, $run),
            for_comparable!(@ "timestamp", $before, $after, $result, $run),
            for_comparable!(@ "string", $before, $after, $result, $run),
            for_comparable!(@ "bytes", $before, $after, $result, $run),
        ]
    };
    (@ $t:literal, $before:literal, $after:literal, own, $run:expr) => {
        member(concat!("list_", $t, $before, $t, $after), concat!("list(", $t, ") -> ", $t), $run)
    };
    (@ $t:literal, $before:literal, $after:literal, $result:literal, $run:expr) => {
        member(concat!("list_", $t, $before, $after), concat!("list(", $t, ") -> ", $result), $run)
    };
}

const SUMS: &[Overload] = &[
    member("list_int_sum_int", "list(int) -> int", Run::Direct(|_, args| sum(args, Value::Int(0)))),
    member(
        "list_uint_sum_uint",
        "list(uint) -> uint",
        Run::Direct(|_, args| sum(args, Value::Uint(0))),
    ),
    member(
        "list_double_sum_double",
        "list(double) -> double",
        Run::Direct(|_, args| sum(args, Value::Double(0.0))),
    ),
    member(
        "list_duration_sum_duration",
        "list(duration) -> duration",
        Run::Direct(|_, args| sum(args, Value::Duration(0))),
    ),
];

pub(super) const FUNCTIONS: &[Function] = &[
    function("isSorted", for_comparable!("_is_sorted_", "bool", "bool", Run::Direct(is_sorted)))
        .costs(costs::traversal),
    function("sum", SUMS).costs(costs::traversal),
    function(
        "max",
        for_comparable!("_max_", "", own, Run::Direct(|_, args| extreme(args, "max", -1))),
    )
    .costs(costs::traversal),
    function(
        "min",
        for_comparable!("_min_", "", own, Run::Direct(|_, args| extreme(args, "min", 1))),
    )
    .costs(costs::traversal),
    function(
        "indexOf",
        &[member(
            "list_a_index_of_int",
            "list(A), A -> int",
            Run::Direct(|_, args| index(args, false)),
        )],
    )
    .costs(costs::traversal),
    function(
        "lastIndexOf",
        &[member(
            "list_a_last_index_of_int",
            "list(A), A -> int",
            Run::Direct(|_, args| index(args, true)),
        )],
    )
    .costs(costs::traversal),
    function(
        "includes",
        &[
            member("dra_includes_dyn_dyn", "dyn, dyn -> bool", Run::Direct(includes))
                .known(|r| r.includes && !r.includes_is_common),
            member("list_includes_dyn_dyn", "dyn, dyn -> bool", Run::Direct(includes))
                .known(|r| r.includes_is_common),
        ],
    )
    .costs(|call| if call.release.includes_is_common { costs::traversal(call) } else { Ok(None) }),
];

fn values(args: &[Value]) -> Option<std::sync::Arc<[Value]>> {
    if let Some(Value::List(list)) = args.first() { Some(list.values()) } else { None }
}

fn is_sorted(_: &Release, args: &[Value]) -> EvalResult {
    let Some(values) = values(args) else { return fail("no such overload") };
    let mut before: Option<&Value> = None;
    for value in values.iter() {
        if compare(value, value).is_none() {
            return Ok(value.or_no_overload());
        }
        if let Some(order) = before.and_then(|before| compare(before, value))
            && matches!(order?, Value::Int(1))
        {
            return Ok(Value::Bool(false));
        }
        before = Some(value);
    }
    Ok(Value::Bool(true))
}

fn sum(args: &[Value], zero: Value) -> EvalResult {
    let Some(values) = values(args) else { return fail("no such overload") };
    let mut total = zero;
    for value in values.iter() {
        if add(value, value).is_none() {
            return Ok(value.or_no_overload());
        }
        total = add(&total, value).unwrap_or_else(|| fail("no such overload"))?;
        if total.is_error() {
            return Ok(total);
        }
    }
    Ok(total)
}

/// The extreme element: a later one replaces it if it compares as `replaces`.
fn extreme(args: &[Value], name: &str, replaces: i64) -> EvalResult {
    let Some(values) = values(args) else { return fail("no such overload") };
    let mut best: Option<&Value> = None;
    for value in values.iter() {
        if compare(value, value).is_none() {
            return Ok(value.or_no_overload());
        }
        let better = match best.and_then(|best| compare(best, value)) {
            None => true,
            Some(order) => matches!(order?, Value::Int(order) if order == replaces),
        };
        if better {
            best = Some(value);
        }
    }
    best.map_or_else(|| fail(format!("{name} called on empty list")), |best| Ok(best.clone()))
}

fn index(args: &[Value], last: bool) -> EvalResult {
    let (Some(values), Some(item)) = (values(args), args.get(1)) else {
        return fail("no such overload");
    };
    let mut indices: Vec<usize> = (0..values.len()).collect();
    if last {
        indices.reverse();
    }
    for index in indices {
        if let Some(value) = values.get(index)
            && matches!(equal_values(value, item)?, Value::Bool(true))
        {
            return Ok(Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

fn includes(release: &Release, args: &[Value]) -> EvalResult {
    let [target, item] = args else { return fail("no such overload") };
    let Value::List(list) = target else {
        return Ok(Value::Bool(matches!(equal_values(target, item)?, Value::Bool(true))));
    };
    for (index, value) in list.values().iter().enumerate() {
        if index >= MOST_INCLUDED && !release.includes_is_common {
            return fail(format!(
                "'includes' function cannot be applied to lists longer than {MOST_INCLUDED} values"
            ));
        }
        if matches!(equal_values(value, item)?, Value::Bool(true)) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
