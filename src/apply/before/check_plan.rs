//! Checks that the plan is still valid. The cluster is read and the complete decision is made
//! again: before the confirmation it must give the same plan, and afterwards a plan for the same
//! nodes.

use super::confirm;
use crate::apply::executor::{Executor, StepResult, StopReason, between_plans};
use crate::apply::planner::PreemptorStatus;
use engine::simulation::plan::{Placement, Plan, PodId};

/// Returns `None` if the plan is valid, else the status of a preemptor that needs no removal.
pub(in crate::apply) async fn check(
    executor: &mut Executor<'_>,
) -> StepResult<Option<PreemptorStatus>> {
    let plan = match plan_anew(executor).await? {
        Ok(plan) if plan.victims.is_empty() => {
            return Ok(Some(PreemptorStatus::Fits(
                plan.nodes().into_iter().map(str::to_owned).collect(),
            )));
        }
        Ok(plan) => plan,
        Err(status) => return Ok(Some(status)),
    };
    if !executor.plan.is_same(&plan) {
        return Err(StopReason::PlanChanged(between_plans(&executor.plan, &plan)));
    }
    confirm::check_still_confirmed(executor, &plan)?;
    // The user was shown this order of the victims.
    let order: Vec<PodId> = executor.plan.victims.iter().map(|victim| victim.pod.clone()).collect();
    executor.plan = *plan;
    executor.plan.victims.sort_by_key(|victim| order.iter().position(|pod| *pod == victim.pod));
    Ok(None)
}

/// Checks that the scheduler would still select the nodes that the user confirmed. Which victims
/// are still needed is decided before each removal. Returns `None` if so, else the status of a
/// preemptor that needs no removal.
pub(in crate::apply) async fn check_node(
    executor: &mut Executor<'_>,
) -> StepResult<Option<PreemptorStatus>> {
    let plan = match plan_anew(executor).await? {
        Ok(plan) => plan,
        Err(status) => return Ok(Some(status)),
    };
    let agreed = &executor.plan.placed;
    let ties = |placement: &Placement| plan.tied.contains(&placement.node);
    if plan.placed != *agreed && !agreed.iter().all(ties) {
        return Err(StopReason::PlanChanged(between_plans(&executor.plan, &plan)));
    }
    if executor.plan.is_same(&plan) {
        confirm::check_still_confirmed(executor, &plan)?;
        // The scheduler places a pod group in a cluster without any pod of lower priority, so its
        // plan may have more victims than necessary if all others stay.
        if plan.preemptor.id.pod().is_some() {
            executor.confirm_plan();
        }
    }
    Ok(None)
}

async fn plan_anew(executor: &mut Executor<'_>) -> StepResult<Result<Box<Plan>, PreemptorStatus>> {
    let preemptor = executor.plan.preemptor.id.clone();
    executor.decide_plan(move |planner| planner.plan(&preemptor)).await
}
