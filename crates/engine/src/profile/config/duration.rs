//! Durations of a configuration, as Go writes them.

use std::time::Duration;

use serde_json::Value;

use super::error::ConfigError;

/// Reads `5s`, `1m30s` and the like.
///
/// # Errors
/// For a value that is no duration, in the scheduler's words.
pub(super) fn read(value: &Value, path: &str) -> Result<Duration, ConfigError> {
    let Value::String(text) = value else {
        return Err(ConfigError::invalid(path, value, "must be a duration such as 5s"));
    };
    parse(text).ok_or_else(|| ConfigError::new(path, format!("strict decoding error: time: invalid duration {text:?}")))
}

/// Go's `time.ParseDuration` for what is not negative.
fn parse(text: &str) -> Option<Duration> {
    const UNITS: [(&str, f64); 7] =
        [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let length = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(length);
        seconds += number.parse::<f64>().ok()? * UNITS.iter().find(|(name, _)| *name == unit)?.1;
        rest = tail;
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|_| !text.is_empty())
}
