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
