//! The events of a watch.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::list_into;
use super::objects::{KeptObjects, ListedObjects};
use engine::decode::{Originals, decode_list};
use engine::snapshot::Kind;

pub(super) enum WatchEvent {
    /// An object was added or changed.
    Put(KeptObjects),
    /// An object was deleted.
    Gone(KeptObjects),
    /// Nothing has changed up to this version.
    Bookmark(String),
    /// The start version of the watch is too old.
    TooOld,
    /// An error that ends the watch, or an invalid line.
    Failed(String),
}

#[derive(Deserialize)]
struct Wire<'e> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: &'e RawValue,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    metadata: Meta,
    /// The code of a `Status`.
    code: u16,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta {
    namespace: String,
    name: String,
    resource_version: String,
}

/// HTTP's 410.
const GONE: u16 = 410;

impl WatchEvent {
    /// Decodes a line of a watch of `kind`. Complete nodes and pods are added to or removed from
    /// `originals`, unless the list in `kept` already contained the event.
    pub(super) fn decode(
        kind: Kind,
        line: &str,
        originals: Option<&mut Originals>,
        kept: Option<&KeptObjects>,
    ) -> Self {
        let Ok(wire) = serde_json::from_str::<Wire>(line) else { return Self::no_event() };
        let head: Head = serde_json::from_str(wire.object.get()).unwrap_or_default();
        let is_known = kept.is_some_and(|kept| kept.has_come_to(&head.metadata.resource_version));
        let originals = originals.filter(|_| !is_known);
        match wire.kind.as_str() {
            "BOOKMARK" => Self::Bookmark(head.metadata.resource_version),
            "ADDED" | "MODIFIED" => {
                object(kind, wire.object, head, originals).map_or_else(Self::no_event, Self::Put)
            }
            "DELETED" => {
                if let Some(originals) = originals {
                    originals.forget(kind, &head.metadata.namespace, &head.metadata.name);
                }
                object(kind, wire.object, head, None).map_or_else(Self::no_event, Self::Gone)
            }
            "ERROR" if head.code == GONE => Self::TooOld,
            "ERROR" => Self::Failed(head.message),
            _ => Self::no_event(),
        }
    }

    fn no_event() -> Self {
        Self::Failed("a line of a watch is no event".to_owned())
    }
}

/// The object of an event, decoded like an item of a list.
fn object(
    kind: Kind,
    raw: &RawValue,
    head: Head,
    originals: Option<&mut Originals>,
) -> Option<KeptObjects> {
    let page = format!(r#"{{"metadata":{{}},"items":[{}]}}"#, raw.get());
    let mut listing = ListedObjects::default();
    list_into(&mut listing, originals, |sink| decode_list(&page, kind, "a watch", sink)).ok()?;
    let mut objects = listing.kinds.remove(&kind)?;
    objects.version = head.metadata.resource_version;
    Some(objects)
}
