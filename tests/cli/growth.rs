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
    assert!(run.out.contains("2 pods Pending: "), "{run:?}");

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
        "✗ 2 pods need 1 new node: fewer are not enough, wherever pods go; no new node helps 1 more pod."
    );
    assert!(run.out.contains("default/b: "), "{run:?}");
    let run = asked(&[roomy("n1"), cpu(pod("a"), "3")], &["-A"]);
    assert_eq!((run.code, run.out.lines().next()), (0, Some("✓ 1 pod fits without a new node.")));
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
