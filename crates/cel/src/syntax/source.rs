//! Source text, positions in it, and errors that show them.
//!
//! Upstream: cel-go `common/source.go`, `common/error.go`, `common/errors.go`.

/// A position: line from 1, column from 0, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourcePlace {
    pub line: usize,
    pub column: usize,
}

/// The text of an expression.
#[derive(Debug)]
pub(crate) struct SourceText {
    pub characters: Vec<char>,
    /// Offsets at which lines begin, except the first.
    lines: Vec<usize>,
}

/// An error at a character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issue {
    pub offset: usize,
    pub text: String,
}

/// The number of errors that are printed.
const MOST_SHOWN: usize = 100;
/// The longest source line that is printed, in bytes.
const LONGEST_SNIPPET: usize = 16_384;

impl SourceText {
    pub fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let lines = characters
            .iter()
            .enumerate()
            .filter(|(_, c)| **c == '\n')
            .map(|(at, _)| at + 1)
            .collect();
        Self { characters, lines }
    }

    fn place(&self, offset: usize) -> SourcePlace {
        let before = self.lines.iter().take_while(|line| **line <= offset);
        before.enumerate().last().map_or(
            SourcePlace { line: 1, column: offset },
            |(index, line)| SourcePlace { line: index + 2, column: offset - line },
        )
    }

    fn line(&self, line: usize) -> Option<String> {
        if self.characters.is_empty() {
            return None;
        }
        let begin = if line == 1 { 0 } else { *self.lines.get(line.checked_sub(2)?)? };
        let end = self.lines.get(line - 1).map_or(self.characters.len(), |next| next - 1);
        Some(self.characters.get(begin..end)?.iter().collect())
    }

    /// All errors in order of position, each with its line and a caret.
    pub fn show(&self, issues: &[Issue]) -> String {
        let mut placed: Vec<(SourcePlace, &str)> =
            issues.iter().map(|i| (self.place(i.offset), i.text.as_str())).collect();
        // The first hundred found, not the first by position.
        placed.truncate(MOST_SHOWN);
        placed.sort_by_key(|(place, _)| *place);
        let mut shown: Vec<String> =
            placed.iter().map(|(place, text)| self.show_one(*place, text)).collect();
        if issues.len() > MOST_SHOWN {
            shown.push(format!("{} more errors were truncated", issues.len() - MOST_SHOWN));
        }
        shown.join("\n")
    }

    fn show_one(&self, place: SourcePlace, text: &str) -> String {
        let head = format!("ERROR: <input>:{}:{}: {text}", place.line, place.column + 1);
        let Some(line) = self.line(place.line).filter(|line| line.len() <= LONGEST_SNIPPET) else {
            return head;
        };
        let line = line.replace('\t', " ");
        let mut pointer = String::new();
        let mut characters = line.chars();
        for c in characters.by_ref().take(place.column) {
            pointer.push(if c.is_ascii() { '.' } else { '\u{ff0e}' });
        }
        pointer.push(if characters.next().is_none_or(|c| c.is_ascii()) { '^' } else { '\u{ff3e}' });
        format!("{head}\n | {line}\n | {pointer}")
    }
}
