//! How often a cluster is read that is watched: soon after a change, never faster than it can be read, more patiently after
//! failures.

use std::time::{Duration, Instant};

/// Between two reads, at least.
const SHORTEST: Duration = Duration::from_secs(1);
/// A read is followed by a rest of so many times what it took, so that a large cluster is not read all the time.
const REST: u32 = 4;
/// What is not watched (budgets, claims, volumes) is read again after this long.
const SLOWEST: Duration = Duration::from_secs(30);
/// Longest wait after failures.
const PATIENCE: Duration = Duration::from_secs(30);

/// When the next read is due.
#[derive(Debug)]
pub(super) struct Pace {
    interval: Duration,
    began: Option<Instant>,
    ended: Instant,
    took: Duration,
    changed: bool,
    polling: bool,
    failures: u32,
}

impl Pace {
    /// `interval` holds where nothing tells of changes.
    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        let (began, took) = (None, Duration::ZERO);
        Self { interval, began, ended: now, took, changed: false, polling: false, failures: 0 }
    }

    /// A read begins.
    pub(super) fn begins(&mut self, now: Instant) {
        self.began = Some(now);
        self.changed = false;
    }

    /// It has ended.
    pub(super) fn ends(&mut self, now: Instant, well: bool) {
        self.took = self.began.take().map_or(Duration::ZERO, |began| now.saturating_duration_since(began));
        self.ended = now;
        self.failures = if well { 0 } else { self.failures.saturating_add(1) };
    }

    /// Something has changed.
    pub(super) fn changes(&mut self) {
        self.changed = true;
    }

    /// Nothing tells of changes any more.
    pub(super) fn polls(&mut self) {
        self.polling = true;
    }

    /// When the next read is due; `None` while one is under way.
    pub(super) fn next(&self) -> Option<Instant> {
        if self.began.is_some() {
            return None;
        }
        let rest = SHORTEST.max(self.took.saturating_mul(REST));
        let wait = if self.failures > 0 {
            SHORTEST.saturating_mul(1 << self.failures.min(6)).min(PATIENCE)
        } else if self.changed {
            rest
        } else if self.polling {
            rest.max(self.interval)
        } else {
            rest.max(SLOWEST)
        };
        Some(self.ended + wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(change: impl FnOnce(&mut Pace), took: u64, well: bool) -> u64 {
        let start = Instant::now();
        let mut pace = Pace::new(Duration::from_secs(5), start);
        pace.begins(start);
        assert_eq!(pace.next(), None, "one read at a time");
        let end = start + Duration::from_millis(took);
        pace.ends(end, well);
        change(&mut pace);
        pace.next().unwrap().duration_since(end).as_millis().try_into().unwrap()
    }

    #[test]
    fn a_read_follows_a_change_soon_and_a_long_read_later() {
        assert_eq!(waits(|_| {}, 10, true), 30_000);
        assert_eq!(waits(Pace::changes, 10, true), 1000);
        assert_eq!(waits(Pace::changes, 2000, true), 8000);
        assert_eq!(waits(Pace::polls, 10, true), 5000);
        assert_eq!(waits(Pace::polls, 2000, true), 8000);
    }

    #[test]
    fn failures_make_it_patient() {
        assert_eq!(waits(Pace::changes, 10, false), 2000);
        let again = |pace: &mut Pace| (0..9).for_each(|_| pace.ends(pace.ended, false));
        assert_eq!(waits(again, 0, false), 30_000);
    }

    #[test]
    fn a_change_during_a_read_counts() {
        let start = Instant::now();
        let mut pace = Pace::new(Duration::from_secs(5), start);
        pace.begins(start);
        pace.changes();
        pace.ends(start, true);
        assert_eq!(pace.next(), Some(start + SHORTEST));
    }
}
