use serde_json::{Value, json};

use super::rerun::{self, NoRerun};
use super::{Disruption, EvictionCause, EvidenceSource, PodState, RecordedPreemptor, find};
use model::cluster::Cluster;
use model::cluster::pod::ContainerExit;
use model::edits::{self, Edit};
use scheduler::decision::decide;
use scheduler::framework::cluster_view::ClusterView;
use simulation::plan::PodId;
use testing::{NOW, Pod, at, budget, cluster, node, objects, pod};

/// An Event of kube-scheduler about pod `v`.
fn preempted(message: &str) -> Value {
    event("Pod", "v", "Preempted", message, "default-scheduler")
}

fn event(kind: &str, name: &str, reason: &str, message: &str, component: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": format!("{name}.{reason}"), "namespace": "default"},
        "involvedObject": {"kind": kind, "namespace": "default", "name": name,
            "uid": if kind == "Pod" { format!("uid-{name}") } else { String::new() }},
        "reason": reason, "message": message, "reportingComponent": component, "eventTime": NOW})
}

fn with(mut object: Value, field: &str, value: Value) -> Value {
    object[field] = value;
    object
}

fn target(pod: Pod, reason: &str) -> Pod {
    let condition = json!({"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "m",
        "lastTransitionTime": NOW});
    pod.push("/status/conditions", condition)
}

fn one(objects: Vec<Value>) -> Disruption {
    let mut found =
        find(&cluster([objects![node("n1").cpu("2"), node("n2").cpu("2")], objects].concat()));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn named(name: &str) -> PodId {
    PodId { namespace: "default".to_owned(), name: name.to_owned(), uid: format!("uid-{name}") }
}

fn victim() -> Pod {
    pod("v").cpu("1").on("n1")
}

#[test]
fn the_cause_is_what_the_traces_say() {
    let owner = |reason: &str, message: &str| {
        event("ReplicaSet", "web", reason, message, "replicaset-controller")
    };
    let set = EvictionCause::Owner { kind: "ReplicaSet".to_owned(), name: "web".to_owned() };
    let of_stateful_set = |message: &str| {
        event("StatefulSet", "db", "SuccessfulDelete", message, "statefulset-controller")
    };
    let stateful_set =
        EvictionCause::Owner { kind: "StatefulSet".to_owned(), name: "db".to_owned() };
    let descheduler = || {
        event(
            "Pod",
            "v",
            "RemoveDuplicates",
            "pod eviction from n1 node by sigs.k8s.io/descheduler",
            "sigs.k8s.io/descheduler",
        )
    };
    let strategy = EvictionCause::Descheduler { strategy: "RemoveDuplicates".to_owned() };
    let kubelet = |message: &str| EvictionCause::Kubelet { message: message.to_owned() };
    let low = "The node was low on resource: memory.";
    for (row, objects, cause) in [
        (
            "taint manager",
            objects![target(victim().terminating(), "DeletionByTaintManager")],
            EvictionCause::Taint { taints: Vec::new() },
        ),
        (
            "taint manager, gone",
            objects![event(
                "Pod",
                "v",
                "TaintManagerEviction",
                "Marking for deletion Pod default/v",
                "node-controller"
            )],
            EvictionCause::Taint { taints: Vec::new() },
        ),
        (
            "node gone",
            objects![target(victim().terminating(), "DeletionByPodGC")],
            EvictionCause::PodGc,
        ),
        (
            "eviction API",
            objects![target(victim().terminating(), "EvictionByEvictionAPI")],
            EvictionCause::EvictionApi,
        ),
        (
            "the descheduler says more than the eviction API",
            objects![target(victim().terminating(), "EvictionByEvictionAPI"), descheduler()],
            strategy,
        ),
        ("kubelet, gone", objects![event("Pod", "v", "Evicted", low, "kubelet")], kubelet(low)),
        (
            "kubelet, its pod has ended",
            objects![
                target(victim().phase("Failed"), "TerminationByKubelet")
                    .with("/status/reason", "Evicted")
            ],
            kubelet("m"),
        ),
        (
            "kubelet, without a condition",
            objects![victim().phase("Failed").with("/status/reason", "Evicted")],
            kubelet(""),
        ),
        (
            "kubelet, when Events are gone: its status keeps the message",
            objects![
                victim()
                    .phase("Failed")
                    .with("/status/reason", "Evicted")
                    .with("/status/message", low)
            ],
            kubelet(low),
        ),
        (
            "kubelet rejects it",
            objects![
                victim()
                    .phase("Failed")
                    .with("/status/reason", "OutOfcpu")
                    .with("/status/message", "Pod was rejected")
            ],
            kubelet("Pod was rejected"),
        ),
        (
            "kubelet, a reason alone",
            objects![victim().phase("Failed").with("/status/reason", "UnexpectedAdmissionError")],
            kubelet("UnexpectedAdmissionError"),
        ),
        (
            "its node shuts down",
            objects![
                victim()
                    .phase("Failed")
                    .with("/status/reason", "Terminated")
                    .with("/status/message", SHUTDOWN)
            ],
            EvictionCause::NodeShutdown { message: SHUTDOWN.to_owned() },
        ),
        (
            "the Vertical Pod Autoscaler",
            objects![event(
                "Pod",
                "v",
                "EvictedByVPA",
                "Pod was evicted by VPA Updater",
                "vpa-updater"
            )],
            EvictionCause::VerticalAutoscaler,
        ),
        (
            "kubelet admits a critical pod",
            objects![event(
                "Pod",
                "v",
                "Preempting",
                "Preempted in order to admit critical pod",
                "kubelet"
            )],
            EvictionCause::KubeletAdmission {
                message: "Preempted in order to admit critical pod".to_owned(),
            },
        ),
        ("scaled down", objects![owner("SuccessfulDelete", "Deleted pod: v")], set.clone()),
        (
            "scaled down, and seen while it ends",
            objects![owner("SuccessfulDelete", "Deleted pod: v"), victim().terminating()],
            set,
        ),
        (
            "a StatefulSet of 1.35 or newer is scaled down",
            objects![of_stateful_set("Delete Pod v in StatefulSet db successful")],
            stateful_set.clone(),
        ),
        (
            "an older one",
            objects![of_stateful_set("delete Pod v in StatefulSet db successful")],
            stateful_set,
        ),
        ("deleted by someone", objects![victim().terminating()], EvictionCause::Unknown),
    ] {
        assert_eq!(one(objects).cause, cause, "{row}");
    }
}

/// The same Event as kube-scheduler writes it, as `kubectl get events.v1.events.k8s.io` prints it,
/// and as the recorder of a controller writes it.
#[test]
fn events_of_both_versions_say_the_same() {
    let about = json!({"kind": "Pod", "namespace": "default", "name": "v", "uid": "uid-v"});
    let by = json!({"kind": "Pod", "namespace": "default", "name": "p", "uid": "uid-p"});
    let message = "Preempted by pod uid-p on node n1";
    let newer = |component: Value| {
        let mut event = json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "reason": "Preempted", "note": message,
            "metadata": {"name": "v.1", "namespace": "default"}, "regarding": about, "related": by});
        event.as_object_mut().unwrap().extend(component.as_object().unwrap().clone());
        event
    };
    let older = with(preempted(message), "related", by.clone());
    let said = one(objects![older]);
    assert!(
        matches!(said.cause, EvictionCause::Preempted(RecordedPreemptor::Pod { .. })),
        "{said:?}"
    );
    for component in [
        json!({"reportingController": "default-scheduler", "eventTime": NOW}),
        json!({"deprecatedSource": {"component": "default-scheduler"}, "deprecatedLastTimestamp": NOW, "eventTime": null}),
    ] {
        assert_eq!(one(objects![newer(component.clone())]), said, "{component}");
    }
}

#[test]
fn of_several_preemptors_the_first_is_named() {
    let later = with(
        preempted("Preempted by pod uid-q on node n1"),
        "eventTime",
        json!("2026-01-01T00:00:09Z"),
    );
    let earlier = with(
        preempted("Preempted by pod uid-p on node n1"),
        "eventTime",
        json!("2026-01-01T00:00:01Z"),
    );
    let by = EvictionCause::Preempted(RecordedPreemptor::Uid {
        kind: "pod".to_owned(),
        uid: "uid-p".to_owned(),
    });
    assert_eq!(one(objects![later.clone(), earlier.clone()]).cause, by);
    assert_eq!(one(objects![earlier, later]).cause, by);
}

const SHUTDOWN: &str = "Pod was terminated in response to imminent node shutdown.";

#[test]
fn descheduler_is_known_by_both_names_with_the_node_of_its_message() {
    let said = |reason: &str, component: &str, rest: &str| {
        let message = format!("pod eviction from n1 node by sigs.k8s.io/descheduler{rest}");
        event("Pod", "v", reason, &message, component)
    };
    for component in ["sigs.k8s.io/descheduler", "sigs.k8s.io.descheduler"] {
        let found = one(objects![said("RemoveDuplicates", component, "")]);
        let strategy = EvictionCause::Descheduler { strategy: "RemoveDuplicates".to_owned() };
        assert_eq!((found.cause, found.node.as_deref()), (strategy, Some("n1")), "{component}");
        let text = "pod eviction from n1 node by sigs.k8s.io/descheduler failed: budget";
        let refused = event("Pod", "v", "EvictionFailed", text, component);
        let cause = EvictionCause::Refused { by: component.to_owned(), message: text.to_owned() };
        assert_eq!(one(objects![refused.clone()]).cause, cause, "{component}");
        // Tried in vain first, then evicted.
        let both = one(objects![refused, said("RemoveDuplicates", component, "")]);
        let strategy = EvictionCause::Descheduler { strategy: "RemoveDuplicates".to_owned() };
        assert_eq!(both.cause, strategy, "{component}");
    }
}

#[test]
fn taint_that_evicted_a_pod_is_named_unless_the_pod_tolerates_it_for_ever() {
    let forever = json!({"key": "known", "operator": "Exists"});
    let node = node("n1").taint("team", "a", "NoExecute").taint("known", "", "NoExecute").taint(
        "other",
        "",
        "NoSchedule",
    );
    let pod = pod("v").on("n1").terminating().push("/spec/tolerations", forever);
    let found = find(&cluster(objects![node, target(pod, "DeletionByTaintManager")]));
    let taints = vec!["team=a:NoExecute".to_owned()];
    assert_eq!(found.into_iter().next().unwrap().cause, EvictionCause::Taint { taints });
}

#[test]
fn taint_manager_that_lets_a_pod_stay_evicts_nothing() {
    let (by, message) = ("taint-eviction-controller", "Cancelling deletion of Pod default/v");
    let stays = event("Pod", "v", "TaintManagerEviction", message, by);
    let cause = EvictionCause::Refused { by: by.to_owned(), message: message.to_owned() };
    assert_eq!(one(objects![victim(), stays]).cause, cause);
}

#[test]
fn other_events_and_pods_tell_nothing() {
    let scaled =
        event("ReplicaSet", "web", "SuccessfulCreate", "Created pod: v", "replicaset-controller");
    let killing = event("Pod", "v", "Killing", "Stopping container c", "kubelet");
    let failed = victim().phase("Failed");
    let found = find(&cluster(objects![node("n1"), scaled, killing, failed]));
    assert_eq!(found, []);
}

#[test]
fn the_preemptor_is_the_one_that_something_names() {
    let preemptor = || pod("p").cpu("1").priority(1000).on("n1");
    let known = RecordedPreemptor::Pod { pod: named("p"), priority: Some(1000) };
    let gone = RecordedPreemptor::Pod { pod: named("p"), priority: None };
    let related = || {
        let related = json!({"kind": "Pod", "namespace": "default", "name": "p", "uid": "uid-p"});
        with(preempted("Preempted by a pod on node n1"), "related", related)
    };
    let by_name = PodId { uid: String::new(), ..named("p") };
    for (row, objects, want) in [
        (
            "its UID",
            objects![preempted("Preempted by pod uid-p on node n1"), preemptor()],
            known.clone(),
        ),
        (
            "the UID of a pod that is gone",
            objects![preempted("Preempted by pod uid-p on node n1")],
            RecordedPreemptor::Uid { kind: "pod".to_owned(), uid: "uid-p".to_owned() },
        ),
        ("related", objects![related(), preemptor()], known),
        ("related, which is gone", objects![related()], gone),
        (
            "its name",
            objects![preempted("Preempted by default/p on node n1"), preemptor()],
            RecordedPreemptor::Pod { pod: by_name.clone(), priority: Some(1000) },
        ),
        (
            "the name of a pod that was created later",
            objects![
                preempted("by default/p on node n1"),
                preemptor().created("2026-01-02T00:00:00Z")
            ],
            RecordedPreemptor::Pod { pod: by_name.clone(), priority: None },
        ),
        (
            "the name of a pod that is gone",
            objects![preempted("by default/p on node n1")],
            RecordedPreemptor::Pod { pod: by_name, priority: None },
        ),
        (
            "a group",
            objects![preempted("Preempted by podgroup g-1 on node cluster")],
            RecordedPreemptor::Uid { kind: "podgroup".to_owned(), uid: "g-1".to_owned() },
        ),
        (
            "nothing: who came to the node since",
            objects![
                preempted("Preempted by a pod on node n1"),
                target(victim().terminating(), "PreemptionByScheduler"),
                preemptor().started("2026-01-01T00:00:30Z"),
                pod("older").priority(1000).on("n1").started("2025-12-31T00:00:00Z"),
                pod("lower").priority(-1).on("n1").started("2026-01-01T00:00:30Z"),
                pod("elsewhere").priority(1000).on("n2").started("2026-01-01T00:00:30Z"),
                pod("waits").priority(2000).nominated("n1"),
            ],
            RecordedPreemptor::NotNamed { since: vec![named("p"), named("waits")] },
        ),
    ] {
        assert_eq!(one(objects).cause, EvictionCause::Preempted(want), "{row}");
    }
}

#[test]
fn eviction_has_state_node_priority_and_time_of_the_pod() {
    let gone = one(objects![preempted("Preempted by pod uid-p on node n1")]);
    assert_eq!(
        (gone.state, gone.node.as_deref(), gone.priority),
        (PodState::Gone, Some("n1"), None)
    );
    assert_eq!(gone.time, Some(NOW.parse().unwrap()));
    let ending =
        one(objects![target(victim().priority(7).terminating(), "PreemptionByKubeScheduler")]);
    assert_eq!(
        (ending.state, ending.node.as_deref(), ending.priority),
        (PodState::Terminating, Some("n1"), Some(7))
    );
    let condition = EvidenceSource::Condition {
        reason: "PreemptionByKubeScheduler".to_owned(),
        message: "m".to_owned(),
    };
    assert_eq!(ending.sources, [condition, EvidenceSource::Deletion]);
}

#[test]
fn pods_with_one_name_are_distinguished_by_uid() {
    let earlier = preempted("Preempted by pod uid-p on node n1");
    let mut later = event("Pod", "v", "Evicted", "low on memory", "kubelet");
    later["involvedObject"]["uid"] = json!("uid-later");
    later["eventTime"] = json!("2026-01-01T00:10:00Z");
    let found = find(&cluster(objects![earlier, later]));
    let uids: Vec<&str> = found.iter().map(|found| found.pod.uid.as_str()).collect();
    assert_eq!(uids, ["uid-later", "uid-v"]);
}

/// Two victims of the same size on one node, of which one is enough; `p` waits.
fn before(more: Vec<Value>) -> Cluster {
    let pods = objects![
        node("n1").cpu("2"),
        pod("v").cpu("1").label("app", "v").on("n1"),
        pod("w").cpu("1").label("app", "w").priority(5).on("n1"),
        pod("p").cpu("1").priority(1000),
    ];
    cluster([pods, more].concat())
}

fn run(before: &Cluster, victim: &str, preemptor: &str) -> Result<rerun::Rerun, NoRerun> {
    rerun::run(
        before,
        &at("1.37").profile(),
        &named(victim),
        &named(preemptor),
        NOW.parse().unwrap(),
    )
}

#[test]
fn the_decision_is_run_again() {
    let before = before(vec![]);
    let found = run(&before, "v", "p").unwrap();
    let names =
        |pods: &[rerun::Neighbour]| pods.iter().map(|pod| pod.name.clone()).collect::<Vec<_>>();
    assert_eq!((found.outcome, found.node.as_str(), found.is_victim), ("Preempt", "n1", true));
    assert_eq!(
        (names(&found.victims), names(&found.spared)),
        (vec!["default/v".into()], vec!["default/w".into()])
    );
    assert_eq!((found.sparing_priority, found.budget_spares), (1000, Some(true)));
    assert!(!run(&before, "w", "p").unwrap().is_victim);
}

#[test]
fn a_pod_of_the_sparing_priority_is_spared() {
    let before = before(vec![]);
    let (profile, now) = (at("1.37").profile(), NOW.parse().unwrap());
    let [v, p] = ["v", "p"].map(|name| before.find_pod("default", name).unwrap());
    for (priority, spared) in [(1000, true), (4, false)] {
        let mut cluster = before.clone();
        edits::apply(&mut cluster, &[v], &[Edit::Priority { priority }]).unwrap();
        let view = ClusterView::new(&cluster, &profile);
        let decision = decide(&view, p, now);
        let victims = decision.candidates().flat_map(|c| &c.victims);
        assert_eq!(victims.into_iter().all(|victim| victim.pod != v), spared, "{priority}");
    }
}

#[test]
fn a_budget_does_not_spare_the_only_victim() {
    let alone = cluster(objects![
        node("n1").cpu("1"),
        pod("v").cpu("1").label("app", "v").on("n1"),
        pod("p").cpu("1").priority(1000),
    ]);
    assert_eq!(run(&alone, "v", "p").unwrap().budget_spares, Some(false));
    let bare = cluster(objects![
        node("n1").cpu("1"),
        pod("v").cpu("1").on("n1"),
        pod("p").cpu("1").priority(1000)
    ]);
    assert_eq!(run(&bare, "v", "p").unwrap().budget_spares, None);
    // One that is there already is counted as it is.
    let held = before(objects![budget("b").selects("app", "v").allowed(0)]);
    assert!(!run(&held, "v", "p").unwrap().is_victim);
}

#[test]
fn rerun_without_victim_or_waiting_preemptor_is_rejected() {
    let before = before(objects![pod("q").on("n1").priority(9)]);
    for (victim, preemptor, why) in [
        ("v", "nobody", NoRerun::PreemptorMissing),
        ("nobody", "p", NoRerun::VictimMissing),
        ("p", "p", NoRerun::VictimMissing),
        ("v", "q", NoRerun::PreemptorPlaced),
    ] {
        assert_eq!(run(&before, victim, preemptor), Err(why), "{victim} {preemptor}");
    }
}

#[test]
fn status_of_evicted_pod_is_its_source() {
    let terminated =
        json!({"state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}, "name": "app"});
    let running = json!({"state": {"running": {}}, "name": "sidecar"});
    let pod = victim()
        .phase("Failed")
        .with("/status/reason", "Evicted")
        .with("/status/message", "low on memory");
    let found = one(objects![pod.with("/status/containerStatuses", json!([terminated, running]))]);
    let status = EvidenceSource::Status {
        reason: "Evicted".to_owned(),
        message: "low on memory".to_owned(),
    };
    assert_eq!(found.sources, [status]);
    let exit = ContainerExit { container: "app".into(), code: 137, reason: "OOMKilled".into() };
    assert_eq!(found.exits, [exit]);
}
