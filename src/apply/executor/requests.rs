//! Reads of pods, and writes, each with its record in the journal.

use jiff::Timestamp;
use tokio::time::{sleep, timeout};

use super::{Executor, StepResult, now};
use crate::api::writer::{Lost, Reply, Write};
use crate::apply::journal::{JournalEvent, RequestAttempt, RequestKind, VictimEvent};
use crate::apply::options::Mode;
use crate::apply::server::outcome::{self, WriteOutcome};
use crate::apply::server::pods::{self, PodLookup, ReadError};
use crate::apply::server::request;
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

    /// Sends a write about a victim.
    pub(in crate::apply) async fn send(
        &mut self,
        pod: &PodId,
        kind: RequestKind,
        write: &Write<'_>,
    ) -> WriteOutcome {
        let sent_at = now();
        // If the program fails from here on, the request may have been executed.
        let mut ahead = self.journal.clone();
        let outcome = WriteOutcome::Unknown("no answer had arrived".to_owned());
        let attempt =
            RequestAttempt { request: kind, dry_run: false, sent_at, status: None, outcome };
        ahead.record(sent_at, JournalEvent::Victim(pod.clone(), VictimEvent::Answered(attempt)));
        self.ui.recorded(&ahead);
        let answer = self.send_to_end(write).await;
        self.record_attempt(pod, kind, false, sent_at, &answer)
    }

    /// Sends the removal of a victim in the user's mode. Afterwards a new decision is required.
    pub(in crate::apply) async fn send_removal(&mut self, pod: &PodId) -> WriteOutcome {
        self.outdate_decision();
        let (kind, write) = self.removal(pod, false);
        self.send(pod, kind, &write).await
    }

    /// Sends the removal of a victim as a dry run. A signal or the deadline aborts it at once.
    pub(in crate::apply) async fn send_dry_run(&mut self, pod: &PodId) -> StepResult<WriteOutcome> {
        let (kind, write) = self.removal(pod, true);
        let sent_at = now();
        let answer = self.clock.run(self.session.writer.send(&write)).await?;
        Ok(self.record_attempt(pod, kind, true, sent_at, &answer))
    }

    /// Sends a write. After a signal it gets a grace time; a second signal or the deadline aborts
    /// it.
    pub(in crate::apply) async fn send_to_end(&self, write: &Write<'_>) -> Result<Reply, Lost> {
        let count = self.clock.signals.count();
        let (mut first, mut second) = (self.clock.signals.clone(), self.clock.signals.clone());
        let interrupted = async {
            let signal = first.after(count).await;
            tokio::select! {
                () = sleep(self.session.options.wait_times.finish) => {}
                _ = second.after(count + 1) => {}
            }
            signal
        };
        tokio::select! {
            biased;
            answer = self.session.writer.send(write) => answer,
            signal = interrupted => Err(Lost::NoAnswer(format!("interrupted by {}", signal.name()))),
            timeout = self.clock.passed() => Err(Lost::NoAnswer(format!(
                "the server {} did not answer before the time of {timeout:?} was over",
                self.session.reader.peer.server
            ))),
        }
    }

    fn removal<'p>(&self, pod: &'p PodId, dry_run: bool) -> (RequestKind, Write<'p>) {
        let grace = self.session.options.grace_period;
        match self.session.options.mode {
            Mode::Evict => (
                RequestKind::Evict,
                request::evict(pod, grace, dry_run, self.session.beta_evictions),
            ),
            Mode::Delete => (RequestKind::Delete, request::delete(pod, grace, dry_run)),
        }
    }

    fn record_attempt(
        &mut self,
        pod: &PodId,
        request: RequestKind,
        dry_run: bool,
        sent_at: Timestamp,
        answer: &Result<Reply, Lost>,
    ) -> WriteOutcome {
        let outcome = outcome::about(pod, answer);
        match &outcome {
            WriteOutcome::Accepted => self.succeeded(),
            other => self.failed(other.text()),
        }
        let status = answer.as_ref().ok().map(|reply| reply.status.as_u16());
        let attempt =
            RequestAttempt { request, dry_run, sent_at, status, outcome: outcome.clone() };
        self.record_victim(pod, VictimEvent::Answered(attempt));
        outcome
    }
}
