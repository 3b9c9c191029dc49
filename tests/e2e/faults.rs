//! Reading while things go wrong between the program and the API server.

use std::process::Stdio;
use std::time::Duration;

use engine::snapshot::Kind;
use serde_json::json;

use crate::answers::{failure, overloaded};
use crate::objects::{
    NAMESPACE, budget, claim, node, node_in, pod, replicas, storage_class, volume_on,
};
use crate::plane::Plane;
use crate::proxy::{Fault, Proxy};
use crate::stage::Stage;
use crate::tool::{Run, command, run};

const PODS: &str = "/api/v1/pods?";

/// A pod that waits and whom nothing helps, and the proxy.
fn waiting(plane: &Plane) -> Proxy {
    let stage = Stage::new(plane);
    stage.build(&[node("n1", "1")]);
    stage.create(&pod("p").cpu("2"));
    Proxy::start(plane)
}

fn explain(plane: &Plane, proxy: &Proxy, user: &str, more: &[&str]) -> Run {
    let arguments = [&["explain", "p", "-n", NAMESPACE, "-o", "json"], more].concat();
    let run = run(&proxy.kubeconfig(plane, user), &arguments);
    proxy.used_up();
    for seen in proxy.seen() {
        assert!(seen.method == "GET" && seen.body.is_null(), "{seen:?}");
    }
    run
}

#[track_caller]
fn answered(run: &Run) {
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(run.json()["outcome"], "Unschedulable");
}

/// It ended without an answer, and said why in a line.
#[track_caller]
fn failed(run: &Run, why: &str) {
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
    assert!(
        run.err.starts_with("error: ") && run.err.contains(why) && run.err.lines().count() <= 2,
        "{run:?}"
    );
}

/// A server that says when to come back is asked again.
pub fn patience(plane: &Plane) {
    let proxy = waiting(plane);
    let wait =
        |code| Fault::Answer { code, headers: &[("Retry-After", "1")], body: json!("later") };
    proxy.fault("GET", PODS, overloaded()).fault("GET", PODS, wait(503)).fault(
        "GET",
        "/version",
        wait(500),
    );
    answered(&explain(plane, &proxy, "reader", &[]));
    assert_eq!(proxy.count("GET", PODS), 3);
}

/// Without pods there is no answer.
pub fn no_pods(plane: &Plane) {
    let proxy = waiting(plane);
    for (fault, why) in [
        (failure(500, "InternalError", "etcd is on fire"), "etcd is on fire"),
        (failure(504, "Timeout", "request did not complete within 60s"), "did not complete"),
        (failure(401, "Unauthorized", "Unauthorized"), "nauthorized"),
    ] {
        proxy.fault("GET", PODS, fault);
        failed(&explain(plane, &proxy, "reader", &[]), why);
    }
    for fault in [Fault::CutBefore, Fault::CutAfter] {
        proxy.fault("GET", PODS, fault);
        failed(&explain(plane, &proxy, "reader", &[]), "connection");
    }
    proxy.fault("GET", PODS, Fault::Late(Duration::from_secs(3)));
    failed(&explain(plane, &proxy, "reader", &["--request-timeout=500ms"]), "500ms");
}

/// Who may read the pods of one namespace only is told what was written about them.
pub fn pods_of_one_namespace(plane: &Plane) {
    let proxy = waiting(plane);
    proxy.fault("GET", PODS, failure(403, "Forbidden", "pods is forbidden"));
    let run = explain(plane, &proxy, "reader", &[]);
    assert_eq!((run.code, run.err.as_str()), (Some(3), ""), "{run:?}");
    let list = run.json();
    assert_eq!(list["needed"], json!(["list pods in all namespaces"]), "{list:#}");
    assert_eq!(list["items"][0]["parts"][0]["text"], "Insufficient cpu", "{list:#}");
}

/// A user without permissions gets the server's own error.
pub fn nobody(plane: &Plane) {
    let proxy = waiting(plane);
    let run = explain(plane, &proxy, "nobody", &[]);
    failed(&run, "User \"nobody\" cannot list resource");
}

/// An answer without budgets says that it knows none.
pub fn no_budgets(plane: &Plane) {
    let stage = Stage::new(plane);
    stage.build(&[node("n1", "1"), pod("a").cpu("1").class("low").on("n1")]);
    plane.scheduler.pause();
    stage.create(&pod("p").cpu("1").class("high"));
    let proxy = Proxy::start(plane);
    proxy.fault("GET", "/poddisruptionbudgets", failure(403, "Forbidden", "budgets are forbidden"));
    let run = explain(plane, &proxy, "reader", &[]);
    plane.scheduler.go_on();
    let note = json!({"code": "PRE-925", "severity": "error", "objects": ["poddisruptionbudgets"], "text": "could not be \
        read: budgets are forbidden; budgets may protect these victims, or make another node win", "count": 1});
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.json()["notes"].as_array().expect("notes").contains(&note), "{run:?}");
}

/// A server without protobuf is read as JSON, and the objects are the same.
pub fn both_formats(plane: &Plane) {
    let stage = Stage::new(plane);
    stage.build(&[
        node_in("a", "n1", "4").taint("key"),
        node("n2", "4").offers("example.com/gpu", "2"),
    ]);
    stage.build(&[storage_class("slow", "WaitForFirstConsumer"), claim("data", "slow")]);
    let web = pod("web")
        .label("app", "web")
        .cpu("100m")
        .class("low")
        .port(80)
        .claim("data")
        .spread("web", "zone");
    stage.build(&[replicas("web", 2, &web), budget("web", "web", 1, 0)]);
    stage.build(&volume_on("n2", "disk", "slow"));
    stage.build(&[pod("old")
        .near("podAntiAffinity", "web", "zone")
        .asks("example.com/gpu", "1")
        .since(5)
        .on("n2")]);
    plane.scheduler.pause();
    let [protobuf, json] = [false, true].map(|refuse| {
        let proxy = Proxy::start(plane);
        for kind in Kind::ALL.into_iter().filter(|kind| refuse && kind.has_protobuf()) {
            proxy.fault(
                "GET",
                &format!("/{}?limit=", kind.plural()),
                failure(406, "NotAcceptable", "only JSON"),
            );
        }
        let run = run(&proxy.kubeconfig(plane, "reader"), &["snapshot", "-o", "-", "-q"]);
        proxy.used_up();
        assert_eq!(run.code, Some(0), "{run:?}");
        run.json()["items"].clone()
    });
    plane.scheduler.go_on();
    let items = protobuf.as_array().expect("objects");
    for kind in [
        "Node",
        "Pod",
        "ReplicaSet",
        "PodDisruptionBudget",
        "PersistentVolume",
        "StorageClass",
        "Namespace",
    ] {
        assert!(items.iter().any(|item| item["kind"] == kind), "no {kind}: {protobuf}");
    }
    for (protobuf, json) in items.iter().zip(json.as_array().expect("objects")) {
        assert_eq!(protobuf, json);
    }
    assert_eq!(protobuf, json);
}

/// The API server goes away and comes back while the program reads.
pub fn restart(plane: &mut Plane) {
    let proxy = waiting(plane);
    // Pods are read alone, after everything else.
    let gate = proxy.gate_before("GET", PODS);
    let mut command =
        command(&proxy.kubeconfig(plane, "reader"), &["explain", "p", "-n", NAMESPACE]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    gate.reached();
    plane.stop_apiserver();
    plane.start_apiserver();
    gate.release();
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1  cpu: needs 2"), "{output:?}");
}
