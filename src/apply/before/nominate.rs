//! The nomination: `status.nominatedNodeName` of the preemptor, which keeps pods of lower priority off the node while its
//! victims terminate. It is set only if it is unset, and cleared if the run fails and nobody else has set it since.
//!
//! Rules: KEP-5278. A patch names the UID and the `resourceVersion` that was read: the server rejects it if the pod has
//! changed.

use tokio::time::sleep;

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{Event, NominationEvent, NominationReason};
use crate::apply::server::outcome::{self, WriteOutcome};
use crate::apply::server::pods::{PodLookup, PodView};
use crate::apply::server::request::{self, US};

/// How often a patch is sent.
const ATTEMPTS: u32 = 4;

/// Sets the nomination.
pub(in crate::apply) async fn nominate(executor: &mut Executor<'_>) -> StepResult<()> {
    let (pod, node) = (executor.plan.preemptor.pod.clone(), executor.plan.node.clone());
    let times = executor.session.options.wait_times.clone();
    for attempt in 0..ATTEMPTS {
        let view = match executor.read_pod(&pod).await? {
            Ok(PodLookup::Found(view)) => view,
            Ok(PodLookup::Gone) => return Err(StopReason::PreemptorGone(pod)),
            Err(text) => return failed(executor, NominationReason::Message(text)),
        };
        match view.nominated {
            Some(there) if there == node => {
                executor.record(Event::Nomination(NominationEvent::FoundSet));
                return Ok(());
            }
            Some(node) => {
                let reason = NominationReason::NominatedElsewhere { pod, node, manager: view.nominated_by };
                return failed(executor, reason);
            }
            None => {}
        }
        executor.plan_is_current = false;
        let write = request::nominate(&pod, &view.resource_version, Some(&node));
        match outcome::of(&executor.send_to_end(&write).await) {
            WriteOutcome::Accepted => {
                executor.record(Event::Nomination(NominationEvent::Set));
                executor.say(&format!("pod/{} nominated to {node}", pod.name));
                return Ok(());
            }
            // Reading the pod shows whether it is set.
            WriteOutcome::Unknown(text) => {
                executor.record(Event::Nomination(NominationEvent::Unanswered(text)));
                executor.pause(times.backoff(attempt)).await?;
                if let Ok(PodLookup::Found(view)) = executor.read_pod(&pod).await?
                    && view.nominated.as_ref() == Some(&node)
                {
                    executor.record(Event::Nomination(NominationEvent::Set));
                    return Ok(());
                }
            }
            WriteOutcome::Conflict(_) | WriteOutcome::NotSent(_) | WriteOutcome::Busy { .. } => {
                executor.pause(times.backoff(attempt)).await?;
            }
            other => return failed(executor, NominationReason::Message(other.text().to_owned())),
        }
    }
    failed(executor, NominationReason::OutOfAttempts)
}

fn failed(executor: &mut Executor<'_>, reason: NominationReason) -> StepResult<()> {
    executor.record(Event::Nomination(NominationEvent::Failed(reason.clone())));
    Err(StopReason::NotNominated(reason))
}

/// Clears the nomination, if this run set it or may have.
pub(in crate::apply) async fn clear(executor: &mut Executor<'_>) {
    if !executor.journal().nomination().may_be_ours() {
        return;
    }
    let event = try_clear(executor).await;
    let cleared = event == NominationEvent::Cleared;
    executor.record(Event::Nomination(event));
    if cleared {
        let line = format!("pod/{} no longer nominated", executor.plan.preemptor.pod.name);
        executor.say(&line);
    } else if let Some(reason) = &executor.journal().nomination().reason {
        let warning = format!("the nomination of {} to {}: {reason}", executor.preemptor_name(), executor.plan.node);
        executor.warn(&warning);
    }
}

async fn try_clear(executor: &Executor<'_>) -> NominationEvent {
    let pod = &executor.plan.preemptor.pod;
    let mut last = String::new();
    for attempt in 0..ATTEMPTS {
        let view = match executor.read_pod_at_end(pod).await {
            Some(PodLookup::Found(view)) => view,
            Some(PodLookup::Gone) => return NominationEvent::Cleared,
            None => return NominationEvent::ClearingUnknown,
        };
        if !is_ours(&view, &executor.plan.node) {
            return NominationEvent::Cleared;
        }
        let write = request::nominate(pod, &view.resource_version, None);
        match outcome::of(&executor.send_to_end(&write).await) {
            WriteOutcome::Accepted
            | WriteOutcome::NotFound(_)
            | WriteOutcome::NoSuchApi(_)
            | WriteOutcome::Replaced(_) => {
                return NominationEvent::Cleared;
            }
            // The next read shows whether it is cleared.
            other => other.text().clone_into(&mut last),
        }
        sleep(executor.session.options.wait_times.backoff(attempt)).await;
    }
    NominationEvent::NotCleared(last)
}

/// Whether the pod is nominated to `node`, and no other client set that. The nomination of a bound pod has no effect.
fn is_ours(view: &PodView, node: &str) -> bool {
    let by_another = view.nominated_by.as_ref().is_some_and(|by| by != US);
    view.node.is_none() && view.nominated.as_deref() == Some(node) && !by_another
}
