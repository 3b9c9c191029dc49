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

/// The cost of a call; `None` is the default, 1.
pub(crate) type Costs = Result<Option<u64>, EvaluationStop>;
/// Computes the cost of a call from its arguments and result.
pub(crate) type Cost = fn(&Call) -> Costs;

/// Cost per character of a string that is traversed.
const PER_CHARACTER: f64 = 0.1;
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

/// [`size`], looking into optional values up to 1.37.
pub(super) fn inner_size(release: &Release, value: Option<&Value>) -> u64 {
    match value {
        Some(Value::Optional(Some(inner))) if !release.steps_count_their_cost => {
            inner_size(release, Some(inner))
        }
        other => size(other),
    }
}

/// The size of what a call returned. A call that failed has built nothing, and was counted as one
/// element up to 1.37.
pub(super) fn result_size(call: &Call) -> u64 {
    if call.release.steps_count_their_cost && call.result.is_error() {
        return 0;
    }
    size(Some(call.result))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "costs are estimates in floating point upstream, too"
)]
fn share(of: u64, factor: f64) -> u64 {
    (of as f64 * factor).ceil() as u64
}

/// The cost of traversing a string of this size once.
pub(super) fn reading(size: u64) -> u64 {
    share(size, PER_CHARACTER)
}

/// Kubernetes' cost of a function, whichever of its overloads is called.
pub(super) fn of_function(name: &str) -> Option<Cost> {
    Some(match name {
        "check" => |_| Ok(Some(350_000)),
        "fieldSelector" | "labelSelector" => parsed_selector,
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => traversal,
        "includes" => {
            |call| if call.release.includes_is_common { traversal(call) } else { Ok(None) }
        }
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "quantity" | "isQuantity"
        | "isIP" | "cidr" | "isCIDR" | "semver" | "isSemver" => first,
        "ip" => |call| if call.overload == "cidr_ip" { Ok(None) } else { first(call) },
        "replace" | "split" | "ip.isCanonical" => first_twice,
        "join" => result_twice,
        "find" | "findAll" => search,
        "validate" => validation,
        "containsIP" => |call| containment(call, "cidr_contains_ip_string", 0),
        "containsCIDR" => |call| {
            let network = reading(size(call.args.first()));
            containment(call, "cidr_contains_cidr_string", network + 1)
        },
        _ => return None,
    })
}

/// The cost of traversing the first argument.
fn first(call: &Call) -> Costs {
    Ok(call.args.first().map(|arg| reading(size(Some(arg)))))
}

/// [`first`], looking into optional values.
pub(super) fn inner_first(call: &Call) -> Costs {
    Ok(Some(reading(inner_size(call.release, call.args.first()))))
}

/// The cost of traversing the first argument twice.
fn first_twice(call: &Call) -> Costs {
    Ok(call.args.first().map(|arg| share(size(Some(arg)), 2.0 * PER_CHARACTER)))
}

/// The cost of traversing the result twice.
fn result_twice(call: &Call) -> Costs {
    Ok(call.args.first().map(|_| share(size(Some(call.result)), 2.0 * PER_CHARACTER)))
}

/// The cost of traversing the first argument with all its elements.
fn traversal(call: &Call) -> Costs {
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
fn search(call: &Call) -> Costs {
    let [text, pattern, ..] = call.args else { return Ok(None) };
    Ok(Some(matching(size(Some(text)), size(Some(pattern)))))
}

/// The cost of `matches` as cel-go's own tracker computes it.
pub(super) fn matches(call: &Call) -> Costs {
    if call.overload == "matches" && !call.release.costs_of_arguments {
        return Ok(None);
    }
    Ok(Some(matching(
        inner_size(call.release, call.args.first()),
        inner_size(call.release, call.args.get(1)),
    )))
}

fn matching(text: u64, pattern: u64) -> u64 {
    reading(1 + text) * share(pattern, PER_PATTERN)
}

/// The cost of matching the second argument with the pattern of a named format.
fn validation(call: &Call) -> Costs {
    let [Value::Format(format), text] = call.args else { return Ok(None) };
    Ok(Some(matching(size(Some(text)), format.pattern)))
}

/// The cost of comparing a network with the second argument, which is parsed first if it is a text,
/// that is, in the overload `of_text`.
fn containment(call: &Call, of_text: &str, more: u64) -> Costs {
    let [cidr, other] = call.args else { return Ok(None) };
    let parsing = if call.overload == of_text { reading(size(Some(other))) } else { 0 };
    Ok(Some(reading(2 * size(Some(cidr))) + more + parsing))
}

/// The cost of parsing a label or field selector and building its requirements.
fn parsed_selector(call: &Call) -> Costs {
    let Some(text) = call.args.get(1) else { return Ok(None) };
    let length = size(Some(text));
    let requirements = share(length, 0.5);
    Ok(Some(LIST + reading(length) + requirements * (LIST + 40)))
}

/// The cost of comparing two strings or lists up to the end of the shorter one.
pub(super) fn comparison(call: &Call) -> Costs {
    Ok(Some(inequality(call.release, call.args)))
}

/// The cost of copying both arguments.
pub(super) fn concatenation(call: &Call) -> Costs {
    Ok(Some(reading(
        inner_size(call.release, call.args.first()) + inner_size(call.release, call.args.get(1)),
    )))
}

/// The cost of `==`.
pub(crate) fn equality(release: &Release, args: &[Value]) -> u64 {
    match args.first() {
        Some(
            Value::Quantity(_)
            | Value::Ip(_)
            | Value::Cidr(_)
            | Value::Format(_)
            | Value::Url(_)
            | Value::SemanticVersion(_),
        ) => 1,
        _ => inequality(release, args),
    }
}

/// The cost of `!=`.
pub(crate) fn inequality(release: &Release, args: &[Value]) -> u64 {
    reading(inner_size(release, args.first()).min(inner_size(release, args.get(1))))
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
