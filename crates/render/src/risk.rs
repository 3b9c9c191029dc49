//! Which running pods can be preempted, as text, HTML and metrics.

mod html;
mod metrics;
mod rows;

use std::collections::BTreeSet;

use engine::cluster::eviction_guard::EvictionGuard;
use engine::cluster::priority_class::SYSTEM_CLASSES;
use engine::risk::{DeclaredPreemptor, Exposure, ExposureCounts, OnNode, PodRisk};
use engine::simulation::plan::PreemptorId;
use rows::RiskRow;

pub use html::page as html;
pub use metrics::text as metrics;

use crate::notes;
use crate::page::{Column, Drawn, Page, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline;
use answers::questions::risk::RiskReport;
use answers::words;

/// Maximum number of names in a cell or sentence.
const NAMED: usize = 3;

/// The page: the summary, what it is based on, the results for named preemptors, a row per
/// workload, and the victims.
impl Drawn for RiskReport {
    fn page(&self, extent: Extent) -> Page {
        let mut page = Page::default();
        page.line(0, vec![Span::new(summary(self), Tone::Strong)]);
        page.line(0, vec![Span::new(self.basis.line(), Tone::Quiet)]);
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
        if let Some(text) = unprotected(self, extent) {
            page.gap();
            page.line(0, vec![text.into()]);
        }
        notes::add(&mut page, &self.risk.notes, extent.is_whole());
        page
    }
}

/// That pods which can be preempted have annotations that seem to protect them.
fn unprotected(report: &RiskReport, extent: Extent) -> Option<String> {
    let mut annotations: BTreeSet<EvictionGuard> = BTreeSet::new();
    let mut guarded = 0;
    for pod in report.risk.pods().filter(|pod| pod.exposure != Exposure::Safe) {
        guarded += usize::from(!pod.guards.is_empty());
        annotations.extend(&pod.guards);
    }
    let names: Vec<&str> = annotations.iter().map(|guard| guard.annotation()).collect();
    let asks = if guarded == 1 { "asks" } else { "ask" };
    (guarded > 0).then(|| {
        format!(
            "{} that can be preempted {asks} not to be evicted: {}. That does not protect from preemption; a higher priority does.",
            words::count(guarded, "pod"),
            words::list(&names, extent.named(NAMED))
        )
    })
}

const BUDGETS: &str = "A PodDisruptionBudget does not stop preemption: kube-scheduler prefers victims whose budget allows \
                       it, and violates a budget if nothing else makes room.";

fn table(page: &mut Page, rows: &[RiskRow], report: &RiskReport, extent: Extent) {
    if rows.is_empty() {
        return;
    }
    let by_any_class = report.risk.declared.is_empty();
    let shown = extent.shown(rows.len());
    let cells = |row: &RiskRow| {
        let tone = match row.exposure() {
            Exposure::Safe => Tone::Good,
            Exposure::Exposed => Tone::Plain,
            Exposure::Candidate | Exposure::Victim => Tone::Bad,
        };
        let mut cells: Vec<Span> = vec![
            row.name.as_str().into(),
            row.pods().into(),
            row.priority.to_string().into(),
            Span::new(row.exposure_text(), tone),
            all_at_once(row).into(),
            budgets(row, report, extent).into(),
        ];
        if by_any_class {
            cells.push(preemptors(row).into());
        }
        cells
    };
    let mut columns = vec![
        Column::new("WORKLOAD").names(28),
        Column::new("PODS"),
        Column::new("PRIORITY").dropped(3),
        Column::new("EXPOSURE"),
        Column::new("ALL AT ONCE").dropped(1),
        Column::new("BUDGETS").prose(12).dropped(2),
    ];
    if by_any_class {
        columns.push(Column::new("PREEMPTED BY").dropped(4));
    }
    page.table_also(
        0,
        columns,
        rows.iter().take(shown).map(cells).collect(),
        "-o wide, a wider terminal",
    );
    left_out(page, 0, rows.len() - shown, "more workload");
}

/// Adds a line with the number of omitted rows.
fn left_out(page: &mut Page, indent: usize, rest: usize, what: &str) {
    if rest > 0 {
        page.left_out_but(indent, words::count(rest, what), ALL_SHOWS_IT);
    }
}

/// The victims, each with its preemptor.
fn evicted(page: &mut Page, report: &RiskReport, extent: Extent) {
    let evicted: Vec<(&PodRisk, &PreemptorId)> =
        report.risk.pods().filter_map(|pod| Some((pod, pod.evicted_by.as_ref()?))).collect();
    if evicted.is_empty() {
        return;
    }
    let shown = extent.shown(evicted.len());
    let rows = evicted.iter().take(shown).map(|(pod, by)| {
        vec![pod.pod.full_name().into(), pod.node.as_str().into(), by.full_name().into()]
    });
    page.gap();
    page.heading(if report.risk.declared.is_empty() {
        "Evicted now, for pending pods in queue order"
    } else {
        "Evicted now"
    });
    page.table(
        2,
        [Column::new("POD").pods(24), Column::new("NODE").nodes(14), Column::new("FOR").pods(20)],
        rows.collect(),
    );
    left_out(page, 2, evicted.len() - shown, "more pod");
}

/// The victims on candidate nodes that are not chosen, with the pods that could choose these nodes.
fn other_candidates(page: &mut Page, report: &RiskReport, extent: Extent) {
    let others =
        report.risk.pods().filter(|pod| pod.evicted_by.is_none() && !pod.takers.is_empty());
    let rows = others.map(|pod| {
        let takers: BTreeSet<&str> = pod.takers.iter().map(|taker| taker.pod.as_str()).collect();
        let takers: Vec<&str> = takers.into_iter().collect();
        let takers = words::list(&takers, extent.named(NAMED));
        vec![pod.pod.full_name().into(), pod.node.as_str().into(), takers.into()]
    });
    let rows: Vec<Vec<Span>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    page.gap();
    page.heading("Victims on other candidate nodes");
    page.table(
        2,
        [Column::new("POD").pods(24), Column::new("NODE").nodes(14), Column::new("OF").prose(20)],
        rows,
    );
}

/// The result for a named preemptor: the nodes where it fits, then those where it preempts.
fn preemptor(page: &mut Page, declared: &DeclaredPreemptor, extent: Extent) {
    let name = format!("Preemptor {} (priority {}): ", declared.pod, declared.priority);
    page.line(0, vec![Span::new(name, Tone::Strong), declared.outcome.name().into()]);
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
    left_out(page, 2, nodes.len() - shown, "more node");
    page.gap();
}

fn all_at_once(row: &RiskRow) -> String {
    match &row.all_on {
        Some(node) if row.all_at_once => format!("yes, on {node}"),
        Some(_) | None => "no".to_owned(),
    }
}

fn budgets(row: &RiskRow, report: &RiskReport, extent: Extent) -> String {
    let mut budgets: Vec<String> = Vec::new();
    for budget in &row.budgets {
        budgets.push(format!("{} (allows {})", budget.name, budget.allowed));
    }
    if budgets.is_empty() {
        return if report.budgets_unread { words::UNKNOWN } else { "-" }.to_owned();
    }
    words::list(&budgets, extent.named(NAMED))
}

/// Everything of a higher priority, if that is more than the system classes.
fn preemptors(row: &RiskRow) -> String {
    match row.lowest_preemptor {
        None => "-".to_owned(),
        Some(lowest) if lowest >= SYSTEM_CLASSES[0].1 => "only system classes".to_owned(),
        Some(_) => format!("anything above {}", row.priority),
    }
}

/// `54 running pods: 14 evicted now, 4 on another candidate node, 36 exposed, 0 safe`.
fn summary(report: &RiskReport) -> String {
    let ExposureCounts { running, evicted, elsewhere, exposed, safe } = report.risk.counts();
    let counts = [
        (evicted, "evicted now"),
        (elsewhere, "victims only on other candidate nodes"),
        (exposed, "exposed"),
        (safe, "safe"),
    ];
    let counts = counts.map(|(number, what)| format!("{} {what}", words::group_digits(number)));
    let counted = format!("{}: {}", words::count(running, "running pod"), counts.join(", "));
    let doubt = headline::doubt(report.risk.notes.iter());
    if doubt.is_empty() { counted } else { format!("{counted}.{doubt}") }
}
