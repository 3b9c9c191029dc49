//! Reads of single pods, with retries.

use tokio::time::{sleep, timeout};

use super::{Executor, StepResult};
use crate::apply::server::pods::{self, PodLookup, ReadError};
use engine::simulation::plan::PodId;

impl Executor<'_> {
    /// Reads a pod, with retries while they may help. The error is the message of the last read.
    pub(in crate::apply) async fn read_pod(
        &mut self,
        pod: &PodId,
    ) -> StepResult<Result<PodLookup, String>> {
        let (mut failed, mut denied) = (0, 0);
        let times = self.session.options.wait_times.clone();
        loop {
            let read = self.clock.run(pods::look_up(&self.session.reader, pod)).await?;
            if let Err(ReadError::Denied(text) | ReadError::Temporary(text)) = &read {
                self.failed(text);
            }
            match read {
                Ok(lookup) => {
                    self.succeeded();
                    self.saw_pod(&lookup);
                    return Ok(Ok(lookup));
                }
                // The permission was checked. A server that has just started denies everything
                // until it has loaded the roles.
                Err(ReadError::Denied(text)) if denied >= times.attempts => return Ok(Err(text)),
                Err(ReadError::Denied(_)) => denied += 1,
                Err(ReadError::Temporary(text))
                    if !self.clock.has_deadline() && failed >= times.attempts =>
                {
                    return Ok(Err(text));
                }
                Err(ReadError::Temporary(text)) => {
                    if failed == 0 {
                        self.warn(&format!(
                            "cannot read pod {}: {text} (will try again)",
                            pod.full_name()
                        ));
                    }
                }
            }
            self.pause(times.backoff(failed)).await?;
            failed += 1;
        }
    }

    /// Records the result of a read of a pod: later decisions must not be based on an older state.
    pub(in crate::apply) fn saw_pod(&mut self, lookup: &PodLookup) {
        if let PodLookup::Found(view) = lookup {
            self.freshness.saw("pods", &view.resource_version);
        }
    }

    /// Reads a pod at the end of a run, with a time limit even after a signal; a second signal or
    /// the deadline aborts it.
    pub(in crate::apply) async fn read_pod_at_end(&self, pod: &PodId) -> Option<PodLookup> {
        let times = &self.session.options.wait_times;
        let mut signals = self.clock.signals.clone();
        let count = signals.count();
        let reads = async {
            for attempt in 0..times.attempts {
                match pods::look_up(&self.session.reader, pod).await {
                    Ok(lookup) => return Some(lookup),
                    Err(ReadError::Denied(_) | ReadError::Temporary(_)) => {
                        sleep(times.backoff(attempt)).await;
                    }
                }
            }
            None
        };
        tokio::select! {
            lookup = timeout(times.finish, reads) => lookup.ok().flatten(),
            _ = signals.after(count) => None,
            _ = self.clock.passed() => None,
        }
    }
}
