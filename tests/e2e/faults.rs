//! Reading while things go wrong between the program and the API server.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::answers::{failure, overloaded};
use crate::objects::{NAMESPACE, node, pod};
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
    assert!(run.err.starts_with("error: ") && run.err.contains(why) && run.err.lines().count() <= 2, "{run:?}");
}

/// A server that says when to come back is asked again.
pub fn patience(plane: &Plane) {
    let proxy = waiting(plane);
    let wait = |code| Fault::Answer { code, headers: &[("Retry-After", "1")], body: json!("later") };
    proxy.fault("GET", PODS, overloaded()).fault("GET", PODS, wait(503)).fault("GET", "/version", wait(500));
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
        (failure(403, "Forbidden", "pods is forbidden: User \"reader\" cannot list"), "is forbidden"),
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

/// Who may do nothing is told so by the server itself.
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

/// The API server goes away and comes back while the program reads.
pub fn restart(plane: &mut Plane) {
    let proxy = waiting(plane);
    // Pods are read alone, after everything else.
    let gate = proxy.gate_before("GET", PODS);
    let mut command = command(&proxy.kubeconfig(plane, "reader"), &["explain", "p", "-n", NAMESPACE]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    gate.reached();
    plane.stop_apiserver();
    plane.start_apiserver();
    gate.release();
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1  cpu: requests 2"), "{output:?}");
}
