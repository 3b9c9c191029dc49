//! What a pod that has already preempted waits for: the terminating pods on its nominated node, if
//! it fits there without them.

use jiff::Timestamp;

use super::dry_run::{self, Candidate, DryRun, DryRunContext};
use super::eligibility::{self, Ineligible};
use super::potential_victims::by_index;
use crate::framework::cycle::{NodeVerdict, PreparedCycle};

/// The dry run on the nominated node with only these terminating pods as victims. `None` if the pod
/// does not fit there even without them, or does not wait for any.
pub(super) fn find(
    prepared: &PreparedCycle,
    verdicts: &[NodeVerdict],
    ineligible: &Ineligible,
    now: Timestamp,
) -> Option<Candidate> {
    let node = eligibility::nominated(prepared).filter(|_| !ineligible.terminating.is_empty())?;
    // Only such a cause ends with a pod.
    if !verdicts.get(node.0 as usize)?.is_resolvable() {
        return None;
    }
    let context = DryRunContext::new(prepared.cycle.view, now);
    match dry_run::of_pods(prepared, node, &ineligible.terminating, &context, &by_index) {
        DryRun::Candidate(candidate) => {
            Some(candidate).filter(|candidate| !candidate.victims.is_empty())
        }
        DryRun::NoCandidate { .. } | DryRun::Failed(_) => None,
    }
}
