//! Pending responses of the server and of credential plugins. A screen uses them to show that its
//! data may be stale.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A response is overdue after this long without any data.
pub(super) const ANSWER: Duration = Duration::from_secs(5);
/// A watch is overdue after this long without a line: API servers send a bookmark once a minute.
pub(super) const NEWS: Duration = Duration::from_secs(75);

/// Something that the client waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// The credentials of this plugin.
    Login(String),
    /// The response to this request, or the rest of it: `GET /api/v1/pods`.
    Answer(String),
}

/// A wait that has exceeded its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overdue {
    pub what: Awaited,
    /// When the wait began.
    pub since: Timestamp,
}

/// All current waits.
#[derive(Debug, Clone, Default)]
pub struct Waits(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    next: u64,
    waits: BTreeMap<u64, (Overdue, Instant)>,
}

impl Waits {
    /// Registers a wait that lasts until the value is dropped and is overdue after `patience`.
    pub(super) fn begin(&self, what: Awaited, patience: Duration) -> WaitGuard {
        let mut running = self.lock();
        let id = running.next;
        running.next += 1;
        running
            .waits
            .insert(id, (Overdue { what, since: Timestamp::now() }, Instant::now() + patience));
        drop(running);
        WaitGuard { all: self.clone(), id }
    }

    /// The overdue wait to show: a login, which blocks everything else, or else the longest one.
    pub fn overdue(&self) -> Option<Overdue> {
        self.overdue_at(Instant::now())
    }

    fn overdue_at(&self, now: Instant) -> Option<Overdue> {
        let running = self.lock();
        let overdue =
            running.waits.values().filter(|(_, due)| *due <= now).map(|(overdue, _)| overdue);
        overdue
            .min_by_key(|overdue| (matches!(overdue.what, Awaited::Answer(_)), overdue.since))
            .cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the wait on drop.
#[must_use]
pub(super) struct WaitGuard {
    all: Waits,
    id: u64,
}

impl Drop for WaitGuard {
    fn drop(&mut self) {
        self.all.lock().waits.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_response_is_overdue_until_it_arrives() {
        let (waits, start) = (Waits::default(), Instant::now());
        let answer = |path: &str| Awaited::Answer(path.to_owned());
        let overdue = |after: Duration| waits.overdue_at(start + after).map(|overdue| overdue.what);
        let (soon, late) = (ANSWER + Duration::from_secs(1), NEWS + Duration::from_secs(1));
        let watch = waits.begin(answer("watch"), NEWS);
        let first = waits.begin(answer("first"), ANSWER);
        let second = waits.begin(answer("second"), ANSWER);
        assert_eq!(overdue(Duration::ZERO), None);
        assert_eq!(overdue(soon), Some(answer("first")), "the one that is waited for longest");
        let login = waits.begin(Awaited::Login("aws".to_owned()), ANSWER);
        assert_eq!(overdue(soon), Some(Awaited::Login("aws".to_owned())));
        drop((login, first));
        assert_eq!(overdue(soon), Some(answer("second")));
        drop(second);
        assert_eq!(overdue(soon), None);
        assert_eq!(overdue(late), Some(answer("watch")));
        drop(watch);
        assert_eq!(overdue(late), None);
    }
}
