//! The victims, one at a time. Before each request that makes a pod go, the cluster is read and decided about: the rest of
//! the plan, and nothing else, has to be what is still needed. Every answer has one meaning (`outcome`), and what may
//! follow on it stands here.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use super::outcome::{self, Outcome};
use super::pods::{self, Look};
use super::run::{Run, Step, stop, stop_with};
use super::{Mode, Standing, difference, request};
use crate::api::writer::{Lost, Reply, Write};
use crate::render::json::apply_result::{JsonAttempt, VictimState};
use crate::simulation::plan::{PlannedVictim, PodId};

/// The name of an eviction among requests.
pub(super) const EVICT: &str = "evict";
/// The name of the patch of a victim's condition.
const CONDITION: &str = "condition";
/// How often a request is sent of which nobody knows whether it was carried out.
const UNKNOWN_SENDS: u32 = 2;
/// How often a request is sent that collided with somebody else's.
const CONFLICTS: u32 = 4;

/// How the evictions ended, if they were not halted.
pub(super) enum Evicted {
    /// Every victim goes or is gone.
    All,
    /// The pod needed no more.
    Early(Standing<Vec<PodId>>),
}

/// What follows on a step for one victim.
enum Next {
    /// It is settled: on to the next.
    Settled,
    /// Look at the cluster, then send again.
    Again,
}

/// What follows on a check.
enum Check {
    /// It has to go.
    Send,
    /// Somebody else went by itself: check again.
    Again,
    /// It went without us.
    Settled,
    /// Nobody has to go.
    Enough(Standing<Vec<PodId>>),
}

/// How often something went wrong for one victim.
#[derive(Default)]
struct Troubles {
    unknown: u32,
    unsent: u32,
    conflicts: u32,
}

impl Run<'_> {
    /// Makes all victims go.
    pub(super) async fn evict_all(&mut self) -> Step<Evicted> {
        let victims = self.plan.victims.clone();
        for victim in victims.iter().filter(|victim| victim.terminating_until.is_some()) {
            self.set_state(&victim.pod, VictimState::AlreadyTerminating, None);
            self.gone.push(victim.pod.clone());
        }
        for victim in &victims {
            if self.gone.contains(&victim.pod) {
                continue;
            }
            if let Some(standing) = self.remove(victim).await? {
                let name = self.plan.preemptor.pod.full_name();
                self.say(&format!("{}: nobody else is evicted", difference::of_standing(&name, &standing)));
                return Ok(Evicted::Early(standing));
            }
        }
        Ok(Evicted::All)
    }

    /// Makes one victim go; or says why nobody has to.
    async fn remove(&mut self, victim: &PlannedVictim) -> Step<Option<Standing<Vec<PodId>>>> {
        let pod = &victim.pod;
        let mut troubles = Troubles::default();
        loop {
            if !self.checked {
                match self.check_rest(pod).await? {
                    Check::Send => {}
                    Check::Again => continue,
                    Check::Settled => return Ok(None),
                    Check::Enough(standing) => return Ok(Some(standing)),
                }
            }
            // The last moment to hear a signal.
            self.guard().run(std::future::ready(())).await?;
            self.checked = false;
            let outcome = self.send(pod).await?;
            match self.settle(pod, outcome, &mut troubles).await? {
                Next::Settled => return Ok(None),
                Next::Again => {}
            }
        }
    }

    /// Whether exactly the rest of the plan is still needed. `pod` is its first.
    async fn check_rest(&mut self, pod: &PodId) -> Step<Check> {
        let (plan, gone) = (self.plan.clone(), self.gone.clone());
        let standing = self.decide(move |planner| planner.remaining(&plan, &gone)).await?;
        let name = self.plan.preemptor.pod.full_name();
        let needed: BTreeSet<PodId> = match &standing {
            Standing::Needed(pods) if !pods.is_empty() => pods.iter().cloned().collect(),
            Standing::Needed(_) => return Ok(Check::Enough(Standing::Fits(vec![self.plan.node.clone()]))),
            Standing::Fits(_) | Standing::Bound(_) => return Ok(Check::Enough(standing)),
            Standing::Impossible(_) | Standing::Gone => {
                return stop(format!("the plan has changed: {}", difference::of_standing(&name, &standing)));
            }
        };
        let planned = self.plan.victims.iter().map(|victim| &victim.pod);
        let rest: BTreeSet<PodId> = planned.filter(|pod| !self.gone.contains(pod)).cloned().collect();
        // Who went by itself is no change: everybody else was agreed to. Whether they are still needed is asked again.
        let before = self.gone.len();
        for missing in rest.difference(&needed).cloned().collect::<Vec<_>>() {
            let Ok(look) = self.look(&missing).await? else { break };
            if look.is_leaving() {
                self.left_by_itself(&missing, &look);
            }
        }
        if self.gone.len() > before {
            return Ok(if self.gone.contains(pod) { Check::Settled } else { Check::Again });
        }
        if rest != needed {
            let lines = difference::of_victims(&rest, &needed);
            return stop_with(
                format!("the plan has changed: {}", lines.join("; ")),
                "look at the new plan: kubectl preempt simulate",
            );
        }
        Ok(Check::Send)
    }

    fn left_by_itself(&mut self, pod: &PodId, look: &Look) {
        let state = if *look == Look::Gone { VictimState::GoneByItself } else { VictimState::AlreadyTerminating };
        self.set_state(pod, state, Some("not by us".to_owned()));
        self.say(&format!("pod/{} went by itself", pod.name));
        self.gone.push(pod.clone());
    }

    /// Sends what makes `pod` go: in delete mode, the condition comes before.
    async fn send(&mut self, pod: &PodId) -> Step<Outcome> {
        let (doing, _) = self.options.mode.words();
        self.say(&format!("{doing} pod {}", pod.full_name()));
        if self.options.mode == Mode::Delete && self.may_patch && !self.has_condition(pod) {
            let scheduler = self.plan.preemptor.scheduler.clone();
            let write = request::condition(pod, &scheduler, Timestamp::now());
            match self.submit(pod, CONDITION, &write).await? {
                Outcome::Accepted => {}
                // Whether the patch was made does not matter: the same one may be made again, and nothing goes by it.
                Outcome::Unknown(text) => return Ok(Outcome::Conflict(text)),
                other => return Ok(other),
            }
        }
        self.submit_removal(pod, false).await
    }

    fn has_condition(&self, pod: &PodId) -> bool {
        let victim = self.result.victims.iter().find(|victim| victim.pod.uid == pod.uid);
        victim.is_some_and(|v| v.attempts.iter().any(|a| a.request == CONDITION && a.outcome == "Accepted"))
    }

    /// What follows on the answer to the request for `pod`.
    async fn settle(&mut self, pod: &PodId, outcome: Outcome, troubles: &mut Troubles) -> Step<Next> {
        let pace = self.options.pace.clone();
        match outcome {
            Outcome::Accepted => {
                self.accepted(pod).await;
                return Ok(Next::Settled);
            }
            Outcome::Budget { text, retry_after } => self.blocked(pod, &text, retry_after).await?,
            Outcome::SeveralBudgets(text) => {
                return self.refuse(pod, &text, "the eviction API never lets it go; --mode=delete would");
            }
            Outcome::Refused { reason, text } => {
                return self.refuse(pod, &format!("{reason}: {text}"), "kubectl preempt doctor shows what is allowed");
            }
            Outcome::Busy { text, retry_after } => {
                let wait = retry_after.unwrap_or_default().max(pace.busy);
                self.retry_line(pod, &text, wait);
                self.pause(wait).await?;
            }
            Outcome::NotFound(text) => match self.look(pod).await? {
                Ok(look) if look.is_leaving() => return Ok(self.left(pod, &look, troubles)),
                Ok(_) => return self.refuse(pod, &format!("the server has no such API: {text}"), "is it too old?"),
                Err(unread) => return give_up(pod, &format!("{text}; {unread}")),
            },
            Outcome::Replaced(text) => {
                let next = self.left(pod, &Look::Gone, troubles);
                if troubles.unknown == 0 {
                    return stop(format!("the plan has changed: {} is another pod now: {text}", pod.full_name()));
                }
                return Ok(next);
            }
            Outcome::NamespaceTerminating(text) => match self.look(pod).await? {
                Ok(look) if look.is_leaving() => return Ok(self.left(pod, &look, troubles)),
                Ok(_) => {
                    self.retry_line(pod, &text, pace.budget);
                    self.pause(pace.budget).await?;
                }
                Err(unread) => return give_up(pod, &format!("{text}; {unread}")),
            },
            Outcome::Conflict(text) => {
                troubles.conflicts += 1;
                if troubles.conflicts >= CONFLICTS {
                    return self.refuse(pod, &text, "somebody else keeps writing to it; try again later");
                }
                self.pause(pace.backoff(troubles.conflicts)).await?;
            }
            Outcome::NotSent(text) => {
                let wait = pace.backoff(troubles.unsent);
                troubles.unsent += 1;
                self.retry_line(pod, &text, wait);
                self.pause(wait).await?;
            }
            Outcome::Unknown(text) => return self.find_out(pod, &text, troubles).await,
        }
        Ok(Next::Again)
    }

    /// The server has agreed.
    async fn accepted(&mut self, pod: &PodId) {
        self.set_state(pod, VictimState::Accepted, None);
        if let Some(victim) = self.victim_mut(pod) {
            victim.accepted_at = Some(request::seconds(Timestamp::now()));
        }
        self.gone.push(pod.clone());
        if self.options.record {
            self.record_event(pod).await;
        }
    }

    /// It is gone or goes; by us if something was sent of which nobody knows.
    fn left(&mut self, pod: &PodId, look: &Look, troubles: &Troubles) -> Next {
        let sent = troubles.unknown > 0;
        let state = match (look, sent) {
            (Look::Gone, true) => VictimState::Gone,
            (Look::Gone, false) => VictimState::GoneByItself,
            (Look::Here(_), true) => VictimState::Terminating,
            (Look::Here(_), false) => VictimState::AlreadyTerminating,
        };
        self.set_state(pod, state, None);
        self.gone.push(pod.clone());
        Next::Settled
    }

    /// A budget forbids it: wait, unless it always will.
    async fn blocked(&mut self, pod: &PodId, text: &str, retry_after: Option<Duration>) -> Step<()> {
        self.set_state(pod, VictimState::NotStarted, Some(text.to_owned()));
        if let Some(why) = self.never_allows(pod, text).await? {
            let reason = format!("{text}; {why}");
            return self.refuse(
                pod,
                &reason,
                "change the budget or the number of pods; --mode=delete would not ask it",
            );
        }
        let wait = retry_after.unwrap_or_default().max(self.options.pace.budget);
        self.retry_line(pod, text, wait);
        self.pause(wait).await
    }

    /// Why the budget that `text` names can never allow an eviction as things are, if so.
    async fn never_allows(&mut self, pod: &PodId, text: &str) -> Step<Option<String>> {
        let Some(name) = budget_name(text) else { return Ok(None) };
        let path = format!("/apis/policy/v1/namespaces/{}/poddisruptionbudgets/{name}", pod.namespace);
        let read = self.guard().run(pods::get(&self.reader, &path)).await?;
        Ok(read.ok().flatten().and_then(|body| never(&body)))
    }

    /// Nobody knows whether the request was carried out: look at the pod before anything else is done.
    async fn find_out(&mut self, pod: &PodId, text: &str, troubles: &mut Troubles) -> Step<Next> {
        troubles.unknown += 1;
        self.set_state(pod, VictimState::Unknown, Some(text.to_owned()));
        self.warn(&format!("nobody knows whether pod {} was {}: {text}", pod.full_name(), self.options.mode.words().1));
        match self.look(pod).await? {
            Ok(look) if look.is_leaving() => Ok(self.left(pod, &look, troubles)),
            Ok(_) if troubles.unknown >= UNKNOWN_SENDS => give_up(pod, text),
            Ok(_) => {
                self.say(&format!("pod {} is untouched (will look at the plan and try once more)", pod.full_name()));
                self.pause(self.options.pace.backoff(0)).await?;
                Ok(Next::Again)
            }
            Err(unread) => give_up(pod, &format!("{text}; {unread}")),
        }
    }

    fn refuse<T>(&mut self, pod: &PodId, text: &str, hint: &str) -> Step<T> {
        // What was sent before and not answered may still be carried out.
        let open = self.victim_mut(pod).is_some_and(|victim| victim.state == VictimState::Unknown);
        let state = if open { VictimState::Unknown } else { VictimState::Refused };
        self.set_state(pod, state, Some(text.to_owned()));
        stop_with(format!("the server does not let {} go: {text}", pod.full_name()), hint)
    }

    /// kubectl drain's line.
    fn retry_line(&mut self, pod: &PodId, text: &str, wait: Duration) {
        let (doing, _) = self.options.mode.words();
        let line = format!(
            "error when {doing} pods/{:?} -n {:?} (will retry after {wait:?}): {text}",
            pod.name, pod.namespace
        );
        self.say(&line);
    }

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

fn give_up<T>(pod: &PodId, text: &str) -> Step<T> {
    stop_with(
        format!("nobody knows what became of the request for {}: {text}", pod.full_name()),
        format!("kubectl get pod {} -n {} shows it", pod.name, pod.namespace),
    )
}

/// The budget that the eviction API's text is about.
fn budget_name(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once("The disruption budget ")?;
    let name = rest.split_whitespace().next()?;
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.').then_some(name)
}

#[derive(Deserialize)]
struct Budget {
    metadata: BudgetMeta,
    status: BudgetStatus,
}

#[derive(Deserialize)]
struct BudgetMeta {
    generation: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BudgetStatus {
    observed_generation: i64,
    desired_healthy: i64,
    expected_pods: i64,
}

/// Why a budget forbids every eviction even if all of its pods are healthy.
fn never(budget: &str) -> Option<String> {
    let Budget { metadata, status } = serde_json::from_str(budget).ok()?;
    let known = status.observed_generation == metadata.generation && status.expected_pods > 0;
    (known && status.desired_healthy >= status.expected_pods).then(|| {
        format!(
            "it wants {} of {} pods healthy and never allows any eviction",
            status.desired_healthy, status.expected_pods
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_that_never_allow_anything_are_known() {
        let budget = |generation: i64, desired: i64, expected: i64| {
            format!(
                r#"{{"metadata":{{"generation":{generation}}},"status":{{"observedGeneration":1,
                    "desiredHealthy":{desired},"expectedPods":{expected},"disruptionsAllowed":0}}}}"#
            )
        };
        assert!(never(&budget(1, 4, 4)).unwrap().starts_with("it wants 4 of 4 pods healthy"));
        for other in [budget(2, 4, 4), budget(1, 3, 4), budget(1, 0, 0), "{}".to_owned()] {
            assert_eq!(never(&other), None, "{other}");
        }
        let text = "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget guard needs 2 \
                    healthy pods and has 2 currently";
        assert_eq!(budget_name(text), Some("guard"));
        assert_eq!(budget_name("The disruption budget ../x needs"), None);
    }
}
