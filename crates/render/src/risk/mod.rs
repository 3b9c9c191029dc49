//! Which running pods can be preempted, as text, HTML and metrics.

mod html;
mod metrics;

use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::risk::preemptors::Preemptor;
use engine::risk::{Declared, Exposure, OnNode, Risk, Taker, WorkloadRisk};

pub use html::page as html;
pub use metrics::text as metrics;

use crate::notes;
use crate::origin::Origin;
use crate::page::{Column, Page, Span, Tone};
use crate::words;

/// The most names in a cell or sentence.
const NAMED: usize = 3;

/// The page: the summary, what it is based on, what named preemptors find, a row per workload, and the victims.
#[must_use]
pub fn page(risk: &Risk, cluster: &Cluster, origin: &Origin, rules: &str) -> Page {
    let mut page = Page::default();
    page.line(0, vec![Span::new(summary(risk), Tone::Strong)]);
    page.line(0, vec![Span::new(origin.line(rules), Tone::Quiet)]);
    for declared in &risk.declared {
        preemptor(&mut page, declared, cluster);
    }
    table(&mut page, risk, cluster);
    victims(&mut page, risk, cluster);
    if risk.workloads.iter().any(|workload| !workload.budgets.is_empty()) {
        page.gap();
        page.line(0, vec![BUDGETS.into()]);
    }
    notes::add(&mut page, &risk.notes, false);
    page
}

const BUDGETS: &str = "A PodDisruptionBudget does not hold a preemption: kube-scheduler prefers victims without a violation, and \
                       violates a budget if nothing else makes room.";

fn table(page: &mut Page, risk: &Risk, cluster: &Cluster) {
    if risk.workloads.is_empty() {
        return;
    }
    let by = risk.declared.is_empty();
    let row = |workload: &WorkloadRisk| {
        let tone = match workload.exposure() {
            Exposure::Safe => Tone::Good,
            Exposure::Exposed => Tone::Plain,
            Exposure::Victim => Tone::Bad,
        };
        let mut row: Vec<Span> = vec![
            name(workload).into(),
            workload.pods.len().to_string().into(),
            workload.priority.to_string().into(),
            Span::new(exposure(workload), tone),
            all_at_once(workload, cluster).into(),
            budgets(workload, cluster).into(),
        ];
        if by {
            row.push(preemptors(workload).into());
        }
        row
    };
    let mut columns = vec![
        Column::new("WORKLOAD").names(40),
        Column::new("PODS"),
        Column::new("PRIORITY"),
        Column::new("EXPOSURE"),
        Column::new("ALL AT ONCE"),
        Column::new("BUDGETS").prose(12),
    ];
    if by {
        columns.push(Column::new("PREEMPTED BY").prose(16));
    }
    page.table(0, columns, risk.workloads.iter().map(row).collect());
}

/// Which pods have which running pods among their victims.
fn victims(page: &mut Page, risk: &Risk, cluster: &Cluster) {
    let pods = risk.workloads.iter().flat_map(|workload| &workload.pods).filter(|pod| !pod.takers.is_empty());
    let mut rows = Vec::new();
    for pod in pods {
        let facts = cluster.pod(pod.pod);
        let takers: Vec<String> = pod.takers.iter().map(|taker| taken_by(*taker, cluster)).collect();
        let cells = [cluster.pod_name(pod.pod), cluster.text(facts.node_name).to_owned(), words::list(&takers, NAMED)];
        rows.push(cells.map(Span::from).to_vec());
    }
    if rows.is_empty() {
        return;
    }
    page.gap();
    page.heading("Victims now");
    page.table(2, [Column::new("POD").names(40), Column::new("NODE"), Column::new("OF").prose(24)], rows);
}

/// What a named preemptor finds.
fn preemptor(page: &mut Page, declared: &Declared, cluster: &Cluster) {
    let pod = cluster.pod(declared.pod);
    let name = format!("Preemptor {} (priority {}): ", cluster.pod_name(declared.pod), pod.priority);
    page.line(0, vec![Span::new(name, Tone::Strong), declared.outcome.name().into()]);
    let rows = declared.nodes.iter().map(|(node, found)| {
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
        Column::new("NODE").names(40),
        Column::new("RESULT"),
        Column::new("SELECTED"),
        Column::new("VICTIMS").prose(24),
    ];
    page.table(2, columns, rows.collect());
    page.gap();
}

fn name(workload: &WorkloadRisk) -> String {
    let owner = &workload.workload;
    format!("{} {}/{}", owner.kind, owner.namespace, owner.name)
}

pub(crate) fn node_name(node: NodeIx, cluster: &Cluster) -> String {
    cluster.text(cluster.node(node).name).to_owned()
}

fn exposure(workload: &WorkloadRisk) -> String {
    let worst = workload.exposure();
    let name = worst.name().to_lowercase();
    let (count, all) = (workload.count(worst), workload.pods.len());
    if count == all { name } else { format!("{name} ({count} of {all})") }
}

fn all_at_once(workload: &WorkloadRisk, cluster: &Cluster) -> String {
    match workload.all_on {
        Some(node) if workload.can_go_at_once() => format!("yes, on {}", node_name(node, cluster)),
        Some(_) | None => "no".to_owned(),
    }
}

fn budgets(workload: &WorkloadRisk, cluster: &Cluster) -> String {
    let budget = |ix: &engine::cluster::budget::BudgetIx| {
        let budget = cluster.budget(*ix);
        format!("{} (allows {})", budget.name, budget.allowed)
    };
    let budgets: Vec<String> = workload.budgets.iter().map(budget).collect();
    if budgets.is_empty() { "-".to_owned() } else { words::list(&budgets, NAMED) }
}

/// The lowest priorities first: these are the pods that preempt it soonest.
fn preemptors(workload: &WorkloadRisk) -> String {
    let names: Vec<String> = workload.preemptors.iter().rev().map(|(value, by)| preempted_by(*value, by)).collect();
    if names.is_empty() { "-".to_owned() } else { words::list(&names, NAMED) }
}

fn preempted_by(value: i64, preemptor: &Preemptor) -> String {
    match preemptor {
        Preemptor::Class(name) => format!("{name} ({value})"),
        Preemptor::Pods(pods) => format!("{} of priority {value}", words::count(*pods, "pod")),
    }
}

fn taken_by(taker: Taker, cluster: &Cluster) -> String {
    let name = cluster.pod_name(taker.pod);
    if taker.chosen {
        format!("{name} (this node is selected)")
    } else {
        format!("{name} (another node may be selected)")
    }
}

fn summary(risk: &Risk) -> String {
    let count = |exposure: Exposure| risk.workloads.iter().map(|workload| workload.count(exposure)).sum::<usize>();
    let counts = Exposure::ALL.map(|exposure| format!("{} {}", count(exposure), exposure.name().to_lowercase()));
    format!("Running pods: {}", counts.join(", "))
}
