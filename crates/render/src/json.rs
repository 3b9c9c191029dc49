//! JSON as it is printed.

use serde::Serialize;

use crate::escape::visible_json_lines;

/// JSON as it is printed: indented, with the characters that would control a terminal escaped, and
/// a line feed at its end.
///
/// # Errors
/// Never for the types of this crate.
pub fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = visible_json_lines(&plain).unwrap_or(plain);
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn text_with_characters_that_control_a_terminal_escapes_them() {
        let hostile = text(&["a\u{7f}b\u{9b}c", "\u{202e}é\u{e0001}"]).unwrap();
        assert_eq!(hostile, "[\n  \"a\\u007fb\\u009bc\",\n  \"\\u202eé\\udb40\\udc01\"\n]\n");
    }

    #[test]
    fn text_of_printable_ascii_stays() {
        assert_eq!(text(&["a b~", "\n\t"]).unwrap(), "[\n  \"a b~\",\n  \"\\n\\t\"\n]\n");
    }
}
