//! The user's options for applying a plan.

use std::time::{Duration, Instant};

use super::wait_times::WaitTimes;

/// How victims are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Through the eviction API: the server enforces disruption budgets.
    #[default]
    Evict,
    /// Like kube-scheduler: a condition states the reason, then the pod is deleted. The server does
    /// not check disruption budgets.
    Delete,
}

impl Mode {
    /// The value of `--mode`.
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

/// How much of a run is a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DryRunMode {
    /// Victims are removed.
    #[default]
    None,
    /// The cluster is read, and no write is sent.
    Client,
    /// The server validates the removals (`dryRun=All`) and does not persist them.
    Server,
}

impl DryRunMode {
    /// The value of `--dry-run`.
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

/// What reserves the capacity for the preemptor until it is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reservation {
    /// kube-scheduler itself preempts for the pod, again if another pod takes the capacity.
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
    pub mode: Mode,
    pub dry_run: DryRunMode,
    /// Whether `status.nominatedNodeName` of the preemptor is set before the first removal.
    pub nominate: bool,
    /// What reserves the capacity other than a nomination.
    pub reservation: Reservation,
    /// Whether victims with hazards may be removed.
    pub force: bool,
    /// Whether pods may be removed although another pending pod may take the room.
    pub yes_despite_competitors: bool,
    /// Whether victims may be removed whose `emptyDir` data would be lost.
    pub delete_emptydir_data: bool,
    /// Time limit of the whole command, without the time in which the user is asked; zero: no
    /// limit; `None`: 5 minutes and the longest grace period, from the confirmation on.
    pub timeout: Option<Duration>,
    /// When the command began; `None`: with the run.
    pub begun: Option<Instant>,
    /// Whether to wait until the preemptor is bound to a node.
    pub wait: bool,
    /// Grace period of the victims in seconds, instead of their own.
    pub grace_period: Option<u32>,
    /// Whether the confirmation is skipped.
    pub yes: bool,
    /// Whether an Event is written on each victim.
    pub record: bool,
    /// Timeout of a single request; zero or `None`: that of the server.
    pub request_timeout: Option<Duration>,
    /// Delays between requests.
    pub wait_times: WaitTimes,
}

impl ApplyOptions {
    /// The warning that nothing reserves the capacity, for display before the question.
    pub(super) fn unreserved(&self) -> Option<String> {
        match self.reservation {
            Reservation::Nothing if !self.nominate => Some(
                "nothing reserves the room for the pod: another pod may take it; --nominate reserves it against pods of equal or lower priority".to_owned(),
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
