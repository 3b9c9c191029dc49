//! Which pods would have to go: the dry run of preemption with the highest priority that a user can give.

use super::super::OutcomeKind;
use super::trial::Trials;
use super::{Proposal, RemedyKind};
use crate::framework::cycle::{NodeVerdict, PreparedCycle};
use crate::framework::status::Code;
use crate::plugins;
use crate::preemption::dry_run::{self, DryRun, DryRunContext};
use model::cluster::Cluster;
use model::cluster::node::NodeIx;
use model::cluster::pod::{Pod, PodIx};
use model::edits::{Edit, PreemptionPolicy, stays_when_drained};

/// The highest priority of a class that users create.
///
/// Upstream: `pkg/apis/scheduling/types.go` `HighestUserDefinablePriority` (1.37).
const HIGHEST: i32 = 1_000_000_000;
/// The most pods that are named.
const MOST_VICTIMS: usize = 12;
/// Trials that stay for other remedies while the smallest priority is searched.
const RESERVED: usize = 12;

/// The pods that would have to go from a node.
struct Room {
    /// The node.
    node: String,
    victims: Vec<PodIx>,
    /// How many budgets are violated.
    violations: usize,
    /// The highest of their priorities.
    highest: i32,
}

/// Proposals that cost pods their place, of a pod that does not preempt as it is.
pub(super) fn proposals(trials: &mut Trials, nodes: &[NodeIx]) -> Vec<Proposal> {
    let decision = trials.decision;
    let cluster = decision.view.cluster;
    let own = cluster.pod(decision.pod).priority;
    if decision.kind() != OutcomeKind::Unschedulable {
        return Vec::new();
    }
    let mut found = Vec::new();
    let never = cluster.template(cluster.pod(decision.pod)).never_preempts;
    let policy = never.then_some(Edit::PreemptionPolicy { policy: PreemptionPolicy::PreemptLowerPriority });
    if let Some(policy) = &policy {
        found.push(Proposal { kind: RemedyKind::AllowPreemption, edits: vec![policy.clone()], node: None });
    }
    let helps = |node: &NodeIx| {
        let verdict = decision.filters.node(*node);
        matches!(verdict, Some(NodeVerdict::Filtered { rejection, .. }) if rejection.code == Code::Unschedulable)
    };
    let nodes: Vec<NodeIx> = nodes.iter().copied().filter(helps).collect();
    if nodes.is_empty() {
        return found;
    }
    let rooms = rooms(trials, &nodes, own.max(HIGHEST));
    found.extend(evictions(&rooms, cluster, own));
    let need = rooms.iter().map(|room| room.highest.saturating_add(1)).min();
    if let Some(need) = need.filter(|need| (own.saturating_add(1)..=HIGHEST).contains(need)) {
        let edits = |priority| policy.iter().cloned().chain([Edit::Priority { priority }]).collect::<Vec<_>>();
        let smallest = smallest(trials, own, need, &edits);
        found.push(Proposal { kind: RemedyKind::RaisePriority, edits: edits(smallest), node: None });
    }
    found
}

/// The dry runs of `nodes` with the priority `highest`.
fn rooms(trials: &mut Trials, nodes: &[NodeIx], highest: i32) -> Vec<Room> {
    let (pod, now) = (trials.decision.pod, trials.decision.now);
    let found = trials.with(&[Edit::Priority { priority: highest }], |view| {
        let cluster = view.cluster;
        let prepared = PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins));
        let context = DryRunContext::new(view, now);
        let room = |node: &NodeIx| match dry_run::run(&prepared, *node, &context, &|budget| budget.0 as usize) {
            DryRun::Candidate(candidate) => Some(Room {
                node: cluster.text(cluster.node(*node).name).to_owned(),
                highest: candidate.victims.iter().map(|v| cluster.pod(v.pod).priority).max().unwrap_or(i32::MIN),
                violations: candidate.violations,
                victims: candidate.victims.iter().map(|victim| victim.pod).collect(),
            }),
            DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
        };
        nodes.iter().filter_map(room).collect::<Vec<Room>>()
    });
    found.unwrap_or_default()
}

/// Evictions by name: those of the least important pods, and the fewest.
fn evictions(rooms: &[Room], cluster: &Cluster, own: i32) -> Vec<Proposal> {
    let comes_back = |pod: &PodIx| stays_when_drained(cluster.pod(*pod), cluster);
    let lasts = |room: &&Room| !room.victims.is_empty() && !room.victims.iter().any(comes_back);
    let rooms: Vec<&Room> = rooms.iter().filter(lasts).filter(|room| room.victims.len() <= MOST_VICTIMS).collect();
    let least = rooms.iter().min_by_key(|room| (room.highest, room.violations, room.victims.len(), &room.node));
    let fewest = rooms.iter().min_by_key(|room| (room.victims.len(), room.violations, room.highest, &room.node));
    let mut chosen: Vec<&Room> = least.into_iter().copied().collect();
    chosen.extend(fewest.into_iter().copied().filter(|room| least.is_none_or(|least| least.node != room.node)));
    let proposal = |room: &Room| Proposal {
        kind: if room.highest < own { RemedyKind::EvictPods } else { RemedyKind::EvictEqualOrHigher },
        edits: room.victims.iter().map(|pod| remove(*pod, cluster)).collect(),
        node: Some(room.node.clone()),
    };
    chosen.into_iter().map(proposal).collect()
}

/// The smallest priority between `own` and `enough` that helps, of those that make a difference. Where it takes too many
/// trials to tell, `enough`.
fn smallest(trials: &mut Trials, own: i32, enough: i32, edits: &dyn Fn(i32) -> Vec<Edit>) -> i32 {
    let cluster = trials.decision.view.cluster;
    let range = own.saturating_add(1)..enough;
    let above = |pod: &Pod| pod.priority.saturating_add(1);
    let mut steps: Vec<i32> =
        cluster.pods.iter().filter(|pod| pod.is_active()).map(above).filter(|step| range.contains(step)).collect();
    steps.sort_unstable();
    steps.dedup();
    let (mut low, mut high) = (0, steps.len());
    while low < high && trials.left > RESERVED {
        let middle = low.midpoint(high);
        let Some(priority) = steps.get(middle).copied() else { break };
        let helps = trials.run(&edits(priority), None);
        if helps.is_some_and(|tried| matches!(tried.outcome, OutcomeKind::Preempt | OutcomeKind::Schedulable)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if low < high { enough } else { steps.get(high).copied().unwrap_or(enough) }
}

/// The edit that removes a pod.
pub(super) fn remove(pod: PodIx, cluster: &Cluster) -> Edit {
    let pod = cluster.pod(pod);
    Edit::RemovePod { namespace: cluster.text(pod.namespace).to_owned(), name: pod.name.to_string() }
}
