//! Removes the victims, one at a time. Before each removal a new decision is made on the current
//! cluster: the remaining victims must still suffice for the preemptor, and only those that it
//! still needs are removed.

use super::answer::{self, Troubles};
use super::check::{self, RequiredRemoval, VictimCheck};
use super::{look, remove};
use crate::apply::executor::{Executor, StepResult};
use crate::apply::journal::VictimEvent;
use crate::apply::planner::PreemptorStatus;
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
        let check = if executor.plan_is_current() {
            VictimCheck::Remove(RequiredRemoval::of(first, &executor.plan))
        } else {
            check::check(executor).await?
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
        executor.clock.check_signals().await?;
        if !look::confirms(executor, &removal).await? {
            executor.outdate_decision();
            continue;
        }
        let Some(outcome) = remove::send(executor, &removal).await? else {
            executor.outdate_decision();
            continue;
        };
        let pod = removal.victim;
        let (_, own) = match troubles.take() {
            Some(known) if known.0 == pod => troubles.insert(known),
            Some(_) | None => troubles.insert((pod.clone(), Troubles::default())),
        };
        answer::handle(executor, &pod, outcome, own).await?;
    }
    Ok(Evicted::All)
}
