//! What the other formats show of a decision is in its JSON.

use serde_json::{Value, json};

use crate::{SourceKind, pod_report as json};
use engine::decision;
use engine::framework::cluster_view::ClusterView;
use testing::{At, NOW, at, budget, cluster, node, objects, owner, pod};

/// The pod `p`, as `-o json` explains it.
fn explain(scheduler: At<'_>, objects: Vec<Value>) -> Value {
    let (cluster, profile) = (cluster(objects), scheduler.profile());
    let view = ClusterView::new(&cluster, &profile);
    let pod = cluster.find_pod("default", "p").expect("a pod p");
    let mut decision =
        decision::Explanation::from(decision::decide(&view, pod, NOW.parse().expect("a time")));
    decision.run_other_filters();
    serde_json::to_value(json(&decision.into(), SourceKind::File)).expect("plain JSON")
}

fn expect(json: &Value, facts: &[(&str, Value)]) {
    for (pointer, value) in facts {
        assert_eq!(json.pointer(pointer), Some(value), "{pointer}");
    }
}

#[test]
fn victims_and_spared_pods_have_all_that_the_tables_show() {
    let started = "2025-12-31T23:00:00Z";
    let objects = objects![
        node("n").cpu("2"),
        owner("ReplicaSet", "web-1", Some(("Deployment", "web"))),
        budget("all").selects("app", "web").allowed(0),
        budget("more").selects("app", "web").allowed(2),
        pod("v")
            .cpu("1")
            .on("n")
            .replica_of("web-1")
            .label("app", "web")
            .with("/status/qosClass", "Burstable"),
        pod("s").cpu("1").on("n").priority(5).started(started).of(
            "v1",
            "ReplicationController",
            "old"
        ),
        pod("p").cpu("1").priority(9),
    ];
    let json = explain(at("1.37"), objects);
    expect(
        &json,
        &[
            ("/decidedAt", json!(NOW)),
            ("/preemption/nodes/0/reprieveOrder", json!(["default/v", "default/s"])),
            ("/preemption/nodes/0/victims/0/name", json!("s")),
            ("/preemption/nodes/0/victims/0/startTime", json!(started)),
            ("/preemption/nodes/0/victims/0/owner", json!("ReplicationController/old")),
            ("/preemption/nodes/0/victims/0/blocks/plugin", json!("NodeResourcesFit")),
            ("/preemption/nodes/0/victims/0/blocks/reasonCodes", json!(["PRE-201"])),
            (
                "/preemption/nodes/0/victims/0/blocks/evidence",
                json!([{"resource": "cpu", "requested": "1", "used": "2", "allocatable": "2"}]),
            ),
            ("/preemption/nodes/0/spared/0/name", json!("v")),
            ("/preemption/nodes/0/spared/0/violatesPDB", json!(true)),
            ("/preemption/nodes/0/spared/0/owner", json!("ReplicaSet/web-1")),
            ("/preemption/nodes/0/spared/0/terminating", json!(false)),
        ],
    );
    let objects = objects![
        node("n").cpu("1"),
        owner("ReplicaSet", "web-1", Some(("Deployment", "web"))),
        budget("all").selects("app", "web").allowed(0),
        budget("more").selects("app", "web").allowed(2),
        pod("v")
            .cpu("1")
            .on("n")
            .replica_of("web-1")
            .label("app", "web")
            .with("/status/qosClass", "Burstable"),
        pod("p").cpu("1").priority(9),
    ];
    expect(
        &explain(at("1.37"), objects)["preemption"]["nodes"][0]["victims"][0],
        &[
            ("/owners", json!(["ReplicaSet/web-1", "Deployment/web"])),
            ("/qosClass", json!("Burstable")),
            ("/pdbViolations", json!(["default/all"])),
            (
                "/budgets",
                json!([{"name": "default/all", "allowed": 0}, {"name": "default/more", "allowed": 2}]),
            ),
        ],
    );
}

#[test]
fn nodes_have_the_pods_that_are_counted_though_they_do_not_run_there() {
    let objects = objects![
        node("n").cpu("1"),
        node("other").cpu("1"),
        pod("waits").cpu("1").priority(9).nominated("n"),
        pod("e").cpu("1").on("other").priority(5),
        pod("p").cpu("1").priority(5),
    ];
    let json = explain(at("1.37"), objects);
    expect(
        &json,
        &[
            ("/nodes/0/nominatedPods", json!(["default/waits"])),
            ("/nodes/0/alsoRefusedBy", json!([])),
            ("/preemption/nodes/0/equalPriorityPods", json!(0)),
            ("/preemption/nodes/1/equalPriorityPods", json!(1)),
        ],
    );
    assert_eq!(json["nodes"][1]["nominatedPods"], Value::Null);
    let known = json["scheduler"]["filters"].as_array().expect("a list");
    assert!(known.contains(&json["nodes"][0]["plugin"]), "{known:?}");
    // These versions name all reasons at once.
    let old = explain(at("1.26.0"), objects![node("n").cpu("1"), pod("p").cpu("2")]);
    assert_eq!(old["nodes"][0]["alsoRefusedBy"], Value::Null);
}

#[test]
fn rejection_of_the_whole_pod_has_a_code() {
    let json = explain(at("1.37"), objects![node("n").cpu("1"), pod("p").claim("data")]);
    assert_eq!(json["preFilter"]["reasonCodes"].as_array().map(Vec::len), Some(1));
    assert!(
        json["preFilter"]["reasonCodes"][0].as_str().is_some_and(|code| code.starts_with("PRE-")),
        "{json}"
    );
    let objects = objects![
        node("n").cpu("1"),
        pod("v").cpu("1").on("n").preempted(),
        pod("p").cpu("1").priority(9).nominated("n"),
    ];
    expect(
        &explain(at("1.37"), objects)["preemption"],
        &[
            ("/eligible", json!(false)),
            ("/ineligibleCode", json!("PRE-305")),
            ("/terminating", json!(["default/v"])),
            ("/terminatingUntil", json!([NOW])),
        ],
    );
}

#[test]
fn pod_outside_the_queue_has_its_hold_as_a_value() {
    for (pod, hold) in [
        (pod("p").phase("Failed"), json!({"kind": "Finished", "phase": "Failed"})),
        (pod("p").on("n"), json!({"kind": "Assigned", "nodeName": "n"})),
        (pod("p").scheduler("mine"), json!({"kind": "OtherScheduler"})),
        (pod("p").terminating(), json!({"kind": "Deleting"})),
        (
            pod("p").gated("a.example/b"),
            json!({"kind": "Gated", "schedulingGates": ["a.example/b"]}),
        ),
    ] {
        let json = explain(at("1.37"), objects![node("n"), pod]);
        assert_eq!((&json["outcome"], &json["hold"]), (&json!("NotInQueue"), &hold));
    }
    assert_eq!(explain(at("1.37"), objects![node("n"), pod("p")])["hold"], Value::Null);
}
