//! The requests that remove one victim, and the last check before each of them.

use futures::{StreamExt as _, TryStreamExt as _};

use crate::api::client::Reader;
use crate::apply::answer;
use crate::apply::executor::{Executor, StepResult, StopReason, now};
use crate::apply::journal::{ConditionState, RequestKind, VictimRecord};
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::server::pods::{self, PodLookup, ReadError};
use crate::apply::server::request;
use engine::simulation::plan::{Placement, Plan, PodId};

/// For more pods than this, a list is read instead.
const MOST_READS: usize = 16;
/// Number of concurrent reads.
const PARALLEL: usize = 8;

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

/// Sends a removal after the last check has confirmed it. In delete mode the victim's condition
/// `DisruptionTarget` is set first. Returns `None` if meanwhile the decision became stale or a
/// further check does not confirm it.
pub(super) async fn send(
    executor: &mut Executor<'_>,
    removal: &RequiredRemoval,
) -> StepResult<Option<WriteOutcome>> {
    let pod = &removal.victim;
    let line = format!("{} pod {}", executor.session.options.mode.doing(), pod.full_name());
    executor.say(&line);
    let condition = executor.journal().victim(pod).map(VictimRecord::condition);
    if executor.session.patches_conditions && condition != Some(ConditionState::Set) {
        if !executor.decision_is_current() {
            return Ok(None);
        }
        let write = request::condition(pod, &executor.plan.preemptor, now());
        match executor.send(pod, RequestKind::Condition, &write).await {
            WriteOutcome::Accepted => {}
            // It does not matter whether the patch was applied: it may be retried, and it removes
            // nothing.
            WriteOutcome::Unknown(text) => return Ok(Some(WriteOutcome::Conflict(text))),
            other => return Ok(Some(other)),
        }
        // The patch took some time.
        if !confirms(executor, removal).await? {
            return Ok(None);
        }
    }
    if !executor.decision_is_current() {
        return Ok(None);
    }
    Ok(Some(executor.send_removal(pod).await))
}

/// Clears the condition on victims that stay: it claims that they are preempted.
pub(in crate::apply) async fn clear_conditions(executor: &mut Executor<'_>) {
    let stays = |victim: &&VictimRecord| {
        let set = matches!(victim.condition(), ConditionState::Set | ConditionState::MaybeSet);
        set && !victim.may_be_removed_by_us() && !victim.is_leaving()
    };
    let pods: Vec<PodId> = executor
        .journal()
        .victims()
        .iter()
        .filter(stays)
        .map(|victim| victim.pod.clone())
        .collect();
    // The run has ended: a failure can only be reported.
    for pod in pods {
        let outcome =
            executor.send(&pod, RequestKind::ClearCondition, &request::clear_condition(&pod)).await;
        let name = pod.full_name();
        if outcome == WriteOutcome::Accepted {
            executor.say(&format!("pod {name} stays: its condition DisruptionTarget was reset"));
        } else {
            let why = outcome.text();
            executor.warn(&format!(
                "pod {name} stays, but its condition DisruptionTarget cannot be reset: {why}"
            ));
        }
    }
}

/// Whether the removal is still right. If not, a new decision is required: the victim is leaving or
/// another pod has its name, which is recorded, or a preemptor is no longer pending, or the check
/// took too long.
pub(super) async fn confirms(
    executor: &mut Executor<'_>,
    removal: &RequiredRemoval,
) -> StepResult<bool> {
    let victim = &removal.victim;
    let lookup = executor.read_pod(victim).await?.map_err(StopReason::Unreadable)?;
    if lookup.is_leaving() {
        answer::left(executor, victim, &lookup);
        return Ok(false);
    }
    // These come last: the UID in the request protects another pod with the victim's name, but
    // nothing else protects a victim that is no longer needed.
    Ok(all_wait(executor, &removal.preemptors).await? && executor.decision_is_current())
}

/// Whether all of these pods are pending.
async fn all_wait(executor: &mut Executor<'_>, pods: &[PodId]) -> StepResult<bool> {
    if let Ok(lookups) = executor.clock.run(read_at_once(&executor.session.reader, pods)).await? {
        lookups.iter().for_each(|lookup| executor.saw_pod(lookup));
        return Ok(lookups.iter().all(PodLookup::is_waiting));
    }
    // One at a time, with retries until the server responds.
    for pod in pods {
        let lookup = executor.read_pod(pod).await?.map_err(StopReason::Unreadable)?;
        if !lookup.is_waiting() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn read_at_once(reader: &Reader, pods: &[PodId]) -> Result<Vec<PodLookup>, ReadError> {
    if pods.len() > MOST_READS {
        return pods::look_up_waiting(reader, pods).await;
    }
    let reads = pods.iter().map(|pod| pods::look_up(reader, pod));
    futures::stream::iter(reads).buffered(PARALLEL).try_collect().await
}
