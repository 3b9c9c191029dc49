//! Sends a request, once, and puts what came of it into the audit trail.

use jiff::Timestamp;

use super::outcome::{self, Outcome};
use super::request;
use super::run::{Run, Step};
use crate::api::writer::{Lost, Reply, Write};
use crate::apply::result::JsonAttempt;
use engine::simulation::plan::PodId;

impl Run<'_> {
    /// Sends a request for `pod`, and puts it into the audit trail.
    pub(super) async fn submit(&mut self, pod: &PodId, label: &'static str, write: &Write<'_>) -> Step<Outcome> {
        let sent = request::seconds(Timestamp::now());
        let answer = self.send_in_peace(write).await;
        Ok(self.record_attempt(pod, label, false, sent, &answer))
    }

    /// Sends a request. A signal does not break it off at once; a second one does.
    pub(super) async fn send_in_peace(&self, write: &Write<'_>) -> Result<Reply, Lost> {
        let heard = self.ear.heard().map_or(0, |(_, count)| count);
        let (mut first, mut second) = (self.ear.clone(), self.ear.clone());
        let patience = async {
            let signal = first.more_than(heard).await;
            tokio::select! {
                () = tokio::time::sleep(self.options.pace.finish) => {}
                _ = second.more_than(heard + 1) => {}
            }
            signal
        };
        tokio::select! {
            biased;
            answer = self.writer.send(write) => answer,
            signal = patience => Err(Lost::NoAnswer(format!("broken off by {}", signal.name()))),
        }
    }

    pub(super) fn record_attempt(
        &mut self,
        pod: &PodId,
        label: &'static str,
        dry_run: bool,
        sent_at: String,
        answer: &Result<Reply, Lost>,
    ) -> Outcome {
        let outcome = outcome::of(answer);
        let status = answer.as_ref().ok().map(|reply| reply.status.as_u16());
        let message = Some(outcome.text().to_owned()).filter(|text| !text.is_empty());
        if let Some(victim) = self.victim_mut(pod) {
            let attempt = JsonAttempt { request: label, dry_run, sent_at, outcome: outcome.name(), status, message };
            victim.attempts.push(attempt);
            if !dry_run && label != "event" {
                victim.status = status.or(victim.status);
            }
        }
        outcome
    }
}
