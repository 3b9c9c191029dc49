//! Character classes and escapes of Go's regular expression syntax.

use std::str::Chars;

use super::regex_go::{RANGE, Wrong, until, wrong};

pub(super) fn perl_class(pattern: &str) -> Option<(&'static str, &str)> {
    let class = match pattern.get(..2)? {
        "\\d" => "0-9",
        "\\D" => "^0-9",
        "\\s" => "\\t\\n\\x0C\\r ",
        "\\S" => "^\\t\\n\\x0C\\r ",
        "\\w" => "0-9A-Za-z_",
        "\\W" => "^0-9A-Za-z_",
        _ => return None,
    };
    Some((class, pattern.get(2..)?))
}

pub(super) fn posix_class(pattern: &str) -> Result<Option<(&str, &str)>, Wrong> {
    const NAMES: &[&str] = &[
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ];
    let Some((name, rest)) = pattern.strip_prefix("[:").and_then(|rest| rest.split_once(":]"))
    else {
        return Ok(None);
    };
    let whole = until(pattern, rest);
    if NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some((whole, rest)))
    } else {
        wrong(RANGE, whole)
    }
}

pub(super) fn unicode_class(pattern: &str) -> Result<Option<(String, &str)>, Wrong> {
    const NAMES: &[&str] = &[
        "Arabic", "C", "Cc", "Cf", "Co", "Cyrillic", "Greek", "Han", "Hebrew", "Hiragana",
        "Katakana", "L", "Latin", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd",
        "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So",
        "Z", "Zl", "Zp", "Zs",
    ];
    let Some(rest) = pattern.strip_prefix("\\p").or_else(|| pattern.strip_prefix("\\P")) else {
        return Ok(None);
    };
    let Some(c) = rest.chars().next() else { return Ok(None) };
    let (name, after) = match rest.strip_prefix('{') {
        None => rest.split_at_checked(c.len_utf8()).unwrap_or_default(),
        Some(rest) => match rest.split_once('}') {
            Some(found) => found,
            None => return wrong(RANGE, pattern),
        },
    };
    let bare = name.strip_prefix('^').unwrap_or(name);
    if !NAMES.contains(&bare) {
        // Longer names, and whether their case matters, differ between releases of Go.
        let surely = bare.len() < 2 && !matches!(bare, "c" | "l" | "m" | "n" | "p" | "s" | "z");
        return if surely { wrong(RANGE, until(pattern, after)) } else { Err(Wrong::Unknown) };
    }
    let negated = pattern.starts_with("\\P") != name.starts_with('^');
    Ok(Some((format!("\\{}{{{bare}}}", if negated { 'P' } else { 'p' }), after)))
}

pub(super) fn class_character<'t>(pattern: &'t str, whole: &str) -> Result<(char, &'t str), Wrong> {
    match pattern.chars().next() {
        None => wrong("missing closing ]", whole),
        Some('\\') => escaped(pattern),
        Some(c) => Ok((c, pattern.get(c.len_utf8()..).unwrap_or_default())),
    }
}

/// Decodes an escape sequence; returns the character and the rest.
pub(super) fn escaped(pattern: &str) -> Result<(char, &str), Wrong> {
    let mut rest = pattern.get(1..).unwrap_or_default().chars();
    let Some(c) = rest.next() else {
        return wrong("trailing backslash at end of expression", "");
    };
    let code = match c {
        'a' => Some(7),
        'f' => Some(12),
        'n' => Some(10),
        'r' => Some(13),
        't' => Some(9),
        'v' => Some(11),
        '0'..='7' => octal(c, &mut rest),
        'x' => hexadecimal(&mut rest),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
        _ => None,
    };
    let rest = rest.as_str();
    match code.map(char::from_u32) {
        Some(Some(c)) => Ok((c, rest)),
        Some(None) => Err(Wrong::Unknown),
        None => wrong("invalid escape sequence", until(pattern, rest)),
    }
}

/// The value of up to three octal digits. A single digit other than 0 would be a backreference,
/// which Go does not have.
fn octal(first: char, rest: &mut Chars) -> Option<u32> {
    let mut value = first.to_digit(8)?;
    for place in 0..2 {
        let mut ahead = rest.clone();
        let Some(digit) = ahead.next().and_then(|c| c.to_digit(8)) else {
            return (first == '0' || place > 0).then_some(value);
        };
        value = value * 8 + digit;
        *rest = ahead;
    }
    Some(value)
}

fn hexadecimal(rest: &mut Chars) -> Option<u32> {
    let first = rest.next()?;
    if first != '{' {
        // Parity: Go consumes the second character even if the first is not a digit.
        let second = rest.next()?;
        return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
    }
    let (mut value, mut digits) = (0, 0);
    loop {
        match rest.next()? {
            '}' => return (digits > 0).then_some(value),
            c => value = value * 16 + c.to_digit(16)?,
        }
        if value > u32::from(char::MAX) {
            return None;
        }
        digits += 1;
    }
}
