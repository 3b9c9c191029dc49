//! `simulate --nodes-needed` from outside: for a release, for pending pods, and what it refuses.

use serde_json::{Value, json};

use super::{NOW, Run, list, node, pod, run_with, with};

fn asked(input: &[Value], arguments: &[&str]) -> Run {
    let asked = [&["simulate", "--nodes-needed", "--from", "-", "--now", NOW], arguments].concat();
    run_with(&asked, list(input).as_bytes())
}

fn cpu(pod: Value, cpu: &str) -> Value {
    with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu))
}

fn roomy(name: &str) -> Value {
    with(node(name), "/status/allocatable/cpu", json!("4"))
}

fn deployment(replicas: u32) -> String {
    let container = json!({"name": "c", "image": "i", "resources": {"requests": {"cpu": "1500m"}}});
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}})
    .to_string()
}

#[test]
fn release_that_needs_nodes_says_how_many_and_what_asks_for_them() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), deployment(6)).expect("written");
    let path = file.path().to_str().expect("a path");
    let run = asked(&[roomy("n1")], &["-f", path]);
    assert_eq!(run.code, 1, "{run:?}");
    let first = run.out.lines().next().unwrap_or_default();
    assert_eq!(first, "✗ 6 pods need 2 new nodes: fewer are not enough, wherever pods go.");
    assert!(run.out.contains("at least 2: cpu: "), "{run:?}");
    assert!(
        run.out.contains("2 without a node: ") && run.out.contains(": on 2 nodes: cpu: "),
        "{run:?}"
    );

    let run = asked(&[roomy("n1")], &["-f", path, "-o", "json"]);
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let growth = &json["withoutEvictions"];
    assert_eq!((&json["kind"], &growth["number"]), (&json!("NodeDemand"), &json!(2)));
    assert_eq!((&growth["atLeast"], &growth["proof"]), (&json!(2), &json!("Bound")));
    assert_eq!(json["withEvictions"], Value::Null);
}

#[test]
fn pending_pods_that_nodes_help_are_told_from_those_that_none_helps() {
    let elsewhere = with(cpu(pod("b"), "1"), "/spec/nodeSelector", json!({"disk": "ssd"}));
    let run = asked(&[roomy("n1"), cpu(pod("a"), "3"), cpu(pod("c"), "3"), elsewhere], &["-A"]);
    assert_eq!(run.code, 1, "{run:?}");
    let first = run.out.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "✗ 2 pods need 1 new node: fewer are not enough, wherever pods go; no new node helps 1 more pod (up to 2 tried)."
    );
    assert!(run.out.contains("default/b: "), "{run:?}");
    let run = asked(&[roomy("n1"), cpu(pod("a"), "3")], &["-A"]);
    assert_eq!((run.code, run.out.lines().next()), (0, Some("✓ 1 pod fits without a new node.")));
}

/// A rollout makes its next pod once the one before is Ready: those that it never makes without new
/// nodes are not beyond help.
#[test]
fn rollout_that_stops_gets_nodes_for_the_pods_that_it_has_not_made() {
    let owner = |kind: &str, name: &str| json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": true}]);
    let mut input = vec![roomy("n1")];
    for n in 0..4 {
        let one = with(cpu(pod(&format!("web-1-{n}")), "1"), "/spec/nodeName", json!("n1"));
        let one = with(one, "/metadata/ownerReferences", owner("ReplicaSet", "web-1"));
        let ready = json!([{"type": "Ready", "status": "True"}]);
        input.push(with(one, "/status", json!({"phase": "Running", "conditions": ready})));
    }
    let new = |cpu: &str| {
        let container = json!({"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}});
        json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default", "uid": "web"},
            "spec": {"replicas": 4, "selector": {"matchLabels": {"app": "web"}},
                "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}})
    };
    input.push(new("1"));
    input.push(json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 4},
        "metadata": {"name": "web-1", "namespace": "default", "uid": "web-1",
            "ownerReferences": owner("Deployment", "web")}}));
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), new("3").to_string()).expect("written");
    let run = asked(&input, &["-f", file.path().to_str().expect("a path")]);
    let first = run.out.lines().next().unwrap_or_default();
    assert!(first.starts_with("✗ 4 pods need 3 new nodes: "), "{run:?}");
}

/// Where no new node helps, evictions may; but only if nothing is lost by them.
#[test]
fn evictions_that_help_are_told_from_those_that_lose_a_pod() {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "low", "uid": "low",
        "controller": true}]);
    let low = with(cpu(pod("low"), "4"), "/spec/nodeName", json!("n1"));
    let low = with(low, "/status", json!({"phase": "Running"}));
    let here = json!({"kubernetes.io/hostname": "n1"});
    let high = with(cpu(pod("high"), "1"), "/spec/nodeSelector", here.clone());
    let high = with(high, "/spec/priority", json!(100));
    for (owners, other, says) in [
        (
            &owner,
            true,
            "✗ No new node helps 1 pod (up to 1 tried); evicting 1 pod helps 1 of these.",
        ),
        (
            &owner,
            false,
            "✗ No new node helps 1 pod (up to 1 tried); evicting 1 pod helps 1 of these, with 1 new node in all.",
        ),
        (&json!([]), true, "✗ No new node helps 1 pod (up to 1 tried)."),
    ] {
        let low = with(low.clone(), "/metadata/ownerReferences", owners.clone());
        let node = with(roomy("n1"), "/metadata/labels", here.clone());
        let mut input = vec![node, low, high.clone()];
        input.extend(other.then(|| roomy("n2")));
        let run = asked(&input, &["-A"]);
        assert_eq!(run.out.lines().next(), Some(says), "{run:?}");
        assert_eq!(run.out.contains("all get a node again"), says.contains("evicting"), "{run:?}");
    }
}

#[test]
fn flags_about_something_else_are_refused() {
    for (arguments, says) in [
        (&["--fail-on", "pdb"][..], "it does not go with --fail-on"),
        (&["-o", "csv"], "--nodes-needed is no gate"),
        (&["--fail", "n1"], "--fail asks about nodes"),
    ] {
        let run = asked(&[roomy("n1")], arguments);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains(says), "{run:?}");
    }
}
