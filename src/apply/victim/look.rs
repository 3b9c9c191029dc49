//! The last check before a removal request. The decision was based on lists; since then the
//! preemptor may have been deleted or bound, which would make the removal pointless. All reads are
//! consistent.

use futures::{StreamExt as _, TryStreamExt as _};

use super::check::RequiredRemoval;
use super::observed;
use crate::api::client::Reader;
use crate::apply::executor::{Executor, StepResult, StopReason};
use crate::apply::server::pods::{self, PodLookup, ReadError};
use engine::simulation::plan::PodId;

/// For more pods than this, a list is read instead.
const MOST_READS: usize = 16;
/// Number of concurrent reads.
const PARALLEL: usize = 8;

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
        observed::left(executor, victim, &lookup);
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
