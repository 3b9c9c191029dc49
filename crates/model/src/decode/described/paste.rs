//! What descriptions get on their way through terminals, viewers and tickets: colours, quotes, frames,
//! line numbers, other spaces. It is taken away, so that the text is as kubectl printed it.

use std::borrow::Cow;

use super::{events, is_start};

/// The fields that come second in a description: of pods and most others, nodes, claims, and
/// volumes.
pub(super) const SECOND: [&str; 6] =
    ["Namespace:", "Roles:", "Role:", "Labels:", "StorageClass:", "IsDefaultClass:"];

/// Characters that stand before the lines of a text that was quoted, framed, numbered or indented.
const MARGIN: &str = " \t>|│┃║0123456789:.";
/// Characters with which viewers frame a text.
const FRAME: [char; 3] = ['│', '┃', '║'];

/// The text as kubectl printed it.
pub(super) fn cleaned(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains('\u{1b}') {
        text = Cow::Owned(without_escapes(&text));
    }
    if text.contains('\u{a0}') {
        text = Cow::Owned(text.replace('\u{a0}', " "));
    }
    if text.contains("&lt;none&gt;") || text.contains("&lt;unset&gt;") {
        let html = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        text =
            Cow::Owned(html.iter().fold(text.into_owned(), |text, (of, to)| text.replace(of, to)));
    }
    let begins = |line: &str| is_start(line) || events::is_header(line);
    if !text.lines().any(begins)
        && let Some(margin) = margin(&text)
    {
        let lines: Vec<&str> = text.lines().map(|line| without_margin(line, margin)).collect();
        text = Cow::Owned(lines.join("\n"));
    }
    text
}

/// The text without the sequences that colour it.
///
/// Upstream: ECMA-48, control sequences.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| ('@'..='~').contains(&c));
        plain.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or_default());
    }
    plain
}

/// How many characters stand before each line, as the first description shows: its second line has
/// as many.
fn margin(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        let at = first.find("Name:").or_else(|| first.find("LAST SEEN"))?;
        let before = first.get(..at)?.chars().count();
        let is_margin = before > 0 && first.get(..at)?.chars().all(|c| MARGIN.contains(c));
        let name = second.char_indices().nth(before).and_then(|(at, _)| second.get(at..))?;
        let is_table = events::is_header(first);
        let follows = is_table || SECOND.iter().any(|field| name.starts_with(field));
        (is_margin && follows).then_some(before)
    })
}

/// A line without its margin, and without the right side of a frame.
fn without_margin(line: &str, margin: usize) -> &str {
    let is_framed = line.trim_start().starts_with(FRAME);
    let end = line.char_indices().take(margin).take_while(|(_, c)| MARGIN.contains(*c)).last();
    let inner = end.map_or(line, |(at, c)| line.get(at + c.len_utf8()..).unwrap_or_default());
    if is_framed { inner.trim_end().trim_end_matches(FRAME) } else { inner }
}
