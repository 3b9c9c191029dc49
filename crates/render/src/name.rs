//! `-o name`: the objects of a decision, one `type/name` per line, for `xargs -L1 kubectl get`.

use std::collections::BTreeSet;

use super::escape::visible;
use super::facts::Facts;
use super::words;
use engine::cluster::pod::PodIx;
use engine::decision::{Certainty, Decision};

/// What the names of a decision do not say: that the choice is not certain.
#[must_use]
pub fn remark(decision: &Decision) -> Option<String> {
    let pod = decision.view.cluster.pod_name(decision.pod);
    let nodes = decision.odds.as_ref().map_or(decision.selected.len(), |odds| odds.possible);
    let what = if decision.preemption.is_some() { "evicts the pods of one of them" } else { "picks one of them" };
    match decision.certainty() {
        Certainty::Unsure => Some(format!("pod {pod}: this is not certain; see the notes in the text or with -o json")),
        Certainty::OneOf | Certainty::Sampled if nodes > 1 => {
            Some(format!("pod {pod}: {} are possible, and kube-scheduler {what}", words::count(nodes, "node")))
        }
        Certainty::OneOf => {
            Some(format!("pod {pod}: which pods are evicted depends on an order that the API does not show"))
        }
        Certainty::Certain | Certainty::Sampled => None,
    }
}

/// Whether a victim is in another namespace than the pod.
fn is_apart(facts: &Facts) -> bool {
    let namespace = |pod| facts.cluster().pod(pod).namespace;
    let mut victims = facts.winners().flat_map(|candidate| &candidate.victims);
    victims.any(|victim| namespace(victim.pod) != namespace(facts.decision.pod))
}

fn line(facts: &Facts, pod: PodIx, apart: bool) -> String {
    let cluster = facts.cluster();
    let pod = cluster.pod(pod);
    let namespace = if apart { format!(" -n {}", cluster.text(pod.namespace)) } else { String::new() };
    format!("pod/{}{namespace}", pod.name)
}

/// The victims on the nodes that the scheduler may pick, as kubectl writes names; the nodes, if there are no victims. Victims
/// outside of the pod's namespace make kubectl need the namespace of each: it follows as `-n NAMESPACE`. Without duplicates, in
/// the order of the decisions.
#[must_use]
pub fn lines(decisions: &[Facts]) -> String {
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    let apart = decisions.iter().any(is_apart);
    for facts in decisions {
        let mut lines: Vec<String> =
            facts.winners().flat_map(|c| &c.victims).map(|victim| line(facts, victim.pod, apart)).collect();
        if lines.is_empty() {
            lines = facts.decision.selected.iter().map(|node| format!("node/{}", facts.node(*node))).collect();
        }
        for line in lines.into_iter().filter(|line| seen.insert(line.clone())) {
            out.push_str(&visible(&line));
            out.push('\n');
        }
    }
    out
}
