//! Changes of the cluster during a run: at a gate before or after a request, so that it is
//! always the same moment.

use std::collections::BTreeSet;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{APPLIED, EVICTION, Expected, Scene, is_leaving, text, uid, web_pods};
use crate::objects::{NAMESPACE, budget, node, pod};
use crate::plane::{Plane, wait_for};
use crate::proxy::Fault;
/// The name of the pod that the request at the gate is about.
fn at_gate(scene: &Scene) -> String {
    let seen = scene.proxy.seen();
    let last = seen.iter().rev().find(|seen| seen.target.contains(EVICTION)).expect("an eviction");
    last.target.split('/').nth_back(1).expect("a name").to_owned()
}

fn path(name: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods/{name}")
}

/// Somebody else deletes a pod, and it is gone at once.
fn delete(scene: &Scene, name: &str) {
    scene.stage.admin.must("DELETE", &path(name), Some(&json!({"gracePeriodSeconds": 0})));
}

/// The API server is killed before the first eviction reaches it, and comes back.
pub fn restart_before(plane: &mut Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate_before("POST", EVICTION);
    let child = scene.start(plane, &["--yes", "--timeout=300s"]);
    gate.reached();
    plane.stop_apiserver();
    gate.release();
    sleep(Duration::from_secs(1));
    plane.start_apiserver();
    scene.expect(&scene.end(plane, child), &APPLIED);
}

/// It is killed when the first eviction is done, before it has answered.
pub fn restart_after(plane: &mut Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate("POST", EVICTION, 0, Fault::LoseAfter);
    let child = scene.start(plane, &["--yes", "--timeout=300s"]);
    gate.reached();
    plane.stop_apiserver();
    gate.release();
    sleep(Duration::from_secs(1));
    plane.start_apiserver();
    scene.expect(&scene.end(plane, child), &APPLIED);
    assert_eq!(scene.proxy.count("POST", EVICTION), 2);
}

/// The API server hangs when the first eviction is done: the time limit holds all the same.
pub fn hangs(plane: &mut Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate_after("POST", EVICTION);
    let child = scene.start(plane, &["--yes", "--timeout=15s"]);
    gate.reached();
    plane.pause_apiserver();
    gate.release();
    let begun = Instant::now();
    let run = scene.wait_for_end(plane, child, || false);
    let lasted = begun.elapsed();
    plane.resume_apiserver();
    assert_eq!((run.code, &run.json()["outcome"]), (Some(4), &json!("Stopped")), "{run:?}");
    assert!(run.err.contains("timed out after 15s"), "{run:?}");
    // What `--timeout` allows, and what the end of a run takes on a busy machine.
    assert!(lasted < Duration::from_secs(40), "{lasted:?}");
    scene.nobody_else_was_touched(plane, &run);
    scene.everything_was_told(plane, &run);
}

/// Somebody interrupts it between the two.
pub fn interrupt(plane: &Plane) {
    let mut scene = Scene::new(plane);
    scene.user = "applier";
    let gate = scene.proxy.gate_after("POST", EVICTION);
    let child = scene.start(plane, &["--yes", "--nominate"]);
    gate.reached();
    let status =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
    gate.release();
    let run = scene.end(plane, child);
    let result = scene.expect(
        &run,
        &Expected { code: 130, outcome: "Interrupted", victims: ["Terminating", "DryRunPassed"] },
    );
    assert_eq!(result["nomination"]["state"], "Cleared", "{run:?}");
    let pod = scene.stage.admin.get(&path("p"));
    assert!(pod["status"]["nominatedNodeName"].is_null(), "{pod:#}");
    assert_eq!(scene.proxy.count("POST", EVICTION), 1);
}

/// The victim is deleted, and there is another of its name.
pub fn replaced(plane: &Plane) {
    let mut scene = Scene::new(plane);
    let gate = scene.proxy.gate_before("POST", EVICTION);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    let name = at_gate(&scene);
    delete(&scene, &name);
    let new = scene.stage.create(&pod(&name).cpu("1").class("low").on("n1"));
    // It is one of those that must not be evicted.
    scene.before.insert(new.clone(), scene.stage.admin.get(&path(&name)));
    gate.release();
    let run = scene.end(plane, child);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(!is_leaving(plane, &new), "{run:?}");
    assert_eq!(scene.proxy.count("POST", EVICTION), 1);
}

/// The second victim goes by itself before its eviction arrives.
pub fn gone_by_itself(plane: &Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate("POST", EVICTION, 1, Fault::HoldBefore);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    delete(&scene, &at_gate(&scene));
    gate.release();
    scene.expect(
        &scene.end(plane, child),
        &Expected { victims: ["Gone", "GoneByItself"], ..APPLIED },
    );
}

/// A budget is made between the dry run and the eviction.
pub fn new_budget(plane: &Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate_before("POST", EVICTION);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    scene.stage.build(&[budget("web", "web", 2, 0)]);
    gate.release();
    let run = scene.end(plane, child);
    let result = scene.expect(
        &run,
        &Expected { code: 2, outcome: "Refused", victims: ["Refused", "DryRunPassed"] },
    );
    assert!(text(&result["victims"][0], "reason").contains("never allows any eviction"), "{run:?}");
    assert_eq!(web_pods(&scene.stage).iter().map(uid).collect::<BTreeSet<_>>(), scene.victims);
}

/// The pod that waits is deleted when one victim is gone: the other stays.
pub fn preemptor_gone(plane: &Plane) {
    let mut scene = Scene::new(plane);
    let gate = scene.proxy.gate_after("POST", EVICTION);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    delete(&scene, "p");
    scene.before.remove(&scene.preemptor);
    gate.release();
    let run = scene.end(plane, child);
    scene.expect(
        &run,
        &Expected { code: 4, outcome: "Stopped", victims: ["Terminating", "DryRunPassed"] },
    );
    assert_eq!(scene.proxy.count("POST", EVICTION), 1);
}

/// Room is made elsewhere when one victim is on its way: the other stays, and the pod goes there.
pub fn room_elsewhere(plane: &Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate_after("POST", EVICTION);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    scene.stage.build(&[node("n3", "4")]);
    gate.release();
    // It does not look for a place for the pod, but at the pod.
    wait_for("the program to wait", || {
        scene.proxy.count("GET", "watch=true&fieldSelector=metadata.name") > 0
    });
    bind(&scene, "n3");
    left_alone(plane, &scene, child);
}

/// The pod gets a node when one victim is on its way: the other stays.
pub fn bound_elsewhere(plane: &Plane) {
    let scene = Scene::new(plane);
    let gate = scene.proxy.gate_after("POST", EVICTION);
    let child = scene.start(plane, &["--yes"]);
    gate.reached();
    scene.stage.build(&[node("n3", "4")]);
    bind(&scene, "n3");
    gate.release();
    left_alone(plane, &scene, child);
}

/// As the scheduler would, which is stopped.
fn bind(scene: &Scene, node: &str) {
    let target = json!({"apiVersion": "v1", "kind": "Node", "name": node});
    let binding =
        json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": target});
    scene.stage.admin.create(&format!("{}/binding", path("p")), &binding);
}

/// The second victim was, and the program says where the pod is.
fn left_alone(plane: &Plane, scene: &Scene, child: Child) {
    let run = scene.end(plane, child);
    let result = run.json();
    assert_eq!((run.code, &result["landing"]["node"]), (Some(0), &json!("n3")), "{run:?}");
    assert_eq!(result["victims"][1]["state"], "DryRunPassed", "{run:?}");
    assert_eq!(scene.proxy.count("POST", EVICTION), 1);
}
