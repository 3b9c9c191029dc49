//! cel-go's list extension.
//!
//! Upstream: cel-go `ext/lists.go`, version 3.

use super::costs::{self, Call, Costs};
use super::declare::{Function, Overload, Run, function, global, member};
use super::sort::{SortError, sorted_indices};
use crate::release::Release;
use crate::values::{EvalResult, EvaluationStop, ListValue, Value, fail, go_type};

/// The longest list that `lists.range` returns.
const LONGEST_RANGE: i64 = 1_000_000;

const SORT: &[Overload] = &[
    sort("list_int_sort", "list(int) -> list(int)"),
    sort("list_uint_sort", "list(uint) -> list(uint)"),
    sort("list_double_sort", "list(double) -> list(double)"),
    sort("list_bool_sort", "list(bool) -> list(bool)"),
    sort("list_google.protobuf.Duration_sort", "list(duration) -> list(duration)"),
    sort("list_google.protobuf.Timestamp_sort", "list(timestamp) -> list(timestamp)"),
    sort("list_string_sort", "list(string) -> list(string)"),
    sort("list_bytes_sort", "list(bytes) -> list(bytes)"),
];

const fn sort(id: &'static str, signature: &'static str) -> Overload {
    member(id, signature, Run::Shared).costs(|call| comparing(call, 0))
}

const SORT_BY: &[Overload] = &[
    sort_by("list_int_sortByAssociatedKeys", "list(T), list(int) -> list(T)"),
    sort_by("list_uint_sortByAssociatedKeys", "list(T), list(uint) -> list(T)"),
    sort_by("list_double_sortByAssociatedKeys", "list(T), list(double) -> list(T)"),
    sort_by("list_bool_sortByAssociatedKeys", "list(T), list(bool) -> list(T)"),
    sort_by(
        "list_google.protobuf.Duration_sortByAssociatedKeys",
        "list(T), list(duration) -> list(T)",
    ),
    sort_by(
        "list_google.protobuf.Timestamp_sortByAssociatedKeys",
        "list(T), list(timestamp) -> list(T)",
    ),
    sort_by("list_string_sortByAssociatedKeys", "list(T), list(string) -> list(T)"),
    sort_by("list_bytes_sortByAssociatedKeys", "list(T), list(bytes) -> list(T)"),
];

const fn sort_by(id: &'static str, signature: &'static str) -> Overload {
    member(id, signature, Run::Shared).costs(|call| comparing(call, 1))
}

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "slice",
        &[member("list_slice", "list(T), int, int -> list(T)", Run::InTurn(slice))
            .costs(of_result)],
    ),
    function(
        "flatten",
        &[
            member("list_flatten", "list(list(T)) -> list(T)", Run::Direct(flatten))
                .costs(flattening),
            member("list_flatten_int", "list(dyn), int -> list(dyn)", Run::Direct(flatten))
                .costs(flattening),
        ],
    )
    .unguarded(),
    function("sort", SORT).shared(|_, args| sorted(args.first()?, args.first()?)),
    function("@sortByAssociatedKeys", SORT_BY)
        .shared(|_, args| sorted(args.first()?, args.get(1)?)),
    function(
        "lists.range",
        &[global("lists_range", "int -> list(int)", Run::Direct(range)).costs(of_range)],
    ),
    function(
        "reverse",
        &[member("list_reverse", "list(T) -> list(T)", Run::Direct(reverse)).costs(of_result)],
    ),
    function(
        "distinct",
        &[member("list_distinct", "list(T) -> list(T)", Run::Direct(distinct))
            .costs(|call| comparing(call, 0))],
    ),
];

fn of_result(call: &Call) -> Costs {
    Ok(Some(costs::allocating(1.0, costs::size(Some(call.result)))))
}

fn of_range(call: &Call) -> Costs {
    let length = if let Some(Value::Int(length)) = call.args.first() {
        u64::try_from(*length).unwrap_or(0)
    } else {
        1
    };
    Ok(Some(costs::allocating(1.0, if call.result.is_error() { 1 } else { length })))
}

/// The cost of comparing the elements of one argument. Parity: upstream computes it for arguments
/// of any type, and panics if one is not a list.
fn comparing(call: &Call, at: usize) -> Costs {
    match call.args.get(at) {
        Some(Value::List(list)) => Ok(Some(costs::self_comparison(list))),
        Some(other) => {
            let has_sums = crate::values::add(other, other).is_some();
            let missing = if has_sums { "Contains" } else { "Add" };
            let text = format!(
                "interface conversion: {} is not traits.Lister: missing method {missing}",
                go_type(other)
            );
            Err(EvaluationStop::Panic(text))
        }
        None => Ok(None),
    }
}

fn flattening(call: &Call) -> Costs {
    let size = costs::size(call.args.first());
    let depth = match call.args.get(1) {
        None => 1,
        Some(Value::Int(depth)) => *depth,
        Some(other) => {
            let text =
                format!("interface conversion: ref.Val is {}, not types.Int", go_type(other));
            return Err(EvaluationStop::Panic(text));
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "as upstream")]
    let factor = if depth < 0 && call.release.range_is_limited { 1.0 } else { depth as f64 };
    Ok(Some(costs::allocating(factor, size)))
}

fn list(args: &[Value]) -> Option<&ListValue> {
    if let Some(Value::List(list)) = args.first() { Some(list) } else { None }
}

fn slice(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = args else {
        return fail("no such overload");
    };
    let why = if *start < 0 || *end < 0 {
        "negative indexes not supported".to_owned()
    } else if start > end {
        "start index must be less than or equal to end index".to_owned()
    } else if usize::try_from(*end).is_ok_and(|end| end > list.len()) {
        format!("list is length {}", list.len())
    } else {
        let range = usize::try_from(*start).unwrap_or(0)..usize::try_from(*end).unwrap_or(0);
        return Ok(Value::list(list.values().get(range).unwrap_or_default().to_vec()));
    };
    fail(format!("cannot slice({start}, {end}), {why}"))
}

fn flatten(release: &Release, args: &[Value]) -> EvalResult {
    let (list, depth) = match args {
        [Value::List(list)] => (list, 1),
        [Value::List(list), Value::Int(depth)] => (list, *depth),
        [other] => return fail(format!("no such overload: {}.flatten()", shown(release, other))),
        [one, other, ..] => {
            return fail(format!(
                "no such overload: {}.flatten({})",
                shown(release, one),
                shown(release, other)
            ));
        }
        [] => return fail("no such overload"),
    };
    if depth < 0 {
        return fail("level must be non-negative");
    }
    let mut flat = Vec::new();
    flatten_into(&mut flat, list, depth);
    Ok(Value::list(flat))
}

/// The type of a value as Go's `%v` shows it.
fn shown(release: &Release, value: &Value) -> String {
    if release.types_are_parametrised && matches!(value, Value::Optional(_)) {
        return "optional_type(dyn)".to_owned();
    }
    crate::values::show(&Value::Type(value.type_name().into()))
}

fn flatten_into(flat: &mut Vec<Value>, list: &ListValue, depth: i64) {
    for value in list.values().iter() {
        match value {
            Value::List(inner) if depth > 0 => flatten_into(flat, inner, depth - 1),
            other => flat.push(other.clone()),
        }
    }
}

/// The elements of a list, sorted by their keys; `None` for another type.
fn sorted(list: &Value, keys: &Value) -> Option<EvalResult> {
    let Value::List(list) = list else { return None };
    let Value::List(keys) = keys else {
        let has_sums = crate::values::add(keys, keys).is_some();
        let missing = if has_sums { "Contains" } else { "Add" };
        let text = format!(
            "interface conversion: {} is not traits.Lister: missing method {missing}",
            go_type(keys)
        );
        return Some(Err(EvaluationStop::Panic(text)));
    };
    if list.len() != keys.len() {
        return Some(fail(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            list.len(),
            keys.len()
        )));
    }
    if list.len() == 0 {
        return Some(Ok(Value::List(list.clone())));
    }
    let (values, keys) = (list.values(), keys.values());
    Some(match sorted_indices(&keys) {
        Ok(indices) => Ok(Value::list(
            indices.into_iter().filter_map(|index| values.get(index).cloned()).collect(),
        )),
        Err(SortError::Unordered) => fail("list elements must be comparable"),
        Err(SortError::Mixed) => fail("list elements must have the same type"),
    })
}

fn range(release: &Release, args: &[Value]) -> EvalResult {
    let Some(Value::Int(length)) = args.first() else { return fail("no such overload") };
    if release.range_is_limited {
        if *length < 0 {
            return fail(format!("lists.range: size must be non-negative, got {length}"));
        }
        if *length > LONGEST_RANGE {
            return fail(format!(
                "lists.range: size {length} exceeds maximum allowed ({LONGEST_RANGE})"
            ));
        }
    }
    // A longer result would exceed the cost limit, so it is not built.
    if *length > LONGEST_RANGE {
        return Ok(Value::list(Vec::new()));
    }
    Ok(Value::list((0..*length).map(Value::Int).collect()))
}

fn reverse(_: &Release, args: &[Value]) -> EvalResult {
    list(args).map_or_else(
        || fail("no such overload"),
        |list| Ok(Value::list(list.values().iter().rev().cloned().collect())),
    )
}

fn distinct(_: &Release, args: &[Value]) -> EvalResult {
    let Some(list) = list(args) else { return fail("no such overload") };
    if list.len() == 0 {
        return Ok(Value::List(list.clone()));
    }
    let mut unique: Vec<Value> = Vec::new();
    for (index, value) in list.values().iter().enumerate() {
        let mut seen = false;
        for (other_index, other) in unique.iter().enumerate() {
            seen |= index != other_index
                && matches!(crate::values::equal_values(value, other)?, Value::Bool(true));
            if seen {
                break;
            }
        }
        if !seen {
            unique.push(value.clone());
        }
    }
    Ok(Value::list(unique))
}
