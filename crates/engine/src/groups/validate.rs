//! What all pods of a group have to share; else the cycle ends with an error.
//!
//! Upstream: `pkg/scheduler/schedule_one_podgroup.go` `validatePodGroup` (1.37).

use super::GroupDecision;
use super::messages::{POLICIES, POLICY_OF_GROUP, PRIORITIES, SCHEDULER_NAMES};
use crate::cluster::Cluster;
use crate::cluster::pod::PodIx;
use crate::framework::reason::ReasonText;

/// Looks at the waiting pods in their order, then at the running ones.
///
/// # Errors
/// What the first pod that differs has.
pub(super) fn check(decision: &GroupDecision) -> Result<(), String> {
    let (cluster, features) = (decision.view.cluster, &decision.view.profile.features.pod_groups);
    let (group, members) = (decision.pod_group(), &decision.members);
    let pods = || members.waiting.iter().chain(&members.running).copied();
    let scheduler = |pod: PodIx| cluster.text(cluster.template(cluster.pod(pod)).scheduler_name);
    let never = |pod: PodIx| cluster.template(cluster.pod(pod)).never_preempts;
    let Some(first) = pods().next() else { return Ok(()) };
    for pod in pods() {
        if scheduler(pod) != scheduler(first) {
            return Err(text(&SCHEDULER_NAMES.with([scheduler(pod), scheduler(first)]), cluster));
        }
        let priority = cluster.pod(pod).priority;
        if priority != group.priority() {
            return Err(text(&PRIORITIES.with([&priority.to_string(), &group.priority().to_string()]), cluster));
        }
        let policy_of_group = group.never_preempts.unwrap_or(false);
        if features.group_policy && never(pod) != policy_of_group {
            return Err(text(&POLICY_OF_GROUP.with([policy(never(pod)), policy(policy_of_group)]), cluster));
        }
        if !features.group_policy && never(pod) != never(first) {
            return Err(text(&POLICIES.with([policy(never(pod)), policy(never(first))]), cluster));
        }
    }
    Ok(())
}

const fn policy(never: bool) -> &'static str {
    if never { "Never" } else { "PreemptLowerPriority" }
}

fn text(reason: &ReasonText, cluster: &Cluster) -> String {
    reason.render(cluster).into_owned()
}
