//! The outcome for a pod, with its details.

use super::CycleError;
use super::errors::CycleErrorKind;
use super::queue::QueueGate;
use super::sampling::Selection;
use crate::framework::score::ScoreTable;
use crate::preemption::PreemptionReport;

/// What the scheduler decides about the pod.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The pod is not in the scheduling queue.
    NotInQueue(QueueGate),
    /// The scheduling cycle ends with an error, or kube-scheduler crashes.
    Error(CycleError),
    /// The pod fits on a node.
    Schedulable {
        /// The nodes that it may be bound to.
        selection: Selection,
        /// The scores of the feasible nodes; `None` where the scheduler does not score: only one
        /// node fits, or the nominated node does.
        scores: Option<ScoreTable>,
    },
    /// The pod fits on no node, but evictions help.
    Preempt {
        /// The nodes that it may be nominated to.
        selection: Selection,
        /// What preemption found; `None` for a pod of a group, whose plan is that of the group.
        plan: Option<Box<PreemptionReport>>,
    },
    /// The pod fits on no node, and no eviction helps.
    Unschedulable {
        /// Why preemption does not help; `None` if the scheduler does not run it.
        preemption: Option<Box<PreemptionReport>>,
    },
}

/// An outcome without its details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// See [`Outcome::NotInQueue`].
    NotInQueue,
    /// See [`Outcome::Error`].
    Error(CycleErrorKind),
    /// See [`Outcome::Schedulable`].
    Schedulable,
    /// See [`Outcome::Preempt`].
    Preempt,
    /// See [`Outcome::Unschedulable`].
    Unschedulable,
}

impl Outcome {
    /// The outcome without its details.
    pub const fn kind(&self) -> OutcomeKind {
        match self {
            Self::NotInQueue(_) => OutcomeKind::NotInQueue,
            Self::Error(error) => OutcomeKind::Error(error.kind),
            Self::Schedulable { .. } => OutcomeKind::Schedulable,
            Self::Preempt { .. } => OutcomeKind::Preempt,
            Self::Unschedulable { .. } => OutcomeKind::Unschedulable,
        }
    }

    /// Its name in JSON.
    pub const fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The nodes that the scheduler may select or nominate, if it does.
    pub const fn selection(&self) -> Option<&Selection> {
        match self {
            Self::Schedulable { selection, .. } | Self::Preempt { selection, .. } => {
                Some(selection)
            }
            Self::NotInQueue(_) | Self::Error(_) | Self::Unschedulable { .. } => None,
        }
    }

    /// The result of preemption, if the scheduler runs it for the pod alone.
    pub fn preemption(&self) -> Option<&PreemptionReport> {
        match self {
            Self::Preempt { plan: report, .. } | Self::Unschedulable { preemption: report } => {
                report.as_deref()
            }
            Self::NotInQueue(_) | Self::Error(_) | Self::Schedulable { .. } => None,
        }
    }

    /// The scores that chose the node, if scores did.
    pub const fn scores(&self) -> Option<&ScoreTable> {
        if let Self::Schedulable { scores, .. } = self { scores.as_ref() } else { None }
    }

    /// Like [`Self::scores`], consuming the outcome.
    pub(crate) fn into_scores(self) -> Option<ScoreTable> {
        if let Self::Schedulable { scores, .. } = self { scores } else { None }
    }
}

impl OutcomeKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotInQueue => "NotInQueue",
            Self::Error(_) => "Error",
            Self::Schedulable => "Schedulable",
            Self::Preempt => "Preempt",
            Self::Unschedulable => "Unschedulable",
        }
    }
}
