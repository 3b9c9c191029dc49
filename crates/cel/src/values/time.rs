//! Timestamps, as Go's `time` reads and writes them.

use std::sync::Arc;

const SECOND: i64 = 1_000_000_000;
/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// An instant, and the offset from UTC that it is written with.
#[derive(Debug, Clone)]
pub(crate) struct Time {
    /// Since 1970, rounded down.
    pub seconds: i64,
    nanos: u32,
    zone: Zone,
}

/// The time zone of a parsed time, which Go compares by address.
#[derive(Debug, Clone)]
enum Zone {
    /// Written as `Z`.
    Utc,
    /// An offset of whole hours, for which Go caches one zone. Offset 0 is the scheduler's local
    /// zone, not UTC.
    Kept(i32),
    /// Any other offset, for which Go creates a zone on each parse.
    New(Arc<i32>),
}

impl Zone {
    fn of(offset: i32) -> Self {
        let is_kept = offset % 3600 == 0 && (-12..=14).contains(&(offset / 3600));
        if is_kept { Self::Kept(offset) } else { Self::New(Arc::new(offset)) }
    }

    fn offset(&self) -> i32 {
        match self {
            Self::Utc => 0,
            Self::Kept(offset) => *offset,
            Self::New(offset) => **offset,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Utc, Self::Utc) => true,
            (Self::Kept(a), Self::Kept(b)) => a == b,
            (Self::New(a), Self::New(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// A calendar date and time of day.
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
    /// The time this many seconds after 1970, or the error about one out of range.
    pub fn from_seconds(seconds: i64) -> Result<Self, &'static str> {
        Self { seconds, nanos: 0, zone: Zone::Utc }.checked()
    }

    /// The time, or the error if CEL has none as early or as late.
    pub fn checked(self) -> Result<Self, &'static str> {
        if RANGE.contains(&self.seconds) { Ok(self) } else { Err("timestamp overflow") }
    }

    pub const fn instant(&self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }

    /// Whether it is Go's zero time, year 1.
    pub const fn is_zero(&self) -> bool {
        self.seconds == *RANGE.start() && self.nanos == 0
    }

    pub const fn millis(&self) -> u32 {
        self.nanos / 1_000_000
    }

    /// Parity: as map keys, times are equal only in the same zone.
    pub fn is_same_key(&self, other: &Self) -> bool {
        self.instant() == other.instant() && self.zone.is_same(&other.zone)
    }

    /// Adds nanoseconds.
    pub fn plus(&self, nanos: i64) -> Result<Self, &'static str> {
        let total = i64::from(self.nanos) + nanos.rem_euclid(SECOND);
        let seconds = self.seconds.checked_add(nanos.div_euclid(SECOND) + total / SECOND);
        let seconds = seconds.ok_or("integer overflow")?;
        let nanos = u32::try_from(total % SECOND).unwrap_or(0);
        Self { seconds, nanos, zone: self.zone.clone() }.checked()
    }

    /// The nanoseconds since another instant.
    pub fn minus(&self, other: &Self) -> Option<i64> {
        let seconds = self.seconds.checked_sub(other.seconds)?.checked_mul(SECOND)?;
        seconds.checked_add(i64::from(self.nanos) - i64::from(other.nanos))
    }

    /// The calendar date at an offset in seconds east of UTC.
    pub const fn civil(&self, offset: i64) -> Civil {
        let local = self.seconds + offset;
        let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        // Days since 0000-03-01, in eras of 400 years (Howard Hinnant, chrono-compatible low-level
        // date algorithms).
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
        (
            self.civil(i64::from(self.zone.offset())),
            fraction.trim_end_matches('0').trim_end_matches('.').to_owned(),
        )
    }

    fn offset_text(&self, colon: &str) -> String {
        let minutes = self.zone.offset() / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        format!("{sign}{:02}{colon}{:02}", minutes.abs() / 60, minutes.abs() % 60)
    }

    /// RFC 3339.
    pub fn to_text(&self) -> String {
        let (c, fraction) = self.parts();
        let zone = if self.zone.offset() == 0 { "Z".into() } else { self.offset_text(":") };
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}{zone}",
            c.year, c.month, c.day, c.hour, c.minute, c.second
        )
    }

    /// As Go's `%v` shows it.
    pub fn long_text(&self) -> String {
        let (c, fraction) = self.parts();
        let zone = if self.zone.offset() == 0 {
            "+0000 UTC".into()
        } else {
            format!("{0} {0}", self.offset_text(""))
        };
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
    expect(bytes, 4, b'-')?;
    expect(bytes, 7, b'-')?;
    expect(bytes, 10, b'T')?;
    let year = digits(text, 0, 4)?;
    let month = digits(text, 5, 7)?;
    let day = digits(text, 8, 10)?;

    // Go's fast parser falls back to a slower one, which accepts an hour of one digit.
    let short = usize::from(expect(bytes, 13, b':').is_none());
    expect(bytes, 13 - short, b':')?;
    expect(bytes, 16 - short, b':')?;
    let hour = digits(text, 11, 13 - short)?;
    let minute = digits(text, 14 - short, 16 - short)?;
    let second = digits(text, 17 - short, 19 - short)?;

    // A fraction may have any number of digits; the first nine count.
    let mut at = 19 - short;
    let mut nanos = 0;
    if matches!(bytes.get(at), Some(b'.' | b',')) {
        let length = bytes.get(at + 1..)?.iter().take_while(|b| b.is_ascii_digit()).count();
        if length == 0 {
            return None;
        }
        let fraction: String = text.get(at + 1..at + 1 + length)?.chars().take(9).collect();
        nanos = format!("{fraction:0<9}").parse().ok()?;
        at += 1 + length;
    }

    let zone = match bytes.get(at)? {
        b'Z' if bytes.len() == at + 1 => Zone::Utc,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 => {
            expect(bytes, at + 3, b':')?;
            let hours = digits(text, at + 1, at + 3)?;
            let minutes = digits(text, at + 4, at + 6)?;
            if hours > 24 || minutes > 60 {
                return None;
            }
            let offset = hours * 3600 + minutes * 60;
            Zone::of(i32::try_from(if *sign == b'-' { -offset } else { offset }).ok()?)
        }
        _ => return None,
    };

    let is_in_range =
        (1..=days_in(year, month)?).contains(&day) && hour <= 23 && minute <= 59 && second <= 59;
    if !is_in_range {
        return None;
    }
    let seconds = days_before(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        - i64::from(zone.offset());
    Some(Time { seconds, nanos, zone })
}

/// The number from one offset to another, which consists of digits alone.
fn digits(text: &str, from: usize, to: usize) -> Option<i64> {
    let digits = text.get(from..to)?;
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// `None` unless this byte is at the offset.
fn expect(bytes: &[u8], at: usize, byte: u8) -> Option<()> {
    (bytes.get(at) == Some(&byte)).then_some(())
}

/// The days of a month; `None` for a month that does not exist.
fn days_in(year: i64, month: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => Some(28 + i64::from(is_leap)),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}
