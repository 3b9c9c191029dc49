use serde_json::json;

use super::sample_size;
use crate::testing::{at, decide, features, node, objects, pod};
use profile::PluginArgs;

#[test]
fn the_scheduler_is_content_with_a_tenth_of_the_nodes_but_at_least_a_hundred() {
    for (potential, want) in
        [(0, 0), (1, 1), (100, 100), (101, 100), (1000, 100), (1009, 100), (1010, 101), (5000, 500)]
    {
        assert_eq!(
            sample_size(potential, &PluginArgs::default(), &features("1.20").preemption),
            want,
            "{potential} nodes"
        );
    }
}

#[test]
fn up_to_1_19_every_node_is_tried() {
    assert_eq!(sample_size(5000, &PluginArgs::default(), &features("1.19").preemption), 5000);
}

#[test]
fn only_nodes_that_evictions_may_help_are_tried() {
    let not_helpful = "Preemption is not helpful for scheduling";
    let incoming = || pod("p").cpu("1").priority(10);
    for (row, node, want) in [
        ("too little is free", node("n").cpu("1"), "victims v, violations 0"),
        ("too little is there at all", node("n").cpu("500m"), not_helpful),
        ("cordoned", node("n").cpu("1").cordoned(), not_helpful),
        ("tainted", node("n").cpu("1").taint("k", "", "NoExecute"), not_helpful),
    ] {
        let objects = objects![node, pod("v").cpu("1").on("n"), incoming()];
        assert_eq!(decide(objects, "p").dry_run("n"), want, "{row}");
    }
}

#[test]
fn nodes_that_pre_filter_excluded_are_not_tried() {
    let term =
        json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]});
    let answer = decide(
        objects![
            node("m").cpu("1"),
            node("n").cpu("1"),
            pod("u").cpu("1").on("m"),
            pod("v").cpu("1").on("n"),
            pod("p").cpu("1").priority(10).node_term(term)
        ],
        "p",
    );
    assert_eq!(answer.dry_run("m"), "Preemption is not helpful for scheduling");
    assert_eq!(answer.dry_run("n"), "victims v, violations 0");
}

#[test]
fn a_request_beyond_the_node_was_tried_up_to_1_33() {
    let objects =
        objects![node("n").cpu("1"), pod("v").cpu("1").on("n"), pod("p").cpu("2").priority(10)];
    assert_eq!(at("1.33").decide(objects.clone(), "p").dry_run("n"), "Insufficient cpu");
    assert_eq!(
        at("1.34").decide(objects, "p").dry_run("n"),
        "Preemption is not helpful for scheduling"
    );
}

#[test]
fn a_pod_rejected_as_a_whole_has_no_candidates() {
    let bad = json!({"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}});
    let objects =
        objects![node("n"), pod("v").on("n"), pod("p").priority(10).affinity("podAffinity", bad)];
    assert_eq!(
        at("1.33").decide(objects.clone(), "p").dry_run("n"),
        "Preemption is not helpful for scheduling"
    );
    let answer = at("1.34").decide(objects, "p");
    assert_eq!(answer.preemption, None, "since 1.34 preemption is not even asked");
}
