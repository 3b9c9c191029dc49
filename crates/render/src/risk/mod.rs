//! Which running pods can be preempted, as text, HTML and metrics.

mod html;
mod metrics;
mod rows;

use std::collections::BTreeSet;

use engine::cluster::eviction_guard::EvictionGuard;
use engine::cluster::priority_class::SYSTEM_CLASSES;
use engine::cluster::{BudgetIx, Cluster, NodeIx};
use engine::risk::{DeclaredPreemptor, Exposure, OnNode, PodRisk, Risk};
use engine::simulation::plan::PreemptorId;
use rows::RiskRow;
pub use rows::RowOrder;

pub use html::page as html;
pub use metrics::text as metrics;

use crate::notes;
use crate::page::{Column, Page, Span, Tone};
use answers::extent::{ALL_SHOWS_IT, Extent};
use answers::headline;
use answers::origin::Origin;
use answers::words;

/// Maximum number of names in a cell or sentence.
const NAMED: usize = 3;

/// The page: the summary, what it is based on, the results for named preemptors, a row per
/// workload, and the victims.
pub fn page(
    risk: &Risk,
    cluster: &Cluster,
    origin: &Origin,
    rules: &str,
    extent: Extent,
    order: RowOrder,
) -> Page {
    let mut page = Page::default();
    page.line(0, vec![Span::new(summary(risk), Tone::Strong)]);
    page.line(0, vec![Span::new(origin.line(rules), Tone::Quiet)]);
    for declared in &risk.declared {
        preemptor(&mut page, declared, cluster, extent);
    }
    let rows = rows::of(risk, order, extent);
    table(&mut page, &rows, risk.declared.is_empty(), cluster, extent);
    evicted(&mut page, risk, cluster, extent);
    if extent.is_all() {
        other_candidates(&mut page, risk, cluster, extent);
    }
    if rows.iter().any(|row| !row.budgets.is_empty()) {
        page.gap();
        page.line(0, vec![BUDGETS.into()]);
    }
    if let Some(text) = unprotected(risk, cluster, extent) {
        page.gap();
        page.line(0, vec![text.into()]);
    }
    notes::add(&mut page, &risk.notes, extent.is_whole());
    page
}

/// That pods which can be preempted have annotations that seem to protect them.
fn unprotected(risk: &Risk, cluster: &Cluster, extent: Extent) -> Option<String> {
    let pods = risk.workloads.iter().flat_map(|workload| &workload.pods);
    let mut annotations: BTreeSet<EvictionGuard> = BTreeSet::new();
    let mut guarded = 0;
    for risk in pods.filter(|risk| risk.exposure != Exposure::Safe) {
        let guards = cluster.eviction_guards(cluster.pod(risk.pod));
        guarded += usize::from(!guards.is_empty());
        annotations.extend(guards);
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

fn table(page: &mut Page, rows: &[RiskRow], by_any_class: bool, cluster: &Cluster, extent: Extent) {
    if rows.is_empty() {
        return;
    }
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
            all_at_once(row, cluster).into(),
            budgets(row, cluster, extent).into(),
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
fn evicted(page: &mut Page, risk: &Risk, cluster: &Cluster, extent: Extent) {
    let pods = risk.workloads.iter().flat_map(|workload| &workload.pods);
    let evicted: Vec<(&PodRisk, &PreemptorId)> =
        pods.filter_map(|pod| Some((pod, pod.evicted_by.as_ref()?))).collect();
    if evicted.is_empty() {
        return;
    }
    let shown = extent.shown(evicted.len());
    let rows = evicted.iter().take(shown).map(|(pod, by)| {
        let node = cluster.text(cluster.pod(pod.pod).node_name);
        vec![cluster.pod_name(pod.pod).into(), node.into(), by.full_name().into()]
    });
    page.gap();
    page.heading(if risk.declared.is_empty() {
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
fn other_candidates(page: &mut Page, risk: &Risk, cluster: &Cluster, extent: Extent) {
    let pods = risk.workloads.iter().flat_map(|workload| &workload.pods);
    let others = pods.filter(|pod| pod.evicted_by.is_none() && !pod.takers.is_empty());
    let rows = others.map(|pod| {
        let takers: BTreeSet<String> =
            pod.takers.iter().map(|taker| cluster.pod_name(taker.pod)).collect();
        let takers: Vec<String> = takers.into_iter().collect();
        let node = cluster.text(cluster.pod(pod.pod).node_name);
        let takers = words::list(&takers, extent.named(NAMED));
        vec![cluster.pod_name(pod.pod).into(), node.into(), takers.into()]
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
fn preemptor(page: &mut Page, declared: &DeclaredPreemptor, cluster: &Cluster, extent: Extent) {
    let pod = cluster.pod(declared.pod);
    let name =
        format!("Preemptor {} (priority {}): ", cluster.pod_name(declared.pod), pod.priority);
    page.line(0, vec![Span::new(name, Tone::Strong), declared.outcome.name().into()]);
    let mut nodes: Vec<&(NodeIx, OnNode)> = declared.nodes.iter().collect();
    nodes.sort_by_key(|(node, found)| {
        let found = match found {
            OnNode::Fits => 0,
            OnNode::Preempts(_) => 1,
            OnNode::Cannot => 2,
        };
        (!declared.selected.contains(node), found)
    });
    let shown = extent.shown(nodes.len());
    let rows = nodes.iter().take(shown).map(|(node, found)| {
        let (found, victims) = match found {
            OnNode::Fits => (Span::new("fits", Tone::Good), "-".to_owned()),
            OnNode::Preempts(pods) => {
                let names: Vec<String> = pods.iter().map(|pod| cluster.pod_name(*pod)).collect();
                (Span::new("preempts", Tone::Bad), names.join(", "))
            }
            OnNode::Cannot => (Span::new("cannot preempt", Tone::Quiet), "-".to_owned()),
        };
        let chosen = if declared.selected.contains(node) { "yes" } else { "" };
        vec![node_name(*node, cluster).into(), found, chosen.into(), victims.into()]
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

pub(crate) fn node_name(node: NodeIx, cluster: &Cluster) -> String {
    cluster.text(cluster.node(node).name).to_owned()
}

fn all_at_once(row: &RiskRow, cluster: &Cluster) -> String {
    match row.all_on {
        Some(node) if row.all_at_once => format!("yes, on {}", node_name(node, cluster)),
        Some(_) | None => "no".to_owned(),
    }
}

fn budgets(row: &RiskRow, cluster: &Cluster, extent: Extent) -> String {
    let budget = |ix: &BudgetIx| {
        let budget = cluster.budget(*ix);
        format!("{} (allows {})", budget.name, budget.allowed)
    };
    let budgets: Vec<String> = row.budgets.iter().map(budget).collect();
    if budgets.is_empty() {
        return words::no_budget(cluster).to_owned();
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
fn summary(risk: &Risk) -> String {
    let count = |exposure: Exposure| {
        risk.workloads.iter().map(|workload| workload.count(exposure)).sum::<usize>()
    };
    let running: usize = risk.workloads.iter().map(|workload| workload.pods.len()).sum();
    let counts = [
        (count(Exposure::Victim), "evicted now"),
        (count(Exposure::Candidate), "victims only on other candidate nodes"),
        (count(Exposure::Exposed), "exposed"),
        (count(Exposure::Safe), "safe"),
    ];
    let counts = counts.map(|(number, what)| format!("{} {what}", words::group_digits(number)));
    let counted = format!("{}: {}", words::count(running, "running pod"), counts.join(", "));
    let doubt = headline::doubt(risk.notes.iter());
    if doubt.is_empty() { counted } else { format!("{counted}.{doubt}") }
}
