//! Removes the victims, one at a time. Before each removal a new decision is made on the cluster as it is then: the victims that
//! are left must still make room for the preemptor, and only those of them that it still needs are removed.

use super::answer::{self, Troubles};
use super::check::{self, Check};
use super::{observed, remove};
use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::VictimEvent;
use crate::apply::planner::PreemptorStatus;
use engine::simulation::plan::PodId;

/// How the removals ended, if nothing stopped the run.
pub(in crate::apply) enum Evicted {
    /// Every victim is gone or terminating.
    All,
    /// The preemptor needs no further removal.
    Enough(PreemptorStatus),
}

/// The last look at a victim before the request for it. `false`: it is leaving or another pod has its name, which is recorded, or the
/// look took so long that the decision has to be made again.
async fn is_there(executor: &mut Executor<'_>, pod: &PodId) -> StepResult<bool> {
    // A pause makes it false.
    executor.plan_is_current = true;
    let lookup = executor.read_pod(pod).await?.map_err(StopReason::Unreadable)?;
    let is_current = std::mem::take(&mut executor.plan_is_current);
    if lookup.is_leaving() {
        observed::left(executor, pod, &lookup);
        return Ok(false);
    }
    Ok(is_current)
}

/// Removes all victims.
pub(in crate::apply) async fn evict_all(executor: &mut Executor<'_>) -> StepResult<Evicted> {
    let victims = executor.plan.victims.clone();
    for victim in victims.iter().filter(|victim| victim.terminating_until.is_some()) {
        executor.record_victim(&victim.pod, VictimEvent::SeenTerminating);
    }
    let mut troubles: Option<(PodId, Troubles)> = None;
    while let Some(first) = executor.victims_left().into_iter().next() {
        let check = if executor.plan_is_current { Check::Remove(first) } else { check::check(executor).await? };
        let pod = match check {
            Check::Remove(pod) => pod,
            Check::Enough(status) => {
                let others = if executor.journal().has_touched_victims() { "no other pod" } else { "no pod" };
                let text = status.text(&executor.preemptor_name());
                executor.say(&format!("{text}: {others} is evicted"));
                return Ok(Evicted::Enough(status));
            }
        };
        executor.clock.check_signals().await?;
        if !is_there(executor, &pod).await? {
            continue;
        }
        let outcome = remove::send(executor, &pod).await;
        let (_, own) = match troubles.take() {
            Some(known) if known.0 == pod => troubles.insert(known),
            Some(_) | None => troubles.insert((pod.clone(), Troubles::default())),
        };
        answer::handle(executor, &pod, outcome, own).await?;
    }
    Ok(Evicted::All)
}
