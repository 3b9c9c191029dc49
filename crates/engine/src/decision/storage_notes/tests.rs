use serde_json::{Value, json};

use crate::cluster::build::Builder;
use crate::decode::decode;
use crate::testing::{at, attachment, claim, class, csi_driver, csi_node, node, objects, pod, storage_left, volume};

/// Notes of what 1.37 decides about `p`, from a snapshot that says what was read.
fn notes(objects: Vec<Value>, header: &Value) -> Vec<String> {
    notes_at("1.37", objects, header)
}

/// The same of another version.
fn notes_at(version: &str, objects: Vec<Value>, header: &Value) -> Vec<String> {
    let mut builder = Builder::new();
    let mut list = json!({"apiVersion": "preempt/v1alpha1", "kind": "Snapshot", "snapshot": header});
    list["items"] = objects.into();
    decode(&list.to_string(), "test", &mut builder).expect("a readable snapshot");
    at(version).decide_in(&builder.finish(), "p").notes()
}

/// Whether one of the notes begins and ends like that.
fn says(notes: &[String], begin: &str, end: &str) -> bool {
    notes.iter().any(|n| n.starts_with(begin) && n.ends_with(end))
}

#[test]
fn storage_that_could_not_be_read_matters_to_pods_with_volumes() {
    let header = || json!({"unreadable": [{"resource": "persistentvolumeclaims", "reason": "forbidden"}]});
    let with = notes(objects![node("n"), pod("p").claim("c")], &header());
    let end = "could not be read: forbidden; VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone cannot be \
               relied on";
    assert!(says(&with, "error persistentvolumeclaims: ", end), "{with:?}");
    let without = notes(objects![node("n"), pod("p")], &header());
    let want = "info persistentvolumeclaims: could not be read: forbidden; the pod has no volumes that would need them";
    assert_eq!(without, [want]);
}

#[test]
fn kinds_that_are_missing_altogether_are_named() {
    let none = "if the cluster has some, ";
    let bound = || objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")];
    for (row, objects, header, kind, severity) in [
        ("claims", objects![node("n"), pod("p").claim("c")], json!({}), "persistentvolumeclaims", "error"),
        ("volumes", bound(), json!({}), "persistentvolumes", "error"),
        ("classes", objects![node("n"), claim("c", "fast"), pod("p").claim("c")], json!({}), "storageclasses", "error"),
        ("what drivers say", bound(), json!({}), "csinodes", "warning"),
        (
            "what is attached, where nodes have limits",
            [bound(), objects![csi_node("n", &[("d", 1)])]].concat(),
            json!({}),
            "volumeattachments",
            "warning",
        ),
    ] {
        let notes = notes(objects, &header);
        let found = notes.iter().any(|n| n.starts_with(&format!("{severity} {kind}: ")) && n.contains(none));
        assert!(found, "{row}: {notes:?}");
    }
    let read = json!({"resourceVersions": {"persistentvolumeclaims": "1", "csinodes": "1", "volumeattachments": "1"}});
    let empty = notes(objects![node("n"), pod("p").claim("c")], &read);
    assert!(!empty.iter().any(|n| n.contains(none)), "they were read, and there are none: {empty:?}");
    let plain = notes(objects![node("n"), pod("p")], &json!({}));
    assert!(!plain.iter().any(|n| n.contains(none)), "a pod without volumes: {plain:?}");
}

#[test]
fn kinds_that_no_rule_reads_yet_are_not_missed() {
    let named = |version: &str, kind: &str| {
        let objects = objects![node("n"), claim("c", "").bound("pv"), pod("p").claim("c")];
        // Limits are what attachments matter to.
        let limits = if kind == "csinodes" { Vec::new() } else { objects![csi_node("n", &[("d", 1)])] };
        notes_at(version, [objects, limits].concat(), &json!({})).iter().any(|n| n.contains(kind))
    };
    assert_eq!((named("1.15", "csinodes"), named("1.16", "csinodes")), (false, true));
    assert_eq!((named("1.31", "volumeattachments"), named("1.32", "volumeattachments")), (false, true));
}

#[test]
fn orders_that_the_api_does_not_show_are_named() {
    let equal = "left to an order that the API does not show";
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
    let sizes = ask(objects![volume("x", "fast"), volume("y", "fast").size("2Gi")]);
    assert!(!sizes.iter().any(|n| n.ends_with(equal)), "{sizes:?}");
    let pools = |other: &str| {
        let left = |name: &str, size: &str| storage_left(name, "fast", size, ("disk", "ssd"));
        let fast = |name: &str| node(name).label("disk", "ssd");
        ask(objects![fast("n"), fast("m"), csi_driver("d"), left("a", "10Gi"), left("b", other)])
    };
    assert!(says(&pools("20Gi"), "info Pod default/p: several CSIStorageCapacities of class fast", equal));
    assert!(!pools("10Gi").iter().any(|n| n.ends_with(equal)), "pools of the same size");
}

#[test]
fn storage_that_makes_the_scheduler_itself_crash_is_named() {
    let ask = |pool: Value| {
        let drivers = objects![csi_driver("d"), csi_node("n", &[])];
        let nodes = objects![node("n").label("disk", "ssd"), node("m").label("disk", "ssd")];
        let wanted = objects![class("fast", "d"), claim("c", "fast"), pod("p").claim("c"), pool];
        notes([nodes, drivers, wanted].concat(), &json!({}))
    };
    let left = || storage_left("left", "fast", "10Gi", ("disk", "ssd"));
    let said = |notes: Vec<String>| says(&notes, "warning Pod default/p: a CSIStorageCapacity of class fast", "by it");
    assert!(said(ask(left().with("/maximumVolumeSize", "5Gi").with("/capacity", Value::Null).into())));
    assert!(!said(ask(left().with("/maximumVolumeSize", "5Gi").into())));
}
