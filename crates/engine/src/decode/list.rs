//! Lists: a `List`, the typed list of an API server, a snapshot, or an array of objects.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::DecodeError;
use super::pipeline;
use crate::object_only;
use crate::snapshot::{Flaw, Head, Kind, Sink, Str};

/// The metadata of a list.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ListMeta {
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// `metadata.continue`, the token of the next page; empty on the last page.
    pub continue_token: String,
    /// Number of items on this page.
    pub items: usize,
    /// `kind`, such as `PodList`; empty if the list names none.
    pub kind: String,
}

/// Decodes a typed list as the API server sends it: items without `kind`.
///
/// # Errors
/// [`DecodeError`] when the body is not a list, or one of another kind.
pub fn decode_page(body: &str, kind: Kind, origin: &str, sink: &mut dyn Sink) -> Result<ListMeta, DecodeError> {
    let mut deserializer = serde_json::Deserializer::from_str(body);
    let document = read_document(&mut deserializer, Some(kind), sink).map_err(|e| DecodeError::json(origin, "", &e))?;
    deserializer.end().map_err(|e| DecodeError::json(origin, "", &e))?;
    match document {
        Document::List(meta) if !is_of(kind, &meta.kind) => {
            let text = format!("the answer is a {}, not a {}List", meta.kind, kind.name());
            Err(DecodeError::new(origin, text))
        }
        Document::List(meta) if body.trim_start().starts_with('{') => Ok(meta),
        Document::List(_) | Document::Single => Err(DecodeError::new(origin, "the answer is not a list")),
    }
}

/// Whether a list that calls itself so may have objects of `kind`.
fn is_of(kind: Kind, list: &str) -> bool {
    matches!(list, "" | "List") || list.strip_suffix("List") == Some(kind.name())
}

/// What a document turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Document {
    /// A list, whose items the sink has.
    List(ListMeta),
    /// No list; nothing was passed to the sink.
    Single,
}

/// Decodes a document if it is a list. `item_kind` is the kind of items that do not name it themselves.
pub(super) fn read_document<'de, D: Deserializer<'de>>(
    deserializer: D,
    item_kind: Option<Kind>,
    sink: &mut dyn Sink,
) -> Result<Document, D::Error> {
    deserializer.deserialize_any(DocumentVisitor { item_kind, sink })
}

struct DocumentVisitor<'s> {
    item_kind: Option<Kind>,
    sink: &'s mut dyn Sink,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
struct WireListMeta<'a> {
    #[serde(borrow)]
    resource_version: Option<Str<'a>>,
    #[serde(borrow, rename = "continue")]
    continue_token: Option<Str<'a>>,
}

object_only!(decode WireListMeta<'a>);

impl<'de> Visitor<'de> for DocumentVisitor<'_> {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a Kubernetes object or list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Document, A::Error> {
        let (items, _) = read_items(seq, self.item_kind, self.sink)?;
        Ok(Document::List(ListMeta { items, ..ListMeta::default() }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let mut meta = ListMeta::default();
        let mut item_kind = self.item_kind;
        let mut kindless: Vec<&'de RawValue> = Vec::new();
        let mut header: Option<&'de RawValue> = None;
        let mut flaws: Option<&'de RawValue> = None;
        let mut is_list = false;
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match key.as_str() {
                "items" => {
                    is_list = true;
                    let seed = Items { item_kind, sink: &mut *self.sink };
                    let (items, rest) = map.next_value_seed(seed)?;
                    meta.items += items;
                    kindless.extend(rest);
                }
                "kind" => {
                    // A single object with another kind of `kind` is named by a flaw.
                    let raw = map.next_value::<&'de RawValue>()?;
                    let kind = serde_json::from_str::<Str<'de>>(raw.get()).unwrap_or_default();
                    item_kind = item_kind.or_else(|| Kind::find(None, kind.strip_suffix("List")?));
                    meta.kind = kind.to_string();
                }
                "metadata" => {
                    let raw = map.next_value::<&'de RawValue>()?;
                    if let Ok(m) = serde_json::from_str::<WireListMeta>(raw.get()) {
                        meta.resource_version = m.resource_version.unwrap_or_default().to_string();
                        meta.continue_token = m.continue_token.unwrap_or_default().to_string();
                    }
                }
                "snapshot" => header = Some(map.next_value()?),
                "flaws" => flaws = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
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
        Ok(Document::List(meta))
    }
}

fn parse<T: de::DeserializeOwned, E: de::Error>(raw: &RawValue) -> Result<T, E> {
    serde_json::from_str(raw.get()).map_err(E::custom)
}

/// Decodes `items`. The value is their number, and the items that are left because their kind is not known yet.
struct Items<'s> {
    item_kind: Option<Kind>,
    sink: &'s mut dyn Sink,
}

impl<'de> de::DeserializeSeed<'de> for Items<'_> {
    type Value = (usize, Vec<&'de RawValue>);
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = (usize, Vec<&'de RawValue>);

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of objects")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok((0, Vec::new()))
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
) -> Result<(usize, Vec<&'de RawValue>), A::Error> {
    let (mut count, mut kindless, mut failure) = (0, Vec::new(), None);
    pipeline::run(sink, item_kind, |push| {
        loop {
            match seq.next_element::<&'de RawValue>() {
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
    failure.map_or(Ok((count, kindless)), Err)
}

/// Whether an item does not name its kind.
fn has_no_kind(raw: &RawValue) -> bool {
    serde_json::from_str::<Head>(raw.get()).is_ok_and(|h| h.kind.is_none())
}
