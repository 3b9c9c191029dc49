//! Errors of a configuration, and decoding its JSON as strictly as the scheduler does.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use model::wrong_value::WrongValue;

/// The stages in which kube-scheduler processes a configuration: it reports only the errors of the
/// first stage that has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigStage {
    /// The values of the file are decoded.
    Values,
    /// The arguments of plugins are decoded.
    Arguments,
    /// Unknown fields are detected.
    Fields,
    /// The decoded values are validated.
    Validation,
    /// Extenders are created.
    Extenders,
    /// Profiles and their plugins are created.
    Start,
}

/// A problem with a configuration, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Path of the field; empty for the whole file.
    pub path: String,
    pub problem: String,
    /// When kube-scheduler detects it.
    pub stage: ConfigStage,
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

impl ConfigError {
    pub(in crate::config) fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into(), stage: ConfigStage::Validation }
    }

    pub(in crate::config) fn unsupported(
        path: impl Into<String>,
        value: &str,
        supported: &[&str],
    ) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        Self::new(
            path,
            format!("Unsupported value: {value:?}: supported values: {}", supported.join(", ")),
        )
    }

    pub(in crate::config) fn invalid(
        path: impl Into<String>,
        value: impl fmt::Debug,
        problem: &str,
    ) -> Self {
        Self::new(path, format!("Invalid value: {value:?}: {problem}"))
    }

    pub(in crate::config) fn at(self, stage: ConfigStage) -> Self {
        Self { stage, ..self }
    }
}

/// The errors of a configuration.
#[derive(Debug, Default)]
pub(in crate::config) struct Problems(Vec<ConfigError>);

impl Problems {
    pub(in crate::config) fn add(&mut self, error: ConfigError) {
        self.0.push(error);
    }

    /// Records the error, if it is one.
    pub(in crate::config) fn keep<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Adds those of `others` that `counts` selects.
    pub(in crate::config) fn append(
        &mut self,
        others: Self,
        counts: impl Fn(&ConfigError) -> bool,
    ) {
        self.0.extend(others.0.into_iter().filter(counts));
    }

    /// Removes those of one stage.
    pub(in crate::config) fn take(&mut self, stage: ConfigStage) -> Vec<ConfigError> {
        self.0.extract_if(.., |error| error.stage == stage).collect()
    }

    /// The error that the scheduler reports first.
    pub(in crate::config) fn first(self) -> Result<(), ConfigError> {
        self.0.into_iter().min_by_key(|error| error.stage).map_or(Ok(()), Err)
    }
}

/// Decodes `value`, rejecting unknown fields.
pub(in crate::config) fn strict<T: DeserializeOwned>(
    value: &Value,
    path: &str,
) -> Result<T, ConfigError> {
    let line = value.to_string();
    serde_json::from_str(&line).map_err(|e| {
        let WrongValue { path: inner, message } =
            WrongValue::of(&line, &e, &|line| serde_json::from_str::<T>(line).map(drop));
        let path = if path.is_empty() || inner.is_empty() {
            format!("{path}{inner}")
        } else {
            format!("{path}.{inner}")
        };
        if message.starts_with(UNKNOWN_FIELD) {
            return unknown_field(&path);
        }
        ConfigError::new(path, format!("strict decoding error: {}", wrong_type(&message)))
            .at(ConfigStage::Values)
    })
}

/// Values of the wrong type are reported before unknown fields. That is determined for up to this
/// many of the latter.
const MOST_UNKNOWN: usize = 64;

/// Decodes `value`. Unknown fields are recorded as problems, and the rest is decoded.
///
/// # Errors
/// A value of the wrong type.
pub(in crate::config) fn decode<T: DeserializeOwned>(
    value: &Value,
    path: &str,
    problems: &mut Problems,
) -> Result<T, ConfigError> {
    let mut error = match strict(value, path) {
        Ok(decoded) => return Ok(decoded),
        Err(error) => error,
    };
    let mut without_unknown = value.clone();
    for _ in 0..MOST_UNKNOWN {
        let inner =
            error.path.strip_prefix(path).unwrap_or_default().trim_start_matches('.').to_owned();
        if error.stage != ConfigStage::Fields || !remove(&mut without_unknown, &inner) {
            return Err(error);
        }
        problems.add(error);
        error = match strict(&without_unknown, path) {
            Ok(decoded) => return Ok(decoded),
            Err(error) => error,
        };
    }
    Err(error)
}

/// Removes the field at `path` from `value`; returns whether it existed.
pub(in crate::config) fn remove(value: &mut Value, path: &str) -> bool {
    let (object, name) = parent(value, path);
    object.and_then(Value::as_object_mut).is_some_and(|o| o.remove(name).is_some())
}

/// Replaces the value of the field at `path`, if present.
pub(in crate::config) fn replace(value: &mut Value, path: &str, other: Value) {
    let (object, name) = parent(value, path);
    if let Some(field) = object.and_then(|object| object.get_mut(name)) {
        *field = other;
    }
}

/// The object in which the field at `path` stands, and the field's name.
fn parent<'v, 'p>(value: &'v mut Value, path: &'p str) -> (Option<&'v mut Value>, &'p str) {
    let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut object = Some(value);
    for step in parent.split(['.', '[']).filter(|step| !step.is_empty()) {
        object = object.and_then(|o| match step.strip_suffix(']') {
            Some(index) => o.get_mut(index.parse::<usize>().ok()?),
            None => o.get_mut(step),
        });
    }
    (object, name)
}

/// The prefix of the decoder's error about an unknown field.
const UNKNOWN_FIELD: &str = "unknown field";

/// The scheduler's words for an unknown field.
pub(in crate::config) fn unknown_field(path: &str) -> ConfigError {
    ConfigError::new(path, format!("strict decoding error: unknown field {path:?}"))
        .at(ConfigStage::Fields)
}

/// The scheduler's error for a duplicate field.
pub(in crate::config) fn repeated_field(path: &str) -> ConfigError {
    ConfigError::new(path, format!("strict decoding error: duplicate field {path:?}"))
        .at(ConfigStage::Fields)
}

/// The decoder's words for a value of another type, without Rust's names of types.
fn wrong_type(message: &str) -> String {
    let Some((actual, expected)) = message
        .split_once(": ")
        .and_then(|(_, rest)| rest.rsplit_once(", expected "))
        .map(|(f, e)| (f, e.trim()))
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
    let actual = actual.replace("sequence", "list").replace("map", "object");
    format!("cannot read {actual} where {expected} belongs")
}
