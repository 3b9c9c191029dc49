use serde_json::json;

use super::{RETRIED_ON, retried_on};
use crate::plugins::ALL;
use crate::testing::{BEFORE, at, decide, node, objects, pod};

#[test]
fn every_plugin_has_events_for_a_retry() {
    for plugin in ALL {
        assert!(retried_on(plugin.doc().name).is_some(), "{}", plugin.doc().name);
    }
    let place = |name: &str| RETRIED_ON.iter().position(|(known, _)| *known == name);
    assert!(ALL.iter().map(|plugin| place(plugin.doc().name)).is_sorted(), "in the scheduler's order");
}

#[test]
fn plugins_that_reject_a_pod_name_the_events_for_a_retry() {
    let objects = objects![
        node("a").cpu("1"),
        node("b").cpu("4").taint("k", "v", "NoSchedule"),
        node("c").cpu("4"),
        pod("p")
            .cpu("2")
            .node_term(json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}))
    ];
    let waiting = decide(objects, "p").json["waiting"].clone();
    let plugins: Vec<_> =
        waiting["retriedOn"].as_array().expect("a list").iter().map(|r| r["plugin"].clone()).collect();
    assert_eq!(plugins, ["TaintToleration", "NodeAffinity"], "NodeAffinity narrowed to b");
    assert_eq!(waiting["retriedOn"][1]["when"], "a node is added or its labels change");
    assert_eq!(waiting["keptBy"], json!([]));
    assert_eq!(
        (&waiting["firstBackoffSeconds"], &waiting["longestBackoffSeconds"], &waiting["flushSeconds"]),
        (&json!(1), &json!(10), &json!(300))
    );
    assert!(decide(objects![node("a"), pod("p").gated("g")], "p").json["waiting"].is_null());
}

#[test]
fn what_may_keep_a_pod_that_fits() {
    let waiting = || pod("p").cpu("1").priority(9);
    let fits = || node("n").cpu("4");
    let leaving = pod("v").cpu("1").priority(1).on("n").terminating();
    for (row, objects, want) in [
        (
            "new",
            objects![fits(), waiting()],
            &["no condition says that it was refused: it is new, in the queue, or about to be bound"][..],
        ),
        (
            "its victim goes",
            objects![fits(), leaving.clone(), waiting().nominated("n")],
            &[
                "it is nominated to n, where default/v is still on its way out",
                "no condition says that it was refused: it is new, in the queue, or about to be bound",
            ],
        ),
        (
            "who goes is more important",
            objects![
                fits(),
                leaving.priority(10),
                waiting().nominated("n").condition("SchedulerError", "boom", BEFORE)
            ],
            &["its last attempt ended in an error"],
        ),
        (
            "gates are gone",
            objects![fits(), waiting().condition("SchedulingGated", "Scheduling is blocked", BEFORE)],
            &["its scheduling gates are gone, and the scheduler has not refused it since"],
        ),
        (
            "refused before",
            objects![fits(), waiting().refused("0/1 nodes are available: 1 Insufficient cpu.")],
            &["it was refused before; what has made it fit since has it tried again, if the scheduler takes it for \
               something that may help"],
        ),
    ] {
        let answer = decide(objects, "p");
        assert_eq!((answer.outcome(), &answer.json["waiting"]["keptBy"]), ("Schedulable", &json!(want)), "{row}");
    }
}

#[test]
fn older_schedulers_tried_again_at_other_times() {
    let waiting = |version: &str| {
        let waiting = at(version).decide(objects![node("a").cpu("1"), pod("p").cpu("2")], "p").json["waiting"].clone();
        let number = |field: &str| waiting[field].as_i64().unwrap_or(0);
        (number("longestBackoffSeconds"), number("flushSeconds"), waiting["retriedOn"][0]["plugin"].clone())
    };
    for (version, want) in [
        ("1.13", (60, 0, json!("any plugin"))),
        ("1.14", (60, 60, json!("any plugin"))),
        ("1.15", (10, 60, json!("any plugin"))),
        ("1.22", (10, 60, json!("NodeResourcesFit"))),
        ("1.24", (10, 300, json!("NodeResourcesFit"))),
    ] {
        assert_eq!(waiting(version), want, "{version}");
    }
}
