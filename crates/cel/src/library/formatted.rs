//! Numbers formatted for American English.
//!
//! Upstream: `golang.org/x/text/message`.

/// The most digits that a precision can produce.
pub(crate) const LONGEST: usize = u16::MAX as usize;
/// The output for a precision that Go's printer rejects while parsing it.
const WITHOUT_VERB: &str = "%!(NOVERB)";
const LARGEST_PRECISION: u64 = 10_000_009;

/// Formats with a fixed number of decimals and commas between thousands. Parity: upstream truncates
/// the precision, to 8 bits for the minimum of decimals and to 16 bits, signed, for the maximum; a
/// negative maximum means the shortest text that identifies the number.
pub(super) fn fixed(value: f64, precision: u64) -> String {
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
pub(super) fn scientific(value: f64, precision: u64) -> String {
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
    let raised = |c: char| match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁻',
    };
    let sign = if exponent < 0 { "-" } else { "" };
    let power: String = format!("{sign}{:02}", exponent.abs()).chars().map(raised).collect();
    format!("{mantissa}×10{power}")
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}
