//! Which running pods can be preempted, as one page for the browser, without scripts.

use engine::cluster::Cluster;
use engine::risk::Risk;

use super::rows::{self, RiskRow, RowOrder};
use super::{all_at_once, budgets, preemptors, summary, unprotected};
use crate::escape::html as escaped;
use crate::extent::Extent;
use crate::html::document;
use crate::safe::Printable;

const TITLE: &str = "Pods that can be preempted";
const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}caption{text-align:left;padding:.5rem 0}";

pub fn page(risk: &Risk, cluster: &Cluster) -> Printable {
    let mut rows = String::new();
    for row in rows::of(risk, RowOrder::MostExposed, Extent::All) {
        add_row(&mut rows, &row, cluster);
    }
    let heads =
        ["Workload", "Pods", "Priority", "Exposure", "All at once", "Budgets", "Preempted by"];
    let heads = heads.map(|head| format!("<th scope=\"col\">{head}</th>")).concat();
    let mut notes = String::new();
    for note in &risk.notes {
        let text = escaped(&crate::notes::sentence(note));
        notes.push_str(&format!("<li>{}: {text}</li>\n", note.severity.name()));
    }
    if !notes.is_empty() {
        notes = format!("<h2>Notes</h2>\n<ul>\n{notes}</ul>\n");
    }
    let unprotected = unprotected(risk, cluster, Extent::All)
        .map_or_else(String::new, |text| format!("<p>{}</p>\n", escaped(&text)));
    let body = format!(
        "<main>\n<h1>{TITLE}</h1>\n<table>\n<caption>{}</caption>\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n{unprotected}{notes}</main>\n",
        escaped(&summary(risk)),
    );
    Printable::new(document(TITLE, STYLE, None, &body))
}

fn add_row(out: &mut String, row: &RiskRow, cluster: &Cluster) {
    let cells = [
        row.name.clone(),
        row.pods(),
        row.priority.to_string(),
        row.exposure_text(),
        all_at_once(row, cluster),
        budgets(row, cluster, Extent::All),
        preemptors(row),
    ];
    let cells = cells.map(|cell| format!("<td>{}</td>", escaped(&cell))).concat();
    out.push_str(&format!("<tr>{cells}</tr>\n"));
}
