//! Everything before the user is asked: which cluster and as whom, may we, does anything forbid it, would the server do it.

use jiff::Timestamp;
use serde::Deserialize;

use super::access::{self, Allowed, Purpose};
use super::evict::EVICT;
use super::outcome::Outcome;
use super::pods::{self, Look, Unread};
use super::run::{Run, Step, stop, stop_with};
use super::{Mode, hazards, request};
use crate::api::inquiry;
use crate::api::server_info::Identity;
use crate::api::writer::Verb;
use crate::apply::result::{JsonUser, VictimState};
use engine::simulation::plan::PodId;
use render::page::sanitize;

/// The minor that took up evictions of policy/v1.
const POLICY_V1: u32 = 22;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Version {
    git_version: Option<String>,
    minor: String,
}

impl Run<'_> {
    /// Which cluster, and as whom: said before anything else.
    pub(super) async fn identify(&mut self) -> Step<()> {
        let version = match self.guard().run(pods::get(&self.reader, "/version")).await? {
            Ok(body) => serde_json::from_str::<Version>(&body.unwrap_or_default()).unwrap_or_default(),
            // Many clusters answer this to nobody; whether they answer anything shows next.
            Err(Unread::Denied(_)) => Version::default(),
            Err(Unread::Now(text)) => return stop(text),
        };
        let minor = version.minor.trim_end_matches('+').parse::<u32>();
        self.old_evictions = minor.is_ok_and(|minor| minor < POLICY_V1);
        self.result.cluster.version = version.git_version;
        self.result.user = self.who_am_i().await?;
        let cluster = &self.result.cluster;
        let context = cluster.context.as_ref().map_or_else(String::new, |context| format!("context {context}, "));
        let version = cluster.version.as_ref().map_or_else(String::new, |version| format!(" ({version})"));
        let user = self.user_name().unwrap_or_else(|| "whom the server does not name".to_owned());
        let line = format!("{context}server {}{version}, as user {user}", cluster.server);
        self.ui.warn(&sanitize(&line));
        Ok(())
    }

    /// The user's name as the server knows it, else as the kubeconfig does.
    pub(super) fn user_name(&self) -> Option<String> {
        let named = self.result.user.as_ref().map(|user| user.name.clone());
        named.or_else(|| self.reader.peer.user.clone())
    }

    async fn who_am_i(&mut self) -> Step<Option<JsonUser>> {
        Ok(match self.guard().run(inquiry::who_am_i(&self.reader)).await? {
            Identity::Known { user, uid, groups } => {
                Some(JsonUser { name: user, uid: Some(uid).filter(|uid| !uid.is_empty()), groups })
            }
            Identity::Unknown(_) => None,
        })
    }

    /// May we? What must be allowed and is not stops it; the rest is done without.
    pub(super) async fn check_access(&mut self) -> Step<()> {
        let needs = access::needs(&self.plan, &self.options);
        let answers = self.guard().run(access::ask(&self.reader, needs)).await?;
        self.may_patch = self.options.mode == Mode::Delete;
        let mut missing = Vec::new();
        for (need, allowed) in answers {
            match (allowed, need.purpose) {
                (Allowed::Yes, _) => {}
                (Allowed::No, Purpose::Must) => missing.push(need.text()),
                (Allowed::No, Purpose::Watch) => {
                    self.warn(&format!("may not {}: will look every {:?}", need.text(), self.options.pace.poll));
                }
                (Allowed::No, Purpose::Condition) => {
                    self.may_patch = false;
                    self.warn(&format!(
                        "may not {}: victims go without the condition DisruptionTarget, by which Jobs tell a preemption \
                         from a failure",
                        need.text()
                    ));
                }
                (Allowed::No, Purpose::Event) => {
                    self.options.record = false;
                    self.warn(&format!("may not {}: no events are written", need.text()));
                }
                (Allowed::Unknown(why), _) => {
                    self.warn(&format!("the server does not say whether you may {}: {why}", need.text()));
                }
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        stop_with(
            format!("you may not {}", missing.join("; ")),
            "ask for a Role with these verbs: kubectl preempt doctor shows it",
        )
    }

    /// Does anything forbid it?
    pub(super) fn check_hazards(&mut self) -> Step<()> {
        let lines = hazards::refusals(&self.plan, &self.options);
        if lines.is_empty() {
            return Ok(());
        }
        stop(format!("refused: {}", lines.join("; ")))
    }

    /// Says what would be done.
    pub(super) fn pretend(&mut self) {
        let suffix = self.options.dry_run.suffix();
        let (_, done) = self.options.mode.words();
        for pod in self.to_send() {
            self.say(&format!("pod/{} {done}{suffix}", pod.name));
        }
    }

    /// The victims for which something is to be sent, in order.
    pub(super) fn to_send(&self) -> Vec<PodId> {
        let staying = self.plan.victims.iter().filter(|victim| victim.terminating_until.is_none());
        staying.map(|victim| victim.pod.clone()).collect()
    }

    /// Would the server do it? Each victim for itself: it does not count the others, so a yes to each is no yes to all.
    pub(super) async fn try_all(&mut self) -> Step<()> {
        for pod in self.to_send() {
            self.try_one(&pod).await?;
        }
        Ok(())
    }

    async fn try_one(&mut self, pod: &PodId) -> Step<()> {
        let (_, done) = self.options.mode.words();
        let name = pod.full_name();
        for attempt in 0..self.options.pace.attempts {
            // A request that only pretends may be sent as often as one likes.
            match self.submit_removal(pod, true).await? {
                Outcome::Accepted => {
                    self.set_state(pod, VictimState::DryRunPassed, None);
                    if self.options.dry_run != super::DryRun::None {
                        self.say(&format!("pod/{} {done}{}", pod.name, self.options.dry_run.suffix()));
                    }
                    return Ok(());
                }
                Outcome::Busy { retry_after, .. } => {
                    self.pause(retry_after.unwrap_or_default().max(self.options.pace.busy)).await?;
                }
                Outcome::Conflict(_) | Outcome::NotSent(_) | Outcome::Unknown(_) => {
                    self.pause(self.options.pace.backoff(attempt)).await?;
                }
                Outcome::Replaced(text) => {
                    return stop(format!("the plan has changed: {name} is another pod now: {text}"));
                }
                Outcome::NotFound(text) => {
                    return match self.look(pod).await? {
                        Ok(Look::Here(_)) => self.refused_trial(pod, &format!("the server has no such API: {text}")),
                        Ok(Look::Gone) => stop(format!("the plan has changed: {name} is gone")),
                        Err(_) => self.refused_trial(pod, &text),
                    };
                }
                Outcome::Budget { text, .. } => {
                    self.set_state(pod, VictimState::DryRunRefused, Some(text.clone()));
                    return stop_with(
                        format!("the server would not let {name} go: {text}"),
                        "wait until the budget allows it, or do as the scheduler does: --mode=delete",
                    );
                }
                outcome @ (Outcome::SeveralBudgets(_) | Outcome::NamespaceTerminating(_) | Outcome::Refused { .. }) => {
                    return self.refused_trial(pod, outcome.text());
                }
            }
        }
        let last = self.last_message(pod);
        self.refused_trial(pod, &last)
    }

    fn refused_trial(&mut self, pod: &PodId, text: &str) -> Step<()> {
        self.set_state(pod, VictimState::DryRunRefused, Some(text.to_owned()));
        stop(format!("the server would not let {} go: {text}", pod.full_name()))
    }

    /// The request that makes `pod` go, in the mode that was asked for.
    pub(super) async fn submit_removal(&mut self, pod: &PodId, dry_run: bool) -> Step<Outcome> {
        let grace = self.options.grace_period;
        let write = match self.options.mode {
            Mode::Evict => request::evict(pod, grace, dry_run, self.old_evictions),
            Mode::Delete => request::delete(pod, grace, dry_run),
        };
        let label = if write.verb == Verb::Evict { EVICT } else { "delete" };
        if dry_run {
            // Nothing is lost with a trial that is broken off.
            let ear = self.guard();
            let sent = request::seconds(Timestamp::now());
            let answer = ear.run(self.writer.send(&write)).await?;
            return Ok(self.record_attempt(pod, label, true, sent, &answer));
        }
        self.submit(pod, label, &write).await
    }
}
