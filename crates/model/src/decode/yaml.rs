//! YAML: every document is converted to JSON and decoded as such.

use super::error::DecodeError;
use super::json;
use crate::snapshot::Sink;

/// Events that aliases may repeat. kubectl writes no aliases.
const MAX_ALIASED: usize = 100_000;
/// Values of all documents; those of the largest clusters have as many. Each is held at once, however short it is.
const MAX_NODES: usize = 50_000_000;
/// Bytes that aliases may repeat.
const MAX_ALIASED_BYTES: usize = 64 << 20;

/// The documents of a YAML text.
///
/// # Errors
/// When the text is not YAML, is nested too deeply, or repeats too much by aliases.
pub fn documents(body: &str) -> Result<Vec<serde_json::Value>, serde_saphyr::Error> {
    // The size of the input is not limited here; its depth is, how many values it has, and what aliases multiply.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: MAX_NODES,
            max_documents: usize::MAX,
            max_total_scalar_bytes: body.len().saturating_add(MAX_ALIASED_BYTES),
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        with_snippet: false,
    };
    serde_saphyr::from_multiple_with_options(body, options)
}

/// The value of a YAML text of one document.
///
/// # Errors
/// When the text is not YAML, or has several documents.
pub fn yaml_value(text: &str) -> Result<serde_json::Value, serde_saphyr::Error> {
    serde_saphyr::from_str(text)
}

/// Decodes YAML documents, each an object or a list.
pub(super) fn decode(body: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    let documents = documents(body).map_err(|e| DecodeError::yaml(origin, body, &e))?;
    let mut objects = 0;
    for document in documents.into_iter().filter(|d| !d.is_null()) {
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
