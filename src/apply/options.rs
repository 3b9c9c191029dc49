//! How a plan is applied: the options that the user chooses.

use std::time::Duration;

use super::wait_times::WaitTimes;

/// How victims are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Through the eviction API: the server enforces disruption budgets.
    #[default]
    Evict,
    /// As kube-scheduler does it: a condition states the reason, then the pod is deleted. The
    /// server does not check disruption budgets.
    Delete,
}

impl Mode {
    /// The value of `--mode`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evict => "evict",
            Self::Delete => "delete",
        }
    }

    /// The verb of a removal in progress: `evicting`.
    pub(super) const fn doing(self) -> &'static str {
        match self {
            Self::Evict => "evicting",
            Self::Delete => "deleting",
        }
    }

    /// The verb of a finished removal: `evicted`.
    pub(super) const fn done(self) -> &'static str {
        match self {
            Self::Evict => "evicted",
            Self::Delete => "deleted",
        }
    }
}

/// How much of a run is a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DryRun {
    /// Nothing: victims are removed.
    #[default]
    None,
    /// The cluster is read, and no write is sent.
    Client,
    /// The server validates the removals (`dryRun=All`) and does not persist them.
    Server,
}

impl DryRun {
    /// The value of `--dry-run`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// The suffix of a result line, as kubectl prints it.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Client => " (dry run)",
            Self::Server => " (server dry run)",
        }
    }
}

/// What reserves the room for the preemptor until it is on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reservation {
    /// kube-scheduler itself preempts for the pod, again if another pod takes the room.
    #[default]
    Scheduler,
    /// Nothing: kube-scheduler does not preempt for the pod, or not on this node.
    Nothing,
    /// Nothing, and the pod has scheduling gates.
    Gated,
}

/// How a plan is applied.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ApplyOptions {
    /// How victims are removed.
    pub mode: Mode,
    /// How much of the run is a rehearsal.
    pub dry_run: DryRun,
    /// Whether `status.nominatedNodeName` of the preemptor is set before the first removal.
    pub nominate: bool,
    /// What reserves the room besides a nomination.
    pub reservation: Reservation,
    /// Whether victims with hazards may be removed.
    pub force: bool,
    /// Whether victims may be removed whose `emptyDir` volumes are lost with them.
    pub delete_emptydir_data: bool,
    /// Time limit from the confirmation on; zero: no limit; `None`: 5 minutes and the longest grace
    /// period.
    pub timeout: Option<Duration>,
    /// Whether to wait until the preemptor is bound to a node.
    pub wait: bool,
    /// Grace period of the victims in seconds, instead of their own.
    pub grace_period: Option<u32>,
    /// Whether the confirmation is skipped.
    pub yes: bool,
    /// Whether an Event is written on each victim.
    pub record: bool,
    /// Time limit of a single request; zero or `None`: what the server itself allows a request.
    pub request_timeout: Option<Duration>,
    /// Waiting times between requests.
    pub wait_times: WaitTimes,
}

impl ApplyOptions {
    /// What the user should know before the question: nothing reserves the room.
    pub(super) fn unreserved(&self) -> Option<String> {
        match self.reservation {
            Reservation::Nothing if !self.nominate => Some(
                "nothing reserves the room for the pod: another pod may take it; --nominate reserves it".to_owned(),
            ),
            Reservation::Scheduler | Reservation::Nothing => None,
            Reservation::Gated => {
                let waits = if self.wait { "" } else { " (not waiting; --wait waits)" };
                Some(format!(
                    "the pod has scheduling gates: kube-scheduler does not try it before they are removed, and until then the \
                     room is not reserved for it{waits}"
                ))
            }
        }
    }
}
