//! Users who may read one namespace, or everything but nodes: what was written about the pods is
//! explained, nothing is decided, and the exit code says so.

use serde_json::{Value, json};
use testing::{assert_has, assert_lacks};

use super::not_preempting::{pod, run};
use super::server::{Answer, Server};

const MESSAGE: &str =
    "0/4 nodes are available: 3 Insufficient cpu, 1 node(s) had untolerated taint {gpu: true}.";

#[expect(clippy::needless_pass_by_value, reason = "what is listed is made for it")]
fn list(items: Value) -> Answer {
    let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": items});
    Answer::ok(list.to_string())
}

/// A pod that was rejected.
fn rejected() -> Value {
    let mut pod = pod("web-1", 0, None);
    pod["status"]["conditions"] = json!([{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": MESSAGE}]);
    pod
}

/// A server whose user may list `readable` paths and no others.
fn server(readable: fn(&str) -> bool) -> Server {
    Server::start(move |request| {
        let path = request.path.as_str();
        let is_list = path.starts_with("/api/v1/") || path.starts_with("/apis/");
        if !is_list || path.contains("review") {
            return None;
        }
        if !readable(path) {
            let resource = path.rsplit('/').next().unwrap_or_default();
            let message = format!("{resource} is forbidden: User \"jane\" cannot list resource");
            return Some(Answer::status(403, "Forbidden", &message));
        }
        Some(if path.ends_with("/pods") && !path.contains("kube-system") {
            list(json!([rejected()]))
        } else {
            list(json!([]))
        })
    })
}

#[test]
fn viewer_of_a_namespace_is_told_what_the_message_means() {
    let server = server(|path| path.contains("/namespaces/shop/"));
    let questions: [&[&str]; 8] = [
        &["explain", "web-1"],
        &["explain"],
        &["pending"],
        &["pending", "-A"],
        &["verify"],
        &["verify", "web-1"],
        &["suggest"],
        &["suggest", "web-1"],
    ];
    for arguments in questions {
        let (code, out, err) = run(&server, arguments);
        assert_eq!(code, Some(3), "{arguments:?}: {out}{err}");
        assert_has(&out, "shop/web-1 (priority 0): kube-scheduler has rejected it (Unschedulable)");
        assert_has(&out, MESSAGE);
        assert_has(&out, "3 nodes: Insufficient cpu");
        assert_has(&out, "list nodes, list pods in all namespaces");
        assert_has(&out, "doctor --rbac");
        assert_lacks(&out, "no nodes");
    }
    let (code, out, err) = run(&server, &["pending", "-o", "json"]);
    assert_eq!(code, Some(3), "{out}{err}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["kind"], "PartialList");
    assert_eq!(json["needed"], json!(["list nodes", "list pods in all namespaces"]));
    assert_eq!(json["items"][0]["parts"][0]["nodes"], 3);
    let (code, _, err) = run(&server, &["explain", "other"]);
    assert_eq!(code, Some(2), "{err}");
}

#[test]
fn who_may_read_no_pods_gets_the_error_of_the_server() {
    let server = server(|_| false);
    for arguments in [&["explain", "web-1"][..], &["explain"], &["pending"]] {
        let (code, out, err) = run(&server, arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert_has(&err, "User \"jane\" cannot list resource");
    }
}

#[test]
fn user_who_may_read_everything_but_nodes_gets_no_decision() {
    let server = server(|path| !path.ends_with("/nodes"));
    let (code, out, err) = run(&server, &["explain", "web-1"]);
    assert_eq!(code, Some(3), "{out}{err}");
    assert_has(&out, "An administrator would have to grant: list nodes");
    assert_lacks(&out, "list pods in all namespaces");
}

#[test]
fn commands_about_more_than_messages_say_what_is_known_without_nodes() {
    let server = server(|path| !path.ends_with("/nodes"));
    for (arguments, expected) in [
        (&["headroom", "web-1"][..], "kube-scheduler has rejected it (Unschedulable)"),
        (&["headroom", "cpu=1"], "Nothing can be said without the nodes and their pods."),
        (&["simulate", "web-1"], "kube-scheduler has rejected it (Unschedulable)"),
        (&["simulate", "--drain", "n1"], "Nothing can be said without the nodes and their pods."),
        (&["risk"], "No pods that may be read run."),
        (&["node", "n1"], "No pods that may be read are on it."),
    ] {
        let (code, out, err) = run(&server, arguments);
        assert_eq!(code, Some(3), "{arguments:?}: {out}{err}");
        assert_has(&out, expected);
        assert_has(&out, "An administrator would have to grant: list nodes");
    }
    // Checks that read no nodes are made.
    let (code, out, err) = run(&server, &["audit"]);
    assert_eq!(code, Some(3), "{out}{err}");
    assert_has(&out, "Nodes could not be read");
    assert_has(&out, "AUD-308");
    let (code, _, err) = run(&server, &["risk", "-o", "html"]);
    assert_eq!(code, Some(2), "{err}");
    assert_has(&err, "there is none without the nodes");
}

#[test]
fn why_evicted_needs_no_nodes() {
    let server = Server::start(|request| match request.path.as_str() {
        "/api/v1/namespaces/shop/events" => {
            Some(list(json!([{"metadata": {"name": "e", "namespace": "shop"},
            "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "low", "uid": "u-low"},
            "reason": "Preempted", "message": "Preempted by pod u-vip on node n1",
            "source": {"component": "default-scheduler"}, "lastTimestamp": "2026-06-01T11:00:00Z"}])))
        }
        "/api/v1/namespaces/shop/pods" => Some(list(json!([]))),
        "/version" => None,
        _ => Some(Answer::status(403, "Forbidden", "no")),
    });
    let (code, out, err) = run(&server, &["why-evicted", "low"]);
    assert_has(&out, "n1");
    assert!(matches!(code, Some(0 | 3)), "{out}{err}");
}
