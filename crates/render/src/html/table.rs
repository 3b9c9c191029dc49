//! Tables and collapsed parts of the page.

use crate::escape::html;

/// A column of a table.
pub(super) struct Head<'t> {
    title: &'t str,
    is_number: bool,
}

pub(super) fn text(title: &str) -> Head<'_> {
    Head { title, is_number: false }
}

pub(super) fn number(title: &str) -> Head<'_> {
    Head { title, is_number: true }
}

pub(super) struct HtmlRow {
    pub(super) cells: Vec<String>,
    pub(super) decides: bool,
}

impl HtmlRow {
    pub(super) fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().collect(), decides: false }
    }
}

/// A table. Each cell repeats the title of its column, which is shown next to it where there is no
/// space for columns.
pub(super) fn table(
    class: &str,
    heads: &[Head],
    rows: impl IntoIterator<Item = HtmlRow>,
) -> String {
    let class_of = |head: &Head| if head.is_number { " class=\"number\"" } else { "" };
    let mut out = format!("<table class=\"{class}\">\n<thead><tr>");
    for head in heads {
        out.push_str(&format!("<th{}>{}</th>", class_of(head), html(head.title)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str(if row.decides { "<tr class=\"decides\">" } else { "<tr>" });
        for (head, cell) in heads.iter().zip(row.cells) {
            out.push_str(&format!(
                "<td{} data-label=\"{}\">{cell}</td>",
                class_of(head),
                html(head.title)
            ));
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table>\n"
}

/// An initially collapsed part of the page; omitted if it is empty.
pub(super) fn folded(out: &mut String, title: &str, content: &str) {
    if !content.is_empty() {
        out.push_str(&format!(
            "<details>\n<summary><h2>{}</h2></summary>\n{content}</details>\n",
            html(title)
        ));
    }
}
