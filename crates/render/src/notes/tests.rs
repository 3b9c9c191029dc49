use engine::notes::{Note, NoteDoc, Subject};
use engine::snapshot::Kind;

use super::{add, sentence};
use crate::page::{Page, Paper};

static DOC: NoteDoc = NoteDoc { code: "PRE-999", name: "something", meaning: "It is something." };

fn shown(notes: &[Note], wide: bool) -> String {
    let mut page = Page::default();
    add(&mut page, notes, wide);
    page.print(Paper::PLAIN).to_string()
}

fn pod(name: &str) -> Subject {
    Subject::object(Kind::Pod, "ns", name)
}

#[test]
fn a_few_objects_are_named_and_the_others_counted() {
    let note = |names: &[&str]| {
        names.iter().fold(Note::info(&DOC, "is odd"), |note, name| note.about(pod(name)))
    };
    for (names, text) in [
        (&[][..], "is odd"),
        (&["a"], "Pod ns/a: is odd"),
        (&["a", "b"], "Pod ns/a and Pod ns/b: is odd"),
        (&["a", "b", "c", "d", "e"], "Pod ns/a, Pod ns/b, Pod ns/c and 2 more: is odd"),
    ] {
        assert_eq!(sentence(&note(names)), text);
    }
}

#[test]
fn errors_and_warnings_come_first_and_many_infos_are_one_line() {
    let infos = (0..4).map(|i| Note::info(&DOC, format!("info {i}")));
    let notes: Vec<Note> =
        infos.chain([Note::warning(&DOC, "odd"), Note::error(&DOC, "wrong")]).collect();
    let lines: Vec<String> =
        shown(&notes, false).lines().map(|line| line.trim().to_owned()).collect();
    assert_eq!(
        lines[lines.len() - 3..],
        [
            "warning: odd [PRE-999]",
            "error: wrong [PRE-999]",
            "info: 4 notes that do not change the answer: something; -o wide shows them"
        ]
    );
    assert!(shown(&notes, true).contains("info: info 3 [PRE-999]"));
    assert!(shown(&notes[..3], false).contains("info: info 2 [PRE-999]"), "a few are shown");
}
