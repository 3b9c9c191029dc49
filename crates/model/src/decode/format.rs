//! The format of an input, by its first character.

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
        let body = text.trim_start_matches('\u{feff}').trim_start();
        match body.as_bytes().first() {
            None => Self::Empty,
            Some(b'{' | b'[') if begins_json(body) && !has_separator(body) => Self::Json(body),
            // White space before the first line is its indentation.
            Some(_) => Self::Yaml(text.trim_start_matches('\u{feff}')),
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
    let first = body.trim_start_matches('{').trim_start().chars().next();
    !first.is_some_and(|c| c.is_ascii_alphabetic() || c == '\'')
}

#[cfg(test)]
mod tests {
    use super::TextFormat;

    #[test]
    fn json_between_the_separators_of_yaml_is_yaml() {
        let is_yaml = |text: &str| matches!(TextFormat::of(text), TextFormat::Yaml(_));
        assert!(is_yaml("{\"a\": 1}\n---\n{\"b\": 2}\n"));
        assert!(is_yaml("{\"a\": 1}\n---\nb: 2\n"));
        assert!(!is_yaml("{\"a\": \"x\\n---\"}\n{\"b\": 2}\n"));
    }
}
