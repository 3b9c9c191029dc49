//! The bodies of writes. Every removal has the UID of its pod as a precondition. kube's
//! `Api::evict` is not used: it writes `delete_options` instead of `deleteOptions`, so that the
//! server would ignore the precondition.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ObjectReference, PodCondition, PodStatus};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::api::policy::v1::Eviction;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    DeleteOptions, MicroTime, ObjectMeta, Preconditions, Time,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::api::writer::{Verb, Write};
use engine::simulation::plan::{Plan, PlanPreemptor, PodId, PreemptorId};

/// The name of this client: `reportingController` of Events and field manager of patches.
pub(in crate::apply) const US: &str = "kubectl-preempt";

/// A patch of the status of a pod. The metadata are preconditions.
#[derive(Serialize)]
struct StatusPatch {
    metadata: ObjectMeta,
    status: PodStatus,
}

/// `DeleteOptions` of an eviction or a deletion; `grace` in seconds.
fn delete_options(pod: &PodId, grace: Option<u32>, dry_run: bool) -> DeleteOptions {
    DeleteOptions {
        api_version: Some("v1".to_owned()),
        kind: Some("DeleteOptions".to_owned()),
        preconditions: Some(Preconditions {
            uid: Some(pod.uid.clone()),
            ..Preconditions::default()
        }),
        grace_period_seconds: grace.map(i64::from),
        dry_run: dry_run.then(|| vec!["All".to_owned()]),
        ..DeleteOptions::default()
    }
}

/// `beta` selects `policy/v1beta1`, for servers before 1.22.
pub(in crate::apply) fn evict(
    pod: &PodId,
    grace: Option<u32>,
    dry_run: bool,
    beta: bool,
) -> Write<'_> {
    let mut body = json(&Eviction {
        metadata: ObjectMeta {
            namespace: Some(pod.namespace.clone()),
            name: Some(pod.name.clone()),
            ..ObjectMeta::default()
        },
        delete_options: Some(delete_options(pod, grace, dry_run)),
    });
    // Both versions have the same fields.
    if let Some(version) = body.get_mut("apiVersion").filter(|_| beta) {
        *version = "policy/v1beta1".into();
    }
    write(Verb::Evict, pod, dry_run, &body)
}

pub(in crate::apply) fn delete(pod: &PodId, grace: Option<u32>, dry_run: bool) -> Write<'_> {
    write(Verb::Delete, pod, dry_run, &json(&delete_options(pod, grace, dry_run)))
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
    let condition = PodCondition {
        type_: "DisruptionTarget".to_owned(),
        status: "True".to_owned(),
        reason: Some("PreemptionByScheduler".to_owned()),
        message: Some(format!("{scheduler}: preempting to accommodate a higher priority {what}")),
        last_transition_time: Some(Time(now)),
        ..PodCondition::default()
    };
    let patch = StatusPatch {
        metadata: ObjectMeta { uid: Some(pod.uid.clone()), ..ObjectMeta::default() },
        status: PodStatus { conditions: Some(vec![condition]), ..PodStatus::default() },
    };
    write(Verb::PatchCondition, pod, false, &json(&patch))
}

/// Removes that condition. The server rejects the patch if the pod has another UID.
pub(in crate::apply) fn clear_condition(pod: &PodId) -> Write<'_> {
    // `$patch` is no field of a condition, so this is none of `PodCondition`.
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
    let patch = StatusPatch {
        metadata: ObjectMeta {
            uid: Some(pod.uid.clone()),
            resource_version: Some(resource_version.to_owned()),
            ..ObjectMeta::default()
        },
        // To the server, an empty name is none.
        status: PodStatus {
            nominated_node_name: Some(node.unwrap_or_default().to_owned()),
            ..PodStatus::default()
        },
    };
    write(Verb::PatchStatus, pod, false, &json(&patch))
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
    let related = match id {
        PreemptorId::Pod(pod) => pod_reference(pod),
        // The served version of its API is irrelevant here.
        PreemptorId::Group(group) => ObjectReference {
            kind: Some("PodGroup".to_owned()),
            namespace: Some(group.namespace.clone()),
            name: Some(group.name.clone()),
            uid: Some(group.uid.clone()),
            ..ObjectReference::default()
        },
    };
    let event = Event {
        metadata: ObjectMeta {
            namespace: Some(victim.namespace.clone()),
            name: Some(event_name(victim, now)),
            ..ObjectMeta::default()
        },
        event_time: Some(MicroTime(now)),
        reporting_controller: Some(US.to_owned()),
        reporting_instance: Some(US.to_owned()),
        action: Some("Preempting".to_owned()),
        reason: Some("Preempted".to_owned()),
        type_: Some("Normal".to_owned()),
        regarding: Some(pod_reference(victim)),
        related: Some(related),
        note: Some(note.chars().take(1000).collect()),
        ..Event::default()
    };
    write(Verb::Record, victim, false, &json(&event))
}

fn pod_reference(pod: &PodId) -> ObjectReference {
    ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("Pod".to_owned()),
        namespace: Some(pod.namespace.clone()),
        name: Some(pod.name.clone()),
        uid: Some(pod.uid.clone()),
        ..ObjectReference::default()
    }
}

/// The name of an Event, built as client-go does, within the length limit.
fn event_name(pod: &PodId, now: Timestamp) -> String {
    let name: String = pod.name.chars().take(200).collect();
    format!("{}.{:x}", name.trim_end_matches(['.', '-']), now.as_nanosecond())
}

/// The JSON of an object of the API.
fn json(object: &impl Serialize) -> Value {
    // Their fields are texts, numbers, lists and maps of texts.
    serde_json::to_value(object).unwrap_or_default()
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
        assert_eq!(body(&nominate(&pod, "17", None))["status"]["nominatedNodeName"], "");
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
