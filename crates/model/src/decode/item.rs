//! One object of a list or a series.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lenient;
use crate::snapshot::{Flaw, Head, Kind, Object, OnePass, Sink, group_of, is_misplaced};

/// A decoded item: the object, if any, and what was wrong with it.
pub(super) type Decoded<'a> = (Option<Object<'a>>, Vec<Flaw>);

/// Decodes an item. `kind` is known for the items of a typed list.
pub(super) fn decode(raw: &RawValue, kind: Option<Kind>) -> Decoded<'_> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    let decoded = match kind {
        Some(kind) => kind.decode(&mut deserializer).map(|object| OnePass(Some(object))),
        None => OnePass::deserialize(&mut deserializer),
    };
    match decoded {
        Ok(OnePass(Some(object))) => (Some(object), Vec::new()),
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
        None if &*name == "Status" => (None, vec![Flaw::left_out("an error of the API server in place of an object")]),
        None => (Some(Object::Other(name)), Vec::new()),
    }
}

/// Passes an item to the sink.
pub(super) fn accept((object, flaws): Decoded<'_>, sink: &mut dyn Sink) {
    flaws.into_iter().for_each(|flaw| sink.flaw(flaw));
    if let Some(object) = object {
        sink.object(object);
    }
}
