//! Lists: a `List`, the typed list of an API server, a snapshot, or an array of objects.

use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{REFUSED, TOO_MANY};
use super::{MOST_OBJECTS, pipeline};
use crate::snapshot::{API_VERSION, Flaw, Head, Kind, SNAPSHOT_KIND, Sink, Str, group_of};

/// What a document turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Document {
    /// A list, whose items the sink has.
    List,
    /// No list; nothing was passed to the sink.
    Single,
}

/// Decodes a document if it is a list.
pub(super) fn read_document<'de, D: Deserializer<'de>>(
    deserializer: D,
    sink: &mut dyn Sink,
) -> Result<Document, D::Error> {
    deserializer.deserialize_any(DocumentVisitor { sink })
}

struct DocumentVisitor<'s> {
    sink: &'s mut dyn Sink,
}

impl<'de> Visitor<'de> for DocumentVisitor<'_> {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a Kubernetes object or list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Document, A::Error> {
        read_items(seq, None, self.sink)?;
        Ok(Document::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        // The kind of items that do not name it themselves.
        let mut item_kind = None;
        let mut kindless: Vec<&'de RawValue> = Vec::new();
        let mut header: Option<&'de RawValue> = None;
        let mut flaws: Option<&'de RawValue> = None;
        let mut is_list = false;
        let (mut api_version, mut own_kind) = (Str::default(), Str::default());
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match key.as_str() {
                "items" => {
                    is_list = true;
                    let seed = Items { item_kind, sink: &mut *self.sink };
                    kindless.extend(map.next_value_seed(seed)?);
                }
                "kind" => {
                    // A single object with another kind of `kind` is named by a flaw.
                    let raw = map.next_value::<&'de RawValue>()?;
                    let kind = serde_json::from_str::<Str<'de>>(raw.get()).unwrap_or_default();
                    item_kind = item_kind.or_else(|| Kind::find(None, kind.strip_suffix("List")?));
                    own_kind = kind;
                }
                "apiVersion" => {
                    // As above.
                    let raw = map.next_value::<&'de RawValue>()?;
                    api_version = serde_json::from_str(raw.get()).unwrap_or_default();
                }
                "snapshot" => header = Some(map.next_value()?),
                "flaws" => flaws = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if let Some(refusal) = not_ours(&api_version, &own_kind) {
            return Err(de::Error::custom(refusal));
        }
        if !is_list {
            return Ok(Document::Single);
        }
        pipeline::run(self.sink, item_kind, |push| kindless.into_iter().for_each(push));
        if let Some(header) = header {
            let flaws: Vec<Flaw> = flaws.map_or(Ok(Vec::new()), parse)?;
            flaws.into_iter().for_each(|flaw| self.sink.flaw(flaw));
            self.sink.header(parse(header)?);
        }
        Ok(Document::List)
    }
}

/// The version of snapshots before that of today, which is read, too.
const OLD_API_VERSION: &str = "preempt/v1alpha1";

/// Why a document of this program is no snapshot that can be read. Others are none of it.
fn not_ours(api_version: &str, kind: &str) -> Option<String> {
    let known = [API_VERSION, OLD_API_VERSION];
    let is_ours = known.iter().any(|known| group_of(known) == group_of(api_version));
    if kind == SNAPSHOT_KIND && !api_version.is_empty() && !known.contains(&api_version) {
        let known = known.join(" and ");
        return Some(format!(
            "{REFUSED}a snapshot of version {api_version:?}; this program reads {known}: use the one that wrote it"
        ));
    }
    (is_ours && kind != SNAPSHOT_KIND).then(|| {
        format!("{REFUSED}a {kind:?} of kubectl-preempt, not objects of a cluster: give it a snapshot, or what kubectl get prints")
    })
}

fn parse<T: de::DeserializeOwned, E: de::Error>(raw: &RawValue) -> Result<T, E> {
    serde_json::from_str(raw.get()).map_err(E::custom)
}

/// Decodes `items`. The value is the items that are left because their kind is not known yet.
struct Items<'s> {
    item_kind: Option<Kind>,
    sink: &'s mut dyn Sink,
}

impl<'de> de::DeserializeSeed<'de> for Items<'_> {
    type Value = Vec<&'de RawValue>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of objects")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        read_items(seq, self.item_kind, self.sink)
    }
}

/// Decodes the items of an array; see [`Items`].
fn read_items<'de, A: SeqAccess<'de>>(
    mut seq: A,
    item_kind: Option<Kind>,
    sink: &mut dyn Sink,
) -> Result<Vec<&'de RawValue>, A::Error> {
    let (mut count, mut kindless, mut failure) = (0, Vec::new(), None);
    pipeline::run(sink, item_kind, |push| {
        loop {
            match seq.next_element::<&'de RawValue>() {
                Ok(Some(_)) if count == MOST_OBJECTS => {
                    failure = Some(de::Error::custom(TOO_MANY));
                    break;
                }
                Ok(Some(raw)) => {
                    count += 1;
                    // If the first item has no kind, the others have none either: the list may name it behind its
                    // items.
                    if !kindless.is_empty() || (item_kind.is_none() && count == 1 && has_no_kind(raw)) {
                        kindless.push(raw);
                    } else {
                        push(raw);
                    }
                }
                Ok(None) => break,
                Err(e) => {
                    failure = Some(e);
                    break;
                }
            }
        }
    });
    failure.map_or(Ok(kindless), Err)
}

/// Whether an item does not name its kind.
fn has_no_kind(raw: &RawValue) -> bool {
    serde_json::from_str::<Head>(raw.get()).is_ok_and(|h| h.kind.is_none())
}
