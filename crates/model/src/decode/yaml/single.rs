//! How go-yaml interprets a single value of YAML 1.1: as text, a number, true, false or null.
//!
//! Upstream: `resolve.go` of go.yaml.in/yaml/v2 (2.4).

use serde_json::{Number, Value};

use super::scanner::{RefusedYaml, Step};

/// The namespace of YAML's own tags.
const TAGS: &str = "tag:yaml.org,2002:";

/// A value that is neither a list nor an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Single {
    Null,
    Bool(bool),
    Int(i64),
    /// One that is too large for [`Single::Int`].
    Large(u64),
    Float(f64),
    Text(String),
}

impl Single {
    /// The value of unquoted, untagged text.
    pub(super) fn of_plain(text: &str) -> Self {
        let first = text.bytes().next().unwrap_or_default();
        match first {
            0 | b'~' | b'n' | b'N' if matches!(text, "" | "~" | "null" | "Null" | "NULL") => {
                Self::Null
            }
            b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => {
                boolean(text).map_or_else(|| Self::Text(text.to_owned()), Self::Bool)
            }
            b'.' | b'+' | b'-' | b'0'..=b'9' => {
                number(text).unwrap_or_else(|| Self::Text(text.to_owned()))
            }
            _ => Self::Text(text.to_owned()),
        }
    }

    /// The value of tagged text.
    pub(super) fn of_tagged(tag: &str, text: &str) -> Step<Self> {
        let Some(name) = tag.strip_prefix(TAGS) else { return Ok(Self::Text(text.to_owned())) };
        let value = Self::of_plain(text);
        match (name, value) {
            ("int", value @ (Self::Int(_) | Self::Large(_)))
            | ("float", value @ Self::Float(_))
            | ("bool", value @ Self::Bool(_))
            | ("null", value @ Self::Null) => Ok(value),
            #[expect(clippy::cast_precision_loss, reason = "kubectl rounds, too")]
            ("float", Self::Int(value)) => Ok(Self::Float(value as f64)),
            // Times are left to the other reader.
            ("int" | "float" | "bool" | "null" | "timestamp", _) => Err(RefusedYaml),
            ("binary", _) => binary(text).map(Self::Text),
            _ => Ok(Self::Text(text.to_owned())),
        }
    }

    /// The value as the name of a field; `None` for null and for large numbers, which kubectl does
    /// not accept as one.
    pub(super) fn into_key(self) -> Option<String> {
        Some(match self {
            Self::Text(text) => text,
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => float_key(value),
            Self::Null | Self::Large(_) => return None,
        })
    }

    /// The value in JSON; `None` for infinity and NaN, which JSON does not have.
    pub(super) fn into_value(self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => value.into(),
            Self::Int(value) => value.into(),
            Self::Large(value) => value.into(),
            Self::Float(value) => Value::Number(float_number(value)?),
            Self::Text(text) => text.into(),
        })
    }
}

/// The decoded base64 text, in which each byte that is not UTF-8 becomes a replacement character,
/// as in JSON written by Go.
fn binary(packed: &str) -> Step<String> {
    let bytes = go::decode_base64(packed).ok_or(RefusedYaml)?;
    let (mut text, mut rest) = (String::new(), bytes.as_slice());
    while let Err(error) = std::str::from_utf8(rest) {
        let (valid, invalid) = rest.split_at(error.valid_up_to());
        text.push_str(std::str::from_utf8(valid).unwrap_or_default());
        text.push(char::REPLACEMENT_CHARACTER);
        rest = invalid.get(1..).unwrap_or_default();
    }
    text.push_str(std::str::from_utf8(rest).unwrap_or_default());
    Ok(text)
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(false)
        }
        _ => None,
    }
}

/// The number in a text that begins with a digit, a sign or a point.
fn number(text: &str) -> Option<Single> {
    match text {
        ".nan" | ".NaN" | ".NAN" => return Some(Single::Float(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Some(Single::Float(f64::INFINITY));
        }
        "-.inf" | "-.Inf" | "-.INF" => return Some(Single::Float(f64::NEG_INFINITY)),
        _ if text.starts_with('.') => {
            return has_underscores_between_digits(text)
                .then(|| float(&text.replace('_', "")).map(Single::Float))?;
        }
        _ => {}
    }
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    integer(&digits).or_else(|| float(&digits).map(Single::Float))
}

/// Whether each underscore, if there are any, is between two digits.
fn has_underscores_between_digits(text: &str) -> bool {
    let mut parts = text.split('_').peekable();
    let mut is_first = true;
    while let Some(part) = parts.next() {
        let begins = is_first || part.starts_with(|c: char| c.is_ascii_digit());
        let ends = parts.peek().is_none() || part.ends_with(|c: char| c.is_ascii_digit());
        if !begins || !ends {
            return false;
        }
        is_first = false;
    }
    true
}

/// An integer with the prefixes of Go: `0x`, `0o`, `0b`, and `0` for octal.
fn integer(text: &str) -> Option<Single> {
    let (is_negative, has_sign, digits) = match text.as_bytes().first()? {
        b'-' => (true, true, text.get(1..)?),
        b'+' => (false, true, text.get(1..)?),
        _ => (false, false, text),
    };
    let (radix, digits) = match digits.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, digits.get(2..)?),
        Some("0o") => (8, digits.get(2..)?),
        Some("0b") => (2, digits.get(2..)?),
        Some(two) if two.starts_with('0') => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    if !digits.bytes().all(|c| c.is_ascii_alphanumeric()) {
        // After the prefix of a binary number, go-yaml accepts a sign.
        let signed = text.strip_prefix("0b")?;
        return signed
            .starts_with(['+', '-'])
            .then(|| i64::from_str_radix(signed, 2).ok().map(Single::Int))?;
    }
    let size = u64::from_str_radix(digits, radix).ok()?;
    match i64::try_from(size) {
        Ok(size) => Some(Single::Int(if is_negative { -size } else { size })),
        Err(_) if is_negative => (size == i64::MIN.unsigned_abs()).then_some(Single::Int(i64::MIN)),
        Err(_) if has_sign => None,
        Err(_) => Some(Single::Large(size)),
    }
}

/// A decimal number. One that is too large is text.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (unsigned.get(..at)?, Some(unsigned.get(at + 1..)?)),
        None => (unsigned, None),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let is_mantissa =
        are_digits(whole) && are_digits(part) && !(whole.is_empty() && part.is_empty());
    let is_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && are_digits(digits)
    });
    if !is_mantissa || !is_exponent {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A number as Go writes it in JSON: up to 21 digits without a point if it has no fraction, with
/// just enough non-zero digits to identify it.
fn float_number(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < 1e21 {
        let digits = value.abs().to_string();
        let signed = if value < 0.0 { format!("-{digits}") } else { digits };
        if let Ok(integer) = signed.parse::<i64>() {
            return Some(integer.into());
        }
        if let Ok(integer) = signed.parse::<u64>() {
            return Some(integer.into());
        }
    }
    Number::from_f64(value)
}

/// A number as the name of a field: rounded to 32 bits, in the shortest form that identifies it.
#[expect(clippy::cast_possible_truncation, reason = "kubectl rounds, too")]
fn float_key(value: f64) -> String {
    let value = value as f32;
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    // Enough digits to identify it; between two equally short numbers, Go takes the even one.
    let shortest = format!("{value:e}");
    let digits =
        shortest.split('e').next().unwrap_or_default().bytes().filter(u8::is_ascii_digit).count();
    let precision = digits.saturating_sub(1);
    let scientific = format!("{value:.precision$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) {
        let decimals = i32::try_from(precision).unwrap_or_default() - exponent;
        return format!("{value:.*}", usize::try_from(decimals).unwrap_or_default());
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_values_that_go_yaml_makes_of_them() {
        let text = |text: &str| Single::Text(text.to_owned());
        for (given, expected) in [
            ("", Single::Null),
            ("NULL", Single::Null),
            ("nULL", text("nULL")),
            ("y", Single::Bool(true)),
            ("Off", Single::Bool(false)),
            ("oFF", text("oFF")),
            ("0x_1F", Single::Int(31)),
            ("0X1f", Single::Int(31)),
            ("-0b11", Single::Int(-3)),
            ("0b-11", Single::Int(-3)),
            ("0o17", Single::Int(15)),
            ("017", Single::Int(15)),
            ("018", Single::Float(18.0)),
            ("+1_000", Single::Int(1000)),
            ("9223372036854775807", Single::Int(i64::MAX)),
            ("-9223372036854775808", Single::Int(i64::MIN)),
            ("9223372036854775808", Single::Large(1 << 63)),
            ("+9223372036854775808", Single::Float(9_223_372_036_854_775_808.0)),
            ("1.", Single::Float(1.0)),
            (".5e1", Single::Float(5.0)),
            (".5_0", Single::Float(0.5)),
            (".5_", text(".5_")),
            ("1e5", Single::Float(100_000.0)),
            ("1e999", text("1e999")),
            ("1:30", text("1:30")),
            ("2001-01-01", text("2001-01-01")),
            (".", text(".")),
            ("-", text("-")),
            ("+.inf", Single::Float(f64::INFINITY)),
            ("0x", text("0x")),
            ("1e", text("1e")),
        ] {
            assert_eq!(Single::of_plain(given), expected, "{given:?}");
        }
    }

    #[test]
    fn float_keys_are_written_as_go_writes_32_bits() {
        for (value, expected) in [
            (0.1, "0.1"),
            (1_035.031_25, "1035.0312"),
            (0.0, "0"),
            (1e6, "1e+06"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.234567e+06"),
            (1e-5, "1e-05"),
        ] {
            assert_eq!(float_key(value), expected);
        }
    }
}
