//! Conversions between types.

use go::{parse_bool, parse_duration};

use super::time::{Time, parse_time};
use super::value::{EvalResult, Value, decimal, fail, general};

/// Converts a value with a conversion function such as `int` or `string`.
pub(crate) fn convert(value: &Value, to: &str) -> EvalResult {
    let made = match (to, value) {
        (_, Value::Error(_)) => Some(value.clone()),
        ("type", _) => Some(Value::Type(value.type_name().into())),
        ("bool", Value::Bool(_))
        | ("bytes", Value::Bytes(_))
        | ("double", Value::Double(_))
        | ("duration", Value::Duration(_))
        | ("int", Value::Int(_))
        | ("string", Value::Text(_))
        | ("timestamp", Value::Time(_))
        | ("uint", Value::Uint(_)) => Some(value.clone()),
        ("bool", Value::Text(text)) => parse_bool(text).map(Value::Bool),
        ("bytes", Value::Text(text)) => Some(Value::Bytes(text.as_bytes().into())),
        ("int", _) => return to_int(value),
        ("uint", _) => return to_uint(value),
        ("double", _) => to_double(value),
        ("duration", Value::Text(text)) => parse_duration(text).map(Value::Duration),
        ("timestamp", Value::Int(seconds)) => Some(Time::from_seconds(*seconds).into()),
        ("timestamp", Value::Text(text)) => parse_time(text).map(|time| time.checked().into()),
        ("string", _) => return to_text(value),
        _ => None,
    };
    made.map_or_else(
        || fail(format!("type conversion error from '{}' to '{}'", value.type_name(), full(to))),
        Ok,
    )
}

/// The result type of a conversion function.
fn full(function: &str) -> &str {
    match function {
        "duration" => "google.protobuf.Duration",
        "timestamp" => "google.protobuf.Timestamp",
        other => other,
    }
}

fn to_int(value: &Value) -> EvalResult {
    const OVERFLOW: &str = "integer overflow";
    Ok(match value {
        Value::Uint(v) => i64::try_from(*v).map_or_else(|_| Value::error(OVERFLOW), Value::Int),
        #[expect(clippy::cast_precision_loss, reason = "the bounds that upstream compares with")]
        Value::Double(v) if v.is_finite() && *v > i64::MIN as f64 && *v < i64::MAX as f64 => {
            Value::Int(*v as i64)
        }
        Value::Double(_) => Value::error(OVERFLOW),
        Value::Duration(v) => Value::Int(*v),
        Value::Time(time) => Value::Int(time.seconds),
        Value::Text(text) if !text.contains('_') => match text.parse() {
            Ok(v) => Value::Int(v),
            Err(_) => Value::error("type conversion error from 'string' to 'int'"),
        },
        _ => Value::error(format!("type conversion error from '{}' to 'int'", value.type_name())),
    })
}

fn to_uint(value: &Value) -> EvalResult {
    const OVERFLOW: &str = "unsigned integer overflow";
    Ok(match value {
        Value::Int(v) => u64::try_from(*v).map_or_else(|_| Value::error(OVERFLOW), Value::Uint),
        Value::Double(v) if *v >= 0.0 && *v < 18_446_744_073_709_551_616.0 => {
            Value::Uint(*v as u64)
        }
        Value::Double(_) => Value::error(OVERFLOW),
        // Go's `strconv.ParseUint` accepts no sign.
        Value::Text(text) if text.bytes().all(|b| b.is_ascii_digit()) => match text.parse() {
            Ok(v) => Value::Uint(v),
            Err(_) => Value::error("type conversion error from 'string' to 'uint'"),
        },
        _ => Value::error(format!("type conversion error from '{}' to 'uint'", value.type_name())),
    })
}

#[expect(clippy::cast_precision_loss, reason = "as upstream converts")]
fn to_double(value: &Value) -> Option<Value> {
    match value {
        Value::Int(v) => Some(Value::Double(*v as f64)),
        Value::Uint(v) => Some(Value::Double(*v as f64)),
        Value::Text(text) => parse_double(text).map(Value::Double),
        _ => None,
    }
}

/// Go's `strconv.ParseFloat`.
fn parse_double(text: &str) -> Option<f64> {
    if text.contains('_') {
        return if underscores_separate(text) {
            parse_double(&text.replace('_', ""))
        } else {
            None
        };
    }
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => (-1.0, text.get(1..)?),
        b'+' => (1.0, text.get(1..)?),
        _ => (1.0, text),
    };
    let lower = body.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        "nan" if body.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    if let Some(hex) = lower.strip_prefix("0x") {
        return hexadecimal(hex).map(|v| sign * v);
    }

    // Rust reads decimal numbers as Go does, apart from those that overflow.
    if !body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    let value: f64 = body.parse().ok()?;
    value.is_finite().then_some(sign * value)
}

/// Whether underscores occur only between digits or after a hexadecimal prefix.
fn underscores_separate(text: &str) -> bool {
    let lower = text.strip_prefix(['+', '-']).unwrap_or(text).to_ascii_lowercase();
    let (hex, digits) =
        lower.strip_prefix("0x").map_or((false, lower.as_str()), |rest| (true, rest));
    let mut before = if hex { '0' } else { '^' };
    for c in digits.chars() {
        let digit = c.is_ascii_digit() || (hex && c.is_ascii_hexdigit());
        if (c == '_' && before != '0') || (before == '_' && !digit) {
            return false;
        }
        before = if digit { '0' } else { c };
    }
    before != '_'
}

/// A hexadecimal floating point number without its prefix. Exact as long as the digits fit.
#[expect(clippy::cast_precision_loss, reason = "rounded once, as upstream does")]
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let value = mantissa as f64
        * 2f64.powi(exponent.saturating_sub(4 * i32::try_from(fraction.len()).ok()?));
    value.is_finite().then_some(value)
}

fn to_text(value: &Value) -> EvalResult {
    Ok(Value::text(&match value {
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Uint(v) => v.to_string(),
        Value::Double(v) => general(*v),
        Value::Null => "null".into(),
        Value::Type(name) => (**name).to_owned(),
        #[expect(
            clippy::cast_precision_loss,
            reason = "upstream goes by the floating point number of seconds"
        )]
        Value::Duration(v) => {
            format!("{}s", decimal((v / 1_000_000_000) as f64 + (v % 1_000_000_000) as f64 / 1e9))
        }
        Value::Time(time) => time.to_text(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => return fail("invalid UTF-8 in bytes, cannot convert to string"),
        },
        _ => {
            return fail(format!("type conversion error from '{}' to 'string'", value.type_name()));
        }
    }))
}
