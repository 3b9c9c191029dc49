//! What is written about a victim: its state in the result, and the Event that `--record` asks for.

use jiff::Timestamp;

use super::outcome::Outcome;
use super::request;
use super::run::Run;
use crate::apply::result::{JsonVictimResult, VictimState};
use engine::simulation::plan::PodId;
use render::page::sanitize;

impl Run<'_> {
    /// The result of a victim.
    pub(super) fn victim_mut(&mut self, pod: &PodId) -> Option<&mut JsonVictimResult> {
        self.result.victims.iter_mut().find(|victim| victim.pod.uid == pod.uid)
    }

    /// How far a victim is, and why no further.
    pub(super) fn set_state(&mut self, pod: &PodId, state: VictimState, reason: Option<String>) {
        let shown = reason.clone().unwrap_or_default();
        if let Some(victim) = self.victim_mut(pod) {
            victim.state = state;
            victim.reason = reason;
            if matches!(state, VictimState::Gone | VictimState::GoneByItself) && victim.gone_at.is_none() {
                victim.gone_at = Some(request::seconds(Timestamp::now()));
            }
        }
        self.ui.progress(pod, state, &sanitize(&shown));
    }

    /// What was last said about a victim.
    pub(super) fn last_message(&mut self, pod: &PodId) -> String {
        let last = self.victim_mut(pod).and_then(|victim| victim.attempts.last()?.message.clone());
        last.unwrap_or_else(|| "no answer".to_owned())
    }

    /// Whether anything was sent that was or may have been carried out.
    pub(super) fn was_touched(&self) -> bool {
        let attempts = self.result.victims.iter().flat_map(|victim| &victim.attempts);
        attempts.filter(|a| !a.dry_run).any(|a| a.outcome == "Accepted" || a.outcome == "Unknown")
    }

    /// Writes the event on a victim, once. What goes wrong with it is told, no more.
    pub(super) async fn record_event(&mut self, pod: &PodId) {
        let user = self.user_name().unwrap_or_default();
        let (plan, hash) = (self.plan.clone(), self.result.plan.hash.clone());
        let write = request::event(pod, &plan, &user, &hash, Timestamp::now());
        let sent = request::seconds(Timestamp::now());
        let answer = self.send_in_peace(&write).await;
        let outcome = self.record_attempt(pod, "event", false, sent, &answer);
        if outcome != Outcome::Accepted {
            self.warn(&format!("no event was written on pod {}: {}", pod.full_name(), outcome.text()));
        }
    }
}
