//! Lists: pages, refusals, order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine::snapshot::Kind;
use kubectl_preempt::capture::live::{self, ReadScope};
use testing::{assert_begins, assert_ends, assert_has};

use crate::live::server::{Answer, Server, list};
use crate::live::{Home, Seen, flags};

const PROTOBUF_OR_JSON: &str = "application/vnd.kubernetes.protobuf,application/json";

#[test]
fn a_cluster_is_read_in_a_fixed_order_pods_last() {
    let server = Server::start(|_| None);
    let mut steps = Vec::new();
    let kinds = [Kind::Pod, Kind::Node, Kind::ReplicaSet];
    let (result, seen) =
        Home::new(&server, "token: secret").capture_kinds("", &kinds, &mut |p| steps.push(p));
    let info = result.unwrap();
    assert_eq!(seen.objects, ["Node/n1", "Pod/p1"]);
    assert_eq!(seen.header.server_version.as_deref(), Some("v1.37.1"));
    assert!(seen.header.captured_at.unwrap().ends_with('Z'));
    let versions: Vec<_> =
        seen.header.resource_versions.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(versions, [("nodes", "10"), ("pods", "20"), ("replicasets", "30")]);
    assert_eq!((info.context.as_deref(), info.namespace.as_str()), (Some("main"), "shop"));
    assert_eq!(
        steps.iter().filter(|s| s.complete).map(|s| s.kind).collect::<Vec<_>>(),
        [Kind::Node, Kind::ReplicaSet, Kind::Pod]
    );
    let requests = server.requests();
    assert_eq!(requests.first().unwrap().path, "/version");
    let last = requests.last().unwrap();
    assert_eq!(last.path, "/api/v1/pods");
    assert!(
        last.has("fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"),
        "{last:?}"
    );
    // The scheduler's static pods are few.
    assert_eq!(requests[1].path, "/api/v1/namespaces/kube-system/pods");
    assert!(requests.iter().skip(2).all(|r| r.has("limit=2000")));
    for (number, request) in requests.iter().enumerate() {
        let accepted = if number < 2 { "application/json" } else { PROTOBUF_OR_JSON };
        assert_eq!(request.header("accept"), [accepted], "{request:?}");
    }
    assert!(
        requests.iter().all(|r| r.header("user-agent")[0].starts_with("kubectl-preempt/0")),
        "{last:?}"
    );
    assert_eq!(seen.issues, []);
}

#[test]
fn pages_are_followed_to_the_end() {
    let server = Server::start(|r| match (r.path.as_str(), r.query.as_str()) {
        ("/api/v1/nodes", "limit=2000") => Some(list("NodeList", &["a", "b"], "10", "t/1")),
        ("/api/v1/nodes", "limit=2000&continue=t%2F1") => {
            Some(list("NodeList", &["c"], "10", "t/2"))
        }
        ("/api/v1/nodes", "limit=2000&continue=t%2F2") => Some(list("NodeList", &["d"], "10", "")),
        _ => None,
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/a", "Node/b", "Node/c", "Node/d", "Pod/p1"]);
    assert_eq!(server.count("/api/v1/nodes"), 3);
}

#[test]
fn pages_are_as_large_as_was_asked_for() {
    let server = Server::start(|_| None);
    let home = Home::new(&server, "token: secret");
    for (size, limit) in [(7, Some("limit=7")), (0, None)] {
        let scope = ReadScope { chunk: size, ..ReadScope::of(&[Kind::Node, Kind::Pod]) };
        live::capture(&home.env(), &flags(""), &scope, &mut Seen::default(), &mut |_| {}).unwrap();
        let requests = server.requests();
        let nodes = requests.iter().rfind(|r| r.path == "/api/v1/nodes").unwrap();
        assert_eq!(nodes.query.split('&').find(|q| q.starts_with("limit=")), limit, "{size}");
    }
}

#[test]
fn an_expired_list_is_read_once_more_without_pages() {
    let server = Server::start(|r| match (r.path.as_str(), r.query.as_str()) {
        ("/api/v1/nodes", "limit=2000") => Some(list("NodeList", &["a", "gone"], "10", "old")),
        ("/api/v1/nodes", "limit=2000&continue=old") => {
            Some(Answer::status(410, "Expired", "too old"))
        }
        ("/api/v1/nodes", "") => Some(list("NodeList", &["a", "b"], "11", "")),
        _ => None,
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/a", "Node/gone", "Node/b", "Pod/p1"]);
    assert_eq!(seen.header.resource_versions["nodes"], "11");
    assert_eq!(seen.issues.len(), 1);
    assert_has(&seen.issues[0].problem, "1 of the objects counted had gone");
}

#[test]
fn a_list_that_expires_again_is_an_error() {
    let server = Server::start(|r| match (r.path.as_str(), r.query.as_str()) {
        ("/api/v1/nodes", "limit=2000") => Some(list("NodeList", &["a"], "10", "old")),
        ("/api/v1/nodes", _) => Some(Answer::status(410, "Expired", "too old")),
        _ => None,
    });
    let error = Home::new(&server, "").error("");
    assert_eq!(error.to_string(), "Error from server (Expired) when listing nodes: too old");
    assert_eq!(server.count("/api/v1/nodes"), 3);
}

#[test]
fn pages_that_never_end_are_noticed() {
    let server = Server::start(|r| {
        (r.path == "/api/v1/nodes").then(|| list("NodeList", &["a"], "10", "same"))
    });
    assert_has(
        &Home::new(&server, "").error("").to_string(),
        "the pages of /api/v1/nodes do not end",
    );
}

#[test]
fn pages_that_come_again_are_noticed() {
    let server = Server::start(|r| {
        let token = if r.has("continue=b") { "a" } else { "b" };
        (r.path == "/api/v1/nodes").then(|| list("NodeList", &["n"], "10", token))
    });
    assert_has(
        &Home::new(&server, "").error("").to_string(),
        "the pages of /api/v1/nodes do not end",
    );
    assert_eq!(server.count("/api/v1/nodes"), 3, "b, a, b: the same token twice");
}

/// A list of pods of which none has a field.
fn empty_pods(count: usize, token: &str) -> Answer {
    let items = vec!["{}"; count].join(",");
    Answer::ok(format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"continue":"{token}"}},"items":[{items}]}}"#
    ))
}

#[test]
fn page_of_more_objects_than_its_bytes_pay_for_is_refused_before_they_are_kept() {
    let server = Server::start(|r| (r.path == "/api/v1/pods").then(|| empty_pods(1_000_000, "")));
    let (result, seen) = Home::new(&server, "").capture("");
    let error = result.unwrap_err().to_string();
    assert_has(
        &error,
        "does not answer as a Kubernetes API server: GET /api/v1/pods: it has at least ",
    );
    assert_has(&error, "fewer than 128 bytes for each");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(seen.objects.len() < 50_000, "{}", seen.objects.len());
}

#[test]
fn pages_of_small_objects_that_do_not_end_are_refused() {
    let pages = AtomicUsize::new(0);
    let server = Server::start(move |r| {
        let page = pages.fetch_add(1, Ordering::Relaxed);
        (r.path == "/api/v1/pods").then(|| empty_pods(2000, &page.to_string()))
    });
    assert_has(&Home::new(&server, "").error("").to_string(), "fewer than 128 bytes for each");
    assert!(server.count("/api/v1/pods") < 20);
}

#[test]
fn server_that_ignores_the_page_size_is_read() {
    let names: Vec<String> = (0..30_000).map(|pod| format!("web-7c9d8b6f5d-{pod:028}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = list("PodList", &names, "20", "").body;
    let server =
        Server::start(move |r| (r.path == "/api/v1/pods").then(|| Answer::ok(all.clone())));
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects.len(), 30_001);
}

#[test]
fn empty_pages_that_do_not_end_are_noticed() {
    for (name, server) in
        [("json", list as fn(&str, &[&str], &str, &str) -> Answer), ("protobuf", protobuf_list)]
            .map(|(name, list)| {
                let pages = AtomicUsize::new(0);
                let answer = move || {
                    list("NodeList", &[], "10", &pages.fetch_add(1, Ordering::Relaxed).to_string())
                };
                (name, Server::start(move |r| (r.path == "/api/v1/nodes").then(&answer)))
            })
    {
        let error = Home::new(&server, "").error("").to_string();
        assert!(error.contains("the pages of /api/v1/nodes do not end"), "{name}: {error}");
        assert_eq!(server.count("/api/v1/nodes"), 100, "{name}");
    }
}

#[test]
fn empty_pages_before_others_are_passed_over() {
    let server = Server::start(|r| {
        let page = r
            .query
            .split('&')
            .find_map(|q| q.strip_prefix("continue="))
            .map_or(0, |t| t.parse().unwrap());
        let names: &[&str] = if page < 50 { &[] } else { &["late"] };
        let token = if page < 50 { (page + 1).to_string() } else { String::new() };
        (r.path == "/api/v1/nodes").then(|| list("NodeList", names, "10", &token))
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/late", "Pod/p1"]);
}

#[test]
fn reading_ends_though_every_answer_comes_in_time() {
    let pages = AtomicUsize::new(0);
    let server = Server::start(move |r| {
        let token = pages.fetch_add(1, Ordering::Relaxed).to_string();
        (r.path == "/api/v1/nodes").then(|| list("NodeList", &["n"], "10", &token))
    });
    let home = Home::new(&server, "");
    let scope = ReadScope {
        deadline: Duration::from_millis(300),
        ..ReadScope::of(&[Kind::Node, Kind::Pod])
    };
    let read = live::capture(&home.env(), &flags(""), &scope, &mut Seen::default(), &mut |_| {});
    let error = read.unwrap_err().to_string();
    assert_ends(&error, "did not send everything within 300ms");
}

#[test]
fn a_forbidden_kind_is_noted_and_the_rest_is_read() {
    let message = r#"poddisruptionbudgets.policy is forbidden: User "me" cannot list resource "poddisruptionbudgets""#;
    let server = Server::start(move |r| {
        r.path.contains("poddisruptionbudgets").then(|| Answer::status(403, "Forbidden", message))
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/n1", "Pod/p1"]);
    let unreadable: Vec<_> =
        seen.header.unreadable.iter().map(|u| (u.resource.as_str(), u.reason.as_str())).collect();
    assert_eq!(unreadable, [("poddisruptionbudgets", message)]);
}

#[test]
fn forbidden_nodes_or_pods_end_the_reading() {
    for resource in ["nodes", "pods"] {
        let server = Server::start(move |r| {
            let message =
                format!(r#"{resource} is forbidden: User "me" cannot list resource "{resource}""#);
            r.path.ends_with(resource).then(|| Answer::status(403, "Forbidden", &message))
        });
        let error = Home::new(&server, "").error("");
        assert_begins(
            &error.to_string(),
            &format!("Error from server (Forbidden): {resource} is forbidden"),
        );
        assert_has(error.hint().unwrap(), &format!("the verb list on {resource}"));
    }
}

#[test]
fn older_api_versions_are_tried() {
    let server = Server::start(|r| match r.path.as_str() {
        "/apis/resource.k8s.io/v1beta1/deviceclasses" => {
            Some(list("DeviceClassList", &["gpu"], "5", ""))
        }
        "/apis/scheduling.k8s.io/v1/priorityclasses"
        | "/apis/scheduling.k8s.io/v1beta1/priorityclasses" => Some(Answer::status(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )),
        _ => None,
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/n1", "DeviceClass/gpu", "Pod/p1"]);
    assert_eq!(server.count("/apis/resource.k8s.io/v1beta2/deviceclasses"), 1);
    assert_eq!(seen.header.unreadable.len(), 1);
    assert_eq!(seen.header.unreadable[0].resource, "priorityclasses");
}

#[test]
fn a_cluster_without_device_classes_lacks_nothing() {
    let server = Server::start(|_| None);
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.header.unreadable, []);
}

#[test]
fn groups_of_pods_are_read_where_the_server_has_them() {
    const GROUPS: &str = "/apis/scheduling.k8s.io/v1beta1/podgroups";
    let missing =
        || Answer::status(404, "NotFound", "the server could not find the requested resource");
    let kinds = [Kind::Node, Kind::PodGroup, Kind::Pod];
    for (row, served, forbidden, objects, unreadable) in [
        ("served", true, false, &["Node/n1", "PodGroup/gang", "Pod/p1"][..], 0),
        ("not served", false, false, &["Node/n1", "Pod/p1"], 0),
        ("forbidden", false, true, &["Node/n1", "Pod/p1"], 1),
    ] {
        let server = Server::start(move |r| match r.path.as_str() {
            GROUPS if served => Some(list("PodGroupList", &["gang"], "5", "")),
            path if !path.contains("/podgroups") => None,
            _ if forbidden => Some(Answer::status(403, "Forbidden", "no")),
            _ => Some(missing()),
        });
        let (result, seen) = Home::new(&server, "").capture_kinds("", &kinds, &mut |_| {});
        result.unwrap();
        assert_eq!(seen.objects, objects, "{row}");
        assert_eq!(seen.header.unreadable.len(), unreadable, "{row}");
    }
}

#[test]
fn a_malformed_page_is_one_clear_line() {
    for body in [
        "<html>login</html>",
        r#"{"kind":"NodeList","items":[{"metadata":"#,
        r#"{"kind":"Status"}"#,
        "",
    ] {
        let server = Server::start(move |r| (r.path == "/api/v1/nodes").then(|| Answer::ok(body)));
        let error = Home::new(&server, "").error("");
        let text = error.to_string();
        assert_has(&text, "does not answer as a Kubernetes API server: GET /api/v1/nodes: ");
        assert!(!text.contains('\n') && !text.contains("file") && error.hint().is_some(), "{text}");
    }
}

#[test]
fn field_of_the_wrong_type_is_a_decode_issue() {
    let body = r#"{"kind":"PodList","metadata":{},"items":[{"metadata":{"name":"p","namespace":"a"},"spec":{"priority":"x"}}]}"#;
    let server = Server::start(move |r| (r.path == "/api/v1/pods").then(|| Answer::ok(body)));
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/n1", "Pod/p"]);
    let object = seen.issues[0].object.clone().unwrap();
    let named = (object.kind.as_str(), object.namespace.as_str(), object.name.as_str());
    assert_eq!((named, seen.issues[0].field.as_str()), (("Pod", "a", "p"), "spec.priority"));
}

#[test]
fn a_busy_server_is_asked_again_when_it_says_when() {
    let tries = AtomicUsize::new(0);
    let server = Server::start(move |r| {
        let busy = r.path == "/api/v1/nodes" && tries.fetch_add(1, Ordering::Relaxed) < 2;
        busy.then(|| Answer::status(429, "TooManyRequests", "later").with("Retry-After", "0"))
    });
    assert!(Home::new(&server, "").capture("").0.is_ok());
    assert_eq!(server.count("/api/v1/nodes"), 3);
    let server = Server::start(|r| {
        (r.path == "/api/v1/nodes").then(|| Answer::status(503, "ServiceUnavailable", "no"))
    });
    let error = Home::new(&server, "").error("");
    assert_eq!(error.to_string(), "Error from server (ServiceUnavailable) when listing nodes: no");
    assert_eq!(server.count("/api/v1/nodes"), 1);
}

#[test]
fn warnings_are_collected_once_and_may_be_errors() {
    let server = Server::start(|r| {
        (r.path == "/api/v1/nodes" || r.path == "/version").then(|| match r.path.as_str() {
            "/version" => Answer::ok("{}").with("Warning", r#"299 - "old thing""#),
            _ => list("NodeList", &[], "1", "").with("Warning", r#"299 - "old thing""#),
        })
    });
    let home = Home::new(&server, "");
    assert_eq!(home.capture("").0.unwrap().warnings, ["old thing"]);
    assert_eq!(home.error("--warnings-as-errors").to_string(), "1 warning received: old thing");
}

#[test]
fn many_pages_of_many_kinds_keep_their_order() {
    let server = Server::start(|r| {
        let kind = match r.path.as_str() {
            "/api/v1/nodes" => "Node",
            "/api/v1/namespaces" => "Namespace",
            "/api/v1/pods" => "Pod",
            _ => return None,
        };
        let page: usize = r
            .query
            .split('&')
            .find_map(|q| q.strip_prefix("continue="))
            .map_or(0, |t| t.parse().unwrap());
        let names: Vec<String> = (0..50).map(|i| format!("{page:02}-{i:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Some(list(
            &format!("{kind}List"),
            &names,
            "1",
            &if page < 9 { (page + 1).to_string() } else { String::new() },
        ))
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    let expected: Vec<_> = ["Node", "Namespace", "Pod"]
        .iter()
        .flat_map(|kind| (0..500).map(move |i| format!("{kind}/{:02}-{:02}", i / 50, i % 50)))
        .collect();
    assert_eq!(seen.objects, expected);
}

#[test]
fn missing_permission_matters_only_to_pods_that_need_the_kind() {
    use assert_cmd::Command;
    use serde_json::json;

    let server = Server::start(|r| {
        let pod = |name: &str, priority: i32, node: Option<&str>| {
            json!({"metadata": {"name": name, "namespace": "shop", "uid": name}, "spec": {"priority": priority,
                "nodeName": node, "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}})
        };
        let items = match r.path.as_str() {
            "/api/v1/nodes" => {
                json!([{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}])
            }
            "/api/v1/pods" => {
                json!([pod("low", 0, Some("n1")), pod("same", 0, None), pod("vip", 100, None)])
            }
            path if path.contains("poddisruptionbudgets") => {
                let message = r#"poddisruptionbudgets.policy is forbidden: User "me" cannot list resource "poddisruptionbudgets" in API group "policy" at the cluster scope"#;
                return Some(Answer::status(403, "Forbidden", message));
            }
            _ => return None,
        };
        Some(Answer::ok(
            json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}).to_string(),
        ))
    });
    let home = Home::new(&server, "token: secret");
    for (name, code, consequence) in [
        ("vip", 3, "budgets may protect these victims, or make another node win"),
        ("same", 0, "no rule for this pod reads them"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
        command
            .env("KUBECONFIG", home.path("config"))
            .env("HOME", home.folder.path())
            .args(["explain", name, "-o", "wide"]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(
            text.contains("cannot list resource \"poddisruptionbudgets\"")
                && text.contains(consequence),
            "{text}"
        );
    }
}

/// A field of a message of protobuf. So short texts are the same as bytes and as text.
fn field(number: u8, value: &str) -> String {
    format!(
        "{}{}{value}",
        char::from(number << 3 | 2),
        char::from(u8::try_from(value.len()).unwrap())
    )
}

/// A list of objects with these names, as protobuf.
fn protobuf_list(kind: &str, names: &[&str], version: &str, token: &str) -> Answer {
    let meta = field(1, &(field(2, version) + &field(3, token)));
    let items: String = names.iter().map(|name| field(2, &field(1, &field(1, name)))).collect();
    let head = field(1, &(field(1, "v1") + &field(2, kind)));
    Answer::ok(format!("k8s\0{head}{}", field(2, &(meta + &items))))
        .with("Content-Type", "application/vnd.kubernetes.protobuf")
}

#[test]
fn lists_are_read_from_protobuf_page_by_page() {
    let server = Server::start(|r| match (r.path.as_str(), r.has("continue=t")) {
        ("/api/v1/nodes", false) => Some(protobuf_list("NodeList", &["a", "b"], "10", "t")),
        ("/api/v1/nodes", true) => Some(protobuf_list("NodeList", &["c"], "10", "")),
        _ => None,
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/a", "Node/b", "Node/c", "Pod/p1"]);
    assert_eq!(seen.header.resource_versions["nodes"], "10");
}

#[test]
fn a_server_that_does_not_accept_protobuf_is_asked_for_json() {
    let server = Server::start(|r| {
        let refused = r.header("accept") == [PROTOBUF_OR_JSON];
        refused.then(|| Answer::status(406, "NotAcceptable", "only JSON is accepted"))
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/n1", "Pod/p1"]);
    assert_eq!(server.count("/api/v1/nodes"), 2);
}

#[test]
fn damaged_protobuf_is_an_error_or_a_decode_issue() {
    let server = Server::start(|r| {
        let list = protobuf_list("NodeList", &["a"], "10", "");
        (r.path == "/api/v1/nodes")
            .then(|| Answer { body: list.body.replace("NodeList", "PodsList"), ..list })
    });
    let error = Home::new(&server, "").error("").to_string();
    assert_ends(&error, "GET /api/v1/nodes: the answer is a PodsList, not a NodeList");
    let server = Server::start(|r| {
        let list = protobuf_list("NodeList", &["a", "xx"], "10", "");
        // The name of the second node has the type of a number.
        (r.path == "/api/v1/nodes")
            .then(|| Answer { body: list.body.replace("\n\u{2}xx", "\u{8}\u{2}xx"), ..list })
    });
    let (result, seen) = Home::new(&server, "").capture("");
    result.unwrap();
    assert_eq!(seen.objects, ["Node/a", "Pod/p1"]);
    assert_eq!(
        seen.issues.iter().map(|issue| &*issue.problem).collect::<Vec<_>>(),
        ["its protobuf is damaged"]
    );
}
