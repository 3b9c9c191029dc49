//! The nomination: `status.nominatedNodeName` of each preemptor, which keeps pods of lower priority
//! off its node while victims terminate. It is set only if it is unset, and cleared if the run
//! fails and no other client has set it since.
//!
//! Rules: KEP-5278. A patch includes the UID and the `resourceVersion` that was read: the server
//! rejects it if the pod has changed.

use tokio::time::sleep;

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{NominationEvent, NominationReason, PreemptorEvent, PreemptorRecord};
use crate::apply::server::outcome::{self, WriteOutcome};
use crate::apply::server::pods::{PodLookup, PodView};
use crate::apply::server::request::{self, US};
use engine::simulation::plan::{Placement, PodId};

/// Maximum number of attempts of a patch.
const ATTEMPTS: u32 = 4;

/// Nominates each preemptor to its node.
pub(in crate::apply) async fn nominate(executor: &mut Executor<'_>) -> StepResult<()> {
    for Placement { pod, node } in executor.plan.placed.clone() {
        nominate_pod(executor, pod, node).await?;
    }
    Ok(())
}

async fn nominate_pod(executor: &mut Executor<'_>, pod: PodId, node: String) -> StepResult<()> {
    let times = executor.session.options.wait_times.clone();
    for attempt in 0..ATTEMPTS {
        let view = match executor.read_pod(&pod).await? {
            Ok(PodLookup::Found(view)) => view,
            Ok(PodLookup::Gone) => return Err(StopReason::PreemptorGone(pod)),
            Err(text) => return failed(executor, &pod, NominationReason::Message(text)),
        };
        if view.node.is_some() {
            // The nomination of a bound pod has no effect.
            return Ok(());
        }
        match view.nominated {
            Some(there) if there == node => {
                record(executor, &pod, NominationEvent::FoundSet);
                return Ok(());
            }
            Some(node) => {
                let reason = NominationReason::NominatedElsewhere {
                    pod: pod.clone(),
                    node,
                    manager: view.nominated_by,
                };
                return failed(executor, &pod, reason);
            }
            None => {}
        }
        executor.outdate_decision();
        let write = request::nominate(&pod, &view.resource_version, Some(&node));
        match outcome::of(&executor.send_to_end(&write).await) {
            WriteOutcome::Accepted => {
                record(executor, &pod, NominationEvent::Set);
                executor.say(&format!("pod/{} nominated to {node}", pod.name));
                return Ok(());
            }
            // A later read of the pod shows whether it is set.
            WriteOutcome::Unknown(text) => {
                record(executor, &pod, NominationEvent::Unanswered(text));
                executor.pause(times.backoff(attempt)).await?;
                if let Ok(PodLookup::Found(view)) = executor.read_pod(&pod).await?
                    && view.nominated.as_ref() == Some(&node)
                {
                    record(executor, &pod, NominationEvent::Set);
                    return Ok(());
                }
            }
            WriteOutcome::Conflict(_) | WriteOutcome::NotSent(_) | WriteOutcome::Busy { .. } => {
                executor.pause(times.backoff(attempt)).await?;
            }
            other => {
                return failed(executor, &pod, NominationReason::Message(other.text().to_owned()));
            }
        }
    }
    failed(executor, &pod, NominationReason::OutOfAttempts)
}

fn record(executor: &mut Executor<'_>, pod: &PodId, event: NominationEvent) {
    executor.record_preemptor(pod, PreemptorEvent::Nomination(event));
}

fn failed(executor: &mut Executor<'_>, pod: &PodId, reason: NominationReason) -> StepResult<()> {
    record(executor, pod, NominationEvent::Failed(reason.clone()));
    Err(StopReason::NotNominated(reason))
}

/// Clears the nominations that this run set or may have set.
pub(in crate::apply) async fn clear(executor: &mut Executor<'_>) {
    let ours = |record: &&PreemptorRecord| record.nomination.may_be_ours();
    let records: Vec<PreemptorRecord> =
        executor.journal().preemptors().iter().filter(ours).cloned().collect();
    for PreemptorRecord { pod, node, .. } in records {
        let event = try_clear(executor, &pod, &node).await;
        let cleared = event == NominationEvent::Cleared;
        record(executor, &pod, event);
        let reason =
            executor.journal().preemptor(&pod).and_then(|record| record.nomination.reason.clone());
        if cleared {
            executor.say(&format!("pod/{} no longer nominated", pod.name));
        } else if let Some(reason) = reason {
            executor.warn(&format!("the nomination of {} to {node}: {reason}", pod.full_name()));
        }
    }
}

async fn try_clear(executor: &Executor<'_>, pod: &PodId, node: &str) -> NominationEvent {
    let mut last = String::new();
    for attempt in 0..ATTEMPTS {
        let view = match executor.read_pod_at_end(pod).await {
            Some(PodLookup::Found(view)) => view,
            Some(PodLookup::Gone) => return NominationEvent::Cleared,
            None => return NominationEvent::ClearingUnknown,
        };
        if !is_ours(&view, node) {
            return NominationEvent::Cleared;
        }
        let write = request::nominate(pod, &view.resource_version, None);
        match outcome::of(&executor.send_to_end(&write).await) {
            WriteOutcome::Accepted => return NominationEvent::Cleared,
            // The next read shows whether it is cleared, or the pod is gone.
            other => other.text().clone_into(&mut last),
        }
        sleep(executor.session.options.wait_times.backoff(attempt)).await;
    }
    NominationEvent::NotCleared(last)
}

/// Whether the pod is nominated to `node`, and not by another client. The nomination of a bound pod
/// has no effect.
fn is_ours(view: &PodView, node: &str) -> bool {
    let by_another = view.nominated_by.as_ref().is_some_and(|by| by != US);
    view.node.is_none() && view.nominated.as_deref() == Some(node) && !by_another
}
