//! Removes the victims, one at a time. Before each removal the cluster is read and a new decision is made: the victims that
//! are left, and no other pods, must be those that are still needed.

use super::answer::{self, Next, Troubles};
use super::check::{self, Check};
use super::remove;
use crate::apply::executor::{Executor, StepResult};
use crate::apply::journal::VictimEvent;
use crate::apply::planner::PodStatus;
use engine::simulation::plan::PodId;

/// How the removals ended, if nothing stopped the run.
pub(in crate::apply) enum Evicted {
    /// Every victim is gone or terminating.
    All,
    /// The preemptor needs no further removal.
    Enough(PodStatus),
}

/// Removes all victims.
pub(in crate::apply) async fn evict_all(executor: &mut Executor<'_>) -> StepResult<Evicted> {
    let victims = executor.plan.victims.clone();
    for victim in victims.iter().filter(|victim| victim.terminating_until.is_some()) {
        executor.record_victim(&victim.pod, VictimEvent::SeenTerminating);
    }
    for victim in &victims {
        if executor.journal().is_leaving(&victim.pod) {
            continue;
        }
        if let Some(status) = evict(executor, &victim.pod).await? {
            let text = status.text(&executor.preemptor_name());
            executor.say(&format!("{text}: nobody else is evicted"));
            return Ok(Evicted::Enough(status));
        }
    }
    Ok(Evicted::All)
}

/// Removes one victim. `Some`: the preemptor needs no further removal.
async fn evict(executor: &mut Executor<'_>, pod: &PodId) -> StepResult<Option<PodStatus>> {
    let mut troubles = Troubles::default();
    loop {
        if !executor.plan_is_current {
            match check::check(executor, pod).await? {
                Check::Remove => {}
                Check::Again => continue,
                Check::Left => return Ok(None),
                Check::Enough(status) => return Ok(Some(status)),
            }
        }
        executor.clock.check_signals().await?;
        executor.plan_is_current = false;
        let outcome = remove::send(executor, pod).await;
        match answer::handle(executor, pod, outcome, &mut troubles).await? {
            Next::Victim => return Ok(None),
            Next::Again => {}
        }
    }
}
