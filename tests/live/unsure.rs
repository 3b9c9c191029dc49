//! What cannot be read is a reason to evict nothing.

use serde_json::{Value, json};

use super::Home;
use super::server::{Answer, Server};

fn pod(name: &str, priority: Value, node: Option<&str>) -> Value {
    let mut pod = json!({"metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"), "labels": {"app": name}},
        "spec": {"priority": priority, "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
        "status": {"phase": if node.is_some() { "Running" } else { "Pending" }}});
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
    }
    pod
}

/// Two victims on one node, and what stands in one field of one object of that cluster.
fn cluster(path: &'static str, pointer: &'static str, value: Value) -> Server {
    Server::start_writable(move |request| {
        let mut items = match request.path.as_str() {
            "/version" => return Some(Answer::ok(r#"{"gitVersion":"v1.37.1"}"#)),
            "/api/v1/nodes" => {
                json!([{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}])
            }
            "/api/v1/pods" => {
                json!([pod("a", json!(0), Some("n1")), pod("b", json!(0), Some("n1")), pod("vip", json!(100), None)])
            }
            "/apis/policy/v1/poddisruptionbudgets" => json!([{"metadata": {"name": "a", "namespace": "shop"},
                "spec": {"selector": {"matchLabels": {"app": "a"}}}, "status": {"disruptionsAllowed": 0}}]),
            _ => return None,
        };
        if request.path == path
            && let Some(place) = items.pointer_mut(pointer)
        {
            *place = value.clone();
        }
        Some(Answer::ok(json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string()))
    })
}

#[test]
fn nothing_is_evicted_on_an_answer_that_hangs_on_what_cannot_be_read() {
    let (pods, nodes, budgets) = ("/api/v1/pods", "/api/v1/nodes", "/apis/policy/v1/poddisruptionbudgets");
    for (path, pointer, value) in [
        (budgets, "/0/spec/selector", json!("x")),
        (budgets, "/0/status/disruptionsAllowed", json!("0")),
        (budgets, "/0/metadata", json!([])),
        (pods, "/1/spec/priority", json!("2000")),
        (pods, "/1", json!(["b"])),
        (nodes, "/0/status/allocatable", json!("x")),
    ] {
        let server = cluster(path, pointer, value.clone());
        let home = Home::new(&server, "");
        let mut command = assert_cmd::Command::cargo_bin("kubectl-preempt").unwrap();
        command.env_clear().envs(home.vars.clone()).args([
            "simulate",
            "vip",
            "--apply",
            "--yes",
            "--force",
            "--mode=delete",
        ]);
        let output = command.output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{pointer} = {value}: {output:?}");
        assert!(err.contains("error: nothing is evicted on an uncertain answer: "), "{pointer}: {err}");
        assert!(server.writes().is_empty(), "{pointer}: {:?}", server.writes());
    }
}
