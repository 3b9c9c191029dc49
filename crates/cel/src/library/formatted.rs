//! Numbers as they are written in American English.
//!
//! Upstream: `golang.org/x/text/message`.

/// The most characters that a precision makes a number have.
pub(crate) const LONGEST: usize = u16::MAX as usize;
/// What comes of a precision that the printer does not read to its end.
const WITHOUT_VERB: &str = "%!(NOVERB)";
const LARGEST_PRECISION: u64 = 10_000_009;

/// A number with that many decimals, and commas between thousands. Parity: the least decimals are
/// the precision as an integer of 8 bits, the most as one of 16 bits with a sign; where that is
/// negative, as many as tell the number from others.
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

/// A number with a power of ten. Parity: there are always six decimals; the precision is how wide
/// the text is, as an integer of 16 bits.
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
