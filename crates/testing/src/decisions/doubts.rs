//! The notes of a decision where kinds of objects could not be read.

use serde_json::{Value, json};

use super::ask::{At, at};
use builders::snapshot;

/// The notes of what `version` decides about `p`, from a snapshot with that header.
pub fn notes_of(version: &str, objects: Vec<Value>, header: &Value) -> Vec<String> {
    notes_at(at(version), objects, header)
}

/// The notes of what a scheduler decides about `p`, from a snapshot with that header.
pub fn notes_at(at: At, objects: Vec<Value>, header: &Value) -> Vec<String> {
    at.decide_in(&snapshot(objects, header), "p").notes()
}

/// The severity of the note about `resource`, the plural of a kind, which could not be read.
pub fn without(version: &str, resource: &str, objects: Vec<Value>) -> String {
    let header = json!({"unreadable": [{"resource": resource, "reason": "no"}]});
    let notes = notes_of(version, objects, &header);
    let about = |note: &String| {
        let (severity, rest) = note.split_once(' ')?;
        rest.starts_with(&format!("{resource}: could not be read: no")).then(|| severity.to_owned())
    };
    notes.iter().find_map(about).unwrap_or_else(|| panic!("{resource}: {notes:?}"))
}
