//! Errors of a configuration, and how its JSON is decoded as strictly as the scheduler decodes it.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use model::wrong_value::WrongValue;

/// What is wrong with a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Path of the field; empty for the whole file.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.problem) } else { write!(f, "{}: {}", self.path, self.problem) }
    }
}

impl ConfigError {
    pub(in crate::config) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    pub(in crate::config) fn unsupported(path: impl Into<String>, value: &str, known: &[&str]) -> Self {
        let known: Vec<String> = known.iter().map(|value| format!("{value:?}")).collect();
        Self::new(path, format!("Unsupported value: {value:?}: supported values: {}", known.join(", ")))
    }

    pub(in crate::config) fn invalid(path: impl Into<String>, value: impl fmt::Debug, problem: &str) -> Self {
        Self::new(path, format!("Invalid value: {value:?}: {problem}"))
    }
}

/// Decodes `value`, refusing fields that do not exist.
pub(in crate::config) fn strict<T: DeserializeOwned>(value: &Value, path: &str) -> Result<T, ConfigError> {
    let line = value.to_string();
    serde_json::from_str(&line).map_err(|e| {
        let WrongValue { path: inner, message } =
            WrongValue::of(&line, &e, &|line| serde_json::from_str::<T>(line).map(drop));
        let path =
            if path.is_empty() || inner.is_empty() { format!("{path}{inner}") } else { format!("{path}.{inner}") };
        if message.starts_with(UNKNOWN_FIELD) {
            return unknown_field(&path);
        }
        ConfigError::new(path, format!("strict decoding error: {}", wrong_type(&message)))
    })
}

/// How the decoder begins to say that a field does not exist.
const UNKNOWN_FIELD: &str = "unknown field";

/// The scheduler's words for a field that does not exist.
pub(in crate::config) fn unknown_field(path: &str) -> ConfigError {
    ConfigError::new(path, format!("strict decoding error: unknown field {path:?}"))
}

/// The decoder's words for a value of another type, without Rust's names of types.
fn wrong_type(message: &str) -> String {
    let Some((found, expected)) =
        message.split_once(": ").and_then(|(_, rest)| rest.rsplit_once(", expected ")).map(|(f, e)| (f, e.trim()))
    else {
        return message.to_owned();
    };
    let expected = match expected {
        "i64" | "u64" | "f32" => "a number",
        "i32" => "a number of 32 bits",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        text if text.starts_with("struct ") => "an object",
        text => text,
    };
    let found = found.replace("sequence", "list").replace("map", "object");
    format!("cannot read {found} where {expected} belongs")
}
