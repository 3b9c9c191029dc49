//! How many more pods like one fit: by priority, with and without preemption, by group of nodes;
//! the largest pod that fits; and whether the free resources are fragmented.
//!
//! Every number is counted by placing copies: `decide` places one after the other or, where nodes
//! are shown to be independent of each other, the filters of one cycle fill each node by itself
//! (`count.rs`). No code here decides whether a pod fits.

pub(crate) mod copies;
mod count;
pub mod groups;
mod largest;
mod pieces;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::plan::PodId;
use super::sequence::unknown_reason;
use crate::{suggest, victims};
use copies::{PriorityRow, WaitingCopies};
use count::Counter;
pub use count::{Count, CountMethod};
use dra::device_selectors::DeviceSelectors;
pub use groups::{NodeGroup, NodeGrouping};
pub use largest::LargestPod;
use model::cluster::{Cluster, NodeIx, PodIx};
use model::notes::{self, Note, Severity};
pub use pieces::{FreeResource, Pieces, PiecesState, Shape};
use profile::Profile;
use scheduler::decision::decide;
use scheduler::decision::unread::Question;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::framework::operands::ResourceId;

/// The budget for placing copies one after the other, in pods; a node counts as ten. It limits the
/// steps by the size of the cluster alone, so an answer never depends on a clock.
const WORK: usize = 24_000_000;
/// Minimum and maximum number of copies that are placed one after the other.
const STEPS: (usize, usize) = (40, 4_000);

/// The scheduler and the time of the decisions.
#[derive(Debug, Clone, Copy)]
pub struct HeadroomSettings<'s> {
    /// The scheduler's profile for the pod.
    pub profile: &'s Profile,
    /// The time of every decision.
    pub now: Timestamp,
}

/// How many more pods like one fit.
#[derive(Debug, Clone)]
pub struct Headroom {
    /// The pod to copy.
    pub pod: PodId,
    /// What a copy requests.
    pub requests: Vec<Amount>,
    /// By priority: the pod's own first, then those of the classes, the highest first.
    pub priorities: Vec<PriorityRoom>,
    /// The nodes of the copies that fit with the pod's own priority without preemption, in the
    /// order of placement.
    pub placed: Vec<NodeIx>,
    /// The nodes by name, with the number of copies that fit with the pod's own priority without
    /// preemption.
    pub nodes: Vec<NodeRoom>,
    /// The nodes by zone, pool and shape.
    pub groups: Vec<NodeGroup>,
    /// The largest pods that fit, confirmed by trial.
    pub largest: Vec<LargestPod>,
    /// What is free in total, and in large enough pieces.
    pub pieces: Pieces,
    /// What moving pods would gain, if the free resources are fragmented; `None` if that is not
    /// tried.
    pub defragmentation: Option<Defragmentation>,
    /// kube-scheduler's message about the first copy that does not fit.
    pub next: Option<String>,
    /// Why there is no answer.
    pub unknown: Option<String>,
    /// What makes the answer uncertain.
    pub notes: Vec<Note>,
}

/// An amount of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    pub resource: String,
    /// How much, in the notation of Kubernetes.
    pub amount: String,
}

impl Amount {
    fn of(resource: ResourceId, value: i64, cluster: &Cluster) -> Self {
        Self {
            resource: resource.name(cluster).to_owned(),
            amount: resource.amount(value, cluster),
        }
    }
}

/// How many copies of one priority fit.
#[derive(Debug, Clone)]
pub struct PriorityRoom {
    pub priority: i32,
    /// The class that gives it, if one does.
    pub class: Option<String>,
    /// Whether it is the pod's own.
    pub is_own: bool,
    /// How many fit without evictions.
    pub without_preemption: Count,
    /// How many fit if each may preempt pods of lower priority; `None` if pods of this priority do
    /// not preempt, or if that cannot be counted.
    pub with_preemption: Option<Count>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRoom {
    /// Its name.
    pub node: String,
    /// How many copies fit there.
    pub fits: usize,
}

impl Headroom {
    /// An answer without any results yet.
    fn of(pod: PodId) -> Self {
        Self {
            pod,
            requests: Vec::new(),
            priorities: Vec::new(),
            placed: Vec::new(),
            nodes: Vec::new(),
            groups: Vec::new(),
            largest: Vec::new(),
            pieces: Pieces::default(),
            defragmentation: None,
            next: None,
            unknown: None,
            notes: Vec::new(),
        }
    }

    /// The row of the pod's own priority; `None` if unknown.
    pub fn own(&self) -> Option<&PriorityRoom> {
        self.priorities.iter().find(|row| row.is_own)
    }

    /// Whether any copy fits now, without preemption.
    pub fn has_room(&self) -> bool {
        self.own().is_some_and(|own| own.without_preemption.number > 0)
    }

    /// Whether something that the answer depends on is unknown.
    pub fn is_unsure(&self) -> bool {
        self.unknown.is_some() || self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    /// Whether some count is only a lower bound because the steps ran out.
    pub fn is_cut_short(&self) -> bool {
        let counts = self
            .priorities
            .iter()
            .flat_map(|row| std::iter::once(&row.without_preemption).chain(&row.with_preemption));
        counts.into_iter().any(|count| !count.is_complete)
    }
}

/// Counts how many more pods like `model`, a pod of `cluster`, fit.
pub fn assess(cluster: &Cluster, model: PodIx, settings: HeadroomSettings) -> Headroom {
    let mut answer = Headroom::of(PodId::of(cluster.pod(model), cluster));
    if let Some(why) = not_countable(cluster, model, settings.profile) {
        answer.unknown = Some(why);
        return answer;
    }

    // Each priority has a pod that asks, one that asks without preemption, and one that represents
    // the placed copies. They wait, so their presence changes nothing.
    let rows = copies::rows(cluster, model);
    let copies = WaitingCopies::add(cluster, model, &rows, settings.now);
    let (Some(own), Some(own_row)) = (copies.askers.first(), rows.first()) else { return answer };
    if let Some(why) = unknown_reason(own.preempts, &copies.cluster) {
        answer.unknown = Some(why);
        return answer;
    }
    let selectors = DeviceSelectors::of(&copies.cluster);
    let view = ClusterView::with_selectors(&copies.cluster, settings.profile, selectors.clone());

    // Deciding the unmodified pod first shows whether there is anything to count. Which of several
    // nodes is chosen does not matter here.
    let decision = decide(&view, own.never, settings.now);
    if let Some(gate) = decision.gate() {
        answer.unknown = Some(format!("a pod like it {gate}"));
        return answer;
    }
    if let Some(error) = decision.error() {
        answer.unknown = Some(format!("its scheduling cycle ends with an error: {}", error.text));
        return answer;
    }
    for note in decision.notes.iter().cloned() {
        notes::add(&mut answer.notes, note);
    }
    let shape = Shape::of(&view, own.never);
    for (resource, value) in &shape.requests {
        answer.requests.push(Amount::of(*resource, *value, view.cluster));
    }

    // One count per priority. The pod's own comes first, and its copies are those that the rest of
    // the answer describes.
    let steps = most_steps(cluster);
    for (row, asker) in rows.iter().zip(&copies.askers) {
        let counter = Counter { view: &view, row, asker, steps, settings };
        let without = counter.without_preemption();
        let with_preemption = counter.with_preemption(&without);
        let is_own = answer.priorities.is_empty();
        if is_own {
            answer.placed = without.placed;
            answer.next = without.next.as_deref().map(without_preemption);
        }
        answer.priorities.push(PriorityRoom {
            priority: row.priority,
            class: row.class.clone(),
            is_own,
            without_preemption: without.count,
            with_preemption,
        });
    }

    // Where these copies go: by node, and by zone, pool and shape.
    let mut fits: BTreeMap<NodeIx, usize> = BTreeMap::new();
    for node in &answer.placed {
        *fits.entry(*node).or_default() += 1;
    }
    for node in view.cluster.node_indices() {
        answer.nodes.push(NodeRoom {
            node: view.cluster.node_name(node).to_owned(),
            fits: fits.get(&node).copied().unwrap_or_default(),
        });
    }
    answer.groups = groups::of(view.cluster, &answer.nodes);

    // Why not more: what is free in pieces that are too small, and the largest pod that fits.
    let placed = answer.own().map_or(0, |own| own.without_preemption.number);
    answer.pieces = pieces::of(&view, own, &shape, placed, settings.now);
    if answer.pieces.state == PiecesState::Fragmented {
        answer.defragmentation = defragmentation(cluster, model, own_row, &answer.placed, settings);
    }
    answer.largest = largest::of(&view, own.never, &shape, settings);
    for note in unread_kinds(&answer, cluster) {
        notes::add(&mut answer.notes, note);
    }
    notes::sort(&mut answer.notes);
    answer
}

/// Notes about kinds that could not be read and that the answer depends on. The copies that are
/// decided first do not preempt, so their decisions say nothing about budgets.
fn unread_kinds(answer: &Headroom, cluster: &Cluster) -> Vec<Note> {
    let mut notes = Question::Headroom.notes(cluster);
    let with_preemption = answer.priorities.iter().filter_map(|row| row.with_preemption);
    if with_preemption.filter_map(|count| count.evicted).any(|evicted| evicted > 0) {
        notes.extend(Question::HeadroomByPreemption.notes(cluster));
    }
    if answer.defragmentation.is_some_and(|moved| moved.moves > 0) {
        notes.extend(Question::Move.notes(cluster));
    }
    notes
}

/// Why copies of the pod cannot be counted, as far as that is known before any decision.
fn not_countable(cluster: &Cluster, model: PodIx, profile: &Profile) -> Option<String> {
    if profile.features.pod_groups.pod_groups && cluster.named_group(model).is_some() {
        return Some(
            "it belongs to a group, whose pods kube-scheduler places together: simulate answers for the group"
                .to_owned(),
        );
    }
    let controller = cluster.pod(model).controller;
    if controller.is_some_and(|owner| cluster.text(owner.kind) == "DaemonSet") {
        return Some("a DaemonSet has one pod on each of its nodes, and no more".to_owned());
    }
    None
}

/// The part of a message about nodes. That a copy may not preempt is no information.
fn without_preemption(message: &str) -> String {
    message.split(" preemption: ").next().unwrap_or(message).to_owned()
}

/// Maximum number of copies that are placed one after the other.
fn most_steps(cluster: &Cluster) -> usize {
    let (fewest, most) = STEPS;
    (WORK / (cluster.pods.len() + 10 * cluster.nodes.len() + 1)).clamp(fewest, most)
}

/// Maximum number of copies gained by moves.
const MOST_GAINED: usize = 8;
/// With more copies than this, or in a cluster with more pods and nodes (a node counts as ten),
/// nothing is moved: placing all of them takes too long.
const MOST_COPIES: usize = 500;
const MOST_SIZE: usize = 60_000;

/// The gain from moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defragmentation {
    /// How many more copies fit.
    pub gains: usize,
    /// How many pods move for them.
    pub moves: usize,
    /// Whether the search stopped at its maximum: more moves may gain more.
    pub may_go_on: bool,
}

/// Moves pods so that one more copy fits with those `placed`, as often as possible. `None` if it is
/// not tried.
fn defragmentation(
    cluster: &Cluster,
    model: PodIx,
    row: &PriorityRow,
    placed: &[NodeIx],
    settings: HeadroomSettings,
) -> Option<Defragmentation> {
    let size = cluster.pods.len() + 10 * cluster.nodes.len();
    if placed.len() > MOST_COPIES || size > MOST_SIZE {
        return None;
    }
    let mut cluster = cluster.clone();
    let copies = copies::add(&mut cluster, model, placed.len() + MOST_GAINED, settings.now);
    copies::prepare(&mut cluster, &copies, row);
    copies::never_preempt(&mut cluster, &copies);
    let (there, more) = copies.split_at_checked(placed.len())?;
    for (copy, node) in there.iter().zip(placed) {
        cluster.bind(*copy, *node);
    }

    let mut defragmentation = Defragmentation { gains: 0, moves: 0, may_go_on: true };
    for copy in more {
        let settings = suggest::SuggestSettings { profile: settings.profile, now: settings.now };
        let Some(play) = suggest::play_for(&cluster, *copy, settings) else {
            defragmentation.may_go_on = false;
            break;
        };
        let budgets = victims::protecting(&cluster, &settings.profile.features);
        for step in &play.steps {
            for budget in budgets.of(cluster.pod(step.pod), &cluster) {
                let left = cluster.budget(budget).allowed - 1;
                cluster.set_disruptions_allowed(budget, left.max(0));
            }
        }
        for step in &play.steps {
            cluster.restart(step.pod, settings.now);
            cluster.bind(step.pod, step.to);
        }
        cluster.bind(*copy, play.node);
        defragmentation.gains += 1;
        defragmentation.moves += play.steps.len();
    }
    Some(defragmentation)
}

#[cfg(test)]
mod tests;
