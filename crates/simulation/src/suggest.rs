//! The smallest change with which a pod fits and no pod is lost: pods that move to other nodes, a
//! change of the pod itself, or a node to add.
//!
//! Every suggestion was played through first (`play.rs`): each moved pod is decided as its
//! controller recreates it, then the pod in question. `search.rs` only proposes what to play. How
//! much is tried depends on the size of the cluster alone.

mod cost;
pub mod many;
mod nodes;
mod play;
mod search;

use jiff::Timestamp;

use super::plan::{OwnerName, PodId};
use super::{afterwards, sequence};
pub use cost::RestartCost;
use model::cluster::{Cluster, PodIx};
use model::notes::{self, Note, Severity};
pub use nodes::{NewNode, kinds};
pub use play::PlayedMoves;
use profile::Profile;
use scheduler::decision::remedy::Remedy;
use scheduler::decision::unread::Question;
use scheduler::decision::{Explanation, OutcomeKind, decide};
use scheduler::framework::cluster_view::ClusterView;
pub use search::{Proof, Searched};

/// The scheduler and the time of the decisions.
#[derive(Debug, Clone, Copy)]
pub struct SuggestSettings<'s> {
    /// The scheduler's profile for the pod.
    pub profile: &'s Profile,
    /// The time of every decision.
    pub now: Timestamp,
}

/// The changes with which one pod fits.
#[derive(Debug, Clone)]
pub struct Suggestion {
    pub pod: PodId,
    pub priority: i32,
    /// What kube-scheduler decides about it now.
    pub outcome: OutcomeKind,
    /// The nodes that it gets without any change, with or without evictions.
    pub nodes: Vec<String>,
    /// The pods that kube-scheduler evicts for it if nothing is changed.
    pub victims: Vec<PodId>,
    /// The pods to move, if moving some is enough.
    pub moves: Option<MovePlan>,
    /// The extent of the search for moves.
    pub searched: Searched,
    /// Other changes with which it fits without evictions, the least disruptive first, each
    /// confirmed by trial.
    pub changes: Vec<Remedy>,
    /// The smallest copy of an existing node with which it fits.
    pub node: Option<NewNode>,
    /// Why there is no answer.
    pub unknown: Option<String>,
    /// What makes the answer uncertain.
    pub notes: Vec<Note>,
}

/// Pods to move, one after the other, and the node that the pod then gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovePlan {
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// Whether the PodDisruptionBudgets were not read: what they allow is not known.
    pub budgets_unknown: bool,
    /// The node that is kept free for the pod during the moves.
    pub freed: String,
    /// The node that kube-scheduler then selects.
    pub node: String,
    /// How certain it is that nothing smaller is enough.
    pub proof: Proof,
}

/// A pod that moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub pod: PodId,
    /// Its controllers, nearest first.
    pub owners: Vec<OwnerName>,
    pub priority: i32,
    /// The node that it leaves.
    pub from: String,
    /// The node that its replacement gets.
    pub to: String,
    /// Whether the replacement may also get another node.
    pub is_open: bool,
    pub restart: RestartCost,
    /// How many more disruptions its budgets allow before it moves; `None` if no budget selects it.
    pub budget_allows: Option<i64>,
}

impl Suggestion {
    /// Whether any change is enough.
    pub fn helps(&self) -> bool {
        self.outcome == OutcomeKind::Schedulable
            || self.moves.is_some()
            || !self.changes.is_empty()
            || self.node.is_some()
    }

    /// Whether something that the answer depends on is unknown.
    pub fn is_unsure(&self) -> bool {
        self.unknown.is_some() || self.notes.iter().any(|note| note.severity == Severity::Error)
    }
}

/// Looks for changes with which `pod`, a pending pod of `cluster`, fits.
pub fn for_pod(cluster: &Cluster, pod: PodIx, settings: SuggestSettings) -> Suggestion {
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
    if let Some(why) = sequence::unknown_reason(pod, cluster) {
        answer.unknown = Some(why);
        return answer;
    }
    let view = ClusterView::new(cluster, settings.profile);
    let decision = decide(&view, pod, settings.now);
    answer.outcome = decision.kind();
    answer.nodes = decision
        .selected()
        .iter()
        .copied()
        .map(|node| cluster.node_name(node).to_owned())
        .collect();
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

    // First, changes to neither the pod nor the nodes.
    let (moves, searched) = search::moves(&view, pod, settings);
    answer.moves = moves.map(|moves| describe(cluster, &moves, settings.profile));
    answer.searched = searched;
    // Budgets that were not read may forbid moves, but they never make more of them possible.
    if answer.moves.is_some() {
        for note in Question::Move.notes(cluster) {
            notes::add(&mut answer.notes, note);
        }
    }

    // Then other changes. Remedies that evict pods are left out, since no pod is to be lost.
    let mut explanation = Explanation::from(decision);
    explanation.seek_remedies();
    let remedies = explanation.remedies.take().map(|remedies| remedies.found).unwrap_or_default();
    answer.changes = remedies.into_iter().filter(keeps_everybody).collect();
    // The remedies know which pool is the pod's, so their node comes first.
    let of_remedy =
        answer.changes.iter().find_map(|change| nodes::of_edits(&change.edits, cluster));
    answer.node = of_remedy.or_else(|| nodes::smallest(cluster, pod, settings));
    notes::sort(&mut answer.notes);
    answer
}

/// The smallest set of moves with which a pending pod fits, played through; `None` if none was
/// found.
pub(crate) fn play_for(
    cluster: &Cluster,
    pod: PodIx,
    settings: SuggestSettings,
) -> Option<PlayedMoves> {
    let view = ClusterView::new(cluster, settings.profile);
    search::moves(&view, pod, settings).0.map(|moves| moves.play)
}

/// Whether a remedy evicts no pod.
fn keeps_everybody(remedy: &Remedy) -> bool {
    use model::edits::Edit;
    remedy.outcome == OutcomeKind::Schedulable
        && !remedy.edits.iter().any(|edit| {
            matches!(edit, Edit::RemovePod { .. } | Edit::Drain { .. } | Edit::Free { .. })
        })
}

/// A play as the plan to show.
fn describe(cluster: &Cluster, chosen: &search::FoundMoves, profile: &Profile) -> MovePlan {
    let name = |node| cluster.node_name(node).to_owned();
    let budgets = super::victims::protecting(cluster, &profile.features);
    let restarts = cost::Restarts::new(cluster);
    let mut used: Vec<model::cluster::budget::BudgetIx> = Vec::new();
    let mut moves = Vec::new();
    for step in &chosen.play.steps {
        let pod = cluster.pod(step.pod);
        let mut allows: Option<i64> = None;
        for budget in budgets.of(pod, cluster) {
            let before = used.iter().filter(|other| **other == budget).count();
            let left = cluster.budget(budget).allowed - i64::try_from(before).unwrap_or(i64::MAX);
            allows = Some(allows.map_or(left, |least| least.min(left)));
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
        budgets_unknown: cluster.are_budgets_unknown(),
        freed: name(chosen.play.freed),
        node: name(chosen.play.node),
        proof: chosen.proof,
    }
}

#[cfg(test)]
mod tests;
