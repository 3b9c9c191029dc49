//! Booleans and durations in text.

/// `strconv.ParseBool`; `None` is its error.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

/// `time.ParseDuration`, for texts such as `1h30m`; in nanoseconds. `None` is its error.
pub fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }

    // Each round takes a number with a fraction and its unit, as in `1h30.5m`. All is added up as an
    // unsigned number, in which the magnitude of the least duration fits.
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let whole_length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, mut after) = rest.split_at(whole_length);
        let mut fraction = "";
        if let Some(behind) = after.strip_prefix('.') {
            let length = behind.bytes().take_while(u8::is_ascii_digit).count();
            (fraction, after) = behind.split_at(length);
        }
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let unit_length = after.bytes().take_while(|b| *b != b'.' && !b.is_ascii_digit()).count();
        let (unit, next) = after.split_at(unit_length);
        let unit: u64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let mut value = whole.checked_mul(unit).filter(|v| *v <= 1 << 63)?;
        value = value.checked_add(of_unit(fraction, unit)).filter(|v| *v <= 1 << 63)?;
        total = total.checked_add(value).filter(|v| *v <= 1 << 63)?;
        rest = next;
    }
    if negative {
        return Some((total as i64).wrapping_neg());
    }
    i64::try_from(total).ok()
}

/// A fraction of a unit, rounded down as Go's floating point arithmetic does.
#[expect(clippy::cast_precision_loss, reason = "as upstream")]
fn of_unit(fraction: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0u64, 1f64);
    for digit in fraction.bytes() {
        let Some(next) = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0')))
        else {
            break;
        };
        if next > 1 << 63 {
            break;
        }
        (value, scale) = (next, scale * 10.0);
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// The text of `time.Duration.String`.
pub fn duration_text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let total = nanos.unsigned_abs();
    match total {
        0 => "0s".into(),
        // Less than a second is written in the largest unit of which there is at least one.
        1..1_000 => format!("{sign}{total}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", in_units(total, 3)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", in_units(total, 6)),
        _ => {
            let (minutes, nanos) = (total / 60_000_000_000, total % 60_000_000_000);
            let seconds = in_units(nanos, 9);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// Nanoseconds in units of ten to the power of `decimals`, without zeros at the end.
fn in_units(nanos: u64, decimals: usize) -> String {
    let digits = format!("{nanos:0width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    match fraction.trim_end_matches('0') {
        "" => whole.to_owned(),
        fraction => format!("{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration_text, parse_bool};

    #[test]
    fn few_spellings_are_booleans() {
        for (text, value) in [
            ("1", Some(true)),
            ("True", Some(true)),
            ("F", Some(false)),
            ("tRUE", None),
            ("yes", None),
        ] {
            assert_eq!(parse_bool(text), value, "{text}");
        }
    }

    #[test]
    fn durations_are_written_in_units_of_at_least_one() {
        for (nanos, text) in [
            (0, "0s"),
            (-7, "-7ns"),
            (1_500, "1.5µs"),
            (20_000_000, "20ms"),
            (1_000_000_000, "1s"),
            (60_000_000_000, "1m0s"),
            (3_600_000_000_000, "1h0m0s"),
            (5_430_250_000_000, "1h30m30.25s"),
            (i64::MIN, "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(duration_text(nanos), text);
        }
    }
}
