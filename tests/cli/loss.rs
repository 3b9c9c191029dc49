//! `simulate --fail` from outside: what it says of lost nodes, how it ends, and what it refuses.

use serde_json::{Value, json};

use super::{NOW, Run, list, node, pod, run_with, with};

fn fails(input: &[Value], arguments: &[&str]) -> Run {
    let asked = [&["simulate", "--from", "-", "--now", NOW], arguments].concat();
    run_with(&asked, list(input).as_bytes())
}

fn in_zone(name: &str, zone: &str) -> Value {
    let labels = json!({"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone});
    with(node(name), "/metadata/labels", labels)
}

/// A Ready pod of `kind` `app`.
fn on(name: &str, node: &str, cpu: &str, kind: &str, app: &str) -> Value {
    let owner = json!([{"apiVersion": "apps/v1", "kind": kind, "name": app, "controller": true}]);
    let pod = with(pod(name), "/spec/nodeName", json!(node));
    let pod = with(pod, "/spec/containers/0/resources/requests/cpu", json!(cpu));
    let pod = with(pod, "/metadata/labels", json!({"app": app}));
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    with(with(pod, "/metadata/ownerReferences", owner), "/status", status)
}

fn first_line(run: &Run) -> &str {
    run.out.lines().next().unwrap_or_default()
}

/// Two zones: `web` has a pod in each, `db` is in `a` alone, and `b` has room for one of both.
fn zones() -> Vec<Value> {
    let cpu = |node: Value, cpu: &str| with(node, "/status/allocatable/cpu", json!(cpu));
    vec![
        cpu(in_zone("n1", "a"), "4"),
        cpu(in_zone("n2", "b"), "3"),
        on("web-1", "n1", "1", "ReplicaSet", "web"),
        on("web-2", "n2", "1", "ReplicaSet", "web"),
        on("db-0", "n1", "2", "StatefulSet", "db"),
        on("agent", "n1", "0", "DaemonSet", "agent"),
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}},
            "status": {"disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2,
                "expectedPods": 2}}),
    ]
}

#[test]
fn lost_zone_says_what_stays_pending_and_what_is_down() {
    let run = fails(&zones(), &["--fail", "zone/a"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(
        first_line(&run),
        "✗ losing n1 (2 pods) leaves 1 pod Pending; 1 workload has no Ready pod meanwhile."
    );
    for want in [
        "1 DaemonSet or static pod goes with its node",
        "PDB default/web: 1 of 2 Ready pods are left, it asks for 2",
        "default/db: replaced only once the Node object is deleted",
    ] {
        assert!(run.out.contains(want), "{want}: {run:?}");
    }
    let json = fails(&zones(), &["--fail", "topology.kubernetes.io/zone=a", "-o", "json"]).json();
    let loss = &json["items"][0];
    assert_eq!(loss["pending"], json!({"fewest": 1, "most": 1}));
    assert_eq!((&loss["lost"], &loss["ofNodes"], &loss["down"]), (&json!(2), &json!(1), &json!(1)));
}

#[test]
fn loss_that_every_pod_survives_exits_with_0() {
    let run = fails(&zones(), &["--fail", "n2"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(first_line(&run), "✓ losing n2 (1 pod) leaves no pod Pending.");
}

#[test]
fn removed_node_says_what_becomes_of_its_pods() {
    let json = ["-o", "json"];
    let removed = fails(&zones(), &[&["--remove-node", "n1"][..], &json].concat());
    let failed = fails(&zones(), &[&["--fail", "n1"][..], &json].concat());
    assert_eq!((removed.code, removed.out), (failed.code, failed.out));
    let pods = fails(&zones(), &["--remove-node", "n1", "-A"]);
    assert!(pods.out.contains("No pods wait"), "{pods:?}");
}

#[test]
fn each_domain_is_a_row_and_the_worst_comes_first() {
    let run = fails(&zones(), &["--fail-each", "zone"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(first_line(&run).starts_with("✗ 1 of 2 zones can be lost; losing zone a"), "{run:?}");
    let row = |name: &str| run.out.find(&format!("\n  {name}")).expect(name);
    assert!(row("zone a") < row("zone b"), "{run:?}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (arguments, want) in [
        (&["--fail", "zone/c"][..], "no node is in zone c; there are a and b"),
        (&["--fail", "n9"], "nodes \"n9\" not found"),
        (&["--fail", "rack=1"], "neither node has the labels `rack=1`"),
        (&["--fail-each", "pool"], "no node has the label of a pool"),
        (&["--fail", "n1", "--fail-each", "zone"], "--fail does not go with --fail-each"),
        (&["--fail", "n1", "-o", "csv"], "--fail asks about nodes"),
        (&["--fail", "n1", "--cordon", "n2"], "--fail asks about nodes"),
        (&["web-1", "--fail", "n1"], "--fail"),
    ] {
        let run = fails(&zones(), arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
        assert!(run.err.contains(want), "{arguments:?}: {run:?}");
    }
}
