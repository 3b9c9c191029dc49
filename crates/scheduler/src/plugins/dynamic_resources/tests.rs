#![expect(clippy::needless_pass_by_value, reason = "tables of JSON, written where they are used")]

//! Rows name the behaviour; the node under test is `n`, the pod `p`, its claim `c`.

use serde_json::{Value, json};

use crate::testing::{Answer, Pod, at, node, pod};
use model::cluster::devices::CLASS_RESOURCE_PREFIX;
use profile::Profile;

mod constraints;

const NOT_ALL: &str = "UU DynamicResources: cannot allocate all claims";
const NOT_HERE: &str = "UU DynamicResources: resourceclaim not available on the node";

fn resource(kind: &str, name: &str, spec: Value) -> Value {
    let mut object =
        json!({"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}});
    object["spec"] = spec;
    object
}

/// A class with one selector.
fn class(name: &str, expression: &str) -> Value {
    resource("DeviceClass", name, json!({"selectors": [{"cel": {"expression": expression}}]}))
}

fn gpu_class() -> Value {
    class("gpu", r#"device.driver == "gpu.example.com""#)
}

/// Devices of node `n`, all in one slice of pool `n`.
fn slice(devices: Value) -> Value {
    pool_slice("n", 1, devices)
}

fn pool_slice(name: &str, slice_count: i64, devices: Value) -> Value {
    let mut spec = json!({
        "driver": "gpu.example.com", "nodeName": "n",
        "pool": {"name": "n", "generation": 1, "resourceSliceCount": slice_count},
    });
    spec["devices"] = devices;
    resource("ResourceSlice", name, spec)
}

/// Devices `d0`, `d1`, ... of models.
fn models(models: &[&str]) -> Value {
    let device =
        |(i, model)| json!({"name": format!("d{i}"), "attributes": {"model": {"string": model}}});
    models.iter().enumerate().map(device).collect()
}

/// A claim in namespace `default`.
fn claim(name: &str, requests: Value, constraints: Value) -> Value {
    let mut claim = resource("ResourceClaim", name, json!({}));
    claim["metadata"]["namespace"] = "default".into();
    claim["spec"]["devices"] = json!({"requests": requests, "constraints": constraints});
    claim
}

fn exactly(exactly: Value) -> Value {
    let mut exactly = exactly;
    exactly["deviceClassName"] = "gpu".into();
    json!([{"name": "r", "exactly": exactly}])
}

fn model(model: &str) -> Value {
    json!([{"cel": {"expression": format!("device.attributes['gpu.example.com'].model == '{model}'")}}])
}

/// A claim that holds devices.
fn holding(name: &str, devices: &[&str]) -> Value {
    let mut claim = claim(name, json!([]), json!([]));
    let result =
        |d: &&str| json!({"request": "r", "driver": "gpu.example.com", "pool": "n", "device": d});
    claim["status"] = json!({"allocation": {"devices": {"results": devices.iter().map(result).collect::<Vec<_>>()}}});
    claim
}

fn claimant() -> Pod {
    pod("p").push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": "c"}))
}

fn decide_at(version: &str, mut objects: Vec<Value>) -> Answer {
    objects.push(node("n").into());
    objects.push(claimant().into());
    at(version).decide(objects, "p")
}

/// The result for the node with a claim, besides other objects.
fn verdict(version: &str, claim: Value, mut others: Vec<Value>) -> String {
    others.push(claim);
    others.push(gpu_class());
    let answer = decide_at(version, others);
    let message = answer.message().to_owned();
    match answer.node("n") {
        gone if gone == "not tried" => message,
        verdict => verdict,
    }
}

#[test]
fn a_pod_waits_for_its_claims() {
    let waits = |text: &str| format!("Pod default/p waits for its resource claims: {text}.");
    let mut deleting = claim("c", json!([]), json!([]));
    deleting["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    let template = json!([{"name": "c", "resourceClaimTemplateName": "t"}]);
    let made = json!([{"name": "c", "resourceClaimName": "c"}]);
    let rows = [
        ("no claim", claimant(), vec![], waits("could not find ResourceClaim \"default/c\"")),
        (
            "a claim on its way out",
            claimant(),
            vec![deleting],
            waits("resourceclaim \"c\" is being deleted"),
        ),
        (
            "none made of the template",
            pod("p").with("/spec/resourceClaims", template.clone()),
            vec![],
            waits("pod \"default/p\": ResourceClaim not created yet"),
        ),
        (
            "one made for somebody else",
            pod("p")
                .with("/spec/resourceClaims", template.clone())
                .with("/status/resourceClaimStatuses", made),
            vec![claim("c", json!([]), json!([]))],
            waits("ResourceClaim default/c was not created for Pod default/p (Pod is not owner)"),
        ),
        (
            "none needed",
            pod("p")
                .with("/spec/resourceClaims", template)
                .with("/status/resourceClaimStatuses", json!([{"name": "c"}])),
            vec![],
            String::new(),
        ),
    ];
    for (row, pod, mut objects, why) in rows {
        objects.extend([node("n").into(), pod.into()]);
        assert_eq!(at("1.37").decide(objects.clone(), "p").why(), why, "{row}");
        assert_eq!(at("1.33").decide(objects, "p").why(), "", "{row}, without the gate");
    }
}

#[test]
fn devices_are_found_for_claims() {
    let two = || vec![slice(models(&["a", "b"]))];
    let rows = [
        ("one", claim("c", exactly(json!({})), json!([])), two(), "fits"),
        ("two", claim("c", exactly(json!({"count": 2})), json!([])), two(), "fits"),
        (
            "more than there are",
            claim("c", exactly(json!({"count": 3})), json!([])),
            two(),
            NOT_ALL,
        ),
        (
            "one that is selected",
            claim("c", exactly(json!({"selectors": model("b")})), json!([])),
            two(),
            "fits",
        ),
        (
            "none is selected",
            claim("c", exactly(json!({"selectors": model("c")})), json!([])),
            two(),
            NOT_ALL,
        ),
        (
            "the only one selected is in use",
            claim("c", exactly(json!({"selectors": model("b")})), json!([])),
            [two(), vec![holding("other", &["d1"])]].concat(),
            NOT_ALL,
        ),
        (
            "in use, but only to be looked at",
            claim("c", exactly(json!({"selectors": model("b"), "adminAccess": true})), json!([])),
            [two(), vec![holding("other", &["d1"])]].concat(),
            "fits",
        ),
        ("all", claim("c", exactly(json!({"allocationMode": "All"})), json!([])), two(), "fits"),
        (
            "all, of which one is in use",
            claim("c", exactly(json!({"allocationMode": "All"})), json!([])),
            [two(), vec![holding("other", &["d0"])]].concat(),
            NOT_ALL,
        ),
        (
            "all of none",
            claim("c", exactly(json!({"allocationMode": "All"})), json!([])),
            vec![],
            NOT_ALL,
        ),
        (
            "two alike, where no two are alike",
            claim(
                "c",
                exactly(json!({"count": 2})),
                json!([{"matchAttribute": "gpu.example.com/model"}]),
            ),
            two(),
            NOT_ALL,
        ),
        (
            "two alike, behind one that is not",
            claim(
                "c",
                exactly(json!({"count": 2})),
                json!([{"matchAttribute": "gpu.example.com/model"}]),
            ),
            vec![slice(models(&["a", "b", "b"]))],
            "fits",
        ),
        (
            "two different ones",
            claim(
                "c",
                exactly(json!({"count": 2})),
                json!([{"distinctAttribute": "gpu.example.com/model"}]),
            ),
            vec![slice(models(&["a", "a", "b"]))],
            "fits",
        ),
        (
            "the pool lacks a slice",
            claim("c", exactly(json!({})), json!([])),
            vec![pool_slice("s", 2, models(&["a"]))],
            NOT_ALL,
        ),
        (
            "the pool has a name twice",
            claim("c", exactly(json!({})), json!([])),
            vec![pool_slice("s", 2, models(&["a"])), pool_slice("t", 2, models(&["b"]))],
            "UU DynamicResources: invalid resource pools were encountered",
        ),
        (
            "a flat request of v1beta1",
            claim(
                "c",
                json!([{"name": "r", "deviceClassName": "gpu", "selectors": model("b")}]),
                json!([]),
            ),
            vec![slice(
                json!([{"name": "d", "basic": {"attributes": {"model": {"string": "b"}}}}]),
            )],
            "fits",
        ),
    ];
    for (row, claim, others, expected) in rows {
        assert_eq!(verdict("1.37", claim, others), expected, "{row}");
    }
}

#[test]
fn a_search_tries_again() {
    // The first request could take d0, which the second needs.
    let requests = json!([
        {"name": "any", "exactly": {"deviceClassName": "gpu"}},
        {"name": "a", "exactly": {"deviceClassName": "gpu", "selectors": model("a")}},
    ]);
    assert_eq!(
        verdict("1.37", claim("c", requests, json!([])), vec![slice(models(&["a", "b"]))]),
        "fits"
    );
}

#[test]
fn taints_keep_claims_away_since_1_36_and_rules_since_1_37() {
    let tainted = |effect: &str| {
        slice(
            json!([{"name": "d0", "taints": [{"key": "broken", "value": "yes", "effect": effect}]}]),
        )
    };
    let rule = resource(
        "DeviceTaintRule",
        "rule",
        json!({"deviceSelector": {"pool": "n"}, "taint": {"key": "k", "effect": "NoExecute"}}),
    );
    let without_selector = || {
        resource("DeviceTaintRule", "rule", json!({"taint": {"key": "k", "effect": "NoSchedule"}}))
    };
    let plain = || slice(json!([{"name": "d0"}]));
    let want =
        |tolerations: Value| claim("c", exactly(json!({"tolerations": tolerations})), json!([]));
    let exists = json!([{"key": "broken", "operator": "Exists"}]);
    let rows = [
        ("1.35", want(json!([])), vec![tainted("NoSchedule")], "fits"),
        ("1.36", want(json!([])), vec![tainted("NoSchedule")], NOT_ALL),
        ("1.36", want(json!([])), vec![tainted("None")], "fits"),
        ("1.36", want(exists), vec![tainted("NoExecute")], "fits"),
        (
            "1.36",
            want(json!([{"key": "broken", "value": "no"}])),
            vec![tainted("NoSchedule")],
            NOT_ALL,
        ),
        ("1.36", want(json!([])), vec![plain(), rule.clone()], "fits"),
        ("1.37", want(json!([])), vec![plain(), rule], NOT_ALL),
        ("1.37.0", want(json!([])), vec![plain(), without_selector()], NOT_ALL),
        ("1.37.1", want(json!([])), vec![plain(), without_selector()], "fits"),
    ];
    for (number, (version, claim, others, expected)) in rows.into_iter().enumerate() {
        assert_eq!(verdict(version, claim, others), expected, "row {number}, {version}");
    }
}

#[test]
fn counters_limit_what_fits_together() {
    let counters =
        |amount: &str| json!([{"counterSet": "s", "counters": {"slots": {"value": amount}}}]);
    let devices = json!([
        {"name": "d0", "consumesCounters": counters("2")},
        {"name": "d1", "consumesCounters": counters("2")},
        {"name": "d2", "consumesCounters": counters("1")},
    ]);
    let mut sets = pool_slice("sets", 2, json!([]));
    sets["spec"]["sharedCounters"] = json!([{"name": "s", "counters": {"slots": {"value": "3"}}}]);
    let others = || vec![pool_slice("devices", 2, devices.clone()), sets.clone()];
    let want = |count: i64| claim("c", exactly(json!({"count": count})), json!([]));
    assert_eq!(verdict("1.37", want(2), others()), "fits");
    assert_eq!(verdict("1.37", want(3), others()), NOT_ALL);
    let held = [others(), vec![holding("other", &["d0"])]].concat();
    assert_eq!(verdict("1.37", want(1), held.clone()), "fits");
    assert_eq!(verdict("1.37", want(2), held), NOT_ALL);
}

#[test]
fn devices_that_share_counters_must_be_compatible_where_the_gate_is_on() {
    let device = |name: &str, groups: &[&str]| {
        json!({"name": name, "consumesCounters": [
            {"counterSet": "s", "counters": {"slots": {"value": "1"}}, "compatibilityGroups": groups}]})
    };
    let of = |gates: &str, devices: Vec<Value>, held: &[&str], count: i64| {
        let mut counters = pool_slice("counters", 2, json!([]));
        counters["spec"]["sharedCounters"] =
            json!([{"name": "s", "counters": {"slots": {"value": "9"}}}]);
        let objects = vec![
            pool_slice("devices", 2, Value::from(devices)),
            counters,
            holding("other", held),
            gpu_class(),
            claim("c", exactly(json!({"count": count})), json!([])),
            node("n").into(),
            claimant().into(),
        ];
        at("1.37").gates(gates).decide(objects, "p").node("n")
    };
    let on = "DRADeviceCompatibilityGroups=true";
    let (x, xy, y, none) = (&["x"][..], &["x", "y"][..], &["y"][..], &[][..]);
    let devices = |groups: &[&[&str]]| {
        groups
            .iter()
            .enumerate()
            .map(|(i, groups)| device(&format!("d{i}"), groups))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("", devices(&[x]), &[], 1), NOT_ALL, "slices with groups are passed over");
    for (row, groups, held, count, want) in [
        ("one", vec![x], vec![], 1, "fits"),
        ("a group in common", vec![x, xy], vec![], 2, "fits"),
        ("none in common", vec![x, y], vec![], 2, NOT_ALL),
        ("in pairs, but not all", vec![x, xy, y], vec![], 3, NOT_ALL),
        ("two of three after the first choice failed", vec![x, y, xy], vec![], 2, "fits"),
        ("without groups", vec![none, none], vec![], 2, "fits"),
        ("with and without groups", vec![none, x], vec![], 2, NOT_ALL),
        ("one in use is compatible", vec![x, xy], vec!["d0"], 1, "fits"),
        ("one in use is not", vec![x, y], vec!["d0"], 1, NOT_ALL),
        ("one in use has no groups", vec![none, y], vec!["d0"], 1, NOT_ALL),
        ("those in use have none in common", vec![x, y, xy], vec!["d0", "d1"], 1, NOT_ALL),
    ] {
        assert_eq!(of(on, devices(&groups), &held, count), want, "{row}");
    }
}

#[test]
fn devices_that_skip_node_operations_need_a_node_that_can_where_the_gate_is_on() {
    let of = |gates: &str, node: crate::testing::Node| {
        let mut slice = slice(json!([{"name": "d0"}]));
        slice["spec"]["skipNodeOperations"] = json!(["*"]);
        let claim = claim("c", exactly(json!({})), json!([]));
        at("1.37")
            .gates(gates)
            .decide(vec![slice, gpu_class(), claim, node.into(), claimant().into()], "p")
            .node("n")
    };
    let able = || node("n").declares("DRAOptionalNodeOperations");
    for (row, gates, node, want) in [
        ("not looked at", "", node("n"), "fits"),
        ("the node cannot", "DRAOptionalNodeOperations=true", node("n"), NOT_ALL),
        ("the node can", "DRAOptionalNodeOperations=true", able(), "fits"),
        (
            "rejected by a variant for another gate",
            "DRADeviceCompatibilityGroups=true",
            able(),
            NOT_ALL,
        ),
    ] {
        assert_eq!(of(gates, node), want, "{row}");
    }
}

#[test]
fn shared_device_provides_its_remaining_capacity() {
    let device = json!([{
        "name": "d0", "allowMultipleAllocations": true,
        "capacity": {"memory": {
            "value": "10Gi",
            "requestPolicy": {"default": "1Gi", "validRange": {"min": "1Gi", "step": "2Gi"}},
        }},
    }]);
    let mut other = holding("other", &["d0"]);
    other["status"]["allocation"]["devices"]["results"][0]["shareID"] = "x".into();
    other["status"]["allocation"]["devices"]["results"][0]["consumedCapacity"] =
        json!({"memory": "6Gi"});
    let want = |amount: &str| {
        claim("c", exactly(json!({"capacity": {"requests": {"memory": amount}}})), json!([]))
    };
    let rows = [
        ("all of it", "9Gi", false, "fits"),
        ("more than it has", "11Gi", false, NOT_ALL),
        ("what is left", "3Gi", true, "fits"),
        ("rounded up to more than is left", "4Gi", true, NOT_ALL),
        ("less than the least", "1Mi", true, "fits"),
    ];
    for (row, amount, shared, expected) in rows {
        let others = if shared {
            vec![slice(device.clone()), other.clone()]
        } else {
            vec![slice(device.clone())]
        };
        assert_eq!(verdict("1.37", want(amount), others), expected, "{row}");
    }
}

/// The driver is `gpu.example.com`.
#[test]
fn a_capacity_has_one_name_with_and_without_its_domain_since_1_38() {
    let device = |capacity: Value| {
        slice(json!([{"name": "d0", "allowMultipleAllocations": true, "capacity": capacity}]))
    };
    let want = |requests: Value| {
        claim("c", exactly(json!({"capacity": {"requests": requests}})), json!([]))
    };
    let held = |name: &str| {
        let mut other = holding("other", &["d0"]);
        let result = &mut other["status"]["allocation"]["devices"]["results"][0];
        result["shareID"] = "x".into();
        result["consumedCapacity"] = json!({name: "6Gi"});
        other
    };
    let (short, full) = (
        json!({"memory": {"value": "10Gi"}}),
        json!({"gpu.example.com/memory": {"value": "10Gi"}}),
    );
    let both = json!({"memory": {"value": "1Gi"}, "gpu.example.com/memory": {"value": "10Gi"}});
    let asks = |name: &str| json!({name: "5Gi"});
    let rows = [
        ("its full name", "1.37", short.clone(), asks("gpu.example.com/memory"), None, NOT_ALL),
        ("its full name", "1.38", short.clone(), asks("gpu.example.com/memory"), None, "fits"),
        ("its short name", "1.38", full.clone(), asks("memory"), None, "fits"),
        (
            "a name in another domain",
            "1.38",
            full.clone(),
            asks("nic.example.com/memory"),
            None,
            NOT_ALL,
        ),
        (
            "in use by its other name",
            "1.37",
            short.clone(),
            asks("memory"),
            Some("gpu.example.com/memory"),
            "fits",
        ),
        (
            "in use by its other name",
            "1.38",
            short,
            asks("memory"),
            Some("gpu.example.com/memory"),
            NOT_ALL,
        ),
        (
            "published twice: the full name counts",
            "1.38",
            both.clone(),
            asks("memory"),
            None,
            "fits",
        ),
        ("published twice", "1.37", both, asks("memory"), None, NOT_ALL),
        (
            "asked for twice",
            "1.38",
            full,
            json!({"memory": "50Gi", "gpu.example.com/memory": "1Gi"}),
            None,
            "running \"DynamicResources\" filter plugin: claim default/c, request r: checking capacity for device gpu.example.com/n/d0: capacity \"memory\" requested both as \"memory\" and as \"gpu.example.com/memory\"",
        ),
    ];
    for (row, version, capacity, requests, consumer, expected) in rows {
        let others = [vec![device(capacity)], consumer.map(held).into_iter().collect()].concat();
        assert_eq!(verdict(version, want(requests), others), expected, "{version}: {row}");
    }
}

#[test]
fn capacity_that_cannot_be_counted_is_an_error_since_1_37() {
    let device = |step: &str| {
        let range = json!({"min": "1", "step": step});
        json!([{"name": "d0", "allowMultipleAllocations": true,
            "capacity": {"memory": {"value": "10Gi", "requestPolicy": {"default": "1", "validRange": range}}}}])
    };
    let message = |gates: &str, amount: &str, step: &str| {
        let want =
            claim("c", exactly(json!({"capacity": {"requests": {"memory": amount}}})), json!([]));
        let pod =
            pod("p").with("/spec/resourceClaims", json!([{"name": "c", "resourceClaimName": "c"}]));
        let objects = vec![node("n").into(), gpu_class(), slice(device(step)), want, pod.into()];
        at("1.37").gates(gates).decide(objects, "p").message().to_owned()
    };
    let fractional = "DRAFractionalCapacityRange=true";
    for (gates, amount, step, want) in [
        ("", "18446744073709551616", "2", "request 18446744073709551616 exceeds MaxInt64"),
        (
            "",
            "9223372036854775807",
            "1Gi",
            "rounding request 9223372036854775807 up to the next step passes MaxInt64",
        ),
        (fractional, "1500500u", "500m", "request 1500500u is not a representable milli value"),
        (
            fractional,
            "9223372036854775807m",
            "3",
            "rounding request 9223372036854775807m up to the next step passes the milli-value range",
        ),
    ] {
        let said = message(gates, amount, step);
        let want = format!(
            "capacity \"memory\": capacity request cannot be represented in the device's range arithmetic: {want}"
        );
        assert!(said.ends_with(&want), "{amount} {step}\n  {said}");
    }
}

#[test]
fn capacity_is_checked_before_constraints() {
    let range = json!({"min": "1", "step": "2"});
    let device = json!([{"name": "d0", "allowMultipleAllocations": true,
        "capacity": {"memory": {"value": "10Gi", "requestPolicy": {"default": "1", "validRange": range}}}}]);
    let request = json!({"capacity": {"requests": {"memory": "18446744073709551616"}}});
    let want = claim("c", exactly(request), json!([{"matchAttribute": "gpu.example.com/none"}]));
    let said = verdict("1.37", want, vec![slice(device)]);
    assert!(said.ends_with("request 18446744073709551616 exceeds MaxInt64"), "{said}");
}

#[test]
fn alternatives_are_tried_in_order_and_score() {
    let want = |names: [&str; 2]| json!({"name": names[0], "deviceClassName": "gpu", "selectors": model(names[1])});
    let requests =
        json!([{"name": "r", "firstAvailable": [want(["best", "a"]), want(["good", "b"])]}]);
    let mut elsewhere = slice(models(&["b"]));
    elsewhere["metadata"]["name"] = "m".into();
    elsewhere["spec"]["nodeName"] = "m".into();
    elsewhere["spec"]["pool"]["name"] = "m".into();
    let objects = vec![
        claim("c", requests, json!([])),
        gpu_class(),
        slice(models(&["a", "b"])),
        elsewhere,
        node("m").into(),
    ];
    let answer = decide_at("1.37", objects.clone());
    assert_eq!(
        (answer.score("n", "DynamicResources"), answer.score("m", "DynamicResources")),
        ((8, 100), (7, 87))
    );
    let old = decide_at("1.34", objects);
    assert!(
        !old.score_plugins("n").contains(&"DynamicResources".to_owned()),
        "no score before 1.35"
    );
}

#[test]
fn scores_need_pre_filter_and_filter() {
    let want = json!({"name": "only", "deviceClassName": "gpu"});
    let requests = json!([{"name": "r", "firstAvailable": [want]}]);
    let of = |adjust: fn(&mut Profile)| {
        let mut elsewhere = slice(models(&["b"]));
        for field in ["/metadata/name", "/spec/nodeName", "/spec/pool/name"] {
            *elsewhere.pointer_mut(field).expect("a field") = "m".into();
        }
        let claim = claim("c", requests.clone(), json!([]));
        let pod = claimant();
        let objects = vec![
            claim,
            gpu_class(),
            slice(models(&["a"])),
            elsewhere,
            node("n").into(),
            node("m").into(),
            pod.into(),
        ];
        at("1.37").with(adjust).decide(objects, "p")
    };
    assert_eq!(of(|_| {}).raw_score("n", "DynamicResources"), 8);
    let filter_off =
        of(|profile| profile.plugins.filter.retain(|plugin| *plugin != "DynamicResources"));
    assert_eq!(filter_off.raw_score("n", "DynamicResources"), 0);
    let both_off = of(|profile| {
        profile.plugins.pre_filter.retain(|plugin| *plugin != "DynamicResources");
        profile.plugins.filter.retain(|plugin| *plugin != "DynamicResources");
    });
    assert_eq!(
        both_off.message(),
        "running Score plugins: plugin \"DynamicResources\" failed with: not found"
    );
}

#[test]
fn scores_are_asked_for_in_1_35_even_where_no_request_may_list_alternatives() {
    let without_filters = |version: &str| {
        let off = |profile: &mut Profile| {
            profile.plugins.pre_filter.retain(|plugin| *plugin != "DynamicResources");
            profile.plugins.filter.retain(|plugin| *plugin != "DynamicResources");
        };
        let objects = vec![node("n").into(), node("m").into(), pod("p").into()];
        at(version)
            .gates("DRAPrioritizedList=false")
            .with(off)
            .decide(objects, "p")
            .message()
            .to_owned()
    };
    let with_a_held_claim = |version: &str| {
        let pod =
            claimant().push("/spec/resourceClaims", json!({"name": "h", "resourceClaimName": "h"}));
        let mut shared = slice(models(&["a", "a", "a"]));
        shared["spec"]["nodeName"] = Value::Null;
        shared["spec"]["allNodes"] = true.into();
        let (free, held) = (claim("c", exactly(json!({})), json!([])), holding("h", &["d0"]));
        let objects =
            vec![free, held, gpu_class(), shared, node("n").into(), node("m").into(), pod.into()];
        at(version).gates("DRAPrioritizedList=false").decide(objects, "p").message().to_owned()
    };
    let failed = |error: &str| {
        format!("running Score plugins: plugin \"DynamicResources\" failed with: {error}")
    };
    assert_eq!(without_filters("1.35.5"), failed("not found"));
    assert_eq!(without_filters("1.36"), "");
    assert_eq!(
        with_a_held_claim("1.35.5"),
        failed("number of allocations 1 is smaller than number of claims")
    );
    assert_eq!(with_a_held_claim("1.36"), "");
}

#[test]
fn errors_end_the_cycle() {
    let bad = |expression: &str| {
        claim("c", exactly(json!({"selectors": [{"cel": {"expression": expression}}]})), json!([]))
    };
    let one = || vec![slice(models(&["a"]))];
    let prefix = "running \"DynamicResources\" filter plugin: claim default/c";
    let missing = "device.attributes['gpu.example.com'].nope";
    let hint = "consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for \
                optional fields";
    let on = "selector #0 on device gpu.example.com/n/d0: CEL runtime error: no such key: nope";
    let all = || claim("c", exactly(json!({"allocationMode": "All"})), json!([]));
    let rows = [
        ("1.36", bad(missing), one(), format!("{prefix}: selector #0: CEL runtime error: no such key: nope")),
        ("1.37", bad(missing), one(), format!("{prefix}: {on}. {hint}")),
        (
            "1.37",
            all(),
            vec![pool_slice("s", 2, models(&["a"]))],
            format!(
                "{prefix}, request r: asks for all devices, but resource pool gpu.example.com/n is currently being updated"
            ),
        ),
        (
            "1.38",
            all(),
            vec![pool_slice("s", 2, models(&["a"]))],
            "UU DynamicResources: claim default/c, request r: asks for all devices, but resource pool gpu.example.com/n is \
             currently being updated"
                .to_owned(),
        ),
        (
            "1.38",
            all(),
            vec![pool_slice("s", 2, models(&["a"])), pool_slice("twin", 2, models(&["a"]))],
            "UU DynamicResources: claim default/c, request r: asks for all devices, but resource pool gpu.example.com/n is \
             currently invalid"
                .to_owned(),
        ),
        (
            "1.36.4",
            claim("c", exactly(json!({"count": 33})), json!([])),
            one(),
            format!("{prefix}: number of requested devices 33 exceeds the claim limit of 32"),
        ),
        (
            "1.36.5",
            claim("c", exactly(json!({"count": 33})), json!([])),
            one(),
            format!(
                "{prefix}, request r: adding 33 devices exceeds the claim limit of 32, with 0 already accounted for"
            ),
        ),
    ];
    for (version, claim, others, message) in rows {
        assert_eq!(verdict(version, claim, others), message, "{version}");
    }
}

/// A driver may let claims share a device, and later not.
#[test]
fn a_shared_device_is_not_allocated_as_a_whole_since_1_38() {
    let mut sharer = holding("other", &["d0"]);
    sharer["status"]["allocation"]["devices"]["results"][0]["shareID"] = "x".into();
    let admin = json!({"adminAccess": true});
    for (row, version, request, devices, expected) in [
        ("it is", "1.37", json!({}), models(&["a"]), "fits"),
        ("it is not", "1.38", json!({}), models(&["a"]), NOT_ALL),
        ("another one is", "1.38", json!({}), models(&["a", "a"]), "fits"),
        ("an administrator gets it", "1.38", admin, models(&["a"]), "fits"),
        (
            "it is still shared",
            "1.38",
            json!({}),
            json!([{"name": "d0", "allowMultipleAllocations": true}]),
            "fits",
        ),
    ] {
        let want = claim("c", exactly(request), json!([]));
        assert_eq!(verdict(version, want, vec![slice(devices), sharer.clone()]), expected, "{row}");
    }
}

#[test]
fn up_to_1_35_an_alternative_finds_the_matches_of_the_one_before_it() {
    let selects = |expression: &str| json!([{"cel": {"expression": expression}}]);
    let all = |name: &str, expression: &str| json!({"name": name, "deviceClassName": "gpu", "allocationMode": "All", "selectors": selects(expression)});
    let one = |name: &str, expression: &str| json!({"name": name, "deviceClassName": "gpu", "count": 1, "selectors": selects(expression)});
    let fails = "device.attributes['gpu.example.com'].nowhere == 1";
    for (row, alternatives, up_to_1_35, later) in [
        ("the second is not evaluated", json!([all("a", "true"), all("b", fails)]), "fits", None),
        (
            "the second is found for itself",
            json!([one("a", "false"), all("b", "true")]),
            "fits",
            Some("fits"),
        ),
        (
            "the second leaves nothing to the first",
            json!([one("a", "true"), all("b", "false")]),
            "fits",
            Some("fits"),
        ),
        (
            "the second finds what the first left",
            json!([all("a", "false"), all("b", "true")]),
            NOT_ALL,
            Some("fits"),
        ),
    ] {
        let want = || claim("c", json!([{"name": "r", "firstAvailable": alternatives}]), json!([]));
        let answer = |version| decide_at(version, vec![want(), gpu_class(), slice(models(&["a"]))]);
        assert_eq!(answer("1.35").node("n"), up_to_1_35, "{row}");
        match later {
            Some(later) => assert_eq!(answer("1.36").node("n"), later, "{row}"),
            None => assert!(answer("1.36").message().contains("no such key: nowhere"), "{row}"),
        }
    }
}

#[test]
fn class_selector_without_cel_crashes_the_scheduler_when_a_device_is_compared() {
    let of_class =
        |selectors: Value| resource("DeviceClass", "gpu", json!({"selectors": selectors}));
    let matching = json!({"cel": {"expression": "device.driver == 'gpu.example.com'"}});
    let other = json!({"cel": {"expression": "device.driver == 'other'"}});
    let rows = [
        ("no cel", json!([{}]), true),
        ("null", json!([{"cel": null}]), true),
        ("after one that matches", json!([matching, {}]), true),
        ("after one that does not", json!([other, {}]), false),
    ];
    for version in ["1.34", "1.35.5", "1.35.6", "1.36", "1.37"] {
        for (row, selectors, crashes) in &rows {
            let of = |devices: Vec<Value>| {
                let mut objects = vec![claim("c", exactly(json!({})), json!([]))];
                objects.push(of_class(selectors.clone()));
                objects.extend(devices);
                decide_at(version, objects)
            };
            let answer = of(vec![slice(models(&["a"]))]);
            let error = if *crashes { "Crash" } else { "" };
            assert_eq!(answer.error(), error, "{version}, {row}");
            assert_eq!(of(Vec::new()).error(), "", "{version}, {row}: no device is compared");
        }
    }
}

#[test]
fn unknown_selectors_add_a_note() {
    let none = "0/1 nodes are available: 1 cannot allocate all claims.";
    let rows = [
        ("known", "isIP('1.2.3')", None, none),
        ("not known before it runs", r"'a'.matches('\\p{Tai_Lue}')", Some("error"), none),
        (
            "not known when it runs",
            "timestamp(0).getHours('Europe/Zurich') == 1",
            Some("error"),
            none,
        ),
        (
            "no expression",
            "1 +",
            Some("warning"),
            "running \"DynamicResources\" filter plugin: claim default/c: selector #0: CEL",
        ),
    ];
    for (what, expression, severity, message) in rows {
        let want = claim(
            "c",
            exactly(json!({"selectors": [{"cel": {"expression": expression}}]})),
            json!([]),
        );
        let answer = decide_at("1.37", vec![want, gpu_class(), slice(models(&["a"]))]);
        let notes = answer.notes();
        let found: Vec<&str> =
            notes.iter().filter_map(|n| n.split_once(" ResourceClaim ")).map(|n| n.0).collect();
        assert_eq!(found, severity.into_iter().collect::<Vec<_>>(), "{what}: {notes:?}");
        assert!(answer.message().starts_with(message), "{what}: {}", answer.message());
    }
}

#[test]
fn unknown_class_of_an_extended_resource_adds_a_note() {
    for (expression, said) in
        [("timestamp(0).getHours('Europe/Zurich') == 1", true), ("true", false)]
    {
        let mut class = gpu_class();
        class["spec"] = json!({"extendedResourceName": "example.com/gpu", "selectors": [{"cel": {"expression": expression}}]});
        let wants = pod("p").requests("example.com/gpu", "1");
        let answer = at("1.37")
            .decide(vec![class, slice(models(&["a"])), node("n").into(), wants.into()], "p");
        let notes = answer.notes();
        assert_eq!(
            notes.iter().any(|n| n.starts_with("error Pod default/p: selector")),
            said,
            "{expression}: {notes:?}"
        );
    }
}

#[test]
fn a_class_must_exist() {
    let want =
        claim("c", json!([{"name": "r", "exactly": {"deviceClassName": "gone"}}]), json!([]));
    let answer = decide_at("1.36", vec![want, gpu_class()]);
    assert_eq!(
        answer.pre_filter(),
        "UU DynamicResources: request r: device class gone does not exist"
    );
    assert_eq!(
        answer.message(),
        "0/1 nodes are available: request r: device class gone does not exist. no new claims to deallocate, \
         preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    );
}

#[test]
fn allocated_claim_ties_the_pod_to_nodes_and_is_deallocated_if_unused() {
    let mut held = holding("c", &["d0"]);
    held["status"]["allocation"]["nodeSelector"] = json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}]});
    let message = |version: &str, claim: &Value| {
        let answer = decide_at(version, vec![claim.clone()]);
        assert_eq!(answer.node("n"), NOT_HERE);
        answer.message().to_owned()
    };
    let preemption =
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    let start = "0/1 nodes are available: 1 resourceclaim not available on the node.";
    let freed = format!("{start} deallocation of ResourceClaim completed, {preemption}");
    assert_eq!((message("1.36", &held), message("1.37", &held)), (freed.clone(), freed));
    held["status"]["reservedFor"] = json!([{"resource": "pods", "name": "q", "uid": "q"}]);
    assert_eq!(message("1.36", &held), format!("{start} still not schedulable, {preemption}"));
    assert_eq!(message("1.37", &held), format!("{start} {preemption}"));
}

#[test]
fn a_device_that_is_not_ready_in_time_makes_the_claim_unavailable() {
    let held = |seconds: i64, ready: bool| {
        let at = crate::testing::NOW.parse::<jiff::Timestamp>().expect("a time")
            - jiff::SignedDuration::from_secs(seconds);
        let mut held = holding("c", &["d0"]);
        held["status"]["allocation"]["allocationTimestamp"] = at.to_string().into();
        held["status"]["allocation"]["devices"]["results"][0]["bindingConditions"] =
            json!(["Attached"]);
        if ready {
            let device = held["status"]["allocation"]["devices"]["results"][0].clone();
            held["status"]["devices"] = json!([{"driver": device["driver"], "pool": device["pool"], "device": device["device"],
                "conditions": [{"type": "Attached", "status": "True"}]}]);
        }
        held
    };
    for (row, version, seconds, ready, want) in [
        ("within the time", "1.37", 600, false, "fits"),
        ("too late", "1.37", 601, false, NOT_HERE),
        ("ready", "1.37", 601, true, "fits"),
        ("before the gate was on", "1.35", 601, false, "fits"),
    ] {
        let answer = decide_at(version, vec![held(seconds, ready)]);
        assert_eq!(answer.node("n"), want, "{row}");
        if want == NOT_HERE {
            assert!(
                answer.message().contains("deallocation of ResourceClaim completed"),
                "{}",
                answer.message()
            );
        }
    }
}

#[test]
fn extended_resource_without_node_capacity_is_taken_from_devices() {
    let mut class = gpu_class();
    class["spec"]["extendedResourceName"] = "example.com/gpu".into();
    let wants = |amount: &str| pod("p").requests("example.com/gpu", amount);
    let decide = |version: &str, amount: &str, n: crate::testing::Node| {
        let objects =
            vec![class.clone(), slice(models(&["a", "b"])), n.into(), wants(amount).into()];
        at(version).decide(objects, "p").node("n")
    };
    let plugin = || node("n").with("/status/allocatable/example.com~1gpu", "1");
    assert_eq!(decide("1.37", "2", node("n")), "fits");
    assert_eq!(decide("1.37", "3", node("n")), NOT_ALL);
    assert_eq!(decide("1.37", "1", plugin()), "fits");
    assert_eq!(decide("1.35", "2", node("n")), "UU NodeResourcesFit: Insufficient example.com/gpu");
}

#[test]
fn up_to_1_34_a_class_map_selects_delegated_resources() {
    let mut class = gpu_class();
    class["spec"]["extendedResourceName"] = "example.com/gpu".into();
    let insufficient = |name: &str| format!("UU NodeResourcesFit: Insufficient {name}");
    let implicit = format!("{CLASS_RESOURCE_PREFIX}gpu");
    let none = || node("n");
    let of_its_own = |amount: &str| node("n").with("/status/allocatable/example.com~1gpu", amount);
    let gpu = |amount: &str| pod("p").requests("example.com/gpu", amount);
    for (row, wants, node, v1_34, v1_35) in [
        ("devices", gpu("2"), none(), "fits".to_owned(), "fits".to_owned()),
        ("too few devices", gpu("3"), none(), NOT_ALL.to_owned(), NOT_ALL.to_owned()),
        (
            "its own, none",
            gpu("1"),
            of_its_own("0"),
            insufficient("example.com/gpu"),
            "fits".to_owned(),
        ),
        (
            "without a map all is left",
            pod("p").requests("hugepages-2Mi", "4Mi"),
            none(),
            "fits".to_owned(),
            insufficient("hugepages-2Mi"),
        ),
        (
            "with a map only what is in it",
            gpu("1").requests("hugepages-2Mi", "4Mi"),
            none(),
            insufficient("hugepages-2Mi"),
            insufficient("hugepages-2Mi"),
        ),
        (
            "a class with a name has no other",
            gpu("1").requests(&implicit, "1"),
            none(),
            insufficient(&implicit),
            "fits".to_owned(),
        ),
        (
            "its own, and a claim",
            claimant().requests("example.com/gpu", "1"),
            of_its_own("1"),
            NOT_ALL.to_owned(),
            "fits".to_owned(),
        ),
    ] {
        let objects = || {
            let claim = claim("c", exactly(json!({"count": 2})), json!([]));
            vec![
                class.clone(),
                claim,
                slice(models(&["a", "b"])),
                node.clone().into(),
                wants.clone().into(),
            ]
        };
        let on = |version| {
            at(version).gates("DRAExtendedResource=true").decide(objects(), "p").node("n")
        };
        assert_eq!((on("1.34"), on("1.35")), (v1_34, v1_35), "{row}");
    }
}

#[test]
fn capacity_is_rejected_by_allocators_that_know_of_it_and_do_not_count_it() {
    let amount = json!({"requests": {"memory": "1Gi"}});
    let want = claim("c", exactly(json!({"capacity": amount})), json!([]));
    let listed = json!([{"name": "r", "firstAvailable": [{"name": "a", "deviceClassName": "gpu", "capacity": amount}]}]);
    let listed = claim("c", listed, json!([]));
    let rejected = |what: &str| {
        format!(
            "running \"DynamicResources\" filter plugin: claim default/c, {what}: has capacity requests, but the \
             DRAConsumableCapacity feature is disabled"
        )
    };
    let (off, status) = ("DRAConsumableCapacity=false", "DRAResourceClaimDeviceStatus=false");
    let binding = "DRADeviceBindingConditions=true";
    let stable = "DRAConsumableCapacity=false,DRADeviceBindingConditions=false";
    let rows = [
        ("1.34: the experimental one", "1.34", "", &want, rejected("request r")),
        ("1.34: it does not name alternatives", "1.34", "", &listed, rejected("request r")),
        ("1.34: the incubating one", "1.34", status, &want, "fits".to_owned()),
        ("1.35: the incubating one", "1.35", "", &want, "fits".to_owned()),
        ("1.35: the experimental one", "1.35", binding, &listed, rejected("subrequest a")),
        ("1.36: both", "1.36", off, &want, rejected("request r")),
        ("1.36: both name alternatives", "1.36", off, &listed, rejected("subrequest a")),
        ("1.36: the stable one", "1.36", stable, &want, "fits".to_owned()),
        ("1.37: the stable one", "1.37", stable, &want, "fits".to_owned()),
    ];
    for (row, version, gates, claim, expected) in rows {
        let devices = slice(json!([{"name": "d0", "capacity": {"memory": {"value": "2Gi"}}}]));
        let objects =
            vec![claim.clone(), gpu_class(), devices, node("n").into(), claimant().into()];
        let answer = at(version).gates(gates).decide(objects, "p");
        let found = if answer.message().starts_with("running") {
            answer.message().to_owned()
        } else {
            answer.node("n")
        };
        assert_eq!(found, expected, "{row}");
    }
}

#[test]
fn devices_that_must_differ_are_compared_by_value_since_1_35() {
    let differ = json!([{"distinctAttribute": "gpu.example.com/model"}]);
    let want = || claim("c", exactly(json!({"count": 2})), differ.clone());
    let unknown = "running \"DynamicResources\" filter plugin: claim default/c, constraint #0: empty constraint \
                   (unsupported constraint type?)";
    let rows = [
        ("1.34", vec![slice(models(&["a", "a"]))], "fits"),
        ("1.34", vec![slice(json!([{"name": "d0"}, {"name": "d1"}]))], NOT_ALL),
        ("1.35", vec![slice(models(&["a", "b"]))], unknown),
        ("1.36", vec![slice(models(&["a", "a"]))], NOT_ALL),
    ];
    for (number, (version, others, expected)) in rows.into_iter().enumerate() {
        assert_eq!(verdict(version, want(), others), expected, "row {number}, {version}");
    }
}

#[test]
fn slices_with_counters_are_like_others_up_to_1_34() {
    let uses = |set: &str| json!([{"counterSet": set, "counters": {"slots": {"value": "2"}}}]);
    let devices = json!([{"name": "d0", "consumesCounters": uses("s")}, {"name": "d1", "consumesCounters": uses("s")}]);
    let set = json!([{"name": "s", "counters": {"slots": {"value": "3"}}}]);
    let mut alone = pool_slice("sets", 2, json!([]));
    alone["spec"]["sharedCounters"] = set.clone();
    let mut together = slice(devices);
    together["spec"]["sharedCounters"] = set;
    let apart = || vec![alone.clone(), pool_slice("devices", 2, models(&["a"]))];
    let all = json!({"allocationMode": "All"});
    let partitions = "DRAPartitionableDevices=true";
    let rows = [
        (
            "all of a pool whose slices are all for the node",
            "1.34",
            "",
            all.clone(),
            apart(),
            "fits",
        ),
        ("all of a pool whose slices are all looked at", "1.35", "", all, apart(), "fits"),
        (
            "counters for one",
            "1.34",
            partitions,
            json!({"count": 1}),
            vec![together.clone()],
            "fits",
        ),
        (
            "counters for no two",
            "1.34",
            partitions,
            json!({"count": 2}),
            vec![together.clone()],
            NOT_ALL,
        ),
        (
            "counters in use",
            "1.34",
            partitions,
            json!({}),
            vec![together.clone(), holding("other", &["d0"])],
            NOT_ALL,
        ),
        ("no counters without the gate", "1.34", "", json!({}), vec![together], NOT_ALL),
    ];
    for (row, version, gates, request, mut objects, expected) in rows {
        objects.extend([
            claim("c", exactly(request), json!([])),
            gpu_class(),
            node("n").into(),
            claimant().into(),
        ]);
        assert_eq!(at(version).gates(gates).decide(objects, "p").node("n"), expected, "{row}");
    }
}

/// Pods that wait for devices, each with a claim for one.
fn others(count: usize) -> Vec<Value> {
    let of = |number: usize| {
        let (name, pod_name) = (format!("c{number}"), format!("other-{number}"));
        let pod = pod(&pod_name)
            .push("/spec/resourceClaims", json!({"name": "c", "resourceClaimName": name}));
        [claim(&name, exactly(json!({})), json!([])), pod.into()]
    };
    (0..count).flat_map(of).collect()
}

/// A claim for one device more than there are models of them, each of another model: all
/// combinations have to be tried.
fn unsatisfiable() -> Value {
    let request = |number: usize| json!({"name": format!("r{number}"), "exactly": {"deviceClassName": "gpu"}});
    let requests: Value = (0..5).map(request).collect();
    claim("c", requests, json!([{"distinctAttribute": "gpu.example.com/model"}]))
}

#[test]
fn search_for_devices_has_fewer_steps_the_more_pods_wait() {
    let devices: Vec<&str> = (0..16).map(|number| ["a", "b", "c", "d"][number % 4]).collect();
    let decide = |waiting: usize| {
        let mut objects = vec![unsatisfiable(), gpu_class(), slice(models(&devices))];
        objects.extend(others(waiting));
        decide_at("1.37", objects)
    };
    let alone = decide(0);
    assert_eq!(alone.node("n"), NOT_ALL);
    assert!(
        !alone.notes().iter().any(|note| note.contains("the search for devices was given up")),
        "{:?}",
        alone.notes()
    );
    let crowded = decide(1_000);
    assert!(
        crowded.message().contains("timed out trying to allocate devices"),
        "{}",
        crowded.message()
    );
    assert!(
        crowded.notes().iter().any(|note| note.contains("the search for devices was given up")),
        "{:?}",
        crowded.notes()
    );
}

#[test]
fn claim_that_is_easy_to_satisfy_is_found_however_many_pods_wait() {
    let devices: Vec<&str> = (0..16).map(|number| if number < 8 { "a" } else { "b" }).collect();
    let same = json!([{"matchAttribute": "gpu.example.com/model"}]);
    let mut objects =
        vec![claim("c", exactly(json!({"count": 8})), same), gpu_class(), slice(models(&devices))];
    objects.extend(others(1_000));
    assert_eq!(decide_at("1.37", objects).node("n"), "fits");
}

#[test]
fn selector_has_fewer_steps_the_more_devices_there_are() {
    let list = "[1,2,3,4,5,6,7,8,9]";
    // Only the first device costs steps: the others are counted, but their model is compared first.
    let nested = format!(
        "device.attributes['gpu.example.com'].model == 'a' && \
         {list}.all(a, {list}.all(b, {list}.all(c, {list}.all(d, a + b + c + d > 0))))"
    );
    let decide = |devices: usize| {
        let mut all = vec!["b"; devices];
        all[0] = "a";
        let objects = vec![
            claim("c", exactly(json!({})), json!([])),
            class("gpu", &nested),
            slice(models(&all)),
        ];
        decide_at("1.37", objects)
    };
    assert_eq!(decide(1).node("n"), "fits");
    let many = decide(2_000);
    assert_eq!(many.node("n"), NOT_ALL);
    let text = "takes too many steps to be evaluated here, which is not known here: it counts as matching no device";
    assert!(many.notes().iter().any(|note| note.contains(text)), "{:?}", many.notes());
}
