//! What comes after the scheduler: pods that have a node and do not run, resizes that wait, evictions
//! and messages that are older than a change. `explain`, `pending` and the JSON say the same.

use serde_json::{Value, json};
use testing::{assert_has, assert_lacks};

use super::{NOW, Run, list, node, pod, run_with, with};

fn ask(arguments: &[&str], items: &[Value]) -> Run {
    let arguments = [arguments, &["--from", "-", "--now", NOW]].concat();
    run_with(&arguments, list(items).as_bytes())
}

/// A pod that is bound and has not started.
fn bound(node: &str) -> Value {
    let pod = with(pod("web"), "/spec/nodeName", json!(node));
    with(pod, "/status", json!({"phase": "Pending"}))
}

/// The state of its container.
fn waits(pod: Value, reason: &str, message: &str) -> Value {
    let state = json!({"waiting": {"reason": reason, "message": message}});
    with(pod, "/status/containerStatuses", json!([{"name": "main", "state": state}]))
}

#[test]
fn bound_pod_that_does_not_run_is_told_why_in_every_answer() {
    let image = waits(bound("n1"), "ImagePullBackOff", "Back-off pulling image");
    let gone = bound("n-gone");
    let refused = with(
        with(pod("web"), "/spec/nodeName", json!("n1")),
        "/status",
        json!({"phase": "Failed", "reason": "OutOfcpu", "message": "Node didn't have enough resource: cpu"}),
    );
    for (name, pod, says, is_listed) in [
        ("image", image, "cannot be pulled (ImagePullBackOff): Back-off pulling image", true),
        ("node", gone, "node n-gone does not exist, so no kubelet starts it", true),
        ("admission", refused, "Node didn't have enough resource: cpu", false),
    ] {
        let items = [node("n1"), pod];
        assert_has(&ask(&["explain", "web"], &items).out, says);
        let json = ask(&["explain", "web", "-o", "json"], &items).json();
        let cause = json["notRunning"]["cause"].as_str().unwrap_or_default().to_owned();
        assert!(cause.contains(says), "{name}: {cause}");
        let pending = ask(&["pending", "-A"], &items).out;
        if is_listed {
            assert_has(&pending, "1 pod is Pending and has a node: kube-scheduler is done with it");
            assert_has(&pending, says);
        } else {
            assert_lacks(&pending, "is Pending and has a node");
        }
    }
}

#[test]
fn deferred_resize_is_told_with_who_holds_the_room() {
    let big = with(pod("web"), "/spec/nodeName", json!("n1"));
    let big = with(big, "/spec/priority", json!(100));
    let big = with(big, "/spec/containers/0/resources/requests/cpu", json!("6"));
    let resize = json!([{"type": "PodResizePending", "status": "True", "reason": "Deferred", "message": "m"}]);
    let big = with(with(big, "/status/phase", json!("Running")), "/status/conditions", resize);
    let low = with(pod("low"), "/spec/nodeName", json!("n1"));
    let low = with(low, "/spec/containers/0/resources/requests/cpu", json!("4"));
    let large = with(node("n1"), "/status/allocatable/cpu", json!("8"));
    let answer = ask(&["explain", "web"], &[large.clone(), big.clone(), low.clone()]);
    assert_has(&answer.out, "its in-place resize is deferred: m");
    assert_has(&answer.out, "n1 has 8 of cpu: 6 wanted, 4 in use by other pods");
    assert_has(&answer.out, "kube-scheduler would evict default/low (priority 0) for it");
    let items = [large.clone(), big.clone(), low.clone()];
    let pending = ask(&["pending", "-A"], &items);
    assert_has(&pending.out, "1 pod runs and has an in-place resize that is not done");
    assert_has(&pending.out, "its in-place resize is deferred: m");
    let json = ask(&["pending", "-A", "-o", "json"], &items).json();
    assert_eq!(json["resizing"][0]["name"], "web");

    let guard = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "low"}}},
        "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}});
    let low = with(low, "/metadata/labels", json!({"app": "low"}));
    let answer = ask(&["explain", "web"], &[large, big, low, guard]);
    assert_has(&answer.out, "default/low (priority 0, against a budget)");
}

#[test]
fn eviction_by_a_taint_names_the_taint() {
    let evicted = with(pod("web"), "/spec/nodeName", json!("n1"));
    let evicted = with(evicted, "/metadata/deletionTimestamp", json!("2026-06-01T12:00:00Z"));
    let condition = json!([{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager",
        "message": "Taint manager: deleting due to NoExecute taint",
        "lastTransitionTime": "2026-06-01T11:50:00Z"}]);
    let evicted = with(evicted, "/status/conditions", condition);
    let taint = json!([{"key": "team", "value": "a", "effect": "NoExecute"}]);
    let items = [with(node("n1"), "/spec", json!({"taints": taint})), evicted];
    let answer = ask(&["why-evicted", "web"], &items);
    assert_has(&answer.out, "does not tolerate a NoExecute taint of its node: team=a:NoExecute");
    let json = ask(&["why-evicted", "web", "-o", "json"], &items).json();
    assert_eq!(json["items"][0]["cause"], "Taint");
    assert_eq!(json["items"][0]["detail"], "team=a:NoExecute");
}

#[test]
fn message_from_before_a_cordon_is_stale_and_not_different() {
    let message = "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims \
                   found for incoming pod.";
    let condition = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
        "lastTransitionTime": "2026-05-31T12:00:00Z"}]);
    let waiting = with(pod("web"), "/status/conditions", condition);
    let small = |name: &str| with(node(name), "/status/allocatable/cpu", json!("500m"));
    let cordoned = with(small("n2"), "/spec", json!({"unschedulable": true}));
    let answer = ask(&["verify"], &[small("n1"), cordoned, waiting.clone()]);
    assert_has(&answer.out, "0 equal, 1 stale, 0 different");
    assert_eq!(answer.code, 0, "{answer:?}");
    // No change of a node explains another number of nodes that lack something else.
    let other =
        with(waiting, "/status/conditions/0/message", json!(message.replace("cpu", "memory")));
    let answer = ask(&["verify"], &[small("n1"), small("n2"), other]);
    assert_has(&answer.out, "1 different");
    assert_eq!(answer.code, 1, "{answer:?}");
}
