//! What makes the result of preemption uncertain: orders that the API does not show, and budgets
//! that were not read.

use super::PreemptionReport;
use super::dry_run::DryRun;
use crate::framework::cluster_view::ClusterView;
use crate::framework::doubts::Reliance;
use model::cluster::{Kind, NodeIx};
use model::notes::{Note, NoteDoc, Severity};

/// Maximum number of nodes that are reported.
const TIES_NAMED: usize = 3;

pub(crate) static BUDGET_ORDER: NoteDoc = NoteDoc {
    code: "PRE-941",
    name: "the order of budgets",
    meaning: "Pods match several PodDisruptionBudgets, which kube-scheduler walks in random order: the victims depend on it.",
};
static BUDGET_ORDERS: NoteDoc = NoteDoc {
    code: "PRE-942",
    name: "too many orders of budgets",
    meaning: "Pods match too many PodDisruptionBudgets to try every order of them: other nodes may win.",
};
static TIE: NoteDoc = NoteDoc {
    code: "PRE-943",
    name: "equally important pods",
    meaning: "Pods have the same priority and start time: which of them are evicted depends on an order that is not in the API.",
};

static DOMAIN_ORDER: NoteDoc = NoteDoc {
    code: "PRE-944",
    name: "topology domains with as few pods",
    meaning: "Several topology domains have the fewest matching pods. While pods of several nodes come and go, kube-scheduler keeps track \
              of any two of them: the victims may depend on which.",
};

/// What notes about preemption mean.
pub static DOCS: &[&NoteDoc] = &[&BUDGET_ORDER, &BUDGET_ORDERS, &TIE, &DOMAIN_ORDER];

/// The victims may depend on which of the topology domains with the fewest pods the scheduler
/// tracks.
pub(crate) fn domain_order() -> Note {
    let text = "several topology domains have as few matching pods, and kube-scheduler keeps track of any two of them: other pods \
                than those shown may be evicted";
    Note::error(&DOMAIN_ORDER, text)
}

/// What makes `report` uncertain if the pod may be nominated to the nodes `selected`.
pub fn doubts(report: &PreemptionReport, selected: &[NodeIx], view: &ClusterView) -> Vec<Note> {
    let mut notes = Vec::new();
    budget_orders(report, view, &mut notes);
    victim_orders(report, selected, view, &mut notes);
    notes.extend(report.dry_runs.values().any(DryRun::domains_tie).then(domain_order));
    notes
}

/// How the result depends on a kind of object; `None` if it does not.
pub fn relies_on(kind: Kind, report: Option<&PreemptionReport>) -> Option<Reliance> {
    let effect = "budgets may protect these victims, or make another node win";
    (kind == Kind::PodDisruptionBudget
        && report.is_some_and(|report| report.candidates().next().is_some()))
    .then_some(Reliance::partial(Severity::Error, effect))
}

fn budget_orders(report: &PreemptionReport, view: &ClusterView, notes: &mut Vec<Note>) {
    let (cluster, orders) = (view.cluster, &report.budget_orders);
    let about = |note: Note| {
        let budgets = orders.involved.iter();
        budgets.fold(note, |note, budget| note.about(cluster.budget_subject(*budget)))
    };
    if !orders.victims.is_empty() {
        let nodes: Vec<&str> = orders.victims.keys().map(|n| cluster.node_name(*n)).collect();
        let text = format!(
            "pods match several of them, and the order in which the scheduler walks them is random: victims on {} may \
             differ from those shown",
            nodes.join(", ")
        );
        notes.push(about(Note::warning(&BUDGET_ORDER, text)));
    }
    if orders.incomplete {
        let text = "there are too many orders of these budgets to try each; other nodes may win";
        notes.push(about(Note::warning(&BUDGET_ORDERS, text)));
    }
}

fn victim_orders(
    report: &PreemptionReport,
    nodes: &[NodeIx],
    view: &ClusterView,
    notes: &mut Vec<Note>,
) {
    let cluster = view.cluster;
    if report.victim_orders_incomplete {
        let may = if report.candidates().nth(1).is_some() {
            "other nodes may win"
        } else {
            "other pods may be evicted"
        };
        let text =
            format!("there are too many orders of equally important pods to try each: {may}");
        notes.push(Note::warning(&TIE, text));
    }
    let choices = nodes.iter().filter_map(|node| Some((*node, report.victim_choices.get(node)?)));
    for (node, choices) in choices.take(TIES_NAMED) {
        let tried = choices.on_any_winner();
        if tried.open().is_empty() {
            if !choices.may_lose() {
                continue;
            }
            let node = cluster.node_name(node);
            let text = format!(
                "the API does not show in which order kube-scheduler tries equally important pods on {node}; in some orders \
                 evictions there violate a budget, and it picks another node"
            );
            notes.push(Note::info(&TIE, text));
            continue;
        }
        let (open, count) = (tried.open(), choices.count().less(tried.always().len()));
        let unless = if choices.complete { "" } else { " in the orders that were tried" };
        let or = if choices.may_lose() { ", or picks another node" } else { "" };
        let text = format!(
            "{} pods on {} are equal in priority and age: kube-scheduler evicts {count} of them{unless}, in an order that the \
             API does not show{or}",
            open.len(),
            cluster.node_name(node)
        );
        notes.push(
            open.iter()
                .fold(Note::info(&TIE, text), |note, pod| note.about(cluster.pod_subject(*pod))),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ends, decide, node, objects, pod, without};

    #[test]
    fn budgets_matter_where_pods_would_be_evicted() {
        let full = || objects![node("n").cpu("1"), pod("low").cpu("1").on("n")];
        for (objects, expected) in [
            ([full(), objects![pod("p").cpu("1").priority(9)]].concat(), "error"),
            ([full(), objects![pod("p").cpu("1")]].concat(), "info"),
            ([full(), objects![pod("p").cpu("9").priority(9)]].concat(), "info"),
            (objects![node("n"), pod("p")], "info"),
        ] {
            assert_eq!(without("1.37", "poddisruptionbudgets", objects), expected);
        }
    }

    #[test]
    fn other_nodes_may_win_only_where_there_are_several() {
        let text = |others: Vec<serde_json::Value>| {
            let mut objects =
                [objects![node("n").cpu("12"), pod("p").cpu("1100m").priority(9)], others].concat();
            let victim =
                |at: u32| pod(&format!("v-{at}")).cpu(&format!("{}m", 300 + 30 * at)).on("n");
            objects.extend((0..20).map(|at| victim(at).started("2025-06-01T00:00:00Z").into()));
            let notes = decide(objects, "p").notes();
            let about = |note: &&String| note.contains("too many orders");
            notes.iter().find(about).unwrap_or_else(|| panic!("{notes:?}")).clone()
        };
        let alone = text(Vec::new());
        assert_ends(&alone, "equally important pods to try each: other pods may be evicted");
        let two = text(objects![node("m").cpu("1200m"), pod("w").cpu("1200m").on("m")]);
        assert_ends(&two, "equally important pods to try each: other nodes may win");
    }
}
