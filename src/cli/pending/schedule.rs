//! When `--watch` decides again and lists what is not watched. Only the newest state is decided:
//! changes that come while a decision is under way are decided together after it.

use std::time::{Duration, Instant};

/// The shortest time from the beginning of one decision to that of the next.
const SHORTEST: Duration = Duration::from_millis(250);
/// After a decision, the wait is at least this part of the time that it took, so that there is
/// always some processor time left.
const REST: u32 = 2;
/// The longest time without a decision, because some depend on the time; and the wait between two
/// lists of what the watches do not show, such as the server's version.
const UNCHANGED_WAIT: Duration = Duration::from_secs(30);
/// After a list, the wait is at least this many times as long as the list took.
const WAIT_PER_LIST: u32 = 4;
/// The wait after a failure, which is doubled with each further one, and the longest.
const FAILURE_WAIT: Duration = Duration::from_secs(1);
const MAX_FAILURE_WAIT: Duration = Duration::from_secs(30);

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// To decide about the pods of what is kept.
    Decide,
    /// To list what is not watched, and decide.
    List,
}

/// Computes what is done next, and when.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The wait between two lists of a kind that may not be watched.
    interval: Duration,
    /// What is under way, and when it began.
    now: Option<(Task, Instant)>,
    /// When the last task began, when it ended, and how long it took.
    began: Instant,
    ended: Instant,
    took: Duration,
    /// The same of the last list.
    listed: Instant,
    list_took: Duration,
    /// Whether something has changed since the last task began.
    changed: bool,
    /// Whether a kind may not be watched.
    lists: bool,
    /// Tasks that failed since the last that succeeded.
    failures: u32,
}

impl Schedule {
    /// `interval` is the wait between two lists of a kind that may not be watched.
    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        Self {
            interval,
            now: None,
            began: now,
            ended: now,
            took: Duration::ZERO,
            listed: now,
            list_took: Duration::ZERO,
            changed: false,
            lists: false,
            failures: 0,
        }
    }

    pub(super) fn begin(&mut self, task: Task, now: Instant) {
        self.now = Some((task, now));
        self.changed = false;
    }

    /// The task has ended.
    pub(super) fn end(&mut self, now: Instant, succeeded: bool) {
        let Some((task, began)) = self.now.take() else { return };
        (self.began, self.ended, self.took) = (began, now, now.saturating_duration_since(began));
        if task == Task::List {
            (self.listed, self.list_took) = (now, self.took);
        }
        self.failures = if succeeded { 0 } else { self.failures.saturating_add(1) };
        // What failed is tried again.
        self.changed |= !succeeded;
    }

    /// Something in the cluster has changed.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// A kind may not be watched: it is listed at the interval.
    pub(super) fn list_at_interval(&mut self) {
        self.lists = true;
    }

    /// The wait between two lists of what is not watched.
    pub(super) fn list_interval(&self) -> Duration {
        let interval = if self.lists { self.interval } else { UNCHANGED_WAIT };
        interval.max(self.list_took.saturating_mul(WAIT_PER_LIST))
    }

    /// What is done next, and when; `None` while something is under way.
    pub(super) fn next(&self) -> Option<(Task, Instant)> {
        if self.now.is_some() {
            return None;
        }
        if let Some(more) = self.failures.checked_sub(1) {
            let wait = FAILURE_WAIT.saturating_mul(1 << more.min(6)).min(MAX_FAILURE_WAIT);
            return Some((Task::List, self.ended + wait));
        }
        let list = (Task::List, self.listed + self.list_interval());
        let decide = (Task::Decide, (self.began + SHORTEST).max(self.ended + self.took / REST));
        Some(if self.changed && decide.1 < list.1 { decide } else { list })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schedule after a first task of this duration in milliseconds, and the time of its end.
    fn after(task: Task, took: u64, succeeded: bool) -> (Schedule, Instant) {
        let start = Instant::now();
        let mut schedule = Schedule::new(Duration::from_secs(5), start);
        schedule.begin(task, start);
        assert_eq!(schedule.next(), None, "one task at a time");
        let end = start + Duration::from_millis(took);
        schedule.end(end, succeeded);
        (schedule, end)
    }

    fn wait(schedule: &Schedule, end: Instant) -> (Task, u128) {
        let (task, at) = schedule.next().unwrap();
        (task, at.duration_since(end).as_millis())
    }

    #[test]
    fn a_decision_follows_a_change_soon_and_a_long_one_later() {
        for (took, waits) in [(10, 240), (200, 100), (2000, 1000)] {
            let (mut schedule, end) = after(Task::Decide, took, true);
            schedule.changed();
            assert_eq!(wait(&schedule, end), (Task::Decide, waits), "{took}");
        }
    }

    #[test]
    fn unwatched_kinds_are_listed_at_intervals() {
        let (mut schedule, end) = after(Task::List, 10, true);
        assert_eq!(wait(&schedule, end), (Task::List, 30_000));
        schedule.list_at_interval();
        assert_eq!(wait(&schedule, end), (Task::List, 5000));
        let (mut slow, end) = after(Task::List, 2000, true);
        slow.list_at_interval();
        assert_eq!(wait(&slow, end), (Task::List, 8000));
    }

    #[test]
    fn failures_lengthen_the_wait() {
        let (mut schedule, mut end) = after(Task::Decide, 0, false);
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            schedule.changed();
            assert_eq!(wait(&schedule, end), (Task::List, seconds * 1000));
            schedule.begin(Task::List, end);
            end += Duration::from_millis(1);
            schedule.end(end, false);
        }
    }

    /// A thousand events a second for ten seconds, and decisions that take so long: how many
    /// decisions there are, and how long an event waited at most for the end of the first decision
    /// that began after it.
    fn storm(took: u64) -> (usize, u64) {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut schedule = Schedule::new(Duration::from_secs(5), start);
        let (mut decisions, mut waiting_since, mut under_way) = (0, None, None);
        let mut longest = 0;
        for ms in 0..10_000 {
            schedule.changed();
            waiting_since.get_or_insert(ms);
            if let Some((ends, since)) = under_way.filter(|(ends, _)| *ends == ms) {
                schedule.end(at(ends), true);
                longest = longest.max(ends - since);
                under_way = None;
            }
            if let Some((task, _)) = schedule.next().filter(|(_, due)| *due <= at(ms)) {
                schedule.begin(task, at(ms));
                decisions += 1;
                under_way = waiting_since.take().map(|since| (ms + took, since));
            }
        }
        (decisions, longest)
    }

    #[test]
    fn a_storm_of_events_is_decided_at_most_four_times_a_second_and_no_event_waits_for_others() {
        for (took, most, longest) in [(1, 40, 260), (100, 40, 360), (300, 23, 760), (1000, 7, 2510)]
        {
            let (decisions, waited) = storm(took);
            assert!((most - 2..=most).contains(&decisions), "{took}: {decisions}");
            assert!(waited <= longest, "{took}: {waited}");
        }
    }
}
