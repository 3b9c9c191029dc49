//! Durations in text.

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
    let with = |unit: u64| {
        let digits = unit.to_string().len() - 1;
        let fraction = format!("{:0digits$}", total % unit);
        let fraction = if digits == 0 { "" } else { fraction.trim_end_matches('0') };
        let point = if fraction.is_empty() { "" } else { "." };
        (total / unit, format!("{point}{fraction}"))
    };
    match total {
        0 => "0s".into(),
        1..1_000 => format!("{sign}{total}ns"),
        1_000..1_000_000 => {
            let (whole, fraction) = with(1_000);
            format!("{sign}{whole}{fraction}µs")
        }
        1_000_000..1_000_000_000 => {
            let (whole, fraction) = with(1_000_000);
            format!("{sign}{whole}{fraction}ms")
        }
        _ => {
            let (whole, fraction) = with(1_000_000_000);
            let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
            let hours_text = if hours > 0 { format!("{hours}h") } else { String::new() };
            let minutes_text = if whole >= 60 { format!("{minutes}m") } else { String::new() };
            format!("{sign}{hours_text}{minutes_text}{seconds}{fraction}s")
        }
    }
}
