//! Timestamps and durations, as Go's `time` reads and writes them.

use super::Value;

const SECOND: i64 = 1_000_000_000;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// An instant, and the offset from UTC that it is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Time {
    /// Since 1970, rounded down.
    pub seconds: i64,
    pub nanos: u32,
    /// Seconds east of UTC.
    pub offset: i32,
}

/// A date and the time of the day.
pub(crate) struct Civil {
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
    /// From 1.
    pub day_of_year: i64,
    /// From Sunday, 0.
    pub weekday: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
}

impl Time {
    pub fn from_seconds(seconds: i64) -> Value {
        if RANGE.contains(&seconds) {
            Value::Time(Self { seconds, nanos: 0, offset: 0 })
        } else {
            Value::error("timestamp overflow")
        }
    }

    pub fn in_range(&self) -> bool {
        RANGE.contains(&self.seconds)
    }

    pub const fn instant(&self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }

    /// Whether it is Go's zero time, year 1.
    pub const fn is_zero(&self) -> bool {
        self.seconds == *RANGE.start() && self.nanos == 0
    }

    /// Parity: as a key of a map, a time with an offset equals no other.
    pub fn is_same_key(&self, other: &Self) -> bool {
        self == other && self.offset == 0
    }

    /// Some nanoseconds later.
    pub fn plus(&self, nanos: i64) -> Value {
        let total = i64::from(self.nanos) + nanos.rem_euclid(SECOND);
        let Some(seconds) = self.seconds.checked_add(nanos.div_euclid(SECOND) + total / SECOND) else {
            return Value::error("integer overflow");
        };
        let later = Self { seconds, nanos: u32::try_from(total % SECOND).unwrap_or(0), offset: self.offset };
        if later.in_range() { Value::Time(later) } else { Value::error("timestamp overflow") }
    }

    /// The nanoseconds since another instant.
    pub fn minus(&self, other: &Self) -> Option<i64> {
        let seconds = self.seconds.checked_sub(other.seconds)?.checked_mul(SECOND)?;
        seconds.checked_add(i64::from(self.nanos) - i64::from(other.nanos))
    }

    /// The calendar's view of it, `offset` seconds east of UTC.
    pub const fn civil(&self, offset: i64) -> Civil {
        let local = self.seconds + offset;
        let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        // Days since 0000-03-01, in eras of 400 years (Howard Hinnant, chrono-compatible low-level date algorithms).
        let shifted = days + 719_468;
        let (era, in_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
        let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * in_year + 2) / 153;
        let day = in_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + (month <= 2) as i64;
        Civil {
            year,
            month,
            day,
            day_of_year: days - days_before(year, 1, 1) + 1,
            weekday: (days + 4).rem_euclid(7),
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
        }
    }

    fn parts(&self) -> (Civil, String) {
        let fraction = format!(".{:09}", self.nanos);
        (self.civil(i64::from(self.offset)), fraction.trim_end_matches('0').trim_end_matches('.').to_owned())
    }

    fn zone(&self, colon: &str) -> String {
        let minutes = self.offset / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        format!("{sign}{:02}{colon}{:02}", minutes.abs() / 60, minutes.abs() % 60)
    }

    /// RFC 3339.
    pub fn to_text(self) -> String {
        let (c, fraction) = self.parts();
        let zone = if self.offset == 0 { "Z".into() } else { self.zone(":") };
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}{zone}",
            c.year, c.month, c.day, c.hour, c.minute, c.second
        )
    }

    /// As Go's `%v` shows it.
    pub fn long_text(self) -> String {
        let (c, fraction) = self.parts();
        let zone = if self.offset == 0 { "+0000 UTC".into() } else { format!("{0} {0}", self.zone("")) };
        format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}{fraction} {zone}",
            c.year, c.month, c.day, c.hour, c.minute, c.second
        )
    }
}

/// The days from 1970-01-01 to a date.
const fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let in_year = (153 * shifted_month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + in_year - 719_468
}

/// Reads RFC 3339.
pub(crate) fn parse_time(text: &str) -> Option<Time> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
    };
    let mark = |at: usize, mark: u8| (bytes.get(at) == Some(&mark)).then_some(());
    mark(4, b'-')?;
    mark(7, b'-')?;
    mark(10, b'T')?;
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Go's slower parser, which the faster one falls back to, takes an hour of one digit.
    let short = usize::from(mark(13, b':').is_none());
    mark(13 - short, b':')?;
    mark(16 - short, b':')?;
    let (hour, minute, second) =
        (number(11, 13 - short)?, number(14 - short, 16 - short)?, number(17 - short, 19 - short)?);
    let mut at = 19 - short;
    let mut nanos = 0;
    if matches!(bytes.get(at), Some(b'.' | b',')) {
        let length = bytes.get(at + 1..)?.iter().take_while(|b| b.is_ascii_digit()).count();
        if length == 0 {
            return None;
        }
        let digits: String = text.get(at + 1..at + 1 + length)?.chars().take(9).collect();
        nanos = format!("{digits:0<9}").parse().ok()?;
        at += 1 + length;
    }
    let offset = match bytes.get(at)? {
        b'Z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 => {
            mark(at + 3, b':')?;
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 24 || minutes > 60 {
                return None;
            }
            (hours * 3600 + minutes * 60) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days_before(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(Time { seconds, nanos, offset: i32::try_from(offset).ok()? })
}

/// Reads a duration like `1h30m`, in nanoseconds.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
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

/// A fraction of a unit, rounded down as upstream's floating point does.
#[expect(clippy::cast_precision_loss, reason = "as upstream")]
fn of_unit(fraction: &str, unit: u64) -> u64 {
    let (mut value, mut scale) = (0u64, 1f64);
    for digit in fraction.bytes() {
        let Some(next) = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0'))) else { break };
        if next > 1 << 63 {
            break;
        }
        (value, scale) = (next, scale * 10.0);
    }
    (value as f64 * (unit as f64 / scale)) as u64
}

/// As Go's `%v` shows a duration.
pub(crate) fn duration_text(nanos: i64) -> String {
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
