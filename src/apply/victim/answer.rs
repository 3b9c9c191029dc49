//! Handles the response to a removal: records it, waits before the next attempt, or ends the run.

use std::time::Duration;

use super::{observed, remove};
use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{VictimEvent, VictimReason};
use crate::apply::server::budget;
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::server::pods::{self, PodLookup};
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
                remove::write_event(executor, pod).await;
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
        WriteOutcome::NotFound(_) | WriteOutcome::NoSuchApi(_) => {
            if observed::has_left(executor, pod, outcome.text()).await? {
                return Ok(());
            }
            let reason = executor.journal().why_not_found(pod, &outcome);
            return refused(executor, pod, reason);
        }
        WriteOutcome::NamespaceTerminating(text) => {
            if observed::has_left(executor, pod, &text).await? {
                return Ok(());
            }
            retry(executor, pod, &text, times.budget).await?;
        }
        WriteOutcome::Replaced(text) => {
            observed::left(executor, pod, &PodLookup::Gone);
            if !observed::may_be_removed_by_us(executor, pod) {
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
    if observed::has_left(executor, pod, &text).await? {
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
