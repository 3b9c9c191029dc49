//! Bytes to objects: a `List`, a typed list, a snapshot, single objects, concatenated JSON, YAML documents.
//!
//! A long list whose items begin with their kind is decoded by all threads from guessed places on (`ahead`); any other
//! one is cut into its items by one thread and decoded by all. The sink sees the items in input order either way. An item
//! with a field of the wrong type is decoded without that field, and the field is reported (`lenient`).

mod error;
mod lenient;
mod parallel_list;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

pub use error::DecodeError;

use crate::snapshot::{Flaw, Head, Kind, Object, OnePass, SNAPSHOT_KIND, Sink, Str};

/// Items of one window are decoded by one task.
const WINDOW_ITEMS: usize = 512;
/// Windows that may wait for the sink, so that memory stays bounded.
const WINDOWS_IN_FLIGHT: usize = 16;
/// Parts of YAML that aliases may repeat; kubectl writes none at all.
const MAX_ALIASED: usize = 100_000;

/// What a list says of itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ListMeta {
    /// Version of the list.
    pub resource_version: String,
    /// Token of the next page; empty on the last.
    pub continue_token: String,
    /// Items in this page.
    pub items: usize,
}

/// Decodes everything in `text`: JSON (one document, several, or one per line) or YAML documents. `origin` names the
/// source in errors.
///
/// # Errors
/// [`DecodeError`] when the text is neither; it names the place.
pub fn decode(text: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    let body = text.trim_start_matches('\u{feff}').trim_start();
    match body.as_bytes().first() {
        None => Err(DecodeError::new(origin, "the file is empty")),
        Some(b'{' | b'[') => decode_json(body, origin, sink),
        Some(_) => decode_yaml(body, origin, sink),
    }
}

/// Decodes a typed list as the API server sends it: items without `kind`.
///
/// # Errors
/// [`DecodeError`] when the body is not a list.
pub fn decode_page(body: &str, kind: Kind, origin: &str, sink: &mut dyn Sink) -> Result<ListMeta, DecodeError> {
    let mut deserializer = serde_json::Deserializer::from_str(body);
    let document = read_document(&mut deserializer, Some(kind), sink).map_err(|e| json_error(origin, "", &e))?;
    deserializer.end().map_err(|e| json_error(origin, "", &e))?;
    match document {
        Document::List(meta) if body.trim_start().starts_with('{') => Ok(meta),
        Document::List(_) | Document::Single => Err(DecodeError::new(origin, "the answer is not a list")),
    }
}

fn decode_json(text: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    if let Some(rest) =
        parallel_list::decode_items(text, parallel_list::CHUNK_BYTES, sink).map_err(|e| json_error(origin, "", &e))?
    {
        // An error has to be told by its place in the whole text.
        let whole = || serde_json::Deserializer::from_str(text).into_iter::<Marker>().find_map(Result::err);
        return decode_json(&rest, origin, sink).map_err(|e| whole().map_or(e, |e| json_error(origin, "", &e)));
    }
    let mut start = 0;
    loop {
        let (before, body) = text.split_at(start);
        // The first document decides: a list is streamed; anything else makes the input a series of documents.
        let mut deserializer = serde_json::Deserializer::from_str(body);
        let first = read_document(&mut deserializer, None, sink).map_err(|e| json_error(origin, before, &e))?;
        if first == Document::Single {
            return decode_series(before, body, origin, sink);
        }
        if deserializer.end().is_ok() {
            return Ok(());
        }
        // Behind a list, further documents follow.
        let mut stream = serde_json::Deserializer::from_str(body).into_iter::<Marker>();
        let Some(Ok(_)) = stream.next() else { return Ok(()) };
        let rest = body.get(stream.byte_offset()..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            return Ok(());
        }
        start = text.len() - rest.len();
    }
}

/// Any JSON document, passed over.
struct Marker;

impl<'de> Deserialize<'de> for Marker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// Single objects one after the other (NDJSON or simply concatenated), lists among them.
fn decode_series(before: &str, body: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    let mut lists: Vec<&RawValue> = Vec::new();
    let mut failure = None;
    pipeline(sink, None, |push| {
        for document in serde_json::Deserializer::from_str(body).into_iter::<&RawValue>() {
            match document {
                Ok(raw) if looks_like_list(raw) => lists.push(raw),
                Ok(raw) => push(raw),
                Err(e) => {
                    failure = Some(json_error(origin, before, &e));
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
        read_document(&mut deserializer, None, sink).map_err(|e| json_error(origin, before, &e))?;
    }
    Ok(())
}

fn looks_like_list(raw: &RawValue) -> bool {
    let start: String = raw.get().chars().take(4096).filter(|c| !c.is_whitespace()).collect();
    start.starts_with('[')
        || ["List\",", "List\"}", "\"kind\":\"Snapshot\""].iter().any(|mark| start.contains(mark))
            && serde_json::from_str::<Head>(raw.get())
                .ok()
                .and_then(|h| h.kind)
                .is_some_and(|k| k.ends_with("List") || &*k == SNAPSHOT_KIND)
}

/// The documents of a YAML text.
pub fn yaml_documents(body: &str) -> Result<Vec<serde_json::Value>, serde_saphyr::Error> {
    // Large inputs are welcome; what is limited is depth, and what aliases multiply.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        with_snippet: false,
    };
    serde_saphyr::from_multiple_with_options(body, options)
}

/// The objects of a text as they stand, with all their fields: for manifests, of which there are few.
///
/// # Errors
/// [`DecodeError`] when the text is neither JSON nor YAML, or holds something else than objects.
pub fn whole_objects(text: &str, origin: &str) -> Result<Vec<serde_json::Value>, DecodeError> {
    let body = text.trim_start_matches('\u{feff}').trim_start();
    let documents = match body.as_bytes().first() {
        None => return Err(DecodeError::new(origin, "the file is empty")),
        Some(b'{' | b'[') => {
            let documents = serde_json::Deserializer::from_str(body).into_iter::<serde_json::Value>();
            documents.collect::<Result<Vec<_>, _>>().map_err(|e| json_error(origin, "", &e))?
        }
        Some(_) => yaml_documents(body).map_err(|e| yaml_error(origin, &e))?,
    };
    let mut objects = Vec::new();
    let mut todo: Vec<serde_json::Value> = documents.into_iter().rev().collect();
    while let Some(mut document) = todo.pop() {
        match document.get_mut("items").map(serde_json::Value::take) {
            Some(serde_json::Value::Array(items)) => todo.extend(items.into_iter().rev()),
            Some(_) | None if document.is_null() => {}
            Some(_) | None if document.get("kind").is_some_and(serde_json::Value::is_string) => objects.push(document),
            Some(_) | None => return Err(DecodeError::new(origin, "not a Kubernetes object: it has no kind")),
        }
    }
    if objects.is_empty() {
        return Err(DecodeError::new(origin, "no Kubernetes object in it"));
    }
    Ok(objects)
}

fn decode_yaml(body: &str, origin: &str, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    let documents = yaml_documents(body).map_err(|e| yaml_error(origin, &e))?;
    let mut objects = 0;
    for document in documents.into_iter().filter(|d| !d.is_null()) {
        if !document.is_object() && !document.is_array() {
            return Err(DecodeError::new(origin, "neither JSON nor YAML with Kubernetes objects"));
        }
        objects += 1;
        decode_json(&document.to_string(), origin, sink)?;
    }
    if objects == 0 {
        return Err(DecodeError::new(origin, "no Kubernetes object in it"));
    }
    Ok(())
}

fn yaml_error(origin: &str, e: &serde_saphyr::Error) -> DecodeError {
    let text = e.to_string();
    let line = text.lines().next().unwrap_or_default();
    let limits = ["budget breached", "recursion limit", "replay", "alias expansion"];
    let what = if limits.iter().any(|limit| line.contains(limit)) {
        "the YAML is nested too deeply or multiplies itself by aliases".to_owned()
    } else {
        format!("not JSON, and not valid YAML: {}", line.strip_prefix("error: ").unwrap_or(line))
    };
    DecodeError::new(origin, what)
}

/// An error in JSON that stands behind `before`.
fn json_error(origin: &str, before: &str, e: &serde_json::Error) -> DecodeError {
    let line = before.matches('\n').count() + e.line();
    let skipped = if e.line() == 1 { before.rsplit('\n').next().map_or(0, str::len) } else { 0 };
    let (place, message) = (format!("line {line}, column {}", e.column() + skipped), lenient::plain(&e.to_string()));
    let what = match e.classify() {
        serde_json::error::Category::Eof => {
            format!("the JSON ends in the middle ({place}): the file is truncated; write it again")
        }
        serde_json::error::Category::Data => format!("not Kubernetes objects: {message}"),
        _ => format!("not valid JSON ({place}): {message}"),
    };
    DecodeError::new(origin, what)
}

#[derive(Debug, PartialEq, Eq)]
enum Document {
    List(ListMeta),
    Single,
}

fn read_document<'de, D: Deserializer<'de>>(
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
#[serde(rename_all = "camelCase", default)]
struct WireListMeta<'a> {
    #[serde(borrow)]
    resource_version: Option<Str<'a>>,
    #[serde(borrow, rename = "continue")]
    continue_token: Option<Str<'a>>,
}

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
                    let kind = map.next_value::<Option<Str<'de>>>()?.unwrap_or_default();
                    item_kind = item_kind.or_else(|| Kind::find(None, kind.strip_suffix("List")?));
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
        decode_items(kindless.into_iter(), item_kind, self.sink);
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

/// The `items` of a list, decoded as they are met; the value is their number, and those whose kind is not known yet.
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

fn read_items<'de, A: SeqAccess<'de>>(
    mut seq: A,
    item_kind: Option<Kind>,
    sink: &mut dyn Sink,
) -> Result<(usize, Vec<&'de RawValue>), A::Error> {
    let (mut count, mut kindless, mut failure) = (0, Vec::new(), None);
    pipeline(sink, item_kind, |push| {
        loop {
            match seq.next_element::<&'de RawValue>() {
                Ok(Some(raw)) => {
                    count += 1;
                    // The first item tells whether the items of this list say their kind.
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

fn has_no_kind(raw: &RawValue) -> bool {
    serde_json::from_str::<Head>(raw.get()).is_ok_and(|h| h.kind.is_none())
}

fn decode_items<'de>(items: impl Iterator<Item = &'de RawValue>, item_kind: Option<Kind>, sink: &mut dyn Sink) {
    pipeline(sink, item_kind, |push| items.for_each(push));
}

/// What became of an item: the object, if any, and what was wrong with it.
pub(super) type Decoded<'a> = (Option<Object<'a>>, Vec<Flaw>);

/// One window's outcome.
type Window<'a> = Vec<Decoded<'a>>;

impl dyn Sink + '_ {
    /// Takes in one item of a list.
    pub(super) fn accept(&mut self, (object, flaws): Decoded<'_>) {
        flaws.into_iter().for_each(|f| self.flaw(f));
        if let Some(object) = object {
            self.object(object);
        }
    }
}

/// Runs `produce` on this thread, decodes what it pushes on the pool, and feeds the sink in input order.
fn pipeline<'de>(sink: &mut dyn Sink, kind: Option<Kind>, produce: impl FnOnce(&mut dyn FnMut(&'de RawValue))) {
    let (done, results) = mpsc::channel::<(usize, Window<'de>)>();
    let mut order = InOrder { next: 0, waiting: BTreeMap::new(), sink };
    rayon::in_place_scope(|scope| {
        let mut window: Vec<&'de RawValue> = Vec::with_capacity(WINDOW_ITEMS);
        let mut sent = 0usize;
        produce(&mut |raw| {
            window.push(raw);
            if window.len() < WINDOW_ITEMS {
                return;
            }
            let full = std::mem::replace(&mut window, Vec::with_capacity(WINDOW_ITEMS));
            let (number, done) = (sent, done.clone());
            sent += 1;
            scope.spawn(move |_| {
                // The receiver lives as long as the scope.
                let _ = done.send((number, decode_window(&full, kind)));
            });
            while let Ok(result) = results.try_recv() {
                order.accept(result);
            }
            while sent - order.next > WINDOWS_IN_FLIGHT {
                let Ok(result) = results.recv() else { break };
                order.accept(result);
            }
        });
        while order.next < sent {
            let Ok(result) = results.recv() else { break };
            order.accept(result);
        }
        // The remainder is decoded here: a small input never touches the pool.
        order.accept((sent, decode_window(&window, kind)));
    });
}

struct InOrder<'s, 'a> {
    next: usize,
    waiting: BTreeMap<usize, Window<'a>>,
    sink: &'s mut dyn Sink,
}

impl<'a> InOrder<'_, 'a> {
    fn accept(&mut self, (number, window): (usize, Window<'a>)) {
        self.waiting.insert(number, window);
        while let Some(window) = self.waiting.remove(&self.next) {
            self.next += 1;
            window.into_iter().for_each(|item| self.sink.accept(item));
        }
    }
}

fn decode_window<'de>(items: &[&'de RawValue], kind: Option<Kind>) -> Window<'de> {
    items.iter().map(|raw| decode_item(raw, kind)).collect()
}

pub(super) fn decode_item(raw: &RawValue, kind: Option<Kind>) -> Decoded<'_> {
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    let decoded = match kind {
        Some(kind) => kind.decode(&mut deserializer).map(OnePass::Decoded),
        None => OnePass::deserialize(&mut deserializer),
    };
    match decoded {
        Ok(OnePass::Decoded(object)) => (Some(object), Vec::new()),
        Ok(OnePass::KindComesLate) => decode_late_kind(raw),
        Err(_) => lenient::decode(raw, kind),
    }
}

fn decode_late_kind(raw: &RawValue) -> Decoded<'_> {
    let head: Head = serde_json::from_str(raw.get()).unwrap_or_default();
    let group = head.api_version.as_ref().map(|v| crate::snapshot::group_of(v));
    let name = head.kind.unwrap_or_default();
    match Kind::find(group, &name) {
        Some(kind) => decode_item(raw, Some(kind)),
        None => (Some(Object::Other(name)), Vec::new()),
    }
}
