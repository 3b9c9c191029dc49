//! The objects of a list in JSON: the text between the brackets of `items`, cut at the commas.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::{Items, ListMeta, Problem, truncated};
use crate::plain::plain_json;

/// The state between two bytes of the text.
#[derive(Debug, Default)]
pub(super) struct JsonSplitter {
    /// The text without the objects.
    pub(super) rest: Vec<u8>,
    /// Number of brackets open in the rest.
    depth: usize,
    in_items: bool,
    /// Number of brackets open in the object.
    item_depth: usize,
    /// Whether a comma stands before the object.
    after_comma: bool,
    text: Text,
}

/// Whether the next byte is in a quoted text.
#[derive(Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    /// After a backslash.
    Escaped,
}

impl JsonSplitter {
    /// Takes the next bytes; complete objects go to `items`.
    pub(super) fn push(&mut self, bytes: &[u8], items: &mut Items) -> Result<(), Problem> {
        let slice = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
        // Everything before it has been processed.
        let mut next = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if self.text != Text::Outside {
                self.text = match (&self.text, byte) {
                    (Text::Inside, b'\\') => Text::Escaped,
                    (Text::Inside, b'"') => Text::Outside,
                    _ => Text::Inside,
                };
                continue;
            }
            match (byte, self.in_items) {
                (b'"', _) => self.text = Text::Inside,
                (b',' | b']', true) if self.item_depth == 0 => {
                    items.bytes.extend_from_slice(slice(next, at));
                    self.end_item(*byte == b',', items)?;
                    next = if self.in_items { at + 1 } else { at };
                }
                (b'[' | b'{', true) => self.item_depth += 1,
                (b']' | b'}', true) => self.item_depth = self.item_depth.saturating_sub(1),
                (b'[' | b'{', false) => {
                    if *byte == b'[' && self.depth == 1 {
                        self.rest.extend_from_slice(slice(next, at + 1));
                        next = at + 1;
                        (self.in_items, self.after_comma) = (opens_items(&self.rest), false);
                    }
                    self.depth += 1;
                }
                (b']' | b'}', false) => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        let target = if self.in_items { &mut items.bytes } else { &mut self.rest };
        target.extend_from_slice(slice(next, bytes.len()));
        Ok(())
    }

    /// Ends the object before a comma or the closing bracket.
    fn end_item(&mut self, comma: bool, items: &mut Items) -> Result<(), Problem> {
        let complete = items.complete();
        if !items.bytes.get(complete..).unwrap_or_default().trim_ascii().is_empty() {
            items.ends.push(items.bytes.len());
        } else if comma || self.after_comma {
            return Err("not valid JSON: an object is missing beside a comma".to_owned());
        } else {
            items.bytes.truncate(complete);
        }
        (self.in_items, self.after_comma) = (comma, comma);
        if !comma {
            self.depth = self.depth.saturating_sub(1);
        }
        Ok(())
    }

    /// The metadata of the list, once the text is complete.
    pub(super) fn finish(self) -> Result<ListMeta, Problem> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Metadata {
            resource_version: Option<String>,
            r#continue: Option<String>,
        }
        if self.text != Text::Outside || self.depth > 0 {
            return Err(truncated());
        }
        // What is left is the list without its items, which is short.
        let rest = std::str::from_utf8(&self.rest).map_err(|_| "not text".to_owned())?;
        let fields: BTreeMap<String, &RawValue> =
            serde_json::from_str(rest).map_err(|e| match e.classify() {
                Category::Eof => truncated(),
                Category::Data => "the answer is not a list".to_owned(),
                Category::Io | Category::Syntax => {
                    format!("not valid JSON: {}", plain_json(&e))
                }
            })?;
        let items = fields
            .get("items")
            .map(|items| items.get().trim_matches(['[', ']', ' ', '\n', '\r', '\t']));
        if !matches!(items, Some("" | "null")) {
            return Err("the answer is not a list".to_owned());
        }
        let text = |name| fields.get(name).map_or("null", |value| value.get());
        let meta: Metadata =
            serde_json::from_str::<Option<_>>(text("metadata")).ok().flatten().unwrap_or_default();
        Ok(ListMeta {
            resource_version: meta.resource_version.unwrap_or_default(),
            continue_token: meta.r#continue.unwrap_or_default(),
            kind: serde_json::from_str(text("kind")).unwrap_or_default(),
            api_version: serde_json::from_str(text("apiVersion")).unwrap_or_default(),
        })
    }
}

/// Whether the bracket at the end of `rest` begins the value of the key `items`.
fn opens_items(rest: &[u8]) -> bool {
    let before = rest.strip_suffix(b"[").and_then(|rest| rest.trim_ascii_end().strip_suffix(b":"));
    let before = before.and_then(|rest| rest.trim_ascii_end().strip_suffix(b"\"items\""));
    matches!(before.map(|rest| rest.trim_ascii_end().last()), Some(Some(b'{' | b',')))
}
