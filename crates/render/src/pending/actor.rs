//! Who has to act before a pending pod gets a node.

use super::{PendingRow, PendingVerdict};
use engine::decision::autoscaling::WhoActs;
use engine::decision::nearest::Nearness;
use engine::framework::reason::Obstacle;

/// Who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Actor {
    /// kube-scheduler, at its next attempt: the pod fits, or it preempts.
    Scheduler,
    /// The kubelets that end its victims.
    Victims,
    /// An autoscaler, which adds or may add a node for it.
    Autoscaler,
    /// A known program that holds the pod, such as Kueue.
    Handler,
    /// Whoever ends other pods or adds nodes: the nodes for this pod are full.
    Room,
    /// The operator of the nodes for this pod: they are cordoned, still starting or unhealthy.
    Nodes,
    /// The owner of the pod, or whoever adds a different kind of node: it requires what no node
    /// has.
    Spec,
    /// Whoever removes its scheduling gates.
    Gates,
    /// Whoever brings it into the queue: another scheduler, or the controller of its claims or
    /// group.
    Queue,
    /// It is not known.
    Unknown,
}

impl Actor {
    /// All of them.
    pub(crate) const ALL: [Self; 10] = [
        Self::Scheduler,
        Self::Victims,
        Self::Autoscaler,
        Self::Handler,
        Self::Room,
        Self::Nodes,
        Self::Spec,
        Self::Gates,
        Self::Queue,
        Self::Unknown,
    ];

    /// Its name in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "scheduler",
            Self::Victims => "victims",
            Self::Autoscaler => "autoscaler",
            Self::Handler => "handler",
            Self::Room => "room",
            Self::Nodes => "nodes",
            Self::Spec => "spec",
            Self::Gates => "gates",
            Self::Queue => "queue",
            Self::Unknown => "unknown",
        }
    }

    /// Who has to act for the pod of `row`.
    pub(crate) fn of(row: &PendingRow) -> Self {
        // Until that program releases the pod, it does not matter what kube-scheduler would do.
        if row.handler().is_some() {
            return Self::Handler;
        }
        match row.verdict {
            PendingVerdict::Fits | PendingVerdict::Preempts => Self::Scheduler,
            PendingVerdict::Waits => Self::Victims,
            PendingVerdict::Gated => Self::Gates,
            PendingVerdict::NotInQueue => Self::Queue,
            PendingVerdict::Errors | PendingVerdict::Placed | PendingVerdict::Gone => Self::Unknown,
            PendingVerdict::Blocked => Self::of_blocked(row),
        }
    }

    /// Who has to act for a pod that no node takes and that does not preempt, judged by its
    /// obstacles on the nearest nodes.
    fn of_blocked(row: &PendingRow) -> Self {
        if row.next.is_some_and(|next| next.who == WhoActs::Autoscaler) {
            return Self::Autoscaler;
        }
        let Some(cause) = &row.cause else { return Self::Unknown };
        match (cause.nearness, cause.obstacle) {
            // If the pod asks for nodes by name, only its obstacles there count.
            (Some(Nearness::Full), _) | (Some(Nearness::OtherName), Some(Obstacle::Room)) => {
                Self::Room
            }
            (Some(Nearness::Closed), _) | (Some(Nearness::OtherName), Some(Obstacle::Cordon)) => {
                Self::Nodes
            }
            (Some(Nearness::TooSmall | Nearness::OtherPool | Nearness::Reserved), _)
            | (Some(Nearness::OtherName), Some(_)) => Self::Spec,
            (Some(Nearness::OtherName) | None, _) => Self::Unknown,
        }
    }
}
