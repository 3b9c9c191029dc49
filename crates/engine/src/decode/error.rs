//! The error of an input that cannot be decoded.

use std::fmt;

use super::plain::plain;

/// An input that does not consist of Kubernetes objects: its origin, and what is wrong with it, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// The file, or `standard input`.
    pub origin: String,
    /// What is wrong with it, and where.
    pub problem: String,
}

impl std::error::Error for DecodeError {}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.problem)
    }
}

impl DecodeError {
    pub(super) fn new(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { origin: origin.into(), problem: problem.into() }
    }

    /// An error in JSON, of which `before` is the text in front of what was decoded.
    pub(super) fn json(origin: &str, before: &str, e: &serde_json::Error) -> Self {
        let line = before.matches('\n').count() + e.line();
        let skipped = if e.line() == 1 { before.rsplit('\n').next().map_or(0, str::len) } else { 0 };
        let (place, message) = (format!("line {line}, column {}", e.column() + skipped), plain(&e.to_string()));
        let problem = match e.classify() {
            serde_json::error::Category::Eof => {
                format!("the JSON ends in the middle ({place}): the file is truncated; write it again")
            }
            serde_json::error::Category::Data => format!("not Kubernetes objects: {message}"),
            _ => format!("not valid JSON ({place}): {message}"),
        };
        Self::new(origin, problem)
    }

    /// An error in YAML, or in a text that is neither JSON nor YAML.
    pub(super) fn yaml(origin: &str, e: &serde_saphyr::Error) -> Self {
        let text = e.to_string();
        let line = text.lines().next().unwrap_or_default();
        let limits = ["budget breached", "recursion limit", "replay", "alias expansion"];
        let problem = if limits.iter().any(|limit| line.contains(limit)) {
            "the YAML is nested too deeply or multiplies itself by aliases".to_owned()
        } else {
            format!("not JSON, and not valid YAML: {}", line.strip_prefix("error: ").unwrap_or(line))
        };
        Self::new(origin, problem)
    }
}
