//! The parts of timestamps and durations.
//!
//! Upstream: cel-go `common/stdlib/standard.go`, `common/types/duration.go`.

use go::quoted;

use super::declare::{Overload, member};
use crate::values::{EvalResult, EvaluationStop, Time, Value, fail};

/// The parts of timestamps, with and without a time zone.
macro_rules! parts_of_times {
    ($($function:literal, $id:literal, $zoned:literal, $part:expr;)*) => {
        &[$(
            member($function, $id, "timestamp -> int", |_, args| of_time(args, $part)),
            member($function, concat!($id, $zoned), "timestamp, string -> int", |_, args| {
                of_time(args, $part)
            }),
        )*]
    };
}

pub(super) const PARTS_OF_TIMES: &[Overload] = parts_of_times! {
    "getFullYear", "timestamp_to_year", "_with_tz", |t, o| t.civil(o).year;
    "getMonth", "timestamp_to_month", "_with_tz", |t, o| t.civil(o).month - 1;
    "getDayOfYear", "timestamp_to_day_of_year", "_with_tz", |t, o| t.civil(o).day_of_year - 1;
    "getDayOfMonth", "timestamp_to_day_of_month", "_with_tz", |t, o| t.civil(o).day - 1;
    "getDate", "timestamp_to_day_of_month_1_based", "_with_tz", |t, o| t.civil(o).day;
    "getDayOfWeek", "timestamp_to_day_of_week", "_with_tz", |t, o| t.civil(o).weekday;
    "getHours", "timestamp_to_hours", "_with_tz", |t, o| t.civil(o).hour;
    "getMinutes", "timestamp_to_minutes", "_with_tz", |t, o| t.civil(o).minute;
    "getSeconds", "timestamp_to_seconds", "_tz", |t, o| t.civil(o).second;
    "getMilliseconds", "timestamp_to_milliseconds", "_with_tz", |t, _| i64::from(t.millis());
};

/// Durations in whole units of so many nanoseconds.
macro_rules! parts_of_durations {
    ($($function:literal, $id:literal, $nanos:literal;)*) => {
        &[$(member($function, $id, "duration -> int", |_, args| of_duration(args, $nanos)),)*]
    };
}

pub(super) const PARTS_OF_DURATIONS: &[Overload] = parts_of_durations! {
    "getHours", "duration_to_hours", 3_600_000_000_000;
    "getMinutes", "duration_to_minutes", 60_000_000_000;
    "getSeconds", "duration_to_seconds", 1_000_000_000;
    "getMilliseconds", "duration_to_milliseconds", 1_000_000;
};

fn of_time(args: &[Value], part: fn(&Time, i64) -> i64) -> EvalResult {
    let [Value::Time(time), zone @ ..] = args else { return fail("no such overload") };
    let offset = match zone.first().and_then(Value::as_text) {
        None => 0,
        Some(zone) => match offset(zone)? {
            Ok(offset) => offset,
            Err(e) => return fail(e),
        },
    };
    Ok(Value::Int(part(time, offset)))
}

fn of_duration(args: &[Value], nanos: i64) -> EvalResult {
    match args {
        [Value::Duration(duration)] => Ok(Value::Int(duration / nanos)),
        _ => fail("no such overload"),
    }
}

/// Whether the name could be that of a time zone: the form of names in the tz database.
fn may_be_zone(name: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["posix", "right", "zone", "tz", "leap", "iso3166", "local", "+VERSION", "."];
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || (name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_+-/.".contains(c)))
}

/// Seconds east of UTC of a time zone, or the error. What a name means is in files of the
/// scheduler's image, which are not known here: they differ in when a zone has changed, even in
/// this decade.
fn offset(zone: &str) -> Result<Result<i64, String>, EvaluationStop> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return match zone {
            "" | "UTC" => Ok(Ok(0)),
            _ if zone.contains("..") || zone.starts_with(['/', '\\']) => {
                Ok(Err("time: invalid location name".into()))
            }
            _ if may_be_zone(zone) => {
                Err(EvaluationStop::Unknown(format!("takes the time in the zone `{zone}`")))
            }
            _ => Ok(Err(format!("unknown time zone {zone}"))),
        };
    };
    Ok(offset_of(zone, hours, minutes))
}

/// Seconds east of UTC of a zone such as `-08:30`, or Go's error about its numbers.
fn offset_of(zone: &str, hours: &str, minutes: &str) -> Result<i64, String> {
    let hours = number(hours)?;
    let minutes = number(minutes)?;
    let signed = if zone.starts_with('-') { -minutes } else { minutes };
    Ok(hours.saturating_mul(3600).saturating_add(signed.saturating_mul(60)))
}

/// Go's `strconv.Atoi`.
fn number(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("strconv.Atoi: parsing {}: invalid syntax", quoted(text)));
    }
    text.parse().map_err(|_| format!("strconv.Atoi: parsing {}: value out of range", quoted(text)))
}
