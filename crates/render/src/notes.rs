//! The notes of a decision, as text. They never bury the answer: errors and warnings come first,
//! and many infos are combined into one line.

use super::page::{Page, Span, Tone};
use answers::notes::{OBJECTS_NAMED, sentence};
use answers::words;
use engine::notes::{Note, Severity};

/// Maximum number of infos shown one by one without `-o wide`.
const INFOS_SHOWN: usize = 3;

/// Adds a section with the notes, if there are any. Infos are shown one by one if there are few, or
/// if the page is `wide`.
pub(crate) fn add(page: &mut Page, notes: &[Note], wide: bool) {
    if notes.is_empty() {
        return;
    }
    page.notes_follow();
    page.gap();
    page.heading("Notes");
    let (infos, others): (Vec<&Note>, Vec<&Note>) =
        notes.iter().partition(|note| note.severity == Severity::Info);
    others.into_iter().for_each(|note| line(page, note));
    if wide || infos.len() <= INFOS_SHOWN {
        infos.into_iter().for_each(|note| line(page, note));
        return;
    }
    let mut names: Vec<&str> = infos.iter().map(|note| note.doc.name).collect();
    names.dedup();
    let text = format!(
        "{} that do not change the answer: {}; -o wide shows them",
        words::count(infos.len(), "note"),
        words::list(&names, OBJECTS_NAMED)
    );
    page.line(2, vec![Span::new("info: ", Tone::Quiet), text.into()]);
}

fn line(page: &mut Page, note: &Note) {
    let tone = if note.severity == Severity::Info { Tone::Quiet } else { Tone::Bad };
    let head = Span::new(format!("{}: ", note.severity.name()), tone);
    let code = Span::new(format!(" [{}]", note.doc.code), Tone::Quiet);
    page.line(2, vec![head, sentence(note).into(), code]);
}

#[cfg(test)]
mod tests {
    use engine::cluster::notes::LEFT_OUT;
    use engine::notes::{Note, Subject};
    use engine::snapshot::Kind;

    use super::{add, sentence};
    use crate::page::{Page, Paper};

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
            names.iter().fold(Note::info(&LEFT_OUT, "is odd"), |note, name| note.about(pod(name)))
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
        let infos = (0..4).map(|i| Note::info(&LEFT_OUT, format!("info {i}")));
        let notes: Vec<Note> = infos
            .chain([Note::warning(&LEFT_OUT, "odd"), Note::error(&LEFT_OUT, "wrong")])
            .collect();
        let lines: Vec<String> =
            shown(&notes, false).lines().map(|line| line.trim().to_owned()).collect();
        assert_eq!(
            lines[lines.len() - 3..],
            [
                "warning: odd [PRE-902]",
                "error: wrong [PRE-902]",
                "info: 4 notes that do not change the answer: left out; -o wide shows them"
            ]
        );
        assert!(shown(&notes, true).contains("info: info 3 [PRE-902]"));
        assert!(shown(&notes[..3], false).contains("info: info 2 [PRE-902]"), "a few are shown");
    }
}
