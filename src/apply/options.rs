//! The user's options for applying a plan, and the delays between requests.

use std::time::{Duration, Instant};

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

/// The defaults suit real clusters; tests use shorter delays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitTimes {
    /// Minimum delay before an eviction blocked by a PodDisruptionBudget is retried; the value of
    /// `kubectl drain`.
    pub budget: Duration,
    /// Minimum delay before a request that an overloaded server rejected is retried.
    pub busy: Duration,
    /// Delay before the first retry of a failed read; doubled with each further one up to
    /// [`Self::longest`].
    pub retry: Duration,
    /// Maximum delay between two attempts to read.
    pub longest: Duration,
    /// Interval of polling a pod that may not be watched.
    pub poll: Duration,
    /// Duration of a watch, after which the pod is read again; whole seconds.
    pub watch: Duration,
    /// Maximum age of a decision when a removal based on it is sent.
    pub decision: Duration,
    /// Delay between two decisions while the run waits for the preemptor.
    pub decide: Duration,
    /// Grace time of a request in flight after a signal.
    pub finish: Duration,
    /// Time for what ends a run after its deadline: a last look at the victims, and clearing the
    /// nomination.
    pub closing: Duration,
    /// Random extension of each delay in percent, so that clients do not retry simultaneously.
    pub jitter: u32,
    /// Maximum number of attempts of a read without a deadline.
    pub attempts: u32,
}

impl Default for WaitTimes {
    fn default() -> Self {
        Self {
            budget: Duration::from_secs(5),
            busy: Duration::from_secs(1),
            retry: Duration::from_millis(500),
            longest: Duration::from_secs(15),
            poll: Duration::from_secs(2),
            watch: Duration::from_secs(60),
            decision: Duration::from_secs(2),
            decide: Duration::from_secs(3),
            finish: Duration::from_secs(10),
            closing: Duration::from_secs(2),
            jitter: 20,
            attempts: 4,
        }
    }
}

impl WaitTimes {
    /// `wait` with its random extension; `random` is any number.
    pub(super) fn jittered(&self, wait: Duration, random: u64) -> Duration {
        let share = u128::from(random % 1000) * u128::from(self.jitter) / 100;
        let extra = wait.as_nanos() * share / 1000;
        wait + Duration::from_nanos(u64::try_from(extra).unwrap_or(u64::MAX))
    }

    /// The delay after `failed` + 1 failed attempts.
    pub(super) fn backoff(&self, failed: u32) -> Duration {
        self.retry.saturating_mul(1 << failed.min(10)).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_jitter_extends_them() {
        let times = WaitTimes::default();
        assert_eq!(times.backoff(0), Duration::from_millis(500));
        assert_eq!(times.backoff(2), Duration::from_secs(2));
        assert_eq!(times.backoff(60), Duration::from_secs(15));
        let wait = Duration::from_secs(10);
        assert_eq!(times.jittered(wait, 0), wait);
        for random in 0..3000 {
            let longer = times.jittered(wait, random);
            assert!(longer >= wait && longer <= Duration::from_secs(12), "{longer:?}");
        }
    }
}
