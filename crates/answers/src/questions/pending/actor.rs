//! Who has to act before a pod that waits gets a node: for metrics, and for WHO ACTS, which names
//! programs alone.

use super::list::PendingVerdict;
use super::row::{AutoscalerRole, PendingRow};
use engine::decision::handlers::Handler;
use engine::decision::nearest::Nearness;
use engine::framework::reason::Obstacle;

/// Who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    /// kube-scheduler, at its next attempt: the pod fits, or it preempts.
    Scheduler,
    /// The kubelets that end its victims.
    Victims,
    /// An autoscaler, which adds or may add a node for it.
    Autoscaler,
    /// The program that holds the pod and is known here, such as Kueue.
    Handler(Handler),
    /// Someone who ends other pods or adds nodes: the nodes for this pod are full.
    Room,
    /// The operator of the nodes for this pod: they are cordoned, still starting or unhealthy.
    Nodes,
    /// The pod's owner, or someone who adds a different kind of node: it requires what no node has.
    Spec,
    /// The program or person that removes its scheduling gates.
    Gates,
    /// What brings it into the queue: another scheduler, or the controller of its claims or group.
    Queue,
    /// It is not known.
    Unknown,
}

impl Actor {
    /// The names of all of them in metrics.
    pub const NAMES: [&'static str; 10] = [
        "scheduler",
        "victims",
        "autoscaler",
        "handler",
        "room",
        "nodes",
        "spec",
        "gates",
        "queue",
        "unknown",
    ];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "scheduler",
            Self::Victims => "victims",
            Self::Autoscaler => "autoscaler",
            Self::Handler(_) => "handler",
            Self::Room => "room",
            Self::Nodes => "nodes",
            Self::Spec => "spec",
            Self::Gates => "gates",
            Self::Queue => "queue",
            Self::Unknown => "unknown",
        }
    }

    /// Who has to act for the pod of `row`.
    pub fn of(row: &PendingRow) -> Self {
        // Until that program lets the pod go, what kube-scheduler would do does not matter.
        if let Some(handler) = row.handler() {
            return Self::Handler(handler);
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
        if let Some(AutoscalerRole::Says(verdict)) = row.autoscalers
            && verdict.may_add_node()
        {
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
