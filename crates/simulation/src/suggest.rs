//! The smallest change that lets a pod in and loses nobody: pods that move to another node, the
//! change of the pod itself, or the node to add.
//!
//! Everything that is suggested was played through before (`play.rs`): each pod that moves is
//! decided about as its controller creates it again, then the pod in question. `search.rs` only
//! proposes what to play. How much is tried depends on the size of the cluster alone.

mod cost;
pub mod many;
mod nodes;
mod play;
mod search;

use jiff::Timestamp;

use super::plan::{OwnerName, PodId};
use super::{afterwards, sequence};
pub use cost::RestartCost;
use model::cluster::Cluster;
use model::cluster::pod::PodIx;
use model::notes::{self, Note, Severity};
pub use nodes::NewNode;
pub use play::Play;
use profile::Profile;
use scheduler::decision::remedy::Remedy;
use scheduler::decision::{Explanation, OutcomeKind, decide};
use scheduler::framework::cluster_view::ClusterView;
pub use search::{Proof, Searched};

/// Who decides, and when.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'s> {
    /// The scheduler's profile for the pod.
    pub profile: &'s Profile,
    /// The time of every decision.
    pub now: Timestamp,
}

/// What lets one pod in.
#[derive(Debug, Clone)]
pub struct Suggestion {
    /// The pod.
    pub pod: PodId,
    /// Its priority.
    pub priority: i32,
    /// What kube-scheduler decides about it now.
    pub outcome: OutcomeKind,
    /// The nodes that it gets without any change, or for which pods are evicted.
    pub nodes: Vec<String>,
    /// The pods that kube-scheduler evicts for it if nothing is changed.
    pub victims: Vec<PodId>,
    /// The pods to move, if moving some lets it in.
    pub moves: Option<MovePlan>,
    /// How much was searched for that.
    pub searched: Searched,
    /// What else lets it in without an eviction, the least disruptive first, each of them tried.
    pub changes: Vec<Remedy>,
    /// The smallest node that lets it in, among those like one that is there.
    pub node: Option<NewNode>,
    /// Why nothing can be said.
    pub unknown: Option<String>,
    /// What makes the answer less than certain.
    pub notes: Vec<Note>,
}

/// Pods that move, one after the other, and the node that the pod then gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovePlan {
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// The node that is kept free for the pod while they are made.
    pub freed: String,
    /// The node that kube-scheduler then selects.
    pub node: String,
    /// How sure it is that nothing smaller will do.
    pub proof: Proof,
}

/// A pod that moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The pod.
    pub pod: PodId,
    /// Its controllers, nearest first.
    pub owners: Vec<OwnerName>,
    /// Its priority.
    pub priority: i32,
    /// The node that it leaves.
    pub from: String,
    /// The node that its replacement gets.
    pub to: String,
    /// Whether the replacement may as well get another node.
    pub is_open: bool,
    /// What its restart costs.
    pub restart: RestartCost,
    /// How many more disruptions its budgets allow before it moves; `None` if no budget selects it.
    pub budget_allows: Option<i64>,
}

impl Suggestion {
    /// Whether something lets the pod in.
    #[must_use]
    pub fn helps(&self) -> bool {
        self.outcome == OutcomeKind::Schedulable
            || self.moves.is_some()
            || !self.changes.is_empty()
            || self.node.is_some()
    }

    /// Whether something that the answer depends on is unknown.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.unknown.is_some() || self.notes.iter().any(|note| note.severity == Severity::Error)
    }
}

/// Looks for what lets `pod` in, which waits in `cluster`.
#[must_use]
pub fn for_pod(cluster: &Cluster, pod: PodIx, settings: Settings) -> Suggestion {
    let facts = cluster.pod(pod);
    let mut answer = Suggestion {
        pod: PodId::of(facts, cluster),
        priority: facts.priority,
        outcome: OutcomeKind::Unschedulable,
        nodes: Vec::new(),
        victims: Vec::new(),
        moves: None,
        searched: Searched::default(),
        changes: Vec::new(),
        node: None,
        unknown: None,
        notes: Vec::new(),
    };
    if settings.profile.features.pod_groups.pod_groups && cluster.named_group(pod).is_some() {
        answer.unknown = Some(
            "it belongs to a group, whose pods kube-scheduler places together: explain tells what helps the group"
                .to_owned(),
        );
        return answer;
    }
    if let Some(why) = sequence::unknown::unknown_reason(pod, cluster) {
        answer.unknown = Some(why);
        return answer;
    }
    let view = ClusterView::new(cluster, settings.profile);
    let decision = decide(&view, pod, settings.now);
    answer.outcome = decision.kind();
    let name = |node| cluster.text(cluster.node(node).name).to_owned();
    answer.nodes = decision.selected().iter().copied().map(name).collect();
    for note in decision.notes.iter().cloned() {
        notes::add(&mut answer.notes, note);
    }
    match decision.kind() {
        OutcomeKind::Schedulable => return answer,
        OutcomeKind::NotInQueue => {
            answer.unknown = decision.gate().map(|gate| format!("it {gate}"));
            return answer;
        }
        OutcomeKind::Error(_) => {
            let text = decision.error().map(|error| error.text.clone()).unwrap_or_default();
            answer.unknown = Some(format!("its scheduling cycle ends with an error: {text}"));
            return answer;
        }
        OutcomeKind::Preempt | OutcomeKind::Unschedulable => {}
    }
    if let Some(candidate) = decision.selected().first().and_then(|node| decision.candidate(*node))
    {
        let victims = candidate.victims.iter();
        answer.victims =
            victims.map(|victim| PodId::of(cluster.pod(victim.pod), cluster)).collect();
    }

    // First what changes neither the pod nor the cluster's nodes.
    let (found, searched) = search::moves(&view, pod, settings);
    answer.moves = found.map(|found| describe(cluster, &found, settings.profile));
    answer.searched = searched;

    // Then what does. Remedies that evict pods are left out: nobody is to be lost.
    let mut explanation = Explanation::from(decision);
    explanation.seek_remedies();
    let remedies = explanation.remedies.take().map(|remedies| remedies.found).unwrap_or_default();
    answer.changes = remedies.into_iter().filter(keeps_everybody).collect();
    answer.node = nodes::smallest(cluster, pod, settings);
    notes::sort(&mut answer.notes);
    answer
}

/// The smallest set of moves that lets a waiting pod in, played through; `None` if none was found.
pub(crate) fn play_for(cluster: &Cluster, pod: PodIx, settings: Settings) -> Option<Play> {
    let view = ClusterView::new(cluster, settings.profile);
    search::moves(&view, pod, settings).0.map(|found| found.play)
}

/// Whether a remedy lets the pod in without evicting anybody.
fn keeps_everybody(remedy: &Remedy) -> bool {
    use model::edits::Edit;
    let evicts = |edit: &Edit| {
        matches!(edit, Edit::RemovePod { .. } | Edit::Drain { .. } | Edit::Free { .. })
    };
    remedy.outcome == OutcomeKind::Schedulable && !remedy.edits.iter().any(evicts)
}

/// A play as the plan that is shown.
fn describe(cluster: &Cluster, found: &search::Found, profile: &Profile) -> MovePlan {
    let name = |node| cluster.text(cluster.node(node).name).to_owned();
    let budgets = super::victims::protecting(cluster, &profile.features);
    let restarts = cost::Restarts::new(cluster);
    let mut used: Vec<model::cluster::budget::BudgetIx> = Vec::new();
    let mut moves = Vec::new();
    for step in &found.play.steps {
        let pod = cluster.pod(step.pod);
        let mut allows: Option<i64> = None;
        for budget in budgets.of(pod, cluster) {
            let before = used.iter().filter(|other| **other == budget).count();
            let left = cluster.budget(budget).allowed - i64::try_from(before).unwrap_or(i64::MAX);
            allows = Some(allows.map_or(left, |known| known.min(left)));
            used.push(budget);
        }
        moves.push(Move {
            pod: PodId::of(pod, cluster),
            owners: afterwards::owners(pod, cluster),
            priority: pod.priority,
            from: name(step.from),
            to: name(step.to),
            is_open: step.is_open,
            restart: restarts.of(step.pod, cluster),
            budget_allows: allows,
        });
    }
    MovePlan {
        moves,
        freed: name(found.play.freed),
        node: name(found.play.node),
        proof: found.proof,
    }
}

#[cfg(test)]
mod tests;
