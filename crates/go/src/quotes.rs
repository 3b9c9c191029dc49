//! Quoted strings.

use std::sync::LazyLock;

use regex::Regex;

/// Quotes a text as `%q` does.
pub fn quoted(text: &str) -> String {
    quoted_with(text, |c, out| match c {
        c if is_printable(c) => out.push(c),
        c if c.is_ascii() => out.push_str(&format!("\\x{:02x}", u32::from(c))),
        c if u32::from(c) < 0x1_0000 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
    })
}

/// Quotes a text; `other` escapes characters that have no short escape.
#[must_use]
pub fn quoted_with(text: &str, other: impl Fn(char, &mut String)) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c => other(c, &mut out),
        }
    }
    out.push('"');
    out
}

/// `strconv.IsPrint`: letters, marks, numbers, punctuation, symbols and the space, by Unicode 15,
/// which Go has used since 1.21.
fn is_printable(c: char) -> bool {
    static PRINTABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[[\p{L}\p{M}\p{N}\p{P}\p{S}]&&\p{Age=15.0}]$").ok());
    match c {
        ' '..='~' => true,
        c if c.is_ascii() => false,
        c => PRINTABLE
            .as_ref()
            .is_some_and(|printable| printable.is_match(c.encode_utf8(&mut [0; 4]))),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_printable, quoted};

    #[test]
    fn unprintable_characters_are_escaped() {
        for (text, shown) in [
            ("a \"b\"\\", r#""a \"b\"\\""#),
            ("\u{7}\n\u{1b}\u{7f}", r#""\a\n\x1b\x7f""#),
            ("é\u{ad}\u{200b}\u{e0001}", r#""é\u00ad\u200b\U000e0001""#),
        ] {
            assert_eq!(quoted(text), shown);
        }
    }

    /// All characters for which Go 1.26's `strconv.IsPrint` is true.
    #[test]
    fn printable_characters_are_those_that_go_prints() {
        let printable = ('\0'..=char::MAX).filter(|c| is_printable(*c));
        let (count, digest) = printable.fold((0, 0u64), |(count, digest), c| {
            (count + 1, digest.wrapping_mul(1_000_003).wrapping_add(u64::from(c) + 1))
        });
        assert_eq!((count, digest), (148_998, 7_126_522_010_542_519_848));
    }
}
