//! Which running pods can be preempted, as text, HTML and metrics.

mod matrix;

use std::collections::BTreeSet;

use engine::risk::{DeclaredPreemptor, Exposure, OnNode, PodRisk, WorkloadRisk};
use engine::simulation::plan::PreemptorId;

use crate::exposition::{Exposition, FOLDED, Gauge, label};
use crate::notes;
use crate::page::{Column, Drawn, Page, Span, Tone};
use crate::safe::Printable;
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline;
use answers::questions::risk::RiskReport;
use answers::questions::risk::rows::{self, RiskRow};
use answers::words;

/// Maximum number of names in a cell or sentence.
const NAMED: usize = 3;

/// The page: the summary, what it is based on, the results for named preemptors, a row per
/// workload, and the victims.
impl Drawn for RiskReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = Page::default();
        if let Some(found) = &self.matrix {
            matrix::add(&mut page, found, self, extent);
            return page;
        }
        page.heading(summary(self));
        page.based_on(0, &self.basis);
        for named in &self.risk.declared {
            preemptor(&mut page, named, extent);
        }
        let rows = rows::of(self, extent);
        table(&mut page, &rows, self, extent);
        evicted(&mut page, self, extent);
        if extent.is_all() {
            other_candidates(&mut page, self, extent);
        }
        if rows.iter().any(|row| !row.budgets.is_empty()) {
            page.gap();
            page.line(0, vec![BUDGETS.into()]);
        }
        if let Some(text) = self.unprotected(extent) {
            page.gap();
            page.line(0, vec![text.into()]);
        }
        notes::add(&mut page, &self.risk.notes, extent.is_whole());
        page
    }
}

const BUDGETS: &str = "A PodDisruptionBudget does not stop preemption: kube-scheduler prefers victims whose budget allows \
                       it, and violates a budget if nothing else makes room.";

fn table(page: &mut Page, rows: &[RiskRow], report: &RiskReport, extent: Extent) {
    if rows.is_empty() {
        return;
    }
    let shown = extent.shown(rows.len());
    let mut table: Vec<Vec<Span>> = Vec::new();
    for row in rows.iter().take(shown) {
        let tone = match row.exposure() {
            Exposure::Safe => Tone::Good,
            Exposure::Exposed => Tone::Plain,
            Exposure::Candidate | Exposure::Victim => Tone::Bad,
        };
        table.push(vec![
            row.name.as_str().into(),
            row.pods().into(),
            row.priority.to_string().into(),
            Span::new(row.exposure_text(), tone),
            all_at_once(row).into(),
            budgets(row, report, extent).into(),
        ]);
    }
    let mut columns = vec![
        Column::new("WORKLOAD").names(28),
        Column::new("PODS"),
        Column::new("PRIORITY").dropped(3),
        Column::new("EXPOSURE"),
        Column::new("ALL AT ONCE").dropped(1),
        Column::new("BUDGETS").names(24).dropped(2),
    ];
    // For named preemptors, who preempts is what was asked and not an answer.
    if report.risk.declared.is_empty() {
        columns.push(Column::new("PREEMPTED BY").dropped(4));
        for (row, cells) in rows.iter().zip(&mut table) {
            cells.push(row.preemptors().unwrap_or_else(|| "-".to_owned()).into());
        }
    }
    page.table_also(0, columns, table, "-o wide");
    page.left_out_but(0, rows.len() - shown, "workload", ALL_SHOWS_IT);
}

/// The victims, each with its preemptor.
fn evicted(page: &mut Page, report: &RiskReport, extent: Extent) {
    let evicted: Vec<(&PodRisk, &PreemptorId)> =
        report.risk.pods().filter_map(|pod| Some((pod, pod.evicted_by.as_ref()?))).collect();
    if evicted.is_empty() {
        return;
    }
    let shown = extent.shown(evicted.len());
    let mut rows = Vec::new();
    for (pod, by) in evicted.iter().take(shown) {
        rows.push(vec![
            pod.pod.full_name().into(),
            pod.node.as_str().into(),
            by.full_name().into(),
        ]);
    }
    page.section(if report.risk.declared.is_empty() {
        "About to be evicted, for pending pods in queue order"
    } else {
        "Evicted now"
    });
    let columns =
        [Column::new("POD").pods(24), Column::new("NODE").nodes(14), Column::new("FOR").pods(20)];
    page.table(2, columns, rows);
    page.left_out_but(2, evicted.len() - shown, "pod", ALL_SHOWS_IT);
}

/// The victims on candidate nodes that are not chosen, with the pods that could choose these nodes.
fn other_candidates(page: &mut Page, report: &RiskReport, extent: Extent) {
    let others =
        report.risk.pods().filter(|pod| pod.evicted_by.is_none() && !pod.takers.is_empty());
    let mut rows: Vec<Vec<Span>> = Vec::new();
    for pod in others {
        let takers: BTreeSet<&str> = pod.takers.iter().map(|taker| taker.pod.as_str()).collect();
        let takers: Vec<&str> = takers.into_iter().collect();
        let takers = words::list(&takers, extent.named(NAMED));
        rows.push(vec![pod.pod.full_name().into(), pod.node.as_str().into(), takers.into()]);
    }
    if rows.is_empty() {
        return;
    }
    page.section("Victims on runner-up nodes");
    let columns =
        [Column::new("POD").pods(24), Column::new("NODE").nodes(14), Column::new("OF").prose(20)];
    page.table(2, columns, rows);
}

/// The result for a named preemptor: the nodes where it fits, then those where it preempts.
fn preemptor(page: &mut Page, declared: &DeclaredPreemptor, extent: Extent) {
    let name = format!("Preemptor {} (priority {}): ", declared.pod, declared.priority);
    page.line(0, vec![Span::new(name, Tone::Strong), declared.outcome.name().into()]);

    // What kube-scheduler does comes first, then what else is possible.
    let mut nodes: Vec<&(String, OnNode)> = declared.nodes.iter().collect();
    nodes.sort_by_key(|(node, result)| {
        let rank = match result {
            OnNode::Fits => 0,
            OnNode::Preempts(_) => 1,
            OnNode::Cannot => 2,
        };
        (!declared.selected.contains(node), rank)
    });
    let shown = extent.shown(nodes.len());
    let rows = nodes.iter().take(shown).map(|(node, result)| {
        let (result, victims) = match result {
            OnNode::Fits => (Span::new("fits", Tone::Good), "-".to_owned()),
            OnNode::Preempts(victims) => (Span::new("preempts", Tone::Bad), victims.join(", ")),
            OnNode::Cannot => (Span::new("cannot preempt", Tone::Quiet), "-".to_owned()),
        };
        let chosen = if declared.selected.contains(node) { "yes" } else { "" };
        vec![node.as_str().into(), result, chosen.into(), victims.into()]
    });
    let columns = [
        Column::new("NODE").nodes(24),
        Column::new("RESULT"),
        Column::new("SELECTED"),
        Column::new("VICTIMS").prose(24),
    ];
    page.table(2, columns, rows.collect());
    page.left_out_but(2, nodes.len() - shown, "node", ALL_SHOWS_IT);
    page.gap();
}

fn all_at_once(row: &RiskRow) -> String {
    row.all_at_once.as_ref().map_or_else(|| "no".to_owned(), |node| format!("yes, on {node}"))
}

fn budgets(row: &RiskRow, report: &RiskReport, extent: Extent) -> String {
    let mut budgets: Vec<String> = Vec::new();
    for budget in &row.budgets {
        budgets.push(format!("{} (allows {})", budget.name, budget.allowed));
    }
    if budgets.is_empty() {
        return report.basis.no_budget().to_owned();
    }
    words::list(&budgets, extent.named(NAMED))
}

/// The answer, with what makes it uncertain.
fn summary(report: &RiskReport) -> String {
    let (counted, doubt) = (report.sentence(), headline::doubt(report.risk.notes.iter()));
    if doubt.is_empty() { counted } else { format!("{counted}.{doubt}") }
}

const RUNNING: Gauge = Gauge {
    name: "kubectl_preempt_running_pods",
    help: "Running pods of a workload, by how exposed they are to preemption.",
};
const ALL_AT_ONCE: Gauge = Gauge {
    name: "kubectl_preempt_all_at_once",
    help: "Whether one preemptor can preempt all running pods of a workload at once.",
};
const EVICTED_NOW: Gauge = Gauge {
    name: "kubectl_preempt_evicted_now",
    help: "Running pods of a workload that kube-scheduler evicts for pending pods in queue order.",
};

const UNCERTAIN: Gauge = Gauge {
    name: "kubectl_preempt_risk_uncertain",
    help: "Whether something that the other values depend on could not be read, or is not modelled.",
};

const FOLDED_WORKLOADS: Gauge = Gauge {
    name: "kubectl_preempt_risk_folded_workloads",
    help: "Workloads that are counted together as _other, because there are more than 500.",
};

/// Maximum number of workloads with series of their own.
const WORKLOADS: usize = 500;

/// The metrics in Prometheus' text format, for a node exporter's textfile collector: a line per
/// workload and exposure, the most exposed first, and one for all the others together.
pub fn metrics(report: &RiskReport) -> Printable {
    let workloads = &report.risk.workloads;
    let (named, folded) = workloads.split_at(workloads.len().min(WORKLOADS));
    let other = [("namespace", FOLDED), ("kind", FOLDED), ("name", FOLDED)];
    let mut out = Exposition::default();
    out.begin(RUNNING);
    for workload in named {
        let [namespace, kind, name] = labels(workload);
        for exposure in Exposure::ALL {
            let exposed = exposure.name().to_lowercase();
            let labels = [pair(&namespace), pair(&kind), pair(&name), ("exposure", &exposed)];
            out.sample(RUNNING, &labels, workload.count(exposure));
        }
    }
    if !folded.is_empty() {
        let [namespace, kind, name] = other;
        for exposure in Exposure::ALL {
            let exposed = exposure.name().to_lowercase();
            let count: usize = folded.iter().map(|workload| workload.count(exposure)).sum();
            out.sample(RUNNING, &[namespace, kind, name, ("exposure", &exposed)], count);
        }
    }
    out.begin(ALL_AT_ONCE);
    for workload in named {
        let labels = labels(workload);
        out.sample(ALL_AT_ONCE, &labels.each_ref().map(pair), u8::from(workload.all_at_once));
    }
    out.begin(EVICTED_NOW);
    for workload in named {
        let labels = labels(workload);
        out.sample(EVICTED_NOW, &labels.each_ref().map(pair), workload.evicted());
    }
    if !folded.is_empty() {
        let count: usize = folded.iter().map(WorkloadRisk::evicted).sum();
        out.sample(EVICTED_NOW, &other, count);
    }
    out.single(FOLDED_WORKLOADS, folded.len());
    out.single(UNCERTAIN, u8::from(report.risk.is_unsure()));
    out.text()
}

/// A label: its name and its value.
type Label = (&'static str, String);

fn labels(workload: &WorkloadRisk) -> [Label; 3] {
    let owner = &workload.workload;
    [("namespace", &owner.namespace), ("kind", &owner.kind), ("name", &owner.name)]
        .map(|(name, value)| (name, label(value)))
}

fn pair((name, value): &Label) -> (&'static str, &str) {
    (name, value)
}
