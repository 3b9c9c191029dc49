//! One escape function for each format that another program interprets: HTML, Markdown, CSV and
//! Graphviz.
//!
//! Each of them first replaces the characters that a terminal would interpret, since any output may
//! be printed on one.

use super::safe::{is_hostile, is_printable_ascii, sanitize};

/// `text` with every character that a terminal would interpret written as `\u{…}`; it is never
/// truncated.
pub fn visible(text: &str) -> String {
    replaced(text, is_hostile, |c, out| out.push_str(&format!("\\u{{{:x}}}", u32::from(c))))
}

/// The same for JSON, where such characters occur only in strings.
pub(crate) fn visible_json(json: &str) -> String {
    replaced(json, is_hostile, json_escape)
}

/// The same for JSON lines, whose values stay equal; `None` if nothing has to be replaced.
pub fn visible_json_lines(json: &str) -> Option<String> {
    if is_printable_ascii(json) {
        return None;
    }
    let is_hostile = |c: char| c != '\n' && is_hostile(c);
    json.chars().any(is_hostile).then(|| replaced(json, is_hostile, json_escape))
}

/// JSON for the content of a `<script>`: nothing in it ends the element or starts another one.
pub(crate) fn script_json(json: &str) -> String {
    replaced(json, |c| "<>&".contains(c) || is_hostile(c), json_escape)
}

/// Text for an HTML element, or for an attribute in double quotes.
pub(crate) fn html(text: &str) -> String {
    let entity = |c, out: &mut String| out.push_str(&format!("&#{};", u32::from(c)));
    replaced(&sanitize(text), |c| "<>&\"'".contains(c), entity)
}

/// Text for an HTML element in which names with hyphens do not break: browsers break lines after a
/// hyphen.
pub(crate) fn html_names(text: &str) -> String {
    let word = |word: &str| {
        let text = html(word);
        let is_name = word.contains('-') && word.len() > 1;
        if is_name { format!("<span class=\"name\">{text}</span>") } else { text }
    };
    sanitize(text).split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Plain text in GitHub's Markdown, also for table cells: without markup, HTML, links or mentions.
pub(crate) fn markdown(text: &str) -> String {
    let text = sanitize(text);
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let word = chars.peek().is_some_and(|next| !next.is_whitespace());
        let before = |word: &str| out.to_ascii_lowercase().ends_with(word);
        let links = match c {
            '@' | '#' => true,
            ':' => word,
            '.' => before("www"),
            '-' => before("gh"),
            _ => false,
        };
        match c {
            '<' | '>' | '&' | '|' => out.push_str(&format!("&#{};", u32::from(c))),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '~' | '$' => out.extend(['\\', c]),
            // At the start of a line these begin a list or underline a heading.
            '-' | '+' | '=' if out.is_empty() => out.extend(['\\', c]),
            '.' | ')' if !word && out.chars().all(|c| c.is_ascii_digit()) => out.extend(['\\', c]),
            _ => out.push(c),
        }
        if links {
            // GitHub searches the rendered text for mentions, issue numbers and addresses; only a
            // tag separates the characters.
            out.push_str("<!-- -->");
        }
    }
    out
}

/// A code span in GitHub's Markdown, also for table cells.
pub(crate) fn markdown_code(text: &str) -> String {
    let text = sanitize(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    // In a table, an unescaped bar ends the cell even inside code.
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

/// A cell of a CSV file, before quoting: no spreadsheet interprets it as a formula.
pub(crate) fn csv(text: &str) -> String {
    // Spreadsheets in East Asian languages take the full-width forms for the others.
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']) {
        "'"
    } else {
        ""
    };
    format!("{guard}{}", visible(text))
}

/// Text for a quoted string of Graphviz, without the escapes that Graphviz replaces.
pub(crate) fn dot(text: &str) -> String {
    replaced(&sanitize(text), |c| "\\\"".contains(c), |c, out| out.extend(['\\', c]))
}

fn json_escape(c: char, out: &mut String) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

fn replaced(text: &str, which: impl Fn(char) -> bool, by: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if which(c) { by(c, &mut out) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests;
