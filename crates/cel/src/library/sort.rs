//! The sort of lists, with the positions of equal keys: Go's `sort.Slice` is not stable.
//!
//! Up to twelve elements are sorted by insertion, which keeps the order of equal keys. What upstream makes of equal keys in a
//! longer list is not known here.

use std::cmp::Ordering;

use crate::values::{Value, compare};

/// Why a list cannot be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SortError {
    /// The keys have no order.
    Unordered,
    /// The keys are of different types.
    Mixed,
    /// The order of equal keys is not known here.
    Unknown,
}

/// The most elements that are sorted by insertion.
const INSERTED: usize = 12;

/// The order of keys, as indices. With `themselves`, the keys are what is sorted, and the order of equal ones shows nowhere.
pub(super) fn sorted_indices(keys: &[Value], themselves: bool) -> Result<Vec<usize>, SortError> {
    let Some(first) = keys.first() else { return Ok(Vec::new()) };
    if compare(first, first).is_none() {
        return Err(SortError::Unordered);
    }
    // Parity: the type of a single key is not looked at, since there is nothing to compare it with.
    if keys.len() > 1 && keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(SortError::Mixed);
    }
    let mut indices: Vec<usize> = (0..keys.len()).collect();
    let less = |a: usize, b: usize| match (keys.get(a), keys.get(b)) {
        (Some(a), Some(b)) => matches!(compare(a, b), Some(Ok(Value::Int(-1)))),
        _ => false,
    };
    if keys.len() <= INSERTED {
        for end in 1..indices.len() {
            for at in (1..=end).rev() {
                let (Some(here), Some(before)) = (indices.get(at).copied(), indices.get(at - 1).copied()) else {
                    break;
                };
                if !less(here, before) {
                    break;
                }
                indices.swap(at, at - 1);
            }
        }
        return Ok(indices);
    }
    if keys.iter().any(|key| matches!(key, Value::Double(d) if d.is_nan())) {
        return Err(SortError::Unknown);
    }
    indices.sort_by(|a, b| match (less(*a, *b), less(*b, *a)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => Ordering::Equal,
    });
    let differ = |pair: &[usize]| if let [a, b] = pair { less(*a, *b) } else { true };
    if themselves || indices.windows(2).all(differ) { Ok(indices) } else { Err(SortError::Unknown) }
}
