//! Which running pods can be preempted, as one page for the browser, without scripts.

use super::rows::{self, RiskRow};
use super::{all_at_once, budgets, preemptors, summary, unprotected};
use crate::escape::html as escaped;
use crate::html::{document, inline};
use crate::safe::Printable;
use answers::extent::Extent;
use answers::questions::risk::RiskReport;

const TITLE: &str = "Pods that can be preempted";

pub fn page(report: &RiskReport) -> Printable {
    let mut rows = String::new();
    for row in rows::of(report, Extent::All) {
        add_row(&mut rows, &row, report);
    }
    let heads =
        ["Workload", "Pods", "Priority", "Exposure", "All at once", "Budgets", "Preempted by"];
    let heads = heads.map(|head| format!("<th scope=\"col\">{head}</th>")).concat();
    let mut notes = String::new();
    for note in &report.risk.notes {
        let text = escaped(&answers::notes::sentence(note));
        notes.push_str(&format!("<li>{}: {text}</li>\n", note.severity.name()));
    }
    if !notes.is_empty() {
        notes = format!("<h2>Notes</h2>\n<ul>\n{notes}</ul>\n");
    }
    let unprotected = unprotected(report, Extent::All)
        .map_or_else(String::new, |text| format!("<p>{}</p>\n", escaped(&text)));
    let body = format!(
        "<main>\n<h1>{TITLE}</h1>\n<table>\n<caption>{}</caption>\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n{unprotected}{notes}</main>\n",
        escaped(&summary(report)),
    );
    Printable::new(document(TITLE, inline::RISK, None, &body))
}

fn add_row(out: &mut String, row: &RiskRow, report: &RiskReport) {
    let cells = [
        row.name.clone(),
        row.pods(),
        row.priority.to_string(),
        row.exposure_text(),
        all_at_once(row),
        budgets(row, report, Extent::All),
        preemptors(row),
    ];
    let cells = cells.map(|cell| format!("<td>{}</td>", escaped(&cell))).concat();
    out.push_str(&format!("<tr>{cells}</tr>\n"));
}
