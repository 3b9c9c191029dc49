//! The nomination: a hint that keeps others of lower priority out of the room while it is made. Set only where it is unset,
//! taken back where the plan fails, and only if it is still ours.
//!
//! Rules: KEP-5278. A patch names the UID and the version of what was read: it changes exactly that, or nothing.

use super::outcome::{self, Outcome};
use super::pods::{Look, PodView};
use super::request::{self, US};
use super::run::{Run, Step, stop, stop_with};
use crate::apply::result::NominationState;

/// How often a patch is made that collided with somebody else's.
const CONFLICTS: u32 = 4;

impl Run<'_> {
    /// Sets the nomination, if that was asked for.
    pub(super) async fn nominate(&mut self) -> Step<()> {
        if !self.options.nominate {
            return Ok(());
        }
        let (pod, node) = (self.plan.preemptor.pod.clone(), self.plan.node.clone());
        for conflict in 0..CONFLICTS {
            let view = match self.look(&pod).await? {
                Ok(Look::Here(view)) => view,
                Ok(Look::Gone) => {
                    return stop(format!("the plan has changed: {} is not there any more", pod.full_name()));
                }
                Err(text) => return self.not_nominated(&text),
            };
            match &view.nominated {
                Some(there) if *there == node => {
                    if self.result.nomination.state == NominationState::NotSet {
                        self.result.nomination.state = NominationState::AlreadySet;
                    }
                    return Ok(());
                }
                Some(other) => {
                    let by = view.nominated_by.as_ref().map_or_else(String::new, |by| format!(" by {by}"));
                    return self.not_nominated(&format!("{} is nominated to {other}{by}", pod.full_name()));
                }
                None => {}
            }
            self.checked = false;
            let write = request::nominate(&pod, &view.resource_version, Some(&node));
            match outcome::of(&self.send_in_peace(&write).await) {
                Outcome::Accepted => {
                    self.result.nomination.state = NominationState::Set;
                    self.say(&format!("pod/{} nominated to {node}", pod.name));
                    return Ok(());
                }
                // Another look shows whether it is set.
                Outcome::Unknown(text) => {
                    self.result.nomination.state = NominationState::Unknown;
                    self.result.nomination.reason = Some(text);
                    self.pause(self.options.pace.backoff(conflict)).await?;
                    if let Ok(Look::Here(view)) = self.look(&pod).await?
                        && view.nominated.as_ref() == Some(&node)
                    {
                        self.result.nomination.state = NominationState::Set;
                        return Ok(());
                    }
                }
                Outcome::Conflict(_) | Outcome::NotSent(_) | Outcome::Busy { .. } => {
                    self.pause(self.options.pace.backoff(conflict)).await?;
                }
                other => return self.not_nominated(other.text()),
            }
        }
        self.not_nominated("the pod changes all the time, or the server does not answer")
    }

    fn not_nominated(&mut self, why: &str) -> Step<()> {
        if self.result.nomination.state != NominationState::Unknown {
            self.result.nomination.state = NominationState::Refused;
        }
        self.result.nomination.reason = Some(why.to_owned());
        stop_with(format!("the nomination cannot be set: {why}"), "try again, or do without --nominate")
    }

    /// Takes the nomination back, if it is ours still.
    pub(super) async fn take_nomination_back(&mut self) {
        if !matches!(self.result.nomination.state, NominationState::Set | NominationState::Unknown) {
            return;
        }
        let (state, reason) = self.try_take_back().await;
        self.result.nomination.state = state;
        if let Some(reason) = reason {
            let name = self.plan.preemptor.pod.full_name();
            self.warn(&format!("the nomination of {name} to {}: {reason}", self.plan.node));
            self.result.nomination.reason = Some(reason);
        } else if state == NominationState::Cleared {
            self.result.nomination.reason = None;
            self.say(&format!("pod/{} no longer nominated", self.plan.preemptor.pod.name));
        }
    }

    async fn try_take_back(&self) -> (NominationState, Option<String>) {
        let pod = &self.plan.preemptor.pod;
        let mut last = String::new();
        for attempt in 0..CONFLICTS {
            let view = match self.last_look(pod).await {
                Some(Look::Here(view)) => view,
                Some(Look::Gone) => return (NominationState::Cleared, None),
                None => return (NominationState::Unknown, Some("nobody knows whether it is still set".to_owned())),
            };
            if !self.is_ours(&view) {
                return (NominationState::Cleared, None);
            }
            let write = request::nominate(pod, &view.resource_version, None);
            match outcome::of(&self.send_in_peace(&write).await) {
                Outcome::Accepted | Outcome::NotFound(_) | Outcome::Replaced(_) => {
                    return (NominationState::Cleared, None);
                }
                // The next look shows what became of it.
                other => other.text().clone_into(&mut last),
            }
            tokio::time::sleep(self.options.pace.backoff(attempt)).await;
        }
        (NominationState::Set, Some(format!("it could not be taken back: {last}")))
    }

    /// Whether the nomination stands and nobody else set it. On a node it means nothing any more.
    fn is_ours(&self, view: &PodView) -> bool {
        let somebody_elses = view.nominated_by.as_ref().is_some_and(|by| by != US);
        view.node.is_none() && view.nominated.as_ref() == Some(&self.plan.node) && !somebody_elses
    }
}
