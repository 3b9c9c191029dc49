//! The changes with which the most of many waiting pods fit, and how many new nodes would place all
//! of them.
//!
//! The pods are placed in the order of the queue, each together with the earlier ones and without
//! evictions, on the cluster as it is and after each change in question.

use std::collections::BTreeSet;

use super::SuggestSettings;
use super::nodes::{self, NewNode};
use crate::plan::PodId;
use crate::sequence::queue_order;
use crate::sequence::unknown_reason;
use model::cluster::symbols::PoolIx;
use model::cluster::{Cluster, PodIx, Sym};
use model::edits::{self, Edit, PreemptionPolicy};
use model::notes::{self, Note, Severity};
use scheduler::decision::decide;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::groups::cycle::assume_and_reserve;

/// The budget for placing all pods once, in pods of the cluster; a node counts as ten.
const WORK: usize = 6_000_000;
/// Minimum and maximum number of pods that are placed.
const PODS: (usize, usize) = (10, 500);
/// Maximum number of cordoned nodes that are tried.
const MOST_UNCORDONED: usize = 12;
/// Maximum number of actions that are kept.
const MOST_ACTIONS: usize = 5;
/// Maximum number of kinds of nodes for which the number needed is computed.
const MOST_KINDS: usize = 4;
/// Maximum number of nodes that are added.
const MOST_NODES: usize = 64;

/// What helps many pods.
#[derive(Debug, Clone, Default)]
pub struct ForMany {
    /// How many pods are waiting.
    pub pods: usize,
    /// The pods that fit without a change, in the order of the queue.
    pub fit_now: Vec<PodId>,
    /// The pods that do not fit without a change.
    pub left: Vec<PodId>,
    /// Single actions, the one with which the most pods fit first.
    pub actions: Vec<SharedChange>,
    /// How many nodes of each kind are needed, the fewest first.
    pub nodes: Vec<NodesNeeded>,
    /// How many cordoned nodes are not tried, because there are many.
    pub cordoned_not_tried: usize,
    /// How many pods are not considered, because the steps are used up, or nothing is known about
    /// them alone.
    pub not_tried: usize,
    /// How many of those belong to groups, whose pods are placed together.
    pub of_groups: usize,
    /// What makes the answer less than certain.
    pub notes: Vec<Note>,
}

/// A change and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedChange {
    pub edit: Edit,
    /// The pods that fit because of it.
    pub lets_in: Vec<PodId>,
}

/// How many nodes of a kind place how many pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodesNeeded {
    /// The kind.
    pub node: NewNode,
    /// How many.
    pub number: usize,
    /// How many of the remaining pods they place.
    pub places: usize,
    /// How many they do not place: those need something else, or more nodes than are tried.
    pub remain: usize,
    /// Whether more nodes might place more: so many are tried, and no more.
    pub is_most: bool,
}

impl ForMany {
    /// Whether something that the answer depends on is unknown or was not tried.
    pub fn is_unsure(&self) -> bool {
        self.not_tried > 0 || self.notes.iter().any(|note| note.severity == Severity::Error)
    }
}

/// Looks for changes that help the waiting `pods` of the profile's scheduler.
pub fn for_many(cluster: &Cluster, pods: &[PodIx], settings: SuggestSettings) -> ForMany {
    let mut answer = ForMany { pods: pods.len(), ..ForMany::default() };
    let (fewest, most) = PODS;
    let size = cluster.pods.len() + 10 * cluster.nodes.len() + 1;
    let mut queue = queue_order(pods, cluster);
    let groups = settings.profile.features.pod_groups.pod_groups;
    if groups {
        let all = queue.len();
        queue.retain(|pod| cluster.named_group(*pod).is_none());
        answer.of_groups = all - queue.len();
    }
    queue.retain(|pod| unknown_reason(*pod, cluster).is_none());
    queue.truncate((WORK / size).clamp(fewest, most));
    answer.not_tried = pods.len() - queue.len();

    let base = Round::place(cluster, &queue, settings);
    for note in base.notes {
        notes::add(&mut answer.notes, note);
    }
    let id = |pod: &PodIx| PodId::of(cluster.pod(*pod), cluster);
    answer.fit_now = base.placed.iter().map(id).collect();
    answer.left = base.left.iter().map(id).collect();
    notes::sort(&mut answer.notes);
    if base.left.is_empty() {
        return answer;
    }

    let kinds = nodes::first_kinds(cluster);
    let cordoned = cluster.nodes.iter().filter(|node| node.unschedulable);
    answer.cordoned_not_tried = cordoned.clone().count().saturating_sub(MOST_UNCORDONED);
    let uncordon = cordoned
        .take(MOST_UNCORDONED)
        .map(|node| Edit::Uncordon { node: cluster.text(node.name).to_owned() });
    for edit in uncordon.chain(kinds.iter().map(NewNode::edit)) {
        let Some(round) = Round::after(cluster, &queue, std::slice::from_ref(&edit), settings)
        else {
            continue;
        };
        let before: BTreeSet<PodIx> = base.placed.iter().copied().collect();
        let lets_in: Vec<PodId> =
            round.placed.iter().filter(|pod| !before.contains(pod)).map(id).collect();
        if round.placed.len() > base.placed.len() {
            answer.actions.push(SharedChange { edit, lets_in });
        }
    }
    // Equal actions stay in the order in which they were tried: using what exists comes before what
    // costs money.
    answer.actions.sort_by_key(|action| std::cmp::Reverse(action.lets_in.len()));
    let helping: Vec<&NewNode> = kinds
        .iter()
        .filter(|kind| answer.actions.iter().any(|action| action.edit == kind.edit()))
        .take(MOST_KINDS)
        .collect();
    for kind in helping {
        answer.nodes.extend(needed(cluster, &queue, kind, base.placed.len(), settings));
    }
    answer.nodes.sort_by_key(|needed| (needed.remain, needed.number));
    answer.actions.truncate(MOST_ACTIONS);
    answer
}

/// How many nodes of a kind place as many pods as one node per pod would.
fn needed(
    cluster: &Cluster,
    queue: &[PodIx],
    kind: &NewNode,
    fit_now: usize,
    settings: SuggestSettings,
) -> Option<NodesNeeded> {
    let placed = |number: usize| {
        let edits = vec![kind.edit(); number];
        Round::after(cluster, queue, &edits, settings).map(|round| round.placed.len())
    };
    // With one node per remaining pod, the pods never compete for resources. From there, binary
    // search.
    let left = queue.len().saturating_sub(fit_now);
    let (mut low, mut high) = (0, left.clamp(1, MOST_NODES));
    let most = placed(high)?;
    while low + 1 < high {
        let middle = low.midpoint(high);
        if placed(middle)? >= most { high = middle } else { low = middle }
    }
    Some(NodesNeeded {
        node: kind.clone(),
        number: high,
        places: most.saturating_sub(fit_now),
        remain: queue.len() - most,
        is_most: left > MOST_NODES && high == MOST_NODES,
    })
}

/// One round of placing all pods.
struct Round {
    placed: Vec<PodIx>,
    left: Vec<PodIx>,
    notes: Vec<Note>,
}

impl Round {
    /// Places the pods in the cluster after `edits`; `None` if these cannot be applied.
    fn after(
        cluster: &Cluster,
        queue: &[PodIx],
        edits: &[Edit],
        settings: SuggestSettings,
    ) -> Option<Self> {
        let mut changed = cluster.clone();
        edits::apply(&mut changed, queue, edits).ok()?;
        Some(Self::place(&changed, queue, settings))
    }

    fn place(cluster: &Cluster, queue: &[PodIx], settings: SuggestSettings) -> Self {
        let mut cluster = cluster.clone();
        // No pod is to be lost, so nothing preempts: a pod that fits nowhere stays pending.
        let never = Edit::PreemptionPolicy { policy: PreemptionPolicy::Never };
        let _ = edits::apply(&mut cluster, queue, &[never]);
        let mut view = ClusterView::new(&cluster, settings.profile);
        let mut round = Self { placed: Vec::new(), left: Vec::new(), notes: Vec::new() };
        let mut refused: BTreeSet<(Sym, PoolIx, PoolIx, PoolIx, i32)> = BTreeSet::new();
        for pod in queue {
            let facts = cluster.pod(*pod);
            let template = cluster.template(facts);
            // A pod like one that fits nowhere fits nowhere, unless it depends on another pod.
            let alike = (
                facts.namespace,
                facts.labels,
                facts.template,
                facts.resource_requests,
                facts.priority,
            );
            let has_terms = !template.spread.is_empty() || template.has_affinity();
            if !has_terms && facts.claims.is_empty() && refused.contains(&alike) {
                round.left.push(*pod);
                continue;
            }
            let decision = decide(&view, *pod, settings.now);
            for note in decision.notes.iter().cloned() {
                notes::add(&mut round.notes, note);
            }
            let node = decision.fits().then(|| decision.selected().first().copied()).flatten();
            drop(decision);
            if let Some(node) = node {
                assume_and_reserve(*pod, node, &mut view, settings.now);
                round.placed.push(*pod);
            } else {
                refused.insert(alike);
                round.left.push(*pod);
            }
        }
        round
    }
}
