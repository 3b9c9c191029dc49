//! The bodies of writes. Every removal has the UID of its pod as a precondition. kube's
//! `Api::evict` is not used: it writes `delete_options` instead of `deleteOptions`, so that the
//! server would ignore the precondition.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::api::writer::{Verb, Write};
use engine::simulation::plan::{Plan, PlanPreemptor, PodId, PreemptorId};

/// The name of this client: `reportingController` of Events and field manager of patches.
pub(in crate::apply) const US: &str = "kubectl-preempt";

/// `DeleteOptions` of an eviction or a deletion; `grace` in seconds.
fn delete_options(pod: &PodId, grace: Option<u32>, dry_run: bool) -> Value {
    let mut options =
        json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}});
    if let Some(options) = options.as_object_mut() {
        if let Some(grace) = grace {
            options.insert("gracePeriodSeconds".to_owned(), grace.into());
        }
        if dry_run {
            options.insert("dryRun".to_owned(), json!(["All"]));
        }
    }
    options
}

/// `beta` selects `policy/v1beta1`, for servers before 1.22.
pub(in crate::apply) fn evict(
    pod: &PodId,
    grace: Option<u32>,
    dry_run: bool,
    beta: bool,
) -> Write<'_> {
    let version = if beta { "policy/v1beta1" } else { "policy/v1" };
    let body = json!({
        "apiVersion": version,
        "kind": "Eviction",
        "metadata": {"namespace": pod.namespace, "name": pod.name},
        "deleteOptions": delete_options(pod, grace, dry_run),
    });
    write(Verb::Evict, pod, dry_run, &body)
}

pub(in crate::apply) fn delete(pod: &PodId, grace: Option<u32>, dry_run: bool) -> Write<'_> {
    write(Verb::Delete, pod, dry_run, &delete_options(pod, grace, dry_run))
}

/// The condition `DisruptionTarget`, which records on a victim why it was removed, as the scheduler
/// writes it.
///
/// Upstream: `pkg/scheduler/framework/preemption/executor.go` (1.37).
pub(in crate::apply) fn condition<'p>(
    pod: &'p PodId,
    preemptor: &PlanPreemptor,
    now: Timestamp,
) -> Write<'p> {
    let (scheduler, what) = (&preemptor.scheduler, preemptor.id.resource());
    let body = json!({
        "metadata": {"uid": pod.uid},
        "status": {"conditions": [{
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "PreemptionByScheduler",
            "message": format!("{scheduler}: preempting to accommodate a higher priority {what}"),
            "lastTransitionTime": seconds(now),
        }]},
    });
    write(Verb::PatchCondition, pod, false, &body)
}

/// Removes that condition. The server rejects the patch if the pod has another UID.
pub(in crate::apply) fn clear_condition(pod: &PodId) -> Write<'_> {
    let body = json!({
        "metadata": {"uid": pod.uid},
        "status": {"conditions": [{"type": "DisruptionTarget", "$patch": "delete"}]},
    });
    write(Verb::PatchCondition, pod, false, &body)
}

/// Sets (`None`: clears) the nominated node. The server rejects the patch if the pod has another
/// `resource_version`.
pub(in crate::apply) fn nominate<'p>(
    pod: &'p PodId,
    resource_version: &str,
    node: Option<&str>,
) -> Write<'p> {
    let body = json!({
        "metadata": {"uid": pod.uid, "resourceVersion": resource_version},
        "status": {"nominatedNodeName": node},
    });
    write(Verb::PatchStatus, pod, false, &body)
}

/// Placeholder for the nodes of a group in the Event on a victim.
///
/// Upstream: `pkg/scheduler/framework/preemption/podgrouppreemption.go` (1.37).
const ALL_NODES: &str = "cluster";

/// The Event on a victim. It names the `user` and the `hash` of the plan.
pub(in crate::apply) fn event<'p>(
    victim: &'p PodId,
    plan: &Plan,
    user: &str,
    hash: &str,
    now: Timestamp,
) -> Write<'p> {
    let (id, nodes) = (&plan.preemptor.id, plan.nodes());
    let node =
        if id.pod().is_some() { nodes.first().copied().unwrap_or_default() } else { ALL_NODES };
    let (what, uid) = (id.resource(), id.uid());
    let note = format!("Preempted by {what} {uid} on node {node} ({US}, user {user}, plan {hash})");
    let reference = |pod: &PodId| json!({"apiVersion": "v1", "kind": "Pod", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid});
    let related = match id {
        PreemptorId::Pod(pod) => reference(pod),
        // The served version of its API is irrelevant here.
        PreemptorId::Group(group) => {
            json!({"kind": "PodGroup", "namespace": group.namespace, "name": group.name, "uid": group.uid})
        }
    };
    let body = json!({
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": victim.namespace, "name": event_name(victim, now)},
        "eventTime": now.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string(),
        "reportingController": US,
        "reportingInstance": US,
        "action": "Preempting",
        "reason": "Preempted",
        "type": "Normal",
        "regarding": reference(victim),
        "related": related,
        "note": note.chars().take(1000).collect::<String>(),
    });
    write(Verb::Record, victim, false, &body)
}

/// The name of an Event, built as client-go does, within the length limit.
fn event_name(pod: &PodId, now: Timestamp) -> String {
    let name: String = pod.name.chars().take(200).collect();
    format!("{}.{:x}", name.trim_end_matches(['.', '-']), now.as_nanosecond())
}

fn write<'p>(verb: Verb, pod: &'p PodId, dry_run: bool, body: &Value) -> Write<'p> {
    Write { verb, namespace: &pod.namespace, name: &pod.name, dry_run, body: body.to_string() }
}

/// RFC 3339 in whole seconds, the format of `metav1.Time`.
pub(in crate::apply) fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> PodId {
        PodId { namespace: "a".to_owned(), name: "b".to_owned(), uid: "u-1".to_owned() }
    }

    fn body(write: &Write<'_>) -> Value {
        serde_json::from_str(&write.body).unwrap()
    }

    #[test]
    fn every_removal_has_the_uid_as_a_precondition() {
        let pod = pod();
        let evict = body(&evict(&pod, Some(5), true, false));
        assert_eq!(evict["apiVersion"], "policy/v1");
        assert_eq!(evict["metadata"], json!({"namespace": "a", "name": "b"}));
        let options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "u-1"},
            "gracePeriodSeconds": 5, "dryRun": ["All"]});
        assert_eq!(evict["deleteOptions"], options);
        assert_eq!(body(&delete(&pod, Some(5), true)), options);
        let plain =
            json!({"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": "u-1"}});
        assert_eq!(body(&delete(&pod, None, false)), plain);
        assert_eq!(body(&super::evict(&pod, None, false, true))["apiVersion"], "policy/v1beta1");
    }

    #[test]
    fn patches_have_preconditions() {
        let pod = pod();
        let set = body(&nominate(&pod, "17", Some("n1")));
        assert_eq!(
            set,
            json!({"metadata": {"uid": "u-1", "resourceVersion": "17"},
            "status": {"nominatedNodeName": "n1"}})
        );
        assert_eq!(body(&nominate(&pod, "17", None))["status"]["nominatedNodeName"], Value::Null);
        let scheduler = "default-scheduler".to_owned();
        let preemptor = PlanPreemptor { id: PreemptorId::Pod(pod.clone()), priority: 1, scheduler };
        let condition = body(&condition(&pod, &preemptor, Timestamp::UNIX_EPOCH));
        assert_eq!(condition["metadata"]["uid"], "u-1");
        assert_eq!(
            condition["status"]["conditions"][0]["lastTransitionTime"],
            "1970-01-01T00:00:00Z"
        );
        assert_eq!(
            condition["status"]["conditions"][0]["message"],
            "default-scheduler: preempting to accommodate a higher priority pod"
        );
    }

    #[test]
    fn names_of_events_are_valid_names() {
        let long = PodId { name: format!("{}.{}", "x".repeat(199), "y".repeat(50)), ..pod() };
        let name = event_name(&long, Timestamp::UNIX_EPOCH);
        assert_eq!(name, format!("{}.0", "x".repeat(199)));
    }
}
