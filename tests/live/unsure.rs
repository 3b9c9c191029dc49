//! What cannot be read is a reason to evict nothing, and said with the answer.

use serde_json::{Value, json};
use testing::share;

use super::Home;
use super::server::{Answer, Server};

fn pod(name: &str, priority: i32, node: Option<&str>) -> Value {
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
                json!([pod("a", 0, Some("n1")), pod("b", 0, Some("n1")), pod("vip", 100, None)])
            }
            "/apis/policy/v1/poddisruptionbudgets" => {
                json!([{"metadata": {"name": "a", "namespace": "shop"},
                "spec": {"selector": {"matchLabels": {"app": "a"}}}, "status": {"disruptionsAllowed": 0}}])
            }
            _ => return None,
        };
        if request.path == path
            && let Some(place) = items.pointer_mut(pointer)
        {
            *place = value.clone();
        }
        Some(Answer::ok(
            json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string(),
        ))
    })
}

fn run(server: &Server, args: &[&str]) -> std::process::Output {
    let home = Home::new(server, "");
    let mut command = assert_cmd::Command::cargo_bin("kubectl-preempt").unwrap();
    command.env_clear().envs(home.vars.clone()).args(args).output().unwrap()
}

#[test]
fn uncertain_answer_evicts_no_pod() {
    let (pods, nodes, budgets) =
        ("/api/v1/pods", "/api/v1/nodes", "/apis/policy/v1/poddisruptionbudgets");
    for (path, pointer, value) in [
        (budgets, "/0/spec/selector", json!("x")),
        (budgets, "/0/status/disruptionsAllowed", json!("0")),
        (budgets, "/0/metadata", json!([])),
        (pods, "/1/spec/priority", json!("2000")),
        (pods, "/1", json!(["b"])),
        (nodes, "/0/status/allocatable", json!("x")),
    ] {
        let server = cluster(path, pointer, value.clone());
        let output =
            run(&server, &["simulate", "vip", "--apply", "--yes", "--force", "--mode=delete"]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{pointer} = {value}: {output:?}");
        assert!(
            err.contains("error: nothing is evicted on an uncertain answer: "),
            "{pointer}: {err}"
        );
        assert!(server.writes().is_empty(), "{pointer}: {:?}", server.writes());
    }
}

/// The cluster of a server that answers `/version` so, with the kubelets of that version.
fn of_version(status: u16, body: &'static str, kubelet: &'static str) -> Server {
    Server::start_writable(move |request| {
        let items = match request.path.as_str() {
            "/version" => return Some(Answer { status, ..Answer::ok(body) }),
            "/api/v1/nodes" => {
                json!([{"metadata": {"name": "n1"}, "status": {"nodeInfo": {"kubeletVersion": kubelet},
                "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}}])
            }
            "/api/v1/pods" => {
                json!([pod("a", 0, Some("n1")), pod("b", 0, Some("n1")), pod("vip", 100, None)])
            }
            _ => return None,
        };
        Some(Answer::ok(
            json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string(),
        ))
    })
}

#[test]
fn assumed_rules_are_named_and_nothing_is_evicted_by_them() {
    let kubelets = "1.33.4 (assumed from the kubelets)";
    for (nth, (status, body, kubelet, code, rules)) in [
        (403, "{}", "v1.33.4-gke.1208000", 0, kubelets),
        (404, "", "v1.33.4+k3s1", 0, kubelets),
        (500, "", "v1.33.4-eks-3abbec1", 0, kubelets),
        (200, "<html>", "", 0, "1.37 (assumed: the server reports none)"),
        (200, r#"{"gitVersion":"v2.0.0"}"#, "", 3, "1.37 (assumed: v2.0.0 is not known)"),
        (200, r#"{"gitVersion":"v99.0"}"#, "", 3, "1.37 (assumed: v99.0 is not known)"),
        (200, r#"{"gitVersion":"x"}"#, "v1.36.0", 3, "1.36.0 (assumed from the kubelets)"),
    ]
    .into_iter()
    .enumerate()
    {
        let server = of_version(status, body, kubelet);
        // With every change half of the commands, in turn; all in the long run.
        let part = share::of(2, 1);
        for command in ["explain", "simulate", "pending"].into_iter().skip(nth % part).step_by(part)
        {
            let names = if command == "pending" { &[][..] } else { &["vip"] };
            let output = run(&server, &[&[command], names].concat());
            let out = String::from_utf8_lossy(&output.stdout);
            assert!(
                out.lines()
                    .nth(1)
                    .unwrap()
                    .contains(&format!("Rules: kube-scheduler {rules}   Cluster: ")),
                "{command} {status} {body}: {out}"
            );
            assert_eq!(output.status.code(), Some(code), "{command} {status} {body}: {out}");
        }
        for command in ["audit", "risk", "verify"].into_iter().skip(nth % part).step_by(part) {
            let output = run(&server, &[command, "-n", "shop"]);
            let out = String::from_utf8_lossy(&output.stdout);
            let second = out.lines().nth(1).unwrap();
            assert!(
                second.starts_with(&format!("Rules: kube-scheduler {rules}   Cluster: ")),
                "{command} {body}: {out}"
            );
            assert_eq!(output.status.code(), Some(code), "{command} {status} {body}: {out}");
            assert_eq!(out.contains("[PRE-911]"), code == 3, "{command} {body}: {out}");
        }
        let apply = ["simulate", "vip", "--apply", "--yes", "--force"];
        let output = run(&server, &apply);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(
            err.contains(&format!("error: nothing is evicted by assumed rules: {rules};")),
            "{status} {body}: {err}"
        );
        assert_eq!(output.status.code(), Some(2), "{status} {body}");
        assert!(server.writes().is_empty(), "{:?}", server.writes());
        let given = run(
            &server,
            &[&apply[..], &["--scheduler-version", "1.37", "--mode=delete", "--wait=false"]]
                .concat(),
        );
        assert!(!String::from_utf8_lossy(&given.stderr).contains("assumed rules"), "{given:?}");
    }
}

#[test]
fn a_list_of_another_kind_is_no_empty_cluster() {
    let server = Server::start(|request| {
        let secrets =
            json!({"kind": "SecretList", "apiVersion": "v1", "metadata": {}, "items": []});
        (request.path == "/api/v1/nodes").then(|| Answer::ok(secrets.to_string()))
    });
    let output = run(&server, &["explain", "p1", "-n", ""]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(err.contains("the answer is a SecretList, not a NodeList"), "{err}");
}

#[test]
fn a_list_that_does_not_say_what_it_is_is_no_empty_cluster() {
    for (answer, said) in [
        (json!({"items": []}), "the answer does not say that it is a list of nodes"),
        (
            json!({"kind": "NodeList", "apiVersion": "foo/v1", "items": []}),
            "the answer is a NodeList of foo/v1",
        ),
    ] {
        let server = Server::start(move |request| {
            (request.path == "/api/v1/nodes").then(|| Answer::ok(answer.to_string()))
        });
        let output = run(&server, &["explain", "p1"]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(err.contains(said), "{err}");
    }
}
