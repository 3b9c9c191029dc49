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
        let in_both = other.objects.iter().filter(|object| self.objects.contains(object)).count();
        self.count += if other.objects.is_empty() { 0 } else { other.count - in_both };
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
    if notes.iter().any(|other| note.is_outweighed_by(other)) {
        return;
    }
    notes.retain(|other| !other.is_outweighed_by(&note));
    match notes.iter_mut().find(|other| other.says_the_same(&note)) {
        Some(other) => other.take_in(note),
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
mod tests {
    use super::{MOST_OBJECTS, Note, NoteDoc, Subject, add, sort};
    use crate::snapshot::Kind;

    static A: NoteDoc = NoteDoc { code: "PRE-998", name: "a", meaning: "A." };
    static B: NoteDoc = NoteDoc { code: "PRE-999", name: "b", meaning: "B." };

    fn pod(name: &str) -> Subject {
        Subject::object(Kind::Pod, "ns", name)
    }

    #[test]
    fn subjects_are_drawn_as_kubectl_names_them() {
        for (subject, text) in [
            (pod("p"), "Pod ns/p"),
            (Subject::object(Kind::Node, "", "n"), "Node n"),
            (Subject::object(Kind::Node, "", ""), "Node (without a name)"),
            (Subject::Kind(Kind::CsiNode), "csinodes"),
        ] {
            assert_eq!(subject.to_string(), text);
        }
    }

    #[test]
    fn notes_that_say_the_same_are_one() {
        let mut notes = Vec::new();
        for note in [
            Note::info(&A, "x").about(pod("p")),
            Note::info(&A, "x").about(pod("q")),
            Note::info(&A, "x").about(pod("p")),
            Note::info(&A, "y").about(pod("p")),
            Note::warning(&A, "x").about(pod("p")),
            Note::info(&B, "x"),
            Note::info(&B, "x"),
        ] {
            add(&mut notes, note);
        }
        let counts: Vec<_> =
            notes.iter().map(|n| (n.doc.code, n.text.as_str(), n.objects.len(), n.count)).collect();
        assert_eq!(
            counts,
            [
                ("PRE-998", "x", 2, 2),
                ("PRE-998", "y", 1, 1),
                ("PRE-998", "x", 1, 1),
                ("PRE-999", "x", 0, 1)
            ]
        );
    }

    #[test]
    fn a_note_about_many_objects_names_some_and_counts_all() {
        let mut notes = Vec::new();
        let all = MOST_OBJECTS + 7;
        (0..all).for_each(|i| add(&mut notes, Note::info(&A, "x").about(pod(&i.to_string()))));
        let again = notes[0].clone();
        add(&mut notes, again);
        assert_eq!((notes.len(), notes[0].objects.len(), notes[0].count), (1, MOST_OBJECTS, all));
    }

    #[test]
    fn the_most_severe_notes_come_first() {
        let mut notes = vec![
            Note::info(&A, "x"),
            Note::error(&B, "b"),
            Note::error(&B, "a").about(pod("q")).about(pod("p")),
            Note::warning(&A, "x"),
        ];
        sort(&mut notes);
        let order: Vec<String> =
            notes.iter().map(|n| format!("{} {}", n.severity.name(), n.text)).collect();
        assert_eq!(order, ["error b", "error a", "warning x", "info x"]);
        assert_eq!(notes[1].objects, [pod("p"), pod("q")]);
    }
}
