//! The decision before a removal: is exactly the rest of the plan still needed?

use std::collections::BTreeSet;

use super::observed;
use crate::apply::before::confirm;
use crate::apply::executor::{Executor, StepResult, StopReason, between_victims};
use crate::apply::planner::PodStatus;
use engine::simulation::plan::PodId;

/// What follows from a check.
pub(super) enum Check {
    /// The victim has to be removed.
    Remove,
    /// A victim left the node by itself: check again.
    Again,
    /// This victim left the node by itself.
    Left,
    /// The preemptor needs no further removal.
    Enough(PodStatus),
}

/// Checks the rest of the plan. `pod` is its first victim.
pub(super) async fn check(executor: &mut Executor<'_>, pod: &PodId) -> StepResult<Check> {
    let (plan, leaving) = (executor.plan.clone(), executor.journal().leaving());
    let status = executor.decide(move |planner| planner.remaining(&plan, &leaving)).await?;
    let rest_plan = match status {
        PodStatus::NeedsEviction(rest) if !rest.victims.is_empty() => rest,
        PodStatus::NeedsEviction(_) => {
            return Ok(Check::Enough(PodStatus::Fits(vec![executor.plan.node.clone()])));
        }
        PodStatus::Fits(_) | PodStatus::Bound(_) => return Ok(Check::Enough(status)),
        PodStatus::Impossible(_) | PodStatus::Gone => {
            return Err(StopReason::NoPlan { preemptor: executor.preemptor_name(), status });
        }
    };
    let needed: BTreeSet<PodId> = rest_plan.victims.iter().map(|victim| victim.pod.clone()).collect();
    let planned = executor.plan.victims.iter().map(|victim| &victim.pod);
    let rest: BTreeSet<PodId> = planned.filter(|pod| !executor.journal().is_leaving(pod)).cloned().collect();
    // A victim that left by itself does not change the plan. Whether the others are still needed is decided anew.
    let mut some_left = false;
    for missing in rest.difference(&needed) {
        let Ok(lookup) = executor.read_pod(missing).await? else { break };
        if lookup.is_leaving() {
            observed::left(executor, missing, &lookup);
            some_left = true;
        }
    }
    if some_left && needed.is_subset(&rest) {
        return Ok(Check::Again);
    }
    if rest != needed {
        return Err(StopReason::PlanChanged(between_victims(&rest, &needed)));
    }
    confirm::check_still_confirmed(executor, &rest_plan)?;
    Ok(if executor.journal().is_leaving(pod) { Check::Left } else { Check::Remove })
}
