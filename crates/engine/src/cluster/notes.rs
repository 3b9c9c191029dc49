//! What makes an answer less than certain, as values. A note names the object and the field it is about.

use std::fmt::Write as _;

/// How much a note weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know; the answer stands.
    Info,
    /// The answer may differ from the scheduler's for this reason.
    Warning,
    /// The answer cannot be relied on; exit code 3.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One remark about the input or the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Weight.
    pub severity: Severity,
    /// `Pod ns/name`, `Node n`, or what else it is about.
    pub subject: String,
    /// One sentence, no full stop.
    pub text: String,
}

impl Note {
    /// A note of `severity` about `subject`.
    pub fn new(severity: Severity, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { severity, subject: subject.into(), text: text.into() }
    }

    /// The answer may be wrong because of this.
    pub fn warning(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Severity::Warning, subject, text)
    }

    /// Good to know.
    pub fn info(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Severity::Info, subject, text)
    }
}

/// `Kind ns/name`, or `Kind name` without a namespace.
#[must_use]
pub fn subject(kind: &str, namespace: &str, name: &str) -> String {
    let mut text = kind.to_owned();
    let name = if name.is_empty() { "(without a name)" } else { name };
    // Writing to a string cannot fail.
    let _ = if namespace.is_empty() { write!(text, " {name}") } else { write!(text, " {namespace}/{name}") };
    text
}
