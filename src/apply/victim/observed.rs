//! Victims that were observed to have left the node.

use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::journal::{VictimEvent, VictimRecord};
use crate::apply::server::pods::PodLookup;
use engine::simulation::plan::PodId;

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
