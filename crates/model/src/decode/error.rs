//! The error of an input that cannot be decoded.

use std::fmt;

use crate::plain::{TOO_MUCH, is_too_much, plain_json, yaml_problem};

/// An input that does not consist of Kubernetes objects: its origin and the problem, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// The file, or `standard input`.
    pub origin: String,
    /// The problem and its position.
    pub problem: String,
    /// Its position in the file, where it has one.
    pub place: Option<TextPosition>,
}

/// A position in a text, in lines and columns from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    pub line: usize,
    pub column: usize,
}

impl std::error::Error for DecodeError {}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.problem)
    }
}

/// The prefix of a visitor's message that rejects well-formed text.
pub(super) const REFUSED: &str = "refused: ";

/// The text has more than [`super::MOST_OBJECTS`] objects.
pub(super) const TOO_MANY: &str = "refused: more than 5,000,000 objects, as no cluster has; write only the kinds and namespaces that are needed";

/// The problem of an input with more than [`super::MOST_OBJECTS`] objects.
pub const TOO_MANY_OBJECTS: &str = TOO_MANY.split_at(REFUSED.len()).1;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextPlace {
    /// From 1.
    pub line: usize,
    /// Bytes of the line before it.
    pub column: usize,
}

impl TextPlace {
    /// The position after a text.
    pub(super) fn end_of(text: &str) -> Self {
        let last_line = text.rsplit('\n').next().map_or(0, str::len);
        Self { line: text.matches('\n').count() + 1, column: last_line }
    }
}

/// Translates positions in the decoded text to positions in the original: `whole` was before what
/// is now after `joint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub joint: TextPlace,
    pub whole: TextPlace,
}

impl Shift {
    /// For text that is decoded unchanged.
    pub(super) const NONE: Self =
        Self { joint: TextPlace { line: 1, column: 0 }, whole: TextPlace { line: 1, column: 0 } };

    fn of(self, place: TextPlace) -> TextPlace {
        if place < self.joint {
            place
        } else if place.line == self.joint.line {
            let column = place.column - self.joint.column + self.whole.column;
            TextPlace { line: self.whole.line, column }
        } else {
            TextPlace { line: place.line - self.joint.line + self.whole.line, ..place }
        }
    }
}

impl DecodeError {
    pub(super) fn new(origin: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { origin: origin.into(), problem: problem.into(), place: None }
    }

    /// The same error, at this position.
    pub(super) fn at(self, line: usize, column: usize) -> Self {
        Self { place: (line > 0).then_some(TextPosition { line, column }), ..self }
    }

    /// A JSON error; `before` is the text before the part that was decoded.
    pub(super) fn json(origin: &str, before: &str, shift: Shift, e: &serde_json::Error) -> Self {
        let line = before.matches('\n').count() + e.line();
        let skipped =
            if e.line() == 1 { before.rsplit('\n').next().map_or(0, str::len) } else { 0 };
        let TextPlace { line, column } = shift.of(TextPlace { line, column: e.column() + skipped });
        let (place, message) = (format!("line {line}, column {column}"), plain_json(e));
        if let Some(problem) = message.strip_prefix(REFUSED) {
            return Self::new(origin, problem);
        }
        let problem = match e.classify() {
            serde_json::error::Category::Eof => {
                format!(
                    "the JSON ends in the middle ({place}): the file is truncated; write it again"
                )
            }
            serde_json::error::Category::Data => format!("not Kubernetes objects: {message}"),
            _ => format!("not valid JSON ({place}): {message}"),
        };
        Self::new(origin, problem).at(line, column)
    }

    /// An error in `text`, which is not JSON.
    pub(super) fn yaml(origin: &str, text: &str, e: &serde_saphyr::Error) -> Self {
        if is_too_much(e.without_snippet()) {
            return Self::new(origin, format!("the YAML is {TOO_MUCH}"));
        }
        if !text
            .lines()
            .any(|line| line.trim_start_matches(['-', ' ', '"', '\'']).starts_with("kind"))
        {
            return Self::nothing(origin);
        }
        let error = Self::new(origin, format!("not JSON, and not valid YAML: {}", yaml_problem(e)));
        let Some(place) = e.without_snippet().location() else { return error };
        match (usize::try_from(place.line()), usize::try_from(place.column())) {
            (Ok(line), Ok(column)) => error.at(line, column),
            _ => error,
        }
    }

    /// The error of a text in which no object is found.
    pub(super) fn nothing(origin: &str) -> Self {
        Self::new(origin, "no Kubernetes object in it")
    }
}
