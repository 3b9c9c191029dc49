//! `kubectl preempt verify` on a live cluster.

use assert_cmd::Command;
use serde_json::{Value, json};
use testing::assert_begins;

use crate::live::Home;
use crate::live::server::{Answer, Server};

#[test]
fn conditions_of_a_cluster() {
    let server = Server::start(|request| {
        let items = match request.path.as_str() {
            "/api/v1/nodes" => {
                json!([{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}}])
            }
            "/api/v1/pods" => {
                json!([refused("a", "Insufficient cpu"), refused("b", "Insufficient memory")])
            }
            _ => return None,
        };
        Some(Answer::ok(
            json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string(),
        ))
    });
    let home = Home::new(&server, "token: secret");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        command
            .env("KUBECONFIG", home.path("config"))
            .env("HOME", home.folder.path())
            .arg("verify")
            .args(arguments);
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = run(&[]);
    assert_eq!(code, Some(1));
    assert_begins(
        &text,
        "1 equal, 0 stale, 1 different, 0 no message\nRules: kube-scheduler 1.37.1   Cluster: ",
    );
    let (code, text) = run(&["a", "-o", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &json["items"][0]["result"]), (Some(0), &json!("Equal")));
    assert_eq!(
        (&json["source"]["kind"], &json["scheduler"]["version"]),
        (&json!("live"), &json!("1.37.1"))
    );
}

fn refused(name: &str, reason: &str) -> Value {
    let help = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    json!({"metadata": {"name": name, "namespace": "shop"},
        "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
        "status": {"phase": "Pending", "conditions": [
            {"type": "Ready", "status": "False", "message": "not about scheduling"},
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
             "message": format!("0/1 nodes are available: 1 {reason}. {help}"),
             "lastTransitionTime": "2026-06-01T12:00:00Z"}]}})
}
