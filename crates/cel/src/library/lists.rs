//! Functions of lists: Kubernetes' library, cel-go's extension, and lists used as sets; and the
//! insertions into maps that comprehensions make.
//!
//! Upstream: `apiserver/pkg/cel/library/lists.go`; `dynamic-resource-allocation/cel/compile.go`
//! (`includes` in 1.36); cel-go `ext/lists.go`, version 3, `ext/sets.go`, `ext/comprehensions.go`.

use std::sync::Arc;

use super::basic::contains;
use super::costs::{self, Call, Costs};
use super::declare::{Overload, SharedBody, global, member, shared_member};
use crate::release::Release;
use crate::values::{
    EvalResult, EvaluationStop, ListValue, Map, Value, add, compare, equal_values, fail, go_type,
    show, unhashable,
};

/// The longest list that `includes` of 1.36 accepts.
const MOST_INCLUDED: usize = 48;
/// The longest list that `lists.range` returns.
const LONGEST_RANGE: i64 = 1_000_000;

/// Kubernetes' functions of lists of each type that has an order.
macro_rules! of_comparable {
    ($($t:literal)*) => {
        &[$(
            member(
                "isSorted",
                concat!("list_", $t, "_is_sorted_bool"),
                concat!("list(", $t, ") -> bool"),
                is_sorted,
            ),
            member(
                "max",
                concat!("list_", $t, "_max_", $t),
                concat!("list(", $t, ") -> ", $t),
                |_, args| extreme(args, "max", -1),
            ),
            member(
                "min",
                concat!("list_", $t, "_min_", $t),
                concat!("list(", $t, ") -> ", $t),
                |_, args| extreme(args, "min", 1),
            ),
        )*]
    };
}

pub(super) const OF_COMPARABLE: &[Overload] =
    of_comparable! { "int" "uint" "double" "bool" "duration" "timestamp" "string" "bytes" };

pub(super) const OF_KUBERNETES: &[Overload] = &[
    member("sum", "list_int_sum_int", "list(int) -> int", |_, args| sum(args, Value::Int(0))),
    member("sum", "list_uint_sum_uint", "list(uint) -> uint", |_, args| sum(args, Value::Uint(0))),
    member("sum", "list_double_sum_double", "list(double) -> double", |_, args| {
        sum(args, Value::Double(0.0))
    }),
    member("sum", "list_duration_sum_duration", "list(duration) -> duration", |_, args| {
        sum(args, Value::Duration(0))
    }),
    member("indexOf", "list_a_index_of_int", "list(A), A -> int", first_index),
    member("lastIndexOf", "list_a_last_index_of_int", "list(A), A -> int", last_index),
    member("includes", "dra_includes_dyn_dyn", "dyn, dyn -> bool", includes)
        .exists_if(|release| release.includes && !release.includes_is_common),
    member("includes", "list_includes_dyn_dyn", "dyn, dyn -> bool", includes)
        .exists_if(|release| release.includes_is_common),
];

/// The sorts of lists of each type that has an order, and by keys of that type.
macro_rules! sorts {
    ($($name:literal $t:literal),*) => {
        &[$(
            shared_member(
                "sort",
                concat!("list_", $name, "_sort"),
                concat!("list(", $t, ") -> list(", $t, ")"),
            )
            .costs(|call| comparing(call, 0)),
            shared_member(
                "@sortByAssociatedKeys",
                concat!("list_", $name, "_sortByAssociatedKeys"),
                concat!("list(T), list(", $t, ") -> list(T)"),
            )
            .costs(|call| comparing(call, 1)),
        )*]
    };
}

pub(super) const SORTS: &[Overload] = sorts! {
    "int" "int", "uint" "uint", "double" "double", "bool" "bool",
    "google.protobuf.Duration" "duration", "google.protobuf.Timestamp" "timestamp",
    "string" "string", "bytes" "bytes"
};

pub(super) const EXTENSION: &[Overload] = &[
    member("slice", "list_slice", "list(T), int, int -> list(T)", slice).costs(of_result),
    member("flatten", "list_flatten", "list(list(T)) -> list(T)", flatten)
        .costs(flattening)
        .unguarded(),
    member("flatten", "list_flatten_int", "list(dyn), int -> list(dyn)", flatten)
        .costs(flattening)
        .unguarded(),
    global("lists.range", "lists_range", "int -> list(int)", range).costs(of_range),
    member("reverse", "list_reverse", "list(T) -> list(T)", reverse).costs(of_result),
    member("distinct", "list_distinct", "list(T) -> list(T)", distinct)
        .costs(|call| comparing(call, 0)),
];

pub(super) const SETS: &[Overload] = &[
    global("sets.contains", "list_sets_contains_list", "list(T), list(T) -> bool", has_all)
        .costs(|call| product(call, 1)),
    global("sets.equivalent", "list_sets_equivalent_list", "list(T), list(T) -> bool", equivalent)
        .costs(|call| product(call, 2)),
    global("sets.intersects", "list_sets_intersects_list", "list(T), list(T) -> bool", intersects)
        .costs(|call| product(call, 1)),
];

pub(super) const INSERTIONS: &[Overload] = &[
    global("cel.@mapInsert", "@mapInsert_map_key_value", "map(K, V), K, V -> map(K, V)", entry),
    global("cel.@mapInsert", "@mapInsert_map_map", "map(K, V), map(K, V) -> map(K, V)", entries),
];

/// The implementation of a function whose overloads share one.
pub(super) fn shared_body(function: &str) -> Option<SharedBody> {
    match function {
        "sort" => Some(|release, args| sorted(args.first()?, args.first()?, release)),
        "@sortByAssociatedKeys" => {
            Some(|release, args| sorted(args.first()?, args.get(1)?, release))
        }
        _ => None,
    }
}

/// The elements of the first argument, a list.
fn values(args: &[Value]) -> Option<Arc<[Value]>> {
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

fn first_index(_: &Release, args: &[Value]) -> EvalResult {
    index_among(args, 0..)
}

fn last_index(_: &Release, args: &[Value]) -> EvalResult {
    let length = values(args).map_or(0, |values| values.len());
    index_among(args, (0..length).rev())
}

/// The first of these indices at which the second argument stands in the list; -1 if none.
fn index_among(args: &[Value], indices: impl Iterator<Item = usize>) -> EvalResult {
    let (Some(values), Some(item)) = (values(args), args.get(1)) else {
        return fail("no such overload");
    };
    for index in indices.take(values.len()) {
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

fn of_result(call: &Call) -> Costs {
    Ok(Some(costs::allocating(1.0, costs::result_size(call))))
}

fn of_range(call: &Call) -> Costs {
    let length = if let Some(Value::Int(length)) = call.args.first() {
        u64::try_from(*length).unwrap_or(0)
    } else {
        1
    };
    Ok(Some(costs::allocating(
        1.0,
        if call.result.is_error() { costs::result_size(call) } else { length },
    )))
}

/// The cost of comparing the elements of one argument. Parity: upstream computes it for arguments
/// of any type, and panics if one is not a list.
fn comparing(call: &Call, at: usize) -> Costs {
    match call.args.get(at) {
        Some(Value::List(list)) => Ok(Some(costs::self_comparison(list))),
        Some(Value::Error(_)) if call.release.distinct_passes_errors_on => Ok(None),
        Some(other) => Err(not_a_list(other, call.release)),
        None => Ok(None),
    }
}

/// The panic about a value that upstream takes for a list.
fn not_a_list(value: &Value, release: &Release) -> EvaluationStop {
    let missing = if add(value, value).is_some() { "Contains" } else { "Add" };
    EvaluationStop::Panic(format!(
        "interface conversion: {} is not traits.Lister: missing method {missing}",
        go_type(value, release)
    ))
}

fn flattening(call: &Call) -> Costs {
    let size = match call.args.first() {
        // Parity: an optional has the length of what it holds.
        Some(Value::Optional(inner)) if call.release.steps_count_their_cost => {
            inner.as_deref().map_or(0, |inner| costs::size(Some(inner)))
        }
        other => costs::size(other),
    };
    let depth = match call.args.get(1) {
        None => 1,
        Some(Value::Int(depth)) => *depth,
        Some(other) => {
            let text = format!(
                "interface conversion: ref.Val is {}, not types.Int",
                go_type(other, call.release)
            );
            return Err(EvaluationStop::Panic(text));
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "as upstream")]
    let factor = if depth < 0 && call.release.range_is_limited { 1.0 } else { depth as f64 };
    Ok(Some(costs::allocating(factor, size)))
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
        let part = list.values().get(range).unwrap_or_default().to_vec();
        return Ok(match list {
            ListValue::Slice(of, _) => Value::slice(of, part),
            _ => Value::list(part),
        });
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
    show(&Value::Type(value.type_name().into()))
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
fn sorted(list: &Value, keys: &Value, release: &Release) -> Option<EvalResult> {
    let Value::List(list) = list else { return None };
    let Value::List(keys) = keys else { return Some(Err(not_a_list(keys, release))) };
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
    Ok(Value::slice("int", (0..*length).map(Value::Int).collect()))
}

fn reverse(_: &Release, args: &[Value]) -> EvalResult {
    let Some(values) = values(args) else { return fail("no such overload") };
    Ok(Value::list(values.iter().rev().cloned().collect()))
}

fn distinct(_: &Release, args: &[Value]) -> EvalResult {
    let Some(Value::List(list)) = args.first() else { return fail("no such overload") };
    if list.len() == 0 {
        return Ok(Value::List(list.clone()));
    }
    let mut unique: Vec<Value> = Vec::new();
    for (index, value) in list.values().iter().enumerate() {
        // Parity: upstream does not compare with the element of the result that has the index of
        // this one in the list.
        let mut seen = false;
        for (other_index, other) in unique.iter().enumerate() {
            if index != other_index && matches!(equal_values(value, other)?, Value::Bool(true)) {
                seen = true;
                break;
            }
        }
        if !seen {
            unique.push(value.clone());
        }
    }
    Ok(Value::list(unique))
}

/// Why a list cannot be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SortError {
    /// The type of the keys has no order.
    Unordered,
    /// The keys are of different types.
    Mixed,
}

/// The order of keys, as indices.
fn sorted_indices(keys: &[Value]) -> Result<Vec<usize>, SortError> {
    let Some(first) = keys.first() else { return Ok(Vec::new()) };
    if compare(first, first).is_none() {
        return Err(SortError::Unordered);
    }
    // Parity: a single key is never compared, so its type is not checked.
    if keys.len() > 1 && keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(SortError::Mixed);
    }
    let mut indices: Vec<usize> = (0..keys.len()).collect();
    go::sort_slice(&mut indices, |a, b| match (keys.get(*a), keys.get(*b)) {
        (Some(a), Some(b)) => matches!(compare(a, b), Some(Ok(Value::Int(-1)))),
        _ => false,
    });
    Ok(indices)
}

fn product(call: &Call, factor: u64) -> Costs {
    let sizes = costs::size(call.args.first()).wrapping_mul(costs::size(call.args.get(1)));
    Ok(Some(1u64.saturating_add(sizes.saturating_mul(factor))))
}

/// Whether the first list contains every element of the second.
fn has_all(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::List(list), Value::List(part)] = args else { return fail("no such overload") };
    all_in(part, list)
}

fn equivalent(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::List(a), Value::List(b)] = args else { return fail("no such overload") };
    match all_in(b, a)? {
        Value::Bool(true) => all_in(a, b),
        other => Ok(other),
    }
}

fn all_in(part: &ListValue, list: &ListValue) -> EvalResult {
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

fn entry(_: &Release, args: &[Value]) -> EvalResult {
    match args {
        [Value::Map(map), key, value] => insert(map, vec![(key.clone(), value.clone())]),
        _ => fail("no such overload"),
    }
}

fn entries(_: &Release, args: &[Value]) -> EvalResult {
    match args {
        [Value::Map(map), Value::Map(more)] => insert(map, more.entries.clone()),
        _ => fail("no such overload"),
    }
}

fn insert(map: &Map, more: Vec<(Value, Value)>) -> EvalResult {
    let mut all = Map::new(map.entries.clone());
    for (key, value) in more {
        if all.get(&key)?.is_some() {
            return fail(format!("insert failed: key {} already exists", show(&key)));
        }
        if let Some(name) = unhashable(&key) {
            return Err(EvaluationStop::Panic(format!(
                "runtime error: hash of unhashable type {name}"
            )));
        }
        all.entries.push((key, value));
    }
    Ok(Value::Map(Arc::new(all)))
}
