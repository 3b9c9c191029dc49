//! YAML: every document is converted to JSON and decoded as such.
//!
//! kubectl reads YAML by sigs.k8s.io/yaml, which knows YAML 1.1 and is lenient about layout. Whatever it reads is read here, with
//! the same values.

mod layout;
mod value;

use serde_json::Value;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use super::error::DecodeError;
use super::{json, printed};
use crate::plain::yaml_problem;
use crate::snapshot::Sink;

/// Events that aliases may repeat. kubectl writes no aliases.
const MAX_ALIASED: usize = 100_000;
/// Values of all documents; those of the largest clusters have as many. Each is held at once, however short it is.
const MAX_NODES: usize = 50_000_000;
/// Bytes that aliases may repeat.
const MAX_ALIASED_BYTES: usize = 64 << 20;
/// Places of a text that may be written in another way before it is read, and bytes that may be read again for them.
const MOST_REWRITTEN: usize = 1000;
const MOST_REREAD: usize = 256 << 20;

/// The documents of a YAML text.
#[derive(Debug, Default)]
pub struct Documents {
    /// Their values, in order; null for an empty one.
    pub values: Vec<Value>,
    /// Where a key stands in its object a second time, if one does: the last one counts.
    pub repeated: Option<String>,
}

/// The documents of a YAML text.
///
/// # Errors
/// When the text is not YAML, is nested too deeply, or repeats too much by aliases.
pub fn documents(body: &str) -> Result<Documents, serde_saphyr::Error> {
    let (mut text, mut keys, mut repeated) = (None::<String>, DuplicateKeyPolicy::Error, None);
    // Each attempt reads from the beginning.
    for _ in 0..MOST_REWRITTEN.min(MOST_REREAD / body.len().max(1)) {
        let problem = match parse(text.as_deref().unwrap_or(body), keys) {
            Ok(values) => return Ok(Documents { values, repeated }),
            Err(problem) => problem,
        };
        if matches!(problem.without_snippet(), serde_saphyr::Error::DuplicateMappingKey { .. }) && repeated.is_none() {
            (keys, repeated) = (DuplicateKeyPolicy::LastWins, Some(yaml_problem(&problem)));
            continue;
        }
        match layout::rewritten(text.as_deref().unwrap_or(body), &problem) {
            Some(other) => text = Some(other),
            None => return Err(problem),
        }
    }
    parse(text.as_deref().unwrap_or(body), keys).map(|values| Documents { values, repeated })
}

fn parse(body: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<Vec<Value>, serde_saphyr::Error> {
    // The size of the input is not limited here; its depth is, how many values it has, and what aliases multiply.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: MAX_NODES,
            max_documents: usize::MAX,
            max_total_scalar_bytes: body.len().saturating_add(MAX_ALIASED_BYTES),
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        duplicate_keys: duplicate_keys,
        legacy_octal_numbers: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    };
    let values: Vec<value::Loose> = serde_saphyr::from_multiple_with_options(body, options)?;
    Ok(values.into_iter().map(|value| value.0).collect())
}

/// The value of a YAML text of one document.
///
/// # Errors
/// When the text is not YAML, or has several documents.
pub fn yaml_value(text: &str) -> Result<Value, serde_saphyr::Error> {
    serde_saphyr::from_str(text)
}

/// Decodes YAML documents, each an object or a list.
pub(super) fn decode(body: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    if let Some(problem) = printed::description(body) {
        return Err(DecodeError::new(origin, problem));
    }
    let Documents { values, repeated } = documents(body).map_err(|e| DecodeError::yaml(origin, body, &e))?;
    if let Some(place) = repeated {
        sink.remark(format!("{origin}: {place}; the last one counts, as for kubectl"));
    }
    let mut objects = 0;
    for document in values.into_iter().filter(|d| !d.is_null()) {
        if !document.is_object() && !document.is_array() {
            return Err(DecodeError::nothing(origin));
        }
        objects += 1;
        json::decode(&document.to_string(), origin, sink)?;
    }
    if objects == 0 {
        return Err(DecodeError::nothing(origin));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
