//! One object of a list or a series.

use serde_json::value::RawValue;

pub(super) use super::decoded::{Decoded, accept};
use super::lenient;
use crate::snapshot::{Flaw, Head, Kind, Object, OnePass, group_of, is_misplaced};

/// Decodes an item. `kind` is known for the items of a typed list.
pub(super) fn decode(raw: &RawValue, kind: Option<Kind>) -> Decoded<'_> {
    let decoded = match kind {
        Some(kind) => kind.decode_json(raw.get()).map(|object| OnePass(Some(object))),
        None => serde_json::from_str(raw.get()),
    };
    match decoded {
        Ok(OnePass(Some(object))) => Decoded::object(object),
        Ok(OnePass(None)) => decode_late_kind(raw),
        Err(_) => lenient::decode(raw, kind),
    }
}

/// Decodes an item whose `kind` stands behind other fields.
fn decode_late_kind(raw: &RawValue) -> Decoded<'_> {
    let Ok(head) = serde_json::from_str::<Head>(raw.get()) else { return lenient::decode(raw, None) };
    let group = head.api_version.as_ref().map(|v| group_of(v));
    let name = head.kind.unwrap_or_default();
    match Kind::find(group, &name) {
        Some(kind) => decode(raw, Some(kind)),
        None if name.is_empty() => lenient::decode(raw, None),
        None if is_misplaced(group, &name) => lenient::misplaced(raw, &name),
        None if &*name == "Status" => {
            Decoded::nothing(vec![Flaw::left_out("an error of the API server in place of an object")])
        }
        None => Decoded::object(Object::Other(name)),
    }
}
