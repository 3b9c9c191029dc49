//! `rules`: what plugins, steps and pasted messages mean.

use serde_json::json;
use testing::assert_ends;

use super::run;

const MESSAGE: &str = "Warning  FailedScheduling  3m (x2 over 9m)  default-scheduler  0/4 nodes are available: 1 node(s) of \
                       another scheduler's plugin, 3 Insufficient cpu. preemption: 0/4 nodes are available: 4 Preemption is \
                       not helpful for scheduling.";

#[test]
fn a_pasted_message_is_explained_part_by_part() {
    let shown = run(&["rules", MESSAGE]);
    let heads: Vec<&str> =
        shown.answer().lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
    assert_eq!(
        heads,
        [
            "1 node: node(s) of another scheduler's plugin",
            "3 nodes: Insufficient cpu",
            "preemption: 4 nodes: Preemption is not helpful for scheduling",
        ]
    );
    assert_eq!(shown.answer().matches("this text is not known here").count(), 1, "{shown:?}");
    for meaning in [
        "  PRE-201: Not enough unrequested CPU",
        "  PRE-301: The node rejects the pod for a reason",
    ] {
        assert!(shown.answer().contains(meaning), "{shown:?}");
    }
}

#[test]
fn a_rule_of_two_parts_is_explained_once() {
    let message =
        "0/2 nodes are available: 1 Insufficient a.example/x, 1 Insufficient b.example/y.";
    let shown = run(&["rules", message]);
    assert_eq!(shown.answer().matches("reported by").count(), 1, "{shown:?}");
    assert_ends(shown.answer(), "1 node: Insufficient b.example/y\n  PRE-207: see above\n");
}

#[test]
fn the_parts_of_a_message_are_in_the_json() {
    let list = run(&["rules", MESSAGE, "-o", "json"]).json();
    assert_eq!(
        list["parts"],
        json!([
            {"text": "node(s) of another scheduler's plugin", "nodes": 1, "preemption": false, "code": null},
            {"text": "Insufficient cpu", "nodes": 3, "preemption": false, "code": "PRE-201"},
            {"text": "Preemption is not helpful for scheduling", "nodes": 4, "preemption": true, "code": "PRE-301"},
        ])
    );
    let codes: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|item| item["code"].clone()).collect();
    assert_eq!(codes, ["PRE-201", "PRE-301"]);
    let named = run(&["rules", "PRE-201", "-o", "json"]).json();
    assert!(
        named.get("parts").is_none() && named["items"].as_array().unwrap().len() == 1,
        "{named}"
    );
}

#[test]
fn text_that_is_no_name_and_no_message_is_an_error() {
    run(&["rules", "TaintTolerration"])
        .fails("error: no plugin, step, code or message is called `TaintTolerration`");
}
