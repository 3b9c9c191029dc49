//! The runtime cost of calls.
//!
//! Upstream: `apiserver/pkg/cel/library/cost.go`, cel-go `interpreter/runtimecost.go`,
//! `ext/lists.go`, `ext/sets.go`.

use crate::release::Release;
use crate::values::{EvaluationStop, ListValue, Value};

/// A call that was made.
pub(crate) struct Call<'c> {
    pub release: &'c Release,
    pub overload: &'c str,
    pub args: &'c [Value],
    pub result: &'c Value,
}

/// Computes the cost of a call; `None` leaves it to the default.
pub(crate) type Costs = Result<Option<u64>, EvaluationStop>;

/// Cost per character of a string that is traversed.
pub(super) const PER_CHARACTER: f64 = 0.1;
/// Cost per character of a regular expression.
const PER_PATTERN: f64 = 0.25;
/// Cost of creating a list.
pub(crate) const LIST: u64 = 10;
/// Cost of creating a map.
pub(crate) const MAP: u64 = 30;

/// The size of a value; 1 for types without a size.
pub(super) fn size(value: Option<&Value>) -> u64 {
    value.and_then(Value::size).map_or(1, |size| size as u64)
}

/// [`size`], looking into optional values.
pub(super) fn inner_size(value: Option<&Value>) -> u64 {
    match value {
        Some(Value::Optional(Some(inner))) => inner_size(Some(inner)),
        other => size(other),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "costs are estimates in floating point upstream, too"
)]
pub(super) fn share(of: u64, factor: f64) -> u64 {
    (of as f64 * factor).ceil() as u64
}

/// The cost of traversing a string of this size once.
pub(super) fn reading(size: u64) -> u64 {
    share(size, PER_CHARACTER)
}

pub(super) fn unit(_: &Call) -> Costs {
    Ok(Some(1))
}

/// The cost of traversing the first argument.
pub(super) fn first(call: &Call) -> Costs {
    Ok(call.args.first().map(|arg| reading(size(Some(arg)))))
}

/// The cost of traversing the first argument twice.
pub(super) fn first_twice(call: &Call) -> Costs {
    Ok(call.args.first().map(|arg| share(size(Some(arg)), 2.0 * PER_CHARACTER)))
}

/// The cost of traversing the result twice.
pub(super) fn result_twice(call: &Call) -> Costs {
    Ok(call.args.first().map(|_| share(size(Some(call.result)), 2.0 * PER_CHARACTER)))
}

/// The cost of traversing the first argument with all its elements.
pub(super) fn traversal(call: &Call) -> Costs {
    Ok(Some(call.args.first().map_or(0, everything)))
}

#[expect(clippy::cast_precision_loss, reason = "as upstream")]
fn everything(value: &Value) -> u64 {
    match value {
        Value::Text(text) => (text.len() as f64 * PER_CHARACTER) as u64,
        Value::Bytes(bytes) => (bytes.len() as f64 * PER_CHARACTER) as u64,
        Value::List(list) => list.values().iter().map(everything).sum(),
        Value::Map(map) => {
            map.entries.iter().map(|(key, value)| everything(key) + everything(value)).sum()
        }
        _ => 1,
    }
}

/// The cost of searching for a regular expression, the second argument.
pub(super) fn search(call: &Call) -> Costs {
    let [text, pattern, ..] = call.args else { return Ok(None) };
    Ok(Some(matching(size(Some(text)), size(Some(pattern)))))
}

/// The cost of `matches` as cel-go's own tracker computes it.
pub(super) fn matches(call: &Call) -> Costs {
    if call.overload == "matches" && !call.release.costs_of_arguments {
        return Ok(None);
    }
    Ok(Some(matching(inner_size(call.args.first()), inner_size(call.args.get(1)))))
}

pub(super) fn matching(text: u64, pattern: u64) -> u64 {
    reading(1 + text) * share(pattern, PER_PATTERN)
}

/// The cost of comparing two strings or lists up to the end of the shorter one.
pub(super) fn comparison(call: &Call) -> Costs {
    Ok(Some(inequality(call.args)))
}

/// The cost of copying both arguments.
pub(super) fn concatenation(call: &Call) -> Costs {
    Ok(Some(reading(inner_size(call.args.first()) + inner_size(call.args.get(1)))))
}

/// The cost of `==`.
pub(crate) fn equality(args: &[Value]) -> u64 {
    match args.first() {
        Some(
            Value::Quantity(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Format(_)
            | Value::Url(_)
            | Value::SemanticVersion(_),
        ) => 1,
        _ => inequality(args),
    }
}

/// The cost of `!=`.
pub(crate) fn inequality(args: &[Value]) -> u64 {
    reading(inner_size(args.first()).min(inner_size(args.get(1))))
}

/// The cost of building a list of `size` elements at `factor` each.
#[expect(clippy::cast_precision_loss, reason = "as upstream")]
pub(super) fn allocating(factor: f64, size: u64) -> u64 {
    ((size as f64 * factor) as u64).saturating_add(1).saturating_add(LIST)
}

/// The cost of comparing every element of a list with every other.
pub(super) fn self_comparison(list: &ListValue) -> u64 {
    let size = list.len() as u64;
    if size == 0 {
        return allocating(2.0, 0);
    }
    let texts = matches!(list.get(0), Some(Value::Text(_) | Value::Bytes(_)));
    allocating(if texts { 2.0 + PER_CHARACTER } else { 2.0 }, size.saturating_mul(size))
}
