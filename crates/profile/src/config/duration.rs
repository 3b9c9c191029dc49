//! Durations of a configuration, as Go writes them.

use std::time::Duration;

use serde_json::Value;

use super::error::ConfigError;

/// Nanoseconds of `5s`, `-1m30s` and the like.
///
/// # Errors
/// For a value that is no duration, in the scheduler's words.
pub(super) fn nanos(value: &Value, path: &str) -> Result<i64, ConfigError> {
    let Value::String(text) = value else {
        return Err(ConfigError::invalid(path, value, "must be a duration such as 5s"));
    };
    go::parse_duration(text)
        .ok_or_else(|| ConfigError::new(path, format!("strict decoding error: time: invalid duration {text:?}")))
}

/// So many nanoseconds as a text.
pub(super) fn text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    format!("{sign}{:?}", Duration::from_nanos(nanos.unsigned_abs()))
}
