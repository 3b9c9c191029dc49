//! Bytes to objects: a `List`, a typed list, a snapshot, single objects, concatenated JSON, YAML documents.
//!
//! The sink gets the items in the order of the input, whatever decodes them:
//!
//! - A long `List` whose items begin with `apiVersion` and `kind` is decoded in chunks by all threads
//!   (`parallel_list`).
//! - Any other list is split into its items by one thread, and they are decoded by all (`pipeline`).
//! - An item with a field of the wrong type is decoded without this field, which is reported (`lenient`).

mod error;
mod format;
mod item;
mod json;
mod lenient;
mod list;
mod manifest;
mod parallel_list;
mod pipeline;
mod plain;
mod yaml;

pub use error::DecodeError;
pub use list::{ListMeta, decode_page};
pub use manifest::whole_objects;
pub use yaml::documents as yaml_documents;

use crate::snapshot::Sink;
use format::Format;

/// Decodes everything in `text`: JSON (one document, several, or one per line) or YAML documents. `origin` names the
/// source in errors.
///
/// # Errors
/// [`DecodeError`] when the text is neither; it names the place.
pub fn decode(text: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    match Format::of(text) {
        Format::Empty => Err(DecodeError::new(origin, "the file is empty")),
        Format::Json(body) => json::decode(body, origin, sink),
        Format::Yaml(body) => yaml::decode(body, origin, sink),
    }
}
