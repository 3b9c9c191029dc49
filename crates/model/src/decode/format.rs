//! The format of an input, by its first character, and whether it is worth reading.

use memchr::memmem;

use crate::snapshot::{DecodeIssue, Sink};

/// A text of as many bytes is not read as a whole: its values take many times as much memory.
pub(super) const LONG_TEXT: usize = 1 << 20;

/// The white space between the tokens of JSON; Unicode has more.
pub(super) const JSON_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The format of a text, with the text after a byte order mark; JSON starts at its first character.
pub(super) enum TextFormat<'t> {
    /// Nothing but white space.
    Empty,
    /// An object or an array of JSON.
    Json(&'t str),
    /// Anything else, also JSON between the separators of YAML.
    Yaml(&'t str),
}

impl<'t> TextFormat<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let body = text.trim_start_matches(JSON_SPACE);
        if body.trim_start().is_empty() {
            return Self::Empty;
        }
        match body.as_bytes().first() {
            Some(b'{' | b'[') if begins_json(body) && !has_separator(body) => Self::Json(body),
            // White space before the first line is its indentation.
            Some(_) | None => Self::Yaml(text),
        }
    }
}

/// Whether documents are separated as in YAML. In JSON no line begins so: its strings have no line
/// breaks.
fn has_separator(body: &str) -> bool {
    body.contains("\n---")
}

/// The same for text that begins after the end of a line.
pub(super) fn begins_with_separator(rest: &str) -> bool {
    rest.starts_with("---") || has_separator(rest)
}

/// Whether an object in braces is JSON: in YAML it may start with an unquoted name.
fn begins_json(body: &str) -> bool {
    let first = body.trim_start_matches('{').trim_start_matches(JSON_SPACE).chars().next();
    !first.is_some_and(|c| c.is_ascii_alphabetic() || c == '\'')
}

/// Whether a long text is skipped, because another program wrote it: `may_have_objects` says no. An
/// issue tells of it.
pub(super) fn skips(
    text: &str,
    may_have_objects: impl FnOnce(&str) -> bool,
    sink: &mut dyn Sink,
) -> bool {
    if text.len() < LONG_TEXT || may_have_objects(text) {
        return false;
    }
    sink.issue(DecodeIssue::left_out("an object without kind"));
    true
}

/// Whether `kind` is somewhere in a text, as in every object.
pub(super) fn names_kind(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"kind").is_some()
}

#[cfg(test)]
mod tests {
    use super::TextFormat;

    #[test]
    fn space_of_unicode_is_no_space_of_json() {
        for text in ["\u{a0}{\"a\": 1}", "\u{2003}[]", "{\u{a0}\"a\": 1}"] {
            let objects = crate::decode::whole_objects(text, "m");
            assert!(objects.is_err(), "{text:?}: {objects:?}");
        }
        assert!(matches!(TextFormat::of(" \u{a0}\n"), TextFormat::Empty));
        let joined = "{\"kind\": \"A\"}\u{a0}{\"kind\": \"B\"}";
        assert!(crate::decode::whole_objects(joined, "m").is_err());
    }

    #[test]
    fn json_between_the_separators_of_yaml_is_yaml() {
        let is_yaml = |text: &str| matches!(TextFormat::of(text), TextFormat::Yaml(_));
        assert!(is_yaml("{\"a\": 1}\n---\n{\"b\": 2}\n"));
        assert!(is_yaml("{\"a\": 1}\n---\nb: 2\n"));
        assert!(!is_yaml("{\"a\": \"x\\n---\"}\n{\"b\": 2}\n"));
    }
}
