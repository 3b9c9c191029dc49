//! Workloads without pods on a live cluster: those that are named are asked for by name, and a list
//! of what waits asks for all that lack pods.

use serde_json::{Value, json};
use testing::{assert_has, assert_lacks};

use super::not_preempting::run;
use super::server::{Answer, Request, Server};

const QUOTA: &str = "Error creating: pods \"web-6d-x\" is forbidden: exceeded quota: team, requested: cpu=2, used: cpu=9, \
                     limited: cpu=10";

fn list(items: &Value) -> Answer {
    let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": items});
    Answer::ok(list.to_string())
}

/// An object as a server sends it in a list: without its kind.
fn object(name: &str, more: &Value) -> Value {
    let mut object = json!({"metadata": {"name": name, "namespace": "shop", "uid": format!("u-{name}"),
        "generation": 1}});
    for (key, value) in more.as_object().expect("fields") {
        match (&mut object[key], value) {
            (Value::Object(own), Value::Object(more)) => own.extend(more.clone()),
            (own, value) => *own = value.clone(),
        }
    }
    object
}

/// What the server has: a Deployment whose pods a quota refuses, one with all its pods, a suspended
/// Job and a `JobSet`.
fn answer(request: &Request) -> Option<Answer> {
    let web = object(
        "web",
        &json!({"spec": {"replicas": 1}, "status": {"observedGeneration": 1,
        "conditions": [{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"}]}}),
    );
    let fine = object(
        "fine",
        &json!({"spec": {"replicas": 1}, "status": {"observedGeneration": 1, "replicas": 1}}),
    );
    let owned = json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u-web", "controller": true}]);
    let set =
        object("web-6d", &json!({"metadata": {"ownerReferences": owned}, "spec": {"replicas": 1}}));
    let managed = json!([{"manager": "kubectl-edit", "time": "2026-06-01T11:00:00Z",
        "fieldsV1": {"f:spec": {"f:suspend": {}}}}]);
    let suspended = json!({"metadata": {"managedFields": managed}, "spec": {"suspend": true}});
    let event = json!({"metadata": {"name": "e", "namespace": "shop"}, "involvedObject": {"kind": "ReplicaSet",
        "namespace": "shop", "name": "web-6d", "uid": "u-web-6d"}, "reason": "FailedCreate", "message": QUOTA,
        "source": {"component": "replicaset-controller"}, "lastTimestamp": "2026-06-01T11:00:00Z"});
    let is_named = |name: &str| request.query.contains(&format!("metadata.name%3D{name}"));
    let path = request.path.as_str();
    Some(match path {
        "/apis" => Answer::ok(
            r#"{"kind":"APIGroupList","groups":[{"name":"apps"},{"name":"jobset.x-k8s.io"}]}"#
                .to_owned(),
        ),
        "/apis/apps/v1/deployments" => list(&json!([web, fine])),
        "/apis/apps/v1/namespaces/shop/deployments" if is_named("web") => list(&json!([web])),
        "/apis/apps/v1/replicasets" => list(&json!([set])),
        "/apis/batch/v1/jobs" => list(&json!([object("train", &suspended)])),
        "/apis/batch/v1/namespaces/shop/jobs" if is_named("train") => {
            list(&json!([object("train", &suspended)]))
        }
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/shop/jobsets" => {
            list(&json!([object("sim", &suspended)]))
        }
        "/api/v1/events" if request.query.contains("reason%3DFailedCreate") => {
            list(&json!([event]))
        }
        "/api/v1/resourcequotas" => list(&json!([object(
            "team",
            &json!({"spec": {"hard": {"cpu": "10"}},
                "status": {"hard": {"cpu": "12"}, "used": {"cpu": "11"}}})
        )])),
        "/version" => return None,
        _ if path.starts_with("/api") => list(&json!([])),
        _ => return None,
    })
}

#[test]
fn named_workload_is_asked_for_by_name_and_its_quota_is_the_answer() {
    let server = Server::start(answer);
    let (code, out, err) = run(&server, &["explain", "deploy/web", "-n", "shop"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_has(
        &out,
        "Deployment shop/web (0 of 1 pod): ResourceQuota team refuses them: cpu: 11 of 12 used, 2 asked",
    );
    assert_eq!(server.count("/apis/apps/v1/deployments"), 0, "not all of them");
    assert_eq!(server.count("/apis/apps/v1/namespaces/shop/deployments"), 1);

    let (code, out, err) = run(&server, &["explain", "job/train", "-n", "shop"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_has(&out, "it is suspended by kubectl-edit");
    let (code, out, err) = run(&server, &["explain", "jobset/sim", "-n", "shop"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_has(&out, "JobSet shop/sim");
    assert_has(&out, "it is suspended by kubectl-edit");
    let (code, _, err) = run(&server, &["explain", "deploy/gone", "-n", "shop"]);
    assert_eq!(code, Some(2), "{err}");
}

#[test]
fn list_of_what_waits_has_every_workload_that_lacks_pods() {
    let server = Server::start(answer);
    let (_, out, err) = run(&server, &["pending", "-A"]);
    assert_has(&out, "deployment/web");
    assert_has(&out, "ResourceQuota team refuses them");
    assert_has(&out, "job/train");
    assert_lacks(&out, "fine");
    assert_lacks(&err, "could not be read");
    assert_eq!(server.count("/apis/ray.io/v1/rayjobs"), 0, "the server does not have it");
}

#[test]
fn workloads_that_may_not_be_read_are_named() {
    let server = Server::start(|request| match request.path.as_str() {
        path if path.ends_with("/deployments") => {
            Some(Answer::status(403, "Forbidden", "no deployments for jane"))
        }
        _ => answer(request),
    });
    let (_, _, err) = run(&server, &["pending", "-A"]);
    assert_has(&err, "deployments.apps could not be read (no deployments for jane)");
    let (code, _, err) = run(&server, &["explain", "deploy/other", "-n", "shop"]);
    assert_eq!(code, Some(2), "{err}");
    assert_has(&err, "deployments.apps could not be read: no deployments for jane");
}

#[test]
fn quota_that_may_not_be_read_leaves_the_amounts_of_the_message() {
    let server = Server::start(|request| match request.path.as_str() {
        "/api/v1/resourcequotas" | "/api/v1/limitranges" => {
            Some(Answer::status(403, "Forbidden", "no quotas for jane"))
        }
        _ => answer(request),
    });
    let (code, out, err) = run(&server, &["explain", "deploy/web", "-n", "shop"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_has(&out, "ResourceQuota team refuses them: cpu: 9 of 10 used, 2 asked");
    let (_, out, err) = run(&server, &["pending", "-A"]);
    assert_has(&out, "ResourceQuota team refuses them: cpu: 9 of 10 used, 2 asked");
    assert_lacks(&err, "quotas");
}
