//! JSON: one document, several one after the other, or one per line.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

use super::error::{DecodeError, REFUSED, Shift, TOO_MANY};
use super::format::{self, JSON_SPACE};
use super::item::ListOf;
use super::list::{DocumentContent, read_document};
use super::{MOST_OBJECTS, parallel_list, pipeline};
use crate::snapshot::{Head, SNAPSHOT_KIND, Sink};

/// Decodes all documents of a text.
pub(super) fn decode(text: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    if format::skips(text, format::names_kind, sink) {
        return Ok(());
    }
    decode_part(text, origin, Shift::NONE, sink)
}

/// Decodes all documents of a text that is part of a larger one.
pub(super) fn decode_part(
    text: &str,
    origin: &str,
    shift: Shift,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    if let Some(rest) = parallel_list::decode_items(text, parallel_list::CHUNK_BYTES, sink)
        .map_err(|e| DecodeError::json(origin, "", shift, &e))?
    {
        // Positions in messages must be those in the whole text.
        return decode(&rest, origin, sink).map_err(|e| {
            (serde_json::Deserializer::from_str(text).into_iter::<Marker>().find_map(Result::err))
                .map_or(e, |e| DecodeError::json(origin, "", shift, &e))
        });
    }
    let mut start = 0;
    loop {
        let (before, body) = text.split_at(start);
        // The first document decides: a list is streamed; anything else makes the input a series of
        // documents.
        let mut deserializer = serde_json::Deserializer::from_str(body);
        let first = read_document(&mut deserializer, sink)
            .map_err(|e| DecodeError::json(origin, before, shift, &e))?;
        if first == DocumentContent::Single {
            return decode_series(before, body, origin, shift, sink);
        }
        if deserializer.end().is_ok() {
            return Ok(());
        }
        // After a list, further documents follow.
        let mut stream = serde_json::Deserializer::from_str(body).into_iter::<Marker>();
        let Some(Ok(_)) = stream.next() else { return Ok(()) };
        let rest =
            body.get(stream.byte_offset()..).unwrap_or_default().trim_start_matches(JSON_SPACE);
        if rest.is_empty() {
            return Ok(());
        }
        start = text.len() - rest.len();
    }
}

/// Any JSON document, which is skipped.
struct Marker;

impl<'de> Deserialize<'de> for Marker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// Decodes single objects one after the other (NDJSON or concatenated), then the lists among them.
fn decode_series(
    before: &str,
    body: &str,
    origin: &str,
    shift: Shift,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    // Lists are put off, because the pipeline is busy with the objects before them.
    let mut lists: Vec<&RawValue> = Vec::new();
    let mut failure = None;
    pipeline::run(sink, &ListOf::Anything, |push| {
        for (count, document) in
            serde_json::Deserializer::from_str(body).into_iter::<&RawValue>().enumerate()
        {
            match document {
                Ok(_) if count == MOST_OBJECTS => {
                    failure = Some(DecodeError::new(origin, TOO_MANY.trim_start_matches(REFUSED)));
                    break;
                }
                Ok(raw) if looks_like_list(raw) => lists.push(raw),
                Ok(raw) => push(raw),
                Err(e) => {
                    failure = Some(DecodeError::json(origin, before, shift, &e));
                    break;
                }
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    for raw in lists {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        read_document(&mut deserializer, sink)
            .map_err(|e| DecodeError::json(origin, before, shift, &e))?;
    }
    Ok(())
}

/// Whether a document is a list or a snapshot. Only one that looks like it is parsed to find out.
fn looks_like_list(raw: &RawValue) -> bool {
    let start: String = raw.get().chars().take(4096).filter(|c| !c.is_whitespace()).collect();
    start.starts_with('[')
        || ["List\",", "List\"}", "\"kind\":\"Snapshot\""].iter().any(|mark| start.contains(mark))
            && serde_json::from_str::<Head>(raw.get())
                .ok()
                .and_then(|h| h.kind)
                .is_some_and(|k| k.ends_with("List") || &*k == SNAPSHOT_KIND)
}
