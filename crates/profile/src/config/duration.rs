//! Durations of a configuration, as Go writes them.

use std::time::Duration;

use super::error::{ConfigError, ConfigStage};

/// Nanoseconds of a text such as `5s` or `-1m30s`.
///
/// # Errors
/// For an invalid text, in the scheduler's words.
pub(super) fn nanos(text: &str, path: &str) -> Result<i64, ConfigError> {
    go::parse_duration(text).ok_or_else(|| {
        ConfigError::new(path, format!("strict decoding error: time: invalid duration {text:?}"))
            .at(ConfigStage::Values)
    })
}

/// Nanoseconds as text.
pub(super) fn text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    format!("{sign}{:?}", Duration::from_nanos(nanos.unsigned_abs()))
}
