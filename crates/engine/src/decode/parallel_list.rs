//! A long `List`, decoded by all threads without looking for the ends of its items first: that alone would take as long
//! as half of the decoding.
//!
//! Every task starts at a place that looks like the start of an item, and decodes item by item up to where the next task
//! started. What it found counts only if the items before end exactly where it started; otherwise that place was
//! something else, a part of an item perhaps, and its chunk_bytes is decoded again from the right place. So the outcome is
//! always that of decoding from front to back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::{Decoded, decode_item};
use crate::snapshot::{Kind, OnePass, Sink};

/// Bytes that one task decodes, more or less.
pub const CHUNK_BYTES: usize = 1 << 20;
/// Stretches that may be under way, so that memory stays bounded.
const STRETCHES_IN_FLIGHT: usize = 16;
/// Where `items` must have begun.
const HEAD_BYTES: usize = 4096;

/// Decodes the items of the `List` at the start of `body`, as long as they are objects that begin with their kind, and
/// returns the document without them. `None`: it is not such a list.
///
/// # Errors
/// When the text is not JSON.
pub fn decode_items(body: &str, chunk_bytes: usize, sink: &mut dyn Sink) -> Result<Option<String>, serde_json::Error> {
    let Some(open) = find_items(body) else { return Ok(None) };
    let first = skip_space(body, open);
    let (end, is_closed) = decode_stretches(body, first, chunk_bytes, sink);
    if end == first {
        return Ok(None);
    }
    if !is_closed {
        // An item that is no object, or no JSON at all.
        let mut documents = Deserializer::from_str(body).into_iter::<IgnoredAny>();
        documents.next().transpose()?;
    }
    let (head, rest) = (body.get(..open).unwrap_or_default(), body.get(end..).unwrap_or_default());
    Ok(Some([head, rest].concat()))
}

/// The place behind the `[` of a list whose items say their kind themselves.
fn find_items(body: &str) -> Option<usize> {
    #[derive(Deserialize)]
    struct Head {
        kind: Option<String>,
        #[serde(rename = "items")]
        _items: [IgnoredAny; 0],
    }
    let key = body.bytes().take(HEAD_BYTES).collect::<Vec<u8>>();
    let key = key.windows(7).position(|w| w == b"\"items\"")?;
    let open = key + body.get(key..)?.find('[')? + 1;
    if !starts_item(body.get(open..)?.trim_start()) {
        return None;
    }
    // With the list closed here, the text is an object with an empty list only if this is the list's own `items`.
    let head: Head = serde_json::from_str(&format!("{}]}}", body.get(..open)?)).ok()?;
    let items_have_kind = head.kind.is_none_or(|k| k.strip_suffix("List").and_then(|k| Kind::find(None, k)).is_none());
    items_have_kind.then_some(open)
}

/// Whether `text` begins as an object with `apiVersion` and `kind`.
fn starts_item(text: &str) -> bool {
    let mut parts = text.splitn(8, '"').map(str::trim);
    let mut next = || parts.next().unwrap_or_default();
    (next(), next(), next()) == ("{", "apiVersion", ":") && !next().is_empty() && (next(), next()) == (",", "kind")
}

/// The first place from `from` on that looks like the start of an item behind another one.
fn guess_start(body: &str, from: usize) -> Option<usize> {
    let from = (from..body.len()).find(|i| body.is_char_boundary(*i))?;
    body.get(from..)?.match_indices("\"apiVersion\"").find_map(|(at, _)| {
        let start = body.get(..from + at)?.trim_end().strip_suffix('{')?;
        let is_next = start.trim_end().strip_suffix(',').is_some_and(|before| before.trim_end().ends_with('}'));
        (start.len() >= from && is_next && starts_item(body.get(start.len()..)?)).then_some(start.len())
    })
}

fn skip_space(body: &str, at: usize) -> usize {
    body.len() - body.get(at..).unwrap_or_default().trim_start().len()
}

/// Items one behind the other.
struct Stretch<'a> {
    start: usize,
    items: Vec<Decoded<'a>>,
    /// Start of the next item, or the end of the list.
    end: usize,
    /// What is found at `end`.
    then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Maybe another item.
    Item,
    /// The closing bracket.
    Closed,
    /// Something that is not decoded here.
    Unknown,
}

/// Decodes items from `start` on, up to the first that starts at `limit` or behind it.
fn decode_stretch(body: &str, start: usize, limit: usize) -> Stretch<'_> {
    let mut chunk_bytes = Stretch { start, items: Vec::new(), end: start, then: Then::Item };
    while chunk_bytes.end < limit && chunk_bytes.then == Then::Item {
        let item = decode_next(body.get(chunk_bytes.end..).unwrap_or_default());
        let Some((item, length)) = item else {
            chunk_bytes.then = Then::Unknown;
            break;
        };
        let behind = skip_space(body, chunk_bytes.end + length);
        match body.as_bytes().get(behind) {
            Some(b',') => chunk_bytes.end = skip_space(body, behind + 1),
            Some(b']') => (chunk_bytes.end, chunk_bytes.then) = (behind, Then::Closed),
            _ => {
                chunk_bytes.then = Then::Unknown;
                break;
            }
        }
        chunk_bytes.items.push(item);
    }
    chunk_bytes
}

/// The object at the start of `text`, and its length.
fn decode_next(text: &str) -> Option<(Decoded<'_>, usize)> {
    if !text.starts_with('{') {
        return None;
    }
    let mut objects = Deserializer::from_str(text).into_iter::<OnePass>();
    if let Some(Ok(OnePass::Decoded(object))) = objects.next() {
        return Some(((Some(object), Vec::new()), objects.byte_offset()));
    }
    let mut objects = Deserializer::from_str(text).into_iter::<&RawValue>();
    let raw = objects.next()?.ok()?;
    Some((decode_item(raw, None), objects.byte_offset()))
}

/// Feeds the sink with the items from `first` on; returns where they end, and whether the list does.
fn decode_stretches(body: &str, first: usize, length: usize, sink: &mut dyn Sink) -> (usize, bool) {
    if body.len() <= 2 * length {
        // Too short to be shared, but still spared the pass that looks for the ends of items.
        let chunk_bytes = decode_stretch(body, first, body.len());
        chunk_bytes.items.into_iter().for_each(|item| sink.accept(item));
        return (chunk_bytes.end, chunk_bytes.then == Then::Closed);
    }
    let mut starts = std::iter::successors(Some(first), |at| guess_start(body, at + length)).peekable();
    let (done, results) = mpsc::channel();
    let (mut under_way, mut finished) = (VecDeque::new(), BTreeMap::new());
    let mut at = first;
    rayon::in_place_scope(|scope| {
        loop {
            while under_way.len() < STRETCHES_IN_FLIGHT
                && let Some(start) = starts.next()
            {
                let (limit, done) = (starts.peek().copied().unwrap_or(body.len()), done.clone());
                under_way.push_back((start, limit));
                scope.spawn(move |_| {
                    // The receiver lives as long as the scope.
                    let _ = done.send(decode_stretch(body, start, limit));
                });
            }
            let Some((start, limit)) = under_way.pop_front() else { return (at, false) };
            while !finished.contains_key(&start)
                && let Ok(chunk_bytes) = results.recv()
            {
                finished.insert(chunk_bytes.start, chunk_bytes);
            }
            if limit <= at {
                finished.remove(&start);
                continue;
            }
            let guessed = finished.remove(&start).filter(|chunk_bytes| chunk_bytes.start == at);
            let chunk_bytes = guessed.unwrap_or_else(|| decode_stretch(body, at, limit));
            chunk_bytes.items.into_iter().for_each(|item| sink.accept(item));
            at = chunk_bytes.end;
            if chunk_bytes.then != Then::Item {
                return (at, chunk_bytes.then == Then::Closed);
            }
        }
    })
}

#[cfg(test)]
mod tests;
