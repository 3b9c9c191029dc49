use serde_json::{Value, json};

use crate::testing::{
    attachment, claim, class, csi_driver, csi_node, node, notes_of, objects, pod, storage_left,
    volume,
};

/// Notes of what 1.37 decides about `p`, from a snapshot that says what was read.
fn notes(objects: Vec<Value>, header: &Value) -> Vec<String> {
    notes_of("1.37", objects, header)
}

/// Whether one of the notes begins and ends like that.
fn says(notes: &[String], begin: &str, end: &str) -> bool {
    notes.iter().any(|n| n.starts_with(begin) && n.ends_with(end))
}

#[test]
fn orders_that_the_api_does_not_show_are_named() {
    let equal = "depends on an order that the API does not show";
    let drivers = || objects![csi_node("n", &[]), attachment("d", "n", "x")];
    let two = || {
        objects![
            node("n"),
            node("m"),
            class("fast", "d"),
            claim("c", "fast"),
            claim("d", "fast"),
            pod("p").claim("c").claim("d")
        ]
    };
    let one_size = || objects![volume("x", "fast"), volume("y", "fast")];
    let ask = |more: Vec<Value>| notes([two(), drivers(), more].concat(), &json!({}));
    assert!(says(&ask(one_size()), "info Pod default/p: 2 of its claims are of class fast", equal));
    let modes = |modes: &[&str]| volume("y", "fast").with("/spec/accessModes", json!(modes));
    let unlike = "and another claim may fit only one of them";
    let two_modes = ask(objects![volume("x", "fast"), modes(&["ReadWriteOnce", "ReadWriteMany"])]);
    assert!(
        says(&two_modes, "error Pod default/p: 2 of its claims are of class fast", unlike),
        "{two_modes:?}"
    );
    let sizes = ask(objects![volume("x", "fast"), volume("y", "fast").size("2Gi")]);
    assert!(!sizes.iter().any(|n| n.ends_with(equal)), "{sizes:?}");
    let pools = |other: &str| {
        let left = |name: &str, size: &str| storage_left(name, "fast", size, ("disk", "ssd"));
        let fast = |name: &str| node(name).label("disk", "ssd");
        ask(objects![fast("n"), fast("m"), csi_driver("d"), left("a", "10Gi"), left("b", other)])
    };
    assert!(says(
        &pools("20Gi"),
        "warning Pod default/p: several CSIStorageCapacities of class fast",
        equal
    ));
    assert!(!pools("10Gi").iter().any(|n| n.ends_with(equal)), "pools of the same size");
}

/// Notes where these `CSIStorageCapacity` objects cover both nodes.
fn notes_with_pools(pools: Vec<Value>) -> Vec<String> {
    let drivers = objects![csi_driver("d"), csi_node("n", &[])];
    let nodes = objects![node("n").label("disk", "ssd"), node("m").label("disk", "ssd")];
    let wanted = objects![class("fast", "d"), claim("c", "fast"), pod("p").claim("c")];
    notes([nodes, drivers, wanted, pools].concat(), &json!({}))
}

#[test]
fn capacity_one_of_several_without_size_may_crash_the_scheduler() {
    let left = |name: &str| storage_left(name, "fast", "10Gi", ("disk", "ssd"));
    let without_size =
        || left("a").with("/maximumVolumeSize", "5Gi").with("/capacity", Value::Null);
    let said = |notes: &[String]| {
        says(notes, "error Pod default/p: a CSIStorageCapacity of class fast", "it crashes")
    };
    let mixed = notes_with_pools(objects![without_size(), left("b")]);
    assert!(said(&mixed), "{mixed:?}");
    assert!(!said(&notes_with_pools(objects![
        left("a").with("/maximumVolumeSize", "5Gi"),
        left("b")
    ])));
    // What is certain is the outcome, and needs no note.
    assert!(!said(&notes_with_pools(objects![without_size()])));
}
