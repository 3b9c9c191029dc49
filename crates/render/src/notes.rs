//! The notes of a decision, as text.

use super::page::{Page, Span, Tone};
use engine::cluster::notes::{Note, Severity};

/// Adds a section with the notes, if there are any.
pub(crate) fn add(page: &mut Page, notes: &[Note]) {
    if notes.is_empty() {
        return;
    }
    page.gap();
    page.heading("Notes");
    for note in notes {
        let tone = if note.severity == Severity::Info { Tone::Quiet } else { Tone::Bad };
        let head = Span::new(format!("{}: ", note.severity.name()), tone);
        page.line(2, vec![head, format!("{}: {}", note.subject, note.text).into()]);
    }
}
