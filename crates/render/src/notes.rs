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
mod tests;
