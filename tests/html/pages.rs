//! Pages to look at, made by the program.

use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};

const NOW: &str = "2026-06-01T12:00:00Z";

fn explain(from: &str, input: &str, more: &[&str]) -> String {
    print("html", from, input, more)
}

fn print(format: &str, from: &str, input: &str, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .args(["explain", "--now", NOW, "--from", from, "-o", format])
        .args(more)
        .write_stdin(input);
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!([Some(0), Some(3)].contains(&output.status.code()), "{err}");
    assert_eq!(err, "");
    String::from_utf8(output.stdout).unwrap()
}

/// The worked example.
pub fn example() -> String {
    example_as("html")
}

/// What the program says of it in this format.
pub fn example_as(format: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pending-web/cluster.yaml");
    print(format, path.to_str().unwrap(), "", &["-n", "shop"])
}

/// What a command says of the worked example, with its exit code.
pub fn report(arguments: &[&str]) -> (String, Option<i32>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/pending-web/cluster.yaml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command.args(arguments).args(["-o", "html", "--now", NOW, "--from"]).arg(path);
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// Two pods that wait.
pub fn several() -> String {
    let running = pod("old-0", Some("n1"), 0, "6");
    let items = [node("n1"), running, pod("web-0", None, 5, "7"), pod("web-1", None, 0, "70")];
    explain("-", &json!({"kind": "List", "items": items}).to_string(), &["-A"])
}

fn pod(name: &str, node: Option<&str>, priority: i32, cpu: &str) -> Value {
    let mut pod = json!({"kind": "Pod", "metadata": {"name": name, "namespace": "team"},
        "spec": {"priority": priority, "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
        "status": {"phase": "Pending"}});
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
        pod["status"] = json!({"phase": "Running", "startTime": "2026-05-01T00:00:00Z"});
        pod["metadata"]["ownerReferences"] = json!([{"kind": "ReplicaSet", "name": "batch-worker-7d9f8c6b5d", "apiVersion": "apps/v1", "controller": true}]);
    }
    pod
}

fn node(name: &str) -> Value {
    json!({"kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": "10", "memory": "64Gi", "pods": "110"}}})
}

/// So many nodes, each with four pods, some of which would have to go; every seventh is tainted.
pub fn large(nodes: usize) -> String {
    let mut items = vec![pod("trainer-0", None, 1000, "5")];
    for index in 0..nodes {
        let name = format!(
            "ip-10-{}-{}-{}.eu-west-1.compute.internal",
            index / 65_536,
            index / 256 % 256,
            index % 256
        );
        let mut machine = node(&name);
        if index % 7 == 0 {
            machine["spec"] =
                json!({"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]});
        }
        items.push(machine);
        items.extend((0..4_u8).map(|pod_index| {
            let cpu = format!("{}m", 2000 + (index * 31 + usize::from(pod_index) * 17) % 200);
            pod(
                &format!("batch-worker-7d9f8c6b5d-{index:05}-{pod_index}"),
                Some(&name),
                i32::from(pod_index % 3),
                &cpu,
            )
        }));
    }
    explain("-", &json!({"kind": "List", "items": items}).to_string(), &["-n", "team", "trainer-0"])
}

/// Everything that a cluster can say tries to become markup or script.
pub fn hostile() -> String {
    const H: &str = "</script><script>pwned=1</script><img src=x onerror=\"pwned=2\">'\"><b>&lt;i&gt;${pwned=3}\u{202e}\u{1b}[31m--><svg onload=alert(4)>";
    let mut preemptor = pod(H, None, 1000, "9");
    preemptor["metadata"]["namespace"] = H.into();
    preemptor["spec"]["nodeSelector"] = json!({});
    let mut victim = pod(&format!("v{H}"), Some(H), 1, "5");
    victim["metadata"]["namespace"] = H.into();
    victim["metadata"]["ownerReferences"] =
        json!([{"kind": H, "name": H, "apiVersion": H, "controller": true}]);
    victim["metadata"]["labels"] = json!({"a": "b"});
    let mut tainted = node(&format!("t{H}"));
    tainted["spec"] = json!({"taints": [{"key": H, "value": H, "effect": "NoSchedule"}]});
    let budget = json!({"kind": "PodDisruptionBudget", "metadata": {"name": H, "namespace": H},
        "spec": {"selector": {"matchLabels": {"a": "b"}}}, "status": {"disruptionsAllowed": 0}});
    let broken = json!({"kind": "Pod", "metadata": {"name": format!("x{H}"), "labels": {H: {H: H}}}, "spec": {"priority": H}});
    let items =
        json!({"kind": "List", "items": [preemptor, victim, tainted, node(H), budget, broken]});
    explain("-", &items.to_string(), &["-n", H])
}
