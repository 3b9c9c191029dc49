//! A page as HTML: sections with headings, paragraphs and tables instead of lines.

use super::{Block, Column, Page, Paper, Span, Tone, chosen};
use crate::escape::html;

/// The title of a page without a heading.
const NO_TITLE: &str = "kubectl preempt";
/// What a page without content says; why, the command says beside it.
const NOTHING: &str = "<h1>There is nothing to show.</h1>\n";

impl Page {
    /// The page as the content of an element. All text is escaped.
    pub fn html(&self) -> String {
        content(&self.blocks)
    }

    /// Its first line as text, and the page with that line as its heading. A page that begins with a
    /// table has none.
    pub(crate) fn titled(&self) -> (String, String) {
        let Some((Block::Line { spans, .. }, rest)) = self.blocks.split_first() else {
            let content = if self.is_empty() { NOTHING.to_owned() } else { self.html() };
            return (NO_TITLE.to_owned(), content);
        };
        let texts: Vec<_> = spans.iter().map(|span| span.text(Paper::PLAIN)).collect();
        let mut out = String::new();
        element(&mut out, "h1", spans);
        out.push_str(&content(rest));
        (texts.concat(), out)
    }
}

/// These blocks as the content of an element.
fn content(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut after_gap = false;
    for block in blocks {
        let begins = std::mem::take(&mut after_gap);
        match block {
            Block::Line { spans, .. } if spans.is_empty() => after_gap = true,
            Block::Basis { text, .. } if text.as_str().is_empty() => {}
            Block::Basis { text, .. } => {
                element(&mut out, "p", &[Span::new(text.as_str(), Tone::Quiet)]);
            }
            Block::Line { spans, .. } if begins && spans.iter().all(Span::is_strong) => {
                element(&mut out, "h2", spans);
            }
            Block::Line { spans, .. } if begins => {
                out.push_str("<p class=\"begins\">");
                spans.iter().for_each(|span| span.html(&mut out));
                out.push_str("</p>\n");
            }
            Block::Line { spans, .. } | Block::Item { spans, .. } => {
                element(&mut out, "p", spans);
            }
            Block::Choices { head, choices } => {
                element(&mut out, "p", &chosen(head, choices, Paper::PLAIN));
            }
            Block::Title { spans } => element(&mut out, "h2", spans),
            Block::LeftOut { what, .. } => {
                out.push_str(&format!(
                    "<p class=\"quiet\">and {}, below</p>\n",
                    html(what.as_str())
                ));
            }
            Block::Table { columns, rows, .. } => table(&mut out, columns, rows),
            Block::Verbatim(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| html(line.as_str())).collect();
                out.push_str(&format!("<pre>{}</pre>\n", lines.join("\n")));
            }
        }
    }
    out
}

fn element(out: &mut String, tag: &str, spans: &[Span]) {
    out.push_str(&format!("<{tag}>"));
    spans.iter().for_each(|span| span.html(out));
    out.push_str(&format!("</{tag}>\n"));
}

fn table(out: &mut String, columns: &[Column], rows: &[Vec<Span>]) {
    // Where there is no space for columns, each cell begins with the title of its own.
    let is_titled = columns.iter().any(|column| !column.title.is_empty());
    out.push_str(if is_titled { "<table class=\"named\">\n" } else { "<table>\n" });
    if is_titled {
        out.push_str("<thead><tr>");
        for column in columns.iter().filter(|column| !column.is_short()) {
            out.push_str(&format!("<th>{}</th>", html(column.title)));
        }
        out.push_str("</tr></thead>\n");
    }
    out.push_str("<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (at, span) in row.iter().enumerate() {
            // A browser has room for the sentence.
            let column = columns.get(at).copied().unwrap_or_default();
            if column.is_short() {
                continue;
            }
            out.push_str("<td");
            if is_titled {
                out.push_str(&format!(" data-label=\"{}\"", html(column.title)));
            }
            out.push('>');
            span.html(out);
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

#[cfg(test)]
mod tests {
    use crate::page::{Column, Page, Sign, Span, Tone};

    #[test]
    fn blocks_become_elements_and_texts_are_escaped() {
        let mut page = Page::default();
        page.gap();
        page.title(vec![Span::new("Why <b>", Tone::Strong), " (2)".into()]);
        let code = Span::new("PRE-201", Tone::Quiet).linked("https://example.com/?a=1&b=2");
        page.table(
            2,
            vec![Column::default(), Column::default()],
            vec![vec!["cpu & memory".into(), code]],
        );
        page.left_out(2, 8, "node");
        page.item(2, vec![Span::signed(Sign::Costs, "\u{1b}[31mred", Tone::Bad)]);
        assert_eq!(
            page.html(),
            "<h2><strong>Why &#60;b&#62;</strong> (2)</h2>\n\
         <table>\n<tbody>\n<tr><td>cpu &#38; memory</td>\
         <td><span class=\"quiet\"><a href=\"https://example.com/?a=1&#38;b=2\"><span class=\"name\">PRE-201</span></a></span></td></tr>\n</tbody></table>\n\
         <p class=\"quiet\">and 8 more nodes, below</p>\n\
         <p><strong class=\"bad\">! \\u{1b}[31mred</strong></p>\n"
        );
    }
}
