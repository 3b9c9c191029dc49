//! Notes: how reliable an answer is, and why. The meaning of a note is defined once, as a
//! [`NoteDoc`] beside the rule that writes it; a note is a reference to that value, with the
//! objects that it concerns.

mod part;

pub use part::{MissingInput, ObjectPart};

use std::collections::BTreeSet;
use std::fmt;

use crate::snapshot::Kind;

/// Maximum number of objects that a note names; [`Note::count`] counts all of them.
pub const MOST_OBJECTS: usize = 100;

/// What notes of one code mean.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoteDoc {
    /// Stable code, `PRE-9nn`, which is never reused.
    pub code: &'static str,
    /// A few words: its topic.
    pub name: &'static str,
    /// One sentence: what it means for the answer.
    pub meaning: &'static str,
}

/// How much a note affects the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Informative; the answer stands.
    Info,
    /// Worth knowing before relying on the answer: unusual input, or randomness.
    Warning,
    /// The answer may be wrong for this reason; exit code 3.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The subject of a note. `Display` writes it as `Pod ns/name`, `Node name`, `persistentvolumes`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Object {
        kind: Kind,
        /// Its namespace; empty for a kind that has none.
        namespace: Box<str>,
        /// Its name; empty for an object without one.
        name: Box<str>,
    },
    /// All objects of a kind.
    Kind(Kind),
}

impl Subject {
    /// The object of that kind, namespace (empty for none) and name.
    pub fn object(kind: Kind, namespace: &str, name: &str) -> Self {
        Self::Object { kind, namespace: namespace.into(), name: name.into() }
    }

    pub const fn kind(&self) -> Kind {
        let (Self::Kind(kind) | Self::Object { kind, .. }) = self;
        *kind
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Object { kind, namespace, name } => {
                let name = if name.is_empty() { "(without a name)" } else { name };
                let slash = if namespace.is_empty() { "" } else { "/" };
                write!(f, "{} {namespace}{slash}{name}", kind.name())
            }
            Self::Kind(kind) => f.write_str(kind.resource()),
        }
    }
}

/// What the user can specify to settle the uncertainty of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledBy {
    /// How the scheduler's feature gate of this name is set.
    FeatureGate(&'static str),
    /// How several of its feature gates are set, which the text names.
    FeatureGates,
    AskingExtenders,
    /// How many pods a workload creates.
    Replicas,
    /// How many disruptions a budget allows.
    AllowedDisruptions,
}

/// One remark about the input or the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it means.
    pub doc: &'static NoteDoc,
    /// How much it affects the answer.
    pub severity: Severity,
    /// Its subjects, at most the first [`MOST_OBJECTS`]; empty if it concerns no object.
    pub objects: Vec<Subject>,
    /// How many objects it concerns; 1 if none.
    pub count: usize,
    /// One sentence, without the objects and without a full stop.
    pub text: String,
    /// What the answer lacks for this reason: a decision that depends on any of it is uncertain.
    pub lacks: BTreeSet<MissingInput>,
    /// What would settle it, if anything that can be specified does.
    pub settled_by: Option<SettledBy>,
}

impl Note {
    /// A note without a subject.
    pub fn new(doc: &'static NoteDoc, severity: Severity, text: impl Into<String>) -> Self {
        Self {
            doc,
            severity,
            objects: Vec::new(),
            count: 1,
            text: text.into(),
            lacks: BTreeSet::new(),
            settled_by: None,
        }
    }

    /// The answer may be wrong for this reason.
    pub fn error(doc: &'static NoteDoc, text: impl Into<String>) -> Self {
        Self::new(doc, Severity::Error, text)
    }

    /// Worth knowing before relying on the answer.
    pub fn warning(doc: &'static NoteDoc, text: impl Into<String>) -> Self {
        Self::new(doc, Severity::Warning, text)
    }

    /// Good to know.
    pub fn info(doc: &'static NoteDoc, text: impl Into<String>) -> Self {
        Self::new(doc, Severity::Info, text)
    }

    /// Adds `object` to the note's subjects.
    #[must_use]
    pub fn about(mut self, object: Subject) -> Self {
        self.count = if self.objects.is_empty() { 1 } else { self.count + 1 };
        if self.objects.len() < MOST_OBJECTS {
            self.objects.push(object);
        }
        self
    }

    /// Adds a part that the answer lacks, of an object of that kind, or of any kind if unknown.
    #[must_use]
    pub fn lacking(mut self, kind: Option<Kind>, part: ObjectPart) -> Self {
        self.lacks.insert(MissingInput { kind, part });
        self
    }

    /// Sets what would settle the note.
    #[must_use]
    pub fn settled_by(mut self, answer: SettledBy) -> Self {
        self.settled_by = Some(answer);
        self
    }

    /// Raises the note to error severity.
    #[must_use]
    pub fn raised(mut self) -> Self {
        self.severity = Severity::Error;
        self
    }

    /// Whether it may concern `object`: it names it, or concerns more objects than it names.
    pub fn may_be_about(&self, object: &Subject) -> bool {
        self.count > self.objects.len() || self.objects.contains(object)
    }

    /// Whether `other` says the same, possibly about other objects.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.doc.code == other.doc.code
            && self.severity == other.severity
            && self.text == other.text
            && self.settled_by == other.settled_by
    }

    /// Whether `other` makes this note superfluous: it says the same and weighs more, or it says what
    /// depends on a kind of which this one says that a part of the answer does not need it.
    fn is_outweighed_by(&self, other: &Self) -> bool {
        let is_about_kind = matches!(self.objects.as_slice(), [Subject::Kind(_)]);
        self.doc == other.doc
            && self.severity < other.severity
            && self.objects == other.objects
            && (self.text == other.text || is_about_kind && self.severity == Severity::Info)
    }

    /// Merges the objects of a note that says the same.
    fn take_in(&mut self, other: Self) {
        if *self == other {
            return;
        }
        self.lacks.extend(other.lacks);
        let known = other.objects.iter().filter(|object| self.objects.contains(object)).count();
        self.count += if other.objects.is_empty() { 0 } else { other.count - known };
        for object in other.objects {
            if self.objects.len() < MOST_OBJECTS && !self.objects.contains(&object) {
                self.objects.push(object);
            }
        }
    }
}

/// Adds a note to `notes`. Notes that say the same are merged into one with all of their objects; of
/// several that weigh differently for parts of an answer, the one that weighs most is kept.
pub fn add(notes: &mut Vec<Note>, note: Note) {
    if notes.iter().any(|known| note.is_outweighed_by(known)) {
        return;
    }
    notes.retain(|known| !known.is_outweighed_by(&note));
    match notes.iter_mut().find(|known| known.says_the_same(&note)) {
        Some(known) => known.take_in(note),
        None => notes.push(note),
    }
}

/// Sorts notes by severity, most severe first, then by code and text, and their objects.
pub fn sort(notes: &mut [Note]) {
    notes.iter_mut().for_each(|note| note.objects.sort());
    notes.sort_by(|a, b| {
        let key = |note: &Note| (note.doc.code, note.objects.first().cloned());
        b.severity
            .cmp(&a.severity)
            .then_with(|| key(a).cmp(&key(b)))
            .then_with(|| a.text.cmp(&b.text))
    });
}

#[cfg(test)]
mod tests;
