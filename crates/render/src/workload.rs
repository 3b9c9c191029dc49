//! Workloads whose pods are missing, as text.

use super::page::{Column, Drawn, Page, Sign, Span, Tone};
use answers::extent::Extent;
use answers::workload::{MissingPods, WorkloadReport};

/// The answer about each, with what says so.
impl Drawn for WorkloadReport {
    fn page(&self, _extent: Extent) -> Page {
        let mut page = Page::default();
        for (at, missing) in self.workloads.iter().enumerate() {
            if at > 0 {
                page.gap();
            }
            let sign = if missing.is_trouble() {
                (Sign::No, Tone::Bad)
            } else {
                (Sign::Aside, Tone::Plain)
            };
            page.verdict(sign, format!("{}: {}", missing.title(), missing.why));
            if at == 0 {
                page.based_on(2, &self.basis);
            }
            section(&mut page, missing);
        }
        page
    }
}

fn section(page: &mut Page, missing: &MissingPods) {
    if let Some((by, message)) = &missing.said {
        page.section(format!("{by} says"));
        page.quiet(2, format!("\"{message}\""));
    }
    if !missing.facts.is_empty() {
        page.section("Besides");
    }
    for fact in &missing.facts {
        page.line(2, vec![fact.as_str().into()]);
    }
    if !missing.next.is_empty() {
        page.section("What to do");
    }
    for line in &missing.next {
        page.line(2, vec![line.as_str().into()]);
    }
}

/// The table of workloads under a list of pods.
pub fn table(page: &mut Page, workloads: &[MissingPods]) {
    if workloads.is_empty() {
        return;
    }
    let mut rows: Vec<Vec<Span>> = Vec::with_capacity(workloads.len());
    for missing in workloads {
        rows.push(vec![
            missing.namespace.as_str().into(),
            format!("{}/{}", missing.kind.to_lowercase(), missing.name).into(),
            missing.pods().into(),
            missing.why.as_str().into(),
        ]);
    }
    page.section("Workloads whose pods are not created");
    let columns = [
        Column::from("NAMESPACE").names(20),
        Column::from("WORKLOAD").names(20),
        Column::from("PODS"),
        Column::from("CAUSE").prose(30),
    ];
    page.table(0, columns, rows);
}
