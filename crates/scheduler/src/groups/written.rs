//! What the scheduler writes about a group and its pods after a cycle.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `submitPodGroupAlgorithmResult` (1.37).

use super::cycle::{GroupSearchResult, Trial, TrialResult};
use super::messages::{GROUP_FAILED, GROUP_UNFIT, UNSCHEDULABLE};
use super::preemption::{GroupPreemption, GroupPreemptionVerdict};
use crate::framework::cluster_view::ClusterView;
use crate::framework::message::NO_NODES;
use model::cluster::{NodeIx, PodGroup, PodIx};

/// What is written about a waiting pod of the group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenMember {
    pub pod: PodIx,
    /// Reason and message of its `PodScheduled` condition; `None` if it is bound, or in 1.35 waits
    /// at Permit.
    pub condition: Option<(&'static str, String)>,
    /// What happens to its nomination.
    pub nomination: NominationChange,
}

/// What a cycle does with the nomination of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NominationChange {
    /// It is not changed.
    Kept,
    /// It is removed.
    Cleared,
    /// The pod is nominated to this node.
    To(NodeIx),
}

/// The condition `PodGroupInitiallyScheduled` of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCondition {
    pub is_true: bool,
    pub reason: &'static str,
    pub message: String,
}

pub(super) const REJECTED: &str = "Unschedulable";
pub(super) const FAILED: &str = "SchedulerError";

/// After an error before any search.
pub(super) fn of_error(pods: &[PodIx], error: &str) -> Vec<WrittenMember> {
    pods.iter()
        .map(|pod| WrittenMember {
            pod: *pod,
            condition: Some((FAILED, error.to_owned())),
            nomination: NominationChange::Cleared,
        })
        .collect()
}

/// The condition after an error before any search.
pub(super) fn condition_of_error(
    group: &PodGroup,
    error: &str,
    view: &ClusterView,
) -> Option<WrittenCondition> {
    let reason =
        if view.profile.features.pod_groups.group_cause_alone { "PodGroupError" } else { FAILED };
    new_condition(group, WrittenCondition { is_true: false, reason, message: error.to_owned() })
}

/// After a search: `status` is its result, `after` that of PostFilter.
pub(super) fn of_members(
    group: &PodGroup,
    pods: &[PodIx],
    trials: &[Trial],
    status: &GroupSearchResult,
    after: &GroupSearchResult,
    preemption: Option<&GroupPreemption>,
    view: &ClusterView,
) -> Vec<WrittenMember> {
    let mut written = Vec::with_capacity(pods.len());
    for pod in pods {
        let trial = trials.iter().find(|trial| trial.pod == *pod);
        let planned = planned(*pod, preemption, view);
        let (condition, nomination) = match (after, trial.map(|trial| &trial.result)) {
            (GroupSearchResult::Failed(_), Some(TrialResult::Failed(error))) => {
                (Some((FAILED, error.clone())), NominationChange::Cleared)
            }
            (GroupSearchResult::Failed(error), _) => {
                let text = if view.profile.features.pod_groups.groups_checked_together {
                    let group = view.cluster.text(group.name);
                    GROUP_FAILED.with([group]).render(view.cluster).into_owned()
                } else {
                    error.clone()
                };
                (Some((FAILED, text)), NominationChange::Cleared)
            }
            (GroupSearchResult::Fits, Some(TrialResult::Placed { .. })) => {
                (None, NominationChange::Kept)
            }
            (_, Some(TrialResult::Placed { .. })) => {
                let prefix =
                    planned.is_none() && !view.profile.features.pod_groups.group_cause_alone;
                let before = prefix.then_some(UNSCHEDULABLE.text).map(str::to_owned);
                let told = told_to_pods(group, after, view);
                let text: Vec<String> = before.into_iter().chain([told]).collect();
                (Some((REJECTED, text.join(", "))), planned.unwrap_or(NominationChange::Cleared))
            }
            (_, Some(TrialResult::Rejected | TrialResult::Failed(_))) => {
                let message = trial.and_then(|trial| trial.message.clone()).unwrap_or_default();
                let otherwise = if message == NO_NODES.text {
                    NominationChange::Cleared
                } else {
                    NominationChange::Kept
                };
                (Some((REJECTED, message)), planned.unwrap_or(otherwise))
            }
            (_, None) => {
                let text = told_to_pods(group, status, view);
                (Some((REJECTED, text)), planned.unwrap_or(NominationChange::Kept))
            }
        };
        written.push(WrittenMember { pod: *pod, condition, nomination });
    }
    written
}

/// What pods are told that do not fail themselves.
///
/// Upstream: `pkg/scheduler/schedule_one.go` `handleSchedulingFailure` (1.38.0-beta.0).
fn told_to_pods(group: &PodGroup, status: &GroupSearchResult, view: &ClusterView) -> String {
    let names_group = view.profile.features.pod_groups.pods_told_their_group
        && matches!(status, GroupSearchResult::Unfit { no_domain: false, .. });
    if names_group {
        let name = view.cluster.text(group.name);
        return GROUP_UNFIT.with([name]).render(view.cluster).into_owned();
    }
    status.text()
}

/// The nomination that preemption gives to a pod; `None` if it found nothing.
fn planned(
    pod: PodIx,
    preemption: Option<&GroupPreemption>,
    view: &ClusterView,
) -> Option<NominationChange> {
    match &preemption?.verdict {
        GroupPreemptionVerdict::Evicts(plan) => {
            Some(plan.node_of(pod).map_or(NominationChange::Kept, NominationChange::To))
        }
        GroupPreemptionVerdict::Ongoing(_) => {
            let cluster = view.cluster;
            let name = cluster.pod(pod).nominated_node;
            let change = cluster.find_node(cluster.text(name)).map(NominationChange::To);
            Some(change.unwrap_or(if name.is_empty() {
                NominationChange::Cleared
            } else {
                NominationChange::Kept
            }))
        }
        GroupPreemptionVerdict::Never
        | GroupPreemptionVerdict::NothingToEvict
        | GroupPreemptionVerdict::NotHelpful(_)
        | GroupPreemptionVerdict::Failed(_) => None,
    }
}

/// The condition of the group after a search; `None` if nothing is written.
pub(super) fn condition(group: &PodGroup, after: &GroupSearchResult) -> Option<WrittenCondition> {
    let (is_true, reason) = match after {
        GroupSearchResult::Fits => (true, "Scheduled"),
        GroupSearchResult::Unfit { .. } => (false, REJECTED),
        GroupSearchResult::Failed(_) => (false, FAILED),
    };
    new_condition(group, WrittenCondition { is_true, reason, message: after.text() })
}

/// A group that was scheduled once stays scheduled, and an unchanged condition is not written
/// again.
fn new_condition(group: &PodGroup, condition: WrittenCondition) -> Option<WrittenCondition> {
    let Some(before) = &group.condition else { return Some(condition) };
    let same = (before.is_true, &*before.reason, &*before.message)
        == (condition.is_true, condition.reason, condition.message.as_str());
    (!same && (condition.is_true || !before.is_true)).then_some(condition)
}
