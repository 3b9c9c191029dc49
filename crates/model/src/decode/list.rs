//! Lists: a `List`, the typed list of an API server, a snapshot, or an array of objects.

use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::error::{REFUSED, TOO_MANY};
use super::item::ListOf;
use super::{MOST_OBJECTS, pipeline};
use crate::snapshot::{API_VERSION, DecodeIssue, Head, SNAPSHOT_KIND, Sink, Str, group_of};

/// What a document contained.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DocumentContent {
    /// A list; its items went to the sink.
    List,
    /// Not a list; nothing went to the sink.
    Single,
}

/// Decodes a document if it is a list.
pub(super) fn read_document<'de, D: Deserializer<'de>>(
    deserializer: D,
    sink: &mut dyn Sink,
) -> Result<DocumentContent, D::Error> {
    deserializer.deserialize_any(DocumentVisitor { sink })
}

struct DocumentVisitor<'s> {
    sink: &'s mut dyn Sink,
}

impl<'de> Visitor<'de> for DocumentVisitor<'_> {
    type Value = DocumentContent;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a Kubernetes object or list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<DocumentContent, A::Error> {
        let kindless = read_items(seq, &ListOf::Anything, self.sink)?;
        pipeline::run(self.sink, &ListOf::Anything, |push| kindless.into_iter().for_each(push));
        Ok(DocumentContent::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DocumentContent, A::Error> {
        let (mut kind, mut api_version): (Option<Str<'de>>, Option<Str<'de>>) = (None, None);
        // The items that remain because their kind is not known yet; `None` without a list.
        let mut kindless: Option<Vec<&'de RawValue>> = None;
        let mut header: Option<&'de RawValue> = None;
        let mut issues: Option<&'de RawValue> = None;
        while let Some(key) = map.next_key::<Str<'de>>()? {
            match key.as_str() {
                "items" => {
                    // The content of the list is known only if its kind and version come before the
                    // items.
                    let list = match (&kind, &api_version) {
                        (Some(kind), Some(version)) => ListOf::named(kind, Some(version)),
                        (Some(_) | None, _) => ListOf::Anything,
                    };
                    let items = map.next_value_seed(Items { list, sink: &mut *self.sink })?;
                    kindless.get_or_insert_default().extend(items);
                }
                // A decode issue names a single object whose `kind` differs.
                "kind" => kind = kind.or(text_of(map.next_value()?)),
                "apiVersion" => api_version = api_version.or(text_of(map.next_value()?)),
                "snapshot" => header = Some(map.next_value()?),
                "flaws" => issues = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if let Some(refusal) = not_ours(
            api_version.as_deref().unwrap_or_default(),
            kind.as_deref().unwrap_or_default(),
        ) {
            return Err(de::Error::custom(refusal));
        }
        let Some(kindless) = kindless else { return Ok(DocumentContent::Single) };
        let list = ListOf::named(kind.as_deref().unwrap_or_default(), api_version.as_deref());
        if let ListOf::Kind(kind) = list {
            self.sink.list(kind);
        }
        pipeline::run(self.sink, &list, |push| kindless.into_iter().for_each(push));
        if let Some(header) = header {
            let issues: Vec<DecodeIssue> = issues.map_or(Ok(Vec::new()), parse)?;
            issues.into_iter().for_each(|issue| self.sink.issue(issue));
            self.sink.header(parse(header)?);
        }
        Ok(DocumentContent::List)
    }
}

/// The versions of snapshots that are read; only the first is written.
const VERSIONS: [&str; 3] = [API_VERSION, "kubectl-preempt.github.io/v1alpha2", "preempt/v1alpha1"];

/// Why a document of this program is not a readable snapshot. Other documents are not checked.
fn not_ours(api_version: &str, kind: &str) -> Option<String> {
    let is_ours = VERSIONS.iter().any(|version| group_of(version) == group_of(api_version));
    if kind == SNAPSHOT_KIND && !api_version.is_empty() && !VERSIONS.contains(&api_version) {
        let versions = VERSIONS.join(", ");
        return Some(format!(
            "{REFUSED}a snapshot of version {api_version:?}; this program reads {versions}: use the one that wrote it"
        ));
    }
    (is_ours && kind != SNAPSHOT_KIND).then(|| {
        format!("{REFUSED}a {kind:?} of kubectl-preempt, not objects of a cluster: give it a snapshot, or what kubectl get prints")
    })
}

/// The text of a value; `None` for any other value.
fn text_of(raw: &RawValue) -> Option<Str<'_>> {
    serde_json::from_str::<Str>(raw.get()).ok()
}

fn parse<T: de::DeserializeOwned, E: de::Error>(raw: &RawValue) -> Result<T, E> {
    serde_json::from_str(raw.get()).map_err(E::custom)
}

/// Decodes `items`.
struct Items<'s> {
    list: ListOf,
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
        read_items(seq, &self.list, self.sink)
    }
}

/// Decodes the items of an array. The value is the items that remain because their kind is not
/// known yet.
fn read_items<'de, A: SeqAccess<'de>>(
    mut seq: A,
    list: &ListOf,
    sink: &mut dyn Sink,
) -> Result<Vec<&'de RawValue>, A::Error> {
    let (mut count, mut kindless, mut failure) = (0, Vec::new(), None);
    pipeline::run(sink, list, |push| {
        loop {
            match seq.next_element::<&'de RawValue>() {
                Ok(Some(_)) if count == MOST_OBJECTS => {
                    failure = Some(de::Error::custom(TOO_MANY));
                    break;
                }
                Ok(Some(raw)) => {
                    count += 1;
                    // If the first item has no kind, neither do the others: the list may name it
                    // after its items.
                    if !kindless.is_empty() || (!list.is_known() && count == 1 && has_no_kind(raw))
                    {
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
