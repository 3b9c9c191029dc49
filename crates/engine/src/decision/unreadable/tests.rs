use serde_json::{Value, json};

use crate::cluster::build::Builder;
use crate::decode::decode;
use crate::testing::{Answer, at, node, objects, pod};

/// What is decided about `p` where `resource` could not be read.
fn decide(version: &str, resource: &str, objects: Vec<Value>) -> Answer {
    let mut builder = Builder::new();
    let mut list = json!({"apiVersion": "preempt/v1alpha1", "kind": "Snapshot",
        "snapshot": {"unreadable": [{"resource": resource, "reason": "no"}]}});
    list["items"] = objects.into();
    decode(&list.to_string(), "test", &mut builder).expect("a readable snapshot");
    at(version).decide_in(&builder.finish(), "p")
}

/// The severity of the note about `resource`.
fn weight(version: &str, resource: &str, objects: Vec<Value>) -> String {
    let notes = decide(version, resource, objects).notes();
    let about = |note: &String| {
        let (severity, rest) = note.split_once(' ')?;
        rest.starts_with(&format!("{resource}: could not be read: no")).then(|| severity.to_owned())
    };
    notes.iter().find_map(about).unwrap_or_else(|| panic!("{resource}: {notes:?}"))
}

/// A term of affinity that selects namespaces.
fn term(selector: Value) -> Value {
    let mut term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}});
    term["namespaceSelector"] = selector;
    term
}

#[test]
fn budgets_matter_where_pods_would_be_evicted() {
    let full = || objects![node("n").cpu("1"), pod("low").cpu("1").on("n")];
    for (objects, expected) in [
        ([full(), objects![pod("p").cpu("1").priority(9)]].concat(), "error"),
        ([full(), objects![pod("p").cpu("1")]].concat(), "info"),
        ([full(), objects![pod("p").cpu("9").priority(9)]].concat(), "info"),
        (objects![node("n"), pod("p")], "info"),
    ] {
        assert_eq!(weight("1.37", "poddisruptionbudgets", objects), expected);
    }
}

#[test]
fn namespaces_matter_where_their_labels_are_selected() {
    let labels = || json!({"matchLabels": {"team": "x"}});
    for (version, incoming, other, expected) in [
        ("1.37", pod("p"), pod("q").on("n"), "info"),
        ("1.37", pod("p").affinity("podAffinity", term(labels())), pod("q").on("n"), "error"),
        ("1.37", pod("p"), pod("q").on("n").affinity("podAntiAffinity", term(labels())), "error"),
        ("1.37", pod("p"), pod("q").on("n").affinity("podAntiAffinity", term(json!({}))), "info"),
        ("1.37", pod("p"), pod("q").on("n").away("zone", "app", "a"), "info"),
        ("1.20", pod("p"), pod("q").on("n").affinity("podAntiAffinity", term(labels())), "info"),
    ] {
        let objects = objects![node("n"), incoming.label("app", "a"), other];
        assert_eq!(weight(version, "namespaces", objects), expected, "{version}");
    }
}

#[test]
fn services_and_controllers_matter_to_default_spreading() {
    let two = || objects![node("a"), node("b")];
    for resource in ["services", "replicationcontrollers", "replicasets", "statefulsets"] {
        for (version, objects, expected) in [
            ("1.37", [two(), objects![pod("p")]].concat(), "warning"),
            ("1.37", [two(), objects![pod("p").spread("zone", 1, "app", "a")]].concat(), "info"),
            ("1.37", objects![node("a"), pod("p")], "info"),
            ("1.16", [two(), objects![pod("p")]].concat(), "warning"),
        ] {
            assert_eq!(weight(version, resource, objects), expected, "{version} {resource}");
        }
    }
}

#[test]
fn devices_matter_to_pods_with_claims_and_classes_to_extended_resources() {
    let claiming = || pod("p").with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]));
    for resource in ["deviceclasses", "resourceclaims", "resourceslices", "devicetaintrules"] {
        assert_eq!(weight("1.37", resource, objects![node("n"), pod("p")]), "info", "{resource}");
        assert_eq!(weight("1.37", resource, objects![node("n"), claiming()]), "error", "{resource}");
        let extended =
            objects![node("n").allocatable("example.com/gpu", "1"), pod("p").requests("example.com/gpu", "1")];
        let expected = if resource == "deviceclasses" { "error" } else { "info" };
        assert_eq!(weight("1.37", resource, extended), expected, "{resource}");
    }
    assert_eq!(weight("1.30", "deviceclasses", objects![node("n"), claiming()]), "info");
}

#[test]
fn a_priority_class_matters_where_the_priority_may_be_missing() {
    let named = |priority| pod("p").priority(priority).with("/spec/priorityClassName", "high");
    for (objects, expected) in [
        (objects![node("n"), pod("p")], "info"),
        (objects![node("n"), named(7)], "info"),
        (objects![node("n"), named(0)], "warning"),
    ] {
        assert_eq!(weight("1.37", "priorityclasses", objects), expected);
    }
    assert_eq!(weight("1.37", "limitranges", objects![node("n"), pod("p")]), "info");
    assert_eq!(weight("1.37", "jobs", objects![node("n"), pod("p")]), "warning");
}
