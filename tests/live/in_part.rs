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

/// A Deployment of which no pod can be made.
fn deployment() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "shop", "name": "api", "uid": "d", "generation": 1},
        "spec": {"replicas": 2}, "status": {"observedGeneration": 1, "conditions": [
            {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate",
            "message": "pods \"api-1\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"}]}})
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
        let is_here = !path.contains("kube-system");
        Some(match path.rsplit('/').next() {
            Some("pods") if is_here => list(json!([rejected()])),
            Some("deployments") if is_here => list(json!([deployment()])),
            _ => list(json!([])),
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
    let (code, _, err) = run(&server, &["risk", "-o", "prometheus"]);
    assert_eq!(code, Some(2), "{err}");
    assert_has(&err, "there is none without the nodes");
}

/// What the ClusterRole `view` may list, of the kinds that are read.
const VIEWED: [&str; 12] = [
    "/pods",
    "/events",
    "/persistentvolumeclaims",
    "/poddisruptionbudgets",
    "/resourcequotas",
    "/limitranges",
    "/namespaces",
    "/configmaps",
    "/deployments",
    "/replicasets",
    "/statefulsets",
    "/jobs",
];

#[test]
fn no_question_of_a_viewer_ends_as_an_error() {
    let of_one_namespace = server(|path| {
        path.contains("/namespaces/shop/") && VIEWED.iter().any(|kind| path.ends_with(kind))
    });
    let of_all = server(|path| VIEWED.iter().any(|kind| path.ends_with(kind)));
    let questions: [&[&str]; 25] = [
        &["explain", "web-1"],
        &["explain", "pod/web-1", "-o", "wide"],
        &["explain", "web-1", "-o", "json"],
        &["explain", "deploy/api"],
        &["pending"],
        &["pending", "-o", "json"],
        &["pending", "--compare", "1.35,1.37"],
        &["verify"],
        &["suggest", "web-1"],
        &["headroom", "web-1"],
        &["headroom", "cpu=1"],
        &["simulate", "web-1"],
        &["simulate", "--drain", "n1"],
        &["simulate", "--fail", "n1"],
        &["simulate", "--fail-each", "zone"],
        &["simulate", "--nodes-needed"],
        &["risk"],
        &["risk", "web-1"],
        &["risk", "--by", "class"],
        &["node", "n1"],
        &["audit"],
        &["why-evicted", "web-1"],
        &["suggest", "-A"],
        &["explain", "-A"],
        &["explain", "web-1", "--why-not", "n1"],
    ];
    for (user, server) in [("one namespace", &of_one_namespace), ("all", &of_all)] {
        for arguments in questions {
            let (code, out, err) = run(server, arguments);
            assert_eq!(code, Some(3), "{user} {arguments:?}: {out}{err}");
            let said = match arguments[0] {
                "why-evicted" => "no event mentions an eviction",
                "audit" => "Nodes could not be read",
                _ => "list nodes",
            };
            assert!(out.contains(said), "{user} {arguments:?}: {out}");
            assert_lacks(&out, "No problems found.");
        }
    }
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
