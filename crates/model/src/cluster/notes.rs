//! Notes about the input: objects and fields that could not be used.

use std::collections::BTreeMap;

use crate::notes::{Note, NoteDoc, Subject};

/// Maximum number of different notes kept per code; the rest become one note.
const NOTES_OF_A_CODE: usize = 20;

/// A field that could not be decoded.
pub static FIELD: NoteDoc = NoteDoc {
    code: "PRE-901",
    name: "a field that cannot be read",
    meaning: "A field has another type than Kubernetes gives it; the object counts as if the field were absent. With severity error, a rule for this pod reads it.",
};
/// A field that the input does not show.
pub static HIDDEN: NoteDoc = NoteDoc {
    code: "PRE-937",
    name: "what the input does not show",
    meaning: "The text of `kubectl describe` leaves fields out; the object counts as if they were absent. With severity error, a rule for this pod reads them.",
};
/// An object that could not be decoded.
pub static LEFT_OUT: NoteDoc = NoteDoc {
    code: "PRE-902",
    name: "left out",
    meaning: "An object of the input could not be read at all; the answer is that of a cluster without it. With severity error, a rule for this pod reads objects of its kind.",
};
/// Two objects of one kind and name.
pub static GIVEN_TWICE: NoteDoc = NoteDoc {
    code: "PRE-903",
    name: "given twice",
    meaning: "The input has two objects of this kind and name; the later one counts.",
};
/// An invalid quantity.
pub static QUANTITY: NoteDoc = NoteDoc {
    code: "PRE-904",
    name: "a quantity that cannot be read",
    meaning: "A quantity cannot be parsed, or is negative; the note says what counts in its place. With severity error, a rule for this pod reads it.",
};
/// An invalid selector.
pub static SELECTOR: NoteDoc = NoteDoc {
    code: "PRE-905",
    name: "a selector that cannot be read",
    meaning: "A selector cannot be parsed; it is treated as kube-scheduler treats it.",
};
/// An invalid time.
pub static TIME: NoteDoc = NoteDoc {
    code: "PRE-906",
    name: "a time that cannot be read",
    meaning: "A time is not one of RFC 3339; it counts as absent. With severity error, the decision about this pod reads it.",
};
/// A pod on a node that is not in the input.
pub static UNKNOWN_NODE: NoteDoc = NoteDoc {
    code: "PRE-907",
    name: "a pod on an unknown node",
    meaning: "The pod is on a node that is not in the input; kube-scheduler does not count it anywhere.",
};
/// Objects of kinds that are not read.
pub static NOT_USED: NoteDoc = NoteDoc {
    code: "PRE-908",
    name: "kinds that are not used",
    meaning: "The input has objects of kinds that no rule reads.",
};
/// A list that changed while it was read.
pub static EXPIRED: NoteDoc = NoteDoc {
    code: "PRE-909",
    name: "a list that changed while it was read",
    meaning: "Objects were deleted while the list was read; they may still count in the answer. With severity error, a rule for this pod reads them.",
};
/// A value that Kubernetes does not have for its field.
pub static VALUE: NoteDoc = NoteDoc {
    code: "PRE-910",
    name: "a value that Kubernetes does not have",
    meaning: "A field has one of a few values in Kubernetes, and here another: an API server refuses it, so it is mistyped or of a newer version. It is treated as kube-scheduler treats it. With severity error, a rule for this pod reads it.",
};

/// What notes about the input mean.
pub static DOCS: &[&NoteDoc] = &[
    &FIELD,
    &LEFT_OUT,
    &GIVEN_TWICE,
    &QUANTITY,
    &SELECTOR,
    &TIME,
    &UNKNOWN_NODE,
    &NOT_USED,
    &EXPIRED,
    &HIDDEN,
    &VALUE,
];

/// The notes about the input. Equal notes are merged; for each code, only the first few different
/// ones are kept.
#[derive(Debug, Default)]
pub(super) struct NoteLog {
    notes: Vec<Note>,
    /// Positions of the notes, by code and text.
    at: BTreeMap<(&'static str, String), usize>,
    /// How many different notes there are of a code.
    kinds: BTreeMap<&'static str, usize>,
}

impl NoteLog {
    /// A log that starts with notes which are all kept.
    pub(super) fn with(notes: Vec<Note>) -> Self {
        let mut log = Self::default();
        notes.into_iter().for_each(|note| log.keep(note));
        log
    }

    pub(super) fn add(&mut self, object: Option<Subject>, mut note: Note) {
        let lacks = std::mem::take(&mut note.lacks);
        let entry =
            |log: &Self, note: &Note| log.at.get(&(note.doc.code, note.text.clone())).copied();
        let mut at = entry(self, &note);
        if at.is_none()
            && self.kinds.get(note.doc.code).is_some_and(|kinds| *kinds >= NOTES_OF_A_CODE)
        {
            note.text = format!("{}, each in another way", note.doc.name);
            at = entry(self, &note);
        }
        match at.and_then(|at| self.notes.get_mut(at)) {
            Some(first) => {
                let same = std::mem::replace(first, Note::info(note.doc, String::new()));
                *first = object.into_iter().fold(same, Note::about);
                first.lacks.extend(lacks);
            }
            None => self.keep(Note { lacks, ..object.into_iter().fold(note, Note::about) }),
        }
    }

    fn keep(&mut self, note: Note) {
        *self.kinds.entry(note.doc.code).or_default() += 1;
        self.at.insert((note.doc.code, note.text.clone()), self.notes.len());
        self.notes.push(note);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    pub(super) fn finish(self) -> Vec<Note> {
        self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::{FIELD, NOTES_OF_A_CODE, NoteLog, QUANTITY};
    use crate::decode::read_cluster;
    use crate::notes::{Note, Subject};
    use crate::snapshot::Kind;

    fn node(name: usize) -> Subject {
        Subject::object(Kind::Node, "", &name.to_string())
    }

    #[test]
    fn equal_notes_are_one() {
        let mut log = NoteLog::default();
        (0..50).for_each(|i| log.add(Some(node(i)), Note::warning(&QUANTITY, "is read as 0")));
        log.add(Some(node(0)), Note::warning(&FIELD, "is read as 0"));
        let notes: Vec<_> = log.finish().iter().map(|n| (n.doc.code, n.count)).collect();
        assert_eq!(notes, [("PRE-904", 50), ("PRE-901", 1)]);
    }

    #[test]
    fn many_different_notes_end_in_one() {
        let mut log = NoteLog::default();
        (0..NOTES_OF_A_CODE + 5).for_each(|i| {
            log.add(Some(node(i)), Note::warning(&QUANTITY, format!("{i} is read as 0")));
        });
        let notes = log.finish();
        assert_eq!(notes.len(), NOTES_OF_A_CODE + 1);
        let last = notes.last().expect("a note");
        assert_eq!(
            (last.count, last.text.as_str()),
            (5, "a quantity that cannot be read, each in another way")
        );
        let mut reopened = NoteLog::with(notes);
        reopened.add(Some(node(99)), Note::warning(&QUANTITY, "99 is read as 0"));
        assert_eq!(reopened.finish().last().map(|note| note.count), Some(6));
    }

    #[test]
    fn issues_of_version_1_snapshots_are_reported() {
        let file = r#"{"apiVersion": "preempt/v1alpha1", "kind": "Snapshot", "items": [], "snapshot": {}, "flaws": [
        {"subject": "Pod a/b", "problem": "left out: it is a list"},
        {"subject": "Node n", "field": "spec.taints", "problem": "it is a text"}]}"#;
        let cluster = read_cluster(file, "a file").expect("a snapshot file");
        let texts: Vec<&str> = cluster.notes.iter().map(|note| note.text.as_str()).collect();
        let want = [
            "Pod a/b: left out: it is a list",
            "Node n: field `spec.taints` is read as absent: it is a text",
        ];
        assert_eq!(texts, want);
    }
}
