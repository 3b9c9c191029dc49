use serde_json::{Value, json};

use crate::testing::{node, objects, pod, without};

/// A term of affinity that selects namespaces.
fn term(selector: Value) -> Value {
    let mut term = json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}});
    term["namespaceSelector"] = selector;
    term
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
        assert_eq!(without(version, "namespaces", objects), expected, "{version}");
    }
}
