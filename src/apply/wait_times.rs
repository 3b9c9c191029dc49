//! The delays between requests.

use std::time::Duration;

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
