//! The time limits of a run: a deadline and the signals.

use std::future::{Future, pending, ready};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::stop::{StepResult, StopReason};
use crate::apply::signals::{SignalReceiver, StopChannels, StopSource};

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
}

#[derive(Clone, Copy)]
struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Clock {
    /// A clock without a deadline. Must be called inside a runtime.
    pub(in crate::apply) fn new(stop: StopSource) -> Self {
        match stop {
            StopSource::Process => {
                Self { signals: SignalReceiver::of_process(), time_is_up: None, deadline: None }
            }
            StopSource::Channels(StopChannels { signals, time_is_up }) => Self {
                signals: SignalReceiver::new(signals),
                time_is_up: Some(time_is_up),
                deadline: None,
            },
        }
    }

    /// Sets the deadline `timeout` from now; zero means no deadline.
    pub(in crate::apply) fn start(&mut self, timeout: Duration) {
        self.deadline =
            (!timeout.is_zero()).then(|| Deadline { at: Instant::now() + timeout, timeout });
    }

    pub(in crate::apply) fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// Runs `work` unless a signal or the deadline comes first.
    pub(in crate::apply) async fn run<T>(&self, work: impl Future<Output = T>) -> StepResult<T> {
        let mut signals = self.signals.clone();
        let timeout = async {
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
        };
        tokio::select! {
            biased;
            signal = signals.after(0) => Err(StopReason::Signal(signal)),
            done = work => Ok(done),
            timeout = timeout => Err(StopReason::Timeout(timeout)),
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
    pending().await
}
