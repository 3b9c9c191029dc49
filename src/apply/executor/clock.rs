//! The time limits of a run: a deadline and the signals.

use std::future::{Future, pending, ready};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::stop::{StepResult, StopReason};
use crate::apply::signals::{SignalReceiver, StopSource};

pub(in crate::apply) fn now() -> Timestamp {
    Timestamp::now()
}

/// Aborts every wait of a run at a signal or at the deadline.
pub(in crate::apply) struct Clock {
    /// The signals that the process received.
    pub signals: SignalReceiver,
    /// Whether the deadline counts as reached before its time, if a caller decides that.
    time_is_up: Option<watch::Receiver<bool>>,
    deadline: Option<Deadline>,
    /// Whether failed reads are repeated until the deadline: from the confirmation on.
    is_started: bool,
}

#[derive(Clone, Copy)]
struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Clock {
    /// A clock whose deadline is `timeout` after `begun`, unless that is zero or not given.
    pub(in crate::apply) fn new(
        stop: StopSource,
        timeout: Option<Duration>,
        begun: Instant,
    ) -> Self {
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        let deadline = timeout.map(|timeout| Deadline { at: begun + timeout, timeout });
        let StopSource { signals, time_is_up } = stop;
        Self { signals: SignalReceiver::new(signals), time_is_up, deadline, is_started: false }
    }

    /// From now on failed reads are repeated until the deadline. Sets one `default` from now, if
    /// the user has given no time.
    pub(in crate::apply) fn start(&mut self, default: Option<Duration>) {
        self.is_started = true;
        if let Some(timeout) = default {
            self.deadline = Some(Deadline { at: Instant::now() + timeout, timeout });
        }
    }

    pub(in crate::apply) fn is_started(&self) -> bool {
        self.is_started
    }

    /// Whether failed reads are repeated until a deadline.
    pub(in crate::apply) fn has_deadline(&self) -> bool {
        self.is_started && self.deadline.is_some()
    }

    /// The time until the deadline, if there is one.
    pub(in crate::apply) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.at.saturating_duration_since(Instant::now()))
    }

    /// Replaces the deadline for the steps with which every run ends.
    pub(in crate::apply) fn close_within(&mut self, time: Duration) {
        self.deadline = Some(Deadline { at: Instant::now() + time, timeout: time });
        self.time_is_up = None;
    }

    /// Waits for the user, who was asked at `since`. That time does not count towards the deadline.
    pub(in crate::apply) async fn run_untimed<T>(
        &mut self,
        since: Instant,
        work: impl Future<Output = T>,
    ) -> StepResult<T> {
        let mut signals = self.signals.clone();
        tokio::select! {
            biased;
            signal = signals.after(0) => Err(StopReason::Signal(signal)),
            done = work => {
                if let Some(deadline) = &mut self.deadline {
                    deadline.at += since.elapsed();
                }
                Ok(done)
            }
        }
    }

    /// Returns at the deadline, with the time that it stands for; never if there is none.
    pub(in crate::apply) async fn passed(&self) -> Duration {
        match self.deadline {
            Some(Deadline { at, timeout }) => {
                tokio::select! {
                    () = sleep_until(at) => {}
                    () = until_time_is_up(self.time_is_up.clone()) => {}
                }
                timeout
            }
            None => pending().await,
        }
    }

    /// Runs `work` unless a signal or the deadline comes first.
    pub(in crate::apply) async fn run<T>(&self, work: impl Future<Output = T>) -> StepResult<T> {
        let mut signals = self.signals.clone();
        tokio::select! {
            biased;
            signal = signals.after(0) => Err(StopReason::Signal(signal)),
            done = work => Ok(done),
            timeout = self.passed() => Err(StopReason::Timeout(timeout)),
        }
    }

    /// Stops the run if a signal has arrived.
    pub(in crate::apply) async fn check_signals(&self) -> StepResult<()> {
        self.run(ready(())).await
    }
}

/// Waits until a caller says that the deadline is reached; for ever if none does.
async fn until_time_is_up(told: Option<watch::Receiver<bool>>) {
    if let Some(mut told) = told
        && told.wait_for(|is_up| *is_up).await.is_ok()
    {
        return;
    }
    pending::<()>().await;
}
