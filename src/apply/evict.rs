//! The victims, one at a time. Before each request that makes a pod go, the cluster is read and decided about: the rest of
//! the plan, and nothing else, has to be what is still needed. Every answer has one meaning (`outcome`), and what may
//! follow on it stands here.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use super::outcome::Outcome;
use super::pods::{self, Look};
use super::run::{Run, Step, stop, stop_with};
use super::{Mode, Standing, budget, difference, request};
use crate::apply::result::{JsonAttempt, VictimState};
use engine::simulation::plan::{Plan, PlannedVictim, PodId};

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
    Early(Standing<Plan>),
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
    /// Somebody went by itself: check again.
    Again,
    /// It went without us.
    Settled,
    /// Nobody has to go.
    Enough(Standing<Plan>),
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
    async fn remove(&mut self, victim: &PlannedVictim) -> Step<Option<Standing<Plan>>> {
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
        let rest_plan = match standing {
            Standing::Needed(rest) if !rest.victims.is_empty() => rest,
            Standing::Needed(_) => return Ok(Check::Enough(Standing::Fits(vec![self.plan.node.clone()]))),
            Standing::Fits(_) | Standing::Bound(_) => return Ok(Check::Enough(standing)),
            Standing::Impossible(_) | Standing::Gone => {
                return stop(format!("the plan has changed: {}", difference::of_standing(&name, &standing)));
            }
        };
        let needed: BTreeSet<PodId> = rest_plan.victims.iter().map(|victim| victim.pod.clone()).collect();
        let planned = self.plan.victims.iter().map(|victim| &victim.pod);
        let rest: BTreeSet<PodId> = planned.filter(|pod| !self.gone.contains(pod)).cloned().collect();
        let lines = difference::of_victims(&rest, &needed);
        // Who went by itself is no change: everybody else was agreed to. Whether they are still needed is asked again.
        let before = self.gone.len();
        for missing in rest.difference(&needed).cloned().collect::<Vec<_>>() {
            let Ok(look) = self.look(&missing).await? else { break };
            if look.is_leaving() {
                self.left(&missing, &look);
            }
        }
        if self.gone.len() > before && needed.is_subset(&rest) {
            return Ok(Check::Again);
        }
        if rest != needed {
            return stop_with(
                format!("the plan has changed: {}", lines.join("; ")),
                "look at the new plan: kubectl preempt simulate",
            );
        }
        self.check_agreed(&rest_plan)?;
        Ok(if self.gone.contains(pod) { Check::Settled } else { Check::Send })
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
            Outcome::NotFound(text) => {
                if self.has_left(pod, &text).await? {
                    return Ok(Next::Settled);
                }
                return self.refuse(pod, &format!("the server has no such API: {text}"), "is it too old?");
            }
            Outcome::NamespaceTerminating(text) => {
                if self.has_left(pod, &text).await? {
                    return Ok(Next::Settled);
                }
                self.retry_line(pod, &text, pace.budget);
                self.pause(pace.budget).await?;
            }
            Outcome::Replaced(text) => {
                self.left(pod, &Look::Gone);
                if !self.may_be_ours(pod) {
                    return stop(format!("the plan has changed: {} is another pod now: {text}", pod.full_name()));
                }
                return Ok(Next::Settled);
            }
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

    /// Whether the pod is gone or goes; then it does not count any more.
    async fn has_left(&mut self, pod: &PodId, text: &str) -> Step<bool> {
        match self.look(pod).await? {
            Ok(look) if look.is_leaving() => {
                self.left(pod, &look);
                Ok(true)
            }
            Ok(_) => Ok(false),
            Err(unread) => give_up(pod, &format!("{text}; {unread}")),
        }
    }

    /// It is gone or goes; by us, as far as one can know, if something was sent that may have been carried out.
    fn left(&mut self, pod: &PodId, look: &Look) {
        let ours = self.may_be_ours(pod);
        let state = match (look, ours) {
            (Look::Gone, true) => VictimState::Gone,
            (Look::Gone, false) => VictimState::GoneByItself,
            (Look::Here(_), true) => VictimState::Terminating,
            (Look::Here(_), false) => VictimState::AlreadyTerminating,
        };
        self.set_state(pod, state, None);
        if !ours {
            self.say(&format!("pod/{} went by itself", pod.name));
        }
        self.gone.push(pod.clone());
    }

    /// Whether a removal was sent that may have been carried out.
    fn may_be_ours(&self, pod: &PodId) -> bool {
        let victim = self.result.victims.iter().find(|victim| victim.pod.uid == pod.uid);
        let sent =
            |a: &JsonAttempt| !a.dry_run && a.request != CONDITION && ["Accepted", "Unknown"].contains(&a.outcome);
        victim.is_some_and(|victim| victim.attempts.iter().any(sent))
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
        let Some(name) = budget::name_in(text) else { return Ok(None) };
        let path = budget::path(&pod.namespace, name);
        let read = self.guard().run(pods::get(&self.reader, &path)).await?;
        Ok(read.ok().flatten().and_then(|body| budget::never(&body)))
    }

    /// Nobody knows whether the request was carried out: look at the pod before anything else is done.
    async fn find_out(&mut self, pod: &PodId, text: &str, troubles: &mut Troubles) -> Step<Next> {
        troubles.unknown += 1;
        self.set_state(pod, VictimState::Unknown, Some(text.to_owned()));
        self.warn(&format!("nobody knows whether pod {} was {}: {text}", pod.full_name(), self.options.mode.words().1));
        if self.has_left(pod, text).await? {
            return Ok(Next::Settled);
        }
        if troubles.unknown >= UNKNOWN_SENDS {
            return give_up(pod, text);
        }
        self.say(&format!("pod {} is untouched (will look at the plan and try once more)", pod.full_name()));
        self.pause(self.options.pace.backoff(0)).await?;
        Ok(Next::Again)
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
}

fn give_up<T>(pod: &PodId, text: &str) -> Step<T> {
    stop_with(
        format!("nobody knows what became of the request for {}: {text}", pod.full_name()),
        format!("kubectl get pod {} -n {} shows it", pod.name, pod.namespace),
    )
}
