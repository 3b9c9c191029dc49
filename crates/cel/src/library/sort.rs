//! Sorts lists; elements with equal keys end up where upstream's unstable sort leaves them.

use crate::values::{Value, compare};

/// Why a list cannot be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SortError {
    /// The type of the keys has no order.
    Unordered,
    /// The keys are of different types.
    Mixed,
}

/// The order of keys, as indices.
pub(super) fn sorted_indices(keys: &[Value]) -> Result<Vec<usize>, SortError> {
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
