//! `format`: templates with `%` clauses, and numbers formatted for American English.
//!
//! Upstream: cel-go `ext/formatting.go`, `golang.org/x/text/message`.

use go::quoted;

use crate::release::Release;
use crate::types::Type;
use crate::values::{EvalResult, EvaluationStop, Value, convert, fail, fixed, general};

/// A template, and how many arguments it gets.
pub(crate) struct FormatTemplate<'t> {
    pub text: &'t str,
    pub count: usize,
    /// Whether the template is being expanded; otherwise it is only validated.
    pub runs: bool,
}

/// A formatting clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clause {
    Text,
    Decimal,
    Fixed(u64),
    Scientific(u64),
    Binary,
    Hex { upper: bool },
    Octal,
}

/// An error, with the id of the offending expression if known.
type Failed<I> = (Option<I>, String);

impl FormatTemplate<'_> {
    /// Expands the template; `show` formats the argument with the given index.
    pub fn fill<I>(
        &self,
        show: &mut dyn FnMut(usize, Clause) -> Result<String, Failed<I>>,
    ) -> Result<String, Failed<I>> {
        let (mut out, mut rest, mut index) = (String::new(), self.text, 0);
        while let Some(at) = rest.find('%') {
            let (before, behind) = rest.split_at(at);
            out.push_str(before);
            rest = behind.get(1..).unwrap_or_default();
            if let Some(behind) = rest.strip_prefix('%') {
                out.push('%');
                rest = behind;
                continue;
            }
            // Parity: at run time, a missing argument is reported before anything else.
            if rest.is_empty() && (index < self.count || !self.runs) {
                return Err((None, "unexpected end of string".into()));
            }
            if index >= self.count {
                return Err((None, format!("index {index} out of range")));
            }
            let (clause, behind) = clause(rest)
                .map_err(|e| (None, format!("could not parse formatting clause: {e}")))?;
            rest = behind;
            out.push_str(
                &show(index, clause)
                    .map_err(|(id, e)| (id, format!("error during formatting: {e}")))?,
            );
            index += 1;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// Parses the clause at the start of a text; returns it with the rest.
fn clause(text: &str) -> Result<(Clause, &str), String> {
    let (precision, rest) = match text.strip_prefix('.') {
        None => (None, text),
        Some(behind) => {
            let (precision, rest) =
                precision(behind).map_err(|e| format!("error while parsing precision: {e}"))?;
            (Some(precision), rest)
        }
    };
    let precision = precision.unwrap_or(6);
    // Parity: upstream reads the clause as a byte and prints it as the character of that code.
    let byte = rest.bytes().next().unwrap_or_default();
    let clause = match byte {
        b's' => Clause::Text,
        b'd' => Clause::Decimal,
        b'f' => Clause::Fixed(precision),
        b'e' => Clause::Scientific(precision),
        b'b' => Clause::Binary,
        b'x' => Clause::Hex { upper: false },
        b'X' => Clause::Hex { upper: true },
        b'o' => Clause::Octal,
        other => return Err(format!("unrecognized formatting clause \"{}\"", char::from(other))),
    };
    Ok((clause, rest.get(1..).unwrap_or_default()))
}

/// Parses the precision at the start of a text; returns it with the rest.
fn precision(text: &str) -> Result<(u64, &str), String> {
    let (digits, rest) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    if rest.is_empty() {
        return Err("could not find end of precision specifier".into());
    }
    match digits.parse::<i64>() {
        Ok(precision) => Ok((precision.unsigned_abs(), rest)),
        Err(_) => {
            let cause = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
            Err(format!(
                "error while converting precision to integer: strconv.Atoi: parsing {}: {cause}",
                quoted(digits)
            ))
        }
    }
}

impl Clause {
    /// Whether the validator accepts an argument of this type.
    pub const fn takes(self, t: &Type) -> bool {
        match self {
            Self::Text => matches!(
                t,
                Type::List(_)
                    | Type::Map(_)
                    | Type::Int
                    | Type::Uint
                    | Type::Double
                    | Type::Bool
                    | Type::Text
                    | Type::Time
                    | Type::Bytes
                    | Type::Duration
                    | Type::Type(_)
                    | Type::Null
            ),
            Self::Decimal | Self::Octal => matches!(t, Type::Int | Type::Uint),
            Self::Fixed(_) | Self::Scientific(_) => matches!(t, Type::Double | Type::Text),
            Self::Binary => matches!(t, Type::Int | Type::Uint | Type::Bool),
            Self::Hex { .. } => matches!(t, Type::Int | Type::Uint | Type::Text | Type::Bytes),
        }
    }

    /// The error about an argument of the wrong type.
    pub fn complaint(self, t: &str) -> String {
        let takes = match self {
            Self::Text => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and \
                 timestamps"
            }
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed(_) => "fixed-point clause can only be used on doubles",
            Self::Scientific(_) => "scientific clause can only be used on doubles",
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
        };
        format!("{takes}, was given {t}")
    }
}

/// `format`.
pub(super) fn format(_: &Release, args: &[Value]) -> EvalResult {
    let [Value::Text(text), Value::List(list)] = args else { return fail("no such overload") };
    let values = list.values();
    let mut stopped = None;
    let filled = FormatTemplate { text, count: values.len(), runs: true }.fill::<()>(
        &mut |index, clause| {
            let value = values.get(index).unwrap_or(&Value::Null);
            show(value, clause).map_or_else(
                |stop| {
                    stopped = Some(stop);
                    Ok(String::new())
                },
                |shown| shown.map_err(|e| (None, e)),
            )
        },
    );
    match (stopped, filled) {
        (Some(stop), _) => Err(stop),
        (None, Ok(text)) => Ok(Value::text(&text)),
        (None, Err((_, e))) => fail(e),
    }
}

fn show(value: &Value, clause: Clause) -> Result<Result<String, String>, EvaluationStop> {
    let text = match (clause, value) {
        (Clause::Text, _) => return as_text(value),
        (Clause::Decimal, Value::Int(v)) => Some(v.to_string()),
        (Clause::Decimal, Value::Uint(v)) => Some(v.to_string()),
        (Clause::Fixed(precision), _) => as_double(value).map(|v| grouped(v, precision)),
        (Clause::Scientific(precision), _) => as_double(value).map(|v| scientific(v, precision)),
        (Clause::Binary, Value::Int(v)) => Some(signed(*v, &format!("{:b}", v.unsigned_abs()))),
        (Clause::Binary, Value::Uint(v)) => Some(format!("{v:b}")),
        (Clause::Binary, Value::Bool(v)) => Some(u8::from(*v).to_string()),
        (Clause::Octal, Value::Int(v)) => Some(signed(*v, &format!("{:o}", v.unsigned_abs()))),
        (Clause::Octal, Value::Uint(v)) => Some(format!("{v:o}")),
        (Clause::Hex { upper: true }, _) => hex(value).map(|text| text.to_uppercase()),
        (Clause::Hex { upper: false }, _) => hex(value),
        _ => None,
    };
    Ok(text.ok_or_else(|| clause.complaint(value.type_name())))
}

fn signed(value: i64, digits: &str) -> String {
    if value < 0 { format!("-{digits}") } else { digits.into() }
}

fn hex(value: &Value) -> Option<String> {
    let bytes =
        |bytes: &[u8]| bytes.iter().fold(String::new(), |text, b| text + &format!("{b:02x}"));
    Some(match value {
        Value::Text(text) => bytes(text.as_bytes()),
        Value::Bytes(all) => bytes(all),
        Value::Int(v) => signed(*v, &format!("{:x}", v.unsigned_abs())),
        Value::Uint(v) => format!("{v:x}"),
        _ => return None,
    })
}

/// Formats a double; NaN and infinities have names.
fn as_double(value: &Value) -> Option<f64> {
    match value {
        Value::Double(v) => Some(*v),
        Value::Text(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// `%s`.
fn as_text(value: &Value) -> Result<Result<String, String>, EvaluationStop> {
    Ok(match value {
        Value::List(list) => {
            let mut parts = Vec::new();
            for value in list.values().iter() {
                match inside(value)? {
                    Ok(part) => parts.push(part),
                    Err(e) => return Ok(Err(e)),
                }
            }
            Ok(format!("[{}]", parts.join(", ")))
        }
        Value::Map(map) => {
            // Upstream sorts the entries by the text of their keys.
            let mut parts = Vec::new();
            for (key, value) in &map.entries {
                if !matches!(key, Value::Text(_) | Value::Bool(_) | Value::Int(_) | Value::Uint(_))
                {
                    return Ok(Err(format!(
                        "no formatting function for map key of type {}",
                        key.type_name()
                    )));
                }
                match (inside(key)?, inside(value)?) {
                    (Ok(key), Ok(value)) => parts.push((key, value)),
                    (Err(e), _) | (_, Err(e)) => return Ok(Err(e)),
                }
            }
            parts.sort_by(|(a, _), (b, _)| a.cmp(b));
            let parts: Vec<String> =
                parts.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            Ok(format!("{{{}}}", parts.join(", ")))
        }
        Value::Null => Ok("null".into()),
        Value::Double(v) => Ok(general(*v)),
        Value::Int(_)
        | Value::Uint(_)
        | Value::Bool(_)
        | Value::Text(_)
        | Value::Time(_)
        | Value::Bytes(_)
        | Value::Duration(_)
        | Value::Type(_) => match convert(value, "string")? {
            Value::Text(text) => Ok((*text).to_owned()),
            Value::Error(e) => Err(format!("could not convert argument {} to string", quoted(&e))),
            _ => Err(String::new()),
        },
        _ => Err(Clause::Text.complaint(value.type_name())),
    })
}

/// Formats an element of a list or map.
fn inside(value: &Value) -> Result<Result<String, String>, EvaluationStop> {
    let shown = match value {
        Value::Double(v) => {
            let text = fixed(*v, 6);
            return Ok(Ok(if v.is_finite() { text } else { quoted(&text) }));
        }
        Value::Int(_)
        | Value::Uint(_)
        | Value::Text(_)
        | Value::Bytes(_)
        | Value::Bool(_)
        | Value::Null
        | Value::Type(_)
        | Value::Time(_)
        | Value::Duration(_)
        | Value::List(_)
        | Value::Map(_) => as_text(value)?,
        _ => return Ok(Err(format!("no formatting function for {}", value.type_name()))),
    };
    Ok(shown.map(|text| match value {
        Value::Text(_) => quoted(&text),
        Value::Bytes(_) => format!("b{}", quoted(&text)),
        Value::Time(_) => format!("timestamp({})", quoted(&text)),
        Value::Duration(_) => format!("duration({})", quoted(&text)),
        _ => text,
    }))
}

/// The most digits that a precision can produce.
pub(crate) const LONGEST_NUMBER: usize = u16::MAX as usize;
/// The output for a precision that Go's printer rejects while parsing it.
const WITHOUT_VERB: &str = "%!(NOVERB)";
const LARGEST_PRECISION: u64 = 10_000_009;

/// Formats with a fixed number of decimals and commas between thousands. Parity: upstream truncates
/// the precision, to 8 bits for the minimum of decimals and to 16 bits, signed, for the maximum; a
/// negative maximum means the shortest text that identifies the number.
fn grouped(value: f64, precision: u64) -> String {
    if precision > LARGEST_PRECISION {
        return WITHOUT_VERB.into();
    }
    if let Some(text) = special(value) {
        return text.into();
    }
    let least = usize::from(precision as u8);
    let text = usize::try_from(precision as i16)
        .map_or_else(|_| value.abs().to_string(), |most| format!("{:.most$}", value.abs()));
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = format!("{:0<least$}", fraction.trim_end_matches('0'));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{out}{point}{fraction}")
}

/// Formats with an exponent. Parity: always with six decimals; the precision sets the width,
/// truncated to 16 bits.
fn scientific(value: f64, precision: u64) -> String {
    if precision > LARGEST_PRECISION {
        return WITHOUT_VERB.into();
    }
    let width = usize::from(precision as u16);
    let text = special(value).map_or_else(|| with_power(value), str::to_owned);
    format!("{text:>width$}")
}

fn with_power(value: f64) -> String {
    // Zero has no sign.
    let text = format!("{:.6e}", if value == 0.0 { 0.0 } else { value });
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { "-" } else { "" };
    let power: String = format!("{sign}{:02}", exponent.abs()).chars().map(superscript).collect();
    format!("{mantissa}×10{power}")
}

fn superscript(c: char) -> char {
    let digit = c.to_digit(10).and_then(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize));
    digit.unwrap_or('⁻')
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}
