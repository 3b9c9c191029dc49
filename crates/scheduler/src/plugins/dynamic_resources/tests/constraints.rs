//! Constraints of a claim's devices. Devices of node `n` are `d0`, `d1`, ...; each has the attribute
//! `gpu.example.com/a` with one of the values of a row.

#![expect(clippy::needless_pass_by_value, reason = "tables of JSON, written where they are used")]

use serde_json::{Value, json};

use crate::testing::{Answer, at, node, pod};

const LISTS: &str = "DRAListTypeAttributes=true";
const DERIVED: &str = "DRADerivedAttributes=true";

/// The decision about a pod whose claim has this constraint on this many devices, each request as
/// in `request`.
fn decide(
    version: &str,
    gates: &str,
    values: &[Value],
    constraint: Value,
    request: Value,
) -> Answer {
    let device = |(i, value): (usize, &Value)| json!({"name": format!("d{i}"), "attributes": {"a": value}, "capacity": {"memory": {"value": "40Gi"}}});
    let devices: Vec<Value> = values.iter().enumerate().map(device).collect();
    let mut exactly = request;
    exactly["deviceClassName"] = "gpu".into();
    let objects = vec![
        node("n").into(),
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}),
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
            "driver": "gpu.example.com", "nodeName": "n", "devices": devices,
            "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1}}}),
        json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "default"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}], "constraints": [constraint]}}}),
        pod("p")
            .push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": "c"}))
            .into(),
    ];
    at(version).gates(gates).decide(objects, "p")
}

fn fits(version: &str, gates: &str, values: &[Value], constraint: Value, request: Value) -> bool {
    let verdict = decide(version, gates, values, constraint, request).node("n");
    assert!(verdict == "fits" || verdict.ends_with("cannot allocate all claims"), "{verdict}");
    verdict == "fits"
}

fn matching(name: &str) -> Value {
    json!({"matchAttribute": name})
}

fn distinct(name: &str) -> Value {
    json!({"distinctAttribute": name})
}

const A: &str = "gpu.example.com/a";

#[test]
fn attributes_are_sets_to_constraints_since_1_37_where_the_gate_is_on() {
    let ints = |values: &[i64]| json!({"ints": values});
    let strings = |values: &[&str]| json!({"strings": values});
    let one = |value: i64| json!({"int": value});
    let versions = |values: &[&str]| json!({"versions": values});
    for (row, version, gates, values, constraint, expected) in [
        (
            "an element in common",
            "1.37",
            LISTS,
            vec![ints(&[1, 2]), ints(&[2, 3])],
            matching(A),
            true,
        ),
        ("none in common", "1.37", LISTS, vec![ints(&[1, 2]), ints(&[3])], matching(A), false),
        (
            "in common in pairs",
            "1.37",
            LISTS,
            vec![ints(&[1, 2]), ints(&[2, 3]), ints(&[3, 1])],
            matching(A),
            false,
        ),
        (
            "a list and a single value",
            "1.37",
            LISTS,
            vec![one(2), ints(&[2, 3])],
            matching(A),
            true,
        ),
        ("single values", "1.37", LISTS, vec![one(2), one(2)], matching(A), true),
        ("another type", "1.37", LISTS, vec![ints(&[1]), strings(&["1"])], matching(A), false),
        (
            "versions are no texts",
            "1.37",
            LISTS,
            vec![strings(&["1.0.0"]), versions(&["1.0.0"])],
            matching(A),
            false,
        ),
        ("the gate is off", "1.37", "", vec![ints(&[1]), ints(&[1])], matching(A), false),
        (
            "the gate is for selectors",
            "1.36",
            LISTS,
            vec![ints(&[1]), ints(&[1])],
            matching(A),
            false,
        ),
        ("disjoint", "1.37", LISTS, vec![ints(&[1, 2]), ints(&[3]), one(4)], distinct(A), true),
        (
            "not disjoint",
            "1.37",
            LISTS,
            vec![ints(&[1, 2]), ints(&[3]), one(2)],
            distinct(A),
            false,
        ),
        ("of other types", "1.37", LISTS, vec![ints(&[1]), strings(&["1"])], distinct(A), true),
        ("nothing", "1.37", LISTS, vec![json!({})], distinct(A), false),
        ("nothing, without the gate", "1.37", "", vec![json!({})], distinct(A), true),
        ("nothing to match", "1.37", LISTS, vec![json!({})], matching(A), false),
        ("nothing to match, without the gate", "1.37", "", vec![json!({})], matching(A), true),
    ] {
        assert_eq!(
            fits(version, gates, &values, constraint, json!({"count": values.len()})),
            expected,
            "{row}"
        );
    }
}

#[test]
fn backtracking_restores_shared_attribute_values() {
    let values = [
        json!({"ints": [1, 2]}),
        json!({"ints": [1]}),
        json!({"ints": [2]}),
        json!({"ints": [2, 3]}),
    ];
    assert!(fits("1.37", LISTS, &values, matching(A), json!({"count": 3})));
}

#[test]
fn derived_attributes_take_the_place_of_those_of_devices() {
    let derive = |name: &str, expression: &str| json!({"count": 2, "derivedAttributes": [{"name": name, "expression": expression}]});
    let values = [json!({"int": 4}), json!({"int": 5})];
    let half = r#"device.attributes["gpu.example.com"].a / 2"#;
    for (row, gates, constraint, request, expected) in [
        ("the device's own", DERIVED, matching(A), json!({"count": 2}), false),
        ("one of the same name", DERIVED, matching(A), derive(A, half), true),
        ("that differs", DERIVED, distinct(A), derive(A, half), false),
        ("one of another name", DERIVED, matching("derived/x"), derive("derived/x", half), true),
        (
            "which the request does not have",
            DERIVED,
            matching("derived/x"),
            derive("derived/y", half),
            false,
        ),
        (
            "a text",
            DERIVED,
            matching("derived/x"),
            derive("derived/x", "device.driver + '/'"),
            true,
        ),
        ("a list", DERIVED, matching("derived/x"), derive("derived/x", "[1, 2]"), false),
        (
            "a list, with the gate for lists",
            "DRADerivedAttributes=true,DRAListTypeAttributes=true",
            matching("derived/x"),
            derive("derived/x", "[1, 2]"),
            true,
        ),
    ] {
        assert_eq!(fits("1.37", gates, &values, constraint, request), expected, "{row}");
    }
}

#[test]
fn errors_of_derived_attributes_end_the_cycle() {
    let failed = "evaluate derived attribute derived/x on device gpu.example.com/n/d0 failed: ";
    for (gates, expression, expected) in [
        (DERIVED, r#"device.attributes["gpu.example.com"].b"#, format!("{failed}no such key: b")),
        (DERIVED, "dyn(1.5)", format!("{failed}unsupported CEL return type: float64")),
        (
            DERIVED,
            "1.5",
            "compile derived attribute derived/x failed: must evaluate to a primitive scalar (string, integer, boolean, \
             semver) or a list of these scalars, not double"
                .to_owned(),
        ),
        (
            "",
            "1",
            "claim default/c, request r: cannot handle request with derived attributes, the feature is disabled".to_owned(),
        ),
    ] {
        let request = json!({"derivedAttributes": [{"name": "derived/x", "expression": expression}]});
        let answer = decide("1.37", gates, &[json!({"int": 1})], matching("derived/x"), request);
        assert_eq!(answer.message(), format!("running \"DynamicResources\" filter plugin: {expected}"), "{expression}");
    }
}

#[test]
fn attributes_of_devices_without_capacity_are_not_evaluated() {
    let mut request =
        json!({"derivedAttributes": [{"name": "derived/x", "expression": "dyn(1.5)"}]});
    request["capacity"] = json!({"requests": {"memory": "80Gi"}});
    assert!(!fits("1.37", DERIVED, &[json!({"int": 1})], matching("derived/x"), request));
}

#[test]
fn unknown_derived_attributes_add_a_note() {
    for (expression, severity) in [("dyn([1])[0]", ""), ("[dyn([1])]", "error"), ("(((", "warning")]
    {
        let request =
            json!({"derivedAttributes": [{"name": "derived/x", "expression": expression}]});
        let answer = decide("1.37", DERIVED, &[json!({"int": 1})], matching("derived/x"), request);
        let notes = answer.notes();
        let said: Vec<&String> =
            notes.iter().filter(|note| note.contains("derived attribute `")).collect();
        assert!(said.len() == usize::from(!severity.is_empty()), "{expression}: {said:?}");
        assert!(said.iter().all(|note| note.starts_with(severity)), "{expression}: {said:?}");
    }
}
