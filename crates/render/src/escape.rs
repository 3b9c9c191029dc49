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
    let has_hostile = json.chars().any(is_hostile_in_line);
    has_hostile.then(|| replaced(json, is_hostile_in_line, json_escape))
}

/// Whether a character is hostile among lines of text, which line feeds end.
fn is_hostile_in_line(c: char) -> bool {
    c != '\n' && is_hostile(c)
}

/// JSON for the content of a `<script>`: nothing in it ends the element or starts another one.
pub(crate) fn script_json(json: &str) -> String {
    replaced(json, |c| "<>&".contains(c) || is_hostile(c), json_escape)
}

/// Text for an HTML element, or for an attribute in double quotes.
pub(crate) fn html(text: &str) -> String {
    replaced(&sanitize(text), |c| "<>&\"'".contains(c), entity)
}

/// Text for an HTML element in which names with hyphens do not break: browsers break lines after a
/// hyphen.
pub(crate) fn html_names(text: &str) -> String {
    let mut words = Vec::new();
    for word in sanitize(text).split(' ') {
        let is_name = word.contains('-') && word.len() > 1;
        let word = html(word);
        words.push(if is_name { format!("<span class=\"name\">{word}</span>") } else { word });
    }
    words.join(" ")
}

/// Plain text in GitHub's Markdown, also for table cells: without markup, HTML, links or mentions.
pub(crate) fn markdown(text: &str) -> String {
    let text = sanitize(text);
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let word = chars.peek().is_some_and(|next| !next.is_whitespace());
        let links = match c {
            '@' | '#' => true,
            ':' => word,
            '.' => out.to_ascii_lowercase().ends_with("www"),
            '-' => out.to_ascii_lowercase().ends_with("gh"),
            _ => false,
        };
        match c {
            '<' | '>' | '&' | '|' => entity(c, &mut out),
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

/// An entity of HTML.
fn entity(c: char, out: &mut String) {
    out.push_str(&format!("&#{};", u32::from(c)));
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
mod tests {
    //! No text from a cluster can leave its place in the output.

    use super::{csv, dot, html, markdown, markdown_code, script_json, visible};
    use crate::page::is_hostile;

    #[test]
    fn each_format_escapes_in_its_own_syntax() {
        for (escaped, expected) in [
            (
                html("<img src=x onerror='a()'>&\""),
                "&#60;img src=x onerror=&#39;a()&#39;&#62;&#38;&#34;",
            ),
            (script_json("\"</script><!--&\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\""),
            (csv("=cmd()"), "'=cmd()"),
            (csv("＝cmd()"), "'＝cmd()"),
            (csv("＋1"), "'＋1"),
            (csv("－1"), "'－1"),
            (csv("＠x"), "'＠x"),
            (csv("a,\"b"), "a,\"b"),
            (csv("\tx"), "'\\u{9}x"),
            (dot("a\"b\\N"), "a\\\"b\\\\N"),
            (markdown("a|b"), "a&#124;b"),
            (markdown("@team a@b.c"), "@<!-- -->team a@<!-- -->b.c"),
            (markdown("#12 o/r#3 GH-4"), "#<!-- -->12 o/r#<!-- -->3 GH-<!-- -->4"),
            (
                markdown("https://x.y/z www.x.y :boom: b: c"),
                "https:<!-- -->//x.y/z www.<!-- -->x.y :<!-- -->boom: b: c",
            ),
            (
                markdown("<b>*x* _y_ `z` [l](u) ![i]"),
                "&#60;b&#62;\\*x\\* \\_y\\_ \\`z\\` \\[l\\](u) \\!\\[i\\]",
            ),
            (markdown("12. x"), "12\\. x"),
            (markdown("- item"), "\\- item"),
            (markdown_code("a`b|c"), "``a`b\\|c``"),
            (markdown_code("`"), "`` ` ``"),
            (markdown_code(""), "`  `"),
            (visible("a\u{1b}\n"), "a\\u{1b}\\u{a}"),
        ] {
            assert_eq!(escaped, expected);
        }
    }

    #[test]
    fn escaped_text_has_no_control_characters() {
        let text: String = (0..=0x3001)
            .chain(0xdfff..=0xe001)
            .chain(0xfdcf..=0x10001)
            .chain(0xe0000..=0xe0080)
            .chain(0xefffe..=0xf0001)
            .filter_map(char::from_u32)
            .collect();
        for escape in [visible, html, script_json, markdown, markdown_code, csv, dot] {
            assert_eq!(escape(&text).chars().find(|c| is_hostile(*c)), None);
        }
    }

    #[test]
    fn names_with_hyphens_do_not_break() {
        let text = super::html_names("evicts team/web-1 and <b> - on n1");
        assert_eq!(text, "evicts <span class=\"name\">team/web-1</span> and &#60;b&#62; - on n1");
    }
}
