use serde_json::json;

use crate::plugins::ALL;
use crate::testing::{BEFORE, at, decide, node, objects, pod};

#[test]
fn every_plugin_has_events_for_a_retry() {
    for plugin in ALL {
        assert!(plugin.doc().retried_on.is_some(), "{}", plugin.doc().name);
    }
}

#[test]
fn plugins_that_reject_a_pod_name_the_events_for_a_retry() {
    let objects = objects![
        node("a").cpu("1"),
        node("b").cpu("4").taint("k", "v", "NoSchedule"),
        node("c").cpu("4"),
        pod("p").cpu("2").node_term(
            json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]})
        )
    ];
    let waiting = decide(objects, "p").waiting.expect("it is in the queue");
    let plugins: Vec<_> = waiting.retried_on.iter().map(|(plugin, _)| *plugin).collect();
    assert_eq!(plugins, ["TaintToleration", "NodeAffinity"], "NodeAffinity narrowed to b");
    assert_eq!(waiting.retried_on[1].1, "a node is added or its labels change");
    assert!(waiting.kept_by.is_empty(), "{waiting:?}");
    assert_eq!((waiting.first_backoff, waiting.longest_backoff, waiting.flush), (1, 10, Some(300)));
    assert_eq!(decide(objects![node("a"), pod("p").gated("g")], "p").waiting, None);
}

#[test]
fn pod_that_fits_and_waits_has_causes() {
    let waiting = || pod("p").cpu("1").priority(9);
    let fits = || node("n").cpu("4");
    let leaving = pod("v").cpu("1").priority(1).on("n").terminating();
    for (row, objects, want) in [
        (
            "new",
            objects![fits(), waiting()],
            &[
                "no condition says that it was rejected: it is new, in the queue, or about to be bound",
            ][..],
        ),
        (
            "its victim goes",
            objects![fits(), leaving.clone(), waiting().nominated("n")],
            &[
                "it is nominated to n, where default/v is still terminating",
                "no condition says that it was rejected: it is new, in the queue, or about to be bound",
            ],
        ),
        (
            "who goes is more important",
            objects![
                fits(),
                leaving.priority(10),
                waiting().nominated("n").condition("SchedulerError", "boom", BEFORE)
            ],
            &["its last attempt ended with an error"],
        ),
        (
            "gates are gone",
            objects![
                fits(),
                waiting().condition("SchedulingGated", "Scheduling is blocked", BEFORE)
            ],
            &["its scheduling gates are gone, and the scheduler has not rejected it since"],
        ),
        (
            "rejected before",
            objects![fits(), waiting().refused("0/1 nodes are available: 1 Insufficient cpu.")],
            &["it fits now; retried when something relevant changes, at least every 5 minutes"],
        ),
    ] {
        let answer = decide(objects, "p");
        assert_eq!(answer.outcome(), "Schedulable", "{row}");
        assert_eq!(answer.waiting.expect("it is in the queue").kept_by, want, "{row}");
    }
}

#[test]
fn older_schedulers_tried_again_at_other_times() {
    let waiting = |version: &str| {
        let answer = at(version).decide(objects![node("a").cpu("1"), pod("p").cpu("2")], "p");
        let waiting = answer.waiting.expect("it is in the queue");
        (waiting.longest_backoff, waiting.flush, waiting.retried_on[0].0)
    };
    for (version, want) in [
        ("1.13", (60, None, "any plugin")),
        ("1.14", (60, Some(60), "any plugin")),
        ("1.15", (10, Some(60), "any plugin")),
        ("1.22", (10, Some(60), "NodeResourcesFit")),
        ("1.24", (10, Some(300), "NodeResourcesFit")),
    ] {
        assert_eq!(waiting(version), want, "{version}");
    }
}
