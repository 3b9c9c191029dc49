//! The requests that remove one victim, and the Event about it.

use super::check::RequiredRemoval;
use super::look;
use crate::apply::executor::{Executor, StepResult, now};
use crate::apply::journal::{ConditionState, RequestKind, VictimRecord};
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::server::request;
use engine::simulation::plan::PodId;

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
        if !look::confirms(executor, removal).await? {
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
        set && !victim.may_be_removed_by_us() && !victim.state.is_leaving()
    };
    let pods: Vec<PodId> = executor
        .journal()
        .victims()
        .iter()
        .filter(stays)
        .map(|victim| victim.pod.clone())
        .collect();
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

/// Writes the Event on a victim, without retries. A failure is only a warning.
pub(super) async fn write_event(executor: &mut Executor<'_>, pod: &PodId) {
    let user = executor.user_name().unwrap_or_default();
    let hash = &executor.journal().header().plan_hash;
    let write = request::event(pod, &executor.plan, &user, hash, now());
    let outcome = executor.send(pod, RequestKind::Event, &write).await;
    if outcome != WriteOutcome::Accepted {
        executor.warn(&format!(
            "no event was written on pod {}: {}",
            pod.full_name(),
            outcome.text()
        ));
    }
}
