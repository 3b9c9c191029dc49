//! Remedies that evict other pods: preemption with a higher class, and evicting named pods of the
//! same or a lower priority.

use super::super::OutcomeKind;
use super::trial::RemedyTrials;
use super::{Proposal, RemedyKind};
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::plugins;
use crate::preemption::by_index;
use crate::preemption::dry_run::{self, DryRun, DryRunContext};
use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::cluster::priority_class::SYSTEM_CLASSES;
use model::edits::{Edit, PreemptionPolicy, stays_when_drained};

/// The highest priority of a class that users create.
///
/// Upstream: `pkg/apis/scheduling/types.go` `HighestUserDefinablePriority` (1.37).
const HIGHEST: i64 = 1_000_000_000;
/// Maximum number of pods that are named.
const MOST_VICTIMS: usize = 12;
/// Trials reserved for other remedies while searching for the lowest class that helps.
const RESERVED: usize = 12;

/// The pods that would have to be evicted from a node.
struct VictimsOnNode {
    node: String,
    victims: Vec<PodIx>,
    /// How many budgets are violated.
    violations: usize,
    /// The highest of their priorities.
    highest: i32,
}

/// Proposals that evict pods, for a pod that does not preempt on its own.
pub(super) fn proposals(trials: &mut RemedyTrials, nodes: &[NodeIx]) -> Vec<Proposal> {
    let decision = trials.decision;
    let cluster = decision.view.cluster;
    let own = cluster.pod(decision.pod).priority;
    if decision.kind() != OutcomeKind::Unschedulable {
        return Vec::new();
    }
    let mut proposals = Vec::new();
    if cluster.template(cluster.pod(decision.pod)).never_preempts {
        let policy = Edit::PreemptionPolicy { policy: PreemptionPolicy::PreemptLowerPriority };
        proposals.push(Proposal {
            kind: RemedyKind::AllowPreemption,
            edits: vec![policy],
            node: None,
        });
    }
    let mut nodes = nodes.to_vec();
    nodes.retain(|node| decision.filters.node(*node).is_some_and(NodeVerdict::is_resolvable));
    if nodes.is_empty() {
        return proposals;
    }
    // With a priority one above its own, the pod could also preempt those of its own priority.
    let rooms = rooms(trials, &nodes, own.saturating_add(1));
    proposals.extend(evictions(&rooms, cluster, own));
    proposals.extend(lowest_class(trials, own));
    proposals
}

/// Dry runs on `nodes` with the given priority.
fn rooms(trials: &mut RemedyTrials, nodes: &[NodeIx], priority: i32) -> Vec<VictimsOnNode> {
    let (pod, now) = (trials.decision.pod, trials.decision.now);
    let rooms = trials.with(&[Edit::Priority { priority }], |view| {
        let cluster = view.cluster;
        let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
        let context = DryRunContext::new(view, now);
        let mut rooms: Vec<VictimsOnNode> = Vec::new();
        for node in nodes {
            if let DryRun::Candidate(candidate) =
                dry_run::run(&prepared, *node, &context, &by_index)
            {
                let victims: Vec<PodIx> =
                    candidate.victims.iter().map(|victim| victim.pod).collect();
                let priorities = victims.iter().map(|pod| cluster.pod(*pod).priority);
                rooms.push(VictimsOnNode {
                    node: cluster.node_name(*node).to_owned(),
                    highest: priorities.max().unwrap_or(i32::MIN),
                    violations: candidate.violations,
                    victims,
                });
            }
        }
        rooms
    });
    rooms.unwrap_or_default()
}

/// Evictions by name, never of a pod of higher priority: the least important pods, and as few as
/// possible.
fn evictions(rooms: &[VictimsOnNode], cluster: &Cluster, own: i32) -> Vec<Proposal> {
    // What a node gets back again makes no room, what is being deleted need not be evicted, and pods
    // of higher priority are never named.
    let mut rooms: Vec<&VictimsOnNode> = rooms.iter().collect();
    rooms.retain(|room| {
        (1..=MOST_VICTIMS).contains(&room.victims.len())
            && room.highest <= own
            && !room.victims.iter().any(|pod| {
                let pod = cluster.pod(*pod);
                stays_when_drained(pod, cluster) || pod.is_terminating()
            })
    });
    let least = rooms
        .iter()
        .min_by_key(|room| (room.highest, room.violations, room.victims.len(), &room.node));
    let fewest = rooms
        .iter()
        .min_by_key(|room| (room.victims.len(), room.violations, room.highest, &room.node));
    let mut chosen: Vec<&VictimsOnNode> = least.into_iter().chain(fewest).copied().collect();
    chosen.dedup_by(|a, b| a.node == b.node);
    chosen.into_iter().map(|room| eviction(room, cluster, own)).collect()
}

/// The eviction of a node's victims.
fn eviction(room: &VictimsOnNode, cluster: &Cluster, own: i32) -> Proposal {
    let kind =
        if room.highest < own { RemedyKind::EvictPods } else { RemedyKind::EvictEqualOrHigher };
    Proposal {
        kind,
        edits: room.victims.iter().map(|pod| remove(*pod, cluster)).collect(),
        node: Some(room.node.clone()),
    }
}

/// The lowest class above the pod's priority with which it preempts. System classes are not meant
/// for application pods, and a class whose pods do not preempt does not help.
fn lowest_class(trials: &mut RemedyTrials, own: i32) -> Option<Proposal> {
    let cluster = trials.decision.view.cluster;
    let mut classes: Vec<(i64, &str)> = Vec::new();
    for class in &cluster.priority_classes {
        let name = cluster.text(class.name);
        let is_of_system = SYSTEM_CLASSES.iter().any(|(system, _)| *system == name);
        if class.value > i64::from(own)
            && class.value <= HIGHEST
            && !class.never_preempts
            && !is_of_system
        {
            classes.push((class.value, name));
        }
    }
    classes.sort_unstable();
    classes.dedup_by_key(|(value, _)| *value);
    let edits = |name: &str| vec![Edit::PriorityClass { name: name.to_owned() }];

    // A higher priority may preempt everything that a lower one may, so the first class that helps
    // is found by binary search. Where that takes too many trials, a higher class is proposed
    // instead.
    let (mut low, mut high) = (0, classes.len());
    while low < high && trials.left > RESERVED {
        let middle = low.midpoint(high);
        let Some((_, name)) = classes.get(middle) else { break };
        let helps = trials.run(&edits(name), None);
        let outcome = helps.map(|tried| tried.outcome);
        if matches!(outcome, Some(OutcomeKind::Preempt | OutcomeKind::Schedulable)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let chosen = if low < high { classes.get(high).or(classes.last()) } else { classes.get(high) };
    let (_, name) = chosen?;
    Some(Proposal { kind: RemedyKind::RaisePriority, edits: edits(name), node: None })
}

/// The edit that removes a pod.
pub(super) fn remove(pod: PodIx, cluster: &Cluster) -> Edit {
    let pod = cluster.pod(pod);
    Edit::RemovePod {
        namespace: cluster.text(pod.namespace).to_owned(),
        name: pod.name.to_string(),
    }
}
