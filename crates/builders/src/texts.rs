//! Assertions about texts that show the whole text, and the part, when they fail.

/// Asserts that a text contains `part`.
#[track_caller]
pub fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "{part:?} is missing in:\n{text}");
}

/// Asserts that a text does not contain `part`.
#[track_caller]
pub fn assert_lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "{part:?} is in:\n{text}");
}

/// Asserts that a text begins with `part`.
#[track_caller]
pub fn assert_begins(text: &str, part: &str) {
    assert!(text.starts_with(part), "{part:?} is not the beginning of:\n{text}");
}

/// Asserts that a text ends with `part`.
#[track_caller]
pub fn assert_ends(text: &str, part: &str) {
    assert!(text.ends_with(part), "{part:?} is not the end of:\n{text}");
}
