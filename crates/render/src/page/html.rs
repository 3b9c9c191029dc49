//! A page as HTML: sections with headings, paragraphs and tables instead of lines.

use super::{Block, Column, Page, Paper, Span, chosen};
use crate::escape::html;

impl Page {
    /// The page as the content of an element. All text is escaped.
    pub fn html(&self) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Line { spans, .. } if spans.is_empty() => {}
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
}

fn element(out: &mut String, tag: &str, spans: &[Span]) {
    out.push_str(&format!("<{tag}>"));
    spans.iter().for_each(|span| span.html(out));
    out.push_str(&format!("</{tag}>\n"));
}

fn table(out: &mut String, columns: &[Column], rows: &[Vec<Span>]) {
    out.push_str("<table>\n");
    if columns.iter().any(|column| !column.title.is_empty()) {
        out.push_str("<thead><tr>");
        columns.iter().for_each(|column| out.push_str(&format!("<th>{}</th>", html(column.title))));
        out.push_str("</tr></thead>\n");
    }
    out.push_str("<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        row.iter().for_each(|span| element_of_row(out, span));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

fn element_of_row(out: &mut String, span: &Span) {
    out.push_str("<td>");
    span.html(out);
    out.push_str("</td>");
}

#[cfg(test)]
mod tests;
