//! Numbers as they are written in American English.
//!
//! Upstream: `golang.org/x/text/message`.

/// A number with that many decimals, and commas between thousands.
pub(super) fn fixed(value: f64, precision: usize) -> String {
    if let Some(text) = special(value) {
        return text.into();
    }
    let text = format!("{:.precision$}", value.abs());
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(w, f)| (w, Some(f)));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    fraction.map_or_else(|| format!("{sign}{out}"), |fraction| format!("{sign}{out}.{fraction}"))
}

/// A number with a power of ten. Parity: the precision is only how wide the text of what is no number is; there are always six decimals.
pub(super) fn scientific(value: f64, precision: usize) -> String {
    if let Some(text) = special(value) {
        return format!("{text:>precision$}");
    }
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
