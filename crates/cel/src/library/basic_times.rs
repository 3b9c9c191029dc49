//! The parts of timestamps and durations.
//!
//! Upstream: cel-go `common/stdlib/standard.go`, `common/types/duration.go`.

use go::quoted;

use super::declare::{Function, Run, function, member};
use crate::values::{EvalResult, EvaluationStop, Time, Value, fail};

/// A part of a timestamp, with and without a time zone.
macro_rules! part {
    ($name:literal, $id:literal, $zoned:literal, $part:expr $(, $more:expr)?) => {
        function(
            $name,
            &[
                member($id, "timestamp -> int", Run::Direct(|_, args| of_time(args, $part))),
                member($zoned, "timestamp, string -> int", Run::Direct(|_, args| of_time(args, $part))),
                $($more)?
            ],
        )
    };
}

/// A part of a duration.
macro_rules! span {
    ($id:literal, $nanos:literal) => {
        member($id, "duration -> int", Run::Direct(|_, args| of_duration(args, $nanos)))
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    part!("getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz", |t, o| t.civil(o).year),
    part!("getMonth", "timestamp_to_month", "timestamp_to_month_with_tz", |t, o| t.civil(o).month
        - 1),
    part!(
        "getDayOfYear",
        "timestamp_to_day_of_year",
        "timestamp_to_day_of_year_with_tz",
        |t, o| t.civil(o).day_of_year - 1
    ),
    part!(
        "getDayOfMonth",
        "timestamp_to_day_of_month",
        "timestamp_to_day_of_month_with_tz",
        |t, o| t.civil(o).day - 1
    ),
    part!(
        "getDate",
        "timestamp_to_day_of_month_1_based",
        "timestamp_to_day_of_month_1_based_with_tz",
        |t, o| { t.civil(o).day }
    ),
    part!(
        "getDayOfWeek",
        "timestamp_to_day_of_week",
        "timestamp_to_day_of_week_with_tz",
        |t, o| t.civil(o).weekday
    ),
    part!(
        "getHours",
        "timestamp_to_hours",
        "timestamp_to_hours_with_tz",
        |t, o| t.civil(o).hour,
        span!("duration_to_hours", 3_600_000_000_000)
    ),
    part!(
        "getMinutes",
        "timestamp_to_minutes",
        "timestamp_to_minutes_with_tz",
        |t, o| t.civil(o).minute,
        span!("duration_to_minutes", 60_000_000_000)
    ),
    part!(
        "getSeconds",
        "timestamp_to_seconds",
        "timestamp_to_seconds_tz",
        |t, o| t.civil(o).second,
        span!("duration_to_seconds", 1_000_000_000)
    ),
    part!(
        "getMilliseconds",
        "timestamp_to_milliseconds",
        "timestamp_to_milliseconds_with_tz",
        |t, _| i64::from(t.millis()),
        span!("duration_to_milliseconds", 1_000_000)
    ),
];

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
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '/' | '.');
    let known = ["posix", "right", "zone", "tz", "leap", "iso3166", "local", "+VERSION", "."]
        .iter()
        .any(|begin| name.starts_with(begin));
    known
        || (name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(plain))
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
    let number = |text: &str| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let valid = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let cause = if valid { "value out of range" } else { "invalid syntax" };
        text.parse::<i64>()
            .ok()
            .filter(|_| valid)
            .ok_or_else(|| format!("strconv.Atoi: parsing {}: {cause}", quoted(text)))
    };
    Ok(number(hours).and_then(|hours| {
        let minutes = number(minutes)?;
        let signed = if zone.starts_with('-') { -minutes } else { minutes };
        Ok(hours.saturating_mul(3600).saturating_add(signed.saturating_mul(60)))
    }))
}
