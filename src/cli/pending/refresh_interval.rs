//! When `--watch` reads the cluster again: soon after a change, seldom without one, and with longer waits after failures.

use std::time::{Duration, Instant};

/// The shortest time between two reads.
const MIN_WAIT: Duration = Duration::from_secs(1);
/// After a read, the wait is at least this many times as long as the read took, so that a large cluster is not read all the
/// time.
const WAIT_PER_READ: u32 = 4;
/// The wait without a change. What is not watched (budgets, claims, volumes) may have changed by then.
const UNCHANGED_WAIT: Duration = Duration::from_secs(30);
/// The longest wait after failures.
const MAX_FAILURE_WAIT: Duration = Duration::from_secs(30);

/// Computes when the next read is due.
#[derive(Debug)]
pub(super) struct RefreshInterval {
    /// The wait where the cluster may not be watched.
    interval: Duration,
    /// When the read under way began; `None` between reads.
    began: Option<Instant>,
    /// When the last read ended.
    ended: Instant,
    /// How long the last read took.
    took: Duration,
    /// Whether something has changed since the last read began.
    changed: bool,
    /// Whether the cluster may not be watched.
    polling: bool,
    /// Reads that failed since the last that succeeded.
    failures: u32,
}

impl RefreshInterval {
    /// `interval` is the wait where the cluster may not be watched.
    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        let (began, took) = (None, Duration::ZERO);
        Self { interval, began, ended: now, took, changed: false, polling: false, failures: 0 }
    }

    /// A read begins.
    pub(super) fn read_began(&mut self, now: Instant) {
        self.began = Some(now);
        self.changed = false;
    }

    /// The read has ended.
    pub(super) fn read_ended(&mut self, now: Instant, succeeded: bool) {
        self.took = self.began.take().map_or(Duration::ZERO, |began| now.saturating_duration_since(began));
        self.ended = now;
        self.failures = if succeeded { 0 } else { self.failures.saturating_add(1) };
    }

    /// Something in the cluster has changed.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// The cluster may not be watched: from now on it is read at the interval.
    pub(super) fn poll(&mut self) {
        self.polling = true;
    }

    /// When the next read is due; `None` while one is under way.
    pub(super) fn next_read(&self) -> Option<Instant> {
        if self.began.is_some() {
            return None;
        }
        let shortest = MIN_WAIT.max(self.took.saturating_mul(WAIT_PER_READ));
        let wait = if self.failures > 0 {
            MIN_WAIT.saturating_mul(1 << self.failures.min(6)).min(MAX_FAILURE_WAIT)
        } else if self.changed {
            shortest
        } else if self.polling {
            shortest.max(self.interval)
        } else {
            shortest.max(UNCHANGED_WAIT)
        };
        Some(self.ended + wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(change: impl FnOnce(&mut RefreshInterval), took: u64, well: bool) -> u64 {
        let start = Instant::now();
        let mut refresh = RefreshInterval::new(Duration::from_secs(5), start);
        refresh.read_began(start);
        assert_eq!(refresh.next_read(), None, "one read at a time");
        let end = start + Duration::from_millis(took);
        refresh.read_ended(end, well);
        change(&mut refresh);
        refresh.next_read().unwrap().duration_since(end).as_millis().try_into().unwrap()
    }

    #[test]
    fn a_read_follows_a_change_soon_and_a_long_read_later() {
        assert_eq!(waits(|_| {}, 10, true), 30_000);
        assert_eq!(waits(RefreshInterval::changed, 10, true), 1000);
        assert_eq!(waits(RefreshInterval::changed, 2000, true), 8000);
        assert_eq!(waits(RefreshInterval::poll, 10, true), 5000);
        assert_eq!(waits(RefreshInterval::poll, 2000, true), 8000);
    }

    #[test]
    fn failures_lengthen_the_wait() {
        assert_eq!(waits(RefreshInterval::changed, 10, false), 2000);
        let again = |refresh: &mut RefreshInterval| (0..9).for_each(|_| refresh.read_ended(refresh.ended, false));
        assert_eq!(waits(again, 0, false), 30_000);
    }

    #[test]
    fn a_change_during_a_read_counts() {
        let start = Instant::now();
        let mut refresh = RefreshInterval::new(Duration::from_secs(5), start);
        refresh.read_began(start);
        refresh.changed();
        refresh.read_ended(start, true);
        assert_eq!(refresh.next_read(), Some(start + MIN_WAIT));
    }
}
