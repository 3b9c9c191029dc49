//! An object of which some field has the wrong type: decoded without that field, and the field reported in the words of
//! JSON, not of this program.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

use crate::cluster::notes;
use crate::snapshot::{Flaw, Kind, Object, Str};

/// Fields of one object that are given up before the object itself is.
const MAX_BAD_FIELDS: usize = 16;
/// Longest piece of a wrong value that is quoted.
const MAX_QUOTED: usize = 60;

/// Enough of an object to name it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Brief<'a> {
    #[serde(borrow)]
    kind: Option<Str<'a>>,
    #[serde(borrow)]
    metadata: Option<BriefMeta<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BriefMeta<'a> {
    #[serde(borrow)]
    name: Option<Str<'a>>,
    #[serde(borrow)]
    namespace: Option<Str<'a>>,
}

/// Decodes an object field by field as far as that goes. `kind` is known for items of a typed list.
pub(super) fn decode(raw: &RawValue, kind: Option<Kind>) -> (Option<Object<'_>>, Vec<Flaw>) {
    let brief: Brief = serde_json::from_str(raw.get()).unwrap_or_default();
    let kind_name = brief.kind.unwrap_or_default();
    let Some(kind) = kind.or_else(|| Kind::find(None, &kind_name)) else {
        let what = if raw.get().starts_with('{') { "an object without kind" } else { "an item that is not an object" };
        return (None, vec![flaw(what, String::new(), "left out".to_owned())]);
    };
    let meta = brief.metadata.unwrap_or_default();
    let subject = notes::subject(kind.name(), &meta.namespace.unwrap_or_default(), &meta.name.unwrap_or_default());
    let mut value = match serde_json::from_str::<Value>(raw.get()) {
        Ok(value) => value,
        Err(e) => return (None, vec![flaw(&subject, String::new(), format!("left out: {}", plain(&e.to_string())))]),
    };
    let (mut flaws, mut removed) = (Vec::new(), BTreeMap::new());
    for _ in 0..MAX_BAD_FIELDS {
        let mut track = serde_path_to_error::Track::new();
        let source = serde_path_to_error::Deserializer::new(value.clone(), &mut track);
        match kind.decode(source) {
            Ok(object) => return (Some(object), flaws),
            Err(e) => {
                let (field, gone) = remove(&mut value, &track.path(), &mut removed);
                flaws.push(flaw(&subject, field, plain(&e.to_string())));
                if !gone {
                    break;
                }
            }
        }
    }
    flaws.push(flaw(&subject, String::new(), "left out: too many of its fields cannot be read".to_owned()));
    (None, flaws)
}

fn flaw(subject: &str, field: String, problem: String) -> Flaw {
    Flaw { subject: subject.to_owned(), field, problem }
}

/// Takes away what stands at `path`: a field becomes null, an item leaves its list. The value is the path as it was before
/// anything was taken away (`removed` counts the items that left each list), and whether there was something to take.
fn remove(value: &mut Value, path: &Path, removed: &mut BTreeMap<String, usize>) -> (String, bool) {
    let (mut at, mut shown) = (Some(value), String::new());
    let mut segments = path.iter().peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            Segment::Map { key } => {
                shown.push_str(if shown.is_empty() { "" } else { "." });
                shown.push_str(key);
                at = at.and_then(|v| v.get_mut(key.as_str()));
                if last && let Some(field) = at.as_deref_mut().filter(|v| !v.is_null()) {
                    *field = Value::Null;
                    return (shown, true);
                }
            }
            Segment::Seq { index } => {
                let list = shown.clone();
                let gone = removed.entry(list).or_default();
                shown.push_str(&format!("[{}]", index + *gone));
                if last && let Some(Value::Array(items)) = at.as_deref_mut().filter(|v| v.get(*index).is_some()) {
                    items.remove(*index);
                    *gone += 1;
                    return (shown, true);
                }
                at = at.and_then(|v| v.get_mut(*index));
            }
            Segment::Enum { .. } | Segment::Unknown => at = None,
        }
    }
    (shown, false)
}

/// A decoder's message in plain words: `expected a list, found an object`.
pub(super) fn plain(message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or(message);
    if message.starts_with("recursion limit exceeded") {
        return "nested too deeply to be read".to_owned();
    }
    let body = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    match body.and_then(|body| body.rsplit_once(", expected ")) {
        Some((found, expected)) => format!("expected {}, found {}", plain_expected(expected), plain_found(found)),
        None => message.to_owned(),
    }
}

fn plain_expected(expected: &str) -> &str {
    match expected {
        "a string" => "text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "i32" => "a whole number of 32 bits",
        "i64" => "a whole number of 64 bits",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

fn plain_found(found: &str) -> String {
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "unit value" | "null" | "Option value" => "null".to_owned(),
        other => {
            let kinds = ["boolean ", "integer ", "floating point ", "string "];
            let literal = kinds.iter().find_map(|kind| other.strip_prefix(kind)).unwrap_or(other).trim_matches('`');
            let cut: String = literal.chars().take(MAX_QUOTED).collect();
            if cut.len() < literal.len() { format!("{cut}…") } else { cut }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn decoders_messages_in_plain_words() {
        for (message, expected) in [
            ("invalid type: map, expected a sequence", "expected a list, found an object"),
            ("invalid type: string \"x\", expected struct PodSpec", "expected an object, found \"x\""),
            (
                "invalid type: string \", expected y\", expected i64",
                "expected a whole number of 64 bits, found \", expected y\"",
            ),
            ("invalid type: boolean `true`, expected a string at line 1 column 2", "expected text, found true"),
            (
                "invalid value: integer `99999999999`, expected i32",
                "expected a whole number of 32 bits, found 99999999999",
            ),
            ("invalid type: null, expected struct Container", "expected an object, found null"),
            ("recursion limit exceeded at line 1 column 999", "nested too deeply to be read"),
            ("number out of range", "number out of range"),
        ] {
            assert_eq!(plain(message), expected);
        }
    }
}
