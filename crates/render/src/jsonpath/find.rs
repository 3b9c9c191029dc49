//! Evaluates a path.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Comparator, Operand, Path, PathFilter, PathStep};

/// The values at `path`, in the order of the document.
///
/// # Errors
/// A step does not apply to the type of a value.
pub(crate) fn find<'v>(path: &'v Path, from: &'v Value) -> Result<Vec<&'v Value>, String> {
    let mut found = vec![from];
    for step in path {
        found = take(step, &found)?;
    }
    Ok(found)
}

fn take<'v>(step: &'v PathStep, values: &[&'v Value]) -> Result<Vec<&'v Value>, String> {
    let mut found = Vec::new();
    match step {
        // Parity: with several keys, the first key of all values comes before the second one;
        // likewise with several indices.
        PathStep::Keys(keys) => {
            for key in keys {
                found.extend(values.iter().filter_map(|value| value.as_object()?.get(key)));
            }
        }
        PathStep::Indices(indices) => {
            for index in indices {
                for value in values.iter().filter(|value| !value.is_null()) {
                    found.push(item(list(value)?, *index)?);
                }
            }
        }
        PathStep::All => values.iter().for_each(|value| found.extend(children(value))),
        PathStep::Below => values.iter().for_each(|value| below(value, &mut found)),
        PathStep::Slice { from, to, step } => {
            for value in values {
                found.extend(slice(list(value)?, *from, *to)?.iter().step_by(*step));
            }
        }
        PathStep::PathFilter(filter) => {
            for value in values {
                for item in list(value)? {
                    if passes(filter, item)? {
                        found.push(item);
                    }
                }
            }
        }
    }
    Ok(found)
}

fn item(items: &[Value], index: i64) -> Result<&Value, String> {
    let at = place(index, items.len());
    let item = usize::try_from(at).ok().and_then(|at| items.get(at));
    item.ok_or_else(|| format!("array index out of bounds: index {at}, length {}", items.len()))
}

/// Parity: a slice beyond the end of its list is an error, like an index.
fn slice(items: &[Value], from: i64, to: Option<i64>) -> Result<&[Value], String> {
    let length = items.len();
    let (from, to) = (
        place(from, length),
        to.map_or(i64::try_from(length).unwrap_or(i64::MAX), |to| place(to, length)),
    );
    if from == to {
        return Ok(&[]);
    }
    if from > to {
        return Err(format!("starting index {from} is greater than ending index {to}"));
    }
    let part = usize::try_from(from)
        .ok()
        .zip(usize::try_from(to).ok())
        .and_then(|(from, to)| items.get(from..to));
    part.ok_or_else(|| format!("array index out of bounds: {from}:{to}, length {length}"))
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

fn below<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    found.push(value);
    children(value).into_iter().for_each(|child| below(child, found));
}

fn list(value: &Value) -> Result<&[Value], String> {
    let kind = match value {
        Value::Array(items) => return Ok(items),
        // Parity: in kubectl, a missing list is empty.
        Value::Null => return Ok(&[]),
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Object(_) => "an object",
    };
    Err(format!("{kind} is not a list: it has no numbered items and cannot be filtered"))
}

/// A position from the start of the list; negative indices count from the end.
fn place(index: i64, length: usize) -> i64 {
    if index < 0 { index.saturating_add(i64::try_from(length).unwrap_or(i64::MAX)) } else { index }
}

fn passes(filter: &PathFilter, item: &Value) -> Result<bool, String> {
    let left = value_of(&filter.left, item)?;
    let Some((comparison, right)) = &filter.right else { return Ok(left.is_some()) };
    match (left, value_of(right, item)?) {
        (Some(left), Some(right)) => compare(&left, *comparison, &right),
        _ => Ok(false),
    }
}

/// The value of a side of a comparison; `None` if the item has no such field.
fn value_of(operand: &Operand, item: &Value) -> Result<Option<Value>, String> {
    let path = match operand {
        Operand::Literal(value) => return Ok(Some(value.clone())),
        Operand::Path(path) => path,
    };
    match find(path, item)?.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        _ => Err("a filter can compare one element at a time".to_owned()),
    }
}

fn compare(left: &Value, comparison: Comparator, right: &Value) -> Result<bool, String> {
    let order = match (left, right) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64().partial_cmp(&b.as_f64()),
        },
        (Value::Null, _) | (_, Value::Null) => return Ok(false),
        _ => None,
    };
    let order = order.ok_or_else(|| {
        format!("a filter cannot compare {left} with {right}: they are of different types")
    })?;
    Ok(match comparison {
        Comparator::Equal => order == Ordering::Equal,
        Comparator::NotEqual => order != Ordering::Equal,
        Comparator::Less => order == Ordering::Less,
        Comparator::LessOrEqual => order != Ordering::Greater,
        Comparator::Greater => order == Ordering::Greater,
        Comparator::GreaterOrEqual => order != Ordering::Less,
    })
}
