//! Which value of a JSON text a decoder refused: its path, found afterwards from the place that the error names.
//!
//! A decoder that keeps the path while it reads would be a second decoder of every type. Only a text that is refused pays for
//! the search.

use std::fmt;

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// One step from a value to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Into the field of an object.
    Key(String),
    /// Into an item of a list.
    Index(usize),
}

/// The way from the whole text to a value in it: `spec.containers[0].name`; empty for the whole.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Path(pub(crate) Vec<Step>);

impl Path {
    /// Whether it is that of the whole text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if place == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A value that a decoder refused, or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongValue {
    /// Where it stands.
    pub path: Path,
    /// The decoder's message, without the place.
    pub message: String,
}

impl WrongValue {
    /// What was refused in `line`, which is JSON as [`serde_json::Value::to_string`] writes it. `error` is what `decode` gives for it.
    #[must_use]
    pub fn of(line: &str, error: &serde_json::Error, decode: &dyn Fn(&str) -> serde_json::Result<()>) -> Self {
        let end = error.column().min(line.len());
        let mut path = path_of(line, end);
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let shown = error.to_string();
        let message = shown.strip_suffix(&suffix).unwrap_or(&shown).to_owned();

        // Behind the bracket of a list, the decoder refused either the list or, without reading it, the first item. If it was the
        // list, the item does not matter.
        if line.as_bytes().get(..end).is_some_and(|read| read.ends_with(b"["))
            && let Some(other) = with_first_item_replaced(line, end)
            && decode(&other).err().map(|e| e.to_string()).as_ref() != Some(&shown)
        {
            path.0.push(Step::Index(0));
        }
        // A field that stands there under both of its names is no fault of the second.
        if message.starts_with("duplicate field") {
            path.0.pop();
        }
        Self { path, message }
    }
}

/// The text with a number in place of the item that begins at `start`; `None` if none begins there.
fn with_first_item_replaced(text: &str, start: usize) -> Option<String> {
    let (before, items) = (text.get(..start)?, text.get(start..)?);
    let mut values = Deserializer::from_str(items).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some([before, "0", items.get(values.byte_offset()..)?].concat())
}

/// The path of the value to which the last byte belongs that was read, if that were `end` bytes. Behind a colon or a comma, it is
/// the path of the next value: decoders refuse some lists and objects without reading them.
fn path_of(text: &str, end: usize) -> Path {
    let bytes = text.as_bytes();
    // The objects and lists that are open: of an object the key, if it has been read; of a list the index.
    let mut open: Vec<Option<Step>> = Vec::new();
    let mut at = 0;
    while at < end {
        let start = at;
        at += 1;
        match bytes.get(start) {
            Some(b'{') => open.push(None),
            // The list itself was refused if nothing behind the bracket was read.
            Some(b'[') => open.push((at < end).then_some(Step::Index(0))),
            Some(b'}' | b']') => drop(open.pop()),
            Some(b',') => match open.last_mut() {
                Some(Some(Step::Index(index))) => *index += 1,
                Some(key) => *key = None,
                None => {}
            },
            Some(b'"') => {
                at = end_of_string(bytes, at);
                if let Some(key @ None) = open.last_mut() {
                    let text = text.get(start..at).and_then(|text| serde_json::from_str(text).ok());
                    *key = Some(Step::Key(text.unwrap_or_default()));
                }
            }
            // Colons, numbers and words.
            _ => {}
        }
    }
    Path(open.into_iter().flatten().collect())
}

/// The end of a string of which the quotation mark stands before `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests;
