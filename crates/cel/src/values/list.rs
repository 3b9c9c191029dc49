//! Lists.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Value, show};

#[derive(Debug, Clone)]
pub(crate) enum ListValue {
    /// A list with fixed elements.
    Plain(Arc<[Value]>),
    /// The concatenation of two lists. Unlike other lists, it equals another only if no comparison
    /// of elements fails.
    Sum(Arc<[Value]>),
    /// A list that a comprehension builds. Parity: appending modifies it in place.
    Growing(Arc<Mutex<Vec<Value>>>),
}

impl ListValue {
    pub fn new(values: Vec<Value>) -> Self {
        Self::Plain(values.into())
    }

    pub fn growing() -> Self {
        Self::Growing(Arc::default())
    }

    /// The current elements.
    pub fn values(&self) -> Arc<[Value]> {
        match self {
            Self::Plain(values) | Self::Sum(values) => values.clone(),
            Self::Growing(values) => {
                values.lock().unwrap_or_else(PoisonError::into_inner).as_slice().into()
            }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Plain(values) | Self::Sum(values) => values.len(),
            Self::Growing(values) => values.lock().unwrap_or_else(PoisonError::into_inner).len(),
        }
    }

    pub fn get(&self, index: usize) -> Option<Value> {
        match self {
            Self::Plain(values) | Self::Sum(values) => values.get(index).cloned(),
            Self::Growing(values) => {
                values.lock().unwrap_or_else(PoisonError::into_inner).get(index).cloned()
            }
        }
    }

    /// Concatenates two lists.
    pub fn plus(&self, other: &Self) -> Self {
        let more = other.values();
        match self {
            Self::Growing(values) => {
                values.lock().unwrap_or_else(PoisonError::into_inner).extend(more.iter().cloned());
                self.clone()
            }
            _ if self.len() == 0 => other.clone(),
            _ if more.is_empty() => self.clone(),
            Self::Plain(values) | Self::Sum(values) => {
                Self::Sum(values.iter().chain(more.iter()).cloned().collect())
            }
        }
    }

    /// The list with its current elements, no longer growing.
    pub fn settled(self) -> Self {
        if let Self::Growing(_) = self { Self::Plain(self.values()) } else { self }
    }
}

/// Converts a value to an index.
pub(crate) fn index_of(value: &Value) -> Result<i64, Value> {
    #[expect(clippy::cast_precision_loss, reason = "only whole numbers pass")]
    match value {
        Value::Int(index) => Ok(*index),
        Value::Double(d) if d.fract() == 0.0 && *d > i64::MIN as f64 && *d < i64::MAX as f64 => {
            Ok(*d as i64)
        }
        Value::Uint(index) if i64::try_from(*index).is_ok() => Ok(*index as i64),
        Value::Double(_) | Value::Uint(_) => {
            Err(Value::error(format!("unsupported index value {} in list", show(value))))
        }
        other => {
            Err(Value::error(format!("unsupported index type '{}' in list", other.type_name())))
        }
    }
}
