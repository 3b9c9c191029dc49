//! Checks with dry runs whether the server would accept each removal. Each one is validated alone,
//! so success does not mean that the server accepts all of them.

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{VictimEvent, VictimReason};
use crate::apply::options::DryRunMode;
use crate::apply::server::outcome::WriteOutcome;
use crate::apply::server::pods::PodLookup;
use engine::simulation::plan::PodId;

/// Prints the removals of `--dry-run=client`.
pub(in crate::apply) fn print_removals(executor: &mut Executor<'_>) {
    for pod in executor.victims_to_remove() {
        print_removal(executor, &pod);
    }
}

fn print_removal(executor: &mut Executor<'_>, pod: &PodId) {
    let options = &executor.session.options;
    let line = format!("pod/{} {}{}", pod.name, options.mode.done(), options.dry_run.suffix());
    executor.say(&line);
}

/// Sends each removal as a dry run.
pub(in crate::apply) async fn try_removals(executor: &mut Executor<'_>) -> StepResult<()> {
    for pod in executor.victims_to_remove() {
        try_removal(executor, &pod).await?;
    }
    Ok(())
}

async fn try_removal(executor: &mut Executor<'_>, pod: &PodId) -> StepResult<()> {
    let times = executor.session.options.wait_times.clone();
    for attempt in 0..times.attempts {
        // A dry run has no side effects and may be repeated whatever its outcome.
        match executor.send_dry_run(pod).await? {
            WriteOutcome::Accepted => {
                if executor.session.options.dry_run != DryRunMode::None {
                    print_removal(executor, pod);
                }
                return Ok(());
            }
            WriteOutcome::Busy { retry_after, .. } => {
                executor.pause(retry_after.unwrap_or_default().max(times.busy)).await?;
            }
            WriteOutcome::Conflict(_) | WriteOutcome::NotSent(_) | WriteOutcome::Unknown(_) => {
                executor.pause(times.backoff(attempt)).await?;
            }
            WriteOutcome::Replaced(text) => {
                return Err(StopReason::VictimReplaced(pod.clone(), text));
            }
            outcome @ (WriteOutcome::NotFound(_) | WriteOutcome::NoSuchApi(_)) => {
                let reason = match executor.read_pod(pod).await? {
                    Ok(PodLookup::Found(_)) => executor.journal().why_not_found(pod, &outcome),
                    Ok(PodLookup::Gone) => return Err(StopReason::VictimGone(pod.clone())),
                    Err(_) => VictimReason::Message(outcome.text().to_owned()),
                };
                return refused(executor, pod, reason);
            }
            WriteOutcome::Budget { text, .. } => {
                return refused(executor, pod, VictimReason::Blocked(text));
            }
            WriteOutcome::SeveralBudgets(text)
            | WriteOutcome::NamespaceTerminating(text)
            | WriteOutcome::Refused { text, .. } => {
                return refused(executor, pod, VictimReason::Message(text));
            }
        }
    }
    let last = executor
        .journal()
        .victim(pod)
        .and_then(|victim| victim.last_message())
        .unwrap_or("no answer")
        .to_owned();
    refused(executor, pod, VictimReason::Message(last))
}

fn refused(executor: &mut Executor<'_>, pod: &PodId, reason: VictimReason) -> StepResult<()> {
    executor.record_victim(pod, VictimEvent::DryRunRefused(reason.clone()));
    Err(StopReason::DryRunRefused(pod.clone(), reason))
}
