use serde_json::{Value, json};

use crate::testing::{At, at, node, objects, pod};

/// The plugins behind the first, by node.
fn also(scheduler: At<'_>, objects: Vec<Value>, name: &str) -> Vec<String> {
    scheduler.explain(objects, "p").also_refused(name)
}

#[test]
fn further_rejecting_filters_are_named() {
    let taint = |name: &str| node(name).taint("a", "b", "NoSchedule");
    let objects = || {
        objects![
            node("fits").cpu("4"),
            taint("tainted").cpu("4"),
            taint("both").cpu("1"),
            taint("reserved").cpu("4"),
            pod("n").cpu("3").priority(9).nominated("reserved"),
            pod("p").cpu("2"),
        ]
    };
    let small = ["NodeResourcesFit Insufficient cpu"];
    for (name, want) in
        [("fits", &[][..]), ("tainted", &[]), ("both", &small), ("reserved", &small)]
    {
        assert_eq!(also(at("1.37"), objects(), name), want, "{name}");
    }
    // All filters run, and their reasons are one rejection.
    assert_eq!(also(at("1.26.0"), objects(), "both"), [""; 0]);
}

#[test]
fn nodes_that_pre_filter_left_out_are_filtered() {
    let named = pod("p").cpu("2").with(
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
        json!({
            "nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]
        }),
    );
    let objects = || objects![node("a").cpu("1"), node("b").cpu("1"), named.clone()];
    let both = [
        "NodeAffinity node(s) didn't match Pod's node affinity/selector",
        "NodeResourcesFit Insufficient cpu",
    ];
    assert_eq!(also(at("1.37"), objects(), "b"), both);
    assert_eq!(also(at("1.37"), objects(), "a"), [""; 0]);
    let missing = objects![node("a").cpu("1"), pod("p").cpu("2").claim("data")];
    let not_found = |plugin: &str, context: &str| {
        format!("{plugin} {context}persistentvolumeclaim \"data\" not found")
    };
    let want = [
        "NodeResourcesFit Insufficient cpu".to_owned(),
        not_found("NodeVolumeLimits", "looking up PVC default/data: "),
        not_found("VolumeBinding", ""),
        not_found("VolumeZone", ""),
    ];
    assert_eq!(also(at("1.37"), missing, "a"), want);
}

#[test]
fn further_filters_are_omitted_after_an_error() {
    let selector =
        json!({"matchExpressions": [{"key": "app", "operator": "Like", "values": ["x"]}]});
    let broken = pod("p")
        .cpu("2")
        .constraint(json!({"topologyKey": "zone", "maxSkew": 1, "labelSelector": selector}));
    assert_eq!(also(at("1.37"), objects![node("a").cpu("1"), broken], "a"), [""; 0]);
}
