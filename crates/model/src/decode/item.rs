//! One object of a list or a series.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::MOST_OBJECTS;
pub(super) use super::decoded::{Decoded, accept};
use super::lenient;
use crate::snapshot::{DecodeIssue, Head, Kind, Object, OnePass, Str, group_of, is_misplaced};

/// What a list says about the kind of its items, which do not name it themselves in the lists of an
/// API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListOf {
    /// Nothing: a `List`, or objects one after the other.
    Anything,
    /// Objects of a kind that is read.
    Kind(Kind),
    /// Objects of another kind of that name, which is not read.
    Other(Box<str>),
}

impl ListOf {
    /// What the list of that kind and `apiVersion` holds: a `PodList` of `v1` pods, a `List`
    /// anything.
    pub(super) fn named(list: &str, api_version: Option<&str>) -> Self {
        let Some(name) = list.strip_suffix("List").filter(|name| !name.is_empty()) else {
            return Self::Anything;
        };
        let group = api_version.map(group_of).filter(|group| !is_misplaced(Some(group), name));
        Kind::find(group, name).map_or_else(|| Self::Other(name.into()), Self::Kind)
    }

    /// Whether items need not name their kind.
    pub(super) fn is_known(&self) -> bool {
        *self != Self::Anything
    }
}

pub(super) fn decode<'a>(raw: &'a RawValue, list: &ListOf) -> Decoded<'a> {
    match list {
        ListOf::Anything => decode_object(raw, None),
        ListOf::Kind(kind) => decode_object(raw, Some(*kind)),
        ListOf::Other(name) => match serde_json::from_str::<Head>(raw.get()) {
            Ok(Head { kind: None, .. }) => {
                Decoded::whole(Object::Other(name.to_string().into()), raw.get())
            }
            Ok(_) | Err(_) => decode_object(raw, None),
        },
    }
}

/// Decodes an object. `kind` is known for the items of a typed list.
fn decode_object(raw: &RawValue, kind: Option<Kind>) -> Decoded<'_> {
    let decoded = match kind {
        Some(kind) => kind.decode_json(raw.get()).map(|object| OnePass(Some(object))),
        None => serde_json::from_str(raw.get()),
    };
    match decoded {
        Ok(OnePass(Some(Object::Other(name)))) => of_another_kind(raw, name),
        Ok(OnePass(Some(object))) => Decoded::whole(object, raw.get()),
        Ok(OnePass(None)) => decode_late_kind(raw),
        Err(_) => lenient::decode(raw, kind),
    }
}

/// Decodes an item whose `kind` comes after other fields.
fn decode_late_kind(raw: &RawValue) -> Decoded<'_> {
    let Ok(head) = serde_json::from_str::<Head>(raw.get()) else {
        return lenient::decode(raw, None);
    };
    let group = head.api_version.as_ref().map(|v| group_of(v));
    let name = head.kind.unwrap_or_default();
    match Kind::find(group, &name) {
        Some(kind) => decode_object(raw, Some(kind)),
        None if name.is_empty() => lenient::decode(raw, None),
        None if is_misplaced(group, &name) => lenient::misplaced(raw, &name),
        None if &*name == "Status" => Decoded::nothing(vec![DecodeIssue::left_out(
            "an error of the API server in place of an object",
        )]),
        None => of_another_kind(raw, name),
    }
}

/// An object of a kind that is not read, or a list among the items.
fn of_another_kind<'a>(raw: &'a RawValue, name: Str<'a>) -> Decoded<'a> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct List<'a> {
        #[serde(default)]
        api_version: Option<String>,
        #[serde(borrow)]
        items: Vec<&'a RawValue>,
    }
    if !name.ends_with("List") {
        return Decoded::whole(Object::Other(name), raw.get());
    }
    match serde_json::from_str::<List>(raw.get()) {
        Ok(list) if list.items.len() < MOST_OBJECTS => {
            let of = ListOf::named(&name, list.api_version.as_deref());
            let items = list.items.iter().map(|item| decode(item, &of)).collect();
            let kind = if let ListOf::Kind(kind) = of { Some(kind) } else { None };
            Decoded::list(kind, items)
        }
        Ok(_) | Err(_) => Decoded::whole(Object::Other(name), raw.get()),
    }
}
