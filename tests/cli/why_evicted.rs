//! `why-evicted`: who preempted or evicted a pod, after the fact. What the traces say is tested
//! beside the rules.

use serde_json::{Value, json};
use testing::assert_has;

use super::{NOW, Run, folder, list, node, pod, run_with, with};

fn why(items: &[Value], more: &[&str]) -> Run {
    run_with(
        &[&["why-evicted", "--from", "-", "--now", NOW], more].concat(),
        list(items).as_bytes(),
    )
}

fn event(name: &str, reason: &str, message: &str, component: &str, time: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": format!("{name}.{reason}"), "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": name, "uid": format!("uid-{name}")},
        "reason": reason, "message": message, "reportingComponent": component, "eventTime": time})
}

fn preempted(by: &str) -> Value {
    event(
        "web-1",
        "Preempted",
        &format!("Preempted by {by} on node n1"),
        "default-scheduler",
        "2026-06-01T11:30:00Z",
    )
}

/// The pod that came.
fn preemptor(node: Option<&str>) -> Value {
    let pod =
        with(with(pod("vip"), "/metadata/uid", json!("uid-vip")), "/spec/priority", json!(1000));
    let pod = with(pod, "/spec/containers/0/resources/requests/cpu", json!("4"));
    if let Some(node) = node { with(pod, "/spec/nodeName", json!(node)) } else { pod }
}

fn web() -> Value {
    let pod = with(
        with(pod("web-1"), "/metadata/uid", json!("uid-web-1")),
        "/spec/nodeName",
        json!("n1"),
    );
    with(pod, "/metadata/labels", json!({"app": "web"}))
}

#[test]
fn a_preemption_and_its_preemptor() {
    let items = [node("n1"), preempted("pod uid-vip"), preemptor(Some("n1"))];
    let answer = why(&items, &["web-1"]);
    let lines: Vec<&str> = answer.out.lines().collect();
    let head =
        "default/web-1 (UID uid-web-1): preempted by default/vip (UID uid-vip) (priority 1000)";
    assert_eq!(lines[..2], [head, "  node n1, 2026-06-01 11:30:00 UTC (30m ago), no longer there"]);
    assert!(answer.out.contains(
        "Source: Event Preempted of default-scheduler: Preempted by pod uid-vip on node n1"
    ));
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    assert_eq!(
        why(&items, &["uid-web-1", "-n", "other"]).out,
        answer.out,
        "a UID says which pod is meant"
    );
}

#[test]
fn unknown_causes_are_reported() {
    for (row, items, name, says) in [
        ("a pod", vec![preempted("a pod")], "web-1", "which pod preempted it: no event names it"),
        (
            "a gone UID",
            vec![preempted("pod uid-vip")],
            "web-1",
            "which pod had UID uid-vip: it is no longer in the cluster",
        ),
        (
            "deleted",
            vec![with(web(), "/metadata/deletionTimestamp", json!(NOW))],
            "web-1",
            "who deleted it",
        ),
    ] {
        let answer = why(&[vec![node("n1")], items].concat(), &[name]);
        assert!(answer.out.contains(&format!("Not known: {says}")), "{row}: {}", answer.out);
        assert_eq!(answer.code, 3, "{row}");
    }
    // That nothing is known at all is said once.
    let answer = why(&[vec![node("n1")], vec![preempted("a pod")]].concat(), &["db-0"]);
    assert_has(
        &answer.out,
        "no such pod, and no event mentions it (Events are kept for 1h by default)",
    );
    assert!(!answer.out.contains("Not known") && answer.code == 3, "{answer:?}");
}

#[test]
fn why_evicted_lists_the_evictions_of_a_namespace() {
    let old = event(
        "db-0",
        "Evicted",
        "The node was low on resource: memory. ",
        "kubelet",
        "2026-06-01T09:00:00Z",
    );
    let deleted = with(
        with(web(), "/metadata/name", json!("gone")),
        "/metadata/deletionTimestamp",
        json!(NOW),
    );
    let items = [node("n1"), preempted("pod uid-vip"), preemptor(Some("n1")), old, deleted];
    let names = |more: &[&str]| -> Vec<String> {
        let answer = why(&items, &[&["-o", "json"], more].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
        let found = answer.json()["items"].as_array().unwrap().clone();
        found
            .iter()
            .map(|found| format!("{} {}", found["pod"]["name"], found["cause"]).replace('"', ""))
            .collect()
    };
    assert_eq!(names(&[]), ["db-0 Kubelet", "web-1 Preempted"]);
    assert_eq!(names(&["--since", "1h"]), ["web-1 Preempted"]);
    assert_eq!(names(&["-n", "other"]), Vec::<String>::new());
    assert_eq!(names(&["-n", "other", "-A"]).len(), 2);
}

#[test]
fn several_pods_have_a_row_each_and_wide_says_everything() {
    let kubelet = event(
        "db-0",
        "Evicted",
        "The node was low on resource: memory. ",
        "kubelet",
        "2026-06-01T09:00:00Z",
    );
    let items = [node("n1"), preempted("a pod"), preemptor(Some("n1")), kubelet];
    let answer = why(&items, &[]);
    let lines: Vec<&str> = answer.out.lines().collect();
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(lines[0]), "POD AGO NODE PRIORITY WHY");
    let row = "default/db-0 3h - - ended by its kubelet: The node was low on resource: memory";
    assert_eq!(words(lines[1]), row);
    assert!(words(lines[2]).starts_with("default/web-1 30m n1 - preempted by"), "{}", answer.out);
    assert_has(&answer.out, "Not known: something about 1 pod: -o wide says what");
    assert_eq!(answer.code, 3);

    let wide = why(&items, &["-o", "wide"]);
    for text in ["Source: Event Evicted of kubelet", "Not known: which pod preempted it"] {
        assert!(wide.out.contains(text) && !answer.out.contains(text), "{text}: {}", wide.out);
    }
    assert_eq!(wide.code, 3);
    // One pod needs no table.
    assert!(why(&items, &["db-0"]).out.contains("Source: Event Evicted of kubelet"));
}

#[test]
fn pod_that_ended_by_itself_is_shown_with_its_exit_codes() {
    let status = json!({"phase": "Failed", "containerStatuses":
        [{"name": "app", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]});
    let answer = why(&[node("n1"), with(web(), "/status", status)], &["web-1"]);
    for text in [
        "it has ended, and nothing says that it was evicted",
        "finished; the Pod object still exists",
        "Containers: app exited with 137 (OOMKilled).",
    ] {
        assert!(answer.out.contains(text), "{text}: {}", answer.out);
    }
    assert_eq!(answer.code, 3);
}

#[test]
fn input_without_events() {
    let condition = json!([{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting", "lastTransitionTime": NOW}]);
    let evicted = with(
        with(web(), "/metadata/deletionTimestamp", json!(NOW)),
        "/status/conditions",
        condition,
    );
    let answer = why(&[node("n1"), evicted], &[]);
    assert_has(&answer.out, "evicted by a request to the eviction API");
    assert_has(&answer.out, "only the API server's audit log has it");
    assert_has(&answer.out, "the input has no Event about an eviction");
    assert_eq!(answer.code, 3);
}

#[test]
fn evicted_pod_without_event_is_explained_by_its_status() {
    let message = "The node was low on resource: memory. \u{1b}[2J";
    let status = json!({"phase": "Failed", "reason": "Evicted", "message": message, "containerStatuses":
        [{"name": "app", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]});
    let items = [node("n1"), with(web(), "/status", status)];
    let answer = why(&items, &[]);
    for text in [
        ": ended by its kubelet: The node was low on resource: memory. ",
        "Containers: app exited with 137 (OOMKilled).",
        "Source: status.message, Evicted: The node was low on resource: memory. ",
    ] {
        assert!(answer.out.contains(text), "{text}: {}", answer.out);
    }
    assert!(!answer.out.contains('\u{1b}'), "what a kubelet wrote is escaped: {}", answer.out);
    let json = why(&items, &["-o", "json"]).json();
    let pod = &json["items"][0];
    assert_eq!((&pod["detail"], &pod["sources"][0]["message"]), (&json!(message), &json!(message)));
    assert_eq!(pod["containers"], json!([{"name": "app", "exitCode": 137, "reason": "OOMKilled"}]));
}

#[test]
fn the_decision_again_on_an_earlier_snapshot() {
    let spared = with(
        with(with(web(), "/metadata/name", json!("web-2")), "/spec/priority", json!(5)),
        "/metadata/uid",
        json!("u2"),
    );
    let large = with(node("n1"), "/status/allocatable/cpu", json!("5"));
    let before = list(&[large.clone(), web(), spared, preemptor(None)]);
    let folder = folder(&[("before.json", before.as_bytes())]);
    let before = folder.path().join("before.json");
    let items = [large, preempted("pod uid-vip"), preemptor(Some("n1"))];
    let answer = why(&items, &["web-1", "--before", before.to_str().unwrap()]);
    for text in [
        "On the snapshot: Preempt for default/vip (priority 1000), on n1.",
        "Not brought back: default/web-1 (priority 0).",
        "Brought back: default/web-2 (priority 5).",
        "A priority of 1000 or more would have spared it. A PodDisruptionBudget over pods with its labels would not have.",
    ] {
        assert!(answer.out.contains(text), "{text}: {}", answer.out);
    }
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
    let unknown =
        why(&[node("n1"), preempted("a pod")], &["web-1", "--before", before.to_str().unwrap()]);
    assert_has(&unknown.out, "the preemptor is not known, so the decision cannot be run again");
    assert_eq!(unknown.code, 3);
}

#[test]
fn bad_input() {
    let items = [node("n1"), preempted("a pod")];
    for (arguments, line) in [
        (&["deploy/web"][..], "error: `deploy/web` is not a pod"),
        (
            &["-l", "app=web"],
            "error: pods that are gone have no labels: -l does not go with why-evicted",
        ),
        (&["web-1", "--since", "1h"], "error: --since limits the list: it does not go with a pod"),
        (&["--before", "/nowhere"], "error: /nowhere: no such file or directory"),
    ] {
        why(&items, arguments).fails(line);
    }
    assert_eq!(why(&items, &["--since", "soon"]).code, 2);
}

/// An Event about any object.
fn event_about(kind: &str, name: &str, reason: &str, message: &str, component: &str) -> Value {
    let mut event = event(name, reason, message, component, "2026-06-01T11:30:00Z");
    event["involvedObject"]["kind"] = json!(kind);
    event
}

#[test]
fn evictions_by_other_programs_are_named() {
    let kueue = "Preempted to accommodate a workload (UID: uid-vip, JobUID: j) due to prioritization in the ClusterQueue; preemptor path: /a";
    let leaving = || with(web(), "/metadata/deletionTimestamp", json!("2026-06-01T12:00:20Z"));
    let of_group = with(leaving(), "/metadata/annotations", json!({"pod-group-name": "g"}));
    let evict = event_about(
        "PodGroup",
        "g",
        "Evict",
        "Pod was preempted for a higher priority",
        "kai-scheduler",
    );
    let annotations = json!({"evictor-pod-group-name": "big", "evictor-pod-group-namespace": "ml"});
    let evict = with(evict, "/metadata/annotations", annotations);
    let workload = json!({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
        "metadata": {"name": "vip", "namespace": "default", "uid": "uid-vip"}, "spec": {}});
    let job = with(
        leaving(),
        "/metadata/ownerReferences",
        json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "job",
        "uid": "uid-job", "controller": true}]),
    );
    let said = |reason: &str, message: &str, by: &str| {
        event("web-1", reason, message, by, "2026-06-01T11:30:00Z")
    };
    for (items, cause, headline, by) in [
        (
            vec![said("Evicted", "Evicted pod: Underutilized", "karpenter")],
            "Karpenter",
            "evicted by Karpenter: Underutilized",
            json!(null),
        ),
        (
            vec![said("Evicted", "Evicted pod: Drifted", "karpenter")],
            "Karpenter",
            "Karpenter: Drifted",
            json!(null),
        ),
        (
            vec![said(
                "Disrupted",
                "Deleting the pod to accommodate the terminationTime 2026-06-01",
                "karpenter",
            )],
            "Karpenter",
            "evicted by Karpenter: Deleting the pod to accommodate the terminationTime",
            json!(null),
        ),
        (
            vec![said("ScaleDown", "deleting pod for node scale down", "cluster-autoscaler")],
            "ClusterAutoscaler",
            "evicted by cluster-autoscaler, which removed its node (scale-down)",
            json!(null),
        ),
        (
            vec![said("Stopped", kueue, "pod-kueue-controller"), workload.clone()],
            "Kueue",
            "preempted by Kueue for Workload default/vip: prioritization in the ClusterQueue",
            json!("Workload default/vip"),
        ),
        (
            vec![job, event_about("Job", "job", "Stopped", kueue, "batch-job-kueue-controller")],
            "Kueue",
            "preempted by Kueue for a Workload with UID uid-vip",
            json!(null),
        ),
        (
            vec![of_group, evict],
            "KAI",
            "evicted by KAI for PodGroup ml/big",
            json!("PodGroup ml/big"),
        ),
    ] {
        let items: Vec<Value> = std::iter::once(node("n1")).chain(items).collect();
        let text = why(&items, &["web-1"]).out;
        assert!(text.contains(headline), "{headline}: {text}");
        let answer = why(&items, &["web-1", "-o", "json"]).json();
        assert_eq!(
            (&answer["items"][0]["cause"], &answer["items"][0]["by"]),
            (&json!(cause), &by),
            "{answer}"
        );
    }
    // The kubelet's word for an eviction is the same as Karpenter's.
    let kubelet = [node("n1"), said("Evicted", "The node was low on resource: memory.", "kubelet")];
    assert!(why(&kubelet, &["web-1"]).out.contains("ended by its kubelet"));
}

#[test]
fn deletion_that_no_event_explains_names_the_pod_that_waits_for_the_room() {
    let leaving = with(web(), "/metadata/deletionTimestamp", json!("2026-06-01T11:50:00Z"));
    let leaving = with(leaving, "/status/phase", json!("Running"));
    let waiting = with(preemptor(None), "/status/nominatedNodeName", json!("n1"));
    let answer = why(&[node("n1"), leaving.clone(), waiting], &["web-1"]);
    assert_has(&answer.out, "default/vip (priority 1000) is nominated to its node");
    assert_has(&answer.out, "default/web-1 should have ended 10m ago");
    assert_has(&answer.out, "Not known: who deleted it");
    assert_eq!(answer.code, 3);
    let answer = why(&[node("n1"), leaving, preemptor(None)], &["web-1"]);
    assert!(!answer.out.contains("is nominated to its node"), "{}", answer.out);
}
