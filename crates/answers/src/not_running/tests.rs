use serde_json::{Value, json};

use super::{NotRunning, clause, not_running, starting};
use engine::framework::cluster_view::ClusterView;
use testing::{NOW, Node, Pod, at, budget, claim, cluster, node, objects, pod};

/// Ten minutes before [`NOW`].
const EARLIER: &str = "2025-12-31T23:50:00Z";

/// Why pod `p` does not run.
fn why(objects: Vec<Value>) -> Option<NotRunning> {
    let (cluster, profile) = (cluster(objects), at("1.37").profile());
    let view = ClusterView::new(&cluster, &profile);
    not_running(&view, cluster.find_pod("default", "p").unwrap(), NOW.parse().unwrap())
}

#[track_caller]
fn cause(objects: Vec<Value>) -> String {
    why(objects).expect("it does not run").cause
}

fn on(node: &str) -> Pod {
    pod("p").cpu("1").on(node).phase("Pending").created(EARLIER)
}

fn waits(pod: Pod, reason: &str, message: &str) -> Pod {
    let state = json!({"waiting": {"reason": reason, "message": message}});
    pod.push("/status/containerStatuses", json!({"name": "c", "state": state}))
}

fn said(reason: &str, message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "p.1", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"},
        "reason": reason, "message": message, "reportingComponent": "kubelet", "eventTime": EARLIER})
}

#[test]
fn container_that_waits_names_its_reason_and_where_to_look() {
    let waiting =
        |reason, message| why(objects![node("n"), waits(on("n"), reason, message)]).unwrap();
    for (reason, message, says, command) in [
        (
            "ImagePullBackOff",
            "Back-off pulling image",
            "cannot be pulled (ImagePullBackOff): Back-off",
            "describe pod p",
        ),
        (
            "CrashLoopBackOff",
            "back-off 5m0s",
            "ends again and again (CrashLoopBackOff): back-off 5m0s",
            "logs p -n default -c c --previous",
        ),
        (
            "CreateContainerConfigError",
            "secret \"s\" not found",
            "does not start (CreateContainerConfigError): secret \"s\" not found",
            "describe pod p",
        ),
    ] {
        let found = waiting(reason, message);
        assert!(found.cause.contains(says), "{found:?}");
        let look = found.look.expect("a command").text();
        assert!(look.starts_with(&format!("kubectl {command}")), "{look}");
    }
    let pull = said("Failed", "Failed to pull image \"x\": not found");
    let text = cause(objects![node("n"), waits(on("n"), "ErrImagePull", "later"), pull]);
    assert!(text.ends_with("Failed to pull image \"x\": not found"), "{text}");
}

#[test]
fn volumes_and_network_are_said_by_events() {
    let creating = || waits(on("n"), "ContainerCreating", "");
    let multi = "Multi-Attach error for volume \"v\" Volume is already used by pod(s) old";
    for (reason, message, says) in [
        (
            "FailedAttachVolume",
            multi,
            "a volume cannot be attached to the node: Multi-Attach error",
        ),
        (
            "FailedMount",
            "MountVolume.SetUp failed",
            "a volume cannot be mounted: MountVolume.SetUp failed",
        ),
        (
            "FailedCreatePodSandBox",
            "plugin type=\"calico\" failed",
            "its network cannot be set up: plugin type=\"calico\" failed",
        ),
    ] {
        let text = cause(objects![node("n"), creating(), said(reason, message)]);
        assert!(text.starts_with(says), "{text}");
    }
    // An Event about an earlier pod of this name says nothing.
    let mut earlier = said("FailedMount", "MountVolume.SetUp failed");
    earlier["involvedObject"]["uid"] = json!("another");
    let text = cause(objects![node("n"), creating().with("/metadata/uid", "own"), earlier]);
    assert!(text.starts_with("its containers have been in creation for 10m"), "{text}");
}

#[test]
fn claim_for_one_node_names_the_pod_on_the_other() {
    let one_node = claim("d", "").bound("v").with("/spec/accessModes", json!(["ReadWriteOnce"]));
    let other = pod("old").on("m").claim("d");
    let text = cause(objects![
        node("n"),
        node("m"),
        waits(on("n").claim("d"), "ContainerCreating", ""),
        other,
        one_node
    ]);
    assert!(
        text.contains(
            "claim d is for one node at a time (ReadWriteOnce), and default/old on m uses it"
        ),
        "{text}"
    );
}

#[test]
fn pod_that_runs_or_was_just_bound_is_not_in_the_way() {
    assert_eq!(why(objects![node("n"), pod("p").on("n").phase("Running").created(EARLIER)]), None);
    assert_eq!(why(objects![node("n"), on("n").created(NOW)]), None);
    assert_eq!(why(objects![node("n"), pod("p")]), None);
    assert_eq!(cause(objects![node("n"), on("n")]), "its kubelet has not begun with it for 10m");
}

/// A node whose kubelet has not reported since [`EARLIER`].
fn silent(effects: &[&str]) -> Node {
    let ready = json!({"type": "Ready", "status": "Unknown", "lastTransitionTime": EARLIER});
    effects.iter().fold(node("n").push("/status/conditions", ready), |node, effect| {
        let taint = json!({"key": "node.kubernetes.io/unreachable", "effect": effect, "timeAdded": EARLIER});
        node.push("/spec/taints", taint)
    })
}

fn ready(name: &str) -> Node {
    node(name).push("/status/conditions", json!({"type": "Ready", "status": "True"}))
}

#[test]
fn silent_node_says_when_its_pods_leave() {
    let tolerates = |seconds: Option<i64>| {
        let mut toleration = json!({"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"});
        if let Some(seconds) = seconds {
            toleration["tolerationSeconds"] = json!(seconds);
        }
        on("n").push("/spec/tolerations", toleration)
    };
    let all = ["NoSchedule", "NoExecute"];
    for (row, effects, pod, says) in [
        ("soon", &all[..], tolerates(Some(900)), "It is evicted in 5m"),
        ("overdue", &all[..], tolerates(Some(300)), "It should have been evicted 5m ago"),
        (
            "for ever",
            &all[..],
            tolerates(None),
            "it tolerates the NoExecute taint of the node for ever",
        ),
        (
            "no taint",
            &all[..1],
            tolerates(Some(300)),
            "only a NoExecute taint evicts, and n has only node.kubernetes.io/unreachable:NoSchedule; 1 of 2 nodes of its zone is not Ready",
        ),
    ] {
        let found = why(objects![silent(effects), ready("m"), pod]).unwrap();
        assert_eq!(found.cause, "the kubelet of node n has not reported for 10m", "{row}");
        assert!(found.details.join(" ").contains(says), "{row}: {found:?}");
    }
    let alone = why(objects![silent(&all[..1]), tolerates(Some(300))]).unwrap();
    assert!(alone.details[0].contains("no node of the cluster is Ready"), "{alone:?}");
    let gone = cause(objects![ready("m"), on("n")]);
    assert_eq!(gone, "node n does not exist, so no kubelet starts it");
}

#[test]
fn failed_pod_names_who_ended_it() {
    let failed = |reason: &str, message: &str| {
        let pod = pod("p").on("n").phase("Failed").replica_of("web");
        pod.with("/status/reason", reason).with("/status/message", message)
    };
    let full =
        "Node didn't have enough resource: cpu, requested: 1000, used: 94939, capacity: 95690";
    for (reason, message, says) in [
        (
            "OutOfcpu",
            full,
            "was rejected by the kubelet of n (OutOfcpu): cpu: 1000m requested, 94939m of 95690m used",
        ),
        (
            "NodeAffinity",
            "Predicate NodeAffinity failed",
            "was rejected by the kubelet of n (NodeAffinity): Predicate",
        ),
        (
            "Evicted",
            "The node was low on resource: memory.",
            "was evicted by the kubelet of n: The node was low on resource: memory",
        ),
        (
            "NodeShutdown",
            "Pod was terminated in response to imminent node shutdown.",
            "was ended when node n shut down",
        ),
    ] {
        let found = why(objects![node("n"), failed(reason, message)]).unwrap();
        assert!(found.cause.starts_with(says), "{found:?}");
        let look = found.look.expect("a command").text();
        assert_eq!(look, "kubectl preempt why-evicted p -n default");
    }
    let found = why(objects![node("n"), failed("OutOfcpu", full).scheduler("mine")]).unwrap();
    assert!(found.details[0].starts_with("Scheduler mine placed it on n"), "{found:?}");
}

#[test]
fn deferred_resize_names_who_has_the_room_and_what_the_gate_would_evict() {
    let deferred =
        json!({"type": "PodResizePending", "status": "True", "reason": "Deferred", "message": "m"});
    let big = pod("p").cpu("6").priority(100).on("n").push("/status/conditions", deferred);
    let resized = |others: Vec<Pod>| {
        let mut all = objects![node("n").cpu("8"), big.clone()];
        all.extend(others.into_iter().map(Value::from));
        why(all).unwrap()
    };
    let low = || pod("low").cpu("3").on("n");
    let found = resized(vec![low(), pod("lower").cpu("1").priority(-1).on("n")]);
    assert_eq!(found.cause, "its in-place resize is deferred: m");
    let text = found.details.join("\n");
    assert!(text.contains("n has 8 of cpu: 6 wanted, 4 in use by other pods (default/low with 3 (priority 0) and default/lower with 1 (priority -1)), 2 more has to become free"), "{text}");
    assert!(text.ends_with("would evict default/low (priority 0) for it"), "{text}");
    // A pod that its budget protects stays, and another one goes for it.
    let guarded = |allowed: i64| {
        let mut all = objects![
            node("n").cpu("8"),
            big.clone(),
            pod("a").cpu("2").label("app", "a").on("n"),
            pod("b").cpu("2").priority(1).on("n"),
            budget("a").selects("app", "a").allowed(allowed),
        ];
        all.rotate_left(1);
        why(all).unwrap().details.join("\n")
    };
    assert!(guarded(1).ends_with("would evict default/a (priority 0) for it"), "{}", guarded(1));
    assert!(guarded(0).ends_with("would evict default/b (priority 1) for it"), "{}", guarded(0));
    let text = resized(vec![low().priority(100)]).details.join("\n");
    assert!(
        text.ends_with("would evict nothing: pods of lower priority do not have enough"),
        "{text}"
    );
}

#[test]
fn pods_that_are_pending_on_a_node_are_listed() {
    let all =
        objects![node("n"), waits(on("n"), "ErrImagePull", "m"), pod("q").on("n").phase("Running")];
    let cluster = cluster(all);
    let listed = starting(&cluster, NOW.parse().unwrap(), |_| true);
    assert_eq!(listed.iter().map(|pod| &*pod.name).collect::<Vec<_>>(), ["p"]);
    assert!(starting(&cluster, NOW.parse().unwrap(), |_| false).is_empty());
    let profile = at("1.37").profile();
    let view = ClusterView::new(&cluster, &profile);
    let said = clause(&view, cluster.find_pod("default", "p").unwrap(), NOW.parse().unwrap());
    assert!(said.unwrap().starts_with("is already assigned to node n; the image of container"));
}
