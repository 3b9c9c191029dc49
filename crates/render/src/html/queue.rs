//! The front page about several pods: the queue, with each pod's answer in a row.

use super::table::{HtmlRow, number, table, text};
use crate::escape::{html, html_names};
use answers::pod_report::PodReport;
use answers::questions::pending::Pending;
use answers::words;

/// Appends the queue. Pods of one owner that get the same answer share a row, which links to the
/// first of them.
pub(super) fn write(out: &mut String, decisions: &[PodReport]) {
    let mut pending = Pending::default();
    for model in decisions {
        pending.add(model);
    }
    let heads = [
        text("Pod"),
        number("Priority"),
        number("Pending"),
        text("Verdict"),
        text("Node"),
        text("Victims"),
    ];
    let now = decisions.first().map(|model| model.now).unwrap_or_default();
    let mut rows = Vec::new();
    for (index, row, name) in pending.shared_rows() {
        let age = row.created.map(|created| words::age(now.as_second() - created.as_second()));
        let [verdict, cause, node, victims] = row.answer();
        rows.push(HtmlRow::new([
            format!(
                "<a href=\"#pod-{index}\">{}</a><br><span class=\"quiet\">{}</span>",
                html_names(&format!("{}/{name}", row.namespace)),
                html_names(&cause)
            ),
            row.priority.to_string(),
            html(&age.unwrap_or_default()),
            html_names(&verdict),
            html_names(&node),
            html(&victims),
        ]));
    }
    out.push_str(&format!(
        "<section class=\"queue\" id=\"queue\">\n<h1>{}</h1>\n{}</section>\n",
        html(&pending.summary()),
        table("named", &heads, rows)
    ));
}
