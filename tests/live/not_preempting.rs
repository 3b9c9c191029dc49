//! `simulate --apply` for pods that kube-scheduler would not preempt for: those whose victims are
//! terminating already, and those that may not preempt.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testing::assert_has;

use super::Home;
use super::server::{Answer, Request, Server, review};

pub(super) fn pod(name: &str, priority: i32, node: Option<&str>) -> Value {
    let mut pod = json!({"kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"), "resourceVersion": "5",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": true}]},
        "spec": {"priority": priority, "schedulerName": "default-scheduler",
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "2"}}}]},
        "status": {"phase": if node.is_some() { "Running" } else { "Pending" }}});
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
    }
    pod
}

/// A server with a node, a pod on it and the preemptor. An evicted pod is gone at once.
fn server(low: Value, vip: Value) -> Server {
    server_with(low, vip, |_| None)
}

/// The same, which answers some requests in its own way.
pub(super) fn server_with(
    low: Value,
    vip: Value,
    more: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static,
) -> Server {
    let pods = Arc::new(Mutex::new(vec![low, vip]));
    Server::start_writable(move |request| {
        let mut pods = pods.lock().unwrap();
        let list = |items: Value| {
            Answer::ok(
                json!({"kind": "List", "apiVersion": "v1",
            "metadata": {"resourceVersion": "9"}, "items": items})
                .to_string(),
            )
        };
        if request.path.contains("accessreviews") {
            return Some(review(true, ""));
        }
        // Watches stay open. With a list for an answer each run would wait for them to start.
        if request.has("watch=true") {
            return None;
        }
        if let Some(answer) = more(request) {
            return Some(answer);
        }
        if let Some(path) = request.path.strip_prefix("/api/v1/namespaces/shop/pods/") {
            let name = path.trim_end_matches("/eviction");
            let found = pods.iter().position(|pod| pod["metadata"]["name"] == *name);
            if request.method == "POST" && !request.body.contains("dryRun") {
                found.map(|at| pods.remove(at));
            }
            return Some(match (found, request.method.as_str()) {
                (Some(_), "POST") => Answer::created(
                    &json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}),
                ),
                (Some(at), _) => Answer::ok(pods[at].to_string()),
                (None, _) => Answer::status(404, "NotFound", "pods not found"),
            });
        }
        match request.path.as_str() {
            "/version" => Some(Answer::ok(r#"{"gitVersion":"v1.37.1"}"#)),
            "/api/v1/nodes" => Some(list(json!([{"metadata": {"name": "n1"},
                "status": {"allocatable": {"cpu": "3", "memory": "8Gi", "pods": "9"}}}]))),
            "/api/v1/pods" => Some(list(pods.clone().into())),
            _ => None,
        }
    })
}

pub(super) fn run(server: &Server, args: &[&str]) -> (Option<i32>, String, String) {
    let home = Home::new(server, "");
    let mut command = assert_cmd::Command::cargo_bin("kubectl-preempt").unwrap();
    let output = command.env_clear().envs(home.vars.clone()).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn evictions(server: &Server) -> Vec<String> {
    let real = server.writes().into_iter().filter(|write| !write.body.contains("dryRun"));
    real.filter(|write| write.path.ends_with("/eviction")).map(|write| write.path).collect()
}

#[test]
fn a_pod_that_may_not_preempt_gets_room_by_eviction() {
    let held = |field: &str, value: Value| {
        let mut vip = pod("vip", 100, None);
        vip["spec"][field] = value;
        vip
    };
    for (row, vip) in [
        ("policy", held("preemptionPolicy", json!("Never"))),
        ("gates", held("schedulingGates", json!([{"name": "quota"}]))),
    ] {
        let server = server(pod("low", 0, Some("n1")), vip);
        let (code, out, _) = run(&server, &["simulate", "vip"]);
        assert_eq!(code, Some(1), "{row}: {out}");
        let (code, out, err) =
            run(&server, &["simulate", "vip", "--on", "n1", "--apply", "--yes", "--mode=delete"]);
        assert_eq!((code, evictions(&server).len()), (Some(2), 0), "{row}: {out}{err}");
        assert!(err.contains("--mode=delete does what kube-scheduler does"), "{row}: {err}");
        let (code, out, err) =
            run(&server, &["simulate", "vip", "--on", "n1", "--apply", "--yes", "--wait=false"]);
        assert_eq!(code, Some(0), "{row}: {out}{err}");
        assert!(
            out.starts_with(
                "Assuming no scheduling gates and preemptionPolicy=PreemptLowerPriority:"
            ),
            "{row}: {out}"
        );
        assert_eq!(
            evictions(&server),
            ["/api/v1/namespaces/shop/pods/low/eviction"],
            "{row}: {err}"
        );
    }
}

#[test]
fn a_gated_pod_is_not_waited_for() {
    let mut vip = pod("vip", 100, None);
    vip["spec"]["schedulingGates"] = json!([{"name": "quota"}]);
    let server = server(pod("low", 0, Some("n1")), vip);
    let (code, _, err) =
        run(&server, &["simulate", "vip", "--as-if-preempting", "--apply", "--yes"]);
    assert_eq!((code, evictions(&server).len()), (Some(0), 1), "{err}");
    assert_has(&err, "kube-scheduler does not try it before they are removed");
}

#[test]
fn terminating_victim_is_awaited_and_not_evicted() {
    let mut low = pod("low", 0, Some("n1"));
    low["metadata"]["deletionTimestamp"] = json!("2099-01-01T00:00:00Z");
    low["status"]["conditions"] =
        json!([{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]);
    let mut vip = pod("vip", 100, None);
    vip["status"]["nominatedNodeName"] = json!("n1");
    let server = server(low, vip);
    let (code, out, err) = run(&server, &["simulate", "vip"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_has(&out, "when 1 terminating pod is gone");
    let (code, out, err) =
        run(&server, &["simulate", "vip", "--apply", "--yes", "--wait=false", "-o", "json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_has(&err, "gets node n1 once shop/low is gone: nothing else needs evicting");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["outcome"], "NotNeeded", "{out}");
    assert!(evictions(&server).is_empty());
    let (code, out, err) = run(&server, &["simulate", "vip", "--apply", "--yes", "--timeout=1s"]);
    assert_eq!(code, Some(2), "it waits until the time is up: {out}{err}");
}

#[test]
fn json_output_has_exactly_one_result() {
    let small = || {
        let mut vip = pod("vip", 100, None);
        vip["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("1");
        vip
    };
    let mut huge = small();
    huge["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("9");
    let mut odd = small();
    odd["spec"]["priority"] = json!("x");
    for (row, vip, code, outcome, landing) in [
        ("it fits", small(), 0, "NotNeeded", "NotAwaited"),
        ("no eviction helps", huge, 1, "Impossible", "NotAwaited"),
        ("it is on a node", pod("vip", 100, Some("n1")), 0, "NotNeeded", "Bound"),
        ("it is unsure", odd, 2, "Refused", "NotAwaited"),
    ] {
        for format in ["json", "yaml"] {
            let server = server(pod("low", 0, Some("n1")), vip.clone());
            let (found, out, err) = run(
                &server,
                &["simulate", "vip", "--apply", "--yes", "--wait=false", "-o", format],
            );
            assert_eq!(found, Some(code), "{row}: {out}{err}");
            let result: Value = if format == "json" {
                serde_json::from_str(&out).unwrap()
            } else {
                serde_saphyr::from_str(&out).unwrap()
            };
            assert_eq!(result["kind"], "ApplyResult", "{row}: {out}");
            assert_eq!(
                (&result["outcome"], &result["exitCode"]),
                (&json!(outcome), &json!(code)),
                "{row}: {out}"
            );
            assert_eq!(result["landing"]["state"], landing, "{row}: {out}");
            let text = run(&server, &["simulate", "vip", "--apply", "--yes", "--wait=false"]);
            if row == "it fits" {
                assert_has(&text.2, "nothing else needs evicting");
            }
            assert_eq!(text.0, Some(code), "{row}, as text: {text:?}");
            assert!(server.writes().is_empty(), "{row}");
        }
    }
}

#[test]
fn with_json_a_pod_that_is_not_found_has_a_result_too() {
    let server = server(pod("low", 0, Some("n1")), pod("vip", 100, None));
    let (code, out, err) =
        run(&server, &["simulate", "nosuch", "-n", "shop", "--apply", "--yes", "-o", "json"]);
    assert_eq!(code, Some(2), "{out}{err}");
    let result: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&result["kind"], &result["outcome"]),
        (&json!("ApplyResult"), &json!("Refused")),
        "{out}"
    );
    assert_eq!(result["plan"]["preemptor"]["name"], "nosuch", "{out}");
    assert_eq!(result["victims"], json!([]), "{out}");
    assert!(err.contains(result["reason"].as_str().unwrap()), "{out}{err}");
}
