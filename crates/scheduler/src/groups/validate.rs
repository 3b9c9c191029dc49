//! What all pods of a group must have in common; otherwise the cycle ends with an error.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `validatePodGroup` (1.37).

use super::GroupDecision;
use super::messages::{POLICIES, POLICY_OF_GROUP, PRIORITIES, SCHEDULER_NAMES};
use crate::framework::cluster_view::ClusterView;
use crate::framework::reason::ReasonText;
use model::cluster::{Cluster, PodIx};

/// What the pods must have in common.
pub(super) struct Shared {
    /// The pod whose scheduler and preemption policy count.
    pub first: PodIx,
    /// The priority of the group.
    pub priority: i32,
    /// Whether the preemption policy of the group is `Never`, if it has one.
    pub never_preempts: Option<bool>,
}

/// Checks the waiting pods in their order, then the running ones.
///
/// # Errors
/// The difference of the first pod that differs.
pub(super) fn check(decision: &GroupDecision) -> Result<(), String> {
    let (group, members) = (decision.pod_group(), &decision.members);
    let mut pods = members.waiting.iter().chain(&members.running).copied();
    let Some(first) = pods.clone().next() else { return Ok(()) };
    let shared = Shared { first, priority: group.priority(), never_preempts: group.never_preempts };
    pods.find_map(|pod| differs(pod, &shared, decision.view)).map_or(Ok(()), Err)
}

/// kube-scheduler's error about a pod that differs from the others.
pub(super) fn differs(pod: PodIx, shared: &Shared, view: &ClusterView) -> Option<String> {
    let (cluster, features) = (view.cluster, &view.profile.features.pod_groups);
    let scheduler = |pod: PodIx| cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
    let never = |pod: PodIx| cluster.template(cluster.pod(pod)).never_preempts;
    let first = shared.first;
    if scheduler(pod) != scheduler(first) {
        return Some(text(&SCHEDULER_NAMES.with([scheduler(pod), scheduler(first)]), cluster));
    }
    let priority = cluster.pod(pod).priority;
    if priority != shared.priority {
        return Some(text(
            &PRIORITIES.with([&priority.to_string(), &shared.priority.to_string()]),
            cluster,
        ));
    }
    let policy_of_group = shared.never_preempts.unwrap_or(false);
    if features.group_policy && never(pod) != policy_of_group {
        return Some(text(
            &POLICY_OF_GROUP.with([policy(never(pod)), policy(policy_of_group)]),
            cluster,
        ));
    }
    let differs = !features.group_policy && never(pod) != never(first);
    differs.then(|| text(&POLICIES.with([policy(never(pod)), policy(never(first))]), cluster))
}

const fn policy(never: bool) -> &'static str {
    if never { "Never" } else { "PreemptLowerPriority" }
}

fn text(reason: &ReasonText, cluster: &Cluster) -> String {
    reason.render(cluster).into_owned()
}
