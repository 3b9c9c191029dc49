//! Notes: what makes an answer less than certain. A note names the object and the field that it is about.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Notes of one category that are kept one by one; the rest is counted.
const NOTES_OF_A_CATEGORY: usize = 20;

/// How much a note affects the answer.
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
    /// How much it affects the answer.
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

/// Notes about the input. Of each category only the first few are kept; the others are counted.
#[derive(Debug, Default)]
pub(super) struct NoteLog {
    kept: Vec<Note>,
    /// Number of notes, and the subject of the last one that is not kept.
    categories: BTreeMap<&'static str, (usize, String)>,
}

impl NoteLog {
    /// A log that starts with notes which are all kept.
    pub(super) fn with(kept: Vec<Note>) -> Self {
        Self { kept, categories: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, category: &'static str, note: Note) {
        let (count, last) = self.categories.entry(category).or_default();
        *count += 1;
        if *count <= NOTES_OF_A_CATEGORY {
            self.kept.push(note);
        } else {
            *last = note.subject;
        }
    }

    /// The notes, and one per category that says how many more there are.
    pub(super) fn finish(mut self) -> Vec<Note> {
        for (category, (count, last)) in self.categories {
            if count > NOTES_OF_A_CATEGORY {
                let more = count - NOTES_OF_A_CATEGORY;
                self.kept.push(Note::warning("input", format!("{category}: {more} more, the last is {last}")));
            }
        }
        self.kept
    }
}
