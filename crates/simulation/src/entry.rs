//! From a cluster to a plan: an entry of the scheduling queue, the decision about it, and the
//! proposal for a goal.

use jiff::Timestamp;

use super::plan::Plan;
use super::planning::{self, Proposal};
use super::{group_planning, remaining};
use model::cluster::{GroupIx, NodeIx, PodIx};
use model::notes::Note;
use scheduler::decision::Decision;
use scheduler::framework::cluster_view::ClusterView;
use scheduler::groups::member::Decider;
use scheduler::groups::{self, GroupDecision};

/// An entry of the scheduling queue for which a plan is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueEntry {
    /// A pod that is scheduled alone.
    Pod(PodIx),
    /// A group with all its waiting pods.
    Group(GroupIx),
}

/// The goal of a plan.
#[derive(Debug, Clone, Copy)]
pub enum Goal<'g> {
    /// Follow kube-scheduler.
    AsScheduled,
    /// Run the pod on this node, whichever the scheduler would pick. A group has no such goal.
    On(NodeIx),
    /// Complete this plan, some of whose victims may be gone.
    Rest(&'g Plan),
}

/// The decision about an entry of the scheduling queue.
#[derive(Debug)]
pub enum EntryDecision<'c> {
    /// About a pod.
    Pod(Box<Decision<'c>>),
    /// About a group.
    Group(Box<GroupDecision<'c>>),
}

impl<'c> EntryDecision<'c> {
    /// Decides about an entry.
    pub fn of(entry: QueueEntry, view: &'c ClusterView<'c>, now: Timestamp) -> Self {
        match entry {
            QueueEntry::Pod(pod) => Self::Pod(Box::new(Decider::new(view, now).decide(pod))),
            QueueEntry::Group(group) => Self::Group(Box::new(groups::decide(view, group, now))),
        }
    }

    /// Notes about what makes the decision uncertain.
    pub fn notes(&self) -> &[Note] {
        match self {
            Self::Pod(decision) => &decision.notes,
            Self::Group(decision) => &decision.notes,
        }
    }

    /// The proposal that follows from the decision.
    pub fn propose(&self, goal: Goal) -> Proposal {
        match self {
            Self::Pod(decision) => match goal {
                Goal::AsScheduled => planning::as_scheduled(decision),
                Goal::On(node) => planning::on(decision, node),
                Goal::Rest(plan) => remaining::propose(decision, plan),
            },
            Self::Group(decision) => match goal {
                Goal::AsScheduled | Goal::On(_) => group_planning::as_scheduled(decision),
                Goal::Rest(plan) => remaining::propose_group(decision, plan),
            },
        }
    }
}
