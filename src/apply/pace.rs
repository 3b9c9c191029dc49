//! How long is waited between requests.

use std::time::Duration;

/// Waits. The defaults are for clusters; tests are faster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// Before an eviction that a budget forbade is tried again, at least; kubectl drain's.
    pub budget: Duration,
    /// Before a request that the server had no time for is sent again, at least.
    pub busy: Duration,
    /// Before a read that failed is tried again; doubled each time up to [`Self::longest`].
    pub retry: Duration,
    /// Longest wait between two attempts to read.
    pub longest: Duration,
    /// Between two looks at a pod that may not be watched.
    pub poll: Duration,
    /// How long a watch is let run before the pod is looked at again, in whole seconds.
    pub watch: Duration,
    /// For how long a request that is under way is waited for after a signal.
    pub finish: Duration,
    /// Each wait is longer by up to this share of it, in percent, so that many of us do not come back at once.
    pub jitter: u32,
    /// How often a read is tried before anything was sent.
    pub attempts: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            budget: Duration::from_secs(5),
            busy: Duration::from_secs(1),
            retry: Duration::from_millis(500),
            longest: Duration::from_secs(15),
            poll: Duration::from_secs(2),
            watch: Duration::from_secs(60),
            finish: Duration::from_secs(10),
            jitter: 20,
            attempts: 4,
        }
    }
}

impl Pace {
    /// `wait` and a share of chance: `dice` is any number.
    pub(super) fn jittered(&self, wait: Duration, dice: u64) -> Duration {
        let share = u128::from(dice % 1000) * u128::from(self.jitter) / 100;
        let extra = wait.as_nanos() * share / 1000;
        wait + Duration::from_nanos(u64::try_from(extra).unwrap_or(u64::MAX))
    }

    /// The wait before the attempt after `failed` ones.
    pub(super) fn backoff(&self, failed: u32) -> Duration {
        self.retry.saturating_mul(1 << failed.min(10)).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_chance_adds_a_share() {
        let pace = Pace::default();
        assert_eq!(pace.backoff(0), Duration::from_millis(500));
        assert_eq!(pace.backoff(2), Duration::from_secs(2));
        assert_eq!(pace.backoff(60), Duration::from_secs(15));
        let wait = Duration::from_secs(10);
        assert_eq!(pace.jittered(wait, 0), wait);
        for dice in 0..3000 {
            let longer = pace.jittered(wait, dice);
            assert!(longer >= wait && longer <= Duration::from_secs(12), "{longer:?}");
        }
    }
}
