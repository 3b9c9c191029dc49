//! The decision before a removal: which of the confirmed victims still have to be removed.

use std::collections::BTreeSet;

use super::observed;
use crate::apply::before::confirm;
use crate::apply::executor::{Executor, StepResult, StopReason, between_victims};
use crate::apply::planner::PreemptorStatus;
use engine::simulation::plan::{Placement, Plan, PodId};

/// A removal that a decision requires.
pub(in crate::apply) struct RequiredRemoval {
    pub victim: PodId,
    /// The pods that need the capacity.
    pub preemptors: Vec<PodId>,
}

impl RequiredRemoval {
    /// The removal of `victim`, which `plan` requires.
    pub(in crate::apply) fn of(victim: PodId, plan: &Plan) -> Self {
        let pod = |placement: &Placement| placement.pod.clone();
        Self { victim, preemptors: plan.placed.iter().map(pod).collect() }
    }
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
            observed::left(executor, pod, &lookup);
            some_left = true;
        }
    }
    Ok(some_left)
}
