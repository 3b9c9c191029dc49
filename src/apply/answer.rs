//! Handles the response to a removal: records it and what is observed of the pod, waits before the
//! next attempt, or ends the run.

use std::time::Duration;

use crate::apply::executor::{Executor, StepResult, StopReason, now};
use crate::apply::journal::{RequestKind, VictimEvent, VictimReason, VictimRecord};
use crate::apply::server::budget;
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::server::pods::{self, PodLookup};
use crate::apply::server::request;
use engine::simulation::plan::PodId;

/// Maximum number of attempts of a removal with an unknown outcome.
const UNKNOWN_SENDS: u32 = 2;
/// Maximum number of attempts of a removal with conflicts.
const CONFLICTS: u32 = 4;

/// Number of failures for one victim, by kind.
#[derive(Default)]
pub(super) struct Troubles {
    unknown: u32,
    unsent: u32,
    conflicts: u32,
}

/// Handles the outcome of the removal of `pod`.
pub(super) async fn handle(
    executor: &mut Executor<'_>,
    pod: &PodId,
    outcome: WriteOutcome,
    troubles: &mut Troubles,
) -> StepResult<()> {
    let times = executor.session.options.wait_times.clone();
    match outcome {
        WriteOutcome::Accepted => {
            if executor.session.writes_events {
                write_event(executor, pod).await;
            }
            return Ok(());
        }
        WriteOutcome::Budget { text, retry_after } => {
            blocked(executor, pod, text, retry_after).await?;
        }
        WriteOutcome::SeveralBudgets(text) => {
            return refused(executor, pod, VictimReason::SeveralBudgets(text));
        }
        WriteOutcome::Refused { reason, text } => {
            return refused(executor, pod, VictimReason::Rejected { reason, message: text });
        }
        WriteOutcome::Busy { text, retry_after } => {
            retry(executor, pod, &text, retry_after.unwrap_or_default().max(times.busy)).await?;
        }
        // A pod that is not found has left, unless the server shows it: then it does not serve the
        // request.
        WriteOutcome::NotFound(_) | WriteOutcome::NoSuchApi(_) => {
            if has_left(executor, pod, outcome.text()).await? {
                return Ok(());
            }
            let reason = executor.journal().why_not_found(pod, &outcome);
            return refused(executor, pod, reason);
        }
        WriteOutcome::NamespaceTerminating(text) => {
            if has_left(executor, pod, &text).await? {
                return Ok(());
            }
            retry(executor, pod, &text, times.budget).await?;
        }
        // Another pod has the name, so the victim is gone.
        WriteOutcome::Replaced(text) => {
            left(executor, pod, &PodLookup::Gone);
            if !may_be_removed_by_us(executor, pod) {
                return Err(StopReason::VictimReplaced(pod.clone(), text));
            }
            return Ok(());
        }
        WriteOutcome::Conflict(text) => {
            troubles.conflicts += 1;
            if troubles.conflicts >= CONFLICTS {
                return refused(executor, pod, VictimReason::Conflicts(text));
            }
            executor.pause(times.backoff(troubles.conflicts)).await?;
        }
        WriteOutcome::NotSent(text) => {
            let wait = times.backoff(troubles.unsent);
            troubles.unsent += 1;
            retry(executor, pod, &text, wait).await?;
        }
        WriteOutcome::Unknown(text) => return unknown(executor, pod, text, troubles).await,
    }
    Ok(())
}

/// A PodDisruptionBudget blocks the eviction: waits, unless the budget can never allow it.
async fn blocked(
    executor: &mut Executor<'_>,
    pod: &PodId,
    text: String,
    retry_after: Option<Duration>,
) -> StepResult<()> {
    if let Some(name) = budget::name_in(&text) {
        let path = budget::path(&pod.namespace, name);
        let list = executor.clock.run(pods::get(&executor.session.reader, &path)).await?;
        if let Some(never) = list.ok().flatten().and_then(|list| budget::never_allows(&list)) {
            let budget::NeverAllows { desired_healthy, expected_pods } = never;
            return refused(
                executor,
                pod,
                VictimReason::NeverAllowed { message: text, desired_healthy, expected_pods },
            );
        }
    }
    let wait = retry_after.unwrap_or_default().max(executor.session.options.wait_times.budget);
    retry(executor, pod, &text, wait).await
}

/// It is unknown whether the removal was executed: reads the pod before anything else is sent.
async fn unknown(
    executor: &mut Executor<'_>,
    pod: &PodId,
    text: String,
    troubles: &mut Troubles,
) -> StepResult<()> {
    troubles.unknown += 1;
    let done = executor.session.options.mode.done();
    executor.warn(&format!("it is not known whether pod {} was {done}: {text}", pod.full_name()));
    if has_left(executor, pod, &text).await? {
        return Ok(());
    }
    if troubles.unknown >= UNKNOWN_SENDS {
        return Err(StopReason::OutcomeUnknown(pod.clone(), text));
    }
    executor.say(&format!(
        "pod {} was not changed (will check the plan and try once more)",
        pod.full_name()
    ));
    executor.pause(executor.session.options.wait_times.backoff(0)).await?;
    Ok(())
}

fn refused<T>(executor: &mut Executor<'_>, pod: &PodId, reason: VictimReason) -> StepResult<T> {
    executor.record_victim(pod, VictimEvent::Refused(reason.clone()));
    Err(StopReason::Refused(pod.clone(), reason))
}

/// Prints the same line as `kubectl drain`, and waits.
async fn retry(
    executor: &mut Executor<'_>,
    pod: &PodId,
    text: &str,
    wait: Duration,
) -> StepResult<()> {
    let doing = executor.session.options.mode.doing();
    let (name, namespace) = (&pod.name, &pod.namespace);
    executor.say(&format!(
        "error when {doing} pods/{name:?} -n {namespace:?} (will retry after {wait:?}): {text}"
    ));
    executor.pause(wait).await
}

/// Records that a victim is gone or terminating; by this run if it sent a removal that may have
/// been executed.
pub(super) fn left(executor: &mut Executor<'_>, pod: &PodId, lookup: &PodLookup) {
    let event = match lookup {
        PodLookup::Found(_) => VictimEvent::SeenTerminating,
        PodLookup::Gone => VictimEvent::SeenGone,
    };
    executor.record_victim(pod, event);
    if !may_be_removed_by_us(executor, pod) {
        executor.say(&format!("pod/{} is gone, not by this command", pod.name));
    }
}

/// Whether this run sent a removal that may have been executed.
pub(super) fn may_be_removed_by_us(executor: &Executor<'_>, pod: &PodId) -> bool {
    executor.journal().victim(pod).is_some_and(VictimRecord::may_be_removed_by_us)
}

/// Reads a victim and records whether it is gone or terminating. `text` is the message that caused
/// the read.
pub(super) async fn has_left(
    executor: &mut Executor<'_>,
    pod: &PodId,
    text: &str,
) -> StepResult<bool> {
    match executor.read_pod(pod).await? {
        Ok(lookup) if lookup.is_leaving() => {
            left(executor, pod, &lookup);
            Ok(true)
        }
        Ok(_) => Ok(false),
        Err(unread) => Err(StopReason::OutcomeUnknown(pod.clone(), format!("{text}; {unread}"))),
    }
}

/// Writes the Event on a victim, without retries. A failure is only a warning.
async fn write_event(executor: &mut Executor<'_>, pod: &PodId) {
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
