//! The entry point of the engine: what kube-scheduler decides about a pod, and why.

mod alike;
pub mod blockers;
mod certainty;
pub mod compare;
pub mod competitors;
pub mod doubts;
mod errors;
pub mod explanation;
pub mod filters;
mod find_nodes;
pub mod fit_error;
pub mod gang;
pub mod group;
pub mod handlers;
pub mod lingering;
pub mod nearest;
pub mod nominated;
mod outcome;
pub mod pick;
mod placement_message;
pub mod pod_groups;
mod priority;
pub mod queue;
pub mod remedy;
pub mod room;
mod run;
pub mod sampling;
pub mod unread;
pub mod verify;
pub mod waiting;

use jiff::Timestamp;

use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter, PreparedCycle, rejections_of};
use crate::framework::reason::Quote;
use crate::framework::score::ScoreTable;
use crate::framework::status::Rejection;
use crate::plugins;
use crate::preemption::PreemptionReport;
use crate::preemption::dry_run::Candidate;
pub use alike::are_alike;
pub use certainty::Certainty;
pub use errors::{CycleError, CycleErrorKind};
pub use explanation::Explanation;
use filters::FilterReport;
use gang::Permit;
use group::Membership;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::notes::Note;
pub use outcome::{Outcome, OutcomeKind};
pub use placement_message::OtherMessages;
use profile;
pub use queue::QueueGate;
use run::{CycleReport, Messages};
use sampling::Sampling;
pub use sampling::Selection;

/// A decision with everything on which it is based.
#[derive(Debug, Clone)]
#[must_use]
#[non_exhaustive]
pub struct Decision<'c> {
    /// The cluster and the profile.
    pub view: &'c ClusterView<'c>,
    pub pod: PodIx,
    /// The instant of the decision.
    pub now: Timestamp,
    /// The outcome for the pod.
    pub outcome: Outcome,
    /// The result of PreFilter, and of filtering by node.
    pub filters: FilterReport,
    /// What the scheduler writes.
    messages: Messages,
    /// Notes about what makes the decision less than certain.
    pub notes: Vec<Note>,
    /// What its group means for the pod, if kube-scheduler schedules the group as a whole.
    pub membership: Option<Box<Membership>>,
    /// What the pod waits for at Permit once it gets a node, as a member of a gang that has no
    /// cycle of its own (1.35).
    pub permit: Option<Box<Permit>>,
}

/// The kind of cycle in which a pod is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CycleMode {
    /// Its own, if it is in the scheduling queue.
    Alone,
    /// That of its group, which runs no PostFilter for a single pod.
    ///
    /// Upstream: `pkg/scheduler/schedule_one_podgroup.go` `podGroupPodSchedulingAlgorithm` (1.37).
    Member,
    /// That of its group, where each pod preempts alone, up to 1.36.
    AloneInGroup,
}

/// Runs the scheduling cycle of `pod`, and preemption if the pod fits on no node. `now` is the time
/// of the decision; pods that have not started count as started then.
pub fn decide<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Decision<'c> {
    decide_in(view, pod, now, CycleMode::Alone)
}

/// The nodes that take `pod` as they are, by name, as [`decide`] finds them: none are scored, and
/// nothing is preempted.
#[must_use]
pub fn feasible(view: &ClusterView, pod: PodIx, now: Timestamp) -> Vec<NodeIx> {
    if let Some(nodes) = pick::feasible(view, pod, now) {
        return nodes;
    }
    if queue::gate(view, pod).is_some() { Vec::new() } else { run::feasible(view, pod, now) }
}

/// The prepared filters of `pod`'s cycle. They predict a node's verdict after pods are added or
/// removed; [`decide`] has to confirm it.
#[must_use]
pub fn prepare<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> PreparedCycle<'c> {
    PreparedCycle::new(view, pod, now, &plugins::filters(&view.profile.plugins))
}

/// Runs the steps of a scheduling cycle and combines their reports into a decision.
pub(crate) fn decide_in<'c>(
    view: &'c ClusterView<'c>,
    pod: PodIx,
    now: Timestamp,
    mode: CycleMode,
) -> Decision<'c> {
    // A group is in the queue, or not, as a whole.
    let gate = match mode {
        CycleMode::Alone => queue::gate(view, pod),
        CycleMode::Member | CycleMode::AloneInGroup => None,
    };
    let CycleReport { filters, outcome, messages } = match gate {
        Some(gate) => CycleReport::not_in_queue(gate),
        None => run::cycle(view, pod, now, mode),
    };
    let notes = view.cluster.notes.iter().cloned().chain(filters.notes()).collect();
    let mut decision = Decision {
        view,
        pod,
        now,
        outcome,
        filters,
        messages,
        notes,
        membership: None,
        permit: None,
    };
    doubts::add(&mut decision, mode);
    decision
}

impl<'c> Decision<'c> {
    /// The outcome without its details.
    #[must_use]
    pub const fn kind(&self) -> OutcomeKind {
        self.outcome.kind()
    }

    /// Whether the pod fits on a node without evictions.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.kind() == OutcomeKind::Schedulable
    }

    /// The nodes that the scheduler may select or nominate: the most likely first, by name where
    /// they are equally likely.
    #[must_use]
    pub fn selected(&self) -> &[NodeIx] {
        match (self.outcome.selection(), &self.membership) {
            (Some(selection), _) => &selection.nodes,
            // A group that waits for the victims of an earlier preemption keeps the nodes to which
            // its pods are nominated.
            (None, Some(membership)) => membership.node.as_slice(),
            (None, None) => &[],
        }
    }

    /// How likely each of the selected nodes is, where the scheduler does not look at every node.
    #[must_use]
    pub fn odds(&self) -> Option<&Sampling> {
        self.outcome.selection()?.odds.as_ref()
    }

    /// The scores of the feasible nodes, if the scheduler scores them. Those of a group's pod chose
    /// its node, whatever happens to the group.
    #[must_use]
    pub fn scores(&self) -> Option<&ScoreTable> {
        self.outcome.scores().or_else(|| self.membership.as_ref()?.scores.as_ref())
    }

    /// The result of preemption; `None` if the scheduler does not run it for the pod alone.
    #[must_use]
    pub fn preemption(&self) -> Option<&PreemptionReport> {
        self.outcome.preemption()
    }

    /// The nodes on which evictions make the pod fit, for the pod alone, by name.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.preemption().into_iter().flat_map(PreemptionReport::candidates)
    }

    /// The victims on `node`, if evicting them makes the pod fit.
    #[must_use]
    pub fn candidate(&self, node: NodeIx) -> Option<&Candidate> {
        self.preemption()?.candidate(node)
    }

    /// The result of PreFilter.
    #[must_use]
    pub const fn pre_filter(&self) -> &PreFilter {
        &self.filters.pre_filter
    }

    /// The result of filtering by node, in the order of names; empty if the pod is not in the
    /// queue.
    #[must_use]
    pub fn nodes(&self) -> &[NodeVerdict] {
        &self.filters.nodes
    }

    /// The scheduler's message, without preemption's part if preemption picks a node.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        self.messages.message.as_deref()
    }

    /// The message that this version writes into the `PodScheduled` condition.
    #[must_use]
    pub fn condition_message(&self) -> Option<&str> {
        self.messages.condition.as_deref()
    }

    /// The nodes on which the pod fits, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        self.filters.feasible()
    }

    /// The nodes that a filter plugin rejects, by name: the node, the plugin, and the rejection.
    pub fn rejections(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        rejections_of(self.nodes(), self.view.cluster)
    }

    /// The nodes that PreFilter excluded, by name.
    #[must_use]
    pub fn excluded_by_pre_filter(&self) -> Vec<NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(self.nodes());
        nodes
            .filter(|(_, verdict)| **verdict == NodeVerdict::ExcludedByPreFilter)
            .map(|(node, _)| node)
            .collect()
    }

    /// Why the pod is not in the queue, as a sentence; `None` if it is.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        Some(format!("Pod {} {}.", self.view.cluster.pod_name(self.pod), self.gate()?))
    }

    /// The same as a clause about the pod, without its name and without a full stop.
    #[must_use]
    pub fn gate(&self) -> Option<String> {
        if let Outcome::NotInQueue(gate) = &self.outcome {
            Some(gate.clause(self.view, self.pod))
        } else {
            None
        }
    }

    /// Why the cycle ends without a result; `None` if it has one.
    #[must_use]
    pub fn error(&self) -> Option<&CycleError> {
        if let Outcome::Error(error) = &self.outcome { Some(error) } else { None }
    }

    /// The message that the scheduler writes about the pod, if any.
    #[must_use]
    pub fn scheduler_message(&self) -> Option<&str> {
        self.condition_message().or(self.message())
    }

    /// The profile with which the decision was made.
    #[must_use]
    pub fn profile(&self) -> &'c profile::Profile {
        self.view.profile
    }

    /// The reason for nodes that PreFilter excluded, if this version writes one.
    #[must_use]
    pub fn pre_filter_exclusion(&self) -> Option<Quote> {
        Some(self.pre_filter().exclusion(&self.profile().features)?.quote(self.view.cluster))
    }
}

#[cfg(test)]
mod tests;
