//! How a command asks about the same input.

/// The flags with which a command of this program asks about the same input: where the objects come
/// from, as of when, and who decides. Each is followed by its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputFlags(Vec<String>);

impl InputFlags {
    /// Adds a flag if it has a value.
    pub fn push(&mut self, flag: &str, value: Option<String>) {
        self.0.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
    }

    /// A command with these words, about the same input; without the program's name.
    pub fn command(&self, words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).chain(self.0.iter().cloned()).collect()
    }
}
