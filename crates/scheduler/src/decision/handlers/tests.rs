#![expect(clippy::needless_pass_by_value, reason = "tables of JSON, written where they are used")]

use serde_json::{Value, json};

use super::{Handler, HeldBy, PodHandler};
use crate::testing::{Pod, at, cluster, node, objects, pod};

const GATE: &str = "kueue.x-k8s.io/admission";

fn holder(mut others: Vec<Value>, held: Pod) -> Option<PodHandler> {
    let mut all = objects![node("n").cpu("4"), held];
    all.append(&mut others);
    at("1.37.1").look(&cluster(all), "p", |decision| decision.holder())
}

/// The word, the place and the message of a program.
fn said(others: Vec<Value>, held: Pod, handler: Handler, by: HeldBy) -> [String; 3] {
    let found = holder(others, held).expect("a holder");
    assert_eq!((found.handler, found.by), (Some(handler), by));
    [found.reason.word, found.reason.place, found.reason.message]
}

fn gated(gate: &str) -> Pod {
    pod("p").cpu("1").with("/spec/schedulingGates", json!([{"name": gate}]))
}

fn annotated(held: Pod, key: &str, value: &str) -> Pod {
    held.with("/metadata/annotations", json!({key: value}))
}

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z"})
}

fn object(version: &str, kind: &str, name: &str, spec: Value, status: Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
        "spec": spec, "status": status})
}

/// A Workload of Kueue in LocalQueue `lq` with these conditions.
fn workload(conditions: &[Value]) -> Value {
    object(
        "kueue.x-k8s.io/v1beta2",
        "Workload",
        "w",
        json!({"queueName": "lq"}),
        json!({"conditions": conditions}),
    )
}

fn queues(local_stops: &str, cluster_stops: &str) -> Vec<Value> {
    let local = json!({"clusterQueue": "cq", "stopPolicy": local_stops});
    let cluster = json!({"stopPolicy": cluster_stops});
    vec![
        object("kueue.x-k8s.io/v1beta2", "LocalQueue", "lq", local, json!({})),
        object("kueue.x-k8s.io/v1beta2", "ClusterQueue", "cq", cluster, json!({})),
    ]
}

#[test]
fn kueue_says_what_its_workload_waits_for_in_every_state() {
    let reserved = || condition("QuotaReserved", "True", "QuotaReserved", "");
    let preempted = "Preempted to accommodate a workload (UID: u, JobUID: j) due to prioritization in the ClusterQueue";
    let mut rows = vec![
        (vec![], ["", ""]),
        (vec![condition("Evicted", "True", "Preempted", preempted)], ["Preempted", preempted]),
        (
            vec![
                reserved(),
                condition(
                    "Admitted",
                    "False",
                    "UnsatisfiedAdmissionChecks",
                    "The workload has not all checks ready",
                ),
            ],
            ["UnsatisfiedAdmissionChecks", "The workload has not all checks ready"],
        ),
        (vec![reserved()], ["QuotaReserved", "it is not admitted yet"]),
        (
            vec![reserved(), condition("Admitted", "True", "Admitted", "")],
            ["Admitted", "its gates are about to be removed"],
        ),
    ];
    // Those of 0.19 and later, then those before.
    // Why it is not admitted although its quota is reserved, and why it was evicted.
    for word in ["NoReservation", "PendingDelayedTopologyRequests"] {
        let conditions = vec![reserved(), condition("Admitted", "False", word, "m")];
        rows.push((conditions, [word, "m"]));
    }
    for word in [
        "PodsReadyTimeout",
        "AdmissionCheck",
        "ClusterQueueStopped",
        "LocalQueueStopped",
        "NodeFailures",
        "Deactivated",
    ] {
        rows.push((vec![condition("Evicted", "True", word, "m")], [word, "m"]));
    }
    for word in [
        "NoMatchingFlavor",
        "WaitingForQuota",
        "ExceedsMaxQuota",
        "TopologyPlacementFailed",
        "WaitingForPreemptedWorkloads",
        "Misconfigured",
        "Suspended",
        "PendingEvaluation",
        "WaitingForPodsReady",
        "OnHold",
        "AdmissionGated",
        "Pending",
        "Inadmissible",
        "Waiting",
    ] {
        let message = "couldn't assign flavors to pod set main: insufficient unused quota for cpu";
        rows.push((vec![condition("QuotaReserved", "False", word, message)], [word, message]));
    }
    for (conditions, [word, message]) in rows {
        let mut others = queues("None", "None");
        others.push(workload(&conditions));
        let held = annotated(gated(GATE), "kueue.x-k8s.io/workload", "w");
        let found = said(others, held, Handler::Kueue, HeldBy::Gates);
        assert_eq!(found, [word, "ClusterQueue cq", message], "{conditions:?}");
    }
    for gate in ["kueue.x-k8s.io/topology", "kueue.x-k8s.io/elastic-job"] {
        let held = holder(vec![], gated(gate)).expect("a holder");
        assert_eq!((held.handler, held.by), (Some(Handler::Kueue), HeldBy::Gates), "{gate}");
    }
}

#[test]
fn kueue_says_that_a_check_a_stopped_queue_or_an_inactive_workload_holds_the_pod() {
    let held = || annotated(gated("kueue.x-k8s.io/topology"), "kueue.x-k8s.io/workload", "w");
    let waiting = || workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
    for (local, cluster, word, place) in [
        ("Hold", "None", "Hold", "LocalQueue lq"),
        ("", "HoldAndDrain", "HoldAndDrain", "ClusterQueue cq"),
    ] {
        let mut others = queues(local, cluster);
        others.push(waiting());
        let [found, at, _] = said(others, held(), Handler::Kueue, HeldBy::Gates);
        assert_eq!((found.as_str(), at.as_str()), (word, place));
    }

    let mut checked = workload(&[condition("QuotaReserved", "True", "QuotaReserved", "")]);
    checked["status"]["admission"] = json!({"clusterQueue": "other"});
    checked["status"]["admissionChecks"] = json!([{"name": "a", "state": "Ready"},
        {"name": "prov-req", "state": "Pending", "message": "waiting for capacity"}]);
    assert_eq!(
        said(vec![checked], held(), Handler::Kueue, HeldBy::Gates),
        ["admission check prov-req is Pending", "ClusterQueue other", "waiting for capacity"]
    );

    let mut inactive = waiting();
    inactive["spec"]["active"] = json!(false);
    let [word, ..] = said(vec![inactive], held(), Handler::Kueue, HeldBy::Gates);
    assert_eq!(word, "Deactivated");
}

#[test]
fn workload_of_kueue_is_found_by_job_group_or_pod() {
    let waiting = || {
        let mut work = workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
        work["metadata"]["labels"] = json!({"kueue.x-k8s.io/job-uid": "uid-job"});
        work
    };
    let of_job = gated(GATE).with(
        "/metadata/ownerReferences",
        json!([{"apiVersion": "batch/v1", "kind": "Job",
        "name": "job", "uid": "uid-job", "controller": true}]),
    );
    assert_eq!(said(vec![waiting()], of_job, Handler::Kueue, HeldBy::Gates)[0], "Pending");
    let of_group = gated(GATE).label("kueue.x-k8s.io/pod-group-name", "w");
    assert_eq!(said(vec![waiting()], of_group, Handler::Kueue, HeldBy::Gates)[0], "Pending");
    let mut of_pod = waiting();
    of_pod["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": true}]);
    let alone = gated(GATE).with("/metadata/uid", "uid-p");
    assert_eq!(said(vec![of_pod], alone, Handler::Kueue, HeldBy::Gates)[0], "Pending");
    // One of another namespace is another one.
    let mut elsewhere = waiting();
    elsewhere["metadata"]["namespace"] = json!("other");
    let found = holder(vec![elsewhere], annotated(gated(GATE), "kueue.x-k8s.io/workload", "w"));
    assert!(found.expect("a holder").reason.is_unknown());
}

#[test]
fn reason_that_is_not_read_is_a_note_and_only_then() {
    let note = |others: Vec<Value>, held: Pod| {
        let mut all = objects![node("n").cpu("4"), held];
        all.extend(others);
        at("1.37.1").look(&cluster(all), "p", |decision| {
            let found = decision.notes.iter().find(|note| note.doc.code == "PRE-968");
            found.map(|note| note.text.clone())
        })
    };
    let queued = || gated(GATE).label("kueue.x-k8s.io/queue-name", "lq");
    assert_eq!(
        note(vec![], queued()).as_deref(),
        Some(
            "why Kueue holds the pod is not known: the input has no workloads.kueue.x-k8s.io; kubectl get \
             workloads.kueue.x-k8s.io -A -o json adds them"
        )
    );
    let known = workload(&[condition("QuotaReserved", "False", "Pending", "full")]);
    assert_eq!(note(vec![known], annotated(queued(), "kueue.x-k8s.io/workload", "w")), None);
    assert_eq!(note(vec![], pod("p").cpu("1")), None);
}

#[test]
fn volcano_says_the_phase_and_condition_of_the_group() {
    let group = |phase: &str, conditions: Value| {
        object(
            "scheduling.volcano.sh/v1beta1",
            "PodGroup",
            "g",
            json!({"minMember": 4, "queue": "q"}),
            json!({"phase": phase, "conditions": conditions}),
        )
    };
    let held =
        || annotated(pod("p").cpu("1").scheduler("volcano"), "scheduling.k8s.io/group-name", "g");
    let told = |others: Vec<Value>| said(others, held(), Handler::Volcano, HeldBy::SchedulerName);
    let message =
        "3/4 tasks in gang unschedulable: pod group is not ready, 1 Pending, 4 minAvailable";
    for word in ["NotEnoughResources", "NotEnoughTasks", "NotEnoughPodsOfTask"] {
        for phase in ["Pending", "Inqueue", "Unknown"] {
            let conditions = json!([condition("Unschedulable", "True", word, message)]);
            let expected = [&format!("{phase}, {word}"), "PodGroup g", message];
            assert_eq!(told(vec![group(phase, conditions)]), expected);
        }
    }
    for phase in ["Pending", "Inqueue", "Running", "Completed"] {
        assert_eq!(told(vec![group(phase, json!([]))]), [phase, "PodGroup g", ""]);
    }
    // Its own annotation names the group as that of Kubernetes does.
    let own =
        annotated(pod("p").cpu("1").scheduler("volcano"), "scheduling.volcano.sh/group-name", "g");
    assert_eq!(
        said(vec![group("Pending", json!([]))], own, Handler::Volcano, HeldBy::SchedulerName),
        ["Pending", "PodGroup g", ""]
    );
    for state in ["Closed", "Closing"] {
        let mut queue = object(
            "scheduling.volcano.sh/v1beta1",
            "Queue",
            "q",
            json!({}),
            json!({"state": state}),
        );
        queue["metadata"].as_object_mut().expect("an object").remove("namespace");
        let others = vec![group("Pending", json!([])), queue];
        assert_eq!(told(others), [state, "Queue q", ""]);
    }
    // Without the group, its own condition.
    let own = held().refused("all nodes are unavailable: 3 node(s) resource fit failed.");
    assert_eq!(
        said(vec![], own, Handler::Volcano, HeldBy::SchedulerName),
        ["Unschedulable", "", "all nodes are unavailable: 3 node(s) resource fit failed."]
    );
}

#[test]
fn koordinator_says_its_quota_or_gang() {
    let quota = "Insufficient quotas, quotaName: team-a, runtime: {\"cpu\":\"10\"}, used: {\"cpu\":\"10\"}, pod's request: {\"cpu\":\"1\"}, exceedDimensions: [cpu]";
    let labelled = |held: Pod| held.label("quota.scheduling.koordinator.sh/name", "team-a");
    let own = labelled(pod("p").cpu("1").scheduler("koord-scheduler")).refused(quota);
    let expected = ["Unschedulable", "ElasticQuota team-a", quota];
    assert_eq!(said(vec![], own, Handler::Koordinator, HeldBy::SchedulerName), expected);
    // The same under a name that a profile of kube-scheduler has: the quota still decides.
    let ours = labelled(pod("p").cpu("1")).refused(quota);
    assert_eq!(said(vec![], ours, Handler::Koordinator, HeldBy::Quota), expected);

    let gang = "GangGroup \"default/g\" gets rejected due to member Pod \"default/q\" is unschedulable with reason \"\", alreadyWaitForBound: 0";
    let member =
        pod("p").scheduler("koord-scheduler").label("pod-group.scheduling.sigs.k8s.io/name", "g");
    for phase in ["Pending", "PreScheduling", "Scheduling", "Scheduled", "Running", "Unknown"] {
        let group = || {
            object(
                "scheduling.sigs.k8s.io/v1alpha1",
                "PodGroup",
                "g",
                json!({"minMember": 2}),
                json!({"phase": phase}),
            )
        };
        let found =
            said(vec![group()], Pod(member.0.clone()), Handler::Koordinator, HeldBy::SchedulerName);
        assert_eq!(found, [phase, "PodGroup g", ""]);
        let rejected = Pod(member.0.clone()).refused(gang);
        let found = said(vec![group()], rejected, Handler::Koordinator, HeldBy::SchedulerName);
        assert_eq!(found, ["Unschedulable", "PodGroup g", gang]);
    }

    // Texts of its plugins under a scheduler name that is kube-scheduler's, and a gang of annotations.
    for text in [
        "Insufficient non-preemptible quotas, quotaName: team-a",
        gang,
        "Gang \"default/g\" gets rejected due to pod is unschedulable",
    ] {
        let found = holder(vec![], pod("p").refused(text)).expect("a holder");
        assert_eq!((found.handler, found.by), (Some(Handler::Koordinator), HeldBy::Quota));
        assert_eq!(found.reason.message, text);
    }
    let by_annotation =
        annotated(pod("p").scheduler("mine"), "gang.scheduling.koordinator.sh/name", "g");
    let found = holder(vec![], by_annotation).expect("a holder");
    assert_eq!(found.handler, Some(Handler::Koordinator));

    let full = object(
        "scheduling.sigs.k8s.io/v1alpha1",
        "ElasticQuota",
        "team-a",
        json!({"max": {"cpu": 10}}),
        json!({"used": {"cpu": "10"}}),
    );
    let silent = labelled(pod("p").scheduler("koord-scheduler"));
    let [.., message] = said(vec![full], silent, Handler::Koordinator, HeldBy::SchedulerName);
    assert_eq!(message, "used cpu 10 of 10");
}

#[test]
fn koordinator_names_available_reservations() {
    let reservation = |name: &str, phase: &str| {
        let mut found = object(
            "scheduling.koordinator.sh/v1alpha1",
            "Reservation",
            name,
            json!({}),
            json!({"phase": phase}),
        );
        found["metadata"].as_object_mut().expect("an object").remove("namespace");
        found
    };
    let held = annotated(
        pod("p").scheduler("koord-scheduler"),
        "scheduling.koordinator.sh/reservation-affinity",
        "{}",
    );
    let others = vec![
        reservation("a", "Available"),
        reservation("b", "Pending"),
        reservation("c", "Failed"),
    ];
    let none =
        said(others[1..].to_vec(), held.clone(), Handler::Koordinator, HeldBy::SchedulerName);
    assert_eq!(none[1], "Reservation (none of 2 available)");
    let found = holder(others, held).expect("a holder");
    assert_eq!(found.reason.place, "Reservation (1 of 3 available: a)");
    let objects: Vec<String> = found.reason.objects.iter().map(ToString::to_string).collect();
    assert_eq!(objects, ["Reservation a"]);
}

#[test]
fn yunikorn_says_whether_autoscalers_look() {
    let held = |reason: &str, message: &str| {
        pod("p").scheduler("yunikorn").label("queue", "root.a").condition(
            reason,
            message,
            crate::testing::BEFORE,
        )
    };
    let quota = "Task default/p is skipped from scheduling because the queue quota has been exceed";
    let room = "Task default/p is pending for the requested resources become available";
    for (reason, message, looks) in [
        ("SchedulingSkipped", quota, Some(false)),
        ("Unschedulable", room, Some(true)),
        ("Other", "", None),
    ] {
        let found = holder(vec![], held(reason, message)).expect("a holder");
        assert_eq!(
            (found.handler, found.reason.autoscalers_look),
            (Some(Handler::YuniKorn), looks)
        );
        assert_eq!(
            [found.reason.word, found.reason.place, found.reason.message],
            [reason, "queue root.a", message]
        );
    }
    let marked = pod("p").scheduler("batch").label("yunikorn.apache.org/app-id", "app-1");
    assert_eq!(
        said(vec![], marked, Handler::YuniKorn, HeldBy::SchedulerName)[1],
        "application app-1"
    );
}

#[test]
fn kai_says_the_first_reason_of_its_group_or_its_newest_event() {
    let message = "Workload requested 2 GPUs, but team-a over-capacity quota is 16 GPUs, while 16 GPUs are already allocated.";
    let held = || {
        annotated(
            pod("p").scheduler("kai-scheduler").label("kai.scheduler/queue", "q"),
            "pod-group-name",
            "g",
        )
    };
    let group = |conditions: Value| {
        object(
            "scheduling.run.ai/v2alpha2",
            "PodGroup",
            "g",
            json!({"queue": "team-a"}),
            json!({"schedulingConditions": conditions}),
        )
    };
    let told = |others: Vec<Value>| said(others, held(), Handler::Kai, HeldBy::SchedulerName);
    for word in
        ["NonPreemptibleOverQuota", "OverLimit", "PreemptionDelayNotElapsed", "QueueDoesNotExist"]
    {
        let conditions = json!([{"type": "UnschedulableOnNodePool", "status": "True",
            "reasons": [{"reason": word, "message": message, "details": {"queueDetails": {"name": "team-a"}}}]}]);
        assert_eq!(told(vec![group(conditions)]), [word, "Queue team-a", message]);
    }
    // Before there was a list, the condition had one reason.
    let old = json!([{"type": "UnschedulableOnNodePool", "status": "True", "reason": "Unschedulable", "message": message}]);
    assert_eq!(told(vec![group(old)]), ["Unschedulable", "Queue team-a", message]);
    for (word, text) in [
        (
            "NotReady",
            "Job is not ready for scheduling. Waiting for 4 pods, currently 1 exist, 0 are gated",
        ),
        ("StaleJob", "Job is stale. 1 pods are active, minMember is 4"),
        ("Unschedulable", "Resources were not found for 1 pods"),
    ] {
        let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
            "involvedObject": {"kind": "PodGroup", "namespace": "default", "name": "g"}, "reason": word,
            "message": text, "source": {"component": "kai-scheduler"}, "lastTimestamp": "2026-01-01T00:00:00Z"});
        assert_eq!(told(vec![group(json!([])), event]), [word, "Queue team-a", text]);
    }
    let own =
        held().condition("Unschedulable", "no node with enough resources", crate::testing::BEFORE);
    assert_eq!(
        said(vec![], own, Handler::Kai, HeldBy::SchedulerName),
        ["Unschedulable", "Queue q", "no node with enough resources"]
    );
}

#[test]
fn gates_come_before_scheduler_names_and_quotas() {
    let both = gated(GATE).scheduler("volcano");
    let found = holder(vec![], both).expect("a holder");
    assert_eq!((found.handler, found.by), (Some(Handler::Kueue), HeldBy::Gates));
    // A gate of an unknown program is shown by its name alone.
    assert_eq!(holder(vec![], gated("example.com/wait").scheduler("volcano")), None);
    let unknown = pod("p").scheduler("mine").refused("no");
    let found = holder(vec![], unknown).expect("a holder");
    assert_eq!((found.handler, found.reason.message.as_str()), (None, "no"));
    assert_eq!(holder(vec![], pod("p").cpu("9").refused("0/1 nodes are available")), None);
    let done = pod("p").scheduler("volcano").phase("Failed");
    assert_eq!(holder(vec![], done), None);
}

#[test]
fn long_message_is_cut_at_a_character() {
    let long = "ä".repeat(2000);
    let found = holder(vec![], pod("p").scheduler("volcano").refused(&long)).expect("a holder");
    assert_eq!(found.reason.message.chars().count(), super::MESSAGE + 1);
}
