//! The format of an input, by its first character.

/// The format of a text, with the text after a byte order mark; JSON starts at its first character.
pub(super) enum Format<'t> {
    /// Nothing but white space.
    Empty,
    /// An object or an array of JSON.
    Json(&'t str),
    /// Anything else.
    Yaml(&'t str),
}

impl<'t> Format<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let body = text.trim_start_matches('\u{feff}').trim_start();
        match body.as_bytes().first() {
            None => Self::Empty,
            Some(b'{' | b'[') if begins_json(body) => Self::Json(body),
            // White space before the first line is its indentation.
            Some(_) => Self::Yaml(text.trim_start_matches('\u{feff}')),
        }
    }
}

/// Whether an object in braces is JSON: in YAML it may start with an unquoted name.
fn begins_json(body: &str) -> bool {
    let first = body.trim_start_matches('{').trim_start().chars().next();
    !first.is_some_and(|c| c.is_ascii_alphabetic() || c == '\'')
}
