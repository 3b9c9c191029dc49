//! The entry point of the engine: what kube-scheduler decides about a pod, and why.

mod certainty;
pub mod compare;
pub mod doubts;
mod dry_run;
mod errors;
mod extenders;
pub mod fit_error;
pub mod gang;
pub mod group;
mod nominated;
mod other_filters;
mod placement_message;
pub mod pod_groups;
mod post_filter;
mod priority;
pub mod queue;
pub mod remedy;
mod run;
pub mod sampling;
pub(crate) mod unread;
pub mod verify;
pub mod waiting;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::framework::cluster_view::ClusterView;
use crate::framework::cycle::{NodeVerdict, PreFilter};
use crate::framework::extender::FilteredNodes;
use crate::framework::reason::Quote;
use crate::framework::score::ScoreTable;
use crate::framework::status::Rejection;
use crate::preemption::PreemptionReport;
pub use certainty::Certainty;
pub use errors::{CycleError, CycleErrorKind};
use gang::Permit;
use group::Membership;
use model::cluster::node::NodeIx;
use model::cluster::pod::PodIx;
use model::notes::Note;
pub use placement_message::OtherMessages;
use profile;
pub use queue::QueueGate;
use remedy::Remedies;
use sampling::Sampling;
use verify::Verification;
use waiting::Waiting;

/// The outcome for the pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The pod is not in the scheduling queue.
    NotInQueue(QueueGate),
    /// The scheduling cycle ends with an error, or kube-scheduler crashes.
    Error(CycleError),
    /// The pod fits on a node.
    Schedulable,
    /// The pod fits on no node, but evicting pods makes room for it.
    Preempt,
    /// The pod fits on no node, and no eviction helps.
    Unschedulable,
}

impl Outcome {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::NotInQueue(_) => "NotInQueue",
            Self::Error(_) => "Error",
            Self::Schedulable => "Schedulable",
            Self::Preempt => "Preempt",
            Self::Unschedulable => "Unschedulable",
        }
    }
}

/// A decision with everything on which it is based.
#[derive(Debug, Clone)]
#[must_use]
#[non_exhaustive]
pub struct Decision<'c> {
    /// The cluster and the profile.
    pub view: &'c ClusterView<'c>,
    /// The pod.
    pub pod: PodIx,
    /// The instant of the decision.
    pub now: Timestamp,
    /// The outcome for the pod.
    pub outcome: Outcome,
    /// The result of PreFilter.
    pub pre_filter: PreFilter,
    /// The result of filtering by node, in the order of names; empty if the pod is not in the queue.
    pub nodes: Vec<NodeVerdict>,
    /// See [`Self::also_refused`].
    also_refused: BTreeMap<NodeIx, Vec<(&'static str, Rejection)>>,
    /// The scores of the feasible nodes; `None` where the scheduler does not score: only one node fits, or the
    /// nominated node does.
    pub scores: Option<ScoreTable>,
    /// The result of preemption; `None` if the scheduler does not run it.
    pub preemption: Option<PreemptionReport>,
    /// The scheduler's message, without the text of preemption if preemption picks a node.
    pub message: Option<String>,
    /// The message that this version writes into the `PodScheduled` condition.
    pub condition_message: Option<String>,
    /// The nodes that the scheduler may select or nominate: the most likely first, by name where they are equally likely.
    pub selected: Vec<NodeIx>,
    /// How likely each of them is, where the scheduler does not look at every node.
    pub odds: Option<Sampling>,
    /// When the pod is tried again, and why it may still be pending; `None` if it is not in the queue.
    pub waiting: Option<Waiting>,
    /// The same as [`Self::odds`], from more starts or from one, if [`Self::enumerate`] was called.
    pub sampling: Option<Sampling>,
    /// What helps, if [`Self::seek_remedies`] was called and the pod fits nowhere.
    pub remedies: Option<Remedies>,
    /// How the condition that the pod carries compares with [`Self::condition_message`], if
    /// [`Self::compare_condition`] was called.
    pub condition: Option<Verification>,
    /// Notes about what makes the decision less than certain.
    pub notes: Vec<Note>,
    /// The group of the pod, if kube-scheduler schedules it as a whole: then this is what it means for the pod.
    pub membership: Option<Box<Membership>>,
    /// What the pod waits for at Permit once it gets a node, as one of a gang that has no cycle of its own (1.35).
    pub permit: Option<Box<Permit>>,
    /// Whether this is the cycle of one pod of a group, in which no PostFilter runs.
    in_group: bool,
    /// What extenders left of the feasible nodes, if they were asked.
    extended: Option<FilteredNodes>,
}

/// Runs the scheduling cycle of `pod`, and preemption if the pod fits on no node. `now` is the time of the decision:
/// pods that have not started count as started at this time.
pub fn decide<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Decision<'c> {
    let gate = queue::gate(view, pod);
    let queued = gate.is_none();
    let mut decision = Decision::new(view, pod, now);
    if let Some(gate) = gate {
        decision.outcome = Outcome::NotInQueue(gate);
    }
    if queued {
        decision.run_cycle(now);
    }
    decision.waiting = waiting::of(&decision);
    doubts::add(&mut decision);
    decision
}

/// Runs the scheduling cycle of a pod as one of a group: without preemption, which is the group's.
///
/// Upstream: `pkg/scheduler/schedule_one_podgroup.go` `podGroupPodSchedulingAlgorithm` (1.37).
pub(crate) fn decide_member<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Decision<'c> {
    let mut decision = Decision { in_group: true, ..Decision::new(view, pod, now) };
    decision.run_cycle(now);
    doubts::add(&mut decision);
    decision
}

/// Runs the scheduling cycle of a pod as one of a group in which each pod preempts alone, up to 1.36.
pub(crate) fn decide_alone<'c>(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Decision<'c> {
    let mut decision = Decision::new(view, pod, now);
    decision.run_cycle(now);
    decision.in_group = true;
    doubts::add(&mut decision);
    decision
}

impl<'c> Decision<'c> {
    /// A decision of which nothing is known yet.
    fn new(view: &'c ClusterView<'c>, pod: PodIx, now: Timestamp) -> Self {
        Self {
            view,
            pod,
            now,
            outcome: Outcome::Unschedulable,
            pre_filter: PreFilter::AllNodes,
            nodes: Vec::new(),
            also_refused: BTreeMap::new(),
            scores: None,
            preemption: None,
            message: None,
            condition_message: None,
            selected: Vec::new(),
            odds: None,
            waiting: None,
            sampling: None,
            condition: None,
            remedies: None,
            notes: view.cluster.notes.clone(),
            membership: None,
            permit: None,
            in_group: false,
            extended: None,
        }
    }
}

impl<'c> Decision<'c> {
    /// The nodes on which the pod fits, by name.
    pub fn feasible(&self) -> impl Iterator<Item = NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(&self.nodes);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::Feasible).map(|(node, _)| node)
    }

    /// The nodes that a filter plugin rejects, by name: the node, the plugin, and the rejection.
    pub fn rejections(&self) -> impl Iterator<Item = (NodeIx, &'static str, &Rejection)> {
        self.view.cluster.node_indices().zip(&self.nodes).filter_map(|(node, verdict)| match verdict {
            NodeVerdict::Filtered { plugin, rejection } => Some((node, *plugin, rejection)),
            NodeVerdict::Feasible
            | NodeVerdict::NotTried
            | NodeVerdict::ExcludedByPreFilter
            | NodeVerdict::Failed(_) => None,
        })
    }

    /// The nodes that PreFilter excluded, by name.
    #[must_use]
    pub fn excluded_by_pre_filter(&self) -> Vec<NodeIx> {
        let nodes = self.view.cluster.node_indices().zip(&self.nodes);
        nodes.filter(|(_, verdict)| **verdict == NodeVerdict::ExcludedByPreFilter).map(|(node, _)| node).collect()
    }

    /// Why the pod is not in the queue, as a sentence; `None` if it is.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        Some(format!("Pod {} {}.", self.view.cluster.pod_name(self.pod), self.gate()?))
    }

    /// The same as a clause about the pod, without its name and without a full stop.
    #[must_use]
    pub fn gate(&self) -> Option<String> {
        if let Outcome::NotInQueue(gate) = &self.outcome { Some(gate.clause(self.view, self.pod)) } else { None }
    }

    /// Why the cycle ends without a result; `None` if it has one.
    #[must_use]
    pub fn error(&self) -> Option<&CycleError> {
        if let Outcome::Error(error) = &self.outcome { Some(error) } else { None }
    }

    /// The message that the scheduler writes about the pod, if any.
    #[must_use]
    pub fn scheduler_message(&self) -> Option<&str> {
        self.condition_message.as_deref().or(self.message.as_deref())
    }

    /// The profile with which the decision was made.
    #[must_use]
    pub fn profile(&self) -> &'c profile::Profile {
        self.view.profile
    }

    /// The reason for nodes that PreFilter excluded, if this version writes one.
    #[must_use]
    pub fn pre_filter_exclusion(&self) -> Option<Quote> {
        Some(self.pre_filter.exclusion(&self.profile().features)?.quote(self.view.cluster))
    }
}

#[cfg(test)]
mod tests;
