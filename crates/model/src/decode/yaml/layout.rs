//! Texts that kubectl reads although the parser refuses how they are written: the place at which it gives up is written in another way.

use serde_saphyr::Error;

/// How far a line is indented that continues a quoted text. White space in front of it is no part of the text.
const INDENT: &str = "                                                                                ";

/// The text with the same values in a form that the parser reads further; `None` if the problem is another one.
pub(super) fn rewritten(text: &str, problem: &Error) -> Option<String> {
    let problem = problem.without_snippet();
    let place = problem.location().filter(|place| place.line() > 0)?;
    let line = usize::try_from(place.line()).ok()?;
    let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let at = column(text.get(start..)?, usize::try_from(place.column()).ok()?)? + start;
    match problem {
        Error::NonFiniteFloat { .. } => quoted(text, at),
        Error::ExternalMessage { msg, .. } if msg.contains("invalid indentation") => indented(text, start),
        _ => None,
    }
}

/// The offset of a column, which is counted in characters from 1.
fn column(line: &str, column: usize) -> Option<usize> {
    Some(line.char_indices().nth(column.checked_sub(1)?).map_or(line.len(), |(at, _)| at))
}

/// Puts a number that is too large, which Go takes for text, in quotation marks.
fn quoted(text: &str, at: usize) -> Option<String> {
    let (before, rest) = text.split_at_checked(at)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_')))?;
    let (number, behind) = rest.split_at_checked(end)?;
    // Infinity, as YAML writes it, is no text.
    number.contains(|c: char| c.is_ascii_digit()).then(|| format!("{before}'{number}'{behind}"))
}

/// Indents a line that continues a quoted text. A new document ends such a text: its closing mark is missing.
fn indented(text: &str, line: usize) -> Option<String> {
    let (before, rest) = text.split_at_checked(line)?;
    let begins_document = ["---", "..."].iter().any(|mark| rest.starts_with(mark));
    (!begins_document && !rest.starts_with(INDENT)).then(|| format!("{before}{INDENT}{rest}"))
}
