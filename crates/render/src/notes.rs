//! The notes of a decision, as text. They never bury the answer: errors and warnings come first,
//! and many infos are combined into one line.

use super::commands;
use super::page::{Page, Span, Tone};
use super::words;
use engine::notes::{Note, Severity};

/// Maximum number of objects named per note.
const OBJECTS_NAMED: usize = 3;
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

/// The objects and the text of a note.
pub fn sentence(note: &Note) -> String {
    let named: Vec<String> =
        note.objects.iter().take(OBJECTS_NAMED).map(ToString::to_string).collect();
    let text = text(note);
    match (named.as_slice(), note.count - named.len().min(note.count)) {
        ([], _) => text,
        (_, 0) => format!("{}: {text}", words::list(&named, OBJECTS_NAMED)),
        (_, more) => {
            format!("{} and {} more: {text}", named.join(", "), words::group_digits(more))
        }
    }
}

/// The same in short: the first object and how many others.
pub(crate) fn brief(note: &Note) -> String {
    let text = text(note);
    match (note.objects.first(), note.count) {
        (None, _) => text,
        (Some(object), 0 | 1) => format!("{object}: {text}"),
        (Some(object), several) => {
            format!("{object} and {} more: {text}", words::group_digits(several - 1))
        }
    }
}

/// The text, with how to settle the uncertainty.
fn text(note: &Note) -> String {
    let settling = note.settled_by.map(commands::settling).unwrap_or_default();
    format!("{}{settling}", note.text)
}

#[cfg(test)]
mod tests;
