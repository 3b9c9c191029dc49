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
    let nanos = go::parse_duration(text).and_then(|nanos| u64::try_from(nanos).ok());
    nanos
        .map(Duration::from_nanos)
        .ok_or_else(|| ConfigError::new(path, format!("strict decoding error: time: invalid duration {text:?}")))
}
