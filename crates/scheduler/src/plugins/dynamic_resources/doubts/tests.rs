use serde_json::json;

use crate::testing::{at, node, notes_of, objects, pod, without};

#[test]
fn devices_matter_to_pods_with_claims_and_classes_to_extended_resources() {
    let claiming = || {
        pod("p").with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]))
    };
    for resource in ["deviceclasses", "resourceclaims", "resourceslices", "devicetaintrules"] {
        assert_eq!(without("1.37", resource, objects![node("n"), pod("p")]), "info", "{resource}");
        assert_eq!(
            without("1.37", resource, objects![node("n"), claiming()]),
            "error",
            "{resource}"
        );
        let extended = objects![
            node("n").allocatable("example.com/gpu", "1"),
            pod("p").requests("example.com/gpu", "1")
        ];
        let expected = if resource == "deviceclasses" { "error" } else { "info" };
        assert_eq!(without("1.37", resource, extended), expected, "{resource}");
    }
    assert_eq!(without("1.30", "deviceclasses", objects![node("n"), claiming()]), "info");
}

#[test]
fn kinds_that_claims_need_and_that_are_not_in_the_input_are_named() {
    let claiming = || {
        pod("p").with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]))
    };
    let claim =
        || json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "default"}});
    let missed = |objects, header| {
        notes_of("1.37", objects, &header).iter().any(|n| n.contains("not in the input"))
    };
    let listed = || json!({"resourceVersions": {"deviceclasses": "1", "resourceslices": "1", "resourceclaims": "1"}});
    assert!(missed(objects![node("n"), claim(), claiming()], json!({})));
    assert!(
        !missed(objects![node("n"), claim(), claiming()], listed()),
        "they were read, and there are none"
    );
    assert!(!missed(objects![node("n"), pod("p")], json!({})), "a pod without claims");
    assert!(!missed(objects![node("n"), claiming()], json!({})), "a pod that waits for its claim");
}

#[test]
fn ignored_claims_make_the_answer_uncertain_unless_the_gate_is_off() {
    let claiming = || {
        pod("p").with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]))
    };
    for (row, version, gates, severity) in [
        ("a default", "1.33", "", "error"),
        ("said", "1.33", "DynamicResourceAllocation=false", "warning"),
        (
            "said of a version in which it is on by default",
            "1.34",
            "DynamicResourceAllocation=false,DRAPrioritizedList=false,DRASchedulerFilterTimeout=false",
            "warning",
        ),
    ] {
        let answer = at(version).gates(gates).decide(objects![node("n"), claiming()], "p");
        let about = |note: &&String| note.contains("its resource claims count only with");
        let notes: Vec<String> =
            answer.notes().iter().filter(about).map(ToString::to_string).collect();
        assert!(matches!(notes.as_slice(), [one] if one.starts_with(severity)), "{row}: {notes:?}");
    }
}

#[test]
fn selector_that_depends_on_the_order_of_a_map_makes_the_answer_unsure() {
    let notes = |selector: &str| {
        let class = json!({"kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}});
        let slice = json!({"kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
            "driver": "d.example.com", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "x", "attributes": {"a": {"string": "1"}, "b": {"string": "2"}, "c": {"string": "3"}}}]}});
        let exactly =
            json!({"deviceClassName": "gpu", "selectors": [{"cel": {"expression": selector}}]});
        let claim = json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "default"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}}});
        let claiming = pod("p")
            .with("/spec/resourceClaims", json!([{"name": "gpu", "resourceClaimName": "c"}]));
        notes_of("1.37", objects![node("n"), class, slice, claim, claiming], &json!({}))
    };
    let unsure = |selector: &str| {
        notes(selector).iter().any(|n| n.starts_with("error") && n.contains("the order of a map"))
    };
    let own = r#"device.attributes["d.example.com"]"#;
    for (selector, want) in [
        (format!(r#"{own}.map(k, k)[0] == "a""#), true),
        (format!(r#"{own}.map(k, k)[1] == "b""#), true),
        (format!(r#"{own}.exists(k, k == "b")"#), false),
        (format!("{own}.map(k, k).size() == 3"), false),
    ] {
        assert_eq!(unsure(&selector), want, "{selector}: {:?}", notes(&selector));
    }
}
