//! Tests of what is said of a whole sequence.

use model::notes::{Note, NoteDoc, Subject};
use model::snapshot::Kind;

use super::drop_milder;

#[test]
fn a_note_that_a_more_severe_one_repeats_is_dropped() {
    static DOC: NoteDoc = NoteDoc { code: "PRE-999", name: "test", meaning: "test" };
    let about = |note: Note, name: &str| note.about(Subject::object(Kind::Node, "", name));
    let kept = [
        about(Note::warning(&DOC, "a"), "n2"),
        about(Note::error(&DOC, "a"), "n1"),
        Note::warning(&DOC, "b"),
    ];
    let mut notes = kept.to_vec();
    notes.insert(0, about(Note::warning(&DOC, "a"), "n1"));
    drop_milder(&mut notes);
    assert_eq!(notes, kept);
}
