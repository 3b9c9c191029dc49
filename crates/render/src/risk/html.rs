//! Which running pods can be preempted, as one page for the browser, without scripts.

use engine::cluster::Cluster;
use engine::risk::Risk;

use super::rows::{self, RiskRow, RowOrder};
use super::{all_at_once, budgets, preemptors, summary, unprotected};
use crate::escape::html as escaped;
use crate::html::{document, inline};
use crate::safe::Printable;
use answers::extent::Extent;

const TITLE: &str = "Pods that can be preempted";

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
        let text = escaped(&answers::notes::sentence(note));
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
    Printable::new(document(TITLE, inline::RISK, None, &body))
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
