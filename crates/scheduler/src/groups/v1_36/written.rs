//! What 1.36 writes about the pods of a group.

use crate::groups::cycle::{GroupSearchResult, Trial, TrialResult};
use crate::groups::messages::UNSCHEDULABLE;
use crate::groups::written::{FAILED, NominationChange, REJECTED, WrittenMember};
use model::cluster::PodIx;

/// Permit's text about a pod that waits for others.
const WAITS: &str = "waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod";

/// After a search: `after` is its result including preemption, and `awaits` says whether victims
/// have to leave first.
pub(super) fn of_members(
    pods: &[PodIx],
    trials: &[Trial],
    after: &GroupSearchResult,
    awaits: bool,
) -> Vec<WrittenMember> {
    let mut written = Vec::with_capacity(pods.len());
    for pod in pods {
        let trial = trials.iter().find(|trial| trial.pod == *pod);
        let (condition, nomination) = match (after, trial) {
            (
                GroupSearchResult::Failed(_),
                Some(Trial { result: TrialResult::Failed(error), .. }),
            ) => (Some((FAILED, error.clone())), NominationChange::Cleared),
            (GroupSearchResult::Failed(error), _) => {
                (Some((FAILED, error.clone())), NominationChange::Cleared)
            }
            (_, None) => (Some((REJECTED, after.text())), NominationChange::Kept),
            (_, Some(trial)) => of_trial(trial, after, awaits),
        };
        written.push(WrittenMember { pod: *pod, condition, nomination });
    }
    written
}

fn of_trial(
    trial: &Trial,
    after: &GroupSearchResult,
    awaits: bool,
) -> (Option<(&'static str, String)>, NominationChange) {
    match (&trial.result, &trial.preempts) {
        (TrialResult::Placed { .. }, _) if *after == GroupSearchResult::Fits => {
            (None, NominationChange::Kept)
        }
        (TrialResult::Placed { node, .. }, _) if awaits => {
            (Some((REJECTED, after.text())), NominationChange::To(*node))
        }
        (TrialResult::Placed { .. }, _) => {
            (Some((REJECTED, at_permit(trial))), NominationChange::Cleared)
        }
        (_, Some(_)) if !awaits => (Some((REJECTED, at_permit(trial))), NominationChange::Cleared),
        (_, Some((node, _))) => (
            Some((REJECTED, trial.message.clone().unwrap_or_default())),
            NominationChange::To(*node),
        ),
        (_, None) => {
            let nomination = if trial.loses_nomination() {
                NominationChange::Cleared
            } else {
                NominationChange::Kept
            };
            (Some((REJECTED, trial.message.clone().unwrap_or_default())), nomination)
        }
    }
}

/// What is written about a pod that is placed while its group is not.
fn at_permit(trial: &Trial) -> String {
    if trial.waits_at_permit {
        format!("{}, {WAITS}", UNSCHEDULABLE.text)
    } else {
        UNSCHEDULABLE.text.to_owned()
    }
}
