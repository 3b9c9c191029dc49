//! A page of a list, split into its objects while it arrives, so that no page has to fit into
//! memory.
//!
//! The receiver of the page passes on its bytes as they come, and gets batches of whole objects,
//! which another thread may decode.

mod json;
mod protobuf;

use std::ops::Range;

use serde_json::value::RawValue;

use super::error::DecodeError;
use super::item::{self, Decoded};
use super::{LEAST_ITEMS, lenient};
use crate::parallel;
use crate::plain::plain_json;
use crate::snapshot::others::Namespace;
use crate::snapshot::{
    DecodeIssue, DecodeIssueKind, DecodeIssueObject, Kind, Merge as _, Sink, Value, group_of,
};

/// Approximate number of bytes per batch, enough to keep several threads busy.
const BATCH_BYTES: usize = 1 << 20;
/// Maximum number of objects per batch, and of those that are decoded at a time: an object may have
/// no byte, and takes many once it is decoded.
const BATCH_OBJECTS: usize = 4096;
/// Maximum number of bytes of one object, ten times what etcd accepts.
const LARGEST_OBJECT: usize = 16 << 20;

/// How an API server writes objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireEncoding {
    /// `application/json`.
    Json,
    /// `application/vnd.kubernetes.protobuf`.
    Protobuf,
}

/// The metadata of a list.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ListMeta {
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// `metadata.continue`, the token of the next page; empty on the last page.
    pub continue_token: String,
    /// `kind`, such as `PodList`; empty if the list names none.
    kind: String,
    /// `apiVersion`, such as `v1`; empty if the list names none.
    api_version: String,
}

impl ListMeta {
    /// Whether it has a kind, as every list of an API server does.
    pub fn is_named(&self) -> bool {
        !self.kind.is_empty()
    }

    /// Rejects a list that claims another kind.
    fn check(&self, kind: Kind) -> Result<(), Problem> {
        let name = kind.name();
        let group = group_of(&self.api_version);
        match &*self.kind {
            "" | "List" => Ok(()),
            said if said.strip_suffix("List") != Some(name) => {
                Err(format!("the answer is a {said}, not a {name}List"))
            }
            _ if group.is_empty() || group == kind.group() => Ok(()),
            said => Err(format!(
                "the answer is a {said} of {}, not of the group {}",
                self.api_version,
                kind.group()
            )),
        }
    }
}

/// A page that is being received.
#[derive(Debug)]
pub struct ListPage {
    splitter: Splitter,
    items: Items,
}

#[derive(Debug)]
enum Splitter {
    Json(json::JsonSplitter),
    Protobuf(protobuf::ProtobufSplitter),
}

impl ListPage {
    /// The page of a list of `kind` in this encoding. `origin` names it in errors.
    pub fn new(kind: Kind, encoding: WireEncoding, origin: &str) -> Self {
        let splitter = match encoding {
            WireEncoding::Json => Splitter::Json(json::JsonSplitter::default()),
            WireEncoding::Protobuf => Splitter::Protobuf(protobuf::ProtobufSplitter::default()),
        };
        let items = Items {
            kind,
            encoding,
            origin: origin.to_owned(),
            bytes: Vec::new(),
            ends: Vec::new(),
        };
        Self { splitter, items }
    }

    /// Takes the next bytes. Returns the objects that are complete once there are enough of them.
    ///
    /// # Errors
    /// [`DecodeError`] when these are not the bytes of a list.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Items>, DecodeError> {
        let pushed = match &mut self.splitter {
            Splitter::Json(splitter) => splitter.push(bytes, &mut self.items),
            Splitter::Protobuf(splitter) => splitter.push(bytes, &mut self.items),
        };
        pushed.map_err(|problem| self.items.error(problem))?;
        let begun = match &self.splitter {
            Splitter::Json(splitter) => {
                splitter.rest.len().max(self.items.bytes.len() - self.items.complete())
            }
            Splitter::Protobuf(splitter) => splitter.pending.len(),
        };
        if begun > LARGEST_OBJECT {
            return Err(self
                .items
                .error(format!("an object in it has more than {} MiB", LARGEST_OBJECT >> 20)));
        }
        let is_full = self.items.complete() >= BATCH_BYTES || self.items.len() >= BATCH_OBJECTS;
        Ok(is_full.then(|| self.items.split()))
    }

    /// Takes the end of the page. Returns the last objects, and the metadata of the list.
    ///
    /// # Errors
    /// [`DecodeError`] when the page is not complete, or no list of its kind.
    pub fn finish(self) -> Result<(Items, ListMeta), DecodeError> {
        let meta = match self.splitter {
            Splitter::Json(splitter) => splitter.finish(),
            Splitter::Protobuf(splitter) => splitter.finish(),
        };
        let meta = meta.map_err(|problem| self.items.error(problem))?;
        meta.check(self.items.kind).map_err(|problem| self.items.error(problem))?;
        Ok((self.items, meta))
    }
}

/// Decodes a complete JSON list of `kind`. `origin` names it in errors.
///
/// # Errors
/// [`DecodeError`] if the text is not such a list.
pub fn decode_list(
    text: &str,
    kind: Kind,
    origin: &str,
    sink: &mut dyn Sink,
) -> Result<ListMeta, DecodeError> {
    let mut page = ListPage::new(kind, WireEncoding::Json, origin);
    if let Some(items) = page.push(text.as_bytes())? {
        items.decode(sink)?;
    }
    let (items, meta) = page.finish()?;
    items.decode(sink)?;
    Ok(meta)
}

type Problem = String;

/// The page ended too early.
fn truncated() -> Problem {
    "the answer ends in the middle".to_owned()
}

/// Objects of a page that are not decoded yet.
#[derive(Debug)]
pub struct Items {
    kind: Kind,
    encoding: WireEncoding,
    origin: String,
    /// The objects one after the other, and the beginning of an incomplete one.
    bytes: Vec<u8>,
    /// Where each object ends.
    ends: Vec<usize>,
}

impl Items {
    fn error(&self, problem: Problem) -> DecodeError {
        DecodeError::new(&*self.origin, problem)
    }

    /// Bytes of the objects that are complete.
    fn complete(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Takes the complete objects; an incomplete one stays.
    fn split(&mut self) -> Self {
        let begun = self.bytes.split_off(self.complete());
        let (bytes, ends) =
            (std::mem::replace(&mut self.bytes, begun), std::mem::take(&mut self.ends));
        Self { kind: self.kind, encoding: self.encoding, origin: self.origin.clone(), bytes, ends }
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Decodes the objects on all threads, and passes them to the sink in their order.
    ///
    /// # Errors
    /// [`DecodeError`] when an object is no JSON. A field that cannot be decoded is an issue.
    pub fn decode(&self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        if self.encoding == WireEncoding::Json && sink.wants_text() {
            sink.text(Some(self.kind), &String::from_utf8_lossy(&self.bytes));
        }
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges: Vec<Range<usize>> =
            starts.zip(&self.ends).map(|(start, end)| start..*end).collect();
        for ranges in ranges.chunks(BATCH_OBJECTS) {
            let decoded: Result<Vec<Decoded>, DecodeError> =
                parallel::map(ranges, LEAST_ITEMS, |range| {
                    self.item(self.bytes.get(range.clone()).unwrap_or_default())
                });
            decoded?.into_iter().for_each(|decoded| item::accept(decoded, sink));
        }
        Ok(())
    }

    fn item<'i>(&self, bytes: &'i [u8]) -> Result<Decoded<'i>, DecodeError> {
        match self.encoding {
            WireEncoding::Json => self.json_item(bytes),
            WireEncoding::Protobuf => Ok(self.protobuf_item(bytes)),
        }
    }

    fn json_item<'i>(&self, bytes: &'i [u8]) -> Result<Decoded<'i>, DecodeError> {
        let not_json = |problem: &str| self.error(format!("not valid JSON: {problem}"));
        let text = std::str::from_utf8(bytes).map_err(|_| not_json("it is not text"))?;
        if let Ok(object) = self.kind.decode_json(text) {
            return Ok(Decoded::object(object));
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(|e| not_json(&plain_json(&e)))?;
        Ok(lenient::decode(raw, Some(self.kind)))
    }

    fn protobuf_item<'i>(&self, bytes: &'i [u8]) -> Decoded<'i> {
        if let Ok(object) = self.kind.decode_protobuf(bytes) {
            return Decoded::object(object);
        }
        // Only the metadata of a namespace is read, as far as the damage allows.
        let mut named = Namespace::default();
        let _ = named.merge(Value::Bytes(bytes));
        let object = DecodeIssueObject {
            kind: self.kind.name().to_owned(),
            namespace: named.metadata.namespace.to_string(),
            name: named.metadata.name.to_string(),
        };
        let problem = "its protobuf is damaged".to_owned();
        Decoded::nothing(vec![DecodeIssue {
            kind: DecodeIssueKind::LeftOut,
            object: Some(object),
            problem,
            ..DecodeIssue::default()
        }])
    }
}

#[cfg(test)]
mod tests;
