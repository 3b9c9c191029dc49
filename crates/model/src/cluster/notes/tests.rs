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
