//! `kubectl preempt doctor`, against a server that says what a user may do.

use assert_cmd::Command;
use engine::snapshot::Kind;
use serde_json::{Value, json};
use testing::{assert_begins, assert_ends, assert_has};

use crate::json::schema;
use crate::live::Home;
use crate::live::server::{Answer, Request, Server, review};

/// What a run left: exit code, standard output, standard error.
type Run = (Option<i32>, String, String);

fn run(home: &Home, more: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    command
        .env("KUBECONFIG", home.path("config"))
        .env("HOME", home.folder.path())
        .arg("doctor")
        .args(more);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json_of(home: &Home, more: &[&str]) -> (Option<i32>, Value) {
    let (code, out, err) = run(home, &[&["-o", "json"], more].concat());
    let answer = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    schema::check(&answer);
    (code, answer)
}

/// `verb resource.group/subresource` of an access review, and its namespace.
fn asked(request: &Request) -> Option<(String, String)> {
    if !request.path.ends_with("/selfsubjectaccessreviews") {
        return None;
    }
    let body: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(
        (&body["apiVersion"], &body["kind"]),
        (&json!("authorization.k8s.io/v1"), &json!("SelfSubjectAccessReview"))
    );
    let attributes = &body["spec"]["resourceAttributes"];
    let text = |field: &str| attributes[field].as_str().unwrap_or_default().to_owned();
    let mut name = format!("{} {}", text("verb"), text("resource"));
    for (mark, part) in [('.', text("group")), ('/', text("subresource"))] {
        if !part.is_empty() {
            name = format!("{name}{mark}{part}");
        }
    }
    Some((name, text("namespace")))
}

/// A server on which everything is allowed but `denied`.
fn denying(denied: &'static [&'static str]) -> (Server, Home) {
    serving(move |request| {
        let (permission, _) = asked(request)?;
        denied.contains(&permission.as_str()).then(|| review(false, ""))
    })
}

fn serving(handler: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) -> (Server, Home) {
    let server = Server::start(handler);
    let home = Home::new(&server, "token: secret");
    set_mode(&home, 0o600);
    (server, home)
}

fn set_mode(home: &Home, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(home.path("config"), std::fs::Permissions::from_mode(mode)).unwrap();
}

fn answer<'j>(json: &'j Value, permission: &str) -> &'j str {
    let (verb, resource) = permission.split_once(' ').unwrap();
    let found = json["permissions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["verb"] == verb && p["resource"] == resource);
    found.unwrap_or_else(|| panic!("{permission}"))["answer"].as_str().unwrap()
}

fn standings(json: &Value) -> Vec<String> {
    let text =
        |a: &Value| format!("{} {}", a["name"].as_str().unwrap(), a["standing"].as_str().unwrap());
    json["abilities"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn everything_allowed_is_one_good_line() {
    let (server, home) = denying(&[]);
    let (code, text, err) = run(&home, &[]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{text}");
    assert_begins(
        &text,
        "✓ Every command that reads works; simulate --apply may evict pods of all namespaces.\n",
    );
    for part in [
        "context",
        "main",
        "v1.37.1",
        "jane, in system:authenticated",
        "ready, answered in",
        "1.37",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["What is missing", "kubectl apply", "What to do"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    let asked: Vec<_> = server.requests().iter().filter_map(asked).collect();
    assert!(asked.contains(&("create pods/eviction".to_owned(), String::new())), "{asked:?}");
    assert!(asked.contains(&("get configmaps".to_owned(), "kube-system".to_owned())), "{asked:?}");
    let lists = asked
        .iter()
        .filter(|(name, namespace)| name.starts_with("list ") && namespace.is_empty())
        .count();
    // Also those of extensions: the server does not say that it has none.
    assert_eq!(lists, Kind::ALL.len() + engine::snapshot::controllers::KINDS.len());
    assert!(
        !server.requests().iter().any(|r| r.path.contains("rules")),
        "rules reviews are no base for decisions"
    );
    assert!(!server.requests().iter().any(|r| r.has("limit=2000")), "no objects are read");
}

#[test]
fn missing_permissions_come_with_a_role() {
    let denied = &[
        "list poddisruptionbudgets.policy",
        "list namespaces",
        "create pods/eviction",
        "get pods",
        "watch pods",
    ];
    let (_server, home) = denying(denied);
    let (code, text, _) = run(&home, &[]);
    assert_eq!(code, Some(3));
    assert_begins(&text, "! Read commands partly work: you cannot list 2 of 26 types");
    let yaml = text.split("<<'EOF'\n").nth(1).unwrap().split("EOF\n").next().unwrap();
    let role: Value = serde_saphyr::from_str(yaml).unwrap();
    assert_eq!(role["rules"][0]["resources"], json!(["namespaces"]));
    assert_eq!(
        (&role["rules"][1]["resources"], &role["rules"][1]["verbs"]),
        (&json!(["pods"]), &json!(["watch"]))
    );
    assert_eq!(role["rules"][2]["resources"], json!(["poddisruptionbudgets"]));
    assert_has(&text, "\nkubectl create clusterrolebinding kubectl-preempt-reader-missing-");
    assert_has(&text, "violated budgets are not seen");
    let (_, json) = json_of(&home, &["-n", "shop"]);
    let missing = json["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 3, "the additions to apply have a role of their own");
    assert_eq!(missing[1]["partOf"], "kubectl-preempt-applier");
    assert_ends(missing[1]["binding"].as_str().unwrap(), "--user=jane --namespace=shop");
    assert_eq!(json["connection"]["namespace"], "shop");
    assert_eq!(standings(&json)[..3], ["Read Partly", "SchedulerConfig Works", "Evict No"]);
}

#[test]
fn without_nodes_or_pods_nothing_works() {
    let (_server, home) = denying(&["list pods"]);
    let (code, json) = json_of(&home, &[]);
    assert_eq!((code, answer(&json, "list pods")), (Some(1), "Denied"));
    assert_eq!(standings(&json)[0], "Read No");
    assert_eq!(
        json["verdict"],
        "Nothing can be read: nodes and pods of all namespaces must be listed."
    );
}

#[test]
fn in_one_namespace_evicting_is_asked_about_there() {
    let (_server, home) = serving(|request| {
        let (permission, namespace) = asked(request)?;
        (permission == "create pods/eviction" && namespace != "shop").then(|| review(false, ""))
    });
    let (code, json) = json_of(&home, &[]);
    assert_eq!((code, answer(&json, "create pods/eviction")), (Some(0), "Denied"));
    assert_has(&json["hints"].to_string(), "doctor -n NAMESPACE");
    let (code, json) = json_of(&home, &["-n", "shop"]);
    assert_eq!((code, answer(&json, "create pods/eviction")), (Some(0), "Allowed"));
    assert!(json["verdict"].as_str().unwrap().ends_with("may evict pods of namespace shop."));
}

#[test]
fn kind_that_is_not_served_is_not_missing() {
    let (server, home) = serving(|request| match request.path.as_str() {
        path if path.starts_with("/apis/resource.k8s.io/") => Some(Answer::status(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )),
        "/api/v1" => {
            let names = [
                "nodes",
                "pods",
                "pods/eviction",
                "pods/status",
                "namespaces",
                "services",
                "configmaps",
                "persistentvolumes",
                "persistentvolumeclaims",
                "replicationcontrollers",
                "limitranges",
                "resourcequotas",
            ];
            let resources: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
            Some(Answer::ok(json!({"kind": "APIResourceList", "resources": resources}).to_string()))
        }
        _ => None,
    });
    let (code, json) = json_of(&home, &[]);
    assert_eq!((code, answer(&json, "list deviceclasses")), (Some(0), "NotServed"));
    assert_eq!(
        (answer(&json, "list nodes"), answer(&json, "create pods/eviction")),
        ("Allowed", "Allowed")
    );
    assert!(
        !server
            .requests()
            .iter()
            .filter_map(asked)
            .any(|(name, _)| name.contains("resource.k8s.io"))
    );
    let (_, text, _) = run(&home, &[]);
    assert_has(
        &text,
        "Not served by this cluster, and not needed: deviceclasses.resource.k8s.io, ",
    );
}

#[test]
fn a_server_that_says_little_is_unknown_not_denied() {
    let (_server, home) = serving(|request| match request.path.as_str() {
        path if path.ends_with("reviews") => {
            Some(Answer::status(403, "Forbidden", "reviews are forbidden"))
        }
        "/readyz" => Some(Answer::status(403, "Forbidden", "no")),
        path if path == "/api/v1" || path.starts_with("/apis/") => {
            Some(Answer::status(403, "Forbidden", "no"))
        }
        _ => None,
    });
    let (code, json) = json_of(&home, &[]);
    assert_eq!((code, standings(&json)[0].as_str()), (Some(3), "Read Unknown"));
    assert_eq!(
        (&json["server"]["health"], &json["user"]["name"]),
        (&json!("Unknown"), &Value::Null)
    );
    assert_eq!(json["missing"], json!([]));
    let reasons =
        json["permissions"].as_array().unwrap().iter().map(|p| p["reason"].as_str().unwrap());
    assert!(reasons.into_iter().all(|reason| reason == "reviews are forbidden"));
}

#[test]
fn old_server_without_identity_is_examined_otherwise() {
    let (_server, home) =
        serving(|request| match request.path.as_str() {
            "/version" => Some(Answer::ok(r#"{"gitVersion":"v1.11.3"}"#)),
            path if path.ends_with("/selfsubjectreviews") || path == "/readyz" => Some(
                Answer::status(404, "NotFound", "the server could not find the requested resource"),
            ),
            "/healthz" => Some(Answer::ok("ok")),
            _ => None,
        });
    let (code, json) = json_of(&home, &[]);
    assert_eq!((code, &json["server"]["health"]), (Some(0), &json!("Ready")));
    assert_eq!(
        (&json["server"]["rules"], &json["server"]["rulesAreExact"]),
        (&json!("1.12"), &json!(false))
    );
    assert_eq!(json["user"]["unknown"], "servers before 1.26 do not say");
}

#[test]
fn a_sick_server_names_the_checks_that_fail() {
    let (_server, home) = serving(|request| {
        let body = "[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n";
        (request.path == "/readyz").then(|| Answer {
            status: 500,
            headers: Vec::new(),
            body: body.to_owned(),
            stream: None,
        })
    });
    let (code, text, _) = run(&home, &[]);
    assert_eq!(code, Some(0), "permissions are all there");
    assert_begins(&text, "! ");
    assert_has(&text, "not ready: etcd failed: reason withheld");
    assert_has(&text, "kubectl get --raw '/readyz?verbose'");
}

#[test]
fn unreachable_cluster_is_reported_with_its_address() {
    let (_server, home) = serving(|_| Some(Answer::status(401, "Unauthorized", "Unauthorized")));
    let (code, text, err) = run(&home, &[]);
    assert_eq!((code, err.as_str()), (Some(2), ""), "{text}");
    assert_begins(&text, "! Nothing works: You must be logged in to the server (Unauthorized)\n");
    assert!(text.contains("log in again") && text.contains("http://127.0.0.1:"), "{text}");
    let home = Home::empty();
    home.write("config", &crate::live::kubeconfig("http://127.0.0.1:1", "", "token: t"));
    let (code, json) = json_of(&home, &[]);
    assert_eq!((code, &json["server"], &json["permissions"]), (Some(2), &Value::Null, &json!([])));
    assert_has(json["unreachable"].as_str().unwrap(), "127.0.0.1:1 was refused");
}

#[test]
fn forbidding_authorizer_is_distinguished() {
    let (_server, home) = serving(|request| {
        let (permission, _) = asked(request)?;
        let body = json!({"status": {"allowed": false, "denied": true, "reason": "policy"}});
        (permission == "list services").then(|| Answer::created(&body))
    });
    let (code, json) = json_of(&home, &[]);
    assert_eq!(
        (code, answer(&json, "list services"), &json["missing"]),
        (Some(3), "Forbidden", &json!([]))
    );
    assert_has(
        &json["hints"].to_string(),
        "an authorizer forbids list services: no further role helps",
    );
}

#[test]
fn control_characters_from_a_server_do_not_reach_the_terminal() {
    let evil = "\u{1b}]0;x\u{7}\r\n\u{9b}31m\u{202e}";
    let (_server, home) = serving(move |request| match request.path.as_str() {
        "/version" => Some(Answer::ok(json!({"gitVersion": evil}).to_string())),
        "/readyz" => Some(Answer {
            status: 500,
            headers: Vec::new(),
            body: format!("[-]{}", evil.replace('\n', " ")),
            stream: None,
        }),
        path if path.ends_with("/selfsubjectreviews") => Some(Answer::created(
            &json!({"status": {"userInfo": {"username": evil, "groups": [evil]}}}),
        )),
        _ => asked(request).map(|_| review(false, evil)),
    });
    for format in ["text", "wide", "json", "yaml"] {
        let (_, text, err) = run(&home, &["-o", format, "--color", "never"]);
        let hostile = |c: char| c != '\n' && render::page::is_hostile(c);
        assert!(!text.contains(hostile) && !err.contains(hostile), "{format}: {text:?}");
        assert!(text.contains("--user=USER"), "{format}: {text}");
    }
}

#[test]
fn cautions_and_warnings_are_passed_on() {
    let (_server, home) = serving(|request| {
        (request.path == "/readyz")
            .then(|| Answer::ok("ok").with("Warning", r#"299 - "old thing""#))
    });
    set_mode(&home, 0o644);
    let (code, text, err) = run(&home, &[]);
    assert_eq!((code, err.as_str()), (Some(0), "Warning: old thing\n"));
    assert_has(&text, "may be read by other users of this machine: chmod 600 ");
    let (code, _, err) = run(&home, &["--warnings-as-errors"]);
    assert_eq!(code, Some(2));
    assert_has(&err, "error: 1 warning received: old thing");
    let (code, json) = json_of(&home, &["-q"]);
    assert_eq!((code, &json["warnings"]), (Some(0), &json!(["old thing"])));
}

#[test]
fn questions_that_get_no_answer_in_time_are_unknown() {
    let (_server, home) = serving(|request| {
        let (permission, _) = asked(request)?;
        if permission == "list services" {
            std::thread::sleep(std::time::Duration::from_secs(60));
        }
        None
    });
    let (code, json) = json_of(&home, &["--request-timeout", "4s"]);
    assert_eq!((code, answer(&json, "list services")), (Some(3), "Unknown"));
    let late = json["permissions"].to_string();
    assert!(late.contains(
        "did not answer POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews within 4s"
    ));
}

#[test]
fn the_manifest_needs_no_cluster() {
    let home = Home::empty();
    let (code, text, err) = run(&home, &["--rbac"]);
    let file =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/rbac.yaml")).unwrap();
    assert_eq!((code, text, err.as_str()), (Some(0), file, ""));
}
