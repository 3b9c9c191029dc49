//! One object of a list or a series.

use serde_json::value::RawValue;

use super::lenient;
use crate::snapshot::{Flaw, Head, Kind, Object, OnePass, Sink, group_of, is_misplaced};

/// A decoded item: the object, if any, and what was wrong with it.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub found: Option<Found<'a>>,
    pub flaws: Vec<Flaw>,
}

/// What an item turned out to be.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// An object of which every field could be read.
    Object(Object<'a>),
    /// The JSON of an object without the fields that could not be read. It is decoded when it is passed to the sink, because the
    /// object borrows from it.
    Mended(Kind, String),
}

impl<'a> Decoded<'a> {
    /// An object with which nothing is wrong.
    pub(super) fn object(object: Object<'a>) -> Self {
        Self { found: Some(Found::Object(object)), flaws: Vec::new() }
    }

    /// An item that is left out.
    pub(super) fn nothing(flaws: Vec<Flaw>) -> Self {
        Self { found: None, flaws }
    }
}

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

/// Passes an item to the sink.
pub(super) fn accept(decoded: Decoded<'_>, sink: &mut dyn Sink) {
    decoded.flaws.into_iter().for_each(|flaw| sink.flaw(flaw));
    match decoded.found {
        Some(Found::Object(object)) => sink.object(object),
        Some(Found::Mended(kind, text)) => {
            // Only text that can be decoded is mended.
            if let Ok(object) = kind.decode_json(&text) {
                sink.object(object);
            }
        }
        None => {}
    }
}
