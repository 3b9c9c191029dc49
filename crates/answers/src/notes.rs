//! The sentence of a note.

use crate::{commands, words};
use engine::notes::Note;

/// Maximum number of objects named per note.
pub const OBJECTS_NAMED: usize = 3;

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
pub fn brief(note: &Note) -> String {
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
