//! The verdict in one sentence.

use super::words;
use engine::cluster::Cluster;
use engine::cluster::node::NodeIx;
use engine::decision::sampling::Likelihood;
use engine::decision::{CycleErrorKind, Decision, Outcome};
use engine::notes::{Note, Severity};
use engine::preemption::PreemptionReport;
use engine::profile::{Profile, VersionGap, VersionSource};

/// The most nodes of a tie that are named.
const NODES_NAMED: usize = 5;

/// The outcome for the pod as plain text that is not escaped yet, and whether it is certain.
#[must_use]
pub(crate) fn headline(decision: &Decision) -> String {
    outcome(decision) + &rules(decision.profile()) + &doubt(decision.notes.iter())
}

/// The sentence that follows a verdict by rules that are assumed, after a space; else empty.
#[must_use]
pub(crate) fn rules(profile: &Profile) -> String {
    assumed_rules(profile).map(|rules| format!(" Rules: {rules}.")).unwrap_or_default()
}

/// The version by whose rules was decided, and why by these, if it is assumed.
#[must_use]
pub fn assumed_rules(profile: &Profile) -> Option<String> {
    let why = match profile.version_gap.as_ref()? {
        VersionGap::NotInInput => "the input has no version".to_owned(),
        VersionGap::NotAnswered => "the server tells no version".to_owned(),
        VersionGap::NotKnown(said) => format!("version {said} is not known"),
    };
    let of = if profile.source == VersionSource::Kubelets { ", of the newest kubelet" } else { "" };
    Some(format!("{}{of} ({why})", profile.version))
}

/// The sentence that follows a verdict which notes of severity error may change, after a space; else empty.
pub(crate) fn doubt<'n>(notes: impl Iterator<Item = &'n Note>) -> String {
    let mut errors: Vec<&Note> = Vec::new();
    for note in notes.filter(|note| note.severity == Severity::Error) {
        if errors.iter().all(|known| !known.says_the_same(note)) {
            errors.push(note);
        }
    }
    match errors.len() {
        0 => String::new(),
        1 => " This is not certain: a note says why.".to_owned(),
        n => format!(" This is not certain: {} say why.", words::count(n, "note")),
    }
}

fn outcome(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let pod = cluster.pod(decision.pod);
    let name = cluster.pod_name(decision.pod);
    let none = match cluster.nodes.len() {
        1 => "does not fit on the only node".to_owned(),
        n => format!("fits on none of {}", words::count(n, "node")),
    };
    match &decision.outcome {
        Outcome::NotInQueue(_) => decision.why().unwrap_or_default(),
        Outcome::Error(error) => {
            let version = &decision.profile().version;
            match error.kind {
                CycleErrorKind::Crash => format!("kube-scheduler {version} crashes when it schedules pod {name}."),
                CycleErrorKind::CycleError => {
                    format!("The scheduling cycle of pod {name} (priority {}) ends with an error.", pod.priority)
                }
                CycleErrorKind::Timeout => {
                    format!("The scheduling cycle of pod {name} (priority {}) takes too long and ends.", pod.priority)
                }
            }
        }
        Outcome::Schedulable => fits(decision, &name),
        Outcome::Preempt => {
            format!("Pod {name} (priority {}) {none}; preemption {}.", pod.priority, evicts(decision))
        }
        Outcome::Unschedulable if cluster.nodes.is_empty() => {
            format!("Pod {name} cannot be scheduled: there are no nodes.")
        }
        Outcome::Unschedulable => {
            let why = match decision.preemption.as_ref() {
                Some(PreemptionReport { off: true, .. }) => preemption_off(decision),
                Some(PreemptionReport { ineligible: Some(_), .. }) => "it may not preempt".to_owned(),
                Some(_) => "preemption does not help".to_owned(),
                None => "preemption is not tried".to_owned(),
            };
            format!("Pod {name} (priority {}) {none}, and {why}.", pod.priority)
        }
    }
}

/// That the profile does not preempt.
pub(crate) fn preemption_off(decision: &Decision) -> String {
    format!("preemption is off in profile {}", decision.profile().scheduler_name)
}

/// What preemption does, after the word.
fn evicts(decision: &Decision) -> String {
    let cluster = decision.view.cluster;
    let victims = decision.selected.first().map_or_else(String::new, |node| match decision.victim_count(*node) {
        (fewest, most) if fewest == most => words::count(most, "pod"),
        (fewest, most) => format!("{fewest} to {}", words::count(most, "pod")),
    });
    match (&decision.odds, decision.selected.as_slice()) {
        (Some(odds), [node, ..]) => {
            let place = |likely: &str| format!("{likely}evicts {victims} on node {} for it", node_name(cluster, *node));
            sampled(odds.likelihood(), place, || "evicts pods".to_owned())
        }
        (_, [node]) => {
            let which = if decision.victims_are_open(*node) {
                ", and which ones depends on an order that the API does not show"
            } else {
                ""
            };
            format!("evicts {victims} on node {} for it{which}", node_name(cluster, *node))
        }
        (_, several) => format!("makes room on one of {}: {}", several.len(), node_names(cluster, several)),
    }
}

/// What a scheduler does that does not look at every node: `likely` with the most likely node, preceded by how likely that is, or
/// `anywhere` if that is not known.
pub(crate) fn sampled(
    likelihood: Likelihood,
    likely: impl FnOnce(&str) -> String,
    anywhere: impl FnOnce() -> String,
) -> String {
    let possible = words::count(likelihood.possible, "node");
    let Some(probability) = likelihood.probability else { return format!("{} on one of {possible}", anywhere()) };
    let percent = words::percent(probability);
    match (likelihood.complete, likelihood.possible) {
        (true, 1) => format!("{}, wherever kube-scheduler begins to look", likely("")),
        (true, _) => format!("{} ({percent}); {possible} are possible", likely("most likely ")),
        (false, _) => format!("{} (about {percent}); any of {possible} is possible", likely("most likely ")),
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
    if let Some(odds) = &decision.odds {
        let node = decision.selected.first().map(|node| node_name(cluster, *node)).unwrap_or_default();
        let goes = sampled(odds.likelihood(), |likely| format!("{likely}goes to {node}"), || "runs".to_owned());
        return format!("Pod {name} fits on {feasible} of {total}, and {goes}.");
    }
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
