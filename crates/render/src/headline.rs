//! The verdict in one sentence.

use super::words;
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::decision::{Decision, Outcome};
use engine::preemption::PreemptionReport;

/// The most nodes of a tie that are named.
const NODES_NAMED: usize = 5;

/// The outcome for the pod as plain text that is not escaped yet.
#[must_use]
pub(crate) fn headline(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let name = cluster.pod_name(decision.pod);
    let none = match cluster.nodes.len() {
        1 => "does not fit on the only node".to_owned(),
        n => format!("fits on none of {}", words::count(n, "node")),
    };
    match decision.outcome {
        Outcome::NotInQueue => decision.why.clone().unwrap_or_default(),
        Outcome::Schedulable => fits(decision, &name),
        Outcome::Preempt => {
            let winner = decision.preemption.as_ref().and_then(PreemptionReport::winner);
            let victims = words::count(winner.map_or(0, |c| c.victims.len()), "pod");
            let makes = match decision.selected.as_slice() {
                [node] => format!("evicts {victims} on node {} for it", node_name(cluster, *node)),
                several => format!("makes room on one of {}: {}", several.len(), node_names(cluster, several)),
            };
            format!("Pod {name} (priority {}) {none}; preemption {makes}.", pod.priority)
        }
        Outcome::Unschedulable if cluster.nodes.is_empty() => {
            format!("Pod {name} cannot be scheduled: there are no nodes.")
        }
        Outcome::Unschedulable => {
            let why = match decision.preemption.as_ref() {
                Some(PreemptionReport { ineligible: Some(_), .. }) => "it may not preempt",
                Some(_) => "no eviction would help",
                None => "preemption is not tried",
            };
            format!("Pod {name} (priority {}) {none}, and {why}.", pod.priority)
        }
    }
}

fn fits(decision: &Decision, name: &str) -> String {
    let cluster = decision.view.cluster;
    let total = match cluster.nodes.len() {
        1 => "one node".to_owned(),
        n => words::count(n, "node"),
    };
    let feasible = decision.feasible().count();
    let nominated = cluster.pod(decision.pod).nominated_node;
    match decision.selected.as_slice() {
        [node] if feasible == 1 => {
            format!("Pod {name} fits on one of {total}, {}, and goes there.", node_name(cluster, *node))
        }
        [node] if cluster.node(*node).name == nominated => {
            let node = node_name(cluster, *node);
            format!("Pod {name} goes to {node}, which it is nominated to (it fits on {feasible} of {total}).")
        }
        [node] => {
            let node = node_name(cluster, *node);
            format!("Pod {name} fits on {feasible} of {total}, and goes to {node}, which scores highest.")
        }
        several => {
            let nodes = node_names(cluster, several);
            format!("Pod {name} fits on {feasible} of {total}; the highest score is shared by {nodes}.")
        }
    }
}

fn node_name(cluster: &Cluster, node: NodeIx) -> &str {
    cluster.text(cluster.node(node).name)
}

fn node_names(cluster: &Cluster, nodes: &[NodeIx]) -> String {
    let names: Vec<&str> = nodes.iter().map(|node| node_name(cluster, *node)).collect();
    words::list(&names, NODES_NAMED)
}
