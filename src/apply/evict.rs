//! The removal of the victims, one at a time: their order, and the decision before each removal.
//! `remove` sends the requests, and `answer` handles the responses.

use std::collections::BTreeSet;

use crate::apply::answer::{self, Troubles};
use crate::apply::confirm;
use crate::apply::executor::{Executor, StepResult, StopReason, between_victims};
use crate::apply::journal::VictimEvent;
use crate::apply::planner::PreemptorStatus;
use crate::apply::remove::{self, RequiredRemoval};
use engine::simulation::plan::PodId;

/// The result of the removals, if nothing stopped the run.
pub(in crate::apply) enum Evicted {
    /// Every victim is gone or terminating.
    All,
    /// The preemptor needs no further removal.
    Enough(PreemptorStatus),
}

/// Removes all victims.
pub(in crate::apply) async fn evict_all(executor: &mut Executor<'_>) -> StepResult<Evicted> {
    let victims = executor.plan.victims.clone();
    for victim in victims.iter().filter(|victim| victim.terminating_until.is_some()) {
        executor.record_victim(&victim.pod, VictimEvent::SeenTerminating);
    }
    let mut troubles: Option<(PodId, Troubles)> = None;
    while let Some(first) = executor.victims_left().into_iter().next() {
        // Every removal needs a decision about what is left of the plan. One just made will do.
        let check = if executor.plan_is_current() {
            VictimCheck::Remove(RequiredRemoval::of(first, &executor.plan))
        } else {
            check(executor).await?
        };
        let removal = match check {
            VictimCheck::Remove(removal) => removal,
            VictimCheck::Enough(status) => {
                let others = if executor.journal().has_removed_victims() {
                    "no other pod"
                } else {
                    "no pod"
                };
                let text = status.text(&executor.preemptor_name());
                executor.say(&format!("{text}: {others} is evicted"));
                return Ok(Evicted::Enough(status));
            }
        };
        // What the decision was based on may have changed since.
        executor.clock.check_signals().await?;
        if !remove::confirms(executor, &removal).await? {
            executor.outdate_decision();
            continue;
        }
        let Some(outcome) = remove::send(executor, &removal).await? else {
            executor.outdate_decision();
            continue;
        };
        // Failures count per victim: the next one starts anew.
        let pod = removal.victim;
        let (_, own) = match troubles.take() {
            Some(known) if known.0 == pod => troubles.insert(known),
            Some(_) | None => troubles.insert((pod.clone(), Troubles::default())),
        };
        answer::handle(executor, &pod, outcome, own).await?;
    }
    Ok(Evicted::All)
}

pub(in crate::apply) enum VictimCheck {
    /// This is the next removal.
    Remove(RequiredRemoval),
    /// The preemptor needs no further removal.
    Enough(PreemptorStatus),
}

/// Checks the rest of the plan. Confirmed victims that can stay are skipped; the run stops if other
/// pods would have to be removed.
pub(in crate::apply) async fn check(executor: &mut Executor<'_>) -> StepResult<VictimCheck> {
    loop {
        let (plan, leaving) = (executor.plan.clone(), executor.journal().leaving());
        let rest_plan =
            match executor.decide_plan(move |planner| planner.remaining(&plan, &leaving)).await? {
                Ok(rest) => rest,
                Err(status) => return Ok(VictimCheck::Enough(status)),
            };
        let needed: BTreeSet<PodId> =
            rest_plan.victims.iter().map(|victim| victim.pod.clone()).collect();
        let rest: BTreeSet<PodId> = executor.victims_left().into_iter().collect();
        // A victim that left for another reason does not change the plan. The decision determines
        // whether the others are still needed.
        let some_left = record_left(executor, rest.difference(&needed)).await?;
        if !needed.is_subset(&rest) {
            return Err(StopReason::PlanChanged(between_victims(&rest, &needed)));
        }
        if some_left {
            continue;
        }
        confirm::check_still_confirmed(executor, &rest_plan)?;
        let next = executor.victims_left().into_iter().find(|pod| needed.contains(pod));
        let nodes = || executor.plan.nodes().into_iter().map(str::to_owned).collect();
        return Ok(match next {
            Some(victim) => VictimCheck::Remove(RequiredRemoval::of(victim, &rest_plan)),
            None => VictimCheck::Enough(PreemptorStatus::Fits(nodes())),
        });
    }
}

/// Records the victims that left the node for other reasons, and returns whether there are any.
async fn record_left(
    executor: &mut Executor<'_>,
    pods: impl Iterator<Item = &PodId>,
) -> StepResult<bool> {
    let mut some_left = false;
    for pod in pods {
        let Ok(lookup) = executor.read_pod(pod).await? else { break };
        if lookup.is_leaving() {
            answer::left(executor, pod, &lookup);
            some_left = true;
        }
    }
    Ok(some_left)
}
